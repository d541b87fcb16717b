from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

MAX_KINDS: int
MAX_PLACEMENTS: int
MAX_CODED: int
MAX_CODE_WORDS: int

class Enumerator:
    def __init__(
        self,
        kinds: list[tuple[int, int, NDArray[np.uint64]]],
        compatible: list[list[NDArray[np.uint8]]],
        hits: int,
        slice: int = 0,
        slices: int = 1,
    ) -> None: ...
    def stop(self) -> None: ...
    def count(self) -> int: ...
    def occurrence(self) -> list[list[int]]: ...
    def fill(self, out: NDArray[np.uint64]) -> int: ...
    def name(
        self,
        sorts: list[int],
        numbers: list[NDArray[np.uint64]],
        shifts: Sequence[Sequence[int]],
        code_words: int,
    ) -> None: ...
    def fill_coded(self, out: NDArray[np.uint64]) -> int: ...
