"""How much more greedy shoots than the optimum: python -m paper_figures.greedy_loss."""

import sys
from pathlib import Path

from matplotlib.figure import Figure

from optsearch.results import tables as results
from paper_figures import script, style


def draw(source: Path) -> Figure:
    """A line a game, from the best greedy strategy to the worst, in percent of the optimum.

    Games in which the best greedy strategy is optimal lie on the axis, as ticks. Where the worst
    one is not known, the line is missing.
    """
    rows = [row for row in results.GREEDY_LOSS.read(source) if row["percent_best"] is not None]
    number = [row["configurations"] for row in rows]
    best = [row["percent_best"] for row in rows]
    worst = [row["percent_worst"] or row["percent_best"] for row in rows]
    figure, ax = style.curves()
    ax.vlines(number, best, worst, color=style.GRID, lw=0.8, zorder=1)
    ax.plot(number, worst, "_", color=style.LABEL, ms=5, label="ties broken worst", zorder=2)
    worse = [(n, b) for n, b in zip(number, best, strict=True) if b > 0]
    label = f"ties broken best: {len(worse)} games, worse than the optimum"
    ax.plot(*zip(*worse, strict=True), "o", color=style.ORANGE, ms=3.5, label=label, zorder=3)
    same = [n for n, b in zip(number, best, strict=True) if b == 0]
    label = f"ties broken best: {len(same)} games, optimal"
    ax.plot(same, [0] * len(same), "|", color=style.GREEN, ms=7, label=label, zorder=3)
    ax.set_xscale("log")
    ax.set_ylim(-0.15, 1.3 * max(worst))
    ax.set_xlabel("configurations")
    ax.set_ylabel("more shots than the optimum, percent")
    ax.legend(loc="upper left")
    return figure


FIGURE = script.PaperFigure("greedy_loss", results.GREEDY_LOSS, draw)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
