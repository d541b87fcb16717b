"""Figures of players compared on the same boards, and of puzzles."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import groupby, islice
from pathlib import Path
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from optsearch.drawing.puzzles import draw_puzzle, picture_size
from optsearch.game import Game
from optsearch.game.names import LEVELS
from optsearch.results.tables import (
    LEADERBOARD_SHOTS,
    PUZZLES,
    THOMPSON,
    THOMPSON_OPTIMISTIC,
    THOMPSON_SMALL,
    Entries,
)
from optsearch.solitaire.formats import from_fields
from paper_figures import style
from paper_figures.registry import figure

PAPER = "10x10:5,4,3,3,2"
RULES = {
    PAPER: "the paper's game",
    f"{PAPER},contact=any": "ships may touch",
    f"{PAPER},contact=any,announce=ship": "the boxed game",
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
MARKS = "os^Dv*Xp<>h"
WIDTH, GAP = 2.4, 0.12  # inches
LEAST, MOST = -16, 6  # percentage points, ends of the axis of differences
SAMPLE = 10**6  # games; a player with more has played every configuration


def finished(histogram: dict[int, int]) -> tuple[list[int], list[float]]:
    """Return numbers of shots, and for each the share of games that take no more."""
    total, games_finished = sum(histogram.values()), 0
    shots, shares = [min(histogram) - 1], [0.0]
    for k, games in sorted(histogram.items()):
        games_finished += games
        shots.append(k)
        shares.append(games_finished / total)
    return shots, shares


@figure(LEADERBOARD_SHOTS)
def leaderboard(source: Path) -> Figure:
    """A panel per set of rules, a curve per player."""
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
        players = {name: histogram for (of, name), histogram in histograms.items() if of == game}
        for _, histogram, look in _lines(players):
            ax.step(*finished(histogram), where="post", **look)
        _differences(below, players)
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
            ax.set_ylabel("share of games finished")
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
    """Yield for each player of SHOWN its full name, its histogram and the style of its line."""
    for number, (name, label) in enumerate(SHOWN.items()):
        histogram = next((h for full, h in histograms.items() if full.startswith(name)), None)
        if histogram:
            colour = style.PALETTE[number % len(style.PALETTE)]
            dashes = "-" if number < len(style.PALETTE) else "--"
            look = {"color": colour, "ls": dashes, "label": label, "lw": 1, "ms": 3}
            look |= {"marker": MARKS[number], "markevery": (number, len(SHOWN))}
            yield name, histogram, look


def best_known(histograms: dict[str, dict[int, int]]) -> str:
    """Return the player with the least mean, among those that played every configuration if any."""

    def mean(name: str) -> float:
        games = histograms[name]
        return sum(k * n for k, n in games.items()) / sum(games.values())

    complete = [name for name, games in histograms.items() if sum(games.values()) > SAMPLE]
    return min(complete or histograms, key=mean)


def _differences(ax: Axes, histograms: dict[str, dict[int, int]]) -> None:
    """Draw the share of games finished less that of the best player, in percentage points."""
    shots = range(15, 101)

    def percents(games: dict[int, int]) -> list[float]:
        total = sum(games.values())
        return [100 * sum(n for k, n in games.items() if k <= shot) / total for shot in shots]

    best = best_known(histograms)
    best_shares = percents(histograms[best])
    for _, games, look in _lines(histograms):
        shares = percents(games)
        differences = [share - most for share, most in zip(shares, best_shares, strict=True)]
        ax.step(shots, differences, where="post", **look)
        if games is histograms[best]:
            text = f"best known: {look['label']}"
            style.note(ax, text, (1, 1), xycoords="axes fraction", ha="right", va="top")


GRID = "5x5:3"
ONE_SHIP: dict[str, tuple[str, Any]] = {
    "random": ("random", ":"),
    "near optimal": ("grid", "-."),
    "Thompson": ("greedy:endgame=0", "-"),
    "optimal": ("optimal", "--"),
}
OF_THE_POST = {
    "random": "random",
    "Thompson, 1,000 samples": "thompson_1000",
    "Thompson, as printed": "thompson",
    "all that is heard": "whole",
    "exact greedy": "greedy",
}
BIN = 2  # shots
HIGH = 3.4  # inches


@figure(THOMPSON, THOMPSON_SMALL, THOMPSON_OPTIMISTIC)
def thompson(source: Path, small: Path, optimistic: Path) -> Figure:
    """Left, distributions of shots for one ship; right, those of simulated games, by player."""
    figure = Figure(figsize=(6.5, HIGH))
    left, right = figure.add_axes((0, 0, 0.36, 1)), figure.add_axes((0.46, 0, 0.54, 1))
    _draw_small(left, THOMPSON_SMALL.read(small))
    _draw_boxed(right, THOMPSON.read(source))
    _draw_means(right, THOMPSON_OPTIMISTIC.read(optimistic))
    style.letters(left, right)
    return figure


def _draw_small(ax: Axes, table: Entries) -> None:
    rows = [row for row in table if str(row["game"]) == GRID]
    for mark, (label, (player, dashes)) in zip(style.MARKS, ONE_SHIP.items(), strict=False):
        chances = {row["shots"]: row["probability"] for row in rows if row["player"] == player}
        mean = float(sum(shots * p for shots, p in chances.items()))
        percent = [100 * float(p) for p in chances.values()]
        ax.plot(
            *(list(chances), percent),
            ls=dashes,
            marker=mark,
            ms=3,
            label=f"{label}, mean {mean:.1f}",
        )
    ax.set_title(GRID)
    ax.set_ylabel("percent of the configurations")
    ax.set_xlabel("shots")
    ax.set_ylim(0, 25)  # the legend is above the curves
    ax.grid(axis="y")
    ax.legend(loc="upper right")


def _draw_boxed(ax: Axes, table: Entries) -> None:
    """Draw the distribution of each player as steps on its own line, with its mean."""
    for number, (label, column) in enumerate(OF_THE_POST.items()):
        shots, colour = table.column(column), style.PALETTE[number]
        bins = Counter((n - 1) // BIN for n in shots)
        edges = range(min(bins), max(bins) + 2)
        high = 0.8 / max(bins.values())
        heights = [bins[i] * high - number for i in edges]
        places = [BIN * i + 0.5 for i in edges]
        ax.fill_between(places, heights, -number, step="post", color=colour, alpha=0.25, lw=0)
        ax.step(places, heights, where="post", color=colour, lw=1)
        ax.axhline(-number, color=style.GRID, lw=0.5, zorder=0)
        mean = sum(shots) / len(shots)
        ax.plot(mean, -number, "o", color=colour, ms=4, gid="mean")
        is_left = mean > 80
        style.note(
            ax,
            f"{label}\nmean {mean:.1f}",
            (min(shots) - 1, -number) if is_left else (max(shots) + 2, -number),
            xytext=(0, 4),
            ha="right" if is_left else "left",
            color=style.INK,
            bbox=None,
        )
    ax.set_title("the boxed game")
    ax.set_xlabel("shots")
    ax.set_xlim(15, 110)
    ax.set_yticks([])
    ax.set_ylim(0.1 - len(OF_THE_POST), 1.45)
    ax.spines["left"].set_visible(False)


def _draw_means(ax: Axes, table: Entries) -> None:
    """Draw the optimistic means, printed and corrected, as lines named above the distributions."""
    outer = {
        "corrected": min((float(value) for value in table.column("corrected")), default=0),
        "printed": max((float(value) for value in table.column("printed")), default=0),
    }
    for number, row in enumerate(table):
        high = 1.2 - 0.3 * number
        for kind, dashes, aside in (("printed", "--", 1), ("corrected", ":", -1)):
            value = float(row[kind])
            ax.axvline(value, color=style.INK, lw=0.9, ls=dashes, gid=kind)
            name = f"{row['name']} " if aside > 0 else ""
            style.note(
                ax,
                f"{kind} {value:.2f}" if aside < 0 else f"{value:.2f} {name}as {kind}",
                (outer[kind], high),
                xytext=(3 * aside, 0),
                ha="left" if aside > 0 else "right",
                color=style.INK,
                gid="optimistic",
            )


ACROSS, OF_A_LEVEL = 3, 2
CELL, GAP = 0.17, 0.34  # inches


def _place_of_level(row: dict[str, Any]) -> int:
    return LEVELS.index(row["level"]) if row["level"] in LEVELS else len(LEVELS)


@figure(PUZZLES)
def puzzles(source: Path) -> Figure:
    """The first puzzles of each level in the table, easy levels first, with their seeds."""
    by_level = sorted(PUZZLES.read(source), key=_place_of_level)
    rows = [
        row for _, level in groupby(by_level, _place_of_level) for row in islice(level, OF_A_LEVEL)
    ]
    drawn = [from_fields(json.loads(row["puzzle"])) for row in rows]
    sizes = [picture_size(puzzle, CELL) for puzzle in drawn]
    width = max(size[0] for size in sizes) + GAP
    height = max(size[1] for size in sizes) + GAP
    down = -(-len(drawn) // ACROSS)
    figure = Figure(figsize=(ACROSS * width, down * height))
    for i, (row, puzzle, (wide, high)) in enumerate(zip(rows, drawn, sizes, strict=True)):
        left = i % ACROSS / ACROSS
        bottom = 1 - (i // ACROSS + high / height) / down
        box = (
            left,
            bottom - 0.3 / (down * height),
            wide / (ACROSS * width),
            high / (down * height),
        )
        ax = figure.add_axes(box)
        draw_puzzle(ax, puzzle)
        title = f"seed {row['seed']}, {row['clues']} clues, {row['level']}"
        ax.set_title(title, fontsize=style.SMALL)
    style.letters(*figure.axes)
    return figure
