"""Layouts of trees: pure geometry, in slots (the width of a leaf) and levels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from optsearch.game import Cell
from optsearch.game.position import Position, Reply

LEVEL = 0.58  # inches from one level of circles to the next
SLANT = 0.5  # slots between a node with one branch and its child, sideways
_EDGE_END_SHARE = 0.27  # the share of an edge that is as high as the vertex at its end
_EDGE_MARGIN = 0.1  # slots kept free on either side of an edge


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
    """A vertex with its coordinates: x in slots from the left, depth in levels from the top.

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
    """A subtree whose root, `vertex`, is at x = 0.

    child_x -- the x of each child. children -- their shapes, each with the child at x = 0.
    """

    vertex: Vertex
    child_x: Sequence[float]
    children: Sequence[_Shape]
    outline: _Outline


def layout(root: Vertex, scale: Scale = CIRCLES) -> tuple[list[PlacedVertex], float]:
    """Return the vertices of a tree with their places in a drawing, and the width of the drawing.

    The root comes first. The width is in slots, widths of a leaf. A node is above the middle
    between its first and its last child, or half a slot beside an only child. Subtrees are as close
    as possible without touching (Reingold and Tilford, Tidier Drawings of Trees, 1981).
    """
    tree = _shape_of(root, scale)
    left = min(start for start, _ in tree.outline)
    right = max(end for _, end in tree.outline)
    placed: list[PlacedVertex] = []
    # Each waiting entry: a subtree, its x and depth, its parent's index, and the reply before it.
    waiting: list[tuple[_Shape, float, float, int | None, Reply | None]] = [
        (tree, -left, 0, None, None)
    ]
    while waiting:
        subtree, x, depth, parent, reply = waiting.pop()
        branches = zip(subtree.child_x, subtree.children, subtree.vertex.branches, strict=True)
        for child_x, child, (answer, _) in reversed([*branches]):  # the last one is taken first
            waiting.append((child, x + child_x, depth + 1, len(placed), answer))
        placed.append(PlacedVertex(subtree.vertex, x, depth, parent, reply))
    return placed, right - left


def _shape_of(vertex: Vertex, scale: Scale) -> _Shape:
    """Return the shape of the subtree of a vertex: where its children lie, and its outline.

    The children are as close together as possible. An outline has the leftmost and rightmost x in
    each band of height; a level has two bands.
    """
    children = [_shape_of(child, scale) for _, child in vertex.branches]
    child_x = _child_positions(vertex, [child.outline for child in children])
    half_width = scale.width / 2 if children else 0.5
    outline = [(-half_width, half_width)]
    if not children and vertex.name:  # the name is written below, in the next band
        outline *= 2
    # The share of an edge that is in the band of the vertex at its end.
    share = 0.0 if scale.reach else _EDGE_END_SHARE
    for x, child in zip(child_x, children, strict=True):
        # An edge runs from x = 0 to the child, through the bands of both and the one between.
        spans = [(0, x * share), (0, x), (x * (1 - share), x)]
        edge = [(min(span) - _EDGE_MARGIN, max(span) + _EDGE_MARGIN) for span in spans]
        outline = _unite(outline, edge)
        outline = _unite(outline, child.outline, x=x, band=2)
    return _Shape(vertex, child_x, children, outline)


def _child_positions(vertex: Vertex, outlines: Sequence[_Outline]) -> list[float]:
    """Return the x of each child of a vertex, which is itself at x = 0.

    Each child is as far left as the subtrees before it allow. Then all are moved until the vertex
    is in the middle between the first and the last. An only child lies beside it.

    outlines -- of the subtree of each child.
    """
    if len(outlines) == 1:
        is_hit = vertex.branches[0][0].hit
        return [-SLANT if is_hit else SLANT]
    x_of_children: list[float] = []
    siblings: _Outline = []  # the union of the outlines so far
    for outline in outlines:
        bands = zip(siblings, outline, strict=False)
        x = max((end - start for (_, end), (start, _) in bands), default=0.0)
        x_of_children.append(x)
        siblings = _unite(siblings, outline, x=x)
    return [x - x_of_children[-1] / 2 for x in x_of_children]


def _unite(first: _Outline, second: _Outline, x: float = 0.0, band: int = 0) -> _Outline:
    """Return the outline of two subtrees together: the leftmost and rightmost x in each band.

    x, band -- how far the second one is moved: slots (widths of a leaf) to the right, and bands of
    height (two to a level) down.
    """
    union = list(first)
    for i, (start, end) in enumerate(second, band):
        if i < len(union):
            union[i] = min(union[i][0], start + x), max(union[i][1], end + x)
        else:
            union.append((start + x, end + x))
    return union
