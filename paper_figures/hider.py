"""Figures of the best hider: its gain over a uniform hider, and the places of its ships."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.colors import TwoSlopeNorm
from matplotlib.figure import Figure

from optsearch.drawing.boards import draw_board
from optsearch.game.position import Position
from optsearch.results.tables import TABLES
from paper_figures import style
from paper_figures.registry import figure

KINDS = {"one ship": range(1, 2), "two ships": range(2, 3), "three and more": range(3, 100)}


def equilibria_shown(source: Path | None = None) -> list[dict[str, Any]]:
    """List the games with a value; fleets of length 1 alone and boards of one row are left out."""
    return [
        row
        for row in TABLES["equilibria"].read(source)
        if row["value"] is not None and max(row["game"].fleet) > 1 and row["game"].rows > 1
    ]


@figure(TABLES["equilibria"])
def equilibria(source: Path) -> Figure:
    """Left, the shots that a uniform hider gives away; right, its ship cells at the border.

    On the right are only games in which a uniform hider gives something away.
    """
    rows = equilibria_shown(source)
    figure = Figure(figsize=(2.9, 2.9))
    left, right = (figure.add_axes((1.35 * number, 0, 1, 1)) for number in range(2))
    for (kind, ships), colour, mark in zip(KINDS.items(), style.PALETTE, style.MARKS, strict=False):
        kind_rows = [row for row in rows if len(row["game"].fleet) in ships]
        options: dict[str, Any] = {"color": colour, "ms": 3.5, "label": kind}
        gains = [float(row["value"] - row["uniform"]) for row in kind_rows]
        left.plot([row["hidings"] for row in kind_rows], gains, mark, **options)
        gained = [row for row in kind_rows if not row["is_uniform"]]
        right.plot(
            [row["uniform_border"] for row in gained],
            [row["border"] for row in gained],
            mark,
            **options,
        )
    if rows:
        extreme = max(rows, key=lambda row: row["value"] - row["uniform"])
        at = (extreme["hidings"], float(extreme["value"] - extreme["uniform"]))
        style.write_note(left, str(extreme["game"]), at, xytext=(5, 2))
    left.set_xscale("log")
    left.set_xlabel("ways to hide")
    left.set_ylabel("shots that a uniform hider gives away")
    left.grid(axis="y")
    left.set_ylim(top=0.68)  # the legend goes above the dots
    left.legend(loc="upper left")
    ends = (0.35, 1.0)
    right.plot(ends, ends, color=style.LABEL, lw=0.8, zorder=1)
    right.set_xlabel("ship cells at the border, drawn uniformly")
    right.set_ylabel("the same in the best hider's mix")
    right.grid()
    style.letter_panels(left, right)
    return figure


CELL, ASIDE, ABOVE, ACROSS = 0.36, 0.68, 0.75, 3  # inches, inches, inches, boards per row
MOST = 6  # percentage points at the ends of the scale


@figure(TABLES["equilibrium_cells"])
def equilibrium_maps(source: Path) -> Figure:
    """A board per game: the difference of each cell from uniformly drawn configurations."""
    table = TABLES["equilibrium_cells"].read(source)
    games = sorted(
        set(table.column("game")), key=lambda game: (len(game.fleet), game.cells, str(game))
    )
    wide = ACROSS * (max(game.columns for game in games) * CELL + ASIDE)
    heights = [
        max(game.rows for game in games[start : start + ACROSS]) * CELL + ABOVE
        for start in range(0, len(games), ACROSS)
    ]
    high = sum(heights)
    figure, panels = Figure(figsize=(wide, high)), []
    for number, game in enumerate(games):
        row, column = divmod(number, ACROSS)
        x = column * wide / ACROSS
        y = high - sum(heights[:row]) - game.rows * CELL - 0.45
        ax = figure.add_axes(
            (x / wide, y / high, game.columns * CELL / wide, game.rows * CELL / high)
        )
        entries = [entry for entry in table if entry["game"] == game]
        differences = np.zeros((game.rows, game.columns))
        for entry in entries:
            place = entry["row"], entry["column"]
            differences[place] = entry["probability"] - entry["uniform"]
            ax.text(
                place[1] + 0.5,
                place[0] + 0.5,
                _signed(100 * differences[place]),
                ha="center",
                va="center",
                fontsize=style.SMALL,
                gid="value",
            )
        drawn = ax.pcolormesh(
            *(np.arange(game.columns + 1), np.arange(game.rows + 1), 100 * differences),
            cmap=style.LESS_OR_MORE,
            norm=TwoSlopeNorm(0, -MOST, MOST),
        )
        draw_board(ax, Position(game))
        ax.set_title(str(game), pad=18)
        panels.append(ax)
    bar = figure.colorbar(
        drawn,
        cax=figure.add_axes((0.2, -0.25 / high, 0.6, 0.12 / high)),
        orientation="horizontal",
        extend="min",
    )
    bar.set_label("likelier than in uniformly drawn configurations, percentage points")
    bar.outline.set_visible(False)
    style.letter_panels(*panels)
    return figure


def _signed(points: float) -> str:
    """Return a difference in whole points, with its sign unless it is 0."""
    text = f"{points:+.0f}".replace("-", "−")
    return "0" if text in ("+0", "−0") else text
