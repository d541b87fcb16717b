"""The root chain with the first ship once more, for experiments.check_lower_bounds.

`optsearch.bounds.first_ship` has the argument; nothing of it is used, and no kernel of ours. There
a state is the set of placements that agree with the replies, as bits. Here it is what is known of
the four arms of cells around the one that was hit: how far the nearest miss is on each, and, once a
second cell is hit, how far the hits reach along that line. This is numba, on one array of all such
states.
"""

from collections.abc import Callable, Sequence
from math import comb
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from experiments.coverage_again import Counts, heaviest_tree
from optsearch.game import Game, bits

Ints = NDArray[np.int64]
SIDES = ((0, -1), (0, 1), (-1, 0), (1, 0))  # left, right, up, down


class Known(NamedTuple):
    """The configurations with a placement that avoid any 0, 1, 2, … cells, at least."""

    ship: int
    avoiding: Sequence[int]


class FirstShipAgain:
    """V of a cell after misses, for one number of misses l and one number of cells j.

    known -- every placement of every ship. misses -- l. start -- the least number of misses after
    which what is left is counted; most -- the number of misses after which it is.
    """

    def __init__(self, game: Game, known: Sequence[Known], misses: int, start: int, most: int):
        self.game, self.start = game, start
        self.reach = max(game.fleet)
        self.avoiding = np.array([one.avoiding[: most + 1] for one in known], np.int64)
        self.number = {one.ship: i for i, one in enumerate(known)}
        self.halos = [sum(1 << c for c in bits(game.halo(one.ship))) for one in known]
        self.words = np.zeros((most + 1, game.fleet_cells + 1), np.int64)
        for made in range(min(most, misses) + 1):
            for hits in range(game.fleet_cells + 1):
                self.words[made, hits] = min(2**60, comb(misses - made + hits, hits))
        n = self.reach
        self.apart = np.empty((n + 1,) * 4 + (most + 1,), np.int64)
        self.along = np.empty((2, n, n, n + 1, n + 1, n + 1, 2, 2, most + 1), np.int64)
        self.values: dict[tuple[int, frozenset[int], int], int] = {}
        lines = [{c for ship in self.number if ship >> cell & 1 for c in bits(ship)}
                 for cell in range(game.cells)]  # fmt: skip
        self.lines = [sorted(line) for line in lines]
        self.around = [
            {c for i, ship in enumerate(self.number) if ship >> cell & 1
             for c in bits(ship | self.halos[i])}
            for cell in range(game.cells)
        ]  # fmt: skip

    def value(self, cell: int, before: Sequence[int]) -> int:
        """V(cell, before)."""
        key = cell, frozenset(before) & frozenset(self.around[cell]), len(before)
        if key not in self.values:
            self.values[key] = self._value(cell, before)
        return self.values[key]

    def _value(self, cell: int, before: Sequence[int]) -> int:
        rows, columns, n = self.game.rows, self.game.columns, self.reach
        row, column = divmod(cell, columns)
        free = np.zeros(4, np.int64)  # cells of each arm up to the edge or a miss
        for side, (down, right) in enumerate(SIDES):
            y, x = row + down, column + right
            while (
                free[side] < n - 1
                and 0 <= y < rows
                and 0 <= x < columns
                and y * columns + x not in before
            ):
                free[side] += 1
                y, x = y + down, x + right
        # The placement so far to one side of the cell and so far to the other, along each line.
        place = np.full((2, n, n), -1, np.int64)
        near = np.zeros((2, n, n), np.int64)
        missed = sum(1 << c for c in before)
        for line, step in enumerate((1, columns)):
            for one in range(free[2 * line] + 1):
                for other in range(free[2 * line + 1] + 1):
                    if line and one == other == 0:
                        continue  # a ship of one cell has no direction
                    ship = sum(1 << cell + k * step for k in range(-one, other + 1))
                    if ship in self.number:
                        place[line, one, other] = i = self.number[ship]
                        near[line, one, other] = (self.halos[i] & missed).bit_count()
        self.apart.fill(-1)
        self.along.fill(-1)
        left, right, up, down = (free + 1).tolist()
        return int(
            _apart(
                left, right, up, down, len(before), self.apart, free + 1,
                place, near, self.avoiding, self.words, self.start, self.along,
            )
        )  # fmt: skip


# Not kept in a cache: numba fails on functions that call themselves when it loads them again.
@njit
def _count(  # type: ignore[no-untyped-def]
    line, one, other, to_one, to_other, missed_one, missed_other, beside, misses,
    place, near, avoiding, words,
):  # fmt: skip
    """(placements, left if each is known, avoided by all) along a line, between hits and misses."""
    number, each, together = 0, 0, 0
    for i in range(one, to_one):
        for k in range(other, to_other):
            ship = place[line, i, k]
            if ship < 0:
                continue
            close = near[line, i, k] + beside
            close += missed_one and i == to_one - 1
            close += missed_other and k == to_other - 1
            some = avoiding[ship, max(0, misses - close)]
            hits = words.shape[1] - 1
            number += 1
            each += max(0, some - words[misses, hits - (i + k + 1)])
            together += some
    return number, each, together


@njit
def _along(  # type: ignore[no-untyped-def]
    line, one, other, to_one, to_other, hits, up, down, misses,
    ends, place, near, avoiding, words, start, along,
):  # fmt: skip
    """V where more than one cell is hit, along a line; up, down -- misses beside the first."""
    if one + other >= place.shape[1]:
        return 0  # longer than any ship
    known = along[line, one, other, to_one, to_other, hits, up, down, misses]
    if known >= 0:
        return known
    number, each, together = _count(
        line, one, other, to_one, to_other, to_one < ends[2 * line], to_other < ends[2 * line + 1],
        up + down, misses, place, near, avoiding, words,
    )  # fmt: skip
    least = 0
    if number:
        after = words.shape[1] - 1 - hits
        value = max(each, together - words[misses, after]) if misses >= start else 0
        if misses + 1 < along.shape[8]:
            least = _along(
                line, one, other, to_one, to_other, hits, up, down, misses + 1,
                ends, place, near, avoiding, words, start, along,
            )  # fmt: skip
            for cell in range(one + 1, to_one):
                least = min(least, _along(
                    line, cell, other, to_one, to_other, hits + 1, up, down, misses,
                    ends, place, near, avoiding, words, start, along,
                ) + _along(
                    line, one, other, cell, to_other, hits, up, down, misses + 1,
                    ends, place, near, avoiding, words, start, along,
                ))  # fmt: skip
            for cell in range(other + 1, to_other):
                least = min(least, _along(
                    line, one, cell, to_one, to_other, hits + 1, up, down, misses,
                    ends, place, near, avoiding, words, start, along,
                ) + _along(
                    line, one, other, to_one, cell, hits, up, down, misses + 1,
                    ends, place, near, avoiding, words, start, along,
                ))  # fmt: skip
        least = max(least, value)
    along[line, one, other, to_one, to_other, hits, up, down, misses] = least
    return least


@njit
def _apart(  # type: ignore[no-untyped-def]
    left, right, up, down, misses, apart, ends, place, near, avoiding, words, start, along
):
    """V where one cell is hit; left, right, up, down -- how far the nearest miss or edge is."""
    known = apart[left, right, up, down, misses]
    if known >= 0:
        return known
    to = (left, right, up, down)
    beside = [int(to[side] == 1 and ends[side] > 1) for side in range(4)]
    number, each, together = _count(
        0, 0, 0, left, right, left < ends[0], right < ends[1], beside[2] + beside[3], misses,
        place, near, avoiding, words,
    )  # fmt: skip
    some = _count(
        1, 0, 0, up, down, up < ends[2], down < ends[3], beside[0] + beside[1], misses,
        place, near, avoiding, words,
    )  # fmt: skip
    least = 0
    if number + some[0]:
        each, together = each + some[1], together + some[2]
        after = words.shape[1] - 2
        value = max(each, together - words[misses, after]) if misses >= start else 0
        if misses + 1 < apart.shape[4]:
            least = _apart(
                left, right, up, down, misses + 1,
                apart, ends, place, near, avoiding, words, start, along,
            )  # fmt: skip
            for side in range(4):
                line = side // 2
                for cell in range(1, to[side]):
                    one, other = (cell, 0) if side % 2 == 0 else (0, cell)
                    hit = _along(
                        line, one, other, to[2 * line], to[2 * line + 1], 2,
                        beside[2 - 2 * line], beside[3 - 2 * line], misses,
                        ends, place, near, avoiding, words, start, along,
                    )  # fmt: skip
                    miss = _apart(
                        cell if side == 0 else left,
                        cell if side == 1 else right,
                        cell if side == 2 else up,
                        cell if side == 3 else down,
                        misses + 1,
                        apart, ends, place, near, avoiding, words, start, along,
                    )  # fmt: skip
                    least = min(least, hit + miss)
        least = max(least, value)
    apart[left, right, up, down, misses] = least
    return least


@njit(cache=True)
def _added(c1, c2, c3, c4, chosen):  # type: ignore[no-untyped-def]
    """What each cell adds at most to what the chosen ones meet."""
    added = c1.copy()
    for i in range(len(chosen)):
        added -= c2[chosen[i]]
        for k in range(i):
            added += c3[chosen[i], chosen[k]]
        if i > 1:
            for w in range(len(c1)):
                added[w] -= heaviest_tree(c4[chosen[i], :, :, w], chosen[:i])
    added[chosen] = -1
    return added


def keeps_more(
    counts: Counts,
    symmetries: Sequence[Sequence[int]],
    again: FirstShipAgain,
    j: int,
    most: int,
    progress: Callable[[int, int], None] = lambda size, sets: None,
) -> int:
    """What some sequence of j cells keeps that is more than `most`, the largest; or `most`.

    counts, symmetries -- of the game. progress -- called with each size and the sets of it.
    """
    n = len(counts[0])
    turns = np.array(symmetries)
    level: dict[tuple[int, ...], tuple[int, list[int], Ints, Ints]] = {
        (): (0, [], np.full(n, np.iinfo(np.int64).max // 64), np.zeros(n, np.int64))
    }
    for size in range(j):
        following: dict[tuple[int, ...], tuple[int, list[int], Ints, Ints]] = {}
        progress(size, len(level))
        for kept, cells, at_most, at_least in level.values():
            added = _added(*counts, np.array(cells, np.int64))
            gains = np.minimum(at_most, added - at_least)
            gains[cells] = -1
            values = at_least.copy()
            exact = np.zeros(n, np.bool_)
            exact[cells] = True
            while True:
                # The cells that add most; of these the first whose V is not known is looked at.
                ahead = np.argsort(-gains)
                total = kept + int(gains[ahead[: j - size - 1]].sum())
                last = int(gains[ahead[j - size - 1]])
                open_ = [
                    c for place, c in enumerate(ahead)
                    if not exact[c]
                    and total + (last if place < j - size else int(gains[c])) > most
                ]  # fmt: skip
                if not open_:
                    break
                cell = int(open_[0])
                exact[cell] = True
                values[cell] = again.value(cell, cells)
                gains[cell] = min(gains[cell], added[cell] - values[cell])
            for place, cell in enumerate(ahead.tolist()):
                bound = total + (last if place < j - size else int(gains[cell]))
                if cell in cells or bound <= most:
                    continue
                if size == j - 1:
                    most = kept + int(gains[cell])
                    continue
                after = [*cells, cell]
                key = min(tuple(sorted(turn)) for turn in turns[:, after].tolist())
                if key not in following or following[key][0] < kept + gains[cell]:
                    still = values.copy()
                    still[again.lines[cell]] = 0  # V falls only where a ship has both
                    following[key] = kept + int(gains[cell]), after, gains, still
        level = following
    return most
