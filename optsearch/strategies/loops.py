"""The simple players in numba, each a whole game in one call; their definitions are beside it.

A board is uint8 of shape (rows, columns), 1 for a ship, or its number where sinkings are announced.
What is known of a cell is UNKNOWN, MISS or HIT. All functions draw from the generator exactly as
the definitions in plain Python do. They are loops over numbers: numba takes several times as long
to compile what numpy says in a line, such as a product of a row or a mask.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
from numba import njit

UNKNOWN, MISS, HIT = 0, 1, 2
PATIENCE = 3  # misses in a row that end an attack of `Heuristic`
FACTOR = 3  # how many times more the line of its last two hits counts
PARITY, DENSITY = 0, 1

Array = Any  # numba infers the types of arrays; they are said in the docstrings


@njit(cache=True)
def heuristic(board: Array, fleet: Array, version: int, trials: int, rng: Any) -> int:
    """The shots of a game of a version of `Heuristic`, with the switches of its trials."""
    rows, columns = board.shape
    known = np.zeros((rows, columns), np.uint8)
    hit = np.zeros((rows * columns, 2), np.int64)
    number = np.int64(0)  # a literal would have numba compile all that takes it once more
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
    """The hits of the attack and the misses in a row after a shot; three misses end an attack."""
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
    """The matrix of `Heuristic` (float64), and how many hits of the attack are left."""
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
            values = mixed(values, hunted, hit, number)
        return values, number
    return hunt(known, lying, standing, fleet, shares), 0


@njit(cache=True)
def without_crossings(known: Array) -> Array:
    """The board, with misses in place of three standing hits in a line, at the border two."""
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
    """Of each ship the share of those of its length for which there is no run; 1 if none is."""
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
    """Count the lying hits in a line that cannot be longer, two and more, by their number."""
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
    """The shares of the placements without a miss that cover each cell, the most 1; 0 at hits.

    lying, standing -- the board as those placements see it, turned for the second.
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
    """The weights of all placements without a miss through a hit of this attack; 0 at hits."""
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

    As printed, without those that end on the last column.
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
def mixed(values: Array, hunted: Array, hit: Array, number: int) -> Array:
    """The line of the last two hits multiplied; with the hunt where nothing is left on it."""
    rows, columns = values.shape
    count = 0
    if number > 1:
        row, column = hit[number - 1, 0], hit[number - 1, 1]
        total = 0.0
        if hit[number - 2, 0] == row:
            for k in range(columns):
                total += values[row, k]
                values[row, k] *= FACTOR
            count = int(total == 0)
        elif hit[number - 2, 1] == column:
            for k in range(rows):
                total += values[k, column]
                values[k, column] *= FACTOR
            count = int(total == 0)
    most = largest(values)
    for i in range(rows):
        for j in range(columns):
            if most > 0:
                values[i, j] /= most
            values[i, j] = values[i, j] * (1 - (1 / 2) * count) + hunted[i, j] * (1 / 2) * count
    return values


@njit(cache=True)
def largest(values: Array) -> float:
    """The largest of values that are not negative."""
    most = 0.0
    for row in range(values.shape[0]):
        for column in range(values.shape[1]):
            most = max(most, values[row, column])
    return most


@njit(cache=True)
def highest(values: Array, known: Array) -> float:
    """The highest value of an unknown cell."""
    most = -np.inf
    for row in range(known.shape[0]):
        for column in range(known.shape[1]):
            if known[row, column] == UNKNOWN and values[row, column] > most:
                most = values[row, column]
    return most


@njit(cache=True)
def drawn(values: Array, known: Array, rng: Any) -> tuple[int, int]:
    """One of the unknown cells with the highest value, drawn."""
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


@njit(cache=True)
def anywhere(board: Array, rng: Any) -> int:
    """The shots of a game of `Random`."""
    known = np.zeros(board.shape, np.uint8)
    values = np.ones(board.shape)
    left, shots = np.count_nonzero(board), 0
    while left:
        row, column = drawn(values, known, rng)
        shots += 1
        known[row, column] = HIT if board[row, column] else MISS
        left -= board[row, column] > 0
    return shots


@njit(cache=True)
def by_values(board: Array, fleet: Array, rules: Any, kind: int, parameter: int, rng: Any) -> int:
    """The shots of a game of `Parity` or `Density`.

    fleet -- the lengths. rules -- the places of its rules in CONTACTS and ANNOUNCEMENTS. kind --
    PARITY or DENSITY. parameter -- its modulus or weight.
    """
    rows, columns = board.shape
    known = np.zeros((rows, columns), np.uint8)
    closed = np.zeros((rows, columns), np.uint8)
    hit_at = np.zeros((rows, columns), np.int64)  # the number of the shot, 0 for no hit
    sunk = np.zeros((len(fleet), 4), np.int64)  # those waiting: row, column, length told, shot
    longest = 0
    for length in fleet:
        longest = max(longest, length)
    afloat = np.zeros(longest + 1, np.int64)  # by length
    for length in fleet:
        afloat[length] += 1
    left = np.zeros(len(fleet) + 1, np.int64)
    length_of = np.zeros(len(fleet) + 1, np.int64)
    for i in range(rows):
        for j in range(columns):
            left[board[i, j]] += 1
            length_of[board[i, j]] += 1
    cells, shots, waiting = board.size - left[0], 0, 0
    while cells:
        if kind == PARITY:
            values = parity_values(known, closed, parameter)
        else:
            values = density_values(known, closed, afloat, parameter)
        row, column = drawn(values, known, rng)
        shots += 1
        ship = board[row, column]
        if not ship:
            known[row, column] = MISS
            closed[row, column] = 1
            continue
        known[row, column] = HIT
        hit_at[row, column] = shots
        cells -= 1
        left[ship] -= 1
        if rules[1] and not left[ship]:
            sunk[waiting, 0], sunk[waiting, 1], sunk[waiting, 3] = row, column, shots
            sunk[waiting, 2] = length_of[ship] if rules[1] == 2 else 0
            afloat[sunk[waiting, 2]] -= 1
            waiting += 1
        waiting = settle(sunk, waiting, hit_at, closed, afloat, rules[0])
    return shots


@njit(cache=True)
def parity_values(known: Array, closed: Array, modulus: int) -> Array:
    """The values of `Parity`."""
    rows, columns = known.shape
    values = np.zeros((rows, columns))
    for row in range(rows):
        for column in range(columns):
            if closed[row, column]:
                continue
            values[row, column] = 2 if (row + column) % modulus == 0 else 1
            for i, j in (
                (row - 1, column),
                (row + 1, column),
                (row, column - 1),
                (row, column + 1),
            ):
                is_cell = 0 <= i < rows and 0 <= j < columns
                if is_cell and known[i, j] == HIT and not closed[i, j]:
                    values[row, column] = 3
    return values


@njit(cache=True)
def density_values(known: Array, closed: Array, afloat: Array, weight: int) -> Array:
    """The values of `Density`."""
    values = np.zeros(known.shape)
    seen = np.zeros(known.shape, np.uint8)
    for row in range(known.shape[0]):
        for column in range(known.shape[1]):
            seen[row, column] = MISS if closed[row, column] else known[row, column]
    for ship in range(1, len(afloat)):
        for _ in range(afloat[ship]):
            add_weights(values, seen, ship, weight)
            if ship > 1:  # a ship of one cell lies there in one way
                add_weights(values.T, seen.T, ship, weight)
    return values


@njit(cache=True)
def settle(
    sunk: Array, waiting: int, hit_at: Array, closed: Array, afloat: Array, contact: int
) -> int:
    """Take from the sinkings waiting what is settled, as `sinkings` does; how many are left."""
    i = 0
    while i < waiting:
        number, row, column, length, down = explanations(sunk[i], hit_at, closed, afloat, contact)
        if number != 1:
            i += 1
            continue
        for k in range(length):
            closed[row + k * down, column + k * (1 - down)] = 1
            for r, c in around(row + k * down, column + k * (1 - down), contact):
                if 0 <= r < closed.shape[0] and 0 <= c < closed.shape[1]:
                    closed[r, c] = 1
        if not sunk[i, 2]:
            afloat[length] -= 1
        waiting -= 1
        for j in range(i, waiting):
            for k in range(4):
                sunk[j, k] = sunk[j + 1, k]
        i = 0
    return waiting


@njit(cache=True)
def explanations(
    sinking: Array, hit_at: Array, closed: Array, afloat: Array, contact: int
) -> tuple[int, int, int, int, int]:
    """How many placements explain a sinking, and of the last its first cell, length and way."""
    rows, columns = hit_at.shape
    row, column, told, shot = sinking
    number = first_row = first_column = way = 0
    for length in range(told if told else len(afloat) - 1, told - 1 if told else 0, -1):
        if not told and not afloat[length]:
            continue
        for down in range(2 if length > 1 else 1):
            for back in range(length):
                r, c = row - back * down, column - back * (1 - down)
                if r < 0 or c < 0:
                    continue
                if r + (length - 1) * down >= rows or c + (length - 1) * (1 - down) >= columns:
                    continue
                if explains(r, c, length, down, shot, hit_at, closed, contact):
                    number += 1
                    first_row, first_column, way = r, c, down
        if number:
            return number, first_row, first_column, length, way
    return 0, 0, 0, 0, 0


@njit(cache=True)
def explains(
    row: int,
    column: int,
    length: int,
    down: int,
    shot: int,
    hit_at: Array,
    closed: Array,
    contact: int,
) -> bool:
    """Whether a placement is on hits up to a shot that are not closed, and touches no other hit."""
    rows, columns = hit_at.shape
    for k in range(length):
        r, c = row + k * down, column + k * (1 - down)
        if not hit_at[r, c] or hit_at[r, c] > shot or closed[r, c]:
            return False
        for i, j in around(r, c, contact):
            if 0 <= i < rows and 0 <= j < columns and hit_at[i, j]:
                along = j - column if down else i - row
                across = i - row if down else j - column
                if along != 0 or not 0 <= across < length:
                    return False
    return True


@njit(cache=True)
def around(row: int, column: int, contact: int) -> list[tuple[int, int]]:
    """The neighbours of a cell, on the board or off, that other ships may not have."""
    found = [(row, column)]
    if contact < 2:
        found += [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
    if contact == 0:
        found += [(row - 1, column - 1), (row - 1, column + 1)]
        found += [(row + 1, column - 1), (row + 1, column + 1)]
    return found


@njit(cache=True)
def add_weights(values: Array, known: Array, ship: int, weight: int) -> None:
    """Add its weight to every cell of every horizontal placement without a miss."""
    rows, columns = known.shape
    for row in range(rows):
        for first in range(columns - ship + 1):
            counted = 1.0
            for k in range(first, first + ship):
                if known[row, k] == MISS:
                    counted = 0.0
                elif known[row, k] == HIT:
                    counted *= weight
            for k in range(first, first + ship):
                values[row, k] += counted
