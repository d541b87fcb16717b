"""Count in numba how many configurations greedy finishes in time; `within` has the definition.

A family is a list of row numbers of the arrays in `Tables`, which have a row per configuration. If
hits tell nothing, all ships of a configuration count as one. A set of cells is two words: the bits
of cells 0 to 63, and those of the others.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

MISS, HIT = 0, 1

Array = Any  # numba infers the types of arrays; the docstrings say them


class Tables(NamedTuple):
    """The configurations of a game as arrays with a row each.

    ships -- uint64 of shape (n, ships, 2): the cells of each ship. A ship whose cells have several
        labels stands here as several ships: the cells with each label are one.
    cells -- int16 of shape (n, fleet cells): the same cells as numbers.
    answers -- int16 of shape (n, ships): the answer to a hit on each ship or, where sinkings are
        announced, to the hit that sinks it. HIT if the reply is only "hit", else a number above
        HIT.
    tells_every_hit -- True if every hit has the answer of its ship, not only a hit that sinks.
    """

    ships: Array
    cells: Array
    answers: Array
    tells_every_hit: bool


class Limits(NamedTuple):
    """The numbers that limit a count.

    misses -- still allowed. hits -- still needed. board_cells -- the cells of the board.
    answers -- the number of different answers, from MISS on.
    """

    misses: int
    hits: int
    board_cells: int
    answers: int


@njit(cache=True)
def count_by_cell(cells: Array, rows: Array, counts: Array) -> None:
    """Write into `counts` how many of some configurations have a ship on each cell.

    cells -- the ship cells of each configuration, as numbers, a row each. rows -- the rows that
    count. counts -- int64, an entry per cell of the board.
    """
    counts[:] = 0
    for row in rows:
        for cell in cells[row]:
            counts[cell] += 1


@njit(cache=True)
def answer_of(tables: Tables, row: int, cell: int, hit_cells: Array) -> int:
    """Return the answer to a shot if the ships lie as in a configuration (a row of the tables).

    It is MISS, HIT, or the number of the ship in `answers`: for every hit if `tells_every_hit`,
    else for the hit that sinks the ship. hit_cells -- the cells hit before, as a set of two words.
    """
    ships, _, answers, tells_every_hit = tables
    word, bit = cell >> 6, np.uint64(1) << np.uint64(cell & 63)  # of the cell in a set
    for ship in range(ships.shape[1]):
        if ships[row, ship, word] & bit:
            if tells_every_hit:
                return int(answers[row, ship])
            left_in_word = ships[row, ship, word] & ~hit_cells[word] & ~bit
            left_in_other = ships[row, ship, 1 - word] & ~hit_cells[1 - word]
            is_afloat = left_in_word | left_in_other
            return HIT if is_afloat else answers[row, ship]
    return MISS


@njit(cache=True)
def rows_with_answer(
    tables: Tables, rows: Array, cell: int, hit_cells: Array, answer: int
) -> Array:
    """Return those of some configurations that give a certain answer to a shot at a cell.

    rows -- the configurations, as rows of the tables; so is the result (int32). hit_cells -- the
    cells hit before, as a set of two words.
    """
    chosen = np.empty(len(rows), np.int32)
    chosen_count = 0
    for row in rows:
        if answer_of(tables, row, cell, hit_cells) == answer:
            chosen[chosen_count] = row
            chosen_count += 1
    return chosen[:chosen_count].copy()


@njit(cache=True)
def most_frequent_cell(cells: Array, rows: Array, hit_cells: Array, counts: Array) -> int:
    """Return the first cell, not hit yet, where most of some configurations have a ship.

    cells -- the ship cells of each configuration, a row each. rows -- the rows that count. counts
    -- an entry per cell of the board; it is overwritten.
    """
    count_by_cell(cells, rows, counts)
    best, greatest = -1, 0
    for cell in range(len(counts)):
        is_hit = hit_cells[cell >> 6] >> np.uint64(cell & 63) & np.uint64(1)
        if counts[cell] > greatest and not is_hit:
            best, greatest = cell, counts[cell]
    return best


@njit(cache=True)
def count_finished(
    tables: Tables, rows: Array, hit_cells: Array, limits: Limits, first_cell: int
) -> int:
    """Count the configurations whose ship cells are all hit in time, if a given cell is shot first.

    After it greedy plays: it always shoots a most probable cell. rows -- the configurations left,
    as rows of the tables. hit_cells -- the cells hit before, as a set of two words.
    """
    family = rows.copy()
    copied = np.empty(len(family), np.int32)
    answer_to = np.empty(len(family), np.int16)
    counts = np.empty(limits.board_cells, np.int64)
    sizes = np.empty(limits.answers, np.int64)
    # Parts of the family wait on a stack: part p is family[starts[p] : ends[p]]. Each shot on the
    # way to a part leaves at most one part per answer behind.
    room = (limits.board_cells + 1) * limits.answers
    starts, ends = np.empty(room, np.int64), np.empty(room, np.int64)
    misses_of, hits_of = np.empty(room, np.int64), np.empty(room, np.int64)  # still allowed, needed
    hit_cells_of = np.empty((room, 2), np.uint64)
    starts[0], ends[0] = 0, len(family)
    misses_of[0], hits_of[0] = limits.misses, limits.hits
    hit_cells_of[0] = hit_cells
    waiting, total, is_first = 1, 0, True
    hit_now = np.empty(2, np.uint64)
    while waiting:
        waiting -= 1
        start, end = starts[waiting], ends[waiting]
        misses_left, hits_left = misses_of[waiting], hits_of[waiting]
        if misses_left < 0:
            continue
        # Greedy only hits once a single configuration is left; `first_cell` may still miss it.
        is_known = end - start == 1 and not is_first
        if hits_left == 0 or is_known:
            total += end - start
            continue
        hit_now[:] = hit_cells_of[waiting]
        cell = first_cell
        if not is_first:
            cell = most_frequent_cell(tables.cells, family[start:end], hit_now, counts)
        is_first = False
        sizes[:] = 0
        for i in range(start, end):
            answer_to[i] = answer_of(tables, family[i], cell, hit_now)
            sizes[answer_to[i]] += 1
            copied[i] = family[i]
        next_index = start  # the parts by answer take the place of the part that is split
        for answer in range(limits.answers):
            if sizes[answer] == 0:
                continue
            starts[waiting], ends[waiting] = next_index, next_index + sizes[answer]
            misses_of[waiting] = misses_left - (answer == MISS)
            hits_of[waiting] = hits_left - (answer != MISS)
            hit_cells_of[waiting] = hit_now
            if answer != MISS:
                hit_cells_of[waiting, cell >> 6] |= np.uint64(1) << np.uint64(cell & 63)
            waiting += 1
            for i in range(start, end):
                if answer_to[i] == answer:
                    family[next_index] = copied[i]
                    next_index += 1
    return total
