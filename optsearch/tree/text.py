"""Decision trees in words: lines to read, and parts of messages."""

from __future__ import annotations

from optsearch.game import cell_name
from optsearch.game.position import Reply
from optsearch.tree.nodes import Leaf, Node, Shots, configurations_below


def text_lines(root: Node | Leaf, max_depth: int | None = None) -> list[str]:
    """Return a subtree as lines to read, as `DecisionTree.text` does."""
    lines: list[str] = []
    # Each waiting entry: the node, its depth, the text before its line, and before its children's
    # lines.
    waiting: list[tuple[Node | Leaf, int, str, str]] = [(root, 0, "", "")]
    while waiting:
        node, depth, before, below = waiting.pop()
        if isinstance(node, Leaf):
            weight = (
                "" if node.configurations == 1 else f", {configurations_text(node.configurations)}"
            )
            lines.append(f"{before}✓ {depth}{weight}")
            continue
        if depth == max_depth:
            lines.append(f"{before}… {configurations_text(configurations_below(node))}")
            continue
        lines.append(before + cell_name(node.cell))
        for i, (reply, child) in enumerate(reversed([*node.replies.items()])):
            corner, line = ("└─", "  ") if i == 0 else ("├─", "│ ")
            waiting.append((child, depth + 1, f"{below}{corner} {reply} ", f"{below}{line} "))
    return lines


def branch_mark(reply: Reply) -> str:
    """Return the mark of a branch: the sign of a hit or a miss, a sinking in words."""
    return str(reply) if reply.sunk else reply.sign


def configurations_text(configurations: int) -> str:
    """Return a number of configurations in words."""
    return f"{configurations} configuration{'' if configurations == 1 else 's'}"


def path_text(shots: Shots) -> str:
    """Return in words the node to which shots from the root of a tree lead."""
    return f"after {' '.join(map(str, shots))}" if shots else "at the root"
