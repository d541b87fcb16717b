"""The exact optimum of a position, or a bracket of it: branch and bound over residual families.

The mathematics is in the docstring of the kernel, `cython_ext/search/_search.pyx`. A state there is
what is still to be found, in a normal form that forgets how it was reached. Above the kernel,
`optsearch.search.frontier` has the top of the search, `team` shares out its questions, and `watch`
reports how far it is.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import partial
from math import floor
from pathlib import Path
from typing import Any

import numpy as np

from optsearch.compiled.search._table import MemoryTable
from optsearch.counting.family import Family
from optsearch.counting.prior import Prior
from optsearch.game import Cell, Game, bits
from optsearch.game.fleets import MixedPosition, any_position
from optsearch.game.objective import MEAN, Objective
from optsearch.game.position import Position
from optsearch.lower_bounds.by_chance import shots_by_chance, total_misses_by_chance
from optsearch.lower_bounds.leaves import leaf_counting_misses
from optsearch.lower_bounds.worst_case import MOST_ENTRIES, hidden_ship_sets, worst_case_misses
from optsearch.search.diagonals import Diagonals
from optsearch.search.first_shots import bracketed_values, budgeted_values
from optsearch.search.frontier import BestFirstSearch, first_greedy, greedy_choice
from optsearch.search.kernels import (
    FORBIDDEN,
    NO_BUDGET,
    SWITCHES,
    SolverOptions,
    Subfamily,
    best_cell,
    grow_tree,
)
from optsearch.search.mixed import solve_mixed
from optsearch.search.team import Parallel, SearchSpec, Team, search_here
from optsearch.search.watch import SearchMonitor
from optsearch.support.errors import NotSupported, TableError, TooLarge
from optsearch.support.progress import Limit, LimitReached, Progress, no_progress
from optsearch.support.store import Integers
from optsearch.tree import DecisionTree, Leaf, Node
from optsearch.tree.solution import SearchStatus, ShotValue, Solution

__all__ = ["SWITCHES", "Solver", "SolverOptions", "solve"]

DEFAULT = SolverOptions()
QUICK_FAMILY = 20_000  # configurations up to which a first bracket takes a moment


class Solver:
    """A solver of one position for one objective; it keeps its table, so that trees are cheap.

    disk -- a table on disk that the search uses too. all_shots -- True also finds the optimum after
    each first shot. prior -- the weights of the configurations; totals and numbers of
    configurations are then sums of weights. family -- hidden sets that replace the configurations;
    for the mean, and without a table on disk.
    Raises ImpossiblePosition if no configuration is left, TooLarge if they cannot be listed.
    """

    def __init__(
        self,
        position: Position,
        options: SolverOptions = DEFAULT,
        disk: Integers | None = None,
        progress: Progress[SearchStatus] = no_progress,
        objective: Objective = MEAN,
        all_shots: bool = False,
        prior: Prior | None = None,
        family: Family | None = None,
    ):
        if position.game.ends_at_hit:
            options = replace(options, root_bounds=False)  # these bounds are for whole games
        self._started = time.perf_counter()
        self._lock = threading.RLock()  # the kernel's buffers serve one thread at a time
        self.position = position
        self.prior = prior
        self.objective = objective
        self.watch = SearchMonitor(progress)
        self._all_shots = all_shots
        self._table = MemoryTable(options.memory)
        self._disk = disk
        self._disk_folder = None if disk is None else disk.path  # kept after `leave_disk`
        spec = SearchSpec(position, objective, options, prior, family, None)
        self.kernel = self.watch.kernel = spec.kernel(self._table, disk, self.watch.tick)
        self._team = Team(spec, self.watch, self._store_entry, disk)
        self._solution: Solution | None = None
        self._greedy_misses: int | None = None  # of `first_greedy`, once that was evaluated
        self._options = options
        self._may_roll_out = options.root_bounds and family is None
        if options.root_bounds and family is None and prior is None:
            self.watch.position = position
        self._limit: Limit | None = None  # of the search that runs
        # Of the worst case, in misses: a lower bound, and an upper bound with a strategy for it.
        self._worst_misses_lower = 0
        self._worst_misses_upper: int | None = None
        self._feasible_frontier: BestFirstSearch | None = None
        self._worst_case_rule: Diagonals | None = None

    def _store_entry(self, key: bytes, value: int) -> None:
        """Keep a table entry that a worker found."""
        self._table.put(key, value)
        if self._disk is not None:
            self._disk.put(key, value)

    # The solution

    @property
    def solution(self) -> Solution:
        """Return the exact optimum and every optimal first shot; the first call searches."""
        return self.search()

    def search(
        self,
        time_limit: float | None = None,
        parallel: Parallel | None = None,
        partial: bool = False,
    ) -> Solution:
        """Return the optimum, or its bracket if the time limit ends the search.

        A call resumes an earlier one that was cut short. time_limit -- seconds. parallel -- the
        workers to ask; None searches in this process. partial -- True returns the bracket after
        ctrl-C too, instead of raising KeyboardInterrupt.
        """
        with self._lock:
            if self._solution is None or not self._solution.is_complete:
                solution = self._search(time_limit, parallel, partial)
                self._require_possible(solution)
                self._solution = solution
            return self._solution

    def _search(
        self, time_limit: float | None, parallel: Parallel | None, partial: bool
    ) -> Solution:
        """Return the optimum, or its bracket if the search is cut short.

        time_limit -- seconds. partial -- True returns the bracket after ctrl-C too. The search goes
        on from what earlier calls have found.
        """
        if self.kernel.is_over(self.kernel.root):
            return self._make_solution(0, (), budget=0)
        limit = None if time_limit is None else Limit(time_limit)
        self._limit = limit
        try:
            with limit.alarm() if limit else nullcontext(), self.watch.limited(limit):
                if self.objective.kind == "mean":
                    return self._search_mean(parallel, partial)
                if self.objective.kind == "within":
                    return self._search_within(parallel)
                return self._search_worst(parallel)
        except KeyboardInterrupt:
            if not partial:
                raise
        except LimitReached as reached:
            if reached.limit is not limit:
                raise
        # The search was cut short.
        if self.objective.kind != "mean":
            return self._bracket_solution()
        with suppress(KeyboardInterrupt):  # a second one skips this step
            self._bracket_after_interrupt()
        frontier = self.watch.frontier
        if frontier is not None:
            return self._make_solution(frontier.upper, self._best_cells(frontier), NO_BUDGET)
        lower, upper = self._first_bracket()
        return self._make_solution(upper, (), NO_BUDGET, lower_cost=lower, is_settled=False)

    def _search_within(self, parallel: Parallel | None) -> Solution:
        """Search for the strategy that finishes most within K shots."""
        assert self.objective.shots is not None
        budget = self.objective.shots - self.kernel.cells_left
        root = self.kernel.root._replace(budget=budget)
        if budget < 0:  # nothing can be finished: one shot is as good as another
            cells = [cell for cell, _ in self.kernel.shots(root)]
            return self._make_solution(self.kernel.weight(root), cells, budget)
        frontier = self.watch.frontier or BestFirstSearch(self.kernel, root)
        frontier.set_early_opening(self._limit is not None)
        self._search_all(frontier, parallel)
        return self._make_solution(frontier.upper, self._best_cells(frontier), budget)

    def _search_worst(self, parallel: Parallel | None) -> Solution:
        """Search for the strategy with the fewest shots in its worst case.

        The first budget of misses is the lower bound that needs no search. If no strategy keeps to
        it, the next one is tried. The least mean is found along with it if there is no time limit,
        or if it is asked for.
        """
        root = self.kernel.root
        is_mean_asked = self._limit is None or self.objective.then_mean or self._all_shots
        if self._options.root_bounds and self._worst_misses_upper is None:
            self._bound_worst()
        while True:
            budget = self._worst_misses_lower
            frontier = BestFirstSearch(
                self.kernel,
                root._replace(budget=budget),
                ceiling=FORBIDDEN,
                stops_below_ceiling=not is_mean_asked,
            )
            frontier.set_early_opening(self._limit is not None)
            if budget == self._worst_misses_upper:  # then a strategy for this budget is known
                if not is_mean_asked:
                    return self._bracket_solution()
                self.watch.worst = self.kernel.cells_left + budget
                if self._worst_case_rule is not None:
                    frontier.add_strategy(self._worst_case_rule)
            self._search_all(frontier, parallel)
            if frontier.upper < FORBIDDEN:
                if not is_mean_asked:
                    return self._bracket_solution()
                return self._make_solution(frontier.upper, self._best_cells(frontier), budget)
            self._worst_misses_lower += 1

    def _bound_worst(self) -> None:
        """Bound the misses in the worst case from below and from above, without a search.

        The upper bound is that of a strategy: of shots on diagonals, or of the rule with which a
        BestFirstSearch begins.
        """
        root = self.kernel.root
        for sets in self._sets_to_pack():
            for misses in worst_case_misses(self.position.game, sets):
                self._worst_misses_lower = max(self._worst_misses_lower, misses)
                self.watch.tick()
        rule = Diagonals(self.kernel)
        if rule.misses is not None:
            self._worst_case_rule, self._worst_misses_upper = rule, rule.misses
        budget = self._worst_misses_lower
        while self._worst_misses_upper is None or budget < self._worst_misses_upper:
            self.watch.tick()
            frontier = BestFirstSearch(self.kernel, root._replace(budget=budget), ceiling=FORBIDDEN)
            if frontier.upper < FORBIDDEN:
                self._worst_misses_upper, self._feasible_frontier = budget, frontier
            budget += 1

    def _sets_to_pack(self) -> Iterable[Sequence[int]]:
        """Return lists of sets of cells, each of which gives a lower bound of the worst case.

        If hits tell nothing and the sets are not too many, all sets are the only list. Else there
        is a list for each kind of ship in the fleet. After a shot, with a prior, or if hits show
        where a ship lies, such lists give no bound, and none is returned.
        """
        kernel, game = self.kernel, self.position.game
        if kernel.is_silent and len(kernel.family.sets) * game.cells <= MOST_ENTRIES:
            return [kernel.family.sets]
        shows_placement = game.label_of_kind is None
        if self.position.shots or self.prior is not None or shows_placement:
            return []
        return hidden_ship_sets(game)

    def _bracket_solution(self) -> Solution:
        """Return the bracket of an unfinished search for the worst case or for within=K."""
        is_worst = self.objective.kind == "worst"
        lower, upper = self._bracket_worst() if is_worst else self._bracket_within()
        unfinished = self._make_solution(0, (), budget=0, lower_cost=0, has_values=False)
        is_known = is_worst and lower == upper
        return replace(
            unfinished,
            total_height=None,
            worst=upper if is_known else None,
            finished=None,
            lower=lower,
            upper=upper,
            is_exact=False,
            best_shots=(),
        )

    def _bracket_within(self) -> tuple[int, int]:
        """Return bounds of the weight that a strategy can finish within K shots."""
        weight, frontier = self.kernel.weight(self.kernel.root), self.watch.frontier
        if frontier is None:
            return 0, weight
        return weight - frontier.upper, weight - frontier.lower

    def _bracket_worst(self) -> tuple[int, int]:
        """Return a lower and an upper bound of the number of shots in the worst case.

        `watch.frontier` becomes the search that has a strategy for the upper bound, or None.
        """
        kernel, frontier = self.kernel, self.watch.frontier
        misses = self._worst_misses_upper
        if frontier is not None and frontier.upper < FORBIDDEN:
            misses, self._feasible_frontier = frontier.state.budget, frontier
            self._worst_misses_upper = misses
        elif misses is None:  # shoot every cell that can have a ship
            cells = len(kernel.shots(kernel.root._replace(budget=0)))
            cells += kernel.free_hits(kernel.root).bit_count()
            misses = max(0, cells - kernel.cells_left)
        self.watch.frontier = self._feasible_frontier
        return kernel.cells_left + self._worst_misses_lower, kernel.cells_left + misses

    def _search_mean(self, parallel: Parallel | None, partial: bool) -> Solution:
        """Search for the strategy with the least mean.

        If the search may be cut short, it begins with the upper bounds that rules give.
        """
        limit = self._limit
        is_long = limit is not None or (partial and len(self.kernel.root.family) > QUICK_FAMILY)
        if is_long and self._greedy_misses is None:
            self.watch.tick()
            self._greedy_misses = self.kernel.greedy_misses()
            self.watch.tick()
        frontier = self.watch.frontier or BestFirstSearch(
            self.kernel, self.kernel.root, values_all_shots=self._all_shots
        )
        self.watch.frontier = frontier
        if self._greedy_misses is not None:
            frontier.add_known_strategy(first_greedy, self._greedy_misses)
        frontier.set_early_opening(limit is not None or self.kernel.has_prices)
        if is_long:  # the bracket may be the result, and these give it a good tree
            frontier.add_strategy(greedy_choice)
            self._roll_out(frontier)
        self._search_all(frontier, parallel)
        return self._make_solution(frontier.upper, self._best_cells(frontier), NO_BUDGET)

    def _bracket_after_interrupt(self) -> None:
        """Add what greedy and rollouts need as upper bounds to a search that was interrupted.

        Nothing is done if the search has them already, or if they would take long.
        """
        frontier = self.watch.frontier
        if frontier is None or self._limit is not None or self._greedy_misses is not None:
            return
        if len(self.kernel.root.family) <= QUICK_FAMILY:
            self._greedy_misses = self.kernel.greedy_misses()
            frontier.add_known_strategy(first_greedy, self._greedy_misses)
            frontier.add_strategy(greedy_choice)
            self._roll_out(frontier)

    def _roll_out(self, frontier: BestFirstSearch) -> None:
        """Use rollouts as an upper bound, if they end within a share of the time limit.

        Only the first call does anything, however it ends.
        """
        from optsearch.search.rollouts import Rollouts, can_roll_out

        is_first_call, self._may_roll_out = self._may_roll_out, False
        if is_first_call and can_roll_out(self.kernel):
            rule = Rollouts(self.kernel)
            with self.watch.in_part_of_the_time():
                frontier.add_strategy(rule)
            rule.is_watched = False

    def _first_bracket(self) -> tuple[int, int]:
        """Return a lower and an upper bound of the least misses, before the search has any.

        The upper bound is the cost of greedy if it was evaluated, else the mean cost of random
        shots.
        """
        lower = self.kernel.lower_bound(self.kernel.root)
        if self._greedy_misses is not None:
            upper = self._greedy_misses
        elif self.kernel.is_silent:
            upper = total_misses_by_chance(self.kernel.family)
        else:
            misses = shots_by_chance(self.position) - self.kernel.cells_left
            upper = floor(misses * self.kernel.weight(self.kernel.root))
        return min(lower, upper), upper

    def _best_cells(self, frontier: BestFirstSearch) -> list[int]:
        """List the best first shots, and their images under the symmetries of the position."""
        mask = 0
        for cell in frontier.best_cells:
            mask |= self.kernel.orbit(cell)
        return list(bits(mask))

    def _search_all(self, frontier: BestFirstSearch, parallel: Parallel | None) -> None:
        """Search until every first shot is decided, in this process or by the workers."""
        self.watch.frontier = frontier
        if parallel is None:
            search_here(frontier, self.watch)
        else:
            self._team.search(frontier, parallel, collect=self._disk is not None)

    def _make_solution(
        self,
        cost: int,
        best_cells: Sequence[int],
        budget: int,
        lower_cost: int | None = None,
        is_settled: bool = True,
        has_values: bool = True,
    ) -> Solution:
        """Return the solution for what the search has found.

        cost -- of the best strategy, as the kernel counts it. best_cells -- the best first shots;
        certain hits are added to them. budget -- the misses allowed, for worst and within.
        has_values -- False leaves out the values of all first shots.

        If there is no frontier to ask: lower_cost -- a lower bound of the cost; None if it is
        `cost`. is_settled -- True if every first shot is decided.
        """
        game, weight = self.position.game, self.kernel.weight(self.kernel.root)
        kind = self.objective.kind
        certain = self.kernel.free_hits(self.kernel.root)
        cells = sorted({*best_cells, *bits(certain)})
        total = self.watch.certain_cost + cost
        frontier = self.watch.frontier
        if frontier is not None:
            decided, first_shots = frontier.decided_counts
            lower_cost, is_settled = frontier.lower, decided == first_shots
        lower = total if lower_cost is None else self.watch.certain_cost + lower_cost
        is_exact = is_settled or kind != "mean"
        has_height = kind == "worst" or (kind == "mean" and lower == total)
        return Solution(
            position=self.position,
            prior=self.prior,
            method="solver",
            total_height=total if has_height else None,
            configurations=weight,
            best_shots=tuple(game.cell(cell) for cell in cells) if is_exact else (),
            nodes=self.kernel.nodes + self.watch.remote_nodes,
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
            shot_values=self._shot_values(cost, budget) if self._all_shots and has_values else (),
            _tree=self.tree,
            _greedy=self._greedy if kind == "mean" and is_exact else None,
        )

    def _shot_values(self, cost: int, budget: int) -> tuple[ShotValue, ...]:
        """Return the value of every first shot; cost, budget -- as in `_make_solution`."""
        if self.objective.kind == "mean":
            return bracketed_values(self.position, self.kernel, self.watch.frontier)
        return budgeted_values(self.position, self.kernel, cost, budget)

    def _require_possible(self, solution: Solution) -> None:
        """Raise TableError if a solution has fewer misses than any strategy can have.

        Its mean is compared with lower bounds for which no table is used.
        """
        if self.objective.kind != "mean" or not self.kernel.is_silent:
            return
        leaves = Counter(self.kernel.family.weights)
        bounds = {
            "leaf counting": leaf_counting_misses(leaves, self.kernel.cells_left),
            "the bounds of the whole game": self.watch.proved_misses,
        }
        for argument, misses in bounds.items():
            minimum = self.watch.certain_cost + misses
            if solution.upper is not None and solution.upper < minimum:
                raise self._table_error(f"the total {solution.upper}", f"{minimum} by {argument}")

    def _table_error(self, claim: str, fact: str) -> TableError:
        """Return the error that a claim contradicts a fact, so that the table must be wrong."""
        where = f"the table {self._disk_folder}" if self._disk_folder else "the table in memory"
        return TableError(
            f"{claim} of {self.position.game} contradicts {fact}: {where} holds a value "
            "that is wrong; use another folder"
        )

    @property
    def found(self) -> Solution:
        """Return the result of the last search; if there was none, search for the optimum."""
        return self.search() if self._solution is None else self._solution

    def least_cost(self, state: Subfamily, limit: Limit | None = None) -> tuple[int, bool]:
        """Return the least misses of a state, and True; at the limit a lower bound, and False.

        It is for the mean. States with few sets are solved even at the limit.
        """
        with self._lock:
            is_easy = len(state.family) <= self.kernel.easy_size
            state_limit = None if is_easy else limit
            try:
                if state_limit is not None:
                    state_limit.check()
                with self.watch.limited(state_limit):
                    return self.kernel.solve(state), True
            except LimitReached:
                return self.kernel.lower_bound(state), False

    def leave_disk(self) -> None:
        """Use the table in memory alone from now on."""
        self.kernel.use_disk(None)
        self._disk = None

    def _greedy(self) -> tuple[tuple[Cell, ...], int]:
        """Return the most probable cells, and the least total height if one of them is shot now.

        Raises TableError if that is less than the optimum.
        """
        root = self.kernel.root
        with self._lock:
            solution = self._solution
            assert solution is not None
            optimum, best_shots = solution.total_height, solution.best_shots
            assert optimum is not None
            indices = self.kernel.greedy_shots(root)
            cells = tuple(map(self.position.game.cell, indices))
            if not cells or any(cell in best_shots for cell in cells):
                return cells, optimum
            least_cost = FORBIDDEN
            for index in indices:
                cost = self.kernel.cost_of_shot(root, index, least_cost)
                least_cost = min(least_cost, cost)
            total = self.watch.certain_cost + least_cost
            if total < optimum:
                raise self._table_error(f"the optimum {optimum}", f"{total} by a greedy strategy")
        return cells, total

    def misses_of(self, indices: Sequence[int], limit: int) -> int:
        """Return the least misses of some configurations if below the limit, else a bound >= limit.

        indices -- the configurations by their indices in `kernel.sets`, ascending.
        """
        family = np.array(indices, np.int32)
        with self._lock:
            return self.kernel.solve(Subfamily(family, self.position.hits), limit)

    # The tree

    def tree(self) -> DecisionTree:
        """Return an optimal decision tree, or the best one found if the search was cut short.

        Of several optimal trees it is the one whose shots the search tries first.
        """
        with self._lock:
            solution = self.found
            if not solution.is_exact:
                return DecisionTree(self.position, self._best_found(), prior=self._prior_digest)
            root = self.kernel.root
            if self.objective.kind == "worst":
                root = root._replace(budget=(solution.worst or 0) - self.kernel.cells_left)
            elif self.objective.kind == "within":
                root = root._replace(budget=(self.objective.shots or 0) - self.kernel.cells_left)
            try:
                tree_root = grow_tree(self.kernel, root, partial(best_cell, self.kernel))
                tree = DecisionTree(self.position, tree_root, prior=self._prior_digest)
            except StopIteration:  # no shot of some state has the cost that the table has for it
                optimum = f"the optimum {solution.total_height or solution.finished}"
                raise self._table_error(optimum, "every shot of a position below") from None
            if self.objective.kind == "mean" and tree.total_height != solution.total_height:
                height = f"{tree.total_height} of its tree"
                raise self._table_error(f"the optimum {solution.total_height}", height)
            return tree

    def _best_found(self) -> Node | Leaf:
        """Return the best tree found before the search was cut short; NotSupported if none was."""
        if self.watch.frontier is not None:
            return self.watch.frontier.strategy()
        if self._worst_case_rule is not None:
            root = self.kernel.root._replace(budget=self._worst_misses_upper or 0)
            return grow_tree(self.kernel, root, partial(self._worst_case_rule, self.kernel))
        if self._greedy_misses is None:
            raise NotSupported(
                f"no strategy for {self.position.game} was evaluated in that time, so there is no "
                "tree; give more time"
            )
        return grow_tree(self.kernel, self.kernel.root, partial(first_greedy, self.kernel))

    @property
    def _prior_digest(self) -> str:
        return "" if self.prior is None else self.prior.digest


def table_name(game: Game, prior: Prior | None) -> str:
    """Return the name of the table on disk of a game."""
    if prior is None:
        return f"the solver's table of {game}"
    prior.require_digest("a table")
    return f"the solver's table of {game}, prior {prior.digest}"


def _make_solver(time_limit: float | None, *arguments: Any) -> tuple[Solver, float | None]:
    """Return a solver that has listed its configurations, and the seconds left for its search.

    time_limit -- seconds for both; None for no limit. arguments -- those of `Solver`. Raises
    TooLarge if the listing takes longer than the limit.
    """
    limit = Limit(time_limit)
    try:
        with limit.alarm():
            solver = Solver(*arguments)
    except LimitReached as reached:
        if reached.limit is not limit:
            raise
        raise TooLarge(
            f"the configurations of {arguments[0].game} were not listed within {limit}"
        ) from None
    return solver, limit.seconds_left


def solve(
    position: Position | Game | str,
    *,
    shots: str = "",
    objective: Objective | str = MEAN,
    options: SolverOptions = DEFAULT,
    table: Path | str | None = None,
    executor: Executor | None = None,
    workers: int = 2,
    time_limit: float | None = None,
    partial: bool = False,
    all_shots: bool = False,
    progress: Progress[SearchStatus] = no_progress,
    prior: Prior | None = None,
) -> Solution:
    """Return the exact optimum of a position, or a bracket of it.

    position -- a position, or a game or its text, such as `4x5:2,3,4`. shots -- earlier shots, as
    in `A2=hit B3=miss`. objective -- an objective, or its text: `mean`, `worst` or `within=K`.
    table -- folder of a transposition table on disk, made if it does not exist; a run that was
    killed resumes from its last write. executor -- any `concurrent.futures.Executor`; it gets
    `workers` tasks at a time, and the result does not depend on it. time_limit -- seconds, after
    which the bracket proved so far is returned. partial -- True returns that after ctrl-C too.
    all_shots -- True also finds the optimum after each first shot, or a bracket of it. prior -- the
    weights of the configurations, for announce=nothing; the result adds up weights instead of
    configurations, and a table on disk belongs to the prior. If the fleet is not known, the mean is
    solved in this process without a limit, and of the options only `memory` counts.
    Raises as Solver, and TableError.
    """
    position, objective = any_position(position, shots), Objective.of(objective)
    if isinstance(position, MixedPosition):
        position.game.refuse_options(
            objective=objective != MEAN,
            table=table,
            executor=executor,
            time_limit=time_limit is not None,
            all_shots=all_shots,
        )
        return solve_mixed(position, prior, options.memory)
    parallel = None if executor is None else Parallel(executor, workers)
    if table is None:
        solver, seconds_left = _make_solver(
            time_limit, position, options, None, progress, objective, all_shots, prior
        )
        return solver.search(seconds_left, parallel, partial)
    with Integers(table, table_name(position.game, prior)) as disk:
        solver, seconds_left = _make_solver(
            time_limit, position, options, disk, progress, objective, all_shots, prior
        )
        solution = solver.search(seconds_left, parallel, partial)
        solution = replace(solution, disk_entries=len(disk), disk_bytes=disk.store.size)
        solver.leave_disk()  # the tree is made later, from the table in memory
    return solution
