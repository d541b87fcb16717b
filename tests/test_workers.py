"""Processes that work for another one."""

import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, nullcontext

import pytest

from optsearch.errors import WorkerLost
from optsearch.workers import processes
from tests.processes import MANY_SECONDS

OWNER = """
import signal, sys
from optsearch.workers import processes

def work():
    print("at work", flush=True)
    signal.pause()

if __name__ == "__main__":
    with processes(2) as pool:
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
    with nullcontext() if raised is None else pytest.raises(raised), processes(1) as pool:
        pool.submit(int)


def test_all_workers_start_with_the_first_work():
    """None starts beside the thread that watches them, which may be closing their queues."""
    with processes(2) as pool:
        pool.submit(int)
        assert len(pool._processes) == 2
