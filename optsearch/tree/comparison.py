"""Where two decision trees part, and the symmetry by which one lies best upon the other."""

from __future__ import annotations

from dataclasses import replace

from optsearch.game import Permutation
from optsearch.game.position import Position, Shot
from optsearch.support.errors import TreeError
from optsearch.tree.decisions import DecisionTree
from optsearch.tree.nodes import Leaf, Node, Shots


def differences(left: DecisionTree, right: DecisionTree) -> list[Shots]:
    """Where two trees of one position part: the shots at whose ends they go on differently.

    Both are walked from the root along equal shots, hits first. They part where they shoot
    different cells, where one of them ends and the other does not, where leaves have different
    numbers of configurations, and after a reply that only one of them has. Equal trees part
    nowhere. TreeError for trees of different positions.
    """
    if left.prior != right.prior:
        raise TreeError(
            f"one tree is by {_prior_text(left)}, the other by {_prior_text(right)}; only trees by "
            "one prior can be compared"
        )
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


def aligned(left: DecisionTree, right: DecisionTree) -> tuple[DecisionTree, Permutation | None]:
    """The second tree as it lies upon the first, and the symmetry that took it there.

    Where the two shoot different cells first, and symmetries of the grid that keep the position
    take the first shot of the one to that of the other: turned by the one of them after which the
    two share the most nodes. Else, and where leaves are weighed by a prior, as it is, with None.
    """
    if not (isinstance(left.root, Node) and isinstance(right.root, Node)):
        return right, None
    if left.position != right.position or left.root.cell == right.root.cell or right.prior:
        return right, None
    turned = [
        (found, permutation)
        for permutation in right.position.game.symmetries()
        for found in (turned_by(right, permutation),)
        if found.position == left.position and _shared(left.root, found.root)
    ]
    return max(turned, key=lambda pair: _shared(left.root, pair[0].root), default=(right, None))


def turned_by(tree: DecisionTree, permutation: Permutation) -> DecisionTree:
    """The tree, and its position, after a symmetry of the grid."""
    game = tree.position.game
    cells = {game.cell(i): game.cell(image) for i, image in enumerate(permutation)}

    def turned(node: Node | Leaf) -> Node | Leaf:
        if isinstance(node, Leaf):
            return node
        return Node(
            cells[node.cell], {reply: turned(child) for reply, child in node.replies.items()}
        )

    shots = tuple(Shot(cells[shot.cell], shot.reply) for shot in tree.position.shots)
    return replace(tree, position=Position(game, shots), root=turned(tree.root))


def _shared(left: Node | Leaf | None, right: Node | Leaf | None) -> int:
    """How many nodes two trees share from their roots on."""
    if not (isinstance(left, Node) and isinstance(right, Node) and left.cell == right.cell):
        return 0
    return 1 + sum(
        _shared(child, right.replies.get(reply)) for reply, child in left.replies.items()
    )


def _prior_text(tree: DecisionTree) -> str:
    return f"the prior {tree.prior}" if tree.prior else "no prior"


def _described(position: Position) -> str:
    return f"{position.game}, {position}" if position.shots else str(position.game)
