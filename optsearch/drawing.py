"""Boards, matrices and decision trees drawn on matplotlib axes, in the style of the paper.

Nothing is computed here but where things go, and no file is written. Wherever a reply is drawn, a
small circle is a hit and a small cross is a miss (Audinot, Bonnet and Viennot (2014), section 3.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Rectangle
from matplotlib.path import Path
from numpy.typing import NDArray

from optsearch.errors import NotSupported, TreeError
from optsearch.game import cell_name, column_name
from optsearch.position import HIT, MISS, Position
from optsearch.tree import DecisionTree, Leaf, Node

INK = "#1f2933"
LABEL = "#52606d"
GRID = "#9aa5b1"
HIT_CELL = "#f6d5bd"
MISS_CELL = "#eef1f4"
CHECK = "#2f7d4f"
HEAT = LinearSegmentedColormap.from_list("heat", ["#fbfcfe", "#cfe0f1", "#8fb8de"])

# Trees, in inches (a slot is the width of a leaf) and points.
SLOT = 0.40
LEVEL = 0.58
NODE_SIZE = 20.0
MARK_SIZE = 5.0
NAME_SIZE = 8.0
SLANT = 0.5  # how far, in slots, a node with one branch stands beside its child
_END = 0.27  # the part of an edge that is as high as the vertex at its end
_AIR = 0.1  # in slots, on either side of an edge

_CHECK_MARK = Path([(-0.45, 0.0), (-0.12, -0.4), (0.5, 0.45)])


# Boards and matrices


def draw_board(ax: Axes, position: Position) -> None:
    """Draw a position: the grid, column letters above, row numbers on the left, and the shots.

    A cell hit is shaded and has a circle, a cell missed has a cross.
    """
    game = position.game
    for shot in position.shots:
        row, column = shot.cell
        shade = HIT_CELL if shot.reply.hit else MISS_CELL
        ax.add_patch(Rectangle((column, row), 1, 1, facecolor=shade, edgecolor="none", gid="shot"))
        if shot.reply.hit:
            centre = (column + 0.5, row + 0.5)
            ax.add_patch(Circle(centre, 0.25, fill=False, edgecolor=INK, lw=1.6, gid="hit"))
        else:
            x = [column + 0.28, column + 0.72, np.nan, column + 0.28, column + 0.72]
            y = [row + 0.28, row + 0.72, np.nan, row + 0.72, row + 0.28]
            ax.add_line(Line2D(x, y, color=INK, lw=1.6, solid_capstyle="round", gid="miss"))
    _draw_grid(ax, game.rows, game.columns)
    ax.set_aspect("equal")


def draw_matrix(
    ax: Axes, matrix: Sequence[Sequence[float]] | NDArray[Any], format: str = ""
) -> None:
    """Draw one number a cell over a quiet heat map, as the paper's Figures 2 and 3.

    matrix -- rows of numbers; format -- how to write one, such as `d` or `.1f`. The text is as
    large as the cells of these axes allow, so give the axes their size first.
    """
    rows, columns = len(matrix), len(matrix[0])
    texts = [[f"{value:{format}}" for value in row] for row in matrix]
    values = np.array([[float(value) for value in row] for row in matrix])
    ax.pcolormesh(np.arange(columns + 1), np.arange(rows + 1), values, cmap=HEAT)
    box = ax.get_window_extent()
    points = 72 / ax.figure.get_dpi()
    longest = max(len(text) for row in texts for text in row)
    size = min(box.width / columns * 0.8 / (0.64 * longest), box.height / rows * 0.4) * points
    for i, row in enumerate(texts):
        for j, text in enumerate(row):
            ax.text(
                j + 0.5,
                i + 0.5,
                text,
                ha="center",
                va="center",
                fontsize=size,
                color=INK,
                gid="value",
            )
    _draw_grid(ax, rows, columns)


def draw_probability(ax: Axes, position: Position, probability: NDArray[np.float64]) -> None:
    """Draw a position over the heat map of the probability of a ship on each cell, in percent.

    The colours span the cells not shot yet. Give the axes their size first, as in `draw_matrix`.
    """
    shown = np.array(probability, dtype=float)
    for shot in position.shots:
        shown[shot.cell] = np.nan
    draw_board(ax, position)
    ax.pcolormesh(
        np.arange(position.game.columns + 1),
        np.arange(position.game.rows + 1),
        np.ma.masked_invalid(100 * shown),
        cmap=HEAT,
        gid="heat",
    )
    box = ax.get_window_extent()
    points = 72 / ax.figure.get_dpi()
    size = min(box.width / position.game.columns / 4, box.height / position.game.rows * 0.4)
    for row, column in np.ndindex(shown.shape):
        if not np.isnan(shown[row, column]):
            ax.text(
                column + 0.5,
                row + 0.5,
                f"{100 * shown[row, column]:.1f}",
                ha="center",
                va="center",
                fontsize=size * points,
                color=INK,
                gid="value",
            )


def _draw_grid(ax: Axes, rows: int, columns: int) -> None:
    """Lines and labels; the cell (row, column) is the unit square from (column, row) on."""
    lines = [((j, 0), (j, rows)) for j in range(1, columns)]
    lines += [((0, i), (columns, i)) for i in range(1, rows)]
    ax.add_collection(LineCollection(lines, colors=GRID, linewidths=0.8, gid="grid"))
    frame = Rectangle(
        (0, 0), columns, rows, fill=False, edgecolor=INK, lw=1.2, zorder=3, gid="frame"
    )
    frame.set_clip_on(False)
    ax.add_patch(frame)
    ax.set_xlim(0, columns)
    ax.set_ylim(rows, 0)
    ax.set_xticks([j + 0.5 for j in range(columns)], [column_name(j) for j in range(columns)])
    ax.set_yticks([i + 0.5 for i in range(rows)], [str(i + 1) for i in range(rows)])
    ax.xaxis.tick_top()
    ax.tick_params(length=0, colors=LABEL)
    for spine in ax.spines.values():
        spine.set_visible(False)


# Trees


@dataclass(frozen=True)
class Vertex:
    """A vertex of a binary tree to draw: its name and its branches; a leaf has no branch."""

    name: str = ""
    left: Vertex | None = None
    right: Vertex | None = None


@dataclass(frozen=True)
class Placed:
    """A vertex with its place: x in slots from the left, depth in levels from the root.

    parent -- the index of its parent in the layout, None for the root; is_left -- whether it hangs
    on the left of its parent.
    """

    vertex: Vertex
    x: float
    depth: float
    parent: int | None = None
    is_left: bool = False


def layout(root: Vertex) -> tuple[list[Placed], float]:
    """Where every vertex of a tree goes, and the width of the tree in slots; the root is first.

    A node stands in the middle over its two children, and half a slot beside an only child.
    Subtrees are as close as they can be with no vertex or edge of one touching the other.
    """
    placed, outline = _place(root, 0)
    left = min(span[0] for span in outline.values())
    right = max(span[1] for span in outline.values())
    return [replace(p, x=p.x - left) for p in placed], right - left


# From where to where a subtree reaches in each band of height: band 2d holds its vertices of depth
# d with the ends of their edges, band 2d + 1 the edges below them.
_Outline = dict[int, tuple[float, float]]


def _place(vertex: Vertex, depth: int) -> tuple[list[Placed], _Outline]:
    """A subtree with its root at x = 0."""
    sides = [(child, child is vertex.left) for child in (vertex.left, vertex.right) if child]
    subtrees = [_place(child, depth + 1) for child, _ in sides]
    if len(subtrees) == 2:
        (_, left), (_, right) = subtrees
        apart = max(left[band][1] - right[band][0] for band in left.keys() & right.keys())
        places = [-apart / 2, apart / 2]
    else:
        places = [-SLANT if is_left else SLANT for _, is_left in sides]

    placed = [Placed(vertex, 0.0, depth)]
    outline = {2 * depth: (-0.5, 0.5)}
    if not sides and vertex.name:  # it is written below
        outline[2 * depth + 1] = (-0.5, 0.5)
    for (_, is_left), place, (subtree, below) in zip(sides, places, subtrees, strict=True):
        top = len(placed)
        for i, p in enumerate(subtree):
            parent = 0 if p.parent is None else top + p.parent
            side = is_left if i == 0 else p.is_left
            placed.append(replace(p, x=p.x + place, parent=parent, is_left=side))
        edge = (2 * depth + 1, 0.0, place)
        ends = (2 * depth, 0.0, place * _END), (2 * depth + 2, place * (1 - _END), place)
        for band, *span in (edge, *ends):
            _widen(outline, band, min(span) - _AIR, max(span) + _AIR)
        for band, (start, end) in below.items():
            _widen(outline, band, start + place, end + place)
    return placed, outline


def _widen(outline: _Outline, band: int, start: float, end: float) -> None:
    """Make an outline reach from start to end in one band."""
    before = outline.get(band, (start, end))
    outline[band] = min(start, before[0]), max(end, before[1])


def _vertex(node: Node | Leaf) -> Vertex:
    """A decision tree as a tree to draw: hit to the left, miss to the right."""
    if isinstance(node, Leaf):
        return Vertex("" if node.configurations == 1 else f"×{node.configurations}")
    for reply in node.replies:
        if reply not in (HIT, MISS):
            raise NotSupported(
                f"trees are drawn with hits and misses; {cell_name(node.cell)} has the reply "
                f"{reply}"
            )
    branches = {reply: _vertex(child) for reply, child in node.replies.items()}
    return Vertex(cell_name(node.cell), branches.get(HIT), branches.get(MISS))


def binary_tree(depths: Sequence[int]) -> Vertex:
    """The binary tree whose leaves have these depths from left to right.

    Every inner vertex has two children. Raises TreeError if no such tree has these depths.
    """
    waiting: list[tuple[Vertex, int]] = []
    for depth in depths:
        waiting.append((Vertex(), depth))
        while len(waiting) > 1 and waiting[-2][1] == waiting[-1][1]:
            right, depth = waiting.pop()
            left, _ = waiting.pop()
            waiting.append((Vertex("", left, right), depth - 1))
    if [depth for _, depth in waiting] != [0]:
        raise TreeError(
            f"no binary tree has leaves of the depths {', '.join(map(str, depths)) or '(none)'} "
            "from left to right"
        )
    return waiting[0][0]


def _root(tree: DecisionTree | Vertex) -> Vertex:
    return tree if isinstance(tree, Vertex) else _vertex(tree.root)


def tree_figure_size(tree: DecisionTree | Vertex) -> tuple[float, float]:
    """Width and height in inches of the axes in which `draw_tree` draws this tree legibly."""
    placed, width = layout(_root(tree))
    return max(width, 2.0) * SLOT, (max(p.depth for p in placed) + 1) * LEVEL


def draw_tree(ax: Axes, tree: DecisionTree | Vertex) -> None:
    """Draw a decision tree as the paper does, or an abstract binary tree.

    In a decision tree each node is the cell shot; a hit goes to the left with a small circle on the
    edge, a miss to the right with a small cross; a leaf is a check mark, with its number of
    configurations if that is not 1. An abstract tree has dots and, for its leaves, small squares.
    The axes should have the size that `tree_figure_size` gives.

    Raises NotSupported for a decision tree with announced sinkings.
    """
    placed, width = layout(_root(tree))
    height = max(p.depth for p in placed)
    edges = [(placed[p.parent], p) for p in placed if p.parent is not None]
    segments = [((a.x, -a.depth), (b.x, -b.depth)) for a, b in edges]
    ax.add_collection(LineCollection(segments, colors=INK, linewidths=0.9, zorder=1, gid="edges"))

    leaves = [p for p in placed if not (p.vertex.left or p.vertex.right)]
    inner = [p for p in placed if p.vertex.left or p.vertex.right]
    if isinstance(tree, Vertex):
        _draw_marks(ax, inner, "nodes", marker="o", markersize=6, markerfacecolor=INK)
        _draw_marks(ax, leaves, "leaves", marker="s", markersize=6.5)
    else:
        middles = [replace(b, x=(a.x + b.x) / 2, depth=b.depth - 0.5) for a, b in edges]
        _draw_replies(ax, [p for p in middles if p.is_left], [p for p in middles if not p.is_left])
        _draw_shots(ax, inner, leaves)
    ax.set_xlim(0, max(width, 2.0))
    ax.set_ylim(-height - 0.5, 0.5)
    ax.set_axis_off()


def _draw_replies(ax: Axes, hits: Sequence[Placed], misses: Sequence[Placed]) -> None:
    """The marks on the edges; an edge has a gap where its cross is."""
    _draw_marks(ax, hits, "hits", marker="o", markersize=MARK_SIZE)
    _draw_gaps(ax, misses, MARK_SIZE + 3)
    _draw_marks(ax, misses, "misses", marker="x", markersize=MARK_SIZE, markeredgewidth=1.3)


def _draw_shots(ax: Axes, nodes: Sequence[Placed], leaves: Sequence[Placed]) -> None:
    """The cell of each node, and the check mark of each leaf."""
    _draw_marks(ax, nodes, "nodes", marker="o", markersize=NODE_SIZE)
    for p in nodes:
        _draw_name(ax, p, p.depth, INK)
    _draw_gaps(ax, leaves, NODE_SIZE * 0.75)
    check = {"markerfacecolor": "none", "markeredgecolor": CHECK, "markeredgewidth": 1.8}
    _draw_marks(ax, leaves, "leaves", marker=_CHECK_MARK, markersize=NODE_SIZE * 0.5, **check)
    for p in leaves:
        if p.vertex.name:
            _draw_name(ax, p, p.depth + 0.36, LABEL)


def _draw_gaps(ax: Axes, places: Sequence[Placed], size: float) -> None:
    _draw_marks(ax, places, "gaps", marker="o", markersize=size, markeredgecolor="none")


def _draw_marks(ax: Axes, places: Sequence[Placed], gid: str, **style: Any) -> None:
    style = {"markerfacecolor": "white", "markeredgecolor": INK, "markeredgewidth": 0.9, **style}
    x, y = [p.x for p in places], [-p.depth for p in places]
    ax.add_line(Line2D(x, y, linestyle="none", zorder=2, gid=gid, **style))


def _draw_name(ax: Axes, placed: Placed, depth: float, colour: str) -> None:
    ax.text(
        placed.x,
        -depth,
        placed.vertex.name,
        ha="center",
        va="center_baseline",
        fontsize=NAME_SIZE,
        color=colour,
        zorder=3,
        gid="name",
    )
