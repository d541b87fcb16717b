"""The reveal game evaluated once more, for experiments.check_lower_bounds: no kernel of ours.

`lower_bounds.reveal` has the definition and the proof of F, which bounds the completions of a
set of ships that are found within l misses. Nothing of it is used: this is numba. The weights u
behind each coverage are chosen as there, but what they prove is taken from them afresh, after a
look at every one: they must be whole numbers from 0 to the weight w of their placement.
"""

from math import comb

import numpy as np
from numba import njit, types
from numba.typed import Dict
from numpy.typing import NDArray

from optsearch.game import Game, bits

SCALE = 256  # of u
LEVELS, LEVELS_LAST = 14, 7  # tried; for the last ship fewer, further apart
STEP, STEP_LAST = 9, 5
KEY = types.UniTuple(types.uint64, 2)  # type: ignore[no-untyped-call]
VALUES = types.int64[::1]


class RevealAgain:
    """F of the reveal game of one fleet, F(0) to F(misses - 1)."""

    def __init__(self, game: Game, misses: int):
        lengths = sorted(set(game.fleet), reverse=True)
        placements = [(length, p) for length in lengths for p in game.placements(length)]
        kinds = [length for length, _ in placements]
        self._first = np.array([kinds.index(x) for x in lengths] + [len(kinds)], np.int64)
        self._mask = _words([p for _, p in placements])
        self._closed = _words([p | game.halo(p) for _, p in placements])
        self._where = np.full((len(placements), lengths[0]), -1, np.int64)
        for row, (_, p) in zip(self._where, placements, strict=True):
            row[: p.bit_count()] = list(bits(p))
        self._words = np.array(
            [
                [min(2**60, comb(missed + hits, hits)) for missed in range(misses)]
                for hits in range(game.fleet_cells + 1)
            ],
            np.int64,
        )
        self._length = np.array(kinds, np.int64)
        self._game = game
        self._left = np.array([game.fleet.count(length) for length in lengths], np.int64)

    def values(self, ship: int) -> tuple[list[int], int]:
        """F of a placement of the longest ship (mask), and its completions."""
        left = self._left.copy()
        left[0] -= 1
        words, closed = _words([ship, ship | self._game.halo(ship)])
        board = (self._first, self._mask, self._closed, self._where, self._length, self._words)
        cache = Dict.empty(KEY, VALUES)
        arguments = (*words, *closed, left, self._game.cells, board, cache)
        *values, completions = _values(*arguments)
        return [int(value) for value in values], int(completions)


def _words(masks: list[int]) -> NDArray[np.uint64]:
    return np.array([(m % 2**64, m >> 64) for m in masks], np.uint64).reshape(len(masks), 2)


@njit(cache=True)
def _values(low, high, closed_low, closed_high, left, cells, board, cache):  # type: ignore[no-untyped-def]
    """F(0), F(1), … and last the completions of the ships in (low, high)."""
    first, mask, closed, where, length, words = board
    misses = words.shape[1]
    ships = left.sum()
    if ships == 0:
        return np.ones(misses + 1, np.int64)
    if (low, high) in cache:
        return cache[(low, high)]
    result = np.zeros(misses + 1, np.int64)
    upper = np.full(misses, 2**62)
    children = np.empty((len(mask), misses + 1), np.int64)
    places = np.empty(len(mask), np.int64)
    n, hits = 0, 0
    for kind in range(len(left)):
        if left[kind] == 0:
            continue
        hits += left[kind] * length[first[kind]]
        before = n
        left[kind] -= 1
        for p in range(first[kind], first[kind + 1]):
            if mask[p, 0] & closed_low or mask[p, 1] & closed_high:
                continue
            children[n] = _values(
                low | mask[p, 0],
                high | mask[p, 1],
                closed_low | closed[p, 0],
                closed_high | closed[p, 1],
                left,
                cells,
                board,
                cache,
            )
            if children[n, misses]:
                places[n] = p
                n += 1
        left[kind] += 1
        for m in range(misses):
            upper[m] = min(upper[m], children[before:n, m].sum() // left[kind])
        result[misses] = children[before:n, misses].sum() // left[kind]
    if result[misses]:
        _cover(
            children[:n], where[places[:n]], length[places[:n]], ships, cells, words[hits], result
        )
        for m in range(misses):
            result[m] = min(result[m], upper[m])
        for m in range(misses - 2, -1, -1):
            result[m] = min(result[m], result[m + 1])
    else:
        result[:] = 0
    cache[(low, high)] = result
    return result


@njit(cache=True)
def _cover(children, where, length, ships, cells, words, result):  # type: ignore[no-untyped-def]
    """F(l) from what k cells can cover, and from the sequences behind what j cells meet."""
    misses = len(words)
    result[:misses] = 0
    weights = np.empty(len(children), np.int64)
    best = np.zeros(misses + 1, np.int64)
    for m in range(misses):
        weights[:] = children[:, m]
        if m:
            weights -= children[:, m - 1]
        if weights.any():
            best = _coverage(weights, where, length, ships, cells, misses - m)
            for k in range(1, misses - m + 1):
                result[m + k - 1] += best[k]
        if ships == 1:
            break  # a whole fleet is found from l = 0 on: these weights are the completions
    if ships > 1:
        weights[:] = children[:, misses]
        best = _coverage(weights, where, length, ships, cells, misses)
    for m in range(misses):
        result[m] = min(result[m], words[m], best[m + 1])
        for j in range(1, m + 1):
            result[m] = min(result[m], best[j] + words[m - j])


@njit(cache=True)
def _coverage(w, where, length, ships, cells, most_cells):  # type: ignore[no-untyped-def]
    """Item k: no k cells cover more of the weights w."""
    best = np.zeros(most_cells + 1, np.int64)
    total = w.sum()
    degree = np.zeros(cells, np.int64)
    for i in range(len(w)):
        for c in range(length[i]):
            degree[where[i, c]] += w[i]
    falling = np.sort(degree)[::-1]
    for k in range(1, most_cells + 1):
        best[k] = min(total, falling[:k].sum())
    level = falling[0] * SCALE
    u = np.empty(len(w), np.int64)
    filled = np.empty(cells, np.int64)
    for _ in range(LEVELS_LAST if ships == 1 else LEVELS):
        level -= level // (STEP_LAST if ships == 1 else STEP)
        filled[:] = 0
        for i in range(len(w)):
            highest = 0
            for c in range(length[i]):
                highest = max(highest, degree[where[i, c]])
            u[i] = w[i] * SCALE
            if highest * SCALE > level:
                u[i] = min(u[i], int(float(u[i]) * float(level) / (float(highest) * SCALE)))
            for c in range(length[i]):
                filled[where[i, c]] += u[i]
        for i in range(len(w)):
            room = w[i] * SCALE - u[i]
            for c in range(length[i]):
                room = min(room, level - filled[where[i, c]])
            if room > 0:
                u[i] += room
                for c in range(length[i]):
                    filled[where[i, c]] += room
        # From here on u is any weights: the bound they prove.
        loss = 0
        filled[:] = 0
        for i in range(len(w)):
            if not 0 <= u[i] <= w[i] * SCALE:
                raise ValueError("a lowered weight out of range")
            loss += w[i] * SCALE - u[i]
            for c in range(length[i]):
                filled[where[i, c]] += u[i]
        for k in range(1, most_cells + 1):
            best[k] = min(best[k], (loss + k * filled.max() + SCALE - 1) // SCALE)
    return best
