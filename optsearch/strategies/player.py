"""Players, who play by the position alone or also by chance and memory, and their parameters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from optsearch.counting.prior import Prior
from optsearch.game import Cell, Game
from optsearch.game.orders import ORDERS
from optsearch.support.errors import NotSupported, OptsearchError, StrategyError

Compiled = Callable[[NDArray[np.uint8], np.random.Generator], int]


class Playing(Protocol):
    """A player in one game; it may remember anything."""

    def shot(self, position: Any) -> Cell:
        """Return the cell to shoot next, as (row, column); called in order while a ship is afloat.

        position -- a Position; a NoisyPosition where replies may be false.
        """


def salvo_of(playing: Playing, position: Any, number: int) -> list[Cell]:
    """Return the cells that a player shoots together, at most `number` of them.

    Raises StrategyError for a player without the method `salvo`.
    """
    choose_cells = getattr(playing, "salvo", None)
    if choose_cells is None:
        raise StrategyError(
            f"{playing} chooses each cell after the reply to the one before; {SALVOS} choose a "
            "salvo, and players of your own with the method salvo(position, number)"
        )
    cells: list[Cell] = choose_cells(position, number)
    return cells


MOST_SALVO = 1024  # cells
AFLOAT = 0  # a size that means: as many cells as ships are afloat
SALVOS = "greedy, spread, bisection, information, random, parity, density and thompson"
NOISY = "greedy, random, thompson:information=exact and players of your own"


def salvo_size(text: str) -> int:
    """Return the size of a salvo from a text: a number, or AFLOAT for `afloat`."""
    if text == "afloat":
        return AFLOAT
    if text.isascii() and text.isdigit() and 1 <= int(text[:5]) <= MOST_SALVO:  # no huge number
        return int(text)
    raise OptsearchError(
        f"a salvo of {text!r} shots; 1 to {MOST_SALVO} are accepted, or afloat: as many as ships "
        "are afloat"
    )


def require_salvo(size: int, game: Game) -> None:
    """Raise NotSupported for AFLOAT if the replies do not tell how many ships are afloat."""
    tells_ships_afloat = game.tells_sinkings or game.shows_ships
    if game.names_hits:
        # A ship is known to be sunk after all its hits: its name and its length must be known.
        has_different_names = len({*game.fleet}) == len(game.fleet)
        has_known_lengths = game.least_cells == game.fleet_cells
        tells_ships_afloat = has_different_names and has_known_lengths
    if size == AFLOAT and not tells_ships_afloat:
        raise NotSupported(
            f"the replies of {game} do not tell how many ships are afloat; announce=sunk, "
            "ship and place do, and announce=name where no two ships have one name"
        )


class Player(ABC):
    """A player of games, and its text in output.

    A deterministic strategy (`Strategy`) plays every game by `shot` alone. A player with parameters
    is a dataclass whose fields are each a `number`, `word`, `text` or `ties`.
    """

    def require_noise(self) -> None:
        """Raise StrategyError if it takes every reply as true."""
        raise StrategyError(
            f"{self} takes every reply as true; {NOISY} play where replies may be false"
        )

    def require_fleet(self, game: Game) -> None:
        """Raise GameError if the fleet of the game is not known; some players accept that."""
        game.require_known_fleet()

    def with_prior(self, prior: Prior) -> Player:
        """Return a copy of the player that uses a prior; StrategyError if it cannot use one."""
        raise StrategyError(f"{self} knows no prior ({prior.name}); thompson does")

    def __post_init__(self) -> None:
        """Raise StrategyError for a parameter that is not accepted; called by dataclasses."""
        for parameter in parameters(type(self)).values():
            parameter.require(getattr(self, parameter.name))

    @abstractmethod
    def begin(self, game: Game, generator: np.random.Generator) -> Playing:
        """Begin a game: return the object that shoots in it, and draws only from this generator."""

    def compiled(self, game: Game) -> Compiled | None:
        """Return the player as one compiled function, or None: then `begin` is used.

        It takes the board (uint8 of shape (cells,), 0 for water and 1 for a ship; if sinkings are
        announced the number of the ship, from 1 on) and the generator, draws from it as the
        player does, and returns the number of shots of the whole game.
        """
        return None

    def identity(self) -> str:
        """Return the text that names the player in a checkpoint; it differs if the play differs."""
        return str(self)

    def __str__(self) -> str:
        texts = []
        for parameter in parameters(type(self)).values():
            value = getattr(self, parameter.name)
            # Extra parameters are left out at their default, all others only if they are empty.
            left_out = parameter.default if parameter.is_extra else ""
            if value != left_out:
                texts.append(f"{parameter.name}={value}")
        name = name_of(type(self))
        return f"{name}:{','.join(texts)}" if texts else name


def name_of(player_class: type[Player]) -> str:
    """Return the name of a class of players, by which texts call it."""
    return getattr(player_class, "name", player_class.__name__)


# Parameters


@dataclass(frozen=True)
class Parameter:
    """A parameter of a class of players: its name, default and meaning.

    accepted -- a range of whole numbers, words, or a sentence on the form of a text.
    is_extra -- True if the text of a player leaves the parameter out at its default.
    """

    name: str
    default: Any
    accepted: range | tuple[str, ...] | str
    meaning: str
    is_extra: bool = False

    def require(self, value: Any) -> None:
        """Raise StrategyError for a number out of range, or a word that is not accepted.

        If `accepted` is a sentence, any value passes: the player checks the text.
        """
        if isinstance(self.accepted, range):
            require_range(self.name, value, self.accepted[0], self.accepted[-1])
        elif isinstance(self.accepted, tuple) and value not in self.accepted:
            accepted = ", ".join(self.accepted)
            raise StrategyError(f"{self.name}={value} is not accepted; use {accepted}")

    @property
    def accepted_text(self) -> str:
        """The accepted values, in words."""
        if isinstance(self.accepted, range):
            return f"{self.accepted[0]} to {self.accepted[-1]}"
        return self.accepted if isinstance(self.accepted, str) else ", ".join(self.accepted)


def require_range(name: str, value: int, low: int, high: int) -> None:
    """Raise StrategyError unless low <= value <= high."""
    if not low <= value <= high:
        raise StrategyError(f"{name}={value} is out of range; {low} to {high} is accepted")


def number(default: int, low: int, high: int, meaning: str, is_extra: bool = False) -> Any:
    """Declare a parameter that is a whole number, low <= number <= high."""
    return _parameter(default, range(low, high + 1), meaning, is_extra)


def word(default: str, words: tuple[str, ...], meaning: str) -> Any:
    """Declare a parameter that is one of some words."""
    return _parameter(default, words, meaning)


def text(default: str, accepted: str, meaning: str) -> Any:
    """Declare a parameter that is a text of the form `accepted`, which its player checks."""
    return _parameter(default, accepted, meaning)


def ties() -> Any:
    """Declare the parameter that chooses among equally good cells."""
    return word("first", ORDERS, "which of several cells that are as good")


def new_default(base_class: type[Player], name: str, default: Any) -> Any:
    """Declare a parameter of a base class again, with another default."""
    declared = base_class.__dataclass_fields__[name]  # type: ignore[attr-defined]
    return field(default=default, metadata=declared.metadata)


def _parameter(
    default: Any, accepted: range | tuple[str, ...] | str, meaning: str, is_extra: bool = False
) -> Any:
    metadata = {"accepted": accepted, "meaning": meaning, "is_extra": is_extra}
    return field(default=default, metadata=metadata)


def parameters(player_class: type[Player]) -> dict[str, Parameter]:
    """Return the parameters of a class of players, by name.

    They are the fields of its dataclass, without those that users cannot set (`is_fixed`); any
    other class has none.
    """
    if not is_dataclass(player_class):
        return {}
    return {
        each.name: Parameter(
            name=each.name,
            default=each.default,
            accepted=each.metadata.get("accepted", ""),
            meaning=each.metadata.get("meaning", ""),
            is_extra=each.metadata.get("is_extra", False),
        )
        for each in fields(player_class)
        if not each.metadata.get("is_fixed")
    }
