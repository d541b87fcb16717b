"""The root chain with the longest ship: not all that is met before the first hit is finished.

The root chain (`lower_bounds.chain`) lets a strategy finish all configurations that its first j
cells meet. This bound subtracts a cost for each placement p of the longest ship that they meet:

    A(l) = min over j = 0 … l + 1 of the most, over sets S of j cells of the board, of
           f(S) - sum over the p that S meets of cost(p)  +  C(l - j + h, h),

Here f(S) is the number of configurations that S meets, h the number of cells of the fleet, and the
last term is 0 for j = l + 1. n_p is the number of configurations with p, f_p(E) the number of these
with another ship on a cell of E, and Cov_p(i) bounds f_p(E) over all E of i cells
(`lower_bounds.conditional_coverage`).

A strategy that knew p from the start would finish at most F_p(l) of the n_p configurations within l
misses (`lower_bounds.reveal`; here F_p is lowered by the root chain of the ships beside p). With m
ships of the greatest length,

    0 <= cost(p) <= (n_p - F_p(l)) / m    for the placements p of the longest ship.

Proof. S is the set of the first j cells of the strategy. A configuration that is finished and not
met by S has a sequence of replies behind j misses; these are counted as in the root chain. A
configuration that is finished and met has m longest ships. So the number of these is 1/m times the
sum, over all p, of the configurations that are finished, met and have p. Where S meets p, that is
at most F_p(l) <= n_p - m cost(p). Elsewhere it is at most f_p(S), the configurations with p that S
meets. Write f_p(S) = n_p where S meets p. Then the sum is at most the sum of f_p(S) over all p,
which is m f(S), minus m cost(p) for every p that S meets. ∎

**The board.** The proof needs only that configurations differ in their cells. They do if ships do
not touch along sides (`lower_bounds.reveal`).

**The search** for the best S (`Coverage.most_kept`) assumes that a cell v adds no more if other
cells come before it. That is so for f. For the costs, let a cell w come before v, let P be the
cells before both, and let p be a placement with v and w and no cell of P. Then v need not pay
cost(p), since w has paid it. But v also adds less: w has met the configurations with p that P does
not meet, and these are at least n_p - f_p(P). For different p they are different configurations,
since one configuration has v and w on at most one common ship; m longest ships count them 1/m each.
So the assumption holds if cost(p) is at most 1/m of n_p - f_p(P). P are at most j - 2 of the j
cells, all beside p, and the cost is lowered accordingly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from optsearch.counting.configurations import to_words
from optsearch.game import Game
from optsearch.lower_bounds.chain import count_sequences
from optsearch.lower_bounds.conditional_coverage import ConditionalCoverage
from optsearch.lower_bounds.coverage import Coverage
from optsearch.lower_bounds.reveal import Revealed

Progress = Callable[[int, int], None]


class Finished(NamedTuple):
    """The most configurations that a strategy finishes with at most some number of misses.

    cells -- the length of the chain that gives this bound; 0 if it comes from another bound.
    """

    configurations: int
    cells: int


def finished_with_ship(
    game: Game, coverage: ConditionalCoverage, misses: int, by_reveal: int
) -> int:
    """Bound how many configurations with one given placement are finished within `misses` misses.

    The strategy knows this placement from the start. The bound is the least of `by_reveal`, a bound
    that is known, and one for each length of a chain: the cells shot before another ship is hit.

    coverage -- of the placement: how many of its configurations some k cells can meet.
    """
    hits_left = game.fleet_cells - coverage.ship.bit_count()
    if not hits_left:
        return by_reveal
    by_chains = (
        coverage.most_met(length) + count_sequences(misses - length, hits_left)
        for length in range(misses + 1)
    )
    return min(by_reveal, *by_chains)


def longest_ship_chain(
    coverage: Coverage,
    revealed: Iterable[Revealed],
    coverages: Iterable[ConditionalCoverage],
    known_bounds: Sequence[int],
    progress: Progress = lambda done, total: None,
) -> list[Finished]:
    """Bound how many configurations any strategy finishes with at most 0, 1, 2, … misses.

    A chain is the cells that a strategy shoots as long as all shots miss. The bound is what the
    best chain meets, minus a cost for each placement of the longest ship that it meets, plus the
    most that are finished after it: the least over the lengths of the chain. A cost stands for
    configurations with the placement that need more misses.

    revealed, coverages -- at least one for each kind of placement of the longest ship; those of
    other ships are ignored. known_bounds -- upper bounds that are known, by number of misses; no
    value of the result is above them. progress -- called with how many numbers of misses are done
    and how many there are.
    """
    game = coverage.counts.game
    finished_by_ship = {each.ship: each.finished for each in revealed}
    coverages_of_longest = [each for each in coverages if each.ship in finished_by_ship]
    longest_ships = game.fleet.count(game.fleet[0])

    def cost(conditional: ConditionalCoverage, misses: int, length: int) -> int:
        by_reveal = finished_by_ship[conditional.ship][misses]
        finished = finished_with_ship(game, conditional, misses, by_reveal)
        # The search needs costs of no more than what all but two cells of the chain leave.
        met_by_others = conditional.most_met(length - 2)
        return (conditional.completions - max(finished, met_by_others)) // longest_ships

    return _chain_with_costs(coverage, coverages_of_longest, cost, known_bounds, progress)


def _chain_with_costs(
    coverage: Coverage,
    coverages: Sequence[ConditionalCoverage],
    cost: Callable[[ConditionalCoverage, int, int], int],
    known_bounds: Sequence[int],
    progress: Progress,
) -> list[Finished]:
    """Bound how many configurations any strategy finishes with at most 0, 1, 2, … misses.

    A chain is the cells that a strategy shoots as long as all shots miss. The bound is what the
    best chain meets, minus the costs of the placements that it meets, plus the most that are
    finished after it: the least over the lengths of the chain.

    coverages -- one for each class of symmetric placements that may cost something. cost -- called
    with a coverage, a number of misses and the length of a chain; a negative cost counts as 0.
    known_bounds -- upper bounds that are known, by number of misses.
    """
    game, configurations = coverage.counts.game, coverage.counts.configurations
    images = [sorted(set(game.images(each.ship))) for each in coverages]
    longest_search = game.cells - 1  # the search of a longer chain gives up
    finished = []
    for misses, bound in enumerate(known_bounds):
        best = Finished(min(bound, configurations), 0)
        for length in range(1, misses + 2):
            finished_after = count_sequences(misses - length, game.fleet_cells)
            if length > longest_search or finished_after >= best.configurations:
                continue
            cost_by_ship: dict[int, int] = {}
            for each, ships in zip(coverages, images, strict=True):
                if (cost_of_class := cost(each, misses, length)) > 0:
                    cost_by_ship |= dict.fromkeys(ships, cost_of_class)
            most_kept = coverage.most_kept(
                k=length,
                limit=best.configurations - finished_after,
                ships=to_words(list(cost_by_ship)),
                costs=np.array(list(cost_by_ship.values()), np.int64),
            )
            if most_kept is None:
                longest_search = length - 1
            elif most_kept + finished_after < best.configurations:
                best = Finished(most_kept + finished_after, length)
        finished.append(best)
        progress(misses + 1, len(known_bounds))
    return finished
