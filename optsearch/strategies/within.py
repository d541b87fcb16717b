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

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from optsearch.counting.configurations import list_ships, to_masks, to_words
from optsearch.counting.posterior import Posterior
from optsearch.game import Cell, Game
from optsearch.game.position import HIT, MISS, Position, Reply, Shot, known_replies
from optsearch.strategies import Strategy
from optsearch.strategies.greedy import fresh_cells, most_probable_cell
from optsearch.strategies.player import number

if TYPE_CHECKING:
    from optsearch.strategies.finishing import Tables

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
        if configurations_of(game) > self.cap and Posterior(position).configurations > self.cap:
            return most_probable_cell(position, range(game.cells))
        family = family_of(position)
        misses = self.shots - game.fleet_cells - position.misses.bit_count()  # still allowed
        candidates = self._candidates(position, family.count_by_cell())
        if misses < 0 or len(candidates) == 1:
            return game.cell(candidates[0])
        values = {cell: family.count_finished(misses, cell) for cell in candidates}
        return game.cell(max(candidates, key=values.__getitem__))

    def _candidates(self, position: Position, counts: list[int]) -> list[int]:
        """List the cells that are compared by playing on, the most probable first.

        They are at most `candidates` cells not shot yet, each with at least `percent` percent of
        the greatest probability. counts -- for each cell, the configurations with a ship there.
        """
        fresh = fresh_cells(position, counts, range(len(counts)))
        fresh.sort(key=lambda cell: -counts[cell])
        threshold = counts[fresh[0]] * self.percent
        return [cell for cell in fresh if 100 * counts[cell] >= threshold][: self.candidates]


# Families, each a part of that of the position before


@lru_cache(maxsize=4)
def configurations_of(game: Game) -> int:
    """Count the configurations of a game."""
    return Posterior(Position(game)).configurations


@dataclass(frozen=True)
class FamilyTables:
    """The configurations of a game as arrays, and the number of each reply in `arrays.answers`."""

    game: Game
    arrays: Tables
    answer_numbers: dict[Reply, int]


@dataclass(frozen=True)
class _Family:
    """The configurations that a position leaves. rows -- their numbers in the tables."""

    tables: FamilyTables
    position: Position
    rows: Rows

    @property
    def _hit_cells(self) -> NDArray[np.uint64]:
        words: NDArray[np.uint64] = to_words([self.position.hits])[0]
        return words

    def count_by_cell(self) -> list[int]:
        """Count, for each cell of the board, the configurations with a ship there."""
        from optsearch.strategies.finishing import count_by_cell

        counts = np.zeros(self.tables.game.cells, np.int64)
        count_by_cell(self.tables.arrays.cells, self.rows, counts)
        counts_list: list[int] = counts.tolist()
        return counts_list

    def count_finished(self, misses: int, cell: int) -> int:
        """Count the configurations whose ship cells are all hit with at most `misses` more misses.

        The given cell is shot first. Then greedy plays: each shot is at a most probable cell.
        """
        from optsearch.strategies.finishing import Limits, count_finished

        limits = Limits(
            misses=misses,
            hits=self.position.hits_left,
            board_cells=self.tables.game.cells,
            answers=1 + max(self.tables.answer_numbers.values()),
        )
        return int(count_finished(self.tables.arrays, self.rows, self._hit_cells, limits, cell))

    def after(self, shot: Shot) -> _Family:
        """Return the configurations left after one more shot: those that give its reply."""
        from optsearch.strategies.finishing import rows_with_answer

        tables = self.tables
        cell = shot.cell[0] * tables.game.columns + shot.cell[1]
        answer = tables.answer_numbers[shot.reply]
        rows = rows_with_answer(tables.arrays, self.rows, cell, self._hit_cells, answer)
        return _Family(tables, self.position.after(shot.cell, shot.reply), rows)


def list_tables(start: Position) -> FamilyTables:
    """Return the configurations that the hits and misses of a position leave, as arrays.

    Each array has a row per configuration: the cells of its ships, and the answers to hits on them.
    """
    from optsearch.strategies.finishing import Tables

    game = start.game
    ships = list_ships(start)
    answer_numbers = {MISS: 0, HIT: 1}
    for reply in known_replies(game):
        answer_numbers.setdefault(reply, len(answer_numbers))
    covered = np.bitwise_or.reduce(ships, axis=1)
    if game.is_silent:
        labelled = [(covered, np.ones(len(ships), np.int16))]
    else:
        labelled = [
            part
            for index, kind in enumerate(game.fleet)
            for part in _split_by_label(game, kind, ships[:, index], answer_numbers)
        ]
    cell_sets, answers = zip(*labelled, strict=True)
    flags = np.unpackbits(covered.view(np.uint8), axis=1, bitorder="little")
    cells = flags.nonzero()[1].astype(np.int16).reshape(len(ships), game.fleet_cells)
    arrays = Tables(
        ships=np.stack(cell_sets, axis=1),
        cells=cells,
        answers=np.stack(answers, axis=1),
        tells_every_hit=game.has_labels,
    )
    return FamilyTables(game, arrays, answer_numbers)


def _split_by_label(
    game: Game, kind: int, ships: NDArray[np.uint64], answer_numbers: dict[Reply, int]
) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.int16]]]:
    """Yield the cells of one ship, split by what a hit on them tells (its label), with the answers.

    Each pair of arrays has a row per configuration: cells of the ship that have one label, and the
    number of the answer to a hit on them. A placement with fewer labels than another has empty sets
    of cells in the last pairs. ships -- the cells of the ship in each configuration.
    """
    placements, index_of = np.unique(ships, axis=0, return_inverse=True)
    index_of = index_of.ravel()
    by_label = game.label_table.cells_by_label
    parts = [list(by_label[kind, mask].items()) for mask in to_masks(placements)]
    most_labels = max(map(len, parts))
    for parts_of_placement in parts:
        parts_of_placement += [(None, 0)] * (most_labels - len(parts_of_placement))
    for i in range(most_labels):
        labels, masks = zip(*(parts_of_placement[i] for parts_of_placement in parts), strict=True)
        replies = [game.announcement.reply_to_hit(label, is_sunk=True) for label in labels]
        answers = np.array([answer_numbers[reply] for reply in replies], np.int16)
        yield to_words(masks)[index_of], answers[index_of]


_last_path: dict[str, list[_Family]] = {"path": []}  # the families on the way to the last position


def family_of(position: Position) -> _Family:
    """Return the configurations that a position leaves.

    If the last call found those of an earlier position on the way to this one, they are narrowed.
    """
    shots = position.shots
    path = [
        family
        for family in _last_path["path"]
        if family.position.game == position.game
        and family.position.shots == shots[: len(family.position.shots)]
    ]
    if not path:
        path = [_list_family(position)]
    shots_covered = len(path[-1].position.shots)
    for shot in shots[shots_covered:]:
        path.append(path[-1].after(shot))
    _last_path["path"] = path
    return path[-1]


def _list_family(position: Position) -> _Family:
    """Return the configurations of the whole game or, if they are over MOST, those of a position.

    The latter are listed by hits and misses. Then those are left out that contradict what else the
    replies tell.
    """
    start = Position(position.game)
    is_small = configurations_of(position.game) <= MOST
    tables = list_tables(start if is_small else position)
    family = _Family(tables, start, np.arange(len(tables.arrays.ships), dtype=np.int32))
    if not is_small:
        for shot in position.shots:
            family = family.after(shot)
    return family
