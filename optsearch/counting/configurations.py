"""All configurations of a position: counted, counted with each ship, listed or streamed.

Algorithm 1 of Audinot, Bonnet and Viennot (2014), section 2, on bit sets of placements.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import comb, prod
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from optsearch.compiled.counting._enumerate import (
    MAX_CODE_WORDS,
    MAX_CODED,
    MAX_KINDS,
    MAX_PLACEMENTS,
    Enumerator,
)
from optsearch.counting.constraints import Constraints
from optsearch.game import Game
from optsearch.game.position import Position, no_configuration
from optsearch.support.errors import ImpossiblePosition, TooLarge
from optsearch.support.progress import Progress, Status, meter, no_progress

CellSets = NDArray[np.uint64]  # shape (n, words): 64 bits each, the low ones first; see cells.pxd
_Result = TypeVar("_Result")

MAX_LABELS = 64  # of hits at one cell in kernels
_WORD_MASK = (1 << 64) - 1
_ROWS_AT_ONCE = 1 << 20  # listed in one call
_SLICE_COUNT = 64  # of a long count: threads share them, and progress counts them
_COMBINATIONS_WORTH_SLICES = 10**6  # of placements: from there a count is cut into slices


def to_words(masks: list[int] | tuple[int, ...], words: int = 2) -> CellSets:
    """Return masks as an array of 64-bit words, the low ones first; uint64 of shape (n, words)."""
    sets = np.empty((len(masks), words), np.uint64)
    for word_index in range(words):
        sets[:, word_index] = [mask >> 64 * word_index & _WORD_MASK for mask in masks]
    return sets


def to_masks(sets: CellSets) -> list[int]:
    """Return the rows of an array of 64-bit words, the low ones first, as masks."""
    masks: list[int] = sets[:, 0].tolist()
    for i in range(1, sets.shape[1]):
        words: list[int] = sets[:, i].tolist()
        masks = [mask | word << 64 * i for mask, word in zip(masks, words, strict=True)]
    return masks


def to_cells(sets: CellSets, cells: int) -> NDArray[np.uint8]:
    """Return cell sets as 0 and 1 for each cell; uint8 of shape (n, cells)."""
    words = np.ascontiguousarray(sets).astype("<u8")  # so that low cells are in the first bytes
    return np.unpackbits(words.view(np.uint8), axis=1, count=cells, bitorder="little")


class Listing:
    """The configurations of some ships, each with the placements that it may have.

    fleet -- the kinds of the ships. placements -- for each kind, the masks where its ships may lie.
    hits -- the mask of the cells that the ships must cover.

    threads -- the number of threads that count at once. progress -- called during a long count.
    combinations -- the number of ways to choose the placements, compatible or not.
    """

    def __init__(
        self, game: Game, fleet: Sequence[int], placements: dict[int, list[int]], hits: int
    ):
        self._game = game
        self._hits = hits
        self.threads = os.cpu_count() or 1
        self.progress: Progress[Status] = no_progress
        # The innermost ship is never placed one by one, so it is the one with most placements.
        kinds = sorted(set(fleet), key=lambda kind: (len(placements[kind]), -kind))
        self._parts = [_KindPart(kind, fleet.count(kind), placements[kind]) for kind in kinds]
        self.combinations = prod(comb(len(part.placements), part.ships) for part in self._parts)
        self._split()

    def _split(self) -> None:
        """Split the placements of each kind that has too many for the kernel into parts.

        The kernel takes each part for a kind. Raises TooLarge if there are too many parts.
        """
        self._parts = [
            part._replace(placements=part.placements[start : start + MAX_PLACEMENTS])
            for part in self._parts
            for start in range(0, max(1, len(part.placements)), MAX_PLACEMENTS)
        ]
        if len(self._parts) > MAX_KINDS:
            raise TooLarge(
                f"configurations of at most {MAX_KINDS} kinds of ships are listed, a kind of more "
                f"than {MAX_PLACEMENTS} placements counting as several; {self._game} has "
                f"{len(self._parts)}"
            )

    def _ways_to_distribute(self) -> list[list[int]]:
        """Return each way to distribute the ships of every kind over the parts of the kind.

        A part is some placements of one kind. A way has, for each part, the number of ships that
        lie on its placements.
        """
        kinds = [part.kind for part in self._parts]
        ways: list[list[int]] = [[]]
        for i, part in enumerate(self._parts):
            first_of_kind = kinds.index(part.kind)
            is_last_of_kind = part.kind not in kinds[i + 1 :]
            longer_ways = []
            for way in ways:
                ships_left = part.ships - sum(way[first_of_kind:])
                choices = [ships_left] if is_last_of_kind else range(ships_left + 1)
                longer_ways += [[*way, ships] for ships in choices]
            ways = longer_ways
        return ways

    @cached_property
    def _compatibility_tables(self) -> list[list[NDArray[np.uint8]]]:
        """A table for each two parts: 1 where two placements can be together, else 0.

        A part is some placements of one kind of ship. The table of two parts has a row for each
        placement of the first part, and a column for each placement of the second one.
        """
        placement_words = [to_words(part.placements) for part in self._parts]
        closed_words = [
            to_words([ship | self._game.halo(ship) for ship in part.placements])
            for part in self._parts
        ]
        return [
            [_are_disjoint(first, second) for second in closed_words] for first in placement_words
        ]

    def _enumerators(self, index: int = 0, slices: int = 1) -> Iterator[Enumerator]:
        """Yield kernels that together meet each configuration of a slice once.

        There is a kernel for each way to distribute the ships of every kind over its parts.

        index -- the number of the slice, from 0. slices -- the number of slices; by default, all
        configurations are one.
        """
        placement_words = [to_words(part.placements) for part in self._parts]
        for way in self._ways_to_distribute():
            part_tables = [
                (ships, part.kind, words)
                for ships, part, words in zip(way, self._parts, placement_words, strict=True)
            ]
            yield Enumerator(part_tables, self._compatibility_tables, self._hits, index, slices)

    def _ask_kernels(self, question: Callable[[Enumerator], _Result]) -> list[_Result]:
        """Return the answers of kernels that together meet each configuration once.

        A long count is cut into slices, which run in threads.

        question -- a function that runs a kernel and returns its answer.
        """
        if self.combinations < _COMBINATIONS_WORTH_SLICES:
            return [question(kernel) for kernel in self._enumerators()]
        kernels = [
            kernel for i in range(_SLICE_COUNT) for kernel in self._enumerators(i, _SLICE_COUNT)
        ]
        from concurrent.futures import ThreadPoolExecutor

        answers = []
        report = meter(self.progress, len(kernels))
        with ThreadPoolExecutor(self.threads) as pool:
            try:
                for answer in pool.map(question, kernels):
                    answers.append(answer)
                    report(len(answers))
            except BaseException:
                for kernel in kernels:
                    kernel.stop()  # else the pool would wait for them
                raise
        return answers

    @cached_property
    def configurations(self) -> int:
        """The number of configurations."""
        return sum(self._ask_kernels(Enumerator.count))

    @cached_property
    def by_ship(self) -> dict[tuple[int, int], int]:
        """The number of configurations with each ship (its kind, its mask), which may be 0."""
        totals = {(part.kind, ship): 0 for part in self._parts for ship in part.placements}
        for counts_by_part in self._ask_kernels(Enumerator.occurrence):
            for part, counts in zip(self._parts, counts_by_part, strict=True):
                for ship, count in zip(part.placements, counts, strict=True):
                    totals[part.kind, ship] += count
        return totals


class _KindPart(NamedTuple):
    """Some placements (masks) of a kind; `ships` is the number of all ships of that kind."""

    kind: int
    ships: int
    placements: list[int]


def _are_disjoint(first: CellSets, second: CellSets) -> NDArray[np.uint8]:
    """Return 1 for each two cell sets without a common cell, else 0; shape (first, second)."""
    common = first[:, None, :] & second[None, :, :]
    return np.ascontiguousarray((common == 0).all(axis=2), dtype=np.uint8)


class Configurations(Listing):
    """The configurations compatible with a position.

    threads -- the number of threads that count at once (default: one per processor); answers do
        not depend on it.
    progress -- called during a long count.

    Raises NotSupported for hits that tell more than hit, TooLarge for a board of more than 128
    cells.
    """

    def __init__(
        self,
        position: Position,
        threads: int | None = None,
        progress: Progress[Status] = no_progress,
    ):
        game = position.game
        game.require_small("listing configurations")
        if position.hits:
            game.require_silent("counting one by one after hits")
        self.position = position
        constraints = Constraints(game.fleet, position.misses, position.hits)
        super().__init__(game, game.fleet, constraints.placements(game), position.hits)
        self.threads = threads or self.threads
        self.progress = progress

    @cached_property
    def occurrence(self) -> NDArray[np.int64]:
        """The number of configurations with a ship on each cell; int64 of shape (rows, columns).

        The occurrence matrix of section 2.3.
        """
        game = self.position.game
        matrix = np.zeros((game.rows, game.columns), np.int64)
        for (_, ship), count in self.by_ship.items():
            for row, column in game.cells_of(ship):
                matrix[row, column] += count
        return matrix

    @property
    def frequency(self) -> list[list[Fraction]]:
        """The exact probability of a ship on each cell: occurrence / configurations.

        Raises ImpossiblePosition if no configuration is left.
        """
        self.require_some()
        return [
            [Fraction(count, self.configurations) for count in row]
            for row in self.occurrence.tolist()
        ]

    def require_some(self) -> None:
        """Raise ImpossiblePosition if no configuration is left."""
        if self.configurations == 0:
            if not self.position.shots:
                raise no_configuration(self.position.game)
            raise ImpossiblePosition(
                f"no configuration of {self.position.game} is compatible with the shots "
                f"{str(self.position)!r}"
            )

    def list(self, max_bytes: int = 4 << 30) -> CellSets:
        """List the cells of each configuration, a row of two 64-bit words for each; shape (n, 2).

        If ships may touch, several configurations can have equal cells. Each of them has its own
        row. Raises TooLarge if the list would need more than `max_bytes`.
        """
        byte_count = 16 * self.configurations
        if byte_count > max_bytes:
            raise TooLarge(
                f"the list of the {self.configurations:,} configurations of {self.position.game} "
                f"needs {byte_count / 2**30:,.1f} GiB; the limit is {max_bytes / 2**30:,.1f} GiB"
            )
        # A kernel writes only if there is room for MAX_PLACEMENTS rows, also at the end.
        sets = np.empty((self.configurations + MAX_PLACEMENTS, 2), np.uint64)
        written = 0
        for kernel in self._enumerators():
            # After each call ctrl-C gets its turn.
            while row_count := kernel.fill(sets[written : written + _ROWS_AT_ONCE]):
                written += row_count
        return sets[:written]

    def filter(self, keep: Callable[[CellSets], CellSets]) -> CellSets:
        """Return the cells of the configurations that a filter keeps, in any order; shape (n, 2).

        A row has two words of 64 bits, as in `list`. The list of all rows is never in memory.

        keep -- a function that gets some rows, and returns those to keep.
        """

        def filter_rows(kernel: Enumerator) -> CellSets:
            no_rows = np.empty((0, 2), np.uint64)
            return np.concatenate([no_rows, *map(keep, read_rows(kernel, batch=1 << 16))])

        return np.concatenate(self._ask_kernels(filter_rows))

    def stream(self, batch: int = 1 << 16) -> Iterator[CellSets]:
        """Yield the rows of `list` in arrays of at most `batch` (256 or more) rows."""
        for kernel in self._enumerators():
            yield from read_rows(kernel, batch)


def read_rows(kernel: Enumerator, batch: int, words: int = 2) -> Iterator[CellSets]:
    """Yield the rows that a kernel writes, one for each configuration; shape (n, words).

    batch -- the most rows of an array. words -- the number of 64-bit words in a row.
    """
    while True:
        rows = np.empty((batch, words), np.uint64)
        row_count = kernel.fill(rows)
        if row_count == 0:
            return
        yield rows[:row_count]


@dataclass(frozen=True)
class Codes:
    """The layout of the codes of a game; a code is a number that says where each ship lies.

    Some bits of a code belong to each ship: the index of its placement in `Game.placements`.

    kinds -- of the fleet. widths -- for each kind, the number of bits of a ship. shifts -- for each
    kind, the first bit of each of its ships; all bits of a ship are in one word of 64 bits.
    words -- the number of words of a code. labels -- 0 if a kind has one label; else the most
    different labels of one cell.
    """

    kinds: tuple[int, ...]
    widths: tuple[int, ...]
    shifts: tuple[tuple[int, ...], ...]
    words: int
    labels: int = 0

    @classmethod
    @lru_cache(maxsize=16)
    def of(cls, game: Game) -> Codes:
        """Return the layout of the codes of a game: which bits of a code belong to which ship.

        Ship follows ship from the lowest bit on. A ship whose bits do not all fit into a word of 64
        bits begins in the next one.
        """
        kinds = tuple(dict.fromkeys(game.fleet))
        widths, shifts = [], []
        next_bit = 0
        for kind in kinds:
            width = max(1, (len(game.placements(kind)) - 1).bit_length())
            shifts_of_kind = []
            for _ in range(game.fleet.count(kind)):
                if next_bit % 64 + width > 64:
                    next_bit = (next_bit // 64 + 1) * 64  # the first bit of the next word
                shifts_of_kind.append(next_bit)
                next_bit += width
            widths.append(width)
            shifts.append(tuple(shifts_of_kind))
        most_labels = 0
        if game.label_of_kind is None:  # labels depend on the placement and the cell
            most_labels = max(len(game.label_table.labels_at(cell)) for cell in range(game.cells))
        words = -(-next_bit // 64)  # rounded up
        return cls(kinds, tuple(widths), tuple(shifts), words, most_labels)

    def ships(self, game: Game, code: int) -> list[int]:
        """Return the masks of the ships in the order of the fleet.

        code -- for each ship, the index of its placement, in bits of its own.
        """
        return [
            game.placements(kind)[code >> shift & (1 << width) - 1]
            for kind, width, shifts in zip(self.kinds, self.widths, self.shifts, strict=True)
            for shift in shifts
        ]

    @property
    def fit_kernels(self) -> bool:
        """True if the codes are small enough for kernels."""
        ships = sum(map(len, self.shifts))
        are_few = len(self.kinds) <= MAX_KINDS and self.labels <= MAX_LABELS
        return ships <= MAX_CODED and are_few and self.words <= MAX_CODE_WORDS


class CodedConfigurations(Listing):
    """The configurations in which some ships are sunk, with the codes of all ships (`Codes`).

    sunk -- the masks of the sunk ships; constraints -- on the others.
    """

    def __init__(self, game: Game, sunk: Sequence[int], constraints: Constraints):
        game.require_small("listing configurations")
        placements = constraints.placements(game)
        super().__init__(game, constraints.fleet, placements, constraints.hits)
        self._sunk = sunk
        self._codes = Codes.of(game)

    def stream(self, batch: int = 1 << 16) -> Iterator[CellSets]:
        """Yield a row for each configuration: two words with its cells, then the words of its code.

        A code says where each ship lies (`Codes`). An array has at most `batch` (256 or more) rows.
        """
        codes = self._codes
        index_of = {
            kind: {ship: i for i, ship in enumerate(self._game.placements(kind))}
            for kind in codes.kinds
        }
        # Kernels give the first shifts of a kind to the other ships, so sunk ones get the last.
        shifts_left = dict(zip(codes.kinds, map(list, codes.shifts), strict=True))
        sunk_code = 0
        for ship in self._sunk:
            kind = self._game.kind_of(ship)
            sunk_code |= index_of[kind][ship] << shifts_left[kind].pop()
        sunk_cells = to_words([sum(self._sunk)])
        sunk_row = np.concatenate([sunk_cells, to_words([sunk_code], codes.words)], axis=1)
        if not self._parts:  # all ships are sunk
            if not self._hits:
                yield sunk_row
            return
        kind_indices = [codes.kinds.index(part.kind) for part in self._parts]
        placement_indices = [
            np.array([index_of[part.kind][ship] for ship in part.placements], np.uint64)
            for part in self._parts
        ]
        for kernel in self._enumerators():
            kernel.name(kind_indices, placement_indices, codes.shifts, codes.words)
            for rows in read_rows(kernel, batch, words=2 + codes.words):
                rows |= sunk_row
                yield rows


def list_ships(position: Position, max_bytes: int = 1 << 30) -> CellSets:
    """List the configurations that cover every hit and no miss; uint64 of shape (n, ships, 2).

    The two words of a ship are its cells. Ships are in the order of the fleet, equal ones in the
    order of `Game.placements`. What replies tell beyond hit and miss is not checked. No kernel is
    used. Raises TooLarge if more than `max_bytes` are needed, for the list or on the way to it.
    """
    game = position.game
    game.require_small("listing configurations")
    ships = np.empty((1, 0, 2), np.uint64)  # one row, in which no ship is placed yet
    last_indices = np.full(1, -1, np.int64)  # for each row, the index of the last ship's placement
    for i, kind in enumerate(game.fleet):
        placements = [
            ship
            for ship in game.placements(kind)
            if not ship & position.misses and not game.halo(ship) & position.hits
        ]
        if i > 0 and kind != game.fleet[i - 1]:
            last_indices = np.full(len(ships), -1, np.int64)
        pairs = [(np.zeros(0, np.int64), np.zeros(0, np.int64))]  # of a row and a placement
        byte_count = 0
        closed_cells = to_words([ship | game.halo(ship) for ship in placements])
        covered_cells = np.bitwise_or.reduce(ships, axis=1)
        for rows, indices in _pair_disjoint(covered_cells, closed_cells, above=last_indices):
            byte_count += len(rows) * (i + 1) * 16
            if byte_count > max_bytes:
                raise TooLarge(
                    f"the list of the configurations of {game}, ship by ship, needs more than "
                    f"{max_bytes / 2**30:,.1f} GiB"
                )
            pairs.append((rows, indices))
        rows, last_indices = (np.concatenate(arrays) for arrays in zip(*pairs, strict=True))
        placed = to_words(placements)[last_indices][:, None, :]
        ships = np.concatenate([ships[rows], placed], axis=1)
        uncovered_hits = to_words([position.hits]) & ~np.bitwise_or.reduce(ships, axis=1)
        can_cover = np.bitwise_count(uncovered_hits).sum(axis=1) <= sum(game.fleet[i + 1 :])
        ships, last_indices = ships[can_cover], last_indices[can_cover]
    return ships


def _pair_disjoint(
    covered: CellSets, closed: CellSets, above: NDArray[np.int64]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield the pairs of a set in `covered` and a set in `closed` that have no common cell.

    The pairs come in several batches, by ascending indices in `covered`. A batch is an array of
    indices in `covered`, and an array of as many indices in `closed`.

    covered, closed -- sets of cells, each a row of two words. above -- for each set in `covered`,
    an index in `closed`; only sets with a greater index are paired with it.
    """
    step = max(1, (1 << 20) // max(1, len(closed)))  # so that few pairs are in memory at once
    for start in range(0, len(covered), step):
        chunk = covered[start : start + step, None]
        are_paired = (chunk[..., 0] & closed[:, 0] | chunk[..., 1] & closed[:, 1]) == 0
        are_paired &= np.arange(len(closed)) > above[start : start + step, None]
        rows, indices = are_paired.nonzero()
        yield rows + start, indices
