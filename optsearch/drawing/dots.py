"""A dot plot: a line a game, and on it a mark for each quantity, a bar where a bracket is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes

from optsearch.support.palette import BLUE, GOLD, GREEN, GRID, INK, LABEL, OPEN, ORANGE, PURPLE, SKY

COLOURS, MARKS = (BLUE, ORANGE, GREEN, PURPLE, GOLD, SKY, INK), "os^Dv*X"
WIDTH = 4.5  # inches of the axes
STEP, GAP = 0.11, 0.12  # inches of a quantity, and between two games
ACROSS = 4  # names of quantities side by side
Ends = tuple[float, float] | None


def dots_figure_size(games: int, quantities: int) -> tuple[float, float]:
    """Width and height of the axes of `draw_dots`, in inches."""
    return WIDTH, games * (quantities * STEP + GAP)


def draw_dots(ax: Axes, games: Sequence[str], quantities: Mapping[str, Sequence[Ends]]) -> None:
    """Draw quantities of games on axes of `dots_figure_size`, the first game on top.

    quantities -- by name, for each game the two ends of what is known, equal ones for a value, or
    None. They differ in colour and mark, and are below each other, so that none hides another.
    """
    number = len(quantities)
    step = STEP / (number * STEP + GAP)  # of a game
    for line in range(0, len(games), 2):
        ax.axhspan(line - 0.5, line + 0.5, color=OPEN, linewidth=0, alpha=0.6)
    for i, (name, values) in enumerate(quantities.items()):
        look: dict[str, Any] = {
            "color": COLOURS[i % len(COLOURS)],
            "marker": MARKS[i % len(MARKS)],
            "markersize": 4.5 if MARKS[i % len(MARKS)] in "*Xv^" else 4,
            "markeredgewidth": 0,
            "linewidth": 1.6,
        }
        for line, ends in enumerate(values):
            if ends is not None:
                at = line + (i - (number - 1) / 2) * step
                ax.plot(sorted({*ends}), [at] * len({*ends}), **look)
        ax.plot([], [], label=name, **{**look, "linewidth": 0})
    ax.set_ylim(len(games) - 0.5, -0.5)
    ax.set_yticks(range(len(games)), games)
    ax.set_xlabel("mean number of shots", fontsize=9, color=INK)
    ax.grid(axis="x", color=GRID, linewidth=0.3)
    ax.set_axisbelow(True)
    ax.tick_params(color=LABEL, labelcolor=INK, labelsize=8)
    ax.tick_params(axis="y", length=0)
    for side, spine in ax.spines.items():
        spine.set_visible(side == "bottom")
        spine.set_color(LABEL)
    ax.legend(
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=min(ACROSS, number),
        frameon=False,
        fontsize=7.5,
        labelcolor=INK,
    )
