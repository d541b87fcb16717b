"""What a command prints where there is no terminal; version, groups, examples, strategies."""

import csv
import io
import json
import os
import re
import shlex
import subprocess
import sys
import webbrowser
from itertools import pairwise

import pytest
import uvicorn
from rich.console import Console

import optsearch
from optsearch.cli import answers
from optsearch.cli import app as command
from optsearch.game import Game
from optsearch.game.named_games import NAMED_GAMES
from optsearch.game.orders import ORDERS
from optsearch.strategies import Strategy, as_player, named, player_classes
from optsearch.strategies.player import name_of, parameters
from optsearch.support.errors import StrategyError

ALL = command.load_all_commands().commands
PUZZLES = {f"solitaire {name}": one for name, one in ALL["solitaire"].commands.items()}
COMMANDS = {name: one for name, one in ALL.items() if name != "solitaire"}
EVERY = {**COMMANDS, **PUZZLES}


def test_version(call_command):
    status, out, err = call_command("--version")
    assert (status, err) == (0, "")
    first, second, *others = out.splitlines()
    assert first == f"optsearch {optsearch.__version__}, kernels {optsearch.build}"
    assert second.startswith("Python 3.")
    assert [line.split()[0] for line in others] == list(command.DEPENDENCIES)
    assert all(re.search(r" \d+\.\d|is not installed", line) for line in others)


def test_versions_as_json(call_command):
    found = json.loads(call_command("--version", "--json")[1])
    assert (found["version"], found["kernels"]) == (optsearch.__version__, optsearch.build)
    assert {*command.DEPENDENCIES} < {*found}
    for option in ("--json", "--all"):
        assert f"{option} is for --" in call_command(option)[2]


def test_help_is_one_screen_and_all_of_it_has_every_command(call_command):
    status, out, _ = call_command("--help")
    assert (status, out.count("\n") + 1 <= 24) == (0, True)
    names = re.findall(r"^  ([a-z]+)  ", out, re.M)
    assert names == [
        *(
            "solve",
            "bounds",
            "posterior",
            "advise",
            "serve",
            "play",
            "simulate",
            "evaluate",
            "table",
        )
    ]
    for asked in (("--help", "--all"), ("--all", "--help")):
        status, out, _ = call_command(*asked)
        assert re.findall(r"^  ([a-z]+)  ", out, re.M) == [*command.COMMANDS]


def test_what_is_listed_is_what_the_commands_say():
    assert {*command.COMMANDS} == {*ALL}
    for name, (module, sentence) in command.COMMANDS.items():
        assert " ".join((ALL[name].help or "").partition("\n\n")[0].split()) == sentence
        if name in COMMANDS:
            assert ALL[name].callback.__module__ == f"optsearch.cli.{module}"


@pytest.mark.parametrize("seconds", ["1e10", "1e19", "inf"])
def test_all_commands_take_seconds_that_no_clock_holds_for_no_limit(call_command, seconds):
    params = [one for command in EVERY.values() for one in command.params]
    params = [param for param in params if param.name == "time_limit"]
    assert len(params) > 5
    assert [param.type.convert(seconds, param, None) for param in params] == [None] * len(params)
    status, out, err = call_command("solve", "2x3:2", "--time-limit", seconds)
    assert (status, err) == (0, "")
    assert "greedy shots" in out  # which are printed where there is no limit


LIGHT = {"optsearch.cli." + name for name in ("app", "arguments", "command", "console", "options")}
COMPLETING = {
    "_OPTSEARCH_COMPLETE": "bash_complete",
    "COMP_CWORD": "1",
    "COMP_WORDS": "optsearch s",
}


def answer_and_modules(arguments, settings):
    """What the command says, and the modules that it has loaded."""
    code = """
import atexit, sys
sys.argv = ["optsearch", *sys.argv[1:]]
atexit.register(lambda: print("loaded", *sys.modules))
from optsearch.cli import main
main()
"""
    found = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **settings},
        timeout=600,
        check=False,
    )
    answer, _, loaded = found.stdout.rpartition("loaded ")
    return answer + found.stderr, {*loaded.split()}


@pytest.mark.parametrize(
    ("arguments", "settings", "shown"),
    [
        (["--version"], {}, "kernels"),
        (["--help"], {}, "solve"),
        (
            [],
            COMPLETING,
            "plain,sample\nplain,serve\nplain,simulate\nplain,solitaire\nplain,solve\nplain,strategies\n",
        ),
    ],
    ids=("version", "help", "completion"),
)
def test_what_needs_no_command_imports_none(arguments, settings, shown):
    """Nor numpy, which takes half of the time that these may take."""
    answer, loaded = answer_and_modules(arguments, settings)
    assert shown in answer
    assert not {"numpy", "numba", "matplotlib", "rich.progress"} & loaded
    assert {name for name in loaded if name.startswith("optsearch.cli.")} == LIGHT


def test_a_small_search_imports_what_it_uses():
    """Neither processes nor bounds, sweeps of other boards and rollouts, nor what checks."""
    code = "import optsearch, sys; optsearch.solve('4x4:3,2'); print(*sys.modules)"
    loaded = {*subprocess.check_output([sys.executable, "-c", code], text=True).split()}
    rooms = {f"optsearch.{name}" for name in ("check", "evaluation", "cli", "strategies", "play")}
    modules = {"search.rollouts", "lower_bounds.lower", "counting.frontier", "support.workers"}
    others = {"multiprocessing", "subprocess", "numba", "matplotlib", "numpy.ma", "scipy"}
    assert "optsearch.search.solver" in loaded
    assert not loaded & {*rooms, *others, *(f"optsearch.{name}" for name in modules)}


def test_values_of_options_load_little():
    answer, loaded = answer_and_modules(["count", "3x3:2", "--shots", "A1=hit", "--json"], {})
    assert '"configurations": 2,' in answer
    assert not {"importlib.metadata", "numba"} & loaded


def test_completing_options_imports_one_command():
    settings = {**COMPLETING, "COMP_CWORD": "2", "COMP_WORDS": "optsearch count --s"}
    answer, loaded = answer_and_modules([], settings)
    assert answer == "plain,--shots\n"
    assert not {"numba", "matplotlib", "highspy", "lmdb"} & loaded
    modules = {f"optsearch.cli.{module}" for module, _ in command.COMMANDS.values()}
    assert modules & loaded == {"optsearch.cli.counting"}


MADE_BY = {  # the file that the example of a command reads -> the command whose example writes it
    "tree.json": "solve",
    "proof.jsonl": "solve",
    "value.json": "equilibrium",
    "puzzle.txt": "solitaire generate",
}


def lines_of_help(name):
    """What the help of a command ends with: its example, how long that takes, what comes next."""
    form = (
        r"\x08\nExample: (optsearch .*)\nTakes:   (\d+) seconds? on a usual machine\nNext:    (.*)"
    )
    found = re.fullmatch(form, EVERY[name].epilog)
    assert found is not None, EVERY[name].epilog
    return found.groups()


@pytest.mark.parametrize("name", EVERY)
def test_every_help_has_an_example_and_what_comes_next(call_command, name):
    example, _, then = lines_of_help(name)
    assert example.split()[1 : 1 + len(name.split())] == name.split()
    shown = call_command(*name.split(), "--help")
    assert shown == call_command(*name.split(), "-h")
    assert (shown[0], shown[2]) == (0, "")
    assert shown[1].endswith("".join(f"  {line}\n" for line in EVERY[name].epilog.split("\n")[1:]))
    assert all(len(line) < 100 for line in shown[1].splitlines())
    assert "object at 0x" not in shown[1]
    # an installed copy has none of these
    assert not re.search(r"docs/|experiments|\bmake |\.md\b", shown[1])
    for line in (example, then):
        program, *words = shlex.split(line, comments=True)
        assert program == "optsearch"
        following = " ".join(words[: 2 if words[0] == "solitaire" else 1])
        known = {option for one in EVERY[following].params for option in one.opts}
        assert {word for word in words if word.startswith("-")} <= known


# Processor seconds; other tests run them on smaller games.
LONG = {
    **{"reproduce": 8, "animate": 4, "table": 3, "tree": 3, "advise": 2, "play": 2},
    **{"bounds": 1, "counterexamples": 1, "check": 1},
}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.long(LONG[name])] if name in LONG else [])
        for name in EVERY
    ],
)
def test_every_example_runs(call_command, monkeypatch, tmp_path, name):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    if name == "serve":  # what would go on until ctrl-C
        monkeypatch.setattr(uvicorn.Server, "run", lambda *_, **__: None)
        monkeypatch.setattr(webbrowser, "open", lambda _: True)
    example = shlex.split(lines_of_help(name)[0])[1:]
    made = [MADE_BY[word] for word in example if word in MADE_BY and MADE_BY[word] != name]
    for other in made:
        assert call_command(*shlex.split(lines_of_help(other)[0])[1:])[::2] == (0, "")
    status, out, err = call_command(*example)
    assert (status, err) == (0, "")
    assert out
    command = EVERY[name]
    writing = {one for param in command.params if command.writes(param) for one in param.opts}
    written = [word for option, word in pairwise(example) if option in writing]
    assert all((tmp_path / path).stat().st_size for path in written)


@pytest.mark.parametrize(
    "arguments",
    [
        ["solve", "4x5:2,3,4"],
        ["greedy", "4x4:3,2"],
        ["posterior", "10x10:5,4,3,3,2", "--shots", "A1=miss"],
        ["bounds", "7x7:5,4,3,3,2"],
        ["evaluate", "greedy", "4x4:3,2", "--jobs", "1"],
        ["counterexamples", "--max-cells", "10"],
        ["strategies"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_lines_are_neither_wrapped_nor_padded(call_command, monkeypatch, arguments):
    """The width of the terminal makes no difference where there is none."""
    texts = []
    for columns in ("30", "200"):
        monkeypatch.setenv("COLUMNS", columns)
        status, out, err = call_command(*arguments)
        assert (status, err) == (0, "")
        texts.append(re.sub(r"(seconds +)\S+", r"\1S", out))
    assert texts[0] == texts[1]
    assert [line for line in texts[0].splitlines() if line != line.rstrip()] == []


def test_numbers_are_whole_on_a_narrow_terminal(call_command, monkeypatch):
    text = io.StringIO()
    monkeypatch.setattr(answers, "out", Console(file=text, width=40))
    assert call_command("greedy", "4x4:3,2")[0] == 0
    assert text.getvalue().count("8.442308") == 3
    assert "…" not in text.getvalue()


def test_games_that_have_a_name(call_command):
    status, out, err = call_command("games", "--format", "csv")
    assert (status, err) == (0, "")
    rows = csv.DictReader(line for line in out.splitlines() if not line.startswith("#"))
    for row, game in zip(rows, NAMED_GAMES.values(), strict=True):
        assert (row["name"], row["about"]) == (game.name, game.about)
        assert Game.parse(row["game"]) == Game.parse(row["name"])
        assert int(row["configurations"]) > 0
        lower, upper = map(float, row["bracket"].split())
        assert 0 < lower <= upper


def test_strategies(call_command, answer_of):
    found = answer_of("strategies")
    assert found["ties"] == list(ORDERS)
    names = call_command("strategies")[1].splitlines()
    for one in found["strategies"]:
        given = {has["name"]: has["default"] for has in one["parameters"] if has["default"] != ""}
        values = ",".join(f"{name}={default}" for name, default in given.items())
        text = f"{one['name']}:{values}" if values else one["name"]
        assert as_player(text) == as_player(one["name"])
        assert isinstance(as_player(text), Strategy) == one["is_strategy"]
        assert f"{one['name']}  {one['what']}" in map(spaced, (line.strip() for line in names))
        lines = call_command("strategies", one["name"])[1].splitlines()
        for has in one["parameters"]:
            given = f"{has['name']}={has['default']}"
            said = [line.split(None, 1)[1] for line in lines if line.split()[:1] == [given]]
            assert f"{has['accepted']}  {has['meaning']}" in map(spaced, said)
            assert has["accepted"]
            assert has["meaning"]
    assert name_of(type(named("greedy"))) in [one["name"] for one in found["strategies"]]
    assert "did you mean greedy?" in call_command("strategies", "gready")[2]


def test_bounds_print_the_bracket_first(call_command):
    few, every = (
        call_command("bounds", "4x5:4,3,2", *more)[1].splitlines() for more in ((), ("--all",))
    )
    assert few[1] == every[1] == "bracket  11.295455 on both sides, to the nearest digit, marked ="
    assert len([line for line in few if line.startswith(("=", "*"))]) == 2
    assert f"{sum(line[:2] in ('  ', '= ') and line[2] != ' ' for line in every)} bounds" in few[-1]


def spaced(text):
    """A line with two spaces between its columns."""
    return re.sub(r" {2,}", "  ", text)


PARAMETERS = [
    (name_of(each), one) for each in player_classes() for one in parameters(each).values()
]


@pytest.mark.parametrize(("kind", "one"), PARAMETERS, ids=lambda what: getattr(what, "name", what))
def test_what_is_accepted(kind, one):
    def make(value):
        return as_player(f"{kind}:{one.name}={value}")

    assert make(one.default) == as_player(kind)
    if isinstance(one.accepted, range):
        low, high = one.accepted[0], one.accepted[-1]
        both = {"cap": ",screen=64", "screen": f",cap={high}", "modulus": ",colours=0"}
        both["second"] = both["cap"]
        nested = kind in ("nested", "levels", "deep")
        more = both.get(one.name, "") if nested or kind in ("rollout", "pattern") else ""
        if nested and one.name == "screen":
            more += f",second={high}"
        for value in (low, high):
            assert getattr(make(f"{value}{more}"), one.name) == value
        for value in (low - 1, high + 1):
            with pytest.raises(StrategyError, match=f"{one.name}={value} is out of range"):
                make(value)
        with pytest.raises(StrategyError, match="'x' is not a whole number"):
            make("x")
        return
    for value in one.accepted if isinstance(one.accepted, tuple) else ():
        assert getattr(make(value), one.name) == value
    with pytest.raises(StrategyError, match="x"):
        make("x")
