"""The monitor that a kernel calls while it searches: it reports progress, and stops at limits.

Once a search is long, the monitor raises its lower bound by arguments that need no search.
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
SHARE_OF_TIME = 0.5  # part of a time limit that bounds of the root may take, and so may rollouts


class SearchMonitor:
    """A monitor of a search; `tick` is called about every thousand nodes.

    kernel -- the kernel that calls `tick`. frontier -- the search of the root, once it has begun.
    remote_nodes -- the nodes of questions that other processes have answered.
    worker_nodes -- the nodes of questions that they are at, one number for each process.
    worst -- the shots of the best strategy in its worst case, once known.
    position -- the position of the root if it is to be bounded (`bound_root`), else None.
    proved_misses -- the greatest lower bound by `bound_root` so far.
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
        """Report progress, or raise LimitReached; bound the root, once, if the search is long."""
        for limit in self._limits:
            limit.check(self.kernel.effort)
        status = self.status
        self.progress(status)
        if self.position is not None and self._is_long(status):
            position, self.position = self.position, None  # so that it happens once
            self.bound_root(position)

    def _is_long(self, status: SearchStatus) -> bool:
        """True if the search has gone on for so long that bounds of the root are worth it."""
        is_timed = any(limit.seconds is not None for limit in self._limits)
        bound_from = BOUND_FROM_IN_TIME if is_timed else BOUND_FROM
        return self.frontier is not None and max(status.nodes, status.effort) >= bound_from

    def bound_root(self, position: Position) -> None:
        """Raise the lower bound of the search by the bounds that `optsearch bounds` computes.

        This is for the mean, without bounds that are read from tables, and ends after a share of
        the time limit. After a shot most of these bounds do not hold, and the others are weak.
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
        """Raise LimitReached at this limit too while the context lasts; None adds no limit."""
        limits_before = self._limits
        self._limits = limits_before if limit is None else [*limits_before, limit]
        try:
            yield
        finally:
            self._limits = limits_before

    @contextmanager
    def in_part_of_the_time(self) -> Iterator[None]:
        """Leave the context, its work unfinished, after a share of the time limit of the search.

        Without a time limit, the work ends by itself.
        """
        seconds = [limit.seconds for limit in self._limits if limit.seconds is not None]
        share_limit = Limit(min(seconds) * SHARE_OF_TIME) if seconds else None
        try:
            with self.limited(share_limit):
                yield
        except LimitReached as reached:
            if share_limit is None or reached.limit is not share_limit:
                raise

    @cached_property
    def certain_cost(self) -> int:
        """Return the hits that all configurations need in total; misses come on top."""
        return self.kernel.hits_left(self.kernel.root)

    @cached_property
    def weight(self) -> int:
        """Return the total weight of all configurations."""
        return self.kernel.weight(self.kernel.root)

    @property
    def status(self) -> SearchStatus:
        """Return the progress: nodes, first shots done of all, and for the mean the bracket.

        A first shot is done if its cost is known or, unless all costs are asked for, if it is known
        not to be better than the best one.
        """
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
        return replace(
            status,
            best=self.certain_cost + frontier.upper,
            lower=self.certain_cost + frontier.lower,
            weight=self.weight,
        )

    def answer(self, question: Question, team_limit: Limit | None = None) -> int | None:
        """Return the answer of the kernel to a question: a cost, or None if it was given up.

        It is given up after the nodes of the question, or at `team_limit`.
        """
        max_effort = None if question.max_nodes is None else self.kernel.effort + question.max_nodes
        nodes_limit = Limit(effort=max_effort)
        try:
            with self.limited(nodes_limit), self.limited(team_limit):
                if team_limit is not None:
                    team_limit.check()
                return self.kernel.cost_of_shot(question.state, question.cell, question.limit)
        except LimitReached as reached:
            if reached.limit not in (nodes_limit, team_limit):
                raise
            return None
