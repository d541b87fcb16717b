"""The three implementations of the optimum: one body of tests over all of them.

The oracle is optsearch.check.reference, the definition in plain Python.
"""

import json
import random
import signal
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import cache, partial
from itertools import count
from multiprocessing import get_context

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optsearch.check import paper, reference
from optsearch.check.trees import verify
from optsearch.counting.configurations import Configurations
from optsearch.counting.posterior import Posterior
from optsearch.evaluation import evaluate
from optsearch.game import Game, parse_cell
from optsearch.game.objective import Objective
from optsearch.game.position import MISS, Position, reply
from optsearch.search import frontier, solver, team
from optsearch.search.shared_memory import CAN_SHARE
from optsearch.search.solver import SWITCHES, Solver, SolverOptions
from optsearch.search.team import Team
from optsearch.strategies import named
from optsearch.support import sharing
from optsearch.support.errors import ImpossiblePosition, NotSupported, TableError, TooLarge
from optsearch.support.progress import Limit
from optsearch.support.store import Integers
from optsearch.support.workers import process_pool
from optsearch.tree.solution import SearchStatus
from tests.examples import EVERY_RULE, draws, positions, sizes, some
from tests.processes import run_command, run_script

METHODS = {"reference": reference.solve, "paper": paper.solve, "solver": solver.solve}

every_method = pytest.mark.parametrize("solve", METHODS.values(), ids=METHODS)


@draws(1000, few=10)
@given(positions(max_cells=12, max_configurations=40))
def test_all_methods_agree(position):
    solutions = [solve(position) for solve in METHODS.values()]
    answers = {(s.total_height, s.configurations, s.best_shots) for s in solutions}
    assert len(answers) == 1, answers


@draws(1000, few=10)
@given(
    positions(max_cells=12, max_configurations=60, announce=EVERY_RULE),
    st.sets(st.sampled_from(SWITCHES)),
    st.sampled_from(("mean", "worst", "within")),
    st.data(),
)
def test_switches_and_objectives(position, off, kind, data):
    """Any switches, any rule, any objective: the oracle's answer, and a tree that attains it."""
    left = position.game.fleet_cells - position.hits.bit_count()
    shots = data.draw(st.integers(0, left + 6)) if kind == "within" else None
    objective = Objective(kind, shots)
    expected = reference.solve(position, objective)
    off -= {"memo"} if expected.configurations > 12 else set()
    options = SolverOptions(**dict.fromkeys(off, False))
    found = solver.solve(position, objective=objective, options=options)
    for name in ("total_height", "worst", "finished", "configurations", "best_shots"):
        assert getattr(found, name) == getattr(expected, name), name
    tree = found.tree()
    total = verify(tree)
    if kind == "within":
        assert sum(n for depth, n in tree.histogram.items() if depth <= shots) == found.finished
    else:
        assert total == found.total_height
        assert kind == "mean" or tree.worst == found.worst


@draws(200)
@given(positions(max_cells=16, max_ships=4, max_configurations=300))
def test_the_tree_is_optimal_and_begins_with_a_best_shot(position):
    solution = solver.solve(position)
    tree = solution.tree()
    assert verify(tree) == tree.total_height == solution.total_height
    assert tree.configurations == solution.configurations
    if solution.total_height:
        assert tree.root.cell in solution.best_shots


def test_a_board_past_64_cells():
    """One endgame in two corners of a board of 117 cells."""
    game = Game(9, 13, (3, 2))
    near = {(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)}
    for cells in (near, {(8 - i, 12 - j) for i, j in near}):
        position = Position(game)
        others = [game.cell(i) for i in range(game.cells) if game.cell(i) not in cells]
        for cell in others:
            position = position.after(cell, MISS)
        assert len(others) == 108
        small = Position(Game(3, 3, (3, 2)))
        expected = reference.solve(small)
        for solve in METHODS.values():
            if solve is not reference.solve:
                found = solve(position)
                assert found.total_height == expected.total_height
                assert len(found.best_shots) == len(expected.best_shots)


@pytest.mark.parametrize("seed", [4, 5, 6])
def test_late_on_the_papers_board(seed):
    """Random shots at a 10x10 game until 150 configurations are left; the tree is replayed."""
    game = Game.parse("10x10:5,4,3,3,2")
    ships = [
        game.mask(map(parse_cell, text.split()))
        for text in ("A1 B1 C1 D1 E1", "A3 B3 C3 D3", "E5 F5 G5", "B7 B8 B9", "H10 I10")
    ]
    cells = list(range(game.cells))
    random.Random(seed).shuffle(cells)
    position = Position(game)
    for index in cells:
        position = position.after(game.cell(index), reply(game, ships, position.hits, 1 << index))
        if len(position.shots) > 25 and Configurations(position).configurations <= 150:
            break
    solution = solver.solve(position)
    assert solution.configurations == Configurations(position).configurations > 100
    assert verify(solution.tree()) == solution.total_height


# What is refused, what is reported


@every_method
def test_no_configuration_is_an_error(solve):
    with pytest.raises(ImpossiblePosition, match="4x4:4,3,2"):
        solve(Position(Game.parse("4x4:4,3,2")))
    with pytest.raises(ImpossiblePosition, match="A1=hit C3=hit"):
        solve(Position.parse(Game.parse("3x3:2"), "A1=hit C3=hit"))


def test_the_papers_method_with_a_table_on_disk(tmp_path):
    """As many states, also where the memory is too small for them and is emptied on the way."""
    position, expected = Position(Game.parse("3x4:2")), paper.solve(Position(Game.parse("3x4:2")))
    for memory in (1 << 30, 1 << 16):
        found = paper.solve(position, memory=memory, table=tmp_path / str(memory))
        assert (found.total_height, found.best_shots) == (
            expected.total_height,
            expected.best_shots,
        )
        assert found.nodes == found.disk_entries == expected.nodes > 4 * 2867
        again = paper.solve(position, table=tmp_path / str(memory))
        assert (again.best_shots, again.nodes) == (expected.best_shots, 0)
    with pytest.raises(TableError, match=r"holds the table of the paper's Algorithm 2 of 3x4:2"):
        paper.solve(Position.parse(position.game, "A1=miss"), table=tmp_path / str(memory))


def test_the_papers_method_is_killed_and_goes_on(tmp_path):
    arguments = ("solve", "4x4:2", "--method", "paper", "--table", "kept", "--json")
    hooks = "from optsearch.support.store import Store; at(Store, 'flush', kill, 3)"
    assert run_command(*arguments, hooks=hooks, cwd=tmp_path) == (-signal.SIGKILL, "", "")
    status, out, err = run_command(*arguments, cwd=tmp_path)
    assert (status, err) == (0, "")
    found = json.loads(out)
    assert (found["total_height"], found["disk_entries"]) == (146, 514_861)  # Table 1
    assert 0 < found["nodes"] < 514_861 - 200_000


def test_the_paper_method_says_where_it_ends():
    with pytest.raises(TooLarge, match="49 cells"):
        paper.solve(Position(Game.parse("7x7:2")))
    with pytest.raises(TooLarge, match=r"0\.0 GiB of table on 4x4:2"):
        paper.solve(Position(Game.parse("4x4:2")), memory=1 << 20)
    with pytest.raises(NotSupported, match="gives no tree"):
        paper.solve(Position(Game.parse("2x3:2"))).tree()


@sizes("games", ["2x3:2", "4x4:2"], ["4x4:3,3"], 2)
def test_expected_states(games):
    """Exact where every set of cells is drawn; within a few per cent by sampling."""
    for text in games:
        position = Position(Game.parse(text))
        sets = [cells for cells, _ in reference.family(position)]
        states = paper.solve(position).nodes
        assert abs(paper.expected_states(sets, samples=400) - states) < 0.08 * states


def test_progress_is_reported():
    reports: list[SearchStatus] = []
    solver.solve(Position(Game.parse("5x5:3,2")), progress=reports.append)
    assert len(reports) > 5
    assert all(0 <= r.done <= r.total for r in reports)
    assert all(r.lower <= 5765 <= r.best for r in reports if r.total)
    assert reports[-1].best == 5765
    assert [r.nodes for r in reports] == sorted(r.nodes for r in reports)


def test_an_exception_in_progress_ends_the_search():
    def stop(status: SearchStatus) -> None:
        raise KeyboardInterrupt

    for solve in (solver.solve, paper.solve):
        with pytest.raises(KeyboardInterrupt):
            solve(Position(Game.parse("5x5:2")), progress=stop)


def test_a_small_memory_gives_the_same_answer():
    position = Position(Game.parse("5x5:3,2"))
    small = solver.solve(position, options=SolverOptions(memory=1))
    assert small.total_height == 5765
    assert small.table_bytes <= 16 << 20


# The table on disk


@sizes("kills", (150,), (150, 60), 2)
def test_killed_and_run_again(tmp_path, kills):
    """SIGKILL in the middle: the next run ends with the same answer, in fewer nodes."""
    script = """
from optsearch.game import Game
from optsearch.game.position import Position
from optsearch.search.solver import Solver
from optsearch.support.store import Integers

at(Integers, "put", kill, int(sys.argv[2]))
disk = Integers(sys.argv[1], "the solver's table of 5x5:3,2", batch=20)
Solver(Position(Game.parse("5x5:3,2")), disk=disk).solution
"""
    before = 0
    for puts in kills:
        assert run_script(script, tmp_path, puts) == (-signal.SIGKILL, "", "")
        with Integers(tmp_path, "the solver's table of 5x5:3,2") as disk:
            assert len(disk) > before
            before = len(disk)
    fresh = solver.solve(Position(Game.parse("5x5:3,2")))
    resumed = solver.solve(Position(Game.parse("5x5:3,2")), table=tmp_path)
    assert resumed.total_height == fresh.total_height == 5765
    assert resumed.best_shots == fresh.best_shots
    assert resumed.nodes < 0.95 * fresh.nodes


def test_the_tree_of_a_solution_found_with_a_table(tmp_path):
    solution = solver.solve(Position(Game.parse("4x4:3,2")), table=tmp_path)
    assert verify(solution.tree()) == solution.total_height == 878


@pytest.mark.skipif(not CAN_SHARE, reason="processes share no memory on this system")
@pytest.mark.parametrize("text", ["5x5:4,2", "4x4:3,2,announce=ship"])
def test_processes_go_on_from_a_table(tmp_path, monkeypatch, text):
    """What two processes found they hand over while they search, and two others begin with it."""
    monkeypatch.setattr(team, "SECONDS_TO_HANDOVER", 0.05)
    monkeypatch.setattr(sharing, "IDLE_SECONDS", 0.01)
    alone = solver.solve(text)
    with process_pool(2) as pool:
        first = solver.solve(text, table=tmp_path, executor=pool)
    with process_pool(2) as pool:
        others = solver.solve(text, table=tmp_path, executor=pool)
    for found in (first, others):
        assert (found.total_height, found.best_shots) == (alone.total_height, alone.best_shots)
    assert others.nodes < first.nodes / 10


def test_threads_take_turns_on_one_solver():
    solution = solver.solve(Position(Game.parse("4x5:3,2")))
    with ThreadPoolExecutor(4) as pool:
        trees = list(pool.map(lambda _: solution.tree(), range(4)))
    assert all(tree == trees[0] for tree in trees)


# Brackets, workers, greedy


@pytest.fixture
def ticking(monkeypatch):
    """Time that goes by as the work is looked at: a second a time, on however slow a machine."""
    monkeypatch.setattr(solver, "Limit", partial(Limit, clock=count().__next__))


@sizes("case", ("5x5:3,2", 2, 3), ("5x6:4,3,2", 20, 20, 20), 5)
def test_a_time_limit_gives_a_bracket_with_its_tree_that_only_tightens(ticking, case):
    game, *ticks = case
    kernel = Solver(Position(Game.parse(game)))
    lower, upper = 0, 1 << 60
    for seconds in ticks:
        found = kernel.search(time_limit=seconds)
        assert not found.is_exact
        assert found.total_height is None or found.lower == found.upper
        assert lower <= found.lower <= found.upper <= upper
        assert found.best_shots == ()
        lower, upper = found.lower, found.upper
        tree = found.tree()
        assert verify(tree) == tree.total_height == upper
    with pytest.raises(NotSupported, match="between"):
        _ = found.mean


@pytest.mark.parametrize(
    "game",
    some(
        2,
        [
            *("6x6:3,2", "4x5:3,2,announce=ship"),
            *("5x5:3,2,contact=any", "5x5:3,2,contact=corner"),
        ],
        2,
    ),
)
def test_what_is_found_in_a_short_time_is_no_worse_than_greedy(ticking, game):
    position = Position(Game.parse(game))
    first = Solver(position)
    with pytest.MonkeyPatch.context() as patched:
        for method in ("add_strategy", "add_known_strategy"):
            patched.setattr(solver.BestFirstSearch, method, lambda frontier, *arguments: None)
        alone = first.search(time_limit=20)
    found = solver.solve(position, time_limit=20, all_shots=True)
    greedy = evaluate(named("greedy"), position.game).total_height
    assert found.upper <= greedy
    assert verify(found.tree()) == found.tree().total_height == found.upper
    assert min(value.upper for value in found.shot_values) <= found.upper
    if game == "6x6:3,2":
        assert greedy < alone.upper
        assert not found.is_exact


def test_a_bracket_closes_to_the_optimum(ticking):
    kernel = Solver(Position(Game.parse("5x5:3,2")))
    brackets = 0
    while not (found := kernel.search(time_limit=2)).is_exact:
        assert found.lower <= 5765 <= found.upper
        brackets += 1
    assert brackets > 1
    assert found.total_height == found.lower == found.upper == 5765
    fresh = solver.solve(Position(Game.parse("5x5:3,2")))
    assert found.best_shots == fresh.best_shots
    assert found.tree() == fresh.tree()


def test_ctrl_c_gives_a_bracket_where_it_is_asked_for():
    def stop(status: SearchStatus) -> None:
        if status.nodes > 3_000 and presses:
            raise presses.pop()

    position = Position(Game.parse("5x5:3,2"))
    presses = [KeyboardInterrupt]  # one: to make the tree is a search, too
    found = solver.solve(position, progress=stop, partial=True)
    assert not found.is_exact
    assert found.lower <= 5765 <= found.upper
    assert verify(found.tree()) == found.upper
    presses = [KeyboardInterrupt]
    with pytest.raises(KeyboardInterrupt):
        solver.solve(position, progress=stop)


@cache
def solved(position):
    return solver.solve(position)


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_the_answer_does_not_depend_on_the_workers(workers, monkeypatch):
    """Tasks are given up early here, so that the top of the search is opened."""
    monkeypatch.setattr(frontier, "FEW_NODES", 300)
    for text in ("5x5:3,2", "3x4:3,2,contact=any,announce=ship"):
        position = Position(Game.parse(text))
        alone = solved(position)
        with ThreadPoolExecutor(1) as pool:  # far solvers are kept per process: one at a time
            found = solver.solve(position, executor=pool, workers=workers)
        for name in ("total_height", "lower", "upper", "best_shots", "is_exact"):
            assert getattr(found, name) == getattr(alone, name), name
        assert found.tree() == alone.tree()


def test_worker_processes(monkeypatch):
    questions = []
    ask = Team._ask_together

    def together(*arguments):
        questions.append(arguments)
        return ask(*arguments)

    monkeypatch.setattr(Team, "_ask_together", together)
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        for text, total in (("5x5:3,2", 5765), ("4x4:3,2,announce=ship", 848)):
            position, before = Position(Game.parse(text)), len(questions)
            found = solver.solve(position, executor=pool, workers=2)
            assert found.total_height == total
            assert found.tree() == solver.solve(position).tree()
            assert len(questions) > before or not CAN_SHARE


@draws(100)
@given(positions(max_cells=12, max_configurations=60, announce=EVERY_RULE))
def test_what_greedy_costs(position):
    found = solver.solve(position)
    cells, total = found.greedy()
    heights = reference.first_shots(reference.family(position)) if found.total_height else {}
    most = Posterior(position)
    open_cells = {
        position.game.cell(i): int(most.occurrence[position.game.cell(i)])
        for i in range(position.game.cells)
        if not position.hits >> i & 1
    }
    best = max(open_cells.values(), default=0)
    assert set(cells) == {c for c, n in open_cells.items() if n == best > 0}
    if cells:
        assert total == min(heights[c[0] * position.game.columns + c[1]] for c in cells)
    assert total >= found.total_height
