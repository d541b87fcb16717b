"""How the number of configurations grows with the board: python -m paper_figures.growth."""

import sys
from pathlib import Path

from matplotlib.figure import Figure

from optsearch import results
from paper_figures import script, style

MARKS = {"none": "o", "corner": "s", "any": "^"}
NAMES = {"none": "may not touch", "corner": "only at corners", "any": "may touch"}


def draw(source: Path) -> Figure:
    """Configurations against the side of the board, on a logarithmic scale, by contact rule."""
    table = results.GROWTH.read(source)
    figure, ax = style.figure(4.5, 3.2)
    for contact, mark in MARKS.items():
        points = [
            (row["size"], row["configurations"])
            for row in table
            if row["contact"] == contact and row["configurations"]
        ]
        ax.plot(*zip(*points, strict=True), marker=mark, ms=5, lw=1.2, label=NAMES[contact])
    ax.set_yscale("log")
    ax.set_xlabel("side of the board")
    ax.set_ylabel("configurations of the fleet " + table.header["fleet"])
    ax.grid(axis="y", lw=0.4)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, title="ships")
    return figure


FIGURE = script.PaperFigure("growth", results.GROWTH, draw)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
