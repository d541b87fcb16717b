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
from typing import TypeVar

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
WORD = (1 << 64) - 1
_ROWS = 1 << 20  # listed in one call
_PIECES = 64  # of a long count: threads share them, and progress counts them
_WORTH_PIECES = 10**6  # combinations of placements from which a count is cut into pieces


def to_words(masks: list[int] | tuple[int, ...], words: int = 2) -> CellSets:
    """Return masks as an array of cell sets, shape (n, words)."""
    sets = np.empty((len(masks), words), np.uint64)
    for i in range(words):
        sets[:, i] = [mask >> 64 * i & WORD for mask in masks]
    return sets


def to_masks(sets: CellSets) -> list[int]:
    """Return an array of cell sets as masks."""
    low: list[int] = sets[:, 0].tolist()
    for i in range(1, sets.shape[1]):
        words: list[int] = sets[:, i].tolist()
        low = [a | b << 64 * i for a, b in zip(low, words, strict=True)]
    return low


def to_cells(sets: CellSets, cells: int) -> NDArray[np.uint8]:
    """Return cell sets as 0 and 1 for each cell; uint8 of shape (n, cells)."""
    words = np.ascontiguousarray(sets).astype("<u8")
    return np.unpackbits(words.view(np.uint8), axis=1, count=cells, bitorder="little")


class Listing:
    """Ships to place, with their placements, as the kernel gets them.

    fleet -- the ships to place; placements -- the allowed ones of each kind; hits -- the cells to
    cover. threads -- the number that count at once; progress -- called during a long count.

    combinations -- the number of ways to choose the placements, compatible or not.
    """

    threads = os.cpu_count() or 1
    progress: Progress[Status] = staticmethod(no_progress)

    def __init__(
        self, game: Game, fleet: Sequence[int], placements: dict[int, list[int]], hits: int
    ):
        self._board = game
        self._hits = hits
        self.threads = os.cpu_count() or 1
        self.progress: Progress[Status] = no_progress
        # The innermost ship is never placed one by one, so it is the one with most placements.
        self._lengths = sorted(set(fleet), key=lambda length: (len(placements[length]), -length))
        self._placements = [placements[length] for length in self._lengths]
        self._ships = [fleet.count(length) for length in self._lengths]
        self.combinations = prod(map(comb, map(len, self._placements), self._ships))
        self._split()

    def _split(self) -> None:
        """Split kinds that have more placements than the kernel takes of one kind.

        Each part becomes a kind, and the ships are distributed over the parts in every way
        (`_shares`).
        """
        parts = [
            (length, ships[i : i + MAX_PLACEMENTS], number)
            for length, ships, number in zip(
                self._lengths, self._placements, self._ships, strict=True
            )
            for i in range(0, max(1, len(ships)), MAX_PLACEMENTS)
        ]
        self._lengths = [length for length, _, _ in parts]
        self._placements = [ships for _, ships, _ in parts]
        self._ships = [number for _, _, number in parts]
        if len(parts) > MAX_KINDS:
            raise TooLarge(
                f"configurations of at most {MAX_KINDS} kinds of ships are listed, a kind of more "
                f"than {MAX_PLACEMENTS} placements counting as several; {self._board} has "
                f"{len(parts)}"
            )

    def _shares(self) -> list[list[int]]:
        """Return every way to distribute the ships over the parts of their kind."""
        shares: list[list[int]] = [[]]
        for i, length in enumerate(self._lengths):
            is_last = length not in self._lengths[i + 1 :]
            first = self._lengths.index(length)
            extended = []
            for share in shares:
                left = self._ships[i] - sum(share[first:])
                extended += [[*share, n] for n in ([left] if is_last else range(left + 1))]
            shares = extended
        return shares

    @cached_property
    def _kernel_arguments(
        self,
    ) -> tuple[list[tuple[int, int, CellSets]], list[list[NDArray[np.uint8]]]]:
        sets = [to_words(ships) for ships in self._placements]
        closed = [
            to_words([ship | self._board.halo(ship) for ship in ships])
            for ships in self._placements
        ]
        compatible = [
            [
                np.ascontiguousarray(
                    ((a[:, None, :] & b[None, :, :]) == 0).all(axis=2), dtype=np.uint8
                )
                for b in closed
            ]
            for a in sets
        ]
        return list(zip(self._ships, self._lengths, sets, strict=True)), compatible

    def _enumerators(self, piece: int = 0, pieces: int = 1) -> Iterator[Enumerator]:
        """Yield the kernels that meet all configurations together; one, unless a kind is split."""
        kinds, compatible = self._kernel_arguments
        for share in self._shares():
            shared = [(n, size, sets) for n, (_, size, sets) in zip(share, kinds, strict=True)]
            yield Enumerator(shared, compatible, self._hits, piece, pieces)

    def _in_pieces(self, work: Callable[[Enumerator], _Result]) -> list[_Result]:
        """Return the results of `work` on all kernels; a large count runs in threads."""
        if self.combinations < _WORTH_PIECES:
            return [work(kernel) for kernel in self._enumerators()]
        pieces = [kernel for i in range(_PIECES) for kernel in self._enumerators(i, _PIECES)]
        from concurrent.futures import ThreadPoolExecutor

        results = []
        report = meter(self.progress, len(pieces))
        with ThreadPoolExecutor(self.threads) as pool:
            try:
                for result in pool.map(work, pieces):
                    results.append(result)
                    report(len(results))
            except BaseException:
                for piece in pieces:
                    piece.stop()
                raise
        return results

    @cached_property
    def configurations(self) -> int:
        """The number of configurations."""
        return sum(self._in_pieces(Enumerator.count))

    @cached_property
    def by_ship(self) -> dict[tuple[int, int], int]:
        """The number of configurations with each ship: its kind and cells (mask)."""
        kinds = list(zip(self._lengths, self._placements, strict=True))
        by_ship = {(kind, ship): 0 for kind, ships in kinds for ship in ships}
        for counts in self._in_pieces(Enumerator.occurrence):
            for (kind, ships), numbers in zip(kinds, counts, strict=True):
                for ship, number in zip(ships, numbers, strict=True):
                    by_ship[kind, ship] += number
        return by_ship


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
        matrix = np.zeros(game.cells, np.int64)
        for (_, ship), count in self.by_ship.items():
            for cell in game.cells_of(ship):
                matrix[cell[0] * game.columns + cell[1]] += count
        return matrix.reshape(game.rows, game.columns)

    @property
    def frequency(self) -> list[list[Fraction]]:
        """The exact probability of a ship on each cell: occurrence / configurations.

        Raises ImpossiblePosition if no configuration is left.
        """
        self.require_some()
        return [[Fraction(n, self.configurations) for n in row] for row in self.occurrence.tolist()]

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
        """List the cells of each configuration, one row each; shape (n, 2).

        If ships may touch, different configurations can have the same cells; each has its row.
        Raises TooLarge if the list would need more than `max_bytes`.
        """
        size, limit = 16 * self.configurations, max_bytes
        if size > limit:
            raise TooLarge(
                f"the list of the {self.configurations:,} configurations of {self.position.game} "
                f"needs {size / 2**30:,.1f} GiB; the limit is {limit / 2**30:,.1f} GiB"
            )
        sets = np.empty((self.configurations + 256, 2), np.uint64)
        written = 0
        for kernel in self._enumerators():
            while n := kernel.fill(sets[written : written + _ROWS]):  # ctrl-C gets its turn
                written += n
        return sets[:written]

    def filter(self, keep: Callable[[CellSets], CellSets]) -> CellSets:
        """Return the rows of `list` that a filter keeps, shape (n, 2), in any order.

        The filter gets some rows at a time, so the whole list is never in memory.
        """

        def work(kernel: Enumerator) -> CellSets:
            return np.concatenate(
                [np.empty((0, 2), np.uint64), *map(keep, read_rows(kernel, 1 << 16))]
            )

        return np.concatenate(self._in_pieces(work))

    def stream(self, batch: int = 1 << 16) -> Iterator[CellSets]:
        """Yield the rows of `list` in arrays of at most `batch` (256 or more) rows."""
        for kernel in self._enumerators():
            yield from read_rows(kernel, batch)


def read_rows(kernel: Enumerator, batch: int, words: int = 2) -> Iterator[CellSets]:
    """Yield the rows that a kernel meets, in arrays of at most `batch` rows."""
    while True:
        rows = np.empty((batch, words), np.uint64)
        n = kernel.fill(rows)
        if n == 0:
            return
        yield rows[:n]


@dataclass(frozen=True)
class Codes:
    """The codes of a game: numbers of some words that say where each ship lies.

    kinds -- of the fleet. widths -- for each kind the number of bits of a ship, which are the index
    of its placement in `Game.placements`. shifts -- for each kind the first bit of each ship; all
    bits of a ship are in one word of 64 bits. words -- of a code. labels -- if labels depend on the
    placement and the cell, the most labels of one cell; else 0.
    """

    kinds: tuple[int, ...]
    widths: tuple[int, ...]
    shifts: tuple[tuple[int, ...], ...]
    words: int
    labels: int = 0

    @classmethod
    @lru_cache(maxsize=16)
    def of(cls, game: Game) -> Codes:
        """Return the codes of a game, with the bits of each ship inside one word of 64 bits."""
        kinds = tuple(dict.fromkeys(game.fleet))
        widths, shifts, end = [], [], 0
        for kind in kinds:
            width = max(1, (len(game.placements(kind)) - 1).bit_length())
            shifts_of_kind = []
            for _ in range(game.fleet.count(kind)):
                fits = end % 64 + width <= 64
                shift = end if fits else (end // 64 + 1) * 64  # the next word
                shifts_of_kind.append(shift)
                end = shift + width
            widths.append(width)
            shifts.append(tuple(shifts_of_kind))
        labels = 0
        if game.label_of_kind is None:
            labels = max(len(game.label_table.labels_at(cell)) for cell in range(game.cells))
        return cls(kinds, tuple(widths), tuple(shifts), -(-end // 64), labels)

    def ships(self, game: Game, code: int) -> list[int]:
        """Return the masks of the ships of a code, in the order of the fleet."""
        return [
            game.placements(kind)[code >> shift & (1 << width) - 1]
            for kind, width, shifts in zip(self.kinds, self.widths, self.shifts, strict=True)
            for shift in shifts
        ]

    @property
    def fit_kernels(self) -> bool:
        """True if kernels take codes of this size."""
        ships = sum(map(len, self.shifts))
        are_few = len(self.kinds) <= MAX_KINDS and self.labels <= MAX_LABELS
        return ships <= MAX_CODED and are_few and self.words <= MAX_CODE_WORDS


class CodedConfigurations(Listing):
    """Configurations with the codes of their ships, once some ships are sunk.

    sunk -- the masks of these; constraints -- on the others.
    """

    def __init__(self, game: Game, sunk: Sequence[int], constraints: Constraints):
        game.require_small("listing configurations")
        places = constraints.placements(game)
        super().__init__(game, constraints.fleet, places, constraints.hits)
        self._game = game
        self._sunk = sunk
        self._codes = Codes.of(game)

    def stream(self, batch: int = 1 << 16) -> Iterator[CellSets]:
        """Yield rows of cells (2 words) and codes, in arrays of at most `batch` (>= 256) rows."""
        codes = self._codes
        numbers = {
            kind: {ship: n for n, ship in enumerate(self._game.placements(kind))}
            for kind in codes.kinds
        }
        code, shifts_left = 0, dict(zip(codes.kinds, map(list, codes.shifts), strict=True))
        for ship in self._sunk:
            kind = self._game.kind_of(ship)
            code |= numbers[kind][ship] << shifts_left[kind].pop()
        of_sunk = np.concatenate(
            [to_words([sum(self._sunk)]), to_words([code], codes.words)], axis=1
        )
        if not self._lengths:
            yield from [of_sunk] * (not self._hits)
            return
        sorts = [codes.kinds.index(kind) for kind in self._lengths]
        of_placements = [
            np.array([numbers[kind][ship] for ship in ships], np.uint64)
            for kind, ships in zip(self._lengths, self._placements, strict=True)
        ]
        for kernel in self._enumerators():
            kernel.name(sorts, of_placements, codes.shifts, codes.words)
            for rows in read_rows(kernel, batch, 2 + codes.words):
                rows |= of_sunk
                yield rows


def list_ships(position: Position, max_bytes: int = 1 << 30) -> CellSets:
    """List the configurations that cover every hit and no miss, as ships; shape (n, ships, 2).

    Ships are in the order of the fleet, equal ones in that of `Game.placements`. Announcements are
    not checked. It uses numpy and the rules of `optsearch.game`, no kernel. Raises TooLarge if this
    list, or that of the ships placed so far, would need more than `max_bytes`.
    """
    game = position.game
    game.require_small("listing configurations")
    ships = np.empty((1, 0, 2), np.uint64)
    last = np.zeros(1, np.int64)  # the place of each row's last ship
    for i, length in enumerate(game.fleet):
        masks = [
            ship
            for ship in game.placements(length)
            if not ship & position.misses and not game.halo(ship) & position.hits
        ]
        closed = to_words([ship | game.halo(ship) for ship in masks])
        covered = np.bitwise_or.reduce(ships, axis=1)
        is_repeat = i > 0 and length == game.fleet[i - 1]
        rows, places, size = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], 0
        step = max(1, (1 << 20) // max(1, len(masks)))
        for start in range(0, len(ships), step):
            chunk = covered[start : start + step, None]
            fits = (chunk[..., 0] & closed[:, 0] | chunk[..., 1] & closed[:, 1]) == 0
            if is_repeat:
                fits &= np.arange(len(masks)) > last[start : start + step, None]
            row, place = fits.nonzero()
            size += len(row) * (i + 1) * 16
            if size > max_bytes:
                raise TooLarge(
                    f"the list of the configurations of {game}, ship by ship, needs more than "
                    f"{max_bytes / 2**30:,.1f} GiB"
                )
            rows.append(row + start)
            places.append(place)
        last = np.concatenate(places)
        placed = to_words(masks)[last][:, None, :]
        ships = np.concatenate([ships[np.concatenate(rows)], placed], axis=1)
        uncovered = to_words([position.hits]) & ~np.bitwise_or.reduce(ships, axis=1)
        can_cover = np.bitwise_count(uncovered).sum(axis=1) <= sum(game.fleet[i + 1 :])
        ships, last = ships[can_cover], last[can_cover]
    return ships
