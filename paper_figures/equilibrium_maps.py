"""Where the best hider has its ships: python -m paper_figures.equilibrium_maps."""

import sys
from math import ceil
from pathlib import Path

import numpy as np
from matplotlib.colors import TwoSlopeNorm
from matplotlib.figure import Figure

from optsearch.drawing import draw_board
from optsearch.game.position import Position
from optsearch.results import tables as results
from paper_figures import script, style

CELL, GAP, ACROSS = 0.42, 0.75, 3  # inches, inches, boards


def draw(source: Path) -> Figure:
    """A board for each game: percent of a ship on each cell, and by colour how that differs."""
    table = results.EQUILIBRIUM_CELLS.read(source)
    games = sorted(
        set(table.column("game")), key=lambda game: (len(game.fleet), game.cells, str(game))
    )
    most = max((abs(row["probability"] - row["uniform"]) for row in table), default=1) or 1
    wide = ACROSS * (max(game.columns for game in games) * CELL + GAP)
    heights = [
        max(game.rows for game in games[start : start + ACROSS]) * CELL + GAP
        for start in range(0, len(games), ACROSS)
    ]
    assert len(heights) == ceil(len(games) / ACROSS)
    high = sum(heights)
    figure = Figure(figsize=(wide, high))
    for number, game in enumerate(games):
        row, column = divmod(number, ACROSS)
        x = column * wide / ACROSS
        y = high - sum(heights[:row]) - game.rows * CELL - 0.45
        ax = figure.add_axes(
            (x / wide, y / high, game.columns * CELL / wide, game.rows * CELL / high)
        )
        here = [entry for entry in table if entry["game"] == game]
        differences = np.zeros((game.rows, game.columns))
        for entry in here:
            place = entry["row"], entry["column"]
            differences[place] = entry["probability"] - entry["uniform"]
            ax.text(
                place[1] + 0.5,
                place[0] + 0.5,
                f"{100 * entry['probability']:.0f}",
                ha="center",
                va="center",
                fontsize=style.SMALL,
                gid="value",
            )
        ax.pcolormesh(
            *(np.arange(game.columns + 1), np.arange(game.rows + 1), differences),
            cmap=style.LESS_OR_MORE,
            norm=TwoSlopeNorm(0, -most, most),
        )
        draw_board(ax, Position(game))
        ax.set_title(str(game), pad=14)
    return figure


FIGURE = script.PaperFigure("equilibrium_maps", results.EQUILIBRIUM_CELLS, draw)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
