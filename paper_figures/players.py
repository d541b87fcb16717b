"""Figures of players compared on the same boards, and of puzzles."""

from __future__ import annotations

import json
from collections import Counter
from itertools import groupby, islice
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from optsearch.drawing.puzzles import draw_puzzle, picture_size
from optsearch.game import Game
from optsearch.game.names import LEVELS
from optsearch.results.tables import TABLES, Entries
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
WIDTH, GAP, ROW = 2.2, 0.12, 0.33  # inches; of a player
MIDDLE = 0.05, 0.25, 0.75, 0.95  # shares of the games where lines begin and end
SAMPLE = 10**6  # games; a player with more has played every configuration


def finished_shares(histogram: dict[int, int]) -> tuple[list[int], list[float]]:
    """Return numbers of shots, and for each the share of games that take no more."""
    total, games_finished = sum(histogram.values()), 0
    shots, shares = [min(histogram) - 1], [0.0]
    for k, games in sorted(histogram.items()):
        games_finished += games
        shots.append(k)
        shares.append(games_finished / total)
    return shots, shares


@figure(TABLES["leaderboard_shots"])
def leaderboard(source: Path) -> Figure:
    """A panel per set of rules, a row per player."""
    rows = TABLES["leaderboard_shots"].read(source)
    histograms: dict[tuple[Game, str], dict[int, int]] = {}
    for row in rows:
        histograms.setdefault((row["game"], row["strategy"]), {})[row["shots"]] = row["games"]
    games = [game for game in map(Game.parse, RULES) if any(key[0] == game for key in histograms)]
    figure = Figure(figsize=(len(games) * WIDTH, ROW * len(SHOWN)))
    for place, game in enumerate(games):
        ax = figure.add_axes((place / len(games), 0, (1 - GAP / 2) / len(games), 1))
        players = {name: histogram for (of, name), histogram in histograms.items() if of == game}
        best = best_known(players)
        for line, (start, label) in enumerate(SHOWN.items()):
            for name in [player for player in players if player.startswith(start)][:1]:
                _draw_player(ax, line, players[name], style.STRATEGIES.get(label, style.LABEL))
                if name == best:
                    at: dict[str, Any] = {"xycoords": "axes fraction", "xytext": (4, 4)}
                    style.write_note(ax, f"best known: {label}", (0, 0), **at)
        ax.set_title(RULES[str(game)])
        ax.set_xlabel("shots")
        ax.set_xlim(15, 105)
        ax.set_xticks(range(20, 101, 20))
        ax.set_yticks(range(len(SHOWN)), [] if place else SHOWN.values())
        ax.set_ylim(len(SHOWN) + 0.3, -0.6)
        ax.tick_params(axis="y", length=0)
        ax.grid(axis="x")
    style.letter_panels(*figure.axes)
    return figure


def _draw_player(ax: Axes, row: int, histogram: dict[int, int], colour: str) -> None:
    """Draw nine tenths of the games as a thin line, half of them as a thick one, and the mean."""
    shots, shares = finished_shares(histogram)
    ends = [next(k for k, share in zip(shots, shares, strict=True) if share >= q) for q in MIDDLE]
    low, lower, upper, high = ends
    ax.plot([low, high], [row] * 2, color=colour, lw=1)
    ax.plot([lower, upper], [row] * 2, color=colour, lw=4, solid_capstyle="butt")
    mean = sum(k * n for k, n in histogram.items()) / sum(histogram.values())
    ax.plot(mean, row, "o", color=colour, mfc="white", gid="mean")
    style.write_note(ax, f"{mean:.1f}", (mean, row), xytext=(0, 5), ha="center", bbox=None)


def best_known(histograms: dict[str, dict[int, int]]) -> str:
    """Return the player with the least mean, among those that played every configuration if any."""

    def mean(name: str) -> float:
        games = histograms[name]
        return sum(k * n for k, n in games.items()) / sum(games.values())

    complete = [name for name, games in histograms.items() if sum(games.values()) > SAMPLE]
    return min(complete or histograms, key=mean)


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


@figure(TABLES["thompson"], TABLES["thompson_small"], TABLES["thompson_optimistic"])
def thompson(source: Path, small: Path, optimistic: Path) -> Figure:
    """Left, distributions of shots for one ship; right, those of simulated games, by player."""
    figure = Figure(figsize=(6.5, HIGH))
    left, right = figure.add_axes((0, 0, 0.36, 1)), figure.add_axes((0.46, 0, 0.54, 1))
    _draw_small(left, TABLES["thompson_small"].read(small))
    _draw_boxed(right, TABLES["thompson"].read(source))
    _draw_means(right, TABLES["thompson_optimistic"].read(optimistic))
    style.letter_panels(left, right)
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
            color=style.STRATEGIES.get(label, style.LABEL),
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
        shots = table.column(column)
        colour = style.STRATEGIES.get(label.partition(",")[0], style.GRID)
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
        style.write_note(
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
            style.write_note(
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


@figure(TABLES["puzzles"])
def puzzles(source: Path) -> Figure:
    """The first puzzles of each level in the table, easy levels first, with their seeds."""
    by_level = sorted(TABLES["puzzles"].read(source), key=_place_of_level)
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
    style.letter_panels(*figure.axes)
    return figure
