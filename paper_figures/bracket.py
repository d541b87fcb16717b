"""The bracket of the usual game by bounds, and its history: python -m paper_figures.bracket."""

import re
import sys
import textwrap
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.markers import CARETLEFT, CARETRIGHT
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from optsearch.game.names import in_words, together
from optsearch.results import tables as results
from optsearch.support.decimals import brief
from paper_figures import script, style

COLOURS = {"lower": style.BLUE, "upper": style.ORANGE}
HEADINGS = {"lower": "no strategy takes fewer", "upper": "a strategy that takes no more"}
MARKERS = {"lower": CARETRIGHT, "upper": CARETLEFT}
WIDE = 48  # letters
ROW, STEP = 0.25, 0.2  # inches, of a bound and of a step of the history
LAST = Fraction(1, 10)  # of a shot, which the inset has


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


def draw(source: Path, history: Path | None = None) -> Figure:
    """A bar a bound, as far as the mean is ruled out; what the best two leave open is shaded.

    history -- a table of how each side came there, drawn below.
    """
    table = results.BRACKET.read(source)
    shown = lines(table)
    labels = {line: textwrap.fill(line.label, WIDE) for line in shown}
    sides = [side for side in ("lower", "upper") if any(line.side == side for line in shown)]
    steps = [] if history is None else results.BRACKET_HISTORY.read(history).rows
    rows = len(shown) + len(sides) + 0.4 * sum(text.count("\n") for text in labels.values())
    here = ROW * rows
    below = 1.0 + STEP * max(_number(steps, side) for side in sides) if steps else 0.0
    figure = Figure(figsize=(4.2, here + below))
    ax = figure.add_axes((0, below / (here + below), 1, here / (here + below)))
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
    ax.grid(axis="x")
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    if steps:
        panels = [_draw_history(figure, side, steps, below / (here + below)) for side in sides]
        style.letters(ax, *panels)
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
    _tip(ax, side, value, height, "bound")


def _tip(ax: Axes, side: str, value: Fraction, height: float, gid: str) -> None:
    at, sign = (float(value), height), 1 if side == "lower" else -1
    mark: dict[str, Any] = {"marker": MARKERS[side], "color": COLOURS[side], "ms": 6, "mew": 0}
    ax.plot(*at, **mark, clip_on=False, gid=gid)
    beside = {"xytext": (5 * sign, 0), "va": "center", "ha": "left" if sign > 0 else "right"}
    style.note(ax, brief(value, side), at, **beside)


def _draw_last(ax: Axes, uppers: list[Fraction]) -> None:
    """The strategies within a tenth of a shot of the best one, where nothing else is drawn."""
    near = [value for value in uppers if value <= uppers[-1] + LAST]
    if len(near) < 3:
        return
    ground = Rectangle((0.6, 0.66), 0.4, 0.32, transform=ax.transAxes, fc="white", lw=0)
    ax.add_patch(ground)
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


def _number(steps: Sequence[dict[str, object]], side: str) -> int:
    return sum(step["side"] == side for step in steps)


def _draw_history(
    figure: Figure, side: str, steps: Sequence[dict[str, object]], most: float
) -> Axes:
    """How one side moved, the first step on top; most -- the part of the height that is free."""
    number = _number(steps, side)
    high = STEP * number / figure.get_figheight()
    x, wide = (0.0, 0.32) if side == "lower" else (0.68, 0.32)
    ax = figure.add_axes((x, most - 0.72 / figure.get_figheight() - high, wide, high))
    here = [step for step in steps if step["side"] == side]
    values = [Fraction(str(step["value_exact"])) for step in here]
    places = [float(value) for value in values]
    colour = COLOURS[side]
    ax.step(places, range(number), where="pre", color=colour, lw=0.8, alpha=0.5)
    sign = 1 if side == "lower" else -1
    for height, value in enumerate(values):
        _tip(ax, side, value, height, "step")
    names = [re.sub(r" \(.*?\)|, (as|samples) .*", "", in_words(str(s["name"]))) for s in here]
    ax.set_yticks(range(number), [f"{s['date']}: {n}" for s, n in zip(here, names, strict=True)])
    ax.tick_params(labelsize=style.SMALL)
    ax.tick_params(axis="y", length=0)
    room = 0.06 * abs(places[-1] - places[0]) or 0.5
    far = places[-1] + sign * 10 * room
    ax.set_xlim(min(places[0], far) - room, max(places[0], far) + room)
    ax.set_ylim(number - 0.5, -0.5)
    ax.spines["left"].set_visible(False)
    ax.set_title(f"the best {side} bound", fontsize=style.SMALL, fontweight="bold", color=colour)
    return ax


FIGURE = script.PaperFigure("bracket", results.BRACKET, draw, also=((results.BRACKET_HISTORY, ""),))

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
