"""The trees so far as one AND/OR graph, and the best tree that can be put together from it.

Two trees that reach the same family (the hidings left and the cells hit) are interchangeable from
there. So the graph has a node for each family that some tree reaches, with the shots that some tree
takes there. Any of these shots may be combined, so a few trees make a great many. The best one
against a mix is found without a search, from the small families up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from optsearch.equilibria.hidings import Hidings
from optsearch.equilibria.oracle import payments
from optsearch.game import Cell
from optsearch.game.objective import Objective
from optsearch.game.position import Reply, reply
from optsearch.tree import Leaf, Node

Family = tuple[tuple[int, ...], int, int]  # hidings, cells hit, and shots where they count
Choice = NDArray[np.int64]  # (2, nodes): the nodes of a tree that are no leaves, and their shots
NOWHERE = 0  # stands for the node after a reply that does not happen
ROOT = 1


@dataclass
class _Shot:
    """A shot at a node, and the node after each reply."""

    cell: Cell
    after: dict[Reply, int]


@dataclass
class _Layer:
    """The nodes of one height above their leaves, and all their shots, node by node.

    nodes -- shape (nodes,). shots -- shape (shots,), the index of each in `Graph._shots`. starts --
    shape (nodes,): where the shots of each node begin. after -- shape (shots, replies): the nodes
    that follow a shot, filled up with NOWHERE.
    """

    nodes: NDArray[np.int64]
    shots: NDArray[np.int64]
    starts: NDArray[np.int64]
    after: NDArray[np.int64]


class _EndedGame(NamedTuple):
    """A hiding whose game ends at a leaf of some tree, after a number of shots."""

    leaf: int
    hiding: int
    shots: int


@dataclass
class Graph:
    """All trees so far of one game, joined where they reach equal families.

    The caller must `add` a tree before it asks for the `best_tree`.
    """

    hidings: Hidings
    objective: Objective
    _nodes: dict[Family, int] = field(default_factory=dict)
    _leaves: dict[int, Leaf] = field(default_factory=dict)
    _ended_games: list[_EndedGame] = field(default_factory=list)
    _shots: list[_Shot] = field(default_factory=list)
    _shots_of_node: dict[int, dict[Cell, int]] = field(default_factory=dict)  # index by cell
    _layers: list[_Layer] | None = None  # made when they are needed

    def add(self, root: Node | Leaf) -> None:
        """Add a tree, which must end every game."""
        self._add_subtree(root, tuple(range(len(self.hidings))), hits=0, depth=0)

    def _add_subtree(
        self, tree: Node | Leaf, hidings: tuple[int, ...], hits: int, depth: int
    ) -> int:
        """Add a part of a tree to the graph; return the node for its root.

        hidings -- the indices of the hidings that reach this part, where a hiding is a choice of
        the hider. hits -- mask of the cells hit before. depth -- the number of shots before.
        """
        shots_that_count = 0 if self.objective.shots is None else depth  # for within=K alone
        family = hidings, hits, shots_that_count
        node_index = self._nodes.setdefault(family, len(self._nodes) + 1)
        if isinstance(tree, Leaf):
            if node_index not in self._leaves:
                self._leaves[node_index] = tree
                self._ended_games += [_EndedGame(node_index, hiding, depth) for hiding in hidings]
                self._layers = None
            return node_index
        game = self.hidings.game
        cell_mask = game.bit(tree.cell)
        hidings_by_reply: dict[Reply, list[int]] = {}
        for hiding in hidings:
            answer = reply(game, self.hidings.hidden[hiding], hits, cell_mask)
            hidings_by_reply.setdefault(answer, []).append(hiding)
        hits_after_hit = hits | cell_mask
        node_after = {
            answer: self._add_subtree(
                tree.replies[answer],
                tuple(hidings_after),
                hits_after_hit if answer.hit else hits,
                depth + 1,
            )
            for answer, hidings_after in hidings_by_reply.items()
        }
        shot_of_cell = self._shots_of_node.setdefault(node_index, {})
        changes_nothing = node_index in node_after.values()  # the shot leads back to this family
        if tree.cell not in shot_of_cell and not changes_nothing:
            shot_of_cell[tree.cell] = len(self._shots)
            self._shots.append(_Shot(tree.cell, node_after))
            self._layers = None
        return node_index

    def best_tree(self, weights: NDArray[np.float64]) -> tuple[Choice, tuple[int, ...]]:
        """Return the tree in the graph that pays least against weights, one for each hiding.

        A hiding is a choice of the hider. An orbit is the images of one hiding under the symmetries
        of the board. The result is an array of two rows, nodes and the shot that the tree takes at
        each, and for each orbit the sum of what the tree pays on its hidings.
        """
        if self._layers is None:
            self._layers = self._group_by_height()
        leaf_nodes, hidings, depths = np.array(self._ended_games, np.int64).T
        weight_of_node = np.zeros(len(self._nodes) + 1)  # of the hidings that reach a node
        np.add.at(weight_of_node, leaf_nodes, weights[hidings])
        cost_of_node = np.zeros(len(self._nodes) + 1)  # the least that a tree pays from a node on
        is_mean = self.objective.shots is None
        if not is_mean:
            np.add.at(cost_of_node, leaf_nodes, weights[hidings] * payments(self.objective, depths))
        chosen_rows = []
        for layer in self._layers:  # what follows a node is a leaf or in a layer before
            weight_of_node[layer.nodes] = weight_of_node[layer.after[layer.starts]].sum(1)
            cost_of_shot = cost_of_node[layer.after].sum(1)
            least_cost = np.minimum.reduceat(cost_of_shot, layer.starts)
            shots_per_node = np.diff(layer.starts, append=len(cost_of_shot))
            best_rows = np.flatnonzero(cost_of_shot == np.repeat(least_cost, shots_per_node))
            # The first of the best shots of each node.
            chosen_rows.append(best_rows[np.searchsorted(best_rows, layer.starts)])
            cost_of_node[layer.nodes] = least_cost
            if is_mean:  # the shot itself costs one in each game
                cost_of_node[layer.nodes] += weight_of_node[layer.nodes]
        choice, depth_of_node = self._follow_shots(self._layers, chosen_rows)
        is_reached = depth_of_node[leaf_nodes] >= 0
        shots = np.zeros(len(self.hidings), np.int64)
        shots[hidings[is_reached]] = depth_of_node[leaf_nodes[is_reached]]
        return choice, self.hidings.sum_by_orbit(payments(self.objective, shots))

    def _follow_shots(
        self, layers: Sequence[_Layer], chosen_rows: Sequence[NDArray[np.intp]]
    ) -> tuple[Choice, NDArray[np.int64]]:
        """Return the shots at the nodes that a tree reaches, and the depth of every node.

        The depth is the number of shots before a node, or -1 if the tree does not reach it.
        layers -- the nodes that are no leaves, the lowest first. chosen_rows -- for each layer the
        row of the shot that the tree takes at each of its nodes.
        """
        depth_of_node = np.full(len(self._nodes) + 1, -1)
        depth_of_node[ROOT] = 0
        choice = []
        for layer, rows_of_layer in zip(reversed(layers), reversed(chosen_rows), strict=True):
            is_reached = depth_of_node[layer.nodes] >= 0
            nodes, rows_reached = layer.nodes[is_reached], rows_of_layer[is_reached]
            depth_of_node[layer.after[rows_reached]] = depth_of_node[nodes, None] + 1
            choice.append((nodes, layer.shots[rows_reached]))
        depth_of_node[NOWHERE] = -1  # it stood in `after` for replies that do not happen
        return np.hstack(choice), depth_of_node

    def build_tree(self, choice: Choice) -> Node | Leaf:
        """Return the tree that takes the shots of a choice of `best_tree`."""
        return self._build_subtree(dict(choice.T.tolist()), ROOT)

    def _build_subtree(self, shot_index_of_node: Mapping[int, int], node: int) -> Node | Leaf:
        if node in self._leaves:
            return self._leaves[node]
        shot = self._shots[shot_index_of_node[node]]
        replies = {
            answer: self._build_subtree(shot_index_of_node, node_after)
            for answer, node_after in shot.after.items()
        }
        return Node(shot.cell, replies)

    def _group_by_height(self) -> list[_Layer]:
        """Return the nodes that are no leaves in layers, by their longest way down to a leaf.

        The layer of the shortest ways is the first.
        """
        height_of_node = dict.fromkeys(self._leaves, 0)
        nodes_by_height: dict[int, list[int]] = {}

        def height_of(node: int) -> int:
            if node not in height_of_node:
                nodes_after: list[int] = []
                for shot_index in self._shots_of_node[node].values():
                    nodes_after += self._shots[shot_index].after.values()
                height_of_node[node] = 1 + max(map(height_of, nodes_after))
                nodes_by_height.setdefault(height_of_node[node], []).append(node)
            return height_of_node[node]

        height_of(ROOT)
        return [self._make_layer(nodes_by_height[height]) for height in sorted(nodes_by_height)]

    def _make_layer(self, nodes: list[int]) -> _Layer:
        """Return arrays of some nodes and all their shots, as `best_tree` needs them."""
        shots_by_node = [list(self._shots_of_node[node].values()) for node in nodes]
        shot_indices = list(chain.from_iterable(shots_by_node))
        most_replies = max(len(self._shots[shot_index].after) for shot_index in shot_indices)
        nodes_after_shot = np.full((len(shot_indices), most_replies), NOWHERE)
        for row, shot_index in enumerate(shot_indices):
            nodes_after = list(self._shots[shot_index].after.values())
            nodes_after_shot[row, : len(nodes_after)] = nodes_after
        shots_per_node = [len(shots_of_node) for shots_of_node in shots_by_node]
        first_rows = np.cumsum([0, *shots_per_node[:-1]])
        return _Layer(np.array(nodes), np.array(shot_indices), first_rows, nodes_after_shot)
