"""Posteriors of a game of Thompson sampling: python -m paper_figures.thompson_posterior.

Above as sampled, below exactly, in percent.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from optsearch.drawing import draw_probability
from optsearch.game import Game
from optsearch.game.position import Position
from optsearch.results import tables as results
from paper_figures import script

PANELS = 4
SIZE, GAP = 2.6, 0.5  # inches


def draw(source: Path) -> Figure:
    """A column for each of some positions of the game."""
    table = results.THOMPSON_POSTERIOR.read(source)
    end = Position.parse(Game.parse(table.header["game"]), table.header["position"])
    game, shots = end.game, sorted(set(table.column("shots")))
    chosen = [shots[i * (len(shots) - 1) // PANELS] for i in range(1, PANELS + 1)]
    width, height = PANELS * (SIZE + GAP), 2 * (SIZE + GAP)
    figure = Figure(figsize=(width, height))
    for column, number in enumerate(chosen):
        before = Position(game, end.shots[:number])
        for row, values in enumerate(("exact", "sampled")):
            place = (column * (SIZE + GAP) / width, row * (SIZE + GAP) / height)
            ax = figure.add_axes((*place, SIZE / width, SIZE / height))
            matrix = np.zeros((game.rows, game.columns))
            for entry in table:
                if entry["shots"] == number:
                    matrix[entry["row"], entry["column"]] = entry[values]
            draw_probability(ax, before, matrix)
            ax.set_title(f"{values}, after {number} shots", pad=16)
    return figure


FIGURE = script.PaperFigure("thompson_posterior", results.THOMPSON_POSTERIOR, draw)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
