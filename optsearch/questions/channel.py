"""Answers that may be false, and their information.

With probability `wrong` an answer is false, and then each other possible answer is equally likely.
The expected information is H(what is heard) - H(what is heard | board). For two answers this is the
formula of Grand, Pepe, Tenenbaum and Andreas, arXiv 2510.20886: H(e + (1 - 2e) p) - H(e).
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
    """The answers heard for a true one of k. wrong -- the probability of a false answer."""

    wrong: Fraction
    answer_count: int

    @property
    def scale(self) -> int:
        """The factor that makes the probabilities in `matrix` whole numbers."""
        return self.wrong.denominator * max(1, self.answer_count - 1)

    @cached_property
    def matrix(self) -> NDArray[np.object_]:
        """The probability to hear answer i if j is true, times `scale`; shape (k, k)."""
        shape = self.answer_count, self.answer_count
        if self.answer_count < 2:
            return np.full(shape, self.scale, object)
        matrix = np.full(shape, self.wrong.numerator, object)
        right = self.wrong.denominator - self.wrong.numerator
        np.fill_diagonal(matrix, right * (self.answer_count - 1))
        return matrix

    def probabilities_heard(self, weights: Sequence[int | Fraction]) -> list[Fraction]:
        """Return the probability to hear each answer.

        weights -- for each answer a number proportional to the probability that it is true.
        """
        total = self.scale * sum(weights)
        return [Fraction(weight, total) for weight in self.matrix @ np.array(weights, object)]

    def bits(self, weights: Sequence[int | Fraction]) -> float:
        """Return the information of the answer that is heard."""
        noise = entropy([Fraction(value, self.scale) for value in self.matrix[0]])
        return max(0.0, entropy(self.probabilities_heard(weights)) - noise)

    def bits_error(self, counts: Sequence[int]) -> float:
        """Return the standard error of `bits` that are estimated from a sample of boards.

        counts -- how many boards of the sample have each true answer. The error is that of the
        linear part of `bits` as a function of their shares (the delta method).
        """
        heard = map(float, self.probabilities_heard(counts))
        surprise = np.array([-log2(p) if p else 0.0 for p in heard])
        # The derivative of `bits` by the share of each true answer, but for a constant.
        slopes = surprise @ (self.matrix / self.scale).astype(float)
        boards = sum(counts)
        shares = np.array(counts, float) / boards
        variance = float(shares @ slopes**2 - (shares @ slopes) ** 2)
        return sqrt(max(0.0, variance) / boards)


def entropy(chances: Sequence[Fraction]) -> float:
    """Return the entropy of a distribution in bits."""
    return -sum(float(p) * log2(p) for p in chances if p)


def probability_of(value: Fraction | float | str) -> Fraction:
    """Return a probability as a fraction; a float is the decimal number that is printed for it.

    Raises OptsearchError for what is not a number from 0 to 1.
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
