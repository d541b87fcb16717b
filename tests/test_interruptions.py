"""Ctrl-C at any moment and workers that are killed: one line, the exit status, no traceback."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.examples import some
from tests.processes import MANY_SECONDS, run_command, run_script
from tests.stores import facts_of

ROOT = Path(__file__).resolve().parent.parent

MINUTES = {  # what would take them
    "solve": ("solve", "6x6:4,3,2"),
    "counterexamples": ("counterexamples", "--max-cells", 16),
    "evaluate": ("evaluate", "greedy", "10x10:5,4,3,3,2"),
}
# All of them hand work to the same pool: a second time is asked of one.
TIMES = [("solve", 1), ("evaluate", 2), ("counterexamples", 1), ("evaluate", 1)]
SUBMIT = "from optsearch.support.workers import _Pool; at(_Pool, 'submit', {action}, {times})"


@pytest.mark.parametrize(("command", "times"), some(1, TIMES, 3))
def test_a_killed_worker(command, times):
    """As it starts, and beside one that was given work before."""
    hooks = SUBMIT.format(action="kill_worker", times=times)
    status, out, err = run_command(*MINUTES[command], "--jobs", 2, hooks=hooks)
    option = "--table" if command == "solve" else "--resume"
    assert (status, out) == (2, "")
    assert err == (
        "error: a worker process was killed, perhaps because memory ran out; fewer --jobs may do; "
        f"with {option} FOLDER, what is done would be kept\n"
    )


def test_a_killed_worker_loses_nothing(tmp_path):
    """What was kept, and how to go on, is said where there is a folder."""
    hooks = "from optsearch.support.store import Facts; at(Facts, 'add', end_workers, 30)"
    arguments = ("--max-cells", 16, "--jobs", 2, "--resume", "kept")
    status, out, err = run_command("counterexamples", *arguments, hooks=END + hooks, cwd=tmp_path)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert err.endswith("what is done is in kept, and the same command goes on from there\n")
    assert len(facts_of(tmp_path / "kept")) >= 30


END = """
import multiprocessing

def end_workers(*_):
    for worker in multiprocessing.active_children():
        worker.kill()

"""


@pytest.mark.parametrize(("command", "times"), some(1, TIMES[1:] + TIMES[:1], 3))
def test_ctrl_c_while_workers_start(command, times):
    """It reaches them, too: the first work was handed over, they are loading their modules."""
    hooks = SUBMIT.format(action="interrupt_all", times=times)
    status, out, err = run_command(*MINUTES[command], "--jobs", 2, hooks=hooks)
    assert (status, err) == (130, "interrupted\n")
    assert ("between" in out) == (command == "solve")


@pytest.mark.parametrize(
    ("command", "times"), some(1, [("counterexamples", 30), ("evaluate", 5)], 4)
)
def test_ctrl_c_while_workers_work(tmp_path, command, times):
    """Once something came back, with more under way."""
    hooks = "from optsearch.support.store import Facts; at(Facts, 'add', interrupt_all, {})"
    options = ("--jobs", 2, "--resume", "kept")
    ended = run_command(*MINUTES[command], *options, hooks=hooks.format(times), cwd=tmp_path)
    kept = "what is done is in kept, and the same command goes on from there"
    assert ended == (130, "", f"interrupted; {kept}\n")


@pytest.mark.parametrize("times", some(1, [1, 2], 3))
def test_an_owner_that_is_killed_leaves_nothing_on_the_terminal(times):
    """Neither its workers nor what tidies up after it say a word."""
    hooks = SUBMIT.format(action="kill", times=times)
    assert run_command(*MINUTES["evaluate"], "--jobs", 2, hooks=hooks) == (-9, "", "")


@pytest.mark.parametrize(("signal", "status"), some(1, [("interrupt_all", 130), ("kill", -9)], 5))
def test_announced_games_go_on_from_their_table(tmp_path, signal, status):
    """In two processes, none of which is left; what was found before is found in the table."""
    game = "4x4:3,2,announce=ship"
    hooks = f"from optsearch.support.store import Integers; at(Integers, 'put', {signal}, 60)"
    arguments = ("solve", game, "--jobs", 2, "--table", "kept")
    ended = run_command(*arguments, hooks=hooks, cwd=tmp_path)
    assert ended[0] == status
    wait_until_left(tmp_path)
    if signal == "interrupt_all":
        assert "between" in ended[1]
        assert ended[2] == (
            "interrupted; what was solved is in kept, and the same command goes on from it\n"
        )
    status, out, err = run_command(*arguments, cwd=tmp_path)
    assert (status, err) == (0, "")
    assert "848/104 = 8.153846" in out


def wait_until_left(folder):
    """Until no process works in a folder: workers may need a moment after their owner's end."""
    end = time.monotonic() + MANY_SECONDS
    while any(works_in(process, folder) for process in Path("/proc").glob("[0-9]*")):
        assert time.monotonic() < end
        time.sleep(0.05)


def works_in(process, folder):
    try:
        return (process / "cwd").readlink() == folder
    except OSError:  # of somebody else, or gone
        return False


IMPORTING = """
class Interrupting:
    @staticmethod
    def find_spec(name, *_):
        if name == module:
            interrupt()

sys.meta_path.insert(0, Interrupting)
module = sys.argv[1]
sys.argv[1:] = ["solve", "2x3:2"]
from optsearch.cli import main
main()
"""


@pytest.mark.parametrize(
    "module",
    some(
        3,
        ["optsearch.cli.command", "numpy", "click", "optsearch.search.solver", "rich", "lmdb"],
        2,
    ),
)
def test_ctrl_c_during_imports(module):
    """Ctrl-C when a module is about to be loaded."""
    assert run_script(IMPORTING, module) == (130, "", "interrupted\n")


def test_next_to_nothing_is_loaded_before_ctrl_c_is_heard():
    """Until then ctrl-C ends in a traceback of whatever module is loading."""
    script = "import sys, optsearch.cli; print(*sys.modules)"  # -S: nothing of site-packages
    command = [sys.executable, "-S", "-c", script]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in found.stdout.split()}
    heavy = {"numpy", "click", "rich", "pathlib", "matplotlib", "numba", "lmdb"}
    heavy |= {"typing", "threading"}
    assert loaded & heavy == set()


LATE = """
class Gone:
    def __del__(self, kill=os.kill, process=os.getpid(), ctrl_c=signal.SIGINT):
        kill(process, ctrl_c)
"""


@pytest.mark.parametrize(
    "hooks", ["import atexit; atexit.register(interrupt)", f"{LATE}gone = Gone()"]
)
def test_ctrl_c_after_the_answer_is_too_late(hooks):
    """As the interpreter ends, and when it has forgotten its handlers and clears its modules."""
    ended = run_command("count", "2x3:2", hooks=hooks)
    assert ended == (0, "2x3:2: hits tell nothing\nconfigurations  7\n", "")


def test_ctrl_c_during_a_count_by_the_lattice():
    """Within the kernel that makes the table of a large game."""
    hooks = "from optsearch.counting import lattice; at(lattice, 'Lattice', interrupt_in_kernel)"
    game = "11x11:8,7,6,5,4,3,2,1,contact=any"
    assert run_command("count", game, hooks=hooks) == (130, "", "interrupted\n")
