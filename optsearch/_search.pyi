from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from optsearch._table import MemoryTable

class Disk(Protocol):
    def get(self, key: bytes, /) -> int | None: ...
    def put(self, key: bytes, value: int, /) -> None: ...

class Search:
    nodes: int
    disk: Disk | None
    def __init__(
        self,
        universe: NDArray[np.uint64],
        weights: NDArray[np.int64],
        permutations: NDArray[np.int32],
        cell_permutations: NDArray[np.int32],
        table: MemoryTable,
        disk: Disk | None,
        memo: bool,
        symmetry: bool,
        leaf_counting: bool,
        ordering: bool,
        small_cases: bool,
        tick: Callable[[int], None],
    ) -> None: ...
    def misses(self, family: NDArray[np.int32], limit: int = ...) -> int: ...
    def first_shots(self, family: NDArray[np.int32]) -> list[tuple[int, int]]: ...
    def misses_after(self, family: NDArray[np.int32], cell: int, limit: int = ...) -> int: ...
    def normal_form(self, family: NDArray[np.int32]) -> bytes: ...
    def leaf_counting_bound(self, family: NDArray[np.int32]) -> int: ...
