import numpy as np
from numpy.typing import NDArray

from optsearch.compiled._labels import Labels
from optsearch.compiled._walk import EvaluatorBase

class TreeEvaluator(EvaluatorBase):
    def __init__(self, rule: object, labels: Labels, distinct: bool) -> None: ...
    def shot(self, hits: int, misses: int, n: int, exact_counts: NDArray[np.int64]) -> int: ...

def sampled(sets: NDArray[np.uint64], bits: int) -> NDArray[np.uint64]: ...
