"""Strategies by name, and what a strategy is: a rule from position to next shot.

A strategy of your own is a class with one method, or a function:

    from optsearch.strategies import Strategy

    class RowByRow(Strategy):
        def shot(self, position):
            cells = range(position.game.cells)
            shot = position.hits | position.misses
            return position.game.cell(next(cell for cell in cells if not shot >> cell & 1))

`optsearch.evaluate.evaluate(RowByRow(), game)` evaluates it, and so does the command line when it
is named by its file, `my_file.py:RowByRow`. It must be deterministic, and may depend on the
position alone. Strategies that also have a `Rule` are evaluated by the compiled kernel; `shot` is
then their definition, with which the kernel is compared.
"""

from __future__ import annotations

import importlib.util
import sys
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, is_dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from optsearch.errors import StrategyError
from optsearch.game import Cell, Game, cell_name
from optsearch.position import Position


@dataclass(frozen=True)
class Rule:
    """What the kernel `optsearch._evaluate` needs of a strategy; its docstring explains the rules.

    order -- the cells (row * columns + column) in the order in which ties are broken.
    endgame -- the optimum is played once so many configurations are left, at most 10.
    candidates, percent, screen, finalists, cap, truncate -- of rollouts; one candidate is greedy.
    estimates -- a row for each number of cells left to hit, 128 values a row.
    """

    order: tuple[int, ...]
    endgame: int
    candidates: int = 1
    percent: int = 100
    screen: int = 64
    finalists: int = 1
    cap: int = 64
    truncate: int = 1
    estimates: tuple[tuple[int, ...], ...] = ((0,) * 128,)


@dataclass(frozen=True)
class PatternRule:
    """What the kernel needs of a pattern (`optsearch/strategies/pattern.py`).

    order -- every cell in the order of the pattern. in_line -- whether down and up are cleared only
    if right and left gave no hit. know_water -- whether cells that touch a hit at a corner are
    left out.
    """

    order: tuple[int, ...]
    in_line: bool
    know_water: bool


class Strategy(ABC):
    """A rule from position to next shot, and what is printed of it."""

    @abstractmethod
    def shot(self, position: Position) -> Cell:
        """The cell, as (row, column), to shoot next; called while a ship is afloat."""

    def rule(self, game: Game) -> Rule | PatternRule | None:
        """The same for the kernel, or None: then `shot` is asked at every position."""
        return None

    def __str__(self) -> str:
        values = ",".join(f"{key}={getattr(self, key)}" for key in _parameters(type(self)))
        name = _name(type(self))
        return f"{name}:{values}" if values else name


class _FromFile(Strategy):
    """A strategy in a Python file; it is loaded anew in every process."""

    def __init__(self, path: Path, name: str):
        self._path = path
        self._name = name
        self._strategy = _load(path.resolve(), name)

    def __reduce__(self) -> tuple[type[_FromFile], tuple[Path, str]]:
        return _FromFile, (self._path, self._name)

    def shot(self, position: Position) -> Cell:
        """As the strategy in the file."""
        return self._strategy.shot(position)

    def rule(self, game: Game) -> Rule | PatternRule | None:
        """As the strategy in the file."""
        return self._strategy.rule(game)

    def __str__(self) -> str:
        return f"{self._path}:{self._name}"


class _Function(Strategy):
    """A function from position to cell."""

    def __init__(self, function: object):
        self._function = function

    def shot(self, position: Position) -> Cell:
        """The function's value."""
        return self._function(position)  # type: ignore[operator, no-any-return]


@lru_cache(maxsize=16)
def _load(path: Path, name: str) -> Strategy:
    specification = importlib.util.spec_from_file_location(f"_strategy_{path.stem}", path)
    if specification is None or specification.loader is None or not path.is_file():
        raise StrategyError(f"there is no Python file {str(path)!r}; write FILE.py:NAME")
    module = importlib.util.module_from_spec(specification)
    sys.modules[module.__name__] = module
    try:
        specification.loader.exec_module(module)
    except Exception as error:
        raise StrategyError(f"{path} cannot be run: {type(error).__name__}: {error}") from error
    found = getattr(module, name, None)
    if isinstance(found, type) and issubclass(found, Strategy):
        found = found()
    if isinstance(found, Strategy):
        return found
    if callable(found):
        return _Function(found)
    raise StrategyError(
        f"{name!r} in {path} is {'not there' if found is None else 'no strategy'}; it must be a "
        "class with the method shot(position), an object of one, or a function of the position"
    )


def _name(kind: type[Strategy]) -> str:
    return getattr(kind, "name", kind.__name__)


def _parameters(kind: type[Strategy]) -> dict[str, Any]:
    """The parameters of a kind of strategy and their defaults."""
    return {field.name: field.default for field in fields(kind)} if is_dataclass(kind) else {}


def named(text: str) -> Strategy:
    """The strategy that a text such as `greedy`, `greedy:ties=central` or `my.py:NAME` names.

    Raises StrategyError, which says what there is.
    """
    name, _, rest = text.strip().partition(":")
    if name.endswith(".py"):
        if not rest:
            raise StrategyError(f"{text!r} names no strategy in {name}; write FILE.py:NAME")
        return _FromFile(Path(name), rest)
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


def require_shot(position: Position, cell: Cell, strategy: Strategy) -> Cell:
    """The cell that a strategy shoots; StrategyError if it cannot be shot there."""
    is_cell = isinstance(cell, tuple) and len(cell) == 2 and cell in position.game
    if not is_cell or position.game.bit(cell) & (position.hits | position.misses):
        what = "was shot before" if is_cell else "is no cell of the board"
        shown = cell_name(cell) if is_cell else repr(cell)
        raise StrategyError(
            f"{strategy} shoots {shown} after {str(position)!r}, which {what}; a shot is a cell "
            "(row, column), from 0, that was not shot yet"
        )
    return cell
