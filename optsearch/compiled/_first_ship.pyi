from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

class FirstShip:
    computed: int
    def __init__(
        self,
        hits: int,
        masks: NDArray[np.uint64],
        halos: NDArray[np.uint64],
        avoiding: NDArray[np.int64],
        start: int,
        words: NDArray[np.int64],
        symmetries: NDArray[np.int32],
    ) -> None: ...
    def value(self, cell: int, missed: NDArray[np.uint64]) -> int: ...

class Sequences:
    best: int
    def __init__(
        self, counts: Sequence[NDArray[np.int64]], values: FirstShip, best: int
    ) -> None: ...
    def extend(self, sets: NDArray[np.uint8], kept: NDArray[np.int64], j: int) -> None: ...
    def collect(self, width: int) -> tuple[NDArray[np.uint8], NDArray[np.int64]]: ...
