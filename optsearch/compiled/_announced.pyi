from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from optsearch.compiled._effort import Effort
from optsearch.compiled._memo import Disk, Memo
from optsearch.compiled._table import MemoryTable

class AnnouncedSearch:
    nodes: int
    effort: Effort
    memo: Memo
    team: int
    def __init__(
        self,
        ships: NDArray[np.uint64],
        cells: int,
        by_length: bool,
        objective: str,
        table: MemoryTable,
        disk: Disk | None,
        switches: dict[str, bool],
        tick: Callable[[int], None],
        labels: Sequence[int] = (),
    ) -> None: ...
    def solve(self, family: NDArray[np.int32], hits: int, budget: int, limit: int = ...) -> int: ...
    def shots(self, family: NDArray[np.int32], hits: int, budget: int) -> list[tuple[int, int]]: ...
    def after(
        self, family: NDArray[np.int32], hits: int, cell: int, budget: int, limit: int = ...
    ) -> int: ...
    def lower_bound(self, family: NDArray[np.int32], hits: int, budget: int) -> int: ...
    def normal_form(self, family: NDArray[np.int32], hits: int, budget: int) -> bytes: ...
    def parts(
        self, family: NDArray[np.int32], hits: int, cell: int
    ) -> dict[int, NDArray[np.int32]]: ...
