"""Two steps of the reveal game: python -m paper_figures.reveal_game."""

import sys

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from optsearch.drawing import draw_board, draw_ships
from optsearch.game import Cell, Game
from optsearch.game.position import HIT, MISS, Position, Shot
from paper_figures import script, style

GAME = Game.parse("6x6:4,3,2")
FIRST, SECOND = ((1, 1), (1, 2), (1, 3), (1, 4)), ((3, 2), (4, 2), (5, 2))
STEPS: tuple[tuple[tuple[tuple[Cell, ...], ...], tuple[Cell, ...], str], ...] = (
    ((), ((2, 3), (4, 4), (3, 0), (1, 2)), "nothing known: $F(l)$\nhit at $c_3$, after 3 misses"),
    ((FIRST,), ((5, 4), (4, 2)), "ship $p$ known: $F_p(l-3)$\nhit at $c_1$, after 1 more"),
    ((FIRST, SECOND), (), "$p$ and $q$ known:\n$F_{p,q}(l-4)$"),
)


def draw() -> Figure:
    """A board for each ship that is known, with the shots until the next one is hit."""
    size = 0.32 * GAME.columns
    figure = Figure(figsize=(3 * size + 1.2, size + 0.9))
    for i, (ships, cells, text) in enumerate(STEPS):
        width, height = figure.get_size_inches()
        left = (i * (size + 0.5) + 0.2) / width
        _draw_step(
            figure.add_axes((left, 0.62 / height, size / width, size / height)), ships, cells
        )
        figure.axes[i].text(
            GAME.columns / 2, GAME.rows + 0.4, text, ha="center", va="top", fontsize=style.SMALL + 1
        )
    style.letters(*figure.axes)
    return figure


def _draw_step(ax: Axes, ships: tuple[tuple[Cell, ...], ...], cells: tuple[Cell, ...]) -> None:
    for ship in ships:
        for row, column in GAME.cells_of(GAME.halo(GAME.mask(ship))):
            ax.add_patch(Rectangle((column, row), 1, 1, facecolor=style.OPEN, lw=0, gid="halo"))
    replies = [MISS] * (len(cells) - 1) + [HIT] * bool(cells)
    shots = tuple(Shot(cell, reply) for cell, reply in zip(cells, replies, strict=True))
    draw_board(ax, Position(GAME, shots))
    draw_ships(ax, ships)
    for number, (row, column) in enumerate(cells):
        beside = (column + 1.1, row + 0.5)
        style.note(ax, f"$c_{number}$", beside, va="center", fontsize=9, color=style.INK)
    ax.set_xticks([])
    ax.set_yticks([])


FIGURE = script.PaperFigure("reveal_game", None, draw)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
