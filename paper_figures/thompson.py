"""Shots of the players of the post on Thompson sampling: python -m paper_figures.thompson.

Left, exactly, with one ship on 5x5; right, the distributions on the usual board, a row a player.
"""

import sys
from collections import Counter
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
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
USUAL = {
    "random": "random",
    "Thompson, 1,000 samples": "thompson_1000",
    "Thompson, as printed": "thompson",
    "all that is heard": "whole",
    "exact greedy": "greedy",
}
BIN = 2  # shots
HEIGHT = 3.4  # inches


def draw(source: Path, small: Path, optimistic: Path) -> Figure:
    """Probabilities on the left, parts of the games by player on the right."""
    figure = Figure(figsize=(6.5, HEIGHT))
    left, right = figure.add_axes((0, 0, 0.36, 1)), figure.add_axes((0.46, 0, 0.54, 1))
    _draw_small(left, results.THOMPSON_SMALL.read(small))
    _draw_usual(right, results.THOMPSON.read(source))
    _draw_means(right, results.THOMPSON_OPTIMISTIC.read(optimistic))
    style.letters(left, right)
    return figure


def _draw_small(ax: Axes, table: results.Entries) -> None:
    rows = [row for row in table if str(row["game"]) == GRID]
    for label, (player, dashes) in SMALL.items():
        found = {row["shots"]: row["probability"] for row in rows if row["player"] == player}
        mean = float(sum(shots * p for shots, p in found.items()))
        percent = [100 * float(p) for p in found.values()]
        ax.plot(
            *(list(found), percent),
            ls=dashes,
            marker="o",
            ms=2.5,
            label=f"{label}, mean {mean:.1f}",
        )
    ax.set_title(GRID)
    ax.set_ylabel("percent of the configurations")
    ax.set_xlabel("shots")
    ax.set_ylim(0, 25)  # the legend is above the curves
    ax.grid(axis="y")
    ax.legend(loc="upper right")


def _draw_usual(ax: Axes, table: results.Entries) -> None:
    """The distribution of each player as steps on a line of its own, with its mean."""
    for number, (label, column) in enumerate(USUAL.items()):
        shots, colour = table.column(column), style.PALETTE[number]
        bins = Counter((n - 1) // BIN for n in shots)
        edges = range(min(bins), max(bins) + 2)
        high = 0.8 / max(bins.values())
        heights = [bins[i] * high - number for i in edges]
        places = [BIN * i + 0.5 for i in edges]
        ax.fill_between(places, heights, -number, step="post", color=colour, alpha=0.25, lw=0)
        ax.step(places, heights, where="post", color=colour, lw=1)
        ax.axhline(-number, color=style.GRID, lw=0.5, zorder=0)
        mean = sum(shots) / len(shots)
        ax.plot(mean, -number, "o", color=colour, ms=4, gid="mean")
        is_left = mean > 80
        style.note(
            ax,
            f"{label}\nmean {mean:.1f}",
            (min(shots) - 1, -number) if is_left else (max(shots) + 2, -number),
            xytext=(0, 3),
            ha="right" if is_left else "left",
            color=style.INK,
        )
    ax.set_title("10x10:5,4,3,3,2, touching, sinkings told")
    ax.set_xlabel("shots")
    ax.set_xlim(15, 110)
    ax.set_yticks([])
    ax.set_ylim(0.1 - len(USUAL), 1.45)
    ax.spines["left"].set_visible(False)


def _draw_means(ax: Axes, table: results.Entries) -> None:
    """The optimistic means as lines, printed and corrected, named above the distributions."""
    outer = {
        "corrected": min((float(value) for value in table.column("corrected")), default=0),
        "printed": max((float(value) for value in table.column("printed")), default=0),
    }
    for number, row in enumerate(table):
        high = 1.2 - 0.3 * number
        for what, dashes, aside in (("printed", "--", 1), ("corrected", ":", -1)):
            value = float(row[what])
            ax.axvline(value, color=style.INK, lw=0.9, ls=dashes, gid=what)
            name = f"{row['name']} " if aside > 0 else ""
            style.note(
                ax,
                f"{what} {value:.2f}" if aside < 0 else f"{value:.2f} {name}as {what}",
                (outer[what], high),
                xytext=(3 * aside, 0),
                ha="left" if aside > 0 else "right",
                color=style.INK,
                gid="optimistic",
            )


FIGURE = script.PaperFigure(
    "thompson",
    results.THOMPSON,
    draw,
    also=((results.THOMPSON_SMALL, ""), (results.THOMPSON_OPTIMISTIC, "")),
)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
