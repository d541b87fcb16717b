"""What a kernel calls while it searches: it tells how far the search is, and ends it at a limit.

A search that turns out to be long is bounded once by arguments that need no search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property

from optsearch.search.frontier import BestFirstSearch, Question
from optsearch.search.kernels import Kernel
from optsearch.support.progress import Limit, LimitReached, Progress, no_progress
from optsearch.tree.solution import SearchStatus

BOUND_FROM = 5_000_000  # nodes of a search that is long, a minute or more
BOUND_FROM_IN_TIME = 100_000  # where its time is limited, and the bracket counts


class SearchMonitor:
    """Looks at a search every few hundred nodes.

    kernel -- whose nodes these are; it is given `tick`. frontier -- what is known of the root.
    far_nodes -- of other processes that have answered. notes -- where those at work note theirs.
    worst -- the least worst case, once it is known. bound_root -- called once, when the search is
    long.
    """

    kernel: Kernel
    frontier: BestFirstSearch | None = None
    far_nodes = 0
    worst: int | None = None
    notes: memoryview | None = None
    bound_root: Callable[[], None] | None = None

    def __init__(self, progress: Progress[SearchStatus] = no_progress):
        self.progress = progress
        self._limits: list[Limit] = []

    def tick(self, nodes: int = 0) -> None:
        """Raise LimitReached at a limit, else tell how far the search is."""
        for limit in self._limits:
            limit.check(self.kernel.effort)
        status = self.status
        self.progress(status)
        is_timed = any(limit.seconds is not None for limit in self._limits)
        bound_from = BOUND_FROM_IN_TIME if is_timed else BOUND_FROM
        if self.bound_root is not None and max(status.nodes, status.effort) >= bound_from:
            bound_root, self.bound_root = self.bound_root, None
            bound_root()

    @contextmanager
    def limited(self, limit: Limit | None) -> Iterator[None]:
        """End at a limit what is done meanwhile."""
        limits = self._limits
        self._limits = limits if limit is None else [*limits, limit]
        try:
            yield
        finally:
            self._limits = limits

    @cached_property
    def certain_cost(self) -> int:
        """One shot for each cell of each configuration: what is paid besides misses."""
        return self.kernel.hits_left(self.kernel.root)

    @property
    def status(self) -> SearchStatus:
        """First shots of which it is known what they cost, or that they are no better."""
        nodes = self.kernel.nodes + self.far_nodes + sum(self.notes or ())
        frontier, effort = self.frontier, self.kernel.effort
        if frontier is None:
            return SearchStatus(nodes, worst=self.worst, effort=effort)
        done, total = frontier.valued if frontier.every else frontier.settled
        best = lower = None
        if self.kernel.objective.kind == "mean":
            best = self.certain_cost + frontier.upper
            lower = self.certain_cost + frontier.lower
        return SearchStatus(nodes, best, lower, self.worst, done=done, total=total, effort=effort)

    def answer(self, question: Question, other: Limit | None = None) -> int | None:
        """The cost of a shot, for a frontier; None at an other limit, or if it takes many nodes."""
        most = None if question.nodes is None else self.kernel.effort + question.nodes
        limit = Limit(effort=most)
        try:
            with self.limited(limit), self.limited(other):
                if other is not None:
                    other.check()
                return self.kernel.after(question.state, question.cell, question.limit)
        except LimitReached as reached:
            if reached.limit not in (limit, other):
                raise
            return None
