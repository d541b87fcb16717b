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

from optsearch.game import Game, bits, image

MOST = 100_000  # sets times cells, up to which t(p) is bounded for each p
SCALE = 1 << 20  # weights are multiples of 1/SCALE


def worst_case_misses(game: Game, sets: Sequence[int]) -> Iterator[int]:
    """Yield ever greater lower bounds on the misses of every strategy in its worst case.

    sets -- the sets of cells (masks) that can be hidden on the board of a game, distinct and of
    one size.
    """
    packing = _Packing(game, sets)
    proved = packing.weight_without()
    yield proved
    if len(sets) * game.cells > MOST:
        return
    orbits = _orbits(game, sets)
    bounds = dict.fromkeys(orbits, game.cells)
    while bounds:
        before = len(bounds)
        for last in list(bounds):
            if bounds[last] > proved:
                bounds[last] = packing.weight_without(last)
            if bounds[last] <= proved:
                packing.leave_out(orbits[last])
                del bounds[last]
        if bounds and len(bounds) == before:
            proved = min(bounds.values())
            yield proved


def _orbits(game: Game, sets: Sequence[int]) -> dict[int, list[int]]:
    """Group the sets by the symmetries that keep the board and all sets; keys are least masks."""
    images = [[image(mask, symmetry) for mask in sets] for symmetry in game.symmetries()]
    symmetric = [row for row in images if {*row} == {*sets}]
    orbits: dict[int, list[int]] = {}
    for mask, first in zip(sets, map(min, zip(*symmetric, strict=True)), strict=True):
        orbits.setdefault(first, []).append(mask)
    return orbits


class _Packing:
    """A linear programme for the greatest weight of a packing outside one of the sets."""

    def __init__(self, game: Game, sets: Sequence[int]):
        from optsearch.support.highs import Programme

        self._numbers = {mask: number for number, mask in enumerate(sets)}
        cells = game.cells
        self._has = np.array([[mask >> c & 1 for c in range(cells)] for mask in sets], np.int64)
        self._is_in = np.ones(len(self._has), bool)
        self._cover = Programme()  # least covers of the sets by cells; its prices are the weights
        none = np.array([], np.int32)
        self._cover.addCols(
            *(cells, np.ones(cells), np.zeros(cells), np.full(cells, inf)),
            *(0, none, none, np.array([], np.float64)),
        )
        for row in self._has:
            (places,) = row.nonzero()
            self._cover.addRow(1.0, inf, len(places), places.astype(np.int32), np.ones(len(places)))

    def leave_out(self, sets: list[int]) -> None:
        """Give these sets no weight from now on."""
        for number in map(self._numbers.__getitem__, sets):
            self._is_in[number] = False
            self._cover.changeRowBounds(number, -inf, inf)

    def weight_without(self, last: int = 0) -> int:
        """Bound t(last): the weight of a packing outside this set, rounded up.

        If no set is named (0), the heaviest set is left out, which bounds t of every set.
        """
        number, closed = self._numbers.get(last), list(bits(last))
        self._hold(number, closed, 0.0, -inf)
        self._cover.run()
        self._hold(number, closed, inf, 1.0)
        prices = np.maximum(0, self._cover.getSolution().row_dual)
        weights = (prices * SCALE).astype(np.int64) * self._is_in
        weights[weights.argmax() if number is None else number] = 0
        together = weights @ self._has
        together[closed] = 0
        return -(-int(weights.sum()) // max(1, int(together.max())))

    def _hold(self, number: int | None, cells: list[int], upper: float, lower: float) -> None:
        """Set how much of these cells a cover may use, and how much of a set it must cover."""
        for cell in cells:
            self._cover.changeColBounds(cell, 0.0, upper)
        if number is not None:
            self._cover.changeRowBounds(number, lower, inf)


def hidden_ship_sets(game: Game) -> Iterator[list[int]]:
    """Yield, for each kind of ship, its placements if all others stand where they first fit."""
    for ship in sorted(set(game.fleet), key=int):
        others = list(game.fleet)
        others.remove(ship)
        closed, fits = game.holes, True
        for other in others:
            free = (mask for mask in game.placements(other) if not mask & closed)
            first = next(free, 0)
            fits = fits and first != 0
            closed |= first | game.halo(first) if first else 0
        sets = [mask for mask in game.placements(ship) if not mask & closed]
        if fits and sets:
            yield sets
