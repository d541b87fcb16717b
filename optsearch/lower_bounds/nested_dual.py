"""The nested dual: prices for a whole family, for what a hit leaves, and for both sides there.

The misses of a strategy on a family F of distinct sets of cells are bounded by prices of three
kinds. Any prices give a lower bound, on any family. It is close to the optimum where two equal
ships are whole.

**Words.** M(S) is the least total of misses on S. F_c is the part of F with the cell c. A residual
part of G is G(E), the sets of G without a cell of E: what is left after misses on E. For prices p
of the sets let

    P(G, p) = the least of M(S) - p(S) over all residual parts S of G, and 0.

**Root.** A strategy shoots c_0, c_1, … until its first hit. Let S_i be the sets that c_i is the
first to hit: S_i = F_c(E) with c = c_i and E = {c_0, …, c_(i-1)}, a residual part of F_c. The S_i
partition F, each set of S_i has i misses by then, and M(F) is the sum of M(S_i) + i |S_i|. (A set
that is left alone is hit by a cell of its own, or by one that is made up for it.) Hence for any
prices y

    M(F) >= y(F) + sum over i >= 0 of min(0, least over c of P(F_c, y - i)).

At place i only sets E of i cells occur. Where all prices are at most i the term is 0.

**Two sides.** Let G = F_c. Split all other cells into U, here those near c, and the rest, V. A set
of G is c + u + v with u in U and v in V. G_u are the sets of G with that u, H_v those with that v.
E leaves D, the u that avoid E, and W, the v that avoid E, and S = G(E) is exactly the sets of G
with u in D and v in W. For any split p = a + b of the prices, another one for each D,

    P(G, p) >= least over D of [ sum over u in D of P(G_u, a)
                                 + sum over v of min(0, M(H_v of D) - b(H_v of D)) ]

where H_v of D are the sets of H_v whose u is in D. *Proof.* By the bound by two sides M(S) is at
least the sum of M(S_u) over u in D and of M(S_v) over v in W. S_u is a residual part of G_u, and
S_v is all of H_v of D. Take off a(S) + b(S), and the least of each term by itself. ∎ At place i D
is what at most i cells of U leave.

**Chain.** For any numbers z let z' be the lesser of z and a, set by set. Then, for G = G_u,

    P(G, a) >= z'(G) - a(G) + sum over j >= 0 of min(0, least over d of P(G_d, z' - j)).

*Proof.* Let S be the best residual part, and S_j what the j-th miss of its strategy is the first to
hit, again a residual part of G_d. As above, M(S) is the sum of M(S_j) + j |S_j|. And
a(S) <= z'(S) + a(G) - z'(G), since no a_s is below z'_s. ∎

**Later.** After misses on the cells E, i of them, F(E) is left. Its chain begins at place i, and
what it hits first is a residual part of F, too. Hence for the same prices

    M(F(E)) + i |F(E)| >= y(F(E)) + the terms of the root at the places i, i + 1, …

**Leaves.** For a family of at most MOST sets P is at least the least of M(T) - p(T) over all its
parts T, by the table of M. For a larger one leaf counting bounds M(T).

**Symmetry.** Where the symmetries of the board take F to itself, and sets that they take to each
other have the same price y, the terms of c and of its images are the same. So one cell of each
orbit has prices of its own.

Prices are whole numbers of 1/PRICE_OF_MISS of a miss, so each bound is exact: `nested_value` is the
definition, and the kernel, which moves prices, computes the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np
from numpy.typing import NDArray

from optsearch.compiled._nested_dual import Dual
from optsearch.counting.family import Family
from optsearch.game import Game, Permutation, bits, image
from optsearch.game.position import Position
from optsearch.lower_bounds.dual_chain import PRICE_OF_MISS, least_misses, members_of, rounded_up
from optsearch.support.errors import NotSupported, TooLarge

MOST = 8  # sets whose parts are all gone through
MOST_KEPT = 1 << 12  # what misses near a cell may leave, D
MOST_PRICES = 1 << 24  # of both sides, all places together
STEPS = 700
MORE_STEPS = 1400  # from so many sets on:
MANY = 2000
FINE = 1 << 20  # units to a miss while prices move
LENGTH = FINE >> 1  # of the first step
HALVINGS = 7  # of it on the way


@dataclass(frozen=True)
class Leaf:
    """M of the parts of a family, exactly or at least.

    by_size -- the least misses of 0, 1, 2, … of its sets, at least. by_part -- M of each part, the
    bits of its place say which sets are in it; None where `by_size` says it all.
    """

    by_size: tuple[int, ...]
    by_part: tuple[int, ...] | None = None

    @classmethod
    def of(cls, sets: Sequence[int]) -> Leaf:
        """The leaf of some distinct sets."""
        if len(sets) > MOST:
            return cls(cls.counted(sets))
        by_part = least_misses(sets, [1] * len(sets), range(len(sets)))
        least = list(range(len(sets) + 1))
        for size in least:
            least[size] = min(m for part, m in enumerate(by_part) if part.bit_count() == size)
        if all(m == least[part.bit_count()] for part, m in enumerate(by_part)):
            return cls(tuple(least))
        return cls(tuple(least), by_part)

    @staticmethod
    def counted(sets: Sequence[int]) -> tuple[int, ...]:
        """`by_size` by leaf counting: C(k - 1 + j, j) sets, at most, have j misses and k hits."""
        certain = sets[0]
        for cells in sets:
            certain &= cells
        hits = max((cells & ~certain).bit_count() for cells in sets)
        misses, room, total = 0, 1, [0]
        for _ in sets:
            if not room:
                misses += 1
                room = comb(hits - 1 + misses, misses)
            room -= 1
            total.append(total[-1] + misses)
        return tuple(total)

    def gains(self, prices: Sequence[int]) -> list[int]:
        """The most of p(T) - M(T), for the parts T of 1, 2, … sets."""
        if self.by_part is None:
            falling, total, gains = sorted(prices, reverse=True), 0, []
            for price, misses in zip(falling, self.by_size[1:], strict=True):
                total += price
                gains.append(total - PRICE_OF_MISS * misses)
            return gains
        sums = [0]
        for price in prices:
            sums += [some + price for some in sums]
        best: dict[int, int] = {}
        for part, (some, misses) in enumerate(zip(sums, self.by_part, strict=True)):
            size, gain = part.bit_count(), some - PRICE_OF_MISS * misses
            best[size] = max(best.get(size, gain), gain)
        return [best[size] for size in range(1, len(prices) + 1)]


@dataclass(frozen=True)
class Half:
    """G_u, the sets of a hit part that have the cells u near the hit, and no other of those.

    near -- u. sets -- their other cells, each v.
    """

    near: int
    sets: tuple[int, ...]

    @cached_property
    def leaf(self) -> Leaf | None:
        """The leaf of all of them, where they are few."""
        return Leaf.of(self.sets) if len(self.sets) <= MOST else None

    @cached_property
    def columns(self) -> list[tuple[list[int], Leaf]]:
        """The places of those with the same cell, and their leaf, for each cell."""
        return [
            (places, Leaf.of([self.sets[i] for i in places])) for _, places in members_of(self.sets)
        ]


@dataclass(frozen=True)
class Kept:
    """D: what some misses near a hit leave.

    missed -- the fewest such cells. halves -- places of the halves that are left. sets -- places of
    their sets in the hit part. prices -- place of the price of the first of these in a row. groups
    -- H_v of D for each v: places in `sets`, and M of it, at least.
    """

    missed: int
    halves: tuple[int, ...]
    sets: tuple[int, ...]
    prices: int
    groups: tuple[tuple[tuple[int, ...], int], ...]


@dataclass(frozen=True)
class Hit:
    """F_c. sets -- their places in F, half by half. kept -- each D."""

    cell: int
    sets: tuple[int, ...]
    halves: tuple[Half, ...]
    kept: tuple[Kept, ...]


@dataclass
class Prices:
    """Prices of a family. miss -- so many units are a miss.

    orbits -- y, of the sets of each orbit. sides -- b, and chains -- z: a row for each place i, of
    the sets of each D after each hit.
    """

    miss: int
    orbits: NDArray[np.int32]
    sides: NDArray[np.int32]
    chains: NDArray[np.int32]

    @property
    def places(self) -> int:
        """How many there are."""
        return len(self.sides)

    def rounded(self) -> Prices:
        """The same in 1/PRICE_OF_MISS, without places that take nothing."""
        parts = self.miss // PRICE_OF_MISS
        orbits = self.orbits // parts
        used = -(-int(orbits.max()) // PRICE_OF_MISS)
        return Prices(
            PRICE_OF_MISS, orbits, self.sides[:used] // parts, self.chains[:used] // parts
        )


class Nested:
    """What prices of a family are for.

    sets -- distinct sets of cells. near -- for each cell the cells U of its one side, 0 where it
    has none. symmetries -- a group of permutations of cells that take the family to itself. Raises
    TooLarge where misses near a cell leave too many parts.
    """

    def __init__(
        self, sets: Sequence[int], near: Mapping[int, int], symmetries: Sequence[Permutation] = ()
    ):
        self.sets = tuple(sets)
        family, orbits = set(sets), dict[int, int]()
        self.orbit = []
        for cells in self.sets:
            images = {cells, *(image(cells, turn) for turn in symmetries)}
            if not images <= family:
                raise ValueError("a symmetry takes a set to one that is not in the family")
            self.orbit.append(orbits.setdefault(min(images), len(orbits)))
        self.orbits, self.row = len(orbits), 0
        self.hits = [
            self._hit(cell, members, near.get(cell, 0))
            for cell, members in members_of(self.sets)
            if cell < 0 or all(turn[cell] >= cell for turn in symmetries)
        ]

    @classmethod
    def of(cls, game: Game) -> Nested:
        """That of all configurations of a game, its one side the cells of a ship through the hit.

        Raises NotSupported where sinkings are announced or several configurations have the same
        cells, TooLarge and ImpossiblePosition as `Family.of`.
        """
        family = Family.of(Position(game))
        if max(family.weights) > 1:
            raise NotSupported(f"several configurations of {game} have the same cells")
        near: dict[int, int] = {}
        for ship in {ship for kind in game.fleet for ship in game.placements(kind)}:
            for cell in bits(ship):
                near[cell] = near.get(cell, 0) | ship
        return cls(family.sets, near, game.symmetries())

    def _hit(self, cell: int, members: Sequence[int], near: int) -> Hit:
        hit = 1 << cell if cell >= 0 else 0
        near &= ~hit
        halves: dict[int, list[int]] = {}
        for i in members:
            halves.setdefault(self.sets[i] & near, []).append(i)
        order = sorted(halves)
        sets = [i for u in order for i in halves[u]]
        start = [0]
        for u in order:
            start.append(start[-1] + len(halves[u]))
        kept = []
        for number, missed in _left(order, near).items():
            chosen = tuple(j for j in range(len(order)) if number >> j & 1)
            places = tuple(i for j in chosen for i in range(start[j], start[j + 1]))
            groups: dict[int, list[int]] = {}
            for k, i in enumerate(places):
                groups.setdefault(self.sets[sets[i]] & ~near & ~hit, []).append(k)
            misses = [
                Leaf.of([self.sets[sets[places[k]]] & near for k in group]).by_size[-1]
                for group in groups.values()
            ]
            both = tuple(zip(map(tuple, groups.values()), misses, strict=True))
            kept.append(Kept(missed, chosen, places, self.row, both))
            self.row += len(places)
        return Hit(
            cell,
            tuple(sets),
            tuple(Half(u, tuple(self.sets[i] & ~near & ~hit for i in halves[u])) for u in order),
            tuple(kept),
        )

    def first_prices(self) -> Prices:
        """Those from which a search sets out: near what leaf counting leaves to each set."""
        mean = _mean(self.sets)
        places = 3 + int(2.5 * mean)
        if places * self.row > MOST_PRICES:
            raise TooLarge(f"{places * self.row:,} prices; at most {MOST_PRICES:,} are handled")
        sides, chains = np.zeros(self.row, np.int32), np.zeros(self.row, np.int32)
        for hit in self.hits:
            means = [1.4 * _mean(half.sets) for half in hit.halves]
            for kept in hit.kept:
                start = kept.prices
                for group, misses in kept.groups:
                    sides[[start + k for k in group]] = int(FINE * misses / len(group))
                for j in kept.halves:
                    stop = start + len(hit.halves[j].sets)
                    chains[start:stop] = int(FINE * means[j])
                    start = stop
        return Prices(
            FINE,
            np.full(self.orbits, int(FINE * 1.7 * mean), np.int32),
            np.tile(sides, (places, 1)),
            np.tile(chains, (places, 1)),
        )


def _mean(sets: Sequence[int]) -> float:
    """The mean number of misses on some sets, at least."""
    return Leaf.counted(sets)[-1] / len(sets)


def _left(halves: Sequence[int], near: int) -> dict[int, int]:
    """What misses near a cell leave, as sets of places of halves, and the fewest such misses."""
    everything = (1 << len(halves)) - 1
    left, new = {everything: 0}, [everything]
    avoid = [sum(1 << j for j, u in enumerate(halves) if not u >> cell & 1) for cell in bits(near)]
    while new:
        after = [d & some for d in new for some in avoid]
        fewest = left[new[0]] + 1
        new = []
        for d in after:
            if d and d not in left:
                left[d] = fewest
                new.append(d)
        if len(left) > MOST_KEPT:
            raise TooLarge(f"misses near a cell leave more than {MOST_KEPT:,} parts")
    return left


# The definition


def nested_dual(nested: Nested, prices: Prices) -> int:
    """The bound on M(F), in misses."""
    return max(0, rounded_up(nested_value(nested, prices)))


def nested_value(nested: Nested, prices: Prices) -> int:
    """The same, in 1/PRICE_OF_MISS, the unit of the prices.

    ValueError where a price y is above the number of places.
    """
    orbits: list[int] = prices.orbits.tolist()
    if max(orbits) > PRICE_OF_MISS * prices.places:
        raise ValueError(f"a price is above {prices.places} misses, the places that there are")
    own = [orbits[orbit] for orbit in nested.orbit]
    total = sum(own)
    for place in range(prices.places):
        sides, chains = prices.sides[place].tolist(), prices.chains[place].tolist()
        less = [price - PRICE_OF_MISS * place for price in own]
        if max(less) <= 0:
            break
        total += min(
            0,
            *(
                _kept(nested, hit, kept, less, sides, chains)
                for hit in nested.hits
                for kept in hit.kept
                if kept.missed <= place
            ),
        )
    return total


def _kept(
    nested: Nested, hit: Hit, kept: Kept, own: list[int], sides: list[int], chains: list[int]
) -> int:
    """What is left for a D. own -- p, of each set of F."""
    b = sides[kept.prices : kept.prices + len(kept.sets)]
    z = chains[kept.prices : kept.prices + len(kept.sets)]
    a = [own[hit.sets[i]] - price for i, price in zip(kept.sets, b, strict=True)]
    value = start = 0
    for j in kept.halves:
        stop = start + len(hit.halves[j].sets)
        value += _half(hit.halves[j], a[start:stop], z[start:stop])
        start = stop
    for group, misses in kept.groups:
        value += _all_or_nothing(misses, [b[k] for k in group])
    return value


def _all_or_nothing(misses: int, prices: list[int]) -> int:
    """What is left of sets that are taken all, or none of them."""
    return min(0, PRICE_OF_MISS * misses - sum(prices))


def _half(half: Half, prices: list[int], chain: list[int]) -> int:
    """The bound on P of a half."""
    if half.leaf:
        return min(0, -max(half.leaf.gains(prices)))
    low = _lesser(chain, prices)
    gains = [0] * len(low)  # by the number of sets, over all cells
    for places, leaf in half.columns:
        for size, gain in enumerate(leaf.gains([low[i] for i in places])):
            gains[size] = max(gains[size], gain)
    return sum(low) - sum(prices) - _places(gains)


def _lesser(chain: list[int], prices: list[int]) -> list[int]:
    """z'."""
    return [min(pair) for pair in zip(chain, prices, strict=True)]


def _places(gains: list[int]) -> int:
    """What all places of a chain gain: a part of k sets has k misses more at each."""
    total, place = 0, 0
    while (
        most := max(gain - PRICE_OF_MISS * place * size for size, gain in enumerate(gains, 1))
    ) > 0:
        total, place = total + most, place + 1
    return total


class Later:
    """What prices say of the misses that are to come after some. nested -- of the whole family."""

    def __init__(self, nested: Nested, prices: Prices):
        kernel = Dual(_terms(nested), PRICE_OF_MISS)
        some = [
            int(kernel.step(prices.orbits, prices.sides[:i], prices.chains[:i], 0))
            for i in range(prices.places + 1)
        ]
        self._terms = [some[-1] - value for value in some]  # of the places from i on
        self._own = prices.orbits[nested.orbit].astype(np.int64)

    def __call__(self, left: NDArray[np.bool_], misses: int) -> int:
        """A bound on M(F(E)). left -- which sets have no cell of E. misses -- its cells."""
        own = int((self._own[left] - PRICE_OF_MISS * misses).sum())
        return max(0, rounded_up(own + self._terms[min(misses, len(self._terms) - 1)]))


# The search for prices


def raised(
    nested: Nested,
    steps: int = 0,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[int, Prices]:
    """The bound on M(F) after so many steps, and the prices that give it.

    steps -- 0: `STEPS`, and `MORE_STEPS` for `MANY` sets and more. progress -- called after each
    step with those done and their number.
    """
    steps = steps or (STEPS if len(nested.sets) < MANY else MORE_STEPS)
    prices, terms = nested.first_prices(), _terms(nested)
    kernel = Dual(terms, FINE)
    for i in range(steps):
        halved, rest = divmod(HALVINGS * i, steps)
        length = (LENGTH >> halved) * (2 * steps - rest) // (2 * steps)
        kernel.step(prices.orbits, prices.sides, prices.chains, length)
        progress(i + 1, steps)
    rounded = prices.rounded()
    value: int = Dual(terms, PRICE_OF_MISS).step(rounded.orbits, rounded.sides, rounded.chains, 0)
    return max(0, rounded_up(value)), rounded


Line = tuple[int, int, list[int], list[int], list[int]]


def listed(nested: Nested, prices: Prices) -> tuple[list[tuple[int, int]], Iterator[Line]]:
    """Prices as `optsearch.check.prices` reads them: of orbits, and of each place, hit and D."""
    own = {nested.orbit[i]: cells for i, cells in enumerate(nested.sets)}
    orbits = [(cells, int(prices.orbits[orbit])) for orbit, cells in own.items()]
    return orbits, _lines(nested, prices)


def _lines(nested: Nested, prices: Prices) -> Iterator[Line]:
    for place in range(prices.places):
        for hit in nested.hits:
            for kept in hit.kept:
                if kept.missed > place:
                    continue
                sets = [nested.sets[hit.sets[i]] for i in kept.sets]
                ascending = sorted(range(len(sets)), key=sets.__getitem__)
                near = [hit.halves[j].near for j in kept.halves]
                row = slice(kept.prices, kept.prices + len(sets))
                b, z = prices.sides[place, row], prices.chains[place, row]
                yield place, hit.cell, near, b[ascending].tolist(), z[ascending].tolist()


class _Lists:
    """Lists of numbers, one behind the other."""

    def __init__(self) -> None:
        self.begin, self.entries = [0], list[int]()

    def add(self, some: Iterable[int]) -> int:
        """Where the new list begins."""
        self.entries += some
        self.begin.append(len(self.entries))
        return self.begin[-2]


def _terms(nested: Nested) -> dict[str, NDArray[np.int32]]:
    """The terms of a family as lists: what `Dual` takes."""
    half_leaf: list[bool] = []
    half_columns, kept_groups = [0], [0]
    hit_sets, half_sets, column_places = _Lists(), _Lists(), _Lists()
    kept_halves, group_places, misses = _Lists(), _Lists(), _Lists()
    column_leaf, leaf_sizes, leaf_parts = [], [], []
    kept_missed, kept_prices, group_misses = [], [], []
    leaves: dict[Leaf, int] = {}

    def number_of(leaf: Leaf) -> int:
        if leaf not in leaves:
            leaves[leaf] = len(leaves)
            leaf_sizes.append(misses.add(leaf.by_size))
            leaf_parts.append(-1 if leaf.by_part is None else misses.add(leaf.by_part))
        return leaves[leaf]

    for hit in nested.hits:
        before = len(half_leaf)
        for half in hit.halves:
            half_leaf.append(half.leaf is not None)
            half_sets.begin.append(half_sets.begin[-1] + len(half.sets))
            every = [(range(len(half.sets)), half.leaf)] if half.leaf else half.columns
            for places, leaf in every:
                column_places.add(places)
                column_leaf.append(number_of(leaf))
            half_columns.append(len(column_leaf))
        for kept in hit.kept:
            kept_missed.append(kept.missed)
            kept_prices.append(kept.prices)
            kept_halves.add(before + j for j in kept.halves)
            for group, least in kept.groups:
                group_places.add(group)
                group_misses.append(least)
            kept_groups.append(len(group_misses))
        hit_sets.add(hit.sets)
    sizes = Counter(nested.orbit)
    lists = {
        "orbit": nested.orbit,
        "orbit_sets": [sizes[orbit] for orbit in range(nested.orbits)],
        "sets": hit_sets.entries,
        "half_sets": half_sets.begin,
        "half_leaf": half_leaf,
        "half_columns": half_columns,
        "column_places": column_places.begin,
        "places": column_places.entries,
        "column_leaf": column_leaf,
        "leaf_sizes": leaf_sizes,
        "leaf_parts": leaf_parts,
        "misses": misses.entries,
        "kept_missed": kept_missed,
        "kept_prices": [*kept_prices, nested.row],
        "kept_halves": kept_halves.begin,
        "halves": kept_halves.entries,
        "kept_groups": kept_groups,
        "group_misses": group_misses,
        "group_places": group_places.begin,
        "grouped": group_places.entries,
    }
    return {name: np.array(some, np.int32) for name, some in lists.items()}
