import numpy as np
from numpy.typing import NDArray

class AnnouncedEvaluator:
    nodes: int
    def __init__(
        self,
        order: NDArray[np.int32],
        endgame: int,
        kinds: list[tuple[int, int, NDArray[np.uint64]]],
        slots: NDArray[np.int32],
        following: bool = False,
        candidates: int = 1,
        percent: int = 100,
        screen: int = 64,
        finalists: int = 1,
        cap: int = 64,
        truncate: int = 1,
        most: int = 0,
        estimates: NDArray[np.int32] | None = None,
        least: int = 0,
        many: int = 0,
        factors: NDArray[np.int32] | None = None,
        sides: NDArray[np.uint64] | None = None,
        corners: NDArray[np.uint64] | None = None,
        borders: NDArray[np.int32] | None = None,
    ) -> None: ...
    def begin(self, n: int, hits: int = 0, misses: int = 0) -> None: ...
    def add(self, rows: NDArray[np.uint64]) -> None: ...
    def stop(self) -> None: ...
    def follow(self, index: int) -> int: ...
    def run(self) -> NDArray[np.int64]: ...
