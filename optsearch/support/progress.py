"""The progress of work, its reports, and limits on its time and effort."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar


@dataclass(frozen=True, kw_only=True)
class Status:
    """The progress of some work: `done` of `total` pieces are done.

    resumed -- how many of them an earlier run did.
    seconds -- the time since the start of this run; 0 if pieces differ too much in time to estimate
        the end from it.
    effort -- the effort so far, in the unit in which `Limit` limits it.
    """

    done: float = 0
    total: float = 0
    resumed: float = 0
    seconds: float = 0.0
    effort: int = 0

    @property
    def share(self) -> float:
        """The share that is done, from 0 to 1; 0 if the total is not known."""
        return self.done / self.total if self.total else 0.0

    @property
    def rate(self) -> float:
        """The pieces done per second of this run."""
        return (self.done - self.resumed) / max(self.seconds, 1e-9)

    @property
    def seconds_to_go(self) -> float | None:
        """The seconds to go at the rate so far; None if that is not known, as at the start."""
        if self.total and self.seconds and self.done > self.resumed:
            return (self.total - self.done) / self.rate
        return None


# What a run must have done before a time to go is shown.
EVIDENCE_SECONDS, EVIDENCE_SHARE = 2.0, 0.05


class Countdown:
    """The time to go of some work, as a text whose number never rises.

    If the estimate rises, the text is "more than" the least estimate so far.
    """

    def __init__(self) -> None:
        self._least_estimate: float | None = None

    def text(self, status: Status) -> str:
        """Return the time to go in words; empty while too little is done for an estimate."""
        estimate = status.seconds_to_go
        pieces_of_run = max(status.total - status.resumed, 1e-9)
        share_done = (status.done - status.resumed) / pieces_of_run
        is_early = status.seconds < EVIDENCE_SECONDS or share_done < EVIDENCE_SHARE
        if estimate is None or is_early:
            return ""
        if self._least_estimate is None or estimate <= self._least_estimate:
            self._least_estimate = estimate
        is_near_least = estimate <= 1.5 * self._least_estimate + 1
        return f"{'about' if is_near_least else 'more than'} {self._least_estimate:,.0f} s to go"


S = TypeVar("S", bound=Status)
Progress = Callable[[S], None]


def no_progress(status: Status) -> None:
    """Do nothing: the progress report of a caller who wants none."""


def meter(
    progress: Progress[Any], total: float, resumed: float = 0, status_class: type[Status] = Status
) -> Callable[..., None]:
    """Start a clock, and return a function that reports the status of some work to `progress`.

    It takes the number of pieces done, and by name the other fields of the status.

    total -- the number of pieces, 0 if it is not known. resumed -- how many of them an earlier run
    has done. status_class -- `Status` or a subclass.
    """
    started = time.monotonic()

    def report(done: float, **fields: Any) -> None:
        seconds = time.monotonic() - started
        progress(status_class(done=done, total=total, resumed=resumed, seconds=seconds, **fields))

    return report


GRACE_SECONDS = 0.5  # after a limit when work that does not check the clock is ended
REPEAT_SECONDS = 1.0  # until the alarm rings again, if the block went on


class LimitReached(Exception):
    """Some work took more time or effort than its limit allows."""

    def __init__(self, limit: Limit):
        super().__init__(f"more than {limit}")
        self.limit = limit


FOREVER = 1e9  # seconds; more count as no limit (clocks hold some nine times as many)


class Limit:
    """A limit on some work: seconds from now, effort in a unit of that work, or both.

    clock -- the function that returns the time in seconds.
    """

    def __init__(
        self,
        seconds: float | None = None,
        effort: int | None = None,
        clock: Callable[[], float] = time.monotonic,
    ):
        self.seconds = None if seconds is None or seconds > FOREVER else seconds
        self.effort = effort
        self._clock = clock
        self._started = clock()

    def check(self, effort: int = 0) -> None:
        """Raise LimitReached if the time is over, or the effort so far is above its limit."""
        is_late = self.seconds is not None and self._clock() - self._started > self.seconds
        is_too_much = self.effort is not None and effort > self.effort
        if is_late or is_too_much:
            raise LimitReached(self)

    @property
    def seconds_left(self) -> float | None:
        """The seconds left; 0 if the time is over, None without a limit of time."""
        if self.seconds is None:
            return None
        return max(0.0, self.seconds - (self._clock() - self._started))

    @contextmanager
    def alarm(self) -> Iterator[None]:
        """End the work of a block a little after the limit, even if it does not call `check`.

        A signal raises LimitReached in the block, each second until it has ended: Python drops an
        exception that is raised in a destructor or a callback of its garbage collector. That needs
        the main thread and a system with timers; elsewhere only `check` ends the work.
        """
        seconds_left = self.seconds_left
        is_main = threading.current_thread() is threading.main_thread()
        if seconds_left is None or not is_main or not hasattr(signal, "setitimer"):
            yield
            return

        def raise_limit(*_: object) -> None:
            raise LimitReached(self)

        handler_before = signal.signal(signal.SIGALRM, raise_limit)
        signal.setitimer(signal.ITIMER_REAL, seconds_left + GRACE_SECONDS, REPEAT_SECONDS)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, handler_before)

    def watch(self, progress: Progress[S] = no_progress) -> Progress[S]:
        """Return a function that passes a status to `progress`, and then checks the limit.

        It raises LimitReached if the time is over or the effort in the status is too large.
        """

        def report_and_check(status: S) -> None:
            progress(status)
            self.check(status.effort)

        return report_and_check

    def __str__(self) -> str:
        limits = []
        if self.seconds is not None:
            limits.append(f"{self.seconds:g} seconds")
        if self.effort is not None:
            limits.append(f"{self.effort:,} nodes")
        return " or ".join(limits)
