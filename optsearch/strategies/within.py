"""A policy made for games with a limit of shots: greedy on the chance to finish in time.

`within:shots=K` is for players who win if every ship is sunk by their K-th shot. The definition:

1. The family F is every configuration that is left. It takes as many hits as are still to be made,
   so a game is lost once more than K - (cells of the fleet) misses are made. In a lost game, and
   with more than `cap` configurations, a most probable cell is shot, the first one row by row.
2. The cells that some configuration has and that are not hit are gone through from the most
   probable on, row by row where they tie. The first `candidates` of them are candidates, but none
   whose probability is below `percent` percent of the greatest.
3. The value of a candidate is the number of configurations of F that are finished by the K-th
   shot, if it is shot now and *greedy* plays on. This greedy always shoots a most probable cell,
   the first one row by row; a certain hit is one. The candidate of the greatest value is shot, the
   first in the order of step 2 where they tie.

Whatever is announced is used: a family is parted by replies. The counts are exact. (Best play for
this aim, on small games: `optsearch solve --objective within=K`.)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from optsearch.counting.configurations import CellSets, list_ships, to_masks, to_words
from optsearch.counting.posterior import Posterior
from optsearch.game import Cell, Game
from optsearch.game.position import HIT, MISS, Position, Reply, Shot, known_replies
from optsearch.strategies import Strategy
from optsearch.strategies.greedy import counts_of
from optsearch.strategies.player import number

Rows = NDArray[np.int32]
MOST = 1 << 20


@dataclass(frozen=True)
class Within(Strategy):
    """Shoot the one of the most probable cells after which greedy finishes most games in time."""

    name: ClassVar[str] = "within"

    shots: int = number(24, 1, 128, "the shots by which every ship is to be sunk")
    candidates: int = number(12, 1, 128, "most probable cells that are compared, at most")
    percent: int = number(30, 0, 100, "of the greatest probability that such a cell must have")
    cap: int = number(MOST, 1, MOST, "configurations up to which cells are compared")

    def require_end(self, game: Game) -> None:
        """Raise NotSupported unless the game ends when all ships are sunk."""
        game.require_sunk(self.name)

    def shot(self, position: Position) -> Cell:
        """Return the cell to shoot next."""
        game = position.game
        game.require_small(self.name)
        if self._is_large(game, position):
            counts = counts_of(position).cells
            fresh = [cell for cell in range(game.cells) if not position.closed >> cell & 1]
            return game.cell(max(fresh, key=counts.__getitem__))
        family = family_of(position)
        misses = self.shots - game.fleet_cells - position.misses.bit_count()
        chosen = self._candidates(position, family.counts())
        if misses < 0 or len(chosen) == 1:
            return game.cell(chosen[0])
        values = {cell: family.finished(misses, cell) for cell in chosen}
        return game.cell(max(chosen, key=values.__getitem__))

    def _is_large(self, game: Game, position: Position) -> bool:
        return configurations_of(game) > self.cap and (
            Posterior(position).configurations > self.cap
        )

    def _candidates(self, position: Position, counts: list[int]) -> list[int]:
        """Choose the candidates, step 2."""
        closed = position.closed
        fresh = [cell for cell, n in enumerate(counts) if n and not closed >> cell & 1]
        fresh.sort(key=lambda cell: -counts[cell])
        threshold = counts[fresh[0]] * self.percent
        return [cell for cell in fresh if 100 * counts[cell] >= threshold][: self.candidates]


# Families, each parted from that of the position before


@lru_cache(maxsize=4)
def configurations_of(game: Game) -> int:
    """Count the configurations of a game."""
    return Posterior(Position(game)).configurations


@dataclass(frozen=True)
class FamilyTables:
    """Configurations in the form of `finishing`. numbers -- of replies, as in `answers`."""

    game: Game
    ships: CellSets
    cells: NDArray[np.int16]
    answers: NDArray[np.int16]
    numbers: dict[Reply, int]

    @property
    def is_fixed(self) -> bool:
        """True if every hit tells a label, not only one that sinks."""
        return self.game.has_labels


@dataclass(frozen=True)
class _Left:
    """Some rows of tables, and the position at which these are left."""

    tables: FamilyTables
    position: Position
    rows: Rows

    @property
    def _hit(self) -> NDArray[np.uint64]:
        words: NDArray[np.uint64] = to_words([self.position.hits])[0]
        return words

    def counts(self) -> list[int]:
        """Count the configurations with each cell."""
        from optsearch.strategies.finishing import count_by_cell

        counts = np.zeros(self.tables.game.cells, np.int64)
        count_by_cell(self.tables.cells, self.rows, counts)
        return [int(n) for n in counts]

    def finished(self, misses: int, cell: int) -> int:
        """Count those finished with at most `misses` misses, if `cell` is shot, then greedy."""
        from optsearch.strategies.finishing import count_finished

        tables, position = self.tables, self.position
        limits = (misses, position.hits_left, tables.game.cells, 1 + max(tables.numbers.values()))
        return int(
            count_finished(
                *(tables.ships, tables.cells, tables.answers, tables.is_fixed, self.rows),
                *(self._hit, limits, cell),
            )
        )

    def after(self, shot: Shot) -> _Left:
        """Return the rows that give the reply of a shot."""
        from optsearch.strategies.finishing import rows_with_answer

        tables, game = self.tables, self.tables.game
        cell = shot.cell[0] * game.columns + shot.cell[1]
        arrays = tables.ships, tables.answers, tables.is_fixed
        rows = rows_with_answer(*arrays, self.rows, cell, self._hit, tables.numbers[shot.reply])
        return _Left(tables, self.position.after(shot.cell, shot.reply), rows)


def list_tables(start: Position) -> FamilyTables:
    """List the configurations that the hits and misses of a position leave, as tables.

    Each ship is split into pieces of one label; if it has fewer than another placement of its kind,
    the remaining ones are empty.
    """
    game = start.game
    ships = list_ships(start)
    numbers = {MISS: 0, HIT: 1}
    for answer in known_replies(game):
        numbers.setdefault(answer, len(numbers))
    pieces, answers = [], []
    for index, kind in enumerate(() if game.is_silent else game.fleet):
        distinct, which = np.unique(ships[:, index], axis=0, return_inverse=True)
        parts = [
            [*game.label_table.cells_by_label[kind, mask].items()] for mask in to_masks(distinct)
        ]
        for i in range(max(map(len, parts))):
            labelled = [part[i] if i < len(part) else (None, 0) for part in parts]
            replies = [game.announcement.reply_to_hit(label, is_sunk=True) for label, _ in labelled]
            pieces.append(to_words([cells for _, cells in labelled])[which.ravel()])
            answers.append(np.array([numbers[r] for r in replies], np.int16)[which.ravel()])
    covered = np.bitwise_or.reduce(ships, axis=1)
    if game.is_silent:
        pieces, answers = [covered], [np.ones(len(ships), np.int16)]
    flags = np.unpackbits(covered.view(np.uint8), axis=1, bitorder="little")
    cells = flags.nonzero()[1].astype(np.int16).reshape(len(ships), game.fleet_cells)
    return FamilyTables(game, np.stack(pieces, axis=1), cells, np.stack(answers, axis=1), numbers)


_last: dict[str, list[_Left]] = {"path": []}  # the families on the way to the last position


def family_of(position: Position) -> _Left:
    """Return the family of a position, from the last cached one on the way to it."""
    shots = position.shots
    path = [
        family
        for family in _last["path"]
        if family.position.game == position.game
        and family.position.shots == shots[: len(family.position.shots)]
    ]
    if not path:
        path = [_list_family(position)]
    for shot in shots[len(path[-1].position.shots) :]:
        path.append(path[-1].after(shot))
    _last["path"] = path
    return path[-1]


def _list_family(position: Position) -> _Left:
    """List the family of the empty board, or, if that is too large, of a position."""
    start = Position(position.game)
    is_small = configurations_of(position.game) <= MOST
    tables = list_tables(start if is_small else position)
    family = _Left(tables, start, np.arange(len(tables.ships), dtype=np.int32))
    for shot in () if is_small else position.shots:
        family = family.after(shot)
    return family
