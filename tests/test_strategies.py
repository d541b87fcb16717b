"""Strategies of one's own: what makes one, what is said when they fail, what a checkpoint knows."""

import functools
import importlib
import os
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from optsearch.cli.command import app
from optsearch.evaluation import evaluate, runners
from optsearch.game import Game
from optsearch.strategies import (
    Level,
    LevelsRule,
    NestedRule,
    PatternRule,
    Rule,
    Strategy,
    as_strategy,
    named,
    own,
    rule_of,
)
from optsearch.strategies.greedy import Greedy
from optsearch.strategies.pattern import Pattern
from optsearch.strategies.rollout import Rollout
from optsearch.support import own_code
from optsearch.support.errors import StrategyError, TableError
from tests.examples import some

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


class RowByRow:
    def shot(self, position):
        return left(position)


class Derived(Strategy):
    def shot(self, position):
        return left(position)


class FromCell:
    """Begins at a cell: an object with a state."""

    def __init__(self, first=0):
        self.first = first

    def shot(self, position):
        cells = position.game.cells
        return left(position, [(self.first + i) % cells for i in range(cells)])


class Callable:
    def __call__(self, position):
        return left(position)


class WithRule(RowByRow):
    """The rule is what the kernel is given."""

    def __init__(self, rule):
        self._rule = rule

    def rule(self, game):
        return self._rule


class CentralGreedy(Greedy):
    def __init__(self):
        super().__init__(ties="central")


# What makes a strategy


@pytest.mark.parametrize(
    "what",
    [
        row_by_row,
        lambda position: left(position),
        RowByRow,
        RowByRow(),
        RowByRow().shot,
        Derived,
        Derived(),
        Callable(),
        FromCell,
        functools.partial(left, order=None),
        f"{__file__}:row_by_row",
        f"{__file__}:RowByRow",
        f"{__file__}:Derived",
    ],
)
def test_what_makes_a_strategy(what):
    assert evaluate(what, GAME, jobs=1).total_height == ROWS
    strategy = as_strategy(what)
    assert as_strategy(strategy) is strategy
    assert "\n" not in str(strategy)
    assert " at 0x" not in str(strategy)


def test_those_of_the_package():
    for what in ("greedy", Greedy, Greedy(), CentralGreedy, CentralGreedy()):
        assert (
            evaluate(what, GAME, jobs=1).total_height
            == evaluate(named("greedy"), GAME, jobs=1).total_height
        )
    assert as_strategy(Rollout) == as_strategy("rollout") == Rollout()
    assert as_strategy(Pattern) == named("pattern")
    assert rule_of(as_strategy(CentralGreedy), GAME) == rule_of(named("greedy:ties=central"), GAME)


def test_pairs_of_integers_of_any_kind():
    def shot(position):
        row, column = left(position)
        return np.int64(row), np.uint8(column)

    assert evaluate(shot, GAME, jobs=1).total_height == ROWS


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
def floats(position): return (0.0, 1.0)
def text(position): return "B3"
def letters(position): return ("B", "3")
def digits(position): return 10 ** 5000
def two_digits(position): return (10 ** 5000, 0)
def nothing(position): pass
def off(position): return (0, 4)
def negative(position): return (-1, 0)
def twice(position): return (0, 0)
def no_position(): pass
class Unmakable:
    def __init__(self): raise RuntimeError("not today")
    def shot(self, position): pass
class Demanding:
    def __init__(self, number): pass
    def shot(self, position): pass
class Shotless: pass
class NoMethod: shot = 3
three = 3
class BadRule:
    def shot(self, position): return rows(position)
    def rule(self, game): return 7
class FailingRule(BadRule):
    def rule(self, game): sys.exit(1)
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
        ("floats", ["shoots (0.0, 1.0) on the empty board", "line 16"]),
        ("text", ["shoots 'B3'", "line 17"]),
        ("letters", ["shoots ('B', '3')", "line 18"]),
        ("digits", ["a value of type int that cannot be printed", "line 19"]),
        ("two_digits", ["a value of type tuple", "line 20"]),
        ("nothing", ["shoots None", "line 21"]),
        ("off", ["shoots (0, 4)", "no cell of the board", "line 22"]),
        ("negative", ["shoots (-1, 0)", "no cell of the board", "line 23"]),
        ("twice", ["shoots A1 after 'A1=miss', which was shot before", "line 24"]),
        ("no_position", ["takes 0 positional arguments", "line 25"]),
        ("Unmakable", ["cannot be made: RuntimeError: not today", "line 27"]),
        ("Demanding", ["cannot be made: TypeError", "'number'", "line 30"]),
        ("Shotless", ["Shotless is a class without the method shot(position)"]),
        ("NoMethod", ["NoMethod is a class without the method shot(position)"]),
        ("three", ["three is 3; a strategy is"]),
        ("absent", ["'absent' is not there in own.py"]),
        ("BadRule", ["is 7", "line 37", "PatternRule"]),
        ("FailingRule", ["fails for 4x4:3,2: SystemExit: 1", "line 39"]),
        ("elsewhere", ["IndexError", "line 41, in elsewhere: return random.choice([])"]),
    ],
)
def test_failures(failing, name, parts):
    with pytest.raises(StrategyError) as error:
        evaluate(f"own.py:{name}", GAME, jobs=1)
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
        (b"", ["'f' is not there in own.py"]),
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
    if "not there" not in parts[0]:
        assert not {name for name in set(sys.modules) - before if "own" in name or "beside" in name}


@pytest.mark.parametrize("name", ["late", "Unmakable", "digits"])
def test_status_and_output(failing, here, name):
    """Nothing but one line on standard error, and status 2."""
    status, out, err = here("evaluate", f"own.py:{name}", "4x4:3,2", "--jobs", 1)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("error: own.py:")


@pytest.mark.parametrize("name", some(1, ["leaves", "late", "Unmakable", "digits"], 1))
def test_status_and_output_of_the_real_command(failing, name):
    command = [sys.executable, "-m", "optsearch.cli", "evaluate", f"own.py:{name}", "4x4:3,2"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("error: own.py:")
    assert done.stderr.count("\n") == 1


def test_ctrl_c_goes_through():
    def interrupted(position):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate(interrupted, GAME, jobs=1)


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
    monkeypatch.setattr(runners, "LISTED_BY_PYTHON", 30)
    file, other = tmp_path / "own.py", tmp_path / "unrunnable.py"
    for path in (file, other):
        path.write_text(IN_WORKERS)
    found = evaluate(f"{file}:rows", GAME, executor=pool, jobs=2)
    assert found.tasks > 1
    assert found.total_height == ROWS
    assert evaluate(FromCell(), GAME, executor=pool, jobs=2).total_height == ROWS
    for text, said in (
        (f"{file}:leaves", r"leaves fails after '.*=.*': SystemExit: 0 .*line 8"),
        (f"{file}:turns", "is not deterministic: on the empty board it shoots D4"),
        (f"{other}:rows", r"cannot be run: RuntimeError: not here .*line 14"),
        (lambda position: left(position), r"cannot be sent to another process.*FILE\.py:NAME"),
    ):
        with pytest.raises(StrategyError, match=said):
            evaluate(text, GAME, executor=pool, jobs=2)


def test_any_executor(failing):
    with ThreadPoolExecutor(2) as pool:
        assert evaluate(RowByRow, GAME, executor=pool).total_height == ROWS
        with pytest.raises(StrategyError, match="KeyError"):
            evaluate("own.py:late", GAME, executor=pool)


def test_a_file_that_changes_before_a_worker_reads_it(tmp_path):
    file = tmp_path / "own.py"
    file.write_text(IN_WORKERS)
    sent = pickle.dumps(named(f"{file}:rows"))
    assert str(pickle.loads(sent)) == f"{file}:rows"
    file.write_text(IN_WORKERS + "\n")
    own._subject_once.cache_clear()  # as in a worker
    own_code._run.cache_clear()
    changed = pickle.loads(sent)
    with pytest.raises(StrategyError, match="has changed since"):
        evaluate(changed, GAME, jobs=1)


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
        evaluate(Chance, GAME, jobs=1)


def test_rare_chance_is_noticed():
    """Another cell once in 200 questions; the tree has many more, some of which are repeated."""

    class Rare:
        asked = 0

        def shot(self, position):
            self.asked += 1
            game = position.game
            order = range(game.cells - 1, -1, -1) if self.asked % 200 == 0 else None
            return left(position, order)

    with pytest.raises(StrategyError, match="not deterministic"):
        evaluate(Rare, Game.parse("5x5:3,2,2"), jobs=1)


def test_memory_of_another_game_is_noticed():
    """It goes on beside its last hit, whichever game that was in."""

    class Remembers:
        last = 0

        def shot(self, position):
            if position.shots and position.shots[-1].reply.hit:
                row, column = position.shots[-1].cell
                self.last = row * position.game.columns + column
            cells = range(position.game.cells)
            return left(position, sorted(cells, key=lambda cell: abs(cell - self.last)))

    with pytest.raises(StrategyError, match="not deterministic"):
        evaluate(Remembers, GAME, jobs=1)


def test_a_rule_that_changes():
    class Changing(RowByRow):
        endgame = 0

        def rule(self, game):
            self.endgame += 1
            return Rule(tuple(range(game.cells)), self.endgame)

    with pytest.raises(StrategyError, match="gives another rule"):
        evaluate(Changing, GAME, jobs=1)


# Rules for the kernel

ORDER = tuple(range(16))
ROW = (0,) * 128


@pytest.mark.parametrize(
    ("rule", "part"),
    [
        (Rule(tuple(range(1, 17)), 0), "order[15]=16 is out of range; 0 to 15"),
        (Rule(tuple(range(-1, 15)), 0), "order[0]=-1"),
        (Rule((0,) * 16, 0), "has the cell 0 twice"),
        (Rule(ORDER[:15], 0), "has 15 cells"),
        (Rule((*ORDER, 16), 0), "order[16]=16"),
        (Rule((10**5000,), 0), "order[0]=a value of type int"),
        (Rule((0.5,) * 16, 0), "order[0]=0.5"),
        (Rule(None, 0), "order=None is no sequence"),
        (Rule(ORDER, 11), "endgame=11 is out of range; 0 to 10"),
        (Rule(ORDER, -1), "endgame=-1"),
        (Rule(ORDER, "4"), "endgame='4'"),
        (Rule(ORDER, 0, 0), "candidates=0 is out of range; 1 to 32"),
        (Rule(ORDER, 0, 33), "candidates=33"),
        (Rule(ORDER, 0, 2, 101), "percent=101 is out of range; 0 to 100"),
        (Rule(ORDER, 0, 2, 50.5), "percent=50.5"),
        (Rule(ORDER, 0, screen=63), "screen=63 is out of range; 64 to 1048576"),
        (Rule(ORDER, 0, finalists=0), "finalists=0"),
        (Rule(ORDER, 0, cap=2**40), f"cap={2**40}"),
        (Rule(ORDER, 0, screen=128, cap=127), "cap=127 is below screen=128"),
        (Rule(ORDER, 0, truncate=65), "truncate=65 is out of range; 1 to 64"),
        (Rule(ORDER, 0, estimates=()), "estimates has 0 rows"),
        (Rule(ORDER, 0, estimates=(ROW, ROW[1:])), "estimates[1] has 127 values"),
        (Rule(ORDER, 0, estimates=((*ROW[1:], -1),)), "estimates[0][127]=-1"),
        (Rule(ORDER, 0, estimates=((*ROW[1:], 2**31),)), "estimates[0][127]=2147483648"),
        (Rule(ORDER, 0, estimates=np.full((1, 128), 0.5)), "estimates[0][0]="),
        (NestedRule(ORDER, 0), "candidates=1 leaves nothing"),
        (NestedRule(ORDER, 0, 2, above=63), f"above=63 is out of range; 64 to {2**40}"),
        (NestedRule(ORDER, 0, 2, second=2**21), "second=2097152"),
        (NestedRule(ORDER, 0, 2, screen=128, cap=128, second=127), "second=127 is below screen"),
        (NestedRule(ORDER, 0, 2, inner=0), "inner=0 is out of range; 1 to 32"),
        (NestedRule(ORDER, 0, 2, floor=63), "floor=63 is out of range; 64 to 1048576"),
        (NestedRule((0,) * 16, 0, 2), "has the cell 0 twice"),
        (LevelsRule(ORDER, 0, 2, until=63), "until=63 is out of range; 64 to 1048576"),
        (LevelsRule(ORDER, 0, 2, levels=()), "levels has 0 items; 1 to 5 are accepted"),
        (LevelsRule(ORDER, 0, 2, levels=(3,)), "levels[0]=3 is no Level"),
        (LevelsRule(ORDER, 0, 2, levels=(Level(3, 1, 0, 1),)), "levels[0].floor=3 is out of"),
        (PatternRule(tuple(range(16, 32)), False, False), "order[0]=16"),
        (PatternRule((3,) * 16, False, False), "has the cell 3 twice"),
        (PatternRule(ORDER[1:], False, False), "has 15 cells"),
        (PatternRule(ORDER, 2, False), "in_line=2"),
        (PatternRule(ORDER, True, None), "know_water=None"),
    ],
)
def test_rules_that_do_not_fit(rule, part):
    with pytest.raises(StrategyError) as error:
        evaluate(WithRule(rule), GAME, jobs=1)
    assert part in str(error.value)
    assert "4x4:3,2" in str(error.value)


def test_rules_of_other_games():
    central = WithRule(PatternRule(ORDER, False, True))
    assert evaluate(central, GAME, jobs=1).configurations == 104
    with pytest.raises(StrategyError, match="contact=any, and contact=none is accepted"):
        evaluate(central, Game.parse("4x4:3,2;contact=any"), jobs=1)
    told = evaluate(central, Game.parse("4x4:3,2;announce=sunk"), jobs=1)
    assert told.histogram == evaluate(central, GAME, jobs=1).histogram
    with pytest.raises(StrategyError, match="where rollouts are not nested"):
        evaluate(WithRule(NestedRule(ORDER, 0, 2)), Game.parse("4x4:3,2;announce=sunk"), jobs=1)
    with pytest.raises(StrategyError, match="announces sinkings of more ships"):
        evaluate(
            WithRule(Rule(ORDER, 0)),
            Game.parse(f"6x6{33 * ',1'};contact=any;announce=sunk".replace(",", ":", 1)),
            jobs=1,
        )
    with pytest.raises(StrategyError, match=r"order=.* has 16 cells; .* 0 to 19 of 4x5"):
        evaluate(WithRule(Rule(ORDER, 0)), Game.parse("4x5:3,2"), jobs=1)


def test_rules_that_fit():
    """Lists and arrays of integers are as good as tuples."""
    plain = evaluate(WithRule(Rule(ORDER, 0)), GAME, jobs=1)
    array = Rule(np.arange(16), np.int64(0), estimates=np.zeros((1, 128), np.int32))
    assert plain == evaluate(named("greedy:endgame=0"), GAME, jobs=1) or plain.total_height == 879
    assert evaluate(WithRule(array), GAME, jobs=1).histogram == plain.histogram


# Checkpoints

IMPORTING = """import beside
from package import inner
def chosen(position):
    import lazy
    shot = position.hits | position.misses
    order = inner.ordered(beside.order(position.game.cells))
    return position.game.cell(next(c for c in order if not shot >> c & 1))
"""
BESIDE = {
    "own.py": IMPORTING,
    "beside.py": "def order(n): return list(range(n))\n",
    "package/__init__.py": "",
    "package/inner.py": "from .deepest import turned\ndef ordered(o): return turned(o)\n",
    "package/deepest.py": "def turned(o): return o\n",
    "lazy.py": "",
    "unused.py": "",
}


def write(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("own.py", IMPORTING.replace("in order if", "in order[1:] + order[:1] if")),
        ("beside.py", "def order(n): return [*range(1, n, 2), *range(0, n, 2)]\n"),
        ("package/deepest.py", "def turned(o): return o[5:] + o[:5]\n"),
        ("package/__init__.py", "x = 1\n"),
        ("lazy.py", "x = 1\n"),
    ],
)
def test_checkpoints_know_the_source(tmp_path, name, text):
    """Where any file that runs has changed, the total is a new one or none, never the old one."""
    write(tmp_path, BESIDE)
    file = tmp_path / "own.py"
    first = evaluate(f"{file}:chosen", GAME, checkpoint=tmp_path / "kept")
    assert first.total_height == ROWS
    (tmp_path / "unused.py").write_text("x = 1\n")
    assert evaluate(f"{file}:chosen", GAME, checkpoint=tmp_path / "kept").resumed == 1
    (tmp_path / name).write_text(text)
    with pytest.raises(TableError, match=r"own\.py:chosen, source "):
        evaluate(f"{file}:chosen", GAME, checkpoint=tmp_path / "kept")
    changed = evaluate(f"{file}:chosen", GAME, checkpoint=tmp_path / "new")
    assert changed.resumed == 0
    is_same = name in ("lazy.py", "package/__init__.py")
    assert (changed.total_height == ROWS) == is_same


def test_a_checkpoint_goes_with_the_source(tmp_path):
    """Not with its folder: the same files elsewhere go on, other files of the same name do not."""
    for folder in ("a", "b", "c"):
        write(tmp_path / folder, BESIDE)
    (tmp_path / "c" / "beside.py").write_text("def order(n): return list(range(n))[::-1]\n")
    kept = tmp_path / "kept"
    assert evaluate(f"{tmp_path}/a/own.py:chosen", GAME, checkpoint=kept).resumed == 0
    assert evaluate(f"{tmp_path}/b/own.py:chosen", GAME, checkpoint=kept).resumed == 1
    with pytest.raises(TableError):
        evaluate(f"{tmp_path}/c/own.py:chosen", GAME, checkpoint=kept)


def test_modules_of_one_name_in_two_folders(tmp_path):
    """Also those that are imported when the strategy is asked."""
    for number, folder in enumerate(("a", "b")):
        write(
            tmp_path / folder,
            {
                "own.py": "def f(p):\n    import order\n"
                "    s = p.hits | p.misses\n"
                "    return p.game.cell(next(c for c in order.ORDER if not s >> c & 1))\n",
                "order.py": f"ORDER = list(range(16))[::{1 - 2 * number}]\n",
            },
        )
    first, second = (as_strategy(f"{tmp_path}/{folder}/own.py:f") for folder in "ab")
    from optsearch.game.position import Position

    for _ in range(2):
        assert first.shot(Position(GAME)) == (0, 0)
        assert second.shot(Position(GAME)) == (3, 3)


def test_a_module_that_is_taken(tmp_path):
    write(tmp_path, {"own.py": "import random\n", "random.py": ""})
    with pytest.raises(StrategyError, match="cannot be imported as random"):
        named(f"{tmp_path}/own.py:f")


MODULE = """class Begins:
    def __init__(self, first): self.first = first
    def shot(self, position):
        shot, n = position.hits | position.misses, position.game.cells
        order = [(self.first + i) % n for i in range(n)]
        return position.game.cell(next(c for c in order if not shot >> c & 1))
def begin(position): return Begins(0).shot(position)
def maker():
    return lambda position: begin(position)
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    """An imported module whose file is older than this process."""
    (tmp_path / "begins.py").write_text(MODULE)
    os.utime(tmp_path / "begins.py", (1e9, 1e9))
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("begins")
    del sys.modules["begins"]


def test_checkpoints_of_imported_strategies(module, tmp_path):
    kept = tmp_path / "kept"
    assert evaluate(module.Begins(0), GAME, checkpoint=kept).total_height == ROWS
    assert evaluate(module.Begins(0), GAME, checkpoint=kept).resumed == 1
    with pytest.raises(TableError):
        evaluate(module.Begins(3), GAME, checkpoint=kept)
    with pytest.raises(TableError):
        evaluate(module.begin, GAME, checkpoint=kept)
    partial = functools.partial(module.Begins.shot, module.Begins(0))
    assert evaluate(partial, GAME, checkpoint=tmp_path / "other").total_height == ROWS
    (tmp_path / "begins.py").write_text(MODULE + "\n")
    with pytest.raises(
        StrategyError, match=r"begins\.py was changed after this Python process began"
    ):
        evaluate(module.Begins(0), GAME, checkpoint=kept)


def test_no_checkpoint_without_a_source(module, tmp_path):
    class Local(RowByRow):
        pass

    for what in (lambda position: left(position), module.maker(), Local):
        with pytest.raises(StrategyError, match=r"cannot have a checkpoint.*FILE\.py:NAME"):
            evaluate(what, GAME, checkpoint=tmp_path / "kept")
    assert not (tmp_path / "kept").exists()
    typed = (
        "from optsearch.evaluation import evaluate; from optsearch.game import Game\n"
        "from pathlib import Path\n"
        "def f(p): return p.game.cell(next(c for c in range(16) if not (p.hits|p.misses)>>c & 1))\n"
        "print(evaluate(f, Game.parse('4x4:3,2')).total_height)\n"
        f"evaluate(f, Game.parse('4x4:3,2'), checkpoint=Path({str(tmp_path / 'kept')!r}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", typed], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.stdout == f"{ROWS}\n"
    assert "StrategyError: f cannot have a checkpoint" in done.stderr


def test_checkpoints_know_the_parameters(tmp_path):
    evaluate("greedy:ties=first", GAME, checkpoint=tmp_path)
    for other in ("greedy:ties=last", "greedy:endgame=3", "pattern"):
        with pytest.raises(TableError):
            evaluate(other, GAME, checkpoint=tmp_path)
