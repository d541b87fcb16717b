from collections.abc import Callable, Sequence

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
        items: NDArray[np.uint64],
        weights: NDArray[np.int64],
        cells: int,
        objective: str,
        table: MemoryTable,
        disk: Disk | None,
        switches: dict[str, bool],
        tick: Callable[[int], None],
        rule: str = ...,
        replies: str = ...,
        labels: Sequence[int] = ...,
    ) -> None: ...
    def weigh(self, weights: NDArray[np.int64]) -> None: ...
    def bound_by_previous_weights(self) -> None: ...
    def solve(
        self, family: NDArray[np.int32], budget: int = ..., limit: int = ..., hits: int = ...
    ) -> int: ...
    def after(
        self,
        family: NDArray[np.int32],
        cell: int,
        budget: int = ...,
        limit: int = ...,
        hits: int = ...,
    ) -> int: ...
    def shots(
        self, family: NDArray[np.int32], budget: int = ..., hits: int = ...
    ) -> list[tuple[int, int]]: ...
    def lower_bound(self, family: NDArray[np.int32], budget: int = ..., hits: int = ...) -> int: ...
    def normal_form(
        self, family: NDArray[np.int32], budget: int = ..., hits: int = ...
    ) -> bytes: ...
