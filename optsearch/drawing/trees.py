"""Decision trees and binary trees on matplotlib axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection, PolyCollection
from matplotlib.lines import Line2D
from matplotlib.path import Path
from numpy.typing import NDArray

from optsearch.drawing.boards import (
    MARKERS,
    board_lines,
    board_size,
    cell_corners,
    draw_legend,
)
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
_WIDTH = 0.9  # of lines, in points
_PARTS = [Path.MOVETO, Path.LINETO]  # of a path that is a line alone
_GIDS = {HIT: "hits", SUNK: "sunk", MISS: "misses"}


def tree_figure_size(
    tree: DecisionTree | Vertex, boards: bool = False, depth: int | None = None
) -> tuple[float, float]:
    """Return the width and height, in inches, of axes in which `draw_tree` draws a tree legibly."""
    _, width, height = arrange(tree, boards, depth)
    return width * SLOT, height * scale_of(tree, boards).level


def page_depth(tree: DecisionTree, boards: bool = False) -> int:
    """Return the greatest depth to which a tree fits a page of A3, upright or not; at least 1.

    If the whole tree fits, that is the depth of its deepest leaf.
    """
    for depth in range(2, tree.worst + 1):
        size = sorted(tree_figure_size(tree, boards, depth))
        if any(side > limit for side, limit in zip(size, sorted(PAGE), strict=True)):
            return depth - 1
    return max(1, tree.worst)


def draw_tree(
    ax: Axes, tree: DecisionTree | Vertex, boards: bool = False, depth: int | None = None
) -> None:
    """Draw a decision tree, or an abstract binary tree.

    In a decision tree each node is the cell shot, and each edge has the sign of its reply: a hit
    goes to the left, a miss to the right, and an announced sinking between them. A reply that names
    a ship has its length. A leaf is a check mark, with its number of configurations if that is
    not 1. With `boards`, each node is the board at that point, with the cell shot next in a full
    colour. An abstract tree has dots for its nodes and small squares for its leaves.

    depth -- subtrees after so many shots are triangles with their numbers of configurations.
    The axes should have the size that `tree_figure_size` returns.
    """
    placed, width, height = arrange(tree, boards, depth)
    if isinstance(tree, Vertex):
        _draw_edges(ax, placed, CIRCLES)
        inner = [(p.x, -p.depth) for p in placed if p.vertex.branches]
        leaves = [(p.x, -p.depth) for p in placed if not p.vertex.branches]
        _draw_marks(ax, inner, "nodes", marker="o", markersize=6, markerfacecolor=INK)
        _draw_marks(ax, leaves, "leaves", marker="s", markersize=6.5)
    else:
        scale = scale_of(tree, boards)
        _draw_replies(ax, _draw_edges(ax, placed, scale))
        _draw_vertices(ax, placed, scale)
        signs = {p.reply.sign for p in placed if p.reply}
        texts = [f"{reply.sign} {reply}" for reply in (HIT, MISS, SUNK) if reply.sign in signs]
        if any(p.vertex.is_cut for p in placed):
            texts.append("△ n: a subtree of n configurations, left out")
        above: dict[str, Any] = {"xycoords": "data", "xytext": (0, 2), "ha": "center"}
        draw_legend(ax, ", ".join([*texts, "✓ end"]), xy=(placed[0].x, 0.5), **above, va="bottom")
    ax.set_xlim(0, width)
    ax.set_ylim(0.5 - height, 0.5)
    ax.set_axis_off()


def _draw_edges(
    ax: Axes, placed: Sequence[PlacedVertex], scale: Scale
) -> list[tuple[Reply | None, float, float]]:
    """Draw the edges of these vertices; return the reply and the middle (x, y) of each."""
    segments = []
    middles = []
    for p in placed:
        if p.parent is None:
            continue
        above = placed[p.parent]
        start, end = (above.x, _end(above, scale, -1)), (p.x, _end(p, scale, 1))
        segments.append((start, end))
        middles.append((p.reply, (start[0] + end[0]) / 2, (start[1] + end[1]) / 2))
    lines = LineCollection(segments, colors=INK, linewidths=_WIDTH, zorder=1, gid="edges")
    ax.add_collection(lines)
    return middles


def _end(p: PlacedVertex, scale: Scale, side: int) -> float:
    """Return the height at which edges end at the top (side = 1) or bottom (-1) of a vertex.

    A leaf is as small as a circle, and is drawn at its top.
    """
    reach = scale.reach
    if not p.vertex.branches:
        reach = max(0.0, reach - NODE_SIZE / 144 / scale.level)
    return -p.depth + side * reach


def _draw_replies(ax: Axes, middles: Sequence[tuple[Reply | None, float, float]]) -> None:
    """Draw the sign of each reply in a gap of its edge, and the length of a ship it names."""
    places: dict[tuple[Reply, bool], list[tuple[float, float]]] = {}
    for reply, x, y in middles:
        if reply:
            kind, names_ship = Reply(reply.hit, reply.sunk), reply.label is not None
            places.setdefault((kind, names_ship), []).append((x, y))
            if names_ship:
                text = str(reply.label) if reply.sunk else f"{reply.sign}{reply.label}"
                colour = "white" if reply.sunk else INK
                _draw_text(ax, (x, y), text, colour, "length", SUNK_SIZE - 2.5)
    for (kind, names_ship), points in places.items():
        size = SUNK_SIZE if names_ship else MARK_SIZE + kind.sunk
        _draw_gaps(ax, points, size if kind.sunk else size + 3)
        if kind.sunk or not names_ship:
            style = {"markersize": size, "markeredgewidth": _WIDTH + 0.4 * (kind == HIT)}
            _draw_marks(ax, points, _GIDS[kind], **style, **MARKERS[kind.sign], markerfacecolor=INK)


def _draw_vertices(ax: Axes, placed: Sequence[PlacedVertex], scale: Scale) -> None:
    """Draw nodes as cells or boards, leaves as check marks, left-out subtrees as triangles."""
    inner = [p for p in placed if p.vertex.branches]
    ends = [p for p in placed if not p.vertex.branches]
    boards = [p for p in inner if p.vertex.position]
    if boards:
        _draw_boards(ax, boards, scale)
    circles = [p for p in inner if not p.vertex.position]
    _draw_marks(ax, [(p.x, -p.depth) for p in circles], "nodes", marker="o")
    for p in circles:
        _draw_text(ax, (p.x, -p.depth), p.vertex.name, INK, "name")

    checks = [(p.x, _end(p, scale, 1)) for p in ends if not p.vertex.is_cut]
    _draw_gaps(ax, checks, NODE_SIZE * 0.75)
    check: dict[str, Any] = {"markerfacecolor": "none", "markeredgecolor": SOLVED}
    check |= {"marker": _CHECK_MARK, "markersize": NODE_SIZE * 0.5, "markeredgewidth": 1.8}
    _draw_marks(ax, checks, "leaves", **check)
    cut = [(p.x, _end(p, scale, 1)) for p in ends if p.vertex.is_cut]
    _draw_marks(ax, cut, "left out", marker="^", markersize=NODE_SIZE * 0.5)
    for p in [p for p in ends if p.vertex.name]:
        place = p.x, _end(p, scale, 1) - 0.21 / scale.level
        _draw_text(ax, place, p.vertex.name, LABEL, "name")


def _draw_boards(ax: Axes, placed: Sequence[PlacedVertex], scale: Scale) -> None:
    """Draw the boards of these nodes, each below the name of the cell shot next."""
    assert placed[0].vertex.position is not None
    game = placed[0].vertex.position.game
    size = np.array(board_size(game))
    cell_size = np.array([BOARD_CELL / SLOT, -BOARD_CELL / scale.level])
    between, around = board_lines(game)
    first = np.concatenate([between, around]).min(axis=(0, 1))
    lines: list[NDArray[np.float64]] = []
    frames: list[Path] = []
    kinds = ("hit", "sunk", "miss", "hole", "next")
    shades: dict[str, list[NDArray[np.float64]]] = {kind: [] for kind in kinds}
    for p in placed:
        position = p.vertex.position
        assert position is not None
        assert p.vertex.shot is not None
        middle, bottom = size * cell_size * (0.5, 1)
        start = (p.x - middle, -p.depth - scale.reach - bottom) - first * cell_size
        for cell, kind in (
            *((shot.cell, str(shot.reply).partition(":")[0]) for shot in position.shots),
            *((cell, "hole") for cell in game.cells_of(game.holes & ~game.board.empty)),
            (p.vertex.shot, "next"),
        ):
            shades[kind].append(start + cell_corners(game, cell) * cell_size)
        lines += [*(start + between * cell_size)]
        frames.append(Path((start + around * cell_size).reshape(-1, 2), _PARTS * len(around)))
        name = p.x, -p.depth + scale.reach - NAME_STRIP / 2 / scale.level
        _draw_text(ax, name, p.vertex.name, INK, "name", NAME_SIZE - 1)

    cells = {"hit": HIT_CELL, "sunk": HIT_CELL, "miss": MISS_CELL, "hole": HOLE, "next": INK}
    for kind, corners in shades.items():
        ax.add_collection(PolyCollection(corners, facecolors=cells[kind], gid=f"{kind} cells"))
        middles = [tuple(outline.mean(axis=0)) for outline in corners]
        if kind in ("hit", "sunk", "miss"):
            style = {"markersize": 36 * BOARD_CELL, "markeredgewidth": 0.8, "markerfacecolor": INK}
            _draw_marks(ax, middles, f"{kind} shots", **MARKERS[Reply.parse(kind).sign], **style)
    ax.add_collection(LineCollection(lines, colors=GRID, linewidths=0.4, zorder=2))
    outlines = PathCollection(
        frames,
        facecolors="none",
        edgecolors=INK,
        linewidths=_WIDTH,
        capstyle="projecting",
        zorder=3,
        gid="nodes",
    )
    ax.add_collection(outlines)


def _draw_gaps(ax: Axes, places: Sequence[tuple[float, float]], size: float) -> None:
    _draw_marks(ax, places, "gaps", marker="o", markersize=size, markeredgecolor="none")


def _draw_marks(ax: Axes, places: Sequence[tuple[float, float]], gid: str, **style: Any) -> None:
    """Draw marks at these places, by default white and as large as a node."""
    if not places:
        return
    style = {
        "markersize": NODE_SIZE,
        "markerfacecolor": "white",
        "markeredgecolor": INK,
        "markeredgewidth": _WIDTH,
        **style,
    }
    x, y = zip(*places, strict=True)
    ax.add_line(Line2D(x, y, linestyle="none", zorder=2, gid=gid, **style))


def _draw_text(
    ax: Axes,
    place: tuple[float, float],
    text: str,
    colour: str,
    gid: str,
    size: float = NAME_SIZE,
) -> None:
    ax.text(
        *place,
        text,
        ha="center",
        va="center_baseline",
        fontsize=size,
        color=colour,
        zorder=3,
        gid=gid,
    )
