"""Boards, matrices and decision trees drawn on matplotlib axes, in the style of the paper.

Nothing is computed here but where things go, and no file is written. Wherever a reply is drawn, a
small circle is a hit and a small cross is a miss (Audinot, Bonnet and Viennot (2014), section 3.1);
where sinkings are announced, a full disc is one, with the length of the ship if that is told.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf, sqrt
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Rectangle
from matplotlib.path import Path
from numpy.typing import NDArray

from optsearch.errors import TreeError
from optsearch.game import Cell, cell_name, column_name
from optsearch.position import HIT, MISS, Position, Reply, Shot
from optsearch.tree import DecisionTree, Leaf, Node, Shots, differences

INK = "#1f2933"
LABEL = "#52606d"
GRID = "#9aa5b1"
HIT_CELL = "#f6d5bd"
MISS_CELL = "#eef1f4"
CHECK = "#2f7d4f"
HEAT = LinearSegmentedColormap.from_list("heat", ["#fbfcfe", "#cfe0f1", "#8fb8de"])

DIFFERENT = "#b83a0e"
COMMON = "#7b8794"

# Trees, in inches (a slot is the width of a leaf) and points.
SLOT = 0.40
LEVEL = 0.58
WIDEST = 16.0  # a wider tree is folded
BOARD_CELL = 0.12
NODE_SIZE = 20.0
MARK_SIZE = 5.0
SUNK_SIZE = 9.0
NAME_SIZE = 8.0
SLANT = 0.5  # how far, in slots, a node with one branch stands beside its child
_NAME_STRIP = 0.15  # above a board
_TEXT_WIDTH = 8.0  # in slots, of what is written below a tree
_SHAPE = 1.5  # the width of a folded tree over its height, had it no gaps
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


# The layout of trees


@dataclass(frozen=True)
class Vertex:
    """A vertex of a tree to draw: its name, and its branches from left to right.

    branches -- reply and child; in a binary tree that is no strategy, the left child is the one
        after a hit. A leaf has no branch.
    position, shot -- the board to draw, and the cell of it that is shot next; None for a circle.
    is_different -- whether it belongs to what two compared trees do not share.
    is_link -- whether it stands for a subtree that is drawn elsewhere, below the same name.
    """

    name: str = ""
    branches: tuple[tuple[Reply, Vertex], ...] = ()
    position: Position | None = None
    shot: Cell | None = None
    is_different: bool = False
    is_link: bool = False


@dataclass(frozen=True)
class Placed:
    """A vertex with its place: x in slots from the left, depth in levels from the top.

    parent -- the index of its parent in the layout, None for a root; reply -- the reply that leads
    to it, None for a root and for a subtree below the number of its link.
    """

    vertex: Vertex
    x: float
    depth: float
    parent: int | None = None
    reply: Reply | None = None


@dataclass(frozen=True)
class Scale:
    """How large a tree is drawn.

    level -- inches from one level to the next; width -- of an inner vertex, in slots; reach -- half
    the height of an inner vertex, in levels, where edges go from its bottom to the top of the next;
    0 where they go from centre to centre.
    """

    level: float = LEVEL
    width: float = 1.0
    reach: float = 0.0


CIRCLES = Scale()

# From where to where a subtree reaches in each band of height: band 2d holds its vertices of depth
# d with the ends of their edges, band 2d + 1 the edges below them.
_Outline = list[tuple[float, float]]


@dataclass(frozen=True)
class _Shape:
    """A subtree whose root is at x = 0.

    children -- the reply, the place and the shape of each child; elsewhere -- the subtree that this
    vertex is a link to.
    """

    vertex: Vertex
    children: tuple[tuple[Reply | None, float, _Shape], ...]
    outline: _Outline
    elsewhere: _Shape | None = None

    @property
    def left(self) -> float:
        return min(start for start, _ in self.outline)

    @property
    def width(self) -> float:
        return max(end for _, end in self.outline) - self.left

    @property
    def levels(self) -> int:
        return (len(self.outline) + 1) // 2


def layout(root: Vertex, scale: Scale = CIRCLES, widest: float = inf) -> tuple[list[Placed], float]:
    """Where every vertex of a tree goes, and the width of the tree in slots; the root is first.

    A node stands in the middle over its outermost children, and half a slot beside an only child.
    Subtrees are as close as they can be with no vertex or edge of one touching the other.

    A tree wider than `widest` slots is folded: subtrees are drawn in rows below the rest, each
    under a number, and a link with this number stands in their place.
    """
    waiting = deque([_shape(root, scale, widest)])
    placed: list[Placed] = []
    links = 0
    width, x, top, levels = 0.0, 0.0, 0, 0  # of all; where the next subtree goes; of this row
    while waiting:
        shape = waiting.popleft()
        if x and x + shape.width > widest:
            x, top, levels = 0.0, top + levels, 0
        entries: list[tuple[_Shape, float, int, int | None, Reply | None]]
        entries = [(shape, x - shape.left, top, None, None)]
        while entries:
            one, centre, depth, parent, reply = entries.pop()
            vertex = one.vertex
            if one.elsewhere:
                links += 1
                vertex = replace(vertex, name=str(links))
                waiting.append(_joined(vertex, [(None, one.elsewhere)], scale))
            entries += [
                (child, centre + place, depth + 1, len(placed), answer)
                for answer, place, child in reversed(one.children)
            ]
            placed.append(Placed(vertex, centre, depth, parent, reply))
        x += shape.width
        width, levels = max(width, x), max(levels, shape.levels)
    return placed, width


def _shape(vertex: Vertex, scale: Scale, widest: float) -> _Shape:
    """The shape of a subtree, with links to its widest subtrees where it would be too wide."""
    children: list[tuple[Reply | None, _Shape]] = [
        (reply, _shape(child, scale, widest)) for reply, child in vertex.branches
    ]
    shape = _joined(vertex, children, scale)
    while shape.width > widest and any(child.children for _, child in children):
        index, (reply, child) = max(
            ((i, pair) for i, pair in enumerate(children) if pair[1].children),
            key=lambda item: item[1][1].width,
        )
        link = Vertex(is_different=child.vertex.is_different, is_link=True)
        children[index] = reply, replace(_joined(link, [], scale), elsewhere=child)
        shape = _joined(vertex, children, scale)
    return shape


def _joined(
    vertex: Vertex, children: Sequence[tuple[Reply | None, _Shape]], scale: Scale
) -> _Shape:
    """A vertex over its children, which are as close to each other as they can be."""
    places: list[float] = []
    taken: _Outline = []
    for _, child in children:
        both = zip(taken, child.outline, strict=False)
        places.append(max((end - start for (_, end), (start, _) in both), default=0.0))
        taken = _united(taken, child.outline, places[-1])
    if len(children) == 1:
        (reply, _), *_ = children
        places = [0.0 if reply is None else -SLANT if reply.hit else SLANT]
    elif children:
        places = [place - places[-1] / 2 for place in places]

    half = scale.width / 2 if children and not vertex.is_link else 0.5
    outline = [(-half, half)]
    if not children and vertex.name:  # it is written below
        outline *= 2
    end = 0.0 if scale.reach else _END
    for place, (_, child) in zip(places, children, strict=True):
        edge = [(0, place * end), (0, place), (place * (1 - end), place)]
        outline = _united(outline, [(min(span) - _AIR, max(span) + _AIR) for span in edge])
        outline = _united(outline, child.outline, place, 2)
    placed = zip(places, children, strict=True)
    return _Shape(vertex, tuple((reply, x, child) for x, (reply, child) in placed), outline)


def _united(first: _Outline, second: _Outline, x: float = 0.0, band: int = 0) -> _Outline:
    """Two outlines as one, the second moved by x slots to the right and some bands down."""
    result = list(first)
    for i, (start, end) in enumerate(second, band):
        if i < len(result):
            result[i] = min(result[i][0], start + x), max(result[i][1], end + x)
        else:
            result.append((start + x, end + x))
    return result


# What is drawn of a decision tree


def _vertex(
    node: Node | Leaf,
    board: Position | None,
    shots: Shots = (),
    parted: Iterable[Shots] = (),
    is_different: bool = False,
) -> Vertex:
    """A subtree as a tree to draw: hits to the left, the miss to the right.

    board -- the position there, if boards are drawn; shots -- those from the root to there;
    parted -- where this tree parts from another; is_different -- whether it has done so above.
    """
    is_different = is_different or shots in parted
    if isinstance(node, Leaf):
        name = "" if node.configurations == 1 else f"×{node.configurations}"
        return Vertex(name, is_different=is_different)
    branches = tuple(
        (
            reply,
            _vertex(
                child,
                board and board.after(node.cell, reply),
                (*shots, Shot(node.cell, reply)),
                parted,
                is_different,
            ),
        )
        for reply, child in node.replies.items()
    )
    shot = node.cell if board else None
    return Vertex(cell_name(node.cell), branches, board, shot, is_different)


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
            waiting.append((Vertex("", ((HIT, left), (MISS, right))), depth - 1))
    if [depth for _, depth in waiting] != [0]:
        raise TreeError(
            f"no binary tree has leaves of the depths {', '.join(map(str, depths)) or '(none)'} "
            "from left to right"
        )
    return waiting[0][0]


def _scale(tree: DecisionTree | Vertex, boards: bool) -> Scale:
    if isinstance(tree, Vertex):
        return CIRCLES
    game = tree.position.game
    if boards:
        height = game.rows * BOARD_CELL + _NAME_STRIP
        width = max(1.0, game.columns * BOARD_CELL / SLOT + 0.25)
        return Scale(height + 0.36, width, height / 2 / (height + 0.36))
    # Of three edges, the middle ones would run into vertices if they ended in the centres.
    return CIRCLES if game.announce == "nothing" else Scale(reach=NODE_SIZE / 144 / LEVEL)


def _arranged(
    tree: DecisionTree | Vertex, boards: bool, parted: Iterable[Shots] = ()
) -> tuple[list[Placed], float, float]:
    """The layout of a tree, folded if it is wide, with its width in slots and height in levels."""
    root = tree
    if isinstance(root, DecisionTree):
        root = _vertex(root.root, root.position if boards else None, parted=parted)
    scale = _scale(tree, boards)
    placed, width = layout(root, scale)
    if width * SLOT > WIDEST:
        area = width * SLOT * (1 + max(p.depth for p in placed)) * scale.level
        placed, width = layout(root, scale, max(WIDEST, sqrt(_SHAPE * area)) / SLOT)
    return placed, max(width, 2.0), 1 + max(p.depth for p in placed)


# Trees


@dataclass(frozen=True)
class _Pen:
    """How a part of a tree is drawn: colours, and the width of lines in points."""

    ink: str = INK
    check: str = CHECK
    width: float = 0.9


# By whether a vertex belongs to what two trees do not share.
_PLAIN = {False: _Pen()}
_COMPARED = {False: _Pen(COMMON, COMMON), True: _Pen(DIFFERENT, DIFFERENT, 2.0)}


def tree_figure_size(tree: DecisionTree | Vertex, boards: bool = False) -> tuple[float, float]:
    """Width and height in inches of the axes in which `draw_tree` draws this tree legibly."""
    _, width, height = _arranged(tree, boards)
    return width * SLOT, height * _scale(tree, boards).level


def draw_tree(ax: Axes, tree: DecisionTree | Vertex, boards: bool = False) -> None:
    """Draw a decision tree as the paper does, or an abstract binary tree.

    In a decision tree each node is the cell shot; a hit goes to the left with a small circle on the
    edge, a miss to the right with a small cross, and an announced sinking between them with a full
    disc, which has the length of the ship if that is told. A leaf is a check mark, with its number
    of configurations if that is not 1. With `boards`, each node is the board as it is then, with
    the cell that is shot next in a full colour. An abstract tree has dots and, for its leaves,
    small squares.

    A tree wider than `WIDEST` inches is folded: subtrees are drawn below, under numbers in squares,
    which stand for them above. The axes should have the size that `tree_figure_size` gives.
    """
    placed, width, height = _arranged(tree, boards)
    if isinstance(tree, Vertex):
        pen = _PLAIN[False]
        _draw_edges(ax, placed, CIRCLES, False, pen)
        inner = [(p.x, -p.depth) for p in placed if p.vertex.branches]
        leaves = [(p.x, -p.depth) for p in placed if not p.vertex.branches]
        _draw_marks(ax, inner, "nodes", pen, marker="o", markersize=6, markerfacecolor=INK)
        _draw_marks(ax, leaves, "leaves", pen, marker="s", markersize=6.5)
    else:
        _draw_strategy(ax, placed, _scale(tree, boards), _PLAIN)
    _frame(ax, width, height)


def comparison_figure_size(
    left: DecisionTree, right: DecisionTree, boards: bool = False
) -> tuple[float, float]:
    """Width and height in inches of the axes for `draw_comparison`; TreeError as there."""
    _, _, width, height = _side_by_side(left, right, boards)
    return width * SLOT, height * _scale(left, boards).level


def draw_comparison(
    ax: Axes,
    left: DecisionTree,
    right: DecisionTree,
    titles: tuple[str, str] = ("", ""),
    boards: bool = False,
) -> None:
    """Draw two trees of one position side by side; where they differ, in colour and thicker.

    What differs is what hangs below the ends of `tree.differences`: there the two shoot different
    cells for the first time. All else is grey. Below each tree stand its total height and its mean,
    above it its title. The axes should have the size that `comparison_figure_size` gives. Raises
    TreeError for trees of different positions.
    """
    placed, middles, width, height = _side_by_side(left, right, boards)
    _draw_strategy(ax, placed, _scale(left, boards), _COMPARED)
    for tree, title, x in zip((left, right), titles, middles, strict=True):
        mean = f"{tree.total_height}/{tree.configurations}"
        below = f"total height {tree.total_height}\nmean {mean} ≈ {float(tree.mean):.4f}"
        _draw_text(ax, (x, -height + 1), below, INK, "measures")
        _draw_text(ax, (x, 0), title, INK, "title")
    _frame(ax, width, height)


def _side_by_side(
    left: DecisionTree, right: DecisionTree, boards: bool
) -> tuple[list[Placed], list[float], float, float]:
    """The layouts of two trees as one, a level below the top and one above the bottom.

    Returns the places, the middle of each tree, and the width and the height of both together.
    """
    parted = frozenset(differences(left, right))
    placed: list[Placed] = []
    middles = []
    end, height = 0.0, 0.0
    for tree in (left, right):
        own, width, levels = _arranged(tree, boards, parted)
        room = max(width, _TEXT_WIDTH)
        start = end + bool(placed)  # a slot between the two
        first = len(placed)
        for p in own:
            parent = None if p.parent is None else first + p.parent
            x = p.x + start + (room - width) / 2
            placed.append(replace(p, x=x, depth=p.depth + 1, parent=parent))
        middles.append(start + room / 2)
        end, height = start + room, max(height, levels + 2)
    return placed, middles, end, height


def _frame(ax: Axes, width: float, height: float) -> None:
    ax.set_xlim(0, width)
    ax.set_ylim(0.5 - height, 0.5)
    ax.set_axis_off()


def _draw_edges(
    ax: Axes, placed: Sequence[Placed], scale: Scale, is_different: bool, pen: _Pen
) -> list[tuple[Reply | None, float, float]]:
    """Draw the edges below these vertices; the reply and the middle of each."""
    segments = []
    middles = []
    for p in placed:
        if p.parent is None or placed[p.parent].vertex.is_different != is_different:
            continue
        above = placed[p.parent]
        start, end = (above.x, _end(above, scale, -1)), (p.x, _end(p, scale, 1))
        segments.append((start, end))
        middles.append((p.reply, (start[0] + end[0]) / 2, (start[1] + end[1]) / 2))
    lines = LineCollection(segments, colors=pen.ink, linewidths=pen.width, zorder=1, gid="edges")
    ax.add_collection(lines)
    return middles


def _end(p: Placed, scale: Scale, side: int) -> float:
    """Where edges end at a vertex, above it (side = 1) or below it (-1).

    Leaves and links are as small as a circle, and stand there.
    """
    reach = scale.reach
    if p.vertex.is_link or not p.vertex.branches:
        reach = max(0.0, reach - NODE_SIZE / 144 / scale.level)
    return -p.depth + side * reach


def _draw_strategy(
    ax: Axes, placed: Sequence[Placed], scale: Scale, pens: dict[bool, _Pen]
) -> None:
    """A decision tree that has been laid out; a pen for what is different, and one for the rest."""
    for is_different, pen in pens.items():
        _draw_replies(ax, _draw_edges(ax, placed, scale, is_different, pen), pen)
        _draw_vertices(ax, [p for p in placed if p.vertex.is_different == is_different], scale, pen)


def _draw_replies(
    ax: Axes, middles: Sequence[tuple[Reply | None, float, float]], pen: _Pen
) -> None:
    """The marks on the edges; an edge has a gap where its cross is."""
    hits = [(x, y) for reply, x, y in middles if reply == HIT]
    misses = [(x, y) for reply, x, y in middles if reply == MISS]
    sunk = [(reply, x, y) for reply, x, y in middles if reply and reply.sunk]
    _draw_marks(ax, hits, "hits", pen, marker="o", markersize=MARK_SIZE)
    _draw_gaps(ax, misses, MARK_SIZE + 3)
    width = min(pen.width, 1.2) + 0.4
    _draw_marks(ax, misses, "misses", pen, marker="x", markersize=MARK_SIZE, markeredgewidth=width)
    for size, is_told in ((SUNK_SIZE, True), (MARK_SIZE + 1, False)):
        discs = [(x, y) for reply, x, y in sunk if bool(reply.length) == is_told]
        style = {"marker": "o", "markersize": size, "markerfacecolor": pen.ink}
        _draw_marks(ax, discs, "sunk", pen, **style)
    for reply, x, y in sunk:
        if reply.length:
            _draw_text(ax, (x, y), str(reply.length), "white", "length", SUNK_SIZE - 3)


def _draw_vertices(ax: Axes, placed: Sequence[Placed], scale: Scale, pen: _Pen) -> None:
    """The cell or board of each node, the check mark of each leaf, the number of each link."""
    inner = [p for p in placed if p.vertex.branches]
    links = [(p, -1 if p.parent is None else 1) for p in placed if p.vertex.is_link]
    leaves = [p for p in placed if not (p.vertex.branches or p.vertex.is_link)]
    boards = [p for p in inner if p.vertex.position]
    if boards:
        _draw_boards(ax, boards, scale, pen)
    circles = [p for p in inner if not p.vertex.position]
    _draw_marks(ax, [(p.x, -p.depth) for p in circles], "nodes", pen, marker="o")
    for p in circles:
        _draw_text(ax, (p.x, -p.depth), p.vertex.name, pen.ink, "name")

    squares = [(p.x, _end(p, scale, side)) for p, side in links]
    _draw_marks(ax, squares, "links", pen, marker="s", markersize=NODE_SIZE * 0.7)
    for (p, _), place in zip(links, squares, strict=True):
        _draw_text(ax, place, p.vertex.name, pen.ink, "link", NAME_SIZE, "bold")

    checks = [(p.x, _end(p, scale, 1)) for p in leaves]
    _draw_gaps(ax, checks, NODE_SIZE * 0.75)
    check = {"markerfacecolor": "none", "markeredgecolor": pen.check}
    width = max(1.8, pen.width)
    size = NODE_SIZE * 0.5
    _draw_marks(
        ax,
        checks,
        "leaves",
        pen,
        marker=_CHECK_MARK,
        markersize=size,
        markeredgewidth=width,
        **check,
    )
    for p, (x, y) in zip(leaves, checks, strict=True):
        if p.vertex.name:
            _draw_text(ax, (x, y - 0.21 / scale.level), p.vertex.name, LABEL, "name")


def _draw_boards(ax: Axes, placed: Sequence[Placed], scale: Scale, pen: _Pen) -> None:
    """The boards of these nodes, each below the name of the cell that is shot next."""
    wide, high = BOARD_CELL / SLOT, BOARD_CELL / scale.level
    lines: list[list[tuple[float, float]]] = []
    frames: list[list[tuple[float, float]]] = []
    shades: dict[str, list[list[tuple[float, float]]]] = {"hit": [], "miss": [], "next": []}

    def box(x: float, y: float, columns: int = 1, rows: int = 1) -> list[tuple[float, float]]:
        """The corners of some cells, from the upper left one."""
        right, low = x + columns * wide, y - rows * high
        return [(x, y), (right, y), (right, low), (x, low)]

    for p in placed:
        position = p.vertex.position
        assert position is not None
        assert p.vertex.shot is not None
        rows, columns = position.game.rows, position.game.columns
        left = p.x - columns * wide / 2
        top = -p.depth - scale.reach + rows * high
        for cell, kind in (
            *((shot.cell, "hit" if shot.reply.hit else "miss") for shot in position.shots),
            (p.vertex.shot, "next"),
        ):
            shades[kind].append(box(left + cell[1] * wide, top - cell[0] * high))
        lines += [box(left, top - i * high, columns, 0)[:2] for i in range(1, rows)]
        lines += [box(left + j * wide, top, 0, rows)[1:3] for j in range(1, columns)]
        frames.append(box(left, top, columns, rows))
        name = p.x, -p.depth + scale.reach - _NAME_STRIP / 2 / scale.level
        _draw_text(ax, name, p.vertex.name, pen.ink, "name", NAME_SIZE - 1)

    colours = {"hit": HIT_CELL, "miss": MISS_CELL, "next": pen.ink}
    for kind, boxes in shades.items():
        ax.add_collection(PolyCollection(boxes, facecolors=colours[kind], gid=f"{kind} cells"))
        middles = [((a[0] + c[0]) / 2, (a[1] + c[1]) / 2) for a, _, c, _ in boxes]
        if kind != "next":
            marker = "o" if kind == "hit" else "x"
            style = {"marker": marker, "markersize": 36 * BOARD_CELL, "markerfacecolor": "none"}
            _draw_marks(ax, middles, f"{kind} shots", pen, **{**style, "markeredgewidth": 0.8})
    ax.add_collection(LineCollection(lines, colors=GRID, linewidths=0.4, zorder=2))
    outlines = PolyCollection(
        frames, facecolors="none", edgecolors=pen.ink, linewidths=pen.width, zorder=3, gid="nodes"
    )
    ax.add_collection(outlines)


def _draw_gaps(ax: Axes, places: Sequence[tuple[float, float]], size: float) -> None:
    _draw_marks(ax, places, "gaps", _Pen(), marker="o", markersize=size, markeredgecolor="none")


def _draw_marks(
    ax: Axes, places: Sequence[tuple[float, float]], gid: str, pen: _Pen, **style: Any
) -> None:
    """Marks at some places, if there are any; by default as large as a node."""
    if not places:
        return
    style = {
        "markersize": NODE_SIZE,
        "markerfacecolor": "white",
        "markeredgecolor": pen.ink,
        "markeredgewidth": pen.width,
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
    weight: str = "normal",
) -> None:
    ax.text(
        *place,
        text,
        ha="center",
        va="center_baseline",
        fontsize=size,
        fontweight=weight,
        color=colour,
        zorder=3,
        gid=gid,
    )
