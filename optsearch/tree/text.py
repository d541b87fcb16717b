"""Decision trees in words: lines to read, and parts of messages."""

from __future__ import annotations

from optsearch.game import cell_name
from optsearch.game.position import Reply
from optsearch.tree.nodes import Leaf, Node, Shots, configurations_below


def text_lines(root: Node | Leaf, max_depth: int | None = None, depth: int = 0) -> list[str]:
    """Return a subtree as lines to read, in the form that `DecisionTree.text` describes.

    max_depth -- the depth at which a subtree is left out; None leaves out nothing. depth -- that of
    `root`: the number of shots before it.
    """
    if isinstance(root, Leaf):
        return [leaf_text(root, depth)]
    if depth == max_depth:
        return [f"… {configurations_text(configurations_below(root))}"]
    lines = [cell_name(root.cell)]
    for branch_number, (reply, child) in enumerate(root.replies.items(), 1):
        is_last = branch_number == len(root.replies)
        branch_sign, line_sign = ("└─", "  ") if is_last else ("├─", "│ ")
        first_line, *other_lines = text_lines(child, max_depth, depth + 1)
        lines.append(f"{branch_sign} {reply} {first_line}")
        lines += [f"{line_sign} {line}" for line in other_lines]
    return lines


def leaf_text(leaf: Leaf, depth: int) -> str:
    """Return a check mark and the depth of a leaf, and its configurations if it has several."""
    several = leaf.configurations != 1
    return f"✓ {depth}" + (f", {configurations_text(leaf.configurations)}" if several else "")


def branch_mark(reply: Reply) -> str:
    """Return the mark of a branch: the sign of a hit or a miss, a sinking in words."""
    return str(reply) if reply.sunk else reply.sign


def configurations_text(configurations: int) -> str:
    """Return a number of configurations with its noun, such as `1 configuration`."""
    return f"{configurations} configuration{'' if configurations == 1 else 's'}"


def path_text(shots: Shots) -> str:
    """Return in words where shots from the root lead, such as `after A1=hit` or `at the root`."""
    return f"after {' '.join(map(str, shots))}" if shots else "at the root"
