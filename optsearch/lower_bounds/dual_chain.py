"""The dual of the chain: a lower bound on the misses on a family, from a price for each set.

Until its first hit a strategy is a fixed sequence of cells, its chain. If each set has a price, the
places of the chain can be bounded one by one, and any prices give a lower bound. It is the
Lagrangian dual of a linear programme for min-sum set cover with exact costs after the hit. The
bound is close to the optimum if few sets share a cell, as with a single ship that is not yet hit.
It holds for any family of sets, whatever the board.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from optsearch.game import bits

PRICE_OF_MISS = 4096
MOST_SETS = 12  # sets that share a cell: all their subsets are gone through


def chain_dual(sets: Sequence[int], weights: Sequence[int], prices: Sequence[int]) -> int:
    """Return a lower bound on the least weighted total of misses on a family of sets of cells.

    sets -- distinct sets of cells (masks), of any sizes. weights -- a positive integer per set.
    prices -- an integer per set, in units of 1/PRICE_OF_MISS of a miss. Any prices give a bound.
    Raises ValueError if more than MOST_SETS sets share a cell.

    Let M(F) be the least total of a family F. For a cell c let F_c be the sets that have it. For a
    subset S of F let w(S) be the sum of its weights, and y(S) the sum of its prices.

        M(F) >= y(F) + sum over i >= 0 of min(0, least of M(S) + i w(S) - y(S)
                                                 over all cells c and non-empty subsets S of F_c).

    Proof. Let an optimal strategy shoot c_0, c_1, ... as long as all shots miss. Let S_i be the
    sets that c_i is the first to hit. They have i misses each by then, and c_i is certain in S_i,
    so the strategy misses at least i w(S_i) + M(S_i) times on them. If one set is left at the end
    of the chain, it need not be shot at. It has as many misses as the chain has cells, which is the
    same as if one more cell hit it (its own or, if it has none, an imagined one). So the S_i
    partition F, and the sum of y_s over F minus the sums y(S_i) is 0. Add this to
    M(F) >= sum over i of i w(S_i) + M(S_i), and take the least at each place by itself, which is 0
    if S_i is empty. M(F) is an integer, so the bound is rounded up to whole misses. ∎
    """
    bound = sum(prices) + _sum_over_chain(_least_by_weight(sets, weights, prices))
    return -(-bound // PRICE_OF_MISS)  # rounded up to whole misses


def _sum_over_chain(least_by_weight: dict[int, int]) -> int:
    """Return the sum over a chain of shots in `chain_dual`, in units of 1/PRICE_OF_MISS of a miss.

    A chain is the cells c_0, c_1, … that are shot as long as all shots miss. The term of c_i is the
    least of value + i misses * weight over the items, or 0 if that is lower. The terms grow with i,
    so the sum ends at the first 0.

    least_by_weight -- the least value of any sets that one cell can hit, by the weight of these
    sets.
    """
    total = misses = 0
    while True:
        term = min(
            (PRICE_OF_MISS * misses * weight + value for weight, value in least_by_weight.items()),
            default=0,
        )
        if term >= 0:
            return total
        total += term
        misses += 1


def _least_by_weight(
    sets: Sequence[int], weights: Sequence[int], prices: Sequence[int]
) -> dict[int, int]:
    """Return, for each weight, the least value of a subset of that weight whose sets share a cell.

    The value of a subset is its least total of misses minus the sum of its prices, in units of
    1/PRICE_OF_MISS of a miss. The keys are the weights that such subsets have.

    sets -- sets of cells, as masks. weights, prices -- one of each for every set.
    """
    least_by_weight: dict[int, int] = {}
    for _, members in list_sets_by_cell(sets):
        misses_of_subset = least_misses(sets, weights, members)
        # Entry b of each list is for the members at the bits of b.
        weight_of_subset, price_of_subset = [0], [0]
        for i in members:
            weight_of_subset += [weight + weights[i] for weight in weight_of_subset]
            price_of_subset += [price + prices[i] for price in price_of_subset]
        subsets = zip(weight_of_subset, price_of_subset, misses_of_subset, strict=True)
        next(subsets)  # the empty subset does not count
        for weight, price, misses in subsets:
            value = PRICE_OF_MISS * misses - price
            least_by_weight[weight] = min(value, least_by_weight.get(weight, value))
    return least_by_weight


def list_sets_by_cell(sets: Sequence[int]) -> Iterator[tuple[int, list[int]]]:
    """Yield each cell that some set has, and the indices of the sets that have it.

    For an empty set, which has no cell, yields -1 and its index.
    """
    union = 0
    for i, cells in enumerate(sets):
        union |= cells
        if not cells:
            yield -1, [i]
    for cell in bits(union):
        yield cell, [i for i, cells in enumerate(sets) if cells >> cell & 1]


def least_misses(
    sets: Sequence[int], weights: Sequence[int], members: Sequence[int]
) -> tuple[int, ...]:
    """Return the least weighted total of misses for every subset of some sets.

    members -- the indices of these sets, at most MOST_SETS. Entry b of the result is for the subset
    of the members at the bits of b, so there are 2^(number of members) entries.
    """
    if len(members) > MOST_SETS:
        raise ValueError(f"{len(members)} sets have the same cell; at most {MOST_SETS}")
    union = 0
    for i in members:
        union |= sets[i]
    # The column of a cell is the subset of the members that have the cell, in bits.
    columns = {
        sum(1 << bit for bit, i in enumerate(members) if sets[i] >> cell & 1)
        for cell in bits(union)
    }
    return _misses_by_columns(tuple(sorted(columns)), tuple(weights[i] for i in members))


@lru_cache(maxsize=1 << 12)
def _misses_by_columns(columns: tuple[int, ...], weights: tuple[int, ...]) -> tuple[int, ...]:
    """Return the least weighted total of misses for every subset of some sets of cells.

    Entry b of the result is for the sets at the bits of b. columns -- for each cell, the sets that
    have it, in bits. weights -- of the sets.

    A shot must divide each subset of two sets or more. The sets without its cell then have one miss
    each, and both parts go on. A single set takes no miss.
    """
    weight_of_subset = [0]  # entry b is for the sets at the bits of b
    for weight in weights:
        weight_of_subset += [weight + other for other in weight_of_subset]
    misses = [0] * len(weight_of_subset)
    for subset in range(1, len(misses)):
        is_single = subset & subset - 1 == 0
        if not is_single:
            misses[subset] = min(
                misses[subset & column]
                + misses[subset & ~column]
                + weight_of_subset[subset & ~column]
                for column in columns
                if 0 < subset & column < subset  # the shot divides the subset
            )
    return tuple(misses)
