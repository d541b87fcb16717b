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

LONGEST = 20_000  # signs of a text that is asked about
MOST = 2  # games that are answered at a time, each by a process of its own
LIKELY = ("boxed", "official")  # counted while a person chooses among games
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
STATELESS = {  # what is asked by its name and texts: those it must have, and those it may
    "advice": (answers.advice, ("shots", "cell")),
    "endgame": (answers.endgame, ("shots",)),
    "shots": (answers.shots_of, ("text",)),
    "walk": (answers.walk, ("shots",)),
    "value": (answers.value, ("shots", "cell")),
}
NUMBERED = {"review": answers.review, "sample": answers.sample}  # asked by shots and a number
Fields = dict[str, Any]


class Bad(OptsearchError):
    """A request that the page never makes."""


class NoGame(OptsearchError):
    """A request that names no game, to a server that was given none."""


class RequestHandlers:
    """The games of the board, each answered by a process that begins when it is needed.

    first -- the game of the command line, with what it says besides; None if it names none.
    against -- players besides those that everybody has.
    """

    def __init__(self, first: Setting | None, against: tuple[str, ...], seconds: float):
        self._first, self._against, self._seconds = first, against, seconds
        self._tables: dict[Setting, RequestHandler] = {}  # the one asked last at the end
        self._matches = Games()

    async def answer(self, name: str, fields: Fields) -> Any:
        """Answer a request by its name; Bad for an unknown one."""
        if name == "games":
            for game in LIKELY if not self._tables else ():
                await self._table(game)
            return answers.games(self._first)
        return await (await self._table(text(fields, "game"))).answer(name, fields)

    async def _table(self, game: str) -> RequestHandler:
        setting = answers.setting_of(game, self._against) if game else self._first
        if setting is None:
            raise NoGame("choose a game first")
        if self._first is not None and setting.game == self._first.game:
            setting = self._first
        if setting not in self._tables:
            self._tables[setting] = table = RequestHandler(setting, self._matches, self._seconds)
            await table.engine.__aenter__()
            while len(self._tables) > MOST:
                await self._tables.pop(next(iter(self._tables))).close()
        self._tables[setting] = table = self._tables.pop(setting)
        return table

    async def begin(self) -> None:
        """Start the process of the first game, if there is one."""
        if self._first is not None:
            await self._table("")

    async def close(self) -> None:
        """End all processes."""
        for table in self._tables.values():
            await table.close()


class RequestHandler:
    """The requests to a board, and their answers."""

    def __init__(self, setting: Setting, matches: Games, seconds: float):
        self.setting, self._matches = setting, matches
        self.engine = Engine((answers.advice, setting, "", ""), (answers.prepare, setting), seconds)
        prepare = (answers.prepare, setting)
        self.sampler = Engine(prepare, prepare, seconds, grace=seconds)  # begun when it is needed
        self._is_sampling = False
        self._known: Any = None  # what does not change

    async def answer(self, name: str, fields: Fields) -> Any:
        """Answer a request by its name; Bad for an unknown one."""
        if name in STATELESS:
            return await self._stateless(name, fields)
        if name in NUMBERED:
            return await self._numbered(name, fields)
        special = {
            "about": self._about,
            "begin": self._begin,
            "shoot": self._shoot,
            "match": self._match,
            "greedy": self._greedy,
        }
        if name not in special:
            raise Bad(f"there is no {name!r}")
        return await special[name](fields)

    async def _ask(self, fields: Fields, work: Callable[..., Any], *arguments: Any) -> Any:
        return await self.engine.ask(text(fields, "page"), work, *arguments)

    async def _stateless(self, name: str, fields: Fields) -> Any:
        work, names = STATELESS[name]
        return await self._ask(fields, work, self.setting, *(text(fields, key) for key in names))

    async def _about(self, fields: Fields) -> Any:
        """Answer in this process, because nothing is counted."""
        if self._known is None:
            self._known = answers.about(self.setting)
        return self._known

    async def _numbered(self, name: str, fields: Fields) -> Any:
        number = fields.get("number")
        if type(number) is not int or not 0 <= number < 1 << 32:
            raise Bad("number is a whole number")
        call = (NUMBERED[name], self.setting, text(fields, "shots"), number)
        if name == "review":
            return await self._ask(fields, *call)
        return await self._sample(fields, *call)

    async def _sample(self, fields: Fields, work: Callable[..., Any], *arguments: Any) -> Any:
        if not self._is_sampling:
            self._is_sampling = True
            await self.sampler.__aenter__()
        return await self.sampler.ask(text(fields, "page"), work, *arguments)

    async def close(self) -> None:
        """End its processes."""
        await self.engine.__aexit__()
        await self.sampler.__aexit__()

    async def _begin(self, fields: Fields) -> Any:
        against, ships = text(fields, "against"), text(fields, "ships")
        seed = secrets.randbits(64)
        pickled, view = await self._ask(fields, answers.begin, self.setting, against, ships, seed)
        return {"match": self._matches.add(pickled), **view}

    async def _shoot(self, fields: Fields) -> Any:
        name = text(fields, "match")
        match = self._matches.get(name)
        pickled, view = await self._ask(fields, answers.shoot, match, text(fields, "cell"))
        self._matches.keep(name, pickled)
        return {"match": name, **view}

    async def _match(self, fields: Fields) -> Any:
        name = text(fields, "match")
        return {"match": name, **await self._ask(fields, answers.view, self._matches.get(name))}

    async def _greedy(self, fields: Fields) -> Any:
        match = self._matches.get(text(fields, "match"))
        return await self._sample(fields, answers.greedy_shots, match)


def text(fields: Fields, name: str) -> str:
    """Return a text of a request; empty if it has none."""
    value = fields.get(name, "")
    if not isinstance(value, str) or len(value) > LONGEST:
        raise Bad(f"{name} is a text of at most {LONGEST:,} signs")
    return value


def application(
    first: Setting | None,
    token: str,
    hosts: frozenset[str],
    against: tuple[str, ...] = (),
    seconds: float = 10.0,
) -> Guard:
    """Return the board as an ASGI application, behind its guard.

    first -- the game that the page opens with; None lets a person choose. against -- as in Setting.
    """
    tables = RequestHandlers(first, against, seconds)

    async def ask(request: Request) -> Response:
        try:
            fields = json.loads(await request.body())
        except (ValueError, RecursionError):
            return JSONResponse({"error": "the request is no JSON"}, 400)
        try:
            if not isinstance(fields, dict):
                raise Bad("an object is accepted")
            return JSONResponse(await tables.answer(request.path_params["name"], fields))
        except OptsearchError as error:
            status = 400 if isinstance(error, Bad) else 422
            return JSONResponse({"error": str(error), "kind": type(error).__name__}, status)

    @asynccontextmanager
    async def life(_: Starlette) -> Any:
        await tables.begin()
        yield
        await tables.close()

    routes = [Route("/ask/{name}", ask, methods=["POST"])]
    for name, page in PAGES.items():
        markup = page.render_linked(str(first.game) if first else "Board", f"/{name}")
        routes.append(_file("/" if name == "board" else f"/{name}", "text/html", markup))
        routes.append(_file(f"/{name}.css", "text/css", page.style))
        routes.append(_file(f"/{name}.js", "text/javascript", page.script))
    handlers: dict[Any, Any] = {404: _not_found, 405: _not_found, Exception: _failed}
    served = Starlette(routes=routes, exception_handlers=handlers, lifespan=life)
    served.router.redirect_slashes = False
    return Guard(served, token, hosts)


def _file(path: str, kind: str, content: str) -> Route:
    async def get(_: Request) -> Response:
        return Response(content, media_type=kind)

    return Route(path, get, methods=["GET"])


async def _not_found(_: Request, error: Any) -> Response:
    return JSONResponse({"error": "there is nothing at this address"}, error.status_code)


async def _failed(_: Request, error: Exception) -> Response:
    return JSONResponse({"error": f"this failed: {type(error).__name__}"}, 500)
