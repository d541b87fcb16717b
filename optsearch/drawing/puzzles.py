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
_RADIUS = 0.36
_TURN = {LEFT: 0.0, TOP: pi / 2, RIGHT: pi, BOTTOM: -pi / 2}  # from a left end; y points down


def picture_size(puzzle: Puzzle, cell: float = 0.3) -> tuple[float, float]:
    """Return the width and height of the axes of `draw_puzzle`, in inches."""
    below = 1.5 + 0.9 * len(_fleet_rows(puzzle))
    return cell * (puzzle.columns + 2), cell * (puzzle.rows + 1 + below)


def draw_puzzle(
    ax: Axes, puzzle: Puzzle, solution: Solution | None = None, size: float = 9
) -> None:
    """Draw a puzzle in the style of printed ones: counts on the right and below, then the fleet.

    Letters above and numbers on the left name columns and rows. Revealed ships are dark, revealed
    water is a wave; the other ships of a solution are lighter. size -- points of the text.
    """
    revealed = dict(puzzle.revealed)
    for cell in puzzle.cells_of(puzzle.everywhere):
        value = revealed.get(cell)
        if solution is not None and value != WATER:
            value = puzzle.shows(solution, cell)
            value = None if value == WATER else value
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
    (wide, high), (_, low) = _largest(puzzles, SHEET_CELL), _largest(puzzles, ANSWER_CELL)
    down = ceil(len(puzzles) / ACROSS)
    return min(ACROSS, len(puzzles)) * wide, down * (high + TITLE) + TITLE + down * (low + TITLE)


def draw_sheet(figure: Figure, puzzles: Sequence[tuple[Puzzle, Solution]]) -> None:
    """Draw puzzles in rows on an empty figure of `sheet_size`, and their answers below."""
    wide, high = figure.get_size_inches()
    top = 0.0
    for cell in (SHEET_CELL, ANSWER_CELL):
        across, down = _largest([puzzle for puzzle, _ in puzzles], cell)
        for number, (puzzle, solution) in enumerate(puzzles):
            row, column = divmod(number, ACROSS)
            size = picture_size(puzzle, cell)
            left, below = column * across, top + row * (down + TITLE) + TITLE + size[1]
            ax = figure.add_axes(
                (left / wide, 1 - below / high, size[0] / wide, size[1] / high),
            )
            is_answer = cell == ANSWER_CELL
            draw_puzzle(ax, puzzle, solution if is_answer else None, size=30 * cell)
            title = f"answer {number + 1}" if is_answer else str(number + 1)
            ax.set_title(title, fontsize=8, color=INK, pad=2, fontweight="bold")
        top += (row + 1) * (down + TITLE) + TITLE


def _largest(puzzles: Sequence[Puzzle], cell: float) -> tuple[float, float]:
    """Return the greatest width and the greatest height of these puzzles, in inches."""
    sizes = [picture_size(puzzle, cell) for puzzle in puzzles]
    return max(wide for wide, _ in sizes), max(high for _, high in sizes)


def _draw_text(
    ax: Axes, cell: Cell, text: int | str | None, gid: str, size: float, colour: str = INK
) -> None:
    if text is not None:
        ax.text(
            cell[1] + 0.5,
            cell[0] + 0.53,
            str(text),
            ha="center",
            va="center",
            color=colour,
            fontsize=size,
            gid=gid,
        )


def _draw_cell(ax: Axes, cell: Cell, value: str, colour: str) -> None:
    if value == WATER:
        x, y = cell[1], cell[0]
        for dy in (0.4, 0.6):
            t = np.linspace(0, 1, 31)
            wave = y + dy + 0.05 * np.sin(4 * pi * t)
            ax.plot(x + 0.2 + 0.6 * t, wave, color=WAVE, lw=1.1, zorder=2, gid=WATER)
        return
    patch = _shape((cell[1] + 0.5, cell[0] + 0.5), 1.0, value)
    patch.set(facecolor=colour, edgecolor="none", zorder=2, gid=value)
    ax.add_patch(patch)


def _shape(centre: tuple[float, float], size: float, value: str) -> Patch:
    """Return one piece: round at an end, square in the middle, a disc for a submarine.

    An unknown piece of a ship is a diamond.
    """
    x, y = centre
    r = _RADIUS * size
    if value == SUBMARINE:
        return Circle(centre, r)
    if value == SHIP:
        return Polygon([(x - r, y), (x, y - r), (x + r, y), (x, y + r)])
    if value == MIDDLE:
        return Rectangle((x - r, y - r), 2 * r, 2 * r)
    turn = _TURN[value]
    arc = [(cos(t), sin(t)) for t in np.linspace(pi / 2, 3 * pi / 2, 25)]
    outline = [(1.0, 1.0), *arc, (1.0, -1.0)]  # of a left end
    a, b = cos(turn), sin(turn)
    return Polygon([(x + r * (a * u - b * v), y + r * (b * u + a * v)) for u, v in outline])


# The fleet below the grid, at half size


def _fleet_rows(puzzle: Puzzle) -> list[list[int]]:
    """Return the lengths of the fleet in lines no wider than the grid, if possible."""
    lines: list[list[int]] = [[]]
    for length in puzzle.fleet:
        if lines[-1] and (sum(lines[-1]) + len(lines[-1]) + length) / 2 > puzzle.columns:
            lines.append([])
        lines[-1].append(length)
    return lines


def _draw_fleet(ax: Axes, puzzle: Puzzle) -> None:
    for line, lengths in enumerate(_fleet_rows(puzzle)):
        x, y = 0.25, puzzle.rows + 1.6 + 0.9 * line
        for length in lengths:
            for k in range(length):
                value = SUBMARINE if length == 1 else MIDDLE
                if length > 1 and k in (0, length - 1):
                    value = RIGHT if k else LEFT
                patch = _shape((x, y), 0.5, value)
                patch.set(facecolor=LABEL, edgecolor="none", gid="fleet")
                ax.add_patch(patch)
                x += 0.5
            x += 0.5
