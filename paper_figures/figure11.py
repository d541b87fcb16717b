"""Figure 11: how many configurations take how many shots: python -m paper_figures.figure11."""

import sys
from pathlib import Path

from matplotlib.figure import Figure

from optsearch.results import tables as results
from paper_figures import script, style

PRINTED = {"line": "upper_bound_10x10", "cross": "naive_strategy_mean"}
COLOURS = {"line": style.BLUE, "cross": style.ORANGE}
LABELS = {"line": "the row first", "cross": "four directions"}


def draw(line: Path, cross: Path, numbers: Path) -> Figure:
    """The two strategies of section 4.2, reconstructed; the naive one is on the right.

    Dotted lines are our means, dashed ones those that the paper prints.
    """
    printed = {row["name"]: row["value"] for row in script.printed(numbers)}
    figure, ax = style.curves(height=2.8)
    means: list[tuple[float, str, str, str]] = []
    for clear, source in (("line", line), ("cross", cross)):
        table = results.EVALUATION.read(source)
        shots = table.column("shots")
        millions = [n / 1e6 for n in table.column("configurations")]
        colour, dashed = COLOURS[clear], clear == "cross"
        ax.plot(shots, millions, "--" if dashed else "-", color=colour, label=LABELS[clear])
        mean, said = float(table.header["mean"]), printed[PRINTED[clear]]
        means += [
            (mean, f"mean {mean:.1f}", ":", colour),
            (float(said), f"printed {said}", "--", colour),
        ]
    top = ax.dataLim.ymax
    paper = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
    for i, (value, text, mark, colour) in enumerate(means):
        height = top * (1.32 if i in (1, 2) else 1.2)  # its text passes above the other line
        ax.plot([value] * 2, [0, height], mark, color=colour, lw=0.9, gid="mean")
        side = -1 if i < 2 else 1
        ha = "right" if i < 2 else "left"
        style.note(
            ax, text, (value, height), xytext=(3 * side, -6), ha=ha, color=colour, bbox=paper
        )
    ax.set_xlabel("shots")
    ax.set_ylabel("configurations, millions")
    ax.set_ylim(0, 1.4 * top)
    ax.legend(loc="upper left", title="after a hit, reconstructed")
    return figure


FIGURE = script.PaperFigure(
    "figure11",
    results.EVALUATION,
    draw,
    "pattern_line",
    also=((results.EVALUATION, "pattern_cross"), (script.Published("numbers", "csv"), "")),
)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
