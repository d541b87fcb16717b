import numpy as np
from numpy.typing import NDArray

def play_pattern(
    sets: NDArray[np.uint64],
    pattern: NDArray[np.int32],
    rows: int,
    columns: int,
    fleet_cells: int,
    in_line: bool,
    know_water: bool,
    histogram: NDArray[np.int64],
) -> None: ...
