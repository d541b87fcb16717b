"""Counts of configurations on a board of any shape, each query in the way that takes less.

The time of a sweep over cells (`frontier`) grows with its masks, that of a count ship by ship
(`by_ship`) with the ways to place all ships but two. Only the second number is known before, so the
sweep runs with a limit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from optsearch.counting.by_ship import ShipByShip
from optsearch.counting.configurations import CellSets
from optsearch.counting.constraints import Constraints, Counting
from optsearch.counting.frontier import FrontierSweep
from optsearch.game import Game, image
from optsearch.support.errors import TooLarge
from optsearch.support.progress import Progress, Status, no_progress

QUICK = 10**4  # ways to place all ships but two: the sweep takes longer to set up
MOST = 10**10  # about half an hour
ORBITS = 8  # of placements: an empty board with so few is counted by one of each
_Result = TypeVar("_Result")


class AnyBoard:
    """Queries on the configurations of a game, by a sweep over its cells or ship by ship.

    A query is made ship by ship where there are at most QUICK ways to place all ships but two, and
    where there are at most MOST and the sweep passes about as many masks. What weights are asked
    for is left to the sweep. An empty board with many symmetries, a torus above all, is counted
    with one placement of each orbit. Raises TooLarge where neither way is open.
    """

    def __init__(self, game: Game):
        self._game = game
        self._ships: ShipByShip | None = None
        self._cells: FrontierSweep | None = None
        try:
            self._ships = ShipByShip(game)
        except TooLarge:
            self._cells = FrontierSweep(game)
        else:
            try:
                self._cells = FrontierSweep(game)
            except TooLarge:
                if self._work(Constraints(game.fleet)) > MOST:
                    raise
        self._limited = self._cells and self._cells.limited(lambda query: self._limit(query))

    @cached_property
    def _orbits(self) -> list[tuple[int, list[int]]]:
        """Each kind of ship with placements that symmetries exchange, if these orbits are few."""
        game, found = self._game, list[tuple[int, list[int]]]()
        kinds = list(dict.fromkeys(game.fleet))
        symmetries = game.symmetries()
        if sum(len(game.placements(kind)) for kind in kinds) > ORBITS * len(symmetries):
            return []
        for kind in kinds:
            left = dict.fromkeys(game.placements(kind))
            while left:
                orbit = list(dict.fromkeys(image(next(iter(left)), p) for p in symmetries))
                found.append((kind, orbit))
                for ship in orbit:
                    del left[ship]
        return found if len(found) <= ORBITS else []

    def _is_empty(self, constraints: Constraints) -> bool:
        """Whether every symmetry of the game takes the constraints to themselves."""
        everything = Constraints(self._game.fleet, self._game.holes)
        return constraints in (everything, replace(everything, closed=0))

    def _with(self, kind: int, ship: int) -> int:
        """How many configurations of the empty board have a placement."""
        fleet = list(self._game.fleet)
        fleet.remove(kind)
        closed = ship | self._game.halo(ship) | self._game.holes
        return self._count(Constraints(tuple(fleet), closed))

    def _work(self, constraints: Constraints) -> int:
        """How many ways there are to place all ships but two; above MOST where ships are not."""
        return MOST + 1 if self._ships is None else self._ships.work(constraints)

    def _limit(self, constraints: Constraints) -> int | None:
        """The most masks of a sweep; None for as many as there is memory for."""
        work = self._work(constraints)
        return max(work, 100 * QUICK) if work <= MOST else None

    def _done(self, constraints: Constraints, query: Callable[[Counting], _Result]) -> _Result:
        """The result of a query that both ways answer."""
        if self._ships is not None and self._work(constraints) <= QUICK:
            return query(self._ships)
        if self._limited is not None:
            try:
                return query(self._limited)
            except TooLarge:
                if self._work(constraints) > MOST:
                    raise
        assert self._ships is not None
        return query(self._ships)

    def _weighing(self) -> Counting:
        way: Counting | None = self._cells or self._ships
        assert way is not None
        return way

    @property
    def states(self) -> int:
        """The number of masks in the largest sweep so far."""
        return max((way.states for way in (self._cells, self._limited) if way), default=0)

    @property
    def roundings(self) -> int:
        """A bound on the roundings in a number of `weigh`."""
        return self._cells.roundings if self._cells else 0

    def count(self, constraints: Constraints, progress: Progress[Status] = no_progress) -> int:
        """How many configurations there are; progress -- called while a long count runs."""
        if not self._is_empty(constraints) or not self._orbits:
            return self._count(constraints, progress)
        first = self._game.fleet[0]
        with_first = [
            len(orbit) * self._with(kind, orbit[0]) for kind, orbit in self._orbits if kind == first
        ]
        return sum(with_first) // self._game.fleet.count(first)

    def _count(self, constraints: Constraints, progress: Progress[Status] = no_progress) -> int:
        return self._done(constraints, lambda way: way.count(constraints, progress))

    def through(self, constraints: Constraints) -> tuple[int, dict[int, int]]:
        """How many configurations there are, and how many have each placement (mask)."""
        if self._is_empty(constraints) and self._orbits:
            counts = {
                ship: n
                for kind, orbit in self._orbits
                if (n := self._with(kind, orbit[0]))
                for ship in orbit
            }
            return self.count(constraints), counts
        return self._done(constraints, lambda way: way.through(constraints))

    def weigh(
        self, constraints: Constraints, weights: Mapping[int, float]
    ) -> tuple[float, dict[int, float]]:
        """Total weight of the configurations, and that of those with each placement.

        Raises NotSupported where no sweep is possible.
        """
        return self._weighing().weigh(constraints, weights)

    def unrank(
        self,
        constraints: Constraints,
        ranks: NDArray[np.uint64] | NDArray[np.float64],
        weights: Mapping[int, float] | None = None,
    ) -> CellSets:
        """The configurations with some ranks: uint64 words of shape (n, ships, words).

        As `Counting.unrank`; with weights as `weigh`.
        """
        if weights is not None:
            return self._weighing().unrank(constraints, ranks, weights)
        return self._done(constraints, lambda way: way.unrank(constraints, ranks))
