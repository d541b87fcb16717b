"""What the border of a board is worth: python -m paper_figures.borders."""

import sys
from pathlib import Path

from matplotlib.figure import Figure

from optsearch.game import Game
from optsearch.results import tables as results
from paper_figures import script, style

NAMES = {
    "rectangle": "rectangle",
    "cylinder": "cylinder: columns wrap",
    "torus": "torus: rows wrap too",
    "hex": "hexagons",
}
WIDE, HIGH, GAP = 1.5, 0.34, 0.15  # inches: a panel, a fleet, between panels
APART = 0.18  # of the marks of one fleet, in rows


def _size(game: Game) -> str:
    return f"{game.rows} × {game.columns}"


def _fleet(game: Game) -> str:
    return ", ".join(map(str, game.fleet))


def draw(source: Path) -> Figure:
    """A panel for each size, a row for each fleet; a mark at the least mean of each board."""
    table = results.BOARDS.read(source)
    fleets = list(dict.fromkeys(_fleet(row["game"]) for row in table))
    sizes = list(dict.fromkeys(_size(row["game"]) for row in table))
    wide, high = len(sizes) * (WIDE + GAP), HIGH * len(fleets)
    figure = Figure(figsize=(wide, high))
    for number, size in enumerate(sizes):
        ax = figure.add_axes((number * (WIDE + GAP) / wide, 0, WIDE / wide, 1))
        shown = [row for row in table if _size(row["game"]) == size]
        for place in range(1, len(fleets)):
            ax.axhline(place - 0.5, color=style.GRID, lw=0.5, zorder=1)
        for i, (board, name) in enumerate(NAMES.items()):
            rows = [row for row in shown if row["board"] == board]
            heights = [
                fleets.index(_fleet(row["game"])) + (i + 0.5 - len(NAMES) / 2) * APART
                for row in rows
            ]
            means = [row["mean"] for row in rows]
            ax.plot(
                *(means, heights, style.MARKS[i]), color=style.PALETTE[i], label=name, gid=board
            )
        ax.set_title(size)
        ax.set_ylim(len(fleets) - 0.5, -0.5)
        ax.set_yticks(range(len(fleets)), fleets)
        ax.tick_params(axis="y", length=0, labelleft=number == 0)
        ax.grid(axis="x")
        ax.set_xlabel("mean shots")
    figure.axes[0].set_ylabel("fleet")
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.axes[0].legend(
        *(handles, labels), loc="lower left", bbox_to_anchor=(0, 1.12), ncols=len(NAMES)
    )
    style.letters(*figure.axes)
    return figure


FIGURE = script.PaperFigure("borders", results.BOARDS, draw)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
