"""The kernel for announced sinkings, against the definition of its value."""

from collections import Counter
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from optsearch import reference
from optsearch._announced import AnnouncedSearch
from optsearch._table import MemoryTable
from optsearch.configurations import to_words
from optsearch.family import image
from optsearch.game import Game, bits
from optsearch.position import HIT, MISS, Position, Reply, reply
from tests.examples import positions

BIG = 1 << 50
SWITCHES = (
    "memo",
    "symmetry",
    "leaf_counting",
    "cover",
    "ordering",
    "small_cases",
    "domination",
)
OBJECTIVES = ("mean", "worst", "within")


class Example:
    """Some configurations of a position with weights, and the optimum by its definition."""

    def __init__(self, game, ships, weights, hits, objective, off=(), disk=None):
        self.game = game
        self.ships = ships
        self.weights = weights
        self.hits = hits
        self.objective = objective
        self.family = np.arange(len(ships), dtype=np.int32)
        self.nodes = []
        self.switches = {name: name not in off for name in SWITCHES}
        masks = np.array([to_words(c) for c in ships], np.uint64)
        self.search = AnnouncedSearch(
            masks,
            np.array(weights, np.int64),
            np.array(game.symmetries(), np.int32),
            game.announce == "ship",
            objective,
            MemoryTable(1 << 23),
            disk,
            tick=self.nodes.append,
            **self.switches,
        )

    def __repr__(self):
        off = [name for name, on in self.switches.items() if not on]
        return (
            f"{self.game} {self.ships} {self.weights} hits={self.hits} {self.objective} off={off}"
        )

    def value(self, budget):
        return value(self.game, self.everything(), self.hits, self.objective, budget)

    def everything(self):
        return frozenset(zip(self.ships, self.weights, range(len(self.ships)), strict=True))

    def after(self, cell, budget):
        return after(self.game, self.everything(), self.hits, self.objective, budget, cell)


def step(objective, weight, budget):
    """What it costs that this weight misses while `budget` misses are allowed."""
    if objective == "within":
        return weight if budget == 0 else 0
    return BIG if objective == "worst" and budget == 0 and weight else weight


@cache
def value(game, items, hits, objective, budget):
    """The least cost, by trying all shots; items are (ships, weight, number)."""
    useful = 0
    for ships, _, _ in items:
        useful |= sum(ships)
    useful &= ~hits
    if not useful or (objective == "within" and budget < 0):
        return 0
    return min(after(game, items, hits, objective, budget, cell) for cell in bits(useful))


def after(game, items, hits, objective, budget, cell):
    split = parts(game, items, hits, cell)
    missed = split.pop(MISS, frozenset())
    cost = step(objective, sum(weight for _, weight, _ in missed), budget)
    if missed and not (objective == "worst" and budget == 0):
        left = budget if budget is None else budget - 1
        cost += value(game, missed, hits, objective, left)
    for part in split.values():
        cost += value(game, part, hits | 1 << cell, objective, budget)
    return min(cost, BIG) if objective == "worst" else cost


def parts(game, items, hits, cell) -> dict[Reply, frozenset]:
    found: dict[Reply, set] = {}
    for item in items:
        found.setdefault(reply(game, item[0], hits, 1 << cell), set()).add(item)
    return {answer: frozenset(part) for answer, part in found.items()}


@st.composite
def examples(draw, objectives=OBJECTIVES, max_configurations=9, off=None):
    """Part of the configurations of a random position, weighted, for one objective; a budget."""
    position = draw(
        positions(max_cells=12, max_ships=3, max_configurations=150, announce=("sunk", "ship"))
    )
    everything = list(reference.configurations(position))
    chosen = draw(
        st.lists(
            st.sampled_from(everything), min_size=1, max_size=max_configurations, unique=True
        )
    )
    weights = draw(
        st.one_of(
            st.just([1] * len(chosen)),
            st.lists(st.integers(1, 9), min_size=len(chosen), max_size=len(chosen)),
        )
    )
    off = draw(st.sets(st.sampled_from(SWITCHES))) if off is None else off
    objective = draw(st.sampled_from(objectives))
    budget = -1 if objective == "mean" else draw(st.integers(0, 7))
    return Example(position.game, chosen, weights, position.hits, objective, off), budget


@settings(max_examples=1500, deadline=None)
@given(examples())
def test_the_optimum_is_that_of_the_definition(drawn):
    example, budget = drawn
    assert example.search.solve(example.family, example.hits, budget) == example.value(budget)


@settings(max_examples=300, deadline=None)
@given(examples())
def test_first_shots(drawn):
    example, budget = drawn
    shots = example.search.first_shots(example.family, example.hits, budget)
    some = 0
    for ships in example.ships:
        some |= sum(ships)
    assert sorted(cell for cell, _ in shots) == list(bits(some & ~example.hits))
    for cell, bound in shots:
        expected = example.after(cell, budget)
        found = example.search.after(example.family, example.hits, cell, budget)
        assert bound <= found == expected


@settings(max_examples=400, deadline=None)
@given(examples())
def test_the_bounds_are_admissible(drawn):
    example, budget = drawn
    bound = example.search.lower_bound(example.family, example.hits, budget)
    assert 0 <= bound <= example.value(budget)


@settings(max_examples=300, deadline=None)
@given(examples(), st.integers(-3, 3), st.booleans())
def test_a_limit_gives_the_optimum_below_it_and_a_bound_at_or_above_it(drawn, offset, first):
    example, budget = drawn
    expected = example.value(budget)
    limit = expected + offset
    if first:
        shots = example.search.first_shots(example.family, example.hits, budget)
        if not shots:
            return
        cell = shots[-1][0]
        expected = example.after(cell, budget)
        found = example.search.after(example.family, example.hits, cell, budget, limit)
    else:
        found = example.search.solve(example.family, example.hits, budget, limit)
    if example.objective == "worst":
        limit = min(limit, BIG)
    if expected < limit:
        assert found == expected
    else:
        assert limit <= found <= expected
    # What the table keeps of it is no worse than what was found.
    assert example.search.solve(example.family, example.hits, budget) == example.value(budget)


@settings(max_examples=200, deadline=None)
@given(examples(), st.data())
def test_parts(drawn, data):
    example, _ = drawn
    cell = data.draw(st.sampled_from(range(example.game.cells)))
    if example.hits >> cell & 1:
        with pytest.raises(ValueError, match="was hit before"):
            example.search.parts(example.family, example.hits, cell)
        return
    found = example.search.parts(example.family, example.hits, cell)
    expected = {}
    for answer, part in parts(example.game, example.everything(), example.hits, cell).items():
        code = {MISS: 0, HIT: 1}.get(answer, 2 + (answer.length or 0))
        expected[code] = sorted(index for _, _, index in part)
    assert {code: part.tolist() for code, part in found.items()} == expected
    assert all(part.dtype == np.int32 for part in found.values())
    # The parts make a family again.
    for code, part in found.items():
        hits = example.hits | (code > 0) << cell
        assert example.search.solve(part, hits, -1) >= 0


@settings(max_examples=200, deadline=None)
@given(examples(off=()), st.data())
def test_symmetric_images_share_a_normal_form(drawn, data):
    example, budget = drawn
    permutation = data.draw(st.sampled_from(example.game.symmetries()))
    moved = Example(
        example.game,
        [tuple(image(ship, permutation) for ship in ships) for ships in example.ships],
        example.weights,
        image(example.hits, permutation),
        example.objective,
    )
    key = example.search.normal_form(example.family, example.hits, budget)
    other = moved.search.normal_form(moved.family, moved.hits, budget)
    assert moved.value(budget) == example.value(budget)
    if len(example.ships) == 1:
        assert key == other
    # Equals that are no images of one another may be told apart in either way, which loses a
    # table hit; a part of a small board rarely has them.
    if key != other:
        assert sorted(key) != sorted(b"") and len(key) == len(other)


@settings(max_examples=300, deadline=None)
@given(st.lists(examples(off=()), min_size=2, max_size=6))
def test_equal_normal_forms_have_equal_optima(drawn):
    """Of unrelated games, too: their labels, budgets and objectives are in the key."""
    seen = {}
    for example, budget in drawn:
        size = len(example.ships)
        for first in range(size):
            for last in range(first + 1, size + 1):
                family = example.family[first:last]
                key = example.search.normal_form(family, example.hits, budget)
                part = Example(
                    example.game,
                    example.ships[first:last],
                    example.weights[first:last],
                    example.hits,
                    example.objective,
                )
                expected = part.value(budget)
                assert seen.setdefault(key, expected) == expected


def whole(text, objective="mean", off=()):
    position = Position(Game.parse(text))
    ships = list(reference.configurations(position))
    return Example(position.game, ships, [1] * len(ships), 0, objective, off)


@pytest.mark.parametrize(
    ("game", "total", "configurations"),
    [  # by independent brute force
        ("1x7:2,1;announce=sunk", 97, 20),
        ("3x3:2,1;announce=ship", 118, 24),
        ("2x3:2,1;contact=any;announce=ship", 132, 28),
        ("4x4:3,2;contact=any;announce=ship", 2311, 264),
    ],
)
def test_known_totals(game, total, configurations):
    example = whole(game)
    assert len(example.ships) == configurations
    misses = example.search.solve(example.family, 0, -1)
    assert misses + configurations * example.game.fleet_cells == total
