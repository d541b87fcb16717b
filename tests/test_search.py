"""The kernel of the exact search, against the definition of its value, on random families."""

import random
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product
from math import comb

import numpy as np
import pytest

from optsearch.check import reference
from optsearch.compiled.search._search import Search
from optsearch.compiled.search._table import MemoryTable, SharedTable
from optsearch.counting.configurations import to_words
from optsearch.counting.family import Family
from optsearch.game import Game
from optsearch.game.position import Position
from optsearch.search.kernels import SWITCHES
from tests.definition import Misses
from tests.examples import sizes, some

FORBIDDEN = 1 << 50  # worst: a value from here on says that nobody can keep to the budget
OBJECTIVES = ("mean", "worst", "within")
ALL_ON = dict.fromkeys(SWITCHES, True)
ALL_OFF = dict.fromkeys(SWITCHES, False)

Grid = tuple[int, int]
SMALL_GRIDS: tuple[Grid, ...] = ((1, 10), (2, 5), (3, 3), (3, 4), (4, 4), (8, 9), (8, 16))
SHIP_GAMES = (
    "2x3:2",
    "2x4:2,1",
    "1x8:2,2",
    "3x3:2",
    "3x3:3,1",
    "2x5:3,2",
    "3x3:2,1,contact=corner",
    "3x3:2,2,contact=any",
    "2x4:2,2,contact=any",
    "2x4:3,1,contact=any",
)


def without(*names):
    return ALL_ON | dict.fromkeys(names, False)


def only(*names):
    return ALL_OFF | dict.fromkeys(names, True)


@cache
def symmetries(grid):
    return np.array(Game(*grid, (1,)).symmetries(), np.int32)


# Random families


@dataclass
class DrawnFamily:
    """A family on a grid: sets of one size, with weights."""

    sets: tuple[int, ...]
    weights: tuple[int, ...]
    grid: Grid

    @property
    def cells(self):
        return self.grid[0] * self.grid[1]

    @property
    def everything(self):
        return np.arange(len(self.sets), dtype=np.int32)

    def undecided(self):
        every, some = -1, 0
        for cells in self.sets:
            every &= cells
            some |= cells
        return [cell for cell in range(self.cells) if (some & ~every) >> cell & 1]

    def search(self, objective, switches=ALL_ON, table=None, disk=None, tick=lambda nodes: None):
        return Search(
            to_words(self.sets),
            np.array(self.weights, np.int64),
            self.cells,
            objective,
            MemoryTable(1 << 23) if table is None else table,
            disk,
            switches,
            tick,
        )


def mask(cells):
    return sum(1 << cell for cell in cells)


def subsets(rng, cells, most):
    """Some distinct subsets of one size."""
    cells = list(cells)
    size = rng.randint(1, max(1, len(cells) - 1))
    everything = [mask(chosen) for chosen in combinations(cells, size)]
    return rng.sample(everything, min(rng.randint(1, most), len(everything)))


@cache
def ship_like(text):
    game = Game.parse(text)
    family = Family.of(Position(game))
    return family.sets, family.weights, (game.rows, game.columns)


def plain_sets(rng):
    return subsets(rng, range(rng.randint(1, 9)), rng.choice((3, 6, 9, 12)))


def product_sets(rng):
    """Unions of sets on disjoint cells; sometimes one is left out, and it is no product."""
    factors = [subsets(rng, range(5 * i, 5 * i + rng.randint(1, 4)), 4) for i in range(2)]
    if len(factors[0]) * len(factors[1]) <= 6 and rng.random() < 0.5:
        factors.append(subsets(rng, range(10, 10 + rng.randint(1, 2)), 2))
    sets = [sum(parts) for parts in product(*factors)]
    if len(sets) > 2 and rng.random() < 0.3:
        sets.remove(rng.choice(sets))
    return sets


def duplicate_sets(rng):
    """Some cells come twice; where a set lacks one, it may have another in its place."""
    cells = rng.randint(2, 5)
    sets = subsets(rng, range(cells), 9)
    if rng.random() < 0.5:
        return [s | s << cells for s in sets]
    for i in range(rng.randint(1, 3)):
        cell, fresh = rng.randrange(cells), 5 + 2 * i
        sets = [s | (1 << fresh if s >> cell & 1 else 2 << fresh) for s in sets]
    return sets


def all_but_one_sets(rng):
    """All sets but one have a cell; that one has a cell that is its own or others'."""
    sets = plain_sets(rng)
    chosen = rng.randrange(len(sets))
    return [s << 2 | (2 if i == chosen else 1) for i, s in enumerate(sets)]


def disjoint_sets(rng):
    """Sets that have few cells in common."""
    size = rng.randint(1, 3)
    sets = [mask(range(i * size, (i + 1) * size)) for i in range(rng.randint(2, 5))]
    if rng.random() < 0.5:
        sets.append(mask(i * size for i in range(size)))
    return list(dict.fromkeys(sets))


KINDS = (plain_sets, plain_sets, product_sets, duplicate_sets, all_but_one_sets, disjoint_sets)


def renamed(rng, sets, cells):
    """The sets with their cells renamed at random to some of so many cells."""
    width = max(s.bit_length() for s in sets)
    names = rng.sample(range(cells), width)
    return [mask(names[cell] for cell in range(width) if s >> cell & 1) for s in sets]


def weights_of(rng, n):
    heaviest = rng.choice((1, 1, 2, 9, 100, 1 << 38))
    if heaviest == 9 and rng.random() < 0.5:  # very unequal
        return tuple(1 << rng.randint(0, 38) for _ in range(n))
    return tuple(rng.randint(1, heaviest) for _ in range(n))


def drawn(rng):
    """A random family of at most a dozen sets."""
    if rng.random() < 0.2:
        sets, weights, grid = ship_like(rng.choice(SHIP_GAMES))
        chosen = sorted(rng.sample(range(len(sets)), min(len(sets), rng.randint(1, 12))))
        sets = tuple(sets[i] for i in chosen)
        if rng.random() < 0.5:
            return DrawnFamily(sets, tuple(weights[i] for i in chosen), grid)
        return DrawnFamily(sets, weights_of(rng, len(sets)), grid)
    sets = rng.choice(KINDS)(rng)
    rng.shuffle(sets)
    width = max(s.bit_length() for s in sets)
    grid = rng.choice([grid for grid in SMALL_GRIDS if grid[0] * grid[1] >= width])
    sets = renamed(rng, sets, grid[0] * grid[1])
    return DrawnFamily(tuple(sets), weights_of(rng, len(sets)), grid)


def odd_shapes(rng, example):
    """Sets that are no longer of one size: some cells are gone from all of them."""
    if rng.random() < 0.5:
        gone = rng.getrandbits(example.cells)
        weights_left = {
            cells & ~gone: w for cells, w in zip(example.sets, example.weights, strict=True)
        }
        example.sets, example.weights = tuple(weights_left), tuple(weights_left.values())
    return example


def switches_of(rng):
    kind = rng.random()
    if kind < 0.2:
        return ALL_ON
    if kind < 0.3:
        return ALL_OFF
    if kind < 0.4:
        return without(rng.choice(SWITCHES))
    if kind < 0.5:
        return only(rng.choice(SWITCHES))
    return {name: rng.random() < 0.5 for name in SWITCHES}


def budget_of(rng, objective):
    return -1 if objective == "mean" else rng.choice((0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 9, 127))


def agrees(value, expected):
    return value >= FORBIDDEN if expected == float("inf") else value == expected


def fits(value, expected, limit):
    """Exact below the limit; else a bound that reaches it."""
    return (
        agrees(value, expected) if value < limit else limit <= value and is_below(value, expected)
    )


def is_below(value, expected):
    return value >= 0 and (expected == float("inf") or value <= expected)


def limit_of(rng, expected):
    if expected == float("inf"):
        return rng.choice((1, 5, 100, FORBIDDEN))
    return rng.choice((1, expected // 2, expected - 1, expected, expected + 1, 2 * expected + 2))


def check(rng, example, objective, switches, budget):
    """One family: its value, with and without limits, all first shots and the bounds."""
    truth = Misses(example.sets, example.weights, objective)
    expected = truth.value(truth.everything, budget)
    search = example.search(objective, switches)
    family = example.everything
    if rng.random() < 0.5:  # a part of it, after the kernel has begun
        chosen = sorted(rng.sample(range(len(family)), rng.randint(1, len(family))))
        part = search.solve(np.array(chosen, np.int32), budget)
        assert agrees(part, truth.value(mask(chosen), budget))
    assert is_below(search.lower_bound(family, budget), expected)
    limit = limit_of(rng, expected)
    assert fits(search.solve(family, budget, limit), expected, limit)
    assert agrees(search.solve(family, budget), expected)
    assert fits(search.solve(family, budget, limit), expected, limit)
    shots = search.shots(family, budget)
    assert sorted(cell for cell, _ in shots) == example.undecided()
    for cell, bound in shots:
        cost = truth.after(truth.everything, cell, budget)
        assert is_below(bound, cost), (cell, bound, cost)
        limit = limit_of(rng, cost)
        assert fits(search.after(family, cell, budget, limit), cost, limit)
        assert agrees(search.after(family, cell, budget), cost)


def check_many(seed, number):
    rng = random.Random(seed)
    for i in range(number):
        example, objective = drawn(rng), rng.choice(OBJECTIVES)
        switches, budget = switches_of(rng), budget_of(rng, objective)
        try:
            check(rng, example, objective, switches, budget)
        except AssertionError as error:
            off = [name for name, on in switches.items() if not on]
            raise AssertionError(f"{i}: {example} {objective} {budget=} {off=}: {error}") from error


def test_random_families():
    check_many(1, 700)


@pytest.mark.long(60)
def test_more_random_families():
    check_many(1, 10_000)
    check_many(2, 30_000)


@sizes("number", 50, 150, 2)
def test_the_definition_is_that_of_the_reference(number):
    rng = random.Random(3)
    for _ in range(number):
        example = drawn(rng)
        size, weight = example.sets[0].bit_count(), sum(example.weights)
        if len(example.sets) > 8 or size > 5:
            continue
        family = frozenset(zip(example.sets, example.weights, strict=True))
        truth = {name: Misses(example.sets, example.weights, name) for name in OBJECTIVES}
        budget, everything = rng.randint(0, 4), truth["mean"].everything
        shots = size + budget
        certain = size * weight
        assert certain + truth["mean"].value(everything, -1) == reference.total_height(family)
        found = certain + truth["worst"].value(everything, budget)
        assert found == reference.total_height(family, shots)
        found = weight - truth["within"].value(everything, budget)
        assert found == reference.most_finished(family, shots)
    reference.total_height.cache_clear()
    reference.most_finished.cache_clear()


@pytest.mark.parametrize("number", [10, pytest.param(1000, marks=pytest.mark.long(15))])
def test_few_switches_alone(number):
    """Each by itself, and some pairs, threes and fours: bounds are admissible in any company."""
    rng = random.Random(4)
    singles = [(), *((name,) for name in SWITCHES)]
    for _ in range(number):
        example, objective = drawn(rng), rng.choice(OBJECTIVES)
        budget = budget_of(rng, objective)
        truth = Misses(example.sets, example.weights, objective)
        expected = truth.value(truth.everything, budget)
        after = {cell: truth.after(truth.everything, cell, budget) for cell in truth.columns}
        for names in (*singles, *(rng.sample(SWITCHES, k) for k in (2, 3, 4) for _ in range(40))):
            search = example.search(objective, only(*names))
            bound = search.lower_bound(example.everything, budget)
            assert is_below(bound, expected), (example, objective, budget, names)
            for cell, bound in search.shots(example.everything, budget):
                assert is_below(bound, after[cell]), (example, objective, budget, names, cell)


@pytest.mark.parametrize("number", [400, pytest.param(2000, marks=pytest.mark.long(3))])
def test_bounds_and_limits_of_odd_shapes(number):
    """Sets of several sizes, some in others; searched with limits about the optimum."""
    rng = random.Random(15)
    for _ in range(number):
        example, switches = odd_shapes(rng, drawn(rng)), switches_of(rng)
        if not any(example.sets):
            continue
        truth = Misses(example.sets, example.weights, "mean")
        optimum = truth.value(truth.everything, -1)
        search = example.search("mean", switches)
        assert 0 <= search.lower_bound(example.everything) <= optimum, (example, switches)
        for cell, bound in search.shots(example.everything):
            cost = truth.after(truth.everything, cell, -1)
            assert 0 <= bound <= cost, (example, switches, cell)
        for limit in rng.sample((optimum - 1, optimum, optimum + 1), 3):
            value = search.solve(example.everything, limit=limit)
            assert fits(value, optimum, limit), (example, switches, limit)


def chain_as_documented(sets, cells):
    """The most sets that the cells of an all-miss chain are the first to hit, descending."""
    count = {c: sum(s >> c & 1 for s in sets) for c in cells}
    pair = {(c, d): sum(s >> c & s >> d & 1 for s in sets) for c in cells for d in cells}
    first_hit, matched = dict(count), set()
    for c in sorted(cells, key=lambda c: -count[c]):
        free = [d for d in first_hit if d not in matched and d != c and pair[c, d]]
        free = [d for d in free if (-count[d], d) > (-count[c], c)]
        if c not in matched and free:
            d = min(free, key=lambda d: (-pair[c, d], -count[d], d))
            matched.add(d)
            first_hit[d] = min(count[d], count[c] - pair[c, d])
    chain = sorted(first_hit.values(), reverse=True)
    for i in range(1, len(chain)):
        chain[i] = min(
            chain[i],
            max(count[c] - sorted(pair[c, d] for d in cells if d != c)[i - 1] for c in cells),
        )
    return chain


def test_the_chain_is_what_its_inequalities_say():
    rng = random.Random(11)
    strict = 0
    for _ in range(300):
        hits, counted = rng.randint(2, 4), rng.random() < 0.5
        sets = [mask(chosen) for chosen in combinations(range(rng.randint(hits + 2, 16)), hits)]
        sets = rng.sample(sets, rng.randint(3, min(len(sets), 40)))
        example = DrawnFamily(tuple(sets), (1,) * len(sets), (4, 4))
        cells = example.undecided()
        some = mask(cells)
        sets = [s & some for s in sets]
        hits = max(s.bit_count() for s in sets)
        if len(sets) == 2 or hits == 1:
            continue
        chain = chain_as_documented(sets, cells)
        largest = max(sum(s >> c & 1 for s in sets) for c in cells)
        expected, plain = 0, 0
        for t in range(len(sets)):
            leaves = comb(hits + t, t) if counted or t == 0 else len(sets)
            after = [
                min(largest, comb(hits - 1 + s, s) if counted or s == 0 else largest)
                for s in range(t + 1)
            ]
            finished = sum(min(n, after[t - i]) for i, n in enumerate(chain) if i <= t)
            expected += len(sets) - min(len(sets), finished, leaves)
            plain += len(sets) - min(len(sets), leaves)
        switches = only("profile", "matching", *(["leaf_counting"] if counted else []))
        bound = example.search("mean", switches).lower_bound(example.everything)
        assert bound == expected, (sets, bound, expected)
        strict += expected > plain
    assert strict > 50


def test_bounds_say_what_their_inequalities_say():
    pairs = DrawnFamily(tuple(map(mask, combinations(range(5), 2))), (1,) * 10, (1, 5))
    family = pairs.everything

    def bound(*names, objective="mean", budget=-1):
        return pairs.search(objective, only(*names)).lower_bound(family, budget)

    assert bound() == 0
    # At most 1, 3, 6, 10 words of two hits and 0 to 3 misses end in a hit.
    assert bound("leaf_counting") == 9 + 7 + 4
    # Each cell is in four pairs; hit with s misses to go, 1 + s of them are finished.
    assert bound("leaf_counting", "profile") == 9 + 7 + 4
    assert bound("leaf_counting", objective="within", budget=1) == 7
    assert bound("leaf_counting", objective="worst", budget=3) == 20
    assert bound("leaf_counting", objective="worst", budget=2) >= FORBIDDEN
    alone = DrawnFamily(tuple(1 << i for i in range(6)), (1,) * 6, (1, 6))
    search = alone.search("mean", only("profile"))
    assert search.lower_bound(alone.everything) == 5 + 4 + 3 + 2 + 1


# Normal forms


def moved(example, permutation):
    """A family with its cells renamed and its sets in another order."""
    images = [
        mask(permutation[cell] for cell in range(example.cells) if s >> cell & 1)
        for s in example.sets
    ]
    pairs = sorted(zip(images, example.weights, strict=True))
    return DrawnFamily(tuple(s for s, _ in pairs), tuple(w for _, w in pairs), example.grid)


def key_of(example, objective="mean", budget=-1, switches=ALL_ON):
    return example.search(objective, switches).normal_form(example.everything, budget)


def some_families(rng, number):
    """Families of two sets or more."""
    families = (drawn(rng) for _ in iter(int, 1))
    return [next(family for family in families if len(family.sets) > 1) for _ in range(number)]


def test_isomorphic_families_have_one_normal_form():
    rng = random.Random(5)
    equal = 0
    for example in some_families(rng, 600):
        permutation = rng.sample(range(example.cells), example.cells)
        equal += key_of(example) == key_of(moved(example, permutation))
    assert equal >= 0.97 * 600  # a poor tie-break loses a table hit, no more


def test_images_under_the_grid_have_one_normal_form():
    """With isomorphism; without, cells keep their names."""
    rng = random.Random(6)
    different = 0
    for example in some_families(rng, 400):
        permutation = rng.choice(symmetries(example.grid)).tolist()
        image = moved(example, permutation)
        assert key_of(example) == key_of(image)
        by_name = without("isomorphism")
        different += key_of(example, switches=by_name) != key_of(image, switches=by_name)
    assert different > 100


@pytest.mark.parametrize("objective", OBJECTIVES)
@sizes("number", 300, 900, 1)
def test_one_normal_form_one_optimum(objective, number):
    """Of small families and their images, under all switches that choose the key."""
    rng = random.Random(7)
    values = {}
    shared = 0
    for _ in range(number):
        size = rng.randint(1, 3)
        everything = [mask(cells) for cells in combinations(range(5), size)]
        sets = rng.sample(everything, rng.randint(1, min(6, len(everything))))
        weights = tuple(rng.randint(1, 2) for _ in sets) if rng.random() < 0.5 else (1,) * len(sets)
        example = DrawnFamily(tuple(sets), weights, rng.choice(((1, 5), (2, 5), (3, 3))))
        truth = Misses(example.sets, example.weights, objective)
        budget = -1 if objective == "mean" else rng.randint(0, 3)
        value = truth.value(truth.everything, budget)
        for names in ((), ("isomorphism",), ("merging",), ("isomorphism", "merging")):
            if len(sets) == 1:
                continue  # see test_the_normal_form_of_one_set
            key = key_of(example, objective, budget, without(*names))
            shared += key in values
            # Keys tell all but one of these: whether cells are named as on a grid, and which grid.
            assert values.setdefault(key, value) == value, (example, budget)
    assert shared > number // 3


# Larger families, from games


def game_family(text, rng=None, most=200, weights=True):
    """The sets of a game, or so many of them at random."""
    game = Game.parse(text)
    family = Family.of(Position(game))
    chosen = range(len(family.sets))
    if len(chosen) > most:
        chosen = sorted(rng.sample(chosen, most))
    return DrawnFamily(
        tuple(family.sets[i] for i in chosen),
        tuple(family.weights[i] if weights else 1 for i in chosen),
        (game.rows, game.columns),
    )


class Abandoned(Exception):
    """A search has taken too many ticks."""


def solved(example, objective, switches, family, budget, limit=1 << 60, disk=None, table=None):
    """The value of a family and its search; None for the value if that takes too long."""
    ticks = []

    def tick(nodes):
        ticks.append(nodes)
        if len(ticks) > 5:
            raise Abandoned

    search = example.search(objective, switches, table, disk, tick)
    try:
        return search.solve(family, budget, limit), search
    except Abandoned:
        return None, search


def alike(value, expected):
    return value == expected or min(value, expected) >= FORBIDDEN


def weigh(rng, example, weights):
    """Give a larger family other weights: none, of one size, small ones or very unequal ones."""
    draw = {
        "ones": lambda: 1,
        "alike": lambda: rng.randint(1 << 30, (1 << 30) + (1 << 28)),
        "small": lambda: rng.randint(1, 5),
        "unequal": lambda: 1 << rng.randint(0, 31),
    }
    example.weights = tuple(draw[weights]() for _ in example.sets)
    return example


WEIGHTS = ("alike", "small", "unequal")


@pytest.mark.parametrize(
    ("text", "weights"),
    [
        *((text, "ones") for text in some(2, ["5x5:5,4,3", "4x4:2,2,contact=any"], 1)),
        *some(1, [("4x5:3,2", "ones"), ("5x5:3,2", "ones")], 2),
        *some(2, [("4x5:3,2", weights) for weights in WEIGHTS], 1),
    ],
)
def test_words(text, weights):
    """Subfamilies around 64 sets, searched on a machine word and not, one after the other."""
    rng = random.Random(9)
    example = weigh(rng, game_family(text, rng, 2000, weights=False), weights)
    on = example.search("mean")
    plain = example.search("mean", without("words", "isomorphism"))
    for n in (3, 4, 10, 15, 16, 17, 30, 40, 50, 63, 64, 65):
        for _ in range(3):
            some = sorted(rng.sample(range(len(example.sets)), min(n, len(example.sets))))
            family = np.array(some, np.int32)
            value = plain.solve(family)
            assert on.solve(family) == value
            limit = max(1, value - rng.randint(0, 10) * min(example.weights))
            switches = switches_of(rng) | {"words": True, "memo": True}
            value_below, fresh = solved(example, "mean", switches, family, -1, limit)
            assert value_below is None or fits(value_below, value, limit)
            assert value_below is None or fresh.solve(family, -1, value) >= value
    assert on.subsets
    assert not plain.subsets


@pytest.mark.parametrize(
    ("text", "weights"),
    [
        *some(1, [(text, "ones") for text in ("4x6:L4,3", "5x5:4,3", "5x5:5,2,2", "6x6:3")], 1),
        *some(1, [("5x5:4,3", weights) for weights in WEIGHTS], 1),
    ],
)
def test_limits_around_the_optimum(text, weights):
    """Families of more than 64 sets, whose halves are bounded on machine words."""
    rng = random.Random(12)
    example = weigh(rng, game_family(text, rng, 2000, weights=False), weights)
    plain = example.search("mean", without("words", "splitting", "chain"))
    for n in (20, 40, 65, 70, 90):
        for _ in range(3):
            some = sorted(rng.sample(range(len(example.sets)), min(n, len(example.sets))))
            family = np.array(some, np.int32)
            value = plain.solve(family)
            search = example.search("mean")
            assert search.lower_bound(family) <= value
            assert value - 1 <= search.solve(family, limit=value - 1) <= value
            assert search.solve(family, limit=value) == value
            assert search.solve(family, limit=value + 1) == value
            assert example.search("mean").solve(family, limit=value + 1) == value


@sizes("number", 300, 3000, 3)
def test_former_weights(number):
    """Small families by the definition, weighed anew after a look back at other weights."""
    rng = random.Random(17)
    for _ in range(number):
        example = odd_shapes(rng, drawn(rng))
        n = len(example.sets)
        search = example.search("mean", switches_of(rng) | {"even": True})
        example.weights = tuple(rng.choices((20, 21, 30), k=n))
        for _ in range(3):
            search.weigh(np.array(example.weights))
            truth = Misses(example.sets, example.weights, "mean")
            expected = truth.value(truth.everything, -1)
            limit = limit_of(rng, expected)
            assert fits(search.solve(example.everything, -1, limit), expected, limit)
            assert search.solve(example.everything) == expected
            search.bound_by_previous_weights()
            example.weights = tuple(weight + rng.randint(0, 1) for weight in example.weights)


# Tables


# The clock


def after_random_shots(rng, example, budget):
    """A part of a family that is left after some shots, and its budget."""
    family, cells = list(range(len(example.sets))), example.undecided()
    for cell in rng.sample(cells, rng.randint(0, min(3, len(cells)))):
        hit = [i for i in family if example.sets[i] >> cell & 1]
        missed = [i for i in family if not example.sets[i] >> cell & 1]
        if not hit or (missed and rng.random() < 0.5):
            family, budget = missed, budget - (budget > 0)
        else:
            family = hit
    return np.array(family, np.int32), budget


@sizes("number", 2_000, 30_000, 60)
def test_what_others_are_at_changes_no_answer(number):
    """Random parts are marked, as by processes that never come to an end."""
    rng, put_off = random.Random(14), dict.fromkeys(OBJECTIVES, 0)
    for _ in range(number):
        example, objective = drawn(rng), rng.choice(OBJECTIVES)
        if len(example.sets) < 2:
            continue
        budget = budget_of(rng, objective)
        truth = Misses(example.sets, example.weights, objective)
        expected = truth.value(truth.everything, budget)
        limit = limit_of(rng, expected)
        switches = only() if rng.random() < 0.5 else switches_of(rng)
        switches = switches | {"memo": True, "words": rng.random() < 0.2}
        nodes = []
        for marks in (0, 20):
            search = example.search(objective, switches)
            search.memo.shared, search.team = SharedTable(bytearray(1 << 16)), 2
            for _ in range(marks):
                part = after_random_shots(rng, example, budget)
                search.memo.shared.mark(search.normal_form(*part))
            assert fits(search.solve(example.everything, budget, limit), expected, limit)
            nodes.append(search.nodes)
            assert agrees(search.solve(example.everything, budget), expected)
        put_off[objective] += nodes[0] != nodes[1]
    assert min(put_off.values()) > number / 200


# Bad arguments


def build(sets=((3, 0), (5, 0)), weights=(1, 1), **changes):
    arguments = {
        "sets": np.array(sets, np.uint64).reshape(len(weights), -1),
        "weights": np.array(weights, np.int64),
        "cells": 3,
        "objective": "mean",
        "table": MemoryTable(1 << 23),
        "disk": None,
        "switches": ALL_ON,
        "tick": lambda nodes: None,
    }
    return Search(*(arguments | changes).values())


@pytest.mark.parametrize(
    "arguments",
    [
        {"sets": (), "weights": ()},
        {"weights": (1,)},
        {"weights": (1, 1, 1)},
        {"weights": (1, 0)},
        {"weights": (1, -1)},
        {"weights": (1, 1 << 43)},
        {"weights": (1 << 62, 1 << 62)},
        {"cells": 0},
        {"cells": 129},
        {"switches": dict.fromkeys(SWITCHES[1:], True)},
        {"switches": {}},
        {"sets": (1, 2, 4), "weights": (1,)},
        {"sets": ((3, 0), (8, 0))},
        {"sets": ((3, 0), (1, 1))},
        {"sets": ((3, 0), (7, 0)), "objective": "worst"},
    ],
)
def test_bad_families_and_switches(arguments):
    assert build().solve(np.arange(2, dtype=np.int32)) == 1
    with pytest.raises(ValueError):  # noqa: PT011 -- which argument is bad differs
        build(**arguments)


def test_an_unknown_objective_and_no_table():
    with pytest.raises(ValueError, match="median"):
        build(objective="median")
    with pytest.raises(TypeError, match="MemoryTable"):
        build(table=None)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("method", ["solve", "shots", "lower_bound", "normal_form", "after"])
def test_bad_queries(objective, method):
    search = build(objective=objective)
    call = getattr(search, method)
    cell = (1,) if method == "after" else ()
    good = -1 if objective == "mean" else 3
    call(np.array([0, 1], np.int32), *cell, good)
    for family in ([], [0, 2], [-1, 0], [1, 0], [0, 0], [0, 1, 2]):
        with pytest.raises(ValueError, match="family"):
            call(np.array(family, np.int32), *cell, good)
    for budget in (0, 5, 128) if objective == "mean" else (-1, -2, 128, 1000):
        with pytest.raises(ValueError, match="budget"):
            call(np.array([0, 1], np.int32), *cell, budget)


@pytest.mark.parametrize("cell", [0, 3, 100, 127, 128 + 1, 256 + 2, 1 << 20, -1, -127])
def test_a_first_shot_that_is_not_undecided(cell):
    with pytest.raises(ValueError, match="undecided"):
        build().after(np.array([0, 1], np.int32), cell)
