"""Strategies of users: what makes one, what is said when they fail, what a checkpoint knows."""

import pickle
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from optsearch.cli.command import app
from optsearch.evaluation import evaluate, runners
from optsearch.game import Game, cell_name
from optsearch.game.position import Position
from optsearch.strategies import Level, PatternRule, Rule, as_strategy, named, rule_of
from optsearch.strategies.greedy import Greedy
from optsearch.strategies.pattern import Pattern
from optsearch.strategies.rollout import Rollout
from optsearch.support.errors import StrategyError, TableError
from optsearch.support.workers import Execution

ROOT = Path(__file__).resolve().parent.parent
GAME = Game.parse("4x4:3,2")
ROWS = 1444  # the total of shooting row by row, of the independent test that issue 14 describes


def left(position, order=None):
    """The first cell of an order (or row by row) that was not shot."""
    shot = position.hits | position.misses
    cells = range(position.game.cells) if order is None else order
    return position.game.cell(next(cell for cell in cells if not shot >> cell & 1))


def row_by_row(position):
    return left(position)


class RowsFirst:
    def shot(self, position):
        return left(position)


class FromCell:
    """Begins at a cell: an object with a state."""

    def __init__(self, first=0):
        self.first = first

    def shot(self, position):
        cells = position.game.cells
        return left(position, [(self.first + i) % cells for i in range(cells)])


class WithRule(RowsFirst):
    """The rule is what the kernel is given."""

    def __init__(self, rule):
        self._rule = rule

    def rule(self, game):
        return self._rule


class CentralGreedy(Greedy):
    def __init__(self):
        super().__init__(ties="central")


# What makes a strategy


def test_those_of_the_package():
    for what in ("greedy", Greedy, Greedy(), CentralGreedy, CentralGreedy()):
        assert evaluate(what, GAME).total_height == evaluate(named("greedy"), GAME).total_height
    assert as_strategy(Rollout) == as_strategy("rollout") == Rollout()
    assert as_strategy(Pattern) == named("pattern")
    assert rule_of(as_strategy(CentralGreedy), GAME) == rule_of(named("greedy:ties=central"), GAME)


@pytest.mark.parametrize("form", [cell_name, list, np.array, lambda cell: tuple(np.uint8(cell))])
def test_a_shot_is_a_pair_of_integers_of_any_kind_or_a_name(form):
    assert evaluate(lambda position: form(left(position)), GAME).total_height == ROWS


@pytest.mark.parametrize("what", [3, None, object(), int, [row_by_row]])
def test_what_makes_none(what):
    with pytest.raises(StrategyError, match=r"shot\(position\)"):
        as_strategy(what)


# What fails

FAILING = """import random, sys
def rows(position):
    shot = position.hits | position.misses
    return position.game.cell(next(c for c in range(99) if not shot >> c & 1))
def raises(position):
    return 1 / 0
def late(position):
    if len(position.shots) == 3: raise KeyError("many\\nlines \\x1b[31m" * 500)
    return rows(position)
def recurs(position): return recurs(position)
def leaves(position): sys.exit(0)
class Odd(BaseException):
    def __init__(self, one, two): self.both = lambda: (one, two)
    def __str__(self): raise ValueError
def odd(position): raise Odd(1, 2)
def digits(position): return 10 ** 5000
class Unmakable:
    def __init__(self): raise RuntimeError("not today")
    def shot(self, position): pass
def elsewhere(position):
    return random.choice([])
"""


@pytest.fixture
def failing(tmp_path, monkeypatch):
    (tmp_path / "own.py").write_text(FAILING)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("raises", ["on the empty board: ZeroDivisionError", "line 6, in raises: return 1 / 0"]),
        ("late", ["after 'A1=miss B1=miss C1=miss'", "KeyError", "line 8", "lines"]),
        ("recurs", ["on the empty board: RecursionError", "line 10"]),
        ("leaves", ["SystemExit: 0 (own.py, line 11"]),
        ("odd", ["Odd: what it says cannot be printed", "line 15"]),
        ("digits", ["a value of type int that cannot be printed", "line 16"]),
        ("Unmakable", ["cannot be made: RuntimeError: not today", "line 18"]),
        ("elsewhere", ["IndexError", "line 21, in elsewhere: return random.choice([])"]),
    ],
)
def test_failures(failing, name, parts):
    with pytest.raises(StrategyError) as error:
        evaluate(f"own.py:{name}", GAME)
    said = str(error.value)
    assert all(part in said for part in parts), said
    assert "own.py" in said
    assert said.isprintable()
    assert len(said) < 600
    assert str(pickle.loads(pickle.dumps(error.value))) == said
    result = CliRunner().invoke(app, ["evaluate", f"own.py:{name}", "4x4:3,2", "--jobs", "1"])
    assert str(result.exception) == said


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (b"x = 1\ndef f(position:\n", ["cannot be run: SyntaxError", "line 2"]),
        (b"import not_there\n", ["ModuleNotFoundError", "'not_there'", "line 1"]),
        (b"import sys\nsys.exit()\n", ["cannot be run: SystemExit", "line 2"]),
        (b"raise BaseException('early')\n", ["cannot be run: BaseException: early", "line 1"]),
        (b"x = '\xff'\n", ["cannot be run: SyntaxError", "0xff"]),
        (b"x = 1\0\n", ["cannot be run", "null bytes"]),
        (b"import beside\n", ["ZeroDivisionError", "beside.py, line 2"]),
        (b"", ["own.py has no 'f'"]),
    ],
)
def test_files_that_cannot_be_run(tmp_path, monkeypatch, text, parts):
    (tmp_path / "own.py").write_bytes(text)
    (tmp_path / "beside.py").write_text("\n1 / 0\n")
    monkeypatch.chdir(tmp_path)
    before = set(sys.modules)
    with pytest.raises(StrategyError) as error:
        named("own.py:f")
    assert all(part in str(error.value) for part in parts), str(error.value)
    if "has no" not in parts[0]:
        assert not {name for name in set(sys.modules) - before if "own" in name or "beside" in name}


def test_ctrl_c_goes_through():
    def interrupted(position):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate(interrupted, GAME)


# Other processes

IN_WORKERS = """import multiprocessing, sys
def rows(position):
    shot = position.hits | position.misses
    return position.game.cell(next(c for c in range(99) if not shot >> c & 1))
def in_worker():
    return multiprocessing.parent_process() is not None
def leaves(position):
    if in_worker(): sys.exit(0)
    return rows(position)
def turns(position):
    shot = position.hits | position.misses
    cells = range(16) if in_worker() else range(15, -1, -1)
    return position.game.cell(next(c for c in cells if not shot >> c & 1))
if in_worker() and "unrunnable" in __file__: raise RuntimeError("not here")
"""


@pytest.fixture
def pool():
    with ProcessPoolExecutor(2, get_context("spawn")) as executor:
        yield executor


def test_workers(tmp_path, monkeypatch, pool):
    """The tasks are small, so that there are several."""
    monkeypatch.setattr(runners, "MOST_LISTED_BY_PYTHON", 30)
    file, other = tmp_path / "own.py", tmp_path / "unrunnable.py"
    for path in (file, other):
        path.write_text(IN_WORKERS)
    found = evaluate(f"{file}:rows", GAME, execution=Execution(executor=pool, jobs=2))
    assert found.tasks > 1
    assert found.total_height == ROWS
    for what in (FromCell(), lambda position: left(position)):
        assert evaluate(what, GAME, execution=Execution(executor=pool, jobs=2)).total_height == ROWS
    for text, said in (
        (f"{file}:leaves", r"leaves fails after '.*=.*': SystemExit: 0 .*line 8"),
        (f"{file}:turns", "is not deterministic: on the empty board it shoots D4"),
        (f"{other}:rows", r"cannot be run: RuntimeError: not here .*line 14"),
    ):
        with pytest.raises(StrategyError, match=said):
            evaluate(text, GAME, execution=Execution(executor=pool, jobs=2))


def test_any_executor(failing):
    with ThreadPoolExecutor(2) as pool:
        assert evaluate(RowsFirst, GAME, execution=Execution(executor=pool)).total_height == ROWS
        with pytest.raises(StrategyError, match="KeyError"):
            evaluate("own.py:late", GAME, execution=Execution(executor=pool))


def test_a_worker_runs_the_file_that_was_chosen(tmp_path):
    """Also if it has changed by then."""
    file = tmp_path / "own.py"
    file.write_text(IN_WORKERS)
    sent = pickle.dumps(named(f"{file}:rows"))
    file.write_text("changed")
    assert evaluate(pickle.loads(sent), GAME).total_height == ROWS


# What is not deterministic


def test_chance_is_noticed():
    class Chance:
        def __init__(self):
            self.rng = np.random.default_rng(5)

        def shot(self, position):
            shot = position.hits | position.misses
            cells = [cell for cell in range(position.game.cells) if not shot >> cell & 1]
            return position.game.cell(int(self.rng.choice(cells)))

    with pytest.raises(StrategyError, match=r"not deterministic: .* when it is asked again"):
        evaluate(Chance, GAME)


def test_shots_above_a_task_are_asked_again_once(monkeypatch):
    """They have the most configurations and take longest."""
    monkeypatch.setattr(runners, "MOST_LISTED_BY_PYTHON", 20)
    asked, rows = Counter(), RowsFirst()

    def counted(position):
        asked[position] += 1
        return rows.shot(position)

    found = evaluate(counted, GAME)
    assert found.total_height == ROWS
    assert found.tasks > 2
    assert asked[Position(GAME)] == 1 + found.tasks
    assert len(asked) < sum(asked.values())


def test_one_game_in_some_is_asked_again(monkeypatch):
    """The games 1, 2, 4, … 64 and 10, 20, … 100 of 104, which end in that many configurations."""
    monkeypatch.setattr(runners, "REPLAY_INTERVAL", 10)
    asked, rows = Counter(), RowsFirst()

    def counted(position):
        asked[position] += 1
        return rows.shot(position)

    assert evaluate(counted, GAME).tasks == 1
    assert asked[Position(GAME)] == 1 + 7 + 10


def test_a_rule_that_changes():
    class Changing(RowsFirst):
        endgame = 0

        def rule(self, game):
            self.endgame += 1
            return Rule(tuple(range(game.cells)), self.endgame)

    with pytest.raises(StrategyError, match="gives another rule"):
        evaluate(Changing, GAME)


# Rules for the kernel

ORDER = tuple(range(16))
ROW = (0,) * 128


@pytest.mark.parametrize(
    ("rule", "part"),
    [
        (Rule(tuple(range(1, 17)), 0), "order[15]=16 is out of range; 0 to 15"),
        (Rule((0,) * 16, 0), "has the cell 0 twice"),
        (Rule(ORDER[:15], 0), "has 15 cells"),
        (Rule((10**5000,), 0), "order[0]=a value of type int"),
        (Rule((0.5,) * 16, 0), "order[0]=0.5"),
        (Rule(None, 0), "order=None is not a sequence"),
        (Rule(ORDER, 11), "endgame=11 is out of range; 0 to 10"),
        (Rule(ORDER, "4"), "endgame='4'"),
        (Rule(ORDER, 0, 33), "candidates=33"),
        (Rule(ORDER, 0, 2, 101), "percent=101 is out of range; 0 to 100"),
        (Rule(ORDER, 0, screen=63), "screen=63 is out of range; 64 to 1048576"),
        (Rule(ORDER, 0, screen=128, cap=127), "cap=127 is below screen=128"),
        (Rule(ORDER, 0, truncate=65), "truncate=65 is out of range; 1 to 64"),
        (Rule(ORDER, 0, estimates=()), "estimates has 0 rows"),
        (Rule(ORDER, 0, estimates=(ROW, ROW[1:])), "estimates[1] has 127 values"),
        (Rule(ORDER, 0, estimates=((*ROW[1:], -1),)), "estimates[0][127]=-1"),
        (Rule(ORDER, 0, estimates=((*ROW[1:], 2**31),)), "estimates[0][127]=2147483648"),
        (Rule(ORDER, 0, estimates=np.full((1, 128), 0.5)), "estimates[0][0]="),
        (Rule(ORDER, 0, 2, above=63), f"above=63 is out of range; 64 to {2**40}"),
        (Rule(ORDER, 0, 2, second=2**21), "second=2097152"),
        (Rule(ORDER, 0, 2, 50, 128, cap=128, above=99, second=127), "second=127 is below screen"),
        (Rule(ORDER, 0, 2, inner=3), "inner=3 is no Level"),
        (Rule(ORDER, 0, 2, inner=Level(4, 0, 0, 1)), "inner.candidates=0 is out of range; 1 to 32"),
        (Rule(ORDER, 0, 2, until=-1), "until=-1 is out of range; 0 to 1048576"),
        (Rule(ORDER, 0, 2, levels=()), "levels has 0 items; 1 to 5 are accepted"),
        (Rule(ORDER, 0, 2, levels=(3,)), "levels[0]=3 is no Level"),
        (Rule(ORDER, 0, 2, levels=(Level(3, 1, 0, 1),)), "levels[0].floor=3 is out of"),
        (PatternRule(tuple(range(16, 32)), False, False), "order[0]=16"),
        (PatternRule(ORDER, 2, False), "in_line=2"),
        (PatternRule(ORDER, True, None), "know_water=None"),
    ],
)
def test_rules_that_do_not_fit(rule, part):
    with pytest.raises(StrategyError) as error:
        evaluate(WithRule(rule), GAME)
    assert part in str(error.value)
    assert "4x4:3,2" in str(error.value)


# Checkpoints

IMPORTING = """import beside
def chosen(position):
    shot = position.hits | position.misses
    order = beside.order(position.game.cells)
    return position.game.cell(next(c for c in order if not shot >> c & 1))
"""


def test_a_checkpoint_knows_the_file(tmp_path, monkeypatch):
    """Not its folder: the same file elsewhere goes on, another one of this name does not."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "beside.py").write_text("def order(n): return list(range(n))\n")
    file, elsewhere, kept = tmp_path / "own.py", tmp_path / "a" / "own.py", tmp_path / "kept"
    elsewhere.parent.mkdir()
    for path in (file, elsewhere):
        path.write_text(IMPORTING)
    first = evaluate(f"{file}:chosen", GAME, execution=Execution(checkpoint=kept))
    assert (first.total_height, first.resumed) == (ROWS, 0)
    assert evaluate(f"{elsewhere}:chosen", GAME, execution=Execution(checkpoint=kept)).resumed == 1
    file.write_text(IMPORTING.replace("in order if", "in order[1:] + order[:1] if"))
    with pytest.raises(TableError, match=r"own\.py:chosen, source "):
        evaluate(f"{file}:chosen", GAME, execution=Execution(checkpoint=kept))
    assert (
        evaluate(
            f"{file}:chosen", GAME, execution=Execution(checkpoint=tmp_path / "new")
        ).total_height
        != ROWS
    )


def test_checkpoints_know_the_parameters(tmp_path):
    evaluate("greedy:ties=first", GAME, execution=Execution(checkpoint=tmp_path))
    for other in ("greedy:ties=last", "greedy:endgame=3", "pattern"):
        with pytest.raises(TableError):
            evaluate(other, GAME, execution=Execution(checkpoint=tmp_path))


@pytest.mark.parametrize(
    ("strategy", "shots", "cell"),
    [
        ("greedy:endgame=0", "A1=hit A2=hit", (0, 1)),  # the end of the game
        ("rollout", "B2=miss A2=miss C2=miss B1=miss B3=miss", (0, 0)),  # impossible
    ],
)
def test_shots_where_no_ship_is_left(strategy, shots, cell):
    assert as_strategy(strategy).shot(Position.parse("3x3:2", shots)) == cell
