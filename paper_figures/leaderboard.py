"""How many games are over within k shots, by player, and the differences from the best known one.

python -m paper_figures.leaderboard
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from optsearch.game import Game
from optsearch.results import tables as results
from optsearch.results.tables import LEADERBOARD_SHOTS
from paper_figures import script, style

USUAL = "10x10:5,4,3,3,2"
RULES = {
    USUAL: "not touching",
    f"{USUAL},contact=any": "touching",
    f"{USUAL},contact=any,announce=ship": "touching, sinkings told",
}
SHOWN = {
    "levels": "levels of rollouts",
    "rollout:candidates=2": "rollouts of spread",
    "spread": "spread",
    "greedy:ties=first,endgame=4": "greedy",
    "information": "information",
    "pattern:modulus=4,colours=13,scan=diagonals,clear=line,water=0": "pattern",
    "thompson": "Thompson sampling",
    "heuristic:version=5": "heuristics, version 5",
    "density": "density",
    "parity": "parity",
    "random": "random",
}
WIDTH, GAP = 2.4, 0.12  # inches
LEAST, MOST = -16, 6  # percentage points, of the differences that are shown
SAMPLE = 10**6  # games; a player of more has played every configuration


def finished(histogram: dict[int, int]) -> tuple[list[int], list[float]]:
    """Shots, and the part of the games that take no more."""
    total, done = sum(histogram.values()), 0
    shots, parts = [min(histogram) - 1], [0.0]
    for k, games in sorted(histogram.items()):
        done += games
        shots.append(k)
        parts.append(done / total)
    return shots, parts


def draw(source: Path) -> Figure:
    """A panel for each set of rules, a curve for each player."""
    rows = LEADERBOARD_SHOTS.read(source)
    histograms: dict[tuple[Game, str], dict[int, int]] = {}
    for row in rows:
        histograms.setdefault((row["game"], row["strategy"]), {})[row["shots"]] = row["games"]
    games = [game for game in map(Game.parse, RULES) if any(key[0] == game for key in histograms)]
    figure = Figure(figsize=(len(games) * WIDTH, 1.7 * style.HEIGHT))
    labelled: dict[str, Artist] = {}
    for place, game in enumerate(games):
        left, wide = place / len(games), (1 - GAP / 2) / len(games)
        ax, below = (figure.add_axes((left, low, wide, 0.46)) for low in (0.54, 0))
        here = {name: found for (of, name), found in histograms.items() if of == game}
        _curves(ax, here)
        _differences(below, here)
        ax.set_title(RULES[str(game)])
        ax.set_ylim(0, 1)
        below.set_xlabel("shots")
        for panel in (ax, below):
            panel.grid(axis="y")
            panel.set_xlim(15, 100)
            panel.set_xticks(range(20, 100, 20))
        ax.tick_params(labelbottom=False)
        handles, labels = ax.get_legend_handles_labels()
        labelled.update(zip(labels, handles, strict=True))
        if place:
            ax.tick_params(labelleft=False)
            below.tick_params(labelleft=False)
        else:
            ax.set_ylabel("part of the games finished")
            below.set_ylabel("difference from the best,\npercentage points")
        below.set_ylim(LEAST, MOST)
        below.set_yticks(range(-15, 6, 5))
    style.letters(*figure.axes[::2], *figure.axes[1::2])
    order = [label for label in SHOWN.values() if label in labelled]
    figure.legend(
        [labelled[label] for label in order],
        order,
        loc="upper center",
        bbox_to_anchor=(0.5, -0.09),
        ncols=5,
    )
    return figure


Lines = Iterator[tuple[str, dict[int, int], dict[str, Any]]]


def _lines(histograms: dict[str, dict[int, int]]) -> Lines:
    """The name of each player that is shown, its games, and how its line looks."""
    for number, (name, label) in enumerate(SHOWN.items()):
        found = next((h for full, h in histograms.items() if full.startswith(name)), None)
        if found:
            colour = style.PALETTE[number % len(style.PALETTE)]
            dashes = "-" if number < len(style.PALETTE) else "--"
            yield name, found, {"color": colour, "ls": dashes, "label": label}


def _curves(ax: Axes, histograms: dict[str, dict[int, int]]) -> None:
    for _, found, look in _lines(histograms):
        ax.step(*finished(found), where="post", **look)


def best_known(histograms: dict[str, dict[int, int]]) -> str:
    """The player of the fewest shots: of those who played every configuration, if there are any."""

    def mean(name: str) -> float:
        games = histograms[name]
        return sum(k * n for k, n in games.items()) / sum(games.values())

    whole = [name for name, games in histograms.items() if sum(games.values()) > SAMPLE]
    return min(whole or histograms, key=mean)


def _differences(ax: Axes, histograms: dict[str, dict[int, int]]) -> None:
    """By how much more or less of its games a player has finished than the best known one."""
    shots = range(15, 101)

    def done(games: dict[int, int]) -> list[float]:
        total = sum(games.values())
        return [100 * sum(n for k, n in games.items() if k <= shot) / total for shot in shots]

    known = best_known(histograms)
    most = done(histograms[known])
    for _, games, look in _lines(histograms):
        less = [own - best for own, best in zip(done(games), most, strict=True)]
        ax.step(shots, less, where="post", **look)
        if games is histograms[known]:
            text = f"best known: {look['label']}"
            style.note(ax, text, (1, 1), xycoords="axes fraction", ha="right", va="top")


FIGURE = script.PaperFigure("leaderboard", results.LEADERBOARD_SHOTS, draw)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
