"""Boards, matrices and heat maps on matplotlib axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import ListedColormap, Normalize
from matplotlib.font_manager import FontProperties
from matplotlib.markers import MarkerStyle
from matplotlib.patches import FancyBboxPatch, Patch, PathPatch, Polygon, Rectangle
from matplotlib.path import Path
from matplotlib.textpath import TextPath
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import Affine2D
from numpy.typing import NDArray

from optsearch.game import Cell, Game, cell_name, column_name
from optsearch.game.noise import DOUBT, NoisyPosition
from optsearch.game.position import Position, Reply, legend
from optsearch.support import palette
from optsearch.support.palette import BEST, GRID, HIT, HIT_CELL, INK, LABEL, MISS, MISS_CELL, SHIP

HEAT = ListedColormap([palette.heat(i / 255) for i in range(256)], "heat")
MARKERS: dict[str, dict[str, Any]] = {  # `Reply.sign` -> marker of matplotlib
    "×": {"marker": "x"},
    "○": {"marker": "o", "fillstyle": "none"},
    "●": {"marker": "o"},
}
PRINT: dict[Any, Any] = {  # rc parameters of matplotlib: the font of papers, embedded
    "font.family": "STIXGeneral",
    "mathtext.fontset": "stix",
    "pdf.fonttype": 42,
}
TEXT = 7.5  # points, of the legend and the bar


def board_size(game: Game) -> tuple[float, float]:
    """Return the width and height of a drawn board, in cells."""
    corners = np.concatenate([cell_corners(game, cell) for cell in _drawn_cells(game)])
    width, height = np.ptp(corners, axis=0)
    return float(width), float(height)


def board_lines(game: Game) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return two arrays of lines: the lines between cells, and the lines around the board.

    An array has the shape (lines, 2, 2): a line has two ends, and an end has x and y. Lines around
    the board have gaps where rows or columns continue at the opposite end.
    """
    lines_by_ends: dict[tuple[tuple[float, ...], ...], list[NDArray[np.float64]]] = {}
    for cell in _drawn_cells(game):
        corners = cell_corners(game, cell)
        for line in np.stack([corners, np.roll(corners, -1, axis=0)], axis=1):
            ends = tuple(sorted(tuple(end) for end in line.round(3).tolist()))
            lines_by_ends.setdefault(ends, []).append(line)
    inner_lines: list[NDArray[np.float64]] = []
    border_lines: list[NDArray[np.float64]] = []
    for equal_lines in lines_by_ends.values():
        line = equal_lines[0]
        if len(equal_lines) > 1:  # two cells have this line
            inner_lines.append(line)
        elif _is_at_seam(game, line):
            start, along = line[0], line[1] - line[0]
            first_quarter, last_quarter = [[0], [0.25]], [[0.75], [1]]
            border_lines += [start + share * along for share in (first_quarter, last_quarter)]
        else:
            border_lines.append(line)
    return np.array(inner_lines).reshape(-1, 2, 2), np.array(border_lines).reshape(-1, 2, 2)


def _is_at_seam(game: Game, line: NDArray[np.float64]) -> bool:
    """True if a line of the border ends a row or a column that continues at the opposite end."""
    columns_wrap, rows_wrap = game.board.seams
    is_upright, is_level = line[0] == line[1]  # equal x, equal y
    return bool((is_upright and columns_wrap) or (is_level and rows_wrap))


def _drawn_cells(game: Game) -> list[Cell]:
    """List the cells to draw; places of the grid that are no cells of the board are left out."""
    return [game.cell(i) for i in range(game.cells) if not game.board.empty >> i & 1]


def cell_corners(game: Game, cell: Cell, inset: float = 0.0) -> NDArray[np.float64]:
    """Return the corners of a cell, shape (corners, 2); an inset of 1 shrinks it to its centre."""
    outline: NDArray[np.float64] = np.array(game.board.outline) * (1 - inset)
    outline += _centre(game, cell)
    return outline


def _centre(game: Game, cell: Cell) -> tuple[float, float]:
    x, y = game.board.centres[cell[0] * game.columns + cell[1]]
    return x + 0.5, y + 0.5


def cell_patch(game: Game, cell: Cell, inset: float = 0.0, **style: Any) -> Patch:
    """Return a cell, shrunk by `inset`, as a patch for axes."""
    return Polygon(cell_corners(game, cell, inset), closed=True, **style)


def draw_board(ax: Axes, position: Position) -> None:
    """Draw a position: the grid, column letters above, row numbers on the left, and the shots.

    Each shot is the mark of its reply on a shaded cell; a hole is dark. The frame has gaps where a
    row or column continues at the opposite end.
    """
    game = position.game
    for cell in game.cells_of(game.holes & ~game.board.empty):
        ax.add_patch(cell_patch(game, cell, facecolor=palette.HOLE, lw=0, zorder=2, gid="hole"))
    for cell, reply in position.drawn_replies.items():
        _draw_shot(ax, game, cell, reply)
    _draw_lines(ax, game)
    _name_cells(ax, game)
    ax.set_aspect("equal")


def _draw_shot(ax: Axes, game: Game, cell: Cell, reply: Reply) -> None:
    """Draw the mark of a reply on its cell, which is shaded."""
    cell_colour, mark_colour = (HIT_CELL, HIT) if reply.hit else (MISS_CELL, MISS)
    ax.add_patch(cell_patch(game, cell, facecolor=cell_colour, edgecolor="none", gid="shot"))
    marker = MarkerStyle(**MARKERS[reply.sign])
    to_cell = marker.get_transform() + Affine2D().scale(0.48).translate(*_centre(game, cell))
    mark_path = marker.get_path().transformed(to_cell)
    fill_colour = mark_colour if reply.sunk else "none"
    outcome = str(reply).partition(":")[0]  # without the ship
    ax.add_patch(
        PathPatch(
            mark_path,
            facecolor=fill_colour,
            edgecolor=mark_colour,
            lw=1.8,
            capstyle="round",
            gid=outcome,
        )
    )


def draw_ships(ax: Axes, ships: Sequence[Sequence[Cell]], game: Game | None = None) -> None:
    """Draw ships, each given by its cells, over a board that is drawn already.

    A straight ship is a rounded bar, any other one squares with one outline. If the board of the
    game is no rectangle, a ship is its cells, joined by bars where they touch.
    """
    for cells in ships:
        if game is not None and not game.is_rectangle:
            _draw_joined_cells(ax, game, cells)
            continue
        rows, columns = {row for row, _ in cells}, {column for _, column in cells}
        is_straight = len(rows) == 1 or len(columns) == 1
        if not is_straight:
            _draw_squares(ax, set(cells))
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


def _draw_joined_cells(ax: Axes, game: Game, cells: Sequence[Cell]) -> None:
    """Draw the cells of a ship, and a bar between each two centres less than 1.2 apart."""
    centres = {cell: np.array(_centre(game, cell)) for cell in cells}
    style: dict[str, Any] = {"facecolor": SHIP, "edgecolor": INK, "lw": 1, "zorder": 2.5}
    for cell in cells:
        ax.add_patch(cell_patch(game, cell, 0.35, **style, gid="ship"))
    bars = []
    for first, second in product(cells, cells):
        bar = centres[first], centres[second]
        if first < second and np.hypot(*(bar[0] - bar[1])) < 1.2:
            bars.append(bar)
    ax.add_collection(LineCollection(bars, colors=INK, lw=1.5, zorder=2.6, gid="ship lines"))


def _draw_squares(ax: Axes, cells: set[Cell]) -> None:
    """Draw the cells of a ship as squares, with one outline around all of them."""
    outline = []
    for row, column in cells:
        square = Rectangle((column, row), 1, 1, facecolor=SHIP, lw=0, zorder=2.5, gid="ship")
        ax.add_patch(square)
        top_left, top_right = (column, row), (column + 1, row)
        bottom_left, bottom_right = (column, row + 1), (column + 1, row + 1)
        side_by_neighbour = {
            (row - 1, column): (top_left, top_right),
            (row + 1, column): (bottom_left, bottom_right),
            (row, column - 1): (top_left, bottom_left),
            (row, column + 1): (top_right, bottom_right),
        }
        outline += [side for neighbour, side in side_by_neighbour.items() if neighbour not in cells]
    ax.add_collection(
        LineCollection(outline, colors=INK, linewidths=1, zorder=2.6, gid="ship lines")
    )


def draw_legend(ax: Axes, text: str, **place: Any) -> None:
    """Write the legend below a board, or where `place`, options of `Axes.annotate`, puts it."""
    below: dict[str, Any] = {"xy": (0, 0), "xycoords": "axes fraction", "xytext": (0, -5)}
    place = {**below, "textcoords": "offset points", "va": "top", **place}
    ax.annotate(text, fontsize=TEXT, color=LABEL, gid="legend", **place)


def draw_colour_bar(ax: Axes, heat: PolyCollection, title: str, below: float = 0.13) -> None:
    """Draw the bar of a heat map, with numbers and a title, `below` inches below its axes."""
    axes_box, dots_per_inch = ax.get_window_extent(), ax.figure.get_dpi()
    axes_width = axes_box.width / dots_per_inch  # inches
    axes_height = axes_box.height / dots_per_inch
    width, height = min(1.0, 2.6 / axes_width), 0.09 / axes_height  # of the bar, as shares of these
    bottom = -(below + 0.09) / axes_height
    bar_axes = ax.inset_axes(((1 - width) / 2, bottom, width, height))
    ticks = MaxNLocator(4, steps=[1, 2, 5, 10])
    colour_bar = ax.figure.colorbar(
        heat,
        cax=bar_axes,
        orientation="horizontal",
        ticks=ticks,
        format=lambda value, _: f"{value:,.10g}",
    )
    colour_bar.outline.set_linewidth(0.4)
    colour_bar.set_label(title, fontsize=TEXT, color=INK)
    bar_axes.tick_params(labelsize=TEXT, colors=LABEL, length=2)


def draw_matrix(
    ax: Axes, game: Game, matrix: Sequence[Sequence[float]] | NDArray[Any], format: str = ""
) -> PolyCollection:
    """Draw a heat map with a number in each cell, as in the paper's Figures 2 and 3; return it.

    matrix -- rows of numbers; format -- a format specification such as `d` or `.1f`. The cells
    decide the size of the text, so give the axes their size first.
    """
    values = np.array([[float(value) for value in row] for row in matrix])
    texts = {(i, j): f"{matrix[i][j]:{format}}" for i, j in _drawn_cells(game)}
    heat = _draw_heat(ax, game, values, texts)
    draw_board(ax, Position(game))
    return heat


def draw_probability(
    ax: Axes, position: Position | NoisyPosition, probability: NDArray[np.float64]
) -> None:
    """Draw a position over the heat map of the probability of a ship on each cell, in percent.

    Colours go from 0 to the greatest value drawn; the most probable cells have a thick frame. The
    legend and the colour bar are below. If a reply may be false, the number of its cell ends with a
    ?, and the replies are small signs below it.

    probability -- of each cell, shape (rows, columns). The cells decide the size of the text, so
    give the axes their size first.
    """
    game = position.game
    certain_position = position.certain if isinstance(position, NoisyPosition) else position
    percents = 100 * np.array(probability, dtype=float)
    cells = [cell for cell in _drawn_cells(game) if cell in game]  # without holes
    cells_not_shot = [cell for cell in cells if not game.bit(cell) & position.closed]
    numbered_cells = [cell for cell in cells if not game.bit(cell) & certain_position.closed]
    doubtful_cells = set(numbered_cells) - set(cells_not_shot)
    texts = {cell: f"{percents[cell]:.1f}" for cell in numbered_cells}
    for cell in doubtful_cells:
        texts[cell] += "?"
    heat = _draw_heat(ax, game, percents, texts)
    draw_board(ax, certain_position)
    greatest_percent = max((percents[cell] for cell in cells_not_shot), default=0)
    frame_style: dict[str, Any] = {"fill": False, "edgecolor": BEST, "lw": 2, "zorder": 2.5}
    for cell in cells_not_shot:
        if greatest_percent and np.isclose(percents[cell], greatest_percent, rtol=1e-12):
            ax.add_patch(cell_patch(game, cell, 0.12, **frame_style, gid="greedy"))
    if isinstance(position, NoisyPosition):
        for cell, signs in position.signs.items():
            if cell in doubtful_cells:
                x, y = _centre(game, cell)
                ax.text(x, y + 0.3, signs, ha="center", va="center", fontsize=6.5, gid="heard")
    inches_to_bar = 0.13
    if position.shots:
        draw_legend(ax, legend(game, in_figures=True) + (f", {DOUBT}" if doubtful_cells else ""))
        inches_to_bar = 0.28
    if greatest_percent:
        draw_colour_bar(ax, heat, "probability of a ship, percent", inches_to_bar)


def _draw_heat(
    ax: Axes, game: Game, values: NDArray[np.float64], texts: Mapping[Cell, str]
) -> PolyCollection:
    """Draw the cells that have a text: the text, on a colour that shows the value of the cell.

    Colours go from 0 to the greatest value drawn. The text is as large as the cells allow.

    values -- shape (rows, columns). texts -- for each cell to draw.
    """
    cell_values = np.array([values[cell] for cell in texts])
    heat = PolyCollection(
        [cell_corners(game, cell) for cell in texts],
        array=cell_values,
        cmap=HEAT,
        norm=Normalize(0, max(cell_values, default=0) or 1),
        linewidths=0,
        zorder=0.5,
        gid="heat",
    )
    ax.add_collection(heat)
    axes_box, (cells_across, cells_down) = ax.get_window_extent(), board_size(game)
    cell_width, cell_height = axes_box.width / cells_across, axes_box.height / cells_down  # in dots
    greatest_text_width = max((_text_width(text) for text in {*texts.values()}), default=1)
    # Cells of a board from a file also show a name.
    share_of_height = 0.35 if game.board.digest else 0.42
    text_height = min(0.78 * cell_width / greatest_text_width, share_of_height * cell_height)
    for cell, text in texts.items():
        ax.text(
            *_centre(game, cell),
            text,
            ha="center",
            va="center",
            fontsize=text_height * 72 / ax.figure.get_dpi(),  # points are inches / 72
            color=INK,
            gid="value",
        )
    return heat


def _text_width(text: str) -> float:
    """Return the width of a text, per point of its size."""
    return float(TextPath((0, 0), text, 1, prop=FontProperties()).get_extents().width)


def _draw_lines(ax: Axes, game: Game) -> None:
    """Draw the lines between cells and the frame, and fit the axes to the board."""
    inner_lines, border_lines = board_lines(game)
    grid_style: dict[str, Any] = {"ec": GRID, "lw": 0.8, "zorder": 2}
    frame_style: dict[str, Any] = {"ec": INK, "lw": 1.2, "zorder": 3}
    for lines, style in ((inner_lines, grid_style), (border_lines, frame_style)):
        path = Path(lines.reshape(-1, 2), [Path.MOVETO, Path.LINETO] * len(lines))
        drawn_patch = ax.add_patch(PathPatch(path, fill=False, capstyle="projecting", **style))
        drawn_patch.set_clip_on(False)  # clipping would halve the width of the frame
    corners = np.concatenate([cell_corners(game, cell) for cell in _drawn_cells(game)])
    (left, top), (right, bottom) = corners.min(axis=0), corners.max(axis=0)
    ax.set_xlim(left, right)
    ax.set_ylim(bottom, top)  # y points down


def _name_cells(ax: Axes, game: Game) -> None:
    """Write names at the ends of rows and columns; a board from a file has one on each cell."""
    column_names = [column_name(j) for j in range(game.columns)]
    row_names = [str(i + 1) for i in range(game.rows)]
    ax.set_xticks([])
    ax.set_yticks([])
    ax.xaxis.tick_top()
    ax.tick_params(length=0, colors=LABEL)
    for spine in ax.spines.values():
        spine.set_visible(False)
    style: dict[str, Any] = {"ha": "center", "va": "center", "color": LABEL, "gid": "label"}
    if game.board.digest:
        for cell in _drawn_cells(game):
            x, y = _centre(game, cell)
            ax.text(x, y + 0.33, cell_name(cell), fontsize=6.5, **style)
    elif game.board.has_squares:
        ax.set_xticks([j + 0.5 for j in range(game.columns)], column_names)
        ax.set_yticks([i + 0.5 for i in range(game.rows)], row_names)
    else:  # the cells of a column are not all below its name
        for column, name in enumerate(column_names):
            x, y = _centre(game, (0, column))
            ax.text(x, y - 0.85, name, **style)
        for row, name in enumerate(row_names):
            x, y = _centre(game, (row, 0))
            ax.text(x - 0.85, y, name, **style)
