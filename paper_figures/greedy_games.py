"""Distribution of the shots that greedy takes: python -m paper_figures.greedy_games."""

import sys
from pathlib import Path

from matplotlib.figure import Figure

from optsearch.results import tables as results
from paper_figures import script, style


def mean_of(counts: dict[int, int]) -> float:
    """The mean of a distribution."""
    return sum(shots * n for shots, n in counts.items()) / sum(counts.values())


def draw(source: Path, evaluation: Path) -> Figure:
    """Simulated games as steps, one outline a game; the exact distribution as a line with dots."""
    rows = results.GREEDY_GAMES.read(source)
    exact = results.EVALUATION.read(evaluation)
    figure, ax = style.curves(height=3.1)
    for game in dict.fromkeys(row["game"] for row in rows):
        counts = {row["shots"]: row["games"] for row in rows if row["game"] == game}
        games = sum(counts.values())
        shots = range(min(counts), max(counts) + 1)
        (steps,) = ax.step(
            shots,
            [100 * counts.get(n, 0) / games for n in shots],
            where="mid",
            lw=0.9,
            alpha=0.75,
            label=f"{game}\n{games:,} games at random, mean {mean_of(counts):.2f}",
        )
        if str(game) == exact.header["game"]:
            found = {row["shots"]: row["configurations"] for row in exact}
            every = sum(found.values())
            ax.plot(
                list(found),
                [100 * n / every for n in found.values()],
                color=steps.get_color(),
                marker="o",
                ms=2.5,
                label=f"all {every:,} configurations, mean {mean_of(found):.4f}",
                gid="exact",
            )
    ax.set_xlabel("shots")
    ax.set_ylabel("games, percent")
    ax.set_ylim(0, 1.55 * ax.dataLim.ymax)  # room for the legend
    ax.legend(loc="upper left")
    return figure


FIGURE = script.PaperFigure(
    "greedy_games", results.GREEDY_GAMES, draw, also=((results.EVALUATION, "greedy"),)
)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
