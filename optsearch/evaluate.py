"""A strategy evaluated on every configuration of a game: the exact distribution of its shots.

    evaluate(named("greedy"), Game.parse("10x10:5,4,3,3,2")).mean

The decision tree is walked from the root. Near it a node is only its position, and its
configurations are counted by the transfer matrix. A node with few enough of them is a *task*: it
is named by its position, its configurations are listed, and the kernel `optsearch._evaluate` (or,
for strategies without a rule, plain Python) returns their histogram. Tasks do not depend on each
other, and a task that is done twice gives the same, so any `concurrent.futures.Executor` can run
them, and a checkpoint is the histograms of those that are done.
"""

from __future__ import annotations

import os
import pickle
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    CancelledError,
    Executor,
    Future,
    ThreadPoolExecutor,
    wait,
)
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from hashlib import blake2b
from math import sqrt
from pathlib import Path
from typing import NamedTuple, TypeGuard, TypeVar

import numpy as np
from numpy.typing import NDArray

from optsearch._evaluate import Evaluator, sampled
from optsearch._pattern import play_pattern
from optsearch.configurations import CellSets, Configurations, list_ships, to_masks, to_words
from optsearch.errors import (
    NotSupported,
    OptsearchError,
    StrategyError,
    TableError,
    TooLarge,
    WorkerLost,
)
from optsearch.game import Game, bits
from optsearch.journal import Journal
from optsearch.lattice import Constraints, Sweep, sweep
from optsearch.position import HIT, MISS, Position, Reply, reply
from optsearch.strategies import PatternRule, Rule, Strategy, as_strategy, rule_of
from optsearch.strategies.own import replay
from optsearch.strategies.pattern import Pattern
from optsearch.workers import processes

MEMORY = 4 << 30
LISTED = 1 << 24  # configurations of a task, where memory allows
LISTED_BY_PYTHON = 1 << 13
BYTES = 64  # of a worker for each configuration of a task: columns, parts of them, and the hash
SAMPLE_BYTES = 32  # for each configuration of the sample at the top, as a list and as columns
MOST = 1 << 48
MAX_HASHES = 24  # bits of the hash that the kernel keeps
REPLAYED = 64  # of so many games one, and early ones, are asked for again
AHEAD = 4  # tasks that wait for each worker
_FORMAT = "evaluation"

T = TypeVar("T")


@dataclass(frozen=True)
class Evaluation:
    """The distribution of the shots that a strategy takes.

    histogram -- shots -> configurations that take so many, ascending. seconds -- wall time of this
    run; tasks -- how many there were, and resumed -- how many of them a checkpoint had.
    """

    strategy: str
    game: Game
    histogram: dict[int, int]
    seconds: float = field(compare=False)
    tasks: int = field(compare=False)
    resumed: int = field(compare=False)

    @cached_property
    def configurations(self) -> int:
        """How many configurations there are."""
        return sum(self.histogram.values())

    @cached_property
    def total(self) -> int:
        """The total number of shots, summed over all configurations."""
        return sum(shots * n for shots, n in self.histogram.items())

    @property
    def mean(self) -> Fraction:
        """The mean number of shots: an upper bound on the optimum."""
        return Fraction(self.total, self.configurations)

    @property
    def variance(self) -> Fraction:
        """The variance of the number of shots over the configurations."""
        squares = sum(shots * shots * n for shots, n in self.histogram.items())
        return Fraction(squares, self.configurations) - self.mean**2

    @property
    def sd(self) -> float:
        """The standard deviation."""
        return sqrt(self.variance)

    @property
    def worst(self) -> int:
        """The most shots that a configuration takes."""
        return max(self.histogram)

    def as_json(self) -> dict[str, object]:
        """What `optsearch evaluate --json` prints."""
        return {
            "strategy": self.strategy,
            "game": str(self.game),
            "configurations": self.configurations,
            "total": self.total,
            "mean": float(self.mean),
            "sd": self.sd,
            "worst": self.worst,
            "histogram": {str(shots): n for shots, n in self.histogram.items()},
        }


@dataclass(frozen=True)
class Status:
    """How far a running evaluation is.

    done -- configurations of finished tasks, of `total`; shots -- of those, in all; resumed -- of
    the configurations, those which a checkpoint had; seconds -- since the start.
    """

    done: int
    total: int
    shots: int
    resumed: int
    seconds: float

    @property
    def mean(self) -> float:
        """The mean of what is done; tasks are not finished in a random order."""
        return self.shots / self.done if self.done else 0.0

    @property
    def rate(self) -> float:
        """Configurations a second in this run."""
        return (self.done - self.resumed) / max(self.seconds, 1e-9)

    @property
    def seconds_to_go(self) -> float | None:
        """At that rate; None before anything is done."""
        return (self.total - self.done) / self.rate if self.done > self.resumed else None


Progress = Callable[[Status], None]


def no_progress(status: Status) -> None:
    """The progress report of a caller who wants none."""


class Task(NamedTuple):
    """A node of the tree by its position; with the number of configurations there.

    shots -- the replies in order, which is what some strategies in plain Python go by.
    """

    game: str
    shots: str
    configurations: int

    @property
    def position(self) -> Position:
        """The position of the node."""
        return Position.parse(Game.parse(self.game), self.shots)


def evaluate(
    strategy: object,
    game: Game,
    *,
    executor: Executor | None = None,
    jobs: int | None = None,
    checkpoint: Path | None = None,
    memory: int = MEMORY,
    progress: Progress = no_progress,
) -> Evaluation:
    """Walk the decision tree of a strategy over every configuration of a game.

    strategy -- a name, a function, a class or an object, as `optsearch.strategies.as_strategy` has
        them.
    executor -- runs the tasks (Dask: `Client.get_executor()`); by default a pool of processes.
    jobs -- how many tasks run at once: the processes of that pool (default: one a processor; 1 is
        this process), or the workers of the executor.
    checkpoint -- folder that keeps what is done. A run that was stopped or killed goes on from it;
        it is refused for another strategy, game or memory, and for a strategy of one's own whose
        source has changed or is in no file.
    memory -- bytes each worker may take; rollouts need 33 MB more, for those they remember.
    progress -- called after every task.

    Raises ImpossiblePosition for a game without a configuration, TooLarge where memory is too
    little, StrategyError where the strategy fails, shoots where it cannot or is not deterministic,
    TableError for the checkpoint.
    """
    jobs = jobs or os.cpu_count() or 1
    chosen = as_strategy(strategy)
    limit = _listed(chosen, game, memory)
    with _stored(checkpoint, chosen, game, limit) as store:
        run = _Run(chosen, game, limit, store, progress)
        if executor is not None:
            return run.on(executor, jobs)
        if jobs == 1 or run.is_one_task:
            return run.here()
        pickle.dumps(chosen)  # or it says here why it cannot be sent
        with processes(jobs) as pool:
            return run.on(pool, jobs)


def tasks(strategy: object, game: Game, memory: int = MEMORY) -> Iterator[Task]:
    """The tasks of an evaluation, in order."""
    chosen = as_strategy(strategy)
    return _Run(chosen, game, _listed(chosen, game, memory), None, no_progress).nodes()


def _listed(strategy: Strategy, game: Game, memory: int) -> int:
    """How many configurations a task has at most."""
    rule = rule_of(strategy, game)
    if rule != rule_of(strategy, game):
        raise StrategyError(f"{strategy} gives another rule for {game} when it is asked again")
    if rule is None:
        return LISTED_BY_PYTHON
    limit = min(LISTED, memory // BYTES)
    if limit < 1 << 16:
        raise TooLarge(
            f"{memory:,} bytes of memory are too little for an evaluation; "
            f"{BYTES << 16:,} or more are accepted"
        )
    return 1 << (limit.bit_length() - 1)


@contextmanager
def _stored(
    checkpoint: Path | None, strategy: Strategy, game: Game, limit: int
) -> Iterator[Journal | None]:
    """The checkpoint of an evaluation; its name says all that the histograms depend on."""
    if checkpoint is None:
        yield None
        return
    if (checkpoint / "data.mdb").exists():
        raise TableError(
            f"{checkpoint} holds a table, or a checkpoint of an earlier version of optsearch, "
            "which had no checksums; name another folder"
        )
    rule = blake2b(repr(rule_of(strategy, game)).encode(), digest_size=8).hexdigest()
    name = f"{_FORMAT}; {strategy.identity()}, rule {rule}; {game}; tasks of {limit}"
    with Journal(checkpoint / "tasks.jsonl", name) as journal:
        yield journal


class _Run:
    """One evaluation: the top of the tree, what is done, and what is left."""

    def __init__(
        self,
        strategy: Strategy,
        game: Game,
        limit: int,
        store: Journal | None,
        progress: Progress,
    ):
        self.strategy = strategy
        self.game = game
        self.limit = limit
        self._store = store
        self._progress = progress
        self._started = time.monotonic()
        root = Configurations(Position(game), threads=1)
        self._sweep = sweep(game)
        self.configurations = self._sweep.count(Constraints(game.fleet))
        if not self.configurations:
            root.require_some()
        if self.configurations > MOST:
            raise TooLarge(
                f"{game} has {self.configurations:,} configurations; up to {MOST:,} can be walked"
            )
        self._histogram: Counter[int] = Counter()
        self._tasks = self._resumed = 0
        self._done = self._done_before = 0

    @property
    def is_one_task(self) -> bool:
        """Whether the root is a task."""
        return self.configurations <= self.limit

    # The top of the tree

    def nodes(self) -> Iterator[Task]:
        """The tasks, from hits to misses."""
        top = _Top(self.strategy, self.game, self._sweep, self._store, self.limit)
        stack = [(Position(self.game), self.configurations)]
        while stack:
            position, n = stack.pop()
            if n <= self.limit:
                yield Task(str(self.game), str(position), n)
                continue
            for answer, part in top.children(position, n):
                if part:
                    stack.append((answer, part))

    # Tasks

    def here(self) -> Evaluation:
        """All tasks in this process; a kernel in a thread, so that ctrl-C is heard."""
        if rule_of(self.strategy, self.game) is None:
            return self.on(_AtOnce(), 1)
        with ThreadPoolExecutor(1) as pool:
            try:
                return self.on(pool, 1)
            except BaseException:
                _stop()
                raise

    def on(self, executor: Executor, workers: int) -> Evaluation:
        """All tasks on an executor."""
        running: dict[Future[list[int]], Task] = {}
        self._report()
        try:
            for task in self.nodes():
                self._tasks += 1
                known = self._recall(task)
                if known is not None:
                    self._resumed += 1
                    self._done_before += task.configurations
                    self._enter(task, known)
                    continue
                running[executor.submit(run_task, self.strategy, task, True)] = task
                while len(running) >= AHEAD * workers:
                    self._collect(running)
            while running:
                self._collect(running)
        except BrokenProcessPool:
            running.clear()  # the pool is about to end them; they are not to be cancelled
            raise WorkerLost("a worker process was killed, perhaps for want of memory") from None
        finally:
            for future in running:
                future.cancel()
        if self._done != self.configurations:
            raise AssertionError(f"{self._done} of {self.configurations} configurations are done")
        return Evaluation(
            str(self.strategy),
            self.game,
            dict(sorted((shots, n) for shots, n in self._histogram.items() if n)),
            time.monotonic() - self._started,
            self._tasks,
            self._resumed,
        )

    def _collect(self, running: dict[Future[list[int]], Task]) -> None:
        finished, _ = wait(running, timeout=1, return_when=FIRST_COMPLETED)
        for future in finished:
            task = running.pop(future)
            try:
                histogram = future.result()
            except CancelledError:
                raise OptsearchError(f"the task {task.shots!r} was cancelled") from None
            self._remember(task, histogram)
            self._enter(task, histogram)
        if not finished:
            self._report()

    def _enter(self, task: Task, histogram: list[int]) -> None:
        if sum(histogram) != task.configurations:
            raise AssertionError(f"{sum(histogram)} configurations met, not those of {task}")
        for shots, n in enumerate(histogram):
            self._histogram[shots] += n
        self._done += task.configurations
        self._report()

    def _report(self) -> None:
        shots = sum(shots * n for shots, n in self._histogram.items())
        seconds = time.monotonic() - self._started
        self._progress(Status(self._done, self.configurations, shots, self._done_before, seconds))

    # The checkpoint: each task's histogram

    def _recall(self, task: Task) -> list[int] | None:
        name = f"task {task.shots}"
        if self._store is None or name not in self._store.entries:
            return None
        known = self._store.entries[name]
        if not _are_counts(known) or sum(known) != task.configurations:
            raise _contradicted(self._store, name, f"{task.configurations:,} configurations")
        return known

    def _remember(self, task: Task, histogram: list[int]) -> None:
        if self._store is not None:
            self._store.add(f"task {task.shots}", histogram)


def _are_counts(value: object) -> TypeGuard[list[int]]:
    return isinstance(value, list) and all(type(n) is int and n >= 0 for n in value)


def _contradicted(store: Journal, name: str, needed: str) -> TableError:
    return TableError(
        f"{store.path} is damaged: {name!r} has {str(store.entries[name])[:60]}, not {needed}; "
        "restore it from a copy, or name another folder"
    )


class _AtOnce(Executor):
    """Runs a task where it is submitted: what is asked in plain Python hears ctrl-C itself."""

    def submit(self, function: Callable[..., T], /, *args: object, **kwargs: object) -> Future[T]:
        """The result, which is there already; an error comes out here."""
        future: Future[T] = Future()
        future.set_result(function(*args, **kwargs))
        return future


class _Top:
    """Positions with too many configurations to list: what is shot there, and what follows."""

    def __init__(
        self, strategy: Strategy, game: Game, sweep: Sweep, store: Journal | None, limit: int
    ):
        self._strategy = strategy
        self._game = game
        self._rule = rule_of(strategy, game)
        self._sweep = sweep
        self._store = store
        self._limit = limit

    def children(self, position: Position, n: int) -> list[tuple[Position, int]]:
        """The positions after the strategy's shot, missed first, with their configurations."""
        game = self._game
        if not game.is_silent:
            raise TooLarge(
                f"{n:,} configurations of {game} after {str(position)!r} are too many for a "
                f"strategy evaluated where sinkings are announced; {self._limit:,} are accepted"
            )
        cell, hit = self._recall(position, n) or self._decide(position, n)
        where = game.cell(cell)
        return [(position.after(where, MISS), n - hit), (position.after(where, HIT), hit)]

    def _recall(self, position: Position, n: int) -> tuple[int, int] | None:
        """A cell, and how many configurations have it, as the checkpoint knows them."""
        name = f"shot {position}"
        if self._store is None or name not in self._store.entries:
            return None
        known = self._store.entries[name]
        if _are_counts(known) and len(known) == 2:
            cell, hit = known
            shot = position.hits | position.misses
            if cell < self._game.cells and not shot >> cell & 1 and hit <= n:
                return cell, hit
        raise _contradicted(self._store, name, f"a new cell and {n:,} configurations at most")

    def _decide(self, position: Position, n: int) -> tuple[int, int]:
        """The same, asked of the strategy and kept."""
        counts = self._counts(position)
        cell = self._shot(position, n, counts)
        if self._store is not None:
            self._store.add(f"shot {position}", [cell, counts[cell]])
        return cell, counts[cell]

    def _counts(self, position: Position) -> list[int]:
        """How many configurations have each cell."""
        constraints = Constraints(self._game.fleet, position.misses, position.hits)
        counts = [0] * self._game.cells
        for mask, n in self._sweep.through(constraints)[1].items():
            for cell in bits(mask):
                counts[cell] += n
        return counts

    def _shot(self, position: Position, n: int, counts: list[int]) -> int:
        if not isinstance(self._rule, Rule):
            row, column = self._strategy.shot(position)
            return row * self._game.columns + column
        shot = position.hits | position.misses
        for cell in self._rule.order:
            if counts[cell] == n and not shot >> cell & 1:
                return cell
        if self._rule.candidates > 1:
            exact = np.array(counts, np.int64)
            return self._sample.shot(position.hits, position.misses, n, exact)
        return max((cell for cell in self._rule.order if counts[cell] < n), key=counts.__getitem__)

    @cached_property
    def _sample(self) -> Evaluator:
        """The configurations that samples of so many are drawn from."""
        assert isinstance(self._rule, Rule)
        # Every sample drawn above the tasks is smaller than what is left of this one there.
        level = (self._limit // (2 * self._rule.cap)).bit_length() - 1
        everything = self._sweep.count(Constraints(self._game.fleet))
        if everything >> MAX_HASHES > self._rule.screen // 2:
            raise TooLarge(
                f"{self._strategy} draws samples of up to {self._rule.screen:,} configurations "
                f"(screen={self._rule.screen}) from {everything:,}; screen="
                f"{2 * (everything >> MAX_HASHES) + 2} or more is accepted"
            )
        if level < 0 or (everything >> level) * SAMPLE_BYTES > self._limit * BYTES:
            raise TooLarge(
                f"{self._strategy} draws samples of up to {self._rule.cap:,} configurations "
                f"(cap={self._rule.cap}) from {everything:,}; with tasks of {self._limit:,} that "
                "needs more memory, or a smaller cap"
            )
        found = Configurations(Position(self._game)).kept(lambda sets: sampled(sets, level))
        evaluator = _evaluator(self._rule, self._game)
        evaluator.begin(len(found), True)
        evaluator.add(found)
        return evaluator


# Tasks


def _evaluator(rule: Rule, game: Game) -> Evaluator:
    return Evaluator(
        np.array(rule.order, np.int32),
        rule.candidates,
        rule.percent,
        rule.endgame,
        rule.screen,
        rule.finalists,
        rule.cap,
        rule.truncate,
        game.contact != "any",
        np.array(rule.estimates, np.int32),
    )


_running: set[Evaluator] = set()


def _stop() -> None:
    """End the kernels that run in threads of this process."""
    for evaluator in list(_running):
        evaluator.stop()


def run_task(strategy: Strategy, task: Task, from_start: bool = False) -> list[int]:
    """The histogram of a task: item i is the number of configurations that take i shots in all.

    from_start -- whether the strategy itself made the shots before the task.
    """
    position = task.position
    rule = rule_of(strategy, position.game)
    if rule is None:
        return _walk(as_strategy(strategy), position, 0 if from_start else len(position.shots))
    if isinstance(rule, PatternRule):
        return _play(rule, position)
    evaluator = _evaluator(rule, position.game)
    evaluator.begin(task.configurations)
    for sets in Configurations(position, threads=1).stream(1 << 16):
        evaluator.add(sets)
    _running.add(evaluator)
    try:
        misses = evaluator.run()
    finally:
        _running.discard(evaluator)
    before = position.misses.bit_count() + position.game.fleet_cells
    last = int(misses.nonzero()[0][-1])
    return [0] * before + [int(n) for n in misses[: last + 1]]


def survey(strategy: Strategy, position: Position) -> NDArray[np.int64]:
    """What a strategy misses at the nodes of its tree below a position; int64 (129 * 128, 2).

    Configurations and misses of all nodes by k * 128 + column: k is the number of open cells of a
    configuration at the node before, less one after a hit; column 4 e + f is for nodes of 2^e
    (1 + f/4) configurations and more, up to the next column.
    """
    rule = rule_of(strategy, position.game)
    if not isinstance(rule, Rule):
        raise NotSupported(f"{strategy} has no rule that the kernel walks")
    sets = Configurations(position, threads=1).list()
    evaluator = _evaluator(rule, position.game)
    evaluator.begin(len(sets))
    evaluator.add(sets)
    return evaluator.run(True)[1]


class FollowedTask:
    """Single configurations of a position, followed through the tree of a strategy.

    configurations -- how many there are; they are numbered from 0 on.
    """

    def __init__(self, strategy: Strategy, position: Position):
        rule = rule_of(strategy, position.game)
        if not isinstance(rule, Rule):
            raise NotSupported(f"{strategy} has no rule that the kernel follows; play it instead")
        self._sets = Configurations(position, threads=1).list()
        self._before = position.misses.bit_count() + position.game.fleet_cells
        self._evaluator = _evaluator(rule, position.game)
        self._evaluator.begin(len(self._sets))
        self._evaluator.add(self._sets)
        self.configurations = len(self._sets)

    def cells(self, index: int) -> int:
        """The mask of the cells of a configuration."""
        return to_masks(self._sets[index : index + 1])[0]

    def shots(self, index: int) -> int:
        """The shots that a configuration takes, those made before the position counted."""
        return self._before + self._evaluator.follow(index)

    def shots_of(self, cells: int) -> int:
        """The same for the configuration with these cells (mask)."""
        low, high = to_words([cells])[0]
        places = ((self._sets[:, 0] == low) & (self._sets[:, 1] == high)).nonzero()[0]
        if not len(places):
            raise OptsearchError(f"no configuration of the position has the cells {cells:#x}")
        return self.shots(int(places[0]))


def _play(rule: PatternRule, position: Position) -> list[int]:
    """The same for a pattern: each configuration is played by itself."""
    histogram = np.zeros(129, np.int64)
    for sets in Configurations(position, threads=1).stream():
        _play_sets(rule, position.game, sets, histogram)
    return [int(n) for n in histogram]


def play_sample(pattern: Pattern, game: Game, sets: CellSets) -> NDArray[np.int64]:
    """How many of some configurations (uint64 of shape (n, 2)) take each number of shots."""
    rule = rule_of(pattern, game)
    if not isinstance(rule, PatternRule):
        raise NotSupported(f"{game} announces sinkings; patterns are played where nothing is")
    histogram = np.zeros(129, np.int64)
    _play_sets(rule, game, sets, histogram)
    return histogram


def _play_sets(rule: PatternRule, game: Game, sets: CellSets, histogram: NDArray[np.int64]) -> None:
    order = np.array(rule.order, np.int32)
    size = (game.rows, game.columns, game.fleet_cells)
    play_pattern(sets, order, *size, rule.in_line, rule.know_water, histogram)


def _walk(strategy: Strategy, root: Position, start: int) -> list[int]:
    """The same in plain Python: the strategy is asked at every position, also with sinkings.

    start -- of some games, all shots from this one on are asked for again.
    """
    game = root.game
    counts = [0] * (game.cells + 1)
    ships = list_ships(root)
    everything = [c for c in (to_masks(row) for row in ships) if root.is_compatible(c)]
    stack = [(root, everything)]
    games = 0
    while stack:
        position, family = stack.pop()
        if not position.hits_left:
            counts[len(position.shots)] += len(family)
            games += 1
            if games % REPLAYED == 0 or games.bit_count() == 1:
                replay(strategy, position, start)
            continue
        cell = strategy.shot(position)
        bit = game.bit(cell)
        parts: dict[Reply, list[list[int]]] = {}
        for configuration in family:
            answer = reply(game, configuration, position.hits, bit)
            parts.setdefault(answer, []).append(configuration)
        stack += [(position.after(cell, answer), part) for answer, part in parts.items()]
    return counts
