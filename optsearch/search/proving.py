"""Proofs that no strategy is better are made here, from what the exact search says of families.

`optsearch.check.proofs` says what a proof is and checks it. What is made here is not believed
because of how it was made.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable

from optsearch.check.proofs import Claim, Marks, Prices, Proof, Weighted, columns, root_of, weight
from optsearch.counting.prior import Prior
from optsearch.game.position import Position
from optsearch.lower_bounds.dual_chain import chain_dual
from optsearch.search.solver import Solver
from optsearch.support.errors import ProofError
from optsearch.tree.solution import Solution

LeastMisses = Callable[[tuple[int, ...], tuple[int, ...], int], int]
FindPrices = Callable[[tuple[int, ...], tuple[int, ...], int], "Prices | None"]


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


def prove_solution(solution: Solution) -> Proof:
    """Prove that no strategy is better than an exact optimum of the mean."""
    assert solution.total_height is not None
    position = solution.position
    solver = Solver(position, prior=solution.prior)
    misses = solution.total_height - position.hits_left * solution.configurations
    return prove(position, misses, solver.least_misses, solver.prices, solution.prior)


def claims_for(
    root: Weighted,
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
    goals: dict[Weighted, tuple[int, Weighted]] = {}
    waiting: list[tuple[int, Weighted]] = []  # most sets first: parts have fewer

    def ask(family: Weighted, normal: Weighted, target: int) -> None:
        if normal not in goals:
            heapq.heappush(waiting, (-len(normal), normal))
        if target > goals.get(normal, (0, family))[0]:
            goals[normal] = target, family

    def ask_parts(parts: list[Weighted], needed: int) -> None:
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
                share = max(bound, min(share, least_misses(*columns(part), share)))
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
        if find_prices is not None and not marks.tells:
            prices = find_prices(*columns(normal), target)
            if prices is not None and chain_dual(*columns(normal), prices) >= target:
                claims.append(Claim(target, normal, prices))
                continue
        claims.append(Claim(target, normal))
        for _, missed, parts in marks.shots(family):
            ask_parts(parts, target - missed)
    return tuple(claims[::-1])
