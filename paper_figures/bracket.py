"""The bracket of the usual game, bound by bound: python -m paper_figures.bracket."""

import sys
import textwrap
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.markers import CARETLEFT, CARETRIGHT

from optsearch.game.names import together
from optsearch.results import tables as results
from optsearch.support.decimals import brief
from paper_figures import script, style

COLOURS = {"lower": style.BLUE, "upper": style.ORANGE}
HEADINGS = {"lower": "no strategy takes fewer", "upper": "a strategy that takes no more"}
WIDE = 48  # letters


class Line(NamedTuple):
    """One value and all that gives it."""

    side: str
    label: str
    value: Fraction


def lines(table: results.Entries) -> list[Line]:
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


def draw(source: Path) -> Figure:
    """A bar a bound, as far as the mean is ruled out; what the best two leave open is shaded."""
    table = results.BRACKET.read(source)
    shown = lines(table)
    sides = [side for side in ("lower", "upper") if any(line.side == side for line in shown)]
    figure, ax = style.figure(4.2, 0.25 * (len(shown) + len(sides)))
    left = max(line.value for line in shown if line.side == "lower")
    right = min((line.value for line in shown if line.side == "upper"), default=left)
    least, most = (float(pick(line.value for line in shown)) for pick in (min, max))
    room = max(0.16 * (most - least), 0.5)
    ends = {"lower": least - room / 2, "upper": most + room / 2}
    ax.axvspan(float(left), float(right), color=style.OPEN, lw=0)
    heights, names = [], []
    height = 0
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
            if line.side != side:
                continue
            height -= 1
            value = float(line.value)
            ax.plot([ends[side], value], [height] * 2, lw=5, alpha=0.18, color=COLOURS[side])
            marker = CARETRIGHT if side == "lower" else CARETLEFT
            ax.plot([value], [height], marker=marker, color=COLOURS[side], ms=6, gid="bound")
            style.note(
                ax,
                brief(line.value, line.side),
                (value, height),
                xytext=(5 if side == "lower" else -5, 0),
                va="center",
                ha="left" if side == "lower" else "right",
            )
            heights.append(height)
            names.append(textwrap.fill(line.label, WIDE))
        height -= 1
    _draw_last(ax, [float(line.value) for line in shown if line.side == "upper"])
    ax.set_yticks(heights, names, fontsize=style.SMALL)
    ax.set_ylim(height + 0.4, 0.6)
    ax.set_xlim(least - room / 2, most + room / 2)
    ax.set_xlabel(f"mean number of shots, {table.header['game']}")
    ax.grid(axis="x")
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    return figure


def _draw_last(ax: Axes, uppers: list[float]) -> None:
    """The strategies within a shot of the best one, larger, where nothing else is drawn."""
    near = [value for value in uppers if value < uppers[-1] + 1]
    if len(near) < 3:
        return
    inset = ax.inset_axes((0.63, 0.57, 0.36, 0.36))
    reach = near[0] - near[-1]
    inset.axvspan(near[-1] - reach, near[-1], color=style.OPEN, lw=0)
    for number, value in enumerate(near):
        end = near[0] + 0.2 * reach
        inset.plot([end, value], [-number] * 2, lw=5, alpha=0.18, color=style.ORANGE)
        inset.plot([value], [-number], marker=CARETLEFT, color=style.ORANGE, ms=6)
        at = {"xytext": (-5, 0), "va": "center", "ha": "right"}
        style.note(inset, brief(Fraction(value), "upper"), (value, -number), **at)
    inset.set_xlim(near[-1] - 0.35 * reach, near[0] + 0.2 * reach)
    inset.set_ylim(0.6 - len(near), 0.6)
    inset.set_yticks([])
    inset.tick_params(labelsize=style.SMALL)
    inset.set_title("the best strategies, larger", fontsize=style.SMALL, pad=3)
    inset.spines["left"].set_visible(False)


FIGURE = script.PaperFigure("bracket", results.BRACKET, draw)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
