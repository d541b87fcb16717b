"""How far a command is, on standard error: a bar in a terminal, elsewhere a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar
from rich.table import Column

from optsearch.cli.app import err
from optsearch.support.errors import printable
from optsearch.support.progress import Progress, Status
from optsearch.tree.solution import SearchStatus

SECONDS = 10  # between lines where standard error is no terminal
DAY = 86_400


@contextmanager
def telling(
    label: str, note: Callable[[Any], str] = lambda status: "", hint: str = "", at_once: bool = True
) -> Iterator[Progress[Any]]:
    """What is called with each status of some work, and shows it until the work is done.

    label -- what the work is. note -- what is said of a status, after the share that is done and
    the time to go. hint -- what is said where that is more than a day. at_once -- whether the bar
    is there from the start to the end, and not only while a status has something to do.
    """
    bar = Bar(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        TextColumn("{task.fields[note]}", markup=False, table_column=Column(ratio=1, no_wrap=True)),
        TimeElapsedColumn(),
        console=err,
        expand=True,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
        disable=not err.is_terminal,
    )
    task = bar.add_task(printable(label), total=None, note="")
    last = time.monotonic()

    def report(status: Status) -> None:
        nonlocal last
        if err.is_terminal and not at_once and status.done >= status.total:
            bar.stop()
            bar.reset(task)
            return
        if not err.is_terminal and time.monotonic() - last < SECONDS:
            return
        last = time.monotonic()
        parts = [f"{status.share:.1%}"] if status.total else []
        left = status.seconds_to_go
        if left is not None:
            parts.append(f"about {left:,.0f} s to go" + (hint if left > DAY else ""))
        text = ", ".join(filter(None, [*parts, note(status)]))
        if err.is_terminal:
            bar.start()
            bar.update(task, completed=status.done, total=status.total or None, note=text)
        else:
            print(f"{printable(label)}: {text}", file=sys.stderr, flush=True)

    try:
        if at_once:
            bar.start()
        yield report
    finally:
        bar.stop()


def solving(label: str) -> AbstractContextManager[Progress[SearchStatus]]:
    """The same for a solver."""
    started = time.monotonic()

    def note(status: SearchStatus) -> str:
        rate = status.nodes / max(time.monotonic() - started, 0.1)
        text = f"{status.nodes:,} nodes, {rate:,.0f}/s"
        if status.lower is None or status.best is None:
            return text
        return f"total between {status.lower:,} and {status.best:,}, {text}"

    return telling(label, note)
