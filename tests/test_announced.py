"""The search where hits tell of their ships, against the definition of its value."""

import random
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from optsearch.check import reference
from optsearch.compiled.search._search import Search
from optsearch.compiled.search._table import MemoryTable, SharedTable
from optsearch.counting.configurations import to_words
from optsearch.game import Game, bits
from optsearch.game.position import Position
from optsearch.search import solver
from optsearch.search.kernels import SWITCHES, Problem, SolverOptions, misses_by_announced_search
from optsearch.strategies import as_player
from optsearch.support.errors import TooLarge
from tests.definition import Misses
from tests.examples import (
    AT_SINKING,
    LABELLED,
    draws,
    positions,
    rule_name,
    rules_of,
    sizes,
    some,
)

BIG = 1 << 50
OBJECTIVES = ("mean", "worst", "within")


class Example:
    """Some configurations of a position, and the optimum by its definition."""

    def __init__(self, game, ships, hits, objective, off=(), disk=None):
        self.game = game
        self.ships = ships
        self.hits = hits
        self.objective = objective
        self.family = np.arange(len(ships), dtype=np.int32)
        self.nodes = []
        self.off = off
        self.rules = rules_of(game)
        self.misses = Misses(
            [sum(one) for one in ships], [1] * len(ships), objective, cache(self.reply)
        )
        masks = np.array([to_words(c) for c in ships], np.uint64)
        replies, items, labels = Problem(game, masks, None, hits, 0, None, masks).labelled
        self.search = Search(
            items,
            np.ones(len(ships), np.int64),
            game.cells,
            objective,
            MemoryTable(1 << 23),
            disk,
            SolverOptions(**dict.fromkeys(off, False)).switches,
            self.nodes.append,
            replies=replies,
            labels=labels,
        )

    def __repr__(self):
        return f"{self.game} {self.ships} hits={self.hits} {self.objective} off={self.off}"

    def value(self, budget):
        return min(self.misses.value(self.misses.everything, budget, self.hits), BIG)

    def reply(self, i, hits, cell):
        return self.rules.reply(self.ships[i], hits, cell)

    def part(self, family, hits, cell):
        """The indices that each reply to a shot leaves."""
        found = {}
        for i in family:
            found.setdefault(self.reply(i, hits, cell), []).append(i)
        return {answer: np.array(left, np.int32) for answer, left in sorted(found.items())}

    def after(self, cell, budget):
        return min(self.misses.after(self.misses.everything, cell, budget, self.hits), BIG)


@st.composite
def examples(draw, objectives=OBJECTIVES, max_configurations=9, off=None):
    """Part of the configurations of a random position, for one objective; a budget."""
    position = draw(
        positions(
            max_cells=12, max_ships=3, max_configurations=150, announce=(*AT_SINKING, *LABELLED)
        )
    )
    everything = list(reference.configurations(position))
    chosen = draw(
        st.lists(st.sampled_from(everything), min_size=1, max_size=max_configurations, unique=True)
    )
    off = draw(st.sets(st.sampled_from(SWITCHES))) if off is None else off
    objective = draw(st.sampled_from(objectives))
    budget = -1 if objective == "mean" else draw(st.integers(0, 7))
    return Example(position.game, chosen, position.hits, objective, off), budget


@draws(700)
@given(examples())
def test_the_optimum_is_that_of_the_definition(drawn):
    example, budget = drawn
    least_cost = example.search.solve(example.family, budget, hit_mask=example.hits)
    assert least_cost == example.value(budget)


@draws(300)
@given(examples())
def test_shots(drawn):
    example, budget = drawn
    shots = example.search.shots(example.family, budget, hit_mask=example.hits)
    some = 0
    for ships in example.ships:
        some |= sum(ships)
    assert sorted(cell for cell, _ in shots) == list(bits(some & ~example.hits))
    for cell, bound in shots:
        expected = example.after(cell, budget)
        found = example.search.after(example.family, cell, budget, hit_mask=example.hits)
        assert bound <= found == expected


@draws(400)
@given(examples())
def test_the_bounds_are_admissible(drawn):
    example, budget = drawn
    bound = example.search.lower_bound(example.family, budget, hit_mask=example.hits)
    assert 0 <= bound <= example.value(budget)


@draws(300)
@given(examples(), st.integers(-3, 3), st.booleans())
def test_a_limit_gives_the_optimum_below_it_and_a_bound_at_or_above_it(drawn, offset, first):
    example, budget = drawn
    expected = example.value(budget)
    limit = expected + offset
    if first:
        shots = example.search.shots(example.family, budget, hit_mask=example.hits)
        if not shots:
            return
        cell = shots[-1][0]
        expected = example.after(cell, budget)
        found = example.search.after(example.family, cell, budget, limit, hit_mask=example.hits)
    else:
        found = example.search.solve(example.family, budget, limit, hit_mask=example.hits)
    if example.objective == "worst":
        limit = min(limit, BIG)
    if expected < limit:
        assert found == expected
    else:
        assert limit <= found <= expected
    # What the table keeps of it is no worse than what was found.
    least_cost = example.search.solve(example.family, budget, hit_mask=example.hits)
    assert least_cost == example.value(budget)


def test_ships_of_one_size_and_two_shapes_are_told_apart():
    """The first shot, at D3, hits and sinks one of the two, and the reply says which."""
    game = Game.parse("3x4:3,V3,contact=any,announce=ship")
    example = Example(game, [(1792, 2240), (3584, 196)], 1728, "mean")
    assert example.search.solve(example.family, hit_mask=example.hits) == example.value(-1) == 0


@pytest.mark.parametrize(
    ("text", "misses"),
    [
        ("3x3:2,1", None),
        ("2x4:2a,2b", None),
        ("3x3:2,2,contact=any", None),
        ("3x3:3,1,1,contact=any", None),
        ("4x4:3,2", 309),  # these by a search of another program
        ("2x6:3,2,contact=any", 176),
        ("3x4:3,2,contact=any", 252),
        ("4x5:4,3,2", 132),
    ],
)
def test_games_that_name_the_ship_of_each_hit(text, misses):
    check_labelled(Position(Game.parse(f"{text},announce=name")), misses)


@pytest.mark.parametrize(
    "text",
    ["3x3:2,1", "3x3:2,2,contact=any", "3x4:3,2,contact=corner", "3x3:V3,2,contact=any"],
)
def test_games_that_show_the_ship_of_each_hit(text):
    check_labelled(Position(Game.parse(f"{text},announce=place")), None)


def test_ships_on_one_cell_that_kernels_cannot_tell_apart():
    """Evaluations are in plain Python then."""
    game = "4x5:L4,F5,N5,contact=any,announce=place"
    with pytest.raises(TooLarge, match="66 of the ships that are left can lie on one cell"):
        solver.solve(game)
    assert as_player("greedy").rule(Game.parse(game)) is None


@pytest.mark.parametrize("announce", some(2, LABELLED, 4), ids=rule_name)
def test_more_sets_than_half_a_word_where_hits_have_labels(announce):
    """Without words it is the search of larger families."""
    game = f"4x5:3,2,announce={announce}"
    plain = solver.SolverOptions(words=False)
    assert solver.solve(game).total_height == solver.solve(game, options=plain).total_height


def check_labelled(position, misses):
    solving = solver.Solver(position)
    found = solving.solution
    if misses is None:
        with reference.caches():
            assert found.total_height == reference.total_height(reference.family(position))
    else:
        assert found.total_height == position.hits_left * found.configurations + misses
    assert solving.tree().total_height == found.total_height


@pytest.mark.parametrize("rule", some(4, [*AT_SINKING, *LABELLED], 1), ids=rule_name)
@pytest.mark.parametrize(
    "text", ["3x3:2,2,contact=any", "2x4:2,2,contact=corner", "2x5:3,2", "3x3:2,1,1"]
)
def test_tools_for_labels_change_no_optimum(text, rule):
    """Equal ships have names of their own there, and certain cells have several labels."""
    position = Position(Game.parse(f"{text},announce={rule}"))
    with reference.caches():
        expected = reference.total_height(reference.family(position))
    for off in ((), ("words",), ("names",), ("two_sided",), ("words", "two_sided"), ("identity",)):
        options = SolverOptions(**dict.fromkeys(off, False))
        assert solver.solve(position, options=options).total_height == expected, off


@draws(750, few=5)
@given(st.lists(examples(off=()), min_size=2, max_size=6))
def test_equal_normal_forms_have_equal_optima(drawn):
    """Of unrelated games, too: their labels, budgets and objectives are in the key."""
    seen = {}
    for example, budget in drawn:
        size = len(example.ships)
        for first in range(size):
            for last in range(first + 1, size + 1):
                family = example.family[first:last]
                key = example.search.normal_form(family, budget, hit_mask=example.hits)
                part = Example(
                    example.game,
                    example.ships[first:last],
                    example.hits,
                    example.objective,
                )
                expected = part.value(budget)
                assert seen.setdefault(key, expected) == expected


def whole(text, objective="mean", off=()):
    position = Position(Game.parse(text))
    ships = list(reference.configurations(position))
    return Example(position.game, ships, 0, objective, off)


def test_a_board_past_64_cells():
    """One game in two corners of a board of 121 cells."""
    small = whole("3x3:2,1,announce=ship")
    game = Game.parse("11x11:2,1,announce=ship")
    for corner in (0, 8 * 11 + 8):
        ships = [
            tuple(
                sum(1 << (corner + cell // 3 * 11 + cell % 3) for cell in bits(ship))
                for ship in configuration
            )
            for configuration in small.ships
        ]
        large = Example(game, ships, 0, "mean")
        assert large.search.solve(large.family) == 46
        assert len(large.search.shots(large.family)) == 8
        top = max(cell for ships in ships for ship in ships for cell in bits(ship))
        assert list(large.part(large.family, 0, top)) == ["hit", "miss", "sunk:1"]
        assert large.search.after(large.family, top) == small.search.after(small.family, 8)


def test_searches_share_a_table():
    game = Game.parse("4x4:3,2,announce=ship")
    shared = SharedTable(bytearray(1 << 20))
    ships = list(reference.configurations(Position(game)))
    nodes = []
    for _ in range(2):
        example = Example(game, ships, 0, "mean")
        example.search.memo.shared = shared
        assert example.search.solve(example.family) == 328
        nodes.append(example.search.nodes)
    assert len(shared)
    assert nodes[1] < nodes[0] / 20


def after_random_shots(rng, example, search, family, budget):
    """What is left of a family after some shots: the key of `search` for it."""
    hits = 0
    for _ in range(rng.randint(0, 3)):
        shots = search.shots(family, budget, hits)
        if not shots:
            break
        cell = rng.choice(shots)[0]
        code, family = rng.choice(list(example.part(family, hits, cell).items()))
        hits |= (code != "miss") << cell
        budget -= code == "miss" and budget > 0
    return search.normal_form(family, budget, hits)


@pytest.mark.parametrize(("objective", "budget"), [("mean", -1), ("worst", 7), ("within", 4)])
@sizes("number", 30, 400, 30)
def test_what_others_are_at_changes_no_answer(objective, budget, number):
    """Random parts are marked, as by processes that never come to an end."""
    rng, put_off = random.Random(15), 0
    alone = whole("4x4:3,2,announce=ship", objective)
    expected = alone.search.solve(alone.family, budget)
    assert 0 < expected < BIG
    for _ in range(number):
        limit, nodes = expected + rng.choice((-1, 0, 1, 1000)), []
        for marks in (0, 40):
            search = whole("4x4:3,2,announce=ship", objective).search
            search.memo.shared, search.team = SharedTable(bytearray(1 << 18)), 2
            for _ in range(marks):
                key = after_random_shots(rng, alone, search, alone.family, budget)
                search.memo.shared.mark(key)
            before = search.nodes
            found = search.solve(alone.family, budget, limit)
            assert found == expected if expected < limit else limit <= found <= expected
            nodes.append(search.nodes - before)
        put_off += nodes[0] != nodes[1]
    assert put_off > number / 10


@draws(150)
@given(positions(max_cells=12, max_configurations=60))
def test_silent_games_are_announced_ones_with_one_ship_a_set(position):
    """The solver of silent games and this search, which share the table, find the same optimum."""
    misses = misses_by_announced_search(position, lambda nodes: None, memory=1 << 23)
    solution = solver.solve(position, options=SolverOptions(memory=1 << 23))
    hits = position.hits_left * solution.configurations
    assert hits + misses == solution.total_height
