import numpy as np
from numpy.typing import NDArray

class KnownShips:
    def __init__(
        self,
        closed: NDArray[np.uint64],
        images: NDArray[np.int32],
        long: NDArray[np.uint64],
        short: NDArray[np.uint64],
        together: NDArray[np.uint8],
    ) -> None: ...
    def stock(
        self, known: NDArray[np.uint64], most_long: int, most_short: int
    ) -> NDArray[np.int64]: ...

class Finding:
    def __init__(
        self, met: NDArray[np.int64], words: NDArray[np.int64], most: int, barred: int
    ) -> None: ...

def least_cost(long: Finding, short: Finding, price: int) -> int: ...
