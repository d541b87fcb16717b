"""The run of an evaluation: it walks the tree, distributes tasks and keeps a checkpoint."""

from __future__ import annotations

import pickle
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from functools import partial
from hashlib import blake2b
from math import inf
from pathlib import Path
from typing import NamedTuple

from optsearch.counting.posterior import Posterior
from optsearch.counting.prior import FleetPrior, Prior
from optsearch.evaluation.evaluation import Evaluation, EvaluationStatus
from optsearch.evaluation.runners import (
    MOST_BY_PYTHON,
    MOST_LISTED_BY_PYTHON,
    PatternRunner,
    PythonRunner,
    Runner,
    runner_of,
)
from optsearch.evaluation.tasks import Task, run_task
from optsearch.evaluation.top import TreeTop, is_count_list
from optsearch.game import Game
from optsearch.game.fleets import MixedPosition, any_position
from optsearch.game.position import Position
from optsearch.search.mixed import greedy_shots_mixed
from optsearch.strategies import as_player
from optsearch.strategies.greedy import Greedy
from optsearch.strategies.player import Player
from optsearch.strategies.user import UserStrategy, replay
from optsearch.support.errors import ImpossiblePosition, StrategyError, TooLarge
from optsearch.support.progress import Progress, no_progress
from optsearch.support.sharing import run_tasks
from optsearch.support.store import Facts
from optsearch.support.workers import IN_THIS_PROCESS, Execution, process_pool, require_execution

MEMORY = 4 << 30
MOST_WALKED = 1 << 48
TASKS_PER_WORKER = 4  # tasks submitted per worker
_FORMAT = "evaluation"


def evaluate(
    strategy: object,
    position: Position | Game | str,
    *,
    shots: str = "",
    prior: Prior | None = None,
    memory: int = MEMORY,
    execution: Execution = IN_THIS_PROCESS,
) -> Evaluation:
    """Walk the decision tree of a strategy over every configuration of a position.

    strategy -- a name, function, class or object that `optsearch.strategies.as_strategy` accepts.
    position -- a position, or a game or its text, such as `4x5:2,3,4`. shots -- earlier shots, as
        in `A2=hit B3=miss`. Shots are counted from there on. If the fleet is not known, only greedy
        without an endgame is evaluated, in this process.
    prior -- the weights of the configurations; the histogram adds up weights. The strategy does not
        know them and depends on the position alone.
    memory -- bytes that each worker may take; rollouts need 33 MB more for their cache.
    execution -- the processes, the checkpoint and the progress. A checkpoint is refused for another
        strategy, position, prior or memory, and for a strategy of your own whose source has changed
        or is in no file.

    Raises ImpossiblePosition for a game without a configuration or of weight 0; TooLarge if the
    memory is too small, or the game too large for a strategy in plain Python; StrategyError if the
    strategy fails, makes an illegal shot or is not deterministic; TableError for the checkpoint.
    """
    require_execution(execution)
    position = any_position(position, shots)
    if isinstance(position, MixedPosition):
        position.game.refuse_options(execution=execution != IN_THIS_PROCESS)
        return _evaluate_mixed(as_player(strategy), position, prior)
    game = position.game
    if prior is not None:
        prior.require(game)
    if not game.ends_at_hit:
        game.require_small("evaluating strategies")
    runner = runner_of(strategy, game, prior)
    # If the first hit ends the game, counts are enough: there are no tasks, and nothing is listed.
    most_per_task = 0 if game.ends_at_hit else runner.task_limit(memory)
    if position.shots and isinstance(runner, PatternRunner):
        # The pattern did not make these shots itself.
        most_per_task = min(most_per_task, MOST_LISTED_BY_PYTHON)
    tasks_at_once = execution.tasks_at_once
    with _open_checkpoint(execution.checkpoint, runner, position, most_per_task) as store:
        run = _EvaluationRun(runner, position, most_per_task, store, execution.progress)
        if execution.executor is not None:
            return run.run_on(execution.executor, tasks_at_once)
        if tasks_at_once == 1 or run.is_one_task:
            with runner.open_executor() as executor:
                return run.run_on(executor, 1)
        pickle.dumps(runner.strategy)  # raises here if it cannot be sent
        with process_pool(tasks_at_once) as pool:
            return run.run_on(pool, tasks_at_once)


def _evaluate_mixed(player: Player, position: MixedPosition, prior: Prior | None) -> Evaluation:
    """Evaluate greedy, without an endgame, on a position whose fleet is not known.

    Raises GameError or StrategyError for another player.
    """
    if player not in (Greedy(), Greedy(endgame=0)):
        player.require_fleet(position.game)
        raise StrategyError(
            f"{player} is not evaluated if the fleet is not known; greedy is, and simulate plays "
            "games of it"
        )
    started = time.perf_counter()
    histogram = greedy_shots_mixed(position, prior)
    return Evaluation(
        strategy=str(Greedy(endgame=0)),
        position=position,
        histogram=histogram,
        seconds=time.perf_counter() - started,
        tasks=1,
        resumed=0,
        prior=prior or FleetPrior.of_vectors(position.game),
    )


def tasks(strategy: object, game: Game, memory: int = MEMORY) -> Iterator[Task]:
    """Yield the tasks into which the evaluation of a strategy on a whole game is divided.

    They come in the order of the decision tree. memory -- bytes of a worker, which limit a task.
    """
    runner = runner_of(strategy, game)
    most_per_task = runner.task_limit(memory)
    return _EvaluationRun(
        runner, Position(game), most_per_task, store=None, progress=no_progress
    ).tasks()


@contextmanager
def _open_checkpoint(
    checkpoint: Path | None, runner: Runner, start: Position, most_per_task: int
) -> Iterator[Facts | None]:
    """Open the checkpoint of an evaluation in a folder; without a folder, yield None.

    Everything that the histograms depend on is in the title of the checkpoint, so that it is
    refused for another evaluation.
    """
    if checkpoint is None:
        yield None
        return
    game_and_shots = "; ".join(filter(None, (str(runner.game), str(start))))
    title = f"{_FORMAT}; {identity_of(runner)}; {game_and_shots}; tasks of {most_per_task}"
    if runner.prior is not None:
        runner.prior.require_digest("a checkpoint")
        title += f"; prior {runner.prior.digest}"
    with Facts(checkpoint, title) as store:
        yield store


def identity_of(runner: Runner) -> str:
    """Return the text that identifies a strategy and its rule in the title of a checkpoint."""
    rule_digest = blake2b(str(runner.rule).encode(), digest_size=8).hexdigest()
    return f"{runner.strategy.identity()}, rule {rule_digest}"


class _OpenNode(NamedTuple):
    """A node of the tree that is still to be divided, or to become a task."""

    position: Position
    configurations: int
    multiplicity: int  # as in `Task`


class _EvaluationRun:
    """One evaluation: the top of the tree, and the finished and open tasks."""

    def __init__(
        self,
        runner: Runner,
        start: Position,
        most_per_task: int,
        store: Facts | None,
        progress: Progress[EvaluationStatus],
    ):
        self.runner, self._start = runner, start
        self.strategy, self.game = runner.strategy, runner.game
        self.most_per_task = most_per_task
        self._store = store
        self._progress = progress
        self._seconds_before = self._recall_seconds()
        self._started = time.monotonic()
        posterior = Posterior(start)
        posterior.require_some()
        self.configurations = posterior.configurations
        prior = runner.prior
        self._has_zero_weights = prior is not None and prior.has_zero_weights
        if not self.game.ends_at_hit:  # else counts are enough
            self._require_few()
        self._histogram: Counter[int] = Counter()
        self._weight_met = 0
        self._task_count = self._resumed_tasks = 0
        self._configurations_done = self._configurations_resumed = 0

    def _require_few(self) -> None:
        """Raise TooLarge if the games of so many configurations would take too long.

        Configurations of weight 0 need no game. They are taken off only if the number is large.
        """
        played = self.configurations
        if self._has_zero_weights and played > MOST_BY_PYTHON:  # else they are few enough
            played = Posterior(self._start, prior=self.runner.prior).configurations
        if played > MOST_WALKED:
            raise TooLarge(
                f"{self.game} has {played:,} configurations; up to {MOST_WALKED:,} can be walked"
            )
        if isinstance(self.runner, PythonRunner):
            self.runner.require_few(played)

    @property
    def is_one_task(self) -> bool:
        """True if the start has few enough configurations to be a task."""
        return self.configurations <= self.most_per_task

    # The top of the tree

    def tasks(self) -> Iterator[Task]:
        """Yield the tasks of the evaluation: the subtrees that are small enough for one worker.

        They come in the order of the tree, the subtree of a hit before that of a miss. Games that
        end above the tasks are added to the result at once.
        """
        top = TreeTop(self.runner, self._store, self.most_per_task)
        open_nodes = [_OpenNode(self._start, self.configurations, 1)]
        while open_nodes:
            self._report()  # a shot at the top may take a while
            position, configurations, multiplicity = open_nodes.pop()
            if not self._has_weight(position):
                self._configurations_done += configurations * multiplicity
            elif configurations <= self.most_per_task:
                yield Task(self.game, str(position), configurations, multiplicity)
            elif not position.hits_left:  # a hit may end a game with this many left
                self._add_ended_games(Task(self.game, str(position), configurations, multiplicity))
            else:
                for twins in top.children_by_twins(position, configurations):
                    first_twin = twins[0]  # stands for all: their results are equal
                    open_nodes.append(_OpenNode(*first_twin, multiplicity * len(twins)))

    def _add_ended_games(self, task: Task) -> None:
        """Add the games that end at a position to the result.

        A user's strategy is asked for the shots before once more, and must repeat them.
        """
        position, prior = task.position, self.runner.prior
        if isinstance(self.strategy, UserStrategy):
            replay(self.strategy, position, len(self._start.shots))
        configurations = task.configurations
        weight = configurations if prior is None else Posterior(position, prior=prior).weight
        self._add_result(task, [0] * len(position.shots) + [weight])

    def _has_weight(self, position: Position) -> bool:
        """True if some configuration of a position has a weight above 0."""
        if not self._has_zero_weights:
            return True
        return Posterior(position, prior=self.runner.prior).is_possible

    # Tasks

    def run_on(self, executor: Executor, workers: int) -> Evaluation:
        """Run all tasks on an executor with this number of workers; return the evaluation."""
        prior = self.runner.prior
        self._report()
        from_start = not self._start.shots
        run_one = partial(run_task, self.strategy, from_start=from_start, prior=prior)
        most_tasks_waiting = TASKS_PER_WORKER * workers
        for task, histogram in run_tasks(
            executor, run_one, self._new_tasks(), most_tasks_waiting, self._report
        ):
            self._store_result(task, histogram)
            self._add_result(task, histogram)
        if self._configurations_done != self.configurations:
            raise AssertionError(
                f"{self._configurations_done} of {self.configurations} configurations are done"
            )
        if not self._weight_met:
            assert prior is not None
            raise ImpossiblePosition(
                f"every configuration of {self.game} has weight 0 by the prior {prior.name}"
            )
        counts = sorted((shots, count) for shots, count in self._histogram.items() if count)
        return Evaluation(
            strategy=str(self.strategy),
            position=self._start,
            histogram=dict(counts),
            seconds=self._seconds_before + self._seconds,
            tasks=self._task_count,
            resumed=self._resumed_tasks,
            prior=prior,
        )

    def _new_tasks(self) -> Iterator[Task]:
        """Yield the tasks whose results are not in the checkpoint.

        The results of the other tasks are added to the result of the evaluation at once.
        """
        for task in self.tasks():
            self._task_count += 1
            histogram = self._recall_result(task)
            if histogram is None:
                yield task
            else:
                self._resumed_tasks += 1
                self._configurations_resumed += task.configurations * task.multiplicity
                self._add_result(task, histogram)

    def _add_result(self, task: Task, histogram: list[int]) -> None:
        """Add the histogram of a task to the result of the evaluation, and report.

        histogram -- item i is for the configurations of the task that take i shots, with those
        before the start of the evaluation. A task that stands for several is added as often.
        """
        if self.runner.prior is None and sum(histogram) != task.configurations:
            raise AssertionError(f"{sum(histogram)} configurations met, not those of {task}")
        for shots, count in enumerate(histogram[len(self._start.shots) :]):
            self._histogram[shots] += count * task.multiplicity
        self._weight_met += sum(histogram) * task.multiplicity
        self._configurations_done += task.configurations * task.multiplicity
        self._report()

    def _report(self) -> None:
        total_shots = sum(shots * count for shots, count in self._histogram.items())
        self._progress(
            EvaluationStatus(
                done=self._configurations_done,
                total=self.configurations,
                shots=total_shots,
                weight=self._weight_met,
                resumed=self._configurations_resumed,
                seconds=self._seconds,
            )
        )

    @property
    def _seconds(self) -> float:
        """Return the seconds of this run."""
        return time.monotonic() - self._started

    # The checkpoint: each task's histogram, and the seconds up to the last one

    def _recall_seconds(self) -> float:
        """Return the seconds of earlier runs, or 0 if the checkpoint has none."""
        if self._store is None:
            return 0.0
        seconds = self._store.get("seconds", 0.0)
        if type(seconds) is not float or not 0 <= seconds < inf:
            raise self._store.impossible_fact("seconds", "a number of seconds")
        return seconds

    def _recall_result(self, task: Task) -> list[int] | None:
        """Return the histogram of a task from the checkpoint, or None if it is not there.

        Item i of the histogram is the number of configurations that take i shots, or with a prior
        their weight. Raises TableError if what is there cannot be a histogram of the task.
        """
        fact_name = f"task {task.shots}"
        if self._store is None or fact_name not in self._store:
            return None
        histogram = self._store[fact_name]
        is_possible = is_count_list(histogram) and (
            self.runner.prior is not None or sum(histogram) == task.configurations
        )
        if not is_possible:
            raise self._store.impossible_fact(fact_name, f"{task.configurations:,} configurations")
        return histogram

    def _store_result(self, task: Task, histogram: list[int]) -> None:
        if self._store is not None:
            self._store.add("seconds", self._seconds_before + self._seconds)
            self._store.add(f"task {task.shots}", histogram)
