"""Shortest and longest game of Thompson sampling: python -m paper_figures.thompson_games."""

import sys
from pathlib import Path

from matplotlib.figure import Figure

from optsearch.drawing import draw_board
from optsearch.game import Game, parse_cell
from optsearch.game.position import Position, Reply, Shot
from optsearch.results import tables as results
from paper_figures import script, style

SIZE, GAP = 3.2, 0.36  # inches


def draw(source: Path) -> Figure:
    """A board each, with the number of each shot in its corner."""
    table = results.THOMPSON_GAMES.read(source)
    game = Game.parse(table.header["game"])
    figure = Figure(figsize=(2 * SIZE + GAP, SIZE))
    for place, which in enumerate(("fewest", "most")):
        rows = [row for row in table if row["which"] == which]
        shots = tuple(Shot(parse_cell(row["cell"]), Reply.parse(row["reply"])) for row in rows)
        left = place * (SIZE + GAP) / (2 * SIZE + GAP)
        ax = figure.add_axes((left, 0, SIZE / (2 * SIZE + GAP), 1))
        draw_board(ax, Position(game, shots))
        for number, shot in enumerate(shots, 1):
            row, column = shot.cell
            ax.text(
                column + 0.05,
                row + 0.04,
                str(number),
                fontsize=style.SMALLEST,
                va="top",
                color=style.INK,
            )
        ax.set_title(f"{which}: {len(shots)} shots, board {rows[0]['board']}", pad=16)
    style.letters(*figure.axes)
    return figure


FIGURE = script.PaperFigure("thompson_games", results.THOMPSON_GAMES, draw)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
