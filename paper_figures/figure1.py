"""Figure 1, a possible start position, partly reconstructed: python -m paper_figures.figure1."""

import sys
from pathlib import Path

from matplotlib.figure import Figure

from optsearch.drawing import draw_ships
from optsearch.game import Cell, Game, parse_cell
from optsearch.game.position import Position
from optsearch.results import tables as results
from paper_figures import script


def cells_of(text: str) -> list[Cell]:
    """The cells of a ship that is written as in the paper: D8-E8-F8."""
    return [(column, row) for row, column in map(parse_cell, text.split("-"))]


def draw(source: Path) -> Figure:
    """The ships on the grid."""
    table = results.START_POSITION.read(source)
    figure, ax = script.board(Position(Game.parse(table.header["game"])))
    draw_ships(ax, [cells_of(row["cells"]) for row in table])
    return figure


FIGURE = script.PaperFigure("figure1", results.START_POSITION, draw)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
