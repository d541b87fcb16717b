"""Posteriors of a game of Thompson sampling: python -m paper_figures.thompson_posterior.

Above as sampled, below exactly, in percent; thompson_posterior.gif has them shot by shot.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from matplotlib.figure import Figure

from optsearch.game import Game
from optsearch.game.position import Position
from optsearch.results import tables as results
from paper_figures import script, style

PANELS = 3
SIZE, GAP = 2.9, 0.4  # inches, of a board of a frame
ROWS = ("sampled", "exact")


def draw(source: Path) -> Figure:
    """A column for each of some positions of the game."""
    found = list(_positions(results.THOMPSON_POSTERIOR.read(source)))
    chosen = [found[i * (len(found) - 1) // PANELS] for i in range(1, PANELS + 1)]
    return script.boards_in_pairs(chosen, ROWS)


def frames(source: Path) -> Iterator[Figure]:
    """A picture for each number of shots: what is sampled on the left, what is exact beside it."""
    for title, before, *matrices in _positions(results.THOMPSON_POSTERIOR.read(source)):
        figure = Figure(figsize=(2 * (SIZE + GAP), SIZE + 0.7))
        wide, high = figure.get_size_inches()
        for column, (name, matrix) in enumerate(zip(ROWS, matrices, strict=True)):
            left = (column * (SIZE + GAP) + 0.3) / wide
            ax = figure.add_axes((left, 0.1 / high, SIZE / wide, SIZE / high))
            script.draw_percent(ax, before, matrix)
            ax.set_title(name, pad=14)
        figure.text(0.5, 0.99, title, ha="center", va="top", color=style.INK)
        yield figure


def _positions(table: results.Entries) -> Iterator[script.Pair]:
    end = Position.parse(Game.parse(table.header["game"]), table.header["position"])
    for number in sorted(set(table.column("shots"))):
        rows = [row for row in table if row["shots"] == number]
        sampled, exact = (script.matrix(table, [r[name] for r in rows], rows) for name in ROWS)
        title = f"after {number} shot{'s' * (number != 1)}"
        yield title, Position(end.game, end.shots[:number]), sampled, exact


FIGURE = script.PaperFigure("thompson_posterior", results.THOMPSON_POSTERIOR, draw, frames=frames)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
