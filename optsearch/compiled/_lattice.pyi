from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

MAX_COLUMNS: int

class Lattice:
    rows: int
    columns: int
    kinds: int
    ways: int
    fleets: int
    def __init__(
        self,
        rows: int,
        columns: int,
        lengths: Sequence[int],
        counts: Sequence[int],
        contact: int,
        max_bytes: int,
        drawn: tuple[int, Sequence[int], NDArray[np.uint64], NDArray[np.uint64]] | None = None,
    ) -> None: ...
    def build(self) -> None: ...
    @property
    def states(self) -> int: ...
    @property
    def transitions(self) -> int: ...

class Query:
    def __init__(self, lattice: Lattice) -> None: ...
    def set(self, fleet: int, ways: NDArray[np.uint64], hit: NDArray[np.uint8]) -> None: ...
    def count(self, moduli: Sequence[int]) -> list[int]: ...
    def through(self, modulus: int = 0) -> tuple[int, NDArray[np.uint64]]: ...
    def weigh(self, weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]: ...
    def unrank(
        self,
        ranks: NDArray[np.uint64] | NDArray[np.float64],
        ships: int,
        weights: NDArray[np.float64] | None = None,
    ) -> NDArray[np.int32]: ...
