"""The search of games that the first hit ends: a strategy is a list of cells.

Every configuration needs one hit, so costs are misses, as in `kernels`. A hit ends the game
whatever its reply tells, so only the configurations that a shot misses go on. A short search is
done here, a longer one by an integer programme (`list_programme`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf

import numpy as np
from numpy.typing import NDArray

from optsearch.counting.configurations import to_masks
from optsearch.counting.family import Family
from optsearch.counting.prior import Prior
from optsearch.game import image
from optsearch.game.objective import MEAN, Objective
from optsearch.game.position import Position
from optsearch.search.kernels import (
    FORBIDDEN,
    INFINITE,
    NO_BUDGET,
    Disk,
    Kernel,
    Problem,
    Subfamily,
    miss_cost,
)

FEW = 24  # sets, up to which a search takes less time than a programme
SHORT = 2_000  # states of a search, a second or two, before a programme is tried

_Key = tuple[bytes, int]  # the sets, and the budget


class _SearchTooLong(Exception):
    """The search for the cost of a state takes more than MAX_STATES states."""


class FirstHitKernel(Kernel):
    """A `Kernel` of a game that the first hit ends; it can solve every state at once.

    Raises NotSupported for a table on disk.
    """

    def __init__(self, problem: Problem, disk: Disk | None, tick: Callable[[int], None]):
        if disk is not None:
            problem.game.require_sunk("a table on disk")
        self.problem, self.objective = problem, problem.objective
        self.game, self.cells_left = problem.game, int(not problem.hits)
        self.sets, self.weights = problem.sets, problem.weights
        self.is_silent = self.has_prices = False  # what holds there holds for whole games
        self.easy_size = INFINITE
        self.root = Subfamily(np.arange(len(self.sets), dtype=np.int32), problem.hits)
        self._tick, self._nodes = tick, 0
        cells = np.unpackbits(self.sets.view(np.uint8), axis=1, bitorder="little")
        self._has = cells[:, : self.game.cells].astype(bool)
        numbers = {mask: number for number, mask in enumerate(dict.fromkeys(to_masks(self.sets)))}
        self._number = np.array([numbers[mask] for mask in to_masks(self.sets)], np.int32)
        self._images = [  # the number of the image of each set under a symmetry
            np.array([numbers[image(mask, symmetry)] for mask in numbers], np.int32)
            for symmetry in problem.automorphisms
        ]
        self._costs: dict[_Key, int] = {}  # of solved states, by `_normal_key`
        self._bounds: dict[_Key, int] = {}  # of states that cost at least that, by `_normal_key`
        self._first: dict[_Key, int] = {}  # a best cell of a solved state, by `_key`
        self._most_nodes: float = inf

    @classmethod
    def of(
        cls,
        position: Position,
        prior: Prior | None = None,
        family: Family | None = None,
        objective: Objective = MEAN,
        disk: Disk | None = None,
        tick: Callable[[int], None] = lambda nodes: None,
    ) -> FirstHitKernel:
        """Return the kernel of a position; errors as `Problem.of`."""
        return cls(Problem.of(position, prior, family, objective), disk, tick)

    @property
    def nodes(self) -> int:
        """Return the number of states searched, or solved by a programme, so far."""
        return self._nodes

    subsets = 0  # none is searched on machine words

    @property
    def effort(self) -> int:
        """Return the number of nodes, which is all the effort of this search."""
        return self._nodes

    def use_disk(self, disk: Disk | None, work: int = 0) -> None:
        """Keep nothing on disk."""

    def hits_left(self, state: Subfamily) -> int:
        """Return the weighted sum of the hits still needed: one for each configuration, or none."""
        return 0 if self.is_over(state) else self.weight(state)

    def free_hits(self, state: Subfamily) -> int:
        """Return 0: a certain hit is a choice, and ends the game."""
        return 0

    def is_over(self, state: Subfamily) -> bool:
        """True after a hit, which ends the game."""
        return bool(state.hits)

    def counts(self, state: Subfamily) -> NDArray[np.int64]:
        """Return the weight of the configurations with each cell; 0 everywhere after a hit."""
        return super().counts(state) * (not self.is_over(state))

    def shots(self, state: Subfamily) -> list[tuple[int, int]]:
        """List pairs of a cell and a lower bound of its cost, the least bound first.

        If a best cell of the state is known, its pair comes before all others.
        """
        if self.is_lost(state):
            state = state._replace(budget=0)
        counts = self.weights[state.family] @ self._has[state.family]
        weight, sums = self.weight(state), np.cumsum(np.sort(counts)[::-1])
        first = self._first.get(_key(state))
        missed = miss_cost(self.objective, state.budget)
        after = _after_miss(state, state.family)
        bounds = []
        for cell in np.flatnonzero(counts).tolist():
            left = weight - int(counts[cell])
            bounds.append((cell, left * missed + self._least(sums, left, after.budget)))
        return sorted(bounds, key=lambda shot: (shot[0] != first, shot[1], shot[0]))

    def lower_bound(self, state: Subfamily) -> int:
        """Bound the cost from below: k shots meet at most the k greatest weights by cell."""
        if self.is_over(state):
            return 0
        counts = self.weights[state.family] @ self._has[state.family]
        return self._least(np.cumsum(np.sort(counts)[::-1]), self.weight(state), state.budget)

    def _least(self, sums: NDArray[np.int64], weight: int, budget: int) -> int:
        """Bound the cost of a weight of which k shots meet at most sums[k - 1]."""
        if not weight or (self.objective.kind != "mean" and budget < 0):
            return 0
        left = np.maximum(weight - sums, 0)
        if self.objective.kind == "within":
            return int(left[min(budget, len(left) - 1)])
        if self.objective.kind == "worst" and left[min(budget, len(left) - 1)]:
            return FORBIDDEN
        return int(left.sum())

    def cost_of_shot(self, state: Subfamily, cell: int, limit: int = INFINITE) -> int:
        """Return the cost of the best list that begins with a cell, or a bound >= `limit`."""
        missed = state.family[~self._has[state.family, cell]]
        cost = int(self.weights[missed].sum()) * miss_cost(self.objective, state.budget)
        if not len(missed) or cost >= min(limit, FORBIDDEN):
            return cost
        return cost + self.solve(_after_miss(state, missed), limit - cost)

    def solve(self, state: Subfamily, limit: int = INFINITE) -> int:
        """Return the least cost if it is below the limit, else a lower bound >= limit."""
        if self.is_over(state) or self.is_lost(state):
            return 0
        limit = min(limit, FORBIDDEN)
        bound = self.lower_bound(state)
        if bound >= limit:
            return bound
        key = self._normal_key(state)
        cost = self._costs.get(key, self._bounds.get(key, 0))
        return cost if key in self._costs or cost >= limit else self._search(state, limit)

    def _search(self, state: Subfamily, limit: int) -> int:
        """Solve by trying all cells, or by a programme if that takes more than MAX_STATES states.

        Return the cost if it is below the limit, else a lower bound >= limit.
        """
        if self._most_nodes < inf:  # within another search
            return self._try_cells(state, limit)
        if self.objective.kind != "mean" and len(state.family) > FEW:
            cells = self._list(state, [state.budget + 1], limit)
            if cells is None:
                return limit
            if self.objective.kind == "within":
                return self._enter(state, cells)
        try:
            self._most_nodes = self._nodes + SHORT
            return self._try_cells(state, limit)
        except _SearchTooLong:
            return self._solve_by_programme(state, limit)
        finally:
            self._most_nodes = inf

    def _try_cells(self, state: Subfamily, limit: int) -> int:
        """Return the least cost over all first cells, or `limit` if none is below it; cache it.

        Raises _SearchTooLong at the limit of nodes.
        """
        self._nodes += 1
        if self._nodes % 1000 == 0:
            self.tick()
        if self._nodes > self._most_nodes:
            raise _SearchTooLong
        best, first = limit, -1
        dominated = self._dominated(state.family)
        for cell, bound in self.shots(state):
            if bound < best and not dominated[cell]:
                cost = self.cost_of_shot(state, cell, best)
                if cost < best:
                    best, first = cost, cell
        if first >= 0:
            self._costs[self._normal_key(state)], self._first[_key(state)] = best, first
        else:
            self._bounds[self._normal_key(state)] = limit
        return best

    def _dominated(self, family: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return for each cell if another one is in all of its sets, and in more or before it."""
        has = self._has[family].astype(np.float32)
        both = has.T @ has
        alone = both.diagonal()
        is_in = both == alone[:, None]
        return (is_in & ((alone > alone[:, None]) | np.tri(len(alone), k=-1, dtype=bool))).any(
            axis=1
        )

    def _normal_key(self, state: Subfamily) -> _Key:
        """Return a key of a state; states that a symmetry maps to each other have equal keys."""
        numbers = self._number[state.family]
        return min(np.sort(images[numbers]).tobytes() for images in self._images), state.budget

    def _solve_by_programme(self, state: Subfamily, limit: int) -> int:
        """Return the cost by an integer programme, or `limit` if no list costs less; cache it.

        For the mean the length of the list is not known. The costs of only its first shots bound
        the cost of every list from below; so more and more shots are counted until the best list
        for them meets every set.
        """
        if self.objective.kind == "mean":  # no best list has a shot that meets nothing new
            lengths = range(len(self._greedy_list(state)) + 1, self.game.cells + 1)
        else:
            lengths = range(state.budget + 1, state.budget + 2)
        for length in lengths:
            cells = self._list(state, range(1, length + 1), limit)
            if cells is None:
                break
            if self._has[state.family][:, cells].any(axis=1).all():
                return self._enter(state, cells)
        return limit

    def _list(self, state: Subfamily, counts: Sequence[int], limit: int) -> list[int] | None:
        from optsearch.search.list_programme import best_list  # loads HiGHS

        has, meets_all = self._has[state.family], self.objective.kind == "worst"
        weights = self.weights[state.family]
        return best_list(has, weights, counts, meets_all, limit, self.tick)

    def _greedy_list(self, state: Subfamily) -> list[int]:
        """Return the cells that greedy shoots until it has met every set."""
        cells, family = [], state.family
        while len(family):
            cells.append(int((self.weights[family] @ self._has[family]).argmax()))
            family = family[~self._has[family, cells[-1]]]
        return cells

    def _enter(self, state: Subfamily, cells: list[int]) -> int:
        """Enter the cost of a best list and of what remains of it after each miss; return it."""
        steps = []
        for cell in cells:
            missed = state.family[~self._has[state.family, cell]]
            if len(missed) < len(state.family) and not self.is_lost(state):
                steps.append((state, cell))
                state = _after_miss(state, missed)
        cost = 0
        for before, cell in reversed(steps):
            cost += self.weight(state) * miss_cost(self.objective, before.budget)
            self._costs[self._normal_key(before)], self._first[_key(before)] = cost, cell
            state = before
        return cost


def _after_miss(state: Subfamily, missed: NDArray[np.int32]) -> Subfamily:
    """Return the state after a miss that leaves these sets; a budget falls by one."""
    return state._replace(family=missed, budget=max(state.budget - 1, NO_BUDGET))


def _key(state: Subfamily) -> _Key:
    """Return a key of a state itself; `_normal_key` joins symmetric states."""
    return state.family.tobytes(), state.budget
