"""Figures 1 to 11 of the paper, with the names of cells and the signs of optsearch.

The paper's own names are row letter and column number; its circles are hits, its crosses misses.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from optsearch import tree
from optsearch.drawing.boards import (
    draw_board,
    draw_colour_bar,
    draw_legend,
    draw_matrix,
    draw_ships,
)
from optsearch.drawing.trees import draw_tree, tree_figure_size
from optsearch.drawing.vertices import binary_tree
from optsearch.game import Cell, Game, parse_cell
from optsearch.game.position import Position, legend
from optsearch.results.tables import COUNTEREXAMPLE_GREEDY, COUNTEREXAMPLE_OPTIMAL, TABLES, Entries
from optsearch.support import records
from optsearch.support.errors import RecordError
from paper_figures import style
from paper_figures.registry import Published, figure

CELL = 0.31  # inches
FIGURE5_TREE = Published("figure5_tree")


def draw_position(position: Position) -> tuple[Figure, Axes]:
    """Draw a board with the shots made; return the figure and its axes."""
    drawn, ax = style.one_panel(CELL * position.game.columns, CELL * position.game.rows)
    draw_board(ax, position)
    return drawn, ax


def grid_values(table: Entries, values: Sequence[float]) -> list[list[float]]:
    """Return the values of a table of cells as a matrix: a list of rows of the grid.

    values -- one for each row of the table, whose columns `row` and `column` (from 0) say where it
    is. Raises RecordError unless the table has each cell of a grid once.
    """
    cells = list(zip(table.column("row"), table.column("column"), strict=True))
    value_of = dict(zip(cells, values, strict=True))
    row_count = 1 + max((row for row, _ in cells), default=-1)
    column_count = 1 + max((column for _, column in cells), default=-1)
    grid_cells = {(row, column) for row in range(row_count) for column in range(column_count)}
    has_repeats = len(value_of) < len(cells)
    if not grid_cells or has_repeats or set(value_of) != grid_cells:
        raise RecordError(
            f"{table.path}: the rows do not give each cell of a {row_count}x{column_count} grid "
            "once"
        )
    return [[value_of[row, column] for column in range(column_count)] for row in range(row_count)]


def draw_cells(
    table: Entries, values: Sequence[float], format: str, cell: float, title: str
) -> Figure:
    """Draw a heat map with a value on each cell of a board, and its colour bar with a title.

    values -- one for each row of the table. format -- of the numbers. cell -- its side, in inches.
    """
    matrix = grid_values(table, values)
    game = Game(len(matrix), len(matrix[0]), (1,))  # the board alone is drawn
    drawn, ax = style.one_panel(cell * game.columns, cell * game.rows)
    heat = draw_matrix(ax, game, matrix, format)
    draw_colour_bar(ax, heat, title)
    return drawn


def draw_strategy(source: Path) -> Figure:
    """Draw the decision tree of a file; one slightly wider than a column becomes a column wide."""
    strategy = tree.load(source)
    width, height = tree_figure_size(strategy)
    margins = 0.2  # inches, left and right together
    if style.COLUMN < width + margins < 1.1 * style.COLUMN:
        width = style.COLUMN - margins
    drawn, ax = style.one_panel(width, height)
    draw_tree(ax, strategy)
    return drawn


def cells_of(text: str) -> list[Cell]:
    """Return the cells of a ship written as in the paper, such as D8-E8-F8.

    The paper's letters are rows, ours are columns.
    """
    return [(column, row) for row, column in map(parse_cell, text.split("-"))]


@figure(TABLES["start_position"])
def figure1(source: Path) -> Figure:
    """Draw a possible start position, partly reconstructed: the ships on the grid."""
    table = TABLES["start_position"].read(source)
    drawn, ax = draw_position(Position(Game.parse(table.header["game"])))
    draw_ships(ax, [cells_of(row["cells"]) for row in table])
    return drawn


@figure((TABLES["occurrence"], "10x10"))
def figure2(source: Path) -> Figure:
    """Draw the number of configurations in which each cell is occupied."""
    table = TABLES["occurrence"].read(source)
    return draw_cells(table, table.column("occurrence"), ",d", 0.64, "configurations with a ship")


@figure((TABLES["occurrence"], "10x10"))
def figure3(source: Path) -> Figure:
    """Draw the percentage of the configurations in which each cell is occupied, to one decimal."""
    table = TABLES["occurrence"].read(source)
    percent = [float(100 * value) for value in table.column("frequency")]
    return draw_cells(table, percent, ".1f", CELL, "probability of a ship, percent")


@figure(FIGURE5_TREE)
def figure4(source: Path) -> Figure:
    """Draw the grid of Figure 5 upright, so that its cells have the names of the paper."""
    drawn, _ = draw_position(tree.load(source).position)
    return drawn


@figure(FIGURE5_TREE)
def figure5(source: Path) -> Figure:
    """Draw a deterministic strategy."""
    return draw_strategy(source)


@figure(COUNTEREXAMPLE_GREEDY)
def figure6(source: Path) -> Figure:
    """Draw the position for which no greedy strategy is optimal, with the shots made."""
    position = tree.load(source).position
    drawn, ax = draw_position(position)
    draw_legend(ax, legend(position.game, in_figures=True))
    return drawn


@figure(COUNTEREXAMPLE_GREEDY)
def figure7(source: Path) -> Figure:
    """Draw the best greedy strategy for Figure 6."""
    return draw_strategy(source)


@figure(COUNTEREXAMPLE_OPTIMAL)
def figure8(source: Path) -> Figure:
    """Draw an optimal strategy for Figure 6."""
    return draw_strategy(source)


@figure(TABLES["complete_binary_tree"])
def figure9(source: Path) -> Figure:
    """Draw the binary tree of least average height, from the depths of its leaves."""
    root = binary_tree(TABLES["complete_binary_tree"].read(source).column("depth"))
    drawn, ax = style.one_panel(*tree_figure_size(root))
    draw_tree(ax, root)
    return drawn


@figure(TABLES["pattern_order"])
def figure10(source: Path) -> Figure:
    """Draw the number of each cell in the order of the pattern; those shot first are shaded."""
    table = TABLES["pattern_order"].read(source)
    drawn, ax = draw_position(Position(Game.parse(table.header["game"])))
    for entry in table:
        x, y = entry["column"], entry["row"]
        if entry["first"]:
            ax.add_patch(Rectangle((x, y), 1, 1, fc=style.SKY, alpha=0.35, ec="none"))
        ax.text(
            x + 0.5,
            y + 0.5,
            str(entry["place"]),
            ha="center",
            va="center",
            fontsize=style.SMALL,
            color=style.INK if entry["first"] else style.LABEL,
            gid="place",
        )
    return drawn


AFTER_A_HIT = {  # colour, dashes, label, name of the printed mean
    "line": (style.BLUE, "-", "the row first", "upper_bound_10x10"),
    "cross": (style.ORANGE, "--", "four directions", "naive_strategy_mean"),
}


@figure(
    (TABLES["evaluations"], "pattern_line"),
    (TABLES["evaluations"], "pattern_cross"),
    Published("numbers", "csv"),
)
def figure11(line: Path, cross: Path, numbers: Path) -> Figure:
    """Draw how many configurations take how many shots by two strategies of section 4.2.

    line, cross -- tables of both, reconstructed: after a hit one tries the row first, the other
    (on the right) four directions. numbers -- what the paper prints. Dotted lines are
    our means, dashed lines the printed ones.
    """
    printed_values = {row["name"]: row["value"] for row in records.read(numbers).rows}
    drawn, ax = style.curve_panel(height=2.8)
    left_of_line: dict[str, Any] = {"xytext": (-3, -6), "ha": "right"}
    right_of_line: dict[str, Any] = {"xytext": (3, -6), "ha": "left"}
    # The value, text, dashes and colour of each line of a mean, and where its text stands.
    means: list[tuple[float, str, str, str, dict[str, Any]]] = []
    for after_a_hit, source, beside in (
        ("line", line, left_of_line),
        ("cross", cross, right_of_line),
    ):
        colour, dashes, label, name = AFTER_A_HIT[after_a_hit]
        table = TABLES["evaluations"].read(source)
        millions = [count / 1e6 for count in table.column("configurations")]
        ax.plot(table.column("shots"), millions, dashes, color=colour, label=label)
        mean, printed_mean = float(table.header["mean"]), printed_values[name]
        means.append((mean, f"mean {mean:.1f}", ":", colour, beside))
        means.append((float(printed_mean), f"printed {printed_mean}", "--", colour, beside))
    most_millions = ax.dataLim.ymax
    white_box = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
    for i, (value, text, dashes, colour, beside) in enumerate(means):
        is_inner = 0 < i < len(means) - 1  # inner texts go above the outer lines
        height = most_millions * (1.32 if is_inner else 1.2)
        ax.plot([value] * 2, [0, height], dashes, color=colour, lw=0.9, gid="mean")
        style.write_note(ax, text, (value, height), **beside, color=colour, bbox=white_box)
    ax.set_xlabel("shots")
    ax.set_ylabel("configurations, millions")
    ax.set_ylim(0, 1.4 * most_millions)
    ax.legend(loc="upper left", title="after a hit, reconstructed")
    return drawn
