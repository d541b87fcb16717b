"""The exact cost of a best strategy for whole weights of any size.

The search kernel adds weights in 64 bits (`family.MAX_WEIGHT`). Larger weights are converted to
units, rounded up: a set that weighs w has a units, with a U - U <= w <= a U. Let V(c) be the least
cost of a strategy that shoots c first, and A(c) its cost in units. No set is missed more often than
there are cells, K, so for n sets

    U (A(c) - n K) <= V(c) <= U A(c).

So a first shot can be best only if A(c) <= A + n K, with A the least of all. These shots are
compared in whole numbers, by the families that they leave. With 2^43 units they are few, except for
those that are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import gcd
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from optsearch.counting.configurations import to_masks
from optsearch.counting.family import MAX_WEIGHT
from optsearch.counting.prior import Prior
from optsearch.game import Game, bits
from optsearch.game.objective import Objective
from optsearch.game.position import MISS, Position
from optsearch.search.kernels import (
    NO_BUDGET,
    Kernel,
    SolverOptions,
    Subfamily,
    best_cell,
    first_cell,
    miss_cost,
)
from optsearch.search.solver import Solver
from optsearch.search.team import Parallel
from optsearch.support.errors import TooLarge

MOST_STATES = 50_000  # states whose shots are compared in whole numbers


class _BestShot(NamedTuple):
    """The least cost of a state, and the index of the cell to shoot; -1 if the game is over."""

    cost: int
    cell: int


class WeightedSearch:
    """Least costs and best shots of a game, by weights of its configurations.

    configurations -- with different cells, in the order of their sets of cells. tick -- called
    often; an exception that it raises ends a search. memory -- bytes of the table. parallel -- the
    executor, which then searches for all new weights; None to search in this process. Raises
    TooLarge for weights that leave too many shots to compare.

    solver -- that of the last search, which need not have ended; None before the first. order --
    for each set of the kernel its index in `configurations`.
    """

    solver: Solver | None = None
    order: NDArray[np.int64]

    def __init__(
        self,
        game: Game,
        objective: Objective,
        configurations: Sequence[tuple[int, ...]],
        tick: Callable[[], None],
        memory: int,
        parallel: Parallel | None = None,
    ):
        self.game, self.objective, self.configurations = game, objective, configurations
        self.tick, self.memory, self.parallel = tick, memory, parallel
        self.kernel: Kernel | None = None  # what it remembers of equal weights serves all

    def weigh(self, weights: Sequence[int]) -> None:
        """Give the configurations new weights, each above 0, and prepare the search for them.

        The game is searched at once if it was not before, or if the search uses an executor. If the
        weights are too large for the kernel, it gets them in larger units, rounded up.
        """
        self.common_factor = gcd(*weights)  # equal weights are searched much faster as ones
        self.weights = [weight // self.common_factor for weight in weights]
        total_weight, weight_count = sum(self.weights), len(weights)
        self.kernel_is_exact = total_weight <= MAX_WEIGHT
        kernel_weights = self.weights
        if not self.kernel_is_exact:
            unit = total_weight // (MAX_WEIGHT - weight_count) + 1
            kernel_weights = [-(-weight // unit) for weight in self.weights]
        if self.kernel is None or self.parallel is not None:
            self.solver = self._make_solver(kernel_weights)
            self.solver.search(parallel=self.parallel)  # fills the table that the tree is made from
            self.kernel = self.solver.kernel
            self.order = self._find_order(self.kernel)
        else:
            self.kernel.weigh(tuple(kernel_weights[i] for i in self.order))
        self._best_shots: dict[tuple[bytes, int, int], _BestShot] = {}

    def _make_solver(self, kernel_weights: Sequence[int]) -> Solver:
        weights = dict(zip(self.configurations, kernel_weights, strict=True))
        return Solver(
            Position(self.game),
            SolverOptions(memory=self.memory, even=True),
            progress=lambda status: self.tick(),
            objective=self.objective,
            prior=Prior.of_configurations(self.game, weights, name="the hider's mix"),
        )

    def _find_order(self, kernel: Kernel) -> NDArray[np.int64]:
        """Return for each set of cells in the kernel its index in `configurations`."""
        ships_of_sets = kernel.problem.ships
        if ships_of_sets is None:
            return np.arange(len(self.configurations))
        index_of = {ships: i for i, ships in enumerate(self.configurations)}
        return np.array([index_of[self.game.sort_ships(to_masks(row))] for row in ships_of_sets])

    def bound_cost(self, weights: Sequence[int]) -> int:
        """Return a lower bound on the total that the best strategy pays.

        It is what the first search had proved when it was cut short. A strategy pays its shots, or
        for within=K one for each game that takes more than K shots. A game counts as often as the
        weight of its configuration.

        weights -- for each configuration: those that `weigh` got, or would have got.
        """
        common_factor = gcd(*weights)
        if self.solver is None:
            self.solver = self._make_solver([weight // common_factor for weight in weights])
        so_far = self.solver.search(time_limit=0)
        if self.objective.shots is None:
            assert so_far.lower is not None
            return so_far.lower * common_factor
        finished = so_far.upper if so_far.finished is None else so_far.finished
        assert finished is not None
        return (so_far.configurations - finished) * common_factor

    @property
    def root(self) -> Subfamily:
        """The state before the first shot, with the misses that within=K allows as its budget."""
        assert self.kernel is not None
        most_shots = self.objective.shots
        budget = NO_BUDGET if most_shots is None else most_shots - self.kernel.cells_left
        return self.kernel.root._replace(budget=budget)

    def least_payment(self) -> int:
        """Return the least total that any strategy pays, by the weights of the configurations.

        A strategy pays its shots, or for within=K one for each game that takes more than K shots.
        """
        assert self.kernel is not None
        root = self.root
        cost = self.kernel.solve(root) if self.kernel_is_exact else self._best_shot(root).cost
        if self.objective.shots is None:
            cost += self.kernel.cells_left * sum(self.weights)
        return cost * self.common_factor

    def shot(self, state: Subfamily) -> int:
        """Return the index of a best cell to shoot at a state without free hits, which are sure."""
        assert self.kernel is not None
        if self.kernel_is_exact:
            return best_cell(self.kernel, state)
        return self._best_shot(state).cell

    def _best_shot(self, state: Subfamily) -> _BestShot:
        """Return the least cost of the misses from a state on, and the first shot that reaches it.

        state -- the configurations that are left, and the cells hit. The cost is exact for the
        given weights. The kernel knows them rounded only, so it tells which shots may be best, and
        these are compared.
        """
        kernel = self.kernel
        assert kernel is not None
        free_hits = kernel.free_hits(state)
        if not self.game.has_labels:
            state = state._replace(hits=state.hits | free_hits)
        if kernel.is_over(state):
            return _BestShot(0, -1)
        if kernel.is_lost(state):
            return _BestShot(0, first_cell(kernel, state))
        if free_hits and self.game.has_labels:  # the replies to a certain hit may divide the state
            cell = next(bits(free_hits))
            return _BestShot(self._cost_of_shot(state, cell), cell)
        key = state.family.tobytes(), state.hits, state.budget
        if key in self._best_shots:
            return self._best_shots[key]
        kernel.tick()
        if len(self._best_shots) >= MOST_STATES:
            raise TooLarge(f"weights of {self.game} are too far apart to be compared exactly")
        most_misses = self.game.cells - state.hits.bit_count()
        cost_limit = kernel.solve(state) + len(state.family) * most_misses + 1  # see the module
        cost_by_cell = {
            cell: self._cost_of_shot(state, cell)
            for cell, least_cost in kernel.shots(state)
            if least_cost < cost_limit and kernel.cost_of_shot(state, cell, cost_limit) < cost_limit
        }
        cell = min(cost_by_cell, key=cost_by_cell.__getitem__)
        self._best_shots[key] = _BestShot(cost_by_cell[cell], cell)
        return self._best_shots[key]

    def _cost_of_shot(self, state: Subfamily, cell: int) -> int:
        """Return the least cost of the misses from a state on if a given cell is shot first.

        state -- the configurations that are left, and the cells hit. The cost is exact for the
        given weights.
        """
        assert self.kernel is not None
        state_by_reply = self.kernel.parts(state, cell)
        cost = sum(self._best_shot(state_after).cost for state_after in state_by_reply.values())
        if MISS in state_by_reply:
            missed_weight = sum(self.weights[i] for i in self.order[state_by_reply[MISS].family])
            cost += missed_weight * miss_cost(self.objective, state.budget)
        return cost
