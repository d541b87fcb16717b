"""The skyline of the transfer matrix: python -m paper_figures.skyline."""

import sys

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from optsearch.drawing import draw_board, draw_ships
from optsearch.game import Game
from optsearch.game.position import Position
from paper_figures import script, style

GAME = Game.parse("7x8:4,3,3")
SHIPS = (((0, 5), (1, 5), (2, 5)), ((1, 0), (1, 1), (1, 2)), ((1, 7), (2, 7), (3, 7), (4, 7)))
SWEPT = (2, 4)  # the cell that the sweep has reached: those before it are decided


def draw() -> Figure:
    """A board on which the sweep has come some way: what it must remember, a number a column."""
    figure, ax = style.figure(0.38 * GAME.columns, 0.38 * GAME.rows)
    closed = set()
    for ship in SHIPS:
        mask = GAME.mask(ship)
        closed |= set(GAME.cells_of(mask | GAME.halo(mask)))
    for row, column in closed:
        if (row, column) >= SWEPT:
            ax.add_patch(
                Rectangle((column, row), 1, 1, facecolor=style.ORANGE, alpha=0.3, lw=0, gid="shut")
            )
    for i in range(GAME.rows):
        wide = GAME.columns if i < SWEPT[0] else SWEPT[1] if i == SWEPT[0] else 0
        ax.add_patch(Rectangle((0, i), wide, 1, facecolor=style.OPEN, lw=0, zorder=0))
    draw_board(ax, Position(GAME))
    draw_ships(ax, SHIPS)
    heights = [skyline(closed, column) for column in range(GAME.columns)]
    steps = [(x, next_row(j) + heights[j]) for j in range(GAME.columns) for x in (j, j + 1)]
    ax.plot(*zip(*steps, strict=True), color=style.BLUE, lw=2.5, zorder=4, gid="skyline")
    ax.plot(SWEPT[1] + 0.5, SWEPT[0] + 0.5, "o", color=style.INK, zorder=4)
    for column, height in enumerate(heights):
        style.note(
            ax,
            str(height),
            (column + 0.5, GAME.rows),
            xytext=(0, -12),
            ha="center",
            color=style.BLUE,
            fontsize=10,
            gid="height",
        )
    return figure


def next_row(column: int) -> int:
    """The first row of a column that is not swept yet."""
    return SWEPT[0] + (column < SWEPT[1])


def skyline(closed: set[tuple[int, int]], column: int) -> int:
    """How many cells of a column are closed, from its next one down."""
    row = next_row(column)
    while (row, column) in closed:
        row += 1
    return row - next_row(column)


FIGURE = script.PaperFigure("skyline", None, draw)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
