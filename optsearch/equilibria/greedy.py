"""A tree that takes no search: it shoots a most probable cell of a hider who draws uniformly."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from optsearch.equilibria.hidings import Hidings
from optsearch.equilibria.oracle import Shots, payments
from optsearch.game import bits
from optsearch.game.objective import Objective
from optsearch.game.position import MISS, Reply, reply
from optsearch.tree import Leaf, Node


def greedy_tree(hidings: Hidings, objective: Objective) -> tuple[Node | Leaf, tuple[int, ...]]:
    """Return greedy's tree against a uniform hider, and what it pays on each orbit of hidings.

    The tree shoots a cell that most probably has a ship; of several the first, row by row. An orbit
    is the images of a hiding, a choice of the hider, under the symmetries of the board. The payment
    on an orbit is the sum over its hidings.
    """
    game = hidings.game
    configurations = np.array(hidings.configurations, np.float64)  # exact, and multiplied fast
    not_hit = np.zeros((len(hidings), game.cells))  # 1 on the ship cells that are not hit yet
    for hiding, ships in enumerate(hidings.hidden):
        not_hit[hiding, list(bits(sum(ships)))] = 1
    shots_of_hiding: Shots = np.zeros(len(hidings), np.int64)

    def grow(family: NDArray[np.int64], hits: int, depth: int) -> Node | Leaf:
        """Return the tree for a family of hidings, by index; hits -- mask of the cells hit."""
        count_by_cell = configurations[family] @ not_hit[family]
        if not count_by_cell.any():
            shots_of_hiding[family] = depth
            return Leaf(int(configurations[family].sum()))
        cell = int(count_by_cell.argmax())
        is_hit = not_hit[family, cell] > 0
        hidings_by_reply: dict[Reply, list[int]] = {}
        for hiding in family[is_hit].tolist():
            answer = reply(game, hidings.hidden[hiding], hits, 1 << cell)
            hidings_by_reply.setdefault(answer, []).append(hiding)
        # These rows are used no more by the calls above: each hiding is in one branch.
        not_hit[family, cell] = 0
        child_by_reply = {
            answer: grow(np.array(hidings_after), hits | 1 << cell, depth + 1)
            for answer, hidings_after in hidings_by_reply.items()
        }
        if not is_hit.all():
            child_by_reply[MISS] = grow(family[~is_hit], hits, depth + 1)
        return Node(game.cell(cell), child_by_reply)

    root = grow(np.arange(len(hidings)), hits=0, depth=0)
    return root, hidings.sum_by_orbit(payments(objective, shots_of_hiding))
