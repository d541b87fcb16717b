"""What a player is: whoever plays games, by the position alone or also by chance and memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from optsearch.game import Cell, Game
from optsearch.position import Position

Compiled = Callable[[NDArray[np.uint8], np.random.Generator], int]


class Playing(Protocol):
    """A player in one game; it may remember what it likes."""

    def shot(self, position: Position) -> Cell:
        """The cell, as (row, column), to shoot next; called in order while a ship is afloat."""


class Player(ABC):
    """Whoever plays games, and what is printed of it.

    A deterministic strategy (`Strategy`) is one that plays every game by `shot` alone.
    """

    @abstractmethod
    def begin(self, game: Game, generator: np.random.Generator) -> Playing:
        """A new game: what is asked for its shots, and draws by chance from that generator only."""

    def compiled(self, game: Game) -> Compiled | None:
        """The same as one compiled function, or None: then each shot is asked for.

        It takes the board (uint8 of shape (cells,), 0 for water and 1 for a ship; where sinkings
        are announced the number of the ship, from 1 on) and the generator, draws from it as the
        player does, and returns the number of shots of the whole game.
        """
        return None

    def identity(self) -> str:
        """What names it in a checkpoint; two players that play otherwise have two of them."""
        return str(self)

    def __str__(self) -> str:
        values = ",".join(f"{key}={getattr(self, key)}" for key in parameters(type(self)))
        name = name_of(type(self))
        return f"{name}:{values}" if values else name


def name_of(kind: type[Player]) -> str:
    """The name of a kind of player."""
    return getattr(kind, "name", kind.__name__)


def parameters(kind: type[Player]) -> dict[str, Any]:
    """The parameters of a kind of player and their defaults."""
    return {field.name: field.default for field in fields(kind)} if is_dataclass(kind) else {}
