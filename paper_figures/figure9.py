"""Figure 9, the complete binary tree with 11 leaves: python -m paper_figures.figure9."""

import sys
from pathlib import Path

from matplotlib.figure import Figure

from optsearch.drawing import binary_tree, draw_tree, tree_figure_size
from optsearch.results import tables as results
from paper_figures import script, style


def draw(source: Path) -> Figure:
    """The binary tree of least average height, from the depths of its leaves."""
    root = binary_tree(results.COMPLETE_BINARY_TREE.read(source).column("depth"))
    figure, ax = style.figure(*tree_figure_size(root))
    draw_tree(ax, root)
    return figure


FIGURE = script.PaperFigure("figure9", results.COMPLETE_BINARY_TREE, draw)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
