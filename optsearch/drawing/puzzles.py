"""Solitaire puzzles as printed: counts beside and below the grid, ships in their shapes."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, cos, pi, sin

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Patch, Polygon, Rectangle

from optsearch.game import Cell, column_name
from optsearch.solitaire.puzzle import (
    BOTTOM,
    LEFT,
    MIDDLE,
    RIGHT,
    SHIP,
    SUBMARINE,
    TOP,
    WATER,
    Puzzle,
    Solution,
)
from optsearch.support.palette import FOUND, GRID, INK, LABEL, WAVE

SHEET_CELL, ANSWER_CELL = 0.25, 0.13  # inches of a cell, on a sheet
ACROSS, TITLE = 3, 0.25  # puzzles per row of a sheet; inches above each
_PIECE_RADIUS = 0.36
_TURN_OF_END = {LEFT: 0.0, TOP: pi / 2, RIGHT: pi, BOTTOM: -pi / 2}  # of a left end; y points down


def picture_size(puzzle: Puzzle, cell: float = 0.3) -> tuple[float, float]:
    """Return the width and height of the axes of `draw_puzzle`, in inches.

    cell -- the side of a cell, in inches.
    """
    below = 1.5 + 0.9 * len(_fleet_rows(puzzle))
    return cell * (puzzle.columns + 2), cell * (puzzle.rows + 1 + below)


def draw_puzzle(
    ax: Axes, puzzle: Puzzle, solution: Solution | None = None, size: float = 9
) -> None:
    """Draw a puzzle in the style of printed ones: counts on the right and below, then the fleet.

    Letters above and numbers on the left name columns and rows. Revealed ships are dark, revealed
    water is a wave; the other ships of a solution are lighter.

    solution -- the ships to draw; None draws what is revealed alone. size -- of texts, in points.
    """
    revealed = dict(puzzle.revealed)
    for cell in puzzle.cells_of(puzzle.everywhere):
        value = revealed.get(cell)
        if solution is not None and value != WATER:
            solved_value = puzzle.shows(solution, cell)
            value = None if solved_value == WATER else solved_value
        if value is not None:
            _draw_cell(ax, cell, value, INK if cell in revealed else FOUND)
    for j in range(puzzle.columns + 1):
        ax.plot([j, j], [0, puzzle.rows], color=GRID, lw=0.6, zorder=1)
    for i in range(puzzle.rows + 1):
        ax.plot([0, puzzle.columns], [i, i], color=GRID, lw=0.6, zorder=1)
    ax.add_patch(
        Rectangle((0, 0), puzzle.columns, puzzle.rows, fill=False, ec=INK, lw=1.2, zorder=3)
    )
    for i, count in enumerate(puzzle.row_counts):
        _draw_text(ax, (i, puzzle.columns), count, "row count", size)
        _draw_text(ax, (i, -1), i + 1, "row", size, LABEL)
    for j, count in enumerate(puzzle.column_counts):
        _draw_text(ax, (puzzle.rows, j), count, "column count", size)
        _draw_text(ax, (-1, j), column_name(j), "column", size, LABEL)
    _draw_fleet(ax, puzzle)
    ax.set_xlim(-1, puzzle.columns + 1)
    ax.set_ylim(puzzle.rows + 1.5 + 0.9 * len(_fleet_rows(puzzle)), -1)
    ax.set_aspect("equal")
    ax.set_axis_off()


def sheet_size(puzzles: Sequence[Puzzle]) -> tuple[float, float]:
    """Return the width and height of the figure of `draw_sheet`, in inches."""
    puzzle_width, puzzle_height = _largest_size(puzzles, SHEET_CELL)
    _, answer_height = _largest_size(puzzles, ANSWER_CELL)
    rows = ceil(len(puzzles) / ACROSS)
    puzzles_height, answers_height = rows * (puzzle_height + TITLE), rows * (answer_height + TITLE)
    return min(ACROSS, len(puzzles)) * puzzle_width, puzzles_height + TITLE + answers_height


def draw_sheet(figure: Figure, puzzles: Sequence[tuple[Puzzle, Solution]]) -> None:
    """Draw puzzles in rows on an empty figure of `sheet_size`, and their answers below."""
    figure_width, figure_height = figure.get_size_inches()
    top = 0.0  # of the puzzles, then of the answers, in inches from the top of the figure
    for cell_size in (SHEET_CELL, ANSWER_CELL):
        is_answer = cell_size == ANSWER_CELL
        column_width, row_height = _largest_size([puzzle for puzzle, _ in puzzles], cell_size)
        for i, (puzzle, solution) in enumerate(puzzles):
            row, column = divmod(i, ACROSS)
            width, height = picture_size(puzzle, cell_size)
            left = column * column_width
            bottom = top + row * (row_height + TITLE) + TITLE + height
            box = (
                left / figure_width,
                1 - bottom / figure_height,
                width / figure_width,
                height / figure_height,
            )
            ax = figure.add_axes(box)
            draw_puzzle(ax, puzzle, solution if is_answer else None, size=30 * cell_size)
            title = f"answer {i + 1}" if is_answer else str(i + 1)
            ax.set_title(title, fontsize=8, color=INK, pad=2, fontweight="bold")
        top += (row + 1) * (row_height + TITLE) + TITLE


def _largest_size(puzzles: Sequence[Puzzle], cell: float) -> tuple[float, float]:
    """Return the greatest width and the greatest height of these puzzles, in inches."""
    sizes = [picture_size(puzzle, cell) for puzzle in puzzles]
    return max(width for width, _ in sizes), max(height for _, height in sizes)


def _draw_text(
    ax: Axes, cell: Cell, text: int | str | None, gid: str, size: float, colour: str = INK
) -> None:
    """Write a text in a cell of the grid or beside it; None writes nothing. size -- in points."""
    if text is None:
        return
    row, column = cell
    ax.text(
        column + 0.5,
        row + 0.53,
        str(text),
        ha="center",
        va="center",
        color=colour,
        fontsize=size,
        gid=gid,
    )


def _draw_cell(ax: Axes, cell: Cell, value: str, colour: str) -> None:
    """Draw what a cell shows, `value`: two waves for water, else a piece of a ship in a colour."""
    row, column = cell
    if value == WATER:
        along = np.linspace(0, 1, 31)
        for middle in (0.4, 0.6):
            wave = row + middle + 0.05 * np.sin(4 * pi * along)
            ax.plot(column + 0.2 + 0.6 * along, wave, color=WAVE, lw=1.1, zorder=2, gid=WATER)
        return
    patch = _piece((column + 0.5, row + 0.5), 1.0, value)
    patch.set(facecolor=colour, edgecolor="none", zorder=2, gid=value)
    ax.add_patch(patch)


def _piece(centre: tuple[float, float], size: float, value: str) -> Patch:
    """Return a piece of a ship: round at an end, square in the middle, a disc for a submarine.

    An unknown piece (SHIP) is a diamond. size -- the side of its cell. value -- what that shows.
    """
    x, y = centre
    radius = _PIECE_RADIUS * size
    if value == SUBMARINE:
        return Circle(centre, radius)
    if value == SHIP:
        return Polygon([(x - radius, y), (x, y - radius), (x + radius, y), (x, y + radius)])
    if value == MIDDLE:
        return Rectangle((x - radius, y - radius), 2 * radius, 2 * radius)
    left_angles = np.linspace(pi / 2, 3 * pi / 2, 25)
    left_end = [(1.0, 1.0), *((cos(angle), sin(angle)) for angle in left_angles), (1.0, -1.0)]
    cos_turn, sin_turn = cos(_TURN_OF_END[value]), sin(_TURN_OF_END[value])
    turned = [
        (cos_turn * along - sin_turn * across, sin_turn * along + cos_turn * across)
        for along, across in left_end
    ]
    return Polygon([(x + radius * along, y + radius * across) for along, across in turned])


# The fleet below the grid, at half size


def _fleet_rows(puzzle: Puzzle) -> list[list[int]]:
    """Return the lengths of the ships in the order of the fleet, split into rows to draw.

    A row is no wider than the grid unless a single ship is.
    """
    rows: list[list[int]] = [[]]
    for length in puzzle.fleet:
        # Cells have half the size, and there is one of them between ships.
        width = (sum(rows[-1]) + len(rows[-1]) + length) / 2
        if rows[-1] and width > puzzle.columns:
            rows.append([])
        rows[-1].append(length)
    return rows


def _draw_fleet(ax: Axes, puzzle: Puzzle) -> None:
    """Draw the ships of the fleet in rows below the grid."""
    for row, lengths in enumerate(_fleet_rows(puzzle)):
        x, y = 0.25, puzzle.rows + 1.6 + 0.9 * row
        for length in lengths:
            pieces = [SUBMARINE] if length == 1 else [LEFT, *[MIDDLE] * (length - 2), RIGHT]
            for value in pieces:
                patch = _piece((x, y), 0.5, value)
                patch.set(facecolor=LABEL, edgecolor="none", gid="fleet")
                ax.add_patch(patch)
                x += 0.5
            x += 0.5  # between ships
