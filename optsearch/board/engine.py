"""The process that computes answers, and the order of the requests.

Only the latest request of each page counts: an older one is given up. Pages take turns. A request
that takes too long is ended with its process, and another process takes its place.

A process begins with the counts that all answers need. On a large board these take longer than any
request may: a request that comes before they are done fails with `Preparing`, and the page asks
again.
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

REQUEST_SECONDS = 10.0  # that a request may take
GRACE_SECONDS = 1.0  # that a request may still take after it was given up
SECONDS_TO_WAIT = 2.0  # seconds that a request waits for a process that has just begun
SECONDS_FOR_FIRST = 120.0  # seconds that the first process may begin for
Call = tuple[Any, ...]  # a function of a module, and its arguments


class GivenUp(OptsearchError):
    """A request whose page has asked for something else since."""


class TooLong(OptsearchError):
    """A request that took too long."""


class Preparing(OptsearchError):
    """A request that came while a process begins; the page asks again."""


@dataclass
class _Request:
    """A call that a page asks for, and the future of its answer."""

    page: str
    call: Call
    answer: asyncio.Future[Any]

    def fail(self, error: Exception) -> None:
        """Answer by an error, unless there is an answer already."""
        if not self.answer.done():
            self.answer.set_exception(error)


class Engine:
    """A process that computes answers; if it is lost, another one takes its place.

    first -- the call with which the first process begins; its answer is kept.
    again -- the call with which each later process begins, to load what all answers need.
    seconds -- that a request may take. grace -- seconds that a request may still take after it was
        given up, before its process is ended; at least as long as a process takes to begin.
    """

    def __init__(
        self,
        first: Call,
        again: Call,
        seconds: float = REQUEST_SECONDS,
        grace: float = GRACE_SECONDS,
    ):
        self._first_call, self._later_call = first, again
        self._seconds, self._grace = seconds, grace
        self._waiting_requests: dict[str, _Request] = {}  # by page, in the order of their turns
        self._running_request: _Request | None = None
        self._is_asked = asyncio.Event()
        self._answering_task: asyncio.Task[None] | None = None
        self._pool_context: AbstractContextManager[ProcessPoolExecutor] | None = None
        self._pool: ProcessPoolExecutor | None = None
        # The answer to the call with which the process begins.
        self._start_future: asyncio.Future[Any] | None = None
        self._first_answer: asyncio.Future[Any] | None = None  # to `first`, once there is one
        self._first_timer: asyncio.TimerHandle | None = None  # of the first process
        self._seconds_to_begin = 0.0  # that the process took

    async def __aenter__(self) -> Engine:
        self._start_process()
        self._answering_task = asyncio.create_task(self._answer_requests())
        return self

    async def __aexit__(self, *error: object) -> None:
        if self._answering_task is not None:
            self._answering_task.cancel()
        for request in (self._running_request, *self._waiting_requests.values()):
            if request is not None:
                request.fail(GivenUp("other games were asked about since; ask again"))
        self._stop_process()

    async def ask(self, page: str, work: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function of a module in the other process, and return what it returns.

        page -- who asks; its earlier request is given up. Raises GivenUp, Preparing, TooLong,
        WorkerLost, and what the function raises.
        """
        call = (work, *arguments)
        request = _Request(page, call, asyncio.get_running_loop().create_future())
        for earlier in (self._waiting_requests.get(page), self._running_request):
            if earlier is not None and earlier.page == page:
                earlier.fail(GivenUp("this page has asked for something else since"))
        if call == self._first_call and self._first_answer is not None:
            return self._first_answer.result()
        self._waiting_requests[page] = request
        self._is_asked.set()
        return await request.answer

    async def _answer_requests(self) -> None:
        """Answer the requests that wait, one after the other, without an end."""
        while True:
            while not self._waiting_requests:
                self._is_asked.clear()
                await self._is_asked.wait()
            page = next(iter(self._waiting_requests))
            self._running_request = request = self._waiting_requests.pop(page)
            await self._answer(request)
            self._running_request = None

    async def _answer(self, request: _Request) -> None:
        """Answer a request, or fail it with the reason."""
        assert self._start_future is not None
        await asyncio.wait(
            {self._start_future, request.answer},
            timeout=SECONDS_TO_WAIT,
            return_when=asyncio.FIRST_COMPLETED,
        )
        if request.answer.done():  # given up
            return
        if not self._start_future.done():
            request.fail(
                Preparing(
                    "the counts of this board are being prepared, which takes up to "
                    f"{SECONDS_FOR_FIRST / 60:g} minutes if it is large; ask again"
                )
            )
            return
        try:
            with translate_worker_errors():
                await self._compute(request)
        except WorkerLost:
            self._restart_process()
            request.fail(WorkerLost("the process that computes was killed; ask again"))
        except Exception as error:
            request.fail(error)

    async def _compute(self, request: _Request) -> None:
        """Answer a request in the process, which has begun; restart it if that takes too long."""
        assert self._start_future is not None
        assert self._pool is not None
        if request.call == self._first_call:  # with which the process began
            request.answer.set_result((self._first_answer or self._start_future).result())
            return
        work = asyncio.wrap_future(self._pool.submit(*request.call))
        deadline = asyncio.get_running_loop().time() + self._seconds
        await asyncio.wait(
            {work, request.answer}, timeout=self._seconds, return_when=asyncio.FIRST_COMPLETED
        )
        if request.answer.done() and not work.done():  # given up, but a new process takes long, too
            seconds_left = deadline - asyncio.get_running_loop().time()
            grace = max(self._grace, self._seconds_to_begin)
            await asyncio.wait({work}, timeout=min(seconds_left, grace))
        if not work.done():
            work.add_done_callback(_has_failed)
            self._restart_process()
            request.fail(_too_long_error(self._seconds))
            return
        result = work.result()
        if not request.answer.done():
            request.answer.set_result(result)

    def _start_process(self) -> None:
        loop = asyncio.get_running_loop()
        self._pool_context = process_pool(1)
        self._pool = self._pool_context.__enter__()
        is_first = self._first_answer is None
        call = self._first_call if is_first else self._later_call
        self._start_future = asyncio.wrap_future(self._pool.submit(*call))
        started_at = loop.time()

        def note_beginning(start_future: asyncio.Future[Any]) -> None:
            self._seconds_to_begin = loop.time() - started_at
            if not _has_failed(start_future) and is_first:
                self._first_answer = start_future

        self._start_future.add_done_callback(note_beginning)
        if is_first:
            self._first_timer = loop.call_later(SECONDS_FOR_FIRST, self._give_up_first_call)

    def _give_up_first_call(self) -> None:
        """If the first call has no answer yet, make TooLong its answer, and restart the process."""
        assert self._start_future is not None
        if not self._start_future.done():
            self._first_answer = asyncio.get_running_loop().create_future()
            self._first_answer.set_exception(_too_long_error(SECONDS_FOR_FIRST))
            _has_failed(self._first_answer)
            self._restart_process()

    def _stop_process(self) -> None:
        if self._first_timer is not None:
            self._first_timer.cancel()
            self._first_timer = None
        if self._pool_context is not None:
            self._pool_context.__exit__(None, None, None)
            self._pool_context = None

    def _restart_process(self) -> None:
        self._stop_process()
        self._start_process()


def _too_long_error(seconds: float) -> TooLong:
    return TooLong(f"this took more than {seconds:g} seconds and was ended")


def _has_failed(future: asyncio.Future[Any]) -> bool:
    """True if a finished future was cancelled, or has an error; asyncio no longer reports that."""
    return future.cancelled() or future.exception() is not None
