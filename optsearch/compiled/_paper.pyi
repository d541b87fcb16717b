from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

def count_configurations(ships: list[tuple[NDArray[np.uint64], NDArray[np.uint64]]]) -> int: ...

class Optimum:
    def __init__(
        self,
        columns: NDArray[np.uint64],
        configurations: int,
        hits: int,
        max_bytes: int,
        tick: Callable[[int], None],
    ) -> None: ...
    def first_shots(self) -> dict[int, int]: ...
    @property
    def states(self) -> int: ...
    @property
    def table_bytes(self) -> int: ...
