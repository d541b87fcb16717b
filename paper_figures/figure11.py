"""Figure 11: how many configurations take how many shots: python -m paper_figures.figure11."""

import sys
from pathlib import Path

from matplotlib.figure import Figure

from optsearch import results
from paper_figures import script, style

COLOURS = {"line": "#1f5f8b", "cross": "#c2410c"}
LABELS = {
    "line": "right and left first, reconstructed",
    "cross": "four directions, reconstructed",
}


def draw(source: Path) -> Figure:
    """The two strategies of section 4.2, reconstructed; the naive one is on the right."""
    figure, ax = style.figure(4.5, 2.6)
    for clear in ("line", "cross"):
        table = results.EVALUATION.read(source.with_name(f"pattern_{clear}.csv"))
        shots = table.column("shots")
        millions = [n / 1e6 for n in table.column("configurations")]
        mean = float(table.header["mean"])
        ax.plot(shots, millions, color=COLOURS[clear], lw=1.4, label=f"{LABELS[clear]}: {mean:.1f}")
        ax.axvline(mean, color=COLOURS[clear], lw=0.6, ls=":")
    ax.set_xlabel("shots")
    ax.set_ylabel("configurations, millions")
    ax.set_ylim(0, 1.3 * ax.dataLim.ymax)  # the legend is above the curves
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, fontsize=7.5, loc="upper left")
    return figure


FIGURE = script.PaperFigure("figure11", results.EVALUATION, draw, "pattern_line")

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
