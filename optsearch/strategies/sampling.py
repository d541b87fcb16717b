"""The inner loop of Thompson sampling in numba: samples of one placement a ship, kept or not."""

from __future__ import annotations

from typing import Any

from numba import njit

Array = Any  # numba infers the types of arrays; they are said in the docstrings


@njit(cache=True)
def tally(chosen: Array, table: Array, hits: Array, most: int, uses: Array) -> int:
    """Count the placements of the first samples that are kept; returns how many are kept.

    chosen -- places in the table, int64 of shape (ships, samples). table -- uint64 of shape
        (placements, 4): a cell set, and the set that it closes to other ships, each as low and high
        64 bits. hits -- the cell set, uint64 of shape (2,), that a kept sample covers. most --
        how many are kept at most. uses -- int64 of shape (placements,), to be added to.
    """
    ships, samples = chosen.shape
    kept = 0
    for sample in range(samples):
        low = high = closed_low = closed_high = hits[0] & ~hits[0]
        is_apart = True
        for ship in range(ships):
            place = chosen[ship, sample]
            if table[place, 0] & closed_low or table[place, 1] & closed_high:
                is_apart = False
                break
            low |= table[place, 0]
            high |= table[place, 1]
            closed_low |= table[place, 2]
            closed_high |= table[place, 3]
        if is_apart and not hits[0] & ~low and not hits[1] & ~high:
            for ship in range(ships):
                uses[chosen[ship, sample]] += 1
            kept += 1
            if kept == most:
                break
    return kept
