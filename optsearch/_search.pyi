from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from optsearch._effort import Effort
from optsearch._table import MemoryTable, SharedTable

class Disk(Protocol):
    def get(self, key: bytes, /) -> int | None: ...
    def put(self, key: bytes, value: int, /) -> None: ...

class Search:
    nodes: int
    subsets: int
    effort: Effort
    has_prices: bool
    disk: Disk | None
    shared: SharedTable | None
    place: int
    team: int
    def __init__(
        self,
        sets: NDArray[np.uint64],
        weights: NDArray[np.int64],
        cells: int,
        objective: str,
        table: MemoryTable,
        disk: Disk | None,
        switches: dict[str, bool],
        tick: Callable[[int], None],
        rule: str = ...,
    ) -> None: ...
    def solve(self, family: NDArray[np.int32], budget: int = ..., limit: int = ...) -> int: ...
    def after(
        self, family: NDArray[np.int32], cell: int, budget: int = ..., limit: int = ...
    ) -> int: ...
    def shots(self, family: NDArray[np.int32], budget: int = ...) -> list[tuple[int, int]]: ...
    def lower_bound(self, family: NDArray[np.int32], budget: int = ...) -> int: ...
    def normal_form(self, family: NDArray[np.int32], budget: int = ...) -> bytes: ...
