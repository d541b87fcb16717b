"""The root chain: until its first hit a strategy is one fixed sequence of cells.

A(l) bounds the configurations that a strategy finishes with at most l misses; any such A gives a
lower bound on the mean (`mean_at_least`).

Of the board the proof needs nothing: how many configurations some cells meet is all that counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import comb


def finished_within(misses: int, hits: int, most_met: Callable[[int], int]) -> int:
    """A(l): how many configurations a strategy finishes with at most l = `misses` misses.

    hits -- cells of the fleet, 1 or more; most_met -- an upper bound on the configurations that j
    cells can meet, for j = 0 … l + 1.

    A(l) = min over j = 0 … l + 1 of most_met(j) + C(l - j + hits, hits), the second term 0 for
    j = l + 1.

    Proof. Until its first hit every reply is a miss, so the shots are one fixed sequence c_0, c_1,
    and so on. A configuration finished within l misses is first hit at some c_i, i <= l. Those with
    i < j are met by j cells. Those with i >= j are leaves behind j misses: sequences of `hits` hits
    and at most l - j further misses that end in a hit; there are C(l - j + hits, hits) of these.

    Only before the first hit may the coverage of one set be used: after it the cells depend on the
    replies, and different configurations are met by different cells.
    """
    return min(
        most_met(j) + (comb(misses - j + hits, hits) if j <= misses else 0)
        for j in range(misses + 2)
    )


def mean_at_least(finished: Sequence[int], hits: int, configurations: int) -> Fraction:
    """The least mean number of shots when at most finished[l] configurations have <= l misses.

    The mean of the misses is the sum over l of the part of the configurations with more than l, at
    least 1 - finished[l] / configurations. (Values of l beyond the list add nothing.)
    """
    missing = sum(max(0, configurations - some) for some in finished)
    return hits + Fraction(missing, configurations)


def root_chain(
    hits: int, configurations: int, most_met: Callable[[int], int], misses: int
) -> list[int]:
    """A(0), A(1), …: until all configurations may be finished, or `misses` values."""
    finished: list[int] = []
    while len(finished) < misses and (not finished or finished[-1] < configurations):
        some = finished_within(len(finished), hits, most_met)
        finished.append(min(some, configurations))
    return finished
