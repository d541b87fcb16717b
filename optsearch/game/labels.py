"""The labels that hits tell in one game, by placement and cell, and what follows from them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property

from optsearch.game.announcements import Announcement, Label, Reply
from optsearch.game.board import Permutation, image
from optsearch.game.shapes import Placement

KindAndMask = tuple[int, int]
"""A placement: the kind of the ship, and the mask of its cells."""


class LabelTable:
    """The labels that a rule gives to the cells of all placements.

    fleet -- the kinds of the ships of the game. labels_by_cell -- for each placement, the label of
    each of its cells (by index); None for a cell without a label.
    """

    def __init__(
        self,
        rule: Announcement,
        fleet: Sequence[int],
        labels_by_cell: Mapping[KindAndMask, Mapping[int, Label | None]],
    ):
        self.rule, self.fleet, self.labels_by_cell = rule, fleet, labels_by_cell

    @cached_property
    def _all_labels(self) -> dict[Label | None, None]:
        """All labels (what hits tell), and None if a cell has none, in the order of placements."""
        return dict.fromkeys(
            label for by_cell in self.labels_by_cell.values() for label in by_cell.values()
        )

    @cached_property
    def labels(self) -> tuple[Label, ...]:
        """All labels, each once, in the order of the placements."""
        return tuple(label for label in self._all_labels if label is not None)

    @cached_property
    def replies(self) -> frozenset[Reply]:
        """Every reply to a hit."""
        reply_to_hit, labels = self.rule.reply_to_hit, self._all_labels
        return frozenset(
            reply_to_hit(label, is_sunk) for label in labels for is_sunk in (False, True)
        )

    @cached_property
    def cells_by_label(self) -> dict[KindAndMask, dict[Label | None, int]]:
        """For each placement, the cells (mask) at which a hit tells each label."""
        masks: dict[KindAndMask, dict[Label | None, int]] = {}
        for placement, labels in self.labels_by_cell.items():
            mask_of_label = masks[placement] = dict.fromkeys(labels.values(), 0)
            for cell, label in labels.items():
                mask_of_label[label] |= 1 << cell
        return masks

    @cached_property
    def label_of_kind(self) -> dict[int, Label | None] | None:
        """The label of each kind of ship; None if labels depend on the placement or the cell."""
        labels_of_kind: dict[int, set[Label | None]] = {kind: set() for kind in self.fleet}
        for (kind, _), by_cell in self.labels_by_cell.items():
            labels_of_kind[kind].update(by_cell.values())
        if any(len(labels) > 1 for labels in labels_of_kind.values()):
            return None
        return {kind: next(iter(labels), None) for kind, labels in labels_of_kind.items()}

    @cached_property
    def are_placements(self) -> bool:
        """True if every label is a `Placement`."""
        return all(isinstance(label, Placement) for label in self._all_labels)

    @cached_property
    def _placements_by_cell(self) -> dict[int, dict[Label | None, frozenset[KindAndMask]]]:
        """For each cell (index), the placements on it, by the label that a hit there tells."""
        placements_by_cell: dict[int, dict[Label | None, set[KindAndMask]]] = defaultdict(
            lambda: defaultdict(set)
        )
        for placement, labels in self.labels_by_cell.items():
            for cell, label in labels.items():
                placements_by_cell[cell][label].add(placement)
        return {
            cell: {label: frozenset(placements) for label, placements in by_label.items()}
            for cell, by_label in placements_by_cell.items()
        }

    def labels_at(self, cell: int) -> tuple[Label, ...]:
        """Return the labels that a hit on a cell (index) can tell, in order of the placements."""
        return tuple(label for label in self._placements_by_cell.get(cell, {}) if label is not None)

    def placements_with_label(self, label: Label | None, cell: int) -> frozenset[KindAndMask]:
        """Return the placements that have this label on a cell (index)."""
        return self._placements_by_cell.get(cell, {}).get(label, frozenset())

    def placements_with_other_label(self, label: Label | None, cell: int) -> frozenset[KindAndMask]:
        """Return the placements on a cell (index) that have another label there, or none."""
        by_label = self._placements_by_cell.get(cell, {})
        return frozenset().union(*(by_label[other] for other in by_label if other != label))

    @cached_property
    def most_replies(self) -> dict[Label | None, int]:
        """For each label, an upper bound on the number of hits of one game that tell it.

        It adds up, over the ships, the most cells of a placement that have the label; a ship counts
        once if only its sinking tells. It is at most the number of cells where a ship can have the
        label.
        """
        most_hits_of_kind: dict[Label | None, dict[int, int]] = defaultdict(dict)
        for (kind, _), mask_of_label in self.cells_by_label.items():
            for label, cells_mask in mask_of_label.items():
                hits = 1 if self.rule.at_sinking else cells_mask.bit_count()
                most_hits_of_kind[label][kind] = max(hits, most_hits_of_kind[label].get(kind, 0))
        cells_with_label = Counter(
            label for by_label in self._placements_by_cell.values() for label in by_label
        )
        return {
            label: min(sum(most_hits.get(kind, 0) for kind in self.fleet), cells_with_label[label])
            for label, most_hits in most_hits_of_kind.items()
        }

    def has_symmetry(self, symmetry: Permutation) -> bool:
        """True if a symmetry (the image of each cell) keeps the label of every cell of every ship.

        Labels that are placements always pass: they move with their ships.
        """
        if self.are_placements:
            return True
        return all(
            self.labels_by_cell[kind, image(ship, symmetry)]
            == {symmetry[cell]: label for cell, label in labels.items()}
            for (kind, ship), labels in self.labels_by_cell.items()
        )
