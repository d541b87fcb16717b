import numpy as np
from numpy.typing import NDArray

class FirstShip:
    states: int
    def __init__(
        self,
        hits: int,
        masks: NDArray[np.uint64],
        halos: NDArray[np.uint64],
        avoiding: NDArray[np.int64],
    ) -> None: ...
    def value(
        self, cell: int, missed: NDArray[np.uint64], start: int, words: NDArray[np.int64]
    ) -> int: ...
