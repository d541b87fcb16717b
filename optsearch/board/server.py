"""The addresses of the board: pages, their files, and the requests of a page by POST."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from optsearch.board import answers
from optsearch.board.answers import Setting
from optsearch.board.engine import Engine
from optsearch.board.games import Games
from optsearch.board.guard import Guard
from optsearch.show.outlines import BOARD
from optsearch.support.errors import OptsearchError
from optsearch.support.pages import Page

MOST_TEXT_SIGNS = 20_000  # signs of a text that is asked about
MOST_GAMES = 2  # that are answered at a time, each by a process of its own
LIKELY_GAMES = ("boxed", "official")  # counted while a person chooses among games
PAGES = {
    "board": Page(
        "optsearch.board/page.html",
        *BOARD,
        "optsearch.board/session.css",
        "optsearch.board/page.css",
        "optsearch.board/session.js",
        "optsearch.board/choose.js",
        "optsearch.board/advice.js",
        "optsearch.board/place_ships.js",
        "optsearch.board/play.js",
        "optsearch.board/review.js",
        "optsearch.board/page.js",
    ),
    "explorer": Page(
        "optsearch.show/explorer.html",
        *BOARD,
        "optsearch.show/explorer.css",
        "optsearch.board/session.css",
        "optsearch.board/session.js",
        "optsearch.show/explorer.js",
        "optsearch.board/walk.js",
    ),
}
BY_TEXTS = {  # what is asked by texts: the function that answers, and the names of its texts
    "advice": (answers.advice, ("shots", "cell")),
    "endgame": (answers.endgame, ("shots",)),
    "shots": (answers.read_shots, ("text",)),
    "walk": (answers.walk_trees, ("shots",)),
    "value": (answers.bound_least_total, ("shots", "cell")),
}
BY_NUMBER = {  # what is asked by shots and a number
    "review": answers.review_shot,
    "sample": answers.sample_greedy,
}
Fields = dict[str, Any]  # the JSON object of a request


class BadRequest(OptsearchError):
    """A request that the page never makes."""


class NoGame(OptsearchError):
    """A request that names no game, to a server that was given none."""


class RequestHandlers:
    """All games of the board; a game gets a handler, with a process, when it is asked about.

    first -- the game of the command line with its options; None if it names none.
    against -- the names of opponents beside those that everybody has.
    seconds -- that a request may take.
    """

    def __init__(self, first: Setting | None, against: tuple[str, ...], seconds: float):
        self._first, self._against, self._seconds = first, against, seconds
        self._handlers: dict[Setting, RequestHandler] = {}  # the one that was asked last at the end
        self._matches = Games()

    async def answer(self, name: str, fields: Fields) -> Any:
        """Answer a request by its name; BadRequest for an unknown one."""
        if name == "games":
            if not self._handlers:  # while a person chooses
                for game in LIKELY_GAMES:
                    await self._handler_of(game)
            return answers.describe_choices(self._first)
        handler = await self._handler_of(text_field(fields, "game"))
        return await handler.answer(name, fields)

    async def _handler_of(self, game: str) -> RequestHandler:
        """Return the handler of a game, by its text; the empty text names the first game.

        If there are more than MOST_GAMES, the one that was asked least recently is closed.
        """
        setting = answers.setting_of(game, self._against) if game else self._first
        if setting is None:
            raise NoGame("choose a game first")
        if self._first is not None and setting.game == self._first.game:
            setting = self._first
        if setting not in self._handlers:
            self._handlers[setting] = RequestHandler(setting, self._matches, self._seconds)
            await self._handlers[setting].engine.__aenter__()
            while len(self._handlers) > MOST_GAMES:
                least_recent = next(iter(self._handlers))
                await self._handlers.pop(least_recent).close()
        self._handlers[setting] = handler = self._handlers.pop(setting)  # now the last one
        return handler

    async def begin(self) -> None:
        """Start the process of the first game, if there is one."""
        if self._first is not None:
            await self._handler_of("")

    async def close(self) -> None:
        """End all processes."""
        for handler in self._handlers.values():
            await handler.close()


class RequestHandler:
    """The handler of the requests about one game.

    setting -- the game. matches -- the matches under way, of all games. seconds -- that a request
    may take. One process computes what a person waits for, another one what may come later.
    """

    def __init__(self, setting: Setting, matches: Games, seconds: float):
        self.setting, self._matches = setting, matches
        load_counts = (answers.load_counts, setting)
        self.engine = Engine((answers.advice, setting, "", ""), load_counts, seconds)
        self.sampler = Engine(load_counts, load_counts, seconds, grace=seconds)
        self._is_sampler_running = False
        self._description: Any = None  # of the game, once it was asked for

    async def answer(self, name: str, fields: Fields) -> Any:
        """Answer a request by its name; BadRequest for an unknown one."""
        if name in BY_TEXTS:
            return await self._answer_by_texts(name, fields)
        if name in BY_NUMBER:
            return await self._answer_by_number(name, fields)
        others = {
            "about": self._describe_game,
            "begin": self._begin_match,
            "shoot": self._shoot,
            "match": self._view_match,
            "greedy": self._count_greedy_shots,
        }
        if name not in others:
            raise BadRequest(f"there is no {name!r}")
        return await others[name](fields)

    async def _compute(self, fields: Fields, work: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function in the process of what a person waits for."""
        return await self.engine.ask(text_field(fields, "page"), work, *arguments)

    async def _compute_later(
        self, fields: Fields, work: Callable[..., Any], *arguments: Any
    ) -> Any:
        """Call a function in the other process, which is started at the first call."""
        if not self._is_sampler_running:
            self._is_sampler_running = True
            await self.sampler.__aenter__()
        return await self.sampler.ask(text_field(fields, "page"), work, *arguments)

    async def close(self) -> None:
        """End its processes."""
        await self.engine.__aexit__()
        await self.sampler.__aexit__()

    async def _answer_by_texts(self, name: str, fields: Fields) -> Any:
        work, names = BY_TEXTS[name]
        texts = [text_field(fields, key) for key in names]
        return await self._compute(fields, work, self.setting, *texts)

    async def _answer_by_number(self, name: str, fields: Fields) -> Any:
        number = fields.get("number")
        if type(number) is not int or not 0 <= number < 1 << 32:
            raise BadRequest("number is a whole number")
        compute = self._compute if name == "review" else self._compute_later
        shots = text_field(fields, "shots")
        return await compute(fields, BY_NUMBER[name], self.setting, shots, number)

    async def _describe_game(self, fields: Fields) -> Any:
        """Describe the game in this process, because nothing is counted."""
        if self._description is None:
            self._description = answers.describe_game(self.setting)
        return self._description

    async def _begin_match(self, fields: Fields) -> Any:
        against, ships = text_field(fields, "against"), text_field(fields, "ships")
        arguments = self.setting, against, ships, secrets.randbits(64)
        pickled, view = await self._compute(fields, answers.begin_match, *arguments)
        return {"match": self._matches.add(pickled), **view}

    async def _shoot(self, fields: Fields) -> Any:
        name, cell = text_field(fields, "match"), text_field(fields, "cell")
        match = self._matches.get(name)
        pickled, view = await self._compute(fields, answers.shoot_in_match, match, cell)
        self._matches.keep(name, pickled)
        return {"match": name, **view}

    async def _view_match(self, fields: Fields) -> Any:
        name = text_field(fields, "match")
        view = await self._compute(fields, answers.view_match, self._matches.get(name))
        return {"match": name, **view}

    async def _count_greedy_shots(self, fields: Fields) -> Any:
        match = self._matches.get(text_field(fields, "match"))
        return await self._compute_later(fields, answers.count_greedy_shots, match)


def text_field(fields: Fields, name: str) -> str:
    """Return a text of a request by its name, or an empty text if the request has none.

    Raises BadRequest for another value, and for a text of more than MOST_TEXT_SIGNS.
    """
    value = fields.get(name, "")
    if not isinstance(value, str) or len(value) > MOST_TEXT_SIGNS:
        raise BadRequest(f"{name} is a text of at most {MOST_TEXT_SIGNS:,} signs")
    return value


def application(
    first: Setting | None,
    token: str,
    hosts: frozenset[str],
    against: tuple[str, ...] = (),
    seconds: float = 10.0,
) -> Guard:
    """Return the board as an ASGI application, behind its guard.

    first -- the game that the page opens with; None lets a person choose.
    token -- a POST must have it. hosts -- the names, with ports, under which the page is served.
    against -- the names of opponents beside those that everybody has.
    seconds -- that a request may take.
    """
    handlers = RequestHandlers(first, against, seconds)

    async def ask(request: Request) -> Response:
        try:
            fields = json.loads(await request.body())
        except (ValueError, RecursionError):
            return JSONResponse({"error": "the request is no JSON"}, 400)
        try:
            if not isinstance(fields, dict):
                raise BadRequest("an object is accepted")
            return JSONResponse(await handlers.answer(request.path_params["name"], fields))
        except OptsearchError as error:
            status = 400 if isinstance(error, BadRequest) else 422
            return JSONResponse({"error": str(error), "kind": type(error).__name__}, status)

    @asynccontextmanager
    async def run_processes(_: Starlette) -> Any:
        await handlers.begin()
        yield
        await handlers.close()

    routes = [Route("/ask/{name}", ask, methods=["POST"])]
    for name, page in PAGES.items():
        markup = page.render_linked(str(first.game) if first else "Board", f"/{name}")
        routes.append(_file_route("/" if name == "board" else f"/{name}", "text/html", markup))
        routes.append(_file_route(f"/{name}.css", "text/css", page.style))
        routes.append(_file_route(f"/{name}.js", "text/javascript", page.script))
    on_errors: dict[Any, Any] = {404: _say_not_found, 405: _say_not_found, Exception: _say_failed}
    served = Starlette(routes=routes, exception_handlers=on_errors, lifespan=run_processes)
    served.router.redirect_slashes = False
    return Guard(served, token, hosts)


def _file_route(path: str, media_type: str, content: str) -> Route:
    """Return the route of a file whose content does not change."""

    async def get(_: Request) -> Response:
        return Response(content, media_type=media_type)

    return Route(path, get, methods=["GET"])


async def _say_not_found(_: Request, error: Any) -> Response:
    return JSONResponse({"error": "there is nothing at this address"}, error.status_code)


async def _say_failed(_: Request, error: Exception) -> Response:
    return JSONResponse({"error": f"this failed: {type(error).__name__}"}, 500)
