import numpy as np
from numpy.typing import NDArray

from optsearch.compiled._walk import Walk

class AnnouncedEvaluator(Walk):
    def __init__(
        self,
        rule: object,
        kinds: list[tuple[int, int, NDArray[np.uint64]]],
        slots: NDArray[np.int32],
    ) -> None: ...
    def begin(self, n: int, hits: int = 0, misses: int = 0, following: bool = False) -> None: ...
