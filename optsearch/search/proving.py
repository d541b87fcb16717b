"""Proofs that no strategy is better are made here, from what the exact search says of families.

`optsearch.check.proofs` says what a proof is and checks it. What is made here is not believed
because of how it was made.
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
    split_weights,
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
    """The costs and prices of parts of a family, by its exact search; marks name their sets."""

    def __init__(self, solver: Solver):
        self._solver = solver
        self._indices: dict[int, list[int]] = {}  # of the configurations with the same marks
        kernel, game, hits = solver.kernel, solver.position.game, solver.position.hits
        if kernel.problem.ships is None:
            masks = (mask | hits for mask in kernel.family.sets)
        else:
            masks = (marks_of(game, to_masks(row)) for row in kernel.problem.ships)
        for i, marks in enumerate(masks):
            self._indices.setdefault(marks, []).append(i)

    def least_misses(self, sets: tuple[int, ...], weights: tuple[int, ...], limit: int) -> int:
        """Return the least misses of these sets as `claims_for` asks for them."""
        return self._solver.misses_of(sorted(i for m in sets for i in self._indices[m]), limit)

    @staticmethod
    def prices(sets: tuple[int, ...], weights: tuple[int, ...], misses: int) -> Prices | None:
        """Return prices of these sets that prove the misses, or None."""
        return chain_prices(sets, misses) if set(weights) == {1} else None


def prove(
    position: Position,
    misses: int,
    least_misses: LeastMisses,
    find_prices: FindPrices | None = None,
    prior: Prior | None = None,
) -> Proof:
    """Return a proof that the family of a position, with any prior, needs this many misses.

    Arguments and errors are as in `claims_for`.
    """
    root, marks = root_of(position, prior), Marks.of(position.game)
    claims = claims_for(root, marks, misses, least_misses, find_prices)
    proved = max(misses, sum(map(marks.bound_by_counting, marks.parts(root))))
    digest = "" if prior is None else prior.digest
    return Proof(position, position.hits_left * weight(root) + proved, claims, digest)


def prove_solution(solution: Solution, solver: Solver | None = None) -> Proof:
    """Prove that no strategy is better than an exact optimum of the mean.

    solver -- the one that found it, to save time.
    """
    assert solution.total_height is not None
    position = solution.position
    parts = SolvedParts(solver or Solver(position, prior=solution.prior))
    misses = solution.total_height - position.hits_left * solution.configurations
    return prove(position, misses, parts.least_misses, parts.prices, solution.prior)


def claims_for(
    root: WeightedSets,
    marks: Marks,
    misses: int,
    least_misses: LeastMisses,
    find_prices: FindPrices | None = None,
) -> tuple[Claim, ...]:
    """Return claims that prove that a family needs this many misses; none if counting proves it.

    least_misses(sets, weights, limit) -- returns the least misses of a part of the family (some of
    its sets, with their weights) if below the limit, else any number from the limit up to the
    least misses. If it is wrong, the proof cannot be finished, but a finished proof is right.

    find_prices(sets, weights, misses) -- returns prices by which any family needs these misses, or
    None. Prices that prove less are not used.

    Each claim requires of the parts after each shot the misses that counting does not prove: of the
    smaller parts, the smallest first, as many as are true, of the largest one the rest. Claims on
    one normal form become one, the strongest. Raises ProofError if the misses are too many to be
    proved.
    """
    # Normal form -> the misses required, and a family with this form, as sets of the root.
    goals: dict[WeightedSets, tuple[int, WeightedSets]] = {}
    waiting: list[tuple[int, WeightedSets]] = []  # most sets first: parts have fewer

    def ask(family: WeightedSets, normal: WeightedSets, target: int) -> None:
        if normal not in goals:
            heapq.heappush(waiting, (-len(normal), normal))
        if target > goals.get(normal, (0, family))[0]:
            goals[normal] = target, family

    def ask_parts(parts: list[WeightedSets], needed: int) -> None:
        """Require of these families the misses that they need together."""
        if sum(map(marks.bound_by_counting, parts)) >= needed:
            return
        normals = [(part, marks.normal_form(part)) for part in sorted(parts, key=len)]
        bounds = [
            max(marks.bound_by_counting(p), goals[n][0] if n in goals else 0) for p, n in normals
        ]
        lacking = needed - sum(bounds)
        for (part, normal), bound in zip(normals, bounds, strict=True):
            if lacking <= 0:
                return
            share = bound + lacking
            if part is not normals[-1][0]:
                share = max(bound, min(share, least_misses(*split_weights(part), share)))
            if share > bound:
                ask(part, normal, share)
            lacking -= share - bound

    ask_parts(marks.parts(root), misses)
    claims = []
    while waiting:
        _, normal = heapq.heappop(waiting)
        target, family = goals[normal]
        if len(family) == 1:
            raise ProofError(f"{misses} misses cannot be proved: a strategy needs fewer")
        if find_prices is not None and not marks.is_labelled:
            prices = find_prices(*split_weights(normal), target)
            if prices is not None and chain_dual(*split_weights(normal), prices) >= target:
                claims.append(Claim(target, normal, prices))
                continue
        claims.append(Claim(target, normal))
        for _, missed, parts in marks.shots(family):
            ask_parts(parts, target - missed)
    return tuple(claims[::-1])


# Families from a file


def claims_of(identification: Identification) -> tuple[Claim, ...]:
    """Return claims that prove that no strategy for a family from a file misses less."""
    sets = identification.sets
    parts = SolvedParts(Solver(sets.position, family=sets.family))
    root, marks = _root_and_marks(sets)
    return claims_for(root, marks, identification.misses, parts.least_misses, parts.prices)


def save_claims(identification: Identification, path: str | Path) -> None:
    """Write `claims_of` a family to a file; ProofError if they cannot be written."""
    claims = claims_of(identification)
    head = {
        "format": proofs.FORMAT,
        "version": proofs.VERSION,
        "family": identification.sets.digest,
        "total_misses": identification.misses,
        "claims": len(claims),
    }
    proofs.write(path, head, claims)


def check_claims(path: str | Path, sets: Sets) -> tuple[int, int]:
    """Check the claims in a file; return the misses that they prove at least, and their number.

    Raises ProofError as `optsearch.check.proofs.check`, and for claims of another family.
    """
    head, lines = proofs.read_head(path, {"family": str, "total_misses": int})
    if head["family"] != sets.digest:
        raise ProofError(
            f"{path} is of the family {head['family']!r:.60}; {sets.title} is {sets.digest}"
        )
    count = max(1, len(sets.things))
    claims = proofs.read_claims(path, lines, count, f"the {count} things")
    root, marks = _root_and_marks(sets)
    proved = proofs.check_claims(claims, root, marks, str(path))
    if proved != head["total_misses"]:
        raise ProofError(
            f"{path}: the claims prove {proved} misses or more; the head says "
            f"{head['total_misses']}"
        )
    return proved, len(claims)


def _root_and_marks(sets: Sets) -> tuple[WeightedSets, Marks]:
    """Return the family as a claim has it; each thing is a mark, and there are no symmetries."""
    root = tuple(sorted(zip(sets.sets, sets.weights, strict=True)))
    number = max(1, len(sets.things))
    masks = [1 << i for i in range(number)]
    return root, Marks(masks, [tuple(range(number))], lambda i: repr(sets.things[i]))
