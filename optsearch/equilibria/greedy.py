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
    """Return the tree, and what it pays on each orbit, summed over the hidings of the orbit.

    Of several most probable cells it shoots the first, row by row.
    """
    game = hidings.game
    numbers = np.array(hidings.configurations, np.float64)  # exact, and multiplied fast
    afloat = np.zeros((len(hidings), game.cells))
    for place, ships in enumerate(hidings.hidden):
        afloat[place, list(bits(sum(ships)))] = 1
    shots: Shots = np.zeros(len(hidings), np.int64)

    def follow(family: NDArray[np.int64], hits: int, depth: int) -> Node | Leaf:
        counts = numbers[family] @ afloat[family]
        if not counts.any():
            shots[family] = depth
            return Leaf(int(numbers[family].sum()))
        cell = int(counts.argmax())
        is_hit = afloat[family, cell] > 0
        parts: dict[Reply, list[int]] = {}
        for place in family[is_hit].tolist():
            answer = reply(game, hidings.hidden[place], hits, 1 << cell)
            parts.setdefault(answer, []).append(place)
        afloat[family, cell] = 0  # of these hidings the other branches know nothing
        after = {
            answer: follow(np.array(part), hits | 1 << cell, depth + 1)
            for answer, part in parts.items()
        }
        if not is_hit.all():
            after[MISS] = follow(family[~is_hit], hits, depth + 1)
        return Node(game.cell(cell), after)

    root = follow(np.arange(len(hidings)), 0, 0)
    return root, hidings.totals(payments(objective, shots))
