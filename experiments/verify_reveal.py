"""The reveal game evaluated once more, for experiments.check_lower_bounds: no kernel of ours.

`lower_bounds.reveal` has the definition and the proof of F, which bounds the completions of a
set of ships that are found within l misses. Nothing of it is used: this is numba. The weights u
behind each coverage are chosen as there, but what they prove is taken from them afresh, after a
look at every one: they must be whole numbers from 0 to the weight w of their placement.
"""

from math import comb
from typing import NamedTuple

import numpy as np
from numba import njit, types
from numba.typed import Dict
from numpy.typing import NDArray

from optsearch.counting.configurations import to_words
from optsearch.game import Game, bits

SCALE = 256  # u counts in such parts of a configuration
LEVELS, LEVELS_LAST = 14, 7  # levels tried; for the last ship fewer, further apart
STEP, STEP_LAST = 9, 5  # the next level is lower by a ninth, by a fifth
KEY = types.UniTuple(types.uint64, 2)  # type: ignore[no-untyped-call]
VALUES = types.int64[::1]
Ints = NDArray[np.int64]


class BoardTables(NamedTuple):
    """The placements of all ships, the longest ships first.

    first_of -- of the k-th length: the index of its first placement; last, the number of all.
    masks, closed -- two words for each placement: its cells, and these with its halo. cells_of --
    its cells in the first columns. lengths -- how many these are.
    most_finished -- [hits, l] -> the number of ways to make this many hits with at most l misses.
    cells -- of the board.
    """

    first_of: Ints
    masks: NDArray[np.uint64]
    closed: NDArray[np.uint64]
    cells_of: Ints
    lengths: Ints
    most_finished: Ints
    cells: int


class ShipCells(NamedTuple):
    """Placements, a row each: their cells in the first columns, and how many these are."""

    cells_of: Ints
    lengths: Ints
    board_cells: int


def reveal_values(game: Game, ship: int, misses: int) -> tuple[list[int], int]:
    """Return F(0) to F(misses - 1) of a placement of the longest ship, and its completions.

    ship -- the placement (mask). Its completions are the configurations that have it. F(l) bounds
    how many of them are finished within l misses by a strategy that knows the placement.
    """
    lengths = sorted(set(game.fleet), reverse=True)
    placements = [mask for length in lengths for mask in game.placements(length)]
    length_of = [placement.bit_count() for placement in placements]
    cells_of = np.full((len(placements), lengths[0]), -1, np.int64)
    for row, placement in zip(cells_of, placements, strict=True):
        row[: placement.bit_count()] = list(bits(placement))
    most_finished = [
        [min(2**60, comb(missed + hits, hits)) for missed in range(misses)]
        for hits in range(game.fleet_cells + 1)
    ]
    tables = BoardTables(
        first_of=np.array([*map(length_of.index, lengths), len(placements)], np.int64),
        masks=to_words(placements),
        closed=to_words([placement | game.halo(placement) for placement in placements]),
        cells_of=cells_of,
        lengths=np.array(length_of, np.int64),
        most_finished=np.array(most_finished, np.int64),
        cells=game.cells,
    )
    ships_left = np.array([game.fleet.count(length) for length in lengths], np.int64)
    ships_left[0] -= 1
    shown_cells, closed = map(tuple, to_words([ship, ship | game.halo(ship)]))
    *values, completions = _values_of_shown(
        shown_cells, closed, ships_left, tables, Dict.empty(KEY, VALUES)
    )
    return [int(value) for value in values], int(completions)


@njit(cache=True)
def _values_of_shown(shown_cells, closed, ships_left, tables, cache):  # type: ignore[no-untyped-def]
    """Return F(0), F(1), … of shown ships, and as the last item the number of their completions.

    Completions are the configurations with these ships; F(l) bounds how many of them are
    finished within l misses. shown_cells, closed -- of the ships, two words each: their cells,
    and these with the halos. ships_left -- how many of each length are not shown. cache -- the
    values found so far, by `shown_cells`.
    """
    misses = tables.most_finished.shape[1]
    if ships_left.sum() == 0:
        return np.ones(misses + 1, np.int64)
    if shown_cells in cache:
        return cache[shown_cells]
    # The values with one more ship known, a row for each placement that leaves a completion.
    children = np.empty((len(tables.masks), misses + 1), np.int64)
    placements = np.empty(len(tables.masks), np.int64)
    count, hits_left = 0, 0
    result = np.full(misses + 1, 2**62)
    for k in range(len(ships_left)):
        if ships_left[k] == 0:
            continue
        hits_left += ships_left[k] * tables.lengths[tables.first_of[k]]
        first_row = count
        ships_left[k] -= 1
        for p in range(tables.first_of[k], tables.first_of[k + 1]):
            if tables.masks[p, 0] & closed[0] or tables.masks[p, 1] & closed[1]:
                continue
            children[count] = _values_of_shown(
                (shown_cells[0] | tables.masks[p, 0], shown_cells[1] | tables.masks[p, 1]),
                (closed[0] | tables.closed[p, 0], closed[1] | tables.closed[p, 1]),
                ships_left,
                tables,
                cache,
            )
            if children[count, misses]:
                placements[count] = p
                count += 1
        ships_left[k] += 1
        # Each completion has all ships of this length, and counts in as many rows.
        by_length = children[first_row:count].sum(0) // ships_left[k]
        result = np.minimum(result, by_length)
    if result[misses]:
        placements = placements[:count]
        ships = ShipCells(tables.cells_of[placements], tables.lengths[placements], tables.cells)
        is_last = ships_left.sum() == 1
        most_finished = tables.most_finished[hits_left]
        by_cells = _finished_by_cells(children[:count], ships, is_last, most_finished)
        result[:misses] = np.minimum(result[:misses], by_cells)
        for m in range(misses - 2, -1, -1):
            result[m] = min(result[m], result[m + 1])
    else:
        result[:] = 0
    cache[shown_cells] = result
    return result


@njit(cache=True)
def _finished_by_cells(children, ships, is_last, most_finished):  # type: ignore[no-untyped-def]
    """Bound the completions finished within 0, 1, 2, … misses, by what so many cells can cover.

    Completions are configurations with the shown ships. ships -- the placements of one ship
    more. children -- a row for each: these bounds if it is shown too, then its completions.
    is_last -- True if no other ship is left. most_finished -- item l: the number of ways to hit
    all cells left with at most l misses.
    """
    misses = len(most_finished)
    result = np.zeros(misses, np.int64)
    # The F(l - i) of a placement is the sum of F(m) - F(m - 1) over m <= l - i. The term of m
    # counts if one of the first l - m + 1 cells is the first to cover the placement.
    covered = np.zeros(misses + 1, np.int64)
    for m in range(misses):
        weights = children[:, m].copy()
        if m:
            weights -= children[:, m - 1]
        if weights.any():
            covered = _most_covered(weights, ships, is_last, misses - m)
            for k in range(1, misses - m + 1):
                result[m + k - 1] += covered[k]
        if is_last:
            break  # F is 1 from l = 0 on: the only weights are the completions
    if not is_last:
        covered = _most_covered(children[:, misses].copy(), ships, is_last, misses)
    for m in range(misses):
        result[m] = min(result[m], most_finished[m], covered[m + 1])
        for j in range(1, m + 1):
            result[m] = min(result[m], covered[j] + most_finished[m - j])
    return result


@njit(cache=True)
def _most_covered(weights, ships, is_last, most_cells):  # type: ignore[no-untyped-def]
    """Return an array whose item k bounds the weight of the placements that k cells cover.

    weights -- of the placements. ships -- their cells. is_last -- True for placements of the last
    ship, for which fewer bounds are tried. most_cells -- the largest k.
    """
    on_cell = _weight_on_cells(weights, ships)
    heaviest_first = np.sort(on_cell)[::-1]
    most_covered = np.zeros(most_cells + 1, np.int64)
    for k in range(1, most_cells + 1):
        most_covered[k] = min(weights.sum(), heaviest_first[:k].sum())
    level = heaviest_first[0] * SCALE
    for _ in range(LEVELS_LAST if is_last else LEVELS):
        level -= level // (STEP_LAST if is_last else STEP)
        lowered = _lowered_weights(weights, ships, on_cell, level)
        # From here on u is any weights: the bound they prove. Cells cover at most what u leaves
        # out, and of u each at most what the fullest cell has.
        left_out = 0
        for i in range(len(weights)):
            if not 0 <= lowered[i] <= weights[i] * SCALE:
                raise ValueError("a lowered weight out of range")
            left_out += weights[i] * SCALE - lowered[i]
        fullest = _weight_on_cells(lowered, ships).max()
        for k in range(1, most_cells + 1):
            bound = left_out + k * fullest
            most_covered[k] = min(most_covered[k], (bound + SCALE - 1) // SCALE)  # rounded up
    return most_covered


@njit(cache=True)
def _weight_on_cells(weights, ships):  # type: ignore[no-untyped-def]
    """Return for each cell of the board the sum of the weights of the ships on it."""
    on_cell = np.zeros(ships.board_cells, np.int64)
    for i in range(len(weights)):
        for k in range(ships.lengths[i]):
            on_cell[ships.cells_of[i, k]] += weights[i]
    return on_cell


@njit(cache=True)
def _lowered_weights(weights, ships, on_cell, level):  # type: ignore[no-untyped-def]
    """Return lower weights, in units of 1/SCALE, of which no cell has much more than `level`.

    on_cell -- the sum of `weights` over the ships on each cell.
    """
    lowered = weights * SCALE
    for i in range(len(weights)):
        heaviest = 0
        for k in range(ships.lengths[i]):
            heaviest = max(heaviest, on_cell[ships.cells_of[i, k]])
        if heaviest * SCALE > level:  # scaled down so that this cell has about `level`
            lowered[i] = min(
                lowered[i], int(float(lowered[i]) * float(level) / (float(heaviest) * SCALE))
            )
    filled = _weight_on_cells(lowered, ships)
    for i in range(len(weights)):  # raised again where all cells have room
        room = weights[i] * SCALE - lowered[i]
        for k in range(ships.lengths[i]):
            room = min(room, level - filled[ships.cells_of[i, k]])
        if room > 0:
            lowered[i] += room
            for k in range(ships.lengths[i]):
                filled[ships.cells_of[i, k]] += room
    return lowered
