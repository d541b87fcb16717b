"""The process that computes answers, and whose turn it is.

Of each page the latest request counts: an older one is given up. Pages take turns. A request that
takes too long is ended with its process, and another process takes its place.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from optsearch.support.errors import OptsearchError, WorkerLost
from optsearch.support.workers import losses, processes

SECONDS = 10.0  # that a request may take
GRACE = 1.0  # that one may go on for which a newer one waits


class GivenUp(OptsearchError):
    """A request whose page has asked for something else since."""


class TooLong(OptsearchError):
    """A request that took too long."""


@dataclass
class _Request:
    page: str
    work: Callable[..., Any]
    arguments: tuple[Any, ...]
    answer: asyncio.Future[Any]

    def fail(self, error: Exception) -> None:
        if not self.answer.done():
            self.answer.set_exception(error)


class Engine:
    """One process that answers, made anew where it is lost.

    first -- work and its arguments with which each process begins, to have at hand what all answers
    take. seconds -- that a request may take.
    """

    def __init__(self, first: tuple[Any, ...], seconds: float = SECONDS):
        self._first, self._seconds = first, seconds
        self._waiting: dict[str, _Request] = {}  # by page, in the order of their turns
        self._running: _Request | None = None
        self._bell = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._context: AbstractContextManager[ProcessPoolExecutor] | None = None
        self._pool: ProcessPoolExecutor | None = None

    async def __aenter__(self) -> Engine:
        self._start()
        self._task = asyncio.create_task(self._serve())
        return self

    async def __aexit__(self, *error: object) -> None:
        if self._task is not None:
            self._task.cancel()
        self._stop()

    async def ask(self, page: str, work: Callable[..., Any], *arguments: Any) -> Any:
        """The answer of a function of a module.

        Raises GivenUp, TooLong, WorkerLost, and what the function raises.
        """
        request = _Request(page, work, arguments, asyncio.get_running_loop().create_future())
        older = self._waiting.get(page), self._running
        for one in older:
            if one is not None and one.page == page:
                one.fail(GivenUp("this page has asked for something else since"))
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
        """Answer one request, in the process or by the reason why not."""
        assert self._pool is not None
        try:
            with losses():
                work = asyncio.wrap_future(self._pool.submit(request.work, *request.arguments))
                await asyncio.wait(
                    {work, request.answer},
                    timeout=self._seconds,
                    return_when=asyncio.FIRST_COMPLETED,
                )
                if request.answer.done() and not work.done():  # given up
                    await asyncio.wait({work}, timeout=GRACE)
                if work.done():
                    found = work.result()
                    if not request.answer.done():
                        request.answer.set_result(found)
                    return
            work.add_done_callback(lambda future: future.cancelled() or future.exception())
            self._restart()
            request.fail(TooLong(f"this took more than {self._seconds:g} seconds and was ended"))
        except WorkerLost:
            self._restart()
            request.fail(WorkerLost("the process that computes was killed; ask again"))
        except Exception as error:
            request.fail(error)

    def _start(self) -> None:
        self._context = processes(1)
        self._pool = self._context.__enter__()
        self._pool.submit(*self._first)

    def _stop(self) -> None:
        if self._context is not None:
            self._context.__exit__(None, None, None)
            self._context = None

    def _restart(self) -> None:
        self._stop()
        self._start()
