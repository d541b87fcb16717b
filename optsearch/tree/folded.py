"""Decision trees as HTML that unfolds, for notebooks."""

from __future__ import annotations

from html import escape

from optsearch.game import cell_name
from optsearch.tree.nodes import Leaf, Node
from optsearch.tree.text import branch_mark, leaf_text

OPEN_LEVELS = 2  # depth to which a tree is unfolded at first


def tree_html(root: Node | Leaf, before: str = "", depth: int = 0) -> str:
    """Return a subtree as HTML: the cell that is shot, and below it the subtree of each reply.

    before -- HTML in front of the cell, such as the reply that leads to it. depth -- the number of
    shots before this subtree.
    """
    if isinstance(root, Leaf):
        return f"<div>{before}{leaf_text(root, depth)}</div>"
    children_html = "".join(
        tree_html(child, f"{escape(branch_mark(reply))} ", depth + 1)
        for reply, child in root.replies.items()
    )
    shot = cell_name(root.cell)
    is_open = " open" if depth < OPEN_LEVELS else ""
    children_block = f'<div style="margin-left:1.5em">{children_html}</div>'
    return f"<details{is_open}><summary>{before}{shot}</summary>{children_block}</details>"
