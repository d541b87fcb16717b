"""Strategies and players of users, whose code `support.user_code` loads and calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from operator import index
from pathlib import Path
from typing import Any

import numpy as np

from optsearch.game import Cell, Game, cell_name
from optsearch.game.cells import parse_cell
from optsearch.game.noise import NoisyPosition
from optsearch.game.position import Position
from optsearch.search.rules import PatternRule, Rule
from optsearch.strategies import Strategy
from optsearch.strategies.player import Player, Playing
from optsearch.strategies.score import Score, count_arguments
from optsearch.support.errors import StrategyError
from optsearch.support.user_code import (
    IN_A_FILE,
    CodeInFile,
    CodeObject,
    UserCode,
    call_user_code,
    defined_at,
    safe_repr,
)

_FORM = (
    "a strategy is a class with the method shot(position), an object of one, or a function of the "
    "position; a player by chance or memory has begin(game, generator)"
)


def user_player(user_object: object) -> UserStrategy | UserPlayer:
    """Return the player of a class, an object or a function."""
    if not isinstance(user_object, type) and isinstance(user_object, Player):
        kind = type(user_object).__name__
        label = call_user_code(str, user_object, failure=f"a {kind} cannot be printed")
    else:
        label = getattr(user_object, "__qualname__", None)
        if isinstance(user_object, Score):
            label = user_object.label
        if not isinstance(label, str):
            label = safe_repr(user_object)
            if " at 0x" in label:  # an address, which says nothing
                label = type(user_object).__qualname__
    return _player(CodeObject(user_object, label))


def player_in_file(path: Path, name: str) -> UserStrategy | UserPlayer:
    """Return the player with a name in a Python file."""
    return _player(CodeInFile.of(path, name))


def player_in_package(name: str, load: Callable[[], object]) -> UserStrategy | UserPlayer:
    """Return the player that an installed package adds under a name."""
    user_object = call_user_code(load, failure=f"{name} of an installed package cannot be loaded")
    return _player(CodeObject(user_object, name, "of an installed package"))


def _player(code: UserCode) -> UserStrategy | UserPlayer:
    """Return the player that a user's code defines, or raise StrategyError."""
    strategy = UserStrategy(code)
    return UserPlayer(code) if strategy.subject.begins else strategy


@dataclass(frozen=True)
class _Subject:
    """The functions of a user's player.

    function -- returns a shot; or, if `begins`, begins a game. salvo, rule -- if it has them.
    """

    function: Callable[..., object]
    salvo: Callable[..., object] | None = None
    rule: Callable[[Game], object] | None = None
    begins: bool = False


def _subject(code: UserCode) -> _Subject:
    """Find the functions of a user's class (of which an object is made), object or function."""
    user_object = code.load()

    def attribute(name: str) -> Any:
        value = call_user_code(
            getattr, user_object, name, None, failure=f"{code} has no {name} to ask for"
        )
        return value if callable(value) else None

    if isinstance(user_object, type):
        if not any(callable(getattr(user_object, name, None)) for name in ("shot", "begin")):
            raise StrategyError(f"{code} is a class without the method shot(position); {_FORM}")
        user_object = call_user_code(user_object, failure=f"{code} cannot be made")
    begin = None if isinstance(user_object, Strategy) else attribute("begin")
    if begin is not None:
        return _Subject(begin, begins=True)
    shot = attribute("shot")
    if shot is not None:
        return _Subject(shot, attribute("salvo"), attribute("rule"))
    if not callable(user_object):
        raise StrategyError(f"{code} is {safe_repr(user_object)}; {_FORM}")
    if count_arguments(user_object) == 2:
        raise StrategyError(
            f"{code} takes two arguments{defined_at(user_object)}; {_FORM}. A function of a node "
            "and its scores is a strategy as Score(function)"
        )
    return _Subject(user_object)


_subject_once = lru_cache(maxsize=16)(_subject)  # once per process


class _OfUser(Player):
    """A player from a user's code, which is loaded anew in every process."""

    def __init__(self, code: UserCode):
        self._code = code

    def __reduce__(self) -> tuple[type[_OfUser], tuple[UserCode]]:
        return type(self), (self._code,)

    def __str__(self) -> str:
        return self._code.label

    @cached_property
    def subject(self) -> _Subject:
        """The functions of the code; StrategyError if it defines no player."""
        return (_subject if isinstance(self._code, CodeObject) else _subject_once)(self._code)

    def identity(self) -> str:
        """Return the label and a digest of the source.

        Raises StrategyError if the source of the running code is unknown.
        """
        try:
            return self._code.identity
        except StrategyError as error:
            raise StrategyError(
                f"{self} cannot have a checkpoint, which is known by the strategy's source: "
                f"{error}; {IN_A_FILE}"
            ) from None

    def require_noise(self) -> None:
        """Raise StrategyError for a score, which takes hits and misses as true.

        Other code gets a NoisyPosition.
        """
        if isinstance(self._code.load(), Score):
            super().require_noise()

    def require_fleet(self, game: Game) -> None:
        """Raise GameError for a score if the fleet is not known; else it gets a MixedPosition."""
        if isinstance(self._code.load(), Score):
            super().require_fleet(game)

    def answer(self, function: Callable[..., object], position: Position | NoisyPosition) -> Cell:
        """Return the cell that the code answers; StrategyError unless it can be shot."""
        answer = call_user_code(function, position, failure=f"{self} fails {_when(position)}")
        return self._check(answer, function, position, 0)

    def salvo_by(
        self,
        function: Callable[..., object] | None,
        position: Position | NoisyPosition,
        number: int,
    ) -> list[Cell]:
        """Return the salvo that the code answers; StrategyError unless its cells can be shot."""
        if function is None:
            raise StrategyError(
                f"{self} has no method salvo(position, number) to choose {number} cells with"
            )
        when = _when(position)
        answer = call_user_code(function, position, number, failure=f"{self} fails {when}")
        if not isinstance(answer, list | tuple) or not 1 <= len(answer) <= number:
            raise StrategyError(
                f"{self} shoots {safe_repr(answer)} {when}{defined_at(function)}; a list of 1 to "
                f"{number} cells is accepted"
            )
        cells: list[Cell] = []
        for cell in answer:
            cells.append(self._check(cell, function, position, position.game.mask(cells)))
        return cells

    def _check(
        self,
        answer: object,
        function: Callable[..., object],
        position: Position | NoisyPosition,
        chosen: int,
    ) -> Cell:
        """Return an answer as a cell; StrategyError if it is not a cell that can be shot.

        A cell may be shot again if replies may be false. chosen -- the cells of this salvo (mask).
        """
        closed = chosen | (position.closed if isinstance(position, Position) else 0)
        cell = _cell(answer)
        if cell is None or cell not in position.game:
            cell_text, why = safe_repr(answer), "is not a cell of the board"
        elif position.game.bit(cell) & closed:
            cell_text, why = cell_name(cell), "was shot before"
        else:
            return cell
        raise StrategyError(
            f"{self} shoots {cell_text} {_when(position)}, which {why}{defined_at(function)}; a "
            "shot is a cell that was not shot yet, (row, column) from 0 or its name such as 'A1'"
        )


class UserStrategy(_OfUser, Strategy):
    """A strategy from a user's code."""

    def shot(self, position: Position | NoisyPosition) -> Cell:
        """Return the cell that the code shoots; StrategyError unless it can be shot."""
        return self.answer(self.subject.function, position)

    def salvo(self, position: Position | NoisyPosition, number: int) -> list[Cell]:
        """Return the cells that the code shoots together."""
        return self.salvo_by(self.subject.salvo, position, number)

    @property
    def score(self) -> Score | None:
        """The user's `Score`, if that is what the code defines."""
        user_object = self._code.load()
        return user_object if isinstance(user_object, Score) else None

    def rule(self, game: Game) -> Rule | PatternRule | None:
        """Return the rule of the code for a game, or None."""
        function = self.subject.rule
        if function is None:
            return None
        rule = call_user_code(function, game, failure=f"the rule of {self} fails for {game}")
        if rule is None or isinstance(rule, Rule | PatternRule):
            return rule
        raise StrategyError(
            f"the rule of {self} for {game} is {safe_repr(rule)}{defined_at(function)}; a Rule, a "
            "PatternRule or None is accepted"
        )


class UserPlayer(_OfUser):
    """A player from a user's code, which begins every game anew."""

    def begin(self, game: Game, generator: np.random.Generator) -> Playing:
        """Begin a game of the code, whose shots are checked."""
        begin, says = self.subject.function, f"{self} cannot begin a game of {game}"
        playing = call_user_code(begin, game, generator, failure=says)
        shot = call_user_code(
            getattr, playing, "shot", None, failure=f"{self} has no shot to ask for"
        )
        if not callable(shot):
            raise StrategyError(
                f"begin of {self} returns {safe_repr(playing)}{defined_at(begin)}; an object with "
                "the method shot(position) is accepted"
            )
        salvo = call_user_code(
            getattr, playing, "salvo", None, failure=f"{self} has no salvo to ask for"
        )
        return _UserGame(self, shot, salvo if callable(salvo) else None)


@dataclass(frozen=True)
class _UserGame:
    """One game of a player from a user's code."""

    player: UserPlayer
    function: Callable[..., object]
    together: Callable[..., object] | None

    def shot(self, position: Position | NoisyPosition) -> Cell:
        """Return the cell that the code shoots; StrategyError unless it can be shot."""
        return self.player.answer(self.function, position)

    def salvo(self, position: Position | NoisyPosition, number: int) -> list[Cell]:
        """Return the cells that the code shoots together."""
        return self.player.salvo_by(self.together, position, number)


def replay(strategy: Strategy, over: Position, start: int) -> None:
    """Ask for the shots of a game again, in order, from one on.

    Raises StrategyError unless they are the same: then there is no decision tree.
    """
    for number, shot in enumerate(over.shots[start:], start):
        position = Position(over.game, over.shots[:number])
        require_same(strategy, position, [shot.cell], [strategy.shot(position)])


def require_same(
    strategy: Strategy, position: Position | NoisyPosition, cells: list[Cell], again: list[Cell]
) -> None:
    """Raise StrategyError unless two answers to a position are the same cells."""
    if again != cells:
        first, second = (" ".join(map(cell_name, answer)) for answer in (cells, again))
        raise StrategyError(
            f"{strategy} is not deterministic: {_when(position)} it shoots {first}, and {second} "
            "when it is asked again; it must go by the position alone"
        )


def _when(position: Position | NoisyPosition) -> str:
    return f"after {str(position)!r}" if position.shots else "on the empty board"


def _cell(answer: object) -> Cell | None:
    """Return a pair of integers of any type, or the name of a cell, as a cell; else None."""
    try:
        if isinstance(answer, str):
            return parse_cell(answer)
        if isinstance(answer, tuple | list | np.ndarray) and len(answer) == 2:
            return int(index(answer[0])), int(index(answer[1]))
    except Exception:  # of their own classes of integers
        return None
    return None
