"""Lower bounds of games that the first hit ends: what k cells can meet.

Until the first hit a strategy is a list of cells. If any k cells meet at most A(k) of N
configurations, at least N - A(k) take more than k shots, and the mean is at least the sum of
1 - A(k) / N over k = 0, 1, …
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate

from optsearch.counting.posterior import Posterior
from optsearch.counting.prior import Prior
from optsearch.game.position import Position
from optsearch.lower_bounds.coverage import CellSetCounts, Coverage


def mean_until_hit(most_met: Callable[[int], int], configurations: int) -> Fraction:
    """Return a lower bound on the mean number of shots until the first hit.

    most_met -- a function of k: the most configurations that have a ship on one of k cells, or an
    upper bound on it. It must reach `configurations` for some k.

    After k shots without a hit, at least configurations - most_met(k) configurations are not hit
    yet. Each of them takes one more shot, so the sum over k bounds the total of shots.
    """
    total = shots = 0
    while (not_hit := configurations - most_met(shots)) > 0:
        total += not_hit
        shots += 1
    return Fraction(total, configurations)


def mean_by_single_cells(position: Position, prior: Prior | None = None) -> Fraction:
    """Return a lower bound on the mean number of shots until the first hit, from single cells.

    The weight of a cell is the total weight of the configurations with a ship on it. Any k cells
    meet at most as much weight as the k heaviest cells have together. If the weights are not known
    exactly, the bound is one shot. If the position has its hit, it is 0.

    prior -- the weights of the configurations; without it each weighs 1.
    """
    if not position.hits_left:
        return Fraction(0)
    posterior = Posterior(position, prior=prior)
    posterior.require_some()
    if not posterior.is_exact:
        return Fraction(1)
    frequency, total_weight = posterior.frequency, posterior.weight
    cell_weights = (int(share * total_weight) for row in frequency for share in row)
    heaviest_first = sorted(cell_weights, reverse=True)
    weight_of_heaviest = [0, *accumulate(heaviest_first)]  # entry k: of the k heaviest cells
    return mean_until_hit(lambda k: min(weight_of_heaviest[k], total_weight), total_weight)


def mean_by_sets(position: Position, nodes: int) -> Fraction:
    """Return a lower bound on the mean number of shots until the first hit, from sets of cells.

    The bound follows from the most configurations that have a ship on one of k cells, for each k.

    The position must be the start of a game. nodes -- the search for the best k cells gives up
    after this number of sets of cells; a weaker bound is used then. Raises TooLarge for 2^32
    configurations or more.
    """
    counts = CellSetCounts.of(position.game.with_announcement("nothing"))
    return mean_until_hit(Coverage(counts, nodes).most_met, counts.configurations)
