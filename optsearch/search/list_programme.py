"""The best list of cells to shoot until the first hit, by a mixed-integer programme.

The list is cut after each of the `counts` of shots; a cut is a *step* t. The columns of the
programme are `shot[t, c]`, which is 1 if cell c is among the first `counts[t]` shots, and
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
from typing import Any

import highspy
import numpy as np
from numpy.typing import NDArray

from optsearch.support.errors import TooLarge
from optsearch.support.highs import Programme

MOST = 1 << 21  # entries of the matrix: more take minutes to be solved
MOST_WEIGHT = 1 << 26  # of all sets over all counts, so that a double has the sum to 1/1000
ERROR = 1 / 16  # of a bound by HiGHS, at most
BETWEEN_TICKS = 0.05  # seconds

Row = tuple[Any, Any, float, float]  # columns, their factors, the least and the greatest sum


def best_list(
    has: NDArray[np.bool_],
    weights: NDArray[np.int64],
    counts: Sequence[int],
    meets_all: bool,
    below: int,
    tick: Callable[[], None],
) -> list[int] | None:
    """Return the list of cells of least cost, in the order of shots; None if none costs < `below`.

    The cost of a list is the weight of the sets that its first k cells do not meet, summed over all
    k in `counts`.

    has -- has[s, c] is True if set s has cell c. counts -- numbers of shots, ascending.
    meets_all -- True if the last of these numbers of shots must meet every set. tick -- called
    while HiGHS runs; may raise. Raises TooLarge.
    """
    sets, cells = has.shape
    times = len(counts)
    if times * int(has.sum()) > MOST or times * int(weights.sum()) > MOST_WEIGHT:
        raise TooLarge(
            f"{sets:,} sets of cells in {times} shots, of weight {int(weights.sum()):,}, are too "
            f"many for an exact list of shots; at most {MOST:,} cells of sets and shots together, "
            f"and a weight of {MOST_WEIGHT:,}, are solved. bounds brackets the optimum"
        )
    shot = np.arange(times * cells).reshape(times, cells)
    left = shot.size + np.arange(times * sets).reshape(times, sets)
    costs = np.tile(weights, times)
    infinity = highspy.kHighsInf
    rows: list[Row] = []
    for t, count in enumerate(counts):
        rows.append((shot[t], [1.0] * cells, 0, count))
        for s in range(sets):
            met = [left[t, s], *shot[t][has[s]]]
            rows.append((met, [1.0] * len(met), 1, infinity))
        if t:
            rows += [
                ([this_step, before], [1.0, -1.0], 0, infinity)
                for before, this_step in shot[t - 1 : t + 1].T
            ]
    if below < costs.sum():
        rows.append((left.ravel(), costs, 0, below - 1))
    upper = np.ones(left.max() + 1)
    upper[left[-1]] = 0 if meets_all else 1
    programme = _programme(np.r_[np.zeros(shot.size), costs], upper, shot.size, rows)
    status = _run(programme, tick)
    if status == highspy.HighsModelStatus.kInfeasible:
        return None
    if status != highspy.HighsModelStatus.kOptimal:
        raise ArithmeticError(f"HiGHS ended with {status.name}")
    is_shot = np.array(programme.getSolution().col_value[: shot.size]).reshape(times, cells) > 0.5
    number_left = [int(weights[~has[:, row].any(axis=1)].sum()) for row in is_shot]
    bound = ceil(programme.getInfo().mip_dual_bound - ERROR)
    if sum(number_left) != bound or (meets_all and number_left[-1]):
        raise ArithmeticError(f"the list of HiGHS costs {sum(number_left)}, its bound is {bound}")
    having = weights @ has
    when = np.where(is_shot.any(axis=0), is_shot.argmax(axis=0), times)
    return sorted(np.flatnonzero(when < times).tolist(), key=lambda c: (when[c], -having[c], c))


def _programme(
    costs: NDArray[np.float64], upper: NDArray[np.float64], integers: int, rows: list[Row]
) -> Programme:
    """Return the programme of these rows; the first columns, `integers` of them, are integers."""
    programme = Programme()
    programme.setOptionValue("mip_rel_gap", 0.0)
    programme.setOptionValue("mip_abs_gap", 1 - 2 * ERROR)  # costs are integers
    number = len(costs)
    programme.addVars(number, np.zeros(number), upper)
    programme.changeColsCost(number, np.arange(number, dtype=np.int32), costs)
    kinds = np.full(integers, highspy.HighsVarType.kInteger)
    programme.changeColsIntegrality(integers, np.arange(integers, dtype=np.int32), kinds)
    indices, values, lowest, highest = zip(*rows, strict=True)
    starts = np.cumsum([0, *map(len, indices)])
    programme.addRows(
        len(rows),
        np.array(lowest, float),
        np.array(highest, float),
        int(starts[-1]),
        starts[:-1].astype(np.int32),
        np.concatenate(indices).astype(np.int32),
        np.concatenate(values).astype(float),
    )
    return programme


def _run(programme: Programme, tick: Callable[[], None]) -> highspy.HighsModelStatus:
    """Run a programme in a thread; if `tick` raises, or at ctrl-C, stop it."""
    programme.HandleUserInterrupt = True
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(programme.run)
        try:
            while not wait([running], BETWEEN_TICKS).done:
                tick()
        except BaseException:
            programme.cancelSolve()  # type: ignore[no-untyped-call]
            raise
    return programme.getModelStatus()
