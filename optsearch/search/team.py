"""The answers to the questions of a search, by this process or by workers, alone or as a team.

Workers on this machine share a table: then they answer each question together. Other workers have
tables of their own, and each gets a question of its own.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from math import inf
from typing import NamedTuple, TypeVar

from optsearch.compiled.search._table import MemoryTable, SharedTable
from optsearch.counting.family import Family
from optsearch.counting.prior import Prior
from optsearch.game.objective import Objective
from optsearch.game.position import Position
from optsearch.search.first_hit import FirstHitKernel
from optsearch.search.frontier import BestFirstSearch, Question
from optsearch.search.kernels import Disk, Kernel, Problem, SolverOptions
from optsearch.search.shared_memory import (
    CAN_SHARE,
    Attached,
    MemoryHandle,
    SharedMemory,
    attach,
    can_attach,
)
from optsearch.search.watch import SearchMonitor
from optsearch.support.cluster import Cluster
from optsearch.support.progress import Limit, LimitReached
from optsearch.support.sharing import SerialExecutor, run_tasks
from optsearch.support.store import Integers

T = TypeVar("T")

SMALLEST_SHARED = 1 << 24  # bytes
HANDED_OVER = 60.0  # seconds after which workers hand over their entries
AT_ONCE = 10_000  # families of a table on disk that are copied between two checks of the limit


@dataclass(frozen=True)
class Parallel:
    """An executor that answers questions, and the number of its workers."""

    executor: Executor
    workers: int


class SearchSpec(NamedTuple):
    """What a worker must know of a search; shared_memory -- with other workers, or None."""

    position: Position
    objective: Objective
    options: SolverOptions
    prior: Prior | None
    family: Family | None
    place: MemoryHandle | None

    def kernel(self, table: MemoryTable, disk: Disk | None, tick: Callable[[int], None]) -> Kernel:
        """Return a kernel for this search; arguments as of `Kernel`."""
        problem = Problem.of(self.position, self.prior, self.family, self.objective)
        if self.position.game.ends_at_hit:
            return FirstHitKernel(problem, disk, tick)
        return Kernel(problem, self.options, table, disk, tick)


@dataclass(frozen=True)
class Place:
    """The place of a worker in a team that answers one question together.

    number -- of the worker, from 0. team -- the number of workers. question -- its number.
    collect -- True if solved states are returned, too, besides being put into the table.
    """

    number: int
    team: int
    question: int
    collect: bool


Answer = tuple[int | None, int, dict[bytes, int]]  # the cost, the nodes, and new entries


def search_here(frontier: BestFirstSearch, watch: SearchMonitor) -> None:
    """Search until every first shot is decided, in this process."""
    _search(frontier, watch, SerialExecutor(), watch.answer, 1, lambda cost: cost)


def _search(
    frontier: BestFirstSearch,
    watch: SearchMonitor,
    executor: Executor,
    work: Callable[[Question], T],
    ahead: int,
    cost: Callable[[T], int | None],
) -> None:
    """Search on an executor; `cost` takes the cost from an answer."""
    try:
        for question, answer in run_tasks(
            executor, work, frontier.next_question, ahead, watch.tick
        ):
            frontier.enter_answer(question, cost(answer))
            watch.tick()
    finally:
        frontier.cancel_questions()


class Team:
    """The workers of a search.

    spec -- of the search; its memory is shared out to all. keep -- called with the key and the
    value of each entry that workers return. disk -- entries with which their shared table begins.
    """

    def __init__(
        self,
        spec: SearchSpec,
        watch: SearchMonitor,
        keep: Callable[[bytes, int], None],
        disk: Integers | None = None,
    ):
        self._spec = spec
        self._watch = watch
        self._keep = keep
        self._disk = disk
        self._shared: SharedMemory | None = None

    def search(self, frontier: BestFirstSearch, parallel: Parallel, collect: bool) -> None:
        """Search until every first shot is decided.

        collect -- True makes workers that share a table return new entries, too.
        """
        shared = self._share()
        if shared is not None and self._can_share_with(parallel.executor, shared):
            together = partial(self._ask_together, parallel, shared, collect)
            _search(frontier, self._watch, SerialExecutor(), together, 1, lambda cost: cost)
        else:
            frontier.set_early_opening(True)
            apart = partial(answer, self._share_of(parallel, None))
            executor, workers = parallel.executor, parallel.workers
            _search(frontier, self._watch, executor, apart, workers, self._receive)

    def _share(self) -> SharedMemory | None:
        """Return the memory that this process shares with workers; None if the system has none."""
        if self._shared is None and CAN_SHARE:
            shared = SharedMemory(max(self._spec.options.memory // 16 * 8, SMALLEST_SHARED))
            table = SharedTable(shared.memory)
            for families in self._stored_batches():
                for key, value in families.items():
                    table.put(key, value)
            self._watch.kernel.use_shared_table(table)
            self._watch.worker_nodes = shared.counters[1:]
            self._shared = shared
        return self._shared

    def _stored_batches(self) -> Iterator[dict[bytes, int]]:
        """Yield the entries of the table on disk in batches; raises LimitReached at a limit."""
        entries = iter(() if self._disk is None else self._disk.items())
        while families := dict(islice(entries, AT_ONCE)):
            self._watch.tick()
            yield families

    def _can_share_with(self, executor: Executor, shared: SharedMemory) -> bool:
        """True if workers can attach to the memory: all of a cluster, or any one of a pool."""
        if isinstance(executor, Cluster):
            return all(
                answer is True for answer in executor.ask(can_attach, shared.handle).values()
            )
        places = iter([shared.handle])
        return all(
            is_so for _, is_so in run_tasks(executor, can_attach, places, 1, self._watch.tick)
        )

    def _share_of(self, parallel: Parallel, shared: SharedMemory | None) -> SearchSpec:
        """Return the search for one worker, with its share of the memory."""
        options = self._spec.options
        memory = options.memory if shared is None else options.memory // 2
        return self._spec._replace(
            options=replace(options, memory=memory // parallel.workers),
            place=None if shared is None else shared.handle,
        )

    def _ask_together(
        self, parallel: Parallel, shared: SharedMemory, collect: bool, question: Question
    ) -> int | None:
        """Return the answer of all workers together to one question; None if all gave it up.

        They share a table, and mark in it the families they are at. The first answer ends the
        question for all. If entries are collected, the workers stop every HANDED_OVER seconds,
        hand over new ones, and are asked the same question again.
        """
        while True:
            ends = time.monotonic() + HANDED_OVER if collect else inf
            cost = self._round(parallel, shared, ends, question)
            if cost is not None or time.monotonic() < ends:
                return cost

    def _round(
        self, parallel: Parallel, shared: SharedMemory, ends: float, question: Question
    ) -> int | None:
        """Ask all workers one question until `ends`."""
        number, team = shared.counters[0] + 1, parallel.workers
        collect = ends < inf
        work = partial(answer, self._share_of(parallel, shared), question)
        places = iter([Place(i, team, number, collect) for i in range(team)])
        cost = None

        def tick() -> None:
            if shared.counters[0] < number:
                self._watch.tick()
                if time.monotonic() > ends:
                    shared.counters[0] = number

        try:
            for _, answered in run_tasks(parallel.executor, work, places, team, tick):
                answer_cost = self._receive(answered)
                if answer_cost is not None:
                    cost, shared.counters[0] = answer_cost, number
        finally:
            shared.counters[0] = number
        for i in range(team):
            shared.counters[1 + i] = 0
        return cost

    def _receive(self, answered: Answer) -> int | None:
        """Keep the entries and nodes of an answer, and return its cost."""
        cost, nodes, fresh = answered
        self._watch.remote_nodes += nodes
        for key, value in fresh.items():
            self._keep(key, value)
        return cost


# Of a worker


class _FreshEntries:
    """A table on disk, as a kernel sees it, that only collects new entries."""

    def __init__(self) -> None:
        self.fresh: dict[bytes, int] = {}

    def get(self, key: bytes) -> int | None:
        """Return None: nothing is looked up."""
        return None

    def put(self, key: bytes, value: int) -> None:
        """Collect an entry."""
        self.fresh[key] = value


class Worker:
    """A worker of one search; it keeps its kernel, and so its table, between questions."""

    def __init__(self, spec: SearchSpec):
        self.spec = spec
        self._watch = SearchMonitor()
        self._kept = _FreshEntries()
        table = MemoryTable(spec.options.memory)
        self._kernel = self._watch.kernel = spec.kernel(table, None, self._watch.tick)
        self._attached: Attached | None = None if spec.place is None else attach(spec.place)
        if self._attached is not None:
            self._kernel.use_shared_table(SharedTable(self._attached.memory))

    def answer(self, question: Question, place: Place | None) -> Answer:
        """Answer a question, alone (role None) or in a team.

        The cost is None if the question took too many nodes, or once another worker has the answer.
        """
        before, limit = self._kernel.nodes, None
        self._kept.fresh = {}
        self._kernel.use_disk(self._kept)
        if place is not None and self._attached is not None:
            self._kernel.join_team(place.team)
            self._kernel.use_disk(self._kept if place.collect else None)
            limit = _UntilAnswered(place, self._attached.counters, self._kernel)
        cost = self._watch.answer(question, limit)
        return cost, self._kernel.nodes - before, self._kept.fresh


class _UntilAnswered(Limit):
    """A limit that ends a question once another worker has the answer.

    Each check also writes the nodes of this worker into its counter. counters -- as in
    `SharedMemory`.
    """

    def __init__(self, place: Place, notes: memoryview, kernel: Kernel):
        super().__init__()
        self._place, self._notes, self._kernel = place, notes, kernel
        self._before = kernel.nodes

    def check(self, effort: int = 0) -> None:
        """Raise LimitReached if the question is done."""
        self._notes[1 + self._place.number] = self._kernel.nodes - self._before
        if self._notes[0] >= self._place.question:
            raise LimitReached(self)


_here = threading.local()  # a kernel serves one thread at a time, and an executor may have several


def worker_of(spec: SearchSpec) -> Worker:
    """Return the worker of this thread for a search; it is made anew for another search."""
    worker: Worker | None = getattr(_here, "worker", None)
    if worker is None or worker.spec != spec:
        worker = _here.worker = Worker(spec)
    return worker


def answer(spec: SearchSpec, question: Question, place: Place | None = None) -> Answer:
    """Return the answer of the worker of this thread to a question of a search."""
    return worker_of(spec).answer(question, place)
