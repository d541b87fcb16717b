"""Estimate the difference of two strategies on random positions, without full evaluations.

    compare("rollout", "nested", "10x10:5,4,3,3,2").saved

Ships are drawn uniformly, and a third strategy shoots at them: it *leads* from the empty board to
the first position with at most `largest` configurations. From there both strategies are evaluated
on all configurations of the position, as in the tasks of an evaluation. A game of M configurations
reaches a position of n with probability n / M. So the mean over the positions drawn is an unbiased
estimate of the shots of a whole game in which the leader plays down to that size and the strategy
from there on. The difference of two such means estimates the shots that the second strategy saves
over the first. The differences vary far less than the means, and draws are independent: the
standard error is that of the differences.

The leader makes the shots before a position, so a difference in these shots alone is not seen. If
both strategies are alike from all positions on, the difference is called unknown.
"""

from __future__ import annotations

import pickle
import statistics
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from math import sqrt
from numbers import Integral
from operator import sub
from typing import NamedTuple

import numpy as np

from optsearch.counting.configurations import to_masks
from optsearch.counting.posterior import Posterior
from optsearch.evaluation.run import MEMORY, MOST_WALKED, TASKS_PER_WORKER, identity_of
from optsearch.evaluation.runners import (
    MOST_LISTED_BY_PYTHON,
    PatternRunner,
    PythonRunner,
    Runner,
    runner_of,
)
from optsearch.evaluation.tasks import Task, run_task
from optsearch.evaluation.top import TreeTop, is_count_list
from optsearch.game import Game, notebook
from optsearch.game.position import Position
from optsearch.strategies import Rule
from optsearch.support.errors import OptsearchError, StrategyError, TooLarge
from optsearch.support.progress import Progress, Status, meter
from optsearch.support.sharing import run_tasks
from optsearch.support.store import Facts
from optsearch.support.workers import IN_THIS_PROCESS, Execution, process_pool, require_execution

POSITIONS = 20
LARGEST = 100_000  # configurations of a position, if kernels play
MOST_DRAWN = 1_000_000
_MOST_IN_ONE_PROCESS = 1 << 16  # configurations of a game: no other processes are started


@dataclass(frozen=True)
class Comparison:
    """The mean shots of two strategies from positions that were drawn, pair by pair.

    first, second, until -- the strategies; `until` played from the empty board to the positions.
    configurations -- the number of those of the game. largest -- the most configurations of a
    position. first_means, second_means -- the mean shots of a strategy for each position, with the
    shots before it. shots_before -- how many these are, for each position. alike -- the number of
    positions in which both strategies have equal histograms: one tree, or two that take equally
    long. is_exact -- True if the only position is the empty board, so that nothing is estimated.
    microseconds -- processor time of each strategy per configuration. seconds -- wall time of this
    run. resumed -- the number of evaluations taken from a checkpoint.
    """

    first: str
    second: str
    until: str
    game: Game
    seed: int
    configurations: int
    largest: int
    first_means: tuple[float, ...] = field(repr=False)
    second_means: tuple[float, ...] = field(repr=False)
    shots_before: tuple[int, ...] = field(repr=False)
    alike: int
    is_exact: bool
    microseconds: tuple[float, float] = field(compare=False)
    seconds: float = field(compare=False)
    resumed: int = field(compare=False)

    @property
    def positions(self) -> int:
        """Return the number of positions drawn."""
        return len(self.first_means)

    @property
    def means(self) -> tuple[float, float]:
        """Return the mean shots of both strategies."""
        return statistics.fmean(self.first_means), statistics.fmean(self.second_means)

    @property
    def differences(self) -> list[float]:
        """Return the shots that the second strategy saves, position by position."""
        return list(map(sub, self.first_means, self.second_means))

    @property
    def saved(self) -> float:
        """Return the mean shots that the second strategy saves; negative if it takes more."""
        return statistics.fmean(self.differences)

    @property
    def standard_error(self) -> float:
        """Return the standard error of `saved`."""
        return statistics.stdev(self.differences) / sqrt(self.positions)

    @property
    def is_decided(self) -> bool:
        """True if some difference was seen, or the whole game was compared."""
        return self.is_exact or self.alike < self.positions

    @property
    def saved_text(self) -> str:
        """Return, as text, how many shots the second strategy saves, with the standard error.

        If only a part of the game was compared, and the two strategies differ nowhere in it, the
        text says so and has no number.
        """
        if not self.is_decided:
            return "unknown, since nothing differs in this part; simulate plays whole games"
        if self.is_exact:
            return f"{self.saved:.6f} shots, exactly"
        return f"{self.saved:.4f} ± {self.standard_error:.4f} shots"

    @property
    def part_text(self) -> str:
        """Return as text which part of the game was compared, and how many histograms are equal."""
        if self.is_exact:
            return f"the whole game; {'alike' if self.alike else 'not alike'}"
        fewest, most = min(self.shots_before), max(self.shots_before)
        before = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        alike = f"alike in {self.alike:,} of {self.positions:,} positions"
        return f"after the first {before} shots; {alike}"

    def __repr__(self) -> str:
        first, second = self.means
        return (
            f"<Comparison on {self.game}: {self.first} {first:.4f}, {self.second} {second:.4f}, "
            f"saved {self.saved_text}>"
        )

    def to_dicts(self) -> list[dict[str, float]]:
        """Return a dict per position: the mean shots of both strategies, and their difference."""
        return [
            {"first_mean": first, "second_mean": second, "saved": first - second}
            for first, second in zip(self.first_means, self.second_means, strict=True)
        ]

    def _repr_html_(self) -> str:
        """Return a table of both strategies, their mean shots and the shots saved, as HTML."""
        first_mean, second_mean = (f"{mean:.4f}" for mean in self.means)
        positions = f"{self.positions:,} of up to {self.largest:,} configurations"
        rows = [(self.first, first_mean), (self.second, second_mean)]
        rows += [("compared", self.part_text), ("saved", self.saved_text)]
        return notebook.with_title(
            str(self.game),
            notebook.pairs_table([*rows, ("until", self.until), ("positions", positions)]),
        )


@dataclass(frozen=True, kw_only=True)
class PositionSampling:
    """How the positions of a comparison are drawn.

    until -- the strategy that plays from the empty board to the positions. It is asked for single
        shots, so it cannot be a rollout, which is too slow for that.
    positions -- the number of positions to draw.
    largest -- the most configurations of a position (default: 100,000, or 8,192 if a strategy is
        played in plain Python). If the game has no more, the only position is the empty board, and
        the difference is exact.
    seed -- of the ships. More positions with a seed begin with the same ones.
    """

    until: object = "greedy"
    positions: int = POSITIONS
    largest: int | None = None
    seed: int = 1

    def __post_init__(self) -> None:
        """Raise OptsearchError for numbers with which no positions can be drawn or compared."""
        for name in ("positions", "largest", "seed"):
            number = getattr(self, name)
            is_default = number is None and name == "largest"
            if not is_default and not isinstance(number, Integral):
                raise OptsearchError(f"{name}={number!r} is not a whole number")
        if not 2 <= self.positions <= MOST_DRAWN:
            raise OptsearchError(
                f"{self.positions} positions cannot be drawn; 2 to {MOST_DRAWN:,} are accepted: "
                "one has no standard error"
            )
        if self.largest is not None and self.largest < 2:
            raise OptsearchError(
                f"positions of {self.largest} configurations leave nothing to shoot at; 2 or more "
                "are accepted"
            )
        if self.seed < 0:
            raise OptsearchError(f"the seed {self.seed} is negative; 0 or more is accepted")


DEFAULT_SAMPLING = PositionSampling()


def compare(
    first: object,
    second: object,
    game: Game | str,
    *,
    sampling: PositionSampling = DEFAULT_SAMPLING,
    memory: int = MEMORY,
    execution: Execution = IN_THIS_PROCESS,
) -> Comparison:
    """Estimate how many shots the second strategy saves, from positions drawn at random.

    first, second -- names, functions, classes or objects that `optsearch.strategies.as_strategy`
        accepts.
    game -- a game or its text, such as `4x5:2,3,4`.
    sampling -- how the positions are drawn.
    memory -- bytes that each worker may take.
    execution -- the processes, the checkpoint and the progress. A checkpoint also serves for more
        positions, another size or seed. It is refused for other strategies or another game.

    Raises as `optsearch.evaluate`, and OptsearchError for numbers that are not accepted.
    """
    started = time.monotonic()
    require_execution(execution)
    game = Position.of(game).game
    game.require_sunk("a comparison")
    game.require_small("evaluating strategies")
    runners = [runner_of(strategy, game) for strategy in (first, second, sampling.until)]
    compared, leader = runners[:2], runners[2]
    _require_fast_leader(leader)
    largest = position_limit(compared, sampling.largest, memory)
    posterior = Posterior(Position(game))
    posterior.require_some()
    configurations = posterior.configurations
    if configurations > MOST_WALKED:
        raise TooLarge(
            f"{game} has {configurations:,} configurations; up to {MOST_WALKED:,} can be walked"
        )
    largest = min(largest, configurations)
    with ExitStack() as stack:
        store = None
        if execution.checkpoint is not None:
            title = "; ".join(["comparison", *map(identity_of, runners), str(game)])
            store = stack.enter_context(Facts(execution.checkpoint, title))
        executor, tasks_at_once = _open_executor(stack, compared, execution, configurations)
        positions = _draw_positions(posterior, sampling, TreeTop(leader, store, largest), largest)
        most_tasks_waiting = TASKS_PER_WORKER * tasks_at_once
        results, resumed = _evaluate_positions(
            compared, positions, store, executor, most_tasks_waiting, execution.progress
        )
    first_results, second_results = (
        [results[_EvaluationKey(strategy_index, *drawn)] for drawn in positions]
        for strategy_index in range(2)
    )
    return Comparison(
        first=str(compared[0].strategy),
        second=str(compared[1].strategy),
        until=str(leader.strategy),
        game=game,
        seed=sampling.seed,
        configurations=configurations,
        largest=largest,
        first_means=tuple(result.mean for result in first_results),
        second_means=tuple(result.mean for result in second_results),
        shots_before=tuple(len(Position(game, drawn.shots).shots) for drawn in positions),
        alike=sum(
            first_result.histogram == second_result.histogram
            for first_result, second_result in zip(first_results, second_results, strict=True)
        ),
        is_exact=largest == configurations,
        microseconds=(
            _microseconds_per_configuration(first_results),
            _microseconds_per_configuration(second_results),
        ),
        seconds=time.monotonic() - started,
        resumed=resumed,
    )


def _open_executor(
    stack: ExitStack, runners: Sequence[Runner], execution: Execution, configurations: int
) -> tuple[Executor, int]:
    """Return the executor that runs the evaluations, and how many it runs at once.

    An executor that was given is returned. Otherwise, if the game has few configurations or one
    task runs at a time, the executor is in this process. If not, it is a new pool of processes.

    stack -- closes an executor that is opened here. runners -- of the strategies. configurations --
    the number of those of the game.
    """
    tasks_at_once = execution.tasks_at_once
    if execution.executor is not None:
        return execution.executor, tasks_at_once
    if tasks_at_once == 1 or configurations <= _MOST_IN_ONE_PROCESS:
        with_kernel = [runner for runner in runners if not isinstance(runner, PythonRunner)]
        runner = with_kernel[0] if with_kernel else runners[0]
        return stack.enter_context(runner.open_executor()), 1
    for runner in runners:
        pickle.dumps(runner.strategy)  # raises here if it cannot be sent
    return stack.enter_context(process_pool(tasks_at_once)), tasks_at_once


def _require_fast_leader(runner: Runner) -> None:
    """Raise StrategyError if the strategy that leads to the positions is a rollout."""
    if isinstance(runner.rule, Rule) and runner.rule.candidates > 1:
        raise StrategyError(
            f"{runner.strategy} is too slow for --until, which plays single games; use "
            "greedy, or another strategy without rollouts"
        )


def position_limit(runners: Sequence[Runner], largest: int | None, memory: int) -> int:
    """Return the most configurations that a position of a comparison may have.

    largest -- the number to return, or None for as many as all strategies can list, LARGEST at
    most. runners -- one for each strategy. memory -- bytes of a process. Raises TooLarge if a
    strategy cannot list `largest` configurations.
    """
    limits = []
    for runner in runners:
        limit = runner.task_limit(memory)
        if isinstance(runner, PatternRunner):
            limit = MOST_LISTED_BY_PYTHON  # the pattern did not lead to these positions itself
        if largest is not None and largest > limit:
            raise TooLarge(
                f"positions of {largest:,} configurations are too large to list for "
                f"{runner.strategy} in {runner.game}; up to {limit:,} are accepted"
            )
        limits.append(limit)
    return largest or min(LARGEST, *limits)


class _DrawnPosition(NamedTuple):
    """A position from which both strategies play, as the text of its shots."""

    shots: str
    configurations: int


def _draw_positions(
    posterior: Posterior, sampling: PositionSampling, top: TreeTop, largest: int
) -> list[_DrawnPosition]:
    """Draw ships, and let `top` shoot at each until at most `largest` configurations are left."""
    rng = np.random.default_rng(sampling.seed)
    positions = []
    for ships in posterior.sample(sampling.positions, rng, masks=True):
        path = top.path(to_masks(ships), posterior.position, posterior.configurations)
        reached = next(child for child in path if child.configurations <= largest)
        positions.append(_DrawnPosition(str(reached.position), reached.configurations))
    return positions


class _EvaluationKey(NamedTuple):
    """An evaluation to do: of the first strategy (index 0) or the second (1), from a position."""

    strategy_index: int
    shots: str
    configurations: int


class _EvaluationResult(NamedTuple):
    """The result of an evaluation from a position.

    histogram -- how many configurations take each number of shots, with those before. microseconds
    -- of processor time.
    """

    configurations: int
    histogram: dict[int, int]
    mean: float
    microseconds: int


def _evaluate_positions(
    runners: Sequence[Runner],
    positions: Sequence[_DrawnPosition],
    store: Facts | None,
    executor: Executor,
    most_tasks_waiting: int,
    progress: Progress[Status],
) -> tuple[dict[_EvaluationKey, _EvaluationResult], int]:
    """Evaluate two strategies from all positions; return the results, and how many `store` had.

    most_tasks_waiting -- the most evaluations that the executor has at once.
    """
    keys = dict.fromkeys(
        _EvaluationKey(strategy_index, *drawn) for drawn in positions for strategy_index in range(2)
    )
    results = {}
    for key in keys:
        stored_result = None if store is None else _recall_evaluation(store, key)
        if stored_result is not None:
            results[key] = _make_result(key, *stored_result)
    resumed, configurations_done = len(results), sum(key.configurations for key in results)
    report_done = meter(progress, sum(key.configurations for key in keys), configurations_done)
    report_done(configurations_done)
    strategies, game = [runner.strategy for runner in runners], runners[0].game
    evaluate_one = partial(_evaluate_one, strategies, game)
    missing_keys: Iterator[_EvaluationKey] = iter([key for key in keys if key not in results])
    for key, new_result in run_tasks(executor, evaluate_one, missing_keys, most_tasks_waiting):
        if store is not None:
            store.add(_fact_name(key), new_result)
        results[key] = _make_result(key, *new_result)
        configurations_done += key.configurations
        report_done(configurations_done)
    return results, resumed


def _fact_name(key: _EvaluationKey) -> str:
    """Return the name of an evaluation in a checkpoint."""
    return f"evaluation {key.strategy_index} {key.shots}"


def _recall_evaluation(store: Facts, key: _EvaluationKey) -> tuple[list[int], int] | None:
    """Return the histogram of an evaluation, and its microseconds, from the checkpoint.

    Returns None if they are not there. Raises TableError if what is there cannot be the result.
    """
    fact_name = _fact_name(key)
    if fact_name not in store:
        return None
    match store[fact_name]:
        case [histogram, int(microseconds)] if (
            is_count_list(histogram) and sum(histogram) == key.configurations
        ):
            return histogram, microseconds
    raise store.impossible_fact(fact_name, f"{key.configurations:,} configurations")


def _evaluate_one(
    strategies: Sequence[object], game: Game, key: _EvaluationKey
) -> tuple[list[int], int]:
    """Evaluate one of the strategies from a position.

    Returns how many configurations take i shots, as item i of a list, and the processor time in
    microseconds.
    """
    started = time.thread_time()
    task = Task(game, key.shots, key.configurations)
    histogram = run_task(strategies[key.strategy_index], task)
    return histogram, round(1e6 * (time.thread_time() - started))


def _make_result(key: _EvaluationKey, histogram: list[int], microseconds: int) -> _EvaluationResult:
    """Return the result of an evaluation, with its mean, from the histogram and the time.

    histogram -- item i is the number of configurations that take i shots.
    """
    configurations = key.configurations
    if sum(histogram) != configurations:
        raise AssertionError(f"{sum(histogram)} configurations met, not those of {key}")
    count_by_shots = {shots: count for shots, count in enumerate(histogram) if count}
    total_shots = sum(shots * count for shots, count in count_by_shots.items())
    return _EvaluationResult(
        configurations, count_by_shots, total_shots / configurations, microseconds
    )


def _microseconds_per_configuration(results: Sequence[_EvaluationResult]) -> float:
    """Return the microseconds of processor time per configuration."""
    microseconds = sum(result.microseconds for result in results)
    return microseconds / sum(result.configurations for result in results)
