"""Agents as players: what an agent does in the environment, for `simulate` and `evaluate`.

def act(observation):
    return int(observation["action_mask"].argmax())

player = Agent(act)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from operator import index
from typing import Any

import numpy as np

from optsearch.counting.prior import Prior
from optsearch.environment.view import View
from optsearch.game import Cell, Game
from optsearch.game.position import Position
from optsearch.strategies.player import Playing
from optsearch.support.errors import StrategyError
from optsearch.support.user_code import safe_repr


def action_of(what: Any, game: Game) -> int:
    """The number of a cell, `row * columns + column`, as an integer or an array of one.

    Raises StrategyError for anything else.
    """
    try:
        action = index(what.item() if isinstance(what, np.ndarray) else what)
    except (TypeError, ValueError):
        action = -1
    if 0 <= action < game.cells:
        return action
    raise StrategyError(
        f"{safe_repr(what)} is not an action in {game}; the number of a cell is accepted, row * "
        f"{game.columns} + column, 0 to {game.cells - 1}"
    )


_view = lru_cache(maxsize=64)(View)


@dataclass(frozen=True, repr=False)
class _Seeing:
    """Whoever acts by what it sees.

    act -- what it does. The others are those of the environment in which it acts: what it sees.
    """

    act: Callable[..., Any]
    prior: Prior | None = None
    probabilities: bool = False
    order: bool = False

    def __repr__(self) -> str:
        name = getattr(self.act, "__qualname__", type(self.act).__qualname__)
        return f"{type(self).__name__}({name})"

    def _answered(self, position: Position, *drawing: np.random.Generator) -> Cell:
        view = _view(position.game, self.prior, self.probabilities, self.order)
        action = action_of(self.act(view(position), *drawing), position.game)
        return position.game.cell(action)


class Agent(_Seeing):
    """A deterministic agent as a strategy, which can be evaluated and simulated.

    act -- a function of the observation; it returns the action.
    prior, probabilities, order -- as `View` has them: what the agent sees.
    """

    def shot(self, position: Position) -> Cell:
        """What it shoots at a position."""
        return self._answered(position)


class ChanceAgent(_Seeing):
    """An agent that draws its actions by chance, as a player: it can be simulated.

    act -- a function of the observation and of a `numpy.random.Generator`; it returns the action.
        If it draws from that generator alone, the same seed gives the same games.
    prior, probabilities, order -- as `View` has them: what the agent sees.
    """

    def begin(self, game: Game, generator: np.random.Generator) -> Playing:
        """A new game, in which it draws from this generator."""
        return _Drawing(self, generator)


@dataclass(frozen=True)
class _Drawing:
    """An agent in one game, with the generator of that game."""

    agent: ChanceAgent
    generator: np.random.Generator

    def shot(self, position: Position) -> Cell:
        """What the agent shoots at a position."""
        return self.agent._answered(position, self.generator)
