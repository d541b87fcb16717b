"""Boards, matrices and heat maps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, FancyBboxPatch, Rectangle
from numpy.typing import NDArray

from optsearch.counting.posterior import ranks
from optsearch.game import Cell, column_name
from optsearch.game.position import Position, Shot
from optsearch.support import palette
from optsearch.support.palette import BEST, GRID, HIT, HIT_CELL, INK, LABEL, MISS, MISS_CELL, SHIP

HEAT = LinearSegmentedColormap.from_list("heat", palette.HEAT)


def paper_name(cell: Cell) -> str:
    """A cell as Audinot, Bonnet and Viennot (2014) name it: row letter, column number."""
    return f"{column_name(cell[0])}{cell[1] + 1}"


def draw_board(ax: Axes, position: Position, paper: bool = False) -> None:
    """Draw a position: the grid, column letters above, row numbers on the left, and the shots.

    Each shot has the sign of its reply on a shade; a hole is dark. With `paper`, hits have circles
    and misses crosses, rows have the letters and columns the numbers, as in the paper.
    """
    game = position.game
    for row, column in game.cells_of(game.holes):
        ax.add_patch(
            Rectangle((column, row), 1, 1, facecolor=palette.HOLE, lw=0, zorder=2, gid="hole")
        )
    for shot in position.shots:
        _draw_shot(ax, shot, paper)
    _draw_grid(ax, game.rows, game.columns, paper)
    ax.set_aspect("equal")


def _draw_shot(ax: Axes, shot: Shot, paper: bool) -> None:
    (row, column), is_hit, sinks = shot.cell, shot.reply.hit, shot.reply.sunk
    shade, colour = (HIT_CELL, HIT) if is_hit else (MISS_CELL, MISS)
    ax.add_patch(Rectangle((column, row), 1, 1, facecolor=shade, edgecolor="none", gid="shot"))
    gid = str(shot.reply).partition(":")[0]
    if sinks or is_hit == paper:
        centre = (column + 0.5, row + 0.5)
        style = {"facecolor": colour if sinks else "none", "edgecolor": colour, "lw": 1.8}
        ax.add_patch(Circle(centre, 0.25, gid=gid, **style))
    else:
        x = [column + 0.28, column + 0.72, np.nan, column + 0.28, column + 0.72]
        y = [row + 0.28, row + 0.72, np.nan, row + 0.72, row + 0.28]
        ax.add_line(Line2D(x, y, color=colour, lw=1.8, solid_capstyle="round", gid=gid))


def draw_ships(ax: Axes, ships: Sequence[Sequence[Cell]]) -> None:
    """Draw ships on a board that is drawn already: each a rounded bar over its cells.

    One of another shape is a square on each cell, with the edges between them left out.
    """
    for cells in ships:
        if len({row for row, _ in cells}) > 1 < len({column for _, column in cells}):
            _draw_shape(ax, set(cells))
            continue
        (top, left), (bottom, right) = min(cells), max(cells)
        ax.add_patch(
            FancyBboxPatch(
                (left + 0.3, top + 0.3),
                right - left + 0.4,
                bottom - top + 0.4,
                boxstyle="round,pad=0.1,rounding_size=0.3",
                facecolor=SHIP,
                edgecolor=INK,
                lw=1,
                zorder=2.5,
                gid="ship",
            )
        )


def _draw_shape(ax: Axes, cells: set[Cell]) -> None:
    """Squares, and the lines around all of them."""
    lines = []
    for row, column in cells:
        square = Rectangle((column, row), 1, 1, facecolor=SHIP, lw=0, zorder=2.5, gid="ship")
        ax.add_patch(square)
        for beside, line in (
            ((row - 1, column), ((column, row), (column + 1, row))),
            ((row + 1, column), ((column, row + 1), (column + 1, row + 1))),
            ((row, column - 1), ((column, row), (column, row + 1))),
            ((row, column + 1), ((column + 1, row), (column + 1, row + 1))),
        ):
            if beside not in cells:
                lines.append(line)
    ax.add_collection(LineCollection(lines, colors=INK, linewidths=1, zorder=2.6, gid="ship lines"))


def draw_matrix(
    ax: Axes,
    matrix: Sequence[Sequence[float]] | NDArray[Any],
    format: str = "",
    paper: bool = False,
) -> None:
    """Draw one number a cell over a quiet heat map, as the paper's Figures 2 and 3.

    matrix -- rows of numbers; format -- how to write one, such as `d` or `.1f`; paper -- as in
    `draw_board`. The text is as large as the cells of these axes allow, so give the axes their size
    first.
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
    _draw_grid(ax, rows, columns, paper)


def draw_probability(
    ax: Axes, position: Position, probability: NDArray[np.float64], digits: int = 1
) -> None:
    """Draw a position over the heat map of the probability of a ship on each cell, in percent.

    The colours go by rank among the values of the cells not shot yet, so that one high value leaves
    the others apart; most probable cells have a thick frame. digits -- decimals of the percentages.
    Give the axes their size first, as in `draw_matrix`.
    """
    shown = np.array(probability, dtype=float)
    for cell in position.game.cells_of(position.closed):
        shown[cell] = np.nan
    draw_board(ax, position)
    ax.pcolormesh(
        np.arange(position.game.columns + 1),
        np.arange(position.game.rows + 1),
        np.ma.masked_invalid(ranks(shown)),
        cmap=HEAT,
        vmin=0,
        vmax=1,
        gid="heat",
    )
    most = np.nanmax(shown, initial=0)
    for row, column in np.argwhere(np.isclose(shown, most, rtol=1e-12) & (shown > 0)):
        ax.add_patch(
            Rectangle(
                (column + 0.06, row + 0.06),
                0.88,
                0.88,
                fill=False,
                edgecolor=BEST,
                lw=2,
                gid="greedy",
            )
        )
    box = ax.get_window_extent()
    points = 72 / ax.figure.get_dpi()
    letters, high = (4, 0.4) if digits else (2.25, 0.45)
    size = min(box.width / position.game.columns / letters, box.height / position.game.rows * high)
    for row, column in np.ndindex(shown.shape):
        if not np.isnan(shown[row, column]):
            ax.text(
                column + 0.5,
                row + 0.5,
                f"{100 * shown[row, column]:.{digits}f}",
                ha="center",
                va="center",
                fontsize=size * points,
                color=INK,
                gid="value",
            )


def _draw_grid(ax: Axes, rows: int, columns: int, paper: bool = False) -> None:
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
    letters = [column_name(i) for i in range(max(rows, columns))]
    numbers = [str(i + 1) for i in range(max(rows, columns))]
    across, down = (numbers, letters) if paper else (letters, numbers)
    ax.set_xticks([j + 0.5 for j in range(columns)], across[:columns])
    ax.set_yticks([i + 0.5 for i in range(rows)], down[:rows])
    ax.xaxis.tick_top()
    ax.tick_params(length=0, colors=LABEL)
    for spine in ax.spines.values():
        spine.set_visible(False)
