"""The root chain and what it gives on the usual game: python -m paper_figures.root_chain."""

import sys
from math import comb
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Polygon

from optsearch.game.position import HIT, MISS
from optsearch.results import tables as results
from paper_figures import script, style

GAME = "10x10_54332"
HITS, MISSES, SHOTS = 17, 18, 8  # of the usual game; l; cells that are compared
CHAIN, CELLS = 7, 4  # vertices that are drawn, and the first j of them


def draw(coverage: Path) -> Figure:
    """Above, the chain of misses with what hangs from it; below, both parts of the bound."""
    figure = Figure(figsize=(5.4, 5.2))
    _draw_chain(figure.add_axes((0, 0.55, 1, 0.45)))
    _draw_parts(figure.add_axes((0.13, 0.08, 0.84, 0.38)), results.COVERAGE.read(coverage))
    style.letters(*figure.axes)
    return figure


def _draw_chain(ax: Axes) -> None:
    for i in range(CHAIN):
        colour = style.BLUE if i < CELLS else style.ORANGE
        ax.plot([i, i + 1], [0, 0], color=style.GRID, lw=1.2, zorder=1)
        ax.plot([i, i - 0.3], [0, -0.75], color=style.GRID, lw=1.2, zorder=1)
        corners = [(i - 0.3, -0.7), (i - 0.62, -1.6), (i + 0.1, -1.6)]
        ax.add_patch(Polygon(corners, facecolor=colour, alpha=0.25, edgecolor="none"))
        ax.add_patch(Circle((i, 0), 0.24, facecolor="white", edgecolor=style.INK, zorder=2))
        ax.text(i, -0.02, f"$c_{i}$", ha="center", va="center", color=style.INK)
        style.note(ax, MISS.sign, (i + 0.5, 0.06), ha="center")
        style.note(ax, HIT.sign, (i - 0.28, -0.45), ha="center")
    style.note(ax, "…", (CHAIN + 0.1, -0.05))
    for first, after, text in (
        (0, CELLS, f"first hit at one of j = {CELLS} cells:\nat most Cov({CELLS})"),
        (
            CELLS,
            CHAIN,
            f"behind {CELLS} misses: at most\nC(l − {CELLS} + {HITS}, {HITS}) sequences",
        ),
    ):
        left, right = first - 0.6, after - 0.9
        ax.plot([left, left, right, right], [-1.7, -1.8, -1.8, -1.7], color=style.LABEL, lw=0.8)
        style.note(ax, text, ((left + right) / 2, -1.9), ha="center", va="top", color=style.INK)
    style.note(ax, "a strategy until its first hit: one fixed sequence of cells", (-0.3, 0.5))
    ax.set_xlim(-0.8, CHAIN + 0.5)
    ax.set_ylim(-2.6, 0.8)
    ax.set_axis_off()


def _draw_parts(ax: Axes, table: results.Entries) -> None:
    """For so many misses, what the first cells meet and what is behind them, in parts of all."""
    whole = int(table.header["configurations"])
    met = [row["most_met"] / whole for row in table][: SHOTS + 1]
    behind = [comb(MISSES - j + HITS, HITS) / whole for j in range(len(met))]
    least = min(range(len(met)), key=lambda j: met[j] + behind[j])
    ax.bar(range(len(met)), met, 0.6, color=style.BLUE, alpha=0.55, label="Cov(j)")
    ax.bar(
        range(len(met)),
        behind,
        0.6,
        met,
        color=style.ORANGE,
        alpha=0.55,
        label=f"C({MISSES} − j + {HITS}, {HITS})",
    )
    height = met[least] + behind[least]
    ax.axhline(height, color=style.INK, lw=0.8, ls=(0, (4, 3)), zorder=0)
    style.note(
        ax,
        f"least at j = {least}: A({MISSES}) = {height:.4f} N",
        (least, height),
        xytext=(0, 42),
        ha="center",
        color=style.INK,
        arrowprops={"arrowstyle": "-", "color": style.LABEL, "lw": 0.8},
    )
    ax.axhline(1, color=style.GRID, lw=0.8, zorder=0)
    ax.set_ylim(0, 2.5)
    ax.set_xlabel("j, cells of the chain")
    ax.set_ylabel("of all N configurations")
    ax.legend(loc="upper right", ncols=2)


FIGURE = script.PaperFigure("root_chain", results.COVERAGE, draw, GAME)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
