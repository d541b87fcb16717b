"""Brackets of the optimum, and the arguments of lower bounds."""

from __future__ import annotations

import textwrap
from fractions import Fraction
from itertools import combinations
from math import comb, cos, pi, sin
from pathlib import Path
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.markers import CARETLEFT, CARETRIGHT
from matplotlib.patches import Circle, Polygon
from matplotlib.ticker import MaxNLocator

from optsearch.drawing import MARKS
from optsearch.game.names import together
from optsearch.results.tables import BOXED_BRACKET, BRACKET, COVERAGE, Entries
from optsearch.support.decimals import brief
from paper_figures import style
from paper_figures.registry import figure

# The bracket

COLOURS = {"lower": style.BLUE, "upper": style.ORANGE}
HEADINGS = {"lower": "no strategy takes fewer", "upper": "a strategy that takes no more"}
MARKERS = {"lower": CARETRIGHT, "upper": CARETLEFT}
WIDE = 48  # letters
ROW = 0.25  # inches, of a bound
LAST = Fraction(1, 10)  # of a shot, which the inset has


class Line(NamedTuple):
    """One value and all that gives it."""

    side: str
    label: str
    value: Fraction


def lines(table: Entries) -> list[Line]:
    """The bounds by side, from the weakest to the best; those of one value are one line."""
    found = []
    for side in ("lower", "upper"):
        rows = [row for row in table if row["side"] == side]
        for value in sorted({row["value_exact"] for row in rows}, reverse=side == "upper"):
            some = [row for row in rows if row["value_exact"] == value]
            label = together([row["name"] for row in some])
            if all("announce=nothing" in (row["source"] or "") for row in some):
                label += ", by hits and misses alone"
            found.append(Line(side, label, value))
    return found


def draw_bracket(source: Path) -> Figure:
    """A bar a bound, as far as the mean is ruled out; what the best two leave open is shaded."""
    table = BRACKET.read(source)
    shown = lines(table)
    labels = {line: textwrap.fill(line.label, WIDE) for line in shown}
    sides = [side for side in ("lower", "upper") if any(line.side == side for line in shown)]
    rows = len(shown) + len(sides) + 0.4 * sum(text.count("\n") for text in labels.values())
    figure, ax = style.figure(4.2, ROW * rows)
    left = max(line.value for line in shown if line.side == "lower")
    right = min((line.value for line in shown if line.side == "upper"), default=left)
    least, most = (float(pick(line.value for line in shown)) for pick in (min, max))
    room = max(0.16 * (most - least), 0.5)
    ends = {"lower": least - room / 2, "upper": most + room / 2}
    ax.axvspan(float(left), float(right), color=style.OPEN, lw=0)
    heights: list[float] = []
    height = 0.0
    for side in sides:
        ax.text(
            *(-0.02, height),
            HEADINGS[side],
            transform=ax.get_yaxis_transform(),
            ha="right",
            va="center",
            fontsize=style.SMALL,
            fontweight="bold",
            color=COLOURS[side],
        )
        for line in shown:
            if line.side == side:
                more = 0.2 * labels[line].count("\n")
                height -= 1 + more
                _bar(ax, side, line.value, ends[side], height)
                heights.append(height)
                height -= more
        height -= 1
    _draw_last(ax, [line.value for line in shown if line.side == "upper"])
    ax.set_yticks(heights, list(labels.values()), fontsize=style.SMALL)
    ax.set_ylim(height + 0.4, 0.6)
    ax.set_xlim(least - room / 2, most + room / 2)
    ax.set_xlabel(f"mean number of shots, {table.header['game']}")
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    return figure


def _bar(ax: Axes, side: str, value: Fraction, end: float, height: float) -> None:
    """What a bound rules out: its tip touches the value, which stands beside it."""
    line: dict[str, Any] = {
        "lw": 5,
        "alpha": 0.18,
        "color": COLOURS[side],
        "solid_capstyle": "butt",
    }
    ax.plot([end, float(value)], [height] * 2, **line)
    at, sign = (float(value), height), 1 if side == "lower" else -1
    mark: dict[str, Any] = {"marker": MARKERS[side], "color": COLOURS[side], "ms": 6, "mew": 0}
    ax.plot(*at, **mark, clip_on=False, gid="bound")
    beside: dict[str, Any] = {"xytext": (5 * sign, 0), "va": "center", "bbox": None}
    beside["ha"] = "left" if sign > 0 else "right"
    style.note(ax, brief(value, side), at, **beside)


def _draw_last(ax: Axes, uppers: list[Fraction]) -> None:
    """The strategies within a tenth of a shot of the best one, where nothing else is drawn."""
    near = [value for value in uppers if value <= uppers[-1] + LAST]
    if len(near) < 3:
        return
    inset = ax.inset_axes((0.63, 0.72, 0.36, 0.21))
    best, reach = float(near[-1]), float(near[0] - near[-1])
    inset.axvspan(best - 0.8 * reach, best, color=style.OPEN, lw=0)
    for number, value in enumerate(near):
        _bar(inset, "upper", value, float(near[0]) + 0.2 * reach, -number)
    inset.set_xlim(best - 0.8 * reach, float(near[0]) + 0.2 * reach)
    inset.set_ylim(0.5 - len(near), 0.5)
    inset.set_yticks([])
    inset.xaxis.set_major_locator(MaxNLocator(3))
    inset.tick_params(labelsize=style.SMALL)
    inset.set_title("the last tenth of a shot", fontsize=style.SMALL, pad=3)
    inset.spines["left"].set_visible(False)


@figure(BRACKET)
def bracket(source: Path) -> Figure:
    """What is known of the paper's game."""
    return draw_bracket(source)


@figure(BOXED_BRACKET)
def bracket_boxed(source: Path) -> Figure:
    """What is known of the boxed game."""
    return draw_bracket(source)


# The root chain

HITS, MISSES, SHOTS = 17, 18, 8  # of the paper's game; l; cells that are compared
CHAIN, CELLS = 7, 4  # vertices that are drawn, and the first j of them


@figure((COVERAGE, "10x10_54332"))
def root_chain(coverage: Path) -> Figure:
    """Above, the chain of misses with what hangs from it; below, both parts of the bound."""
    figure = Figure(figsize=(5.4, 5.2))
    _draw_chain(figure.add_axes((0, 0.55, 1, 0.45)))
    _draw_parts(figure.add_axes((0.13, 0.08, 0.84, 0.38)), COVERAGE.read(coverage))
    style.letters(*figure.axes)
    return figure


def _draw_chain(ax: Axes) -> None:
    for i in range(CHAIN):
        colour = style.BLUE if i < CELLS else style.ORANGE
        ax.plot([i, i + 1], [0, 0], color=style.GRID, lw=1.2, zorder=1)
        ax.plot([i, i - 0.3], [0, -0.75], color=style.GRID, lw=1.2, zorder=1)
        corners = [(i - 0.3, -0.7), (i - 0.62, -1.6), (i + 0.1, -1.6)]
        ax.add_patch(Polygon(corners, facecolor=colour, alpha=0.25, edgecolor="none"))
        ax.add_patch(Circle((i, 0), 0.24, facecolor="white", edgecolor=style.INK, zorder=2))
        ax.text(i, -0.02, f"$c_{i}$", ha="center", va="center", color=style.INK)
        style.note(ax, MARKS["miss"], (i + 0.5, 0), ha="center", va="center_baseline")
        style.note(ax, MARKS["hit"], (i - 0.19, -0.47), ha="center", va="center_baseline")
    style.note(ax, "…", (CHAIN + 0.1, -0.05))
    for first, after, text in (
        (0, CELLS, f"first hit at one of j = {CELLS} cells:\nat most Cov({CELLS})"),
        (
            CELLS,
            CHAIN,
            f"behind {CELLS} misses: at most\nC(l − {CELLS} + {HITS}, {HITS}) sequences",
        ),
    ):
        left, right = first - 0.6, after - 0.9
        ax.plot([left, left, right, right], [-1.7, -1.8, -1.8, -1.7], color=style.LABEL, lw=0.8)
        style.note(ax, text, ((left + right) / 2, -1.9), ha="center", va="top", color=style.INK)
    style.note(ax, "a strategy until its first hit: one fixed sequence of cells", (-0.3, 0.5))
    ax.set_xlim(-0.8, CHAIN + 0.5)
    ax.set_ylim(-2.6, 0.8)
    ax.set_axis_off()


def _draw_parts(ax: Axes, table: Entries) -> None:
    """For so many misses, what the first cells meet and what is behind them, in parts of all."""
    whole = int(table.header["configurations"])
    met = [row["most_met"] / whole for row in table][: SHOTS + 1]
    behind = [comb(MISSES - j + HITS, HITS) / whole for j in range(len(met))]
    least = min(range(len(met)), key=lambda j: met[j] + behind[j])
    ax.bar(range(len(met)), met, 0.6, color=style.BLUE, alpha=0.55, label="Cov(j)")
    ax.bar(
        range(len(met)),
        behind,
        0.6,
        met,
        color=style.ORANGE,
        alpha=0.55,
        hatch="////",  # apart in grey
        edgecolor="white",
        label=f"C({MISSES} − j + {HITS}, {HITS})",
    )
    height = met[least] + behind[least]
    ax.axhline(height, color=style.INK, lw=0.8, ls=(0, (4, 3)), zorder=0)
    style.note(
        ax,
        f"least at j = {least}: A({MISSES}) = {height:.4f} N",
        (least, height),
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

# The cells of P in their order; with each comes a tree on those before it.
TREES = {3: ((1, 2),), 4: ((1, 2), (2, 3)), 5: ((1, 2), (2, 3), (2, 4))}
COVERED = (1, 2, 4, 5)  # the cells of P that one configuration covers
PLACE = {
    cell: (cos(pi / 2 - 2 * pi * (cell - 1) / 5), sin(pi / 2 - 2 * pi * (cell - 1) / 5))
    for cell in range(1, 6)
}


@figure()
def bonferroni_trees() -> Figure:
    """A panel for each cell that comes: the tree, and the triples that it makes with the cell."""
    figure = Figure(figsize=(6.2, 2.5))
    for i, (cell, edges) in enumerate(TREES.items()):
        _draw_tree(figure.add_axes((i / 3, 0.22, 1 / 3, 0.78)), cell, edges)
    i = len(COVERED)
    triples = [{cell, *edge} for cell, edges in TREES.items() for edge in edges]
    whole = sum(triple <= set(COVERED) for triple in triples)
    pairs = len(list(combinations(COVERED, 2)))
    figure.text(
        0.5,
        0.08,
        f"a configuration that covers the i = {i} filled cells has e = {whole} of these triples "
        f"whole:  1 − i + C(i, 2) − e = 1 − {i} + {pairs} − {whole} = {1 - i + pairs - whole}",
        ha="center",
        fontsize=style.SMALL + 0.5,
        color=style.INK,
    )
    style.letters(*figure.axes)
    return figure


def _draw_tree(ax: Axes, cell: int, edges: tuple[tuple[int, int], ...]) -> None:
    for edge in edges:
        is_whole = {cell, *edge} <= set(COVERED)
        ax.add_patch(
            Polygon(
                [PLACE[n] for n in (cell, *edge)],
                facecolor=style.ORANGE if is_whole else style.SKY,
                alpha=0.4 if is_whole else 0.2,
                edgecolor="none",
            )
        )
        ax.plot(*zip(*(PLACE[n] for n in edge), strict=True), color=style.INK, lw=2)
    for n in range(1, cell + 1):
        x, y = PLACE[n]
        is_covered = n in COVERED
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
            str(n),
            ha="center",
            va="center_baseline",
            color="white" if is_covered else style.INK,
        )
    ax.set_title(f"cell {cell}: {len(edges)} triple{'s' if len(edges) > 1 else ''}")
    ax.set_xlim(-1.5, 1.5)
    ax.set_ylim(-1.15, 1.3)
    ax.set_aspect("equal")
    ax.set_axis_off()
