"""What the optimum misses, against the number of configurations: python -m paper_figures.optima."""

import sys
from pathlib import Path

from matplotlib.figure import Figure

from optsearch.game import Game
from optsearch.results import tables as results
from paper_figures import script, style

PANELS = {"one ship": range(1, 2), "two ships": range(2, 3), "three ships and more": range(3, 100)}


def shown(source: Path | None = None) -> list[tuple[Game, int, float, float]]:
    """Of each game its configurations, the optimum, and the bound by leaf counting.

    Without games of one configuration and of ships of length 1, and boards with one row.
    """
    return [
        (row["game"], row["configurations"], row["mean"], row["leaf_counting"])
        for row in results.OPTIMA.read(source)
        if row["configurations"] > 1 and max(row["game"].fleet) > 1 and row["game"].rows > 1
    ]


def draw(source: Path) -> Figure:
    """Misses of an optimal strategy on average, a panel for each number of ships, a dot a game.

    A thin line goes down to what leaf counting proves without a search. The highest dot has its
    name.
    """
    rows = shown(source)
    figure = Figure(figsize=(2.2, 2.9))
    top = max((mean - sum(game.fleet) for game, _, mean, _ in rows), default=1)
    for number, (title, ships) in enumerate(PANELS.items()):
        ax = figure.add_axes((number * 1.1, 0, 1, 1))
        some = [row for row in rows if len(row[0].fleet) in ships]
        games, configurations, means, bounds = zip(*some, strict=True) if some else ((),) * 4
        hits = [sum(game.fleet) for game in games]
        misses = [mean - k for mean, k in zip(means, hits, strict=True)]
        counted = [bound - k for bound, k in zip(bounds, hits, strict=True)]
        ax.vlines(configurations, counted, misses, color=style.GRID, lw=0.8, zorder=1)
        ax.plot(
            *(configurations, counted, "_"),
            color=style.LABEL,
            ms=4,
            label="leaf counting: at least",
        )
        ax.plot(configurations, misses, "o", color=style.BLUE, ms=3, label="optimum")
        if some:
            highest = misses.index(max(misses))
            at = (configurations[highest], misses[highest])
            style.note(ax, str(games[highest]), at, xytext=(4, 5), ha="right")
        ax.set_title(title)
        ax.set_xscale("log")
        ax.set_xlabel("configurations")
        ax.set_ylim(0, 1.08 * top)
        ax.grid(axis="y")
        if number:
            ax.tick_params(labelleft=False)
    figure.axes[0].set_ylabel("misses, on average")
    figure.axes[-1].legend(loc="upper left")
    style.letters(*figure.axes)
    return figure


FIGURE = script.PaperFigure("optima", results.OPTIMA, draw)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
