"""The matrix game between orbits and trees: solved in floating point, then exactly.

A row is a tree: what it pays on each orbit, summed over the orbit's hidings. With sizes s of the
orbits, weights y of single hidings and probabilities x of trees,

    hider    largest v with  sum_o y_o row_t[o] >= v  for every tree t,    sum_o s_o y_o = 1, y >= 0
    shooter  least v with    sum_t x_t row_t[o] <= v s_o  for every orbit o,   sum_t x_t = 1, x >= 0

The second is the dual of the first, and both have a vertex as their solution. The simplex method
finds which inequalities are tight there; the vertex itself is the solution of these as equations,
which is exact in rational numbers. It is believed only after all inequalities have been checked in
rational numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd

import highspy
import numpy as np
from numpy.typing import NDArray

from optsearch.support.highs import Programme

Rows = Sequence[Sequence[int]]
Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
TIGHT = 1e-7
PRECISE = 1e-10  # what the inequalities of a programme may miss, the least that is accepted
STEPS = 150
LEAST_SCALE = 1e-3  # of the mean probability
INFINITY = float("inf")


class HiderProgramme:
    """The hider's programme over the trees so far; each solution starts from the one before."""

    def __init__(self, sizes: NDArray[np.int64]):
        self.sizes = sizes
        orbits = len(sizes)
        self._solver = Programme()
        for side in ("primal", "dual"):
            self._solver.setOptionValue(f"{side}_feasibility_tolerance", PRECISE)
        costs, lower = np.zeros((2, orbits + 1))
        costs[-1], lower[-1] = -1.0, -INFINITY  # the value is the last one
        none = np.array([], np.int32)
        self._solver.addCols(
            *(orbits + 1, costs, lower, np.full(orbits + 1, INFINITY)),
            *(0, none, none, np.array([], np.float64)),
        )
        self._columns = np.arange(orbits + 1, dtype=np.int32)
        self._room = np.zeros((64, orbits))
        self._trees = 0
        self._add(np.r_[np.ones(orbits), 0.0], 1.0, 1.0)

    def _add(self, row: Vector, lower: float, upper: float) -> None:
        self._solver.addRow(lower, upper, len(row), self._columns, row)

    def add(self, row: Sequence[int]) -> None:
        """Add the row of a tree."""
        if self._trees == len(self._room):
            self._room = np.vstack([self._room, np.zeros_like(self._room)])
        pays = self._room[self._trees]
        pays[:] = np.array(row) / self.sizes
        self._trees += 1
        self._add(np.r_[pays, -1.0], 0.0, INFINITY)

    @property
    def pays(self) -> Matrix:
        """The mean that each tree pays on a hiding of each orbit; shape (trees, orbits)."""
        return self._room[: self._trees]

    def mix(self) -> Vector:
        """Return the best mix of the hider, a probability for each orbit."""
        self._solve()
        return _probabilities(self._solver.getSolution().col_value[:-1])

    def shooter(self) -> Vector:
        """Return the best mix of the shooter: the prices of the rows of the trees."""
        self._solve()
        return _probabilities(self._solver.getSolution().row_dual[1:])

    def vertex(self) -> tuple[list[int], list[int]]:
        """Return the orbits that the hider uses at the vertex, and as many trees tight there."""
        self._solve()
        basis, basic = self._solver.getBasis(), highspy.HighsBasisStatus.kBasic
        orbits = [o for o, status in enumerate(basis.col_status[:-1]) if status == basic]
        trees = [t for t, status in enumerate(basis.row_status[1:]) if status != basic]
        return orbits, trees

    def _solve(self) -> None:
        self._solver.run()
        if self._solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:  # never
            raise ArithmeticError("the linear programme was not solved")


def _probabilities(values: Sequence[float]) -> Vector:
    mix = np.maximum(values, 0)
    return np.asarray(mix / mix.sum())


def nearest(pays: Matrix, centre: Vector, level: float) -> Vector:
    """Return a mix of the hider near `centre` against which each tree pays about `level` or more.

    The distance is the sum of squares over the probabilities of `centre`. `STEPS` steps (Nesterov
    1983) raise the dual of that programme; any mix will do, so it need not be exact.
    """
    scale = np.sqrt(np.maximum(centre, LEAST_SCALE / len(centre)))
    even = scale / np.linalg.norm(scale)
    limits = np.vstack([pays * scale, np.diag(scale)])
    limits -= np.outer(limits @ even, even)  # probabilities go on to add up to 1
    goals = np.r_[level - pays @ centre, -centre]
    norms = np.linalg.norm(limits, axis=1)
    is_used = norms > TIGHT
    limits, goals = limits[is_used] / norms[is_used, None], goals[is_used] / norms[is_used]
    steepest = np.linalg.eigvalsh(limits.T @ limits)[-1]
    prices = ahead = np.zeros(len(goals))
    inertia = 1.0
    for _ in range(STEPS):
        slope = goals - limits @ (limits.T @ ahead)
        raised = np.maximum(0, ahead + slope / steepest)
        if slope @ (raised - prices) < 0:
            inertia = 1.0
        next_inertia = (1 + np.sqrt(1 + 4 * inertia**2)) / 2
        ahead = raised + (inertia - 1) / next_inertia * (raised - prices)
        prices, inertia = raised, next_inertia
    mix = np.maximum(0, centre + scale * (limits.T @ prices))
    return np.asarray(mix / mix.sum())


# Exactly


def exact_hider(
    rows: Rows, sizes: Sequence[int], orbits: Sequence[int], trees: Sequence[int]
) -> list[int] | None:
    """Return the hider's integer weights, one per orbit, at the vertex of some orbits and trees.

    None if the equations do not have exactly one solution, or a weight is negative.
    """
    equations = [[*(rows[t][o] for o in orbits), -1, 0] for t in trees]
    equations.append([*(sizes[o] for o in orbits), 0, 1])
    solution = _solution(equations)
    if solution is None or min(solution[:-1]) < 0:
        return None
    weights = [0] * len(sizes)
    for o, weight in zip(orbits, integers(solution[:-1]), strict=True):
        weights[o] = weight
    return weights


def exact_shooter(
    rows: Rows, sizes: Sequence[int], orbits: Sequence[int], trees: Sequence[int]
) -> list[Fraction] | None:
    """Return the shooter's probability of each tree at the vertex of some orbits and trees.

    None if the equations do not have exactly one solution, or a probability is negative.
    """
    # The unknowns are the probabilities and the mean v: on each orbit they pay v per hiding.
    equations = [[*(rows[tree][orbit] for tree in trees), -sizes[orbit], 0] for orbit in orbits]
    equations.append([*[1] * len(trees), 0, 1])
    solution = _solution(equations)
    if solution is None or min(solution[:-1]) < 0:
        return None
    mix = [Fraction(0)] * len(rows)
    for tree, probability in zip(trees, solution[:-1], strict=True):
        mix[tree] = probability
    return mix


def greatest_pay(rows: Rows, sizes: Sequence[int], mix: Sequence[Fraction]) -> Fraction:
    """Return the mean that a mix of trees pays against the orbit that is worst for it."""
    played = [(p, row) for p, row in zip(mix, rows, strict=True) if p]
    return max(sum((p * row[o] for p, row in played), Fraction(0)) / s for o, s in enumerate(sizes))


def round_mix(mix: Vector, scale: int) -> list[Fraction]:
    """Return a mix of rational numbers near one of floating-point numbers."""
    weights = [round(scale * p) for p in mix.tolist()]
    return [Fraction(weight, sum(weights)) for weight in weights]


def integers(numbers: Sequence[Fraction]) -> list[int]:
    """Return the least whole numbers in the same proportions."""
    scale = 1
    for number in numbers:
        scale *= number.denominator // gcd(scale, number.denominator)
    scaled = [int(number * scale) for number in numbers]
    common = gcd(*scaled) or 1
    return [number // common for number in scaled]


def _solution(equations: Sequence[Sequence[int]]) -> list[Fraction] | None:
    """Return the only solution of linear equations, or None; the last column is the right side.

    By elimination without fractions: each new equation is freed of the unknowns that are solved
    for, and divided by the common divisor of its numbers.
    """
    unknowns = len(equations[0]) - 1
    solved: list[tuple[int, list[int]]] = []  # the unknown that each equation is solved for
    for equation in equations:
        row = list(equation)
        for column, other in solved:
            if row[column]:
                pairs = zip(row, other, strict=True)
                row = _reduced([other[column] * a - row[column] * b for a, b in pairs])
        column = next((i for i, value in enumerate(row[:-1]) if value), -1)
        if column >= 0:
            solved.append((column, _reduced(row)))
        elif row[-1]:
            return None
    if len(solved) < unknowns:
        return None
    values: dict[int, Fraction] = {}
    for column, row in reversed(solved):
        others = sum((row[i] * value for i, value in values.items()), Fraction(0))
        values[column] = (row[-1] - others) / row[column]
    return [values[i] for i in range(unknowns)]


def _reduced(row: list[int]) -> list[int]:
    common = gcd(*row)
    return [value // common for value in row] if common > 1 else row
