import numpy as np
from numpy.typing import NDArray

class Fleet:
    def __init__(self, ships: list[tuple[int, int, NDArray[np.uint64]]]) -> None: ...

def play_pattern(
    sets: NDArray[np.uint64],
    pattern: NDArray[np.int32],
    rows: int,
    columns: int,
    fleet_cells: int,
    in_line: bool,
    know_water: bool,
    histogram: NDArray[np.int64],
    fleet: Fleet | None = None,
) -> None: ...
