"""What a command prints where there is no terminal; version, groups, examples, strategies."""

import io
import os
import re
import shlex
import subprocess
import sys

import pytest
from rich.console import Console

import optsearch
from optsearch.cli import answers, common
from optsearch.cli import app as command
from optsearch.game.orders import ORDERS
from optsearch.strategies import Strategy, all_kinds, as_player, named
from optsearch.strategies.player import name_of, parameters
from optsearch.support.errors import StrategyError

ALL = command.everything().commands
PUZZLES = {f"solitaire {name}": one for name, one in ALL["solitaire"].commands.items()}
COMMANDS = {name: one for name, one in ALL.items() if name != "solitaire"}


def test_version(here):
    status, out, err = here("--version")
    assert (status, err) == (0, "")
    first, second, *others = out.splitlines()
    assert first == f"optsearch {optsearch.__version__}, kernels {optsearch.build}"
    assert second.startswith("Python 3.")
    assert [line.split()[0] for line in others] == list(command.DEPENDENCIES)
    assert all(re.search(r" \d+\.\d|is not installed", line) for line in others)


def test_help_lists_every_command_in_a_group(here):
    status, out, _ = here("--help")
    assert status == 0
    for group in (command.COUNTING, command.OPTIMUM, command.STRATEGIES, command.SHOWING):
        assert f"\n{group}:\n" in out
    assert {*re.findall(r"^  ([a-z]+)  ", out, re.M)} >= {*COMMANDS}
    assert "--install-completion" in out


def test_what_is_listed_is_what_the_commands_say():
    assert {*command.COMMANDS} == {*ALL}
    for name, (_, module, sentence) in command.COMMANDS.items():
        assert " ".join((ALL[name].help or "").partition("\n\n")[0].split()) == sentence
        if name in COMMANDS:
            assert ALL[name].callback.__module__ == f"optsearch.cli.{module}"


LIGHT = {"optsearch.cli." + name for name in ("app", "arguments", "command")}
COMPLETING = {
    "_OPTSEARCH_COMPLETE": "complete_bash",
    "COMP_CWORD": "1",
    "COMP_WORDS": "optsearch s",
}


@pytest.mark.parametrize(
    ("arguments", "settings", "shown"),
    [
        (["--version"], {}, "kernels"),
        (["--help"], {}, "solitaire"),
        ([], COMPLETING, "sample\nstrategies\nsimulate\nsolve\nsolitaire\n"),
    ],
    ids=("version", "help", "completion"),
)
def test_what_needs_no_command_imports_none(arguments, settings, shown):
    """Nor numpy, which takes half of the time that these may take."""
    code = """
import atexit, sys
sys.argv = ["optsearch", *sys.argv[1:]]
atexit.register(lambda: print("loaded", *sys.modules))
from optsearch.cli import main
main()
"""
    environment = {**os.environ, **settings}
    command_line = [sys.executable, "-c", code, *arguments]
    found = subprocess.run(
        command_line, capture_output=True, text=True, env=environment, timeout=600, check=False
    )
    answer, _, loaded = found.stdout.rpartition("loaded ")
    assert shown in answer, found.stderr
    assert not {"numpy", "numba", "matplotlib", "rich.progress"} & {*loaded.split()}
    assert {name for name in loaded.split() if name.startswith("optsearch.cli.")} == LIGHT


@pytest.mark.parametrize("name", {**COMMANDS, **PUZZLES})
def test_every_command_has_an_example(here, name):
    example = {**COMMANDS, **PUZZLES}[name].epilog or ""
    assert example.startswith(f"Example: optsearch {name}")
    status, out, _ = here(*name.split(), "--help")
    assert status == 0
    assert " ".join(example.split()) in " ".join(out.split())
    words = shlex.split(example)[3:]
    known = set(re.findall(r"--?[a-z][\w-]*", out))
    assert {word for word in words if word.startswith("-")} <= known


@pytest.mark.parametrize(
    "arguments",
    [
        ["solve", "4x5:2,3,4"],
        ["greedy", "4x4:3,2"],
        ["posterior", "10x10:5,4,3,3,2", "--shots", "A1=miss"],
        ["bounds", "7x7:5,4,3,3,2"],
        ["evaluate", "greedy", "4x4:3,2", "--jobs", "1"],
        ["counterexamples", "--max-cells", "12"],
        ["strategies"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_lines_are_neither_wrapped_nor_padded(here, monkeypatch, arguments):
    """The width of the terminal makes no difference where there is none."""
    texts = []
    for columns in ("30", "200"):
        monkeypatch.setenv("COLUMNS", columns)
        status, out, err = here(*arguments)
        assert (status, err) == (0, "")
        texts.append(re.sub(r"(seconds +)\S+", r"\1S", out))
    assert texts[0] == texts[1]
    assert [line for line in texts[0].splitlines() if line != line.rstrip()] == []


def test_nothing_is_left_out_of_a_narrow_table():
    facts, path = common.facts_table(), "folder/" * 9 + "page.html"
    facts.add_row("page", path)
    text = io.StringIO()
    Console(file=text, width=30).print(facts)
    assert "".join(text.getvalue().split()) == f"page{path}"


def test_numbers_are_whole_on_a_narrow_terminal(here, monkeypatch):
    text = io.StringIO()
    monkeypatch.setattr(answers, "out", Console(file=text, width=40))
    assert here("greedy", "4x4:3,2")[0] == 0
    assert text.getvalue().count("8.442308") == 3
    assert "…" not in text.getvalue()


def test_strategies(here, answer_of):
    found = answer_of("strategies")
    assert found["ties"] == list(ORDERS)
    lines = here("strategies")[1].splitlines()
    for one in found["strategies"]:
        values = ",".join(f"{has['name']}={has['default']}" for has in one["parameters"])
        text = f"{one['name']}:{values}" if values else one["name"]
        assert str(as_player(text)) == text
        assert isinstance(as_player(text), Strategy) == one["is_strategy"]
        assert one["name"] in lines
        assert "this file" not in one["what"]
        for has in one["parameters"]:
            given = f"{has['name']}={has['default']}"
            said = [line.split(None, 1)[1] for line in lines if line.split()[:1] == [given]]
            assert f"{has['accepted']}  {has['meaning']}" in map(spaced, said)
            assert has["accepted"]
        assert has["meaning"]
    assert name_of(type(named("greedy"))) in [one["name"] for one in found["strategies"]]


def spaced(text):
    """A line with two spaces between its columns."""
    return re.sub(r" {2,}", "  ", text)


PARAMETERS = [(name_of(kind), one) for kind in all_kinds() for one in parameters(kind).values()]


@pytest.mark.parametrize(("kind", "one"), PARAMETERS, ids=lambda what: getattr(what, "name", what))
def test_what_is_accepted(kind, one):
    def make(value):
        return as_player(f"{kind}:{one.name}={value}")

    assert make(one.default) == as_player(kind)
    if isinstance(one.accepted, range):
        low, high = one.accepted[0], one.accepted[-1]
        both = {"cap": ",screen=64", "screen": f",cap={high}", "modulus": ",colours=0"}
        both["second"] = both["cap"]
        more = both.get(one.name, "") if kind in ("rollout", "nested", "pattern") else ""
        if (kind, one.name) == ("nested", "screen"):
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


def test_boards_of_a_sample(here):
    status, out, _ = here("sample", "4x5:2,3,4", "--boards", "-n", 2, "--seed", 1)
    assert status == 0
    first, second, legend = out.rstrip("\n").split("\n\n")
    posterior = optsearch.Posterior("4x5:2,3,4")
    assert [first, second] == posterior.boards(posterior.sample(2, 1))
    assert legend.startswith(". water")
    assert here("sample", "4x5:2,3,4", "--boards", "--json")[0] == 2


def test_a_game_too_large_to_solve(here):
    status, out, err = here("solve", "10x10:5,4,3,3,2")
    assert (status, out, err.count("\n")) == (2, "", 1)
    for name in ("bounds", "evaluate", "posterior"):
        assert name in err
