"""What a hider gains in practice: python -m paper_figures.hiders."""

import sys
from pathlib import Path

from matplotlib.figure import Figure

from optsearch.game.names import in_words
from optsearch.results import tables as results
from paper_figures import script, style


def draw(source: Path) -> Figure:
    """A line for each way to hide on the usual board: shots more than against the uniform hider.

    The bars are two standard errors, of both means together.
    """
    table = results.HIDERS.read(source)
    rows = [row for row in table if row["game"].contact == "none"]
    hiders = list(dict.fromkeys(row["hider"] for row in rows if row["hider"] != "uniform"))
    players = list(dict.fromkeys(row["strategy"] for row in rows))
    errors = {r["strategy"]: r["standard_error"] for r in rows if r["hider"] == "uniform"}
    figure, ax = style.figure(style.WIDTH, 0.5 * max(1, len(hiders)))
    for number, player in enumerate(players):
        shown = [row for row in rows if row["strategy"] == player and row["hider"] != "uniform"]
        places = [
            hiders.index(row["hider"]) + 0.16 * (number - (len(players) - 1) / 2) for row in shown
        ]
        bars = [2 * (row["standard_error"] ** 2 + errors[player] ** 2) ** 0.5 for row in shown]
        ax.errorbar(
            [row["difference"] for row in shown],
            places,
            xerr=bars,
            fmt=style.MARKS[number],
            color=style.PALETTE[number],
            lw=0.8,
            label=in_words(player),
        )
    ax.axvline(0, color=style.LABEL, lw=0.8, zorder=1)
    ax.set_yticks(range(len(hiders)), hiders)
    ax.invert_yaxis()
    ax.grid(axis="x")
    ax.set_xlabel("shots more than against ships drawn uniformly")
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.18))
    return figure


FIGURE = script.PaperFigure("hiders", results.HIDERS, draw)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
