"""The trees by which coverages are bounded: python -m paper_figures.bonferroni_trees."""

import sys
from itertools import combinations
from math import cos, pi, sin

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Polygon

from paper_figures import script, style

# The cells of P in their order; with each comes a tree on those before it.
TREES = {3: ((1, 2),), 4: ((1, 2), (2, 3)), 5: ((1, 2), (2, 3), (2, 4))}
COVERED = (1, 2, 4, 5)  # the cells of P that one configuration covers
PLACE = {
    cell: (cos(pi / 2 - 2 * pi * (cell - 1) / 5), sin(pi / 2 - 2 * pi * (cell - 1) / 5))
    for cell in range(1, 6)
}


def draw() -> Figure:
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


FIGURE = script.PaperFigure("bonferroni_trees", None, draw)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
