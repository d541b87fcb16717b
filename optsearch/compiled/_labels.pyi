from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

class Labels:
    def __init__(
        self,
        order: Sequence[int],
        kinds: Sequence[tuple[int, int, NDArray[np.uint64]]],
        slots: NDArray[np.int32],
        is_fixed: bool,
        by_place: bool = False,
    ) -> None: ...
