from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

class Cover:
    def __init__(
        self,
        cells: int,
        closed: NDArray[np.uint64],
        counted: NDArray[np.uint64],
        ships: Sequence[tuple[NDArray[np.uint64], NDArray[np.uint64], bool]],
    ) -> None: ...
    def walk(self) -> None: ...
    def counts(self) -> tuple[int, list[NDArray[np.int64]]]: ...

class LargestSearch:
    nodes: int
    def __init__(
        self, cells: int, counts: Sequence[NDArray[np.int64]], classes: NDArray[np.int32]
    ) -> None: ...
    def bound(
        self,
        k: int,
        most: int,
        most_nodes: int,
        ships: NDArray[np.uint64],
        costs: NDArray[np.int64],
    ) -> tuple[int, list[int]] | None: ...
