"""Counts of configurations ship by ship: all but two are placed, the last two counted by bits.

The kernel is that of `optsearch.counting.configurations`. This way is for few ships that are so
large or so free that a sweep over the cells (`frontier`) has too many states.
"""

from __future__ import annotations

from bisect import bisect_left
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from optsearch.counting.configurations import CellSets, Listing, to_words
from optsearch.counting.constraints import Constraints, Ship
from optsearch.game import Game
from optsearch.support.progress import Progress, Status, no_progress

_Placements = dict[int, list[int]]


class _RankedRow(NamedTuple):
    """The rank of a configuration, and the row of an array where its ships are written."""

    rank: int
    row: int


class ShipByShip:
    """Queries on the configurations of a game of at most 128 cells, without weights."""

    def __init__(self, game: Game):
        self.game = game

    def count(self, constraints: Constraints, progress: Progress[Status] = no_progress) -> int:
        """Count the configurations that satisfy the constraints."""
        if not constraints.fleet:
            return int(constraints.hits == 0)
        return self._listing(constraints, progress).configurations

    def count_by_placement(
        self, constraints: Constraints, progress: Progress[Status] = no_progress
    ) -> tuple[int, dict[Ship, int]]:
        """Return the number of configurations, and the number that have each ship.

        A ship is its kind and the mask of its cells. Ships that no configuration has are left out.
        """
        if not constraints.fleet:
            return int(constraints.hits == 0), {}
        counts = self._listing(constraints, progress).by_ship
        # A configuration counts once for each of its ships.
        total = sum(counts.values()) // len(constraints.fleet)
        return total, {ship: count for ship, count in counts.items() if count}

    def _listing(self, constraints: Constraints, progress: Progress[Status]) -> Listing:
        """Return the listing of the configurations that satisfy the constraints."""
        placements = constraints.placements(self.game)
        listing = Listing(self.game, constraints.fleet, placements, constraints.hits)
        listing.progress = progress
        return listing

    def unrank(self, constraints: Constraints, ranks: NDArray[np.uint64]) -> CellSets:
        """Return the configurations with the given ranks; uint64 of shape (ranks, ships, 2).

        The two words of a ship are its cells.

        ranks -- numbers of configurations from 0, in any order.
        """
        ships = np.empty((len(ranks), len(constraints.fleet), 2), np.uint64)
        ascending = np.argsort(ranks, kind="stable")
        self._write_ships(
            into=ships,
            ranked_rows=[_RankedRow(int(ranks[i]), i) for i in ascending.tolist()],
            fleet=constraints.fleet,
            placements=constraints.placements(self.game),
            hits=constraints.hits,
        )
        return ships

    def _write_ships(
        self,
        *,
        into: CellSets,
        ranked_rows: list[_RankedRow],
        fleet: tuple[int, ...],
        placements: _Placements,
        hits: int,
    ) -> None:
        """Write configurations of the ships of `fleet`, found by their ranks, into an array.

        The rank of a configuration is its number, from 0, in the order by the placement of the
        first ship, then of the second, and so on. Of two equal ships, the first has the earlier
        placement. To find the first ship, the configurations with each of its placements are
        counted; the other ships follow by recursion.

        into -- gets the ships in its last columns; shape (rows, ships, 2). ranked_rows -- the rows
        to write and their ranks, by ascending rank. placements -- for each kind, the masks where
        its ships may lie. hits -- the mask of the cells that the ships must cover.
        """
        if not fleet or not ranked_rows:
            return
        first_kind, *other_kinds = fleet
        first_rank = 0  # the least rank of a configuration with `ship`
        start = 0  # ranked_rows[:start] are written already
        for index, ship in enumerate(placements[first_kind]):
            closed_mask = ship | self.game.halo(ship)
            placements_left: _Placements = {}
            for kind in set(other_kinds):
                # An equal ship has a later placement.
                candidates = placements[kind][index + 1 if kind == first_kind else 0 :]
                placements_left[kind] = [mask for mask in candidates if not mask & closed_mask]
            hits_left = hits & ~ship
            if other_kinds:
                listing = Listing(self.game, tuple(other_kinds), placements_left, hits_left)
                count = listing.configurations
            else:
                count = int(not hits_left)
            next_rank = first_rank + count
            stop = bisect_left(ranked_rows, next_rank, start, key=attrgetter("rank"))
            rows_with_ship = [
                _RankedRow(rank - first_rank, row) for rank, row in ranked_rows[start:stop]
            ]
            into[[row for _, row in rows_with_ship], -len(fleet)] = to_words([ship])
            self._write_ships(
                into=into,
                ranked_rows=rows_with_ship,
                fleet=tuple(other_kinds),
                placements=placements_left,
                hits=hits_left,
            )
            first_rank, start = next_rank, stop
            if start == len(ranked_rows):
                return
