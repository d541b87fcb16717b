"""Count in numba how many configurations greedy finishes in time; `within` has the definition.

A family is a list of row numbers of three tables:

- `ships`, uint64 of shape (n, ships, 2): the cells of each ship as two words; of a ship whose cells
  have several labels, the cells with each label, as if they were ships.
- `cells`, int16 of shape (n, fleet cells): the same cells as numbers.
- `answers`, int16 of shape (n, ships): the answer to a hit on each ship or, where sinkings are
  announced, to the hit that sinks it. HIT if the reply is only "hit", else a number above HIT.

If hits tell nothing, all ships of a configuration count as one. Cells that are hit are two words.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

MISS, HIT = 0, 1

Array = Any  # numba infers the types of arrays; the docstrings say them


@njit(cache=True)
def count_by_cell(cells: Array, family: Array, counts: Array) -> None:
    """Fill `counts`, int64 of shape (cells of the board,): the configurations with each cell."""
    counts[:] = 0
    for row in family:
        for cell in cells[row]:
            counts[cell] += 1


@njit(cache=True)
def answer_of(ships: Array, answers: Array, is_fixed: bool, row: int, cell: int, hit: Array) -> int:
    """Return the answer of a configuration to a shot at a cell.

    hit -- the cells hit before, two words. is_fixed -- True if every hit is answered by its label,
    not only a hit that sinks.
    """
    word, bit = cell >> 6, np.uint64(1) << np.uint64(cell & 63)
    for ship in range(ships.shape[1]):
        if ships[row, ship, word] & bit:
            if is_fixed:
                return int(answers[row, ship])
            left = ships[row, ship, word] & ~hit[word] & ~bit
            other = ships[row, ship, 1 - word] & ~hit[1 - word]
            return HIT if left | other else answers[row, ship]
    return MISS


@njit(cache=True)
def rows_with_answer(
    ships: Array, answers: Array, is_fixed: bool, family: Array, cell: int, hit: Array, answer: int
) -> Array:
    """Return the configurations of a family that give an answer to a shot."""
    rows = np.empty(len(family), np.int32)
    n = 0
    for row in family:
        if answer_of(ships, answers, is_fixed, row, cell, hit) == answer:
            rows[n] = row
            n += 1
    return rows[:n].copy()


@njit(cache=True)
def count_finished(
    ships: Array,
    cells: Array,
    answers: Array,
    is_fixed: bool,
    rows: Array,
    hit: Array,
    limits: Any,
    first: int,
) -> int:
    """Count the configurations that are finished in time if `first` is shot and then greedy plays.

    hit -- the cells hit so far, two words. limits -- the misses still allowed, the hits still
    needed, the cells of the board, and the number of answers.
    """
    board_cells, answer_count = limits[2], limits[3]
    family = rows.copy()
    copied = np.empty(len(family), np.int32)
    answer_to = np.empty(len(family), np.int16)
    counts = np.empty(board_cells, np.int64)
    sizes = np.empty(answer_count, np.int64)
    room = (board_cells + 1) * answer_count
    ranges = np.empty((room, 4), np.int64)  # start, end, misses left, hits left
    hits = np.empty((room, 2), np.uint64)
    ranges[0] = (0, len(family), limits[0], limits[1])
    hits[0] = hit
    waiting, total, is_first = 1, 0, True
    hit_now = np.empty(2, np.uint64)
    while waiting:
        waiting -= 1
        start, end, misses, left = ranges[waiting]
        if misses < 0:
            continue
        if left == 0 or (end - start == 1 and not is_first):
            total += end - start
            continue
        hit_now[:] = hits[waiting]
        cell = first
        if not is_first:
            count_by_cell(cells, family[start:end], counts)
            cell, greatest = -1, 0
            for c in range(board_cells):
                if counts[c] > greatest and not hit_now[c >> 6] >> np.uint64(c & 63) & np.uint64(1):
                    cell, greatest = c, counts[c]
        is_first = False
        sizes[:] = 0
        for i in range(start, end):
            answer_to[i] = answer_of(ships, answers, is_fixed, family[i], cell, hit_now)
            sizes[answer_to[i]] += 1
            copied[i] = family[i]
        place = start
        for answer in range(answer_count):
            if sizes[answer]:
                ranges[waiting] = (
                    place,
                    place + sizes[answer],
                    misses - (answer == MISS),
                    left - (answer != MISS),
                )
                hits[waiting] = hit_now
                if answer != MISS:
                    hits[waiting, cell >> 6] |= np.uint64(1) << np.uint64(cell & 63)
                waiting += 1
                for i in range(start, end):
                    if answer_to[i] == answer:
                        family[place] = copied[i]
                        place += 1
    return total
