"""Boards, matrices and heat maps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, FancyBboxPatch, Patch, Polygon, Rectangle
from numpy.typing import NDArray

from optsearch.counting.posterior import ranks
from optsearch.game import Cell, Game, cell_name, column_name
from optsearch.game.noise import NoisyPosition
from optsearch.game.position import Position, Shot
from optsearch.support import palette
from optsearch.support.palette import BEST, GRID, HIT, HIT_CELL, INK, LABEL, MISS, MISS_CELL, SHIP

HEAT = LinearSegmentedColormap.from_list("heat", palette.HEAT)


def paper_name(cell: Cell) -> str:
    """A cell as Audinot, Bonnet and Viennot (2014) name it: row letter, column number."""
    return f"{column_name(cell[0])}{cell[1] + 1}"


def board_size(game: Game) -> tuple[float, float]:
    """Width and height of a drawn board, in cells."""
    if _has_lines(game):
        return game.columns, game.rows
    corners = np.concatenate([cell_corners(game, cell) for cell in _cells(game)])
    wide, high = np.ptp(corners, axis=0)
    return float(wide), float(high)


def board_lines(game: Game) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The lines between cells and those around the board, each of shape (lines, 2, 2).

    Where columns or rows go on at the other end, lines around have gaps.
    """
    found: dict[tuple[tuple[float, ...], ...], list[NDArray[np.float64]]] = {}
    for cell in _cells(game):
        corners = cell_corners(game, cell)
        for line in np.stack([corners, np.roll(corners, -1, axis=0)], axis=1):
            key = tuple(sorted(tuple(end) for end in line.round(3).tolist()))
            found.setdefault(key, []).append(line)
    between: list[NDArray[np.float64]] = []
    around: list[NDArray[np.float64]] = []
    for line, *again in found.values():
        if again:
            between.append(line)
        elif np.any(game.board.seams & (line[0] == line[1])):
            start, along = line[0], line[1] - line[0]
            around += [start + part * along for part in ([[0], [0.25]], [[0.75], [1]])]
        else:
            around.append(line)
    return np.array(between).reshape(-1, 2, 2), np.array(around).reshape(-1, 2, 2)


def _has_lines(game: Game) -> bool:
    """Whether straight lines part all cells: the board is drawn as a grid."""
    return game.board.has_squares


def _cells(game: Game) -> list[Cell]:
    """The cells that are drawn: all but places of the grid where the board has none."""
    return [game.cell(i) for i in range(game.cells) if not game.board.empty >> i & 1]


def cell_corners(game: Game, cell: Cell, inset: float = 0.0) -> NDArray[np.float64]:
    """The outline of a cell, shape (corners, 2); inset -- how much further in, 1 being all."""
    outline: NDArray[np.float64] = np.array(game.board.outline) * (1 - inset)
    outline += _centre(game, cell)
    return outline


def _centre(game: Game, cell: Cell) -> tuple[float, float]:
    x, y = game.board.places[cell[0] * game.columns + cell[1]]
    return x + 0.5, y + 0.5


def cell_patch(game: Game, cell: Cell, inset: float = 0.0, **style: Any) -> Patch:
    """A cell, or what is further in, to be added to axes."""
    if _has_lines(game):
        row, column = cell
        side = 1 - inset
        return Rectangle((column + inset / 2, row + inset / 2), side, side, **style)
    return Polygon(cell_corners(game, cell, inset), closed=True, **style)


def draw_board(ax: Axes, position: Position, paper: bool = False) -> None:
    """Draw a position: the grid, column letters above, row numbers on the left, and the shots.

    Cells that are no squares are drawn each for itself. Where a row or column goes on at the other
    end, the frame is broken there.

    Each shot has the sign of its reply on a shade; a hole is dark. With `paper`, hits have circles
    and misses crosses, rows have the letters and columns the numbers, as in the paper.
    """
    game = position.game
    for cell in game.cells_of(game.holes & ~game.board.empty):
        ax.add_patch(cell_patch(game, cell, facecolor=palette.HOLE, lw=0, zorder=2, gid="hole"))
    for shot in position.shots:
        _draw_shot(ax, game, shot, paper)
    if _has_lines(game):
        _draw_grid(ax, game.rows, game.columns, paper, game.board.seams)
    else:
        _draw_cells(ax, game)
    ax.set_aspect("equal")


def _draw_shot(ax: Axes, game: Game, shot: Shot, paper: bool) -> None:
    is_hit, sinks = shot.reply.hit, shot.reply.sunk
    shade, colour = (HIT_CELL, HIT) if is_hit else (MISS_CELL, MISS)
    ax.add_patch(cell_patch(game, shot.cell, facecolor=shade, edgecolor="none", gid="shot"))
    gid = str(shot.reply).partition(":")[0]
    centre_x, centre_y = _centre(game, shot.cell)
    if sinks or is_hit == paper:
        style = {"facecolor": colour if sinks else "none", "edgecolor": colour, "lw": 1.8}
        ax.add_patch(Circle((centre_x, centre_y), 0.25, gid=gid, **style))
    else:
        x = centre_x + 0.22 * np.array([-1, 1, np.nan, -1, 1])
        y = centre_y + 0.22 * np.array([-1, 1, np.nan, 1, -1])
        ax.add_line(Line2D(x, y, color=colour, lw=1.8, solid_capstyle="round", gid=gid))


def draw_ships(ax: Axes, ships: Sequence[Sequence[Cell]], game: Game | None = None) -> None:
    """Draw ships on a board that is drawn already: each a rounded bar over its cells.

    One of another shape is a square on each cell, with the edges between them left out. game --
    where it is not on a rectangle: cells in its colour, joined where they touch.
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
    """The cells of a ship, and bars between those that touch and are drawn beside each other."""
    places = {cell: np.array(_centre(game, cell)) for cell in cells}
    for cell in cells:
        ax.add_patch(
            cell_patch(
                game, cell, 0.35, facecolor=SHIP, edgecolor=INK, lw=1, zorder=2.5, gid="ship"
            )
        )
    bars = [
        (places[one], places[other])
        for one in cells
        for other in cells
        if one < other and np.hypot(*(places[one] - places[other])) < 1.2
    ]
    ax.add_collection(LineCollection(bars, colors=INK, lw=1.5, zorder=2.6, gid="ship lines"))


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
    game: Game | None = None,
) -> None:
    """Draw one number a cell over a quiet heat map, as the paper's Figures 2 and 3.

    matrix -- rows of numbers; format -- how to write one, such as `d` or `.1f`; paper -- as in
    `draw_board`. game -- whose board it is of, where it is no rectangle. The text is as large as
    the cells of these axes allow, so give the axes their size first.
    """
    if game is not None and not _has_lines(game):
        values = np.array([[float(value) for value in row] for row in matrix])
        _draw_values(ax, game, values, {c: f"{matrix[c[0]][c[1]]:{format}}" for c in _cells(game)})
        _draw_cells(ax, game)
        return
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


def _draw_doubtful(ax: Axes, told: NoisyPosition, certain: Position) -> None:
    """The signs of the replies that may be false, in the corner of their cell."""
    for cell, signs in told.signs.items():
        if not told.game.bit(cell) & certain.closed:
            x, y = _centre(told.game, cell)
            ax.text(x, y + 0.3, signs, ha="center", va="center", fontsize=6, zorder=3, gid="heard")


def draw_probability(
    ax: Axes,
    position: Position | NoisyPosition,
    probability: NDArray[np.float64],
    digits: int = 1,
) -> None:
    """Draw a position over the heat map of the probability of a ship on each cell, in percent.

    The colours go by rank among the values of the cells not shot yet, so that one high value leaves
    the others apart; most probable cells have a thick frame. digits -- decimals of the percentages.
    Give the axes their size first, as in `draw_matrix`. Replies that may be false are small signs
    in the corner of their cell.
    """
    told = position
    if isinstance(told, NoisyPosition):
        position = told.certain
        _draw_doubtful(ax, told, position)
    assert isinstance(position, Position)
    shown = np.array(probability, dtype=float)
    for cell in position.game.cells_of(position.closed):
        shown[cell] = np.nan
    game = position.game
    draw_board(ax, position)
    is_fresh = np.array([0.0 if told.closed >> i & 1 else 1.0 for i in range(game.cells)])
    chances = np.nan_to_num(shown) * is_fresh.reshape(shown.shape)
    for row, column in np.argwhere(np.isclose(chances, chances.max(), rtol=1e-12) & (chances > 0)):
        cell = int(row), int(column)
        ax.add_patch(
            cell_patch(game, cell, 0.12, fill=False, edgecolor=BEST, lw=2, zorder=2.5, gid="greedy")
        )
    if not _has_lines(game):
        fresh = [cell for cell in _cells(game) if not np.isnan(shown[cell])]
        texts = {cell: f"{100 * shown[cell]:.1f}" for cell in fresh}
        _draw_values(ax, game, ranks(shown), texts)
        return
    ax.pcolormesh(
        np.arange(position.game.columns + 1),
        np.arange(position.game.rows + 1),
        np.ma.masked_invalid(ranks(shown)),
        cmap=HEAT,
        vmin=0,
        vmax=1,
        gid="heat",
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


def _draw_values(
    ax: Axes, game: Game, values: NDArray[np.float64], texts: Mapping[Cell, str]
) -> None:
    """Cells that are no squares, coloured by values, with a text on each; others are left."""
    outlines = [cell_corners(game, cell) for cell in texts]
    colours = HEAT(_shares(np.array([values[cell] for cell in texts])))
    ax.add_collection(PolyCollection(outlines, facecolors=colours, zorder=0.5, gid="heat"))
    box = ax.get_window_extent()
    wide, high = board_size(game)
    longest = max(map(len, texts.values()), default=1)
    size = min(box.width / wide * 0.8 / (0.64 * longest), box.height / high * 0.4)
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


def _shares(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values between the least, 0, and the greatest, 1."""
    least, most = values.min(initial=np.inf), values.max(initial=-np.inf)
    return (values - least) / (most - least) if most > least else 0 * values


def _draw_cells(ax: Axes, game: Game) -> None:
    """The outline of each cell; names at the ends of rows and columns, of a file on each cell."""
    outlines = [cell_corners(game, cell) for cell in _cells(game)]
    ax.add_collection(
        PolyCollection(outlines, facecolors="none", edgecolors=GRID, linewidths=0.8, gid="grid")
    )
    corners = np.concatenate(outlines)
    (left, top), (right, bottom) = corners.min(axis=0), corners.max(axis=0)
    ax.set_xlim(left, right)
    ax.set_ylim(bottom, top)
    ax.set_xticks([])
    ax.set_yticks([])
    for spine in ax.spines.values():
        spine.set_visible(False)
    style: dict[str, Any] = {
        "ha": "center",
        "va": "center",
        "color": LABEL,
        "gid": "label",
        "clip_on": False,
    }
    if game.board.digest:
        for cell in _cells(game):
            x, y = _centre(game, cell)
            ax.text(x, y + 0.33, cell_name(cell), fontsize=5, **style)
        return
    for column in range(game.columns):
        x, y = _centre(game, (0, column))
        ax.text(x, y - 0.85, column_name(column), **style)
    for row in range(game.rows):
        x, y = _centre(game, (row, 0))
        ax.text(x - 0.85, y, str(row + 1), **style)


def _draw_grid(
    ax: Axes,
    rows: int,
    columns: int,
    paper: bool = False,
    seams: tuple[bool, bool] = (False, False),
) -> None:
    """Lines and labels; the cell (row, column) is the unit square from (column, row) on.

    seams -- whether columns, and rows, go on at the other end.
    """
    lines = [((j, 0), (j, rows)) for j in range(1, columns)]
    lines += [((0, i), (columns, i)) for i in range(1, rows)]
    ax.add_collection(LineCollection(lines, colors=GRID, linewidths=0.8, gid="grid"))
    if any(seams):
        _draw_sides(ax, rows, columns, seams)
    else:
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


def _draw_sides(ax: Axes, rows: int, columns: int, seams: tuple[bool, bool]) -> None:
    """The frame of a board, its sides broken where it goes on at the other end."""
    for goes_on, sides in zip(
        seams,
        (
            [((0, 0), (0, rows)), ((columns, 0), (columns, rows))],
            [((0, 0), (columns, 0)), ((0, rows), (columns, rows))],
        ),
        strict=True,
    ):
        lines = LineCollection(
            sides,
            colors=INK,
            linewidths=1.2,
            linestyles=(0, (4, 4)) if goes_on else "solid",
            zorder=3,
            gid="seam" if goes_on else "frame",
        )
        lines.set_clip_on(False)
        ax.add_collection(lines)
