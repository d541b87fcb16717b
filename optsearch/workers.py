"""A pool of processes that leaves ctrl-C to its owner and does not outlive it."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from threading import Thread


@contextmanager
def processes(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """A pool of so many processes; at the end, and when the owner is killed, they end at once."""
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), _start)
    try:
        yield pool
    finally:
        workers = list(pool._processes.values())  # shutdown forgets them
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in workers:
            worker.terminate()


def _start() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_follow, daemon=True).start()


def _follow() -> None:
    """End this process with its parent, whatever it is computing."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
