"""Figures of the best hider: its gain over a uniform hider, and the places of its ships."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import TwoSlopeNorm
from matplotlib.figure import Figure

from optsearch.drawing.boards import draw_board
from optsearch.game import Game
from optsearch.game.position import Position
from optsearch.results.tables import TABLES
from paper_figures import style
from paper_figures.registry import figure

FLEETS = {"one ship": range(1, 2), "two ships": range(2, 3), "three and more": range(3, 100)}


def equilibria_shown(source: Path | None = None) -> list[dict[str, Any]]:
    """List the rows of the games that `equilibria` draws: those whose value is known.

    Games with ships of length 1 alone and boards of one row are left out.
    """
    return [
        row
        for row in TABLES["equilibria"].read(source)
        if row["value"] is not None and max(row["game"].fleet) > 1 and row["game"].rows > 1
    ]


@figure(TABLES["equilibria"])
def equilibria(source: Path) -> Figure:
    """Draw what a uniform hider gives away, and where the best hider puts its ships.

    On the left are the shots that a uniform hider gives away; the game with most is named. On the
    right are the shares of the ship cells at the border, for games in which it gives shots away.
    """
    rows = equilibria_shown(source)
    figure = Figure(figsize=(2.9, 2.9))
    left_axes, right_axes = figure.add_axes((0, 0, 1, 1)), figure.add_axes((1.35, 0, 1, 1))
    for (label, ship_counts), colour, marker in zip(
        FLEETS.items(), style.PALETTE, style.MARKS, strict=False
    ):
        shown_rows = [row for row in rows if len(row["game"].fleet) in ship_counts]
        mark_style: dict[str, Any] = {"color": colour, "ms": 3.5, "label": label}
        hidings = [row["hidings"] for row in shown_rows]
        shots_given_away = [float(row["value"] - row["uniform"]) for row in shown_rows]
        left_axes.plot(hidings, shots_given_away, marker, **mark_style)
        not_uniform = [row for row in shown_rows if not row["is_uniform"]]
        uniform_border = [row["uniform_border"] for row in not_uniform]
        best_border = [row["border"] for row in not_uniform]
        right_axes.plot(uniform_border, best_border, marker, **mark_style)
    if rows:
        worst_row = max(rows, key=lambda row: row["value"] - row["uniform"])
        point = worst_row["hidings"], float(worst_row["value"] - worst_row["uniform"])
        style.write_note(left_axes, str(worst_row["game"]), point, xytext=(5, 2))
    left_axes.set_xscale("log")
    left_axes.set_xlabel("ways to hide")
    left_axes.set_ylabel("shots that a uniform hider gives away")
    left_axes.grid(axis="y")
    left_axes.set_ylim(top=0.68)  # the legend goes above the dots
    left_axes.legend(loc="upper left")
    diagonal_ends = (0.35, 1.0)
    right_axes.plot(diagonal_ends, diagonal_ends, color=style.LABEL, lw=0.8, zorder=1)
    right_axes.set_xlabel("ship cells at the border, drawn uniformly")
    right_axes.set_ylabel("the same in the best hider's mix")
    right_axes.grid()
    style.letter_panels(left_axes, right_axes)
    return figure


CELL, GAP_BESIDE, GAP_ABOVE, ACROSS = 0.36, 0.68, 0.75, 3  # inches, inches, inches, boards per row
MOST_POINTS = 6  # percentage points at the ends of the scale


@figure(TABLES["equilibrium_cells"])
def equilibrium_maps(source: Path) -> Figure:
    """Draw a board per game: how much likelier each cell is than in uniform configurations."""
    table = TABLES["equilibrium_cells"].read(source)
    games = sorted(
        set(table.column("game")), key=lambda game: (len(game.fleet), game.cells, str(game))
    )
    width = ACROSS * (max(game.columns for game in games) * CELL + GAP_BESIDE)
    row_heights = [
        max(game.rows for game in games[start : start + ACROSS]) * CELL + GAP_ABOVE
        for start in range(0, len(games), ACROSS)
    ]
    height = sum(row_heights)
    figure, panels = Figure(figsize=(width, height)), []
    for i, game in enumerate(games):
        row, column = divmod(i, ACROSS)
        board_width, board_height = game.columns * CELL, game.rows * CELL  # inches
        left = column * width / ACROSS
        bottom = height - sum(row_heights[:row]) - board_height - 0.45
        ax = figure.add_axes(
            (left / width, bottom / height, board_width / width, board_height / height)
        )
        heat = _draw_differences(ax, game, [entry for entry in table if entry["game"] == game])
        draw_board(ax, Position(game))
        ax.set_title(str(game), pad=18)
        panels.append(ax)
    bar = figure.colorbar(
        heat,
        cax=figure.add_axes((0.2, -0.25 / height, 0.6, 0.12 / height)),
        orientation="horizontal",
        extend="min",
    )
    bar.set_label("likelier than in uniformly drawn configurations, percentage points")
    bar.outline.set_visible(False)
    style.letter_panels(*panels)
    return figure


def _draw_differences(ax: Axes, game: Game, entries: Iterable[dict[str, Any]]) -> QuadMesh:
    """Draw the difference of each cell in percentage points as a number and a colour; return these.

    entries -- the rows of the table for the game, one for each cell.
    """
    differences = np.zeros((game.rows, game.columns))
    for entry in entries:
        row, column = entry["row"], entry["column"]
        differences[row, column] = 100 * (entry["probability"] - entry["uniform"])
        ax.text(
            column + 0.5,
            row + 0.5,
            _signed(differences[row, column]),
            ha="center",
            va="center",
            fontsize=style.SMALL,
            gid="value",
        )
    column_edges, row_edges = np.arange(game.columns + 1), np.arange(game.rows + 1)
    norm = TwoSlopeNorm(0, -MOST_POINTS, MOST_POINTS)
    return ax.pcolormesh(column_edges, row_edges, differences, cmap=style.LESS_OR_MORE, norm=norm)


def _signed(points: float) -> str:
    """Return a difference in whole points, with its sign unless it is 0."""
    text = f"{points:+.0f}".replace("-", "−")
    return "0" if text in ("+0", "−0") else text
