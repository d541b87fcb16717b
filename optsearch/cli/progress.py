"""Progress of a command on standard error: a bar in a terminal, elsewhere a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from fractions import Fraction
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar
from rich.table import Column

from optsearch.cli.arguments import QUIET
from optsearch.cli.console import err
from optsearch.support.decimals import bracket_text, decimal
from optsearch.support.errors import printable
from optsearch.support.progress import (
    Countdown,
    Limit,
    LimitReached,
    Progress,
    Status,
    no_progress,
)

if TYPE_CHECKING:
    from optsearch.lower_bounds import Bound, BoundsStatus
    from optsearch.tree.solution import SearchStatus

SECONDS_TO_BAR = 0.5  # seconds before the bar in a terminal
SECONDS_TO_FIRST_LINE = 2  # before the first line where standard error is no terminal
SECONDS_BETWEEN_LINES = 10  # between two of them
SECONDS_PER_DAY = 86_400


@contextmanager
def show_progress(
    label: str, note: Callable[[Any], str] = lambda status: "", hint: str = ""
) -> Iterator[Progress[Any]]:
    """Show progress while the context runs; yield a function to call with each status.

    The bar or the line appears even if no status comes, with the time since the start. With --quiet
    nothing is shown.

    label -- the name of the work. note -- returns a text for a status, which is shown after the
    share done and the time to go. hint -- a text shown after a time to go of more than a day.
    """
    if QUIET.get():
        yield no_progress
        return
    label, latest_note, is_done = printable(label), "", Event()
    bar = _new_bar()
    task = bar.add_task(label, total=None, note="")
    started, countdown = time.monotonic(), Countdown()

    def report(status: Status) -> None:
        nonlocal latest_note
        share = f"{status.share:.1%}" if status.total else ""
        time_to_go = countdown.text(status)
        if time_to_go and (status.seconds_to_go or 0) > SECONDS_PER_DAY:
            time_to_go += hint
        latest_note = ", ".join(filter(None, [share, time_to_go, note(status)]))
        bar.update(task, completed=status.done, total=status.total or None, note=latest_note)

    def print_until_done() -> None:
        if err.is_terminal:
            if not is_done.wait(SECONDS_TO_BAR):
                bar.start()
            return
        pause = SECONDS_TO_FIRST_LINE
        while not is_done.wait(pause):
            line = f"{label}, for {time.monotonic() - started:,.0f} s so far"
            with suppress(OSError):  # nobody reads it
                print(": ".join(filter(None, (line, latest_note))), file=sys.stderr, flush=True)
            pause = SECONDS_BETWEEN_LINES

    thread = Thread(target=print_until_done, daemon=True)
    thread.start()
    try:
        yield report
    finally:
        is_done.set()
        thread.join()
        if bar.live.is_started:
            bar.stop()


def _new_bar() -> Bar:
    """Return a bar that shows a label, the share done, a note and the time since the start."""
    return Bar(
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
    )


@contextmanager
def show_search_progress(
    label: str, unit: str = "shots", certain_total: int = 0
) -> Iterator[Progress[SearchStatus]]:
    """Show progress of a search while the context runs; yield a function to call with each status.

    At first the share done is shown, in its place the bounds on the mean once both are known.
    label -- the name of the work. unit -- the unit of the mean. certain_total -- a part of
    each total height that the mean leaves out.
    """
    started = time.monotonic()

    def note(status: SearchStatus) -> str:
        rate = status.nodes / max(time.monotonic() - started, 0.1)
        effort_text = f"{status.nodes:,} nodes, {rate:,.0f}/s"
        if status.worst is not None:
            return (
                f"worst case {status.worst} shots, the least mean of it is searched, {effort_text}"
            )
        if status.lower is None or status.best is None:
            return effort_text
        lower = Fraction(status.lower - certain_total, status.weight)
        upper = Fraction(status.best - certain_total, status.weight)
        mean = decimal(lower) if lower == upper else bracket_text(lower, upper)
        return f"{mean} {unit}, {effort_text}"

    with show_progress(label, note) as report:
        # without a total the note is shown and no share
        yield lambda status: report(status if status.best is None else replace(status, total=0))


class CollectedBounds(NamedTuple):
    """The bounds that were computed; not all if the time was over, or ctrl-C interrupted it."""

    bounds: list[Bound]
    is_all: bool
    is_interrupted: bool


def _is_tighter(bound: Bound, end: Fraction | None) -> bool:
    """True if a bound is better than the end of a bracket at its side; also if there is no end."""
    if end is None:
        return True
    return bound.value > end if bound.side == "lower" else bound.value < end


def collect_bounds(
    label: str,
    time_limit: float | None,
    compute: Callable[[Progress[BoundsStatus]], Iterator[Bound]],
    fallback_bounds: Sequence[Bound] = (),
    on_narrower: Callable[[Bound, Mapping[str, Fraction]], None] | None = None,
) -> CollectedBounds:
    """Collect bounds until there are no more, the time is over, or ctrl-C is pressed.

    compute -- yields bounds; it is given a function to call with each status. fallback_bounds --
    added if the work ends early, on each side, lower or upper, that has no bound. If a side still
    has none, LimitReached or KeyboardInterrupt is raised. on_narrower -- called with each bound
    that narrows the bracket, and with the new bracket by side; no progress is shown then.
    """
    collected: list[Bound] = []
    bracket_ends: dict[str, Fraction] = {}

    def narrow_bracket(bound: Bound) -> bool:
        """Put a bound into the bracket if it narrows it; return True then."""
        is_better = _is_tighter(bound, bracket_ends.get(bound.side))
        if is_better:
            bracket_ends[bound.side] = bound.value
        return is_better

    def note(status: BoundsStatus) -> str:
        if "lower" not in bracket_ends:
            return status.step
        return f"{bracket_text(bracket_ends['lower'], bracket_ends.get('upper'))}, {status.step}"

    for bound in fallback_bounds:
        narrow_bracket(bound)
    limit = Limit(time_limit)
    display = nullcontext(no_progress) if on_narrower else show_progress(label, note)
    try:
        with limit.alarm(), display as progress:
            for bound in compute(limit.watch(progress)):
                collected.append(bound)
                if narrow_bracket(bound) and on_narrower is not None:
                    on_narrower(bound, bracket_ends)
        return CollectedBounds(collected, is_all=True, is_interrupted=False)
    except (LimitReached, KeyboardInterrupt) as interruption:
        bounded_sides = {bound.side for bound in collected}
        collected += [bound for bound in fallback_bounds if bound.side not in bounded_sides]
        if {bound.side for bound in collected} != {"lower", "upper"}:
            raise
        is_interrupted = isinstance(interruption, KeyboardInterrupt)
        return CollectedBounds(collected, is_all=False, is_interrupted=is_interrupted)
