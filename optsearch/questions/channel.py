"""Answers that may be false, and the information of what is heard.

With probability `wrong` an answer is false, and then each other possible answer is equally likely.
The expected information is H(what is heard) - H(what is heard | board), with the entropy H. For two
answers, of which one has probability p, and e = wrong, this is H(e + (1 - 2e) p) - H(e), as Grand,
Pepe, Tenenbaum and Andreas write it (arXiv 2510.20886).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import log2, sqrt

import numpy as np
from numpy.typing import NDArray

from optsearch.support.errors import OptsearchError


@dataclass(frozen=True)
class Channel:
    """What is heard in place of the true answer to a question.

    false_chance -- the probability that a false answer is heard. answer_count -- the number of
    possible answers; if there is one alone, it is heard.
    """

    false_chance: Fraction
    answer_count: int

    @property
    def scale(self) -> int:
        """The factor that makes the probabilities in `matrix` whole numbers."""
        return self.false_chance.denominator * max(1, self.answer_count - 1)

    @cached_property
    def matrix(self) -> NDArray[np.object_]:
        """The probability to hear answer i if answer j is true, times `scale`, at row i, column j.

        The entries are integers.
        """
        shape = self.answer_count, self.answer_count
        if self.answer_count < 2:
            return np.full(shape, self.scale, object)
        matrix = np.full(shape, self.false_chance.numerator, object)
        times_true = self.false_chance.denominator - self.false_chance.numerator
        np.fill_diagonal(matrix, times_true * (self.answer_count - 1))
        return matrix

    def probabilities_heard(self, weights: Sequence[int | Fraction]) -> list[Fraction]:
        """Return the probability to hear each answer.

        weights -- for each answer a number proportional to the probability that it is true.
        """
        total = self.scale * sum(weights)
        return [Fraction(weight, total) for weight in self.matrix @ np.array(weights, object)]

    def bits(self, weights: Sequence[int | Fraction]) -> float:
        """Return the expected information of the answer that is heard, in bits.

        weights -- as in `probabilities_heard`.
        """
        noise = entropy([Fraction(value, self.scale) for value in self.matrix[0]])
        return max(0.0, entropy(self.probabilities_heard(weights)) - noise)

    def bits_error(self, counts: Sequence[int]) -> float:
        """Return the standard error of `bits` if the weights are counts in a sample of boards.

        By the delta method: `bits` is taken as linear in the shares of the answers in the sample.

        counts -- for each answer the number of boards in the sample that truly have it.
        """
        probabilities = map(float, self.probabilities_heard(counts))
        surprise = np.array(
            [-log2(probability) if probability else 0.0 for probability in probabilities]
        )
        # The derivative of `bits` by the share of each true answer, but for a constant.
        slopes = surprise @ (self.matrix / self.scale).astype(float)
        boards = sum(counts)
        shares = np.array(counts, float) / boards
        variance = float(shares @ slopes**2 - (shares @ slopes) ** 2)
        return sqrt(max(0.0, variance) / boards)


def entropy(chances: Sequence[Fraction]) -> float:
    """Return the entropy of a distribution in bits."""
    # A probability that is 0 as a float adds less than 2^-1000.
    return -sum(p * log2(p) for p in map(float, chances) if p)


def probability_of(value: Fraction | float | str) -> Fraction:
    """Return a probability as a fraction, the float 0.1 as 1/10; OptsearchError for another value.

    A probability is a number from 0 to 1.
    """
    try:
        chance = Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        chance = Fraction(-1)
    if not 0 <= chance <= 1:
        raise OptsearchError(
            f"--wrong {str(value)!r} is not a probability; write 0 to 1, as in 0.1"
        )
    return chance
