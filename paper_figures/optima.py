"""The optimum against the size of the board, by fleet: python -m paper_figures.optima."""

import sys
from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from optsearch import results
from paper_figures import script

PANELS = {"one ship": range(1, 2), "two ships": range(2, 3), "three and more": range(3, 100)}
LEAST = 3  # boards of a line
MARKS = "osD^vP*X"  # no more lines in a panel: the fleets with the most boards


def draw(source: Path) -> Figure:
    """The mean of an optimal strategy against the cells, a panel for each number of ships.

    One line a fleet, over boards of n × n and n × (n + 1) cells, or over all where these are few;
    dashed and faint: leaf counting. Ships of length 1 are left out: (cells + 1) / 2.
    """
    fleets: dict[tuple[int, ...], list[tuple[int, float, float]]] = {}
    square: dict[tuple[int, ...], list[tuple[int, float, float]]] = {}
    for row in results.OPTIMA.read(source):
        game = row["game"]
        point = (game.cells, row["mean"], row["leaf_counting"])
        fleets.setdefault(game.fleet, []).append(point)
        if abs(game.columns - game.rows) <= 1:
            square.setdefault(game.fleet, []).append(point)
    fleets |= {fleet: points for fleet, points in square.items() if len(points) >= LEAST}
    fleets.pop((1,), None)
    figure = Figure(figsize=(3, 3.4))
    for number, (title, ships) in enumerate(PANELS.items()):
        ax = figure.add_axes((number * 1.12, 0, 1, 1))
        enough = [f for f in fleets if len(f) in ships and len(fleets[f]) >= LEAST]
        drawn = sorted(sorted(enough, key=lambda f: (-len(fleets[f]), -len(f)))[: len(MARKS)])
        for fleet, mark in zip(drawn, MARKS, strict=False):
            cells, means, bounds = zip(*sorted(fleets[fleet]), strict=True)
            (line,) = ax.plot(
                cells, means, marker=mark, ms=3.5, lw=1, label=",".join(map(str, fleet))
            )
            ax.plot(cells, bounds, ls="--", lw=0.8, color=line.get_color(), alpha=0.35)
        ax.set_title(title)
        ax.set_xlabel("cells")
        ax.xaxis.set_major_locator(MaxNLocator(6, integer=True))
        ax.yaxis.set_major_locator(MaxNLocator(8, integer=True))
        ax.grid(axis="y", lw=0.4)
        ax.spines[["top", "right"]].set_visible(False)
        if drawn:
            ax.legend(fontsize=7, title="lengths", title_fontsize=7, framealpha=0.9)
    figure.axes[0].set_ylabel("least mean number of shots")
    return figure


FIGURE = script.PaperFigure("optima", results.OPTIMA, draw)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
