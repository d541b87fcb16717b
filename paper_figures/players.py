"""Figures of players compared on the same boards, and of puzzles."""

from __future__ import annotations

import json
from bisect import bisect_left
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
WIDTH, GAP, ROW = 2.2, 0.34, 0.33  # inches; of a player
QUANTILE_SHARES = 0.05, 0.25, 0.75, 0.95  # shares of the games where lines begin and end
MOST_SAMPLED_GAMES = 10**6  # games; a player with more has played every configuration


def finished_shares(histogram: dict[int, int]) -> tuple[list[int], list[float]]:
    """Return numbers of shots, ascending, and for each the share of games that take no more.

    The first share is 0. histogram -- the number of games for each number of shots.
    """
    game_count, games_finished = sum(histogram.values()), 0
    shot_counts, shares = [min(histogram) - 1], [0.0]
    for shots, games in sorted(histogram.items()):
        games_finished += games
        shot_counts.append(shots)
        shares.append(games_finished / game_count)
    return shot_counts, shares


def _mean_shots(histogram: dict[int, int]) -> float:
    """Return the mean of a histogram: the number of games for each number of shots."""
    return sum(shots * games for shots, games in histogram.items()) / sum(histogram.values())


@figure(TABLES["leaderboard_shots"])
def leaderboard(source: Path) -> Figure:
    """Draw a panel per set of rules, and in it a row per player."""
    histograms: dict[Game, dict[str, dict[int, int]]] = {}  # by game and player
    for row in TABLES["leaderboard_shots"].read(source):
        histogram_by_player = histograms.setdefault(row["game"], {})
        histogram_by_player.setdefault(row["strategy"], {})[row["shots"]] = row["games"]
    games = [game for game in map(Game.parse, RULES) if game in histograms]
    figure = Figure(figsize=(len(games) * WIDTH, ROW * len(SHOWN)))
    for panel_index, game in enumerate(games):
        ax = figure.add_axes((panel_index / len(games), 0, (1 - GAP / 2) / len(games), 1))
        histogram_by_player = histograms[game]
        best_player = best_known(histogram_by_player)
        for y, (name_start, label) in enumerate(SHOWN.items()):
            player = next(
                (player for player in histogram_by_player if player.startswith(name_start)), None
            )
            if player is None:
                continue
            colour = style.STRATEGIES.get(label, style.LABEL)
            _draw_player(ax, histogram_by_player[player], y, colour)
            if player == best_player:
                corner_style: dict[str, Any] = {"xycoords": "axes fraction", "xytext": (4, 4)}
                style.write_note(ax, f"best known: {label}", (0, 0), **corner_style)
        ax.set_title(RULES[str(game)])
        ax.set_xlabel("shots")
        ax.set_xlim(15, 105)
        ax.set_xticks(range(20, 101, 20))
        ax.set_yticks(range(len(SHOWN)), [] if panel_index else SHOWN.values())
        ax.set_ylim(len(SHOWN) + 0.3, -0.6)
        ax.tick_params(axis="y", length=0)
        ax.grid(axis="x")
    style.letter_panels(*figure.axes)
    return figure


def _draw_player(ax: Axes, histogram: dict[int, int], y: int, colour: str) -> None:
    """Draw the middle games of a player: nine tenths as a thin line, half as a thick one.

    A circle marks the mean, with its value.
    """
    shots, shares = finished_shares(histogram)
    quantiles = [shots[bisect_left(shares, share)] for share in QUANTILE_SHARES]
    thin_start, thick_start, thick_end, thin_end = quantiles
    ax.plot([thin_start, thin_end], [y] * 2, color=colour, lw=1)
    ax.plot([thick_start, thick_end], [y] * 2, color=colour, lw=4, solid_capstyle="butt")
    mean = _mean_shots(histogram)
    ax.plot(mean, y, "o", color=colour, mfc="white", gid="mean")
    style.write_note(ax, f"{mean:.1f}", (mean, y), xytext=(0, 5), ha="center", bbox=None)


def best_known(histograms: dict[str, dict[int, int]]) -> str:
    """Return the player with the least mean, if possible of those with every configuration played.

    These have more than MOST_SAMPLED_GAMES games. histograms -- for each player, the number of
    games for each number of shots.
    """
    complete = [
        name for name, games in histograms.items() if sum(games.values()) > MOST_SAMPLED_GAMES
    ]
    return min(complete or histograms, key=lambda name: _mean_shots(histograms[name]))


ONE_SHIP_GAME = "5x5:3"
ONE_SHIP: dict[str, tuple[str, Any]] = {  # label -> name in the table, dashes
    "random": ("random", ":"),
    "near optimal": ("grid", "-."),
    "Thompson": ("greedy:endgame=0", "-"),
    "optimal": ("optimal", "--"),
}
PLAYERS_OF_THE_POST = {  # label -> column of the table
    "random": "random",
    "Thompson, 1,000 samples": "thompson_1000",
    "Thompson, as printed": "thompson",
    "all that is heard": "whole",
    "exact greedy": "greedy",
}
SHOTS_PER_BIN = 2  # shots
AXES_HEIGHT = 3.4  # inches


@figure(TABLES["thompson"], TABLES["thompson_small"], TABLES["thompson_optimistic"])
def thompson(source: Path, small: Path, optimistic: Path) -> Figure:
    """Draw distributions of shots: of one ship on a small board, and beside it of simulations."""
    figure = Figure(figsize=(6.5, AXES_HEIGHT))
    left_axes, right_axes = figure.add_axes((0, 0, 0.36, 1)), figure.add_axes((0.46, 0, 0.54, 1))
    _draw_one_ship(left_axes, TABLES["thompson_small"].read(small))
    _draw_boxed_game(right_axes, TABLES["thompson"].read(source))
    _draw_optimistic_means(right_axes, TABLES["thompson_optimistic"].read(optimistic))
    style.letter_panels(left_axes, right_axes)
    return figure


def _draw_one_ship(ax: Axes, table: Entries) -> None:
    """Draw the exact distribution of shots of each player in ONE_SHIP, with its mean."""
    rows = [row for row in table if str(row["game"]) == ONE_SHIP_GAME]
    for marker, (label, (player, dashes)) in zip(style.MARKS, ONE_SHIP.items(), strict=False):
        probabilities = {
            row["shots"]: row["probability"] for row in rows if row["player"] == player
        }
        mean = float(sum(shots * probability for shots, probability in probabilities.items()))
        percents = [100 * float(probability) for probability in probabilities.values()]
        ax.plot(
            list(probabilities),
            percents,
            ls=dashes,
            marker=marker,
            ms=3,
            color=style.STRATEGIES.get(label, style.LABEL),
            label=f"{label}, mean {mean:.1f}",
        )
    ax.set_title(ONE_SHIP_GAME)
    ax.set_ylabel("percent of the configurations")
    ax.set_xlabel("shots")
    ax.set_ylim(0, 25)  # the legend is above the curves
    ax.grid(axis="y")
    ax.legend(loc="upper right")


def _draw_boxed_game(ax: Axes, table: Entries) -> None:
    """Draw the distribution of each player as steps on its own line, with its mean.

    The lines are at y = 0, -1, -2 and so on. The label is beside the distribution.
    """
    for line_index, (label, column) in enumerate(PLAYERS_OF_THE_POST.items()):
        base_y = -line_index
        shots = table.column(column)
        colour = style.STRATEGIES.get(label.partition(",")[0], style.GRID)
        games_by_bin = Counter((shot_count - 1) // SHOTS_PER_BIN for shot_count in shots)
        # One bin more than there are, so that the steps come down again.
        bins = range(min(games_by_bin), max(games_by_bin) + 2)
        height_of_game = 0.8 / max(games_by_bin.values())
        y = [games_by_bin[bin_index] * height_of_game + base_y for bin_index in bins]
        x = [SHOTS_PER_BIN * bin_index + 0.5 for bin_index in bins]
        ax.fill_between(x, y, base_y, step="post", color=colour, alpha=0.25, lw=0)
        ax.step(x, y, where="post", color=colour, lw=1)
        ax.axhline(base_y, color=style.GRID, lw=0.5, zorder=0)
        mean = sum(shots) / len(shots)
        ax.plot(mean, base_y, "o", color=colour, ms=4, gid="mean")
        is_label_left = mean > 80
        style.write_note(
            ax,
            f"{label}\nmean {mean:.1f}",
            (min(shots) - 1, base_y) if is_label_left else (max(shots) + 2, base_y),
            xytext=(0, 4),
            ha="right" if is_label_left else "left",
            color=style.INK,
            bbox=None,
        )
    ax.set_title("the boxed game")
    ax.set_xlabel("shots")
    ax.set_xlim(15, 110)
    ax.set_yticks([])
    ax.set_ylim(0.1 - len(PLAYERS_OF_THE_POST), 1.45)
    ax.spines["left"].set_visible(False)


def _draw_optimistic_means(ax: Axes, table: Entries) -> None:
    """Draw the optimistic means, printed and corrected, as lines named above the distributions.

    Printed means are named to the right of all lines, corrected ones to the left.
    """
    leftmost = min((float(value) for value in table.column("corrected")), default=0)
    rightmost = max((float(value) for value in table.column("printed")), default=0)
    text_style: dict[str, Any] = {"color": style.INK, "gid": "optimistic"}
    for i, row in enumerate(table):
        y = 1.2 - 0.3 * i
        printed, corrected = float(row["printed"]), float(row["corrected"])
        ax.axvline(printed, color=style.INK, lw=0.9, ls="--", gid="printed")
        text = f"{printed:.2f} {row['name']} as printed"
        style.write_note(ax, text, (rightmost, y), xytext=(3, 0), ha="left", **text_style)
        ax.axvline(corrected, color=style.INK, lw=0.9, ls=":", gid="corrected")
        text = f"corrected {corrected:.2f}"
        style.write_note(ax, text, (leftmost, y), xytext=(-3, 0), ha="right", **text_style)


ACROSS, PUZZLES_PER_LEVEL = 3, 2  # puzzles side by side, and of each level
CELL, PUZZLE_GAP = 0.17, 0.34  # inches


def _difficulty(row: dict[str, Any]) -> int:
    """Return the index of the level of a puzzle, the easiest first; an unknown one is last."""
    return LEVELS.index(row["level"]) if row["level"] in LEVELS else len(LEVELS)


@figure(TABLES["puzzles"])
def puzzles(source: Path) -> Figure:
    """Draw the first puzzles of each level in the table, easy levels first, with their seeds."""
    entries = sorted(TABLES["puzzles"].read(source), key=_difficulty)
    chosen_entries = [
        entry
        for _, entries_of_level in groupby(entries, _difficulty)
        for entry in islice(entries_of_level, PUZZLES_PER_LEVEL)
    ]
    drawn_puzzles = [from_fields(json.loads(entry["puzzle"])) for entry in chosen_entries]
    sizes = [picture_size(puzzle, CELL) for puzzle in drawn_puzzles]
    column_width = max(width for width, _ in sizes) + PUZZLE_GAP
    row_height = max(height for _, height in sizes) + PUZZLE_GAP
    rows = -(-len(drawn_puzzles) // ACROSS)  # rounded up
    figure_width, figure_height = ACROSS * column_width, rows * row_height
    figure = Figure(figsize=(figure_width, figure_height))
    for i, (entry, puzzle, (width, height)) in enumerate(
        zip(chosen_entries, drawn_puzzles, sizes, strict=True)
    ):
        row, column = divmod(i, ACROSS)
        bottom = 1 - (row + height / row_height) / rows - 0.3 / figure_height
        box = column / ACROSS, bottom, width / figure_width, height / figure_height
        ax = figure.add_axes(box)
        draw_puzzle(ax, puzzle)
        title = f"seed {entry['seed']}, {entry['clues']} clues, {entry['level']}"
        ax.set_title(title, fontsize=style.SMALL)
    style.letter_panels(*figure.axes)
    return figure
