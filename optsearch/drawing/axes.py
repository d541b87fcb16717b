"""Draw trees, posteriors and positions from Python, on given axes or on a new figure."""

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
    """Draw a tree, a posterior as a heat map, or a position on matplotlib axes; return the axes.

    ax -- the axes; None draws on a new figure.
    depth -- the number of shots after which subtrees of a tree are left out; by default the
        greatest depth that fits on a page of A3.
    boards -- True draws each node of a tree as the board at that point, not as the cell shot.
    """
    if isinstance(value, DecisionTree):
        depth = page_depth(value, boards) if depth is None else depth
        ax = ax or _new_axes(*tree_figure_size(value, boards, depth))
        draw_tree(ax, value, boards, depth)
        return ax
    if isinstance(value, Posterior):
        ax = ax or _new_axes(*_board_inches(value.observations.game))
        draw_probability(ax, value.observations, value.probability)
        return ax
    position = Position.of(value)
    ax = ax or _new_axes(*_board_inches(position.game))
    draw_board(ax, position)
    if position.shots:
        draw_legend(ax, legend(position.game, in_figures=True))
    return ax


def _board_inches(game: Game) -> tuple[float, float]:
    """Return the width and height of a board, in inches."""
    across, down = board_size(game)
    return CELL * across, CELL * down


def _new_axes(width: float, height: float) -> Axes:
    """Return axes that fill a new figure of this size in inches."""
    return pyplot.figure(figsize=(width, height)).add_axes((0, 0, 1, 1))
