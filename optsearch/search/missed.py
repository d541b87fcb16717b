"""The least misses of a family as a shortest path over the sets of cells that were missed.

Until its first hit a strategy misses c_0, c_1, …; its state is the set E of cells missed so far,
up to symmetries of the family F. With F(E) the sets without these cells, and F_c(E) those of them
with c, the step from E to E + c costs

    M(F_c(E)) + |F(E + c)|,

M being the least misses of what a hit leaves, and M(F) is the least cost of a path to a set E that
leaves one set of F or none. From E on, every path costs at least the sum over r of |F(E)| -
N(F(E), r) (`optsearch.search.finished`), with `Counts.cap` in place of N. So the search that
always follows the path of the least sum of both (A*) has a lower bound of M(F) at any moment: the
least such sum. Where a cheaper path to some E is found later, E is followed again: by upper bounds
the sums need not rise.

Where the nested dual has prices, what they say of what is to come takes the place of N: it is close
to the truth and costs next to nothing (`optsearch.lower_bounds.nested_dual`, Later).

A step is first taken with a bound of M(F_c(E)), and searched when its turn comes.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from itertools import count

import numpy as np

from optsearch.lower_bounds.nested_dual import Later
from optsearch.search.finished import Counts
from optsearch.search.kernels import Silent, State

Step = tuple[int, int]  # a cell, and the cells missed before


class Missed:
    """The shortest path of one family.

    counts -- of it. kernel -- for the mean, of the same family without a cell hit. What its tick
    raises leaves `lower` as it was. later -- what is to come by prices, in place of N.
    """

    def __init__(
        self,
        counts: Counts,
        kernel: Silent,
        later: Later | None = None,
    ):
        self._counts, self._kernel, self._later = counts, kernel, later
        self.lower = 0  # no strategy misses less
        self.is_exact = False  # nor any more
        self.steps = 0
        self._order = count()
        self._least = {0: 0}  # cost of the cheapest path to E
        self._after_hit: dict[Step, tuple[int, bool]] = {}  # M, or a bound of it
        self._waiting: list[tuple[int, int, int, int, Step | None]] = []
        self._wait(self._tail(0), 0, 0, None)

    def __iter__(self) -> Iterator[int]:
        """What no strategy is below after each step, until it is known exactly."""
        while self.step():
            yield self.lower
        yield self.lower

    def step(self) -> bool:
        """Follow the most promising path one step further; whether there was one to follow."""
        if self.is_exact:
            return False
        total, _, cost, missed, step = self._waiting[0]
        self.lower = max(self.lower, total)
        if step is not None:
            self._solve(step)
            heapq.heappop(self._waiting)
            self._arrive(total, cost, missed, step)
        elif cost > self._least[missed]:
            heapq.heappop(self._waiting)
        elif self._counts.residual(missed).number < 2:
            self.is_exact = True
        else:
            heapq.heappop(self._waiting)
            self.steps += 1
            self._follow(total, cost, missed)
        return not self.is_exact

    def _follow(self, total: int, cost: int, missed: int) -> None:
        """All steps from a set of missed cells, one of those that are alike."""
        seen = set()
        for cell in np.flatnonzero(self._counts.residual(missed).counts).tolist():
            step = self._counts.turned(1 << cell, missed)
            if step not in seen:
                seen.add(step)
                self._arrive(total, cost, missed, (cell, missed))

    def _arrive(self, total: int, cost: int, missed: int, step: Step) -> None:
        """Wait for a step to be searched, or where it was, for what follows it."""
        misses, is_exact = self._known(step)
        following = self._counts.turned(0, missed | 1 << step[0])[1]
        reached = cost + misses + self._counts.residual(following).number
        if reached >= self._least.get(following, reached + 1):
            return
        total = max(total, reached + self._tail(following))
        if is_exact:
            self._least[following] = reached
            self._wait(total, reached, following, None)
        else:
            self._wait(total, cost, missed, step)

    def _wait(self, total: int, cost: int, missed: int, step: Step | None) -> None:
        heapq.heappush(self._waiting, (total, next(self._order), cost, missed, step))

    def _known(self, step: Step) -> tuple[int, bool]:
        """M of what a hit leaves, and true; or a bound of it, and false."""
        key = self._counts.turned(1 << step[0], step[1])
        if key not in self._after_hit:
            state = self._hit(step)
            is_plain = len(state.family) <= self._kernel.easy
            bound = self._kernel.solve if is_plain else self._kernel.lower_bound
            misses = bound(state)
            if not is_plain:
                misses = max(misses, self._counts.to_come_after_hit(step[1], step[0]))
            self._after_hit[key] = misses, is_plain
        return self._after_hit[key]

    def _solve(self, step: Step) -> None:
        key = self._counts.turned(1 << step[0], step[1])
        if not self._after_hit[key][1]:
            self._after_hit[key] = self._kernel.solve(self._hit(step)), True

    def _hit(self, step: Step) -> State:
        cell, missed = step
        family = self._counts.without(missed) & self._counts.has[:, cell]
        return State(np.flatnonzero(family).astype(np.int32), 1 << cell)

    def _tail(self, missed: int) -> int:
        """What every path from there costs at least."""
        if self._later is not None:
            return self._later(self._counts.without(missed), missed.bit_count())
        return self._counts.to_come(missed)
