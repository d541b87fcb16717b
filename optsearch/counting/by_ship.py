"""Counts of configurations ship by ship: all but two are placed, the last two counted by bits.

The kernel is that of `optsearch.counting.configurations`. This way is for few ships that are so
large or so free that a sweep over the cells (`frontier`) has too many states.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from optsearch.counting.configurations import CellSets, Listing, to_words
from optsearch.counting.constraints import Constraints, Ship
from optsearch.game import Game
from optsearch.support.progress import Progress, Status, no_progress

_Placements = dict[int, list[int]]


class ShipByShip:
    """Queries on the configurations of a game of at most 128 cells, without weights."""

    def __init__(self, game: Game):
        self.game = game

    def count(self, constraints: Constraints, progress: Progress[Status] = no_progress) -> int:
        """Count the configurations. progress -- called during a long count."""
        if not constraints.fleet:
            return int(constraints.hits == 0)
        places = constraints.placements(self.game)
        listing = Listing(self.game, constraints.fleet, places, constraints.hits)
        listing.progress = progress
        return listing.configurations

    def count_by_placement(
        self, constraints: Constraints, progress: Progress[Status] = no_progress
    ) -> tuple[int, dict[Ship, int]]:
        """Count the configurations, and those with each ship (kind and mask) if any has it."""
        if not constraints.fleet:
            return int(constraints.hits == 0), {}
        places = constraints.placements(self.game)
        listing = Listing(self.game, constraints.fleet, places, constraints.hits)
        listing.progress = progress
        counts = listing.by_ship
        total = sum(counts.values()) // len(constraints.fleet)  # each counts once per ship
        return total, {ship: count for ship, count in counts.items() if count}

    def unrank(self, constraints: Constraints, ranks: NDArray[np.uint64]) -> CellSets:
        """Return the configurations with some ranks: uint64 words of shape (n, ships, 2).

        ranks -- below the number of configurations. One ship after the other is found by counting
        the configurations that each of its placements leaves.
        """
        placed = np.empty((len(ranks), len(constraints.fleet), 2), np.uint64)
        order = np.argsort(ranks, kind="stable")
        self._place(
            constraints.fleet,
            constraints.placements(self.game),
            constraints.hits,
            [(int(ranks[i]), i) for i in order.tolist()],
            placed,
        )
        return placed

    def _place(
        self,
        fleet: tuple[int, ...],
        places: _Placements,
        hits: int,
        ranks: list[tuple[int, int]],
        placed: CellSets,
    ) -> None:
        """Write the ships of `fleet`, the last ones, of the configurations with some ranks.

        ranks -- ascending, each with its row in `placed`. Equal ships are in the order of their
        placements.
        """
        if not fleet or not ranks:
            return
        kind, *others = fleet
        first_rank = 0  # of the configurations with the next placement
        next_rank = 0  # the index of the first of `ranks` that is not placed yet
        for number, ship in enumerate(places[kind]):
            closed = ship | self.game.halo(ship)
            places_left = {
                other: [place for place in places[other][number + 1 if other == kind else 0 :]
                        if not place & closed]
                for other in set(others)
            }  # fmt: skip
            hits_left = hits & ~ship
            count = (
                Listing(self.game, tuple(others), places_left, hits_left).configurations
                if others
                else not hits_left
            )
            with_ship = []
            while next_rank < len(ranks) and ranks[next_rank][0] < first_rank + count:
                rank, row = ranks[next_rank]
                with_ship.append((rank - first_rank, row))
                next_rank += 1
            placed[[row for _, row in with_ship], -len(fleet)] = to_words([ship])
            self._place(tuple(others), places_left, hits_left, with_ship, placed)
            first_rank += count
            if next_rank == len(ranks):
                return
