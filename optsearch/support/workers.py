"""Processes that leave ctrl-C to their owner and do not outlive it."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from multiprocessing.resource_tracker import ensure_running
from threading import Thread
from types import FrameType
from typing import Any, TypeVar

from optsearch.support.errors import WorkerLost

T = TypeVar("T")

_QUIET = "ignore:::multiprocessing.resource_tracker"  # it tidies up after an owner that was killed


@contextmanager
def processes(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """A pool of processes; at the end, and when the owner is killed, they end at once.

    Raises WorkerLost where one of them was killed.
    """
    pool = _Pool(jobs)
    try:
        with translate_worker_errors():
            yield pool
    finally:
        with _uninterrupted():
            workers = list((pool._processes or {}).values())  # shutdown forgets both
            manager: Any = pool._executor_manager_thread
            pool.shutdown(wait=False, cancel_futures=True)
            for worker in workers:
                worker.terminate()
            if manager is not None:  # without the pool it would end futures that are cancelled
                manager.join()


@contextmanager
def translate_worker_errors() -> Iterator[None]:
    """WorkerLost in place of what an executor raises that lost a worker, Dask's too."""
    try:
        yield
    except BrokenExecutor:
        raise WorkerLost("a worker process was killed, perhaps because memory ran out") from None
    except Exception as error:
        dask = sys.modules.get("distributed")
        if dask is not None and isinstance(error, dask.KilledWorker):
            raise WorkerLost("every worker that was given this task was lost") from None
        raise


class _Pool(ProcessPoolExecutor):
    """Submitting starts the processes, and they begin deaf to the ctrl-C of their terminal.

    All of them start with the first work, before the thread that watches them: one started beside
    it could be handed the queues of a pool that has just broken, whatever error that gives.
    """

    def __init__(self, jobs: int):
        sys.warnoptions.append(_QUIET)
        try:
            ensure_running()
        finally:
            sys.warnoptions.remove(_QUIET)
        super().__init__(jobs, get_context("spawn"), _start)
        self._safe_to_dynamically_spawn_children = False

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        try:
            with _uninterrupted():
                future = super().submit(fn, *args, **kwargs)
        except Exception as error:  # what its manager closes as it breaks gives errors of any kind
            if self._broken:
                raise BrokenProcessPool(self._broken) from error
            raise
        if self._broken:  # its manager may have looked through the work before this came
            raise BrokenProcessPool(self._broken)
        return future


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Hold ctrl-C back; processes and threads that start meanwhile never hear it."""
    ensure_running()  # else its start, among those here, would end the deafness
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    noted: list[tuple[int, FrameType | None]] = []
    is_main = threading.current_thread() is threading.main_thread()
    handler = signal.getsignal(signal.SIGINT)
    if is_main and callable(handler):  # another thread may be given the signal: it is kept for us
        signal.signal(signal.SIGINT, lambda signum, frame: noted.append((signum, frame)))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if is_main and callable(handler):
            signal.signal(signal.SIGINT, handler)
            if noted:
                handler(*noted[0])


def _start() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_follow, daemon=True).start()


def _follow() -> None:
    """End this process with its parent, whatever it is computing."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
