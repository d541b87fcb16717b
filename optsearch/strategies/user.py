"""Strategies and players of users, whose code `support.user_code` loads and calls."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

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
    return _make_player(CodeObject(user_object, _label_of(user_object)))


def _label_of(user_object: object) -> str:
    """Return the text that stands for a user's class, object or function in output.

    It is its own text for an object of a subclass of `Player`, and for a `Score` its label. For
    other code it is the name or, without one, the text of the object or the name of its class.
    """
    if isinstance(user_object, Player):
        class_name = type(user_object).__name__
        label: str = call_user_code(str, user_object, failure=f"a {class_name} cannot be printed")
        return label
    if isinstance(user_object, Score):
        return user_object.label
    name = getattr(user_object, "__qualname__", None)
    if isinstance(name, str):
        return name
    label = safe_repr(user_object)
    has_address = " at 0x" in label
    return type(user_object).__qualname__ if has_address else label


def player_in_file(path: Path, name: str) -> UserStrategy | UserPlayer:
    """Return the player with a name in a Python file."""
    return _make_player(CodeInFile.of(path, name))


def player_in_package(name: str, load: Callable[[], object]) -> UserStrategy | UserPlayer:
    """Return the player that an installed package adds under a name."""
    user_object = call_user_code(load, failure=f"{name} of an installed package cannot be loaded")
    return _make_player(CodeObject(user_object, name, "of an installed package"))


def _make_player(code: UserCode) -> UserStrategy | UserPlayer:
    """Return the player that a user's code defines, or raise StrategyError."""
    strategy = UserStrategy(code)
    return UserPlayer(code) if strategy.functions.has_begin else strategy


@dataclass(frozen=True)
class _UserFunctions:
    """The functions of a user's player.

    function -- returns a shot or, if `has_begin`, begins a game. salvo, rule -- the methods of
    these names, or None. has_begin -- True if the player plays each game by an object of its own.
    """

    function: Callable[..., object]
    salvo: Callable[..., object] | None = None
    rule: Callable[[Game], object] | None = None
    has_begin: bool = False


def _find_functions(code: UserCode) -> _UserFunctions:
    """Return the functions by which the code of a user chooses shots.

    The code is a class, from which an object is made, or an object or a function. Raises
    StrategyError for code that is no player, or that fails.
    """
    user_object = code.load()
    if isinstance(user_object, type):
        if not any(callable(getattr(user_object, name, None)) for name in ("shot", "begin")):
            raise StrategyError(f"{code} is a class without the method shot(position); {_FORM}")
        user_object = call_user_code(user_object, failure=f"{code} cannot be made")
    if not isinstance(user_object, Strategy):
        begin = _method_of(user_object, "begin", code)
        if begin is not None:
            return _UserFunctions(begin, has_begin=True)
    shot = _method_of(user_object, "shot", code)
    if shot is not None:
        salvo, rule = (_method_of(user_object, name, code) for name in ("salvo", "rule"))
        return _UserFunctions(shot, salvo, rule)
    if not callable(user_object):
        raise StrategyError(f"{code} is {safe_repr(user_object)}; {_FORM}")
    if count_arguments(user_object) == 2:
        raise StrategyError(
            f"{code} takes two arguments{defined_at(user_object)}; {_FORM}. A function of a node "
            "and its scores is a strategy as Score(function)"
        )
    return _UserFunctions(user_object)


def _method_of(
    user_object: object, name: str, player: UserCode | Player
) -> Callable[..., object] | None:
    """Return a method of a user's object, or None; StrategyError if the look-up fails."""
    failure = f"{player} has no {name} to ask for"
    method = call_user_code(getattr, user_object, name, None, failure=failure)
    return method if callable(method) else None


_find_functions_once = lru_cache(maxsize=16)(_find_functions)  # once per process


class _FromUserCode(Player):
    """A player from a user's code, which is loaded anew in every process."""

    def __init__(self, code: UserCode):
        self._code = code

    def __reduce__(self) -> tuple[type[_FromUserCode], tuple[UserCode]]:
        return type(self), (self._code,)

    def __str__(self) -> str:
        return self._code.label

    @cached_property
    def functions(self) -> _UserFunctions:
        """The functions of the code; StrategyError if it defines no player."""
        if isinstance(self._code, CodeObject):
            return _find_functions(self._code)
        return _find_functions_once(self._code)

    def identity(self) -> str:
        """Return a text that identifies the player: its label and a digest of its source.

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
        """Raise StrategyError if the code is a `Score`, which takes every reply as true.

        Other code may play where replies may be false: its positions say so.
        """
        if isinstance(self._code.load(), Score):
            super().require_noise()

    def require_fleet(self, game: Game) -> None:
        """Raise GameError for a score if the fleet is not known; else it gets a MixedPosition."""
        if isinstance(self._code.load(), Score):
            super().require_fleet(game)

    def ask_for_shot(
        self, function: Callable[..., object], position: Position | NoisyPosition
    ) -> Cell:
        """Return the cell that a function of the code chooses; StrategyError if it is illegal."""
        answer = call_user_code(function, position, failure=f"{self} fails {_when(position)}")
        return self._require_cell(answer, function, position, 0)

    def ask_for_salvo(
        self,
        function: Callable[..., object] | None,
        position: Position | NoisyPosition,
        number: int,
    ) -> list[Cell]:
        """Return the 1 to `number` cells that a function of the code chooses to shoot together.

        Raises StrategyError without a function, for another number of cells and for illegal ones.
        """
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
            cells.append(self._require_cell(cell, function, position, position.game.mask(cells)))
        return cells

    def _require_cell(
        self,
        answer: object,
        function: Callable[..., object],
        position: Position | NoisyPosition,
        chosen: int,
    ) -> Cell:
        """Return the cell that a user's function has answered; StrategyError if it cannot be shot.

        A cell that was shot before is accepted only if replies may be false. chosen -- the mask of
        the cells chosen already for the same salvo, none of which can be repeated.
        """
        closed = chosen | (position.closed if isinstance(position, Position) else 0)
        cell = _parse_cell(answer)
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


class UserStrategy(_FromUserCode, Strategy):
    """A strategy from a user's code."""

    def shot(self, position: Position | NoisyPosition) -> Cell:
        """Return the cell that the code shoots; StrategyError unless it can be shot."""
        return self.ask_for_shot(self.functions.function, position)

    def salvo(self, position: Position | NoisyPosition, number: int) -> list[Cell]:
        """Return the cells that the code shoots together."""
        return self.ask_for_salvo(self.functions.salvo, position, number)

    @property
    def score(self) -> Score | None:
        """The user's `Score`, if that is what the code defines."""
        user_object = self._code.load()
        return user_object if isinstance(user_object, Score) else None

    def rule(self, game: Game) -> Rule | PatternRule | None:
        """Return the rule by which the compiled code can play this strategy, or None without one.

        Raises StrategyError if the user's method `rule` fails or returns anything else.
        """
        function = self.functions.rule
        if function is None:
            return None
        rule = call_user_code(function, game, failure=f"the rule of {self} fails for {game}")
        if rule is None or isinstance(rule, Rule | PatternRule):
            return rule
        raise StrategyError(
            f"the rule of {self} for {game} is {safe_repr(rule)}{defined_at(function)}; a Rule, a "
            "PatternRule or None is accepted"
        )


class UserPlayer(_FromUserCode):
    """A player from a user's code, which begins every game anew."""

    def begin(self, game: Game, generator: np.random.Generator) -> Playing:
        """Let the user's code begin a game; return an object that checks the shots of the code."""
        begin, failure = self.functions.function, f"{self} cannot begin a game of {game}"
        playing = call_user_code(begin, game, generator, failure=failure)
        shot = _method_of(playing, "shot", self)
        if shot is None:
            raise StrategyError(
                f"begin of {self} returns {safe_repr(playing)}{defined_at(begin)}; an object with "
                "the method shot(position) is accepted"
            )
        return _UserGame(self, shot, _method_of(playing, "salvo", self))


@dataclass(frozen=True)
class _UserGame:
    """One game of a player from a user's code."""

    player: UserPlayer
    shot_function: Callable[..., object]
    salvo_function: Callable[..., object] | None

    def shot(self, position: Position | NoisyPosition) -> Cell:
        """Return the cell that the code shoots; StrategyError unless it can be shot."""
        return self.player.ask_for_shot(self.shot_function, position)

    def salvo(self, position: Position | NoisyPosition, number: int) -> list[Cell]:
        """Return the cells that the code shoots together."""
        return self.player.ask_for_salvo(self.salvo_function, position, number)


def replay(strategy: Strategy, final_position: Position, start: int) -> None:
    """Ask a strategy again for the shots of a game, and raise StrategyError if one differs.

    A strategy whose shots differ has no decision tree. final_position -- at the end of the game.
    start -- the number of the first shot to ask for, from 0.
    """
    for number, shot in enumerate(final_position.shots[start:], start):
        position = Position(final_position.game, final_position.shots[:number])
        require_same(strategy, position, [shot.cell], [strategy.shot(position)])


def require_same(
    strategy: Strategy,
    position: Position | NoisyPosition,
    first_cells: list[Cell],
    second_cells: list[Cell],
) -> None:
    """Raise StrategyError unless a strategy gave the same cells twice at a position.

    first_cells, second_cells -- the two answers.
    """
    if first_cells != second_cells:
        first, second = (" ".join(map(cell_name, answer)) for answer in (first_cells, second_cells))
        raise StrategyError(
            f"{strategy} is not deterministic: {_when(position)} it shoots {first}, and {second} "
            "when it is asked again; it must go by the position alone"
        )


def _when(position: Position | NoisyPosition) -> str:
    return f"after {str(position)!r}" if position.shots else "on the empty board"


def _parse_cell(answer: object) -> Cell | None:
    """Return the cell that a user's answer means, or None.

    Accepted are a pair of integers of any type, (row, column), and the name of a cell.
    """
    try:
        if isinstance(answer, str):
            return parse_cell(answer)
        if isinstance(answer, tuple | list | np.ndarray) and len(answer) == 2:
            return int(operator.index(answer[0])), int(operator.index(answer[1]))
    except Exception:  # of their own classes of integers
        return None
    return None
