"""The best list of cells to shoot until the first hit, by a mixed-integer programme.

The list is cut after each of the `shot_counts` of shots; a cut is a *step* t. The columns of the
programme are `shot[t, c]`, which is 1 if cell c is among the first `shot_counts[t]` shots, and
`missed[t, s]`, at least 1 if none of these shots meets set s. The programme finds the least sum of
weight[s] · missed[t, s]. With one count this is a maximum coverage; with the counts 1, 2, … and all
sets met in the end, it is a minimum sum set cover.

HiGHS computes in floating point. So its list is replayed in integers here, and must cost exactly
the lower bound of HiGHS, rounded up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from math import ceil
from typing import Any, NamedTuple

import highspy
import numpy as np
from numpy.typing import NDArray

from optsearch.support.errors import TooLarge
from optsearch.support.highs import Programme

MAX_ENTRIES = 1 << 21  # of the matrix: more take minutes to be solved
MAX_WEIGHT = 1 << 26  # of all sets over all counts, so that a double has the sum to 1/1000
MAX_ERROR = 1 / 16  # of a bound by HiGHS
SECONDS_BETWEEN_TICKS = 0.05  # seconds
INFINITY = highspy.kHighsInf


class Constraint(NamedTuple):
    """A row of the programme: lowest <= sum of factors[i] · columns[i] <= highest."""

    columns: Any
    factors: Any
    lowest: float
    highest: float


def best_list(
    has_cell: NDArray[np.bool_],
    weights: NDArray[np.int64],
    shot_counts: Sequence[int],
    must_meet_all: bool,
    limit: int,
    tick: Callable[[], None],
) -> list[int] | None:
    """Return the list of cells of least cost, in the order of shots; None if none costs < `limit`.

    The cost of a list is the weight of the sets that its first k cells do not meet, summed over all
    k in `shot_counts`.

    has_cell -- has_cell[s, c] is True if set s has cell c. shot_counts -- ascending. must_meet_all
    -- True if the last of these numbers of shots must meet every set. tick -- called while HiGHS
    runs; may raise. Raises TooLarge.
    """
    sets, cells = has_cell.shape
    steps = len(shot_counts)
    if steps * int(has_cell.sum()) > MAX_ENTRIES or steps * int(weights.sum()) > MAX_WEIGHT:
        raise TooLarge(
            f"{sets:,} sets of cells in {steps} shots, of weight {int(weights.sum()):,}, are too "
            f"many for an exact list of shots; at most {MAX_ENTRIES:,} cells of sets and shots "
            f"together, and a weight of {MAX_WEIGHT:,}, are solved. bounds brackets the optimum"
        )
    # The numbers of the columns, by step and cell, and by step and set.
    shot_columns = np.arange(steps * cells).reshape(steps, cells)
    missed_columns = shot_columns.size + np.arange(steps * sets).reshape(steps, sets)
    costs = np.tile(weights, steps)
    constraints = _list_constraints(shot_columns, missed_columns, has_cell, shot_counts)
    if limit < costs.sum():
        constraints.append(Constraint(missed_columns.ravel(), costs, 0, limit - 1))
    upper = np.ones(missed_columns.max() + 1)
    upper[missed_columns[-1]] = 0 if must_meet_all else 1
    programme = _build_programme(
        costs=np.r_[np.zeros(shot_columns.size), costs],
        upper=upper,
        integers=shot_columns.size,
        constraints=constraints,
    )
    status = _run_programme(programme, tick)
    if status == highspy.HighsModelStatus.kInfeasible:
        return None
    if status != highspy.HighsModelStatus.kOptimal:
        raise ArithmeticError(f"HiGHS ended with {status.name}")
    shot_values = np.array(programme.getSolution().col_value[: shot_columns.size])
    is_shot = shot_values.reshape(steps, cells) > 0.5
    # The replay of the list in integers: the weight missed at each step.
    missed_weights = [int(weights[~has_cell[:, row].any(axis=1)].sum()) for row in is_shot]
    bound = ceil(programme.getInfo().mip_dual_bound - MAX_ERROR)
    if sum(missed_weights) != bound or (must_meet_all and missed_weights[-1]):
        raise ArithmeticError(
            f"the list of HiGHS costs {sum(missed_weights)}, its bound is {bound}"
        )
    return _order_cells(is_shot, weights @ has_cell)


def _list_constraints(
    shot_columns: NDArray[np.int64],
    missed_columns: NDArray[np.int64],
    has_cell: NDArray[np.bool_],
    shot_counts: Sequence[int],
) -> list[Constraint]:
    """Return the constraints of the integer programme for the best list of shots.

    There is a step for each number in `shot_counts`: so many cells at most are shot. shot_columns
    -- the column of the programme for each step and cell. missed_columns -- for each step and set.
    has_cell -- has_cell[s, c] is True if set s has cell c.
    """
    constraints: list[Constraint] = []
    for step, count in enumerate(shot_counts):
        step_columns = shot_columns[step]
        constraints.append(Constraint(step_columns, [1.0] * len(step_columns), 0, count))
        for set_index, is_cell_of_set in enumerate(has_cell):
            # The set is missed, or one of its cells is shot.
            columns = [missed_columns[step, set_index], *step_columns[is_cell_of_set]]
            constraints.append(Constraint(columns, [1.0] * len(columns), 1, INFINITY))
        if step:  # a cell that was shot at the step before counts as shot now
            for shot_before, shot_now in zip(shot_columns[step - 1], step_columns, strict=True):
                constraints.append(Constraint([shot_now, shot_before], [1.0, -1.0], 0, INFINITY))
    return constraints


def _order_cells(is_shot: NDArray[np.bool_], weight_by_cell: NDArray[np.int64]) -> list[int]:
    """Return the cells of a list in the order of its shots; is_shot -- by step and cell.

    Cells come by the first step at which they are shot; within a step the heaviest comes first.
    """
    steps = len(is_shot)
    first_step = np.where(is_shot.any(axis=0), is_shot.argmax(axis=0), steps)
    cells = np.flatnonzero(first_step < steps).tolist()
    return sorted(cells, key=lambda cell: (first_step[cell], -weight_by_cell[cell], cell))


def _build_programme(
    costs: NDArray[np.float64],
    upper: NDArray[np.float64],
    integers: int,
    constraints: list[Constraint],
) -> Programme:
    """Return the integer programme in the form that HiGHS solves.

    costs, upper -- the cost and the greatest value of each column; the least is 0. integers -- the
    number of columns, from the first on, that are integers.
    """
    programme = Programme()
    programme.setOptionValue("mip_rel_gap", 0.0)
    programme.setOptionValue("mip_abs_gap", 1 - 2 * MAX_ERROR)  # costs are integers
    count = len(costs)
    programme.addVars(count, np.zeros(count), upper)
    programme.changeColsCost(count, np.arange(count, dtype=np.int32), costs)
    types = np.full(integers, highspy.HighsVarType.kInteger)
    programme.changeColsIntegrality(integers, np.arange(integers, dtype=np.int32), types)
    # HiGHS takes all rows in one array, and the index at which each begins.
    columns, factors, lowest, highest = zip(*constraints, strict=True)
    starts = np.cumsum([0, *map(len, columns)])
    programme.addRows(
        len(constraints),
        np.array(lowest, float),
        np.array(highest, float),
        int(starts[-1]),
        starts[:-1].astype(np.int32),
        np.concatenate(columns).astype(np.int32),
        np.concatenate(factors).astype(float),
    )
    return programme


def _run_programme(programme: Programme, tick: Callable[[], None]) -> highspy.HighsModelStatus:
    """Run a programme in a thread, and return how it ended.

    tick -- called until the programme ends. If it raises, or at ctrl-C, the programme is stopped.
    """
    programme.HandleUserInterrupt = True
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(programme.run)
        try:
            while not wait([running], SECONDS_BETWEEN_TICKS).done:
                tick()
        except BaseException:
            programme.cancelSolve()  # type: ignore[no-untyped-call]
            raise
    return programme.getModelStatus()
