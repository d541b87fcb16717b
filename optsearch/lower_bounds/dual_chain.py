"""The dual of the chain: a price for each set bounds what all first hits cost together.

Until its first hit a strategy is a fixed sequence of cells, its chain. Once a set is given a price,
the places of the chain can be bounded one by one, and any prices give a lower bound. It is the
Lagrangian dual of a linear programme for min-sum set cover with exact costs after the hit. Where
few sets have the same cell, as with a single ship that is not yet hit, it is close to the optimum.
It is of any family of sets, and knows no board.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from optsearch.game import bits

PRICE_OF_MISS = 4096
MOST_SETS = 12  # that have the same cell: all their subsets are gone through


def chain_dual(sets: Sequence[int], weights: Sequence[int], prices: Sequence[int]) -> int:
    """A lower bound on the least misses M(F) of a family F, by a price y_s for each of its sets.

    sets -- distinct sets of cells, of any sizes; weights -- positive; prices -- integers, in units
    of 1/PRICE_OF_MISS of a miss. ValueError where more than MOST_SETS sets have the same cell.

    For a cell c let F_c be the sets that have it, and w(S) and y(S) the sums over a part S. Then

        M(F) >= y(F) + sum over i >= 0 of min(0, least of M(S) + i w(S) - y(S)
                                                 over all cells c and parts S of F_c, not empty).

    Proof. Let an optimal strategy shoot c_0, c_1, ... as long as all shots miss, and let S_i be the
    sets that c_i is the first to hit. They have i misses each by then, and c_i is certain in S_i:
    the strategy misses i w(S_i) + M(S_i) times or more on them. A set that is left alone need not
    be shot at; it has as many misses as the chain has cells, and the same as if one more cell hit
    it, one of its own or, if it has none, one that is made up for it. So the S_i partition F, and
    the sum of y_s over F less the sums y(S_i) is 0. Add it to
    M(F) >= sum over i of i w(S_i) + M(S_i), and take the least of each place by itself; where S_i
    is empty that is 0. Every number is an integer times 1/PRICE_OF_MISS, and so is M(F) rounded up.
    """
    return rounded_up(sum(prices) + _places(_least(sets, weights, prices)))


def rounded_up(value: int) -> int:
    """Whole misses, at least as much as a value in 1/PRICE_OF_MISS."""
    return -(-value // PRICE_OF_MISS)


def _places(least: dict[int, int]) -> int:
    """The sum over all places; least[w] is the least of weight w at place 0."""
    total = number = 0
    while True:
        place = min((PRICE_OF_MISS * number * w + value for w, value in least.items()), default=0)
        if place >= 0:
            return total
        total += place
        number += 1


def _least(sets: Sequence[int], weights: Sequence[int], prices: Sequence[int]) -> dict[int, int]:
    """The least of M(S) - y(S) by the weight of S, over all parts S of sets with the same cell."""
    least: dict[int, int] = {}
    for _, members in members_of(sets):
        misses = least_misses(sets, weights, members)
        weight, price = [0], [0]
        for i in members:
            weight += [w + weights[i] for w in weight]
            price += [y + prices[i] for y in price]
        for w, y, m in zip(weight[1:], price[1:], misses[1:], strict=True):
            value = PRICE_OF_MISS * m - y
            if value < least.get(w, value + 1):
                least[w] = value
    return least


def members_of(sets: Sequence[int]) -> Iterator[tuple[int, list[int]]]:
    """Each cell with the places of the sets that have it; a set without cells has cell -1."""
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
    """M of each part of some sets; the bits of its place say which of them are in it."""
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
    """The least misses of sets by their columns, by definition; equal shapes share them."""
    weight = [0]
    for w in weights:
        weight += [w + other for other in weight]
    least = [0] * len(weight)
    for part in range(1, len(weight)):
        if part & part - 1:
            least[part] = min(
                least[part & has] + least[part & ~has] + weight[part & ~has]
                for has in columns
                if 0 < part & has < part
            )
    return tuple(least)
