"""The bound by two sides: below the optimum whatever the sides are, on families of all kinds."""

import random

import numpy as np
import pytest
from test_dual_chain import families
from test_search import drawn, game_family, mask, odd_shapes, only, without

from optsearch.search.kernels import SWITCHES
from tests.definition import Misses
from tests.examples import sizes


def two_sided(truth, one, other):
    """The inequality as it is written, with the values of the definition; sides are masks."""
    bound = 0
    for side in (one, other):
        parts = {}
        for i, cells in enumerate(truth.sets):
            parts[cells & side] = parts.get(cells & side, 0) | 1 << i
        bound += sum(truth.value(part, -1) for part in parts.values())
    return bound


@sizes("number", 1000, 4000, 2)
def test_no_strategy_costs_less(number):
    rng = random.Random(1)
    close = 0
    for example, truth, _ in families(rng, number):
        one = rng.getrandbits(example.cells)
        bound, optimum = two_sided(truth, one, ~one), truth.value(truth.everything, -1)
        assert bound <= optimum, (example, one)
        close += bound == optimum > 0
    assert close > number // 40


def test_cells_on_no_side_are_caught():
    """Their misses count in both sums; so no cell may be on neither side."""
    rng = random.Random(1)
    false = 0
    for example, truth, _ in families(rng, 2000):
        one = rng.getrandbits(example.cells)
        other = ~one & rng.getrandbits(example.cells)
        false += two_sided(truth, one, other) > truth.value(truth.everything, -1)
    assert false > 100


# The kernel


@sizes("number", 500, 2000, 2)
def test_the_kernels_bound(number):
    """Below the optimum, with all that bounds its parts and with some of it."""
    rng = random.Random(2)
    higher = 0
    for _ in range(number):
        example = odd_shapes(rng, drawn(rng))
        if not any(example.sets):
            continue
        truth = Misses(example.sets, example.weights, "mean")
        optimum = truth.value(truth.everything, -1)
        names = [name for name in SWITCHES if rng.random() < 0.6 and name != "two_sided"]
        plain, sided = (
            example.search("mean", only(*names, *more)).lower_bound(example.everything)
            for more in ((), ("two_sided",))
        )
        assert plain <= sided <= optimum, (example, names)
        higher += sided > plain
    assert higher > number // 100


def half_hit(text, rng):
    """A game and its configurations with a ship on some cell, and none on up to four others."""
    whole = game_family(text, rng, 10_000, weights=False)
    cell = rng.randrange(whole.cells)
    missed = mask(rng.sample([c for c in range(whole.cells) if c != cell], rng.randint(0, 4)))
    chosen = [i for i, s in enumerate(whole.sets) if s >> cell & 1 and not s & missed]
    return whole, np.array(chosen, np.int32)


@pytest.mark.parametrize("text", ["4x6:2,2", "5x5:2,2", "5x5:2,2,contact=corner"])
@sizes("number", 8, 12, 1)
def test_limits_around_the_optimum(text, number):
    """Where one of two ships of two cells is half hit: the same values, by fewer nodes."""
    rng, families = random.Random(4), random.Random(3)  # a new switch draws no other families
    nodes = 0
    for _ in range(number):
        whole, family = half_hit(text, families)
        plain = whole.search("mean", without("two_sided"))
        value = plain.solve(family)
        others = without(*rng.sample([name for name in SWITCHES if name != "two_sided"], 2))
        search = whole.search("mean", others)
        for limit in rng.sample((value - 1, value, value + 1), 3):
            found = search.solve(family, limit=limit)
            assert limit <= found <= value or found == value < limit
        sided = whole.search("mean")
        assert sided.solve(family) == search.solve(family) == value
        nodes += plain.effort.nodes + plain.subsets - sided.effort.nodes - sided.subsets
    assert nodes > 0
