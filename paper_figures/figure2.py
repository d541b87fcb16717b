"""Figure 2, the occurrence matrix of the 10×10 grid: python -m paper_figures.figure2."""

import sys
from pathlib import Path

from matplotlib.figure import Figure

from optsearch.drawing import draw_matrix
from optsearch.results import tables as results
from paper_figures import script, style


def draw(source: Path) -> Figure:
    """In how many configurations each cell is occupied."""
    table = results.OCCURRENCE.read(source)
    matrix = script.matrix(table, table.column("occurrence"))
    figure, ax = style.figure(0.68 * len(matrix[0]), 0.36 * len(matrix))
    draw_matrix(ax, matrix, "d", paper=True)
    return figure


FIGURE = script.PaperFigure("figure2", results.OCCURRENCE, draw, "10x10")

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
