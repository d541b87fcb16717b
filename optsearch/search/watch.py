"""The monitor that a kernel calls while it searches: it reports progress, and stops at limits.

A long search is bounded once by arguments that need no search.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from math import ceil

from optsearch.game.position import Position
from optsearch.search.frontier import BestFirstSearch, Question
from optsearch.search.kernels import Kernel
from optsearch.support.errors import NotSupported, TooLarge
from optsearch.support.progress import Limit, LimitReached, Progress, no_progress
from optsearch.tree.solution import SearchStatus

BOUND_FROM = 5_000_000  # nodes from which a search is long: a minute or more
BOUND_FROM_IN_TIME = 100_000  # likewise with a time limit, when the bracket counts
SHARE = 0.5  # of a time limit that bounds of the root may take, and rollouts likewise


class SearchMonitor:
    """A monitor, which checks a search about every thousand nodes.

    kernel -- the kernel that calls `tick`. frontier -- the search of the root. remote_nodes --
    nodes of other processes that have answered. worker_nodes -- nodes of other processes at work.
    worst -- the least worst case, once it is known. position -- of the root, until its bounds are
    computed once the search is long; None if they do not hold. proved_misses -- the misses by these
    bounds.
    """

    kernel: Kernel
    frontier: BestFirstSearch | None = None
    remote_nodes = 0
    worst: int | None = None
    worker_nodes: memoryview | None = None
    position: Position | None = None
    proved_misses = 0

    def __init__(self, progress: Progress[SearchStatus] = no_progress):
        self.progress = progress
        self._limits: list[Limit] = []

    def tick(self, nodes: int = 0) -> None:
        """Raise LimitReached at a limit, else report the progress of the search."""
        for limit in self._limits:
            limit.check(self.kernel.effort)
        status = self.status
        self.progress(status)
        if self.position is not None and self._is_long(status):
            position, self.position = self.position, None  # once
            self.bound_root(position)

    def _is_long(self, status: SearchStatus) -> bool:
        is_timed = any(limit.seconds is not None for limit in self._limits)
        bound_from = BOUND_FROM_IN_TIME if is_timed else BOUND_FROM
        return self.frontier is not None and max(status.nodes, status.effort) >= bound_from

    def bound_root(self, position: Position) -> None:
        """Raise the lower bound on a mean by bounds that need no search, in a share of the time.

        For a whole game these are the bounds of `optsearch bounds` except those in tables; after a
        shot most of them do not hold, and the others are weak. Other objectives get none.
        """
        from optsearch.lower_bounds import bounds_on_demand

        frontier = self.frontier
        if frontier is None or self.kernel.objective.kind != "mean":
            return
        with self.in_part_of_the_time():
            try:
                for bound in bounds_on_demand(position, lambda status: self.tick()):
                    misses = ceil(bound.value * self.weight) - self.certain_cost
                    self.proved_misses = max(self.proved_misses, misses)
                    frontier.raise_lower_bound(self.proved_misses)
            except (NotSupported, TooLarge):
                return  # none of these arguments holds

    @contextmanager
    def limited(self, limit: Limit | None) -> Iterator[None]:
        """End the work in this context at a limit."""
        limits = self._limits
        self._limits = limits if limit is None else [*limits, limit]
        try:
            yield
        finally:
            self._limits = limits

    @contextmanager
    def in_part_of_the_time(self) -> Iterator[None]:
        """End the work in this context after a share of the time limit of the search."""
        seconds = [limit.seconds for limit in self._limits if limit.seconds is not None]
        part = Limit(min(seconds) * SHARE) if seconds else None
        try:
            with self.limited(part):
                yield
        except LimitReached as reached:
            if part is None or reached.limit is not part:
                raise

    @cached_property
    def certain_cost(self) -> int:
        """Return the hits of all configurations, the part of the cost besides misses."""
        return self.kernel.hits_left(self.kernel.root)

    @cached_property
    def weight(self) -> int:
        """Return the weight of all configurations."""
        return self.kernel.weight(self.kernel.root)

    @property
    def status(self) -> SearchStatus:
        """Return the progress: first shots whose cost is known, or known to be no better."""
        nodes = self.kernel.nodes + self.remote_nodes + sum(self.worker_nodes or ())
        frontier, effort = self.frontier, self.kernel.effort
        if frontier is None:
            return SearchStatus(nodes, worst=self.worst, effort=effort)
        done, total = (
            frontier.valued_counts if frontier.values_all_shots else frontier.decided_counts
        )
        status = SearchStatus(nodes, worst=self.worst, done=done, total=total, effort=effort)
        if self.kernel.objective.kind != "mean":
            return status
        best, lower = (self.certain_cost + cost for cost in (frontier.upper, frontier.lower))
        return replace(status, best=best, lower=lower, weight=self.weight)

    def answer(self, question: Question, other: Limit | None = None) -> int | None:
        """Return the cost of a shot; None at the other limit, or if it takes too many nodes."""
        max_effort = None if question.nodes is None else self.kernel.effort + question.nodes
        limit = Limit(effort=max_effort)
        try:
            with self.limited(limit), self.limited(other):
                if other is not None:
                    other.check()
                return self.kernel.cost_of_shot(question.state, question.cell, question.limit)
        except LimitReached as reached:
            if reached.limit not in (limit, other):
                raise
            return None
