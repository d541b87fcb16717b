"""Games under way, each under an id that nobody guesses; limited in number and in time."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable

from optsearch.support.errors import OptsearchError

MOST = 100
SECONDS = 3600.0  # since a game was last played


class GameLost(OptsearchError):
    """A game that is no longer kept."""


class Games:
    """Games as bytes. clock -- in seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock = clock
        self._kept: dict[str, tuple[float, bytes]] = {}  # those played last at the end

    def add(self, game: bytes) -> str:
        """Keep a new game and return its id; beyond MOST the least recently played goes."""
        name = secrets.token_hex(16)
        self.keep(name, game)
        while len(self._kept) > MOST:
            del self._kept[next(iter(self._kept))]
        return name

    def keep(self, name: str, game: bytes) -> None:
        """Keep the new state of a game."""
        self._kept.pop(name, None)
        self._kept[name] = self._clock(), game

    def get(self, name: str) -> bytes:
        """Return a game; GameLost for an unknown id."""
        late = self._clock() - SECONDS
        self._kept = {key: entry for key, entry in self._kept.items() if entry[0] > late}
        if name not in self._kept:
            raise GameLost(
                f"this game is lost: games are kept for {SECONDS / 3600:g} hour, {MOST} at most, "
                "and end with the server"
            )
        return self._kept[name][1]
