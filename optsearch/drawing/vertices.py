"""Decision trees as trees to draw: their vertices, sizes and layouts."""

from __future__ import annotations

from collections.abc import Sequence

from optsearch.drawing.boards import board_size
from optsearch.drawing.layouts import CIRCLES, LEVEL, PlacedVertex, Scale, Vertex, layout
from optsearch.game import cell_name
from optsearch.game.position import HIT, MISS, Position
from optsearch.support.errors import TreeError
from optsearch.tree import DecisionTree, Leaf, Node
from optsearch.tree.nodes import configurations_below

# In inches (a slot is the width of a leaf).
SLOT = 0.40
BOARD_CELL = 0.12
NAME_STRIP = 0.15  # above a board
NODE_SIZE = 20.0  # in points


def _to_vertex(node: Node | Leaf, position: Position | None, depth: int | None) -> Vertex:
    """Return a subtree of a decision tree as a vertex to draw, with its branches.

    position -- that of the node if boards are drawn, else None. depth -- the number of shots after
    which subtrees are left out; None leaves out nothing.
    """
    if isinstance(node, Leaf):
        return Vertex("" if node.configurations == 1 else str(node.configurations))
    if depth == 0:
        return Vertex(str(configurations_below(node)), is_cut=True)
    child_depth = None if depth is None else depth - 1
    branches = []
    for reply, child in node.replies.items():
        child_position = position.after(node.cell, reply) if position else None
        branches.append((reply, _to_vertex(child, child_position, child_depth)))
    shot = node.cell if position else None
    return Vertex(cell_name(node.cell), tuple(branches), position, shot)


def binary_tree(depths: Sequence[int]) -> Vertex:
    """Return the binary tree whose leaves have these depths from left to right.

    Every inner vertex has two children. Raises TreeError if no tree has these depths.
    """
    # Subtrees from left to right, each with the depth of its root. The last two are the children of
    # one vertex if they have equal depths.
    subtrees: list[tuple[Vertex, int]] = []
    for leaf_depth in depths:
        subtrees.append((Vertex(), leaf_depth))
        while len(subtrees) > 1 and subtrees[-2][1] == subtrees[-1][1]:
            right, depth = subtrees.pop()
            left, _ = subtrees.pop()
            subtrees.append((Vertex("", ((HIT, left), (MISS, right))), depth - 1))
    if [depth for _, depth in subtrees] != [0]:
        raise TreeError(
            f"no binary tree has leaves of the depths {', '.join(map(str, depths)) or '(none)'} "
            "from left to right"
        )
    root, _ = subtrees[0]
    return root


def scale_of(tree: DecisionTree | Vertex, boards: bool) -> Scale:
    """Return the sizes of the vertices and levels of a drawn tree.

    boards -- True if each node of a decision tree is drawn as a board, not as a circle.
    """
    if isinstance(tree, Vertex):
        return CIRCLES
    game = tree.position.game
    if boards:
        cells_across, cells_down = board_size(game)
        height = cells_down * BOARD_CELL + NAME_STRIP  # inches
        level = height + 0.36
        width = max(1.0, cells_across * BOARD_CELL / SLOT + 0.25)
        return Scale(level=level, width=width, reach=height / 2 / level)
    if game.is_silent:
        return CIRCLES
    # A node may have three edges. The middle one would run into the vertex below if it ended in the
    # centre, so edges end at the circle: half its size, in levels (an inch is 72 points).
    return Scale(reach=NODE_SIZE / 144 / LEVEL)


def arrange(
    tree: DecisionTree | Vertex, boards: bool, depth: int | None = None
) -> tuple[list[PlacedVertex], float, float]:
    """Return the vertices of a tree with their places, and the width in slots and height in levels.

    A slot is the width of a leaf, a level the distance of a node to its children. boards -- True if
    nodes are drawn as boards. depth -- the number of shots after which subtrees are left out; None
    leaves out nothing.
    """
    root = tree
    if isinstance(root, DecisionTree):
        root = _to_vertex(root.root, root.position if boards else None, depth)
    placed, width = layout(root, scale_of(tree, boards))
    height = 1 + max(vertex.depth for vertex in placed)
    return placed, max(width, 2.0), height
