"""Counts of configurations by the transfer matrix over skylines, for any set of constraints.

The kernel `cython_ext/counting/_lattice.pyx` explains the sweep. This module turns masks of a
grid into its arguments, and its results into exact integers.
"""

from __future__ import annotations

import itertools
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from optsearch.compiled.counting._lattice import MAX_COLUMNS, Lattice, Query
from optsearch.counting.configurations import CellSets, to_words
from optsearch.counting.constraints import Constraints, Ranks, Ship, is_admitted, sort_by_fleet
from optsearch.counting.remainders import combine_residues, moduli_above
from optsearch.game import CONTACTS, Game, bits
from optsearch.game.shapes import Cells, orientations_of
from optsearch.support.errors import TooLarge
from optsearch.support.progress import Progress, Status, meter, no_progress

MAX_BYTES = 6 << 30  # of a table and a query
MOST_KINDS = 15  # of ships


def _kinds(fleet: Iterable[int]) -> list[int]:
    """Return the kinds of ships, in the order of the kernel."""
    return sorted(set(fleet), key=lambda kind: (-int(kind), str(kind)))


def _ways(game: Game) -> Iterator[tuple[int, int, Cells]]:
    """Yield each orientation of a ship: its number (way), the number of its kind, and its cells.

    Each kind has two ways, the second not used for a length of 1. Cells are (row, column).
    """
    for place, kind in enumerate(_kinds(game.fleet)):
        for i, cells in enumerate(orientations_of(kind)):
            yield 2 * place + i, place, cells


class _Orientation:
    """The placements of a game, sorted as the sweep of one orientation of the board meets them."""

    def __init__(self, game: Game, cell_of: tuple[int, ...], rows: int, columns: int):
        self.cell_of = np.array(cell_of)  # game cell -> cell of the sweep
        game_cell = [0] * game.cells
        for cell, swept in enumerate(cell_of):
            game_cell[swept] = cell
        placed = []
        for way, kind, ship in _ways(game):
            last_row, last_column = ship[-1]
            for row in range(rows - last_row):
                for column in range(columns - last_column):
                    cells = [(row + i) * columns + column + j for i, j in ship]
                    mask = sum(1 << game_cell[cell] for cell in cells)
                    placed.append((kind, cells[0], way, mask))
        kinds, first, ways, masks = zip(*sorted(placed), strict=True)
        self.masks: list[int] = list(masks)  # in the game's cells
        self.words = to_words(self.masks, game.words)
        self.halos = to_words([game.halo(mask) for mask in masks], game.words)
        self.kinds = _kinds(game.fleet)
        self.kind = np.array(kinds)  # its place in kinds
        self.kind_of = [self.kinds[place] for place in kinds]
        self.way = np.array(ways)
        self.first = np.array(first)
        self.bit = np.uint64(1) << self.way.astype(np.uint64)


class SkylineSweep:
    """The table of a grid, fleet and contact rule, and queries on it.

    A hole of the board is a cell that every query closes; the table does not depend on it.

    Raises TooLarge if the table and a count, which keeps the cells in reach of the sweep, might
    need more than `max_bytes`. Other queries go back, and keep all states that they reached: each
    raises TooLarge before it begins if that needs more. One thread queries at a time; others wait.
    """

    def __init__(self, game: Game, max_bytes: int = MAX_BYTES):
        self.game = replace(game, holes=0)  # the table's
        self._holes = game.holes
        self.rows = max(game.rows, game.columns)
        self.columns = min(game.rows, game.columns)
        self._ships = Counter(game.fleet)
        self._kinds = _kinds(self._ships)
        self._lock = threading.Lock()
        if reason := skyline_objection(self.game):
            raise TooLarge(reason)
        self._lattice = Lattice(
            self.rows,
            self.columns,
            self._kinds,
            [self._ships[kind] for kind in self._kinds],
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
        self._counted: tuple[_Orientation, Constraints] | None = None  # of the kernel's last pass
        self._orientations: dict[int, _Orientation] = {}

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
        """A bound on the roundings in a number of `weigh`; 2^-52 for each bounds its error."""
        return self.transitions * self.rows

    # Queries

    @cached_property
    def _turns(self) -> tuple[tuple[int, ...], ...]:
        """The orientations of the board: game cell -> cell of the sweep."""
        if self.game.rows >= self.game.columns:
            return self.game.symmetries()
        rows, columns = self.game.rows, self.game.columns
        transposed = [(i % columns) * rows + i // columns for i in range(self.game.cells)]
        return tuple(
            tuple(transposed[cell] for cell in symmetry) for symmetry in self.game.symmetries()
        )

    def _orientation(self, constraints: Constraints) -> _Orientation:
        """Return the orientation that meets hits and closed cells early, when states are few."""
        cells = list(bits(constraints.closed)) + 3 * list(bits(constraints.hits))
        best = 0
        if cells:
            best = min(
                range(len(self._turns)), key=lambda i: sum(self._turns[i][cell] for cell in cells)
            )
        if best not in self._orientations:
            self._orientations[best] = _Orientation(
                self.game, self._turns[best], self.rows, self.columns
            )
        return self._orientations[best]

    def _set(self, orientation: _Orientation, constraints: Constraints) -> int:
        """Hand the constraints to the kernel; return a bound on the number of configurations."""
        ships = zip(orientation.kind_of, orientation.masks, strict=True)
        allowed = is_admitted(constraints, self._holes, orientation.words, orientation.halos, ships)
        cells = self.game.cells
        ways = np.zeros(cells, np.uint64)
        np.bitwise_or.at(ways, orientation.first[allowed], orientation.bit[allowed])
        hit = np.zeros(cells, np.uint8)
        hit[orientation.cell_of[list(bits(constraints.hits))]] = 1
        to_place = Counter(constraints.fleet)
        fleet, weight = 0, 1
        for kind in self._kinds:
            fleet += weight * to_place[kind]
            weight *= self._ships[kind] + 1
        self._query.set(fleet, ways, hit)
        self._counted = None
        places = np.bincount(orientation.kind[allowed], minlength=len(self._kinds)).tolist()
        return prod(comb(n, to_place[kind]) for n, kind in zip(places, self._kinds, strict=True))

    def _watch(self, progress: Progress[Status], passes: int) -> Callable[[], None]:
        """Return the function that a kernel calls after each row of some passes."""
        report, rows = meter(progress, self.rows * passes), itertools.count(1)
        return lambda: report(next(rows))

    def _require_room(self) -> None:
        """Raise TooLarge if the states that the query reaches do not all fit into memory.

        If the bound on their number does not fit, a count that stops at `room` decides.
        """
        if self._query.most_visits <= self._query.room:
            return
        self._query.release()
        try:
            self._query.count([0], most_visits=self._query.room)  # for its MemoryError only
        except MemoryError:
            raise TooLarge(
                f"where the ships of {self.game} are takes more than {self._max_bytes / 2**30:.2g} "
                f"GiB: {self._query.visits:,} states are kept for the way back, and there are "
                f"more. Their number is counted in less (optsearch count); a shorter board, or "
                "more cells that are shot, would fit"
            ) from None

    def count(self, constraints: Constraints, progress: Progress[Status] = no_progress) -> int:
        """Count the configurations. progress -- called after each row."""
        if not constraints.fleet:
            return int(constraints.hits == 0)
        with self._lock:
            bound = self._set(self._orientation(constraints), constraints)
            if bound == 0:
                return 0
            moduli = moduli_above(bound)
            watch = self._watch(progress, -(-len(moduli) // 2))  # two in one pass
            residues = self._query.count([m % 2**64 for m in moduli], watch)
            return combine_residues(residues, moduli)

    def count_by_placement(
        self, constraints: Constraints, progress: Progress[Status] = no_progress
    ) -> tuple[int, dict[Ship, int]]:
        """Count the configurations, and those with each ship (kind and mask) if any has it."""
        if not constraints.fleet:
            return int(constraints.hits == 0), {}
        with self._lock:
            orientation = self._orientation(constraints)
            bound = self._set(orientation, constraints)
            if bound == 0:
                return 0, {}
            moduli = moduli_above(bound)
            self._require_room()
            watch = self._watch(progress, 2 * len(moduli))  # there and back
            results = [self._query.count_by_placement(m % 2**64, watch) for m in moduli]
        total = combine_residues([count for count, _ in results], moduli)
        columns = [counts[orientation.way, orientation.first].tolist() for _, counts in results]
        ships = zip(orientation.kind.tolist(), orientation.masks, strict=True)
        by_ship: dict[Ship, int] = {}
        for (place, mask), *residues in zip(ships, *columns, strict=True):
            if any(residues):
                ship = self._kinds[place], mask
                count = combine_residues(residues, moduli) if len(moduli) > 1 else residues[0]
                by_ship[ship] = by_ship.get(ship, 0) + count
        return total, by_ship

    def weigh(
        self, constraints: Constraints, weights: Mapping[int, float]
    ) -> tuple[float, dict[int, float]]:
        """Add up the weights of the configurations, and of those with each placement.

        The weight of a configuration is the product of those of its placements (mask -> weight, 1
        if absent).
        """
        if not constraints.fleet:
            return float(constraints.hits == 0), {}
        with self._lock:
            orientation = self._orientation(constraints)
            if self._set(orientation, constraints) == 0:
                return 0.0, {}
            self._require_room()
            total, sums = self._query.weigh(self._weights(orientation, weights))
        weights_through = sums[orientation.way, orientation.first].tolist()
        totals: dict[int, float] = {}
        for mask, weight in zip(orientation.masks, weights_through, strict=True):
            if weight:
                totals[mask] = totals.get(mask, 0.0) + weight
        return total, totals

    def _weights(
        self, orientation: _Orientation, weights: Mapping[int, float]
    ) -> NDArray[np.float64]:
        table = np.ones((self._lattice.ways, self.game.cells))
        table[orientation.way, orientation.first] = [weights.get(m, 1.0) for m in orientation.masks]
        return table

    def unrank(
        self,
        constraints: Constraints,
        ranks: Ranks,
        weights: Mapping[int, float] | None = None,
    ) -> CellSets:
        """Return the configurations with some ranks: uint64 words of shape (n, ships, words).

        ranks -- below the number of configurations, which must be less than 2^64; with weights,
        below their total weight.
        """
        ships = len(constraints.fleet)
        if not ships:
            return np.empty((len(ranks), 0, self.game.words), np.uint64)
        with self._lock:
            orientation = self._orientation(constraints)
            if weights is not None or self._counted != (orientation, constraints):
                self._set(orientation, constraints)
            if weights is None:
                if self._counted is None:
                    self._require_room()
                    self._query.count_by_placement()
                    self._counted = (orientation, constraints)
                placed = self._query.unrank(ranks.copy(), ships)
            else:
                table = self._weights(orientation, weights)
                self._require_room()
                self._query.weigh(table)
                placed = self._query.unrank(ranks.copy(), ships, table)
        lookup = np.full(self._lattice.ways * self.game.cells, -1)
        lookup[orientation.way * self.game.cells + orientation.first] = range(
            len(orientation.masks)
        )
        return np.asarray(orientation.words[sort_by_fleet(lookup[placed], orientation.kind)])


def skyline_objection(game: Game) -> str:
    """Return the reason why skylines cannot count the configurations of a game; empty if they can.

    They need rows and columns, and straight ships; a hole is a closed cell. No table is built.
    """
    if not game.is_rectangle:
        return f"skylines go by rows and columns of a rectangle; {game} is on another board"
    if game.has_shapes:
        return f"skylines are of straight ships; {game} has others"
    columns, kinds = min(game.rows, game.columns), _kinds(game.fleet)
    limit = min(MAX_COLUMNS, 64 // ((kinds[0] + 2).bit_length() + 1))  # by the bits of a column
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
