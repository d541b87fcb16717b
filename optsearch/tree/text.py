"""Decision trees in words: lines to read, and parts of messages."""

from __future__ import annotations

from optsearch.game import cell_name
from optsearch.game.position import Reply
from optsearch.tree.nodes import Leaf, Node, Shots, configurations_below


def text_lines(root: Node | Leaf, max_depth: int | None = None) -> list[str]:
    """Return a subtree as lines to read, in the form that `DecisionTree.text` describes.

    max_depth -- the number of shots after which a subtree is left out; None leaves out nothing.
    """
    lines: list[str] = []
    # Each waiting entry: a node, its depth, the text before its own line, and the text before the
    # lines of its children.
    waiting: list[tuple[Node | Leaf, int, str, str]] = [(root, 0, "", "")]
    while waiting:
        node, depth, prefix, child_prefix = waiting.pop()
        if isinstance(node, Leaf):
            has_one = node.configurations == 1
            count_text = "" if has_one else f", {configurations_text(node.configurations)}"
            lines.append(f"{prefix}✓ {depth}{count_text}")
        elif depth == max_depth:
            lines.append(f"{prefix}… {configurations_text(configurations_below(node))}")
        else:
            lines.append(prefix + cell_name(node.cell))
            # The last child waits first, because the last entry is taken first.
            for i, (reply, child) in enumerate(reversed([*node.replies.items()])):
                branch_sign, line_sign = ("└─", "  ") if i == 0 else ("├─", "│ ")
                prefixes = f"{child_prefix}{branch_sign} {reply} ", f"{child_prefix}{line_sign} "
                waiting.append((child, depth + 1, *prefixes))
    return lines


def branch_mark(reply: Reply) -> str:
    """Return the mark of a branch: the sign of a hit or a miss, a sinking in words."""
    return str(reply) if reply.sunk else reply.sign


def configurations_text(configurations: int) -> str:
    """Return a number of configurations with its noun, such as `1 configuration`."""
    return f"{configurations} configuration{'' if configurations == 1 else 's'}"


def path_text(shots: Shots) -> str:
    """Return in words where shots from the root lead, such as `after A1=hit` or `at the root`."""
    return f"after {' '.join(map(str, shots))}" if shots else "at the root"
