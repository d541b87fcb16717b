"""The two integer programmes for SCIP, a solver of mixed-integer linear programmes.

CP-SAT learns clauses; the solvers that the models were first compared on branch on a linear
relaxation. `experiments.solitaire` compares the models on such a solver. Each constraint that
`models` gives to CP-SAT is a row here, or a row per literal.
"""

from __future__ import annotations

import math
import time
from typing import Any

from optsearch.solitaire import models
from optsearch.solitaire.puzzle import Puzzle, Solution
from optsearch.support.errors import OptsearchError

SOLVER = "scip"  # in the wheels of OR-tools; open, and older than the claims on times
_FINITE = 1 << 60  # CP-SAT writes a bound beyond it for one that is infinite


def search(puzzle: Puzzle, model: str, time_limit: float) -> models.ModelSearch:
    """Search for one solution of a puzzle by the solver SCIP, and check it by the rules.

    model -- one of `models.MODELS`. time_limit -- seconds, for the solver alone.

    Raises OptsearchError if OR-tools is not installed, or lacks this solver.
    """
    solver = _model_builder().Solver(SOLVER)
    if not solver.solver_is_supported():
        raise OptsearchError(f"OR-tools was built without the solver {SOLVER!r}")
    models.cp_model()
    started = time.process_time()
    built_model = models.BUILDERS[model](puzzle)
    linear_model, variables = _to_linear(built_model.model.proto)
    build_seconds = time.process_time() - started
    solver.set_time_limit_in_seconds(time_limit)
    status = solver.solve(linear_model).name
    seconds = time.process_time() - started - build_seconds
    solutions: tuple[Solution, ...] = ()
    if status in ("OPTIMAL", "FEASIBLE"):
        solution = built_model.solution(
            lambda literal: solver.value(variables[literal.index]) > 0.5
        )
        if not puzzle.is_solved_by(solution):
            raise AssertionError(f"{SOLVER} has {solution} for {puzzle} in the {model} model")
        solutions = (solution,)
    is_complete = status == "INFEASIBLE"
    variable_count, constraint_count = linear_model.num_variables, linear_model.num_constraints
    return models.ModelSearch(
        model, solutions, is_complete, variable_count, constraint_count, build_seconds, seconds
    )


def _model_builder() -> Any:
    try:
        from ortools.linear_solver.python import model_builder
    except ModuleNotFoundError:
        raise models.not_installed() from None
    return model_builder


def _to_linear(proto: Any) -> tuple[Any, list[Any]]:
    """Return a linear model that is equal to a CP-SAT model, and its variables in the same order.

    A negated literal becomes 1 - variable. proto -- the CP-SAT model.
    """
    linear_model = _model_builder().Model()
    variables = [linear_model.new_bool_var("") for _ in proto.variables]

    def add_constraint(terms: list[tuple[int, int]], lower: float, upper: float) -> None:
        linear_constraint = linear_model.add_linear_constraint(0, lower, upper)
        for index, coefficient in terms:
            linear_constraint.add_term(variables[index], coefficient)

    def add_literals(literals: Any, lower: float, upper: float) -> None:
        # A negative literal i stands for the opposite of variable -i - 1.
        terms = [(i, 1) if i >= 0 else (-i - 1, -1) for i in literals]
        negated_count = sum(coefficient < 0 for _, coefficient in terms)
        add_constraint(terms, lower - negated_count, upper - negated_count)

    for constraint in proto.constraints:
        if constraint.has_bool_or():
            add_literals(constraint.bool_or.literals, 1, math.inf)
        elif constraint.has_at_most_one():
            add_literals(constraint.at_most_one.literals, -math.inf, 1)
        elif constraint.has_exactly_one():
            add_literals(constraint.exactly_one.literals, 1, 1)
        elif constraint.has_bool_and():  # an implication
            (cause,) = constraint.enforcement_literal
            for literal in constraint.bool_and.literals:
                add_literals([-cause - 1, literal], 1, math.inf)
        elif constraint.has_linear():
            linear = constraint.linear
            lower, upper = linear.domain
            add_constraint(
                list(zip(linear.vars, linear.coeffs, strict=True)),
                lower if lower > -_FINITE else -math.inf,
                upper if upper < _FINITE else math.inf,
            )
        else:
            raise AssertionError(f"a constraint that is none of the models': {constraint}")
    return linear_model, variables
