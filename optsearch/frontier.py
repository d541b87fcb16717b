"""Best-first search above a kernel: a bracket of the least cost that only tightens.

The top of the search is a tree in Python. Its nodes are states, with a proved lower bound and the
cost of a strategy as upper bound, and the shots from them, sorted by their lower bounds: an open
list. The shot of least bound is taken, down to one that has not been opened, and this goes to the
kernel as a task. A task that does not end within its nodes is opened: its parts become states. So
the bracket is honest at any moment, and tasks do not depend on each other.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass, field

from sortedcontainers import SortedKeyList

from optsearch.game import bits
from optsearch.kernels import FORBIDDEN, INFINITE, Kernel, State, price
from optsearch.position import MISS, Reply
from optsearch.tree import Leaf, Node


@dataclass(eq=False)
class Open:
    """A state of the tree. shots -- by lower bound; None before it is opened."""

    state: State
    budget: int
    lower: int
    upper: int
    shots: SortedKeyList[Shooting] | None = None
    parent: Shooting | None = None


@dataclass(eq=False)
class Shooting:
    """A shot from a state. parts -- the states after its replies; None before it is opened.

    rank -- its place in the order of the kernel; busy -- how many tasks are under way below it.
    """

    at: Open
    cell: int
    rank: int
    price: int
    lower: int
    upper: int = INFINITE
    parts: dict[Reply, Open] | None = None
    busy: int = 0

    @property
    def is_exact(self) -> bool:
        """Whether the bounds meet."""
        return self.lower == self.upper


@dataclass(frozen=True)
class Task:
    """What a kernel is asked: the cost of a shot, exactly if it is below the limit.

    Given up after so many nodes, if `nodes` is not None.
    """

    state: State
    budget: int
    cell: int
    limit: int
    nodes: int | None


Run = Callable[[Task], "int | None"]  # None: given up


@dataclass
class Frontier:
    """The least cost of a root state, between `lower` and `upper`.

    ceiling -- costs from there on are not told apart. nodes -- what a task may take; None for no
    limit.
    """

    kernel: Kernel
    budget: int
    ceiling: int = INFINITE
    nodes: int | None = None
    root: Open = field(init=False)
    _waiting: dict[Future[int | None], tuple[Shooting, Task]] = field(
        default_factory=dict, init=False
    )

    def __post_init__(self) -> None:
        self.root = self._open_state(self.kernel.root, self.budget)
        self._list_shots(self.root)

    @property
    def lower(self) -> int:
        """No strategy costs less."""
        return min(self.root.lower, self.root.upper)

    @property
    def upper(self) -> int:
        """The cost of a strategy that was found; at least `ceiling` if there is none."""
        return self.root.upper

    @property
    def limit(self) -> int:
        """First shots that cost this much or more need not be told apart."""
        return min(self.root.upper + 1, self.ceiling)

    @property
    def settled(self) -> tuple[int, int]:
        """How many first shots are decided, of how many."""
        shots = self._shots(self.root)
        return sum(s.is_exact or s.lower >= self.limit for s in shots), len(shots)

    @property
    def best_cells(self) -> list[int]:
        """First shots of least cost, as far as they are known; one of each orbit."""
        shots = self._shots(self.root)
        return [s.cell for s in shots if s.is_exact and s.upper == self.root.upper]

    def run(self, run: Run, done: Callable[[], None]) -> None:
        """Search until every first shot is decided; `done` is called after each task."""
        while True:
            task = self._next()
            if task is None:
                return
            shot, question = task
            self._enter(shot, question, run(question))
            done()

    def run_on(
        self,
        executor: Executor,
        submit: Callable[[Executor, Task], Future[int | None]],
        workers: int,
        done: Callable[[], None],
    ) -> None:
        """The same with tasks on an executor, so many at a time."""
        try:
            while True:
                while len(self._waiting) < workers:
                    task = self._next()
                    if task is None:
                        break
                    self._count(task[0], 1)
                    self._waiting[submit(executor, task[1])] = task
                if not self._waiting:
                    return
                finished, _ = wait(self._waiting, return_when=FIRST_COMPLETED, timeout=0.5)
                for future in finished:
                    shot, question = self._waiting.pop(future)
                    self._count(shot, -1)
                    self._enter(shot, question, future.result())
                done()
        finally:
            for future in self._waiting:
                future.cancel()

    # The tree of states

    def _open_state(self, state: State, budget: int, parent: Shooting | None = None) -> Open:
        if self.kernel.objective.kind == "within" and budget < 0:
            return Open(state, budget, 0, 0, parent=parent)
        if len(state.family) <= self.kernel.easy:
            cost = self.kernel.solve(state, budget)
            return Open(state, budget, cost, cost, parent=parent)
        lower = self.kernel.lower_bound(state, budget)
        upper = cost_of_first_choices(self.kernel, state, budget)
        return Open(state, budget, lower, upper, parent=parent)

    def _list_shots(self, at: Open) -> None:
        seen = 0
        at.shots = SortedKeyList(key=lambda shot: (shot.lower, shot.rank))
        for rank, (cell, bound) in enumerate(self.kernel.shots(at.state, at.budget)):
            if at is self.root:
                if seen >> cell & 1:
                    continue
                seen |= self.kernel.orbit(cell)
            parts = self.kernel.parts(at.state, cell)
            missed = self.kernel.weight(parts[MISS]) if MISS in parts else 0
            cost = missed * price(self.kernel.objective, at.budget)
            at.shots.add(Shooting(at, cell, rank, cost, max(bound, cost)))
        if at.shots:
            at.lower = max(at.lower, at.shots[0].lower)

    def _shots(self, at: Open) -> SortedKeyList[Shooting]:
        assert at.shots is not None
        return at.shots

    def _next(self) -> tuple[Shooting, Task] | None:
        """The most promising task that is not under way, or None."""
        return self._next_at(self.root, self.limit)

    def _next_at(self, at: Open, limit: int) -> tuple[Shooting, Task] | None:
        if at.shots is None:
            self._list_shots(at)
        for shot in list(self._shots(at)):
            if shot.lower >= limit:
                return None
            if shot.is_exact:
                if at is self.root:
                    continue
                return None
            if shot.parts is None:
                if shot.busy:
                    continue
                return shot, Task(at.state, at.budget, shot.cell, limit, self.nodes)
            parts = sorted(shot.parts.values(), key=lambda part: len(part.state.family))
            others = shot.price + sum(part.lower for part in parts)
            for part in parts:
                if part.lower < part.upper:
                    task = self._next_at(part, limit - others + part.lower)
                    if task is not None:
                        return task
        return None

    def _count(self, shot: Shooting | None, difference: int) -> None:
        while shot is not None:
            shot.busy += difference
            shot = shot.at.parent

    def _enter(self, shot: Shooting, task: Task, cost: int | None) -> None:
        """Note the answer to a task, or open the shot when it was given up."""
        if cost is None:
            parts = self.kernel.parts(shot.at.state, shot.cell)
            less = 0 if self.kernel.objective.kind == "mean" else 1
            shot.parts = {
                answer: self._open_state(
                    part, shot.at.budget - (0 if answer.hit else less), parent=shot
                )
                for answer, part in parts.items()
            }
        elif cost < task.limit:
            self._move(shot, cost, cost)
        else:
            self._move(shot, max(cost, shot.lower), shot.upper)
        self._update(shot)

    def _move(self, shot: Shooting, lower: int, upper: int) -> None:
        shots = self._shots(shot.at)
        shots.remove(shot)
        shot.lower, shot.upper = lower, upper
        shots.add(shot)

    def _update(self, shot: Shooting | None) -> None:
        """Carry what is known of a shot up to the root."""
        while shot is not None:
            if shot.parts is not None:
                lower = shot.price + sum(part.lower for part in shot.parts.values())
                upper = shot.price + sum(part.upper for part in shot.parts.values())
                self._move(shot, max(shot.lower, lower), min(shot.upper, upper))
            at = shot.at
            shots = self._shots(at)
            at.lower = max(at.lower, min(shots[0].lower, at.upper))
            at.upper = min(at.upper, min(s.upper for s in shots))
            shot = at.parent

    # The strategy of the upper bound

    def strategy(self, build: Callable[[State, int], Node | Leaf]) -> Node | Leaf:
        """A strategy that costs `upper`. build -- an optimal one for a state that is known."""
        return self._strategy(self.root, build)

    def _strategy(self, at: Open, build: Callable[[State, int], Node | Leaf]) -> Node | Leaf:
        shots = [s for s in at.shots or () if s.upper == at.upper]
        if at.lower == at.upper and not any(s.parts for s in shots):
            return build(at.state, at.budget)
        if not shots:
            return first_choices(self.kernel, at.state, at.budget, build)
        shot = min(shots, key=lambda s: s.rank)
        replies: dict[Reply, Node | Leaf] = {}
        less = 0 if self.kernel.objective.kind == "mean" else 1
        for answer, part in self.kernel.parts(at.state, shot.cell).items():
            if shot.parts is not None:
                replies[answer] = self._strategy(shot.parts[answer], build)
            else:
                replies[answer] = build(part, at.budget - (0 if answer.hit else less))
        return Node(self.kernel.game.cell(shot.cell), _in_order(replies))


def _in_order(replies: dict[Reply, Node | Leaf]) -> dict[Reply, Node | Leaf]:
    """Hits first, the miss last."""
    return dict(sorted(replies.items(), key=lambda item: (not item[0].hit, item[0].sunk)))


def cost_of_first_choices(kernel: Kernel, state: State, budget: int) -> int:
    """The cost of always shooting the cell of least bound, with easy states solved exactly."""
    cost = 0
    less = 0 if kernel.objective.kind == "mean" else 1
    waiting = [(state, budget)]
    while waiting:
        state, budget = waiting.pop()
        if less and budget < 0:
            continue
        if len(state.family) <= kernel.easy:
            cost += kernel.solve(state, budget)
            continue
        cell = kernel.shots(state, budget)[0][0]
        for answer, part in kernel.parts(state, cell).items():
            if not answer.hit:
                cost += kernel.weight(part) * price(kernel.objective, budget)
            waiting.append((part, budget - (0 if answer.hit else less)))
        if cost >= FORBIDDEN:
            return cost
    return cost


def first_choices(
    kernel: Kernel, state: State, budget: int, build: Callable[[State, int], Node | Leaf]
) -> Node | Leaf:
    """The tree of that strategy."""
    less = 0 if kernel.objective.kind == "mean" else 1
    certain = kernel.certain(state)
    if certain:
        cell = next(bits(certain))
        ((answer, part),) = kernel.parts(state, cell).items()
        return Node(kernel.game.cell(cell), {answer: first_choices(kernel, part, budget, build)})
    if len(state.family) <= kernel.easy or (less and budget < 0):
        return build(state, budget)
    cell = kernel.shots(state, budget)[0][0]
    return Node(
        kernel.game.cell(cell),
        _in_order(
            {
                answer: first_choices(kernel, part, budget - (0 if answer.hit else less), build)
                for answer, part in kernel.parts(state, cell).items()
            }
        ),
    )
