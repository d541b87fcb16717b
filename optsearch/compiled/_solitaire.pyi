from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

class PuzzleSweep:
    def __init__(
        self,
        rows: Sequence[int],
        columns: Sequence[int],
        lengths: Sequence[int],
        ships: Sequence[int],
        may: NDArray[np.uint8],
        must: NDArray[np.uint8],
        open: NDArray[np.uint8],
        tick: Callable[[int], object],
    ) -> None: ...
    def count(self, limit: int) -> int: ...
    def solutions(self, most: int) -> list[list[tuple[int, int, int, int]]]: ...
