"""Boards, matrices and heat maps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Rectangle
from numpy.typing import NDArray

from optsearch.drawing.style import GRID, HIT_CELL, INK, LABEL, MISS_CELL
from optsearch.game import column_name
from optsearch.position import Position

HEAT = LinearSegmentedColormap.from_list("heat", ["#fbfcfe", "#cfe0f1", "#8fb8de"])


def draw_board(ax: Axes, position: Position) -> None:
    """Draw a position: the grid, column letters above, row numbers on the left, and the shots.

    A cell hit is shaded and has a circle, a cell missed has a cross.
    """
    game = position.game
    for shot in position.shots:
        row, column = shot.cell
        shade = HIT_CELL if shot.reply.hit else MISS_CELL
        ax.add_patch(Rectangle((column, row), 1, 1, facecolor=shade, edgecolor="none", gid="shot"))
        if shot.reply.hit:
            centre = (column + 0.5, row + 0.5)
            ax.add_patch(Circle(centre, 0.25, fill=False, edgecolor=INK, lw=1.6, gid="hit"))
        else:
            x = [column + 0.28, column + 0.72, np.nan, column + 0.28, column + 0.72]
            y = [row + 0.28, row + 0.72, np.nan, row + 0.72, row + 0.28]
            ax.add_line(Line2D(x, y, color=INK, lw=1.6, solid_capstyle="round", gid="miss"))
    _draw_grid(ax, game.rows, game.columns)
    ax.set_aspect("equal")


def draw_matrix(
    ax: Axes, matrix: Sequence[Sequence[float]] | NDArray[Any], format: str = ""
) -> None:
    """Draw one number a cell over a quiet heat map, as the paper's Figures 2 and 3.

    matrix -- rows of numbers; format -- how to write one, such as `d` or `.1f`. The text is as
    large as the cells of these axes allow, so give the axes their size first.
    """
    rows, columns = len(matrix), len(matrix[0])
    texts = [[f"{value:{format}}" for value in row] for row in matrix]
    values = np.array([[float(value) for value in row] for row in matrix])
    ax.pcolormesh(np.arange(columns + 1), np.arange(rows + 1), values, cmap=HEAT)
    box = ax.get_window_extent()
    points = 72 / ax.figure.get_dpi()
    longest = max(len(text) for row in texts for text in row)
    size = min(box.width / columns * 0.8 / (0.64 * longest), box.height / rows * 0.4) * points
    for i, row in enumerate(texts):
        for j, text in enumerate(row):
            ax.text(
                j + 0.5,
                i + 0.5,
                text,
                ha="center",
                va="center",
                fontsize=size,
                color=INK,
                gid="value",
            )
    _draw_grid(ax, rows, columns)


def draw_probability(ax: Axes, position: Position, probability: NDArray[np.float64]) -> None:
    """Draw a position over the heat map of the probability of a ship on each cell, in percent.

    The colours span the cells not shot yet. Give the axes their size first, as in `draw_matrix`.
    """
    shown = np.array(probability, dtype=float)
    for shot in position.shots:
        shown[shot.cell] = np.nan
    draw_board(ax, position)
    ax.pcolormesh(
        np.arange(position.game.columns + 1),
        np.arange(position.game.rows + 1),
        np.ma.masked_invalid(100 * shown),
        cmap=HEAT,
        gid="heat",
    )
    box = ax.get_window_extent()
    points = 72 / ax.figure.get_dpi()
    size = min(box.width / position.game.columns / 4, box.height / position.game.rows * 0.4)
    for row, column in np.ndindex(shown.shape):
        if not np.isnan(shown[row, column]):
            ax.text(
                column + 0.5,
                row + 0.5,
                f"{100 * shown[row, column]:.1f}",
                ha="center",
                va="center",
                fontsize=size * points,
                color=INK,
                gid="value",
            )


def _draw_grid(ax: Axes, rows: int, columns: int) -> None:
    """Lines and labels; the cell (row, column) is the unit square from (column, row) on."""
    lines = [((j, 0), (j, rows)) for j in range(1, columns)]
    lines += [((0, i), (columns, i)) for i in range(1, rows)]
    ax.add_collection(LineCollection(lines, colors=GRID, linewidths=0.8, gid="grid"))
    frame = Rectangle(
        (0, 0), columns, rows, fill=False, edgecolor=INK, lw=1.2, zorder=3, gid="frame"
    )
    frame.set_clip_on(False)
    ax.add_patch(frame)
    ax.set_xlim(0, columns)
    ax.set_ylim(rows, 0)
    ax.set_xticks([j + 0.5 for j in range(columns)], [column_name(j) for j in range(columns)])
    ax.set_yticks([i + 0.5 for i in range(rows)], [str(i + 1) for i in range(rows)])
    ax.xaxis.tick_top()
    ax.tick_params(length=0, colors=LABEL)
    for spine in ax.spines.values():
        spine.set_visible(False)
