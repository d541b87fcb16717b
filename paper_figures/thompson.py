"""Shots of the players of the post on Thompson sampling: python -m paper_figures.thompson.

Left, exactly, with one ship on 5x5; right, games finished on the usual board.
"""

import sys
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from optsearch.results import tables as results
from paper_figures import script, style

GRID = "5x5:3"
SMALL: dict[str, tuple[str, Any]] = {
    "random": ("random", ":"),
    "near optimal": ("grid", "-."),
    "Thompson": ("greedy:endgame=0", "-"),
    "optimal": ("optimal", "--"),
}
USUAL: dict[str, tuple[str, Any]] = {
    "random": ("random", ":"),
    "Thompson, 1,000 samples": ("thompson_1000", (0, (3, 3))),
    "Thompson, as printed": ("thompson", "-"),
    "all that is heard": ("whole", "-."),
    "exact greedy": ("greedy", "--"),
}


def draw(source: Path, small: Path) -> Figure:
    """Probabilities on the left, parts of the games finished on the right."""
    figure = Figure(figsize=(style.WIDTH, style.HEIGHT))
    left, right = figure.add_axes((0, 0, 0.75, 1)), figure.add_axes((0.92, 0, 0.95, 1))
    rows = [row for row in results.THOMPSON_SMALL.read(small) if str(row["game"]) == GRID]
    for label, (player, dashes) in SMALL.items():
        found = {row["shots"]: row["probability"] for row in rows if row["player"] == player}
        mean = float(sum(shots * p for shots, p in found.items()))
        left.plot(
            list(found),
            [100 * float(p) for p in found.values()],
            ls=dashes,
            marker="o",
            ms=2.5,
            label=f"{label}, mean {mean:.1f}",
        )
    left.set_title(GRID)
    left.set_ylabel("percent")
    table = results.THOMPSON.read(source)
    for label, (column, dashes) in USUAL.items():
        shots = sorted(table.column(column))
        right.plot(
            [shots[0], *shots],
            [100 * i / len(shots) for i in range(len(shots) + 1)],
            ls=dashes,
            drawstyle="steps-post",
            label=f"{label}, mean {sum(shots) / len(shots):.1f}",
        )
    right.set_title("10x10:5,4,3,3,2, touching, sinkings told")
    right.set_ylabel("percent of the games finished")
    right.set_ylim(-4, 168)  # the legend is above the curves
    right.set_yticks(range(0, 101, 20))
    for ax in (left, right):
        ax.grid(axis="y")
        ax.set_xlabel("shots")
        ax.legend(loc="best" if ax is left else "upper left")
    return figure


FIGURE = script.PaperFigure(
    "thompson", results.THOMPSON, draw, also=((results.THOMPSON_SMALL, ""),)
)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
