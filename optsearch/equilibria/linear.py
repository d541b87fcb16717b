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
from math import gcd, lcm

import highspy
import numpy as np
from numpy.typing import NDArray

from optsearch.support.highs import Programme

Payments = Sequence[Sequence[int]]  # of each tree on each orbit, summed over its hidings
Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
LEAST_NORM = 1e-7
PRECISE = 1e-10  # what the inequalities of a programme may miss, the least that is accepted
NESTEROV_STEPS = 150
LEAST_SCALE = 1e-3  # of the mean probability
INFINITY = float("inf")


class HiderProgramme:
    """The linear programme for the hider's best mix against the trees so far.

    It maximizes the value v, so that each tree pays v or more on average. The unknowns are the
    probability of each orbit and v; the first row says that the probabilities add up to 1, and each
    tree has a further row. Each solution starts from the one before.

    orbit_sizes -- the number of hidings of each orbit.
    """

    def __init__(self, orbit_sizes: NDArray[np.int64]):
        self.orbit_sizes = orbit_sizes
        orbit_count = len(orbit_sizes)
        self._solver = Programme()
        for side in ("primal", "dual"):
            self._solver.setOptionValue(f"{side}_feasibility_tolerance", PRECISE)
        costs, lower_limits = np.zeros((2, orbit_count + 1))
        costs[-1], lower_limits[-1] = -1.0, -INFINITY  # the value is the last unknown
        upper_limits = np.full(orbit_count + 1, INFINITY)
        no_indices, no_values = np.array([], np.int32), np.array([], np.float64)
        # Columns without entries: the rows bring these.
        self._solver.addCols(
            orbit_count + 1, costs, lower_limits, upper_limits, 0, no_indices, no_indices, no_values
        )
        self._columns = np.arange(orbit_count + 1, dtype=np.int32)
        self._mean_payments = np.zeros((64, orbit_count))  # with rows to spare
        self._tree_count = 0
        self._add_row(np.r_[np.ones(orbit_count), 0.0], lower=1.0, upper=1.0)

    def _add_row(self, row: Vector, lower: float, upper: float) -> None:
        self._solver.addRow(lower, upper, len(row), self._columns, row)

    def add(self, payments: Sequence[int]) -> None:
        """Add a tree of the shooter to those against which the hider's mix is to be good.

        payments -- for each orbit the sum of what the tree pays on its hidings. An orbit is a set
        of symmetric hidings, which are choices of the hider.
        """
        if self._tree_count == len(self._mean_payments):
            self._mean_payments = np.vstack(
                [self._mean_payments, np.zeros_like(self._mean_payments)]
            )
        mean_payments = self._mean_payments[self._tree_count]
        mean_payments[:] = np.array(payments) / self.orbit_sizes
        self._tree_count += 1
        self._add_row(np.r_[mean_payments, -1.0], lower=0.0, upper=INFINITY)

    @property
    def mean_payments(self) -> Matrix:
        """What each tree pays on average on a hiding of each orbit; shape (trees, orbits)."""
        return self._mean_payments[: self._tree_count]

    def hider_mix(self) -> Vector:
        """Return the best mix of the hider, a probability for each orbit."""
        self._solve()
        return _normalize(self._solver.getSolution().col_value[:-1])

    def shooter_mix(self) -> Vector:
        """Return the best mix of the shooter, a probability for each tree.

        It is the prices of the rows of the trees.
        """
        self._solve()
        return _normalize(self._solver.getSolution().row_dual[1:])

    def vertex(self) -> tuple[list[int], list[int]]:
        """Return the orbits and the trees that describe the optimal vertex of the programme.

        Both are lists of indices of equal length. The orbits are those that the hider may use
        there. Against the hider's mix at the vertex each of the trees pays exactly the value.
        """
        self._solve()
        basis, basic = self._solver.getBasis(), highspy.HighsBasisStatus.kBasic
        orbits = [orbit for orbit, status in enumerate(basis.col_status[:-1]) if status == basic]
        trees = [tree for tree, status in enumerate(basis.row_status[1:]) if status != basic]
        return orbits, trees

    def _solve(self) -> None:
        self._solver.run()
        if self._solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:  # never
            raise ArithmeticError("the linear programme was not solved")


def _normalize(values: Sequence[float]) -> Vector:
    """Return values as probabilities that add up to 1; a negative value counts as 0."""
    mix = np.maximum(values, 0)
    return np.asarray(mix / mix.sum())


def nearest_mix(mean_payments: Matrix, centre: Vector, level: float) -> Vector:
    """Return a mix of the hider near `centre` against which each tree pays about `level` or more.

    A mix is a probability for each orbit, a set of symmetric choices of the hider. mean_payments --
    a row for each tree: what it pays on each orbit, on average. centre -- a mix. The distance to it
    is the sum of the squares of the differences, each divided by the probability in `centre`.

    The method is Nesterov's (1983), with `NESTEROV_STEPS` steps on the dual problem. The result
    need not be exact: any mix will do.
    """
    # With differences divided by `scale` the distance is the plain sum of squares.
    scale = np.sqrt(np.maximum(centre, LEAST_SCALE / len(centre)))
    even_direction = scale / np.linalg.norm(scale)
    # Each tree is to pay `level` or more, and each probability is to be 0 or more.
    limits = np.vstack([mean_payments * scale, np.diag(scale)])
    # Probabilities go on to add up to 1.
    limits -= np.outer(limits @ even_direction, even_direction)
    least_gains = np.r_[level - mean_payments @ centre, -centre]
    norms = np.linalg.norm(limits, axis=1)
    is_used = norms > LEAST_NORM
    limits = limits[is_used] / norms[is_used, None]
    least_gains = least_gains[is_used] / norms[is_used]
    steepest = np.linalg.eigvalsh(limits.T @ limits)[-1]
    prices = prices_ahead = np.zeros(len(least_gains))
    inertia = 1.0
    for _ in range(NESTEROV_STEPS):
        slope = least_gains - limits @ (limits.T @ prices_ahead)
        raised_prices = np.maximum(0, prices_ahead + slope / steepest)
        if slope @ (raised_prices - prices) < 0:  # against the slope: begin again from rest
            inertia = 1.0
        next_inertia = (1 + np.sqrt(1 + 4 * inertia**2)) / 2
        prices_ahead = raised_prices + (inertia - 1) / next_inertia * (raised_prices - prices)
        prices, inertia = raised_prices, next_inertia
    return _normalize(centre + scale * (limits.T @ prices))


# Exactly


def exact_hider(
    payments: Payments, orbit_sizes: Sequence[int], orbits: Sequence[int], trees: Sequence[int]
) -> list[int] | None:
    """Return the hider's optimal weights at a vertex of the linear programme, as exact integers.

    Each is the weight of a single choice in an orbit, a set of symmetric choices of the hider.
    Returns None if the equations of the vertex do not have exactly one solution, or a weight is
    negative.

    payments -- for each tree what it pays on each orbit, summed over the choices. orbit_sizes --
    choices per orbit. orbits, trees -- the vertex, as indices: the orbits used, and the trees that
    pay exactly the value.
    """
    # The unknowns are the weights and the value v: each of the trees pays v in total. At first the
    # weights of all choices add up to 1.
    equations = [[*(payments[tree][orbit] for orbit in orbits), -1, 0] for tree in trees]
    equations.append([*(orbit_sizes[orbit] for orbit in orbits), 0, 1])
    solution = _solve_equations(equations)
    if solution is None or min(solution[:-1]) < 0:
        return None
    weights = [0] * len(orbit_sizes)
    for orbit, weight in zip(orbits, least_integers(solution[:-1]), strict=True):
        weights[orbit] = weight
    return weights


def exact_shooter(
    payments: Payments, orbit_sizes: Sequence[int], orbits: Sequence[int], trees: Sequence[int]
) -> list[Fraction] | None:
    """Return the probability with which the shooter plays each tree, at a vertex, exactly.

    The vertex is a solution of the linear programme. Returns None if its equations do not have
    exactly one solution, or a probability is negative.

    payments -- for each tree what it pays on each orbit, a set of symmetric choices of the hider,
    summed over these. orbit_sizes -- choices per orbit. orbits, trees -- the vertex, as indices:
    the orbits that the hider uses, and the trees that the shooter plays.
    """
    # The unknowns are the probabilities, which add up to 1, and the value v: on each of the orbits
    # the trees pay v per choice on average.
    equations = [
        [*(payments[tree][orbit] for tree in trees), -orbit_sizes[orbit], 0] for orbit in orbits
    ]
    equations.append([*[1] * len(trees), 0, 1])
    solution = _solve_equations(equations)
    if solution is None or min(solution[:-1]) < 0:
        return None
    mix = [Fraction(0)] * len(payments)
    for tree, probability in zip(trees, solution[:-1], strict=True):
        mix[tree] = probability
    return mix


def greatest_payment(
    payments: Payments, orbit_sizes: Sequence[int], mix: Sequence[Fraction]
) -> Fraction:
    """Return what a mix of trees pays on the orbit where it pays most, as a mean.

    The mean is over the choices of the hider in the orbit.

    payments -- for each tree what it pays on each orbit, a set of symmetric choices, summed over
    these. orbit_sizes -- the number of choices in each orbit. mix -- a probability for each tree.
    """
    played_trees = [(share, paid) for share, paid in zip(mix, payments, strict=True) if share]
    return max(
        sum((share * paid[orbit] for share, paid in played_trees), Fraction(0)) / orbit_size
        for orbit, orbit_size in enumerate(orbit_sizes)
    )


def round_mix(mix: Vector, scale: int) -> list[Fraction]:
    """Return a mix of rational numbers near one of floating-point numbers.

    scale -- the probabilities are rounded to multiples of 1/scale before they are made to add up.
    """
    weights = [round(scale * probability) for probability in mix.tolist()]
    return [Fraction(weight, sum(weights)) for weight in weights]


def least_integers(numbers: Sequence[Fraction]) -> list[int]:
    """Return the least integers with the proportions of some fractions of 0 or more."""
    denominator = lcm(*(number.denominator for number in numbers))
    scaled = [int(number * denominator) for number in numbers]
    common = gcd(*scaled) or 1
    return [number // common for number in scaled]


def _solve_equations(equations: Sequence[Sequence[int]]) -> list[Fraction] | None:
    """Return the solution of linear equations, or None if there is not exactly one.

    equations -- for each the coefficients of the unknowns, and its right side at the end.

    Fractions are used only at the end. Before that, the unknowns that are solved for are taken out
    of each new equation, and its integers are divided by their common divisor.
    """
    unknown_count = len(equations[0]) - 1
    # Each with the unknown that it is solved for.
    solved_equations: list[tuple[int, list[int]]] = []
    for equation in equations:
        coefficients = list(equation)
        for unknown, solved_equation in solved_equations:
            if coefficients[unknown]:
                factor, solved_factor = solved_equation[unknown], coefficients[unknown]
                pairs = zip(coefficients, solved_equation, strict=True)
                coefficients = _divide_by_gcd(
                    [factor * number - solved_factor * solved for number, solved in pairs]
                )
        pivot = next((i for i, coefficient in enumerate(coefficients[:-1]) if coefficient), None)
        if pivot is not None:
            solved_equations.append((pivot, _divide_by_gcd(coefficients)))
        elif coefficients[-1]:
            return None
    if len(solved_equations) < unknown_count:
        return None
    value_of_unknown: dict[int, Fraction] = {}
    for unknown, coefficients in reversed(solved_equations):
        known_terms = sum(
            (coefficients[i] * value for i, value in value_of_unknown.items()), Fraction(0)
        )
        value_of_unknown[unknown] = (coefficients[-1] - known_terms) / coefficients[unknown]
    return [value_of_unknown[i] for i in range(unknown_count)]


def _divide_by_gcd(row: list[int]) -> list[int]:
    common = gcd(*row)
    return [value // common for value in row] if common > 1 else row
