"""The bracket of the usual game as a drawing, and how it narrowed."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from optsearch.game.names import in_words, together
from optsearch.report.axes import Axis, linear
from optsearch.results.tables import Entries
from optsearch.support.decimals import brief


@dataclass(frozen=True)
class Bar:
    """A line of the drawing: what is known to be open, from one mean to another, in percent.

    label -- its name; text -- its numbers; kind -- lower, upper or open; left, right -- its ends on
    the scale, 0 to 100.
    """

    label: str
    text: str
    kind: str
    left: float
    right: float


def ends(table: Entries) -> tuple[Fraction, Fraction]:
    """The greatest lower and the least upper bound; ValueError where a side is missing."""
    exact: dict[str, list[Fraction]] = {"lower": [], "upper": []}
    for row in table:
        exact[row["side"]].append(row["value_exact"])
    return max(exact["lower"]), min(exact["upper"])


def scale_of(table: Entries) -> Axis:
    """An axis for all bounds."""
    return linear([float(value) for value in table.column("value_exact")], step=5)


def still_open(table: Entries, scale: Axis) -> Bar:
    """What no bound rules out."""
    lower, upper = ends(table)
    return Bar("", "", "open", scale.place(lower), scale.place(upper))


def bounds(table: Entries, scale: Axis) -> list[Bar]:
    """A bar a value, the weak ones first on each side; it covers what the bound rules out."""
    bars = []
    for side in ("lower", "upper"):
        rows = [row for row in table if row["side"] == side]
        for value in sorted({row["value_exact"] for row in rows}, reverse=side == "upper"):
            label = together([row["name"] for row in rows if row["value_exact"] == value])
            at = scale.place(value)
            left, right = (0.0, at) if side == "lower" else (at, 100.0)
            bars.append(Bar(label, brief(value, side), side, left, right))
    return bars


def history(table: Entries, scale: Axis) -> list[Bar]:
    """What was open, from the paper on: one bar each time that a bound narrowed it.

    table -- of `BRACKET_HISTORY`.
    """
    best: dict[str, Fraction] = {}
    bars: list[Bar] = []
    for row in table:
        best[row["side"]] = row["value_exact"]
        if len(best) == 2:
            by = in_words(row["name"]) if bars else "the paper"
            low, high = best["lower"], best["upper"]
            text = f"{brief(low, 'lower')} to {brief(high, 'upper')}"
            ends = scale.place(low), scale.place(high)
            bars.append(Bar(f"{row['date']}: {by}", text, "open", *ends))
    return bars
