from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

class Dual:
    def __init__(self, terms: Mapping[str, NDArray[np.int32]], miss: int) -> None: ...
    def step(
        self,
        orbits: NDArray[np.int32],
        sides: NDArray[np.int32],
        chains: NDArray[np.int32],
        length: int,
    ) -> int: ...
