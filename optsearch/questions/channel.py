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
    k: int

    @property
    def scale(self) -> int:
        """The factor that makes the probabilities in `matrix` whole numbers."""
        return self.wrong.denominator * max(1, self.k - 1)

    @cached_property
    def matrix(self) -> NDArray[np.object_]:
        """The probability to hear answer i if j is true, times `scale`; shape (k, k)."""
        if self.k < 2:
            return np.full((self.k, self.k), self.scale, object)
        matrix = np.full((self.k, self.k), self.wrong.numerator, object)
        right = (self.wrong.denominator - self.wrong.numerator) * (self.k - 1)
        np.fill_diagonal(matrix, right)
        return matrix

    def heard(self, weights: Sequence[int | Fraction]) -> list[Fraction]:
        """Return the probability to hear each answer. weights -- of the true ones."""
        total = self.scale * sum(weights)
        return [Fraction(weight, total) for weight in self.matrix @ np.array(weights, object)]

    def bits(self, weights: Sequence[int | Fraction]) -> float:
        """Return the information of the answer that is heard."""
        noise = entropy([Fraction(value, self.scale) for value in self.matrix[0]])
        return max(0.0, entropy(self.heard(weights)) - noise)

    def error(self, weights: Sequence[int]) -> float:
        """Return the standard error of `bits`, to first order, if weights count samples."""
        surprise = [-log2(p) if p else 0.0 for p in map(float, self.heard(weights))]
        n = sum(weights)
        slopes = np.array(surprise) @ (self.matrix / self.scale).astype(float)
        chances = np.array(weights, float) / n
        return sqrt(max(0.0, float(chances @ slopes**2 - (chances @ slopes) ** 2)) / n)


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
