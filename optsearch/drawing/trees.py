"""Decision trees and binary trees on matplotlib axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection, PolyCollection
from matplotlib.lines import Line2D
from matplotlib.path import Path
from numpy.typing import NDArray

from optsearch.drawing.boards import MARKERS, board_lines, board_size, cell_corners, draw_legend
from optsearch.drawing.layouts import CIRCLES, PlacedVertex, Scale, Vertex
from optsearch.drawing.vertices import BOARD_CELL, NAME_STRIP, NODE_SIZE, SLOT, arrange, scale_of
from optsearch.game.position import HIT, MISS, SUNK, Reply
from optsearch.support.palette import GRID, HIT_CELL, HOLE, INK, LABEL, MISS_CELL, SOLVED
from optsearch.tree import DecisionTree

PAGE = 16.2, 11.2  # inches of axes on a page of A3, with room for margins and the legend
# In points.
MARK_SIZE = 5.0
SUNK_SIZE = 9.0
NAME_SIZE = 8.0

_CHECK_MARK = Path([(-0.45, 0.0), (-0.12, -0.4), (0.5, 0.45)])
_LINE_WIDTH = 0.9  # of lines, in points
_GID_OF_REPLY = {HIT: "hits", SUNK: "sunk", MISS: "misses"}


def tree_figure_size(
    tree: DecisionTree | Vertex, boards: bool = False, depth: int | None = None
) -> tuple[float, float]:
    """Return the width and height, in inches, of axes in which `draw_tree` draws a tree legibly."""
    _, width, height = arrange(tree, boards, depth)
    return width * SLOT, height * scale_of(tree, boards).level


def page_depth(tree: DecisionTree, boards: bool = False) -> int:
    """Return the greatest depth to which a tree fits a page of A3, upright or not; at least 1.

    If the whole tree fits, that is the depth of its deepest leaf. boards -- as of `draw_tree`.
    """
    page_short, page_long = sorted(PAGE)
    for depth in range(2, tree.worst + 1):
        short, long = sorted(tree_figure_size(tree, boards, depth))
        if short > page_short or long > page_long:
            return depth - 1
    return max(1, tree.worst)


def draw_tree(
    ax: Axes, tree: DecisionTree | Vertex, boards: bool = False, depth: int | None = None
) -> None:
    """Draw a decision tree, or an abstract binary tree.

    In a decision tree each node is the cell shot, and each edge has the sign of its reply: a hit
    goes to the left, a miss to the right, and an announced sinking between them. A reply that names
    a ship has its length. A leaf is a check mark, with its number of configurations if that is
    not 1. An abstract tree has dots for its nodes and small squares for its leaves.

    ax -- axes of the size that `tree_figure_size` returns.
    boards -- if True, each node of a decision tree is the board at that point, with the cell shot
        next in a full colour.
    depth -- the number of shots after which a subtree is a triangle with its number of
        configurations; None draws all.
    """
    placed_vertices, width, height = arrange(tree, boards, depth)
    if isinstance(tree, Vertex):
        _draw_edges(ax, placed_vertices, CIRCLES)
        nodes = [placed for placed in placed_vertices if placed.vertex.branches]
        leaves = [placed for placed in placed_vertices if not placed.vertex.branches]
        _draw_marks(ax, _centres(nodes), "nodes", marker="o", markersize=6, markerfacecolor=INK)
        _draw_marks(ax, _centres(leaves), "leaves", marker="s", markersize=6.5)
    else:
        scale = scale_of(tree, boards)
        edge_middles = _draw_edges(ax, placed_vertices, scale)
        _draw_replies(ax, edge_middles)
        _draw_vertices(ax, placed_vertices, scale)
        root = placed_vertices[0]
        style_above: dict[str, Any] = {"xycoords": "data", "xytext": (0, 2), "va": "bottom"}
        draw_legend(ax, _legend_text(placed_vertices), xy=(root.x, 0.5), ha="center", **style_above)
    ax.set_xlim(0, width)
    ax.set_ylim(0.5 - height, 0.5)
    ax.set_axis_off()


def _centres(placed_vertices: Sequence[PlacedVertex]) -> list[tuple[float, float]]:
    return [(placed.x, -placed.depth) for placed in placed_vertices]


def _legend_text(placed_vertices: Sequence[PlacedVertex]) -> str:
    """Return what the signs in a drawn decision tree mean."""
    signs = {placed.reply.sign for placed in placed_vertices if placed.reply}
    texts = [f"{reply.sign} {reply}" for reply in (HIT, MISS, SUNK) if reply.sign in signs]
    if any(placed.vertex.is_cut for placed in placed_vertices):
        texts.append("△ n: a subtree of n configurations, left out")
    return ", ".join([*texts, "✓ end"])


class _EdgeMiddle(NamedTuple):
    """The middle of an edge, and its reply; the reply is None in an abstract tree."""

    reply: Reply | None
    x: float
    y: float


def _draw_edges(
    ax: Axes, placed_vertices: Sequence[PlacedVertex], scale: Scale
) -> list[_EdgeMiddle]:
    """Draw the edges between all vertices of a tree; return the middle of each, with its reply."""
    edges = []
    edge_middles = []
    for child in placed_vertices:
        if child.parent is None:
            continue
        parent = placed_vertices[child.parent]
        start = parent.x, _edge_y(parent, scale, side=-1)
        end = child.x, _edge_y(child, scale, side=1)
        edges.append((start, end))
        edge_middles.append(
            _EdgeMiddle(child.reply, (start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
        )
    ax.add_collection(
        LineCollection(edges, colors=INK, linewidths=_LINE_WIDTH, zorder=1, gid="edges")
    )
    return edge_middles


def _edge_y(placed: PlacedVertex, scale: Scale, side: int) -> float:
    """Return the y at which edges end at a vertex, in levels.

    If other vertices are larger than a leaf, it is drawn as high as their top.

    side -- 1 for the edge that comes from above, -1 for the edges that go down.
    """
    reach = scale.reach
    if not placed.vertex.branches:
        circle_reach = NODE_SIZE / 144 / scale.level  # half a circle: an inch is 72 points
        reach = max(0.0, reach - circle_reach)
    return -placed.depth + side * reach


def _draw_replies(ax: Axes, middles: Sequence[_EdgeMiddle]) -> None:
    """Draw the sign of each reply in a gap of its edge, and the length of a ship it names.

    A sinking that names its ship is a disc around the length; a hit that does is one text.
    """
    points_by_form: dict[tuple[Reply, bool], list[tuple[float, float]]] = {}
    for reply, x, y in middles:
        if reply is None:
            continue
        outcome, names_ship = Reply(reply.hit, reply.sunk), reply.label is not None
        points_by_form.setdefault((outcome, names_ship), []).append((x, y))
        if names_ship:
            text = str(reply.label) if reply.sunk else f"{reply.sign}{reply.label}"
            colour = "white" if reply.sunk else INK
            _draw_text(ax, (x, y), text, colour, "length", SUNK_SIZE - 2.5)
    for (outcome, names_ship), points in points_by_form.items():
        mark_size = MARK_SIZE + 1 if outcome.sunk else MARK_SIZE
        size = SUNK_SIZE if names_ship else mark_size
        _draw_gaps(ax, points, size if outcome.sunk else size + 3)
        if outcome.sunk or not names_ship:
            style: dict[str, Any] = {"markersize": size, "markerfacecolor": INK}
            style |= {"markeredgewidth": _LINE_WIDTH + (0.4 if outcome == HIT else 0)}
            _draw_marks(ax, points, _GID_OF_REPLY[outcome], **style, **MARKERS[outcome.sign])


def _draw_vertices(ax: Axes, placed_vertices: Sequence[PlacedVertex], scale: Scale) -> None:
    """Draw nodes as cells or boards, leaves as check marks, left-out subtrees as triangles."""
    nodes = [placed for placed in placed_vertices if placed.vertex.branches]
    board_vertices = [placed for placed in nodes if placed.vertex.position]
    if board_vertices:
        _draw_boards(ax, board_vertices, scale)
    circle_vertices = [placed for placed in nodes if not placed.vertex.position]
    _draw_marks(ax, _centres(circle_vertices), "nodes", marker="o")
    for placed in circle_vertices:
        _draw_text(ax, (placed.x, -placed.depth), placed.vertex.name, INK, "name")

    last_vertices = [placed for placed in placed_vertices if not placed.vertex.branches]
    leaf_points: list[tuple[float, float]] = []
    left_out_points: list[tuple[float, float]] = []
    for placed in last_vertices:
        points = left_out_points if placed.vertex.is_cut else leaf_points
        points.append((placed.x, _edge_y(placed, scale, side=1)))
    _draw_gaps(ax, leaf_points, NODE_SIZE * 0.75)
    check_style: dict[str, Any] = {"markerfacecolor": "none", "markeredgecolor": SOLVED}
    check_style |= {"marker": _CHECK_MARK, "markersize": NODE_SIZE * 0.5, "markeredgewidth": 1.8}
    _draw_marks(ax, leaf_points, "leaves", **check_style)
    _draw_marks(ax, left_out_points, "left out", marker="^", markersize=NODE_SIZE * 0.5)
    for placed in last_vertices:
        if placed.vertex.name:
            below = placed.x, _edge_y(placed, scale, side=1) - 0.21 / scale.level
            _draw_text(ax, below, placed.vertex.name, LABEL, "name")


def _draw_boards(ax: Axes, placed_vertices: Sequence[PlacedVertex], scale: Scale) -> None:
    """Draw the boards of some nodes together, each below the name of the cell that is shot next."""
    assert placed_vertices[0].vertex.position is not None
    game = placed_vertices[0].vertex.position.game
    cell_size = np.array([BOARD_CELL / SLOT, -BOARD_CELL / scale.level])  # in slots and levels
    width, height = np.array(board_size(game)) * cell_size
    inner_lines, border_lines = board_lines(game)
    top_left = np.concatenate([inner_lines, border_lines]).min(axis=(0, 1))
    holes = game.cells_of(game.holes & ~game.board.empty)
    lines: list[NDArray[np.float64]] = []
    frames: list[Path] = []
    colour_of_fill = {
        "hit": HIT_CELL,
        "sunk": HIT_CELL,
        "miss": MISS_CELL,
        "hole": HOLE,
        "next": INK,
    }
    corners_by_fill: dict[str, list[NDArray[np.float64]]] = {fill: [] for fill in colour_of_fill}
    for placed in placed_vertices:
        position, next_shot = placed.vertex.position, placed.vertex.shot
        assert position is not None
        assert next_shot is not None
        corner = placed.x - width * 0.5, -placed.depth - scale.reach - height  # the top left one
        origin = corner - top_left * cell_size
        filled_cells = [(shot.cell, str(shot.reply).partition(":")[0]) for shot in position.shots]
        filled_cells += [(cell, "hole") for cell in holes]
        filled_cells.append((next_shot, "next"))
        for cell, fill in filled_cells:
            corners_by_fill[fill].append(origin + cell_corners(game, cell) * cell_size)
        lines += [*(origin + inner_lines * cell_size)]
        frame = (origin + border_lines * cell_size).reshape(-1, 2)
        frames.append(Path(frame, [Path.MOVETO, Path.LINETO] * len(border_lines)))
        name_middle = placed.x, -placed.depth + scale.reach - NAME_STRIP / 2 / scale.level
        _draw_text(ax, name_middle, placed.vertex.name, INK, "name", NAME_SIZE - 1)

    for fill, corners in corners_by_fill.items():
        ax.add_collection(
            PolyCollection(corners, facecolors=colour_of_fill[fill], gid=f"{fill} cells")
        )
        if fill in ("hit", "sunk", "miss"):
            middles = [tuple(outline.mean(axis=0)) for outline in corners]
            style = {"markersize": 36 * BOARD_CELL, "markeredgewidth": 0.8, "markerfacecolor": INK}
            _draw_marks(ax, middles, f"{fill} shots", **MARKERS[Reply.parse(fill).sign], **style)
    ax.add_collection(LineCollection(lines, colors=GRID, linewidths=0.4, zorder=2))
    outlines = PathCollection(
        frames,
        facecolors="none",
        edgecolors=INK,
        linewidths=_LINE_WIDTH,
        capstyle="projecting",
        zorder=3,
        gid="nodes",
    )
    ax.add_collection(outlines)


def _draw_gaps(ax: Axes, points: Sequence[tuple[float, float]], size: float) -> None:
    """Draw white discs of some size (in points) over the edges."""
    _draw_marks(ax, points, "gaps", marker="o", markersize=size, markeredgecolor="none")


def _draw_marks(ax: Axes, points: Sequence[tuple[float, float]], gid: str, **style: Any) -> None:
    """Draw a mark at each point (x, y), by default white and as large as a node."""
    if not points:
        return
    style = {
        "markersize": NODE_SIZE,
        "markerfacecolor": "white",
        "markeredgecolor": INK,
        "markeredgewidth": _LINE_WIDTH,
        **style,
    }
    x, y = zip(*points, strict=True)
    ax.add_line(Line2D(x, y, linestyle="none", zorder=2, gid=gid, **style))


def _draw_text(
    ax: Axes, middle: tuple[float, float], text: str, colour: str, gid: str, size: float = NAME_SIZE
) -> None:
    """Write a text around a point (x, y); size -- in points."""
    ax.text(
        *middle,
        text,
        ha="center",
        va="center_baseline",
        fontsize=size,
        color=colour,
        zorder=3,
        gid=gid,
    )
