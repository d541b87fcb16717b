"""The mix of a hider: its most likely configurations as small boards, beside a map of them all."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any

import numpy as np
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
    """Return the width and height of the figure of `draw_mix`, in inches."""
    columns, rows = _grid(game, orbits)
    across, down = board_size(game)
    wide = columns * (across * CELL + GAP)
    high = rows * (down * CELL + TITLE)
    map_wide, map_high = across * MAP_CELL, down * MAP_CELL
    return map_wide + wide + 3 * MARGIN, max(high, map_high + 2 * TITLE) + 2 * MARGIN


def _grid(game: Game, orbits: int) -> tuple[int, int]:
    boards = min(orbits, MOST_BOARDS)
    columns = max(1, min(boards, int(ACROSS / (board_size(game)[0] * CELL + GAP))))
    return columns, ceil(boards / columns)


def draw_mix(
    figure: Figure, game: Game, orbits: Sequence[tuple[int, float]], occupancy: NDArray[Any]
) -> None:
    """Draw a mix on an empty figure of `mix_figure_size`.

    orbits -- pairs of the cells of one image and the probability of all its images, the likeliest
    first; 24 are drawn. occupancy -- the chance of a ship on each cell, shape (rows, columns).
    """
    width, height = mix_figure_size(game, len(orbits))
    columns, _ = _grid(game, len(orbits))
    across, down = board_size(game)

    def axes(x: float, y: float, size: float) -> Any:
        """Add axes of a board: upper left corner in inches from the figure's, and cell size."""
        wide, high = across * size, down * size
        place = (x / width, 1 - (y + high) / height, wide / width, high / height)
        return figure.add_axes(place)

    map_axes = axes(MARGIN, MARGIN + TITLE, MAP_CELL)
    heat = draw_matrix(map_axes, game, np.asarray(occupancy) * 100, ".1f")
    draw_colour_bar(map_axes, heat, "probability of a ship, percent")
    left = 2 * MARGIN + across * MAP_CELL
    for number, (cells, probability) in enumerate(orbits[:MOST_BOARDS]):
        row, column = divmod(number, columns)
        x = left + column * (across * CELL + GAP)
        board = axes(x, MARGIN + TITLE + row * (down * CELL + TITLE), CELL)
        for cell in game.cells_of(cells):
            board.add_patch(cell_patch(game, cell, facecolor=SHIP, edgecolor="none", gid="ship"))
        draw_board(board, Position(game))
        board.set_xticks([])
        board.set_yticks([])
        board.set_title(f"{100 * probability:.2f} %", fontsize=7, color=INK, pad=3)
