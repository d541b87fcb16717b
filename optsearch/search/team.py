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
    LAST_DONE,
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
SECONDS_TO_HANDOVER = 60.0  # seconds after which workers hand over their entries
FAMILIES_AT_ONCE = 10_000  # families copied from a table on disk between two checks of the limit


@dataclass(frozen=True)
class Parallel:
    """An executor that answers questions, and the number of its workers."""

    executor: Executor
    workers: int


class SearchSpec(NamedTuple):
    """The arguments of a search for a worker; shared_memory -- of all workers, or None."""

    position: Position
    objective: Objective
    options: SolverOptions
    prior: Prior | None
    family: Family | None
    shared_memory: MemoryHandle | None

    def kernel(self, table: MemoryTable, disk: Disk | None, tick: Callable[[int], None]) -> Kernel:
        """Return a kernel for this search; arguments as of `Kernel`."""
        problem = Problem.of(self.position, self.prior, self.family, self.objective)
        if self.position.game.ends_at_hit:
            return FirstHitKernel(problem, disk, tick)
        return Kernel(problem, self.options, table, disk, tick)


@dataclass(frozen=True)
class TeamRole:
    """The part of one worker in a team that answers one question together.

    worker -- its index, from 0. question_number -- counts the questions of the team, from 1.
    collects -- True if it returns the states that it solves; it puts them into the table anyway.
    """

    worker: int
    team_size: int
    question_number: int
    collects: bool


class WorkerAnswer(NamedTuple):
    """The answer of a worker: the cost (None if it gave up), its nodes, and new table entries."""

    cost: int | None
    nodes: int
    new_entries: dict[bytes, int]


def search_here(frontier: BestFirstSearch, watch: SearchMonitor) -> None:
    """Search until every first shot is decided, in this process."""
    _run_search(
        frontier,
        watch,
        executor=SerialExecutor(),
        answer_question=watch.answer,
        at_once=1,
        enter_answer=frontier.enter_answer,
    )


def _run_search(
    frontier: BestFirstSearch,
    watch: SearchMonitor,
    executor: Executor,
    answer_question: Callable[[Question], T],
    at_once: int,
    enter_answer: Callable[[Question, T], None],
) -> None:
    """Search until every first shot is decided, with questions answered on an executor.

    answer_question -- the task that answers one. at_once -- how many questions the executor gets at
    a time. enter_answer -- puts what the task returns into the search.
    """
    try:
        for question, result in run_tasks(
            executor, answer_question, frontier.next_question, at_once, watch.tick
        ):
            enter_answer(question, result)
            watch.tick()
    finally:
        frontier.cancel_questions()


class Team:
    """The workers of a search.

    spec -- of the search; its memory is shared out to all. store_entry -- called with key and value
    of each entry that workers return. disk -- entries with which their shared table begins.
    """

    def __init__(
        self,
        spec: SearchSpec,
        watch: SearchMonitor,
        store_entry: Callable[[bytes, int], None],
        disk: Integers | None,
    ):
        self._spec, self._watch = spec, watch
        self._store_entry, self._disk = store_entry, disk
        self._shared: SharedMemory | None = None

    def search(self, frontier: BestFirstSearch, parallel: Parallel, collect: bool) -> None:
        """Search until every first shot is decided, with the workers of an executor.

        collect -- True makes workers that share a table return their new entries, too.
        """
        shared = self._shared_memory()
        if shared is not None and self._can_share_with(parallel.executor, shared):
            _run_search(
                frontier,
                self._watch,
                executor=SerialExecutor(),
                answer_question=partial(self._ask_together, parallel, shared, collect),
                at_once=1,
                enter_answer=frontier.enter_answer,
            )
            return
        frontier.set_early_opening(is_early=True)
        _run_search(
            frontier,
            self._watch,
            executor=parallel.executor,
            answer_question=partial(answer, self._spec_for_worker(parallel, None)),
            at_once=parallel.workers,
            enter_answer=lambda question, worker_answer: frontier.enter_answer(
                question, self._receive(worker_answer)
            ),
        )

    def _shared_memory(self) -> SharedMemory | None:
        """Return the memory that this process shares with workers; None if the system has none.

        The first call makes it, as a table with the entries of the table on disk.
        """
        if self._shared is None and CAN_SHARE:
            shared = SharedMemory(max(self._spec.options.memory // 16 * 8, SMALLEST_SHARED))
            table = SharedTable(shared.memory)
            for entries in self._stored_batches():
                for key, value in entries.items():
                    table.put(key, value)
            self._watch.kernel.use_shared_table(table)
            self._watch.worker_nodes = shared.counters[1:]
            self._shared = shared
        return self._shared

    def _stored_batches(self) -> Iterator[dict[bytes, int]]:
        """Yield the entries of the table on disk in batches; raises LimitReached at a limit."""
        entries = iter(() if self._disk is None else self._disk.items())
        while batch := dict(islice(entries, FAMILIES_AT_ONCE)):
            self._watch.tick()
            yield batch

    def _can_share_with(self, executor: Executor, shared: SharedMemory) -> bool:
        """True if the workers of an executor can use the memory of this process.

        All workers of a cluster are asked, and any one of a pool.
        """
        if isinstance(executor, Cluster):
            answers = executor.call_in_workers(can_attach, shared.handle)
            return all(answer is True for answer in answers.values())
        handles = iter([shared.handle])
        results = run_tasks(executor, can_attach, handles, 1, self._watch.tick)
        return all(is_attached for _, is_attached in results)

    def _spec_for_worker(self, parallel: Parallel, shared: SharedMemory | None) -> SearchSpec:
        """Return the description of the search that one worker gets, with its share of the memory.

        shared -- the memory that the workers share, which gets half of all memory.
        """
        options = self._spec.options
        memory = options.memory if shared is None else options.memory // 2
        return self._spec._replace(
            options=replace(options, memory=memory // parallel.workers),
            shared_memory=None if shared is None else shared.handle,
        )

    def _ask_together(
        self, parallel: Parallel, shared: SharedMemory, collect: bool, question: Question
    ) -> int | None:
        """Return the answer of all workers together to one question; None if all gave it up.

        They share a table, and mark in it the families they are at. The first answer ends the
        question for all. If entries are collected, the workers stop after SECONDS_TO_HANDOVER, hand
        over new ones, and are asked the same question again.
        """
        while True:
            deadline = time.monotonic() + SECONDS_TO_HANDOVER if collect else inf
            cost = self._ask_until(deadline, parallel, shared, question)
            if cost is not None or time.monotonic() < deadline:
                return cost

    def _ask_until(
        self, deadline: float, parallel: Parallel, shared: SharedMemory, question: Question
    ) -> int | None:
        """Return the answer of all workers together; None if they gave up, or at the deadline.

        deadline -- by `time.monotonic`. If it is finite, new entries of the table are collected.
        """
        # A worker stops once this counter has reached the number of its question.
        question_number, team_size = shared.counters[LAST_DONE] + 1, parallel.workers
        collects = deadline < inf
        task = partial(answer, self._spec_for_worker(parallel, shared), question)
        roles = iter([TeamRole(i, team_size, question_number, collects) for i in range(team_size)])
        cost = None

        def on_wait() -> None:
            if shared.counters[LAST_DONE] < question_number:
                self._watch.tick()
                if time.monotonic() > deadline:
                    shared.counters[LAST_DONE] = question_number

        try:
            for _, worker_answer in run_tasks(parallel.executor, task, roles, team_size, on_wait):
                received_cost = self._receive(worker_answer)
                if received_cost is not None:
                    cost, shared.counters[LAST_DONE] = received_cost, question_number
        finally:
            shared.counters[LAST_DONE] = question_number
        for i in range(team_size):  # these nodes are now among those of `_receive`
            shared.counters[1 + i] = 0
        return cost

    def _receive(self, received: WorkerAnswer) -> int | None:
        """Keep the entries and nodes of an answer, and return its cost."""
        self._watch.remote_nodes += received.nodes
        for key, value in received.new_entries.items():
            self._store_entry(key, value)
        return received.cost


# What runs in the process of a worker


class _EntryCollector:
    """A table on disk, as a kernel sees it, that only collects new entries."""

    def __init__(self) -> None:
        self.new_entries: dict[bytes, int] = {}

    def get(self, key: bytes) -> int | None:
        """Return None: nothing is looked up."""
        return None

    def put(self, key: bytes, value: int) -> None:
        """Collect an entry."""
        self.new_entries[key] = value


class Worker:
    """A worker of one search; it keeps its kernel, and so its table, between questions."""

    def __init__(self, spec: SearchSpec):
        self.spec = spec
        self._watch = SearchMonitor()
        self._collector = _EntryCollector()
        table = MemoryTable(spec.options.memory)
        self._kernel = self._watch.kernel = spec.kernel(table, None, self._watch.tick)
        self._attached: Attached | None = None
        if spec.shared_memory is not None:
            self._attached = attach(spec.shared_memory)
        if self._attached is not None:
            self._kernel.use_shared_table(SharedTable(self._attached.memory))

    def answer(self, question: Question, role: TeamRole | None) -> WorkerAnswer:
        """Answer a question, alone (role None) or in a team.

        The cost is None if that takes too many nodes, or once another worker has the answer.
        """
        nodes_before, team_limit = self._kernel.nodes, None
        self._collector.new_entries = {}
        self._kernel.use_disk(self._collector)
        if role is not None and self._attached is not None:
            self._kernel.join_team(role.team_size)
            self._kernel.use_disk(self._collector if role.collects else None)
            team_limit = _UntilAnswered(role, self._attached.counters, self._kernel)
        cost = self._watch.answer(question, team_limit)
        return WorkerAnswer(cost, self._kernel.nodes - nodes_before, self._collector.new_entries)


class _UntilAnswered(Limit):
    """A limit that ends a question once another worker has the answer.

    Each check also writes the nodes of this worker into its counter. counters -- as in
    `SharedMemory`.
    """

    def __init__(self, role: TeamRole, counters: memoryview, kernel: Kernel):
        super().__init__()
        self._role, self._counters, self._kernel = role, counters, kernel
        self._nodes_before = kernel.nodes

    def check(self, effort: int = 0) -> None:
        """Raise LimitReached if the question is done."""
        self._counters[1 + self._role.worker] = self._kernel.nodes - self._nodes_before
        if self._counters[LAST_DONE] >= self._role.question_number:
            raise LimitReached(self)


# A kernel serves one thread at a time, and an executor may have several.
_thread_state = threading.local()


def answer(spec: SearchSpec, question: Question, role: TeamRole | None = None) -> WorkerAnswer:
    """Return the answer of the worker of this thread, which is made anew for another search."""
    worker: Worker | None = getattr(_thread_state, "worker", None)
    if worker is None or worker.spec != spec:
        worker = _thread_state.worker = Worker(spec)
    return worker.answer(question, role)
