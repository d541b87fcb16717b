"""The least worst case of a family is at least this: covers of all its sets but the last.

**The last set.** Let F be distinct sets of one size, or some of those that can be hidden, and for
a set p of F let t(p) be the fewest cells outside p that meet every other set of F. Then every
strategy has at least

    min over p in F of t(p)

misses for one of the sets. *Proof.* Answer a shot by a miss as long as a set of F is left that no
miss meets. Where every set that is left has the cell, answer by a hit, which tells them not apart.
In the end one set p is left. The misses up to then lie outside p and meet all others, so they are
t(p) at least, and the player makes all of them where p is hidden. ∎

**Fewer sets.** Any part of F gives a bound. A set p with t(p) below a number that is to be proved
is left out, which lowers t of the others or leaves it; what remains in the end, if anything, proves
the number, and no other part of F proves more.

**Packings.** Let every set q of F other than p have a weight, such that no cell outside p lies in
sets of more weight than 1 together. Then t(p) is at least the weight of all of them. The simplex
method finds the weights; they are rounded to integers, and what they prove is computed from these.

Where sinkings are announced, all that is left must also be told the same by each hit. There, and
where configurations are too many, one ship is hidden and the others are told, which only helps; the
sinking of the one comes after its last hit then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf

import numpy as np

from optsearch.game import Game, bits, image

MOST = 100_000  # sets times cells, up to which each set is taken for the last one
SCALE = 1 << 20  # weights are multiples of its inverse


def worst_case_misses(game: Game, sets: Sequence[int]) -> Iterator[int]:
    """The misses of every strategy in its worst case, at least; ever greater bounds.

    sets -- what can be hidden on the board of a game: distinct sets of one size.
    """
    packing = _Packing(game, sets)
    proved = packing.weight_without()
    yield proved
    if len(sets) * game.cells > MOST:
        return
    orbits = _orbits(game, sets)
    least = dict.fromkeys(orbits, game.cells)
    while least:
        before = len(least)
        for last in list(least):
            if least[last] > proved:
                least[last] = packing.weight_without(last)
            if least[last] <= proved:
                packing.leave_out(orbits[last])
                del least[last]
        if least and len(least) == before:
            proved = min(least.values())
            yield proved


def _orbits(game: Game, sets: Sequence[int]) -> dict[int, list[int]]:
    """The sets by the first of those that symmetries of the board and of all sets take them to."""
    images = [[image(one, symmetry) for one in sets] for symmetry in game.symmetries()]
    kept = [row for row in images if {*row} == {*sets}]
    orbits: dict[int, list[int]] = {}
    for one, first in zip(sets, map(min, zip(*kept, strict=True)), strict=True):
        orbits.setdefault(first, []).append(one)
    return orbits


class _Packing:
    """The greatest weight of a packing of some sets, outside one of them."""

    def __init__(self, game: Game, sets: Sequence[int]):
        from optsearch.support.highs import Programme

        self._numbers = {one: number for number, one in enumerate(sets)}
        cells = game.cells
        self._has = np.array([[one >> c & 1 for c in range(cells)] for one in sets], np.int64)
        self._is_in = np.ones(len(self._has), bool)
        self._cover = Programme()  # its prices are the weights
        none = np.array([], np.int32)
        self._cover.addCols(
            *(cells, np.ones(cells), np.zeros(cells), np.full(cells, inf)),
            *(0, none, none, np.array([], np.float64)),
        )
        for row in self._has:
            (places,) = row.nonzero()
            self._cover.addRow(1.0, inf, len(places), places.astype(np.int32), np.ones(len(places)))

    def leave_out(self, sets: list[int]) -> None:
        """Have no weight on some sets from now on."""
        for number in map(self._numbers.__getitem__, sets):
            self._is_in[number] = False
            self._cover.changeRowBounds(number, -inf, inf)

    def weight_without(self, last: int = 0) -> int:
        """The weight outside a set, rounded up: so many cells there meet all other sets.

        If none is named, that of all sets but the heaviest, which is no more for any.
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

    def _hold(self, number: int | None, cells: list[int], most: float, least: float) -> None:
        """How much of some cells a cover has at most, and how much of a set it has at least."""
        for cell in cells:
            self._cover.changeColBounds(cell, 0.0, most)
        if number is not None:
            self._cover.changeRowBounds(number, least, inf)


def hidden_ship_sets(game: Game) -> Iterator[list[int]]:
    """The placements of each ship beside the others, each of which lies where it first can."""
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
