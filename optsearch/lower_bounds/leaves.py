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
from optsearch.game.position import HIT, MISS, Position, Shot
from optsearch.support.errors import TooLarge

Leaves = Mapping[int, int]
Sunk = tuple[int, ...]  # the kinds of the ships that are sunk, ascending
MOST_LISTED = 1 << 28  # configurations, of 16 bytes each: 4 GiB


def complete_binary_tree(leaves: Leaves) -> Fraction:
    """Return the least mean depth of any binary tree with these leaves.

    A shot has two replies, so a decision tree is a binary tree, and its total height is at least
    that of the best binary tree. With ℓ leaves of equal weight and 2^k ≤ ℓ < 2^(k+1) the best is
    the complete tree, of mean depth k + (2ℓ − 2^(k+1))/ℓ (equations 1 and 2 of Audinot, Bonnet and
    Viennot, 2014). With unequal weights it is Huffman's tree.
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
    """List the depths of the leaves of the complete binary tree, from left to right.

    As in section 4.1 of the paper, the first ℓ − 2^k of the 2^k leaves of the full tree of height k
    are each expanded into two.
    """
    k = leaves.bit_length() - 1
    added = leaves - 2**k
    return [k + 1] * (2 * added) + [k] * (2**k - added)


def count_hit_sequences(game: Game) -> int:
    """Count the sequences of replies that a whole game without a miss can have.

    Some hits sink a ship, and with announce=ship its length is told. A sequence belongs to an order
    of sinkings in which the ships sunk never have more cells than were hit. Where only that a ship
    sank is told, orders that tell the same are one sequence. Where each hit has a label, they are
    the orders of the labels that the hits of a configuration have.

    Raises TooLarge where there are too many labels to count.
    """
    if game.is_silent:
        return 1
    if game.has_labels:
        ways = _count_hits_by_label(game)
        return sum(factorial(game.fleet_cells) // prod(map(factorial, counts)) for counts in ways)
    # The ships that may be sunk after some hits, all with the same replies -> how many sequences.
    sequences = Counter({frozenset[Sunk]({()}): 1})
    for hits in range(1, game.fleet_cells + 1):
        after = Counter[frozenset[Sunk]]()
        for possible, number in sequences.items():
            for possible_after in _sunk_by_reply(game, possible, hits).values():
                after[frozenset(possible_after)] += number
        sequences = after
    everything = tuple(sorted(game.fleet))
    return sum(number for possible, number in sequences.items() if everything in possible)


def _sunk_by_reply(game: Game, possible: frozenset[Sunk], hits: int) -> dict[int, set[Sunk]]:
    """Map each reply to hit number `hits` to the ships that may be sunk after it.

    possible -- the ships that may be sunk before it. A reply is 0 if no ship sinks, else
    the length that is told, or 1 if none is.
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


MOST_COUNTS = 1_000_000  # of hits by label, over all ways


def _count_hits_by_label(game: Game) -> set[tuple[int, ...]]:
    """List how often each label (None first) can come in a whole game: a tuple for each way.

    Raises TooLarge for more than `MOST_COUNTS` counts, which would take seconds.
    """
    columns = {label: i for i, label in enumerate((None, *game.labels))}
    of_kind: dict[int, set[tuple[int, ...]]] = {kind: set() for kind in game.fleet}
    for (kind, _), parts in game.label_table.cells_by_label.items():
        row = [0] * len(columns)
        for label, cells in parts.items():
            row[columns[label]] = cells.bit_count()
        of_kind[kind].add(tuple(row))
    ways = {(0,) * len(columns)}
    for kind in game.fleet:
        longer = set()
        for counts in ways:
            longer |= {tuple(map(add, counts, added)) for added in of_kind[kind]}
            if len(longer) * len(columns) > MOST_COUNTS:
                raise TooLarge(
                    f"{len(longer):,} ways or more in which hits can have {len(game.labels):,} "
                    f"labels; at most {MOST_COUNTS // len(columns):,} are looked at"
                )
        ways = longer
    return ways


def leaf_counting_misses(leaves: Leaves, hits: int, words: int = 1) -> int:
    """Return the least weighted total of misses of any tree with `hits` hits before every leaf.

    A leaf with j misses is a sequence of `hits` hits and j misses that ends in a hit. No two leaves
    share a sequence, so at most C(hits − 1 + j, j) leaves have j misses. The heaviest leaves get
    the fewest misses. A game that is over (hits = 0) has one leaf and no miss.

    words -- the number of sequences of replies that the hits alone can have
    (`count_hit_sequences`).

    The bound also holds for a tree with `hits` hits or fewer before each leaf, if each of its shots
    has both replies. Proof. Lengthen the sequence of a leaf with i hits by hits - i hits at its
    end. It ends in a hit: if nothing was added, and it ended in a miss, the other reply to that
    shot would lead to a leaf with more hits. No leaf's sequence is the beginning of another's, so
    the longer sequences differ, too. ∎
    """
    total = misses = 0
    room = words
    for weight, number in sorted(leaves.items(), reverse=True):
        while number and hits:
            if room == 0:
                misses += 1
                room = words * comb(hits - 1 + misses, misses)
            placed = min(number, room)
            total += placed * misses * weight
            number -= placed
            room -= placed
    return total


def leaf_counting(leaves: Leaves, hits: int, words: int = 1) -> Fraction:
    """Bound the mean number of shots: `hits` plus the least mean of misses of any such tree.

    If every reply is hit or miss, the tree is binary, so this is never below
    `complete_binary_tree`.
    """
    weight = sum(w * number for w, number in leaves.items())
    return hits + Fraction(leaf_counting_misses(leaves, hits, words), weight)


def leaves_of(position: Position) -> Leaves:
    """Count the leaves that every decision tree of a position has, by weight.

    With contact=any the sets of cells are listed: raises TooLarge for more than MOST_LISTED
    configurations. Otherwise they are counted without a list. Raises ImpossiblePosition if no
    configuration is left.
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
    """Bound the mean number of shots by leaf counting after each sequence of `plies` shots.

    The least misses are M(F) = min over shots of M(F hit) + M(F missed) + |F missed|. With lower
    bounds on the right, it is a lower bound. This recursion is taken for `plies` shots;
    then leaves are counted. Shots that a symmetry of the position exchanges are tried once. Each
    position above the last ply takes one count of the cells.

    It holds for games whose cells determine the configuration. Raises ImpossiblePosition if no
    configuration is left.
    """
    posterior = Posterior(position)
    posterior.require_some()
    misses = _misses_after(position, plies)
    hits = position.hits_left
    return hits + Fraction(misses, posterior.configurations)


def _misses_after(position: Position, plies: int) -> int:
    game = position.game
    hits = position.hits_left
    posterior = Posterior(position)
    if plies == 0 or hits == 0:
        return leaf_counting_misses({1: posterior.configurations}, hits)
    number = posterior.configurations
    shot = position.closed
    symmetries = [
        p
        for p in game.symmetries()
        if all(mask == image(mask, p) for mask in (position.hits, position.misses))
    ]
    best: int | None = None
    for cell, through in enumerate(posterior.occurrence.ravel().tolist()):
        if shot >> cell & 1 or not through or min(p[cell] for p in symmetries) < cell:
            continue
        missed = number - through
        if plies == 1:
            value = leaf_counting_misses({1: through}, hits - 1)
            value += leaf_counting_misses({1: missed}, hits) if missed else 0
        else:
            value = sum(
                _misses_after(
                    Position(game, (*position.shots, Shot(game.cell(cell), reply))), plies - 1
                )
                for reply in ((HIT, MISS) if missed else (HIT,))
            )
        value += missed
        if best is None or value < best:
            best = value
    assert best is not None
    return best


def weighted_leaf_counting_after(family: Family) -> Fraction:
    """Bound the mean number of shots of a weighted family by leaf counting after its first shot.

    As in `leaf_counting_after` with one ply; certain hits, cells in every set, are taken off first.
    """
    certain = family.certain
    rows = [(cells & ~certain, n) for cells, n in zip(family.sets, family.weights, strict=True)]
    hits = max(cells.bit_count() for cells, _ in rows)
    best: int | None = None
    for cell in bits(family.undecided):
        hit = Counter(n for cells, n in rows if cells >> cell & 1)
        missed = Counter(n for cells, n in rows if not cells >> cell & 1)
        value = leaf_counting_misses(hit, hits - 1) + leaf_counting_misses(missed, hits)
        value += sum(weight * number for weight, number in missed.items())
        best = value if best is None else min(best, value)
    return family.mean_hits + Fraction(best or 0, family.weight)
