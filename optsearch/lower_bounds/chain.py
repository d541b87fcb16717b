"""The root chain: until its first hit a strategy is one fixed sequence of cells.

A(l) is an upper bound on the number of configurations that a strategy finishes with at most l
misses. Any such A gives a lower bound on the mean (`mean_at_least`).

The proof needs no property of the board, only how many configurations a set of cells meets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import comb


def count_sequences(misses: int, hits: int) -> int:
    """Count the sequences of `hits` hits and at most `misses` misses that end in a hit.

    The count is 0 if `misses` is negative.
    """
    return comb(misses + hits, hits) if misses >= 0 else 0


def finished_by_chain(misses: int, hits: int, most_met: Callable[[int], int]) -> int:
    """Return A(l), a bound on the configurations finished with at most l = `misses` misses.

    It holds for every strategy. hits -- the number of cells of the fleet, 1 or more. most_met -- a
    function of j = 0 … l + 1: an upper bound on the configurations that have a ship on one of j
    cells (that j cells meet). Then

    A(l) = min over j = 0 … l + 1 of most_met(j) + C(l - j + hits, hits), the second term 0 for
    j = l + 1.

    Proof. Before the first hit every reply is a miss, so the shots are one fixed sequence c_0, c_1,
    and so on. A configuration finished within l misses is first hit at some c_i, i <= l. Those with
    i < j are met by j cells. Those with i >= j are leaves behind j misses: sequences of `hits` hits
    and at most l - j further misses that end in a hit. There are C(l - j + hits, hits) of these. ∎

    The coverage of one set may be used before the first hit only. After it the shots depend on the
    replies, so different configurations are met by different cells.
    """
    return min(most_met(j) + count_sequences(misses - j, hits) for j in range(misses + 2))


def mean_at_least(finished: Sequence[int], hits: int, configurations: int) -> Fraction:
    """Return a lower bound on the mean number of shots, from a bound for each number of misses.

    finished[l] -- the most configurations that a strategy finishes with at most l misses. hits --
    the number of cells of the fleet.

    The mean number of misses is the sum over l of the share of configurations with more than l
    misses. This share is at least 1 - finished[l] / configurations. It counts as 0 for every l
    beyond the list.
    """
    unfinished = sum(max(0, configurations - at_most) for at_most in finished)
    return hits + Fraction(unfinished, configurations)


def root_chain(
    hits: int, configurations: int, most_met: Callable[[int], int], most_values: int
) -> list[int]:
    """List upper bounds on the configurations finished with at most 0, 1, 2, … misses.

    The bounds hold for every strategy. The list ends with the first value that is the number of all
    configurations. It has at most `most_values` values.

    hits -- the number of cells of the fleet. configurations -- the number of all configurations.
    most_met -- a function of j: an upper bound on the configurations with a ship on one of j cells.
    """
    finished: list[int] = []
    for misses in range(most_values):
        finished.append(min(configurations, finished_by_chain(misses, hits, most_met)))
        if finished[-1] == configurations:
            break
    return finished
