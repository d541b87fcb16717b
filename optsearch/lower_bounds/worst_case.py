"""A lower bound on the misses of every strategy in its worst case, by covers of all sets but one.

**The last set.** Let F be distinct sets of one size that can be hidden. For a set p of F let t(p)
be the fewest cells outside p that meet every other set of F. Then every strategy has at least

    min over p in F of t(p)

misses for one of the sets. *Proof.* Answer a shot by a miss as long as this leaves a set of F that
no miss meets. If all sets left have the cell, answer by a hit, which does not tell them apart. In
the end one set p is left. The misses so far lie outside p and meet all other sets, so there are at
least t(p), and the player makes all of them if p is hidden. ∎

**Fewer sets.** Any subset of F gives a bound. To prove a number, leave out each set p with t(p)
below it. That may lower t of the others, so repeat. If any sets remain, they prove the number; if
none does, no subset of F proves it.

**Packings.** Give every set q of F other than p a weight, such that the sets with any one cell
outside p weigh at most 1 together. Then t(p) is at least the weight of all of them. The simplex
method finds weights. They are rounded to integers, and the bound is computed from the integers.

If sinkings are announced, hits tell the sets apart, and the proof does not hold for whole
configurations. There, and if there are too many configurations, one ship is hidden and the others
are revealed, which only helps the player; the sinking of that ship comes with its last hit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf

import numpy as np
from numpy.typing import NDArray

from optsearch.game import Game, bits, image

MOST_ENTRIES = 100_000  # sets times cells, up to which each set gets its own bound
SCALE = 1 << 20  # weights are multiples of 1/SCALE


def worst_case_misses(game: Game, sets: Sequence[int]) -> Iterator[int]:
    """Yield ever greater lower bounds on the misses of every strategy in its worst case.

    sets -- distinct sets of cells (masks) of one size, one of which is hidden on the board.

    The replies can be misses until one set p is left. Then the cells that were missed meet every
    other set. The first bound holds for each p. If there are at most MOST_ENTRIES sets times cells,
    each p then gets its own bound. A set p whose bound is no better than the one already proved is
    left out. This is repeated until the other sets prove a greater bound.
    """
    packing = _Packing(game, sets)
    proved = packing.bound_all()
    yield proved
    if len(sets) * game.cells > MOST_ENTRIES:
        return
    orbits = _group_by_symmetry(game, sets)
    bounds = dict.fromkeys(orbits, game.cells)  # of the misses if the last set is in an orbit
    while bounds:
        orbits_before = len(bounds)
        for last_set in list(bounds):
            if bounds[last_set] > proved:
                bounds[last_set] = packing.bound_without(last_set)
            if bounds[last_set] <= proved:
                packing.leave_out(orbits[last_set])
                del bounds[last_set]
        if bounds and len(bounds) == orbits_before:
            proved = min(bounds.values())
            yield proved


def _group_by_symmetry(game: Game, sets: Sequence[int]) -> dict[int, list[int]]:
    """Return groups of symmetric sets of cells: the list of each group, by its least mask.

    Only those symmetries of the board count that map all given sets to given sets.
    """
    images = [[image(mask, symmetry) for mask in sets] for symmetry in game.symmetries()]
    symmetric = [masks for masks in images if {*masks} == {*sets}]
    least_images = map(min, zip(*symmetric, strict=True))  # of each set
    groups: dict[int, list[int]] = {}
    for mask, least_image in zip(sets, least_images, strict=True):
        groups.setdefault(least_image, []).append(mask)
    return groups


class _Packing:
    """A linear programme that bounds from below how many cells meet all sets but one.

    A packing gives each set a weight, so that the sets with any one cell weigh 1 or less together.
    As many cells as all sets weigh are needed to meet them. The programme minimizes the cells of a
    cover; the prices of its rows, one row per set, are the weights of a best packing.
    """

    def __init__(self, game: Game, sets: Sequence[int]):
        from optsearch.support.highs import Programme

        self._index_of = {mask: index for index, mask in enumerate(sets)}
        cells = game.cells
        self._has_cell = np.array(
            [[mask >> cell & 1 for cell in range(cells)] for mask in sets], np.int64
        )
        self._is_kept = np.ones(len(self._has_cell), bool)
        self._cover = Programme()
        costs, lower, upper = np.ones(cells), np.zeros(cells), np.full(cells, inf)
        no_indices, no_values = np.array([], np.int32), np.array([], np.float64)
        # Columns without entries: the rows bring these.
        self._cover.addCols(cells, costs, lower, upper, 0, no_indices, no_indices, no_values)
        for row in self._has_cell:
            (columns,) = row.nonzero()
            entries = len(columns), columns.astype(np.int32), np.ones(len(columns))
            self._cover.addRow(1.0, inf, *entries)

    def leave_out(self, sets: list[int]) -> None:
        """Give these sets (masks of cells) no weight from now on."""
        for mask in sets:
            index = self._index_of[mask]
            self._is_kept[index] = False
            self._cover.changeRowBounds(index, -inf, inf)

    def bound_all(self) -> int:
        """Return a lower bound on the cells needed to meet all sets but one, whichever that is."""
        weights = self._solve_weights()
        weights[weights.argmax()] = 0  # without any other set, at least this weight is left
        return _round_up_weight(weights, weights @ self._has_cell)

    def bound_without(self, last_set: int) -> int:
        """Return a lower bound on the cells outside one set that are needed to meet all other sets.

        last_set -- the one set, as a mask. Cells meet a set if it has one of them.
        """
        index, cells = self._index_of[last_set], list(bits(last_set))
        self._limit(index, cells, most_use=0.0, least_cover=-inf)
        weights = self._solve_weights()
        self._limit(index, cells, most_use=inf, least_cover=1.0)
        weights[index] = 0
        weight_on_cell = weights @ self._has_cell
        weight_on_cell[cells] = 0  # these cells are not shot
        return _round_up_weight(weights, weight_on_cell)

    def _solve_weights(self) -> NDArray[np.int64]:
        """Return the weight of each set in a best packing, in units of 1/SCALE, rounded down."""
        self._cover.run()
        prices = np.maximum(0, self._cover.getSolution().row_dual)
        return np.asarray((prices * SCALE).astype(np.int64) * self._is_kept)

    def _limit(self, index: int, cells: list[int], *, most_use: float, least_cover: float) -> None:
        """Set the most that a cover may use each cell, and the least that covers the set."""
        for cell in cells:
            self._cover.changeColBounds(cell, 0.0, most_use)
        self._cover.changeRowBounds(index, least_cover, inf)


def _round_up_weight(weights: NDArray[np.int64], weight_on_cell: NDArray[np.int64]) -> int:
    """Return the total weight of the packing that these weights scale to, rounded up.

    In a packing the sets with one cell weigh 1 or less, so the most on a cell is the divisor.
    """
    return -(-int(weights.sum()) // max(1, int(weight_on_cell.max())))


def hidden_ship_sets(game: Game) -> Iterator[list[int]]:
    """Yield the placements (masks) of one hidden ship, for each kind of ship in the fleet.

    All other ships stand where they first fit, in the order of the fleet. A kind is left out if
    one of the others then does not fit, or if no placement is free.
    """
    for kind in sorted(set(game.fleet), key=int):
        others = list(game.fleet)
        others.remove(kind)
        closed = _close_cells(game, others)
        if closed is None:
            continue
        free = [mask for mask in game.placements(kind) if not mask & closed]
        if free:
            yield free


def _close_cells(game: Game, kinds: Sequence[int]) -> int | None:
    """Place ships where they first fit; return the cells that no other ship can have, as a mask.

    Returns None if one of the ships does not fit.
    """
    closed = game.holes
    for kind in kinds:
        free = (mask for mask in game.placements(kind) if not mask & closed)
        ship = next(free, None)
        if ship is None:
            return None
        closed |= ship | game.halo(ship)
    return closed
