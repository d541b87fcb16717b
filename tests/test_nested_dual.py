"""The nested dual: below the optimum for any prices, on families and games of all kinds."""

import random
from itertools import combinations

import numpy as np
import pytest
from test_dual_chain import families
from test_search import Definition, game_family, mask

from optsearch.compiled._nested_dual import Dual
from optsearch.game import Game, bits
from optsearch.lower_bounds import nested_dual as module
from optsearch.lower_bounds.dual_chain import PRICE_OF_MISS
from optsearch.lower_bounds.nested_dual import Nested, Prices, nested_dual, nested_value, raised
from optsearch.support.errors import NotSupported, TooLarge
from tests.examples import sizes, some


def ship_cells(game):
    """For each cell the cells of the ships through it."""
    near = dict.fromkeys(range(game.cells), 0)
    for ship in {ship for kind in game.fleet for ship in game.placements(kind)}:
        for cell in range(game.cells):
            near[cell] |= ship if ship >> cell & 1 else 0
    return near


def any_prices(rng, nested):
    """Prices of all sorts: wild ones, and such as a search finds, shaken or without one side."""
    found = raised(nested, 20)[1]
    places = min(found.places, rng.randint(2, 8)) or 1
    generator = np.random.default_rng(rng.getrandbits(32))
    kind, shake = rng.random(), rng.choice((1, PRICE_OF_MISS // 4, PRICE_OF_MISS))

    def drawn(like, least, most):
        if kind < 0.3:
            return generator.integers(least * PRICE_OF_MISS, most * PRICE_OF_MISS, like.shape)
        return like + generator.integers(-shake, shake + 1, like.shape)

    orbits = np.clip(drawn(found.orbits, 0, places), 0, places * PRICE_OF_MISS)
    sides = drawn(np.resize(found.sides, (places, nested.row)), -2, 4)
    chains = drawn(np.resize(found.chains, (places, nested.row)), -1, 6)
    if kind > 0.8:
        sides[:] = 0
    return Prices(PRICE_OF_MISS, *(part.astype(np.int32) for part in (orbits, sides, chains)))


def by_kernel(nested, prices):
    """The value by the kernel, the prices staying as they are."""
    before = [part.copy() for part in (prices.orbits, prices.sides, prices.chains)]
    kernel = Dual(module._terms(nested), prices.miss)
    value = kernel.step(prices.orbits, prices.sides, prices.chains, 0)
    for part, other in zip((prices.orbits, prices.sides, prices.chains), before, strict=True):
        assert (part == other).all()
    return value


def small_families(rng, number):
    """Random families, their optimum, and what prices of them are for, with random sides."""
    for example, _, _ in families(rng, number):
        truth = Definition(example.sets, (1,) * len(example.sets), "mean")
        near = {cell: rng.getrandbits(example.cells) for cell in range(example.cells)}
        yield truth.value(truth.everything, -1), Nested(example.sets, near)


SHIPS = (
    *("3x4:2,2", "3x5:2,2", "4x4:2,2", "4x5:3,3", "4x4:2,2;holes=B2", "3x4:2,2;contact=corner"),
    *("4x4:3,2", "3x5:3,2", "3x5:2,1", "3x5:2,2,2", "3x5:2,2,1"),
)


def residual_families(rng, number):
    """The same of games after up to four misses; of whole games with their symmetries."""
    for _ in range(number):
        text = rng.choice(SHIPS)
        game, whole = Game.parse(text), game_family(text, rng, 10_000, weights=False)
        missed = mask(rng.sample(range(game.cells), rng.choice((0, 1, 2, 4))))
        chosen = [i for i, cells in enumerate(whole.sets) if not cells & missed]
        if not chosen:
            continue
        optimum = whole.search("mean").solve(np.array(chosen, np.int32))
        turns = game.symmetries() if not missed else ()
        yield optimum, Nested([whole.sets[i] for i in chosen], ship_cells(game), turns)


@pytest.fixture(params=[1, 3, 8])
def most(request, monkeypatch):
    """So many sets, at most, whose parts are all gone through."""
    monkeypatch.setattr(module, "MOST", request.param)


@sizes("number", 40, 1000, 60)
def test_no_strategy_costs_less_than_any_prices(number, most):
    """By the definition and by the kernel, which agree to the last digit."""
    rng = random.Random(1)
    close = 0
    for kind, cases in ((small_families, 2 * number), (residual_families, number // 8)):
        for optimum, nested in kind(rng, cases):
            prices = any_prices(rng, nested)
            value = nested_value(nested, prices)
            assert value == by_kernel(nested, prices)
            bound = nested_dual(nested, prices)
            assert bound <= optimum
            close += bound == optimum > 0
    assert close > number // 50


@sizes("number", 40, 400, 40)
def test_prices_that_are_searched(number, most):
    """They are below the optimum, too, and close to it for two equal ships."""
    rng = random.Random(2)
    tight = 0
    for kind, cases in ((small_families, number), (residual_families, number // 6)):
        for optimum, nested in kind(rng, cases):
            bound, prices = raised(nested, 60)
            assert bound == nested_dual(nested, prices) <= optimum
            assert prices.miss == PRICE_OF_MISS
            tight += bound >= 0.97 * optimum > 0
    assert tight > number // 4


# What a hit leaves


def hit_parts(rng, number):
    """What each cell of some random families leaves, with the optimum of all parts.

    Half of the families are products, or such from which some sets are gone: those of a cell, one
    of a few near it and one or two others.
    """
    for example, _, _ in families(rng, number):
        sets, near = example.sets, rng.getrandbits(example.cells)
        if rng.random() < 0.5:
            others = [1 << v | 1 << w for v, w in combinations(range(4, 8), 2)]
            others = rng.sample(others, 3) if rng.random() < 0.5 else [1 << v for v in range(4, 8)]
            sets = [1 | 1 << u | v for u in (1, 2, 3) for v in others]
            sets, near = rng.sample(sets, rng.randint(len(sets) // 2, len(sets))), 0b1110
        truth = Definition(tuple(sets), (1,) * len(sets), "mean")
        nested = Nested(sets, dict.fromkeys(range(example.cells), near))
        for hit in rng.sample(nested.hits, min(2, len(nested.hits))):
            yield truth, nested, hit


def least_residual(truth, hit, prices):
    """P by its definition: over all parts that misses leave, and nothing."""
    columns = [has for cell, has in truth.columns.items() if cell != hit.cell]
    every = sum(1 << i for i in hit.sets)
    parts, new = {0, every}, [every]
    while new:
        new = list({part & ~has for part in new for has in columns} - parts)
        parts.update(new)
    return min(
        PRICE_OF_MISS * truth.value(part, -1) - sum(prices[i] for i in bits(part)) for part in parts
    )


def prices_of_a_hit(rng, nested, hit):
    """Prices of the sets, and of both sides: even ones, or a few high ones and none else."""
    if rng.random() < 0.5:
        own = [rng.randint(-1, 5 * PRICE_OF_MISS) for _ in nested.sets]
    else:
        cell = 1 << rng.randrange(9)
        own = [5 * PRICE_OF_MISS * (cells & cell > 0) for cells in nested.sets]
    most = rng.choice((0, 1, 1, 3))
    sides = [rng.randint(0, most * PRICE_OF_MISS) for _ in range(nested.row)]
    return own, sides, [rng.randint(-1, 4 * PRICE_OF_MISS) for _ in range(nested.row)]


def false_hit_bounds(seed, number):
    """How many of the bounds on P are above it, and how many are P."""
    rng = random.Random(seed)
    false = equal = 0
    for truth, nested, hit in hit_parts(rng, number):
        prices = prices_of_a_hit(rng, nested, hit)
        bound = min(0, *(module._kept(nested, hit, kept, *prices) for kept in hit.kept))
        least = least_residual(truth, hit, prices[0])
        false += bound > least
        equal += bound == least < 0
    return false, equal


@sizes("number", 200, 2000, 10)
def test_no_part_costs_less_than_two_sides_and_their_chains(number, most):
    false, equal = false_hit_bounds(3, number)
    assert false == 0
    assert equal > number // 50


def test_parts_that_are_taken_whatever_they_cost_are_caught(monkeypatch):
    wrong = lambda misses, prices: PRICE_OF_MISS * misses - sum(prices)  # noqa: E731
    monkeypatch.setattr(module, "_all_or_nothing", wrong)
    assert false_hit_bounds(3, 200)[0] > 0


def test_a_chain_whose_numbers_are_above_the_prices_is_caught(monkeypatch):
    monkeypatch.setattr(module, "MOST", 1)
    monkeypatch.setattr(module, "_lesser", lambda chain, prices: chain)
    assert false_hit_bounds(3, 200)[0] > 0


def test_misses_near_a_hit_that_are_forgotten_are_caught(monkeypatch):
    """With every D left out but the one without misses there."""
    monkeypatch.setattr(module, "_left", lambda halves, near: {(1 << len(halves)) - 1: 0})
    assert false_hit_bounds(3, 200)[0] > 0


def test_places_that_end_too_early_are_caught(monkeypatch):
    monkeypatch.setattr(module, "MOST", 1)
    monkeypatch.setattr(module, "_places", lambda gains: max(0, *gains))
    assert false_hit_bounds(3, 200)[0] > 0


# Whole games


@pytest.mark.parametrize(
    ("text", "misses", "optimum"),
    some(
        1,
        [
            *(("4x5:2,2", 1119, 1149), ("4x6:2,2", 2489, 2538), ("5x5:2,2", 2943, 3019)),
            *(("5x6:2,2", 6131, 6245), ("6x6:2,2", 12309, 12534)),
        ],
        4,
    ),
)
def test_two_ships_of_two_cells(text, misses, optimum):
    """Optima of `data/results/optima.csv`; of 6x6 what a strategy takes."""
    nested = Nested.of(Game.parse(text))
    bound, prices = raised(nested)
    assert bound == misses == nested_dual(nested, prices) < optimum


def test_prices_of_orbits_count_as_those_of_every_set():
    """With and without the symmetries of the board, each cell having the prices of its image."""
    game = Game.parse("3x4:2,2")
    nested = Nested.of(game)
    every = Nested(nested.sets, ship_cells(game))
    prices = any_prices(random.Random(7), nested)
    alike = Prices(
        PRICE_OF_MISS,
        prices.orbits[nested.orbit],
        np.zeros((prices.places, every.row), np.int32),
        np.zeros((prices.places, every.row), np.int32),
    )
    assert len(every.hits) > len(nested.hits)
    for hit in every.hits:
        turn, image_hit = image_of(game, nested, hit.cell)
        for kept in hit.kept:
            turned = {turned_set(nested.sets[hit.sets[i]], turn) for i in kept.sets}
            (other,) = (
                one
                for one in image_hit.kept
                if {nested.sets[image_hit.sets[i]] for i in one.sets} == turned
            )
            place = {
                nested.sets[image_hit.sets[i]]: other.prices + k for k, i in enumerate(other.sets)
            }
            for k, i in enumerate(kept.sets):
                source = place[turned_set(nested.sets[hit.sets[i]], turn)]
                alike.sides[:, kept.prices + k] = prices.sides[:, source]
                alike.chains[:, kept.prices + k] = prices.chains[:, source]
    assert nested_value(every, alike) == nested_value(nested, prices) == by_kernel(every, alike)


def turned_set(cells, turn):
    return mask(turn[cell] for cell in bits(cells))


def image_of(game, nested, cell):
    """A symmetry that takes a cell to one that has prices, and the hit there."""
    for turn in game.symmetries():
        for hit in nested.hits:
            if hit.cell == turn[cell]:
                return turn, hit
    raise AssertionError


def test_what_has_no_prices():
    with pytest.raises(NotSupported, match="several configurations of 3x3:2,2;contact=any"):
        Nested.of(Game.parse("3x3:2,2;contact=any"))
    with pytest.raises(ValueError, match="a symmetry takes a set to one that is not in the family"):
        Nested([1, 2], {}, [(2, 1, 0)])
    nested = Nested([1, 2, 4], {})
    prices = Prices(PRICE_OF_MISS, *np.zeros((3, 2, nested.row), np.int32))
    prices.orbits = np.array([0, 2 * PRICE_OF_MISS + 1, 0], np.int32)
    with pytest.raises(ValueError, match="a price is above 2 misses, the places that there are"):
        nested_value(nested, prices)


def test_too_many_parts(monkeypatch):
    monkeypatch.setattr(module, "MOST_KEPT", 3)
    with pytest.raises(TooLarge, match="misses near a cell leave more than 3 parts"):
        Nested.of(Game.parse("4x4:3,2"))
    monkeypatch.setattr(module, "MOST_KEPT", 1 << 12)
    monkeypatch.setattr(module, "MOST_PRICES", 10)
    with pytest.raises(TooLarge, match="prices; at most 10 are handled"):
        Nested.of(Game.parse("4x4:2,2")).first_prices()
