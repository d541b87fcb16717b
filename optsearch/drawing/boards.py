"""Boards, matrices and heat maps on matplotlib axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    corners = np.concatenate([cell_corners(game, cell) for cell in _cells(game)])
    wide, high = np.ptp(corners, axis=0)
    return float(wide), float(high)


def board_lines(game: Game) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the lines between cells and those around the board, each of shape (lines, 2, 2).

    Lines around the board have gaps where rows or columns continue at the opposite end.
    """
    lines_by_ends: dict[tuple[tuple[float, ...], ...], list[NDArray[np.float64]]] = {}
    for cell in _cells(game):
        corners = cell_corners(game, cell)
        for line in np.stack([corners, np.roll(corners, -1, axis=0)], axis=1):
            key = tuple(sorted(tuple(end) for end in line.round(3).tolist()))
            lines_by_ends.setdefault(key, []).append(line)
    between: list[NDArray[np.float64]] = []
    around: list[NDArray[np.float64]] = []
    for line, *copies in lines_by_ends.values():
        is_constant = line[0] == line[1]  # x, y
        if copies:  # two cells have this line
            between.append(line)
        # A line of one x is at the end of a row, and open if columns wrap; of one y, if rows wrap.
        elif np.any(game.board.seams & is_constant):
            start, along = line[0], line[1] - line[0]
            around += [start + part * along for part in ([[0], [0.25]], [[0.75], [1]])]
        else:
            around.append(line)
    return np.array(between).reshape(-1, 2, 2), np.array(around).reshape(-1, 2, 2)


def _cells(game: Game) -> list[Cell]:
    """List the cells to draw; places of the grid that are no cells of the board are left out."""
    return [game.cell(i) for i in range(game.cells) if not game.board.empty >> i & 1]


def cell_corners(game: Game, cell: Cell, inset: float = 0.0) -> NDArray[np.float64]:
    """Return the outline of a cell, shape (corners, 2); an inset of 1 shrinks it to its centre."""
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

    Each shot is the mark of its reply on a shade; a hole is dark. The frame has gaps where a row
    or column continues at the opposite end.
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
    shade, colour = (HIT_CELL, HIT) if reply.hit else (MISS_CELL, MISS)
    ax.add_patch(cell_patch(game, cell, facecolor=shade, edgecolor="none", gid="shot"))
    marker = MarkerStyle(**MARKERS[reply.sign])
    place = marker.get_transform() + Affine2D().scale(0.48).translate(*_centre(game, cell))
    style = {"facecolor": colour if reply.sunk else "none", "edgecolor": colour, "lw": 1.8}
    path, gid = marker.get_path().transformed(place), str(reply).partition(":")[0]
    ax.add_patch(PathPatch(path, capstyle="round", gid=gid, **style))


def draw_ships(ax: Axes, ships: Sequence[Sequence[Cell]], game: Game | None = None) -> None:
    """Draw ships over a drawn board: a rounded bar, or squares with one outline if not straight.

    game -- if its board is not a rectangle, a ship is its cells, joined by bars where they touch.
    """
    for cells in ships:
        if game is not None and not game.is_rectangle:
            _draw_joined(ax, game, cells)
            continue
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


def _draw_joined(ax: Axes, game: Game, cells: Sequence[Cell]) -> None:
    """Draw the cells of a ship, and bars between cells whose centres are less than 1.2 apart."""
    places = {cell: np.array(_centre(game, cell)) for cell in cells}
    for cell in cells:
        ax.add_patch(
            cell_patch(
                game, cell, 0.35, facecolor=SHIP, edgecolor=INK, lw=1, zorder=2.5, gid="ship"
            )
        )
    bars = [
        (places[start], places[end])
        for start in cells
        for end in cells
        if start < end and np.hypot(*(places[start] - places[end])) < 1.2
    ]
    ax.add_collection(LineCollection(bars, colors=INK, lw=1.5, zorder=2.6, gid="ship lines"))


def _draw_shape(ax: Axes, cells: set[Cell]) -> None:
    """Draw the cells of a ship as squares, with one outline around all of them."""
    lines = []
    for row, column in cells:
        square = Rectangle((column, row), 1, 1, facecolor=SHIP, lw=0, zorder=2.5, gid="ship")
        ax.add_patch(square)
        for neighbour, line in (
            ((row - 1, column), ((column, row), (column + 1, row))),
            ((row + 1, column), ((column, row + 1), (column + 1, row + 1))),
            ((row, column - 1), ((column, row), (column, row + 1))),
            ((row, column + 1), ((column + 1, row), (column + 1, row + 1))),
        ):
            if neighbour not in cells:
                lines.append(line)
    ax.add_collection(LineCollection(lines, colors=INK, linewidths=1, zorder=2.6, gid="ship lines"))


def draw_legend(ax: Axes, text: str, **place: Any) -> None:
    """Write the legend below a board, or at another place given as to `Axes.annotate`."""
    below: dict[str, Any] = {"xy": (0, 0), "xycoords": "axes fraction", "xytext": (0, -5)}
    place = {**below, "textcoords": "offset points", "va": "top", **place}
    ax.annotate(text, fontsize=TEXT, color=LABEL, gid="legend", **place)


def draw_colour_bar(ax: Axes, heat: PolyCollection, title: str, below: float = 0.13) -> None:
    """Draw the colour bar of a heat map, with numbers and a title, `below` inches under it."""
    box, dots = ax.get_window_extent(), ax.figure.get_dpi()
    high, wide = box.height / dots, box.width / dots
    share = min(1.0, 2.6 / wide)
    place = ax.inset_axes(((1 - share) / 2, -(below + 0.09) / high, share, 0.09 / high))
    ticks = MaxNLocator(4, steps=[1, 2, 5, 10])
    bar = ax.figure.colorbar(
        heat,
        cax=place,
        orientation="horizontal",
        ticks=ticks,
        format=lambda value, _: f"{value:,.10g}",
    )
    bar.outline.set_linewidth(0.4)
    bar.set_label(title, fontsize=TEXT, color=INK)
    place.tick_params(labelsize=TEXT, colors=LABEL, length=2)


def draw_matrix(
    ax: Axes,
    game: Game,
    matrix: Sequence[Sequence[float]] | NDArray[Any],
    format: str = "",
) -> PolyCollection:
    """Draw a heat map with a number in each cell, as in the paper's Figures 2 and 3; return it.

    matrix -- rows of numbers; format -- a format specification such as `d` or `.1f`. The cells
    decide the size of the text, so give the axes their size first.
    """
    values = np.array([[float(value) for value in row] for row in matrix])
    texts = {(i, j): f"{matrix[i][j]:{format}}" for i, j in _cells(game)}
    heat = _draw_heat(ax, game, values, texts)
    draw_board(ax, Position(game))
    return heat


def draw_probability(
    ax: Axes, position: Position | NoisyPosition, probability: NDArray[np.float64]
) -> None:
    """Draw a position over the heat map of the probability of a ship on each cell, in percent.

    Colours go from 0 to the greatest value drawn; the most probable cells have a thick frame. The
    legend and the colour bar are below. Give the axes their size first, as in `draw_matrix`. A cell
    whose replies may be false has them as small signs below its number, which ends with a ?.
    """
    game = position.game
    certain = position.certain if isinstance(position, NoisyPosition) else position
    percents = 100 * np.array(probability, dtype=float)
    unshot = [c for c in _cells(game) if c in game and not game.bit(c) & position.closed]
    best = max((percents[cell] for cell in unshot), default=0)
    numbered = [c for c in _cells(game) if c in game and not game.bit(c) & certain.closed]
    doubtful = set(numbered) - set(unshot)
    texts = {c: f"{percents[c]:.1f}{'?' if c in doubtful else ''}" for c in numbered}
    heat = _draw_heat(ax, game, percents, texts)
    draw_board(ax, certain)
    for cell in unshot:
        if best and np.isclose(percents[cell], best, rtol=1e-12):
            frame: dict[str, Any] = {"fill": False, "edgecolor": BEST, "lw": 2, "zorder": 2.5}
            ax.add_patch(cell_patch(game, cell, 0.12, **frame, gid="greedy"))
    if isinstance(position, NoisyPosition):
        for cell, signs in position.signs.items():
            if cell in doubtful:
                x, y = _centre(game, cell)
                ax.text(x, y + 0.3, signs, ha="center", va="center", fontsize=6.5, gid="heard")
    if position.shots:
        draw_legend(ax, legend(game, True) + (f", {DOUBT}" if doubtful else ""))
    if best:
        draw_colour_bar(
            ax, heat, "probability of a ship, percent", 0.28 if position.shots else 0.13
        )


def _draw_heat(
    ax: Axes, game: Game, values: NDArray[np.float64], texts: Mapping[Cell, str]
) -> PolyCollection:
    """Draw the cells that have a text: the text on a colour from 0 to the greatest value drawn."""
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
    box, (wide, high) = ax.get_window_extent(), board_size(game)
    longest = max((_text_width(text) for text in {*texts.values()}), default=1)
    share = 0.35 if game.board.digest else 0.42  # cells of a board from a file also show a name
    size = min(box.width / wide * 0.78 / longest, box.height / high * share)
    for cell, text in texts.items():
        ax.text(
            *_centre(game, cell),
            text,
            ha="center",
            va="center",
            fontsize=size * 72 / ax.figure.get_dpi(),
            color=INK,
            gid="value",
        )
    return heat


def _text_width(text: str) -> float:
    """Return the width of a text, per point of its size."""
    return float(TextPath((0, 0), text, 1, prop=FontProperties()).get_extents().width)


def _draw_lines(ax: Axes, game: Game) -> None:
    """Draw the lines between cells and the frame, and fit the axes to the board."""
    for lines, colour, width in zip(board_lines(game), (GRID, INK), (0.8, 1.2), strict=True):
        path = Path(lines.reshape(-1, 2), [Path.MOVETO, Path.LINETO] * len(lines))
        style: dict[str, Any] = {"ec": colour, "lw": width, "capstyle": "projecting"}
        drawn = ax.add_patch(PathPatch(path, fill=False, zorder=3 if colour == INK else 2, **style))
        drawn.set_clip_on(False)  # clipping would halve the width of the frame
    corners = np.concatenate([cell_corners(game, cell) for cell in _cells(game)])
    (left, top), (right, bottom) = corners.min(axis=0), corners.max(axis=0)
    ax.set_xlim(left, right)
    ax.set_ylim(bottom, top)


def _name_cells(ax: Axes, game: Game) -> None:
    """Write names at the ends of rows and columns; a board from a file has one on each cell."""
    names = [column_name(j) for j in range(game.columns)], [str(i + 1) for i in range(game.rows)]
    ax.set_xticks([])
    ax.set_yticks([])
    ax.xaxis.tick_top()
    ax.tick_params(length=0, colors=LABEL)
    for spine in ax.spines.values():
        spine.set_visible(False)
    style: dict[str, Any] = {"ha": "center", "va": "center", "color": LABEL, "gid": "label"}
    if game.board.digest:
        for cell in _cells(game):
            x, y = _centre(game, cell)
            ax.text(x, y + 0.33, cell_name(cell), fontsize=6.5, **style)
    elif game.board.has_squares:
        ax.set_xticks([j + 0.5 for j in range(game.columns)], names[0])
        ax.set_yticks([i + 0.5 for i in range(game.rows)], names[1])
    else:
        for column, name in enumerate(names[0]):
            x, y = _centre(game, (0, column))
            ax.text(x, y - 0.85, name, **style)
        for row, name in enumerate(names[1]):
            x, y = _centre(game, (row, 0))
            ax.text(x - 0.85, y, name, **style)
