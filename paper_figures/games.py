"""Figures of games: numbers of configurations, optima, losses of greedy, boards, replies."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
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
    """Draw configurations against the side of the board, a curve per contact rule.

    The scale is logarithmic. A board without any configuration has an open mark on the axis.
    """
    table = TABLES["growth"].read(source)
    figure, ax = style.curve_panel()
    ax.set_yscale("log")
    empty_boards = []  # the side of each, and the index of its rule
    for rule_index, (contact, rule_name) in enumerate(CONTACTS.items()):
        rows = [row for row in table if row["contact"] == contact]
        points = [(row["size"], row["configurations"]) for row in rows if row["configurations"]]
        ax.plot(*zip(*points, strict=True), marker=style.MARKS[rule_index], label=rule_name)
        empty_boards += [(row["size"], rule_index) for row in rows if not row["configurations"]]
    fewest = min(count for count in table.column("configurations") if count)
    axis_bottom = 10 ** (len(str(fewest)) - 2)  # a power of ten, at least ten times smaller
    ax.set_ylim(bottom=axis_bottom)
    for size, rule_index in empty_boards:
        mark_style: dict[str, Any] = {
            "marker": style.MARKS[rule_index],
            "color": style.PALETTE[rule_index],
            "mfc": "white",
        }
        ax.plot([size], [axis_bottom], ls="none", **mark_style, clip_on=False, zorder=5, gid="none")
        text = f"none on {size}×{size}: without\ntouching they do not fit"
        style.write_note(ax, text, (size, axis_bottom), xytext=(9, 7))
    ax.set_xlabel("side of the board")
    ax.set_ylabel("configurations of the fleet " + table.header["fleet"])
    ax.legend(title="ships")
    return figure


GAME = Game.parse("7x8:4,3,3")
SHIPS = (((0, 5), (1, 5), (2, 5)), ((1, 0), (1, 1), (1, 2)), ((1, 7), (2, 7), (3, 7), (4, 7)))
SWEPT = (2, 4)  # the next cell of the sweep: the cells before it are decided


@figure()
def skyline() -> Figure:
    """Draw a partly swept board, and the state of the sweep: one number per column."""
    figure, ax = style.one_panel(0.38 * GAME.columns, 0.38 * GAME.rows)
    closed_cells = set()
    for ship in SHIPS:
        mask = GAME.mask(ship)
        closed_cells |= set(GAME.cells_of(mask | GAME.halo(mask)))
    closed_style: dict[str, Any] = {"facecolor": style.ORANGE, "alpha": 0.3, "lw": 0, "gid": "shut"}
    for row, column in closed_cells:
        if (row, column) >= SWEPT:
            ax.add_patch(Rectangle((column, row), 1, 1, **closed_style))
    next_cell_row, next_cell_column = SWEPT
    decided_columns = [GAME.columns] * next_cell_row + [next_cell_column]  # of each row
    decided_columns += [0] * (GAME.rows - len(decided_columns))
    for row, width in enumerate(decided_columns):
        ax.add_patch(Rectangle((0, row), width, 1, facecolor=style.OPEN, lw=0, zorder=0))
    draw_board(ax, Position(GAME))
    draw_ships(ax, SHIPS)
    heights = [closed_below(closed_cells, column) for column in range(GAME.columns)]
    skyline_points = []  # points from left to right, two for each column
    for column, height in enumerate(heights):
        y = next_row(column) + height
        skyline_points += [(column, y), (column + 1, y)]
    (skyline_line,) = ax.plot(
        *zip(*skyline_points, strict=True), color=style.BLUE, lw=2.5, zorder=4, gid="skyline"
    )
    (next_cell_dot,) = ax.plot(
        next_cell_column + 0.5, next_cell_row + 0.5, "o", color=style.INK, zorder=4, lw=0
    )
    sign_by_name = {
        "decided": Patch(facecolor=style.OPEN),
        "closed by a ship": Patch(**closed_style),
        "next cell": next_cell_dot,
        "skyline, and below it\nclosed cells of each column": skyline_line,
    }
    ax.legend(sign_by_name.values(), sign_by_name, loc="center left", bbox_to_anchor=(1.02, 0.5))
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
    """Return the first row of a column whose cell the sweep has not decided."""
    row, first_undecided_column = SWEPT
    return row + 1 if column < first_undecided_column else row


def closed_below(closed: set[tuple[int, int]], column: int) -> int:
    """Count the closed cells of a column, without a gap, from its first undecided row down."""
    row = next_row(column)
    while (row, column) in closed:
        row += 1
    return row - next_row(column)


PANELS = {"one ship": range(1, 2), "two ships": range(2, 3), "three ships and more": range(3, 100)}


class ShownOptimum(NamedTuple):
    """A game with its optimum and the bound by leaf counting, both in mean shots."""

    game: Game
    configurations: int
    mean: float
    bound: float

    @property
    def hits(self) -> int:
        """The number of hits of every strategy: the cells of the fleet."""
        return sum(self.game.fleet)


def optima_shown(source: Path | None = None) -> list[ShownOptimum]:
    """List the games that `optima` draws: silent ones, in which ships do not touch.

    Games of one configuration, of ships of length 1 alone, or on one row are left out.
    """
    return [
        ShownOptimum(row["game"], row["configurations"], row["mean"], row["leaf_counting"])
        for row in TABLES["optima"].read(source)
        if (row["contact"], row["announce"]) == ("none", "nothing")
        and row["configurations"] > 1
        and max(row["game"].fleet) > 1
        and row["game"].rows > 1
    ]


@figure(TABLES["optima"])
def optima(source: Path) -> Figure:
    """Draw the mean misses of an optimal strategy: a panel per number of ships, a dot per game.

    A thin line goes down to the bound by leaf counting. The highest dot is named.
    """
    shown_optima = optima_shown(source)
    figure = Figure(figsize=(2.2, 2.9))
    most_misses = max((optimum.mean - optimum.hits for optimum in shown_optima), default=1)
    for i, (title, ship_counts) in enumerate(PANELS.items()):
        ax = figure.add_axes((i * 1.1, 0, 1, 1))
        panel_optima = [
            optimum for optimum in shown_optima if len(optimum.game.fleet) in ship_counts
        ]
        configurations = [optimum.configurations for optimum in panel_optima]
        misses = [optimum.mean - optimum.hits for optimum in panel_optima]
        least_misses = [optimum.bound - optimum.hits for optimum in panel_optima]
        ax.vlines(configurations, least_misses, misses, color=style.GRID, lw=0.8, zorder=1)
        bound_style: dict[str, Any] = {"color": style.LABEL, "ms": 4}
        label = "leaf counting: at least"
        ax.plot(configurations, least_misses, "_", **bound_style, label=label)
        ax.plot(configurations, misses, "o", color=style.BLUE, ms=3, label="optimum")
        if panel_optima:
            highest_index = misses.index(max(misses))
            point = configurations[highest_index], misses[highest_index]
            style.write_note(
                ax, str(panel_optima[highest_index].game), point, xytext=(4, 5), ha="right"
            )
        ax.set_title(title)
        ax.set_xscale("log")
        ax.set_xlabel("configurations")
        ax.set_ylim(0, 1.08 * most_misses)
        ax.grid(axis="y")
        if i:
            ax.tick_params(labelleft=False)
    figure.axes[0].set_ylabel("misses, on average")
    figure.axes[-1].legend(loc="upper left")
    style.letter_panels(*figure.axes)
    return figure


@figure(TABLES["greedy_loss"])
def greedy_loss(source: Path) -> Figure:
    """Draw a line per game, from the best greedy strategy to the worst.

    Their losses are in percent of the optimum. Games whose best greedy strategy is optimal are
    ticks on the axis. If the worst one is unknown, the line is missing.
    """
    rows = [row for row in TABLES["greedy_loss"].read(source) if row["percent_best"] is not None]
    configurations = [row["configurations"] for row in rows]
    best_percents = [row["percent_best"] for row in rows]
    worst_percents = [row["percent_worst"] or row["percent_best"] for row in rows]
    figure, ax = style.curve_panel()
    ax.vlines(configurations, best_percents, worst_percents, color=style.GRID, lw=0.8, zorder=1)
    worst_style: dict[str, Any] = {"color": style.LABEL, "ms": 5, "label": "ties broken worst"}
    ax.plot(configurations, worst_percents, "_", **worst_style, zorder=2)
    points = list(zip(configurations, best_percents, strict=True))
    losing_points = [(count, percent) for count, percent in points if percent > 0]
    label = f"ties broken best: {len(losing_points)} games, worse than the optimum"
    losing_style: dict[str, Any] = {"color": style.ORANGE, "ms": 3.5, "label": label}
    ax.plot(*zip(*losing_points, strict=True), "o", **losing_style, zorder=3)
    optimal_counts = [count for count, percent in points if percent == 0]
    label = f"ties broken best: {len(optimal_counts)} games, optimal"
    optimal_style: dict[str, Any] = {"color": style.GREEN, "ms": 7, "label": label}
    ax.plot(optimal_counts, [0] * len(optimal_counts), "|", **optimal_style, zorder=3)
    ax.set_xscale("log")
    ax.set_ylim(-0.15, 1.3 * max(worst_percents))
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
PANEL_WIDTH, FLEET_HEIGHT, PANEL_GAP = 1.5, 0.34, 0.15  # inches: a panel, a fleet, between panels
MARK_DISTANCE = 0.18  # of the marks of one fleet, in rows


def _size_text(game: Game) -> str:
    return f"{game.rows} × {game.columns}"


def _fleet_text(game: Game) -> str:
    return ", ".join(map(str, game.fleet))


@figure(TABLES["boards"])
def borders(source: Path) -> Figure:
    """Draw a panel per size, a row per fleet, and a mark at the optimal mean of each board."""
    table = TABLES["boards"].read(source)
    fleets = list(dict.fromkeys(_fleet_text(row["game"]) for row in table))
    sizes = list(dict.fromkeys(_size_text(row["game"]) for row in table))
    width, height = len(sizes) * (PANEL_WIDTH + PANEL_GAP), FLEET_HEIGHT * len(fleets)
    figure = Figure(figsize=(width, height))
    for panel_index, size_text in enumerate(sizes):
        ax = figure.add_axes(
            (panel_index * (PANEL_WIDTH + PANEL_GAP) / width, 0, PANEL_WIDTH / width, 1)
        )
        size_rows = [row for row in table if _size_text(row["game"]) == size_text]
        for i in range(1, len(fleets)):
            ax.axhline(i - 0.5, color=style.GRID, lw=0.5, zorder=1)
        for i, (board, name) in enumerate(SHAPES.items()):
            board_rows = [row for row in size_rows if row["board"] == board]
            marks_from_middle = i + 0.5 - len(SHAPES) / 2  # of the fleet's row
            offset = marks_from_middle * MARK_DISTANCE
            y = [fleets.index(_fleet_text(row["game"])) + offset for row in board_rows]
            means = [row["mean"] for row in board_rows]
            ax.plot(means, y, style.MARKS[i], color=style.PALETTE[i], label=name, gid=board)
        ax.set_title(size_text)
        ax.set_ylim(len(fleets) - 0.5, -0.5)
        ax.set_yticks(range(len(fleets)), fleets)
        ax.tick_params(axis="y", length=0, labelleft=panel_index == 0)
        ax.grid(axis="x")
        ax.set_xlabel("mean shots")
    first = figure.axes[0]
    first.set_ylabel("fleet")
    handles, labels = first.get_legend_handles_labels()
    first.legend(handles, labels, loc="lower left", bbox_to_anchor=(0, 1.12), ncols=len(SHAPES))
    style.letter_panels(*figure.axes)
    return figure


RULES = {
    **{"parity": "even or odd length", "ends": "an end of a ship", "sunk": "that a ship is sunk"},
    **{"orientation": "how the ship lies", "ship": "which ship is sunk"},
    **{"name": "the ship of each hit", "place": "the whole ship"},
}
ANNOUNCEMENTS = {rule: RULES[rule] for rule in ("sunk", "ship", "name")}
GAME_HEIGHT = 0.22  # inches per game
LEAST_CONFIGURATIONS, MOST_GAMES = 20, 20  # configurations, at least; games, at most


def shots_saved(source: Path | None = None) -> dict[Game, dict[str, Fraction]]:
    """Map each game to the mean shots that each rule in ANNOUNCEMENTS saves.

    A rule is compared with announcing nothing. Games have optima by all rules, ships of two lengths
    or more, and at least LEAST_CONFIGURATIONS configurations. Games whose ships may touch at
    corners only are left out.
    """
    mean_by_rule_of_game: dict[Game, dict[str, Fraction]] = {}
    for row in TABLES["optima"].read(source):
        game = row["game"].with_announcement("nothing")
        if (
            row["configurations"] >= LEAST_CONFIGURATIONS
            and len(set(game.fleet)) > 1
            and game.contact != "corner"
        ):
            mean = Fraction(row["total_height"], row["configurations"])
            mean_by_rule_of_game.setdefault(game, {})[row["announce"]] = mean
    return {
        game: {rule: mean_by_rule["nothing"] - mean_by_rule[rule] for rule in ANNOUNCEMENTS}
        for game, mean_by_rule in mean_by_rule_of_game.items()
        if mean_by_rule.keys() >= {"nothing", *ANNOUNCEMENTS}
    }


@figure(TABLES["optima"])
def announcements(source: Path) -> Figure:
    """Draw a row for each game that names of hit ships help most: marks at what each rule saves."""
    saved_by_game = shots_saved(source)
    games = sorted(saved_by_game, key=lambda game: (saved_by_game[game]["name"], str(game)))
    games = games[-MOST_GAMES:]
    figure, ax = style.one_panel(style.WIDTH, GAME_HEIGHT * len(games))
    for i, (rule, label) in enumerate(ANNOUNCEMENTS.items()):
        shots_saved_of_games = [float(saved_by_game[game][rule]) for game in games]
        mark_style: dict[str, Any] = {"color": style.PALETTE[i], "ms": 3.5 + 3 * i}
        mark_style |= {"fillstyle": "none", "label": label, "gid": rule}
        ax.plot(shots_saved_of_games, range(len(games)), style.MARKS[i], **mark_style)
    game_names = []
    for game in games:
        touching_text = ", touching" if game.contact == "any" else ""
        game_names.append(f"{_size_text(game)}: {_fleet_text(game)}{touching_text}")
    ax.set_yticks(range(len(games)), game_names)
    ax.set_ylim(-0.7, len(games) - 0.3)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="both")
    ax.set_xlabel("mean shots saved, against a game in which nothing is announced")
    ax.legend(loc="lower right")
    return figure


RULE_HEIGHT = 0.3  # inches per rule


@figure(TABLES["reply_worth"])
def reply_worth(source: Path) -> Figure:
    """Draw a row per rule of replies: a dot per game at the shots saved, a bar at their mean."""
    saved_by_rule: dict[str, list[float]] = {rule: [] for rule in RULES}
    for row in TABLES["reply_worth"].read(source):
        if row["rule"] in saved_by_rule:
            saved_by_rule[row["rule"]].append(row["saved"])
    mean_by_rule = {rule: sum(values) / len(values) for rule, values in saved_by_rule.items()}
    rules = sorted(RULES, key=mean_by_rule.__getitem__)
    figure, ax = style.one_panel(style.WIDTH, RULE_HEIGHT * len(rules))
    for y, rule in enumerate(rules):
        colours = {"colour": style.BLUE, "bar_colour": style.ORANGE}
        _draw_dots(ax, saved_by_rule[rule], y, **colours, gid=rule)
    ax.set_yticks(range(len(rules)), [RULES[rule] for rule in rules])
    ax.set_ylim(-0.7, len(rules) - 0.3)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x")
    ax.set_xlabel("mean shots saved, against a game in which hits tell nothing")
    return figure


def _draw_dots(
    ax: Axes, values: Sequence[float], y: int, *, colour: str, bar_colour: str, gid: str
) -> None:
    """Draw a dot at each value in a row, and a bar at their mean."""
    ax.plot(values, [y] * len(values), style.MARKS[0], color=colour, fillstyle="none", gid=gid)
    ax.plot([sum(values) / len(values)] * 2, [y - 0.35, y + 0.35], color=bar_colour)


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
    """Draw a row per question kind: a dot per board at the best one's bits, a bar at their mean."""
    table = TABLES["questions"].read(source)
    figure, ax = style.one_panel(style.WIDTH, RULE_HEIGHT * len(QUESTIONS))
    for y, kind in enumerate(QUESTIONS):
        bits = [row["bits"] for row in table if row["kind"] == kind]
        colour = style.ORANGE if kind == "shot" else style.BLUE
        _draw_dots(ax, bits, y, colour=colour, bar_colour=style.INK, gid=kind)
    ax.set_yticks(range(len(QUESTIONS)), list(QUESTIONS.values()))
    ax.set_ylim(-0.7, len(QUESTIONS) - 0.3)
    ax.set_xlim(left=-0.05)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x")
    ax.set_xlabel("expected information of the best one, bits")
    return figure


@figure(TABLES["questions"])
def questions_or_shots(source: Path) -> Figure:
    """Draw a row per board: the bits of the best shot, and of questions, true and 10 % false."""
    best_bits_by_board: dict[int, dict[str, float]] = {}  # by the label of a mark
    for row in TABLES["questions"].read(source):
        name = "best shot" if row["kind"] == "shot" else "best question, 10 % false"
        bits_by_name = {name: row["bits_if_wrong"]}
        if row["kind"] in YES_OR_NO:
            bits_by_name["yes or no"] = row["bits"]
            bits_by_name["yes or no, 10 % false"] = row["bits_if_wrong"]
        best_bits_by_name = best_bits_by_board.setdefault(row["board"], {})
        for name, bits in bits_by_name.items():
            best_bits_by_name[name] = max(best_bits_by_name.get(name, 0), bits)
    boards = sorted(best_bits_by_board, key=lambda board: best_bits_by_board[board]["best shot"])
    figure, ax = style.one_panel(style.WIDTH, 0.16 * len(boards))
    names = ("best shot", "yes or no", "yes or no, 10 % false", "best question, 10 % false")
    colours = (style.ORANGE, style.BLUE, style.SKY, style.GREEN)
    for name, marker, colour in zip(names, style.MARKS, colours, strict=False):
        bits_of_boards = [best_bits_by_board[board][name] for board in boards]
        mark_style: dict[str, Any] = {"color": colour, "fillstyle": "none"}
        ax.plot(bits_of_boards, range(len(boards)), marker, **mark_style, label=name, gid=name)
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
    """Draw the chance of a hit against the number of shots, for one ship of five cells on 10x10."""
    rows = [row for row in TABLES["first_hit"].read(source) if row["game"] == SHIP]
    chances_by_name = {
        "best": [row["at_least"] / row["configurations"] for row in rows],
        "greedy": [row["greedy"] / row["configurations"] for row in rows],
        "checkerboard, at random": [row["checkerboard"] for row in rows],
        "random": [row["random"] for row in rows],
    }
    drawn, ax = style.curve_panel()
    for i, (name, values) in enumerate(chances_by_name.items()):
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
    """Draw both halves before the first shot, with the probability of a piece on each cell."""
    tables = [TABLES["occurrence"].read(source) for source in sources]
    games = [Game.parse(table.header["game"]) for table in tables]
    sizes = [board_size(game) for game in games]  # in cells
    all_across = sum(cells_across for cells_across, _ in sizes)
    cell_size = (style.PAGE - 2 * style.MARGIN - LETTER - GAP) / all_across
    figure_width = style.PAGE - 2 * style.MARGIN - LETTER
    figure_height = cell_size * max(cells_down for _, cells_down in sizes)
    figure = Figure(figsize=(figure_width, figure_height))
    left = 0.0
    for half, table, game, (cells_across, cells_down) in zip(
        HALVES, tables, games, sizes, strict=True
    ):
        width, height = cell_size * cells_across, cell_size * cells_down  # inches
        box = (
            left / figure_width,
            1 - height / figure_height,
            width / figure_width,
            height / figure_height,
        )
        ax = figure.add_axes(box)
        values = grid_values(table, [float(value) for value in table.column("frequency")])
        draw_probability(ax, Position(game), np.array(values))
        configurations = int(table.header["configurations"])
        ax.set_title(f"{half} half, {configurations:,} configurations")
        left += width + GAP
    style.letter_panels(*figure.axes)
    return figure
