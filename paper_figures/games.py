"""Figures of games: numbers of configurations, optima, losses of greedy, boards, replies."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from optsearch.drawing.boards import board_size, draw_board, draw_probability, draw_ships
from optsearch.game import Game
from optsearch.game.position import Position
from optsearch.results.tables import TABLES
from paper_figures import style
from paper_figures.paper import grid_values
from paper_figures.registry import figure

CONTACTS = {"none": "may not touch", "corner": "only at corners", "any": "may touch"}


@figure(TABLES["growth"])
def growth(source: Path) -> Figure:
    """Configurations against the side of the board, on a logarithmic scale, by contact rule.

    A board without any configuration has an open mark on the axis.
    """
    table = TABLES["growth"].read(source)
    figure, ax = style.curve_panel()
    ax.set_yscale("log")
    empty = []
    for i, (contact, name) in enumerate(CONTACTS.items()):
        rows = [row for row in table if row["contact"] == contact]
        points = [(row["size"], row["configurations"]) for row in rows if row["configurations"]]
        ax.plot(*zip(*points, strict=True), marker=style.MARKS[i], label=name)
        empty += [(row["size"], i) for row in rows if not row["configurations"]]
    bottom = 10 ** (len(str(min(n for n in table.column("configurations") if n))) - 2)
    ax.set_ylim(bottom=bottom)
    for size, i in empty:
        ax.plot(
            *([size], [bottom]),
            style.MARKS[i],
            color=style.PALETTE[i],
            mfc="white",
            clip_on=False,
            zorder=5,
            gid="none",
        )
        text = f"none on {size}×{size}: without\ntouching they do not fit"
        style.write_note(ax, text, (size, bottom), xytext=(9, 7))
    ax.set_xlabel("side of the board")
    ax.set_ylabel("configurations of the fleet " + table.header["fleet"])
    ax.legend(title="ships")
    return figure


GAME = Game.parse("7x8:4,3,3")
SHIPS = (((0, 5), (1, 5), (2, 5)), ((1, 0), (1, 1), (1, 2)), ((1, 7), (2, 7), (3, 7), (4, 7)))
SWEPT = (2, 4)  # the next cell of the sweep: the cells before it are decided


@figure()
def skyline() -> Figure:
    """A partly swept board, and the state of the sweep: one number per column."""
    figure, ax = style.one_panel(0.38 * GAME.columns, 0.38 * GAME.rows)
    closed = set()
    for ship in SHIPS:
        mask = GAME.mask(ship)
        closed |= set(GAME.cells_of(mask | GAME.halo(mask)))
    shut: dict[str, Any] = {"facecolor": style.ORANGE, "alpha": 0.3, "lw": 0, "gid": "shut"}
    for row, column in closed:
        if (row, column) >= SWEPT:
            ax.add_patch(Rectangle((column, row), 1, 1, **shut))
    for i in range(GAME.rows):
        wide = GAME.columns if i < SWEPT[0] else SWEPT[1] if i == SWEPT[0] else 0
        ax.add_patch(Rectangle((0, i), wide, 1, facecolor=style.OPEN, lw=0, zorder=0))
    draw_board(ax, Position(GAME))
    draw_ships(ax, SHIPS)
    heights = [closed_below(closed, column) for column in range(GAME.columns)]
    steps = [(x, next_row(j) + heights[j]) for j in range(GAME.columns) for x in (j, j + 1)]
    (line,) = ax.plot(*zip(*steps, strict=True), color=style.BLUE, lw=2.5, zorder=4, gid="skyline")
    (dot,) = ax.plot(SWEPT[1] + 0.5, SWEPT[0] + 0.5, "o", color=style.INK, zorder=4, lw=0)
    signs = {
        "decided": Patch(facecolor=style.OPEN),
        "closed by a ship": Patch(**shut),
        "next cell": dot,
        "skyline, and below it\nclosed cells of each column": line,
    }
    ax.legend(signs.values(), signs, loc="center left", bbox_to_anchor=(1.02, 0.5))
    for column, height in enumerate(heights):
        style.write_note(
            ax,
            str(height),
            (column + 0.5, GAME.rows),
            xytext=(0, -12),
            ha="center",
            color=style.BLUE,
            fontsize=10,
            gid="height",
        )
    return figure


def next_row(column: int) -> int:
    """Return the first row of a column that is not swept yet."""
    return SWEPT[0] + (column < SWEPT[1])


def closed_below(closed: set[tuple[int, int]], column: int) -> int:
    """Count the closed cells of a column that follow without a gap from its next row down."""
    row = next_row(column)
    while (row, column) in closed:
        row += 1
    return row - next_row(column)


PANELS = {"one ship": range(1, 2), "two ships": range(2, 3), "three ships and more": range(3, 100)}


def optima_shown(source: Path | None = None) -> list[tuple[Game, int, float, float]]:
    """List game, number of configurations, optimum and bound by leaf counting.

    Games of one configuration, of ships of length 1 alone, or on one row are left out, and so are
    ships that touch and announcements.
    """
    return [
        (row["game"], row["configurations"], row["mean"], row["leaf_counting"])
        for row in TABLES["optima"].read(source)
        if (row["contact"], row["announce"]) == ("none", "nothing")
        and row["configurations"] > 1
        and max(row["game"].fleet) > 1
        and row["game"].rows > 1
    ]


@figure(TABLES["optima"])
def optima(source: Path) -> Figure:
    """Mean misses of an optimal strategy: a panel per number of ships, a dot per game.

    A thin line goes down to the bound by leaf counting. The highest dot is named.
    """
    rows = optima_shown(source)
    figure = Figure(figsize=(2.2, 2.9))
    top = max((mean - sum(game.fleet) for game, _, mean, _ in rows), default=1)
    for number, (title, ships) in enumerate(PANELS.items()):
        ax = figure.add_axes((number * 1.1, 0, 1, 1))
        panel = [row for row in rows if len(row[0].fleet) in ships]
        games, configurations, means, bounds = zip(*panel, strict=True) if panel else ((),) * 4
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
        if panel:
            highest = misses.index(max(misses))
            at = (configurations[highest], misses[highest])
            style.write_note(ax, str(games[highest]), at, xytext=(4, 5), ha="right")
        ax.set_title(title)
        ax.set_xscale("log")
        ax.set_xlabel("configurations")
        ax.set_ylim(0, 1.08 * top)
        ax.grid(axis="y")
        if number:
            ax.tick_params(labelleft=False)
    figure.axes[0].set_ylabel("misses, on average")
    figure.axes[-1].legend(loc="upper left")
    style.letter_panels(*figure.axes)
    return figure


@figure(TABLES["greedy_loss"])
def greedy_loss(source: Path) -> Figure:
    """A line per game, from the best greedy strategy to the worst, in percent of the optimum.

    Games whose best greedy strategy is optimal are ticks on the axis. If the worst one is unknown,
    the line is missing.
    """
    rows = [row for row in TABLES["greedy_loss"].read(source) if row["percent_best"] is not None]
    number = [row["configurations"] for row in rows]
    best = [row["percent_best"] for row in rows]
    worst = [row["percent_worst"] or row["percent_best"] for row in rows]
    figure, ax = style.curve_panel()
    ax.vlines(number, best, worst, color=style.GRID, lw=0.8, zorder=1)
    ax.plot(number, worst, "_", color=style.LABEL, ms=5, label="ties broken worst", zorder=2)
    worse = [(n, b) for n, b in zip(number, best, strict=True) if b > 0]
    label = f"ties broken best: {len(worse)} games, worse than the optimum"
    ax.plot(*zip(*worse, strict=True), "o", color=style.ORANGE, ms=3.5, label=label, zorder=3)
    same = [n for n, b in zip(number, best, strict=True) if b == 0]
    label = f"ties broken best: {len(same)} games, optimal"
    ax.plot(same, [0] * len(same), "|", color=style.GREEN, ms=7, label=label, zorder=3)
    ax.set_xscale("log")
    ax.set_ylim(-0.15, 1.3 * max(worst))
    ax.set_xlabel("configurations")
    ax.set_ylabel("more shots than the optimum, percent")
    ax.legend(loc="upper left")
    return figure


SHAPES = {
    "rectangle": "rectangle",
    "cylinder": "cylinder: columns wrap",
    "torus": "torus: rows wrap too",
    "hex": "hexagons",
}
WIDE, HIGH, BETWEEN = 1.5, 0.34, 0.15  # inches: a panel, a fleet, between panels
APART = 0.18  # of the marks of one fleet, in rows


def _board_size(game: Game) -> str:
    return f"{game.rows} × {game.columns}"


def _fleet(game: Game) -> str:
    return ", ".join(map(str, game.fleet))


@figure(TABLES["boards"])
def borders(source: Path) -> Figure:
    """A panel per size, a row per fleet, and a mark at the optimal mean of each board."""
    table = TABLES["boards"].read(source)
    fleets = list(dict.fromkeys(_fleet(row["game"]) for row in table))
    sizes = list(dict.fromkeys(_board_size(row["game"]) for row in table))
    wide, high = len(sizes) * (WIDE + BETWEEN), HIGH * len(fleets)
    figure = Figure(figsize=(wide, high))
    for number, size in enumerate(sizes):
        ax = figure.add_axes((number * (WIDE + BETWEEN) / wide, 0, WIDE / wide, 1))
        panel_rows = [row for row in table if _board_size(row["game"]) == size]
        for place in range(1, len(fleets)):
            ax.axhline(place - 0.5, color=style.GRID, lw=0.5, zorder=1)
        for i, (board, name) in enumerate(SHAPES.items()):
            rows = [row for row in panel_rows if row["board"] == board]
            heights = [
                fleets.index(_fleet(row["game"])) + (i + 0.5 - len(SHAPES) / 2) * APART
                for row in rows
            ]
            means = [row["mean"] for row in rows]
            ax.plot(
                *(means, heights, style.MARKS[i]), color=style.PALETTE[i], label=name, gid=board
            )
        ax.set_title(size)
        ax.set_ylim(len(fleets) - 0.5, -0.5)
        ax.set_yticks(range(len(fleets)), fleets)
        ax.tick_params(axis="y", length=0, labelleft=number == 0)
        ax.grid(axis="x")
        ax.set_xlabel("mean shots")
    figure.axes[0].set_ylabel("fleet")
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.axes[0].legend(
        *(handles, labels), loc="lower left", bbox_to_anchor=(0, 1.12), ncols=len(SHAPES)
    )
    style.letter_panels(*figure.axes)
    return figure


RULES = {
    **{"parity": "even or odd length", "ends": "an end of a ship", "sunk": "that a ship is sunk"},
    **{"orientation": "how the ship lies", "ship": "which ship is sunk"},
    **{"name": "the ship of each hit", "place": "the whole ship"},
}
ANNOUNCEMENTS = {rule: RULES[rule] for rule in ("sunk", "ship", "name")}
GAME_HIGH = 0.22  # inches per game
MANY, MOST_GAMES = 20, 20  # configurations, at least; games, at most


def shots_saved(source: Path | None = None) -> dict[Game, dict[str, Fraction]]:
    """Map each game solved by all four rules of replies to the mean shots that each rule saves.

    Games have ships of two lengths or more, and at least MANY configurations; rules are compared
    with announcing nothing. Games whose ships may touch at corners only are left out.
    """
    means: dict[Game, dict[str, Fraction]] = {}
    for row in TABLES["optima"].read(source):
        game = row["game"].with_announcement("nothing")
        if row["configurations"] >= MANY and len(set(game.fleet)) > 1 and game.contact != "corner":
            mean = Fraction(row["total_height"], row["configurations"])
            means.setdefault(game, {})[row["announce"]] = mean
    return {
        game: {rule: by_rule["nothing"] - by_rule[rule] for rule in ANNOUNCEMENTS}
        for game, by_rule in means.items()
        if by_rule.keys() >= {"nothing", *ANNOUNCEMENTS}
    }


@figure(TABLES["optima"])
def announcements(source: Path) -> Figure:
    """A row for each of the games in which names save most, a mark at the shots each rule saves."""
    saved = shots_saved(source)
    games = sorted(saved, key=lambda game: (saved[game]["name"], str(game)))[-MOST_GAMES:]
    figure = Figure(figsize=(style.WIDTH, GAME_HIGH * len(games)))
    ax = figure.add_axes((0, 0, 1, 1))
    for i, (rule, name) in enumerate(ANNOUNCEMENTS.items()):
        points = [(float(saved[game][rule]), place) for place, game in enumerate(games)]
        ax.plot(*zip(*points, strict=True), style.MARKS[i], color=style.PALETTE[i], label=name,
                ms=3.5 + 3 * i, fillstyle="none", gid=rule)  # fmt: skip
    touching = {game: ", touching" if game.contact == "any" else "" for game in games}
    names = [f"{_board_size(game)}: {_fleet(game)}{touching[game]}" for game in games]
    ax.set_yticks(range(len(games)), names)
    ax.set_ylim(-0.7, len(games) - 0.3)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="both")
    ax.set_xlabel("mean shots saved, against a game in which nothing is announced")
    ax.legend(loc="lower right")
    return figure


RULE_HIGH = 0.3  # inches per rule


@figure(TABLES["reply_worth"])
def reply_worth(source: Path) -> Figure:
    """A row per rule of replies: a dot per game at the shots saved, a bar at their mean."""
    saved: dict[str, list[float]] = {rule: [] for rule in RULES}
    for row in TABLES["reply_worth"].read(source):
        if row["rule"] in saved:
            saved[row["rule"]].append(row["saved"])
    means = {rule: sum(values) / len(values) for rule, values in saved.items()}
    rules = sorted(RULES, key=means.__getitem__)
    figure = Figure(figsize=(style.WIDTH, RULE_HIGH * len(rules)))
    ax = figure.add_axes((0, 0, 1, 1))
    for place, rule in enumerate(rules):
        ax.plot(saved[rule], [place] * len(saved[rule]), style.MARKS[0], color=style.PALETTE[0],
                fillstyle="none", gid=rule)  # fmt: skip
        ax.plot([means[rule]] * 2, [place - 0.35, place + 0.35], color=style.PALETTE[1])
    ax.set_yticks(range(len(rules)), [RULES[rule] for rule in rules])
    ax.set_ylim(-0.7, len(rules) - 0.3)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x")
    ax.set_xlabel("mean shots saved, against a game in which hits tell nothing")
    return figure


QUESTIONS = {
    "cell_of_ship": "is this cell of that ship?",
    "two_touch": "do two ships touch?",
    "ship_in_region": "is a ship in a row, …?",
    "ship_is_horizontal": "is a ship horizontal?",
    "shot": "shot: miss, or which ship?",
    "length_of_ship": "how long is a ship?",
    "cells_in_region": "how many cells in a row, …?",
}
YES_OR_NO = ("cell_of_ship", "two_touch", "ship_in_region", "ship_is_horizontal")


@figure(TABLES["questions"])
def questions(source: Path) -> Figure:
    """A row per kind of question: a dot per board at the bits of the best, a bar at their mean."""
    table = TABLES["questions"].read(source)
    figure = Figure(figsize=(style.WIDTH, RULE_HIGH * len(QUESTIONS)))
    ax = figure.add_axes((0, 0, 1, 1))
    for place, kind in enumerate(QUESTIONS):
        bits = [row["bits"] for row in table if row["kind"] == kind]
        colour = style.ORANGE if kind == "shot" else style.BLUE
        ax.plot(bits, [place] * len(bits), style.MARKS[0], color=colour, fillstyle="none", gid=kind)
        ax.plot([sum(bits) / len(bits)] * 2, [place - 0.35, place + 0.35], color=style.INK)
    ax.set_yticks(range(len(QUESTIONS)), list(QUESTIONS.values()))
    ax.set_ylim(-0.7, len(QUESTIONS) - 0.3)
    ax.set_xlim(left=-0.05)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x")
    ax.set_xlabel("expected information of the best one, bits")
    return figure


@figure(TABLES["questions"])
def questions_or_shots(source: Path) -> Figure:
    """A row per board: the bits of the best shot, and of questions, true and 10 % false."""
    best: dict[int, dict[str, float]] = {}
    for row in TABLES["questions"].read(source):
        values = best.setdefault(row["board"], {})
        best_of = {"shot": "best shot"}.get(row["kind"], "best question, 10 % false")
        values[best_of] = max(values.get(best_of, 0), row["bits_if_wrong"])
        if row["kind"] in YES_OR_NO:
            for name, bits in (
                ("yes or no", row["bits"]),
                ("yes or no, 10 % false", row["bits_if_wrong"]),
            ):
                values[name] = max(values.get(name, 0), bits)
    boards = sorted(best, key=lambda board: best[board]["best shot"])
    figure = Figure(figsize=(style.WIDTH, 0.16 * len(boards)))
    ax = figure.add_axes((0, 0, 1, 1))
    names = ("best shot", "yes or no", "yes or no, 10 % false", "best question, 10 % false")
    colours = (style.ORANGE, style.BLUE, style.SKY, style.GREEN)
    for name, mark, colour in zip(names, style.MARKS, colours, strict=False):
        ax.plot([best[board][name] for board in boards], range(len(boards)), mark, color=colour,
                label=name, fillstyle="none", gid=name)  # fmt: skip
    ax.set_yticks(range(len(boards)), [str(board) for board in boards])
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="both")
    ax.set_xlim(left=0)
    ax.set_ylabel("board")
    ax.set_xlabel("expected information, bits")
    ax.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2)
    return figure


SHIP = Game.parse("10x10:5,ends=hit")


@figure(TABLES["first_hit"])
def first_hit(source: Path) -> Figure:
    """The chance of a hit against the number of shots, at one ship of five cells on 10x10."""
    rows = [row for row in TABLES["first_hit"].read(source) if row["game"] == SHIP]
    chances = {
        "best": [row["at_least"] / row["configurations"] for row in rows],
        "greedy": [row["greedy"] / row["configurations"] for row in rows],
        "checkerboard, at random": [row["checkerboard"] for row in rows],
        "random": [row["random"] for row in rows],
    }
    drawn, ax = style.curve_panel()
    for i, (name, values) in enumerate(chances.items()):
        ax.plot([row["shots"] for row in rows], values, marker=style.MARKS[i], label=name)
    ax.set_ylim(0, 1.02)
    ax.set_xticks(range(0, len(rows) + 1, 5))
    ax.set_xlabel("shots")
    ax.set_ylabel("chance that a ship of five cells is hit")
    ax.legend()
    return drawn


GAP, LETTER = 0.25, 0.2  # inches: between the halves, and of the letter of a panel
HALVES = ("upper", "lower")


@figure((TABLES["occurrence"], "hexagonal_upper"), (TABLES["occurrence"], "hexagonal_lower"))
def hexagonal(*sources: Path) -> Figure:
    """Both halves before the first shot, with the probability of a piece on each cell."""
    tables = [TABLES["occurrence"].read(source) for source in sources]
    games = [Game.parse(table.header["game"]) for table in tables]
    sizes = [board_size(game) for game in games]
    cell = (style.PAGE - 2 * style.MARGIN - LETTER - GAP) / sum(wide for wide, _ in sizes)  # inches
    wide, high = style.PAGE - 2 * style.MARGIN - LETTER, cell * max(high for _, high in sizes)
    figure = Figure(figsize=(wide, high))
    left = 0.0
    for half, table, game, size in zip(HALVES, tables, games, sizes, strict=True):
        width, height = cell * size[0], cell * size[1]
        ax = figure.add_axes((left / wide, 1 - height / high, width / wide, height / high))
        values = grid_values(table, [float(value) for value in table.column("frequency")])
        draw_probability(ax, Position(game), np.array(values))
        number = int(table.header["configurations"])
        ax.set_title(f"{half} half, {number:,} configurations")
        left += width + GAP
    style.letter_panels(*figure.axes)
    return figure
