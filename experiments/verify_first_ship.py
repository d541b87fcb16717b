"""The root chain with the first ship once more, for experiments.check_lower_bounds.

`lower_bounds.first_ship` has the argument; neither its code nor a kernel is used here. There
a state is the set of placements that agree with the replies, as bits. Here it is what is known of
the four arms of cells around the one that was hit: how far the nearest miss is on each, and, once a
second cell is hit, how far the hits reach along that line. This is numba, on one array of all such
states.
"""

from collections.abc import Callable, Sequence
from math import comb
from typing import NamedTuple

import numpy as np
from numba import njit, types
from numba.typed import Dict
from numpy.typing import NDArray

from experiments.verify_coverage import Counts, heaviest_tree
from optsearch.game import Game, bits

Ints = NDArray[np.int64]
SIDES = np.array(((0, -1), (0, 1), (-1, 0), (1, 0)))  # left, right, up, down
AT_ONCE = 1000  # sets between two words of how far the search is
HALF = 32  # bits of a value, below those of the call that it was found in


class Avoiding(NamedTuple):
    """The configurations with a placement that avoid any 0, 1, 2, … cells, at least."""

    ship: int
    avoiding: Sequence[int]


class FirstShipAgain:
    """V of a cell after misses, for one number of misses l and one number of cells j.

    known -- every placement of every ship. misses -- l. start -- the least number of misses after
    which what is left is counted; most -- the number of misses after which it is.
    """

    def __init__(
        self, game: Game, placements: Sequence[Avoiding], misses: int, start: int, most_misses: int
    ):
        n, cells = max(game.fleet), game.cells
        words = np.zeros((most_misses + 1, game.fleet_cells + 1), np.int64)
        for missed in range(min(most_misses, misses) + 1):
            for hits in range(game.fleet_cells + 1):
                words[missed, hits] = min(2**60, comb(misses - missed + hits, hits))
        # A placement by its first cell, along a row or a column, and its length.
        at = np.full((2, cells, n + 1), -1, np.int64)
        halos = np.zeros((len(placements) + 1, cells), np.bool_)
        lines, around = np.zeros((2, cells, cells), np.bool_)
        for i, placement in enumerate(placements):
            ship = list(bits(placement.ship))
            line = int(len(ship) > 1 and ship[1] - ship[0] == game.columns)
            at[line, ship[0], len(ship)] = i
            halos[i, list(bits(game.halo(placement.ship)))] = True
            for cell in ship:
                lines[cell, ship] = True
                around[cell] |= halos[i]
                around[cell, ship] = True
        self.lines = lines
        # By how far the nearest misses are; and, along a line, by how far hits and misses are.
        apart = np.zeros((n + 1,) * 4 + (most_misses + 1,), np.int64)
        along = np.zeros((2, n, n, n + 1, n + 1, 2, 2, most_misses + 1), np.int64)
        avoiding = np.array(
            [placement.avoiding[: most_misses + 1] for placement in placements] or [[0]], np.int64
        )
        self.arrays = (
            at, halos, around, np.array(game.symmetries()), apart, along, avoiding, words, start,
            np.array((game.rows, game.columns)), np.zeros(1, np.int64),
        )  # fmt: skip
        self.values = Dict.empty(types.int64, types.int64)

    def value(self, cell: int, before: Sequence[int]) -> int:
        """V(cell, before)."""
        return int(_value(cell, np.array(before, np.int64), self.values, *self.arrays))


@njit(cache=True)
def _packed(cells):  # type: ignore[no-untyped-def]
    """A number for a set of at most seven cells in ascending order."""
    number = np.int64(1)
    for cell in cells:
        number = number * 128 + cell
    return number


@njit(cache=True)
def _name(cell, before, around, turns):  # type: ignore[no-untyped-def]
    """A number for a cell and the cells missed near it, up to symmetry; how many these are."""
    least, some = np.int64(-1), 0
    near = np.empty(len(before), np.int64)
    for turn in turns:
        some = 0
        for c in before:
            if around[cell, c]:
                near[some] = turn[c]
                some += 1
        near[:some].sort()
        number = _packed(near[:some]) * 128 + turn[cell]
        if least < 0 or number < least:
            least = number
    return least * 16, some


@njit
def _value(  # type: ignore[no-untyped-def]
    cell, before, values, at, halos, around, turns, apart, along, avoiding, words, start, shape,
    generation,
):  # fmt: skip
    """V(cell, before), from `values` if it is there."""
    name, fewest = _name(cell, before, around, turns)
    if name + len(before) in values:
        return values[name + len(before)]
    rows, columns, n = shape[0], shape[1], apart.shape[0] - 1
    missed = np.zeros(rows * columns, np.bool_)
    missed[before] = True
    free = np.zeros(4, np.int64)  # cells of each arm up to the edge or a miss
    for side in range(4):
        y, x = cell // columns + SIDES[side, 0], cell % columns + SIDES[side, 1]
        while free[side] < n - 1 and 0 <= y < rows and 0 <= x < columns:
            if missed[y * columns + x]:
                break
            free[side] += 1
            y, x = y + SIDES[side, 0], x + SIDES[side, 1]
    # The placement so far to one side of the cell and so far to the other, along each line.
    place = np.full((2, n, n), -1, np.int64)
    near = np.zeros((2, n, n), np.int64)
    for line in range(2):
        step = columns if line else 1
        for one in range(free[2 * line] + 1):
            for other in range(free[2 * line + 1] + 1):
                if (line and one == 0 and other == 0) or one + other >= n:
                    continue  # a ship of one cell has no direction
                i = at[line, cell - one * step, one + other + 1]
                if i >= 0:
                    place[line, one, other] = i
                    near[line, one, other] = (halos[i] & missed).sum()
    generation[0] += 1
    to = free + 1
    _apart(
        to[0], to[1], to[2], to[3], fewest, generation[0],
        apart, to, place, near, avoiding, words, start, along,
    )  # fmt: skip
    # With those elsewhere that were missed before, any number.
    for misses in range(fewest, min(15, apart.shape[4] - 1) + 1):
        cached = apart[to[0], to[1], to[2], to[3], misses]  # or 0, if no placement is left
        is_found = cached >> HALF == generation[0]
        values[name + misses] = cached - (generation[0] << HALF) if is_found else 0
    return values[name + len(before)]


# Not kept in a cache: numba fails on functions that call themselves when it loads them again.
@njit
def _count(  # type: ignore[no-untyped-def]
    line, one, other, to_one, to_other, missed_one, missed_other, beside, misses,
    place, near, avoiding, words,
):  # fmt: skip
    """Sum over the placements along a line that cover its hits and lie between its misses.

    Return four numbers: of these placements; of configurations left, at least, if the placement is
    known; of configurations that avoid the misses, at least; of cells that all placements share.
    """
    placements, left_if_known, avoiding_any = 0, 0, 0
    least_one, least_other = to_one, to_other
    for i in range(one, to_one):
        for k in range(other, to_other):
            ship = place[line, i, k]
            if ship < 0:
                continue
            misses_near = near[line, i, k] + beside
            misses_near += missed_one and i == to_one - 1
            misses_near += missed_other and k == to_other - 1
            avoiding_ship = avoiding[ship, max(0, misses - misses_near)]
            hits_left = words.shape[1] - 1 - (i + k + 1)
            placements += 1
            left_if_known += max(0, avoiding_ship - words[misses, hits_left])
            avoiding_any += avoiding_ship
            least_one, least_other = min(least_one, i), min(least_other, k)
    return placements, left_if_known, avoiding_any, least_one + least_other + 1


@njit
def _along(  # type: ignore[no-untyped-def]
    line, one, other, to_one, to_other, up, down, misses, generation,
    ends, place, near, avoiding, words, start, along,
):  # fmt: skip
    """V where more than one cell is hit, along a line; up, down -- misses beside the first."""
    if one + other >= place.shape[1]:
        return 0  # longer than any ship
    cached = along[line, one, other, to_one, to_other, up, down, misses]
    if cached >> HALF == generation:
        return cached - (generation << HALF)
    number, each, together, common = _count(
        line, one, other, to_one, to_other, to_one < ends[2 * line], to_other < ends[2 * line + 1],
        up + down, misses, place, near, avoiding, words,
    )  # fmt: skip
    least = 0
    if number:
        after = words.shape[1] - 1 - common
        value = max(each, together - words[misses, after]) if misses >= start else 0
        if misses + 1 < along.shape[7]:
            least = _along(
                line, one, other, to_one, to_other, up, down, misses + 1, generation,
                ends, place, near, avoiding, words, start, along,
            )  # fmt: skip
            for cell in range(one + 1, to_one):
                if least <= value:
                    break
                least = min(least, _along(
                    line, cell, other, to_one, to_other, up, down, misses, generation,
                    ends, place, near, avoiding, words, start, along,
                ) + _along(
                    line, one, other, cell, to_other, up, down, misses + 1, generation,
                    ends, place, near, avoiding, words, start, along,
                ))  # fmt: skip
            for cell in range(other + 1, to_other):
                if least <= value:
                    break
                least = min(least, _along(
                    line, one, cell, to_one, to_other, up, down, misses, generation,
                    ends, place, near, avoiding, words, start, along,
                ) + _along(
                    line, one, other, to_one, cell, up, down, misses + 1, generation,
                    ends, place, near, avoiding, words, start, along,
                ))  # fmt: skip
        least = max(least, value)
    along[line, one, other, to_one, to_other, up, down, misses] = (generation << HALF) + least
    return least


@njit
def _apart(  # type: ignore[no-untyped-def]
    left, right, up, down, misses, generation,
    apart, ends, place, near, avoiding, words, start, along,
):  # fmt: skip
    """V where one cell is hit; left, right, up, down -- how far the nearest miss or edge is."""
    cached = apart[left, right, up, down, misses]
    if cached >> HALF == generation:
        return cached - (generation << HALF)
    to = (left, right, up, down)
    beside = [int(to[side] == 1 and ends[side] > 1) for side in range(4)]
    number, each, together, common = _count(
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
        if some[0]:
            common = 1 if number else some[3]  # the cell itself is all that two lines share
        after = words.shape[1] - 1 - common
        value = max(each, together - words[misses, after]) if misses >= start else 0
        if misses + 1 < apart.shape[4]:
            least = _apart(
                left, right, up, down, misses + 1, generation,
                apart, ends, place, near, avoiding, words, start, along,
            )  # fmt: skip
            for side in range(4):
                line = side // 2
                for cell in range(1, to[side]):
                    if least <= value:
                        break
                    one, other = (cell, 0) if side % 2 == 0 else (0, cell)
                    hit = _along(
                        line, one, other, to[2 * line], to[2 * line + 1],
                        beside[2 - 2 * line], beside[3 - 2 * line], misses, generation,
                        ends, place, near, avoiding, words, start, along,
                    )  # fmt: skip
                    miss = _apart(
                        cell if side == 0 else left,
                        cell if side == 1 else right,
                        cell if side == 2 else up,
                        cell if side == 3 else down,
                        misses + 1, generation,
                        apart, ends, place, near, avoiding, words, start, along,
                    )  # fmt: skip
                    least = min(least, hit + miss)
        least = max(least, value)
    apart[left, right, up, down, misses] = (generation << HALF) + least
    return least


@njit(cache=True)
def _add(c2, c3, cells, added):  # type: ignore[no-untyped-def]
    """Update the most that each cell adds, without a tree, when the last cell joins the others."""
    last = cells[-1]
    for w in range(len(added)):
        added[w] -= c2[last, w]
    for other in cells[:-1]:
        for w in range(len(added)):
            added[w] += c3[last, other, w]


@njit(cache=True)
def _less(c4, cells, w):  # type: ignore[no-untyped-def]
    """Return what a tree takes from that bound for one cell."""
    if len(cells) < 3:
        return np.int64(0)
    return heaviest_tree(c4[cells[-1], :, :, w], cells[:-1])


@njit
def _follow(  # type: ignore[no-untyped-def]
    sets, sums, states, first, until, j, best, following, after, following_sums,
    following_states, number, c2, c3, c4, lines, values, arrays,
):  # fmt: skip
    """One cell more for the sets from `first` to `until`, or fewer if there is no room.

    sets -- cells of each, in order. states -- of each: what every cell adds to the last but one,
    the most that it may add, less V, and the least that V is. following -- the number of each set
    of one cell more; after, following_sums, following_states -- as the first three, of these.
    (best, sets done, number of sets found) is returned.
    """
    n, size = c2.shape[0], sets.shape[1]
    turns = arrays[3]
    exact, treed = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
    for current in range(first, until):
        if number + n > len(after):
            return best, current, number
        cells, before = sets[current], sums[current]
        added = states[current, 0].copy()
        values_least = states[current, 2].copy()
        if size:
            _add(c2, c3, cells, added)
        gains = np.minimum(states[current, 1], added - values_least)
        exact[:] = False
        treed[:] = False
        for cell in cells:
            gains[cell] = -1
            exact[cell] = treed[cell] = True
        while True:
            # The cells that add most; of these the first whose V is not known is looked at.
            ahead = np.argsort(-gains, kind="mergesort")
            total = before + gains[ahead[: j - size - 1]].sum()
            last = gains[ahead[j - size - 1]]
            cell = -1
            for place in range(n - size):
                if total + min(last, gains[ahead[place]]) <= best:
                    break
                if not exact[ahead[place]]:
                    cell = ahead[place]
                    break
            if cell < 0:
                break
            # Those that add less than the next ones change nothing for each other.
            to = n - size if place >= j - size else place + 1
            for cell in ahead[place:to]:
                if exact[cell] or total + min(last, gains[cell]) <= best:
                    continue
                if not treed[cell]:
                    treed[cell] = True
                    added[cell] -= _less(c4, cells, cell)
                    gains[cell] = min(gains[cell], added[cell] - values_least[cell])
                    if total + min(last, gains[cell]) <= best or place < j - size:
                        continue
                exact[cell] = True
                values_least[cell] = _value(cell, cells, values, *arrays)
                gains[cell] = min(gains[cell], added[cell] - values_least[cell])
        for place in range(n - size):
            cell = ahead[place]
            if total + min(last, gains[cell]) <= best:
                break
            if size == j - 1:
                best = before + gains[cell]
                continue
            name = np.int64(-1)
            for turn in turns:
                image = np.empty(size + 1, np.int64)
                for i in range(size):
                    image[i] = turn[cells[i]]
                image[size] = turn[cell]
                image.sort()
                packed = _packed(image)
                if name < 0 or packed < name:
                    name = packed
            if name not in following:
                following[name] = number
                number += 1
            elif following_sums[following[name]] >= before + gains[cell]:
                continue
            for w in range(n):
                if not treed[w]:
                    treed[w] = True
                    added[w] -= _less(c4, cells, w)
            i = following[name]
            after[i, :size] = cells
            after[i, size] = cell
            following_sums[i] = before + gains[cell]
            for w in range(n):
                following_states[i, 0, w] = added[w]
                following_states[i, 1, w] = gains[w]
                # V falls only where a ship has both.
                following_states[i, 2, w] = 0 if lines[cell, w] else values_least[w]
    return best, until, number


def keeps_more(
    counts: Counts,
    symmetries: Sequence[Sequence[int]],
    again: FirstShipAgain,
    j: int,
    best: int,
    progress: Callable[[int, int, int], None] = lambda size, done, sets: None,
) -> int:
    """Return the largest value above `best` that some sequence of j cells keeps, or `best`.

    counts, symmetries -- of the game. progress -- called with a size, the sets of it that are done,
    and all of them. Sequences of more than eight cells are not known.
    """
    if not 1 <= j <= 8:
        raise ValueError(f"sequences of {j} cells")
    c1, c2, c3, c4 = counts
    n = len(c1)
    sets, sums = np.zeros((1, 0), np.int64), np.zeros(1, np.int64)
    states = np.array([[c1, c1, np.zeros(n, np.int64)]])
    for size in range(j):
        following = Dict.empty(types.int64, types.int64)
        room, number, done = 4 * n, 0, 0
        after, following_sums = np.zeros((room, size + 1), np.int64), np.zeros(room, np.int64)
        following_states = np.zeros((room, 3, n), states.dtype)
        while done < len(sets):
            progress(size, done, len(sets))
            until = min(len(sets), done + AT_ONCE)
            while done < until:
                if number + n > room:
                    room *= 2
                    after, following_sums, following_states = (
                        np.concatenate([some, np.zeros_like(some)])
                        for some in (after, following_sums, following_states)
                    )
                best, done, number = _follow(
                    sets, sums, states, done, until, j, best, following, after, following_sums,
                    following_states, number, c2, c3, c4, again.lines, again.values, again.arrays,
                )  # fmt: skip
        sets, sums, states = after[:number], following_sums[:number], following_states[:number]
    return int(best)
