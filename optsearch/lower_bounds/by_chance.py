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
    """Return the mean number of misses before the last hit, if cells are shot in random order.

    hits -- the number of these cells that hold ships.
    """
    return Fraction(hits * (cells - hits), hits + 1)


def misses_before_hit(hits: int, cells: int) -> Fraction:
    """Return the mean number of misses before the first hit, if cells are shot in random order.

    hits -- the number of these cells that hold ships.
    """
    return Fraction(cells - hits, hits + 1)


def shots_by_chance(position: Position) -> Fraction:
    """Return the mean number of shots that finish a position if the player shoots at random.

    The player first shoots the cells with a ship in every configuration. Then the player shoots
    the undecided cells, those with a ship in some configurations, in random order. The mean is the
    same for each configuration, so it holds under every prior.

    Raises ImpossiblePosition if no configuration is left.
    """
    posterior = Posterior(position)
    posterior.require_some()
    configurations, closed = posterior.configurations, position.closed
    occurrences = [
        count
        for cell, count in enumerate(posterior.occurrence.ravel().tolist())
        if not closed >> cell & 1
    ]
    certain_hits = sum(count == configurations for count in occurrences)
    undecided_cells = sum(0 < count < configurations for count in occurrences)
    hits_left = position.hits_left
    if position.game.ends_at_hit and hits_left:
        if certain_hits:
            return Fraction(1)
        return 1 + misses_before_hit(position.game.fleet_cells, undecided_cells)
    return hits_left + misses_by_chance(hits_left - certain_hits, undecided_cells)


def total_misses_by_chance(family: Family) -> int:
    """Return an upper bound on the least weighted total of misses over the sets of a family.

    family -- sets of ship cells, one of which is hidden, with their weights.

    The bound is the mean total if the undecided cells are shot in random order, rounded down. An
    undecided cell is in some but not all sets. A set with fewer cells than the largest may lie
    inside a larger set, and then only a miss tells them apart. So a smaller set counts a miss for
    each undecided cell that it does not have.
    """
    certain_mask, undecided_cells = family.certain, family.undecided.bit_count()
    weight_by_size: Counter[int] = Counter()
    for set_mask, weight in zip(family.sets, family.weights, strict=True):
        weight_by_size[(set_mask & ~certain_mask).bit_count()] += weight
    largest_size = max(weight_by_size)
    mean_total = Fraction(0)
    for size, weight in weight_by_size.items():
        mean_total += weight * (
            misses_by_chance(size, undecided_cells)
            if size == largest_size
            else undecided_cells - size
        )
    return floor(mean_total)
