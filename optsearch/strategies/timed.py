"""A strategy in plain Python with a limit, for work that may end early."""

from __future__ import annotations

from optsearch.game import Cell
from optsearch.game.position import Position
from optsearch.strategies import Strategy
from optsearch.support.progress import Limit


class Timed(Strategy):
    """Shoots as another strategy does; `shot` raises LimitReached once the limit is reached.

    Kernels do not know it: it is for strategies without a rule.
    """

    def __init__(self, strategy: Strategy, limit: Limit):
        self.strategy, self.limit = strategy, limit

    def shot(self, position: Position) -> Cell:
        """Return the shot of the other strategy, unless the time is over."""
        self.limit.check()
        return self.strategy.shot(position)

    def identity(self) -> str:
        """Return the identity of the other strategy."""
        return self.strategy.identity()

    def __str__(self) -> str:
        return str(self.strategy)
