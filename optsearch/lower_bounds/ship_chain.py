"""The root chain with costs of ships: what is met before the first hit is not all finished.

The root chain (`lower_bounds.chain`) lets a strategy finish all configurations that its first j
cells meet. Each bound here takes from that a cost for every placement p that they meet:

    A(l) = min over j = 0 … l + 1 of the most, over sets S of j cells of the board, of
           f(S) - sum over the p that S meets of cost(p)  +  C(l - j + h, h),

f(S) the configurations that S meets, h the cells of the fleet, and the last term 0 for j = l + 1.
n_p are the configurations with p, f_p(E) those of them with another ship on a cell of E, and
Cov_p(i) bounds the f_p of i cells (`optsearch.lower_bounds.beside`).

**Costs of the longest ship.** Of the n_p configurations a strategy that knew p from the start would
finish at most F_p(l) within l misses (`lower_bounds.reveal`; F_p is lowered here by the root
chain of the ships beside p). With m ships of the greatest length,

    0 <= cost(p) <= (n_p - F_p(l)) / m    for the placements p of the longest ship.

Proof. S is the first j cells of the strategy. What is finished and not met by S are sequences
behind j misses, as in the root chain. What is finished and met has m longest ships: it is 1/m times
the sum, over all p, of what is finished and met and has p. That is at most F_p(l) where S meets p,
and f_p(S), what it meets of those with p, elsewhere. With F_p(l) <= n_p - m cost(p), and
n_p = f_p(S) where S meets p, the sum is at most that of f_p(S) over all p, which is m f(S), less
m cost(p) for every p that S meets.

**Costs of every ship.** For the placements p of all lengths, with k_p = h - |p| cells beside p, not
0, and any J_p >= j - 1, and C(l - J_p + k_p, k_p) = 0 for J_p > l,

    0 <= cost(p) <= n_p - Cov_p(J_p) - C(l - J_p + k_p, k_p).

Proof. S = {c_0, …, c_(j-1)} is the first j cells. Let S meet p first at c_t, so t <= j - 1 <= J_p.
Follow the strategy with the replies of a board on which p alone stands, until J_p misses are made;
the game does not end before, since k_p > 0. Let E_p be the cells missed: they contain c_0 to
c_(t-1). Let B_p be the configurations with p whose other ships have no cell in E_p. All of them
follow this path, since every shot on it is at a cell of p or of E_p, and there are
n_p - f_p(E_p) >= n_p - Cov_p(J_p) of them. (Where J_p misses cannot be made, all that have p are
met by cells missed: nothing is paid.) Behind these J_p misses two of them part at a cell beside p,
a hit for one and a miss for the other. So they differ in the replies without those on p, up to the
last of the k_p hits, even where the game ends on p: at most C(l - J_p + k_p, k_p) of them are
finished within l misses, and at least cost(p) are not. All of B_p is met by S. And no configuration
x is in B_p and in B_q, p met first by S, at c_t: then E_q contains c_t, which is a cell of p, a
ship of x other than q. So the unfinished of all B_p add up, and are not among what is finished of
f(S).

**The board.** Nothing is needed but that configurations differ in their cells, which they do where
ships are pieces that do not touch along sides (`optsearch.lower_bounds.reveal`).

**The search** for the best S (`Coverage.most_kept`) takes it that what a cell v adds gets no more
when other cells come first. That is so for f. Where a cell w comes before v, and a placement p
holds both and no cell P before them, v need not pay cost(p) again, but adds less: the
configurations with p that P does not meet, at least n_p - f_p(P) of them, which w has met. For
different p these are different ones, since two cells of a configuration are on one ship at most
once; m longest ships count them 1/m each. So cost(p) must not be above n_p - f_p(P), or 1/m of it.
P are at most j - 2 of the j cells, all beside p. For the longest ship the cost is lowered to that;
for every ship J_p >= j - 1 sees to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import comb
from typing import NamedTuple

import numpy as np

from optsearch.counting.configurations import to_words
from optsearch.game import Game
from optsearch.lower_bounds.beside import Beside
from optsearch.lower_bounds.coverage import Coverage
from optsearch.lower_bounds.reveal import Revealed

Progress = Callable[[int, int], None]


class Finished(NamedTuple):
    """A(l), and the j that gives it; 0 where it is that of other bounds."""

    configurations: int
    cells: int


def found_beside(game: Game, beside: Beside, misses: int, by_reveal: int) -> int:
    """F_p(l), l = `misses`: by the reveal game, or by the root chain of the ships beside p."""
    hits = game.fleet_cells - beside.ship.bit_count()
    if not hits:
        return by_reveal
    chain = (beside.most_met(j) + _words(misses - j, hits) for j in range(misses + 1))
    return min(by_reveal, *chain)


def longest_ship_chain(
    coverage: Coverage,
    revealed: Iterable[Revealed],
    known: Iterable[Beside],
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

    def cost(one: Beside, misses: int, j: int) -> int:
        finished = found_beside(game, one, misses, found[one.ship][misses])
        return (one.completions - max(finished, one.most_met(j - 2))) // equal

    return _chain(coverage, longest, cost, before, progress)


def every_ship_chain(
    coverage: Coverage,
    known: Sequence[Beside],
    before: Sequence[int],
    progress: Progress = lambda done, total: None,
) -> list[Finished]:
    """A(0), A(1), … with costs of every ship, where they are below those known before.

    known -- classes of placements of any lengths; those that are not there cost nothing. before,
    progress -- as in `longest_ship_chain`.
    """
    game = coverage.counts.game

    def cost(one: Beside, misses: int, j: int) -> int:
        hits = game.fleet_cells - one.ship.bit_count()
        if not hits:
            return 0  # the game is over when p is hit
        return max(
            one.completions - one.most_met(i) - _words(misses - i, hits)
            for i in range(max(0, j - 1), misses + 2)
        )

    return _chain(coverage, known, cost, before, progress)


def _words(misses: int, hits: int) -> int:
    """The sequences of so many hits and at most so many misses that end in a hit."""
    return comb(misses + hits, hits) if misses >= 0 else 0


def _chain(
    coverage: Coverage,
    known: Sequence[Beside],
    cost: Callable[[Beside, int, int], int],
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
