"""What the best hider gains, and where its ships are: python -m paper_figures.equilibria."""

import sys
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from optsearch.results import tables as results
from paper_figures import script, style

KINDS = {"one ship": range(1, 2), "two ships": range(2, 3), "three and more": range(3, 100)}


def shown(source: Path | None = None) -> list[dict[str, Any]]:
    """Games whose value was found, without ships of length 1 and boards of one row."""
    return [
        row
        for row in results.EQUILIBRIA.read(source)
        if row["value"] is not None and max(row["game"].fleet) > 1 and row["game"].rows > 1
    ]


def draw(source: Path) -> Figure:
    """On the left what a uniform hider gives away, on the right the border; a dot a game.

    On the right only those in which a uniform hider gives something away.
    """
    rows = shown(source)
    figure = Figure(figsize=(2.9, 2.9))
    left, right = (figure.add_axes((1.35 * number, 0, 1, 1)) for number in range(2))
    for (kind, ships), colour, mark in zip(KINDS.items(), style.PALETTE, style.MARKS, strict=False):
        some = [row for row in rows if len(row["game"].fleet) in ships]
        options: dict[str, Any] = {"color": colour, "ms": 3.5, "label": kind}
        gains = [float(row["value"] - row["uniform"]) for row in some]
        left.plot([row["hidings"] for row in some], gains, mark, **options)
        gained = [row for row in some if not row["is_uniform"]]
        right.plot(
            [row["uniform_border"] for row in gained],
            [row["border"] for row in gained],
            mark,
            **options,
        )
    if rows:
        most = max(rows, key=lambda row: row["value"] - row["uniform"])
        at = (most["hidings"], float(most["value"] - most["uniform"]))
        style.note(left, str(most["game"]), at, xytext=(5, 2))
    left.set_xscale("log")
    left.set_xlabel("ways to hide")
    left.set_ylabel("shots that a uniform hider gives away")
    left.grid(axis="y")
    left.set_ylim(top=0.85)  # the legend goes above the dots
    left.legend(loc="upper left")
    ends = (0.35, 1.0)
    right.plot(ends, ends, color=style.LABEL, lw=0.8, zorder=1)
    right.set_xlabel("ship cells at the border, drawn uniformly")
    right.set_ylabel("the same in the best hider's mix")
    right.grid()
    style.letters(left, right)
    return figure


FIGURE = script.PaperFigure("equilibria", results.EQUILIBRIA, draw)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
