"""Tasks on an executor: some of them run at once, and each result comes when its task ends."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    wait,
)
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

from optsearch.support.errors import OptsearchError, WorkerLost

Task = TypeVar("Task")
T = TypeVar("T")

IDLE_SECONDS = 0.5  # between two calls of `on_idle` while no task ends
KILLED = "a worker process was killed, perhaps because memory ran out"
GUARD = 'if __name__ == "__main__":'


class SerialExecutor(Executor):
    """An executor that runs each task in this process, while it is submitted."""

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Run the function, and return its result as a finished future; its errors are raised."""
        future: Future[T] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


@contextmanager
def translate_worker_errors() -> Iterator[None]:
    """Raise WorkerLost in place of the error by which an executor or Dask reports a lost worker."""
    try:
        yield
    except BrokenExecutor:
        raise WorkerLost(
            f"{KILLED}; or the file that starts processes has no line {GUARD}"
        ) from None
    except Exception as error:
        dask = sys.modules.get("distributed")
        if dask is not None and isinstance(error, dask.KilledWorker):
            raise WorkerLost("every worker that was given this task was lost") from None
        raise


def run_tasks(
    executor: Executor,
    work: Callable[[Task], T],
    tasks: Iterator[Task] | Callable[[], Task | None],
    most_running: int,
    on_idle: Callable[[], object] = lambda: None,
) -> Iterator[tuple[Task, T]]:
    """Yield each task with its result, in the order in which they end.

    work -- the function to call with a task.
    tasks -- an iterator, or a function that returns the next task, or None if it has none now. It
        is asked again while tasks run; None when none runs is the end.
    most_running -- the most tasks that are submitted at once.
    on_idle -- a function that is called every half second while no task ends; it may raise.

    Running tasks are cancelled if this ends early: by an error of a task or of `on_idle`, by
    ctrl-C, or because the caller leaves the loop. Raises WorkerLost if a worker was lost,
    OptsearchError if the executor cancelled a task.
    """
    next_task = tasks if callable(tasks) else partial(next, tasks, None)
    running: dict[Future[T], Task] = {}
    try:
        with translate_worker_errors():
            while True:
                while len(running) < most_running and (task := next_task()) is not None:
                    future = executor.submit(work, task)
                    running[future] = task
                    if future.done():  # by `SerialExecutor`: yield it before the next begins
                        break
                if not running:
                    return
                finished, _ = wait(running, IDLE_SECONDS, FIRST_COMPLETED)
                if not finished:
                    on_idle()
                for future in finished:
                    yield running.pop(future), future.result()
    except WorkerLost:
        running.clear()  # their executor ends them, and must do it alone
        raise
    except CancelledError:
        raise OptsearchError("a worker cancelled the task that it was given") from None
    finally:
        for future in running:
            future.cancel()
