"""Cells beside a ship counted once more, for experiments.check_lower_bounds: no kernel of ours.

How many of the configurations with one placement of a ship cover each set of up to four cells. The
other ships are placed one after the other, here in numba. All but the last stand, P are their
cells, and z goes through the placements that the last one still has: a set has three cells in P or
more, or two, one or none, and the others in z.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from experiments.verify_coverage import Counts
from optsearch.counting.configurations import to_words
from optsearch.game import Game

Ints = NDArray[np.int64]


class _Ship:
    """The placements of one ship: words of their masks and halos, and their cells."""

    def __init__(self, game: Game, length: int):
        masks = game.placements(length)
        self.masks = to_words(masks)
        self.closed = to_words([mask | game.halo(mask) for mask in masks])
        self.cells = np.array(
            [[cell for cell in range(game.cells) if mask >> cell & 1] for mask in masks], np.int64
        )


def counted_beside(game: Game, ship: int) -> tuple[int, Counts]:
    """The configurations with a placement, and how many of them cover 1, 2, 3, 4 other cells.

    The arrays have one axis for each cell of a set; entries with a cell twice mean nothing. The
    fleet has two ships or more, of which some stand apart.
    """
    n, fleet = game.cells, list(game.fleet)
    fleet.remove(ship.bit_count())
    ships = [_Ship(game, length) for length in fleet]
    last = ships[-1]
    three = np.zeros((n, n, n, n), np.uint32)
    two = np.zeros((n, n, len(last.masks)), np.uint32)
    one, none = np.zeros((n, len(last.masks)), np.uint32), np.zeros(len(last.masks), np.int64)
    sums = np.zeros(1, np.int64), np.zeros(n, np.int64), np.zeros((n, n), np.int64)
    triples = np.zeros((n, n, n), np.int64)

    def place(i: int, start: int, cells: Ints, closed: NDArray[np.uint64]) -> None:
        """The ships from number i on, the first of them from a placement on."""
        some = ships[i]
        if len(ships) - i <= 2:
            first = some if len(ships) - i == 2 else None
            again = first is not None and fleet[i] == fleet[i + 1]
            arrays = (first or last).masks, (first or last).closed, (first or last).cells
            _place_last(
                first is not None, again, start, cells, closed, *arrays,
                last.masks, last.closed, last.cells, *sums, triples, three, two, one, none,
            )  # fmt: skip
            return
        for k in range(start, len(some.masks)):
            if not (some.masks[k] & closed).any():
                then = k + 1 if fleet[i] == fleet[i + 1] else 0
                place(i + 1, then, np.concatenate([cells, some.cells[k]]), closed | some.closed[k])

    place(0, 0, np.zeros(0, np.int64), to_words([ship | game.halo(ship)])[0])
    c1, c2, c3, c4 = sums[1], sums[2], triples, three
    return int(sums[0][0]), _together(c1, c2, c3, c4, two, one, none, last.cells)


@njit(cache=True)
def _place_last(  # type: ignore[no-untyped-def]
    is_pair, again, start, cells, closed, masks, halos, of, last_masks, last_halos, last_of,
    number, singles, doubles, triples, three, two, one, none,
):  # fmt: skip
    """The last ship, or the two last ones, beside ships on some cells."""
    if not is_pair:
        _bundle(
            start, np.sort(cells), closed, last_masks, last_of,
            number, singles, doubles, triples, three, two, one, none,
        )  # fmt: skip
        return
    for k in range(start, len(masks)):
        if masks[k, 0] & closed[0] or masks[k, 1] & closed[1]:
            continue
        _bundle(
            k + 1 if again else 0, np.sort(np.concatenate((cells, of[k]))), closed | halos[k],
            last_masks, last_of, number, singles, doubles, triples, three, two, one, none,
        )  # fmt: skip


@njit(cache=True)
def _bundle(  # type: ignore[no-untyped-def]
    start, cells, closed, masks, of, number, singles, doubles, triples, three, two, one, none
):
    """All configurations with these cells and one more ship."""
    may = np.zeros(len(masks), np.uint32)
    through = np.zeros(three.shape[0], np.uint32)
    for z in range(start, len(masks)):
        if not (masks[z, 0] & closed[0] or masks[z, 1] & closed[1]):
            may[z] = 1
            through[of[z]] += np.uint32(1)
    ways = may.sum()
    if not ways:
        return
    number[0] += ways
    none += may
    for c in range(len(cells)):
        singles[cells[c]] += ways
        one[cells[c]] += may
        for b in range(c):
            doubles[cells[b], cells[c]] += ways
            two[cells[b], cells[c]] += may
            for a in range(b):
                triples[cells[a], cells[b], cells[c]] += ways
                row = three[cells[a], cells[b], cells[c]]
                row += through
                for d in range(c + 1, len(cells)):
                    row[cells[d]] += np.uint32(ways)


@njit(cache=True)
def _ascending(a, b, c, d):  # type: ignore[no-untyped-def]
    return np.sort(np.array([a, b, c, d]))


@njit(cache=True)
def _together(c1, c2, c3, three, two, one, none, of):  # type: ignore[no-untyped-def]
    """The counts of sets: those with all cells in P, and with one to four in the last ship."""
    n = len(c1)
    c4 = np.zeros(three.shape, np.uint32)
    for a in range(n):
        for b in range(a + 1, n):
            for c in range(b + 1, n):
                for d in range(c + 1, n):
                    c4[a, b, c, d] = (
                        three[a, b, c, d]
                        + three[a, b, d, c]
                        + three[a, c, d, b]
                        + three[b, c, d, a]
                    )
    for z in range(len(of)):
        ship = of[z]
        inside = np.zeros(n, np.bool_)
        inside[ship] = True
        for i in range(len(ship)):
            x = ship[i]
            c1[x] += none[z]
            for a in range(n):
                if not inside[a]:
                    c2[min(a, x), max(a, x)] += one[a, z]
                    for b in range(a + 1, n):
                        if not inside[b]:
                            s = _ascending(-1, a, b, x)
                            c3[s[1], s[2], s[3]] += two[a, b, z]
            for j in range(i + 1, len(ship)):
                y = ship[j]
                c2[x, y] += none[z]
                for a in range(n):
                    if not inside[a]:
                        s = _ascending(-1, a, x, y)
                        c3[s[1], s[2], s[3]] += one[a, z]
                        for b in range(a + 1, n):
                            if not inside[b]:
                                s = _ascending(a, b, x, y)
                                c4[s[0], s[1], s[2], s[3]] += two[a, b, z]
                for k in range(j + 1, len(ship)):
                    c3[x, y, ship[k]] += none[z]
                    for a in range(n):
                        if not inside[a]:
                            s = _ascending(a, x, y, ship[k])
                            c4[s[0], s[1], s[2], s[3]] += one[a, z]
                    for m in range(k + 1, len(ship)):
                        c4[x, y, ship[k], ship[m]] += np.uint32(none[z])
    for a in range(n):
        for b in range(a + 1, n):
            c2[b, a] = c2[a, b]
            for c in range(b + 1, n):
                some = c3[a, b, c]
                c3[a, c, b] = c3[b, a, c] = c3[b, c, a] = c3[c, a, b] = c3[c, b, a] = some
                for d in range(c + 1, n):
                    _everywhere(c4, a, b, c, d)
    return c1, c2, c3, c4


@njit(cache=True)
def _everywhere(c4, a, b, c, d):  # type: ignore[no-untyped-def]
    """The count of a set at all orders of its cells."""
    cells = (a, b, c, d)
    some = c4[a, b, c, d]
    for i in range(4):
        for j in range(4):
            for k in range(4):
                if i != j and i != k and j != k:
                    c4[cells[i], cells[j], cells[k], cells[6 - i - j - k]] = some
