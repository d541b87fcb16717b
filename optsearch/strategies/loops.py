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
    known = np.zeros((rows, columns), np.uint8)
    hit = np.zeros((rows * columns, 2), np.int64)
    number = np.int64(0)  # with a literal, numba would compile functions that take it twice
    misses = shots = 0
    left = np.count_nonzero(board)
    while left:
        values, number = heuristic_values(known, fleet, version, trials, hit, number)
        row, column = drawn(values, known, rng)
        shots += 1
        is_hit = board[row, column] > 0
        left -= is_hit
        number, misses = heard_by_heuristic(
            known, hit, number, misses, row, column, is_hit, version
        )
    return shots


@njit(cache=True)
def heard_by_heuristic(
    known: Array,
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
    known[row, column] = HIT if is_hit else MISS
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
    known: Array, fleet: Array, version: int, trials: int, hit: Array, number: int
) -> tuple[Array, int]:
    """Return the matrix of `Heuristic` (float64) and the number of hits of the attack left."""
    if version == 1:
        return np.ones(known.shape), 0
    lying, standing, shares = known, known.T.copy(), np.ones(len(fleet))
    if trials & 1:
        lying, standing = without_crossings(known), without_crossings(known.T)
    if trials & 2:
        shares = shares_left(known, fleet)
    if number:
        values = attack(known, lying, standing, fleet, shares, version, hit, number)
        if version > 3:
            hunted = hunt(known, lying, standing, fleet, shares)
            values = mix_with_line(values, hunted, hit, number)
        return values, number
    return hunt(known, lying, standing, fleet, shares), 0


@njit(cache=True)
def without_crossings(known: Array) -> Array:
    """Return the board with three standing hits in a line (two at the border) turned to misses."""
    rows, columns = known.shape
    seen = known.copy()
    for row in range(rows):
        first, last = max(row - 1, 0), min(row + 1, rows - 1)
        for column in range(columns):
            is_line = first < last
            for k in range(first, last + 1):
                is_line = is_line and known[k, column] == HIT
            for k in range(first, last + 1 if is_line else first):
                seen[k, column] = MISS
    return seen


@njit(cache=True)
def shares_left(known: Array, fleet: Array) -> Array:
    """Return, for each ship, the share of ships of its length that have no run of hits yet.

    If that leaves no ship, all shares are 1.
    """
    runs = np.zeros(len(fleet) + known.size + 1, np.int64)
    add_runs(runs, known)
    add_runs(runs, known.T)
    shares = np.zeros(len(fleet))
    for i in range(len(fleet)):
        equal = 0
        for ship in fleet:
            equal += ship == fleet[i]
        shares[i] = max(0, equal - runs[fleet[i]]) / equal
    return shares if largest(shares.reshape(1, -1)) > 0 else np.ones(len(fleet))


@njit(cache=True)
def add_runs(runs: Array, known: Array) -> None:
    """Count the horizontal runs of two hits and more that cannot be longer, by their length."""
    rows, columns = known.shape
    for row in range(rows):
        length, is_closed = 0, True
        for column in range(columns + 1):
            if column < columns and known[row, column] == HIT:
                length += 1
                continue
            is_end = column == columns or known[row, column] == MISS
            if length > 1 and is_closed and is_end:
                runs[length] += 1
            length, is_closed = 0, is_end


@njit(cache=True)
def hunt(known: Array, lying: Array, standing: Array, fleet: Array, shares: Array) -> Array:
    """Return the matrix of hunting: the shares of the placements without a miss on each cell.

    The greatest value is scaled to 1, and hits have 0. lying, standing -- the board as horizontal
    and as vertical placements see it; the second is transposed.
    """
    values = np.zeros(known.shape)
    for i in range(len(fleet)):
        add_placements(values, lying, fleet[i], shares[i])
        add_placements(values.T, standing, fleet[i], shares[i])
    most = largest(values)
    for row in range(known.shape[0]):
        for column in range(known.shape[1]):
            values[row, column] /= most if most > 0 else 1
            if known[row, column] == HIT:
                values[row, column] = 0
    return values


@njit(cache=True)
def add_placements(values: Array, known: Array, ship: int, share: float) -> None:
    """Add a share to every cell of every horizontal placement without a miss."""
    rows, columns = known.shape
    for row in range(rows):
        run = 0  # cells without a miss up to here
        for column in range(columns):
            run = 0 if known[row, column] == MISS else run + 1
            if run >= ship:
                for k in range(column - ship + 1, column + 1):
                    values[row, k] += share


@njit(cache=True)
def attack(
    known: Array,
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
    values = np.zeros(known.shape)
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
    for row in range(known.shape[0]):
        for column in range(known.shape[1]):
            if known[row, column] == HIT:
                values[row, column] = 0
    return values


@njit(cache=True)
def add_attacks(
    values: Array, known: Array, ship: int, row_of: Array, column_of: Array, w: Array
) -> None:
    """Add the weight of each hit to every cell of its horizontal placements without a miss.

    As printed, placements that end on the last column are left out.
    """
    columns = known.shape[1]
    for i in range(len(w)):
        row = row_of[i]
        for first in range(column_of[i] - ship + 1, column_of[i] + 1):
            if first < 0 or first >= columns - ship:
                continue
            is_free = True
            for k in range(first, first + ship):
                is_free = is_free and known[row, k] != MISS
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
    most = largest(values)
    for i in range(rows):
        for j in range(columns):
            if most > 0:
                values[i, j] /= most
            if is_used_up:
                values[i, j] = (values[i, j] + hunted[i, j]) / 2
    return values


@njit(cache=True)
def largest(values: Array) -> float:
    """Return the largest of some non-negative values."""
    most = 0.0
    for row in range(values.shape[0]):
        for column in range(values.shape[1]):
            most = max(most, values[row, column])
    return most


@njit(cache=True)
def highest(values: Array, known: Array) -> float:
    """Return the highest value of an unknown cell."""
    most = -np.inf
    for row in range(known.shape[0]):
        for column in range(known.shape[1]):
            if known[row, column] == UNKNOWN and values[row, column] > most:
                most = values[row, column]
    return most


@njit(cache=True)
def drawn(values: Array, known: Array, rng: Any) -> tuple[int, int]:
    """Draw one of the unknown cells with the highest value."""
    most = highest(values, known)
    ties = 0
    for row in range(known.shape[0]):
        for column in range(known.shape[1]):
            if known[row, column] == UNKNOWN and values[row, column] == most:
                ties += 1
    chosen = int(rng.random() * ties)
    for row in range(known.shape[0]):
        for column in range(known.shape[1]):
            if known[row, column] == UNKNOWN and values[row, column] == most:
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


class Known(NamedTuple):
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
def begun(holes: Array, fleet: Array) -> Known:
    """Return the knowledge at the start.

    holes -- 1 for each cell that is a hole. fleet -- the number of ships of each kind.
    """
    sunk = np.zeros((fleet.sum(), 3), np.int64)
    order = np.zeros(len(holes), np.int64)
    for cell in range(len(holes)):
        order[cell] = OTHER if holes[cell] else UNKNOWN
    return Known(order, holes.copy(), fleet.copy(), sunk, np.zeros(2, np.int64))


@njit(cache=True)
def hear(known: Known, ships: Ships, cell: int, is_hit: bool, is_sunk: bool, kind: int) -> None:
    """Update the knowledge by a reply. kind -- of the ship sunk; OTHER if it is unknown."""
    known.counts[0] += 1
    if not is_hit:
        known.order[cell], known.closed[cell] = OTHER, 1
        return
    known.order[cell] = known.counts[0]
    if is_sunk:
        last = known.counts[1]
        known.sunk[last, 0], known.sunk[last, 1], known.sunk[last, 2] = cell, kind, known.counts[0]
        known.counts[1] += 1
        if kind != OTHER:
            known.afloat[kind] -= 1
    place = 0
    while place < known.counts[1]:
        ship = explanation(known, ships, place)
        if ship == OTHER:
            place += 1
            continue
        close(known, ships, ship)
        if known.sunk[place, 1] == OTHER:
            known.afloat[ships.kind[ship]] -= 1
        known.counts[1] -= 1
        for later in range(place, known.counts[1]):
            for k in range(3):
                known.sunk[later, k] = known.sunk[later + 1, k]
        place = 0


@njit(cache=True)
def close(known: Known, ships: Ships, ship: int) -> None:
    """Close the cells of a placement, and those around that other ships may not have."""
    for cells in (ships.cells[ship], ships.halo[ship]):
        for cell in cells:
            if cell != OTHER:
                known.closed[cell] = 1


@njit(cache=True)
def explanation(known: Known, ships: Ships, place: int) -> int:
    """Return the only placement that explains a sinking; OTHER if there are several or none.

    Its kind is that of the reply, or else the longest afloat that has such a placement.
    """
    cell, told, shot = known.sunk[place]
    for kind in range(len(known.afloat)):
        if kind != told if told != OTHER else known.afloat[kind] < 1:
            continue
        found, number = OTHER, 0
        for ship in range(len(ships.kind)):
            if ships.kind[ship] == kind and explains(known, ships, ship, cell, shot):
                found = ship
                number += 1
        if number:
            return found if number == 1 else OTHER
    return OTHER


@njit(cache=True)
def explains(known: Known, ships: Ships, ship: int, cell: int, shot: int) -> bool:
    """True if a placement has the cell, lies on hits made by then, and touches no other hit."""
    has_cell = False
    for one in ships.cells[ship]:
        if one != OTHER:
            if known.order[one] < 1 or known.order[one] > shot or known.closed[one]:
                return False
            has_cell = has_cell or one == cell
    for one in ships.halo[ship]:
        if one != OTHER and known.order[one] > 0:
            return False
    return has_cell


@njit(cache=True)
def parity_values(known: Known, sides: Array, pattern: Array) -> Array:
    """Return the values of `Parity`.

    sides -- the neighbours of each cell. pattern -- 2 for a cell of the pattern, else 1.
    """
    values = pattern.copy()
    for cell in range(len(values)):
        for beside in sides[cell]:
            if beside != OTHER and known.order[beside] > 0 and not known.closed[beside]:
                values[cell] = 3
        if known.closed[cell]:
            values[cell] = 0
    return values


@njit(cache=True)
def density_values(known: Known, ships: Ships, weight: int) -> Array:
    """Return the values of `Density`: on each cell the sum of the weights of its placements."""
    values = np.zeros(len(known.order))
    for ship in range(len(ships.kind)):
        counted = float(known.afloat[ships.kind[ship]])
        for cell in ships.cells[ship]:
            if cell != OTHER:
                counted *= 0 if known.closed[cell] else weight if known.order[cell] > 0 else 1
        for cell in ships.cells[ship]:
            if cell != OTHER:
                values[cell] += counted
    return values


@njit(cache=True)
def by_values(
    board: Array,
    kind_of: Array,
    told: int,
    known: Known,
    ships: Ships,
    sides: Array,
    pattern: Array,
    player: int,
    weight: int,
    rng: Any,
) -> int:
    """Play a game of RANDOM, PARITY or DENSITY; return the number of its shots.

    kind_of -- the kind of each ship by its number, from 0. told -- 1 if sinkings are announced,
    2 if they name their ships. known -- the knowledge at the start, from `begun`.
    """
    left = np.zeros(len(kind_of) + 1, np.int64)
    for ship in board:
        left[ship] += 1
    cells, values = len(board) - left[0], np.ones(len(board))
    while cells:
        if player == PARITY:
            values = parity_values(known, sides, pattern)
        elif player == DENSITY:
            values = density_values(known, ships, weight)
        _, cell = drawn(values.reshape(1, -1), known.order.reshape(1, -1), rng)
        ship = board[cell]
        left[ship] -= 1
        cells -= ship > 0
        is_sunk = ship > 0 and told > 0 and not left[ship]
        kind = kind_of[ship - 1] if is_sunk and told == 2 else OTHER
        hear(known, ships, cell, ship > 0, is_sunk, kind)
    return int(known.counts[0])
