from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Masks = NDArray[np.uint64]
Members = tuple[Ints, Ints]

class Deduction:
    def __init__(
        self,
        lengths: Ints,
        ships: Ints,
        kind: Ints,
        cells: Masks,
        shores: Masks,
        on: Members,
        beside: Members,
        corners: Members,
        lines: Ints,
        line_of: Ints,
        bit_of: Ints,
        meets: Members,
        masks: Masks,
        tick: Callable[[], object],
    ) -> None: ...
    def know(self, ship: Masks, water: Masks) -> bool: ...
    def suppose(self, cell: int, is_ship: bool, depth: int, ship: Masks, water: Masks) -> bool: ...
