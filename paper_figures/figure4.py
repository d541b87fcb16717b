"""Figure 4, the 2×3 grid of the tree of Figure 5: python -m paper_figures.figure4."""

import sys
from pathlib import Path

from matplotlib.figure import Figure

from optsearch import tree
from optsearch.game import Game
from optsearch.game.position import Position
from paper_figures import script


def draw(source: Path) -> Figure:
    """The grid lying, as in the paper: letters A-B for rows, numbers 1-3 for columns.

    The tree has these names with letters for columns, on the same grid upright.
    """
    upright = tree.load(source).position.game
    return script.board(Position(Game(upright.columns, upright.rows, upright.fleet)))[0]


FIGURE = script.PaperFigure("figure4", script.Published("figure5_tree"), draw)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
