"""Figure 4, the 2×3 grid of the tree of Figure 5: python -m paper_figures.figure4.

The cells have the paper's names: letters A-B and numbers 1-3. With letters for columns and numbers
for rows, the grid stands upright.
"""

import sys
from pathlib import Path

from matplotlib.figure import Figure

from optsearch import tree
from optsearch.drawing import draw_board
from paper_figures import script, style


def draw(source: Path) -> Figure:
    """The grid on which the tree of Figure 5 finds a ship of length 2."""
    position = tree.load(source).position
    figure, ax = style.figure(0.45 * position.game.columns, 0.45 * position.game.rows)
    draw_board(ax, position)
    return figure


FIGURE = script.PaperFigure(
    "figure4",
    "published/figure5_tree.json",
    "git checkout -- data/published/figure5_tree.json",
    draw,
)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
