"""The value of every first shot, against the definition and against the optimum one shot later."""

from concurrent.futures import ThreadPoolExecutor
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optsearch.check import reference
from optsearch.game import Game, bits, cell_name
from optsearch.game.objective import Objective
from optsearch.game.position import Position
from optsearch.search import frontier
from optsearch.search import solver as solver_
from optsearch.search.solver import Solver, solve
from optsearch.support.progress import Limit
from tests.examples import EVERY_RULE, draws, positions, sizes

every_rule = positions(max_cells=9, max_configurations=30, announce=EVERY_RULE)


def defined(position, objective):
    """By the definition: the value after each cell not shot, or () when every ship is sunk.

    A total height, a worst case with its total height, or a number of configurations. A cell that
    no configuration hides leaves the family as it is, with a shot less.
    """
    root = reference.family(position)
    if reference.is_over(root):
        return {}
    game = position.game
    values = {}
    for cell in bits(((1 << game.cells) - 1) & ~(position.hits | position.misses | game.holes)):
        parts = reference.shoot(root, cell).values()

        def total(shots, parts=parts):
            return reference.weight(root) + sum(reference.total_height(p, shots) for p in parts)

        if objective.kind == "mean":
            value = total(inf)
        elif objective.kind == "worst":
            worst = next(k for k in range(1, 99) if total(k - 1) < inf)
            value = worst, total(worst - 1)
        elif objective.shots == 0:
            value = 0
        else:
            value = sum(reference.most_finished(part, objective.shots - 1) for part in parts)
        values[game.cell(cell)] = value
    return values


def found(solution):
    """The values of a solution by first shots, whose values are exact."""
    assert solution.is_complete
    kind = solution.objective.kind
    return {
        value.cell: value.lower
        if kind == "mean"
        else (value.worst, value.lower)
        if kind == "worst"
        else value.finished
        for value in solution.shot_values
    }


@draws(100)
@given(every_rule, st.sampled_from(("mean", "worst", "within")), st.integers(0, 10))
def test_values_are_those_of_the_definition(position, kind, shots):
    objective = Objective(kind, shots if kind == "within" else None)
    solution = solve(position, objective=objective, all_shots=True)
    with reference.caches():
        values = defined(position, objective)
    assert found(solution) == values
    assert list(found(solution)) == sorted(values)
    alone = solve(position, objective=objective)
    for name in ("total_height", "worst", "finished", "best_shots", "lower", "upper"):
        assert getattr(solution, name) == getattr(alone, name)
    if kind == "mean" and values:
        best = [cell for cell, value in values.items() if value == solution.total_height]
        occupied = [cell for cell in best if cell in solution.best_shots]
        assert tuple(occupied) == solution.best_shots


def test_certain_cells():
    """C1 is hit for certain, A1 or D1 is, and there is only water below."""
    position = Position.parse(Game.parse("2x4:3"), "B1=hit")
    values = {cell_name(v.cell): v.lower for v in solve(position, all_shots=True).shot_values}
    # C1 at no cost, then A1 or D1, of which each is a miss in one of two; water costs two more.
    assert values == {"A1": 5, "C1": 5, "D1": 5, "A2": 7, "B2": 7, "C2": 7, "D2": 7}


def test_no_shot_is_left():
    position = Position.parse(Game.parse("2x2:2"), "A1=hit A2=hit")
    for objective in ("mean", "worst", "within=3"):
        solution = solve(position, objective=Objective.parse(objective), all_shots=True)
        assert (solution.shot_values, solution.is_complete) == ((), True)


def test_symmetric_shots_are_searched_once():
    position = Position(Game.parse("5x5:3,2"))
    solver = Solver(position, all_shots=True)
    assert len({value.lower for value in solver.solution.shot_values}) <= 6
    assert solver.watch.frontier.valued_counts == (6, 6)  # of 25 cells


# Too little time


class SteppedClock:
    """Lets a search look into so many nodes, and ends it then as a time limit does."""

    def __init__(self, monkeypatch, nodes):
        self.nodes = nodes
        monkeypatch.setattr(solver_, "Limit", self.limit)
        monkeypatch.setattr(solver_, "_make_solver", lambda limit, *asked: (Solver(*asked), limit))

    def limit(self, seconds=None, effort=None):
        return Limit(effort=self.nodes if effort is None else effort)


@pytest.mark.parametrize("game", ["5x5:3,2", "4x4:3,2,contact=any", "3x4:3,2,announce=ship"])
@sizes("shares", (0.02, 0.5), (0.02, 0.2, 0.5, 0.9), 3)
def test_brackets_hold_the_values(monkeypatch, game, shares):
    """However soon the search ends; the more it looks into, the closer they are."""
    position = Position(Game.parse(game))
    values = {v.cell: v.lower for v in solve(position, all_shots=True).shot_values}
    whole = Solver(position, all_shots=True)
    whole.search()
    monkeypatch.setattr(frontier, "FEW_NODES", 200)
    widths = []
    for share in shares:
        SteppedClock(monkeypatch, int(share * whole.kernel.effort) + 300)
        solution = solve(position, all_shots=True, time_limit=1.0)
        assert {v.cell for v in solution.shot_values} == set(values)
        for value in solution.shot_values:
            assert value.lower <= values[value.cell] <= value.upper
            assert value.is_exact == (value.lower == value.upper)
        assert solution.lower <= min(v.lower for v in solution.shot_values)
        assert solution.upper >= min(v.upper for v in solution.shot_values) or solution.is_exact
        widths.append(sum(v.upper - v.lower for v in solution.shot_values))
    if game == "5x5:3,2":  # others are small enough for the first look at the clock
        assert widths[0] > widths[-1] >= 0
    assert widths == sorted(widths, reverse=True)


def test_what_was_cut_short_goes_on(monkeypatch):
    position = Position(Game.parse("5x5:3,2"))
    values = solve(position, all_shots=True).shot_values
    solver = Solver(position, all_shots=True)
    with monkeypatch.context() as patched:
        patched.setattr(frontier, "FEW_NODES", 200)
        SteppedClock(patched, 2_000)
        assert not solver.search(time_limit=1.0).is_complete
    assert solver.search().shot_values == values
    assert solver.tree().total_height == min(v.lower for v in values)


def test_values_of_the_worst_case_with_a_limit_are_those_without():
    ways = ({}, {"time_limit": 3600.0})
    found = [solve("4x4:3,2", objective="worst", all_shots=True, **way) for way in ways]
    assert found[0].worst == found[1].worst == 11
    assert found[0].shot_values == found[1].shot_values


# Whatever finds them


@pytest.mark.parametrize("game", ["4x5:3,2", "3x4:3,2,announce=sunk"])
def test_workers_and_tables_do_not_change_the_values(tmp_path, game):
    position = Position(Game.parse(game))
    values = solve(position, all_shots=True).shot_values
    with ThreadPoolExecutor(2) as executor:
        assert solve(position, all_shots=True, executor=executor).shot_values == values
    for _ in range(2):
        assert solve(position, all_shots=True, table=tmp_path / "table").shot_values == values
