"""How much more greedy shoots than the optimum: python -m paper_figures.greedy_loss."""

import sys
from pathlib import Path

from matplotlib.figure import Figure

from optsearch import results
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
    figure, ax = style.figure(5, 3)
    ax.vlines(number, best, worst, color="#9aa5b1", lw=1, zorder=1)
    ax.plot(number, worst, "_", color="#52606d", ms=5, label="worst ties", zorder=2)
    worse = [(n, b) for n, b in zip(number, best, strict=True) if b > 0]
    ax.plot(*zip(*worse, strict=True), "o", color="#c2410c", ms=3.5, label="best ties", zorder=3)
    same = [n for n, b in zip(number, best, strict=True) if b == 0]
    ax.plot(same, [0] * len(same), "|", color="#2f7d4f", ms=7, label="best ties: optimal", zorder=3)
    ax.set_xscale("log")
    ax.set_ylim(bottom=-0.15)
    ax.set_xlabel("configurations")
    ax.set_ylabel("more shots than the optimum, percent")
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="y", lw=0.4)
    ax.legend(frameon=False, fontsize=8)
    return figure


FIGURE = script.PaperFigure("greedy_loss", results.GREEDY_LOSS, draw)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
