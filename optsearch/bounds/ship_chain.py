"""The root chain with the longest ship: what is met before the first hit is not all finished.

The root chain (`optsearch.bounds.chain`) lets a strategy finish all configurations that its first j
cells meet. But of the n_p configurations with a placement p of the longest ship, a strategy that
knew p from the start would finish at most F_p(l) within l misses (`optsearch.bounds.reveal`). Where
these cells meet p itself they meet all n_p of them, and so

    A(l) = min over j = 0 … l + 1 of the most, over sets S of j cells of the board, of
           f(S) - sum over the p that S meets of cost(p)  +  C(l - j + h, h),

f(S) the configurations that S meets, h the cells of the fleet, and the last term 0 for j = l + 1;
for any costs from 0 to (n_p - F_p(l)) / m, with m ships of that length in the fleet. (F_p is
lowered here by the root chain of the ships beside p: with the best sets of a few cells that is less
than in the reveal game, which knows only bounds on what they meet.)

Proof. S is the first j cells of the strategy. What is finished and not met by S are sequences
behind j misses, as in the root chain. What is finished and met has m longest ships: it is 1/m times
the sum, over all p, of what is finished and met and has p. That is at most F_p(l) where S meets p,
and f_p(S), what it meets of those with p, elsewhere. With F_p(l) <= n_p - m cost(p), and
n_p = f_p(S) where S meets p, the sum is at most that of f_p(S) over all p, which is m f(S), less
m cost(p) for every p that S meets.

The search for the best S (`Coverage.most_kept`) takes it that what a cell v adds gets no more when
other cells come first. That is so for f. Where a cell w comes before v, and p holds both and no
cell P before them, v loses what is left to meet of p, (n_p - f_p(P)) / m, and need not pay cost(p)
again. So cost(p) must not be above the first. P are at most k - 2 of the k cells of S, all beside
p, and meet no more than `ShownShip.most_met` of k - 2. Where it would be above, cost(p) is lowered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import comb
from typing import NamedTuple

import numpy as np

from optsearch.bounds.coverage import Coverage
from optsearch.bounds.reveal import Revealed
from optsearch.configurations import to_words
from optsearch.game import Game, bits
from optsearch.position import HIT, MISS, Position, Shot
from optsearch.posterior import Posterior

EXACT = 4  # cells beside a ship of which the best are found; each more takes some ten times as long


class Finished(NamedTuple):
    """A(l), and the j that gives it; 0 where it is that of the root chain or the reveal game."""

    configurations: int
    cells: int


class ShownShip:
    """One placement of the longest ship, and what some cells beside it meet of those with it.

    game, ship -- the mask of the placement. exact -- for so many cells the best ones are found.
    completions -- how many configurations have the ship.
    """

    def __init__(self, game: Game, ship: int, exact: int = EXACT):
        self._game = game
        self._ship = ship
        self._exact = exact
        self._most: list[int] = [0]
        self.completions = Posterior(self._after([])).configurations

    def most_met(self, cells: int) -> int:
        """No more of the configurations with the ship are met by so many cells beside it.

        Beyond `exact` cells by Han's inequality: some of them meet at least their part of it.
        """
        if cells <= 0:
            return 0
        known = min(cells, self._exact)
        while len(self._most) <= known:
            self._most.append(self._largest(len(self._most)))
        return min(self.completions, self._most[known] * cells // known)

    def found(self, misses: int, by_reveal: int) -> int:
        """F(l), l = `misses`: by the reveal game, or by the root chain of the ships beside it.

        The chain is taken as far as it gains something, for two cells more than have best sets.
        """
        hits = self._game.fleet_cells - self._ship.bit_count()
        if not hits:
            return by_reveal
        chain = (
            self.most_met(j) + comb(misses - j + hits, hits)
            for j in range(min(misses, self._exact + 2) + 1)
        )
        return min(by_reveal, *chain)

    def _largest(self, size: int) -> int:
        """The most that so many cells meet, by branch and bound on what each adds."""
        best = 0
        if size > self._game.cells - self._game.fleet_cells:
            return self.completions  # there are not so many without a ship

        def extend(cells: list[int], met: int, order: list[tuple[int, int]]) -> None:
            nonlocal best
            left = size - len(cells)
            for i, (adds, cell) in enumerate(order):
                # What a cell adds to more cells is no more.
                if met + sum(more for more, _ in order[i : i + left]) <= best:
                    return
                if left == 1:
                    best = met + adds
                    return
                after = {other for _, other in order[i + 1 :]}
                extend([*cells, cell], met + adds, self._added([*cells, cell], after))

        extend([], 0, self._added([], set(range(self._game.cells))))
        return best

    def _added(self, missed: list[int], cells: set[int]) -> list[tuple[int, int]]:
        """What each of some cells meets that those missed do not: (how many, cell), falling."""
        posterior = Posterior(self._after(missed))
        occurrence = [0] * self._game.cells
        if posterior.configurations:
            occurrence = posterior.occurrence.ravel().tolist()
        beside = [cell for cell in cells if not self._ship >> cell & 1]
        return sorted(((occurrence[cell], cell) for cell in beside), reverse=True)

    def _after(self, missed: list[int]) -> Position:
        """The ship is hit, and these cells are water."""
        shots = [Shot(self._game.cell(cell), HIT) for cell in bits(self._ship)]
        shots += [Shot(self._game.cell(cell), MISS) for cell in missed]
        return Position(self._game, tuple(shots))


def ship_chain(
    coverage: Coverage,
    revealed: Iterable[Revealed],
    before: Sequence[int],
    exact: int = EXACT,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Finished]:
    """A(0), A(1), … where they are below those that are known before.

    revealed -- every class of placements of the longest ship. before -- A(0), A(1), … by the root
    chain and the reveal game, the lesser. exact -- of `ShownShip`. progress -- called after each l
    with those done and their number.
    """
    game, number = coverage.counts.game, coverage.counts.configurations
    hits, equal = game.fleet_cells, game.fleet.count(game.fleet[0])
    shown = [(seen, ShownShip(game, seen.ship, exact)) for seen in revealed]
    images = [sorted(set(game.images(seen.ship))) for seen, _ in shown]
    ships = to_words([ship for some in images for ship in some])
    gave_up = game.cells
    finished = []
    for misses, least in enumerate(before):
        best = Finished(min(least, number), 0)
        for j in range(1, misses + 2):
            sequences = comb(misses - j + hits, hits) if j <= misses else 0
            if j >= gave_up or sequences >= best.configurations:
                continue
            costs = [
                max(0, n - max(ship.found(misses, seen.found[misses]), ship.most_met(j - 2)))
                // equal
                for seen, ship in shown
                for n in [seen.completions]
            ]
            each = [cost for cost, some in zip(costs, images, strict=True) for _ in some]
            most = coverage.most_kept(j, best.configurations - sequences, ships, np.array(each))
            if most is None:
                gave_up = j
            elif most + sequences < best.configurations:
                best = Finished(most + sequences, j)
        finished.append(best)
        progress(misses + 1, len(before))
    return finished
