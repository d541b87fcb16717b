"""The bracket of the usual game as a drawing, and how it narrowed."""

from __future__ import annotations

import csv
import subprocess
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from pathlib import Path

from optsearch.game.names import together
from optsearch.results.tables import BRACKET, Entries
from optsearch.support.datafiles import CHECKOUT, is_checkout
from optsearch.support.decimals import brief

PAPER = {"lower": "complete binary tree", "upper": "strategy of the paper"}


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


@dataclass(frozen=True)
class Scale:
    """From which mean to which the drawing goes; ticks -- means and their places in percent."""

    least: float
    most: float

    def place(self, value: Fraction | float) -> float:
        """Where a mean stands, in percent."""
        return round(100 * (float(value) - self.least) / (self.most - self.least), 3)

    @property
    def ticks(self) -> list[tuple[int, float]]:
        """Every fifth mean."""
        first = 5 * ceil(self.least / 5)
        return [(mean, self.place(mean)) for mean in range(first, floor(self.most) + 1, 5)]


def ends(rows: Entries | list[dict[str, object]]) -> tuple[Fraction, Fraction]:
    """The greatest lower and the least upper bound; ValueError where a side is missing."""
    exact: dict[str, list[Fraction]] = {"lower": [], "upper": []}
    for row in rows:
        exact[str(row["side"])].append(Fraction(str(row["value_exact"])))
    return max(exact["lower"]), min(exact["upper"])


def scale_of(table: Entries) -> Scale:
    """A scale for all bounds."""
    values = [float(value) for value in table.column("value_exact")]
    return Scale(min(values) - 1.5, max(values) + 1.5)


def bounds(table: Entries, scale: Scale) -> list[Bar]:
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


def history(table: Entries, scale: Scale) -> list[Bar]:
    """What was open, from the paper on: one bar each time that the table of bounds narrowed.

    The paper's bounds are rows of the table; those of this project are the versions of its file
    that git has. Without git, only today's.
    """
    paper = [row for row in table if PAPER[row["side"]] == row["name"]]
    steps: list[tuple[str, Fraction, Fraction]] = []
    if len(paper) == 2:
        steps.append(("2014: the paper", *ends(paper)))
    today = (table.header.get("date", "now"), list(table))
    for day, version in [*_versions(table.path), today]:
        try:
            lower, upper = ends(version)
        except (KeyError, ValueError):
            continue
        before = steps[-1][1:] if steps else (Fraction(-1), upper + 1)
        moved = {"lower": lower if lower > before[0] else None}
        moved["upper"] = upper if upper < before[1] else None
        names = [
            str(row["name"])
            for row in version
            if Fraction(str(row["value_exact"])) == moved[str(row["side"])]
        ]
        if names:
            steps.append((f"{day}: {together(names)}", lower, upper))
    return [
        Bar(
            label,
            f"{brief(lower, 'lower')} to {brief(upper, 'upper')}",
            "open",
            scale.place(lower),
            scale.place(upper),
        )
        for label, lower, upper in steps
    ]


def _versions(path: Path) -> list[tuple[str, list[dict[str, object]]]]:
    """Day and rows of each committed version of a table of bounds, the oldest first."""
    listed = _git("log", "--reverse", "--format=%H %ad", "--date=short", "--", str(path)) or ""
    found = []
    for line in listed.splitlines():
        commit, day = line.split()
        text = _git("show", f"{commit}:{BRACKET.path(Path('data/results')).as_posix()}") or ""
        lines = [line for line in text.splitlines() if not line.startswith("#")]
        rows: list[dict[str, object]] = [
            {**row, "value_exact": row.get("value_exact") or row.get("exact")}  # its older name
            for row in csv.DictReader(lines)
        ]
        found.append((day, rows))
    return found


def _git(*arguments: str) -> str | None:
    """What git prints in the checkout; None where there is none, or it fails."""
    if not is_checkout():
        return None
    command = ["git", "--no-optional-locks", "-C", str(CHECKOUT), *arguments]
    try:
        return subprocess.run(command, capture_output=True, check=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
