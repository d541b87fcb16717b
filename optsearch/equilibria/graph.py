"""The trees so far as one AND/OR graph, and the best tree that can be put together from it.

Two trees that reach the same family (the hidings left and the cells hit) are interchangeable from
there. So the graph has a node for each family that some tree reaches, with the shots that some tree
takes there. Any of these shots may be combined, so a few trees make a great many. The best one
against a mix is found without a search, from the small families up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from optsearch.equilibria.hidings import Hidings
from optsearch.equilibria.oracle import payments
from optsearch.game import Cell
from optsearch.game.objective import Objective
from optsearch.game.position import Reply, reply
from optsearch.tree import Leaf, Node

Family = tuple[tuple[int, ...], int, int]  # hidings, cells hit, and shots where they count
Choice = NDArray[np.int64]  # (2, nodes) the nodes of a tree that are no leaves, and their shots
NOWHERE = 0  # stands for the node after a reply that does not happen
ROOT = 1


@dataclass
class _Shot:
    """A shot at a node, and the nodes that follow."""

    cell: Cell
    after: dict[Reply, int]


@dataclass
class _Height:
    """The nodes of one height above their leaves, and their shots, side by side.

    starts -- (nodes,) the first shot of each. after -- (shots, replies) the nodes that follow.
    """

    nodes: NDArray[np.int64]
    shots: NDArray[np.int64]
    starts: NDArray[np.int64]
    after: NDArray[np.int64]


@dataclass
class Graph:
    """All trees so far of one game; `add` at least one before `best`."""

    hidings: Hidings
    objective: Objective
    _nodes: dict[Family, int] = field(default_factory=dict)
    _leaves: dict[int, Leaf] = field(default_factory=dict)
    _ends: list[tuple[int, int, int]] = field(default_factory=list)  # leaf, hiding, shots before
    _shots: list[_Shot] = field(default_factory=list)
    _of_node: dict[int, dict[Cell, int]] = field(default_factory=dict)  # shots by cell
    _heights: list[_Height] | None = None

    def add(self, root: Node | Leaf) -> None:
        """Add a tree, which must end every game."""
        self._add(root, tuple(range(len(self.hidings))), 0, 0)

    def _add(self, tree: Node | Leaf, left: tuple[int, ...], hits: int, depth: int) -> int:
        counts = self.objective.shots is not None
        family = left, hits, depth if counts else 0
        node = self._nodes.setdefault(family, len(self._nodes) + 1)
        if isinstance(tree, Leaf):
            if node not in self._leaves:
                self._leaves[node] = tree
                self._ends += [(node, hiding, depth) for hiding in left]
                self._heights = None
            return node
        game = self.hidings.game
        bit = game.bit(tree.cell)
        parts: dict[Reply, list[int]] = {}
        for hiding in left:
            answer = reply(game, self.hidings.hidden[hiding], hits, bit)
            parts.setdefault(answer, []).append(hiding)
        after = {
            answer: self._add(
                tree.replies[answer], tuple(part), hits | (bit if answer.hit else 0), depth + 1
            )
            for answer, part in parts.items()
        }
        shots = self._of_node.setdefault(node, {})
        if tree.cell not in shots and node not in after.values():  # else nothing was learnt
            shots[tree.cell] = len(self._shots)
            self._shots.append(_Shot(tree.cell, after))
            self._heights = None
        return node

    def best(self, weights: NDArray[np.float64]) -> tuple[Choice, tuple[int, ...]]:
        """Return the tree that pays least against weights of the hidings, as the shot at each node.

        Also return what it pays on each orbit, summed over the hidings of the orbit.
        """
        if self._heights is None:
            self._heights = self._by_height()
        leaves, hidings, depths = np.array(self._ends, np.int64).T
        weight = np.zeros(len(self._nodes) + 1)
        np.add.at(weight, leaves, weights[hidings])
        cost = np.zeros(len(self._nodes) + 1)
        is_mean = self.objective.shots is None
        if not is_mean:
            np.add.at(cost, leaves, weights[hidings] * payments(self.objective, depths))
        chosen = []
        for same in self._heights:
            weight[same.nodes] = weight[same.after[same.starts]].sum(1)
            costs = cost[same.after].sum(1)
            lowest = np.minimum.reduceat(costs, same.starts)
            is_least = costs == np.repeat(lowest, np.diff(same.starts, append=len(costs)))
            places = np.flatnonzero(is_least)
            chosen.append(places[np.searchsorted(places, same.starts)])
            cost[same.nodes] = lowest + (weight[same.nodes] if is_mean else 0)
        choice, depth = self._follow(self._heights, chosen)
        met = depth[leaves] >= 0
        shots = np.zeros(len(self.hidings), np.int64)
        shots[hidings[met]] = depth[leaves[met]]
        return choice, self.hidings.totals(payments(self.objective, shots))

    def _follow(
        self, heights: Sequence[_Height], chosen: Sequence[NDArray[np.intp]]
    ) -> tuple[Choice, NDArray[np.int64]]:
        """Follow the shots chosen at each height from the root down.

        Return the shots at the nodes that they reach, and the depth of every node, -1 elsewhere.
        """
        depth = np.full(len(self._nodes) + 1, -1)
        depth[ROOT] = 0
        choice = []
        for same, places in zip(reversed(heights), reversed(chosen), strict=True):
            met = depth[same.nodes] >= 0
            nodes, places = same.nodes[met], places[met]
            depth[same.after[places]] = depth[nodes, None] + 1
            choice.append((nodes, same.shots[places]))
        depth[NOWHERE] = -1
        return np.hstack(choice), depth

    def tree(self, choice: Choice) -> Node | Leaf:
        """Return the tree that takes the shots of a choice (`best`)."""
        return self._tree(dict(choice.T.tolist()), ROOT)

    def _tree(self, choice: Mapping[int, int], node: int) -> Node | Leaf:
        if node in self._leaves:
            return self._leaves[node]
        shot = self._shots[choice[node]]
        return Node(shot.cell, {r: self._tree(choice, part) for r, part in shot.after.items()})

    def _by_height(self) -> list[_Height]:
        """Group the nodes by the longest way to a leaf, the shortest first."""
        height = dict.fromkeys(self._leaves, 0)
        nodes: dict[int, list[int]] = {}

        def height_of(node: int) -> int:
            if node not in height:
                parts = [
                    part
                    for shot in self._of_node[node].values()
                    for part in self._shots[shot].after.values()
                ]
                height[node] = 1 + max(map(height_of, parts))
                nodes.setdefault(height[node], []).append(node)
            return height[node]

        height_of(ROOT)
        heights = []
        for number in sorted(nodes):
            shots = [list(self._of_node[node].values()) for node in nodes[number]]
            listed = [shot for each in shots for shot in each]
            widest = max(len(self._shots[shot].after) for shot in listed)
            after = np.full((len(listed), widest), NOWHERE)
            for place, shot in enumerate(listed):
                parts = list(self._shots[shot].after.values())
                after[place, : len(parts)] = parts
            sizes = [len(each) for each in shots]
            starts = np.cumsum([0, *sizes[:-1]])
            heights.append(_Height(np.array(nodes[number]), np.array(listed), starts, after))
        return heights
