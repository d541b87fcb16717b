"""The parts of a decision tree: nodes that shoot a cell, and leaves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from optsearch.game import Cell
from optsearch.game.position import Reply, Shot

Shots = tuple[Shot, ...]


@dataclass(frozen=True)
class Leaf:
    """The end of a branch: all ships are sunk.

    configurations -- the number of configurations that end here: 1, or more if ships may touch and
    several configurations have the same cells.
    """

    configurations: int


def configurations_below(node: Node | Leaf) -> int:
    """Count the configurations of a subtree."""
    if isinstance(node, Leaf):
        return node.configurations
    return sum(map(configurations_below, node.replies.values()))


@dataclass(frozen=True)
class Node:
    """A shot, and the subtree after each reply that can happen.

    cell -- the cell shot; replies -- reply to subtree, kept with hits first (left) and the miss
    last (right). A certain hit has no branch for the miss.
    """

    cell: Cell
    replies: Mapping[Reply, Node | Leaf]

    def __post_init__(self) -> None:
        ordered = sorted(self.replies.items(), key=lambda item: item[0].order)
        object.__setattr__(self, "replies", dict(ordered))

    def __hash__(self) -> int:
        return hash((self.cell, frozenset(self.replies.items())))
