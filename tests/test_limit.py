"""Limits: work ends where its time or its effort is over, and says which limit it was."""

import time
from math import inf

import pytest

from optsearch.game import Game
from optsearch.game.position import Position
from optsearch.search.greedy import GreedySolver
from optsearch.search.solver import Solver, solve
from optsearch.support.progress import Limit, LimitReached
from optsearch.tree.solution import SearchStatus


def test_seconds_are_those_of_the_clock():
    now = [10.0]
    limit = Limit(seconds=3, clock=lambda: now[0])
    limit.check(effort=1 << 60)
    now[0] = 13.0
    limit.check()
    now[0] = 13.5
    with pytest.raises(LimitReached, match="more than 3 seconds") as reached:
        limit.check()
    assert reached.value.limit is limit


@pytest.mark.parametrize("seconds", [1e10, 1e19, inf])
def test_seconds_that_no_clock_holds_are_no_limit(seconds):
    limit = Limit(seconds)
    with limit.alarm():
        limit.check()
    assert (limit.seconds, limit.seconds_left) == (None, None)
    assert solve("2x3:2", time_limit=seconds).total_height == 25


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_alarm_rings_again_if_its_exception_was_dropped():
    dropped = []

    class SlowToDelete:
        def __del__(self):
            try:
                time.sleep(60)
            except LimitReached:
                dropped.append(True)
                raise

    def work():
        SlowToDelete()
        time.sleep(60)
        pytest.fail("the alarm did not ring again")

    with pytest.raises(LimitReached), Limit(0.01).alarm():
        work()
    assert dropped


def test_effort_is_what_a_status_says():
    reports = []
    watch = Limit(effort=1_000).watch(reports.append)
    watch(SearchStatus(5_000, effort=1_000))
    with pytest.raises(LimitReached, match="more than 1,000 nodes"):
        watch(SearchStatus(1, effort=1_001))
    assert len(reports) == 2
    Limit().watch()(SearchStatus(1 << 60, effort=1 << 60))


def test_the_effort_of_a_search_counts_its_subsets():
    position = Position(Game.parse("6x6:4,4"))
    solver = Solver(position)
    found = solver.solution
    assert solver.kernel.effort == found.nodes + found.subsets // 50 > found.nodes
    for effort, is_enough in ((solver.kernel.effort, True), (found.nodes, False)):
        progress = Limit(effort=effort).watch()
        if is_enough:
            assert solve(position, progress=progress).total_height == found.total_height
        else:
            with pytest.raises(LimitReached):
                solve(position, progress=progress)


@pytest.mark.parametrize("game", ["5x5:3,2", "4x4:3,2,announce=ship"])
@pytest.mark.parametrize("rule", ["best", "worst", "first"])
def test_greedy_strategies_end_at_a_limit(game, rule):
    solver = GreedySolver(Position(Game.parse(game)), progress=Limit(effort=50).watch())
    with pytest.raises(LimitReached):
        solver.tree(rule)
