"""Strategies without what makes them fast."""

from optsearch.strategies import Strategy, named


class Plain(Strategy):
    """A strategy, or its name, without its rule: every position is asked, by exact counts."""

    def __init__(self, strategy):
        self.strategy = named(strategy) if isinstance(strategy, str) else strategy

    def shot(self, position):
        return self.strategy.shot(position)
