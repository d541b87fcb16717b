"""The process that computes answers, and the order of the requests.

The latest request of each page counts: an older one is given up. Pages take turns. A request that
takes too long is ended with its process, and another process replaces it.

A process begins with the counts that all answers need. On a large board that takes longer than any
request may: requests that come before fail with `Preparing`, and the page asks again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from optsearch.support.errors import OptsearchError, WorkerLost
from optsearch.support.sharing import translate_worker_errors
from optsearch.support.workers import process_pool

SECONDS = 10.0  # that a request may take
GRACE = 1.0  # that one may go on for which a newer one waits, or as long as beginning takes
PATIENCE = 2.0  # that a request waits for a process that has just begun
FIRST = 120.0  # that the first process may begin for


class GivenUp(OptsearchError):
    """A request whose page has asked for something else since."""


class TooLong(OptsearchError):
    """A request that took too long."""


class Preparing(OptsearchError):
    """A request that came while a process begins; the page asks again."""


@dataclass
class _Request:
    page: str
    call: tuple[Any, ...]  # work and its arguments
    answer: asyncio.Future[Any]

    def fail(self, error: Exception) -> None:
        if not self.answer.done():
            self.answer.set_exception(error)


class Engine:
    """A process that answers; if it is lost, another one is started.

    first -- work and its arguments with which the first process begins; it is done once, and its
    answer is kept. again -- those with which the others begin, to prepare what all answers need.
    seconds -- of a request, at most. grace -- seconds that a request may go on after it is given
    up.
    """

    def __init__(
        self,
        first: tuple[Any, ...],
        again: tuple[Any, ...],
        seconds: float = SECONDS,
        grace: float = GRACE,
    ):
        self._first, self._again, self._seconds, self._grace = first, again, seconds, grace
        self._waiting: dict[str, _Request] = {}  # by page, in the order of their turns
        self._running: _Request | None = None
        self._bell = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._context: AbstractContextManager[ProcessPoolExecutor] | None = None
        self._pool: ProcessPoolExecutor | None = None
        self._ready: asyncio.Future[Any] | None = None  # what the process begins with
        self._kept: asyncio.Future[Any] | None = None  # the answer to `first`, once there is one
        self._clock: asyncio.TimerHandle | None = None
        self._beginning = 0.0  # how long the process took to begin

    async def __aenter__(self) -> Engine:
        self._start()
        self._task = asyncio.create_task(self._serve())
        return self

    async def __aexit__(self, *error: object) -> None:
        if self._task is not None:
            self._task.cancel()
        for request in (self._running, *self._waiting.values()):
            if request is not None:
                request.fail(GivenUp("other games were asked about since; ask again"))
        self._stop()

    async def ask(self, page: str, work: Callable[..., Any], *arguments: Any) -> Any:
        """Run a function of a module in the process, and return its answer.

        Raises GivenUp, Preparing, TooLong, WorkerLost, and what the function raises.
        """
        call = (work, *arguments)
        request = _Request(page, call, asyncio.get_running_loop().create_future())
        for earlier in (self._waiting.get(page), self._running):
            if earlier is not None and earlier.page == page:
                earlier.fail(GivenUp("this page has asked for something else since"))
        if call == self._first and self._kept is not None:
            return self._kept.result()
        self._waiting[page] = request
        self._bell.set()
        return await request.answer

    async def _serve(self) -> None:
        while True:
            while not self._waiting:
                self._bell.clear()
                await self._bell.wait()
            page = next(iter(self._waiting))
            self._running = request = self._waiting.pop(page)
            await self._compute(request)
            self._running = None

    async def _compute(self, request: _Request) -> None:
        """Answer a request in the process, or fail it with the reason."""
        assert self._ready is not None
        await asyncio.wait(
            {self._ready, request.answer}, timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED
        )
        if request.answer.done():
            return
        if not self._ready.done():
            request.fail(
                Preparing(
                    "the counts of this board are being prepared, which takes up to "
                    f"{FIRST / 60:g} minutes if it is large; ask again"
                )
            )
            return
        assert self._pool is not None
        try:
            with translate_worker_errors():
                if request.call == self._first:
                    result = (self._kept or self._ready).result()
                    request.answer.set_result(result)
                    return
                work = asyncio.wrap_future(self._pool.submit(*request.call))
                ends = asyncio.get_running_loop().time() + self._seconds
                await asyncio.wait(
                    {work, request.answer},
                    timeout=self._seconds,
                    return_when=asyncio.FIRST_COMPLETED,
                )
                if request.answer.done() and not work.done():  # given up
                    left = ends - asyncio.get_running_loop().time()
                    await asyncio.wait({work}, timeout=min(left, max(self._grace, self._beginning)))
                if work.done():
                    result = work.result()
                    if not request.answer.done():
                        request.answer.set_result(result)
                    return
            work.add_done_callback(_is_lost)
            self._restart()
            request.fail(_too_long(self._seconds))
        except WorkerLost:
            self._restart()
            request.fail(WorkerLost("the process that computes was killed; ask again"))
        except Exception as error:
            request.fail(error)

    def _start(self) -> None:
        loop = asyncio.get_running_loop()
        self._context = process_pool(1)
        self._pool = self._context.__enter__()
        is_first = self._kept is None
        self._ready = asyncio.wrap_future(
            self._pool.submit(*(self._first if is_first else self._again))
        )
        began = loop.time()

        def done(ready: asyncio.Future[Any]) -> None:
            self._beginning = loop.time() - began
            if not _is_lost(ready) and is_first:
                self._kept = ready

        self._ready.add_done_callback(done)
        if is_first:
            self._clock = loop.call_later(FIRST, self._do_without_first)

    def _do_without_first(self) -> None:
        """Begin with `again` if the first answer takes too long."""
        assert self._ready is not None
        if not self._ready.done():
            self._kept = asyncio.get_running_loop().create_future()
            self._kept.set_exception(
                TooLong(f"this took more than {FIRST:g} seconds and was ended")
            )
            _is_lost(self._kept)
            self._restart()

    def _stop(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None
        if self._context is not None:
            self._context.__exit__(None, None, None)
            self._context = None

    def _restart(self) -> None:
        self._stop()
        self._start()


def _too_long(seconds: float) -> TooLong:
    return TooLong(f"this took more than {seconds:g} seconds and was ended")


def _is_lost(future: asyncio.Future[Any]) -> bool:
    """True if a finished future has no answer. (asyncio reports errors that nobody looks at.)"""
    return future.cancelled() or future.exception() is not None
