from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from optsearch.compiled._effort import Effort

class Finished:
    effort: Effort
    def __init__(
        self,
        sets: NDArray[np.uint64],
        cells: int,
        tick: Callable[[int], None],
        memory: int,
    ) -> None: ...
    def most(self, cell: int, missed: NDArray[np.uint64], misses: int, enough: int) -> int: ...
