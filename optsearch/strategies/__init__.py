"""Strategies by name, and what a strategy is: a rule from position to next shot.

A strategy of your own is a class with one method, or a function:

    class RowByRow:
        def shot(self, position):
            cells = range(position.game.cells)
            shot = position.hits | position.misses
            return position.game.cell(next(cell for cell in cells if not shot >> cell & 1))

`optsearch.evaluate.evaluate(RowByRow, game)` evaluates it, and so does the command line when it is
named by its file, `my_file.py:RowByRow`. `as_strategy` says what is accepted. A strategy is
deterministic, and goes by the position alone. One that has a method `rule(game)` too is played by
the compiled kernel, by the `Rule` or `PatternRule` that it returns; `shot` is then its definition,
with which the kernel is compared.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from optsearch.errors import StrategyError
from optsearch.game import Cell, Game
from optsearch.position import Position
from optsearch.strategies.rules import PatternRule, Rule

__all__ = ["PatternRule", "Rule", "Strategy", "as_strategy", "named", "rule_of"]


class Strategy(ABC):
    """A rule from position to next shot, and what is printed of it."""

    @abstractmethod
    def shot(self, position: Position) -> Cell:
        """The cell, as (row, column), to shoot next; called while a ship is afloat."""

    def rule(self, game: Game) -> Rule | PatternRule | None:
        """The same for the kernel, or None: then `shot` is asked at every position."""
        return None

    def identity(self) -> str:
        """What names it in a checkpoint; two strategies that shoot otherwise have two of them."""
        return str(self)

    def __str__(self) -> str:
        values = ",".join(f"{key}={getattr(self, key)}" for key in _parameters(type(self)))
        name = _name(type(self))
        return f"{name}:{values}" if values else name


def as_strategy(what: object) -> Strategy:
    """The strategy that a name, a function, a class or an object is.

    A name is one of this package, with parameters (`greedy:ties=central`), or `FILE.py:NAME`. A
    function takes the position and returns the cell to shoot; a class has a method `shot(position)`
    that does, and is called without arguments; so has an object. No base class is needed. A method
    or an attribute `rule`, where there is one, is called with the game (`Strategy.rule`).

    Raises StrategyError for anything else, and for code that cannot be run.
    """
    from optsearch.strategies.own import own

    if isinstance(what, str):
        return named(what)
    kind = what if isinstance(what, type) else type(what)
    if issubclass(kind, Strategy) and kind.__module__.startswith(f"{__name__}."):
        return kind() if isinstance(what, type) else what  # type: ignore[return-value]
    return own(what)


def rule_of(strategy: Strategy, game: Game) -> Rule | PatternRule | None:
    """The rule by which the kernel plays a game as a strategy does; None if there is none.

    Raises StrategyError for a rule that the kernel cannot play by, which it must never be given.
    """
    rule = strategy.rule(game)
    try:
        if isinstance(rule, Rule):
            return Rule.fitted(rule, game)
        return rule if rule is None else PatternRule.fitted(rule, game)
    except StrategyError as error:
        raise StrategyError(f"the rule of {strategy} for {game}: {error}") from None


def _name(kind: type[Strategy]) -> str:
    return getattr(kind, "name", kind.__name__)


def _parameters(kind: type[Strategy]) -> dict[str, Any]:
    """The parameters of a kind of strategy and their defaults."""
    return {field.name: field.default for field in fields(kind)} if is_dataclass(kind) else {}


def named(text: str) -> Strategy:
    """The strategy that a text such as `greedy`, `greedy:ties=central` or `my.py:NAME` names.

    Raises StrategyError, which says what there is.
    """
    from optsearch.strategies.own import own_in_file

    file, _, name = text.strip().rpartition(":")
    if file.endswith(".py") and name:
        return own_in_file(Path(file), name)
    if text.strip().rstrip(":").endswith(".py"):
        raise StrategyError(f"{text!r} names no strategy in the file; write FILE.py:NAME")
    name, _, rest = text.strip().partition(":")
    kinds = {_name(kind): kind for kind in _kinds()}
    if name not in kinds:
        raise StrategyError(
            f"no strategy {name!r}; there are {', '.join(kinds)}, and FILE.py:NAME for your own"
        )
    kind = kinds[name]
    defaults = _parameters(kind)
    values: dict[str, Any] = {}
    for part in filter(None, rest.split(",")):
        key, equals, value = part.partition("=")
        if not equals or key not in defaults:
            raise StrategyError(
                f"{part!r} in {text!r} is no parameter of {name}; there are "
                f"{', '.join(f'{key}={default}' for key, default in defaults.items())}"
            )
        try:
            values[key] = type(defaults[key])(value)
        except ValueError:
            raise StrategyError(f"{part!r} in {text!r}: {value!r} is not a whole number") from None
    return kind(**values)


def _kinds() -> tuple[type[Strategy], ...]:
    from optsearch.strategies.greedy import Greedy
    from optsearch.strategies.pattern import Pattern
    from optsearch.strategies.rollout import Rollout

    return Greedy, Rollout, Pattern
