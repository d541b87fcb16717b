import numpy as np
from numpy.typing import NDArray

BUCKETS: int
MAX_CANDIDATES: int
MAX_ENDGAME: int
MAX_HASHES: int
MAX_LEVELS: int
MAX_SAMPLE: int
MIN_SAMPLE: int
SMALL: int
UNIT: int

class EvaluatorBase:
    def begin(
        self,
        n: int,
        hits: int = 0,
        misses: int = 0,
        following: bool = False,
        is_sample: bool = False,
        weight_bits: int = 0,
    ) -> None: ...
    def add(self, rows: NDArray[np.uint64]) -> None: ...
    @property
    def fault(self) -> tuple[int, int, int, int] | None: ...
    def score_by(self, rule: object, board: tuple[int, int, int], lengths: list[int]) -> None: ...
    def stop(self) -> None: ...
    def run(self) -> NDArray[np.int64]: ...
    def follow(self, index: int) -> int: ...
