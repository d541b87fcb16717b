"""Layouts of trees: pure geometry, in slots (the width of a leaf) and levels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from optsearch.game import Cell
from optsearch.game.position import Position, Reply

LEVEL = 0.58  # inches from one level of circles to the next
SLANT = 0.5  # slots between a node with one branch and its child, sideways
_END = 0.27  # the share of an edge that is as high as the vertex at its end
_AIR = 0.1  # slots kept free on either side of an edge


@dataclass(frozen=True)
class Vertex:
    """A vertex of a tree to draw: its name, and its branches from left to right.

    branches -- pairs of reply and child, none at a leaf; in an abstract binary tree the left child
        follows a hit.
    position, shot -- the board to draw and the cell shot next, or None to draw a circle.
    is_cut -- True for a subtree that is left out; the name is its number of configurations.
    """

    name: str = ""
    branches: tuple[tuple[Reply, Vertex], ...] = ()
    position: Position | None = None
    shot: Cell | None = None
    is_cut: bool = False


@dataclass(frozen=True)
class PlacedVertex:
    """A vertex with its place: x in slots from the left, depth in levels from the top.

    parent -- the index of its parent in the layout; reply -- the reply that leads to it. Both are
    None for the root.
    """

    vertex: Vertex
    x: float
    depth: float
    parent: int | None = None
    reply: Reply | None = None


@dataclass(frozen=True)
class Scale:
    """The sizes of a drawn tree.

    level -- inches from one level to the next. width -- slots of an inner vertex. reach -- levels
    from the centre of an inner vertex to the ends of its edges: half its height, or 0 for edges
    from centre to centre.
    """

    level: float = LEVEL
    width: float = 1.0
    reach: float = 0.0


CIRCLES = Scale()

# The leftmost and rightmost x of a subtree in each band of height: band 2d holds its vertices of
# depth d with the ends of their edges, band 2d + 1 the edges below them.
_Outline = list[tuple[float, float]]


class _Shape(NamedTuple):
    """A subtree whose root is at x = 0: the places of its children, their shapes, its outline."""

    vertex: Vertex
    places: Sequence[float]
    children: Sequence[_Shape]
    outline: _Outline


def layout(root: Vertex, scale: Scale = CIRCLES) -> tuple[list[PlacedVertex], float]:
    """Return the placed vertices of a tree, the root first, and its width in slots.

    A node is centred over its outermost children, and half a slot beside an only child. Subtrees
    are as close as possible without a vertex or an edge of one touching the other (Reingold and
    Tilford, Tidier Drawings of Trees, 1981).
    """
    shape = _shape(root, scale)
    left = min(start for start, _ in shape.outline)
    placed: list[PlacedVertex] = []
    waiting: list[tuple[_Shape, float, float, int | None, Reply | None]] = [
        (shape, -left, 0, None, None)
    ]
    while waiting:
        part, x, depth, parent, reply = waiting.pop()
        below = zip(part.places, part.children, part.vertex.branches, strict=True)
        waiting += [
            (child, x + place, depth + 1, len(placed), answer)
            for place, child, (answer, _) in reversed([*below])
        ]
        placed.append(PlacedVertex(part.vertex, x, depth, parent, reply))
    return placed, max(end for _, end in shape.outline) - left


def _shape(vertex: Vertex, scale: Scale) -> _Shape:
    """Return the shape of a subtree, its children as close together as possible."""
    children = [_shape(child, scale) for _, child in vertex.branches]
    places: list[float] = []
    siblings: _Outline = []  # of the children so far
    for child in children:
        both = zip(siblings, child.outline, strict=False)
        places.append(max((end - start for (_, end), (start, _) in both), default=0.0))
        siblings = _unite(siblings, child.outline, places[-1])
    if len(children) == 1:
        places = [-SLANT if vertex.branches[0][0].hit else SLANT]
    elif children:
        places = [place - places[-1] / 2 for place in places]

    half = scale.width / 2 if children else 0.5
    outline = [(-half, half)]
    if not children and vertex.name:  # it is written below
        outline *= 2
    end = 0.0 if scale.reach else _END
    for place, child in zip(places, children, strict=True):
        edge = [(0, place * end), (0, place), (place * (1 - end), place)]
        outline = _unite(outline, [(min(span) - _AIR, max(span) + _AIR) for span in edge])
        outline = _unite(outline, child.outline, place, 2)
    return _Shape(vertex, places, children, outline)


def _unite(first: _Outline, second: _Outline, x: float = 0.0, band: int = 0) -> _Outline:
    """Return the union of two outlines, the second moved x slots to the right and `band` down."""
    result = list(first)
    for i, (start, end) in enumerate(second, band):
        if i < len(result):
            result[i] = min(result[i][0], start + x), max(result[i][1], end + x)
        else:
            result.append((start + x, end + x))
    return result
