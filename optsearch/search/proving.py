"""Proofs that no strategy is better, made from what the exact search knows of families.

`optsearch.check.proofs` says what a proof is, and checks it. A proof that is made here counts only
after that check.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from pathlib import Path

from optsearch.check import proofs
from optsearch.check.proofs import (
    Claim,
    Marks,
    Prices,
    Proof,
    WeightedSets,
    marks_of,
    root_of,
    sets_and_weights,
    weight,
)
from optsearch.counting.configurations import to_masks
from optsearch.counting.prior import Prior
from optsearch.game.position import Position
from optsearch.lower_bounds.dual_chain import chain_dual
from optsearch.search.identify import Identification, Sets
from optsearch.search.kernels import chain_prices
from optsearch.search.solver import Solver
from optsearch.support.errors import ProofError
from optsearch.tree.solution import Solution

LeastMisses = Callable[[tuple[int, ...], tuple[int, ...], int], int]
FindPrices = Callable[[tuple[int, ...], tuple[int, ...], int], "Prices | None"]


class SolvedParts:
    """The least misses and the prices of parts of a family, by the exact search of its solver.

    A part is given by its sets, as masks of marks (`optsearch.check.proofs`).
    """

    def __init__(self, solver: Solver):
        self._solver = solver
        self._indices: dict[int, list[int]] = {}  # marks -> the configurations with these marks
        kernel, game, hits = solver.kernel, solver.position.game, solver.position.hits
        if kernel.problem.ships is None:
            marks_by_index = (mask | hits for mask in kernel.family.sets)
        else:
            marks_by_index = (marks_of(game, to_masks(row)) for row in kernel.problem.ships)
        for index, marks in enumerate(marks_by_index):
            self._indices.setdefault(marks, []).append(index)

    def least_misses(self, sets: tuple[int, ...], weights: tuple[int, ...], limit: int) -> int:
        """Return the least misses of these sets if below the limit, else a lower bound >= limit.

        sets -- masks of marks, which hits show. weights -- unused: the solver has its own.
        """
        indices = sorted(i for marks in sets for i in self._indices[marks])
        return self._solver.misses_of(indices, limit)

    @staticmethod
    def prices(sets: tuple[int, ...], weights: tuple[int, ...], misses: int) -> Prices | None:
        """Return a price for each set by which they need these misses, or None if not found.

        sets -- masks. If a weight is not 1, the result is None.
        """
        return chain_prices(sets, misses) if set(weights) == {1} else None


def prove(
    position: Position,
    misses: int,
    least_misses: LeastMisses,
    find_prices: FindPrices | None = None,
    prior: Prior | None = None,
) -> Proof:
    """Return a proof that every strategy from a position misses at least this often in total.

    misses -- summed over the configurations by weight. least_misses, find_prices -- functions that
    return the least misses of some configurations, and prices for them. `claims_for` says more of
    both, and of errors.
    """
    root, marks = root_of(position, prior), Marks.of(position.game)
    claims = claims_for(root, marks, misses, least_misses, find_prices)
    proved = max(misses, sum(map(marks.bound_by_counting, marks.parts(root))))
    digest = "" if prior is None else prior.digest
    return Proof(position, position.hits_left * weight(root) + proved, claims, digest)


def prove_solution(solution: Solution, solver: Solver | None = None) -> Proof:
    """Return a proof that no strategy is better than an exact optimum of the mean.

    solver -- the solver that found it, if it still exists; else the position is solved again.
    """
    assert solution.total_height is not None
    position = solution.position
    solved_parts = SolvedParts(solver or Solver(position, prior=solution.prior))
    misses = solution.total_height - position.hits_left * solution.configurations
    return prove(position, misses, solved_parts.least_misses, solved_parts.prices, solution.prior)


def claims_for(
    root: WeightedSets,
    marks: Marks,
    misses: int,
    least_misses: LeastMisses,
    find_prices: FindPrices | None = None,
) -> tuple[Claim, ...]:
    """Return claims that prove that a family needs this many misses; none if counting proves it.

    least_misses(sets, weights, limit) -- returns the least misses of a part of the family (some of
    its sets, with their weights) if below the limit, else any number from the limit up to the least
    misses. If it is wrong, the proof cannot be finished, but a finished proof is right.

    find_prices(sets, weights, misses) -- returns a price for each set by which a family needs these
    misses, or None. Prices that prove less are not used.

    A claim is proved by the parts after each shot, which together must need the misses that the
    shot itself does not cost. Where counting does not prove them, further claims are made: smaller
    parts get as many misses as they truly need, the largest part gets the rest. Each normal form
    has one claim, the strongest that is needed. Raises ProofError if the misses are too many to be
    proved.
    """
    # Normal form -> the misses required, and a family with this form, as sets of the root.
    goal_of_form: dict[WeightedSets, tuple[int, WeightedSets]] = {}
    waiting: list[tuple[int, WeightedSets]] = []  # a heap, most sets first: parts have fewer

    def require(family: WeightedSets, normal_form: WeightedSets, target: int) -> None:
        """Make it a goal to prove these misses of a family with this normal form."""
        if normal_form not in goal_of_form:
            heapq.heappush(waiting, (-len(normal_form), normal_form))
        if target > goal_of_form.get(normal_form, (0, family))[0]:
            goal_of_form[normal_form] = target, family

    def require_together(parts: list[WeightedSets], needed: int) -> None:
        """Make it a goal to prove that these families together need this many misses."""
        if sum(map(marks.bound_by_counting, parts)) >= needed:
            return
        parts = sorted(parts, key=len)
        normal_forms = [marks.normal_form(part) for part in parts]
        bounds = []  # of the misses of each part that are proved, or required already
        for part, normal_form in zip(parts, normal_forms, strict=True):
            required, _ = goal_of_form.get(normal_form, (0, part))
            bounds.append(max(marks.bound_by_counting(part), required))
        misses_lacking = needed - sum(bounds)
        for part, normal_form, bound in zip(parts, normal_forms, bounds, strict=True):
            if misses_lacking <= 0:
                return
            target = bound + misses_lacking
            if part is not parts[-1]:
                target = max(bound, min(target, least_misses(*sets_and_weights(part), target)))
            if target > bound:
                require(part, normal_form, target)
            misses_lacking -= target - bound

    require_together(marks.parts(root), misses)
    claims = []
    while waiting:
        _, normal_form = heapq.heappop(waiting)
        target, family = goal_of_form[normal_form]
        if len(family) == 1:
            raise ProofError(f"{misses} misses cannot be proved: a strategy needs fewer")
        if find_prices is not None and not marks.is_labelled:
            prices = find_prices(*sets_and_weights(normal_form), target)
            if prices is not None and chain_dual(*sets_and_weights(normal_form), prices) >= target:
                claims.append(Claim(target, normal_form, prices))
                continue
        claims.append(Claim(target, normal_form))
        for _, missed, parts in marks.shots(family):
            require_together(parts, target - missed)
    # A claim uses claims on smaller families, which must come before it.
    return tuple(claims[::-1])


# Families from a file


def save_claims(identification: Identification, path: str | Path) -> None:
    """Write a proof of the least misses of an identification to a file, or raise ProofError."""
    sets = identification.sets
    parts = SolvedParts(Solver(sets.position, family=sets.family))
    root, marks = _root_and_marks(sets)
    claims = claims_for(root, marks, identification.misses, parts.least_misses, parts.prices)
    head = {
        "format": proofs.FORMAT,
        "version": proofs.VERSION,
        "family": sets.digest,
        "total_misses": identification.misses,
        "claims": len(claims),
    }
    proofs.write(path, head, claims)


def check_claims(path: str | Path, sets: Sets) -> tuple[int, int]:
    """Return the misses that the proof in a file proves for a family, and the number of its claims.

    Raises ProofError for a file that is no proof, proves something else, or is of another family.
    """
    head, lines = proofs.read_head(path, {"family": str, "total_misses": int})
    if head["family"] != sets.digest:
        raise ProofError(
            f"{path} is of the family {head['family']!r:.60}; {sets.title} is {sets.digest}"
        )
    things = max(1, len(sets.things))
    claims = proofs.read_claims(path, lines, things, f"the {things} things")
    root, marks = _root_and_marks(sets)
    proved = proofs.check_claims(claims, root, marks, str(path))
    if proved != head["total_misses"]:
        raise ProofError(
            f"{path}: the claims prove {proved} misses or more; the head says "
            f"{head['total_misses']}"
        )
    return proved, len(claims)


def _root_and_marks(sets: Sets) -> tuple[WeightedSets, Marks]:
    """Return the family in the form of a claim, and its marks: one for each thing."""
    root = tuple(sorted(zip(sets.sets, sets.weights, strict=True)))
    things = max(1, len(sets.things))
    marks_on = [1 << i for i in range(things)]
    identity = tuple(range(things))
    return root, Marks(marks_on, [identity], name=lambda i: repr(sets.things[i]))
