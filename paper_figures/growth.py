"""How the number of configurations grows with the board: python -m paper_figures.growth."""

import sys
from pathlib import Path

from matplotlib.figure import Figure

from optsearch.results import tables as results
from paper_figures import script, style

NAMES = {"none": "may not touch", "corner": "only at corners", "any": "may touch"}


def draw(source: Path) -> Figure:
    """Configurations against the side of the board, on a logarithmic scale, by contact rule.

    A board that holds none has an open mark on the axis.
    """
    table = results.GROWTH.read(source)
    figure, ax = style.curves()
    ax.set_yscale("log")
    empty = []
    for i, (contact, name) in enumerate(NAMES.items()):
        rows = [row for row in table if row["contact"] == contact]
        points = [(row["size"], row["configurations"]) for row in rows if row["configurations"]]
        ax.plot(*zip(*points, strict=True), marker=style.MARKS[i], label=name)
        empty += [(row["size"], i) for row in rows if not row["configurations"]]
    bottom = 10 ** (len(str(min(n for n in table.column("configurations") if n))) - 2)
    ax.set_ylim(bottom=bottom)
    for size, i in empty:
        ax.plot(
            *([size], [bottom]),
            style.MARKS[i],
            color=style.PALETTE[i],
            mfc="white",
            clip_on=False,
            zorder=5,
            gid="none",
        )
        text = f"none on {size}×{size}: without\ntouching they do not fit"
        style.note(ax, text, (size, bottom), xytext=(9, 3))
    ax.set_xlabel("side of the board")
    ax.set_ylabel("configurations of the fleet " + table.header["fleet"])
    ax.legend(title="ships")
    return figure


FIGURE = script.PaperFigure("growth", results.GROWTH, draw)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
