"""A printed value and its computation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from optsearch.game import Cell


def no_note() -> str:
    """Return no text: there is nothing to add."""
    return ""


@dataclass(frozen=True)
class Number:
    """A printed number (or matrix): its place in the source, its name, text and computation.

    note -- returns a remark for the reader; called after `compute`. agrees -- True if a computed
    text agrees with the printed one; None requires equal texts. minutes -- the time on two cores,
    if longer than seconds. known -- the reason why it may differ, if known; a difference is then
    not a fault. is_compared -- False shows both without a check, as for times of two machines.
    stored -- if `compute` reads a table of results, the command that computes that table.
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


def count_equal(printed: Mapping[Cell, str], compute: Callable[[int, int], str]) -> str:
    """Return how many numbers of a printed matrix equal the computed ones, as "100 numbers"."""
    return f"{sum(compute(*cell) == text for cell, text in printed.items())} numbers"


def rounded(value: Fraction, digits: int = 1) -> str:
    """Return a value as text, rounded half up to `digits` decimals from its exact fraction."""
    return str(Decimal((2 * value * 10**digits + 1) // 2).scaleb(-digits))


def truncated(value: Fraction, digits: int = 1) -> str:
    """Return a value as text, rounded down to `digits` decimals."""
    return str(Decimal(value * 10**digits // 1).scaleb(-digits))
