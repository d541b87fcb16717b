"""Where two decision trees part."""

from __future__ import annotations

from optsearch.errors import TreeError
from optsearch.position import Position, Shot
from optsearch.tree.decisions import DecisionTree
from optsearch.tree.nodes import Leaf, Node, Shots


def differences(left: DecisionTree, right: DecisionTree) -> list[Shots]:
    """Where two trees of one position part: the shots at whose ends they go on differently.

    Both are walked from the root along equal shots, hits first. They part where they shoot
    different cells, where one of them ends and the other does not, where leaves have different
    numbers of configurations, and after a reply that only one of them has. Equal trees part
    nowhere. TreeError for trees of different positions.
    """
    if left.position != right.position:
        raise TreeError(
            f"the trees are of {_described(left.position)} and of {_described(right.position)}; "
            "only trees of one game and one position can be compared"
        )
    parted: list[Shots] = []
    waiting: list[tuple[Shots, Node | Leaf | None, Node | Leaf | None]]
    waiting = [((), left.root, right.root)]
    while waiting:
        shots, a, b = waiting.pop()
        if isinstance(a, Node) and isinstance(b, Node) and a.cell == b.cell:
            replies = Node(a.cell, {**a.replies, **b.replies}).replies  # in their order
            waiting += [
                ((*shots, Shot(a.cell, reply)), a.replies.get(reply), b.replies.get(reply))
                for reply in reversed([*replies])
            ]
        elif a != b:
            parted.append(shots)
    return parted


def _described(position: Position) -> str:
    return f"{position.game}, {position}" if position.shots else str(position.game)
