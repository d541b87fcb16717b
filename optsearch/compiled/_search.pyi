from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from optsearch.compiled._effort import Effort
from optsearch.compiled._identities import IdentityTable
from optsearch.compiled._memo import Disk, Memo
from optsearch.compiled._table import MemoryTable

class Search:
    nodes: int
    subsets: int
    effort: Effort
    has_prices: bool
    memo: Memo
    identities: IdentityTable | None
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
    def weigh(self, weights: NDArray[np.int64]) -> None: ...
    def look_back(self) -> None: ...
    def solve(self, family: NDArray[np.int32], budget: int = ..., limit: int = ...) -> int: ...
    def after(
        self, family: NDArray[np.int32], cell: int, budget: int = ..., limit: int = ...
    ) -> int: ...
    def shots(self, family: NDArray[np.int32], budget: int = ...) -> list[tuple[int, int]]: ...
    def lower_bound(self, family: NDArray[np.int32], budget: int = ...) -> int: ...
    def normal_form(self, family: NDArray[np.int32], budget: int = ...) -> bytes: ...
