"""Single shots of a strategy, also if the configurations are too many to list."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from numpy.random import Generator

from optsearch.counting.engines import engine_for
from optsearch.counting.posterior import Posterior
from optsearch.evaluation.run import MEMORY
from optsearch.evaluation.runners import KernelRunner, Runner, runner_of
from optsearch.evaluation.top import Top
from optsearch.game import Cell, Game
from optsearch.game.noise import NoisyPosition
from optsearch.game.position import Position
from optsearch.strategies import as_strategy
from optsearch.strategies.player import salvo_of
from optsearch.support.errors import TooLarge

FEW = 64  # configurations whose rollouts plain Python plays in a moment


class Chooser:
    """A strategy in a game, under the name that it was given; its samples are drawn once."""

    def __init__(self, strategy: object, game: Game):
        self.strategy = as_strategy(strategy)
        self.name = strategy if isinstance(strategy, str) else str(self.strategy)
        self._game = game

    def begin(self, game: Game, generator: Generator) -> Any:
        """Return itself, as a strategy does."""
        return self

    @cached_property
    def _runner(self) -> Runner:
        return runner_of(self.strategy, self._game)

    def shots(self, position: Position | NoisyPosition, number: int = 1) -> list[Cell]:
        """Return the cells of a salvo of `number` shots; a single one as `shot` does.

        Raises StrategyError if the strategy chooses no salvos, or cannot handle false replies.
        """
        if isinstance(position, NoisyPosition):
            self.strategy.require_noise()
        if number > 1:
            return salvo_of(self.strategy, position, number)
        if isinstance(position, NoisyPosition):
            return [self.strategy.shot(position)]
        return [self.shot(position)]

    def shot(self, position: Position) -> Cell:
        """Return the next shot; if the strategy would list too many, the shot of an evaluation.

        Raises TooLarge if an evaluation has no shot either, and StrategyError as `as_strategy`.
        """
        runner = self._runner
        if isinstance(runner, KernelRunner) and runner.is_rollout:
            number = Posterior(position).configurations
            if number > FEW and runner.compares(number):
                return self._by_kernel(position, number)
        try:
            return self.strategy.shot(position)
        except TooLarge:
            return self._by_kernel(position, Posterior(position).configurations)

    def _by_kernel(self, position: Position, number: int) -> Cell:
        limit = self._runner.listed(MEMORY)
        counts = Top(self._runner, engine_for(self._game), None, limit).counts(position)
        return self._game.cell(self._runner.shot(position, number, counts, limit))
