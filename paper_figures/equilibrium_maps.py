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

CELL, GAP, ACROSS = 0.36, 0.68, 3  # inches, inches, boards


def draw(source: Path) -> Figure:
    """A board for each game: by how much each cell differs from uniformly drawn configurations."""
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
    figure, panels = Figure(figsize=(wide, high)), []
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
                _signed(100 * differences[place]),
                ha="center",
                va="center",
                fontsize=style.SMALL,
                gid="value",
            )
        drawn = ax.pcolormesh(
            *(np.arange(game.columns + 1), np.arange(game.rows + 1), 100 * differences),
            cmap=style.LESS_OR_MORE,
            norm=TwoSlopeNorm(0, -100 * most, 100 * most),
        )
        draw_board(ax, Position(game))
        ax.set_title(str(game), pad=14)
        panels.append(ax)
    bar = figure.colorbar(
        drawn, cax=figure.add_axes((0.2, -0.25 / high, 0.6, 0.12 / high)), orientation="horizontal"
    )
    bar.set_label("likelier than in uniformly drawn configurations, percentage points")
    bar.outline.set_visible(False)
    style.letters(*panels)
    return figure


def _signed(points: float) -> str:
    """A difference in whole points, with its sign."""
    text = f"{points:+.0f}".replace("-", "−")
    return "0" if text in ("+0", "−0") else text


FIGURE = script.PaperFigure("equilibrium_maps", results.EQUILIBRIUM_CELLS, draw)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
