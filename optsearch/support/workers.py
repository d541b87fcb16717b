"""Pools of processes that ignore ctrl-C and end with the process that started them, their owner."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import current_process, get_context, parent_process
from multiprocessing.resource_tracker import ensure_running
from numbers import Integral
from pathlib import Path
from threading import Thread
from types import FrameType
from typing import Any, TypeVar

from optsearch.support.errors import OptsearchError, WorkerLost
from optsearch.support.progress import Progress, no_progress
from optsearch.support.sharing import GUARD, KILLED, translate_worker_errors

T = TypeVar("T")

_UNGUARDED_EXIT_CODE = 97  # of a process that would start others while it is started itself
# The tracker tidies up after an owner that was killed.
_TRACKER_WARNINGS = "ignore:::multiprocessing.resource_tracker"


@dataclass(frozen=True, kw_only=True)
class Execution:
    """How the tasks of a long computation run: by default one by one, in the calling process.

    executor -- runs the tasks (Dask: `Client.get_executor()`).
    jobs -- the number of tasks that run at once, 1 or more: the number of processes (default: the
        calling one alone), or the workers of the executor (default: one per processor).
    checkpoint -- folder that keeps finished work. A run that was stopped or killed resumes from it.
    progress -- called with a status after every task.

    Raises OptsearchError for another number of jobs.
    """

    executor: Executor | None = None
    jobs: int | None = None
    checkpoint: Path | None = None
    progress: Progress[Any] = no_progress

    def __post_init__(self) -> None:
        if self.jobs is not None and (not isinstance(self.jobs, Integral) or self.jobs < 1):
            raise OptsearchError(
                f"jobs={self.jobs!r} is not a number of tasks; a whole number of 1 or more is "
                "accepted, or None"
            )

    @property
    def tasks_at_once(self) -> int:
        """The number of tasks that run at once; processes start only on request."""
        if self.jobs:
            return self.jobs
        return 1 if self.executor is None else os.cpu_count() or 1


IN_THIS_PROCESS = Execution()


def require_execution(execution: object) -> None:
    """Raise OptsearchError for an argument `execution` that is not an `Execution`."""
    if not isinstance(execution, Execution):
        raise OptsearchError(
            f"execution={execution!r:.80} is not an Execution; give one, as in "
            "execution=Execution(jobs=2)"
        )


@contextmanager
def process_pool(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Provide a pool of processes while a block runs.

    At the end of the block, and if the owner is killed, they end at once. Raises WorkerLost if one
    of them was killed, and OptsearchError if the main file has no `__main__` guard, so that each
    process would start others.
    """
    is_starting = getattr(current_process(), "_inheriting", False)  # it reads its owner's main file
    if is_starting:
        os._exit(_UNGUARDED_EXIT_CODE)
    pool = _Pool(jobs)
    try:
        with translate_worker_errors():
            yield pool
    except WorkerLost:
        if _UNGUARDED_EXIT_CODE not in pool.end():
            raise WorkerLost(KILLED) from None
        raise OptsearchError(
            f"with jobs={jobs} each process reads {sys.modules['__main__'].__file__} and would "
            f"start processes, too; write {GUARD} above the lines that start them, or leave out "
            "jobs"
        ) from None
    finally:
        pool.end()


class _Pool(ProcessPoolExecutor):
    """A pool whose processes start when a task is submitted, and ignore ctrl-C from the start.

    All of them start with the first task, before the thread that watches them. A process that
    started later could be given the queues of a pool that has just broken.
    """

    def __init__(self, jobs: int):
        sys.warnoptions.append(_TRACKER_WARNINGS)
        try:
            ensure_running()
        finally:
            sys.warnoptions.remove(_TRACKER_WARNINGS)
        super().__init__(jobs, get_context("spawn"), _initialise_worker)
        self._safe_to_dynamically_spawn_children = False  # start all with the first task

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Submit a task; BrokenProcessPool, and no other error, if the pool is broken."""
        try:
            with _hold_back_interrupts():
                future = super().submit(fn, *args, **kwargs)
        except Exception as error:  # the closed queues of a breaking pool raise errors of any kind
            if self._broken:
                raise BrokenProcessPool(self._broken) from error
            raise
        if self._broken:  # its manager may have gone through the tasks before this one came
            raise BrokenProcessPool(self._broken)
        return future

    def end(self) -> set[int | None]:
        """End the processes, and return their exit statuses; a second call returns no status."""
        with _hold_back_interrupts():
            workers = list((self._processes or {}).values())  # shutdown forgets both
            manager: Any = self._executor_manager_thread
            self.shutdown(wait=False, cancel_futures=True)
            for worker in workers:
                worker.terminate()
            if manager is not None:  # without the pool it would end futures that are cancelled
                manager.join()
        return {worker.exitcode for worker in workers}


@contextmanager
def _hold_back_interrupts() -> Iterator[None]:
    """Hold ctrl-C back until the end of the block, and then handle it.

    Processes and threads that start in the block never get it.
    """
    ensure_running()  # else its start in the block would let ctrl-C through again
    mask_before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    held_back: list[tuple[int, FrameType | None]] = []
    is_main = threading.current_thread() is threading.main_thread()
    handler = signal.getsignal(signal.SIGINT)
    if is_main and callable(handler):  # another thread may be given the signal: it is kept for us
        signal.signal(signal.SIGINT, lambda signum, frame: held_back.append((signum, frame)))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask_before)
        if is_main and callable(handler):
            signal.signal(signal.SIGINT, handler)
            if held_back:
                handler(*held_back[0])


def _initialise_worker() -> None:
    """Make this process ignore ctrl-C and end with its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Wait for the end of the parent, and then end this process, whatever it is computing."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
