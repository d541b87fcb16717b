"""Smoothed cumulative distributions of the five versions: python -m paper_figures.heuristics."""

import sys
from math import erf, sqrt
from pathlib import Path

from matplotlib.figure import Figure

from optsearch.results import tables as results
from optsearch.results.tables import HEURISTICS
from paper_figures import script, style

DASHES = {1: "-.", 2: "-", 3: "--", 4: "-", 5: (0, (3, 3))}
PRINTED = "factor=3,edges=printed,stuck=draw,memory=last"


def smoothed(counts: dict[int, int], at: float) -> float:
    """The part of the games finished within so many shots, by a Gaussian kernel (Silverman)."""
    games = sum(counts.values())
    mean = sum(shots * n for shots, n in counts.items()) / games
    deviation = sqrt(sum(n * (shots - mean) ** 2 for shots, n in counts.items()) / (games - 1))
    width = 1.06 * deviation * games**-0.2
    return (
        sum(n * (1 + erf((at - shots) / width / sqrt(2))) / 2 for shots, n in counts.items())
        / games
    )


def draw(source: Path) -> Figure:
    """One curve a version."""
    rows = HEURISTICS.read(source)
    figure, ax = style.curves()
    at = [17 + i / 2 for i in range(167)]
    for version in range(1, 6):
        name = f"heuristic:version={version},{PRINTED}"
        counts = {row["shots"]: row["games"] for row in rows if row["strategy"] == name}
        ax.plot(
            at,
            [smoothed(counts, x) for x in at],
            ls=DASHES[version],
            label=f"version {version}",
        )
    ax.set_xlabel("shots")
    ax.set_ylabel("part of the games finished")
    ax.set_xlim(17, 100)
    ax.legend()
    return figure


FIGURE = script.PaperFigure("heuristics", results.HEURISTICS, draw, "corner")

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
