"""Figure 10, the order of the first shots, reconstructed: python -m paper_figures.figure10."""

import sys
from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from optsearch.game import Game
from optsearch.game.position import Position
from optsearch.results import tables as results
from paper_figures import script, style


def draw(source: Path) -> Figure:
    """The place of each cell in the order of the pattern; those that are shot first are shaded."""
    table = results.PATTERN_ORDER.read(source)
    figure, ax = script.board(Position(Game.parse(table.header["game"])))
    for row in table:
        if row["first"]:
            corner = (row["column"], row["row"])
            ax.add_patch(Rectangle(corner, 1, 1, facecolor=style.SKY, alpha=0.35, edgecolor="none"))
        ax.text(
            row["column"] + 0.5,
            row["row"] + 0.5,
            str(row["place"]),
            ha="center",
            va="center",
            fontsize=style.SMALL,
            color=style.INK if row["first"] else style.LABEL,
            gid="place",
        )
    return figure


FIGURE = script.PaperFigure("figure10", results.PATTERN_ORDER, draw)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
