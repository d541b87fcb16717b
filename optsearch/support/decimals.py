"""Numbers and times as text: bounds are rounded so that they hold, exact values to nearest.

The mean of a strategy on all configurations is an upper bound on the optimum. With four decimals it
is rounded up as well (`exact_mean`), so that it reads the same beside bounds.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import ceil, floor


def decimal(value: Fraction, side: str = "exact", places: int = 6) -> str:
    """Return a value with `places` decimals: a lower bound rounded down, an upper bound up.

    side -- `lower`, `upper`, or `exact` to round to the nearest (ties to the even digit).

    >>> decimal(Fraction(2, 3), "lower"), decimal(Fraction(1, 3), "upper")
    ('0.666666', '0.333334')
    >>> decimal(Fraction(2, 3)), decimal(Fraction(1, 3))
    ('0.666667', '0.333333')
    """
    scaled = value * 10**places
    rounded = {"lower": floor(scaled), "upper": ceil(scaled), "exact": round(scaled)}[side]
    return f"{Decimal(rounded).scaleb(-places):f}"


def exact_mean(value: Fraction) -> str:
    """Return the mean of a strategy on all configurations, rounded up to four decimals.

    >>> exact_mean(Fraction(663820856405, 15046987768))
    '44.1166'
    """
    return decimal(value, "upper", 4)


def short_bound(value: Fraction, side: str, places: int = 4) -> str:
    """Return a bound with at most `places` decimals, or with fewer if they are exact.

    >>> short_bound(Fraction(278, 5), "upper"), short_bound(Fraction(2, 3), "upper")
    ('55.6', '0.6667')
    """
    for fewer_places in range(places):
        is_exact = (value * 10**fewer_places).denominator == 1
        if is_exact:
            return decimal(value, side, fewer_places)
    return decimal(value, side, places)


def bracket_text(lower: Fraction, upper: Fraction | None) -> str:
    """Return a bracket in words. upper -- None if no upper bound is known.

    >>> bracket_text(Fraction(2, 3), Fraction(1)), bracket_text(Fraction(2, 3), Fraction(2, 3))
    ('0.666666 to 1.000000', '0.666667 on both sides, to the nearest digit')
    """
    if lower == upper:
        return f"{decimal(lower)} on both sides, to the nearest digit"
    if upper is None:
        return f"at least {decimal(lower, 'lower')}; no upper bound is known"
    return f"{decimal(lower, 'lower')} to {decimal(upper, 'upper')}"


def mean_bracket_text(lower: int, upper: int, weight: int) -> str:
    """Return the bracket of a mean, total / weight: fractions, and decimals rounded outward.

    lower, upper -- bounds of the total.

    >>> mean_bracket_text(20, 22, 3)
    'between 20/3 = 6.666666 and 22/3 = 7.333334'
    """
    low, high = decimal(Fraction(lower, weight), "lower"), decimal(Fraction(upper, weight), "upper")
    return f"between {lower}/{weight} = {low} and {upper}/{weight} = {high}"


def bound_in_bracket(value: Fraction, side: str, lower: Fraction, upper: Fraction | None) -> str:
    """Return a bound as a decimal: rounded outward, or to the nearest if the bracket is closed.

    side -- which bound it is: `lower` or `upper`. lower, upper -- the bracket.

    >>> bound_in_bracket(Fraction(2, 3), "upper", Fraction(2, 3), Fraction(2, 3))
    '0.666667'
    >>> bound_in_bracket(Fraction(2, 3), "lower", Fraction(2, 3), Fraction(1))
    '0.666666'
    """
    return decimal(value, "exact" if lower == value == upper else side)


_UNITS = (("year", 31_557_600), ("day", 86_400), ("hour", 3600), ("minute", 60))


def time_text(seconds: float) -> str:
    """Return a time in words, in the largest unit of which it has at least two."""
    for unit, unit_seconds in _UNITS:
        if seconds >= 2 * unit_seconds:
            return f"{seconds / unit_seconds:,.0f} {unit}s"
    if seconds < 1:
        return "less than a second"
    return "1 second" if seconds < 1.5 else f"{seconds:.0f} seconds"
