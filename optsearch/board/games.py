"""The games under way, each with an id that nobody can guess; limited in number and in time."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable

from optsearch.support.errors import OptsearchError

MOST_GAMES = 100
SECONDS_KEPT = 3600.0  # since a game was last played


class GameLost(OptsearchError):
    """A game is no longer kept, or never was."""


class Games:
    """Games by their ids. A game is bytes, and goes if it was not played for SECONDS_KEPT.

    clock -- a function that returns the time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock = clock
        # The time when a game was played, and the game; those played last are at the end.
        self._kept: dict[str, tuple[float, bytes]] = {}

    def add(self, game: bytes) -> str:
        """Keep a new game and return its id.

        If there are more than MOST_GAMES, the one that was played least recently goes.
        """
        game_id = secrets.token_hex(16)
        self.keep(game_id, game)
        while len(self._kept) > MOST_GAMES:
            least_recent = next(iter(self._kept))
            del self._kept[least_recent]
        return game_id

    def keep(self, game_id: str, game: bytes) -> None:
        """Keep the new state of a game."""
        self._kept.pop(game_id, None)  # so that it goes to the end
        self._kept[game_id] = self._clock(), game

    def get(self, game_id: str) -> bytes:
        """Return a game; GameLost for an unknown id."""
        oldest_time = self._clock() - SECONDS_KEPT
        self._kept = {
            kept_id: (played_at, game)
            for kept_id, (played_at, game) in self._kept.items()
            if played_at > oldest_time
        }
        if game_id not in self._kept:
            raise GameLost(
                f"this game is lost: games are kept for {SECONDS_KEPT / 3600:g} hour, "
                f"{MOST_GAMES} at most, and end with the server"
            )
        _, game = self._kept[game_id]
        return game
