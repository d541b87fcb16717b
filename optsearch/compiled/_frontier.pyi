from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

class Frontier:
    def __init__(
        self,
        starts: NDArray[np.int32],
        needs: NDArray[np.uint64],
        closes: NDArray[np.uint64],
        kinds: NDArray[np.int32],
        counts: Sequence[int],
        relevant: NDArray[np.uint64],
        due: NDArray[np.uint64],
        hit: NDArray[np.uint8],
        alive: NDArray[np.uint64],
        max_bytes: int,
    ) -> None: ...
    states: int
    transitions: int
    widest: int
    stride: int
    @property
    def is_whole(self) -> bool: ...
    def count(self, modulus: int = 0, watch: Callable[[int], None] | None = None) -> int: ...
    def keep(self) -> int: ...
    def through(
        self, modulus: int = 0, watch: Callable[[int], None] | None = None
    ) -> tuple[int, NDArray[np.uint64]]: ...
    def weigh(
        self, weights: NDArray[np.float64], only_total: bool = False
    ) -> tuple[float, NDArray[np.float64]]: ...
    def unrank(
        self,
        ranks: NDArray[np.uint64] | NDArray[np.float64],
        ships: int,
        weights: NDArray[np.float64] | None = None,
    ) -> NDArray[np.int32]: ...
