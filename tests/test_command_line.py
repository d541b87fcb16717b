"""What a command prints where there is no terminal; version, groups, examples, strategies."""

import re
import shlex

import pytest

import optsearch
from optsearch.cli import common
from optsearch.cli.command import app
from optsearch.orders import ORDERS
from optsearch.strategies import as_player, named
from optsearch.strategies.player import name_of

COMMANDS = {one.name or one.callback.__name__: one for one in app.registered_commands}


def test_version(here):
    status, out, err = here("--version")
    assert (status, err) == (0, "")
    first, second, *others = out.splitlines()
    assert first == f"optsearch {optsearch.__version__}, kernels {optsearch.build}"
    assert second.startswith("Python 3.")
    assert [line.split()[0] for line in others] == list(common.DEPENDENCIES)
    assert all(re.search(r" \d+\.\d|is not installed", line) for line in others)


def test_help_lists_every_command_in_a_group(here):
    status, out, _ = here("--help")
    assert status == 0
    for group in (common.COUNTING, common.OPTIMUM, common.STRATEGIES, common.SHOWING):
        assert f"\n{group}:\n" in out
    assert {*re.findall(r"^  ([a-z]+)  ", out, re.M)} >= {*COMMANDS}
    assert "--install-completion" in out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_an_example(here, name):
    example = COMMANDS[name].epilog or ""
    assert example.startswith(f"Example: optsearch {name}")
    status, out, _ = here(name, "--help")
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
        ["bounds", "10x10:5,4,3,3,2"],
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


def test_strategies(here, answer_of):
    found = answer_of("strategies")
    assert found["ties"] == list(ORDERS)
    for one in found["strategies"]:
        values = ",".join(f"{key}={value}" for key, value in one["parameters"].items())
        text = f"{one['name']}:{values}" if values else one["name"]
        assert str(as_player(text)) == text
        assert f"\n{one['name']}\n" in "\n" + here("strategies")[1]
        assert text in here("strategies")[1].splitlines() or f"  {text}" in here("strategies")[1]
    assert name_of(type(named("greedy"))) in [one["name"] for one in found["strategies"]]


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
