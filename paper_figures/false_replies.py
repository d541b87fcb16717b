"""What false replies cost two players: python -m paper_figures.false_replies."""

import sys
from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator

from optsearch.results import tables as results
from paper_figures import script, style

NAMES = {"greedy": "exact greedy", "thompson": "Thompson sampling of the exact posterior"}

APART = 0.25  # percent, so that neither mark hides the other


def draw(source: Path) -> Figure:
    """Mean shots with their standard errors, by how many replies are false."""
    table = results.FALSE_REPLIES.read(source)
    figure = Figure(figsize=(style.WIDTH, style.HEIGHT))
    ax = figure.add_axes((0, 0, 1, 1))
    for i, (kind, name) in enumerate(NAMES.items()):
        rows = [row for row in table if row["strategy"].partition(":")[0] == kind]
        ax.errorbar(
            [row["percent"] + APART * (i - 0.5) for row in rows],
            [row["mean"] for row in rows],
            yerr=[row["standard_error"] for row in rows],
            color=style.PALETTE[i],
            marker=style.MARKS[i],
            label=name,
            capsize=2,
        )
    ax.set_xlabel("replies that are false, percent")
    ax.set_ylabel("mean shots")
    ax.yaxis.set_major_locator(MultipleLocator(5))
    ax.grid(axis="y")
    ax.set_xticks(sorted({row["percent"] for row in table}))
    ax.legend()
    return figure


FIGURE = script.PaperFigure("false_replies", results.FALSE_REPLIES, draw)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
