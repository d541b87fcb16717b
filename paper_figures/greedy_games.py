"""Distribution of the shots that greedy takes: python -m paper_figures.greedy_games."""

import sys
from pathlib import Path

from matplotlib.figure import Figure

from optsearch import results
from paper_figures import script, style


def draw(source: Path) -> Figure:
    """How many of the games took how many shots, one outline a game."""
    rows = results.GREEDY_GAMES.read(source)
    figure, ax = style.figure(4.5, 3.2)
    for game in dict.fromkeys(row["game"] for row in rows):
        counts = {row["shots"]: row["games"] for row in rows if row["game"] == game}
        shots = range(min(counts), max(counts) + 1)
        mean = sum(n * count for n, count in counts.items()) / sum(counts.values())
        label = f"{game}\nmean of {sum(counts.values())} games {mean:.2f}"
        ax.step(shots, [counts.get(n, 0) for n in shots], where="mid", lw=1.2, label=label)
    ax.set_xlabel("shots")
    ax.set_ylabel("games")
    ax.set_ylim(0, 1.3 * max(row["games"] for row in rows))  # room for the legend
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, fontsize=7)
    return figure


FIGURE = script.PaperFigure("greedy_games", results.GREEDY_GAMES, draw)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
