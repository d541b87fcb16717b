import numpy as np
from numpy.typing import NDArray

class Evaluator:
    done: int
    nodes: int
    def __init__(
        self,
        order: NDArray[np.int32],
        candidates: int,
        percent: int,
        endgame: int,
        exact: int,
        cap: int,
        truncate: int,
        distinct: bool,
        estimates: NDArray[np.int32],
    ) -> None: ...
    def begin(self, n: int, is_sample: bool = False) -> None: ...
    def add(self, sets: NDArray[np.uint64]) -> None: ...
    def stop(self) -> None: ...
    def shot(
        self,
        hits_low: int,
        hits_high: int,
        misses_low: int,
        misses_high: int,
        n: int,
        exact_counts: NDArray[np.int64],
    ) -> int: ...
    def run(self) -> NDArray[np.int64]: ...
    def survey(self) -> NDArray[np.int64]: ...

def sampled(sets: NDArray[np.uint64], bits: int) -> NDArray[np.uint64]: ...
