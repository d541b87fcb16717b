"""Counts of configurations by the transfer matrix over skylines, for any set of constraints.

The kernel `cython_ext/counting/_lattice.pyx` explains the sweep. This module turns masks of a
grid into its arguments, and its results into exact integers.
"""

from __future__ import annotations

import itertools
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from optsearch.compiled.counting._lattice import MAX_COLUMNS, Lattice, Query
from optsearch.counting.configurations import CellSets, to_words
from optsearch.counting.constraints import Constraints, Ranks, Ship, are_admitted, sort_by_fleet
from optsearch.counting.remainders import combine_residues, moduli_above
from optsearch.game import CONTACTS, Game, bits
from optsearch.game.shapes import orientations_of
from optsearch.support.errors import TooLarge
from optsearch.support.progress import Progress, Status, meter, no_progress

MAX_BYTES = 6 << 30  # of a table and a query
MOST_KINDS = 15  # of ships


def _sorted_kinds(fleet: Iterable[int]) -> list[int]:
    """Return the kinds of ships, in the order of the kernel."""
    return sorted(set(fleet), key=lambda kind: (-int(kind), str(kind)))


class _Orientation:
    """The placements of a game, sorted as the sweep of one orientation of the board meets them.

    Each placement has a *way*, its kind and direction: 2 i or 2 i + 1 for the i-th kind.

    swept_cell -- for each cell of the game, its index in the sweep. rows, columns -- of the swept
    board.
    """

    def __init__(self, game: Game, swept_cell: tuple[int, ...], rows: int, columns: int):
        self.swept_cell = np.array(swept_cell)
        game_cell = [0] * game.cells  # for each index in the sweep
        for cell, index in enumerate(swept_cell):
            game_cell[index] = cell
        self.kinds = _sorted_kinds(game.fleet)
        placed = []
        for kind_index, kind in enumerate(self.kinds):
            for direction, ship in enumerate(orientations_of(kind)):
                way = 2 * kind_index + direction
                last_row, last_column = ship[-1]
                for row, column in itertools.product(
                    range(rows - last_row), range(columns - last_column)
                ):
                    swept = [(row + i) * columns + column + j for i, j in ship]
                    mask = sum(1 << game_cell[cell] for cell in swept)
                    placed.append((kind_index, swept[0], way, mask))
        kind_indices, first_cells, ways, masks = zip(*sorted(placed), strict=True)
        self.masks: list[int] = list(masks)  # in the game's cells
        self.cells = to_words(self.masks, game.words)
        self.halos = to_words([game.halo(mask) for mask in masks], game.words)
        self.kind_indices = np.array(kind_indices)
        self.placement_kinds = [self.kinds[i] for i in kind_indices]
        self.placement_ways = np.array(ways)
        self.first_cells = np.array(first_cells)  # in the sweep
        self.way_bits = np.uint64(1) << self.placement_ways.astype(np.uint64)


class SkylineSweep:
    """The table of a grid, fleet and contact rule, and queries on it.

    A hole of the board is a cell that every query closes; the table does not depend on it.

    Raises TooLarge if the table and a count might need more than `max_bytes`. A count keeps only
    the states near the cell that it has reached. Other queries sweep back, so they keep all states
    that they reach; they raise TooLarge before they begin if that needs more. One thread queries at
    a time; others wait.
    """

    def __init__(self, game: Game, max_bytes: int = MAX_BYTES):
        self.game = replace(game, holes=0)  # the table's
        self._holes = game.holes
        self.rows = max(game.rows, game.columns)
        self.columns = min(game.rows, game.columns)
        self._ships = Counter(game.fleet)
        self._sorted_kinds = _sorted_kinds(self._ships)
        self._lock = threading.Lock()
        if reason := skyline_objection(self.game):
            raise TooLarge(reason)
        self._lattice = Lattice(
            self.rows,
            self.columns,
            self._sorted_kinds,
            [self._ships[kind] for kind in self._sorted_kinds],
            CONTACTS.index(game.contact),
            max_bytes,
        )
        try:
            self._lattice.build()
        except MemoryError:
            raise TooLarge(
                f"the counting table of {self.game} needs more than {max_bytes / 2**30:.2g} GiB "
                f"(it passed {self._lattice.states:,} states); it grows with the shorter side of "
                "the board, with the longest ship and with the number of different fleets left, so "
                "fewer, shorter or more equal ships, or a narrower board, would fit"
            ) from None
        self._query, self._max_bytes = Query(self._lattice), max_bytes
        # The last query, if the kernel keeps the states of its configurations without weights.
        self._ranked_query: tuple[_Orientation, Constraints] | None = None
        self._orientations: dict[int, _Orientation] = {}  # by the index of the symmetry

    @property
    def states(self) -> int:
        """The number of states of the table."""
        return self._lattice.states

    @property
    def transitions(self) -> int:
        """The number of transitions of the table."""
        return self._lattice.transitions

    @property
    def roundings(self) -> int:
        """An upper bound on the roundings behind a number of `weigh`."""
        return self.transitions * self.rows

    # Queries

    @cached_property
    def _swept_cells_by_symmetry(self) -> tuple[tuple[int, ...], ...]:
        """The orders in which the board can be swept: the index of every cell in each sweep.

        There is an order for each symmetry of the game. The sweep goes row by row, and its rows are
        along the shorter side of the board.
        """
        if self.game.rows >= self.game.columns:
            return self.game.symmetries()
        rows, columns = self.game.rows, self.game.columns
        row_and_column = [divmod(cell, columns) for cell in range(self.game.cells)]
        transposed = [column * rows + row for row, column in row_and_column]
        return tuple(
            tuple(transposed[cell] for cell in symmetry) for symmetry in self.game.symmetries()
        )

    def _choose_orientation(self, constraints: Constraints) -> _Orientation:
        """Return the way to turn the board in which the sweep probably needs the fewest states.

        A sweep has few states at its beginning, so hits and closed cells should come early: the sum
        of their indices in the sweep is minimized. A hit counts as much as three closed cells.
        """
        cells = list(bits(constraints.closed)) + 3 * list(bits(constraints.hits))
        best_index = min(
            range(len(self._swept_cells_by_symmetry)),
            key=lambda symmetry_index: sum(
                self._swept_cells_by_symmetry[symmetry_index][cell] for cell in cells
            ),
        )
        if best_index not in self._orientations:
            self._orientations[best_index] = _Orientation(
                self.game, self._swept_cells_by_symmetry[best_index], self.rows, self.columns
            )
        return self._orientations[best_index]

    def _set_query(self, orientation: _Orientation, constraints: Constraints) -> int:
        """Hand the constraints to the kernel; return an upper bound on the configurations.

        The bound is the number of ways to choose allowed placements, even if they overlap.
        """
        allowed = are_admitted(
            zip(orientation.placement_kinds, orientation.masks, strict=True),
            orientation.cells,
            orientation.halos,
            constraints=constraints,
            holes=self._holes,
        )
        ways = np.zeros(self.game.cells, np.uint64)  # by first cell: a bit per kind and direction
        np.bitwise_or.at(ways, orientation.first_cells[allowed], orientation.way_bits[allowed])
        is_hit = np.zeros(self.game.cells, np.uint8)
        is_hit[orientation.swept_cell[list(bits(constraints.hits))]] = 1
        # The kernel takes the fleet as a number whose digits are the ships of each kind.
        ships = Counter(constraints.fleet)
        fleet, place_value = 0, 1
        for kind in self._sorted_kinds:
            fleet += place_value * ships[kind]
            place_value *= self._ships[kind] + 1
        self._query.set(fleet, ways, is_hit)
        self._ranked_query = None
        kind_indices = orientation.kind_indices[allowed]
        placements = np.bincount(kind_indices, minlength=len(self._sorted_kinds)).tolist()
        return prod(
            comb(placement_count, ships[kind])
            for placement_count, kind in zip(placements, self._sorted_kinds, strict=True)
        )

    def _watch(self, progress: Progress[Status], passes: int) -> Callable[[], None]:
        """Return the function that a kernel calls after each row of some passes."""
        report, rows = meter(progress, self.rows * passes), itertools.count(1)
        return lambda: report(next(rows))

    def _require_memory(self) -> None:
        """Raise TooLarge if the states that the kernel will reach do not all fit into memory.

        If an upper bound on their number does not fit, the states are counted, which needs less
        memory than to keep them.
        """
        if self._query.most_visits <= self._query.room:
            return
        self._query.release()
        try:
            # The count itself is not used; it raises MemoryError after `room` states.
            self._query.count([0], most_visits=self._query.room)
        except MemoryError:
            raise TooLarge(
                f"where the ships of {self.game} are takes more than {self._max_bytes / 2**30:.2g} "
                f"GiB: {self._query.visits:,} states are kept for the way back, and there are "
                f"more. Their number is counted in less (optsearch count); a shorter board, or "
                "more cells that are shot, would fit"
            ) from None

    def count(self, constraints: Constraints, progress: Progress[Status] = no_progress) -> int:
        """Count the configurations that satisfy the constraints."""
        if not constraints.fleet:
            return int(constraints.hits == 0)
        with self._lock:
            bound = self._set_query(self._choose_orientation(constraints), constraints)
            if bound == 0:
                return 0
            moduli = moduli_above(bound)
            passes = -(-len(moduli) // 2)  # a pass counts modulo two numbers at once
            watch = self._watch(progress, passes)
            # the kernel takes 0 for 2^64
            residues = self._query.count([modulus % 2**64 for modulus in moduli], watch)
            return combine_residues(residues, moduli)

    def count_by_placement(
        self, constraints: Constraints, progress: Progress[Status] = no_progress
    ) -> tuple[int, dict[Ship, int]]:
        """Return the number of configurations, and the number that have each ship.

        A ship is its kind and the mask of its cells. Ships that no configuration has are left out.
        """
        if not constraints.fleet:
            return int(constraints.hits == 0), {}
        with self._lock:
            orientation = self._choose_orientation(constraints)
            bound = self._set_query(orientation, constraints)
            if bound == 0:
                return 0, {}
            moduli = moduli_above(bound)
            self._require_memory()
            watch = self._watch(progress, passes=2 * len(moduli))  # there and back
            # the kernel takes 0 for 2^64
            results = [self._query.count_by_placement(modulus % 2**64, watch) for modulus in moduli]
        total = combine_residues([count for count, _ in results], moduli)
        residues_by_modulus = [
            counts[orientation.placement_ways, orientation.first_cells].tolist()
            for _, counts in results
        ]
        ships = zip(orientation.placement_kinds, orientation.masks, strict=True)
        by_ship: dict[Ship, int] = {}
        for ship, *residues in zip(ships, *residues_by_modulus, strict=True):
            if any(residues):
                count = combine_residues(residues, moduli) if len(moduli) > 1 else residues[0]
                by_ship[ship] = by_ship.get(ship, 0) + count
        return total, by_ship

    def weigh(
        self, constraints: Constraints, weights: Mapping[int, float]
    ) -> tuple[float, dict[int, float]]:
        """Return the total weight, and for each placement that of the configurations with it.

        A configuration weighs the product of the weights of its placements, which are masks of
        cells; a missing one weighs 1. Placements that add up to 0 are left out.
        """
        if not constraints.fleet:
            return float(constraints.hits == 0), {}
        with self._lock:
            orientation = self._choose_orientation(constraints)
            if self._set_query(orientation, constraints) == 0:
                return 0.0, {}
            self._require_memory()
            total, sums = self._query.weigh(self._weight_table(orientation, weights))
        placement_sums = sums[orientation.placement_ways, orientation.first_cells].tolist()
        totals: dict[int, float] = {}
        for mask, weight in zip(orientation.masks, placement_sums, strict=True):
            if weight:  # ships of several kinds can have the same mask
                totals[mask] = totals.get(mask, 0.0) + weight
        return total, totals

    def _weight_table(
        self, orientation: _Orientation, weights: Mapping[int, float]
    ) -> NDArray[np.float64]:
        """Return the table of weights for the kernel, shape (ways, cells); 1 for no placement.

        A row is for a way, a kind of ship and its direction; a column, for the first cell.

        weights -- of placements (masks of cells); a missing one weighs 1.
        """
        table = np.ones((self._lattice.ways, self.game.cells))
        table[orientation.placement_ways, orientation.first_cells] = [
            weights.get(mask, 1.0) for mask in orientation.masks
        ]
        return table

    def unrank(
        self,
        constraints: Constraints,
        ranks: Ranks,
        weights: Mapping[int, float] | None = None,
    ) -> CellSets:
        """Return the configurations with the given ranks; uint64 of shape (ranks, ships, words).

        The words of a ship are its cells. Ships are in the order of the fleet.

        ranks -- numbers of configurations in some fixed order, from 0; there must be fewer than
        2^64. With weights, floats from 0, each less than the total weight.
        weights -- of placements (masks); a missing one weighs 1.
        """
        ships = len(constraints.fleet)
        if not ships:
            return np.empty((len(ranks), 0, self.game.words), np.uint64)
        with self._lock:
            orientation, table = self._choose_orientation(constraints), None
            if weights is not None:
                self._set_query(orientation, constraints)
                table = self._weight_table(orientation, weights)
                self._require_memory()
                self._query.weigh(table)
            elif self._ranked_query != (orientation, constraints):
                self._set_query(orientation, constraints)
                self._require_memory()
                self._query.count_by_placement()  # `unrank` needs the states that it keeps
                self._ranked_query = orientation, constraints
            placed = self._query.unrank(ranks.copy(), ships, table)
        # The kernel numbers a placement by its way (kind and direction) and its first cell.
        index_of_way_and_cell = np.full(self._lattice.ways * self.game.cells, -1)
        way_and_cell = orientation.placement_ways * self.game.cells + orientation.first_cells
        index_of_way_and_cell[way_and_cell] = range(len(orientation.masks))
        sorted_ships = sort_by_fleet(index_of_way_and_cell[placed], orientation.kind_indices)
        return np.asarray(orientation.cells[sorted_ships])


def skyline_objection(game: Game) -> str:
    """Return why `SkylineSweep` cannot count the configurations of a game; an empty text if it can.

    It needs straight ships of few lengths on a rectangle, which may have holes. Its shorter side
    must be short enough for the longest ship.
    """
    if not game.is_rectangle:
        return f"skylines go by rows and columns of a rectangle; {game} is on another board"
    if game.has_shapes:
        return f"skylines are of straight ships; {game} has others"
    columns, kinds = min(game.rows, game.columns), _sorted_kinds(game.fleet)
    bits_of_column = (kinds[0] + 2).bit_length() + 1  # as in the kernel
    limit = min(MAX_COLUMNS, 64 // bits_of_column)
    if columns > limit:
        return (
            f"the transfer matrix sweeps boards whose shorter side has at most {limit} cells with "
            f"ships of length {kinds[0]}; {max(game.rows, game.columns)}x{columns} has {columns}"
        )
    if len(kinds) > MOST_KINDS:
        return (
            f"the transfer matrix takes fleets of at most {MOST_KINDS} different lengths, not of "
            f"{len(kinds)}"
        )
    return ""
