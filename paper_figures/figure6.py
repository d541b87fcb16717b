"""Figure 6, where no greedy strategy is optimal: python -m paper_figures.figure6.

The cells of Figures 6 to 8 have column letters and row numbers, as everywhere here; the paper's
have row letters and column numbers: its B3 is C2.
"""

import sys
from pathlib import Path

from matplotlib.figure import Figure

from optsearch import tree
from optsearch.drawing import draw_board
from paper_figures import script, style


def draw(source: Path) -> Figure:
    """The grid and the two misses, after which a ship of length 2 is to be found."""
    position = tree.load(source).position
    figure, ax = style.figure(0.45 * position.game.columns, 0.45 * position.game.rows)
    draw_board(ax, position)
    return figure


FIGURE = script.PaperFigure(
    "figure6", "results/counterexample_greedy.json", "python -m experiments.trees", draw
)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
