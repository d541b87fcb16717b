"""Where the vertices of a tree go: pure geometry, in slots (the width of a leaf) and levels."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

from optsearch.game import Cell
from optsearch.game.position import Position, Reply

LEVEL = 0.58  # inches from one level of circles to the next
SLANT = 0.5  # how far, in slots, a node with one branch stands beside its child
_END = 0.27  # the part of an edge that is as high as the vertex at its end
_AIR = 0.1  # in slots, on either side of an edge


@dataclass(frozen=True)
class Vertex:
    """A vertex of a tree to draw: its name, and its branches from left to right.

    branches -- reply and child; in a binary tree that is no strategy, the left child is the one
        after a hit. A leaf has no branch.
    position, shot -- the board to draw, and the cell of it that is shot next; None for a circle.
    is_link -- whether it stands for a subtree that is drawn elsewhere, below the same name.
    """

    name: str = ""
    branches: tuple[tuple[Reply, Vertex], ...] = ()
    position: Position | None = None
    shot: Cell | None = None
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
            part, centre, depth, parent, reply = entries.pop()
            vertex = part.vertex
            if part.elsewhere:
                links += 1
                vertex = replace(vertex, name=str(links))
                waiting.append(_joined(vertex, [(None, part.elsewhere)], scale))
            entries += [
                (child, centre + place, depth + 1, len(placed), answer)
                for answer, place, child in reversed(part.children)
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
        link = _joined(Vertex(is_link=True), [], scale)
        children[index] = reply, replace(link, elsewhere=child)
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
