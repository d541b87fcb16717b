"""Strategies without what makes them fast."""

from dataclasses import replace

from optsearch.strategies import Strategy, named


def looking(text, **numbers):
    """A rollout with other numbers of the policies that look ahead."""
    strategy = named(text)
    return replace(strategy, lookahead=replace(strategy.lookahead, **numbers))


class Plain(Strategy):
    """A strategy, or its name, without its rule: every position is asked, by exact counts."""

    def __init__(self, strategy):
        self.strategy = named(strategy) if isinstance(strategy, str) else strategy

    def shot(self, position):
        return self.strategy.shot(position)
