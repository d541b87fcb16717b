"""The mix of a hider: its most likely configurations as small boards, beside a map of them all."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from optsearch.drawing.boards import (
    board_size,
    cell_patch,
    draw_board,
    draw_colour_bar,
    draw_matrix,
)
from optsearch.game import Game
from optsearch.game.position import Position
from optsearch.support.palette import INK, SHIP

CELL = 0.17  # inches of a cell of a small board
MAP_CELL = 0.42  # of the map
ACROSS = 6.2  # inches of a row of small boards
GAP, TITLE, MARGIN = 0.32, 0.42, 0.3
MOST_BOARDS = 24  # boards


def mix_figure_size(game: Game, orbits: int) -> tuple[float, float]:
    """Return the width and height, in inches, of the figure in which `draw_mix` draws a mix.

    orbits -- their number; an orbit has the configurations that symmetries map to each other.
    """
    columns, rows = _count_boards(game, orbits)
    cells_across, cells_down = board_size(game)
    boards_width = columns * (cells_across * CELL + GAP)
    boards_height = rows * (cells_down * CELL + TITLE)
    map_width, map_height = cells_across * MAP_CELL, cells_down * MAP_CELL
    width = map_width + boards_width + 3 * MARGIN
    return width, max(boards_height, map_height + 2 * TITLE) + 2 * MARGIN


def _count_boards(game: Game, orbits: int) -> tuple[int, int]:
    """Return how many small boards are drawn side by side, and in how many rows."""
    boards = min(orbits, MOST_BOARDS)
    board_width = board_size(game)[0] * CELL + GAP
    columns = max(1, min(boards, int(ACROSS / board_width)))
    return columns, ceil(boards / columns)


def draw_mix(
    figure: Figure, game: Game, orbits: Sequence[tuple[int, float]], occupancy: NDArray[Any]
) -> None:
    """Draw how a hider mixes configurations: a heat map, and boards of MOST_BOARDS orbits at most.

    An orbit has the configurations that symmetries of the board map to each other.

    figure -- an empty figure of the size that `mix_figure_size` returns.
    orbits -- for each orbit the mask of the cells of one of its configurations, and the probability
        of the whole orbit; the likeliest first.
    occupancy -- the probability of a ship on each cell, shape (rows, columns).
    """
    width, height = mix_figure_size(game, len(orbits))
    columns, _ = _count_boards(game, len(orbits))
    cells_across, cells_down = board_size(game)

    def add_board_axes(left: float, top: float, cell_size: float) -> Axes:
        """Add axes for a board; all in inches, from the upper left corner of the figure."""
        board_width, board_height = cells_across * cell_size, cells_down * cell_size
        bottom = 1 - (top + board_height) / height
        return figure.add_axes((left / width, bottom, board_width / width, board_height / height))

    map_axes = add_board_axes(MARGIN, MARGIN + TITLE, MAP_CELL)
    heat = draw_matrix(map_axes, game, np.asarray(occupancy) * 100, ".1f")
    draw_colour_bar(map_axes, heat, "probability of a ship, percent")
    boards_left = 2 * MARGIN + cells_across * MAP_CELL
    for i, (mask, probability) in enumerate(orbits[:MOST_BOARDS]):
        row, column = divmod(i, columns)
        left = boards_left + column * (cells_across * CELL + GAP)
        top = MARGIN + TITLE + row * (cells_down * CELL + TITLE)
        ax = add_board_axes(left, top, CELL)
        for cell in game.cells_of(mask):
            ax.add_patch(cell_patch(game, cell, facecolor=SHIP, edgecolor="none", gid="ship"))
        draw_board(ax, Position(game))
        ax.set_xticks([])
        ax.set_yticks([])
        ax.set_title(f"{100 * probability:.2f} %", fontsize=7, color=INK, pad=3)
