"""Bounds as decimal numbers that hold: a lower one is rounded down, an upper one up."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import ceil, floor


def outward(value: Fraction, side: str, places: int = 6) -> str:
    """A bound with so many decimals; side -- lower or upper.

    >>> outward(Fraction(2, 3), "lower"), outward(Fraction(2, 3), "upper")
    ('0.666666', '0.666667')
    """
    whole = (floor if side == "lower" else ceil)(value * 10**places)
    return f"{Decimal(whole).scaleb(-places):f}"


def brief(value: Fraction, side: str, places: int = 4) -> str:
    """The same; with fewer decimals where they are exact.

    >>> brief(Fraction(278, 5), "upper"), brief(Fraction(2, 3), "upper")
    ('55.6', '0.6667')
    """
    exact = (n for n in range(places) if (value * 10**n).denominator == 1)
    return outward(value, side, next(exact, places))


def between(value: Fraction, side: str, lower: Fraction, upper: Fraction | None) -> str:
    """A bound on what lies from lower to upper, outward; the nearest decimal if they meet it.

    >>> between(Fraction(2, 3), "upper", Fraction(2, 3), Fraction(2, 3))
    '0.666667'
    >>> between(Fraction(2, 3), "lower", Fraction(2, 3), Fraction(1))
    '0.666666'
    """
    return f"{float(value):.6f}" if value == lower == upper else outward(value, side)
