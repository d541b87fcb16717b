"""Tasks, which are nodes of the tree by position, and single configurations followed from one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from optsearch.counting.configurations import CellSets, Codes, to_masks, to_words
from optsearch.counting.prior import Prior
from optsearch.evaluation.runners import (
    KernelRunner,
    PatternRunner,
    require_no_fault,
    runner_of,
    stream_rows,
)
from optsearch.game import Game
from optsearch.game.position import Position
from optsearch.support.errors import NotSupported, OptsearchError


class Task(NamedTuple):
    """A node of a strategy's decision tree, by its position.

    shots -- the shots and replies before the node, as text. They are in order, because some
    strategies in plain Python depend on it. configurations -- the number of those at the node.
    multiplicity -- the number of nodes, with this one, that differ only by the names of twin ships
    (`children_by_twins`), so that their results are equal.
    """

    game: Game
    shots: str
    configurations: int
    multiplicity: int = 1

    @property
    def position(self) -> Position:
        """Return the position of the node."""
        return Position(self.game, self.shots)


def run_task(
    strategy: object, task: Task, from_start: bool = False, prior: Prior | None = None
) -> list[int]:
    """Return how many configurations of a task take i shots, as item i of a list.

    The shots before the position of the task count. from_start -- True if the strategy itself made
    the shots before. prior -- the weights of the configurations; if given, each item is a sum of
    weights instead of a number.
    """
    position = task.position
    runner = runner_of(strategy, position.game, prior)
    return runner.histogram(position, task.configurations, from_start)


class FollowedTask:
    """Single configurations of a position, followed through the tree of a strategy.

    configurations -- their number; they are numbered from 0.
    """

    def __init__(self, strategy: object, position: Position):
        runner = runner_of(strategy, position.game)
        self._game = position.game
        # The shots of a game are these, and the misses after the position.
        self._hits_and_misses_before = position.game.fleet_cells + position.misses.bit_count()
        if not isinstance(runner, KernelRunner):
            raise NotSupported(f"{strategy} has no rule that the kernel follows; play it instead")
        self._rows = np.concatenate(list(stream_rows(position)))
        self._evaluator = runner.fill_evaluator(position, self._rows, following=True)
        self._strategy = runner.strategy
        self.configurations = len(self._rows)

    def cells(self, index: int) -> int:
        """Return the mask of the cells of a configuration."""
        return to_masks(self._rows[index : index + 1, :2])[0]

    def ships(self, index: int) -> list[int]:
        """Return as masks of cells the ships of a configuration, by index, if hits have labels."""
        code_words = self._rows[index : index + 1, 2:]  # those before are the cells
        return Codes.of(self._game).ships(self._game, to_masks(code_words)[0])

    def shots(self, index: int) -> int:
        """Count the shots of the game on the configuration with this index, from the start on."""
        misses = self._evaluator.follow(index)
        require_no_fault(self._strategy, self._evaluator, self._game)
        return self._hits_and_misses_before + misses

    def shots_of(self, configuration: int | Sequence[int]) -> int:
        """Count the shots that a configuration takes, with those before the position.

        configuration -- the mask of its cells, or a list of the masks of its ships. Ships of one
        length with different names, such as 3a and 3b, are in the order of the fleet.
        """
        ships = () if isinstance(configuration, int) else configuration
        cells = configuration if isinstance(configuration, int) else sum(configuration)
        sort_ships = self._game.sort_ships
        low_word, high_word = to_words([cells])[0]
        has_cells = (self._rows[:, 0] == low_word) & (self._rows[:, 1] == high_word)
        for index in has_cells.nonzero()[0].tolist():
            if not ships or sort_ships(self.ships(index)) == sort_ships(ships):
                return self.shots(index)
        raise OptsearchError(f"no configuration of the position has the cells {cells:#x}")


def play_sample(pattern: object, game: Game, sets: CellSets) -> NDArray[np.int64]:
    """Play a pattern on some configurations; return how many of them take i shots, as entry i.

    sets -- for each configuration the mask of its cells as two words: uint64 of shape (n, 2). The
    result has 129 entries.
    Raises NotSupported for a pattern that uses sinkings, which cells do not determine.
    """
    runner = runner_of(pattern, game)
    if not isinstance(runner, PatternRunner) or runner.uses_sinkings:
        raise NotSupported(f"{pattern} is not a pattern that goes by the cells of {game} alone")
    histogram = np.zeros(129, np.int64)
    runner.play(sets, histogram)
    return histogram
