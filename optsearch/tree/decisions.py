"""Decision trees as a whole: their paths and measures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from optsearch.game import cell_name, notebook
from optsearch.game.position import Position, Shot
from optsearch.support.errors import NotInstalled, TreeError
from optsearch.tree.folded import tree_html
from optsearch.tree.nodes import Leaf, Node, Shots
from optsearch.tree.text import configurations_text, text_lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_LEAVES = 2_000  # of a tree in a notebook


@dataclass(frozen=True)
class DecisionTree:
    """A strategy from a position on: the next shot after every sequence of replies.

    position -- where the strategy starts; root -- its first shot, or a leaf if all ships are sunk
    there; source -- the origin of the tree, in words, or empty; title -- a short name of the
    strategy, such as `optimal`; prior -- the digest of the prior by which leaves have weights,
    empty if each configuration counts once.

    The depth of a leaf is the number of shots from the root to it: shots already made in the
    position do not count. Nothing is checked when a tree is built; `verify` checks it.
    """

    position: Position
    root: Node | Leaf
    source: str = ""
    title: str = ""
    prior: str = ""

    def __repr__(self) -> str:
        return (
            f"<DecisionTree of {self.position.title}: {self.leaves:,} leaves, total height "
            f"{self.total_height:,}>"
        )

    def _repr_html_(self) -> str:
        """Return HTML of the measures and the folded tree; a very large tree is left out."""
        rows = [("strategy", self.title)] if self.title else []
        rows.append(("configurations", f"{self.configurations:,}"))
        if self.configurations:
            mean = f"{self.total_height}/{self.configurations} = {float(self.mean):.6f}"
            rows += [("mean shots", mean), ("worst case", f"{self.worst} shots")]
        if self.leaves <= MOST_LEAVES:
            body = tree_html(self.root)
        else:
            body = f"{self.leaves:,} leaves: tree.save and `optsearch tree` show large trees"
        return notebook.with_title(self.position.title, notebook.pairs_table(rows), body)

    def paths(self) -> Iterator[tuple[Shots, Leaf]]:
        """Yield each leaf with the shots that lead to it, from left (hits) to right (misses)."""
        waiting: list[tuple[Shots, Node | Leaf]] = [((), self.root)]
        while waiting:
            shots, node = waiting.pop()
            if isinstance(node, Leaf):
                yield shots, node
            else:
                waiting += [  # the last one is taken first
                    ((*shots, Shot(node.cell, reply)), child)
                    for reply, child in reversed([*node.replies.items()])
                ]

    @cached_property
    def _leaves(self) -> list[tuple[int, int]]:
        """The depth and the number of configurations of each leaf, from left to right."""
        return [(len(shots), leaf.configurations) for shots, leaf in self.paths()]

    @property
    def leaves(self) -> int:
        """The number of leaves: of different sets of cells that the ships may occupy."""
        return len(self._leaves)

    @property
    def configurations(self) -> int:
        """The number of configurations that end at all leaves together."""
        return sum(configurations for _, configurations in self._leaves)

    @property
    def total_height(self) -> int:
        """The sum over configurations of the shots that sink them: what a strategy minimises."""
        return sum(depth * configurations for depth, configurations in self._leaves)

    @property
    def mean(self) -> Fraction:
        """The average height: total height over configurations, the mean number of shots."""
        if not self.configurations:
            raise TreeError(f"a tree of {self.position.game} without configurations has no mean")
        return Fraction(self.total_height, self.configurations)

    @property
    def worst(self) -> int:
        """The number of shots in the worst case: the depth of the deepest leaf."""
        return max((depth for depth, _ in self._leaves), default=0)

    @property
    def histogram(self) -> dict[int, int]:
        """Map each number of shots to the number of configurations that take it, ascending."""
        histogram: Counter[int] = Counter()
        for depth, configurations in self._leaves:
            histogram[depth] += configurations
        return dict(sorted(histogram.items()))

    def text(self, depth: int | None = None) -> str:
        """Return the tree as text: a line with its measures, and a line per node.

        A node is the cell it shoots. A leaf is a check mark, its depth, and its number of
        configurations if that is not 1.

        depth -- the number of shots after which a subtree becomes dots and its number of
        configurations; None shows all.
        """
        after = f" after {self.position}" if self.position.shots else ""
        head = f"{self.position.game}{after}: total height {self.total_height}"
        head += f", {configurations_text(self.configurations)}"
        if self.configurations:
            head += f", mean {self.mean} ≈ {float(self.mean):.4f}"
        head += f", worst case {self.worst}"
        return "\n".join([head, *text_lines(self.root, depth)])

    def draw(self, ax: Axes | None = None, depth: int | None = None, boards: bool = False) -> Axes:
        """Draw the tree on axes of matplotlib, as `optsearch.draw` does, and return the axes."""
        from optsearch import draw  # the modules that draw import this one

        return draw(self, ax, depth, boards)

    def to_networkx(self) -> Any:
        """Return the tree as a `networkx.DiGraph`, whose nodes are the integers from 0, the root.

        A node that shoots has the attribute `shot`, the name of the cell. A leaf has
        `configurations`, and an edge has `reply`. Raises NotInstalled without networkx.
        """
        try:
            import networkx
        except ModuleNotFoundError:
            raise NotInstalled("networkx", "networkx") from None
        graph = networkx.DiGraph(game=str(self.position.game), position=str(self.position))

        def add_subtree(node: Node | Leaf) -> int:
            """Add the nodes and edges of a subtree, and return the integer of its root."""
            index: int = graph.number_of_nodes()
            if isinstance(node, Leaf):
                graph.add_node(index, configurations=node.configurations)
                return index
            graph.add_node(index, shot=cell_name(node.cell))
            for reply, child in node.replies.items():
                graph.add_edge(index, add_subtree(child), reply=str(reply))
            return index

        add_subtree(self.root)
        return graph
