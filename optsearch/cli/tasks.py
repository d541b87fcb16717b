"""What the commands that run many tasks share: processes, a Dask cluster, checkpoints, progress."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from optsearch.cli.common import err
from optsearch.errors import OptsearchError, WorkerLost
from optsearch.workers import Pace

PATIENCE = 10  # seconds for a scheduler to answer
DAY = 86_400
SECONDS = 10  # between lines of progress where standard error is no terminal

JobsOption = Annotated[
    int | None,
    typer.Option(min=1, max=256, help="Processes (default: one a processor).", show_default=False),
]
ResumeOption = Annotated[
    Path | None,
    typer.Option(
        help="Folder that keeps what is done; the same command goes on from there.",
        show_default=False,
    ),
]
DaskOption = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Run on the workers of a Dask scheduler, such as tcp://host:8786, instead.",
        show_default=False,
    ),
]


Status = TypeVar("Status", bound=Pace)


@contextmanager
def executor_at(address: str | None) -> Iterator[tuple[Executor | None, int | None]]:
    """The executor of a Dask scheduler and its number of workers; None without an address."""
    if address is None:
        yield None, None
        return
    try:
        from distributed import Client, KilledWorker
    except ImportError:
        raise OptsearchError(
            "--dask needs the package distributed; install it with: pip install 'optsearch[dask]'"
        ) from None
    try:
        client = Client(address, timeout=PATIENCE)  # type: ignore[no-untyped-call]
    except (OSError, ValueError, TypeError) as error:
        raise OptsearchError(
            f"no Dask scheduler answers at {address!r}: {error}; give an address such as "
            "tcp://127.0.0.1:8786"
        ) from None
    with client:
        workers = max(1, len(client.scheduler_info()["workers"]))
        try:
            yield client.get_executor(), workers  # type: ignore[no-untyped-call]
        except KilledWorker:
            raise WorkerLost("a task was lost with each worker that it was given to") from None


def reporter(text: Callable[[Status], str], hint: str = "") -> Callable[[Status], None]:
    """Progress on standard error: one line that is rewritten, or a line now and then.

    text -- of what, and how fast; the share that is done stands before it, and how long the rest
    takes at the same rate after it. hint -- follows where that is more than a day.
    """
    last = -1e9

    def report(status: Status) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < (0.2 if err.is_terminal else SECONDS):
            return
        last = now
        left = status.seconds_to_go
        line = f"{status.done / status.total:6.1%} of {text(status)}"
        if left is not None:
            line += f", about {left:,.0f} s to go" + (hint if left > DAY else "")
        if err.is_terminal:
            sys.stderr.write(f"\r\x1b[K{line}")
            sys.stderr.flush()
        elif status.done:
            print(line, file=sys.stderr, flush=True)

    return report
