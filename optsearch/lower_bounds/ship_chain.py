"""The root chain with the longest ship: what is met before the first hit is not all finished.

The root chain (`lower_bounds.chain`) lets a strategy finish all configurations that its first j
cells meet. This bound takes from that a cost for every placement p of the longest ship that they
meet:

    A(l) = min over j = 0 … l + 1 of the most, over sets S of j cells of the board, of
           f(S) - sum over the p that S meets of cost(p)  +  C(l - j + h, h),

f(S) the configurations that S meets, h the cells of the fleet, and the last term 0 for j = l + 1.
n_p are the configurations with p, f_p(E) those of them with another ship on a cell of E, and
Cov_p(i) bounds the f_p of i cells (`optsearch.lower_bounds.conditional_coverage`).

Of the n_p configurations a strategy that knew p from the start would finish at most F_p(l) within l
misses (`lower_bounds.reveal`; F_p is lowered here by the root chain of the ships beside p).
With m ships of the greatest length,

    0 <= cost(p) <= (n_p - F_p(l)) / m    for the placements p of the longest ship.

Proof. S is the first j cells of the strategy. What is finished and not met by S are sequences
behind j misses, as in the root chain. What is finished and met has m longest ships: it is 1/m times
the sum, over all p, of what is finished and met and has p. That is at most F_p(l) where S meets p,
and f_p(S), what it meets of those with p, elsewhere. With F_p(l) <= n_p - m cost(p), and
n_p = f_p(S) where S meets p, the sum is at most that of f_p(S) over all p, which is m f(S), less
m cost(p) for every p that S meets.

**The board.** Nothing is needed but that configurations differ in their cells, which they do where
ships are pieces that do not touch along sides (`optsearch.lower_bounds.reveal`).

**The search** for the best S (`Coverage.most_kept`) takes it that what a cell v adds gets no more
when other cells come first. That is so for f. Where a cell w comes before v, and a placement p
holds both and no cell P before them, v need not pay cost(p) again, but adds less: the
configurations with p that P does not meet, at least n_p - f_p(P) of them, which w has met. For
different p these are different ones, since two cells of a configuration are on one ship at most
once; m longest ships count them 1/m each. So cost(p) must not be above 1/m of n_p - f_p(P). P are
at most j - 2 of the j cells, all beside p: the cost is lowered to that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import comb
from typing import NamedTuple

import numpy as np

from optsearch.counting.configurations import to_words
from optsearch.game import Game
from optsearch.lower_bounds.conditional_coverage import ConditionalCoverage
from optsearch.lower_bounds.coverage import Coverage
from optsearch.lower_bounds.reveal import Revealed

Progress = Callable[[int, int], None]


class Finished(NamedTuple):
    """A(l), and the j that gives it; 0 where it is that of other bounds."""

    configurations: int
    cells: int


def found_beside(game: Game, beside: ConditionalCoverage, misses: int, by_reveal: int) -> int:
    """F_p(l), l = `misses`: by the reveal game, or by the root chain of the ships beside p."""
    hits = game.fleet_cells - beside.ship.bit_count()
    if not hits:
        return by_reveal
    chain = (beside.most_met(j) + _words(misses - j, hits) for j in range(misses + 1))
    return min(by_reveal, *chain)


def longest_ship_chain(
    coverage: Coverage,
    revealed: Iterable[Revealed],
    known: Iterable[ConditionalCoverage],
    before: Sequence[int],
    progress: Progress = lambda done, total: None,
) -> list[Finished]:
    """A(0), A(1), … with costs of the longest ship, where they are below those known before.

    revealed, known -- at least every class of placements of the longest ship; others are left out.
    before -- A(0), A(1), … by the root chain and the reveal game, the lesser. progress -- called
    after each l with those done and their number.
    """
    game = coverage.counts.game
    found = {seen.ship: seen.found for seen in revealed}
    longest = [one for one in known if one.ship in found]
    equal = game.fleet.count(game.fleet[0])

    def cost(one: ConditionalCoverage, misses: int, j: int) -> int:
        finished = found_beside(game, one, misses, found[one.ship][misses])
        return (one.completions - max(finished, one.most_met(j - 2))) // equal

    return _chain(coverage, longest, cost, before, progress)


def _words(misses: int, hits: int) -> int:
    """The sequences of so many hits and at most so many misses that end in a hit."""
    return comb(misses + hits, hits) if misses >= 0 else 0


def _chain(
    coverage: Coverage,
    known: Sequence[ConditionalCoverage],
    cost: Callable[[ConditionalCoverage, int, int], int],
    before: Sequence[int],
    progress: Progress,
) -> list[Finished]:
    """A(0), A(1), … with the costs of these classes at l misses and j cells, none below 0."""
    game, number = coverage.counts.game, coverage.counts.configurations
    hits = game.fleet_cells
    images = [sorted(set(game.images(one.ship))) for one in known]
    gave_up = game.cells
    finished = []
    for misses, least in enumerate(before):
        best = Finished(min(least, number), 0)
        for j in range(1, misses + 2):
            words = _words(misses - j, hits)
            if j >= gave_up or words >= best.configurations:
                continue
            costs = [max(0, cost(one, misses, j)) for one in known]
            paid = [
                (ship, each)
                for each, some in zip(costs, images, strict=True)
                for ship in some
                if each
            ]
            ships = to_words([ship for ship, _ in paid])
            each = np.array([one for _, one in paid], np.int64)
            most = coverage.most_kept(j, best.configurations - words, ships, each)
            if most is None:
                gave_up = j
            elif most + words < best.configurations:
                best = Finished(most + words, j)
        finished.append(best)
        progress(misses + 1, len(before))
    return finished
