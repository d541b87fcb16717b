"""Greedy and bisection over all boards of a small game, in numba, apart from all other code.

What is known before a shot is either with which shots a ship was sunk, or only how many ships are
sunk now. In the second case a board counts as possible if it has the hits, none of the misses, and
as many ships of which every cell is hit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from optsearch.game import Game
from optsearch.support.errors import NotSupported

Array = Any  # numba infers the types of arrays


@dataclass(frozen=True)
class Boards:
    """All boards of a game of at most 64 cells; ships -- uint64 of shape (n, ships)."""

    game: Game
    ships: NDArray[np.uint64]

    @classmethod
    def of(cls, game: Game) -> Boards:
        """By placing ship after ship; equal ships in ascending order."""
        if game.cells > 64:
            raise NotSupported(f"{game} has {game.cells} cells; at most 64 are walked")
        boards: list[tuple[int, ...]] = [()]
        for i, length in enumerate(game.fleet):
            placed = []
            for board in boards:
                closed = 0
                for ship in board:
                    closed |= ship | game.halo(ship)
                least = board[-1] if i and length == game.fleet[i - 1] else -1
                for ship in game.placements(length):
                    if ship > least and not ship & closed:
                        placed.append((*board, ship))
            boards = placed
        return cls(game, np.array(boards, np.uint64))


def walked(boards: Boards, by_count: bool, is_bisection: bool) -> dict[int, int]:
    """How many boards take how many shots, ties broken by the first cell.

    by_count -- whether only the number of sunk ships is known. is_bisection -- the cell is shot
    whose probability is nearest to one half; a certain hit where nothing else is in doubt.
    """
    game = boards.game
    histogram = np.zeros(game.cells + 1, np.int64)
    _walk(boards.ships, game.cells, by_count, game.is_silent, is_bisection, histogram)
    return {shots: int(n) for shots, n in enumerate(histogram) if n}


@njit(cache=True)
def _sunk(ships: Array, row: int, hits: Any) -> int:
    number = 0
    for ship in range(ships.shape[1]):
        number += ships[row, ship] & ~hits == 0
    return number


@njit(cache=True)
def _next(ships: Array, cells: int, possible: Array, shot: Any, is_bisection: bool) -> int:
    """The cell to shoot."""
    one = np.uint64(1)
    counts = np.zeros(cells, np.int64)
    for row in possible:
        board = np.uint64(0)
        for ship in range(ships.shape[1]):
            board |= ships[row, ship]
        for cell in range(cells):
            counts[cell] += np.int64(board >> np.uint64(cell) & one)
    n = len(possible)
    best, most = -1, -1
    for cell in range(cells):
        if not shot >> np.uint64(cell) & one:
            value = counts[cell]
            if is_bisection:
                value = 2 * min(value, n - value) + (value == n)
            if value > most:
                best, most = cell, value
    return best


@njit(cache=True)
def _walk(
    ships: Array, cells: int, by_count: bool, silent: bool, is_bisection: bool, histogram: Array
) -> None:
    one = np.uint64(1)
    everything = np.arange(len(ships)).astype(np.int32)
    none = np.uint64(0)
    stack = [(none, none, 0, 0, everything, everything)]
    while len(stack):
        hits, misses, sunk, shots, alike, here = stack.pop()
        possible = alike
        if by_count and not silent:
            kept = [row for row in alike if _sunk(ships, int(row), hits) == sunk]
            possible = np.array(kept, np.int32)
        cell = _next(ships, cells, possible, hits | misses, is_bisection)
        bit = one << np.uint64(cell)
        after = hits | bit
        told = np.empty(len(here), np.int64)  # -1 a miss, else how many ships are sunk
        for i in range(len(here)):
            told[i] = -1
            for ship in range(ships.shape[1]):
                if ships[here[i], ship] & bit:
                    told[i] = _sunk(ships, here[i], after)
        has = np.array([_has(ships, int(row), bit) for row in alike])
        for value in range(-1, ships.shape[1] + 1):
            if silent and value >= 0 and value < ships.shape[1]:
                is_part = (told >= 0) & (told < ships.shape[1]) & (value == 0)
            else:
                is_part = told == value
            part = here[is_part]
            if len(part) == 0:
                continue
            if value == ships.shape[1]:
                histogram[shots + 1] += len(part)
            elif value < 0:
                rest = alike[~has] if by_count else part
                stack.append((hits, misses | bit, sunk, shots + 1, rest, part))
            else:
                rest = alike[has] if by_count else part
                stack.append((after, misses, value, shots + 1, rest, part))


@njit(cache=True)
def _has(ships: Array, row: int, bit: Any) -> bool:
    board = np.uint64(0)
    for ship in range(ships.shape[1]):
        board |= ships[row, ship]
    return bool(board & bit != 0)
