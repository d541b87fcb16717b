"""Processes that work for another one."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

OWNER = """
import os, time
from optsearch.workers import processes

if __name__ == "__main__":
    with processes(2) as pool:
        print(*{pool.submit(os.getpid).result() for _ in range(20)}, flush=True)
        for _ in range(2):
            pool.submit(time.sleep, 600)
        END
"""


def run(tmp_path, end):
    """Start an owner, and the process numbers of its workers."""
    path = tmp_path / "owner.py"
    path.write_text(OWNER.replace("END", end))
    owner = subprocess.Popen([sys.executable, path], stdout=subprocess.PIPE, encoding="utf-8")
    return owner, [int(worker) for worker in owner.stdout.readline().split()]


def is_running(worker):
    """Whether there is such a process, other than one that ended and was not waited for."""
    try:
        stat = Path(f"/proc/{worker}/stat").read_text()
    except FileNotFoundError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def assert_gone(workers):
    assert workers
    until = time.monotonic() + 30
    for worker in workers:
        while is_running(worker):
            assert time.monotonic() < until, f"{worker} still runs"
            time.sleep(0.05)


def test_workers_end_with_the_pool(tmp_path):
    owner, workers = run(tmp_path, "time.sleep(0.5)")
    assert owner.wait(60) == 0
    assert_gone(workers)


def test_workers_end_with_an_owner_that_is_killed(tmp_path):
    owner, workers = run(tmp_path, "time.sleep(600)")
    time.sleep(0.5)  # so that they are at work
    os.kill(owner.pid, signal.SIGKILL)
    owner.wait(60)
    assert_gone(workers)
