"""The exact mean number of shots at random: an upper bound for any game, without a search.

Suppose that k of n cells hold ships, and that all n cells are shot in random order. Take one of the
n - k other cells. It is shot before the last of the k with probability k / (k + 1), because each of
these k + 1 cells is the last of them equally often. So k (n - k) / (k + 1) misses come before the
last hit on average, for every configuration. Some order takes no more than the mean. ∎

The proof needs only the number of cells, not the board.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import floor

from optsearch.counting.family import Family
from optsearch.counting.posterior import Posterior
from optsearch.game.position import Position


def misses_by_chance(hits: int, cells: int) -> Fraction:
    """Return the mean number of misses before the last hit, if `hits` of `cells` hold ships."""
    return Fraction(hits * (cells - hits), hits + 1)


def misses_before_hit(hits: int, cells: int) -> Fraction:
    """Return the mean number of misses before the first hit, if `hits` of `cells` hold ships."""
    return Fraction(cells - hits, hits + 1)


def shots_by_chance(position: Position) -> Fraction:
    """Return the mean number of shots at random from a position on; no prior changes it.

    Certain hits are shot first, then the undecided cells at random, until the game is over.
    Raises ImpossiblePosition if no configuration is left.
    """
    posterior = Posterior(position)
    posterior.require_some()
    number, closed = posterior.configurations, position.closed
    through = [
        n for i, n in enumerate(posterior.occurrence.ravel().tolist()) if not closed >> i & 1
    ]
    certain = sum(n == number for n in through)
    open_cells = sum(0 < n < number for n in through)
    left = position.hits_left
    if position.game.ends_at_hit and left:
        is_certain = certain or not open_cells
        hits = open_cells if is_certain else position.game.fleet_cells
        return 1 + misses_before_hit(hits, open_cells)
    return left + misses_by_chance(left - certain, open_cells)


def total_misses_by_chance(family: Family) -> int:
    """Bound the weighted total of misses of the best order of the undecided cells from above.

    It is the mean over all orders, rounded down. A set with fewer cells than the largest may lie
    inside a larger one, and only a miss tells them apart: it is charged for every other cell.
    """
    certain, cells = family.certain, family.undecided.bit_count()
    weights: Counter[int] = Counter()
    for mask, weight in zip(family.sets, family.weights, strict=True):
        weights[(mask & ~certain).bit_count()] += weight
    largest = max(weights)
    misses = (
        weight * (misses_by_chance(size, cells) if size == largest else cells - size)
        for size, weight in weights.items()
    )
    return floor(sum(misses, Fraction(0)))
