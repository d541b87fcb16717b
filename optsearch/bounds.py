"""Lower bounds on the optimum that need only how many leaves a decision tree must have.

The leaves of a position's tree are its distinct cell sets; each has a weight, the number of
configurations with these cells (1 wherever the cells determine the configuration). `Leaves` maps a
weight to the number of leaves that have it. All values are exact.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import comb

from optsearch.errors import NotSupported
from optsearch.family import Family
from optsearch.position import Position
from optsearch.posterior import Posterior

Leaves = Mapping[int, int]


@dataclass(frozen=True)
class Bound:
    """A proved bound on the mean number of shots: its name, its side, its value, its source."""

    name: str
    side: str
    value: Fraction
    source: str


def complete_binary_tree(leaves: Leaves) -> Fraction:
    """The least mean depth of any binary tree with these leaves.

    A shot has two replies, so a decision tree is a binary tree, and its total height is at least
    that of the best binary tree. With ℓ leaves of equal weight and 2^k ≤ ℓ < 2^(k+1) that is the
    complete one, of mean depth k + (2ℓ − 2^(k+1))/ℓ (equations 1 and 2 of Audinot, Bonnet and
    Viennot, 2014); with unequal weights it is Huffman's tree.
    """
    if len(leaves) == 1:
        (number,) = leaves.values()
        k = number.bit_length() - 1
        return k + Fraction(2 * number - 2 ** (k + 1), number)
    heap = [weight for weight, number in leaves.items() for _ in range(number)]
    weight = sum(heap)
    total = 0
    heapq.heapify(heap)
    while len(heap) > 1:
        joined = heapq.heappop(heap) + heapq.heappop(heap)
        total += joined
        heapq.heappush(heap, joined)
    return Fraction(total, weight)


def complete_binary_tree_depths(leaves: int) -> list[int]:
    """The depths of the leaves of the complete binary tree, from left to right.

    Grown as in section 4.1: of the 2^k leaves of the full tree of height k, the first ℓ − 2^k are
    each expanded into two.
    """
    k = leaves.bit_length() - 1
    added = leaves - 2**k
    return [k + 1] * (2 * added) + [k] * (2**k - added)


def leaf_counting_misses(leaves: Leaves, hits: int) -> int:
    """The least total of misses of any tree whose every leaf lies behind `hits` hits.

    A leaf with j misses is a word of `hits` hits and j misses that ends in a hit, and no two
    leaves share a word, so at most C(hits − 1 + j, j) leaves have j misses. Give the heaviest
    leaves the fewest misses. (A game that is over, hits = 0, has one leaf and no miss.)
    """
    total = misses = 0
    room = 1
    for weight, number in sorted(leaves.items(), reverse=True):
        while number and hits:
            if room == 0:
                misses += 1
                room = comb(hits - 1 + misses, misses)
            placed = min(number, room)
            total += placed * misses * weight
            number -= placed
            room -= placed
    return total


def leaf_counting(leaves: Leaves, hits: int) -> Fraction:
    """The least mean number of shots of such a tree: `hits` plus the mean of the misses.

    Never below `complete_binary_tree`, because such a tree is a binary tree.
    """
    weight = sum(w * number for w, number in leaves.items())
    return hits + Fraction(leaf_counting_misses(leaves, hits), weight)


def leaves_of(position: Position) -> Leaves:
    """The leaves that every decision tree of a position has.

    Counted without a list where ships may not touch along an edge. With contact=any the sets are
    listed: TooLarge when they are too many. ImpossiblePosition when there is none.
    """
    if position.game.contact == "any":
        return Counter(Family.of(position).weights)
    posterior = Posterior(position)
    posterior.require_some()
    return {1: posterior.configurations}


def lower_bounds(position: Position) -> list[Bound]:
    """Every lower bound on the mean number of shots from a position, weakest first.

    Raises NotSupported where sinkings are announced, and as `leaves_of`.
    """
    if position.game.announce != "nothing":
        raise NotSupported(
            f"these bounds hold for announce=nothing; {position.game} tells more at a sinking, and "
            "its trees have more words for a leaf"
        )
    leaves = leaves_of(position)
    hits = position.game.fleet_cells - position.hits.bit_count()
    return [
        Bound(
            "complete binary tree",
            "lower",
            complete_binary_tree(leaves),
            "Audinot, Bonnet and Viennot (2014), section 4.1, equation 2",
        ),
        Bound(
            "leaf counting",
            "lower",
            leaf_counting(leaves, hits),
            "at most C(k-1+j, j) leaves have k hits and j misses",
        ),
    ]
