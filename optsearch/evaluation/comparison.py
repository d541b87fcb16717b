"""Two strategies compared on positions drawn at random, before either is evaluated on the whole.

    compare("rollout", "nested", "10x10:5,4,3,3,2").sizes[-1].saved

Ships are drawn uniformly, and a third strategy shoots at them: it *leads* from the empty board to
the first position with at most so many configurations. Below it both strategies are evaluated on
all configurations of the position, as an evaluation does with its tasks. A game of M configurations
comes to a position of n with probability n / M. So the mean over what is drawn estimates, without
bias, what the whole game takes if the leader plays down to that size and the strategy from there
on; and the difference of two such means, what the second strategy saves in the place of the first.
The pairs of means differ far less than the means, and what is drawn is independent: the standard
error is that of the differences.

For the whole game each strategy leads itself, down to the tasks that its evaluation has. The
mean of the task that holds the drawn ships has the mean of the evaluation as its expectation.
There the two come to different positions, and one may be luckier than the other. So what is luck
on the way is subtracted, shot by shot: how many misses a game is reckoned to take after the reply
that came, less the same on average over all replies. That average is exact, so the difference is 0
on average however well the misses are reckoned, and nothing is biased (N. Burch and others, AIVAT,
AAAI 2018, for poker).
"""

from __future__ import annotations

import os
import pickle
import statistics
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from math import log2, sqrt
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from optsearch.counting.configurations import to_masks
from optsearch.counting.lattice import sweep
from optsearch.counting.posterior import Posterior
from optsearch.evaluation.run import AHEAD, MEMORY, MOST, identity_of
from optsearch.evaluation.runners import (
    LISTED_BY_PYTHON,
    Asked,
    Patterned,
    Runner,
    runner_of,
)
from optsearch.evaluation.tasks import Task, run_task
from optsearch.evaluation.top import Facts, Top, are_counts, contradicted
from optsearch.game import Game
from optsearch.game.position import Position, reply
from optsearch.strategies import Rule
from optsearch.support.errors import OptsearchError, StrategyError, TooLarge
from optsearch.support.journal import Journal
from optsearch.support.progress import Progress, Status, no_progress
from optsearch.support.sharing import results
from optsearch.support.workers import processes

POSITIONS = 20
LARGEST = 100_000  # configurations of a position, where kernels play
MOST_DRAWN = 1_000_000  # positions, and boards
MISSES_A_BIT = 0.8  # of greedy on 7x7 and larger: 0.6 to 1 make the least error
_AT_ONCE = 1 << 16  # configurations of a game for which no process is worth its start
_FORMAT = "comparison"


@dataclass(frozen=True)
class Paired:
    """The mean shots of two strategies from positions that were drawn, pair by pair.

    largest -- the configurations that a position has at most; configurations -- that those of the
    first strategy have. first, second -- the mean numbers of shots, those before the position
    counted. is_exact -- whether the only position is the empty board: nothing is estimated then.
    """

    largest: int
    configurations: tuple[int, ...] = field(repr=False)
    first: tuple[float, ...] = field(repr=False)
    second: tuple[float, ...] = field(repr=False)
    is_exact: bool

    @property
    def positions(self) -> int:
        """The number of positions drawn."""
        return len(self.first)

    @property
    def means(self) -> tuple[float, float]:
        """The mean shots of both."""
        return statistics.fmean(self.first), statistics.fmean(self.second)

    @property
    def differences(self) -> list[float]:
        """How many shots the second strategy saves, position by position."""
        return [a - b for a, b in zip(self.first, self.second, strict=True)]

    @property
    def saved(self) -> float:
        """How many shots the second strategy saves on average; negative where it takes more."""
        return statistics.fmean(self.differences)

    @property
    def standard_error(self) -> float:
        """The standard error of `saved`; 0 where it is exact."""
        return statistics.stdev(self.differences) / sqrt(self.positions)

    def as_json(self) -> dict[str, object]:
        """What `optsearch compare --json` prints of it."""
        first, second = self.means
        return {
            "largest": self.largest,
            "positions": self.positions,
            "first": first,
            "second": second,
            "saved": self.saved,
            "standard_error": self.standard_error,
            "is_exact": self.is_exact,
        }


@dataclass(frozen=True)
class Comparison:
    """Two strategies below positions of several sizes, and on the whole game.

    until -- the strategy that led to the positions. sizes -- by size, ascending. whole -- both from
    the first shot on; None where no boards were played and the game is too large for the sizes.
    microseconds -- of a processor, that each took for a configuration of the largest positions
    and of the boards. seconds -- wall time of this
    run; resumed -- evaluations that a checkpoint had.
    """

    first: str
    second: str
    until: str
    game: Game
    seed: int
    configurations: int
    sizes: tuple[Paired, ...]
    whole: Paired | None
    microseconds: tuple[float, float] = field(compare=False)
    seconds: float = field(compare=False)
    resumed: int = field(compare=False)


@dataclass(frozen=True, kw_only=True)
class ComparisonStatus(Status):
    """How far a comparison is, in configurations that its positions may have.

    saved, standard_error -- at the largest size so far; None before two positions are done.
    """

    saved: float | None
    standard_error: float | None


def compare(
    first: object,
    second: object,
    game: Game | str,
    *,
    until: object = "greedy",
    positions: int = POSITIONS,
    largest: int | None = None,
    games: int = 0,
    seed: int = 1,
    executor: Executor | None = None,
    jobs: int | None = None,
    checkpoint: Path | None = None,
    memory: int = MEMORY,
    progress: Progress[ComparisonStatus] = no_progress,
) -> Comparison:
    """Estimate how many shots the second strategy saves, from positions drawn at random.

    first, second, until -- names, functions, classes or objects, as
        `optsearch.strategies.as_strategy` has them; until -- leads to the positions. It is asked
        for single shots, so it is no rollout, whose shots only its kernel has for many
        configurations.
    game -- or its text, such as `4x5:2,3,4`.
    positions -- how many to draw of each size. The sizes are the powers of ten from 10 on below
        `largest`, and `largest`, or the configurations of the game if it has fewer: then the
        largest position is the empty board, and the difference exact.
    largest -- configurations of the largest positions at most (default: 100,000, and 8,192 where a
        strategy is played in plain Python).
    games -- boards on which both play from the first shot, for the whole game.
    seed -- draws the ships. The same seed draws the same ones, also before more of them.
    executor, jobs, memory -- as in `optsearch.evaluation.evaluate`.
    checkpoint -- folder that keeps finished work. A run that was stopped or killed goes on from it,
        also with more positions, games or sizes. With other strategies, another game, seed or
        memory it is refused.
    progress -- called after every evaluation.

    Raises what `optsearch.evaluation.evaluate` raises, and OptsearchError for numbers that are not
    accepted.
    """
    game = Position.of(game).game
    game.require_small("evaluating strategies")
    _require_numbers(positions, largest, games, seed)
    runners = [runner_of(strategy, game) for strategy in (first, second, until)]
    _require_leader(runners[2])
    limits = [runner.listed(memory) for runner in runners[:2]]
    jobs = jobs or os.cpu_count() or 1
    with ExitStack() as stack:
        store = None
        if checkpoint is not None:
            names = "; ".join(map(identity_of, runners))
            tasks = " and ".join(map(str, limits))
            what = f"{_FORMAT}; {names}; {game}; seed {seed}; tasks of {tasks}"
            store = stack.enter_context(Journal(checkpoint / "comparison.jsonl", what))
        run = _Run(runners, limits, _largest(runners, limits, largest), store, progress)
        if executor is None and (jobs == 1 or run.configurations <= _AT_ONCE):
            jobs = 1
            kernels = [runner for runner in runners[:2] if not isinstance(runner, Asked)]
            executor = stack.enter_context((*kernels, runners[0])[0].here())
        elif executor is None:
            for runner in runners[:2]:
                pickle.dumps(runner.strategy)  # or it says here why it cannot be sent
            executor = stack.enter_context(processes(jobs))
        return run.on(executor, jobs, positions, games, seed)


def _require_numbers(positions: int, largest: int | None, games: int, seed: int) -> None:
    """Refuse numbers from which nothing can be estimated."""
    if not 2 <= positions <= MOST_DRAWN:
        raise OptsearchError(
            f"{positions} positions cannot be drawn; 2 to {MOST_DRAWN:,} are accepted: one has no "
            "standard error"
        )
    if games != 0 and not 2 <= games <= MOST_DRAWN:
        raise OptsearchError(
            f"{games} games cannot be played; 2 to {MOST_DRAWN:,} are accepted, or 0: one has no "
            "standard error"
        )
    if largest is not None and largest < 2:
        raise OptsearchError(
            f"positions of {largest} configurations leave nothing to shoot at; 2 or more are "
            "accepted"
        )
    if seed < 0:
        raise OptsearchError(f"the seed {seed} is negative; 0 or more is accepted")


def _require_leader(runner: Runner) -> None:
    if isinstance(runner.rule, Rule) and runner.rule.candidates > 1:
        raise StrategyError(
            f"{runner.strategy} cannot lead to positions, since its single shots are too slow; "
            "greedy, or another strategy without rollouts, is accepted"
        )


def _largest(runners: Sequence[Runner], limits: Sequence[int], largest: int | None) -> int:
    """The configurations of the largest positions; TooLarge for more than can be listed."""
    for runner, limit in zip(runners, limits, strict=False):
        if isinstance(runner, Patterned):
            limit = LISTED_BY_PYTHON  # below positions to which it did not come itself
        if largest is not None and largest > limit:
            raise TooLarge(
                f"positions of {largest:,} configurations are too large to list for "
                f"{runner.strategy} in {runner.game}; up to {limit:,} are accepted"
            )
        limits = [*limits, limit]
    return largest or min(LARGEST, *limits)


class _Leader:
    """A strategy that shoots at ships, from the empty board on, however many configurations."""

    def __init__(self, runner: Runner, facts: Facts, limit: int):
        self._game = runner.game
        self._top = Top(runner, sweep(runner.game), facts, limit)

    def lead(self, place: _Place, ships: Sequence[int], largest: int) -> _Place:
        """The first place from here on with at most so many configurations."""
        while place.configurations > largest:
            place = self._after(place, ships)
        return place

    def _after(self, place: _Place, ships: Sequence[int]) -> _Place:
        """The place after the next shot."""
        position, n, luck = place
        children = self._top.children(position, n)
        expected = sum(number * _reckoned(child, number) for child, number in children) / n
        for child, number in children:
            shot = child.shots[-1]
            if shot.reply == reply(self._game, ships, position.hits, self._game.bit(shot.cell)):
                return _Place(child, number, luck + _reckoned(child, number) - expected)
        raise AssertionError(f"no reply to the shot at {position} is that of {ships}")


class _Place(NamedTuple):
    """Where a leader came, with the configurations there.

    luck -- how many misses more than was expected the replies reckon with, shot by shot.
    """

    position: Position
    configurations: int
    luck: float = 0.0


def _reckoned(position: Position, configurations: int) -> float:
    """The misses of a whole game, roughly: those so far, and some for each bit still unknown."""
    return position.misses.bit_count() + MISSES_A_BIT * log2(configurations)


class _Kept:
    """Facts of one strategy among those of a comparison; in memory alone without a journal."""

    def __init__(self, journal: Journal | None, name: str):
        self._journal = journal
        self._prefix = f"{name} "
        self.path = Path() if journal is None else journal.path
        entries = {} if journal is None else journal.entries
        self.entries: dict[str, Any] = {
            key.removeprefix(self._prefix): value
            for key, value in entries.items()
            if key.startswith(self._prefix)
        }

    def add(self, key: str, value: object) -> None:
        """Keep a fact."""
        self.entries[key] = value
        if self._journal is not None:
            self._journal.add(self._prefix + key, value)


class _Key(NamedTuple):
    """An evaluation that is needed: of a strategy, 0 or 1, below a position (its shots)."""

    side: int
    shots: str


class _Needed(NamedTuple):
    """The same with the configurations, and whether the strategy itself came there."""

    key: _Key
    configurations: int
    from_start: bool


class _Pair(NamedTuple):
    """The evaluations of both strategies for some ships, and their luck on the way there."""

    keys: tuple[_Key, _Key]
    luck: tuple[float, float] = (0.0, 0.0)


def _name(key: _Key) -> str:
    """What an evaluation is called among the facts of its strategy."""
    return f"evaluation {key.shots}"


def _evaluated(strategies: Sequence[object], game: str, needed: _Needed) -> tuple[list[int], int]:
    """The histogram of an evaluation, and the microseconds that it took."""
    started = time.thread_time()
    task = Task(game, needed.key.shots, needed.configurations)
    histogram = run_task(strategies[needed.key.side], task, needed.from_start)
    return histogram, round(1e6 * (time.thread_time() - started))


class _Saved:
    """The mean of some numbers that come one by one, and its standard error (B. P. Welford)."""

    def __init__(self) -> None:
        self.number = 0
        self._mean = self._squares = 0.0

    def add(self, value: float) -> None:
        """One more."""
        self.number += 1
        before = value - self._mean
        self._mean += before / self.number
        self._squares += before * (value - self._mean)

    @property
    def mean(self) -> float | None:
        """The mean; None for fewer than two."""
        return self._mean if self.number > 1 else None

    @property
    def standard_error(self) -> float | None:
        """Of the mean."""
        n = self.number
        return sqrt(self._squares / (n - 1) / n) if n > 1 else None


class _Run:
    """One comparison: what is drawn, what is done, and what is left."""

    def __init__(
        self,
        runners: Sequence[Runner],
        limits: Sequence[int],
        largest: int,
        store: Journal | None,
        progress: Progress[ComparisonStatus],
    ):
        self._started = time.monotonic()
        self._game = runners[2].game
        self._posterior = Posterior(Position(self._game))
        self._posterior.require_some()
        self.configurations = self._posterior.configurations
        if self.configurations > MOST:
            raise TooLarge(
                f"{self._game} has {self.configurations:,} configurations; up to {MOST:,} can be "
                "walked"
            )
        self._names = [str(runner.strategy) for runner in runners]
        self._strategies = [runner.strategy for runner in runners[:2]]
        self._facts = [_Kept(store, name) for name in ("first", "second", "until")]
        self._leaders = [
            _Leader(runner, facts, limit)
            for runner, facts, limit in zip(runners, self._facts, (*limits, largest), strict=True)
        ]
        self._limits = [min(limit, self.configurations) for limit in limits]
        top = min(largest, self.configurations)
        powers = (10**e for e in range(1, len(str(top))))
        self._sizes = [*(power for power in powers if power < top), top]
        self._progress = progress
        self._below: dict[int, list[_Pair]] = {size: [] for size in self._sizes}
        self._whole: list[_Pair] = []
        self._known: dict[_Key, tuple[int, float, int]] = {}  # configurations, mean, microseconds
        self._pending: set[_Key] = set()
        self._reckoned: Counter[_Key] = Counter()  # what they are of the total
        self._total = self._done = self._done_before = self._resumed = 0
        self._so_far = _Saved()

    def on(
        self, executor: Executor, workers: int, positions: int, games: int, seed: int
    ) -> Comparison:
        """All that is needed for so many positions and games, on an executor."""
        if self._sizes[-1] == self.configurations:
            games = 0  # the whole game is known exactly
        self._total = 2 * positions * sum(self._sizes) + games * sum(self._limits)
        self._report()
        drawn = self._posterior.sample(max(positions, games), np.random.default_rng(seed))
        missing = self._missing([to_masks(ships) for ships in drawn], positions, games)
        work = partial(_evaluated, self._strategies, str(self._game))
        for needed, (histogram, spent) in results(
            executor, work, missing, AHEAD * workers, self._report
        ):
            self._facts[needed.key.side].add(_name(needed.key), [*histogram, spent])
            self._enter(needed, histogram, spent)
        sizes = tuple(self._paired(size, pairs) for size, pairs in self._below.items())
        whole = self._paired(max(self._limits), self._whole) if self._whole else None
        return Comparison(
            first=self._names[0],
            second=self._names[1],
            until=self._names[2],
            game=self._game,
            seed=seed,
            configurations=self.configurations,
            sizes=sizes,
            whole=sizes[-1] if sizes[-1].is_exact else whole,
            microseconds=(self._microseconds(0), self._microseconds(1)),
            seconds=time.monotonic() - self._started,
            resumed=self._resumed,
        )

    def _missing(self, drawn: list[list[int]], positions: int, games: int) -> Iterator[_Needed]:
        """The evaluations that are not known, as the ships drawn lead to them."""
        start = _Place(Position(self._game), self.configurations)
        for ships in drawn[:positions]:
            place = start
            for size in reversed(self._sizes):
                place = self._leaders[2].lead(place, ships, size)
                keys = _Key(0, str(place.position)), _Key(1, str(place.position))
                self._below[size].append(_Pair(keys))
                for key in keys:
                    yield from self._need(_Needed(key, place.configurations, False), size)
        for ships in drawn[:games]:
            places = [
                leader.lead(start, ships, limit)
                for leader, limit in zip(self._leaders, self._limits, strict=False)
            ]
            keys = _Key(0, str(places[0].position)), _Key(1, str(places[1].position))
            self._whole.append(_Pair(keys, (places[0].luck, places[1].luck)))
            for key, place, limit in zip(keys, places, self._limits, strict=True):
                yield from self._need(_Needed(key, place.configurations, True), limit)

    def _need(self, needed: _Needed, size: int) -> Iterator[_Needed]:
        """The same where it is not known and not under way. size -- its part of the total."""
        key = needed.key
        self._reckoned[key] += size
        if key in self._known:
            self._done += size
        elif key not in self._pending:
            known = self._recall(needed)
            if known is None:
                self._pending.add(key)
                yield needed
            else:
                self._resumed += 1
                self._done_before += size
                self._enter(needed, *known)

    def _recall(self, needed: _Needed) -> tuple[list[int], int] | None:
        """The histogram and the microseconds that the checkpoint has."""
        facts, name = self._facts[needed.key.side], _name(needed.key)
        if name not in facts.entries:
            return None
        known = facts.entries[name]
        if not are_counts(known) or sum(known[:-1]) != needed.configurations:
            raise contradicted(facts, name, f"{needed.configurations:,} configurations")
        return known[:-1], known[-1]

    def _enter(self, needed: _Needed, histogram: list[int], spent: int) -> None:
        key, n = needed.key, needed.configurations
        if sum(histogram) != n:
            raise AssertionError(f"{sum(histogram)} configurations met, not those of {needed}")
        self._known[key] = n, sum(shots * n for shots, n in enumerate(histogram)) / n, spent
        self._pending.discard(key)
        self._done += self._reckoned[key]
        self._report()

    def _report(self) -> None:
        largest = self._below[self._sizes[-1]]
        while self._so_far.number < len(largest):
            pair = largest[self._so_far.number]
            if not all(key in self._known for key in pair.keys):
                break
            first, second = self._means(pair)
            self._so_far.add(first - second)
        self._progress(
            ComparisonStatus(
                done=self._done,
                total=self._total,
                resumed=self._done_before,
                seconds=time.monotonic() - self._started,
                saved=self._so_far.mean,
                standard_error=self._so_far.standard_error,
            )
        )

    def _means(self, pair: _Pair) -> tuple[float, float]:
        """What both take, less their luck."""
        first, second = (
            self._known[key][1] - luck for key, luck in zip(pair.keys, pair.luck, strict=True)
        )
        return first, second

    def _paired(self, largest: int, pairs: list[_Pair]) -> Paired:
        means = [self._means(pair) for pair in pairs]
        return Paired(
            largest,
            tuple(self._known[pair.keys[0]][0] for pair in pairs),
            tuple(first for first, _ in means),
            tuple(second for _, second in means),
            is_exact=not any(key.shots for pair in pairs for key in pair.keys),
        )

    def _microseconds(self, side: int) -> float:
        """Of a processor, for a configuration, of a strategy below the largest positions."""
        largest = [*self._below[self._sizes[-1]], *self._whole]
        evaluations = [self._known[key] for key in {pair.keys[side] for pair in largest}]
        return sum(spent for *_, spent in evaluations) / sum(n for n, *_ in evaluations)
