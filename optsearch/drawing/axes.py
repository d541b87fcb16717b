"""What is drawn from Python: a value on axes that the caller has, or on those of a new figure."""

from __future__ import annotations

from matplotlib import pyplot
from matplotlib.axes import Axes

from optsearch.counting.posterior import Posterior
from optsearch.drawing.boards import board_size, draw_board, draw_legend, draw_probability
from optsearch.drawing.trees import draw_tree, page_depth, tree_figure_size
from optsearch.game import Game
from optsearch.game.position import Position, legend
from optsearch.tree import DecisionTree

CELL = 0.45  # inches, of a board


def draw(
    value: DecisionTree | Posterior | Position | Game | str,
    ax: Axes | None = None,
    depth: int | None = None,
    boards: bool = False,
) -> Axes:
    """Draw a tree, a posterior as a heat map, or a position on axes of matplotlib; return these.

    ax -- where; without them a new figure has them. depth -- of a tree, the shots after which a
    subtree is left out, by default what a page of A3 has room for. boards -- whether a node of a
    tree is the board as it is then, in place of the cell that is shot.
    """
    if isinstance(value, DecisionTree):
        depth = page_depth(value, boards) if depth is None else depth
        ax = ax or _new(*tree_figure_size(value, boards, depth))
        draw_tree(ax, value, boards, depth)
        return ax
    if isinstance(value, Posterior):
        ax = ax or _new(*_size(value.told.game))
        draw_probability(ax, value.told, value.probability)
        return ax
    position = Position.of(value)
    ax = ax or _new(*_size(position.game))
    draw_board(ax, position)
    if position.shots:
        draw_legend(ax, legend(position.game, True))
    return ax


def _size(game: Game) -> tuple[float, float]:
    """The width and height of a board, in inches."""
    across, down = board_size(game)
    return CELL * across, CELL * down


def _new(width: float, height: float) -> Axes:
    """Axes that fill a new figure, in inches."""
    return pyplot.figure(figsize=(width, height)).add_axes((0, 0, 1, 1))
