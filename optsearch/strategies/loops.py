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
FACTOR = 3  # by which `Heuristic` multiplies the line of the last two hits
RANDOM, PARITY, DENSITY = 0, 1, 2
OTHER = -1  # no further cell in a row, an unknown length, or a cell that is not a hit

Array = Any  # numba infers the types of arrays; the docstrings say them


@njit(cache=True)
def heuristic(board: Array, fleet: Array, version: int, trials: int, rng: Any) -> int:
    """Play a game of a version of `Heuristic` with the switches `trials`; return its shots."""
    rows, columns = board.shape
    state = np.zeros((rows, columns), np.uint8)
    hit = np.zeros((rows * columns, 2), np.int64)
    number = np.int64(0)  # with a literal, numba would compile functions that take it twice
    misses = shots = 0
    left = np.count_nonzero(board)
    while left:
        values, number = heuristic_values(state, fleet, version, trials, hit, number)
        row, column = draw_highest(values, state, rng)
        shots += 1
        is_hit = board[row, column] > 0
        left -= is_hit
        number, misses = update_heuristic(state, hit, number, misses, row, column, is_hit, version)
    return shots


@njit(cache=True)
def update_heuristic(
    state: Array,
    hit: Array,
    number: int,
    misses: int,
    row: int,
    column: int,
    is_hit: bool,
    version: int,
) -> tuple[int, int]:
    """Update the board after a shot; return the hits of the attack and the misses in a row.

    PATIENCE misses in a row end an attack.
    """
    state[row, column] = HIT if is_hit else MISS
    if version < 3:
        return number, misses
    if is_hit:
        number = np.int64(0) if version == 3 else number
        hit[number, 0], hit[number, 1] = row, column
        return number + 1, 0
    if number and misses + 1 == PATIENCE:
        return np.int64(0), 0
    return number, misses + 1


@njit(cache=True)
def heuristic_values(
    state: Array, fleet: Array, version: int, trials: int, hit: Array, number: int
) -> tuple[Array, int]:
    """Return the matrix of `Heuristic` (float64) and the number of hits of the attack left."""
    if version == 1:
        return np.ones(state.shape), 0
    lying, standing, shares = state, state.T.copy(), np.ones(len(fleet))
    if trials & 1:
        lying, standing = without_crossings(state), without_crossings(state.T)
    if trials & 2:
        shares = shares_left(state, fleet)
    if number:
        values = attack(state, lying, standing, fleet, shares, version, hit, number)
        if version > 3:
            hunted = hunt(state, lying, standing, fleet, shares)
            values = mix_with_line(values, hunted, hit, number)
        return values, number
    return hunt(state, lying, standing, fleet, shares), 0


@njit(cache=True)
def without_crossings(state: Array) -> Array:
    """Return the board with three standing hits in a line (two at the border) turned to misses."""
    rows, columns = state.shape
    turned = state.copy()
    for row in range(rows):
        first, last = max(row - 1, 0), min(row + 1, rows - 1)
        for column in range(columns):
            is_line = first < last
            for k in range(first, last + 1):
                is_line = is_line and state[k, column] == HIT
            for k in range(first, last + 1 if is_line else first):
                turned[k, column] = MISS
    return turned


@njit(cache=True)
def shares_left(state: Array, fleet: Array) -> Array:
    """Return, for each ship, the share of ships of its length that have no run of hits yet.

    If that leaves no ship, all shares are 1.
    """
    runs = np.zeros(len(fleet) + state.size + 1, np.int64)
    add_runs(runs, state)
    add_runs(runs, state.T)
    shares = np.zeros(len(fleet))
    for i in range(len(fleet)):
        equal = 0
        for ship in fleet:
            equal += ship == fleet[i]
        shares[i] = max(0, equal - runs[fleet[i]]) / equal
    return shares if largest(shares.reshape(1, -1)) > 0 else np.ones(len(fleet))


@njit(cache=True)
def add_runs(runs: Array, state: Array) -> None:
    """Count the horizontal runs of two hits and more that cannot be longer, by their length."""
    rows, columns = state.shape
    for row in range(rows):
        length, is_closed = 0, True
        for column in range(columns + 1):
            if column < columns and state[row, column] == HIT:
                length += 1
                continue
            is_end = column == columns or state[row, column] == MISS
            if length > 1 and is_closed and is_end:
                runs[length] += 1
            length, is_closed = 0, is_end


@njit(cache=True)
def hunt(state: Array, lying: Array, standing: Array, fleet: Array, shares: Array) -> Array:
    """Return the matrix of hunting: the shares of the placements without a miss on each cell.

    The greatest value is scaled to 1, and hits have 0. lying, standing -- the board as horizontal
    and as vertical placements see it; the second is transposed.
    """
    values = np.zeros(state.shape)
    for i in range(len(fleet)):
        add_placements(values, lying, fleet[i], shares[i])
        add_placements(values.T, standing, fleet[i], shares[i])
    greatest = largest(values)
    for row in range(state.shape[0]):
        for column in range(state.shape[1]):
            values[row, column] /= greatest if greatest > 0 else 1
            if state[row, column] == HIT:
                values[row, column] = 0
    return values


@njit(cache=True)
def add_placements(values: Array, state: Array, ship: int, share: float) -> None:
    """Add a share to every cell of every horizontal placement without a miss."""
    rows, columns = state.shape
    for row in range(rows):
        run = 0  # cells without a miss up to here
        for column in range(columns):
            run = 0 if state[row, column] == MISS else run + 1
            if run >= ship:
                for k in range(column - ship + 1, column + 1):
                    values[row, k] += share


@njit(cache=True)
def attack(
    state: Array,
    lying: Array,
    standing: Array,
    fleet: Array,
    shares: Array,
    version: int,
    hit: Array,
    number: int,
) -> Array:
    """Return the matrix of attacking: the weights of the placements through hits of this attack.

    Placements with a miss do not count, and hits have 0.
    """
    values = np.zeros(state.shape)
    weights = np.ones(number)
    if version == 5:
        for i in range(number):
            apart = 0.1
            if i < number - 1:
                down, across = hit[i, 0] - hit[i + 1, 0], hit[i, 1] - hit[i + 1, 1]
                apart = sqrt(down * down + across * across)
            weights[i] = 1 - 0.1 * (1.5 * apart - i)
    for i in range(len(fleet)):
        weighed = weights * shares[i]
        add_attacks(values, lying, fleet[i], hit[:, 0], hit[:, 1], weighed)
        add_attacks(values.T, standing, fleet[i], hit[:, 1], hit[:, 0], weighed)
    for row in range(state.shape[0]):
        for column in range(state.shape[1]):
            if state[row, column] == HIT:
                values[row, column] = 0
    return values


@njit(cache=True)
def add_attacks(
    values: Array, state: Array, ship: int, row_of: Array, column_of: Array, w: Array
) -> None:
    """Add the weight of each hit to every cell of its horizontal placements without a miss.

    As printed, placements that end on the last column are left out.
    """
    columns = state.shape[1]
    for i in range(len(w)):
        row = row_of[i]
        for first in range(column_of[i] - ship + 1, column_of[i] + 1):
            if first < 0 or first >= columns - ship:
                continue
            is_free = True
            for k in range(first, first + ship):
                is_free = is_free and state[row, k] != MISS
            if is_free:
                for k in range(first, first + ship):
                    values[row, k] += w[i]


@njit(cache=True)
def mix_with_line(values: Array, hunted: Array, hit: Array, number: int) -> Array:
    """Multiply the line of the last two hits by FACTOR, and scale the greatest value to 1.

    The line is the row or column that they share, if they do. If its values are all 0, return the
    mean of `values`, which change in place, and `hunted`, the matrix of hunting.
    """
    rows, columns = values.shape
    is_used_up = False
    if number > 1:
        row, column = hit[number - 1, 0], hit[number - 1, 1]
        total = 0.0
        if hit[number - 2, 0] == row:
            for k in range(columns):
                total += values[row, k]
                values[row, k] *= FACTOR
            is_used_up = total == 0
        elif hit[number - 2, 1] == column:
            for k in range(rows):
                total += values[k, column]
                values[k, column] *= FACTOR
            is_used_up = total == 0
    greatest = largest(values)
    for i in range(rows):
        for j in range(columns):
            if greatest > 0:
                values[i, j] /= greatest
            if is_used_up:
                values[i, j] = (values[i, j] + hunted[i, j]) / 2
    return values


@njit(cache=True)
def largest(values: Array) -> float:
    """Return the largest of some non-negative values."""
    greatest = 0.0
    for row in range(values.shape[0]):
        for column in range(values.shape[1]):
            greatest = max(greatest, values[row, column])
    return greatest


@njit(cache=True)
def highest(values: Array, state: Array) -> float:
    """Return the highest value of an unknown cell."""
    greatest = -np.inf
    for row in range(state.shape[0]):
        for column in range(state.shape[1]):
            if state[row, column] == UNKNOWN and values[row, column] > greatest:
                greatest = values[row, column]
    return greatest


@njit(cache=True)
def draw_highest(values: Array, state: Array, rng: Any) -> tuple[int, int]:
    """Draw one of the unknown cells with the highest value."""
    greatest = highest(values, state)
    ties = 0
    for row in range(state.shape[0]):
        for column in range(state.shape[1]):
            if state[row, column] == UNKNOWN and values[row, column] == greatest:
                ties += 1
    chosen = int(rng.random() * ties)
    for row in range(state.shape[0]):
        for column in range(state.shape[1]):
            if state[row, column] == UNKNOWN and values[row, column] == greatest:
                if chosen == 0:
                    return row, column
                chosen -= 1
    raise AssertionError("no cell is left")


# Players by the values of cells, on boards of any shape


class Ships(NamedTuple):
    """The placements of a game as int64 arrays, a row each, filled up with OTHER.

    cells -- of each placement. halo -- the cells beside it that no other ship may have. kind -- the
    index of its length among the different lengths of the fleet, the longest first.
    """

    cells: Array
    halo: Array
    kind: Array


class Knowledge(NamedTuple):
    """The knowledge of a player in one game, updated with each reply.

    order -- for each cell the number of the shot that hit it; else UNKNOWN, or OTHER for a miss or
    a hole. closed -- 1 for each cell where no ship afloat can be. afloat -- for each kind the
    number of ships not known to be sunk. sunk -- the sinkings not yet explained by one placement:
    cell, kind or OTHER, number of the shot. counts -- the numbers of shots and of these sinkings.
    """

    order: Array
    closed: Array
    afloat: Array
    sunk: Array
    counts: Array


@njit(cache=True)
def begin_knowledge(holes: Array, fleet: Array) -> Knowledge:
    """Return the knowledge at the start.

    holes -- 1 for each cell that is a hole. fleet -- the number of ships of each kind.
    """
    sunk = np.zeros((fleet.sum(), 3), np.int64)
    order = np.zeros(len(holes), np.int64)
    for cell in range(len(holes)):
        order[cell] = OTHER if holes[cell] else UNKNOWN
    return Knowledge(order, holes.copy(), fleet.copy(), sunk, np.zeros(2, np.int64))


@njit(cache=True)
def learn_reply(
    knowledge: Knowledge, ships: Ships, cell: int, is_hit: bool, is_sunk: bool, kind: int
) -> None:
    """Update the knowledge by a reply. kind -- of the ship sunk; OTHER if it is unknown."""
    knowledge.counts[0] += 1
    if not is_hit:
        knowledge.order[cell], knowledge.closed[cell] = OTHER, 1
        return
    knowledge.order[cell] = knowledge.counts[0]
    if is_sunk:
        last = knowledge.counts[1]
        knowledge.sunk[last, 0], knowledge.sunk[last, 1], knowledge.sunk[last, 2] = (
            cell,
            kind,
            knowledge.counts[0],
        )
        knowledge.counts[1] += 1
        if kind != OTHER:
            knowledge.afloat[kind] -= 1
    place = 0
    while place < knowledge.counts[1]:
        ship = explanation(knowledge, ships, place)
        if ship == OTHER:
            place += 1
            continue
        close(knowledge, ships, ship)
        if knowledge.sunk[place, 1] == OTHER:
            knowledge.afloat[ships.kind[ship]] -= 1
        knowledge.counts[1] -= 1
        for later in range(place, knowledge.counts[1]):
            for k in range(3):
                knowledge.sunk[later, k] = knowledge.sunk[later + 1, k]
        place = 0


@njit(cache=True)
def close(knowledge: Knowledge, ships: Ships, ship: int) -> None:
    """Close the cells of a placement, and those around that other ships may not have."""
    for cells in (ships.cells[ship], ships.halo[ship]):
        for cell in cells:
            if cell != OTHER:
                knowledge.closed[cell] = 1


@njit(cache=True)
def explanation(knowledge: Knowledge, ships: Ships, place: int) -> int:
    """Return the only placement that explains a sinking; OTHER if there are several or none.

    Its kind is that of the reply, or else the longest afloat that has such a placement.
    """
    cell, named_kind, shot = knowledge.sunk[place]
    for kind in range(len(knowledge.afloat)):
        if kind != named_kind if named_kind != OTHER else knowledge.afloat[kind] < 1:
            continue
        last, number = OTHER, 0
        for ship in range(len(ships.kind)):
            if ships.kind[ship] == kind and explains(knowledge, ships, ship, cell, shot):
                last = ship
                number += 1
        if number:
            return last if number == 1 else OTHER
    return OTHER


@njit(cache=True)
def explains(knowledge: Knowledge, ships: Ships, ship: int, cell: int, shot: int) -> bool:
    """True if a placement has the cell, lies on hits made by then, and touches no other hit."""
    has_cell = False
    for hit_cell in ships.cells[ship]:
        if hit_cell != OTHER:
            if (
                knowledge.order[hit_cell] < 1
                or knowledge.order[hit_cell] > shot
                or knowledge.closed[hit_cell]
            ):
                return False
            has_cell = has_cell or hit_cell == cell
    for hit_cell in ships.halo[ship]:
        if hit_cell != OTHER and knowledge.order[hit_cell] > 0:
            return False
    return has_cell


@njit(cache=True)
def parity_values(knowledge: Knowledge, sides: Array, pattern: Array) -> Array:
    """Return the values of `Parity`.

    sides -- the neighbours of each cell. pattern -- 2 for a cell of the pattern, else 1.
    """
    values = pattern.copy()
    for cell in range(len(values)):
        for beside in sides[cell]:
            if beside != OTHER and knowledge.order[beside] > 0 and not knowledge.closed[beside]:
                values[cell] = 3
        if knowledge.closed[cell]:
            values[cell] = 0
    return values


@njit(cache=True)
def density_values(knowledge: Knowledge, ships: Ships, weight: int) -> Array:
    """Return the values of `Density`: on each cell the sum of the weights of its placements."""
    values = np.zeros(len(knowledge.order))
    for ship in range(len(ships.kind)):
        counted = float(knowledge.afloat[ships.kind[ship]])
        for cell in ships.cells[ship]:
            if cell != OTHER:
                counted *= (
                    0 if knowledge.closed[cell] else weight if knowledge.order[cell] > 0 else 1
                )
        for cell in ships.cells[ship]:
            if cell != OTHER:
                values[cell] += counted
    return values


@njit(cache=True)
def play_by_values(
    board: Array,
    kind_of: Array,
    sinkings: int,
    knowledge: Knowledge,
    ships: Ships,
    sides: Array,
    pattern: Array,
    player: int,
    weight: int,
    rng: Any,
) -> int:
    """Play a game of RANDOM, PARITY or DENSITY; return the number of its shots.

    kind_of -- the kind of each ship by its number, from 0. sinkings -- 1 if sinkings are announced,
    2 if they name their ships. knowledge -- at the start, from `begin_knowledge`.
    """
    left = np.zeros(len(kind_of) + 1, np.int64)
    for ship in board:
        left[ship] += 1
    cells, values = len(board) - left[0], np.ones(len(board))
    while cells:
        if player == PARITY:
            values = parity_values(knowledge, sides, pattern)
        elif player == DENSITY:
            values = density_values(knowledge, ships, weight)
        _, cell = draw_highest(values.reshape(1, -1), knowledge.order.reshape(1, -1), rng)
        ship = board[cell]
        left[ship] -= 1
        cells -= ship > 0
        is_sunk = ship > 0 and sinkings > 0 and not left[ship]
        kind = kind_of[ship - 1] if is_sunk and sinkings == 2 else OTHER
        learn_reply(knowledge, ships, cell, ship > 0, is_sunk, kind)
    return int(knowledge.counts[0])
