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
    """Return a lower bound on the least misses M(F) of a family F, from a price y_s of each set.

    sets -- distinct sets of cells (masks), of any sizes. weights -- positive integers. prices --
    integers, in units of 1/PRICE_OF_MISS of a miss. Raises ValueError if more than MOST_SETS sets
    share a cell.

    For a cell c let F_c be the sets that have it. Let w(S) and y(S) be the sums over a subset S.

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
    return rounded_up(sum(prices) + _places(_least(sets, weights, prices)))


def rounded_up(value: int) -> int:
    """Round a value in units of 1/PRICE_OF_MISS up to whole misses."""
    return -(-value // PRICE_OF_MISS)


def _places(minima: dict[int, int]) -> int:
    """Sum over all places of the chain; minima[w] is the least value of weight w at place 0."""
    total = number = 0
    while True:
        place = min((PRICE_OF_MISS * number * w + value for w, value in minima.items()), default=0)
        if place >= 0:
            return total
        total += place
        number += 1


def _least(sets: Sequence[int], weights: Sequence[int], prices: Sequence[int]) -> dict[int, int]:
    """Map each weight w(S) to the least M(S) - y(S), over all sets S of sets that share a cell."""
    minima: dict[int, int] = {}
    for _, members in members_of(sets):
        misses = least_misses(sets, weights, members)
        weight, price = [0], [0]
        for i in members:
            weight += [w + weights[i] for w in weight]
            price += [y + prices[i] for y in price]
        for w, y, m in zip(weight[1:], price[1:], misses[1:], strict=True):
            value = PRICE_OF_MISS * m - y
            if value < minima.get(w, value + 1):
                minima[w] = value
    return minima


def members_of(sets: Sequence[int]) -> Iterator[tuple[int, list[int]]]:
    """Yield each cell with the indices of the sets that have it; the empty set has the cell -1."""
    union = 0
    for i, cells in enumerate(sets):
        union |= cells
        if not cells:
            yield -1, [i]
    for cell in bits(union):
        members = [i for i, cells in enumerate(sets) if cells >> cell & 1]
        yield cell, members


def least_misses(
    sets: Sequence[int], weights: Sequence[int], members: Sequence[int]
) -> tuple[int, ...]:
    """Return M of each subset of `members`: entry b is that of the members at the bits of b."""
    if len(members) > MOST_SETS:
        raise ValueError(f"{len(members)} sets have the same cell; at most {MOST_SETS}")
    union = 0
    for i in members:
        union |= sets[i]
    columns = {
        sum(1 << place for place, i in enumerate(members) if sets[i] >> cell & 1)
        for cell in bits(union)
    }
    return _by_columns(tuple(sorted(columns)), tuple(weights[i] for i in members))


@lru_cache(maxsize=1 << 12)
def _by_columns(columns: tuple[int, ...], weights: tuple[int, ...]) -> tuple[int, ...]:
    """Return the least misses of all subsets, by definition; equal columns share an answer."""
    weight = [0]
    for w in weights:
        weight += [w + other for other in weight]
    misses = [0] * len(weight)
    for part in range(1, len(weight)):
        if part & part - 1:
            misses[part] = min(
                misses[part & has] + misses[part & ~has] + weight[part & ~has]
                for has in columns
                if 0 < part & has < part
            )
    return tuple(misses)
