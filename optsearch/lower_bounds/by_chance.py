"""What shooting at random takes, exactly: an upper bound without a search, for any game.

Let k of n cells be to be hit, and the n be shot in random order. Each of the n - k others comes
before the last of the k with probability k / (k + 1): of these k + 1 cells each is last equally
often, and it is not the one that is. So k (n - k) / (k + 1) misses come before the last hit on
average, and that is the same for every configuration. Some order takes no more. ∎

Of the board the proof needs how many cells it has.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import floor

from optsearch.counting.family import Family
from optsearch.counting.posterior import Posterior
from optsearch.game.position import Position


def misses_by_chance(hits: int, cells: int) -> Fraction:
    """The mean number of misses before the last of so many hits among so many cells."""
    return Fraction(hits * (cells - hits), hits + 1)


def shots_by_chance(position: Position) -> Fraction:
    """The mean number of shots at random from a position on, the same by any prior.

    Only cells that may have a ship and may have none are shot at random; certain hits come first.
    Raises as `Posterior.require_some`.
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
    return left + misses_by_chance(left - certain, open_cells)


def total_by_chance(family: Family) -> int:
    """The total of misses of some order of the undecided cells, at most; each set as it weighs.

    The mean over all orders, rounded down. Sets with fewer cells than others may lie inside one of
    these, and are told from it by a miss only: they pay for every cell that they have not.
    """
    certain, cells = family.certain, family.undecided.bit_count()
    weights: Counter[int] = Counter()
    for mask, weight in zip(family.sets, family.weights, strict=True):
        weights[(mask & ~certain).bit_count()] += weight
    most = max(weights)
    misses = (
        weight * (misses_by_chance(size, cells) if size == most else cells - size)
        for size, weight in weights.items()
    )
    return floor(sum(misses, Fraction(0)))
