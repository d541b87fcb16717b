"""Figure 8, an optimal strategy for Figure 6: python -m paper_figures.figure8."""

import sys
from pathlib import Path

from matplotlib.figure import Figure

from optsearch import tree
from optsearch.drawing import draw_tree, tree_figure_size
from paper_figures import script, style


def draw(source: Path) -> Figure:
    """The tree of a strategy of least total height."""
    strategy = tree.load(source)
    figure, ax = style.figure(*tree_figure_size(strategy))
    draw_tree(ax, strategy)
    return figure


FIGURE = script.PaperFigure(
    "figure8", "results/counterexample_optimal.json", "python -m experiments.trees", draw
)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
