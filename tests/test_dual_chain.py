"""The dual of the chain: below the optimum for any prices, on families of all kinds."""

import random

import pytest
from test_search import DrawnFamily, drawn, mask, odd_shapes

from optsearch.check import proofs
from optsearch.check.trees import verify
from optsearch.compiled.search._chain import ChainDual
from optsearch.counting.configurations import to_words
from optsearch.counting.family import Family
from optsearch.game import Game
from optsearch.game.position import Position
from optsearch.lower_bounds import dual_chain
from optsearch.lower_bounds.dual_chain import MOST_SETS, PRICE_OF_MISS, chain_dual
from optsearch.search.kernels import SWITCHES
from optsearch.search.solver import solve
from tests.definition import Misses
from tests.examples import sizes

MOST = 10  # sets with the same cell that the kernel takes


def prices_of(rng, example):
    """Prices of all sorts: near those of a chain, wild ones, and one that gains from all places."""
    kind = rng.random()
    if kind < 0.2:
        return [rng.randint(-3 * PRICE_OF_MISS, 9 * PRICE_OF_MISS) for _ in example.sets]
    if kind < 0.3:
        return [rng.randint(-5, 5) for _ in example.sets]
    slope = rng.choice((0.2, 0.5, 0.8, 1))
    order = rng.sample(range(len(example.sets)), len(example.sets))
    return [
        round(PRICE_OF_MISS * slope * example.weights[i] * place) + rng.randint(0, PRICE_OF_MISS)
        for i, place in enumerate(order)
    ]


def families(rng, number):
    """Random families, the optimum of each, and random prices."""
    for _ in range(number):
        example = odd_shapes(rng, drawn(rng))
        if not any(example.sets):
            continue
        truth = Misses(example.sets, example.weights, "mean")
        yield example, truth, prices_of(rng, example)


@sizes("number", 1000, 4000, 2)
def test_no_strategy_costs_less(number):
    rng = random.Random(1)
    close = 0
    for example, truth, prices in families(rng, number):
        optimum = truth.value(truth.everything, -1)
        bound = chain_dual(example.sets, example.weights, prices)
        assert bound <= optimum, (example, prices)
        family = tuple(zip(example.sets, example.weights, strict=True))
        assert proofs.priced_misses(family, prices) == bound  # by the checker's own code
        close += bound == optimum > 0
    assert close > number // 40


def finds_a_false_bound(monkeypatch, name, wrong):
    """Whether the test above catches a wrong rule in the place of a right one."""
    monkeypatch.setattr(dual_chain, name, wrong)
    try:
        test_no_strategy_costs_less(2000)
    except AssertionError:
        return True
    return False


def test_a_hit_part_credited_with_more_than_its_value_is_caught(monkeypatch):
    right = dual_chain._misses_by_columns
    wrong = lambda columns, weights: tuple(m + (m > 1) for m in right(columns, weights))  # noqa: E731
    assert finds_a_false_bound(monkeypatch, "_misses_by_columns", wrong)


def test_places_left_out_are_caught(monkeypatch):
    wrong = lambda least: min(0, *least.values())  # noqa: E731
    assert finds_a_false_bound(monkeypatch, "_sum_over_chain", wrong)


def test_too_many_sets_with_the_same_cell():
    sets = [mask((0, cell)) for cell in range(1, MOST_SETS + 2)]
    with pytest.raises(ValueError, match="13 sets have the same cell; at most 12"):
        chain_dual(sets, [1] * len(sets), [0] * len(sets))


# The kernel


def sparse(rng):
    """A family of 8 to 11 sets in which no cell is in more than 10; ships, lines and odd sets."""
    while True:
        if rng.random() < 0.5:
            game = Game.parse(rng.choice(("4x4:2", "5x5:2", "4x4:3", "5x5:3", "5x5:4", "6x6:5")))
            sets, rows, columns = Family.of(Position(game)).sets, game.rows, game.columns
        else:
            rows, columns, size = 1, rng.randint(8, 16), rng.randint(1, 4)
            sets = tuple({mask(rng.sample(range(columns), size)) for _ in range(11)})
        chosen = tuple(rng.sample(sets, min(len(sets), rng.randint(8, 11))))
        counts = [sum(cells >> cell & 1 for cells in chosen) for cell in range(rows * columns)]
        if len(chosen) >= 8 and max(counts) <= MOST:
            return DrawnFamily(chosen, (1,) * len(chosen), (rows, columns))


@sizes("number", 30, 100, 1)
def test_the_kernels_bound_is_that_of_its_prices(number):
    rng = random.Random(4)
    kernel = ChainDual()
    tight = 0
    for _ in range(number):
        example = sparse(rng)
        truth = Misses(example.sets, example.weights, "mean")
        optimum = truth.value(truth.everything, -1)
        limit = rng.choice((1, optimum - 1, optimum, optimum + 1, 10 * optimum))
        found = kernel.prices(to_words(example.sets), limit, rng.choice((0, 1, 20, 500)))
        if found is None:  # merging makes sets of no cell
            continue
        bound, prices = found
        assert bound == max(0, chain_dual(example.sets, example.weights, prices)) <= optimum
        tight += bound == optimum
    assert tight > number // 10


def test_what_the_kernel_has_no_prices_for():
    kernel = ChainDual()
    assert kernel.prices(to_words([mask((0, cell)) for cell in range(1, 10)]), 9, 9) is not None
    dense = [mask((cell, other)) for cell in range(MOST + 1) for other in (20, 21)]
    assert kernel.prices(to_words(dense), 9, 9) is None
    assert kernel.prices(to_words([1]), 9, 9) is None


@sizes("number", 20, 60, 2)
def test_searches_with_and_without_the_chain(number):
    """Both are the optimum by the definition, and fit each limit about it."""
    rng = random.Random(5)
    fewer = 0
    for _ in range(number):
        example = sparse(rng)
        truth = Misses(example.sets, example.weights, "mean")
        optimum = truth.value(truth.everything, -1)
        others = {name: rng.random() < 0.7 for name in SWITCHES}
        effort = []
        for chain in (True, False):
            search = example.search("mean", others | {"chain": chain})
            for limit in rng.sample((optimum - 1, optimum, optimum + 1), 3):
                value = search.solve(example.everything, -1, limit)
                assert limit <= value <= optimum or value == optimum < limit
            assert search.solve(example.everything) == optimum
            assert search.lower_bound(example.everything) <= optimum
            for cell, bound in search.shots(example.everything):
                one = truth.after(truth.everything, cell, -1)
                assert bound <= one
                for limit in (one - 1, one, one + 1):
                    value = search.after(example.everything, cell, -1, limit)
                    assert limit <= value <= one or value == one < limit
            effort.append(search.nodes + search.subsets)
        fewer += effort[0] < effort[1]
    assert fewer > number // 2


@pytest.mark.long(60)
@pytest.mark.parametrize(("game", "total_height"), [("9x9:2", 3084), ("10x10:3", 2926)])
def test_games_that_the_chain_solves_in_the_order_of_its_bounds(game, total_height):
    """Minutes where the first shots are searched one after the other."""
    solution = solve(Position(Game.parse(game)))
    assert solution.total_height == verify(solution.tree()) == total_height
    assert solution.nodes < 100_000
