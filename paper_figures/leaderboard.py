"""How many games are over within k shots, by player: python -m paper_figures.leaderboard."""

import sys
from pathlib import Path

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
    f"{USUAL};contact=any": "touching",
    f"{USUAL};contact=any;announce=ship": "touching, sinkings told",
}
SHOWN = {
    "rollout": "rollout",
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
    figure = Figure(figsize=(len(games) * WIDTH, style.HEIGHT))
    labelled: dict[str, Artist] = {}
    for place, game in enumerate(games):
        ax = figure.add_axes((place / len(games), 0, (1 - GAP / 2) / len(games), 1))
        ax.grid(axis="y")
        ax.set_title(RULES[str(game)])
        ax.set_xlabel("shots")
        _curves(ax, {name: found for (of, name), found in histograms.items() if of == game})
        handles, labels = ax.get_legend_handles_labels()
        labelled.update(zip(labels, handles, strict=True))
        if place:
            ax.set_yticklabels([])
        else:
            ax.set_ylabel("part of the games finished")
    order = [label for label in SHOWN.values() if label in labelled]
    figure.legend(
        [labelled[label] for label in order],
        order,
        loc="upper center",
        bbox_to_anchor=(0.5, -0.14),
        ncols=5,
    )
    return figure


def _curves(ax: Axes, histograms: dict[str, dict[int, int]]) -> None:
    for number, (name, label) in enumerate(SHOWN.items()):
        found = next((h for full, h in histograms.items() if full.startswith(name)), None)
        if found:
            colour = style.PALETTE[number % len(style.PALETTE)]
            dashes = "-" if number < len(style.PALETTE) else "--"
            ax.step(*finished(found), where="post", color=colour, ls=dashes, label=label)
    ax.set_xlim(15, 100)
    ax.set_xticks(range(20, 100, 20))
    ax.set_ylim(0, 1)


FIGURE = script.PaperFigure("leaderboard", results.LEADERBOARD_SHOTS, draw)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
