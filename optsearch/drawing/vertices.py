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


def _vertex(node: Node | Leaf, board: Position | None, depth: int | None) -> Vertex:
    """Return a subtree as a tree to draw, with branches in the order of `node.replies`.

    board -- the position there, if boards are drawn; depth -- as in `draw_tree`.
    """
    if isinstance(node, Leaf):
        return Vertex("" if node.configurations == 1 else str(node.configurations))
    if depth == 0:
        return Vertex(str(configurations_below(node)), is_cut=True)
    below = None if depth is None else depth - 1
    branches = tuple(
        (reply, _vertex(child, board and board.after(node.cell, reply), below))
        for reply, child in node.replies.items()
    )
    shot = node.cell if board else None
    return Vertex(cell_name(node.cell), branches, board, shot)


def binary_tree(depths: Sequence[int]) -> Vertex:
    """Return the binary tree whose leaves have these depths from left to right.

    Every inner vertex has two children. Raises TreeError if no tree has these depths.
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


def scale_of(tree: DecisionTree | Vertex, boards: bool) -> Scale:
    """Return the sizes of a tree drawn with boards or with circles."""
    if isinstance(tree, Vertex):
        return CIRCLES
    game = tree.position.game
    if boards:
        across, down = board_size(game)
        height = down * BOARD_CELL + NAME_STRIP
        width = max(1.0, across * BOARD_CELL / SLOT + 0.25)
        return Scale(height + 0.36, width, height / 2 / (height + 0.36))
    # A node with three edges: its middle one would run into the vertex if it ended in the centre.
    return CIRCLES if game.is_silent else Scale(reach=NODE_SIZE / 144 / LEVEL)


def arrange(
    tree: DecisionTree | Vertex, boards: bool, depth: int | None = None
) -> tuple[list[PlacedVertex], float, float]:
    """Return the layout of a tree to a depth, its width in slots and its height in levels."""
    root = tree
    if isinstance(root, DecisionTree):
        root = _vertex(root.root, root.position if boards else None, depth)
    placed, width = layout(root, scale_of(tree, boards))
    return placed, max(width, 2.0), 1 + max(p.depth for p in placed)
