from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

class Reveal:
    sets: int
    def __init__(
        self,
        cells: int,
        misses: int,
        kinds: Sequence[tuple[int, NDArray[np.uint64], NDArray[np.uint64]]],
        words: NDArray[np.int64],
    ) -> None: ...
    def values_of(
        self, known: NDArray[np.uint64], closed: NDArray[np.uint64], left: Sequence[int]
    ) -> NDArray[np.int64]: ...
