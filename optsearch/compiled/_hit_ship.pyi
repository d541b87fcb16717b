import numpy as np
from numpy.typing import NDArray

MAX_RESTS: int
MAX_SHIPS: int

class HitShip:
    def __init__(
        self,
        hits: int,
        cells: int,
        ships: NDArray[np.uint64],
        rests: NDArray[np.uint64],
        has: NDArray[np.uint64],
    ) -> None: ...
    def unfinished(self, cell: int, missed: NDArray[np.uint64], misses: int) -> int: ...
