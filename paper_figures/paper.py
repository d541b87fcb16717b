"""Figures 1 to 11 of the paper, with the names of cells and the signs of optsearch.

The paper's own names are row letter and column number; its circles are hits, its crosses misses.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

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
    """Return a figure of a board with the shots made, and its axes."""
    drawn, ax = style.one_panel(CELL * position.game.columns, CELL * position.game.rows)
    draw_board(ax, position)
    return drawn, ax


def grid_values(table: Entries, values: Sequence[float]) -> list[list[float]]:
    """Return the values of a table's rows as a matrix, by its columns `row` and `column` from 0.

    Raises RecordError unless the rows give each cell of a grid once.
    """
    cells = list(zip(table.column("row"), table.column("column"), strict=True))
    by_cell = dict(zip(cells, values, strict=True))
    rows = 1 + max((i for i, _ in cells), default=-1)
    columns = 1 + max((j for _, j in cells), default=-1)
    expected = {(i, j) for i in range(rows) for j in range(columns)}
    if not expected or len(by_cell) < len(cells) or set(by_cell) != expected:
        raise RecordError(
            f"{table.path}: the rows do not give each cell of a {rows}x{columns} grid once"
        )
    return [[by_cell[i, j] for j in range(columns)] for i in range(rows)]


def draw_cells(
    table: Entries, values: Sequence[float], format: str, cell: float, title: str
) -> Figure:
    """Draw a value on each cell of a board; cell -- its side in inches; title -- of the bar."""
    rows = grid_values(table, values)
    game = Game(len(rows), len(rows[0]), (1,))
    drawn, ax = style.one_panel(cell * game.columns, cell * game.rows)
    draw_colour_bar(ax, draw_matrix(ax, game, rows, format), title)
    return drawn


def draw_strategy(source: Path) -> Figure:
    """Draw the decision tree of a file; one slightly wider than a column becomes a column wide."""
    strategy = tree.load(source)
    width, height = tree_figure_size(strategy)
    if style.COLUMN < width + 0.2 < 1.1 * style.COLUMN:
        width = style.COLUMN - 0.2
    drawn, ax = style.one_panel(width, height)
    draw_tree(ax, strategy)
    return drawn


def cells_of(text: str) -> list[Cell]:
    """Return the cells of a ship written as in the paper, such as D8-E8-F8."""
    return [(column, row) for row, column in map(parse_cell, text.split("-"))]


@figure(TABLES["start_position"])
def figure1(source: Path) -> Figure:
    """A possible start position, partly reconstructed: the ships on the grid."""
    table = TABLES["start_position"].read(source)
    drawn, ax = draw_position(Position(Game.parse(table.header["game"])))
    draw_ships(ax, [cells_of(row["cells"]) for row in table])
    return drawn


@figure((TABLES["occurrence"], "10x10"))
def figure2(source: Path) -> Figure:
    """The number of configurations in which each cell is occupied."""
    table = TABLES["occurrence"].read(source)
    return draw_cells(table, table.column("occurrence"), ",d", 0.64, "configurations with a ship")


@figure((TABLES["occurrence"], "10x10"))
def figure3(source: Path) -> Figure:
    """The percentage of the configurations in which each cell is occupied, to one decimal."""
    table = TABLES["occurrence"].read(source)
    percent = [float(100 * value) for value in table.column("frequency")]
    return draw_cells(table, percent, ".1f", CELL, "probability of a ship, percent")


@figure(FIGURE5_TREE)
def figure4(source: Path) -> Figure:
    """The grid of Figure 5 upright, so that its cells have the names of the paper."""
    return draw_position(tree.load(source).position)[0]


@figure(FIGURE5_TREE)
def figure5(source: Path) -> Figure:
    """A deterministic strategy."""
    return draw_strategy(source)


@figure(COUNTEREXAMPLE_GREEDY)
def figure6(source: Path) -> Figure:
    """The position for which no greedy strategy is optimal, with the shots made."""
    position = tree.load(source).position
    drawn, ax = draw_position(position)
    draw_legend(ax, legend(position.game, True))
    return drawn


@figure(COUNTEREXAMPLE_GREEDY)
def figure7(source: Path) -> Figure:
    """The best greedy strategy for Figure 6."""
    return draw_strategy(source)


@figure(COUNTEREXAMPLE_OPTIMAL)
def figure8(source: Path) -> Figure:
    """An optimal strategy for Figure 6."""
    return draw_strategy(source)


@figure(TABLES["complete_binary_tree"])
def figure9(source: Path) -> Figure:
    """The binary tree of least average height, from the depths of its leaves."""
    root = binary_tree(TABLES["complete_binary_tree"].read(source).column("depth"))
    drawn, ax = style.one_panel(*tree_figure_size(root))
    draw_tree(ax, root)
    return drawn


@figure(TABLES["pattern_order"])
def figure10(source: Path) -> Figure:
    """The place of each cell in the order of the pattern; the cells shot first are shaded."""
    table = TABLES["pattern_order"].read(source)
    drawn, ax = draw_position(Position(Game.parse(table.header["game"])))
    for row in table:
        column, line = row["column"], row["row"]
        if row["first"]:
            shade = Rectangle((column, line), 1, 1, fc=style.SKY, alpha=0.35, ec="none")
            ax.add_patch(shade)
        ax.text(
            *(column + 0.5, line + 0.5, str(row["place"])),
            ha="center",
            va="center",
            fontsize=style.SMALL,
            color=style.INK if row["first"] else style.LABEL,
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
    """The two strategies of section 4.2, reconstructed; the naive one is on the right.

    Dotted lines are our means, dashed lines the printed ones.
    """
    printed = {row["name"]: row["value"] for row in records.read(numbers).rows}
    drawn, ax = style.curve_panel(height=2.8)
    means: list[tuple[float, str, str, str]] = []
    for clear, source in (("line", line), ("cross", cross)):
        colour, dashes, label, name = AFTER_A_HIT[clear]
        table = TABLES["evaluations"].read(source)
        millions = [n / 1e6 for n in table.column("configurations")]
        ax.plot(table.column("shots"), millions, dashes, color=colour, label=label)
        mean, printed_mean = float(table.header["mean"]), printed[name]
        means.append((mean, f"mean {mean:.1f}", ":", colour))
        means.append((float(printed_mean), f"printed {printed_mean}", "--", colour))
    top = ax.dataLim.ymax
    paper = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
    for i, (value, text, mark, colour) in enumerate(means):
        height = top * (1.32 if i in (1, 2) else 1.2)  # the inner texts go above the outer lines
        ax.plot([value] * 2, [0, height], mark, color=colour, lw=0.9, gid="mean")
        beside = {"xytext": (-3 if i < 2 else 3, -6), "ha": "right" if i < 2 else "left"}
        style.write_note(ax, text, (value, height), **beside, color=colour, bbox=paper)
    ax.set_xlabel("shots")
    ax.set_ylabel("configurations, millions")
    ax.set_ylim(0, 1.4 * top)
    ax.legend(loc="upper left", title="after a hit, reconstructed")
    return drawn
