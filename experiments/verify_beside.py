"""Cells beside a ship counted once more, for experiments.check_lower_bounds: no kernel of ours.

How many of the configurations with one placement of a ship cover each set of up to four cells? The
other ships are placed one after the other, here in numba. When all but the last are placed, P are
their cells, and z runs over the placements that the last one still has. Of the cells of a set, all
are in P, or some or all of them in z.
"""

from itertools import permutations
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from experiments.verify_coverage import CoverCounts
from optsearch.counting.configurations import to_words
from optsearch.game import Game, bits

Ints = NDArray[np.int64]
Words = NDArray[np.uint64]
ORDERS = tuple(permutations(range(4)))  # of four cells


class Placements(NamedTuple):
    """The placements of one ship, a row each.

    masks -- two words of 64 cells. closed -- likewise the cells and the halo. cells -- the cells.
    """

    masks: Words
    closed: Words
    cells: Ints


class Sums(NamedTuple):
    """Numbers of configurations, by the cells that they have in P; the cells a < b < c.

    number -- one item: all configurations. one, two, three -- [a], [a, b] and [a, b, c]: those with
    these cells in P. last, one_last, two_last -- [z], [a, z] and [a, b, z]: those with the last
    ship at z and these cells in P. three_and_last -- [a, b, c, d]: those with a, b and c in P and d
    in the last ship or, if d > c, in P.
    """

    number: Ints
    one: Ints
    two: Ints
    three: Ints
    last: Ints
    one_last: NDArray[np.uint32]
    two_last: NDArray[np.uint32]
    three_and_last: NDArray[np.uint32]


def counted_beside(game: Game, ship: int) -> tuple[int, CoverCounts]:
    """Count the configurations with a placement (mask), and how many of them cover each few cells.

    The second result has a count for each set of one to four cells: the configurations whose
    other ships have all of these. Entries for a cell twice mean nothing. The fleet must have
    two ships or more, and some configuration in which the placement does not touch another
    ship.
    """
    n, fleet = game.cells, list(game.fleet)
    fleet.remove(ship.bit_count())
    ships = [_placements(game, length) for length in fleet]
    number_last = len(ships[-1].masks)
    sums = Sums(
        number=np.zeros(1, np.int64),
        one=np.zeros(n, np.int64),
        two=np.zeros((n, n), np.int64),
        three=np.zeros((n, n, n), np.int64),
        last=np.zeros(number_last, np.int64),
        one_last=np.zeros((n, number_last), np.uint32),
        two_last=np.zeros((n, n, number_last), np.uint32),
        three_and_last=np.zeros((n, n, n, n), np.uint32),
    )

    def place_from(i: int, first: int, cells: Ints, closed: Words) -> None:
        """Place the ships i, i + 1, … beside those on `cells`; ship i from placement `first` on."""
        if i == len(ships) - 1:
            _add_last(first, cells, closed, ships[i], sums)
            return
        # Of equal ships the second has the later placement.
        is_equal = fleet[i] == fleet[i + 1]
        if i == len(ships) - 2:
            _add_last_two(first, is_equal, cells, closed, ships[i], ships[i + 1], sums)
            return
        for k in range(first, len(ships[i].masks)):
            if not (ships[i].masks[k] & closed).any():
                more_cells = np.concatenate([cells, ships[i].cells[k]])
                first_of_next = k + 1 if is_equal else 0
                place_from(i + 1, first_of_next, more_cells, closed | ships[i].closed[k])

    place_from(0, 0, np.zeros(0, np.int64), to_words([ship | game.halo(ship)])[0])
    return int(sums.number[0]), CoverCounts(*_count_covering(sums, ships[-1].cells))


def _placements(game: Game, length: int) -> Placements:
    """Return the placements of a ship of this length."""
    masks = game.placements(length)
    return Placements(
        masks=to_words(masks),
        closed=to_words([mask | game.halo(mask) for mask in masks]),
        cells=np.array([list(bits(mask)) for mask in masks], np.int64),
    )


@njit(cache=True)
def _add_last_two(first, is_equal, cells, closed, ship, last, sums):  # type: ignore[no-untyped-def]
    """Add to `sums` the configurations in which the last two ships join the ships before.

    cells, closed -- of the ships before: their cells, and two words of these with the halo.
    ship, last -- all placements of the last ship but one, and of the last. first -- the index
    of the first placement of `ship` to use. is_equal -- True if both have one length: then the
    last has the later placement, so that each pair counts once.
    """
    for k in range(first, len(ship.masks)):
        if ship.masks[k, 0] & closed[0] or ship.masks[k, 1] & closed[1]:
            continue
        more_cells = np.concatenate((cells, ship.cells[k]))
        _add_last(k + 1 if is_equal else 0, more_cells, closed | ship.closed[k], last, sums)


@njit(cache=True)
def _add_last(first, cells, closed, last, sums):  # type: ignore[no-untyped-def]
    """Add to `sums` the configurations in which the last ship joins the ships on `cells`.

    closed -- two words: the cells that it may not have. last -- its placements. first -- the
    index of the first one to use.
    """
    fits = np.zeros(len(last.masks), np.uint32)  # 1 for each placement that has room
    number_on_cell = np.zeros(len(sums.one), np.uint32)
    for z in range(first, len(last.masks)):
        if not (last.masks[z, 0] & closed[0] or last.masks[z, 1] & closed[1]):
            fits[z] = 1
            number_on_cell[last.cells[z]] += np.uint32(1)
    number = fits.sum()
    if not number:
        return
    sums.number[0] += number
    sums.last[:] += fits
    cells = np.sort(cells)
    for k in range(len(cells)):
        c = cells[k]
        sums.one[c] += number
        sums.one_last[c] += fits
        for j in range(k):
            b = cells[j]
            sums.two[b, c] += number
            sums.two_last[b, c] += fits
            for a in cells[:j]:
                sums.three[a, b, c] += number
                sums.three_and_last[a, b, c] += number_on_cell
                for d in cells[k + 1 :]:
                    sums.three_and_last[a, b, c, d] += np.uint32(number)


@njit(cache=True)
def _count_covering(sums, cells_of_last):  # type: ignore[no-untyped-def]
    """Return how many configurations cover each set of one, two, three and four cells: four arrays.

    cells_of_last -- the cells of each placement of the last ship.
    """
    n = len(sums.one)
    counts = sums.one, sums.two, sums.three, np.zeros(sums.three_and_last.shape, np.uint32)
    _add_four_in_order(sums.three_and_last, counts[3])
    for z in range(len(cells_of_last)):
        ship = cells_of_last[z]
        is_outside = np.ones(n, np.bool_)
        is_outside[ship] = False
        others = np.flatnonzero(is_outside)
        for i in range(len(ship)):
            _add_one_in_last(ship[i], z, others, sums, counts)
            for j in range(i + 1, len(ship)):
                _add_two_in_last(ship[i], ship[j], z, others, sums, counts)
                for k in range(j + 1, len(ship)):
                    _add_three_in_last(ship[i], ship[j], ship[k], z, others, sums, counts)
                    for m in range(k + 1, len(ship)):
                        counts[3][ship[i], ship[j], ship[k], ship[m]] += np.uint32(sums.last[z])
    _copy_to_all_orders(counts)
    return counts


@njit(cache=True)
def _add_four_in_order(three_and_last, four):  # type: ignore[no-untyped-def]
    """Count in `four` the configurations that cover four cells, at most one by the last ship.

    The count stands at the cells in ascending order. three_and_last -- [a, b, c, d]: those with
    a, b and c in ships before the last one, and d in the last one or, if d > c, in any ship.
    """
    n = len(four)
    for a in range(n):
        for b in range(a + 1, n):
            for c in range(b + 1, n):
                for d in range(c + 1, n):
                    four[a, b, c, d] = (
                        three_and_last[a, b, c, d]  # with d in P, too
                        + three_and_last[a, b, d, c]
                        + three_and_last[a, c, d, b]
                        + three_and_last[b, c, d, a]
                    )


@njit(cache=True)
def _add_one_in_last(x, z, others, sums, counts):  # type: ignore[no-untyped-def]
    """Add to `counts` the configurations with x in the last ship, and up to two cells in others.

    z, others -- the index of the last ship's placement, and the cells that this does not have.
    """
    one, two, three, _ = counts
    one[x] += sums.last[z]
    for j in range(len(others)):
        b = others[j]
        two[min(b, x), max(b, x)] += sums.one_last[b, z]
        for a in others[:j]:
            three[_ascending_three(a, b, x)] += sums.two_last[a, b, z]


@njit(cache=True)
def _add_two_in_last(x, y, z, others, sums, counts):  # type: ignore[no-untyped-def]
    """Add to `counts` configurations with x and y in the last ship, and up to two cells in others.

    z, others -- the index of the last ship's placement, and the cells that this does not have.
    """
    _, two, three, four = counts
    two[x, y] += sums.last[z]
    for j in range(len(others)):
        b = others[j]
        three[_ascending_three(b, x, y)] += sums.one_last[b, z]
        for a in others[:j]:
            four[_ascending_four(a, b, x, y)] += sums.two_last[a, b, z]


@njit(cache=True)
def _add_three_in_last(x, y, w, z, others, sums, counts):  # type: ignore[no-untyped-def]
    """Add to `counts` configurations with x, y and w in the last ship, and up to one in others.

    z, others -- the index of the last ship's placement, and the cells that this does not have.
    """
    _, _, three, four = counts
    three[x, y, w] += sums.last[z]
    for a in others:
        four[_ascending_four(a, x, y, w)] += sums.one_last[a, z]


@njit(cache=True)
def _ascending_three(a, b, c):  # type: ignore[no-untyped-def]
    cells = np.sort(np.array([a, b, c]))
    return cells[0], cells[1], cells[2]


@njit(cache=True)
def _ascending_four(a, b, c, d):  # type: ignore[no-untyped-def]
    cells = np.sort(np.array([a, b, c, d]))
    return cells[0], cells[1], cells[2], cells[3]


@njit(cache=True)
def _copy_to_all_orders(counts):  # type: ignore[no-untyped-def]
    """Copy the count of each set, which stands at its ascending cells, to all orders of them."""
    _, two, three, four = counts
    n = len(two)
    for a in range(n):
        for b in range(a + 1, n):
            two[b, a] = two[a, b]
            for c in range(b + 1, n):
                count = three[a, b, c]
                three[a, c, b] = three[b, a, c] = three[b, c, a] = count
                three[c, a, b] = three[c, b, a] = count
                for d in range(c + 1, n):
                    _copy_four((a, b, c, d), four)


@njit(cache=True)
def _copy_four(cells, four):  # type: ignore[no-untyped-def]
    """Copy the count of a set of four cells to all orders of these."""
    count = four[cells]
    for i, j, k, m in ORDERS:
        four[cells[i], cells[j], cells[k], cells[m]] = count
