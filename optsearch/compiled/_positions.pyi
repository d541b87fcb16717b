import numpy as np
from numpy.typing import NDArray

MAX_CELLS: int

class AllPositions:
    def __init__(
        self,
        sets: NDArray[np.uint32],
        weights: NDArray[np.int32],
        cell_permutations: NDArray[np.int32],
        configurations: NDArray[np.int32],
        optimum: NDArray[np.int32],
        greedy: NDArray[np.int32],
        classes: NDArray[np.int32] | None = None,
    ) -> None: ...
    def explore(self) -> NDArray[np.int32]: ...
