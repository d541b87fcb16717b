"""Processes that work for another one."""

import os
import subprocess
import sys
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path

import pytest

from optsearch.equilibria import equilibrium
from optsearch.evaluation import ROW_BYTES, PositionSampling, evaluate
from optsearch.evaluation.comparison import compare
from optsearch.play.simulate import simulate
from optsearch.results.tabulate import table
from optsearch.support.errors import OptsearchError, WorkerLost
from optsearch.support.sharing import SerialExecutor, run_tasks
from optsearch.support.workers import Execution, process_pool, translate_worker_errors
from tests.processes import MANY_SECONDS

OWNER = """
import signal, sys
from optsearch.support.workers import process_pool

def work():
    print("at work", flush=True)
    signal.pause()

if __name__ == "__main__":
    with process_pool(2) as pool:
        for _ in range(2):
            pool.submit(work)
        sys.stdin.readline()
"""


@contextmanager
def started(tmp_path):
    """An owner of two workers that are at work; they, too, hold the end of its output open."""
    path = tmp_path / "owner.py"
    path.write_text(OWNER)
    with subprocess.Popen(
        [sys.executable, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    ) as owner:
        assert [owner.stdout.readline() for _ in range(2)] == ["at work\n"] * 2
        yield owner


def test_workers_end_with_the_pool(tmp_path):
    with started(tmp_path) as owner:
        assert owner.communicate("end\n", timeout=MANY_SECONDS) == ("", None)  # all have ended
    assert owner.returncode == 0


def test_workers_end_with_an_owner_that_is_killed(tmp_path):
    with started(tmp_path) as owner:
        owner.kill()
        assert owner.communicate(timeout=MANY_SECONDS) == ("", None)


@pytest.mark.parametrize("error", [OSError("handle is closed"), ValueError("bad value(s)"), None])
@pytest.mark.parametrize("broken", ["a worker ended", False])
def test_a_pool_that_breaks_while_it_is_given_work(error, broken, monkeypatch):
    """Its manager has closed what it needs, or looked through its work; else errors are errors."""

    def submit(pool, function):
        pool._broken = broken
        if error is not None:
            raise error

    monkeypatch.setattr(ProcessPoolExecutor, "submit", submit)
    raised = WorkerLost if broken else type(error) if error is not None else None
    with nullcontext() if raised is None else pytest.raises(raised), process_pool(1) as pool:
        pool.submit(int)


def test_all_workers_start_with_the_first_work():
    """None starts beside the thread that watches them, which may be closing their queues."""
    with process_pool(2) as pool:
        pool.submit(int)
        assert len(pool._processes) == 2


TASKS = "7x7:4,3,2,contact=any,announce=ship"  # of several tasks, with the least memory
UNGUARDED = """
from optsearch import Execution, simulate
print(simulate(["greedy"], "4x4:3,2", games=40{}).outcomes[0].games)
"""


def refuse_processes(monkeypatch):
    """Three processors, and an error that says how many processes were to be started."""

    def start(pool, jobs, *others):
        raise OptsearchError(f"{jobs} processes")

    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    monkeypatch.setattr(ProcessPoolExecutor, "__init__", start)


@pytest.mark.parametrize(
    "work",
    [
        lambda **run: evaluate("greedy", TASKS, memory=ROW_BYTES << 16, **run),
        lambda **run: compare(
            "greedy", "spread", TASKS, sampling=PositionSampling(positions=2, largest=9), **run
        ),
        lambda **run: simulate(["greedy"], "4x4:3,2", games=40, **run),
        lambda **run: table(["2x3:2"], ["optimum", "greedy"], results=Path("none"), **run),
    ],
    ids=["evaluate", "compare", "simulate", "table"],
)
def test_nothing_starts_processes_unasked(monkeypatch, work):
    refuse_processes(monkeypatch)
    work()
    with pytest.raises(OptsearchError, match=r"^2 processes"):
        work(execution=Execution(jobs=2))


def test_commands_start_as_many_as_processors(monkeypatch, call_command):
    refuse_processes(monkeypatch)
    for command in (
        ["simulate", "greedy", "4x4:3,2"],
        ["compare", "greedy", "spread", TASKS, "--positions", 2, "--largest", 9],
        ["table", "2x3:2", "2x4:2", "3x3:2", "--columns", "greedy:ties=last"],
    ):
        assert "3 processes" in call_command(*command)[2]


def test_processes_asked_for_as_a_file_is_read(tmp_path):
    """Each of them reads the file, too; without jobs it works as it is."""
    file = tmp_path / "two_lines.py"

    def run(jobs):
        file.write_text(UNGUARDED.format(jobs))
        return subprocess.run([sys.executable, file], capture_output=True, encoding="utf-8")

    assert run("").stdout == "40\n"
    ended = run(", execution=Execution(jobs=2)")
    assert (ended.returncode, ended.stdout, ended.stderr.count("Traceback")) == (1, "", 1)
    assert ended.stderr.endswith(
        f"each process reads {file} and would start processes, too; write if __name__ == "
        '"__main__": above the lines that start them, or leave out jobs\n'
    )


# Work shared out


class Waiting(Executor):
    """Keeps what it is given; `end` ends some of it."""

    def __init__(self):
        self.futures = {}

    def submit(self, work, task):
        self.futures[task] = Future()
        return self.futures[task]

    def end(self, *tasks):
        for task in tasks:
            self.futures[task].set_result(10 * task)

    @property
    def open(self):
        return [task for task, future in self.futures.items() if not future.done()]


def numbers(last):
    return iter(range(last))


def test_results_come_as_tasks_end_and_few_are_under_way():
    executor = Waiting()
    found = run_tasks(executor, int, numbers(4), 2, lambda: executor.end(1))
    assert next(found) == (1, 10)  # it ended while nothing else did
    assert executor.open == [0]
    executor.end(0)
    assert next(found) == (0, 0)
    assert executor.open == [2]  # 3 comes with the next one
    executor.end(2)
    assert next(found) == (2, 20)
    executor.end(3)
    assert list(found) == [(3, 30)]


def test_a_task_may_come_of_an_answer():
    """Where there is none for now, `more` is asked again once one has ended."""
    waiting = [3]
    found = []
    for task, square in run_tasks(
        SerialExecutor(), lambda task: task**2, lambda: waiting.pop() if waiting else None, 2
    ):
        found.append(square)
        if task:
            waiting.append(task - 1)
    assert found == [9, 4, 1, 0]


def test_work_here_is_told_before_the_next_begins():
    begun = []
    found = run_tasks(SerialExecutor(), begun.append, numbers(3), 8)
    for task, _ in found:
        assert begun == [*range(task + 1)]


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
@pytest.mark.parametrize("where", ["caller", "tick", "task"])
def test_what_is_under_way_is_cancelled(where, error):
    """Ctrl-C or an error, whoever meets it."""
    executor = Waiting()

    def tick():
        if where == "tick":
            raise error
        if where == "task":
            executor.futures[0].set_exception(error())
        executor.end(1)

    def work():
        for _ in run_tasks(executor, int, numbers(9), 4, tick):
            if where == "caller":
                raise error

    with pytest.raises(error):
        work()
    assert [task for task in executor.futures if executor.futures[task].cancelled()] == (
        [0, 1, 2, 3] if where == "tick" else [2, 3] if where == "task" else [0, 2, 3]
    )


def test_a_lost_worker_is_an_error_of_its_own():
    """What its executor ends is not cancelled beside that."""
    executor = Waiting()
    found = run_tasks(
        executor, int, numbers(9), 3, lambda: executor.futures[1].set_exception(BrokenExecutor())
    )
    with pytest.raises(WorkerLost, match="a worker process was killed"):
        next(found)
    assert executor.open == [0, 2]
    distributed = pytest.importorskip("distributed")
    with pytest.raises(WorkerLost, match="given this task was lost"), translate_worker_errors():
        raise distributed.KilledWorker("task", "worker", 3)


def test_a_task_that_the_executor_cancels():
    executor = Waiting()

    def tick():
        executor.futures[0].cancel()
        executor.futures[0].set_running_or_notify_cancel()

    found = run_tasks(executor, int, numbers(9), 2, tick)
    with pytest.raises(OptsearchError, match="cancelled"):
        next(found)


@pytest.mark.parametrize("jobs", [0, -1, 1.5, "2"])
def test_a_number_of_jobs_is_checked(jobs):
    with pytest.raises(OptsearchError, match=f"jobs={jobs!r} is not a number of tasks"):
        Execution(jobs=jobs)


@pytest.mark.parametrize(
    "work",
    [
        partial(evaluate, "greedy", "2x2:2"),
        partial(compare, "greedy", "last", "2x2:2"),
        partial(simulate, "greedy", "2x2:2", games=1),
        partial(equilibrium, "2x2:2"),
        partial(table, "2x2:2"),
    ],
)
def test_an_execution_is_checked(work):
    with pytest.raises(OptsearchError, match="execution=2 is not an Execution; give one, as in"):
        work(execution=2)
