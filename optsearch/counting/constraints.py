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
Ship = tuple[int, int]  # its kind, and the mask of its cells
Ranks = NDArray[np.uint64] | NDArray[np.float64]  # floats where weights are added up


@dataclass(frozen=True)
class Constraints:
    """Constraints on a configuration.

    fleet -- the ships to place, a part of the game's fleet, in its order.
    closed -- mask of cells where no ship may be. hits -- mask of cells that ships must cover; no
    ship may have one in its halo. afloat -- True if no ship may lie wholly on hits.
    barred -- forbidden ships: kinds and masks.
    """

    fleet: tuple[int, ...]
    closed: int = 0
    hits: int = 0
    afloat: bool = False
    barred: frozenset[Ship] = frozenset()

    def placements(self, game: Game) -> dict[int, list[int]]:
        """Return the placements (masks) of each kind that satisfy the constraints one by one."""
        return {
            kind: [
                ship
                for ship in game.placements(kind)
                if not ship & self.closed
                and (kind, ship) not in self.barred
                and not game.halo(ship) & self.hits
                and (ship & ~self.hits or not self.afloat)
            ]
            for kind in set(self.fleet)
        }


def is_admitted(
    constraints: Constraints,
    holes: int,
    words: NDArray[np.uint64],
    halos: NDArray[np.uint64],
    ships: Iterable[Ship],
) -> NDArray[np.bool_]:
    """Test placements against the constraints and the holes of the board.

    words, halos -- of the placements, uint64 of shape (placements, words). ships -- the placements.
    """

    def cell_set(mask: int) -> NDArray[np.uint64]:
        return np.array([mask >> 64 * i & _WORD for i in range(words.shape[1])], np.uint64)

    hits = cell_set(constraints.hits)
    is_allowed = ~((words & cell_set(constraints.closed | holes)) | (halos & hits)).any(axis=1)
    if constraints.afloat:
        is_allowed &= (words & ~hits).any(axis=1)
    if constraints.barred:
        is_allowed &= np.array([ship not in constraints.barred for ship in ships], bool)
    return np.asarray(is_allowed)


def sort_by_fleet(placed: NDArray[np.intp], places: NDArray[np.intp]) -> NDArray[np.intp]:
    """Sort each row of placement numbers by `places`, the place in the fleet of each number."""
    order = np.argsort(places[placed], axis=1, kind="stable")
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
        """A bound on the roundings in a number of `weigh`; 2^-52 for each bounds its error."""

    def count(self, constraints: Constraints, progress: Progress[Status] = no_progress) -> int:
        """Count the configurations. progress -- called during a long count."""

    def count_by_placement(
        self, constraints: Constraints, progress: Progress[Status] = no_progress
    ) -> tuple[int, dict[Ship, int]]:
        """Count the configurations, and those with each ship (kind and mask) if any has it."""

    def weigh(
        self, constraints: Constraints, weights: Mapping[int, float]
    ) -> tuple[float, dict[int, float]]:
        """Add up the weights of the configurations, and of those with each placement.

        The weight of a configuration is the product of those of its placements (mask -> weight, 1
        if absent).
        """

    def unrank(
        self,
        constraints: Constraints,
        ranks: Ranks,
        weights: Mapping[int, float] | None = None,
    ) -> NDArray[np.uint64]:
        """Return the configurations with some ranks: uint64 words of shape (n, ships, words).

        ranks -- below the number of configurations, which must be less than 2^64; with weights,
        below their total weight. The ships of a configuration are in the order of the fleet, equal
        ones in any order.
        """
