"""What a search begins from: bounds and rollouts, and that `solve` and `bounds` agree."""

from functools import partial
from itertools import count
from math import ceil, floor

import pytest

from optsearch import lower_bounds
from optsearch.check.trees import verify
from optsearch.evaluation import evaluate
from optsearch.game import Game, bits
from optsearch.game.position import HIT, MISS, Position
from optsearch.lower_bounds import bounds_on_demand, has_long_bounds
from optsearch.results import bracket
from optsearch.search import solver, watch
from optsearch.search.frontier import cost_of_rule
from optsearch.search.kernels import SolverOptions
from optsearch.search.rollouts import FEW_CONFIGURATIONS, Rollouts, can_roll_out
from optsearch.search.solver import Solver, solve
from optsearch.strategies import named
from optsearch.support.errors import TableError
from optsearch.support.progress import Limit
from tests.examples import some

GAMES = [
    *("4x4:3,2", "4x4:2,2,contact=corner", "4x4:3,2,contact=any", "3x4:3,2,announce=ship"),
    *("3x4:3,2", "4x4:2,2", "4x5:2,2", "4x5:3,2", "4x5:4,2", "3x6:3,2,2", "5x5:4,3", "4x5:2,3,4"),
]


@pytest.fixture
def at_once(monkeypatch):
    """Every search counts as long, and time goes by a second each time somebody looks."""
    monkeypatch.setattr(watch, "BOUND_FROM", 0)
    monkeypatch.setattr(watch, "BOUND_FROM_IN_TIME", 0)
    for module in (solver, watch):
        monkeypatch.setattr(module, "Limit", partial(Limit, clock=count().__next__))


@pytest.mark.parametrize("game", some(4, GAMES, 3))
def test_solve_and_bounds_agree(at_once, game, tmp_path):
    position = Position(Game.parse(game))
    optimum = solve(position, options=SolverOptions(root_bounds=False)).total_height
    known = bracket.Bracket.of(position, bracket.bounds_in_turn(position, results=tmp_path))
    for seconds in (100, 10_000):
        found = solve(position, time_limit=seconds)
        number = found.configurations
        assert ceil(known.lower * number) <= optimum <= floor(known.upper * number)
        assert found.lower <= optimum <= found.upper <= known.upper * number
        assert verify(found.tree()) == found.upper
    assert found.lower >= known.lower * number


@pytest.mark.parametrize("game", some(4, GAMES, 1))
def test_the_answer_is_the_same_without(at_once, game):
    on, off = (solve(game, options=SolverOptions(root_bounds=is_on)) for is_on in (True, False))
    for name in ("total_height", "best_shots", "nodes", "subsets", "lower", "upper", "is_exact"):
        assert getattr(on, name) == getattr(off, name)


def test_the_lower_side_is_that_of_the_bounds_before_a_shot_is_decided(at_once):
    position = Position(Game.parse("4x4:3,2"))
    least = max(bound.value for bound in bounds_on_demand(position))
    kernel = Solver(position)
    kernel.watch.position = None
    before = kernel.search(time_limit=4)
    assert not before.is_exact
    kernel.watch.bound_root(position)
    assert kernel.watch.status.lower == ceil(least * before.configurations) > before.lower
    assert (
        kernel.search(time_limit=1).lower >= kernel.watch.certain_cost + kernel.watch.proved_misses
    )


def test_without_a_limit_of_time_a_search_must_be_longer_to_be_bounded(monkeypatch):
    """The nodes that one question may take are no such limit."""
    monkeypatch.setattr(watch, "BOUND_FROM_IN_TIME", 0)
    for time_limit, times in ((None, 0), (1e9, 1)):
        called = []
        monkeypatch.setattr(
            lower_bounds, "bounds_on_demand", lambda *asked, to=called: to.append(asked) or ()
        )
        assert solve("5x5:3,2", time_limit=time_limit).total_height == 5765
        assert len(called) == times


def test_where_the_long_bounds_hold():
    holds = [
        has_long_bounds(Position.parse(Game.parse(game), shots))
        for game, shots in (
            *(("4x4:3,2", ""), ("4x4:3,2", "A1=miss"), ("4x4:3,2,contact=any", "")),
            *(("4x4:3,2,announce=ship", ""), ("10x10:5,4,3,3,2", "")),
        )
    ]
    assert holds == [True, False, False, False, False]
    after = Position.parse(Game.parse("5x5:3,2"), "C3=miss")
    assert {bound.name for bound in bounds_on_demand(after)} == {
        *("complete binary tree", "leaf counting", "leaf counting after one ply")
    }


def test_a_bound_above_a_strategy_is_refused(monkeypatch):
    kernel = Solver(Position(Game.parse("4x4:3,2")))
    kernel.watch.proved_misses = 10_000
    with pytest.raises(TableError, match="the bounds of the whole game"):
        kernel.search()


# Rollouts


def states(kernel, rule):
    """The states of a rule that are not left to the search."""
    waiting = [kernel.root]
    while waiting:
        state = waiting.pop()
        if len(state.family) > FEW_CONFIGURATIONS:
            yield state
            waiting += kernel.parts(state, rule(kernel, state)).values()


@pytest.mark.parametrize("game", ["5x5:3,2", "3x6:3,2,2", "4x6:3,2,2"])
def test_rollouts_shoot_alike_however_the_state_was_reached(game):
    position = Position(Game.parse(game))
    kernel = Solver(position).kernel
    rule = Rollouts(kernel)
    reached = list(states(kernel, rule))
    assert len(reached) >= 4
    for state in reached:
        at = position
        for cell in bits(state.hits):
            at = at.after(at.game.cell(cell), HIT)
        for cell in bits(kernel.cells_of(kernel.root) & ~kernel.cells_of(state)):
            at = at.after(at.game.cell(cell), MISS)
        alone = Solver(at).kernel
        assert len(alone.sets) == len(state.family)
        assert Rollouts(alone)(alone, alone.root) == rule(kernel, state)
    total = kernel.hits_left(kernel.root) + cost_of_rule(kernel, kernel.root, rule)
    assert total <= evaluate("deep", position.game).total_height


def test_rollouts_shoot_first_where_the_strategy_of_that_name_does():
    position = Position(Game.parse("4x4:3,2"))
    kernel = Solver(position).kernel
    cell = Rollouts(kernel)(kernel, kernel.root)
    assert position.game.cell(cell) == named("deep").shot(position)


@pytest.mark.parametrize(
    ("game", "can"),
    [("4x4:3,2", True), ("4x4:3,2,contact=any", False), ("4x4:3,2,announce=ship", False)],
)
def test_who_rolls_out(game, can):
    assert can_roll_out(Solver(Position(Game.parse(game))).kernel) == can
