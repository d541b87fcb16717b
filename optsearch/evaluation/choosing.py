"""Shots and games of a strategy, also if the configurations are too many to list.

Games share the top of their tree: a strategy draws nothing, so it is asked once per position. With
at most `MOST_FOLLOWED` configurations left, a strategy with a rule is played by its kernel, which
lists them once. Each process keeps its own shots and lists, up to the numbers below.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from threading import RLock
from typing import NamedTuple
from uuid import uuid4

from numpy.random import Generator

from optsearch.counting.posterior import Posterior
from optsearch.evaluation.run import MEMORY
from optsearch.evaluation.runners import KernelRunner, Runner, runner_of
from optsearch.evaluation.tasks import FollowedTask
from optsearch.evaluation.top import TreeTop
from optsearch.game import MAX_CELLS, Cell, Game
from optsearch.game.fleets import MixedPosition
from optsearch.game.noise import Lies, Noise, NoisyPosition
from optsearch.game.position import Position, Shot, reply
from optsearch.strategies import as_strategy
from optsearch.strategies.greedy import counts_of
from optsearch.strategies.player import salvo_of
from optsearch.strategies.user import UserStrategy, require_same
from optsearch.support.errors import TooLarge

MOST_ROLLED_OUT_BY_PYTHON = 64  # configurations whose rollouts plain Python plays in a moment
MOST_FOLLOWED = 200_000  # configurations from which on a kernel follows games
MOST_LISTED = 1 << 19  # configurations that are kept listed: some 30 MB
MOST_ANSWERS = 1 << 15  # positions whose shots are kept: some 20 MB
MOST_CHOOSERS = 8  # in a process that is sent tasks


class _Question(NamedTuple):
    """What a strategy is asked: the shots so far, a number of cells, and how replies may be false.

    salvo -- the number of cells of a salvo; 0 for a single shot.
    """

    shots: tuple[Shot, ...]
    salvo: int
    noise: Noise | Lies | None


class Chooser:
    """A strategy that chooses shots and plays games, and keeps its answers.

    name -- the name under which the strategy was given. If the chooser is sent to another process
    again, the copy that came there first serves. One thread plays at a time; others wait.
    """

    def __init__(self, strategy: object, game: Game):
        self.strategy = as_strategy(strategy)
        self.strategy.require_fleet(game)
        self.name = strategy if isinstance(strategy, str) else str(self.strategy)
        self._game = game
        self._key = uuid4().hex
        self._lock = RLock()
        self._answers: dict[_Question, list[Cell]] = {}  # the ones used last at the end
        self._checked: set[_Question] = set()  # asked twice, with equal answers
        self._followed_tasks: dict[Position, FollowedTask] = {}

    def __reduce__(self) -> tuple[Callable[..., Chooser], tuple[str, object, Game]]:
        return _receive_chooser, (self._key, self.strategy, self._game)

    def __str__(self) -> str:
        return str(self.strategy)

    def begin(self, game: Game, generator: Generator) -> Chooser:
        """Return itself: a strategy begins each game without memory of another."""
        return self

    @cached_property
    def _runner(self) -> Runner:
        return runner_of(self.strategy, self._game)

    # Shots

    def shots(self, position: Position | NoisyPosition, number: int = 1) -> list[Cell]:
        """Return the cells of the next `number` shots: a salvo, or one cell as `shot` does.

        Raises StrategyError if the strategy chooses no salvos, or cannot handle false replies.
        """
        return self.salvo(position, number) if number > 1 else [self.shot(position)]

    def salvo(self, position: Position | NoisyPosition, number: int) -> list[Cell]:
        """Return the cells of a salvo of `number` shots; raises as `shots`."""
        if isinstance(position, NoisyPosition):
            self.strategy.require_noise()
        return self._answer(position, number)

    def shot(self, position: Position | NoisyPosition) -> Cell:
        """Return the next shot at a position.

        With more configurations left than the strategy can list, or than plain Python can roll out
        in a moment, an evaluation of the strategy chooses it. Raises TooLarge if an evaluation has
        no shot either, and StrategyError as `as_strategy`.
        """
        if isinstance(position, NoisyPosition):
            self.strategy.require_noise()
        return self._answer(position, 0)[0]

    def _answer(self, position: Position | NoisyPosition, salvo: int) -> list[Cell]:
        """Return the cells that the strategy shoots next; an answer that is kept serves again.

        salvo -- the number of cells of a salvo; 0 for a single shot.

        The shot of a user's strategy must depend on the position alone. So when a second game meets
        a position, the strategy is asked once more, and its answer must not differ.
        """
        question = _Question(position.shots, salvo, getattr(position, "noise", None))
        with self._lock:
            cells = self._answers.pop(question, None)
            if cells is None:
                cells = self._choose(position, salvo)
            elif isinstance(self.strategy, UserStrategy) and question not in self._checked:
                require_same(self.strategy, position, cells, self._choose(position, salvo))
                self._checked.add(question)
            self._answers[question] = cells
            if len(self._answers) > MOST_ANSWERS:
                oldest = next(iter(self._answers))
                del self._answers[oldest]
                self._checked.discard(oldest)
            return cells

    def _choose(self, position: Position | NoisyPosition, salvo: int) -> list[Cell]:
        """Return the cells that are shot next, by asking the strategy or an evaluation of it.

        salvo -- the number of cells of a salvo; 0 for a single shot.
        """
        if salvo:
            return salvo_of(self.strategy, position, salvo)
        if isinstance(position, NoisyPosition | MixedPosition):
            return [self.strategy.shot(position)]
        runner = self._runner
        if isinstance(runner, KernelRunner) and runner.is_rollout:
            configurations = Posterior(position).configurations
            if configurations > MOST_ROLLED_OUT_BY_PYTHON and runner.uses_rollouts(configurations):
                return [self._choose_as_evaluation(position, configurations)]
        try:
            return [self.strategy.shot(position)]
        except TooLarge:
            return [self._choose_as_evaluation(position, Posterior(position).configurations)]

    def _choose_as_evaluation(self, position: Position, configurations: int) -> Cell:
        counts = list(counts_of(position).cells)
        limit = self._runner.task_limit(MEMORY)
        return self._game.cell(self._runner.shot(position, configurations, counts, limit))

    @cached_property
    def _tree_top(self) -> TreeTop:
        return TreeTop(self._runner, None, self._runner.task_limit(MEMORY))

    # Games

    def shots_left(
        self,
        ships: Sequence[int],
        start: Position,
        is_stopped: Callable[[], bool] = lambda: False,
    ) -> int | None:
        """Return how many more shots the strategy takes in a game, from a position on.

        ships -- the hidden ones, as masks of cells, compatible with the position. is_stopped --
        asked before each shot; if it returns True, the game is stopped, and the result is None.
        """
        with self._lock:
            can_list = self._game.cells <= MAX_CELLS and not isinstance(start, MixedPosition)
            if can_list and isinstance(self._runner, KernelRunner):
                return self._shots_left_by_kernel(ships, start, is_stopped)
            position = start
            while not position.is_over(ships):
                if is_stopped():
                    return None
                cell = self.shot(position)
                answer = reply(self._game, ships, position.hits, self._game.bit(cell))
                position = position.after(cell, answer)
            return len(position.shots) - len(start.shots)

    def _shots_left_by_kernel(
        self, ships: Sequence[int], start: Position, is_stopped: Callable[[], bool]
    ) -> int | None:
        """Count the shots of a game from a position on, partly by a kernel.

        The strategy is asked for each shot while more than MOST_FOLLOWED configurations are left. A
        kernel plays the rest. ships -- the hidden ones, as masks of cells. is_stopped -- asked
        before each shot that the kernel does not play; if it returns True, the result is None.
        """
        for position, configurations in self._tree_top.path(
            ships, start, counts_of(start).configurations
        ):
            if is_stopped():
                return None
            if configurations <= MOST_FOLLOWED and position.hits_left:
                hidden = sum(ships) if self._game.is_silent else ships
                return self._follow(position).shots_of(hidden) - len(start.shots)
        return len(position.shots) - len(start.shots)

    def _follow(self, position: Position) -> FollowedTask:
        """Return an object that plays games of the strategy from a position on, and keep it.

        If all that are kept list more than MOST_LISTED configurations, the least recently used go.
        """
        task = self._followed_tasks.pop(position, None)
        if task is None:
            task = FollowedTask(self.strategy, position)
        self._followed_tasks[position] = task
        while sum(each.configurations for each in self._followed_tasks.values()) > MOST_LISTED:
            del self._followed_tasks[next(iter(self._followed_tasks))]
        return task


_received: dict[str, Chooser] = {}  # choosers sent to this process, by their keys


def _receive_chooser(key: str, strategy: object, game: Game) -> Chooser:
    """Return a chooser for a strategy that was sent to this process from another one.

    If the chooser with this key came here before, its first copy is returned, with the answers that
    it keeps. The last MOST_CHOOSERS copies are kept.
    """
    chooser = _received.pop(key, None) or Chooser(strategy, game)
    _received[key] = chooser
    while len(_received) > MOST_CHOOSERS:
        del _received[next(iter(_received))]
    return chooser
