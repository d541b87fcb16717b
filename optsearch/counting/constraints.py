"""Constraints on configurations, and the queries that every counting engine answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from optsearch.game import Game
from optsearch.support.progress import Progress, Status, no_progress

_WORD = (1 << 64) - 1
Ship = tuple[int, int]  # its kind (a length, perhaps with a name or a shape), and its mask
Ranks = NDArray[np.uint64] | NDArray[np.float64]  # floats where weights are added up


@dataclass(frozen=True)
class Constraints:
    """Constraints on a configuration.

    fleet -- the ships to place, a part of the game's fleet, in its order.
    closed -- the mask of the cells where no ship may be.
    hits -- the mask of the cells that ships must cover; no ship may have one in its halo.
    afloat -- True if no ship may lie wholly on hits.
    barred -- the ships that are forbidden.
    """

    fleet: tuple[int, ...]
    closed: int = 0
    hits: int = 0
    afloat: bool = False
    barred: frozenset[Ship] = frozenset()

    def placements(self, game: Game) -> dict[int, list[int]]:
        """Map each kind of `fleet` to the placements (masks) that the constraints allow.

        Whether the ships together cover all hits is not checked.
        """
        return {
            kind: [
                ship
                for ship in game.placements(kind)
                if not ship & self.closed
                and (kind, ship) not in self.barred
                and not game.halo(ship) & self.hits
                and (ship & ~self.hits or not self.afloat)  # a cell is not hit yet
            ]
            for kind in set(self.fleet)
        }


def are_admitted(
    ships: Iterable[Ship],
    cells: NDArray[np.uint64],
    halos: NDArray[np.uint64],
    constraints: Constraints,
    holes: int,
) -> NDArray[np.bool_]:
    """Return for each of n ships whether the constraints and the holes of the board allow it.

    ships -- the ships. cells, halos -- the cells of each, and those around it where no other ship
    may be: masks as 64-bit words, the low ones first; shape (n, words). holes -- a mask of cells.
    """

    def to_row(mask: int) -> NDArray[np.uint64]:
        return np.array([mask >> 64 * i & _WORD for i in range(cells.shape[1])], np.uint64)

    hits = to_row(constraints.hits)
    forbidden = (cells & to_row(constraints.closed | holes)) | (halos & hits)
    is_allowed = ~forbidden.any(axis=1)
    if constraints.afloat:
        is_allowed &= (cells & ~hits).any(axis=1)
    if constraints.barred:
        is_allowed &= np.array([ship not in constraints.barred for ship in ships], bool)
    return np.asarray(is_allowed)


def sort_by_fleet(placed: NDArray[np.intp], ranks: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return each row of `placed` sorted: its ships in the order of the fleet.

    placed -- a row for each configuration, with the indices of its placements. ranks -- for each
    placement, the position of its kind in the fleet.
    """
    order = np.argsort(ranks[placed], axis=1, kind="stable")
    return np.take_along_axis(placed, order, axis=1)


class Counting(Protocol):
    """Queries on the configurations of a game, each for some constraints.

    Raises TooLarge for a query that needs more memory than it may take.
    """

    @property
    def states(self) -> int:
        """The number of states, of the game's table or of the largest query so far."""

    @property
    def roundings(self) -> int:
        """An upper bound on the roundings behind a number of `weigh`.

        The relative error of the number is at most 2^-52 for each.
        """

    def count(self, constraints: Constraints, progress: Progress[Status] = no_progress) -> int:
        """Count the configurations that satisfy the constraints."""

    def count_by_placement(
        self, constraints: Constraints, progress: Progress[Status] = no_progress
    ) -> tuple[int, dict[Ship, int]]:
        """Return the number of configurations, and the number that have each ship.

        A ship is its kind and the mask of its cells. Ships that no configuration has are left out.
        """

    def weigh(
        self, constraints: Constraints, weights: Mapping[int, float]
    ) -> tuple[float, dict[int, float]]:
        """Return the total weight, and for each placement that of the configurations with it.

        A configuration weighs the product of the weights of its placements, which are masks of
        cells; a missing one weighs 1. Placements that add up to 0 are left out.
        """

    def unrank(
        self,
        constraints: Constraints,
        ranks: Ranks,
        weights: Mapping[int, float] | None = None,
    ) -> NDArray[np.uint64]:
        """Return the configurations with the given ranks; uint64 of shape (ranks, ships, words).

        The words of a ship are its cells. Ships are in the order of the fleet, equal ones in any
        order.

        ranks -- numbers of configurations in some fixed order, from 0; there must be fewer than
        2^64. With weights, floats from 0, each less than the total weight.
        weights -- of placements (masks); a missing one weighs 1.
        """
