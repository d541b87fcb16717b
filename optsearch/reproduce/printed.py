"""One printed value and the computation that belongs to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from optsearch.game import Cell


def no_note() -> str:
    """Nothing to add."""
    return ""


@dataclass(frozen=True)
class Number:
    """A printed number (or matrix): where, what, as printed, and how it is computed.

    note -- what a reader should know beside it, called once it is computed. agrees -- whether what
    was computed agrees, where that is not being equal. minutes -- what it takes on two cores,
    about, where that is more than seconds. known -- why it may differ, where that is known; it is
    then no fault. is_compared -- False where the two are only shown beside each other, as times of
    two machines: that is no check, and is not counted. stored -- where `compute` reads a table of
    results, the command that computes it; empty where it computes.
    """

    place: str
    what: str
    printed: str
    compute: Callable[[], str]
    note: Callable[[], str] = no_note
    agrees: Callable[[str], bool] | None = None
    minutes: float = 0
    known: str = ""
    is_compared: bool = True
    stored: str = ""


def matching(printed: Mapping[Cell, str], compute: Callable[[int, int], str]) -> str:
    """Count the numbers of a printed matrix that equal the computed ones, as `100 numbers`."""
    return f"{sum(compute(*cell) == text for cell, text in printed.items())} numbers"


def rounded(value: Fraction, digits: int = 1) -> str:
    """A value rounded half up to some decimals, exactly."""
    return str(Decimal((2 * value * 10**digits + 1) // 2).scaleb(-digits))


def truncated(value: Fraction, digits: int = 1) -> str:
    """A value cut to some decimals."""
    return str(Decimal(value * 10**digits // 1).scaleb(-digits))
