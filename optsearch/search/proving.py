"""Proofs that no strategy is better are made here, from what the exact search says of families.

`optsearch.check.proofs` says what a proof is and checks it. What is made here is not believed
because of how it was made.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable

from optsearch.check.proofs import (
    Claim,
    NormalForms,
    Prices,
    Proof,
    Weighted,
    columns,
    hits_of,
    leaf_counting,
    root_of,
    shots,
    weight,
)
from optsearch.counting.prior import Prior
from optsearch.game.position import Position
from optsearch.lower_bounds.dual_chain import chain_dual
from optsearch.support.errors import ProofError

LeastMisses = Callable[[tuple[int, ...], tuple[int, ...], int], int]
FindPrices = Callable[[tuple[int, ...], tuple[int, ...], int], "Prices | None"]


def prove(
    position: Position,
    misses: int,
    least_misses: LeastMisses,
    find_prices: FindPrices | None = None,
    prior: Prior | None = None,
) -> Proof:
    """A proof that the family of a position, by a prior if one is given, needs this many misses.

    As `claims_for`.
    """
    root = root_of(position, prior)
    rules = NormalForms.of(position.game)
    claims = claims_for(root, rules, misses, least_misses, find_prices)
    digest = "" if prior is None else prior.digest
    return Proof(position, hits_of(root) + max(misses, leaf_counting(root)), claims, digest)


def claims_for(
    root: Weighted,
    rules: NormalForms,
    misses: int,
    least_misses: LeastMisses,
    find_prices: FindPrices | None = None,
) -> tuple[Claim, ...]:
    """Claims that prove that a family needs this many misses; none where leaf counting does.

    least_misses(sets, weights, limit) -- the least misses of a part of the family (some of its
    sets, with their weights) if it is below the limit; else any number from the limit up to it.
    Nothing depends on its being right but that the proof can be finished.

    find_prices(sets, weights, misses) -- prices of any family by which it needs so many misses, or
    None where none are found. Prices that prove less are not used.

    Each claim asks of the parts after each shot what leaf counting does not give: of the smaller
    part as much as is true, of the other one the rest. Claims on one normal form become one, the
    strongest. Raises ProofError when the misses cannot be proved because they are too many.
    """
    # By normal form: the misses asked for, and one family that has it, as sets of the root.
    asked: dict[Weighted, tuple[int, Weighted]] = {}
    waiting: list[tuple[int, Weighted]] = []  # most sets first: parts have fewer

    def ask(family: Weighted, normal: Weighted, target: int) -> None:
        if normal not in asked:
            heapq.heappush(waiting, (-len(normal), normal))
        if target > asked.get(normal, (0, family))[0]:
            asked[normal] = target, family

    def known(family: Weighted, normal: Weighted) -> int:
        return max(leaf_counting(family), asked[normal][0] if normal in asked else 0)

    if misses > leaf_counting(root):
        ask(root, rules.normal(root), misses)
    claims = []
    while waiting:
        _, normal = heapq.heappop(waiting)
        target, family = asked[normal]
        if len(family) == 1:
            raise ProofError(f"{misses} misses cannot be proved: a strategy needs fewer")
        if find_prices is not None:
            prices = find_prices(*columns(normal), target)
            if prices is not None and chain_dual(*columns(normal), prices) >= target:
                claims.append(Claim(target, normal, prices))
                continue
        claims.append(Claim(target, normal))
        for _, hit, missed in shots(family):
            needed = target - weight(missed)
            if leaf_counting(hit) + leaf_counting(missed) >= needed:
                continue
            small, large = sorted((hit, missed), key=len)
            small_normal, large_normal = rules.normal(small), rules.normal(large)
            least_small, least_large = known(small, small_normal), known(large, large_normal)
            if least_small + least_large >= needed:
                continue
            limit = needed - least_large
            sets, weights = zip(*small, strict=True)
            share = max(least_small, min(limit, least_misses(sets, weights, limit)))
            if share > least_small:
                ask(small, small_normal, share)
            if needed - share > least_large:
                ask(large, large_normal, needed - share)
    return tuple(claims[::-1])
