"""Runners of a strategy on a game: by a rule of the kernels, or by asking it at every position."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from optsearch.compiled.evaluation._evaluate import TreeEvaluator, sampled
from optsearch.compiled.evaluation._labels import Labels
from optsearch.compiled.evaluation._pattern import Fleet, play_pattern
from optsearch.compiled.evaluation._walk import MAX_HASHES
from optsearch.counting.configurations import (
    CellSets,
    CodedConfigurations,
    Codes,
    Configurations,
    list_ships,
    to_masks,
    to_words,
)
from optsearch.counting.constraints import Constraints
from optsearch.counting.engines import engine_for
from optsearch.counting.posterior import Posterior, sunk_assignments
from optsearch.counting.prior import Prior
from optsearch.game import MAX_CELLS, Game, bits
from optsearch.game.position import Position, Reply, reply
from optsearch.search.rules import announced_lengths, labels_at
from optsearch.strategies import PatternRule, Rule, Strategy, as_strategy, rule_of
from optsearch.strategies.pattern import revealed_cells
from optsearch.strategies.score import scorer_error
from optsearch.strategies.user import UserStrategy, replay
from optsearch.support.errors import StrategyError, TooLarge
from optsearch.support.sharing import SerialExecutor

MOST_LISTED = 1 << 24  # configurations of a task, if memory allows
MOST_LISTED_BY_LEVELS = 1 << 23  # likewise for levels, which take longer
MOST_LISTED_WITH_PRIOR = 1 << 19  # likewise with a prior, which is called for each
MOST_LISTED_BY_PYTHON = 1 << 13
MOST_BY_PYTHON = 1 << 24  # configurations of a game: some hours of plain Python
ROW_BYTES = 64  # of a worker per configuration of a task: columns, parts of them, and the hash
SAMPLE_ROW_BYTES = 32  # per configuration of the sample at the top, as a list and as columns
REPLAY_INTERVAL = 64  # one in so many games is replayed, and games 1, 2, 4, 8, …


def runner_of(strategy: object, game: Game, prior: Prior | None = None) -> Runner:
    """Return the runner of a strategy on a game.

    prior -- the weights of the configurations, which the strategy does not know. Raises
    StrategyError for a rule that the kernels cannot play (`rule_of`), or if the strategy returns
    another rule when asked again.
    """
    chosen = as_strategy(strategy)
    rule = rule_of(chosen, game)
    if rule != rule_of(chosen, game):
        raise StrategyError(f"{chosen} gives another rule for {game} when it is asked again")
    if rule is None or (prior is not None and not game.is_silent):
        return PythonRunner(chosen, game, prior)
    if isinstance(rule, Rule):
        return KernelRunner(chosen, game, rule, prior)
    return PatternRunner(chosen, game, rule, prior)


class Runner(ABC):
    """A way to run a strategy on a game, either by a kernel or by asking it for each shot.

    rule -- the rule that the kernel plays; None if the strategy is asked for each shot.
    """

    rule: Rule | PatternRule | None = None
    memory: int = 0  # bytes of a process

    def __init__(self, strategy: Strategy, game: Game, prior: Prior | None = None):
        self.strategy = strategy
        self.game = game
        self.prior = prior

    def task_limit(self, memory: int) -> int:
        """Return the most configurations of a task, the part that a worker gets: a power of two.

        memory -- bytes of a process; the runner keeps them. Raises TooLarge if they are too few.
        """
        self.memory = memory
        has_levels = isinstance(self.rule, Rule) and len(self.rule.levels) > 1
        most_listed = MOST_LISTED_BY_LEVELS if has_levels else MOST_LISTED
        if self.prior is not None:
            most_listed = MOST_LISTED_WITH_PRIOR
        limit = min(most_listed, memory // ROW_BYTES)
        if limit < 1 << 16:
            raise TooLarge(
                f"{memory:,} bytes of memory are too little for an evaluation; "
                f"{ROW_BYTES << 16:,} or more are accepted"
            )
        return 1 << (limit.bit_length() - 1)

    @contextmanager
    def open_executor(self) -> Iterator[Executor]:
        """Open an executor in this process: a thread for the kernel, so that ctrl-C can stop it."""
        with ThreadPoolExecutor(1) as pool:
            try:
                yield pool
            except BaseException:
                for evaluator in list(_running_evaluators):
                    evaluator.stop()
                raise

    @abstractmethod
    def histogram(self, position: Position, configurations: int, from_start: bool) -> list[int]:
        """Return how many configurations of a position take i shots, as item i of a list.

        The shots before the position count. With a prior, each item is the weight of the
        configurations instead. from_start -- True if the strategy itself made the shots before.
        """

    def shot(self, position: Position, configurations: int, counts: list[int], limit: int) -> int:
        """Return the index of the cell that the strategy shoots at a position.

        configurations -- the number of configurations left. counts -- for each cell, how many of
        these have a ship on it. limit -- the most configurations that may be listed.
        """
        row, column = self.strategy.shot(position)
        return row * self.game.columns + column


class PythonRunner(Runner):
    """The runner that asks a strategy for its shot at every position, under any rule of replies."""

    def task_limit(self, memory: int) -> int:
        """Return MOST_LISTED_BY_PYTHON, whatever the memory."""
        return MOST_LISTED_BY_PYTHON

    def require_few(self, configurations: int) -> None:
        """Raise TooLarge for too many configurations, except for a user's strategy."""
        if configurations > MOST_BY_PYTHON and not isinstance(self.strategy, UserStrategy):
            raise TooLarge(
                f"{self.strategy} has no kernel for {self.game} and is asked at every position; "
                f"{configurations:,} configurations are too many for that, up to "
                f"{MOST_BY_PYTHON:,} are accepted; optsearch simulate plays random ones"
            )

    @contextmanager
    def open_executor(self) -> Iterator[Executor]:
        """Open an executor that runs tasks in this thread, which ctrl-C can stop."""
        yield SerialExecutor()

    def _weigh_family(self, family: list[list[int]]) -> int:
        """Return the number of these configurations, or with a prior their weight."""
        return len(family) if self.prior is None else sum(map(self.prior.weight, family))

    def _list_family(self, position: Position) -> list[list[int]]:
        """List the configurations of a position, each as the masks of its ships."""
        if self.prior is None:
            listed = map(to_masks, list_ships(position))
            return [ships for ships in listed if position.is_compatible(ships)]
        return list(map(to_masks, Posterior(position, prior=self.prior).list_weighted()[0]))

    def histogram(self, position: Position, configurations: int, from_start: bool) -> list[int]:
        """Return how many configurations of a position take i shots, as item i of a list.

        The strategy is asked at every position. The shots before the given position count. With a
        prior, each item is the weight of the configurations instead. Some games are replayed, to
        check that the strategy repeats its shots. from_start -- True if the strategy itself made
        the shots before the position; then the first replay has these, too.
        """
        shots_before = len(position.shots)
        game = self.game
        histogram = [0] * (game.cells + 1)
        family = self._list_family(position)
        open_nodes = [(position, family)] if family else []
        games_ended = 0
        while open_nodes:
            position, family = open_nodes.pop()
            if not position.hits_left:
                histogram[len(position.shots)] += self._weigh_family(family)
                games_ended += 1
                is_power_of_two = games_ended.bit_count() == 1
                if games_ended % REPLAY_INTERVAL == 0 or is_power_of_two:
                    replays_all = games_ended == 1 and from_start
                    replay(self.strategy, position, 0 if replays_all else shots_before)
                continue
            cell = self.strategy.shot(position)
            cell_mask = game.bit(cell)
            configurations_by_reply: dict[Reply, list[list[int]]] = {}
            for configuration in family:
                answer = reply(game, configuration, position.hits, cell_mask)
                configurations_by_reply.setdefault(answer, []).append(configuration)
            open_nodes += [
                (position.after(cell, answer), configurations_after)
                for answer, configurations_after in configurations_by_reply.items()
            ]
        return histogram


class PatternRunner(Runner):
    """A pattern, which the kernel plays on one configuration after the other."""

    def __init__(
        self, strategy: Strategy, game: Game, rule: PatternRule, prior: Prior | None = None
    ):
        super().__init__(strategy, game, prior)
        self.rule: PatternRule = rule

    def histogram(self, position: Position, configurations: int, from_start: bool) -> list[int]:
        """Return how many configurations of a position take i shots, as item i of a list.

        The shots before the position count. With a prior, each item is the weight of the
        configurations instead. from_start -- True if the pattern itself made the shots before; then
        the kernel plays whole games. Otherwise the pattern is asked for each shot after them.
        """
        if position.shots and not from_start:
            runner = PythonRunner(self.strategy, self.game, self.prior)
            return runner.histogram(position, configurations, from_start)
        if self.prior is not None:
            return self._histogram_by_prior(position, self.prior)
        histogram = np.zeros(MAX_CELLS + 1, np.int64)
        if self.game.is_silent:
            row_arrays = Configurations(position, threads=1).stream()
        else:
            row_arrays = stream_coded_rows(position)
        for rows in row_arrays:
            self.play(rows, histogram)
        return [int(count) for count in histogram]

    def _histogram_by_prior(self, position: Position, prior: Prior) -> list[int]:
        """Return the weight of the configurations that take i shots, as item i of a list.

        Configurations of equal weight are played together.
        """
        weight_by_shots = [0] * (MAX_CELLS + 1)
        cell_sets, weights = weigh_configurations(position, prior)
        for weight in np.unique(weights[weights > 0]).tolist():
            histogram = np.zeros(MAX_CELLS + 1, np.int64)
            self.play(cell_sets[weights == weight], histogram)
            pairs = zip(weight_by_shots, histogram.tolist(), strict=True)
            weight_by_shots = [so_far + weight * count for so_far, count in pairs]
        return weight_by_shots

    def play(self, rows: CellSets, histogram: NDArray[np.int64]) -> None:
        """Play configurations, and add one to entry i of a histogram for each that takes i shots.

        rows -- the configurations: uint64 of shape (n, 2), the mask of cells of each as two words.
            If hits tell something, an array that `stream_coded_rows` yields, which has a code too.
        """
        order = np.array(self.rule.order, np.int32)
        board_and_fleet_sizes = (self.game.rows, self.game.columns, self.game.fleet_cells)
        deductions = self.rule.in_line, self.rule.know_water
        play_pattern(rows, order, board_and_fleet_sizes, deductions, histogram, self._fleet)

    @property
    def uses_sinkings(self) -> bool:
        """True if sinkings change the shots of the pattern."""
        return self.rule.until_sunk and not self.game.is_silent

    @cached_property
    def _fleet(self) -> Fleet | None:
        """Return the ships as the kernel takes them, with their placements.

        Returns None if the shots of the pattern do not depend on which ships are sunk. Then the
        kernel needs the cells only.
        """
        if not self.uses_sinkings:
            return None
        codes = Codes.of(self.game)
        ships = []
        for kind, shifts in zip(codes.kinds, codes.shifts, strict=True):
            placements = to_words(self.game.placements(kind))
            ships += [(shift, revealed_cells(self.game, kind), placements) for shift in shifts]
        return Fleet(ships)


def weigh_configurations(position: Position, prior: Prior) -> tuple[CellSets, NDArray[np.uint64]]:
    """Return the cells of each configuration of a position, and its weight by a prior.

    The cells are masks, two words each: uint64 of shape (n, 2); the weights have shape (n,). Raises
    TooLarge if the weights add up to 2^63 or more.
    """
    ships = list_ships(position)
    weights = prior.weights(ships)
    if sum(weights) >> 63:
        raise TooLarge(
            f"the weights of {position.game} by the prior {prior.name} add up to {sum(weights):,}; "
            f"at most {(1 << 63) - 1:,} are counted: round them to smaller integers"
        )
    return np.bitwise_or.reduce(ships, axis=1), np.array(weights, np.uint64)


_running_evaluators: set[TreeEvaluator] = set()


class KernelRunner(Runner):
    """Greedy or a rollout, whose tree the kernel walks over columns of bits."""

    def __init__(self, strategy: Strategy, game: Game, rule: Rule, prior: Prior | None = None):
        super().__init__(strategy, game, prior)
        self.rule: Rule = rule
        self._kept_sample: tuple[int, TreeEvaluator] | None = None

    def task_limit(self, memory: int) -> int:
        """Return the most configurations of a task, a power of two.

        memory -- bytes of a process. Raises TooLarge if they are too few. If hits tell something, a
        rollout draws no samples, so a task must have room for all configurations with which the
        rollout compares cells.
        """
        limit = super().task_limit(memory)
        if not self.is_rollout or self.game.is_silent or limit >= self.rule.compare_up_to:
            return limit
        configurations = engine_for(self.game).count(Constraints(self.game.fleet))
        if limit >= configurations:
            return limit
        most_compared = min(configurations, self.rule.compare_up_to)
        needed = ROW_BYTES << (most_compared - 1).bit_length()  # for the next power of two
        raise TooLarge(
            f"{self.strategy} compares cells with up to {self.rule.compare_up_to:,} "
            f"configurations, and with {memory:,} bytes of memory a process has up to "
            f"{limit:,}; {needed:,} bytes or more are accepted, and sizes up to {limit}"
        )

    def make_evaluator(self) -> TreeEvaluator:
        """Return a new kernel that plays the rule of the strategy; it has no configurations yet."""
        game = self.game
        labels = _make_labels(game, self.rule.order)
        have_distinct_cells = game.contact != "any"  # different configurations
        evaluator = TreeEvaluator(self.rule, labels, have_distinct_cells)
        board_shape = game.rows, game.columns, game.holes
        evaluator.score_by(self.rule, board_shape, announced_lengths(game))
        return evaluator

    def fill_evaluator(
        self, position: Position, rows: CellSets, following: bool = False
    ) -> TreeEvaluator:
        """Return a new kernel that plays the rule on the given configurations of a position.

        rows -- uint64, a row per configuration: its cells as two words. If hits tell something, the
        index of the placement of each ship follows, in further words. following -- True if the
        kernel is to be asked for games of single configurations.
        """
        evaluator = self.make_evaluator()
        evaluator.begin(len(rows), position.hits, position.misses, following=following)
        evaluator.add(rows)
        return evaluator

    def histogram(self, position: Position, configurations: int, from_start: bool) -> list[int]:
        """Return how many configurations of a position take i shots, as item i of a list.

        The kernel plays them all. The shots before the position count. With a prior, each item is
        the weight of the configurations instead.
        """
        evaluator = self.make_evaluator()
        if self.prior is None:
            evaluator.begin(configurations, position.hits, position.misses)
            for rows in stream_rows(position):
                evaluator.add(rows)
        else:
            cell_sets, weights = weigh_configurations(position, self.prior)
            if not weights.any():
                return []
            weight_bits = int(weights.max()).bit_length()
            evaluator.begin(len(cell_sets), position.hits, position.misses, weight_bits=weight_bits)
            evaluator.add(np.column_stack([cell_sets, weights]))
        return _walk_tree(self.strategy, evaluator, position)

    def shot(self, position: Position, configurations: int, counts: list[int], limit: int) -> int:
        """Return the index of the cell that the strategy shoots at a position.

        If replies are only hit or miss, a cell that is certainly a hit comes first. Otherwise the
        strategy's rollouts or its score choose; without these it shoots a most probable cell.

        configurations -- the number of configurations left. counts -- for each cell, how many of
        these have a ship on it. limit -- a rollout draws samples above so many configurations.
        """
        not_shot = [cell for cell in self.rule.order if not position.closed >> cell & 1]
        if self.game.is_silent:
            for cell in not_shot:
                if counts[cell] == configurations:  # a certain hit
                    return cell
        if self.uses_rollouts(configurations):
            if configurations > limit:
                evaluator = self._evaluator_of_sample(limit)
            else:
                evaluator = self.fill_evaluator(position, list_rows(position))
            exact_counts = np.array(counts, np.int64)
            cell = evaluator.shot(position.hits, position.misses, configurations, exact_counts)
            require_no_fault(self.strategy, evaluator, self.game)
            return cell
        if self.rule.score is not None:
            return super().shot(position, configurations, counts, limit)
        return max(not_shot, key=counts.__getitem__)

    def uses_rollouts(self, configurations: int) -> bool:
        """True if the strategy compares cells by rollouts with so many configurations left.

        If replies are only hit or miss, a strategy with rollouts always does. Otherwise it does so
        above one number of configurations and up to another, which its rule gives.
        """
        if self.is_rollout and not self.game.is_silent:
            return self.rule.compare_above < configurations <= self.rule.compare_up_to
        return self.is_rollout

    @property
    def is_rollout(self) -> bool:
        """True for a rollout, which compares several candidate cells before a shot."""
        return self.rule.candidates > 1

    def _evaluator_of_sample(self, limit: int) -> TreeEvaluator:
        """Return a kernel with a part of all configurations, from which rollouts draw samples.

        The part is drawn once and kept. limit -- the most configurations of a task, on which its
        size depends.
        """
        if self._kept_sample is None or self._kept_sample[0] != limit:
            self._kept_sample = limit, self._draw_sample(limit)
        return self._kept_sample[1]

    def _draw_sample(self, limit: int) -> TreeEvaluator:
        """Return a kernel with a part of all configurations, from which rollouts draw samples.

        limit -- the most configurations of a task. Raises TooLarge if rollouts could not draw
        samples of their size from this part, or if it does not fit into the memory.
        """
        rule = self.rule
        largest_sample = max(rule.cap, rule.second, rule.until)  # up to `until` all are listed
        # One in 2^halvings configurations is drawn. A position above the tasks has more than
        # `limit`, so of the drawn ones it has left about twice as many as the largest sample, or
        # more.
        halvings = (limit // (2 * largest_sample)).bit_length() - 1
        configurations = engine_for(self.game).count(Constraints(self.game.fleet))
        if configurations >> MAX_HASHES > rule.screen // 2:
            raise TooLarge(
                f"{self.strategy} draws samples of up to {rule.screen:,} configurations "
                f"(screen={rule.screen}) from {configurations:,}; screen="
                f"{2 * (configurations >> MAX_HASHES) + 2} or more is accepted"
            )
        if halvings < 0 or (configurations >> halvings) * SAMPLE_ROW_BYTES > self.memory:
            raise TooLarge(
                f"{self.strategy} draws samples of up to {largest_sample:,} configurations from "
                f"{configurations:,}; with tasks of {limit:,} that needs more memory, or smaller "
                "samples"
            )
        drawn_sets = Configurations(Position(self.game)).filter(
            lambda sets: sampled(sets, halvings)
        )
        evaluator = self.make_evaluator()
        evaluator.begin(len(drawn_sets), is_sample=True)
        evaluator.add(drawn_sets)
        return evaluator


def _make_labels(game: Game, order: Sequence[int]) -> Labels:
    """Return what the kernel must know of hits: all placements of the ships, and their labels.

    A label is what a reply to a hit tells of the ship, such as its name. order -- the cells in the
    order in which ties are broken.
    """
    if game.is_silent:
        no_ships = np.empty((0, 2), np.int32)
        return Labels(order, kinds=(), slots=no_ships, is_fixed=False)
    codes, label_of_kind = Codes.of(game), game.label_of_kind
    if label_of_kind is not None:
        labels = labels_at(game, 0)  # those of cell 0, which are those of every cell
        label_indices = [labels.index(label_of_kind[kind]) for kind in codes.kinds]
        label_tables = None
    else:
        label_indices = [0] * len(codes.kinds)  # not used: the tables have the labels
        label_tables = [_table_labels(game, kind) for kind in codes.kinds]
    kinds = [
        (label_index, width, to_words(game.placements(kind)))
        for kind, width, label_index in zip(codes.kinds, codes.widths, label_indices, strict=True)
    ]
    kind_and_shift_of_ships = [
        (kind_index, shift) for kind_index, shifts in enumerate(codes.shifts) for shift in shifts
    ]
    return Labels(
        order, kinds, np.array(kind_and_shift_of_ships, np.int32), game.has_labels, label_tables
    )


def _table_labels(game: Game, kind: int) -> NDArray[np.int16]:
    """Return what hits on a kind of ship tell, its labels: int16 of shape (placements, cells).

    An entry is the index of the label among those possible on the cell, or -1 for no label.
    """
    index_by_cell = [
        {label: i for i, label in enumerate(labels_at(game, cell))} for cell in range(game.cells)
    ]
    table = np.full((len(game.placements(kind)), game.cells), -1, np.int16)
    for row, ship in zip(table, game.placements(kind), strict=True):
        for cell in bits(ship):
            row[cell] = index_by_cell[cell].get(game.label(kind, ship, cell), -1)
    return table


def require_no_fault(strategy: Strategy, evaluator: TreeEvaluator, game: Game) -> None:
    """Raise StrategyError if the kernel got a wrong answer from a score: its results are void."""
    if evaluator.fault is not None:
        raise scorer_error(strategy, game, *evaluator.fault)


def _walk_tree(strategy: Strategy, evaluator: TreeEvaluator, position: Position) -> list[int]:
    """Return how many configurations of a kernel take i shots, as item i of a list.

    The kernel, `evaluator`, plays them here. The shots before the position count. Raises
    StrategyError if a score of the strategy gives a wrong answer.
    """
    _running_evaluators.add(evaluator)
    try:
        # Entry i: how many configurations take i misses from here on.
        count_by_misses = evaluator.run()
    finally:
        _running_evaluators.discard(evaluator)
    require_no_fault(strategy, evaluator, position.game)
    hits_and_misses_before = position.game.fleet_cells + position.misses.bit_count()
    most_misses = int(count_by_misses.nonzero()[0][-1])
    return [0] * hits_and_misses_before + [
        int(count) for count in count_by_misses[: most_misses + 1]
    ]


def list_rows(position: Position) -> CellSets:
    """Return the configurations of a position as one array, with the rows of `stream_rows`."""
    if position.game.is_silent:
        return Configurations(position).list()
    return np.concatenate(list(stream_coded_rows(position)))


def stream_rows(position: Position) -> Iterator[CellSets]:
    """Yield the configurations of a position in arrays of uint64, one configuration per row.

    A row has the mask of the ship cells, as two words. If hits tell something of the ship, the
    words of the *code* follow: for each ship, the index of its placement.
    """
    if position.game.is_silent:
        yield from Configurations(position, threads=1).stream(1 << 16)
    else:
        yield from stream_coded_rows(position)


def stream_coded_rows(position: Position) -> Iterator[CellSets]:
    """Yield the rows of `stream_rows` with codes, for a game in which hits tell something."""
    for case in sunk_assignments(position):
        listing = CodedConfigurations(position.game, case.sunk, case.constraints)
        yield from listing.stream()
