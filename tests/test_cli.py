"""The command `optsearch`: exact answers, and one clear line for everything that is wrong."""

import json
import subprocess
import sys
from importlib.metadata import entry_points
from xml.etree import ElementTree

import pytest

from optsearch import cli
from optsearch.support.store import Integers
from tests.examples import some
from tests.processes import ENVIRONMENT, MANY_SECONDS, run_command


def started(*arguments, cwd=None):
    """The real command, running."""
    return subprocess.Popen(
        [sys.executable, "-m", "optsearch", *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=ENVIRONMENT,
        cwd=cwd,
    )


# Answers


def test_the_installed_command_is_this_one():
    (entry,) = entry_points(group="console_scripts", name="optsearch")
    assert entry.load() is cli.main


def test_no_shell_cuts_a_game():
    """The command that is shown for a game is typed as it is, in a real shell."""
    typed = f"{sys.executable} -m optsearch count 4x4:##/##,2,contact=any,announce=ship,holes=A1"
    ran = subprocess.run(typed, shell=True, capture_output=True, text=True, check=True)
    assert ran.stdout == "4x4:O4,2,contact=any,announce=ship,holes=A1\nconfigurations  102\n"


# Trees


@pytest.fixture
def tree(call_command, tmp_path):
    """The file of an optimal tree of 4x5:4,3,2."""
    path = tmp_path / "tree.json"
    status, out, err = call_command("solve", "4x5:4,3,2", "--tree", path)
    assert (status, err) == (0, "")
    assert "994/88" in out
    return path


@pytest.mark.parametrize("ending", some(1, ["svg", "PDF", "pdf", "png"], 2))
def test_draw(call_command, tmp_path, tree, ending):
    drawing = tmp_path / f"drawing.{ending}"
    status, out, err = call_command("tree", tree, "--figure", drawing)
    assert (status, err) == (0, "")
    assert out.endswith(f" {drawing}, 7 of 13 shots; --whole draws all\n")
    data = drawing.read_bytes()
    if ending == "svg":
        assert ElementTree.fromstring(data).tag == "{http://www.w3.org/2000/svg}svg"
    else:
        assert data.startswith(b"\x89PNG\r\n\x1a\n" if ending == "png" else b"%PDF-")
    assert len(data) > 10_000


def test_a_drawn_board_as_windows_writes_it(call_command, tmp_path):
    """With a byte order mark and carriage returns."""
    board = tmp_path / "lake.txt"
    board.write_bytes(b"\xef\xbb\xbf...\r\n.-.\r\n...\r\n")
    assert call_command("count", f"{board}:2") == call_command("count", "3x3:2,holes=B2")


# Tables on disk


def test_a_table_serves_every_position_of_its_game(answer_of, tmp_path):
    table = tmp_path / "table"
    answer_of("solve", "4x5:2,3", "--table", table)
    for shots in ("A1=miss", "C1=hit", "C1=hit B1=miss"):
        with_table = answer_of("solve", "4x5:2,3", "--shots", shots, "--table", table)
        plain = answer_of("solve", "4x5:2,3", "--shots", shots)
        assert with_table["mean"] == plain["mean"]
        assert with_table["best_shots"] == plain["best_shots"]
        assert with_table["nodes"] <= plain["nodes"]


def test_interrupted_with_a_table(call_command, answer_of, interrupt_at, tmp_path):
    """After 200 times that something is put; what is not committed then is committed in the end."""
    table, game = tmp_path / "table", "5x5:3,2"
    interrupt_at(Integers, "put", 200)
    status, out, err = call_command("solve", game, "--table", table, "--json")
    assert status == 130
    bracket = json.loads(out)
    assert (bracket["best_shots"], bracket["lower_by"]) == ([], "optimum, data/results/optima.csv")
    assert err.count("\n") == 1
    assert "interrupted" in err
    assert str(table) in err
    assert "goes on" in err
    with Integers(table, f"the solver's table of {game}") as disk:
        assert 100 < len(disk) <= 200
    path = tmp_path / "tree.json"
    plain = answer_of("solve", game, "--tree", path)
    resumed = answer_of("solve", game, "--table", table)
    assert bracket["lower"] <= resumed["total_height"] <= bracket["upper"]
    assert resumed["mean"] == plain["mean"] == answer_of("check", path)["mean"]
    assert resumed["best_shots"] == plain["best_shots"]
    assert 0 < resumed["nodes"] < plain["nodes"]


MINUTES = {  # games that would take them, and where each method is interrupted
    "reference": (
        "5x6:2",
        "from optsearch.check import reference; at(reference, 'weight', interrupt)",
    ),
    "paper": (
        "5x6:2",
        "from optsearch.check import paper; at(paper, 'Optimum', interrupt_in_kernel)",
    ),
    "solver": (
        "6x6:4,3,2",
        "from optsearch.search.watch import SearchMonitor; at(SearchMonitor, 'tick', interrupt)",
    ),
}


@pytest.mark.parametrize("method", some(1, ["paper", "solver", "reference"], 2))
def test_interrupted_without_a_table(method):
    game, hooks = MINUTES[method]
    status, out, err = run_command("solve", game, "--method", method, hooks=hooks)
    assert (status, err) == (130, "interrupted\n")
    assert ("between" in out) == (method == "solver")


@pytest.mark.parametrize("command", some(1, ["tree", "posterior", "reproduce"], 3))
def test_closed_pipe(call_command, tmp_path, command):
    """Whoever reads may stop early, as `| head -1` does: no traceback, no waiting."""
    path = tmp_path / "tree.json"
    call_command("solve", "5x5:3,2", "--tree", path)  # its text does not fit into a pipe
    arguments = {"posterior": ("4x5:4,3,2",), "tree": (path,), "reproduce": ()}[command]
    process = started(command, *arguments)
    if command == "tree":
        assert process.stdout.readline().startswith("5x5:3,2: total height 5765")
    process.stdout.close()
    err = process.stderr.read()
    process.wait(timeout=MANY_SECONDS)
    process.stderr.close()
    assert err == ""


def test_warnings_of_a_dependency_are_for_its_users():
    hooks = """
import warnings
from optsearch.cli import app
at(app, "versions", lambda *_: warnings.warn("this is old"))
"""
    status, out, err = run_command("--version", hooks=hooks)
    assert (status, out.split()[0], err) == (0, "optsearch", "")
