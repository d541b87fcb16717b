"""Lower bounds on the optimum from the number of leaves that a decision tree must have.

The leaves of a position's tree are its distinct sets of ship cells. A leaf weighs the number of
configurations with these cells, which is 1 if the cells determine the configuration. `Leaves` maps
a weight to the number of leaves that have it. All values are exact. The proofs need no property of
the board; its symmetries only save first shots.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Mapping
from fractions import Fraction
from math import comb, factorial, prod
from operator import add

from optsearch.counting.family import Family, sets_by_weight
from optsearch.counting.posterior import Posterior
from optsearch.game import Game, bits, image
from optsearch.game.position import HIT, MISS, Position, Reply
from optsearch.support.errors import TooLarge

Leaves = Mapping[int, int]
Sunk = tuple[int, ...]  # the kinds of the ships that are sunk, ascending
MOST_LISTED = 1 << 28  # configurations, of 16 bytes each: 4 GiB
MOST_COUNTS = 1_000_000  # numbers that `_count_hits_by_label` keeps at a time


def complete_binary_tree(leaves: Leaves) -> Fraction:
    """Return the least mean depth of any binary tree with these leaves, by their weights.

    leaves -- how many leaves there are of each weight.

    A shot has two replies, so a decision tree is a binary tree, and its total height is at least
    that of the best binary tree. With ℓ leaves of equal weight and 2^k ≤ ℓ < 2^(k+1) the best is
    the complete tree, of mean depth k + (2ℓ − 2^(k+1))/ℓ (equations 1 and 2 of Audinot, Bonnet and
    Viennot, 2014). With unequal weights it is Huffman's tree.
    """
    if len(leaves) == 1:
        (leaf_count,) = leaves.values()
        full_depth = leaf_count.bit_length() - 1
        return full_depth + Fraction(2 * leaf_count - 2 ** (full_depth + 1), leaf_count)
    heap = [weight for weight, count in leaves.items() for _ in range(count)]
    total_weight = sum(heap)
    total_depth = 0
    heapq.heapify(heap)
    while len(heap) > 1:
        joined = heapq.heappop(heap) + heapq.heappop(heap)
        total_depth += joined  # every leaf below the new node gets one deeper
        heapq.heappush(heap, joined)
    return Fraction(total_depth, total_weight)


def complete_binary_tree_depths(leaves: int) -> list[int]:
    """List the depths of the leaves of the complete binary tree, from left to right.

    leaves -- ℓ, their number. Let k be the largest number with 2^k ≤ ℓ. The full tree of height k
    has 2^k leaves. Its first ℓ − 2^k leaves are each expanded into two, as in section 4.1 of
    Audinot, Bonnet and Viennot (2014).
    """
    full_depth = leaves.bit_length() - 1
    expanded_leaves = leaves - 2**full_depth
    return [full_depth + 1] * (2 * expanded_leaves) + [full_depth] * (
        2**full_depth - expanded_leaves
    )


def count_hit_sequences(game: Game) -> int:
    """Return an upper bound on how many sequences of replies the hits of a whole game can have.

    If hits tell nothing, there is one sequence. If every hit has a label, a sequence is the labels
    of all hits in the order of the shots. If only sinkings are announced, a sequence says which
    hits sink a ship and, with announce=ship, of which length; the ships sunk never have more cells
    than were hit.

    Raises TooLarge if there are too many labels to count.
    """
    if game.is_silent:
        return 1
    if game.has_labels:
        return sum(
            factorial(game.fleet_cells) // prod(map(factorial, counts))
            for counts in _count_hits_by_label(game)
        )
    # After some hits: how many sequences of replies leave a set of possibilities, where each
    # possibility is the ships that are sunk. At first the only possibility is that none is.
    nothing_sunk: Sunk = ()
    sequence_counts = Counter({frozenset({nothing_sunk}): 1})
    for hits in range(1, game.fleet_cells + 1):
        counts_after = Counter[frozenset[Sunk]]()
        for possible, count in sequence_counts.items():
            for possible_after in _sunk_by_reply(game, possible, hits).values():
                counts_after[frozenset(possible_after)] += count
        sequence_counts = counts_after
    whole_fleet = tuple(sorted(game.fleet))
    return sum(count for possible, count in sequence_counts.items() if whole_fleet in possible)


def _sunk_by_reply(game: Game, possible: frozenset[Sunk], hits: int) -> dict[int, set[Sunk]]:
    """Return which ships may be sunk after one more hit, for each reply to this hit.

    A possibility is the lengths of the ships sunk. possible -- the possibilities before the hit.
    hits -- the number of hits, with this one.

    The key of a reply is 0 if no ship sinks. If one sinks, it is the length of this ship if the
    reply tells it, else 1.
    """
    by_reply = defaultdict[int, set[Sunk]](set)
    for sunk in possible:
        if hits < game.fleet_cells:
            by_reply[0].add(sunk)
        afloat = Counter(game.fleet) - Counter(sunk)
        for length in afloat:
            if sum(sunk) + length <= hits:
                reply = length if game.labels else 1
                by_reply[reply].add(tuple(sorted((*sunk, length))))
    return by_reply


def _count_hits_by_label(game: Game) -> set[tuple[int, ...]]:
    """Return how many hits of a whole game can have each label.

    An item is one possibility for the whole fleet: the number of hits without a label, then the
    number with each of `game.labels`. Raises TooLarge if the possibilities have more than
    `MOST_COUNTS` such numbers, which would take seconds.
    """
    column_of = {label: i for i, label in enumerate((None, *game.labels))}
    counts_by_kind: dict[int, set[tuple[int, ...]]] = {kind: set() for kind in game.fleet}
    for (kind, _), cells_by_label in game.label_table.cells_by_label.items():
        counts = [0] * len(column_of)
        for label, cells in cells_by_label.items():
            counts[column_of[label]] = cells.bit_count()
        counts_by_kind[kind].add(tuple(counts))
    possible_counts = {(0,) * len(column_of)}
    for kind in game.fleet:
        with_ship = set()
        for counts_before in possible_counts:
            with_ship |= {
                tuple(map(add, counts_before, ship_counts)) for ship_counts in counts_by_kind[kind]
            }
            if len(with_ship) * len(column_of) > MOST_COUNTS:
                raise TooLarge(
                    f"{len(with_ship):,} ways or more in which hits can have {len(game.labels):,} "
                    f"labels; at most {MOST_COUNTS // len(column_of):,} are looked at"
                )
        possible_counts = with_ship
    return possible_counts


def leaf_counting_misses(leaves: Leaves, hits: int, hit_sequences: int = 1) -> int:
    """Return the least weighted total of misses of any tree with `hits` hits before every leaf.

    leaves -- how many leaves there are of each weight. hit_sequences -- the number of sequences of
    replies that the hits alone can have (`count_hit_sequences`).

    A leaf with j misses is a sequence of `hits` hits and j misses that ends in a hit. No two leaves
    share a sequence, so at most C(hits − 1 + j, j) leaves have j misses. The heaviest leaves get
    the fewest misses. A game that is over (hits = 0) has one leaf and no miss.

    The bound also holds for a tree with `hits` hits or fewer before each leaf, if each of its shots
    has both replies. Proof. Lengthen the sequence of a leaf with i hits by hits - i hits at its
    end. It ends in a hit: if nothing was added, and it ended in a miss, the other reply to that
    shot would lead to a leaf with more hits. No leaf's sequence is the beginning of another's, so
    the longer sequences differ, too. ∎
    """
    if not hits:
        return 0
    total = misses = 0
    sequences_left = hit_sequences  # with so many misses
    for weight, leaves_left in sorted(leaves.items(), reverse=True):
        while leaves_left:
            if sequences_left == 0:
                misses += 1
                sequences_left = hit_sequences * comb(hits - 1 + misses, misses)
            leaves_placed = min(leaves_left, sequences_left)
            total += leaves_placed * misses * weight
            leaves_left -= leaves_placed
            sequences_left -= leaves_placed
    return total


def leaf_counting(leaves: Leaves, hits: int, hit_sequences: int = 1) -> Fraction:
    """Return a lower bound on the mean number of shots of any tree with these leaves.

    It is `hits` plus the mean of the misses of `leaf_counting_misses`, with the same arguments. If
    every reply is hit or miss, the tree is binary, so this is never below `complete_binary_tree`.
    """
    total_weight = sum(weight * count for weight, count in leaves.items())
    return hits + Fraction(leaf_counting_misses(leaves, hits, hit_sequences), total_weight)


def leaves_of(position: Position) -> Leaves:
    """Count the leaves that every decision tree of a position has, by weight.

    A leaf is a set of ship cells; its weight is the number of configurations on these cells. With
    contact=any the sets are listed: raises TooLarge for more than MOST_LISTED configurations.
    Otherwise they are counted without a list. Raises ImpossiblePosition without a configuration.
    """
    posterior = Posterior(position)
    posterior.require_some()
    if position.game.contact == "any":
        if posterior.configurations > MOST_LISTED:
            raise TooLarge(
                f"the bounds from leaves list the {posterior.configurations:,} configurations of "
                f"{position.game}; at most {MOST_LISTED:,} are listed"
            )
        return sets_by_weight(position)
    return {1: posterior.configurations}


def leaf_counting_after(position: Position, plies: int) -> Fraction:
    """Return a lower bound on the mean number of shots, by leaf counting after `plies` shots.

    Leaf counting bounds the misses by the number of configurations: few sequences of hits and
    misses have few misses. It is used for each possible position after `plies` shots. The first
    shots are tried in all ways: M(F), the least total of misses for the configurations F of a
    position, is the least over all shots of M(F hit) + M(F missed) + |F missed|.

    The bound holds for games in which the cells determine the configuration. Raises
    ImpossiblePosition if no configuration is left.
    """
    posterior = Posterior(position)
    posterior.require_some()
    misses = _misses_after(position, plies)
    return position.hits_left + Fraction(misses, posterior.configurations)


def _misses_after(position: Position, plies: int) -> int:
    """Return a lower bound on the total of misses over all configurations, from a position on.

    The best first `plies` shots are found by trying all cells. After these shots, the number of
    configurations left bounds the misses by leaf counting: few sequences of hits and misses have
    few misses.
    """
    posterior, hits = Posterior(position), position.hits_left
    if plies == 0 or hits == 0:
        return leaf_counting_misses({1: posterior.configurations}, hits)

    def bound_part(cell: int, answer: Reply, configurations: int) -> int:
        if not configurations:
            return 0
        if plies == 1:  # the number is enough, without a count at the next position
            return leaf_counting_misses({1: configurations}, hits - 1 if answer.hit else hits)
        return _misses_after(position.after(position.game.cell(cell), answer), plies - 1)

    symmetries = [
        symmetry
        for symmetry in position.game.symmetries()
        if all(mask == image(mask, symmetry) for mask in (position.hits, position.misses))
    ]
    bounds = []
    for cell, hit_count in enumerate(posterior.occurrence.ravel().tolist()):
        is_shot = position.closed >> cell & 1
        # It is symmetric to a cell before.
        is_repeat = min(symmetry[cell] for symmetry in symmetries) < cell
        if not hit_count or is_shot or is_repeat:
            continue
        miss_count = posterior.configurations - hit_count
        misses_after = bound_part(cell, HIT, hit_count) + bound_part(cell, MISS, miss_count)
        bounds.append(misses_after + miss_count)
    return min(bounds)


def weighted_leaf_counting_after(family: Family) -> Fraction:
    """Return a lower bound on the mean number of shots for sets of cells that have weights.

    Every first shot is tried, and leaf counting bounds the misses after its hit and after its miss.
    The least sum is the bound. The cells that all sets have are certain hits, so they are taken off
    before.

    family -- the sets of ship cells, one of which is hidden, and their weights.
    """
    certain_mask = family.certain
    sets = [
        (cells & ~certain_mask, set_weight)
        for cells, set_weight in zip(family.sets, family.weights, strict=True)
    ]
    most_hits = max(cells.bit_count() for cells, _ in sets)
    bounds = []
    for cell in bits(family.undecided):
        leaves_hit = Counter(weight for cells, weight in sets if cells >> cell & 1)
        leaves_missed = Counter(weight for cells, weight in sets if not cells >> cell & 1)
        misses_of_shot = sum(weight * count for weight, count in leaves_missed.items())
        misses_after_hit = leaf_counting_misses(leaves_hit, most_hits - 1)
        misses_after_miss = leaf_counting_misses(leaves_missed, most_hits)
        bounds.append(misses_of_shot + misses_after_hit + misses_after_miss)
    return family.mean_hits + Fraction(min(bounds, default=0), family.weight)
