"""The bracket of the usual game, bound by bound: python -m paper_figures.bracket."""

import sys
import textwrap
from math import ceil, floor
from pathlib import Path

from matplotlib.figure import Figure

from optsearch import results
from paper_figures import script, style

COLOURS = {"lower": "#2166ac", "upper": "#b2182b"}


def draw(source: Path) -> Figure:
    """One line a bound, from the paper's to ours; what the best two leave open is shaded.

    Lower bounds are rounded down, upper ones up.
    """
    table = results.BRACKET.read(source)
    rows = [(row["side"], row["name"], row["value_exact"]) for row in table]
    figure, ax = style.figure(5.2, 0.34 * len(rows) + 0.2)
    left = max(value for side, _, value in rows if side == "lower")
    right = min((value for side, _, value in rows if side == "upper"), default=left)
    ax.axvspan(float(left), float(right), color="#e4e7eb", lw=0)
    names = []
    for height, (side, name, value) in enumerate(rows):
        ax.plot(
            [float(value)], [-height], ">" if side == "lower" else "<", color=COLOURS[side], ms=6
        )
        rounded = (floor if side == "lower" else ceil)(value * 10**4) / 10**4
        ax.annotate(
            f"{float(value):g}" if rounded == float(value) else f"{rounded:.4f}",
            (float(value), -height),
            xytext=(7 if side == "lower" else -7, 0),
            textcoords="offset points",
            va="center",
            ha="left" if side == "lower" else "right",
            fontsize=8,
        )
        names.append(textwrap.fill(f"{name.replace(',', ', ')} ({side})", 44))
    ax.set_yticks([-height for height in range(len(rows))], names, fontsize=7.5)
    ax.set_ylim(-len(rows) + 0.4, 0.6)
    ax.margins(x=0.09)
    ax.set_xlabel("shots on average, " + table.header["game"])
    ax.grid(axis="x", lw=0.4)
    ax.set_axisbelow(True)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    return figure


FIGURE = script.PaperFigure("bracket", results.BRACKET, draw)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
