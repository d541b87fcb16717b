"""The simple players in numba: their values for one shot, and whole games in one call.

A board is uint8, of shape (rows, columns) for `heuristic` and (cells,) for the others. A cell is 0
for water and 1 for a ship or, if sinkings are announced, the number of the ship. The state of a
cell is UNKNOWN, MISS or HIT. The code is loops over numbers: numba takes several times as long to
compile numpy's operations on arrays.
"""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numba import njit

UNKNOWN, MISS, HIT = 0, 1, 2
PATIENCE = 3  # misses in a row that end an attack of `Heuristic`
LINE_FACTOR = 3  # by which `Heuristic` multiplies the line of the last two hits
RANDOM, PARITY, DENSITY = 0, 1, 2
OTHER = -1  # no further cell in a row, an unknown length, or a cell that is not a hit

Array = Any  # numba infers the types of arrays; the docstrings say them


@njit(cache=True)
def play_heuristic(board: Array, fleet: Array, version: int, trials: int, rng: Any) -> int:
    """Play a game of the player `Heuristic` on a board, and return the number of its shots.

    board -- 0 for water, above 0 for a ship. fleet -- the lengths of the ships. trials -- bits: 1
    for the switch `beside`, 2 for `weights`.
    """
    rows, columns = board.shape
    state = np.zeros((rows, columns), np.uint8)
    hits = np.zeros((rows * columns, 2), np.int64)
    hit_count = np.int64(0)  # with a literal, numba would compile functions that take it twice
    misses = shots = 0
    cells_left = np.count_nonzero(board)
    while cells_left:
        values, hit_count = heuristic_values(state, fleet, version, trials, hits, hit_count)
        row, column = draw_highest(values, state, rng)
        shots += 1
        is_hit = board[row, column] > 0
        cells_left -= is_hit
        hit_count, misses = update_heuristic(
            state, hits, hit_count, misses, row, column, is_hit, version
        )
    return shots


@njit(cache=True)
def update_heuristic(
    state: Array,
    hits: Array,
    hit_count: int,
    misses: int,
    row: int,
    column: int,
    is_hit: bool,
    version: int,
) -> tuple[int, int]:
    """Record a shot at (row, column); return the new `hit_count` and `misses`.

    `state` and `hits` change in place. An attack is a series of shots around earlier hits. PATIENCE
    misses in a row end it, and no hit of it counts any more. Versions 1 and 2 do not attack, and
    version 3 keeps only the last hit.

    state -- UNKNOWN, MISS or HIT for each cell. hits -- int64 of shape (cells, 2): the row and
    column of each hit of the attack, in order. hit_count -- their number. misses -- in a row.
    """
    state[row, column] = HIT if is_hit else MISS
    if version < 3:
        return hit_count, misses
    if is_hit:
        hit_count = np.int64(0) if version == 3 else hit_count
        hits[hit_count, 0], hits[hit_count, 1] = row, column
        return hit_count + 1, 0
    if hit_count and misses + 1 == PATIENCE:
        return np.int64(0), 0
    return hit_count, misses + 1


@njit(cache=True)
def heuristic_values(
    state: Array, fleet: Array, version: int, trials: int, hits: Array, hit_count: int
) -> tuple[Array, int]:
    """Return the value of each cell for the player `Heuristic`, and how many hits it attacks.

    It shoots a cell of the highest value. The values are float64 in the shape of the board. state
    -- UNKNOWN, MISS or HIT for each cell. fleet -- the lengths of the ships. trials -- the bits of
    two switches. hits -- the row and column of each hit of the attack, in order, `hit_count` of
    them; in version 1 no hit is attacked.
    """
    if version == 1:
        return np.ones(state.shape), 0
    horizontal, vertical, shares = state, state.T.copy(), np.ones(len(fleet))
    if trials & 1:  # the switch `beside`
        horizontal, vertical = without_crossings(state), without_crossings(state.T)
    if trials & 2:  # the switch `weights`
        shares = shares_left(state, fleet)
    if hit_count == 0:
        return hunting_values(state, horizontal, vertical, fleet, shares), 0
    values = attacking_values(state, horizontal, vertical, fleet, shares, version, hits, hit_count)
    if version > 3:
        hunted = hunting_values(state, horizontal, vertical, fleet, shares)
        values = mix_with_line(values, hunted, hits, hit_count)
    return values, hit_count


@njit(cache=True)
def without_crossings(state: Array) -> Array:
    """Return a copy of the board for horizontal placements that cross no vertical line of hits.

    If a cell, the one above and the one below are hits, all three become misses; at the border, two
    hits are enough.
    """
    rows, columns = state.shape
    changed = state.copy()
    for row in range(rows):
        first, last = max(row - 1, 0), min(row + 1, rows - 1)
        for column in range(columns):
            is_line = first < last
            for k in range(first, last + 1):
                is_line = is_line and state[k, column] == HIT
            if is_line:
                for k in range(first, last + 1):
                    changed[k, column] = MISS
    return changed


@njit(cache=True)
def shares_left(state: Array, fleet: Array) -> Array:
    """Return, for each ship, the share of the ships of its length that are not found yet.

    One ship of a length counts as found for each line of so many hits with a miss or the border at
    both ends. If all ships are found, all shares are 1. fleet -- the lengths of the ships.
    """
    runs = np.zeros(len(fleet) + state.size + 1, np.int64)  # by length
    add_runs(runs, state)
    add_runs(runs, state.T)
    shares = np.zeros(len(fleet))
    for i in range(len(fleet)):
        equal_ships = 0
        for ship in fleet:
            equal_ships += ship == fleet[i]
        shares[i] = max(0, equal_ships - runs[fleet[i]]) / equal_ships
    return shares if largest_value(shares.reshape(1, -1)) > 0 else np.ones(len(fleet))


@njit(cache=True)
def add_runs(runs: Array, state: Array) -> None:
    """Count the horizontal lines of hits that cannot be longer; `runs` has a number per length.

    Such a line has at least two hits side by side, and a miss or the border at both ends.
    """
    rows, columns = state.shape
    for row in range(rows):
        length, starts_closed = 0, True
        for column in range(columns + 1):
            if column < columns and state[row, column] == HIT:
                length += 1
                continue
            ends_closed = column == columns or state[row, column] == MISS
            if length > 1 and starts_closed and ends_closed:
                runs[length] += 1
            length, starts_closed = 0, ends_closed


@njit(cache=True)
def hunting_values(
    state: Array, horizontal: Array, vertical: Array, fleet: Array, shares: Array
) -> Array:
    """Return the value of each cell while no hit is attacked: how many placements may cover it.

    Each placement without a miss on it adds the share of its ship to its cells. Then the greatest
    value is scaled to 1, and cells that were hit get 0.

    horizontal, vertical -- the states of the cells that decide if a placement in that direction has
    a miss; `vertical` is transposed. fleet -- the lengths of the ships. shares -- for each ship the
    amount that a placement of it adds.
    """
    values = np.zeros(state.shape)
    for i in range(len(fleet)):
        add_placements(values, horizontal, fleet[i], shares[i])
        add_placements(values.T, vertical, fleet[i], shares[i])
    greatest = largest_value(values)
    for row in range(state.shape[0]):
        for column in range(state.shape[1]):
            values[row, column] /= greatest if greatest > 0 else 1
            if state[row, column] == HIT:
                values[row, column] = 0
    return values


@njit(cache=True)
def add_placements(values: Array, state: Array, length: int, share: float) -> None:
    """Add a share to the values of the cells of every horizontal placement without a miss.

    A cell gets the share once for each placement that covers it. length -- of the placements.
    """
    rows, columns = state.shape
    for row in range(rows):
        run = 0  # cells without a miss up to here
        for column in range(columns):
            run = 0 if state[row, column] == MISS else run + 1
            if run >= length:
                for covered in range(column - length + 1, column + 1):
                    values[row, covered] += share


@njit(cache=True)
def attacking_values(
    state: Array,
    horizontal: Array,
    vertical: Array,
    fleet: Array,
    shares: Array,
    version: int,
    hits: Array,
    hit_count: int,
) -> Array:
    """Return the value of each cell in an attack: the weight of the placements through its hits.

    For each hit of the attack in it, a placement adds the weight of the hit, times the share of the
    ship, to all its cells. Weights differ only in version 5. Placements with a miss do not count.
    Cells that were hit get 0.

    horizontal, vertical -- the states of the cells that decide if a placement in that direction has
    a miss; `vertical` is transposed. shares -- a factor for each ship. hits -- the row and column
    of each hit of the attack, of which the first `hit_count` count.
    """
    values = np.zeros(state.shape)
    weights = np.ones(hit_count)
    if version == 5:
        for i in range(hit_count):
            distance = 0.1  # of the last hit, which has no next one
            if i < hit_count - 1:
                down, across = hits[i, 0] - hits[i + 1, 0], hits[i, 1] - hits[i + 1, 1]
                distance = sqrt(down * down + across * across)
            weights[i] = 1 - 0.1 * (1.5 * distance - i)
    for i in range(len(fleet)):
        ship_weights = weights * shares[i]
        add_attacks(values, horizontal, fleet[i], hits[:, 0], hits[:, 1], ship_weights)
        add_attacks(values.T, vertical, fleet[i], hits[:, 1], hits[:, 0], ship_weights)
    for row in range(state.shape[0]):
        for column in range(state.shape[1]):
            if state[row, column] == HIT:
                values[row, column] = 0
    return values


@njit(cache=True)
def add_attacks(
    values: Array, state: Array, length: int, hit_rows: Array, hit_columns: Array, weights: Array
) -> None:
    """Add the weight of each hit to the values of the cells of horizontal placements through it.

    Placements with a miss are left out. So are placements that end on the last column, as in the
    published code that this follows. length -- of the placements.
    """
    columns = state.shape[1]
    for i in range(len(weights)):
        row = hit_rows[i]
        for first in range(hit_columns[i] - length + 1, hit_columns[i] + 1):
            if first < 0 or first >= columns - length:
                continue
            has_no_miss = True
            for k in range(first, first + length):
                has_no_miss = has_no_miss and state[row, k] != MISS
            if has_no_miss:
                for k in range(first, first + length):
                    values[row, k] += weights[i]


@njit(cache=True)
def mix_with_line(values: Array, hunting_values: Array, hits: Array, hit_count: int) -> Array:
    """Multiply the line of the last two hits by LINE_FACTOR, and scale the greatest value to 1.

    The line is the row or column that the two share, if they do. If all its values are 0, the
    result is the mean of `values` and `hunting_values`. `values` changes in place.
    """
    rows, columns = values.shape
    last_row, last_column = hits[hit_count - 1, 0], hits[hit_count - 1, 1]
    shares_row = hit_count > 1 and hits[hit_count - 2, 0] == last_row
    shares_column = hit_count > 1 and hits[hit_count - 2, 1] == last_column
    line_total = 0.0
    for row in range(rows):
        for column in range(columns):
            if (shares_row and row == last_row) or (shares_column and column == last_column):
                line_total += values[row, column]
                values[row, column] *= LINE_FACTOR
    is_used_up = (shares_row or shares_column) and line_total == 0
    greatest = largest_value(values)
    for row in range(rows):
        for column in range(columns):
            if greatest > 0:
                values[row, column] /= greatest
            if is_used_up:
                values[row, column] = (values[row, column] + hunting_values[row, column]) / 2
    return values


@njit(cache=True)
def largest_value(values: Array) -> float:
    """Return the largest of some non-negative values."""
    greatest = 0.0
    for row in range(values.shape[0]):
        for column in range(values.shape[1]):
            greatest = max(greatest, values[row, column])
    return greatest


@njit(cache=True)
def highest_unknown(values: Array, state: Array) -> float:
    """Return the highest value of an unknown cell; minus infinity if no cell is unknown."""
    greatest = -np.inf
    for row in range(state.shape[0]):
        for column in range(state.shape[1]):
            if state[row, column] == UNKNOWN and values[row, column] > greatest:
                greatest = values[row, column]
    return greatest


@njit(cache=True)
def draw_highest(values: Array, state: Array, rng: Any) -> tuple[int, int]:
    """Draw one of the unknown cells with the highest value; return its row and column.

    They are equally probable. One number is drawn from the generator.
    """
    greatest = highest_unknown(values, state)
    ties = 0
    for row in range(state.shape[0]):
        for column in range(state.shape[1]):
            if state[row, column] == UNKNOWN and values[row, column] == greatest:
                ties += 1
    ties_before = int(rng.random() * ties)  # the tied cells before the one that is drawn
    for row in range(state.shape[0]):
        for column in range(state.shape[1]):
            if state[row, column] == UNKNOWN and values[row, column] == greatest:
                if ties_before == 0:
                    return row, column
                ties_before -= 1
    raise AssertionError("no cell is left")


# Players by the values of cells, on boards of any shape


class Ships(NamedTuple):
    """The placements of a game as int64 arrays with a row each; shorter rows end with OTHER.

    cells -- of each placement. halo -- the cells beside it that no other ship may have. kind -- the
    index of its length among the different lengths of the fleet, the longest first.
    """

    cells: Array
    halo: Array
    kind: Array


class Knowledge(NamedTuple):
    """The knowledge of a player in one game, updated with each reply.

    shot_of_hit -- for each cell the number of the shot that hit it, from 1 on; UNKNOWN for a cell
        that was not shot, OTHER for a miss or a hole.
    closed -- 1 for each cell where no ship afloat can be.
    afloat -- for each kind the number of ships not known to be sunk.
    sinkings -- those not yet explained by one placement, a row each: the cell, the kind or OTHER,
        and the number of the shot. Rows beyond the number of sinkings have no meaning.
    counts -- the number of shots, and of these sinkings.
    """

    shot_of_hit: Array
    closed: Array
    afloat: Array
    sinkings: Array
    counts: Array


class ShotRules(NamedTuple):
    """The parts of a game that players by values need.

    kind_of_ship -- the kind of each ship of the fleet, in its order. tells_sinkings -- True if
    sinkings are announced. names_sunk_ships -- True if they tell the kind, too. ships -- all
    placements. sides -- the neighbours of each cell, in rows that OTHER fills up. pattern -- 2 for
    a cell of the pattern of `Parity`, else 1.
    """

    kind_of_ship: Array
    tells_sinkings: bool
    names_sunk_ships: bool
    ships: Ships
    sides: Array
    pattern: Array


@njit(cache=True)
def begin_knowledge(holes: Array, fleet: Array) -> Knowledge:
    """Return what a player knows before the first shot.

    holes -- 1 for each cell that is a hole. fleet -- the number of ships of each kind.
    """
    sinkings = np.zeros((fleet.sum(), 3), np.int64)
    shot_of_hit = np.zeros(len(holes), np.int64)
    for cell in range(len(holes)):
        shot_of_hit[cell] = OTHER if holes[cell] else UNKNOWN
    return Knowledge(shot_of_hit, holes.copy(), fleet.copy(), sinkings, np.zeros(2, np.int64))


@njit(cache=True)
def learn_reply(
    knowledge: Knowledge, ships: Ships, cell: int, is_hit: bool, is_sunk: bool, kind: int
) -> None:
    """Update what a player knows by the reply to a shot at a cell.

    If only one placement explains a sinking, no ship afloat is on its cells and those around it.
    ships -- all placements. kind -- the index of the sunk ship's kind; OTHER if it is not told.
    """
    knowledge.counts[0] += 1
    shot = knowledge.counts[0]
    if not is_hit:
        knowledge.shot_of_hit[cell], knowledge.closed[cell] = OTHER, 1
        return
    knowledge.shot_of_hit[cell] = shot
    if is_sunk:
        new_sinking = knowledge.sinkings[knowledge.counts[1]]
        new_sinking[0], new_sinking[1], new_sinking[2] = cell, kind, shot
        knowledge.counts[1] += 1
        if kind != OTHER:
            knowledge.afloat[kind] -= 1
    # A sinking that is explained closes cells, which may explain another: begin again after each.
    index = 0
    while index < knowledge.counts[1]:
        ship = find_explanation(knowledge, ships, index)
        if ship == OTHER:
            index += 1
            continue
        close_placement(knowledge, ships, ship)
        if knowledge.sinkings[index, 1] == OTHER:
            knowledge.afloat[ships.kind[ship]] -= 1
        remove_sinking(knowledge, index)
        index = 0


@njit(cache=True)
def remove_sinking(knowledge: Knowledge, index: int) -> None:
    """Remove a sinking from the table of sinkings; the rows after it move up by one."""
    knowledge.counts[1] -= 1
    for later in range(index, knowledge.counts[1]):
        for k in range(3):
            knowledge.sinkings[later, k] = knowledge.sinkings[later + 1, k]


@njit(cache=True)
def close_placement(knowledge: Knowledge, ships: Ships, ship: int) -> None:
    """Mark the cells where no ship afloat can be once the ship of a placement is sunk.

    ships -- all placements. ship -- the index of the placement.
    """
    for cells in (ships.cells[ship], ships.halo[ship]):
        for cell in cells:
            if cell != OTHER:
                knowledge.closed[cell] = 1


@njit(cache=True)
def find_explanation(knowledge: Knowledge, ships: Ships, index: int) -> int:
    """Return the only placement that the ship sunk by a certain hit can have; else OTHER.

    If the reply told the kind of the ship, only placements of that kind are tried. Otherwise the
    kinds of ships afloat are tried, the longest first, up to the first one with a placement that
    can be the ship. index -- the row of the sinking in the table of sinkings.
    """
    cell, told_kind, shot = knowledge.sinkings[index]
    for kind in range(len(knowledge.afloat)):
        is_possible = knowledge.afloat[kind] > 0 if told_kind == OTHER else kind == told_kind
        if not is_possible:
            continue
        explanation, explanations = OTHER, 0
        for ship in range(len(ships.kind)):
            if ships.kind[ship] == kind and is_explanation(knowledge, ships, ship, cell, shot):
                explanation = ship
                explanations += 1
        if explanations:
            return explanation if explanations == 1 else OTHER
    return OTHER


@njit(cache=True)
def is_explanation(knowledge: Knowledge, ships: Ships, ship: int, cell: int, shot: int) -> bool:
    """True if a placement can be the ship that a shot at a cell sank.

    It has the cell, all its cells were hit by then and are not closed, and it touches no other hit.
    """
    has_cell = False
    for ship_cell in ships.cells[ship]:
        if ship_cell == OTHER:
            continue
        hit_at = knowledge.shot_of_hit[ship_cell]
        was_hit_by_then = 1 <= hit_at <= shot
        if not was_hit_by_then or knowledge.closed[ship_cell]:
            return False
        has_cell = has_cell or ship_cell == cell
    for beside in ships.halo[ship]:
        if beside != OTHER and knowledge.shot_of_hit[beside] > 0:
            return False
    return has_cell


@njit(cache=True)
def parity_values(knowledge: Knowledge, sides: Array, pattern: Array) -> Array:
    """Return the value of each cell for the player `Parity`, which shoots a cell of the highest.

    A closed cell, where no ship afloat can be, has 0. A cell beside a hit that is not closed has 3.
    Any other cell has its number in `pattern`. sides -- the neighbours of each cell.
    """
    values = pattern.copy()
    for cell in range(len(values)):
        for beside in sides[cell]:
            if beside == OTHER:
                continue
            if knowledge.shot_of_hit[beside] > 0 and not knowledge.closed[beside]:
                values[cell] = 3
        if knowledge.closed[cell]:
            values[cell] = 0
    return values


@njit(cache=True)
def density_values(knowledge: Knowledge, ships: Ships, weight: int) -> Array:
    """Return, for each cell, the sum of the weights of the placements that cover it.

    The player `Density` shoots a cell of the highest sum. A placement weighs 0 if it has a closed
    cell, where no ship afloat can be. Otherwise it weighs the number of ships of its length that
    are afloat, times `weight` for each hit on it. ships -- all placements.
    """
    values = np.zeros(len(knowledge.shot_of_hit))
    for ship in range(len(ships.kind)):
        total = float(knowledge.afloat[ships.kind[ship]])
        for cell in ships.cells[ship]:
            if cell == OTHER:
                continue
            if knowledge.closed[cell]:
                total = 0
            elif knowledge.shot_of_hit[cell] > 0:
                total *= weight
        for cell in ships.cells[ship]:
            if cell != OTHER:
                values[cell] += total
    return values


@njit(cache=True)
def play_by_values(
    board: Array, rules: ShotRules, knowledge: Knowledge, player: int, weight: int, rng: Any
) -> int:
    """Play a game of a simple player on a board, and return the number of its shots.

    board -- for each cell 0 for water, else the number of the ship. player -- RANDOM, PARITY or
    DENSITY. knowledge -- what the player knows at the start; it is changed. weight -- the factor of
    DENSITY for each hit on a placement.
    """
    cells_left = np.zeros(len(rules.kind_of_ship) + 1, np.int64)  # of each ship, after the water
    for ship in board:
        cells_left[ship] += 1
    ship_cells_left, values = len(board) - cells_left[0], np.ones(len(board))
    state = knowledge.shot_of_hit.reshape(1, -1)
    while ship_cells_left:
        if player == PARITY:
            values = parity_values(knowledge, rules.sides, rules.pattern)
        elif player == DENSITY:
            values = density_values(knowledge, rules.ships, weight)
        _, cell = draw_highest(values.reshape(1, -1), state, rng)
        ship = board[cell]
        is_hit = ship > 0
        cells_left[ship] -= 1
        ship_cells_left -= is_hit
        is_sunk = is_hit and rules.tells_sinkings and not cells_left[ship]
        kind = rules.kind_of_ship[ship - 1] if is_sunk and rules.names_sunk_ships else OTHER
        learn_reply(knowledge, rules.ships, cell, is_hit, is_sunk, kind)
    return int(knowledge.counts[0])
