import numpy as np
from numpy.typing import NDArray

from optsearch.compiled._walk import Walk

class Evaluator(Walk):
    def __init__(self, rule: object, distinct: bool) -> None: ...
    def nest(self, rule: object) -> None: ...
    def deepen(self, rule: object) -> None: ...
    def begin(
        self,
        n: int,
        hits: int = 0,
        misses: int = 0,
        following: bool = False,
        is_sample: bool = False,
        weight_bits: int = 0,
    ) -> None: ...
    def shot(self, hits: int, misses: int, n: int, exact_counts: NDArray[np.int64]) -> int: ...

def sampled(sets: NDArray[np.uint64], bits: int) -> NDArray[np.uint64]: ...
