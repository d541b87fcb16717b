import numpy as np
from numpy.typing import NDArray

BUCKETS: int
FACTORS: int
MAX_CANDIDATES: int
MAX_ENDGAME: int
MAX_HASHES: int
MAX_SAMPLE: int
MIN_SAMPLE: int
SMALL: int
UNIT: int

class Walk:
    def add(self, rows: NDArray[np.uint64]) -> None: ...
    def stop(self) -> None: ...
    def run(self) -> NDArray[np.int64]: ...
    def follow(self, index: int) -> int: ...
