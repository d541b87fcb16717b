"""Agents of the environment as players, for `simulate` and `evaluate`.

def act(observation):
    return int(observation["action_mask"].argmax())

player = Agent(act)
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from optsearch.counting.prior import Prior
from optsearch.environment.view import Observation, View
from optsearch.game import Cell, Game
from optsearch.game.position import Position
from optsearch.support.errors import StrategyError
from optsearch.support.user_code import safe_repr


def action_of(action: Any, game: Game) -> int:
    """Return an action as an int: the index of a cell, `row * columns + column`.

    Integers and arrays of one integer are accepted; StrategyError is raised for anything else.
    """
    try:
        cell_index = operator.index(action.item() if isinstance(action, np.ndarray) else action)
    except (TypeError, ValueError):
        cell_index = -1
    if 0 <= cell_index < game.cells:
        return cell_index
    raise StrategyError(
        f"{safe_repr(action)} is not an action in {game}; the number of a cell is accepted, row * "
        f"{game.columns} + column, 0 to {game.cells - 1}"
    )


_cached_view = lru_cache(maxsize=64)(View)


@dataclass(frozen=True, repr=False)
class Agent:
    """A deterministic agent as a strategy, for evaluation and simulation.

    act -- a function that takes the observation and returns the action.
    prior, probabilities, order -- of the observation, as in `View`.
    """

    act: Callable[[Observation], Any]
    prior: Prior | None = None
    probabilities: bool = False
    order: bool = False

    def __repr__(self) -> str:
        name = getattr(self.act, "__qualname__", type(self.act).__qualname__)
        return f"{type(self).__name__}({name})"

    def shot(self, position: Position) -> Cell:
        """Return the cell that the agent shoots at a position."""
        game = position.game
        view = _cached_view(game, self.prior, self.probabilities, self.order)
        action = self.act(view(position))
        return game.cell(action_of(action, game))
