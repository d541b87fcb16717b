"""Strategies and players that code of one's own makes, which `support.own_code` asks with care."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from operator import index
from pathlib import Path
from typing import Any

import numpy as np

from optsearch.game import Cell, Game, cell_name
from optsearch.game.position import Position
from optsearch.strategies import Strategy
from optsearch.strategies.player import Player, Playing
from optsearch.strategies.rules import PatternRule, Rule
from optsearch.strategies.score import Score, arguments_of, library
from optsearch.support.errors import StrategyError
from optsearch.support.own_code import IN_A_FILE, Code, Given, InFile, careful, defined_at, spelled

_FORM = (
    "a strategy is a class with the method shot(position), an object of one, or a function of the "
    "position; a player by chance or memory has begin(game, generator)"
)


def own(thing: object) -> Own | OwnPlayer:
    """The player that a class, an object or a function is."""
    if isinstance(thing, type) or not isinstance(thing, Player):
        label = thing.label if isinstance(thing, Score) else getattr(thing, "__qualname__", None)
        if not isinstance(label, str):
            label = spelled(thing)
            if " at 0x" in label:  # an address, which says nothing
                label = type(thing).__qualname__
    else:
        label = careful(str, thing, says=f"a {type(thing).__name__} cannot be printed")
    return _player(Given(thing, label))


def own_in_file(path: Path, name: str) -> Own | OwnPlayer:
    """The player that a name in a Python file is."""
    return _player(InFile.of(path, name))


def own_in_library(path: str, symbol: str) -> Own | OwnPlayer:
    """The score that a function of a compiled library is."""
    return _player(Given(Score(library(path, symbol)), f"{path}:{symbol}"))


def own_in_package(name: str, load: Callable[[], object]) -> Own | OwnPlayer:
    """The player that an installed package has under a name."""
    thing = careful(load, says=f"{name} of an installed package cannot be loaded")
    return _player(Given(thing, name))


def _player(code: Code) -> Own | OwnPlayer:
    """The player that code makes; StrategyError if it makes none."""
    strategy = Own(code)
    return OwnPlayer(code) if strategy.subject.begins else strategy


@dataclass(frozen=True)
class _Subject:
    """What is asked: a function for the shot, and perhaps one for the rule; or one that begins."""

    function: Callable[..., object]
    rule: Callable[[Game], object] | None = None
    begins: bool = False


def _subject(code: Code) -> _Subject:
    """What is asked of a class, of which an object is made, of an object, or of a function."""
    thing = code.thing()

    def attribute(name: str) -> Any:
        value = careful(getattr, thing, name, None, says=f"{code} has no {name} to ask for")
        return value if callable(value) else None

    if isinstance(thing, type):
        if not any(callable(getattr(thing, name, None)) for name in ("shot", "begin")):
            raise StrategyError(f"{code} is a class without the method shot(position); {_FORM}")
        thing = careful(thing, says=f"{code} cannot be made")
    begin = None if isinstance(thing, Strategy) else attribute("begin")
    if begin is not None:
        return _Subject(begin, begins=True)
    shot = attribute("shot")
    if shot is not None:
        return _Subject(shot, attribute("rule"))
    if not callable(thing):
        raise StrategyError(f"{code} is {spelled(thing)}; {_FORM}")
    if arguments_of(thing) == 2:
        raise StrategyError(
            f"{code} takes two arguments{defined_at(thing)}; {_FORM}. A function of a node and "
            "its scores is a strategy as Score(function)"
        )
    return _Subject(thing)


_subject_once = lru_cache(maxsize=16)(_subject)  # a process


class _OfCode(Player):
    """A player made of code that is not of this package, in every process anew."""

    def __init__(self, code: Code):
        self._code = code

    def __reduce__(self) -> tuple[type[_OfCode], tuple[Code]]:
        return type(self), (self._code,)

    def __str__(self) -> str:
        return self._code.label

    @cached_property
    def subject(self) -> _Subject:
        """What is asked of its code; StrategyError if that makes no player."""
        return (_subject if isinstance(self._code, Given) else _subject_once)(self._code)

    def identity(self) -> str:
        """Its label, and a digest of its source and of its state.

        Raises StrategyError where the source of what runs is not known.
        """
        try:
            return self._code.identity
        except StrategyError as error:
            raise StrategyError(
                f"{self} cannot have a checkpoint, which is known by the strategy's source: "
                f"{error}; {IN_A_FILE}"
            ) from None

    def answer(self, function: Callable[[Position], object], position: Position) -> Cell:
        """What its code shoots, if that is a cell which can be shot."""
        when = _when(position)
        answer = self._code.call(function, position, says=f"{self} fails {when}")
        cell = _cell(answer)
        if cell is None or cell not in position.game:
            there, what = spelled(answer), "is no cell of the board"
        elif position.game.bit(cell) & position.closed:
            there, what = cell_name(cell), "was shot before"
        else:
            return cell
        raise StrategyError(
            f"{self} shoots {there} {when}, which {what}{defined_at(function)}; a shot is a cell "
            "(row, column), from 0, that was not shot yet"
        )


class Own(_OfCode, Strategy):
    """A strategy of one's own."""

    def shot(self, position: Position) -> Cell:
        """What its code shoots, if that is a cell which can be shot."""
        return self.answer(self.subject.function, position)

    @property
    def score(self) -> Score | None:
        """The score that it is, if it is one."""
        thing = self._code.thing()
        return thing if isinstance(thing, Score) else None

    def rule(self, game: Game) -> Rule | PatternRule | None:
        """The rule that its code gives for a game, if it has one."""
        function = self.subject.rule
        if function is None:
            return None
        rule = self._code.call(function, game, says=f"the rule of {self} fails for {game}")
        if rule is None or isinstance(rule, Rule | PatternRule):
            return rule
        raise StrategyError(
            f"the rule of {self} for {game} is {spelled(rule)}{defined_at(function)}; a Rule, a "
            "PatternRule or None is accepted"
        )


class OwnPlayer(_OfCode):
    """A player of one's own, who begins every game."""

    def begin(self, game: Game, generator: np.random.Generator) -> Playing:
        """What its code gives for a game, its shots checked."""
        begin, says = self.subject.function, f"{self} cannot begin a game of {game}"
        playing = self._code.call(begin, game, generator, says=says)
        shot = careful(getattr, playing, "shot", None, says=f"{self} has no shot to ask for")
        if not callable(shot):
            raise StrategyError(
                f"begin of {self} returns {spelled(playing)}{defined_at(begin)}; an object with "
                "the method shot(position) is accepted"
            )
        return _OwnGame(self, shot)


@dataclass(frozen=True)
class _OwnGame:
    """A game of a player of one's own."""

    player: OwnPlayer
    function: Callable[[Position], object]

    def shot(self, position: Position) -> Cell:
        """What its code shoots, if that is a cell which can be shot."""
        return self.player.answer(self.function, position)


def replay(strategy: Strategy, over: Position, start: int) -> None:
    """Ask for the shots of a game again, in order, from one on.

    Raises StrategyError unless they are the same: then there is no decision tree.
    """
    for number, shot in enumerate(over.shots[start:], start):
        position = Position(over.game, over.shots[:number])
        again = strategy.shot(position)
        if again != shot.cell:
            raise StrategyError(
                f"{strategy} is not deterministic: {_when(position)} it shoots "
                f"{cell_name(shot.cell)}, and {cell_name(again)} when it is asked again; it must "
                "go by the position alone"
            )


def _when(position: Position) -> str:
    return f"after {str(position)!r}" if position.shots else "on the empty board"


def _cell(answer: object) -> Cell | None:
    """A pair of integers of any kind as a cell; None for anything else."""
    if not isinstance(answer, tuple) or len(answer) != 2:
        return None
    try:
        return int(index(answer[0])), int(index(answer[1]))
    except Exception:
        return None
