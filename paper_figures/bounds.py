"""Figures of brackets of the optimum, and of the arguments of lower bounds."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import combinations
from math import comb, cos, pi, sin
from pathlib import Path
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.markers import CARETLEFT, CARETRIGHT
from matplotlib.patches import Circle, Polygon

from optsearch.game.position import HIT, MISS
from optsearch.results.tables import TABLES, Entries
from optsearch.support import records
from optsearch.support.decimals import short_bound
from paper_figures import style
from paper_figures.registry import Published, figure

# The brackets

COLOURS = {"lower": style.BLUE, "upper": style.ORANGE}
HEADINGS = {"lower": "no strategy takes fewer", "upper": "a strategy takes no more"}
MARKERS = {"lower": CARETRIGHT, "upper": CARETLEFT}
GAMES = {"paper": "the paper's game", "boxed": "the boxed game", "official": "the official game"}
PUBLISHED = re.compile(r"(.+) \((\d{4})\)")  # start of the source of a published bound
ROW_HEIGHT, GAP_BETWEEN = 0.19, 0.44  # inches: of a bound, and between games
SHOTS_AXIS = -4, 82  # ends of the axis, with room for names on both sides


class BoundLine(NamedTuple):
    """One bound: its value, and a label with the names of all methods that reach the value."""

    value: Fraction
    label: str
    is_published: bool


def list_bounds(table: Entries, side: str) -> list[BoundLine]:
    """List the "lower" or "upper" bounds, the best first; equal values share a line."""
    bounds = []
    rows = [row for row in table if row["side"] == side]
    best_first = sorted({row["value_exact"] for row in rows}, reverse=side == "lower")
    for value in best_first:
        equal_rows = [row for row in rows if row["value_exact"] == value]
        label = " or ".join(dict.fromkeys(row["name"].partition(":")[0] for row in equal_rows))
        source = equal_rows[0]["source"] or ""
        published = PUBLISHED.match(source)
        if published:
            label = f"{published[1]}, {published[2]}"
        elif announced := re.search(r"it plays as with announce=(\w+)", source):
            label += f", as with announce={announced[1]}"
        bounds.append(BoundLine(value, label, bool(published)))
    return bounds


def _list_printed_bounds(file: Path, side: str) -> list[BoundLine]:
    """List Mayflower's printed "lower" or "upper" bounds of the boxed game.

    The upper one is measured on a sample.
    """
    table = records.read(file)
    label = table.header["Author"] + (", on a sample" if side == "upper" else "")
    values = [Fraction(row["value"]) for row in table.rows if row["name"] == side]
    return [BoundLine(value, label, is_published=True) for value in values]


@figure(*((TABLES["bracket"], name) for name in GAMES), Published("mayflower", "csv"))
def brackets(*sources: Path) -> Figure:
    """Draw lower and upper bounds of three games: the best bounds first, published ones filled.

    The gap between the best two is shaded.
    """
    *bracket_files, mayflower_file = sources
    tables = [TABLES["bracket"].read(file) for file in bracket_files]
    bounds = [{side: list_bounds(table, side) for side in COLOURS} for table in tables]
    for side, side_bounds in bounds[list(GAMES).index("boxed")].items():
        side_bounds.extend(_list_printed_bounds(mayflower_file, side))
        side_bounds.sort(reverse=side == "lower")
    panel_heights = [ROW_HEIGHT * _count_rows(bounds_by_side) for bounds_by_side in bounds]
    height = sum(panel_heights) + GAP_BETWEEN * (len(panel_heights) - 1)  # inches
    figure = Figure(figsize=(5.6, height))
    top = height
    for name, bounds_by_side, panel_height in zip(
        GAMES.values(), bounds, panel_heights, strict=True
    ):
        ax = figure.add_axes((0, (top - panel_height) / height, 1, panel_height / height))
        top -= panel_height + GAP_BETWEEN
        _draw_bounds(ax, bounds_by_side)
        ax.set_title(name, loc="left")
        ax.tick_params(labelbottom=False)
    first, last = figure.axes[0], figure.axes[-1]
    last.tick_params(labelbottom=True)
    year = max(table.header["date"] for table in tables)[:4]
    legend = f"filled: published\nopen: found here, {year}"
    style.write_note(first, legend, (1, 1), xycoords="axes fraction", ha="right", va="top")
    style_below: dict[str, Any] = {"xycoords": "axes fraction", "xytext": (0, -32)}
    for side, x, align in (("lower", 0, "left"), ("upper", 1, "right")):
        heading_style: dict[str, Any] = {"color": COLOURS[side], "fontweight": "bold", "ha": align}
        style.write_note(last, HEADINGS[side], (x, 0), **heading_style, **style_below)
    last.set_xlabel("mean number of shots")
    style.letter_panels(*figure.axes)
    return figure


def _count_rows(bounds_by_side: dict[str, list[BoundLine]]) -> int:
    return max(map(len, bounds_by_side.values()))


def _draw_bounds(ax: Axes, bounds_by_side: dict[str, list[BoundLine]]) -> None:
    """Draw the lower and upper bounds of a game, a row each, and shade the gap between the best."""
    best_values = [float(bounds[0].value) for bounds in bounds_by_side.values() if bounds]
    ax.axvspan(best_values[0], best_values[-1], color=style.OPEN, lw=0)
    for side, bounds in bounds_by_side.items():
        for row, bound in enumerate(bounds):
            _draw_bound(ax, bound, side=side, row=row)
    ax.set_xlim(*SHOTS_AXIS)
    ax.set_ylim(_count_rows(bounds_by_side) - 0.4, -0.6)  # rows go down
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)


def _draw_bound(ax: Axes, bound: BoundLine, side: str, row: int) -> None:
    """Draw a mark whose tip touches the bound, and write the value and the label outward of it.

    Outward is to the left of a lower bound, and to the right of an upper one.
    """
    tip = float(bound.value), row
    mark_style: dict[str, Any] = {
        "marker": MARKERS[side],
        "color": COLOURS[side],
        "ms": 5,
        "mew": 0.8,
    }
    fill_colour = COLOURS[side] if bound.is_published else "white"
    ax.plot(*tip, **mark_style, mfc=fill_colour, clip_on=False, gid="bound")
    value = short_bound(bound.value, side)
    text_style: dict[str, Any] = {"va": "center_baseline", "bbox": None, "fontsize": style.SMALL}
    text_style["color"] = style.INK if bound.is_published or row == 0 else style.LABEL
    if side == "lower":
        text = f"{bound.label}  {value}"
        style.write_note(ax, text, tip, xytext=(-7, 0), ha="right", **text_style)
    else:
        text = f"{value}  {bound.label}"
        style.write_note(ax, text, tip, xytext=(7, 0), ha="left", **text_style)


# The root chain

HITS, MISSES, MOST_CELLS = 17, 18, 8  # ship cells of the paper's game; l; the greatest j
CHAIN_LENGTH, FIRST_CELLS = 7, 4  # vertices drawn, and j for them


@figure((TABLES["coverage"], "10x10_54332"))
def root_chain(coverage: Path) -> Figure:
    """Draw the chain of misses with its subtrees, and below it both parts of the bound."""
    figure = Figure(figsize=(5.4, 5.2))
    _draw_chain(figure.add_axes((0, 0.55, 1, 0.45)))
    _draw_parts(figure.add_axes((0.13, 0.08, 0.84, 0.38)), TABLES["coverage"].read(coverage))
    style.letter_panels(*figure.axes)
    return figure


def _draw_chain(ax: Axes) -> None:
    """Draw the cells that a strategy shoots until its first hit, and the subtrees after hits.

    A brace below groups the subtrees of the FIRST_CELLS cells, and another one the rest.
    """
    for i in range(CHAIN_LENGTH):
        colour = style.BLUE if i < FIRST_CELLS else style.ORANGE
        ax.plot([i, i + 1], [0, 0], color=style.GRID, lw=1.2, zorder=1)  # the miss
        ax.plot([i, i - 0.3], [0, -0.75], color=style.GRID, lw=1.2, zorder=1)  # the hit
        subtree = [(i - 0.3, -0.7), (i - 0.62, -1.6), (i + 0.1, -1.6)]
        ax.add_patch(Polygon(subtree, facecolor=colour, alpha=0.25, edgecolor="none"))
        ax.add_patch(Circle((i, 0), 0.24, facecolor="white", edgecolor=style.INK, zorder=2))
        ax.text(i, -0.02, f"$c_{i}$", ha="center", va="center", color=style.INK)
        style.write_note(ax, MISS.sign, (i + 0.5, 0), ha="center", va="center_baseline")
        style.write_note(ax, HIT.sign, (i - 0.19, -0.47), ha="center", va="center_baseline")
    style.write_note(ax, "…", (CHAIN_LENGTH + 0.1, -0.05))
    covered_text = f"first hit at one of j = {FIRST_CELLS} cells:\nat most Cov({FIRST_CELLS})"
    others_text = (
        f"behind {FIRST_CELLS} misses: at most\nC(l − {FIRST_CELLS} + {HITS}, {HITS}) sequences"
    )
    for first_cell, next_cell, text in (
        (0, FIRST_CELLS, covered_text),
        (FIRST_CELLS, CHAIN_LENGTH, others_text),
    ):
        left, right = first_cell - 0.6, next_cell - 0.9
        ax.plot([left, left, right, right], [-1.7, -1.8, -1.8, -1.7], color=style.LABEL, lw=0.8)
        style.write_note(
            ax, text, ((left + right) / 2, -1.9), ha="center", va="top", color=style.INK
        )
    style.write_note(ax, "a strategy until its first hit: one fixed sequence of cells", (-0.3, 0.5))
    ax.set_xlim(-0.8, CHAIN_LENGTH + 0.5)
    ax.set_ylim(-2.6, 0.8)
    ax.set_axis_off()


def _draw_parts(ax: Axes, table: Entries) -> None:
    """Draw both parts of the bound A(MISSES) for each j, as shares of all configurations.

    The first part is Cov(j), the most configurations that any j cells meet. The second one counts
    the sequences of replies after j misses. The least sum is named.
    """
    configurations = int(table.header["configurations"])
    covered_shares = [row["most_met"] / configurations for row in table][: MOST_CELLS + 1]
    j_values = range(len(covered_shares))
    other_shares = [comb(MISSES - j + HITS, HITS) / configurations for j in j_values]
    bound_shares = [covered_shares[j] + other_shares[j] for j in j_values]
    best_j = bound_shares.index(min(bound_shares))
    ax.bar(j_values, covered_shares, 0.6, color=style.BLUE, alpha=0.55, label="Cov(j)")
    ax.bar(
        j_values,
        other_shares,
        0.6,
        bottom=covered_shares,
        color=style.ORANGE,
        alpha=0.55,
        hatch="////",  # told apart in grey
        edgecolor="white",
        label=f"C({MISSES} − j + {HITS}, {HITS})",
    )
    least_share = bound_shares[best_j]
    ax.axhline(least_share, color=style.INK, lw=0.8, ls=(0, (4, 3)), zorder=0)
    style.write_note(
        ax,
        f"least at j = {best_j}: A({MISSES}) = {least_share:.4f} N",
        (best_j, least_share),
        xytext=(0, 42),
        ha="center",
        color=style.INK,
        arrowprops={"arrowstyle": "-", "color": style.LABEL, "lw": 0.8},
    )
    ax.axhline(1, color=style.GRID, lw=0.8, zorder=0)
    ax.set_ylim(0, 2.5)
    ax.set_xlabel("j, cells of the chain")
    ax.set_ylabel("of all N configurations")
    ax.legend(loc="upper right", ncols=2)


# The trees that bound coverages

# Cell of P -> the edges of its tree on the cells before it.
TREES = {3: ((1, 2),), 4: ((1, 2), (2, 3)), 5: ((1, 2), (2, 3), (2, 4))}
COVERED = (1, 2, 4, 5)  # the cells of P that one configuration covers
CORNERS = {  # of a regular pentagon, one for each cell of P, clockwise from the top
    cell: (cos(pi / 2 - 2 * pi * (cell - 1) / 5), sin(pi / 2 - 2 * pi * (cell - 1) / 5))
    for cell in range(1, 6)
}


@figure()
def bonferroni_trees() -> Figure:
    """Draw a panel per added cell: its tree, and triples of the cell and an edge of the tree.

    Below, the terms of the inequality are counted for a configuration that covers COVERED.
    """
    figure = Figure(figsize=(6.2, 2.5))
    for panel, (cell, edges) in enumerate(TREES.items()):
        _draw_tree(figure.add_axes((panel / 3, 0.22, 1 / 3, 0.78)), cell, edges)
    cell_count, pair_count = len(COVERED), len(list(combinations(COVERED, 2)))
    triples = [{cell, *edge} for cell, edges in TREES.items() for edge in edges]
    whole_count = sum(triple <= set(COVERED) for triple in triples)
    terms_sum = 1 - cell_count + pair_count - whole_count
    figure.text(
        0.5,
        0.08,
        f"a configuration that covers the i = {cell_count} filled cells has e = {whole_count} of "
        "these triples whole:  1 − i + C(i, 2) − e = "
        f"1 − {cell_count} + {pair_count} − {whole_count} = {terms_sum}",
        ha="center",
        fontsize=style.SMALL + 0.5,
        color=style.INK,
    )
    style.letter_panels(*figure.axes)
    return figure


def _draw_tree(ax: Axes, cell: int, edges: tuple[tuple[int, int], ...]) -> None:
    """Draw the tree of a cell on the cells before it, and the triples of the cell and an edge.

    Triples are filled darker if all their cells are covered.
    """
    for edge in edges:
        is_whole = {cell, *edge} <= set(COVERED)
        ax.add_patch(
            Polygon(
                [CORNERS[cell], *(CORNERS[end] for end in edge)],
                facecolor=style.ORANGE if is_whole else style.SKY,
                alpha=0.4 if is_whole else 0.2,
                edgecolor="none",
            )
        )
        ax.plot(*zip(*(CORNERS[end] for end in edge), strict=True), color=style.INK, lw=2)
    for number in range(1, cell + 1):
        x, y = CORNERS[number]
        is_covered = number in COVERED
        ax.plot(
            x,
            y,
            "o",
            markersize=15,
            markerfacecolor=style.INK if is_covered else "white",
            markeredgecolor=style.INK,
        )
        ax.text(
            x,
            y,
            str(number),
            ha="center",
            va="center_baseline",
            color="white" if is_covered else style.INK,
        )
    ax.set_title(f"cell {cell}: {len(edges)} triple{'s' if len(edges) > 1 else ''}")
    ax.set_xlim(-1.5, 1.5)
    ax.set_ylim(-1.15, 1.3)
    ax.set_aspect("equal")
    ax.set_axis_off()
