from typing import Literal, overload

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
        screen: int,
        finalists: int,
        cap: int,
        truncate: int,
        distinct: bool,
        estimates: NDArray[np.int32],
    ) -> None: ...
    def begin(self, n: int, is_sample: bool = False, weight_bits: int = 0) -> None: ...
    def add(self, sets: NDArray[np.uint64], weights: NDArray[np.uint64] | None = None) -> None: ...
    def stop(self) -> None: ...
    def shot(self, hits: int, misses: int, n: int, exact_counts: NDArray[np.int64]) -> int: ...
    def follow(self, index: int) -> int: ...
    @overload
    def run(self, surveying: Literal[False] = False) -> NDArray[np.int64]: ...
    @overload
    def run(self, surveying: Literal[True]) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...

def sampled(sets: NDArray[np.uint64], bits: int) -> NDArray[np.uint64]: ...
