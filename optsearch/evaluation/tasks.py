"""A task: a node of the tree by its position; and single configurations followed from there."""

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
    listed_rows,
    require_no_fault,
    runner_of,
)
from optsearch.game import Game
from optsearch.game.position import Position
from optsearch.support.errors import NotSupported, OptsearchError


class Task(NamedTuple):
    """A node of the tree by its position; with the number of configurations there.

    shots -- the replies in order, which is what some strategies in plain Python go by. alike -- how
    many nodes differ from it by the names of twins alone (`children_by_twins`), itself counted.
    """

    game: Game
    shots: str
    configurations: int
    alike: int = 1

    @property
    def position(self) -> Position:
        """The position of the node."""
        return Position(self.game, self.shots)


def run_task(
    strategy: object, task: Task, from_start: bool = False, prior: Prior | None = None
) -> list[int]:
    """The histogram of a task: item i is the number of configurations that take i shots in all.

    from_start -- whether the strategy itself made the shots before the task. prior -- what they
    weigh is counted.
    """
    position = task.position
    runner = runner_of(strategy, position.game, prior)
    return runner.histogram(position, task.configurations, from_start)


class FollowedTask:
    """Single configurations of a position, followed through the tree of a strategy.

    configurations -- how many there are; they are numbered from 0 on.
    """

    def __init__(self, strategy: object, position: Position):
        runner = runner_of(strategy, position.game)
        self._game = position.game
        self._before = position.misses.bit_count() + position.game.fleet_cells
        if not isinstance(runner, KernelRunner):
            raise NotSupported(f"{strategy} has no rule that the kernel follows; play it instead")
        self._rows = listed_rows(position)
        self._evaluator = runner.filled(position, self._rows, following=True)
        self._strategy = runner.strategy
        self.configurations = len(self._rows)

    def cells(self, index: int) -> int:
        """The mask of the cells of a configuration."""
        return to_masks(self._rows[index : index + 1, :2])[0]

    def ships(self, index: int) -> list[int]:
        """The masks of the ships of a configuration; where sinkings are announced."""
        return Codes.of(self._game).ships(
            self._game, to_masks(self._rows[index : index + 1, 2:])[0]
        )

    def shots(self, index: int) -> int:
        """The shots that a configuration takes, those made before the position counted."""
        misses = self._evaluator.follow(index)
        require_no_fault(self._strategy, self._evaluator, self._game)
        return self._before + misses

    def shots_of(self, configuration: int | Sequence[int]) -> int:
        """The shots of the configuration with these cells (mask), or with these ships (masks).

        Twins with names of their own, as 3a and 3b, are in the order of the fleet.
        """
        ships = () if isinstance(configuration, int) else configuration
        cells = configuration if isinstance(configuration, int) else sum(configuration)
        ordered = self._game.ordered
        low, high = to_words([cells])[0]
        for place in ((self._rows[:, 0] == low) & (self._rows[:, 1] == high)).nonzero()[0].tolist():
            if not ships or ordered(self.ships(place)) == ordered(ships):
                return self.shots(place)
        raise OptsearchError(f"no configuration of the position has the cells {cells:#x}")


def play_sample(pattern: object, game: Game, sets: CellSets) -> NDArray[np.int64]:
    """How many of some configurations (uint64 of shape (n, 2)) take each number of shots.

    Raises NotSupported for a pattern by which ship sinks: cells do not say it.
    """
    runner = runner_of(pattern, game)
    if not isinstance(runner, PatternRunner) or runner.uses_sinkings:
        raise NotSupported(f"{pattern} is not a pattern that goes by the cells of {game} alone")
    histogram = np.zeros(129, np.int64)
    runner.play(sets, histogram)
    return histogram
