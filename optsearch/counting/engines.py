"""Engines for counting: `engine_for` chooses one for the configurations of a game.

    board                                         engine
    a rectangle, straight ships                   `lattice`: rows swept, all fleets in one table
    another, of few masks for its placements      `frontier`: cells swept, a sweep for each query
    another                                       `by_ship`: all but two ships placed one by one

Ships that differ by their names alone are counted as equal ones where their names do not matter
(`NamedShips`).
`AnyBoard` chooses between the last two for each query, by an estimate: on a torus, whose last cells
touch the first ones, a sweep can have more masks than there are ways to place the ships. The log
says why.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property, lru_cache
from math import factorial, prod
from typing import TYPE_CHECKING

import numpy as np

from optsearch.counting.configurations import CellSets
from optsearch.counting.constraints import Constraints, Counting, Ranks, Ship
from optsearch.counting.lattice import SkylineSweep, skyline_objection
from optsearch.game import MAX_CELLS, Game, image
from optsearch.game.shapes import Lettered
from optsearch.support.progress import Progress, Status, no_progress

if TYPE_CHECKING:  # rectangles need neither
    from optsearch.counting.by_ship import ShipByShip
    from optsearch.counting.frontier import FrontierSweep

MASKS = 2  # ways to choose placements that take as long as one mask of a sweep
ORBITS = 8  # the most orbits of placements for counting by one placement of each
_log = logging.getLogger(__name__)


@lru_cache(maxsize=4)
def engine_for(game: Game) -> Counting:
    """Return the engine that counts the configurations of a game; the last four stay in memory.

    If it is not the skylines, the log says why. Raises TooLarge if no engine has room for the game.
    """
    game.require_known_fleet()
    if any(isinstance(kind, Lettered) for kind in game.fleet):
        return NamedShips(game)
    return _engine(game)


def _engine(game: Game) -> SkylineSweep | AnyBoard:
    reason = skyline_objection(game)
    if not reason:
        return SkylineSweep(game)
    _log.info("%s; the board is swept cell by cell", reason)
    return AnyBoard(game)


class AnyBoard:
    """Queries on the configurations of a game, by a sweep over its cells or ship by ship.

    A query goes ship by ship if the estimated masks of a sweep are more than MASKS times the ways
    to choose placements, compatible or not. Queries with weights go to the sweep. An empty board
    with many symmetries, a torus above all, is counted with one placement of each orbit. Raises
    TooLarge if ships reach too far ahead for a sweep.
    """

    def __init__(self, game: Game):
        from optsearch.counting.by_ship import ShipByShip
        from optsearch.counting.frontier import FrontierSweep

        self._game = game
        self._cells = FrontierSweep(game)
        self._ships = ShipByShip(game) if game.cells <= MAX_CELLS else None

    @cached_property
    def _orbits(self) -> list[tuple[int, list[int]]]:
        """The orbits of placements under the symmetries, with their kind; empty if over ORBITS."""
        game, orbits = self._game, list[tuple[int, list[int]]]()
        kinds = list(dict.fromkeys(game.fleet))
        symmetries = game.symmetries()
        if sum(len(game.placements(kind)) for kind in kinds) > ORBITS * len(symmetries):
            return []
        for kind in kinds:
            left = dict.fromkeys(game.placements(kind))
            while left:
                orbit = list(dict.fromkeys(image(next(iter(left)), p) for p in symmetries))
                orbits.append((kind, orbit))
                for ship in orbit:
                    del left[ship]
        return orbits if len(orbits) <= ORBITS else []

    def _is_empty(self, constraints: Constraints) -> bool:
        """True if the constraints are those of the empty board, which all symmetries keep."""
        empty = Constraints(self._game.fleet, self._game.holes)
        return constraints in (empty, replace(empty, closed=0))

    def _count_with(self, kind: int, ship: int) -> int:
        """Count the configurations of the empty board with a placement."""
        fleet = list(self._game.fleet)
        fleet.remove(kind)
        closed = ship | self._game.halo(ship) | self._game.holes
        constraints = Constraints(tuple(fleet), closed)
        return self._engine(constraints).count(constraints)

    def _engine(self, constraints: Constraints) -> FrontierSweep | ShipByShip:
        """Return the engine that is estimated to take less time."""
        if self._ships is not None:
            masks, choices = self._cells.estimate(constraints)
            if masks > MASKS * choices:
                _log.debug("%.2g masks, %.2g ways to choose placements: by ship", masks, choices)
                return self._ships
        return self._cells

    @property
    def states(self) -> int:
        """The number of masks in the largest sweep so far."""
        return self._cells.states

    @property
    def roundings(self) -> int:
        """A bound on the roundings in a number of `weigh`."""
        return self._cells.roundings

    def count(self, constraints: Constraints, progress: Progress[Status] = no_progress) -> int:
        """Count the configurations. progress -- called during a long count."""
        if not self._is_empty(constraints) or not self._orbits:
            return self._engine(constraints).count(constraints, progress)
        # Every configuration has each of its longest ships, so the sum over the placements of the
        # longest kind counts it once per such ship. Placements of an orbit have equal counts.
        longest = self._game.fleet[0]
        with_longest = [
            len(orbit) * self._count_with(kind, orbit[0])
            for kind, orbit in self._orbits
            if kind == longest
        ]
        return sum(with_longest) // self._game.fleet.count(longest)

    def count_by_placement(
        self, constraints: Constraints, progress: Progress[Status] = no_progress
    ) -> tuple[int, dict[Ship, int]]:
        """Count the configurations, and those with each ship (kind and mask) if any has it."""
        if not self._is_empty(constraints) or not self._orbits:
            return self._engine(constraints).count_by_placement(constraints, progress)
        counts = ((kind, orbit, self._count_with(kind, orbit[0])) for kind, orbit in self._orbits)
        by_ship = {(kind, ship): n for kind, orbit, n in counts if n for ship in orbit}
        return self.count(constraints), by_ship

    def weigh(
        self, constraints: Constraints, weights: Mapping[int, float]
    ) -> tuple[float, dict[int, float]]:
        """Add up the weights of the configurations, and of those with each placement."""
        return self._cells.weigh(constraints, weights)

    def unrank(
        self,
        constraints: Constraints,
        ranks: Ranks,
        weights: Mapping[int, float] | None = None,
    ) -> CellSets:
        """Return the configurations with some ranks: uint64 words of shape (n, ships, words)."""
        ships = self._ships
        if weights is None and ships is not None and self._engine(constraints) is ships:
            return ships.unrank(constraints, np.asarray(ranks, np.uint64))
        return self._cells.unrank(constraints, ranks, weights)


class NamedShips:
    """Queries on configurations with ships that differ by their names alone, as 3a and 3b do.

    Where no ship is barred from a placement that another of its length may have, names can be
    exchanged. Then these ships are counted as equal ones, in a smaller table: if t of them have c,
    d, … ships of each name, each configuration stands for t! / (c! d! …), and a placement of the
    first name is in the share c / t of those that have it. Other queries, samples and weights go
    to a table with all names, which is built for the first of them.
    """

    def __init__(self, game: Game):
        self._game = game
        self._plain = engine_for(game.with_announcement("nothing"))

    @cached_property
    def _named(self) -> SkylineSweep | AnyBoard:
        return _engine(self._game)

    @property
    def states(self) -> int:
        """The number of states in the table with all names."""
        return self._named.states

    @property
    def roundings(self) -> int:
        """Return a bound on the roundings in a number of `weigh`."""
        return self._named.roundings

    def _without_names(self, constraints: Constraints) -> Constraints | None:
        """Return constraints by lengths alone; None if names matter."""
        barred = constraints.barred
        names = {_plain(kind): set[int]() for kind in constraints.fleet}
        for kind in constraints.fleet:
            names[_plain(kind)].add(kind)
        for kind, ship in barred:
            if kind in constraints.fleet and any(
                (other, ship) not in barred for other in names[_plain(kind)]
            ):
                return None
        plain = frozenset(
            (_plain(kind), ship) for kind, ship in barred if kind in constraints.fleet
        )
        return replace(constraints, fleet=tuple(map(_plain, constraints.fleet)), barred=plain)

    def count(self, constraints: Constraints, progress: Progress[Status] = no_progress) -> int:
        """Count the configurations; progress -- called while a long count runs."""
        plain = self._without_names(constraints)
        if plain is None:
            return self._named.count(constraints, progress)
        return _orders(constraints.fleet) * self._plain.count(plain, progress)

    def count_by_placement(
        self, constraints: Constraints, progress: Progress[Status] = no_progress
    ) -> tuple[int, dict[Ship, int]]:
        """Count the configurations, and those through each ship: its kind and cells."""
        plain = self._without_names(constraints)
        if plain is None:
            return self._named.count_by_placement(constraints, progress)
        orders, fleet = _orders(constraints.fleet), constraints.fleet
        count, by_ship = self._plain.count_by_placement(plain, progress)
        named = {
            (kind, ship): orders * n * fleet.count(kind) // plain.fleet.count(length)
            for kind in dict.fromkeys(fleet)
            for (length, ship), n in by_ship.items()
            if length == _plain(kind)
        }
        return orders * count, named

    def weigh(
        self, constraints: Constraints, weights: Mapping[int, float]
    ) -> tuple[float, dict[int, float]]:
        """Total weight of the configurations, and that of those with each placement."""
        return self._named.weigh(constraints, weights)

    def unrank(
        self,
        constraints: Constraints,
        ranks: Ranks,
        weights: Mapping[int, float] | None = None,
    ) -> CellSets:
        """Return the configurations with some ranks: uint64 words of shape (n, ships, words)."""
        return self._named.unrank(constraints, ranks, weights)


def _plain(kind: int) -> int:
    """Return the length of a ship with a name; another kind as it is."""
    return int(kind) if isinstance(kind, Lettered) else kind


def _orders(fleet: Iterable[int]) -> int:
    """Count the ways to give equal ships the names of a fleet."""
    names = Counter(fleet)
    lengths = Counter(map(_plain, names.elements()))
    return prod(map(factorial, lengths.values())) // prod(map(factorial, names.values()))
