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
from typing import TYPE_CHECKING, NamedTuple

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

MASKS_PER_CHOICE = 2  # ways to choose placements that take as long as one mask of a sweep
MOST_ORBITS = 8  # the most orbits of placements for counting by one placement of each
_log = logging.getLogger(__name__)


@lru_cache(maxsize=4)
def engine_for(game: Game) -> Counting:
    """Return the engine that counts the configurations of a game; TooLarge if none has room.

    The engines of the last four games stay in memory.
    """
    game.require_known_fleet()
    if any(isinstance(kind, Lettered) for kind in game.fleet):
        return NamedShips(game)
    return _board_engine(game)


def _board_engine(game: Game) -> SkylineSweep | AnyBoard:
    """Return the sweep by skylines if it can count the game; else log why, and return `AnyBoard`.

    Ships with different names are of different kinds.
    """
    objection = skyline_objection(game)
    if not objection:
        return SkylineSweep(game)
    _log.info("%s; the board is swept cell by cell", objection)
    return AnyBoard(game)


class AnyBoard:
    """Queries on the configurations of a game, by a sweep over its cells or ship by ship.

    A query goes ship by ship if the estimated masks of a sweep are more than MASKS_PER_CHOICE times
    the ways to choose placements, compatible or not. Queries with weights go to the sweep. An empty
    board with many symmetries, a torus above all, is counted with one placement of each orbit.
    Raises TooLarge if ships reach too far ahead for a sweep.
    """

    def __init__(self, game: Game):
        from optsearch.counting.by_ship import ShipByShip
        from optsearch.counting.frontier import FrontierSweep

        self._game = game
        self._cell_sweep = FrontierSweep(game)
        self._ship_by_ship = ShipByShip(game) if game.cells <= MAX_CELLS else None

    @cached_property
    def _orbits(self) -> list[_Orbit]:
        """The orbits of the placements of each kind; empty if there are more than MOST_ORBITS.

        An orbit is the set of the images of a placement under the symmetries of the game.
        """
        kinds = list(dict.fromkeys(self._game.fleet))
        symmetries = self._game.symmetries()
        placements = sum(len(self._game.placements(kind)) for kind in kinds)
        # No orbit has more placements than there are symmetries.
        if placements > MOST_ORBITS * len(symmetries):
            return []
        orbits = []
        for kind in kinds:
            ships_left = dict.fromkeys(self._game.placements(kind))
            while ships_left:
                ship = next(iter(ships_left))
                orbit = list(dict.fromkeys(image(ship, symmetry) for symmetry in symmetries))
                orbits.append(_Orbit(kind, orbit))
                for ship in orbit:
                    del ships_left[ship]
        return orbits if len(orbits) <= MOST_ORBITS else []

    def _is_empty(self, constraints: Constraints) -> bool:
        """True if the constraints are those of the empty board, which all symmetries keep."""
        empty_board = Constraints(self._game.fleet, self._game.holes)
        return constraints in (empty_board, replace(empty_board, closed=0))

    def _count_each(self, orbit: _Orbit) -> int:
        """Count the configurations of the empty board that have one given placement of an orbit.

        Symmetries map the board to itself, so each placement of an orbit has this count.
        """
        fleet = list(self._game.fleet)
        fleet.remove(orbit.kind)
        ship = orbit.placements[0]
        closed = ship | self._game.halo(ship) | self._game.holes
        others = Constraints(tuple(fleet), closed)
        return self._choose_engine(others).count(others)

    def _choose_engine(self, constraints: Constraints) -> FrontierSweep | ShipByShip:
        """Return the engine that probably takes less time: the sweep, or ship by ship."""
        if self._ship_by_ship is None:
            return self._cell_sweep
        masks, choices = self._cell_sweep.estimate(constraints)
        if masks > MASKS_PER_CHOICE * choices:
            _log.debug("%.2g masks, %.2g ways to choose placements: by ship", masks, choices)
            return self._ship_by_ship
        return self._cell_sweep

    @property
    def states(self) -> int:
        """The number of masks in the largest sweep so far."""
        return self._cell_sweep.states

    @property
    def roundings(self) -> int:
        """An upper bound on the roundings behind a number of `weigh`."""
        return self._cell_sweep.roundings

    def count(self, constraints: Constraints, progress: Progress[Status] = no_progress) -> int:
        """Count the configurations that satisfy the constraints."""
        if not self._is_empty(constraints) or not self._orbits:
            return self._choose_engine(constraints).count(constraints, progress)
        # The sum over all placements of the longest kind counts a configuration several times:
        # once for each of its ships of that kind.
        longest = self._game.fleet[0]
        total = sum(
            len(orbit.placements) * self._count_each(orbit)
            for orbit in self._orbits
            if orbit.kind == longest
        )
        return total // self._game.fleet.count(longest)

    def count_by_placement(
        self, constraints: Constraints, progress: Progress[Status] = no_progress
    ) -> tuple[int, dict[Ship, int]]:
        """Return the number of configurations, and the number that have each ship.

        A ship is its kind and the mask of its cells. Ships that no configuration has are left out.
        """
        if not self._is_empty(constraints) or not self._orbits:
            return self._choose_engine(constraints).count_by_placement(constraints, progress)
        by_ship: dict[Ship, int] = {}
        for orbit in self._orbits:
            if count := self._count_each(orbit):
                by_ship |= dict.fromkeys(((orbit.kind, ship) for ship in orbit.placements), count)
        return self.count(constraints), by_ship

    def weigh(
        self, constraints: Constraints, weights: Mapping[int, float]
    ) -> tuple[float, dict[int, float]]:
        """Return the total weight, and for each placement that of the configurations with it.

        A configuration weighs the product of the weights of its placements, which are masks of
        cells; a missing one weighs 1. Placements that add up to 0 are left out.
        """
        return self._cell_sweep.weigh(constraints, weights)

    def unrank(
        self,
        constraints: Constraints,
        ranks: Ranks,
        weights: Mapping[int, float] | None = None,
    ) -> CellSets:
        """Return the configurations with the given ranks; uint64 of shape (ranks, ships, words).

        The words of a ship are its cells. Without weights, equal constraints give an equal order.

        ranks -- numbers of configurations in some fixed order, from 0. With weights, floats from 0,
        each less than the total weight.
        weights -- of placements (masks); a missing one weighs 1.
        """
        if weights is None:
            engine = self._choose_engine(constraints)
            return engine.unrank(constraints, np.asarray(ranks, np.uint64))
        return self._cell_sweep.unrank(constraints, ranks, weights)


class _Orbit(NamedTuple):
    """The placements (masks) of a kind that symmetries map to each other."""

    kind: int
    placements: list[int]


class NamedShips:
    """Queries on configurations with ships that differ by their names alone, as 3a and 3b do.

    If no ship is barred from a placement that another of its length may have, names can be
    exchanged. Then ships of equal length are counted as equal ones, in a smaller table.

    Let t ships have one length: c of them the first name, d the second one, and so on. Then each
    configuration of equal ships can be named in t! / (c! d! …) ways. If it has a placement of this
    length, the ship there has the first name in the share c / t of these ways. Other queries,
    samples and weights go to a table with all names, which is built for the first of them.
    """

    def __init__(self, game: Game):
        self._game = game
        self._without_names = engine_for(game.with_announcement("nothing"))

    @cached_property
    def _with_names(self) -> SkylineSweep | AnyBoard:
        return _board_engine(self._game)

    @property
    def states(self) -> int:
        """The number of states in the table with all names."""
        return self._with_names.states

    @property
    def roundings(self) -> int:
        """An upper bound on the roundings behind a number of `weigh`."""
        return self._with_names.roundings

    def _drop_names(self, constraints: Constraints) -> Constraints | None:
        """Return the constraints with lengths in place of named ships; None if names matter.

        Names matter if a ship is barred from a placement where another ship of its length may lie.
        """
        fleet = constraints.fleet
        barred = [(kind, ship) for kind, ship in constraints.barred if kind in fleet]
        for kind, ship in barred:
            kinds_of_same_length = (
                other_kind for other_kind in fleet if _drop_name(other_kind) == _drop_name(kind)
            )
            if any(
                (other_kind, ship) not in constraints.barred for other_kind in kinds_of_same_length
            ):
                return None
        return replace(
            constraints,
            fleet=tuple(map(_drop_name, fleet)),
            barred=frozenset((_drop_name(kind), ship) for kind, ship in barred),
        )

    def count(self, constraints: Constraints, progress: Progress[Status] = no_progress) -> int:
        """Count the configurations that satisfy the constraints."""
        unnamed = self._drop_names(constraints)
        if unnamed is None:
            return self._with_names.count(constraints, progress)
        return _count_namings(constraints.fleet) * self._without_names.count(unnamed, progress)

    def count_by_placement(
        self, constraints: Constraints, progress: Progress[Status] = no_progress
    ) -> tuple[int, dict[Ship, int]]:
        """Return the number of configurations, and the number that have each ship.

        A ship is its kind and the mask of its cells. Ships that no configuration has are left out.
        """
        unnamed = self._drop_names(constraints)
        if unnamed is None:
            return self._with_names.count_by_placement(constraints, progress)
        namings = _count_namings(constraints.fleet)
        total, unnamed_by_ship = self._without_names.count_by_placement(unnamed, progress)
        by_ship = {}
        for kind in dict.fromkeys(constraints.fleet):
            ships = constraints.fleet.count(kind)
            ships_of_length = unnamed.fleet.count(_drop_name(kind))
            for (length, ship), count in unnamed_by_ship.items():
                if length == _drop_name(kind):
                    by_ship[kind, ship] = namings * count * ships // ships_of_length
        return namings * total, by_ship

    def weigh(
        self, constraints: Constraints, weights: Mapping[int, float]
    ) -> tuple[float, dict[int, float]]:
        """Return the total weight, and for each placement that of the configurations with it.

        A configuration weighs the product of the weights of its placements, which are masks of
        cells; a missing one weighs 1. Placements that add up to 0 are left out.
        """
        return self._with_names.weigh(constraints, weights)

    def unrank(
        self,
        constraints: Constraints,
        ranks: Ranks,
        weights: Mapping[int, float] | None = None,
    ) -> CellSets:
        """Return the configurations with the given ranks; uint64 of shape (ranks, ships, words).

        The words of a ship are its cells. Ships are in the order of the fleet.

        ranks -- numbers of configurations in some fixed order, from 0. With weights, floats from 0,
        each less than the total weight.
        weights -- of placements (masks); a missing one weighs 1.
        """
        return self._with_names.unrank(constraints, ranks, weights)


def _drop_name(kind: int) -> int:
    """Return the length of a ship with a name; return any other kind unchanged."""
    return int(kind) if isinstance(kind, Lettered) else kind


def _count_namings(fleet: Iterable[int]) -> int:
    """Count the ways to give the names of a fleet to its ships, each to a ship of its length.

    Ships that share a name are not told apart.

    fleet -- the kinds of the ships: lengths, some of them with names.
    """
    ships_by_name = Counter(fleet)
    ships_by_length = Counter(map(_drop_name, ships_by_name.elements()))
    orders_of_lengths = prod(map(factorial, ships_by_length.values()))
    return orders_of_lengths // prod(map(factorial, ships_by_name.values()))
