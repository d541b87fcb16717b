"""Figure 3, the frequency matrix of the 10×10 grid in percent: python -m paper_figures.figure3."""

import sys
from pathlib import Path

from matplotlib.figure import Figure

from optsearch.drawing import draw_matrix
from optsearch.results import tables as results
from paper_figures import script, style


def draw(source: Path) -> Figure:
    """In how many percent of the configurations each cell is occupied, to one decimal."""
    table = results.OCCURRENCE.read(source)
    percentages = [float(100 * value) for value in table.column("frequency")]
    matrix = script.matrix(table, percentages)
    figure, ax = style.figure(0.42 * len(matrix[0]), 0.42 * len(matrix))
    draw_matrix(ax, matrix, ".1f", paper=True)
    return figure


FIGURE = script.PaperFigure("figure3", results.OCCURRENCE, draw, "10x10")

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
