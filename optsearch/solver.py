"""The exact optimum of a position, or a bracket of it: branch and bound over residual families.

The mathematics is in the docstrings of the kernels, `cython_ext/_search.pyx` and, where sinkings
are announced, `cython_ext/_announced.pyx`: the state is what is still to be found, in a normal form
that forgets how it was reached. Above them, `optsearch.frontier` holds the top of the search.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from optsearch._table import MemoryTable, SharedTable
from optsearch.bounds import leaf_counting_misses
from optsearch.errors import NotSupported, TableError
from optsearch.family import Family
from optsearch.first_shots import bracketed_values, budgeted_values
from optsearch.frontier import Frontier, Task, greedy_choice
from optsearch.game import Cell, Game, bits
from optsearch.kernels import (
    FORBIDDEN,
    NO_BUDGET,
    SWITCHES,
    Kernel,
    Silent,
    SolverOptions,
    State,
    best_cell,
    chain_prices,
    grow,
    kernel,
)
from optsearch.objective import MEAN, Objective
from optsearch.position import Position
from optsearch.prior import Prior
from optsearch.solution import (
    Limit,
    LimitReached,
    Progress,
    ShotValue,
    Solution,
    Status,
    no_progress,
)
from optsearch.tables import Attached, DiskTable, Shared, SharedMemory, attach, is_near
from optsearch.tree import DecisionTree

__all__ = ["SWITCHES", "Solver", "SolverOptions", "solve"]

DEFAULT = SolverOptions()
SMALLEST_SHARED = 1 << 24  # bytes
TASK_NODES = 20_000  # what a task may take before it is opened, where that matters


_Answer = tuple[int | None, int, dict[bytes, int]]  # of `_run_far`


def _nothing(nodes: int) -> None:
    """Look at nothing."""


class _Kept:
    """A table on disk, as a kernel sees it, that only collects what is new."""

    def __init__(self) -> None:
        self.fresh: dict[bytes, int] = {}

    def get(self, key: bytes) -> int | None:
        """Nothing is looked up."""
        return None

    def put(self, key: bytes, value: int) -> None:
        """Collect it."""
        self.fresh[key] = value


class _ReadOnly:
    """A table that another process writes: looked up, never changed."""

    def __init__(self, disk: DiskTable):
        self.get = disk.get

    def put(self, key: bytes, value: int) -> None:
        """Keep nothing."""


@dataclass(frozen=True)
class Parallel:
    """Tasks go to an executor, so many at a time."""

    executor: Executor
    workers: int


class Solver:
    """Solves one position for one objective; keeps its table, so that the tree comes cheaply.

    all_shots -- find the optimum after each first shot, too. prior -- the weights of the
    configurations; totals and numbers of configurations are then sums of weights. family -- what is
    hidden, in place of configurations; for the mean, and without a table on disk.
    Raises ImpossiblePosition when no configuration is left, TooLarge when they cannot be listed.
    """

    def __init__(
        self,
        position: Position,
        options: SolverOptions = DEFAULT,
        disk: DiskTable | None = None,
        progress: Progress = no_progress,
        objective: Objective = MEAN,
        all_shots: bool = False,
        prior: Prior | None = None,
        family: Family | None = None,
    ):
        self._started = time.perf_counter()
        self._lock = threading.RLock()  # the kernel's buffers serve one thread at a time
        if disk is not None and disk.game != table_name(position.game, prior):
            raise TableError(
                f"the table {disk.path} is for {disk.game}, not for "
                f"{table_name(position.game, prior)}"
            )
        self.position = position
        self.prior = prior
        self._family = family
        self.objective = objective
        self.options = options
        self.progress = progress
        self._all_shots = all_shots
        self._table = MemoryTable(options.memory)
        self._disk = disk
        self._folder = None if disk is None else disk.path  # also when the disk is left
        self._time: Limit | None = None  # of the search
        self._effort: Limit | None = None  # of the task under way
        self._frontier: Frontier | None = None
        self._far_nodes = 0  # of other processes
        self._shared: SharedMemory | None = None  # with these
        self._watch: Callable[[int], None] = _nothing  # what a worker looks at
        self.kernel: Kernel = kernel(
            position,
            objective,
            options,
            self._table,
            disk if disk is None or disk.writable else _ReadOnly(disk),
            self._tick,
            prior=prior,
            family=family,
        )
        self._solution: Solution | None = None
        self._places: dict[int, int] | None = None

    # What the kernel calls every few hundred nodes

    def _tick(self, nodes: int) -> None:
        for limit in (self._time, self._effort):
            if limit is not None:
                limit.check(self.kernel.effort)
        self._watch(nodes)
        self._report()

    def _report(self) -> None:
        done, total, best = 0, 0, None
        lower = None
        if self._frontier is not None:
            frontier = self._frontier
            done, total = frontier.valued if self._all_shots else frontier.settled
            if self.objective.kind == "mean":
                best = self._certain_cost() + self._frontier.upper
                lower = self._certain_cost() + self._frontier.lower
        nodes = self._far_nodes + self.kernel.nodes
        if self._shared is not None:
            nodes += sum(self._shared.notes[1:])
        self.progress(Status(nodes, done, total, best, lower, self.kernel.effort))

    def _certain_cost(self) -> int:
        """One shot for each cell of each configuration: what is paid besides misses."""
        return self.kernel.hits_left(self.kernel.root)

    # The solution

    @property
    def solution(self) -> Solution:
        """The exact optimum and every optimal first shot; found on the first call."""
        return self.search()

    def search(
        self,
        time_limit: float | None = None,
        parallel: Parallel | None = None,
        partial: bool = False,
    ) -> Solution:
        """The optimum, or what is known of it when the time is over.

        time_limit -- seconds from now. partial -- after ctrl-C, too, return what is known instead
        of raising KeyboardInterrupt. Where an earlier call was cut short, this one goes on.
        """
        with self._lock:
            if self._solution is None or not self._solution.is_complete:
                if time_limit is not None or partial:
                    self._require_mean("a bracket instead of the optimum")
                solution = self._search(time_limit, parallel, partial)
                self._require_possible(solution)
                self._solution = solution
            return self._solution

    def _require_mean(self, what: str) -> None:
        if self.objective.kind != "mean":
            raise NotSupported(f"there is {what} for the mean only, not for {self.objective}")

    def _search(
        self, time_limit: float | None, parallel: Parallel | None, partial: bool
    ) -> Solution:
        root, kind = self.kernel.root, self.objective.kind
        if self.kernel.is_over(self.kernel.root):
            return self._answer(0, (), budget=0)
        if kind == "mean":
            return self._search_mean(time_limit, parallel, partial)
        if kind == "within":
            assert self.objective.shots is not None
            budget = self.objective.shots - self.kernel.cells_left
            root = root._replace(budget=budget)
            if budget < 0:  # nothing can be finished: one shot is as good as another
                cells = [cell for cell, _ in self.kernel.shots(root)]
                return self._answer(self.kernel.weight(root), cells, budget)
            frontier = self._frontier = Frontier(self.kernel, root)
            self._run(frontier, parallel)
            return self._answer(frontier.upper, self._best(frontier), budget)
        budget = 0
        while True:
            frontier = Frontier(self.kernel, root._replace(budget=budget), ceiling=FORBIDDEN)
            self._frontier = frontier
            self._run(frontier, parallel)
            if frontier.upper < FORBIDDEN:
                return self._answer(frontier.upper, self._best(frontier), budget)
            budget += 1

    def _search_mean(
        self, time_limit: float | None, parallel: Parallel | None, partial: bool
    ) -> Solution:
        if time_limit is not None:
            self._time = Limit(time_limit)
        try:
            frontier = self._frontier = self._frontier or Frontier(
                self.kernel, self.kernel.root, every=self._all_shots
            )
            is_opened = time_limit is not None or self.kernel.has_prices
            frontier.nodes = TASK_NODES if is_opened else None
            if time_limit is not None:  # then the tree of the bracket is shown
                frontier.follow(greedy_choice)
            self._run(frontier, parallel)
        except KeyboardInterrupt:
            if self._frontier is None or not partial:
                raise
        except LimitReached as reached:
            if reached.limit is not self._time:
                raise
            if self._frontier is None:
                raise NotSupported(
                    f"{time_limit:g} seconds are too few for a first bracket of "
                    f"{self.position.game}"
                ) from None
        finally:
            self._time = self._effort = None
        assert self._frontier is not None
        return self._answer(self._frontier.upper, self._best(self._frontier), NO_BUDGET)

    def _best(self, frontier: Frontier) -> list[int]:
        """All cells in the orbits of the best first shots."""
        best = 0
        for cell in frontier.best_cells:
            best |= self.kernel.orbit(cell)
        return list(bits(best))

    def _run(self, frontier: Frontier, parallel: Parallel | None) -> None:
        if parallel is None:
            frontier.run(self.run_task, self._report)
            return
        shared = self._share()
        if shared is not None and self._is_near(parallel.executor, shared):
            frontier.run(lambda task: self._run_together(task, parallel, shared), self._report)
        else:
            self._run_apart(frontier, parallel)

    def _share(self) -> SharedMemory | None:
        """The memory that this process and its workers share, if the kernel has a use for it."""
        if self._shared is None:
            shared = SharedMemory(max(self.options.memory // 16 * 8, SMALLEST_SHARED))
            if self.kernel.share(SharedTable(shared.memory)):
                self._shared = shared
        return self._shared

    def _is_near(self, executor: Executor, shared: SharedMemory) -> bool:
        """Whether workers are on this machine; the first of them says it for all."""
        asked = executor.submit(is_near, shared.place)
        while not wait([asked], timeout=0.5).done:
            self._tick(0)
        return asked.result()

    def _asked(self, parallel: Parallel, shared: SharedMemory | None) -> _Asked:
        memory = self.options.memory if shared is None else self.options.memory // 2
        options = replace(self.options, memory=memory // parallel.workers)
        place = None if shared is None else shared.place
        return self.position, self.objective, options, self.prior, self._family, place

    def _run_together(self, task: Task, parallel: Parallel, shared: SharedMemory) -> int | None:
        """One task for all workers, who share their table and each begin at another place.

        The first to have the answer ends it for all; None if all of them gave it up.
        """
        number, team = shared.notes[0] + 1, parallel.workers
        asked, collect = self._asked(parallel, shared), self._disk is not None
        places = [Place(i, team, number, collect) for i in range(team)]
        waiting = {parallel.executor.submit(_run_far, asked, task, place) for place in places}
        cost = None
        try:
            while waiting and cost is None:
                finished, waiting = wait(waiting, timeout=0.5, return_when=FIRST_COMPLETED)
                for future in finished:
                    found = self._received(future.result())
                    cost = found if cost is None else cost
                self._tick(0)
        except BrokenExecutor:
            waiting.clear()  # the pool is about to end them; they are not to be cancelled
            raise
        finally:
            shared.notes[0] = number
            for future in waiting:
                future.cancel()
        for future in waiting:
            if not future.cancelled():
                self._received(future.result())
        for i in range(team):
            shared.notes[1 + i] = 0
        return cost

    def _run_apart(self, frontier: Frontier, parallel: Parallel) -> None:
        """A task for each worker, where they share nothing."""
        frontier.nodes = TASK_NODES
        asked = self._asked(parallel, None)

        def submit(executor: Executor, task: Task) -> Future[_Answer]:
            self._tick(0)
            return executor.submit(_run_far, asked, task)

        workers, done = parallel.workers, lambda: self._tick(0)
        frontier.run_on(parallel.executor, submit, self._received, workers, done)

    def _received(self, answer: _Answer) -> int | None:
        """The cost that a worker found; what it found on the way is kept."""
        cost, nodes, fresh = answer
        self._far_nodes += nodes
        for key, value in fresh.items():
            self._table.put(key, value)
            if self._disk is not None and self._disk.writable:
                self._disk.put(key, value)
        return cost

    def run_task(self, task: Task) -> int | None:
        """The cost of a shot for a frontier; None if it takes too many nodes or is called off."""
        most = None if task.nodes is None else self.kernel.effort + task.nodes
        self._effort = Limit(effort=most)
        try:
            return self.kernel.after(task.state, task.cell, task.limit)
        except LimitReached as reached:
            if reached.limit is not self._effort:
                raise
            return None
        finally:
            self._effort = None

    def run_as(self, place: Place, task: Task, notes: memoryview) -> int | None:
        """The same as one of several workers, until another has the answer.

        notes -- of the memory that they share.
        """
        before = self.kernel.nodes

        def watch(nodes: int) -> None:
            notes[1 + place.number] = nodes - before
            if notes[0] >= place.task and self._effort is not None:
                raise LimitReached(self._effort)

        if notes[0] >= place.task:
            return None
        self.kernel.take_place(place.number, place.team)
        self._watch = watch
        try:
            return self.run_task(task)
        finally:
            self._watch = _nothing

    def _answer(self, cost: int, best: list[int] | tuple[int, ...], budget: int) -> Solution:
        game, weight = self.position.game, self.kernel.weight(self.kernel.root)
        kind = self.objective.kind
        certain = self.kernel.free_hits(self.kernel.root)
        cells = sorted({*best, *bits(certain)})
        total = self._certain_cost() + cost
        frontier = self._frontier
        lower = total if frontier is None else self._certain_cost() + frontier.lower
        settled = frontier is None or frontier.settled[0] == frontier.settled[1]
        is_exact = settled or kind != "mean"
        return Solution(
            position=self.position,
            prior=self.prior,
            method="solver",
            total_height=total
            if (kind != "within" and lower == total) or kind == "worst"
            else None,
            configurations=weight,
            best_shots=tuple(game.cell(cell) for cell in cells) if is_exact else (),
            nodes=self.kernel.nodes + self._far_nodes,
            subsets=self.kernel.subsets,
            table_entries=len(self._table),
            table_bytes=self._table.bytes,
            seconds=time.perf_counter() - self._started,
            objective=self.objective,
            worst=self.kernel.cells_left + budget if kind == "worst" else None,
            finished=weight - cost if kind == "within" else None,
            lower=lower if kind == "mean" else None,
            upper=total if kind == "mean" else None,
            is_exact=is_exact,
            shot_values=self._shot_values(cost, budget) if self._all_shots else (),
            _tree=self.tree,
            _greedy=self._greedy if kind == "mean" and is_exact else None,
        )

    def _shot_values(self, cost: int, budget: int) -> tuple[ShotValue, ...]:
        if self.objective.kind == "mean":
            return bracketed_values(self.position, self.kernel, self._frontier)
        return budgeted_values(self.position, self.kernel, cost, budget)

    def _require_possible(self, solution: Solution) -> None:
        """Refuse a value for the mean below leaf counting, which no table has a part in."""
        if self.objective.kind != "mean" or not isinstance(self.kernel, Silent):
            return
        leaves = Counter(self.kernel.family.weights)
        least = self._certain_cost() + leaf_counting_misses(leaves, self.kernel.cells_left)
        if solution.upper is not None and solution.upper < least:
            raise self._contradiction(f"the total {solution.upper}", f"{least} by leaf counting")

    def _contradiction(self, contradicted: str, known: str) -> TableError:
        where = f"the table {self._folder}" if self._folder else "the table in memory"
        return TableError(
            f"{contradicted} of {self.position.game} contradicts {known}: {where} holds a value "
            "that is wrong; use another folder"
        )

    @property
    def found(self) -> Solution:
        """What the last search found; the optimum where there was none."""
        return self.search() if self._solution is None else self._solution

    def least_cost(self, state: State, limit: Limit | None = None) -> tuple[int, bool]:
        """The least misses of a state and true; a lower bound and false if the limit ends first.

        States that are easy are always solved. For the mean.
        """
        with self._lock:
            self._time = None if len(state.family) <= self.kernel.easy else limit
            try:
                if self._time is not None:
                    self._time.check()
                return self.kernel.solve(state), True
            except LimitReached:
                return self.kernel.lower_bound(state), False
            finally:
                self._time = None

    def leave_disk(self) -> None:
        """Use the table in memory alone from now on."""
        self.kernel.keep(None)
        self._disk = None

    def _greedy(self) -> tuple[tuple[Cell, ...], int]:
        root = self.kernel.root
        with self._lock:
            solution = self._solution
            assert solution is not None
            optimum, best = solution.total_height, solution.best_shots
            assert optimum is not None
            cells = self.kernel.greedy_shots(root)
            least = FORBIDDEN
            if not cells or any(self.position.game.cell(cell) in best for cell in cells):
                least = optimum - self._certain_cost()
            else:
                for cell in cells:
                    least = min(least, self.kernel.after(root, cell, least))
            if self._certain_cost() + least < optimum:
                greedy = f"{self._certain_cost() + least} by a greedy strategy"
                raise self._contradiction(f"the optimum {optimum}", greedy)
        return tuple(map(self.position.game.cell, cells)), self._certain_cost() + least

    def least_misses(self, sets: tuple[int, ...], weights: tuple[int, ...], limit: int) -> int:
        """The least misses of some of the sets of the family, exact below the limit.

        Else a bound from the limit up; for `optsearch.proof.prove`. For announce=nothing.
        """
        if not isinstance(self.kernel, Silent):
            raise NotSupported(f"there are no proofs with announce={self.position.game.announce}")
        if self._places is None:
            self._places = {mask: i for i, mask in enumerate(self.kernel.family.sets)}
        family = np.array([self._places[mask] for mask in sets], np.int32)
        with self._lock:
            return self.kernel.solve(State(family, self.position.hits), limit)

    def prices(
        self, sets: tuple[int, ...], weights: tuple[int, ...], misses: int
    ) -> tuple[int, ...] | None:
        """Prices of some sets that prove so many misses, or None; for `optsearch.proof.prove`."""
        return chain_prices(sets, misses) if set(weights) == {1} else None

    # The tree

    def tree(self) -> DecisionTree:
        """An optimal decision tree, or one of the upper bound if the search was cut short.

        Of several optimal ones that whose shots the search tries first.
        """
        with self._lock:
            solution = self.found
            if not solution.is_exact:
                assert self._frontier is not None
                return DecisionTree(self.position, self._frontier.strategy(), prior=self._digest)
            root = self.kernel.root
            if self.objective.kind == "worst":
                root = root._replace(budget=(solution.worst or 0) - self.kernel.cells_left)
            elif self.objective.kind == "within":
                root = root._replace(budget=(self.objective.shots or 0) - self.kernel.cells_left)
            try:
                grown = grow(self.kernel, root, self._best_cell)
                tree = DecisionTree(self.position, grown, prior=self._digest)
            except StopIteration:  # at some state no shot costs what the state is said to cost
                optimum = f"the optimum {solution.total_height or solution.finished}"
                raise self._contradiction(optimum, "every shot of a position below") from None
            if self.objective.kind == "mean" and tree.total_height != solution.total_height:
                height = f"{tree.total_height} of its tree"
                raise self._contradiction(f"the optimum {solution.total_height}", height)
            return tree

    def _best_cell(self, state: State) -> int:
        return best_cell(self.kernel, state)

    @property
    def _digest(self) -> str:
        return "" if self.prior is None else self.prior.digest


def table_name(game: Game, prior: Prior | None) -> str:
    """What a table on disk is for."""
    return str(game) if prior is None else f"{game}, prior {prior.digest}"


_far = threading.local()  # a kernel serves one thread at a time, and an executor may have several


_Asked = tuple[Position, Objective, SolverOptions, "Prior | None", "Family | None", "Shared | None"]


@dataclass(frozen=True)
class Place:
    """Of one worker in a team that has a task in common: its number, from 0.

    task -- the number of the task. collect -- whether what is found is wanted besides the table.
    """

    number: int
    team: int
    task: int
    collect: bool


@dataclass
class _Worker:
    """What a worker has from one task of a search to the next."""

    asked: _Asked
    solver: Solver
    kept: _Kept
    attached: Attached | None


def _far_worker(asked: _Asked) -> _Worker:
    """The worker of this thread."""
    worker: _Worker | None = getattr(_far, "worker", None)
    if worker is None or worker.asked != asked:
        position, objective, options, prior, family, shared = asked
        solver = Solver(position, options, objective=objective, prior=prior, family=family)
        attached = None if shared is None else attach(shared)
        if attached is not None:
            solver.kernel.share(SharedTable(attached.memory))
        worker = _far.worker = _Worker(asked, solver, _Kept(), attached)
    return worker


def _run_far(asked: _Asked, task: Task, place: Place | None = None) -> _Answer:
    """A task of a worker: its cost, the nodes it took, and what was found on the way."""
    worker = _far_worker(asked)
    solver, kept, attached = worker.solver, worker.kept, worker.attached
    before = solver.kernel.nodes
    kept.fresh = {}
    if place is None or attached is None:
        solver.kernel.keep(kept)
        cost = solver.run_task(task)
    else:
        solver.kernel.keep(kept if place.collect else None)
        cost = solver.run_as(place, task, attached.notes)
    return cost, solver.kernel.nodes - before, kept.fresh


def solve(
    position: Position | Game | str,
    *,
    objective: Objective = MEAN,
    options: SolverOptions = DEFAULT,
    table: Path | str | None = None,
    executor: Executor | None = None,
    workers: int = 2,
    time_limit: float | None = None,
    partial: bool = False,
    all_shots: bool = False,
    progress: Progress = no_progress,
    prior: Prior | None = None,
) -> Solution:
    """The exact optimum of a position, or a bracket of it.

    position -- or a game, or its text such as `4x5:2,3,4`: the empty board.
    table -- folder of a transposition table on disk, made if it is not there; a run that was
    killed goes on from what had been written. executor -- any `concurrent.futures.Executor`; it
    gets `workers` tasks at a time, and the answer does not depend on it. time_limit -- seconds,
    after which the bracket that was proved by then is returned. partial -- return it after ctrl-C,
    too. all_shots -- find the optimum after each first shot, too, or a bracket of it. prior -- the
    weights of the configurations, for announce=nothing; the answer counts weight instead of
    configurations, and the table on disk is that of the prior.
    Errors as in Solver, and TableError.
    """
    position = Position.of(position)
    parallel = None if executor is None else Parallel(executor, workers)
    if table is None:
        return Solver(position, options, None, progress, objective, all_shots, prior).search(
            time_limit, parallel, partial
        )
    with DiskTable(table, table_name(position.game, prior)) as disk:
        solver = Solver(position, options, disk, progress, objective, all_shots, prior)
        solution = solver.search(time_limit, parallel, partial)
        solver.leave_disk()  # the tree is made later, from the table in memory
    return solution
