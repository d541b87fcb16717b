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

from optsearch.compiled.search._table import SharedTable
from optsearch.counting.configurations import to_masks
from optsearch.game import image
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

FEW_SETS = 24  # up to which a search takes less time than a programme
MAX_STATES = 2_000  # of a search, a second or two, before a programme is tried

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
        self._report_nodes, self._nodes = tick, 0
        cell_bits = np.unpackbits(self.sets.view(np.uint8), axis=1, bitorder="little")
        self._has_cell = cell_bits[:, : self.game.cells].astype(bool)  # by set and cell
        masks = to_masks(self.sets)
        number_of_mask = {mask: set_number for set_number, mask in enumerate(dict.fromkeys(masks))}
        self._set_numbers = np.array([number_of_mask[mask] for mask in masks], np.int32)
        # For each symmetry: the number of the image of each set, by the number of the set.
        self._image_numbers = [
            np.array([number_of_mask[image(mask, symmetry)] for mask in number_of_mask], np.int32)
            for symmetry in problem.automorphisms
        ]
        self._costs: dict[_Key, int] = {}  # of solved states, by `_normal_key`
        self._bounds: dict[_Key, int] = {}  # of states that cost at least that, by `_normal_key`
        self._best_cells: dict[_Key, int] = {}  # one of each solved state, by `_key`
        self._max_nodes: float = inf

    @classmethod
    def of(cls, position: Position) -> FirstHitKernel:
        """Return the kernel that searches a position up to the first hit, for the mean.

        Errors are those of `Problem.of`.
        """
        return cls(Problem.of(position), None, lambda nodes: None)

    @property
    def nodes(self) -> int:
        """Return the number of states searched, or solved by a programme, so far."""
        return self._nodes

    subsets = 0  # none is searched on machine words

    @property
    def effort(self) -> int:
        """Return the number of nodes, which is all the effort of this search."""
        return self._nodes

    def use_disk(self, disk: Disk | None) -> None:
        """Keep nothing on disk."""

    def use_shared_table(self, table: SharedTable) -> None:
        """Use no shared table: every process keeps its own solved states."""

    def join_team(self, size: int) -> None:
        """Search as without a team."""

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
        counts = super().counts(state)
        return np.zeros_like(counts) if self.is_over(state) else counts

    def shots(self, state: Subfamily) -> list[tuple[int, int]]:
        """List the possible shots: a cell, and a lower bound of the least cost if it is shot.

        A best cell of the state, if one is known, comes first; then the cells by their bounds.
        """
        if self.is_lost(state):
            state = state._replace(budget=0)
        counts = self._weight_by_cell(state.family)
        weight, max_met = self.weight(state), np.cumsum(np.sort(counts)[::-1])
        best_cell = self._best_cells.get(_key(state))
        cost_of_miss = miss_cost(self.objective, state.budget)
        budget_after = _after_miss(state, state.family).budget
        bounds = []
        for cell in np.flatnonzero(counts).tolist():
            missed = weight - int(counts[cell])
            bound_after = self._bound_by_coverage(max_met, missed, budget_after)
            bounds.append((cell, missed * cost_of_miss + bound_after))

        def sort_key(shot: tuple[int, int]) -> tuple[bool, int, int]:
            cell, bound = shot
            return cell != best_cell, bound, cell

        return sorted(bounds, key=sort_key)

    def _weight_by_cell(self, family: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return for each cell of the board the weight of the sets of a family that have it."""
        counts: NDArray[np.int64] = self.weights[family] @ self._has_cell[family]
        return counts

    def lower_bound(self, state: Subfamily) -> int:
        """Bound the cost from below: k shots meet at most the k greatest weights by cell."""
        if self.is_over(state):
            return 0
        max_met = np.cumsum(np.sort(self._weight_by_cell(state.family))[::-1])
        return self._bound_by_coverage(max_met, self.weight(state), state.budget)

    def _bound_by_coverage(self, max_met: NDArray[np.int64], weight: int, budget: int) -> int:
        """Return a lower bound of the cost of sets that together have this weight.

        max_met -- max_met[k - 1] is the greatest weight that k shots can meet. budget -- the misses
        allowed.
        """
        if not weight or (self.objective.kind != "mean" and budget < 0):
            return 0
        weight_left = np.maximum(weight - max_met, 0)
        if self.objective.kind == "mean":
            return int(weight_left.sum())
        # A budget of k misses allows k + 1 shots: the last one is the hit.
        unfinished = int(weight_left[min(budget, len(weight_left) - 1)])
        if self.objective.kind == "within":
            return unfinished
        return FORBIDDEN if unfinished else int(weight_left.sum())

    def cost_of_shot(self, state: Subfamily, cell: int, limit: int = INFINITE) -> int:
        """Return the cost of the best list that begins with a cell, or a bound >= `limit`."""
        missed = self._missed_by(state.family, cell)
        cost = int(self.weights[missed].sum()) * miss_cost(self.objective, state.budget)
        if not len(missed) or cost >= min(limit, FORBIDDEN):
            return cost
        return cost + self.solve(_after_miss(state, missed), limit - cost)

    def _missed_by(self, family: NDArray[np.int32], cell: int) -> NDArray[np.int32]:
        """Return the sets of a family that do not have a cell."""
        return family[~self._has_cell[family, cell]]

    def solve(self, state: Subfamily, limit: int = INFINITE) -> int:
        """Return the least cost of a state if it is below `limit`, else a lower bound >= limit."""
        if self.is_over(state) or self.is_lost(state):
            return 0
        limit = min(limit, FORBIDDEN)
        bound = self.lower_bound(state)
        if bound >= limit:
            return bound
        key = self._normal_key(state)
        if key in self._costs:
            return self._costs[key]
        bound = self._bounds.get(key, 0)
        return bound if bound >= limit else self._search(state, limit)

    def _search(self, state: Subfamily, limit: int) -> int:
        """Return the least cost of a state if it is below the limit, else a lower bound >= limit.

        All cells are tried as the next shot. If that takes more than MAX_STATES states, an integer
        programme solves the state instead. For worst and within=K with many sets a smaller
        programme is tried first.
        """
        is_within_search = self._max_nodes < inf
        if is_within_search:
            return self._try_cells(state, limit)
        if self.objective.kind != "mean" and len(state.family) > FEW_SETS:
            # A programme with a single count gives the optimum of `within`; of `worst` it tells
            # only if the budget suffices.
            cells = self._best_list(state, [state.budget + 1], limit)
            if cells is None:
                return limit
            if self.objective.kind == "within":
                return self._store_costs_of_list(state, cells)
        try:
            self._max_nodes = self._nodes + MAX_STATES
            return self._try_cells(state, limit)
        except _SearchTooLong:
            return self._solve_by_programme(state, limit)
        finally:
            self._max_nodes = inf

    def _try_cells(self, state: Subfamily, limit: int) -> int:
        """Return the least cost over all next shots, or `limit` if none costs less.

        The result is cached. Raises _SearchTooLong at the limit of nodes.
        """
        self._nodes += 1
        if self._nodes % 1000 == 0:
            self.tick()
        if self._nodes > self._max_nodes:
            raise _SearchTooLong
        least_cost, best_cell = limit, -1
        is_dominated = self._dominated_cells(state.family)
        for cell, bound in self.shots(state):
            if bound < least_cost and not is_dominated[cell]:
                cost = self.cost_of_shot(state, cell, least_cost)
                if cost < least_cost:
                    least_cost, best_cell = cost, cell
        if best_cell >= 0:
            self._store_cost(state, least_cost, best_cell)
        else:
            self._bounds[self._normal_key(state)] = limit
        return least_cost

    def _dominated_cells(self, family: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return for each cell True if it need not be shot, as another cell is at least as good.

        The other cell is in all sets that have the first, and it is in more sets or has a lower
        index.
        """
        has_cell = self._has_cell[family].astype(np.float32)
        sets_with_both = has_cell.T @ has_cell
        sets_with = sets_with_both.diagonal()
        # Arrays by the cell that may be dominated, and the other one:
        is_covered = sets_with_both == sets_with[:, None]
        is_in_more = sets_with > sets_with[:, None]
        is_earlier = np.tri(len(sets_with), k=-1, dtype=bool)
        return (is_covered & (is_in_more | is_earlier)).any(axis=1)

    def _normal_key(self, state: Subfamily) -> _Key:
        """Return a key of a state that it shares with the states that a symmetry maps to it."""
        numbers = self._set_numbers[state.family]
        least = min(np.sort(images[numbers]).tobytes() for images in self._image_numbers)
        return least, state.budget

    def _solve_by_programme(self, state: Subfamily, limit: int) -> int:
        """Return the cost of the best list of shots, or `limit` if no list costs less.

        A list has the cells to shoot one after the other until a hit. An integer programme finds
        the best one, and its cost is cached. For the mean the length of the list is not known, but
        the costs of its first shots alone bound it from below. So more and more shots are counted
        until the best list for them meets every set.
        """
        lengths = range(state.budget + 1, state.budget + 2)  # this length alone
        if self.objective.kind == "mean":
            lengths = range(len(self._greedy_list(state)) + 1, self.game.cells + 1)
        for length in lengths:
            cells = self._best_list(state, range(1, length + 1), limit)
            if cells is None:
                break
            if self._has_cell[state.family][:, cells].any(axis=1).all():
                return self._store_costs_of_list(state, cells)
        return limit

    def _best_list(
        self, state: Subfamily, shot_counts: Sequence[int], limit: int
    ) -> list[int] | None:
        """Return the cells to shoot, in their order, of the cheapest list; None if none is < limit.

        The cost of a list is the weight of the sets that its first k cells do not meet, summed over
        all k in `shot_counts`. For the worst case the last of these k must meet every set.
        """
        from optsearch.search.list_programme import best_list  # loads HiGHS

        return best_list(
            has_cell=self._has_cell[state.family],
            weights=self.weights[state.family],
            shot_counts=shot_counts,
            must_meet_all=self.objective.kind == "worst",
            limit=limit,
            tick=self.tick,
        )

    def _greedy_list(self, state: Subfamily) -> list[int]:
        """Return the cells that greedy shoots until it has met every set."""
        cells, family = [], state.family
        while len(family):
            cell = int(self._weight_by_cell(family).argmax())
            cells.append(cell)
            family = self._missed_by(family, cell)
        return cells

    def _store_costs_of_list(self, state: Subfamily, cells: list[int]) -> int:
        """Cache the cost of a best list of cells to shoot, and return it.

        The rest of the list after each miss is a best list of the state there. So the costs of
        these states are cached, too.
        """
        steps = []  # the state before each shot, the cell, and the state after a miss there
        for cell in cells:
            missed = self._missed_by(state.family, cell)
            if len(missed) < len(state.family) and not self.is_lost(state):
                state_after = _after_miss(state, missed)
                steps.append((state, cell, state_after))
                state = state_after
        cost = 0
        for state_before, cell, state_after in reversed(steps):
            cost += self.weight(state_after) * miss_cost(self.objective, state_before.budget)
            self._store_cost(state_before, cost, cell)
        return cost

    def _store_cost(self, state: Subfamily, cost: int, best_cell: int) -> None:
        """Cache the cost of a solved state, and one of its best cells."""
        self._costs[self._normal_key(state)] = cost
        self._best_cells[_key(state)] = best_cell


def _after_miss(state: Subfamily, missed: NDArray[np.int32]) -> Subfamily:
    """Return the state after a miss that leaves these sets; a budget falls by one."""
    return state._replace(family=missed, budget=max(state.budget - 1, NO_BUDGET))


def _key(state: Subfamily) -> _Key:
    """Return a key of a state itself; `_normal_key` joins symmetric states."""
    return state.family.tobytes(), state.budget
