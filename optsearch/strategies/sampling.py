"""The inner loop of Thompson sampling in numba: accept or reject samples of placements."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

Array = Any  # numba infers the types of arrays; the docstrings say them


@njit(cache=True)
def tally(chosen: Array, table: Array, hits: Array, limit: int, uses: Array) -> int:
    """Add to `uses` how many of the samples kept have each placement; return the number kept.

    A sample has one placement of each ship. It is kept if these can lie together and cover all
    hits. The loop ends with `limit` kept samples.

    chosen -- int64 of shape (ships, samples): the rows of the table that a sample has.
    table -- uint64 of shape (placements, 4): the cells of a placement, and the cells that it closes
        to other ships, each as low and high 64 bits.
    hits -- uint64 of shape (2,), low and high 64 bits. uses -- int64 of shape (placements,).
    """
    ships, samples = chosen.shape
    hits_low, hits_high = hits
    no_cells = np.uint64(0)
    accepted = 0
    for sample in range(samples):
        low = high = closed_low = closed_high = no_cells
        is_apart = True
        for ship in range(ships):
            row = chosen[ship, sample]
            if table[row, 0] & closed_low or table[row, 1] & closed_high:
                is_apart = False
                break
            low |= table[row, 0]
            high |= table[row, 1]
            closed_low |= table[row, 2]
            closed_high |= table[row, 3]
        covers_hits = not hits_low & ~low and not hits_high & ~high
        if is_apart and covers_hits:
            for ship in range(ships):
                uses[chosen[ship, sample]] += 1
            accepted += 1
            if accepted == limit:
                break
    return accepted
