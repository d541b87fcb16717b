from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

def count_configurations(ships: list[tuple[NDArray[np.uint64], NDArray[np.uint64]]]) -> int: ...

class Disk(Protocol):
    """A table on disk, as the kernel sees it."""

    def get(self, state: int) -> int | None: ...
    def keep(self, states: NDArray[np.uint64], heights: NDArray[np.uint32]) -> None: ...

class Optimum:
    def __init__(
        self,
        columns: NDArray[np.uint64],
        configurations: int,
        hits: int,
        max_bytes: int,
        tick: Callable[[int], None],
        disk: Disk | None = None,
        asks: bool = False,
    ) -> None: ...
    def hand_over(self) -> None: ...
    def first_shots(self) -> dict[int, int]: ...
    @property
    def states(self) -> int: ...
    @property
    def table_bytes(self) -> int: ...
