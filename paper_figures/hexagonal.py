"""Where the pieces of the hexagonal game are: python -m paper_figures.hexagonal."""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from optsearch.drawing import board_size, draw_probability
from optsearch.game import Game
from optsearch.game.position import Position
from optsearch.results import tables as results
from paper_figures import script, style

GAP, LETTER = 0.25, 0.2  # inches: between the halves, and the letter of a panel
HALVES = ("upper", "lower")


def draw(*sources: Path) -> Figure:
    """Both halves before the first shot, with the probability of a piece on each cell."""
    tables = [results.OCCURRENCE.read(source) for source in sources]
    games = [Game.parse(table.header["game"]) for table in tables]
    sizes = [board_size(game) for game in games]
    cell = (style.PAGE - 2 * style.MARGIN - LETTER - GAP) / sum(wide for wide, _ in sizes)  # inches
    wide, high = style.PAGE - 2 * style.MARGIN - LETTER, cell * max(high for _, high in sizes)
    figure = Figure(figsize=(wide, high))
    left = 0.0
    for half, table, game, size in zip(HALVES, tables, games, sizes, strict=True):
        width, height = cell * size[0], cell * size[1]
        ax = figure.add_axes((left / wide, 1 - height / high, width / wide, height / high))
        values = script.matrix(table, [float(value) for value in table.column("frequency")])
        draw_probability(ax, Position(game), np.array(values))
        for text in ax.texts:
            text.set_fontsize(max(text.get_fontsize(), style.SMALLEST))
        for lines in ax.collections:
            lines.set_clip_on(False)  # half of those around would be cut
        number = int(table.header["configurations"])
        ax.set_title(f"{half} half, {number:,} configurations")
        left += width + GAP
    style.letters(*figure.axes)
    return figure


FIGURE = script.PaperFigure(
    "hexagonal",
    results.OCCURRENCE,
    draw,
    "hexagonal_upper",
    also=((results.OCCURRENCE, "hexagonal_lower"),),
)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
