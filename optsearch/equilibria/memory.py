"""The trees and the best mix of a run, kept on disk; each is checked when it is read again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from optsearch.equilibria.hidings import Hidings
from optsearch.equilibria.oracle import payments
from optsearch.game import Game, cell_name, parse_cell
from optsearch.game.objective import Objective
from optsearch.game.position import reply
from optsearch.support.errors import TableError
from optsearch.support.store import Facts
from optsearch.tree import Leaf, Node


class Memory:
    """The trees of one game and objective, and the best mix, kept in a folder.

    Without a folder nothing is kept. Raises TableError if the folder cannot be used (`Facts`), or
    does not hold trees of the game.
    """

    def __init__(self, folder: Path | None, hidings: Hidings, objective: Objective):
        self.hidings, self.objective = hidings, objective
        self.facts: Facts | None = None
        if folder is not None:
            title = f"the equilibrium of {hidings.game}, {objective}"
            self.facts = Facts(folder, title)

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, *_: object) -> None:
        if self.facts is not None:
            self.facts.close()

    def trees(self) -> Iterator[tuple[Node | Leaf, tuple[int, ...]]]:
        """Yield the trees that earlier runs found, each with what it pays on each orbit.

        An orbit is a set of symmetric choices of the hider; the payment is the sum over these.
        Nothing is yielded without a checkpoint. Raises TableError if the checkpoint has what is not
        a tree.
        """
        if self.facts is None:
            return
        game = self.hidings.game
        for fact_name, stored_tree in list(self.facts.items()):
            if fact_name == "weights":
                continue
            try:
                root = tree_from_fields(stored_tree, game)
                payments_by_orbit = self._payments_by_orbit(root)
            except (ValueError, KeyError, TypeError, AttributeError):
                raise TableError(
                    f"{self.facts.path}: {fact_name} is not a tree of {game}"
                ) from None
            yield root, payments_by_orbit

    @property
    def weights(self) -> list[int] | None:
        """The hider's best mix of earlier runs, a weight for each orbit; None if there is none."""
        if self.facts is None or "weights" not in self.facts:
            return None
        weights = self.facts["weights"]
        is_mix = (
            isinstance(weights, list)
            and len(weights) == len(self.hidings.orbits)
            and all(type(weight) is int and weight >= 0 for weight in weights)
            and any(weights)
        )
        if not is_mix:
            raise TableError(f"{self.facts.path}: weights are none of {self.hidings.game}")
        return weights

    def add(self, root: Node | Leaf) -> None:
        """Keep a tree, under the next free number."""
        if self.facts is not None:
            self.facts.add(f"tree {len(self.facts):06}", tree_fields(root))

    def keep(self, weights: tuple[int, ...]) -> None:
        """Keep the best mix, as a weight for each orbit; it replaces an earlier one."""
        if self.facts is not None:
            self.facts.add("weights", list(weights))

    def _payments_by_orbit(self, root: Node | Leaf) -> tuple[int, ...]:
        """Return what the shooter pays the hider if it shoots by a tree: a sum for each orbit.

        A hiding is a choice of the hider, an orbit a set of symmetric hidings, over which the sum
        is. Raises ValueError if a game ends before all cells of a hiding are hit.
        """
        game = self.hidings.game
        shots_of_hiding = np.zeros(len(self.hidings), np.int64)
        for hiding, ships in enumerate(self.hidings.hidden):
            node, hits, cells_left = root, 0, sum(ships)
            while isinstance(node, Node):
                cell_mask = game.bit(node.cell)
                answer = reply(game, ships, hits, cell_mask)
                hits |= cell_mask if answer.hit else 0
                cells_left &= ~cell_mask
                node = node.replies[answer]
                shots_of_hiding[hiding] += 1
            if cells_left:
                raise ValueError("cells are left")
        return self.hidings.sum_by_orbit(payments(self.objective, shots_of_hiding))


def tree_from_fields(fields: Any, game: Game) -> Node | Leaf:
    """Return a decision tree from its JSON fields.

    fields -- of a node: its shot, and a child under the name of each reply. Of a leaf: the number
    of configurations. Raises ValueError, KeyError, TypeError or AttributeError if they are no tree.
    """
    if "shot" not in fields:
        return Leaf(int(str(fields["configurations"])))
    replies = {
        game.reply(name): tree_from_fields(child, game)
        for name, child in fields.items()
        if name != "shot"
    }
    return Node(parse_cell(str(fields["shot"])), replies)


def tree_fields(root: Node | Leaf) -> dict[str, object]:
    """Return the JSON fields of a tree, as in tree files: a shot, and the subtree of each reply."""
    if isinstance(root, Leaf):
        return {"configurations": root.configurations}
    subtrees = {str(reply): tree_fields(child) for reply, child in root.replies.items()}
    return {"shot": cell_name(root.cell), **subtrees}
