"""Simple players that draw among the highest cells of a matrix: random, parity, and density.

`random` draws among all unknown cells. `parity` is hunt and target on a checkerboard: a cell beside
a hit; if there is none, one whose row + column is a multiple of `modulus`; if there is none, any.
`density` takes the ships as independent: a placement without a miss counts `weight` to the power of
the hits on it, and a cell what its placements count together. `loops` has all of it in numba.

If sinkings are announced, `parity` and `density` use them: hits of ships known to be sunk are
attacked no more, no ship afloat lies there or in their halo, and their lengths leave the density. A
sunk ship lies on the cell that sank it and on cells hit before it, none of which belongs to another
sunk ship, and none of its neighbours is hit if ships may not touch. If that leaves one placement of
its length, these are its cells. If lengths are not told, it is taken to be the longest ship afloat
that can lie so: the whole line of hits, as a person would take it. (That is certain if ships do not
touch along an edge; else it can be wrong.) A sinking that several placements of one length explain
stays open; another sinking may settle it. If hits name their ships, a ship is sunk once all cells
of the only one of its name are hit. If they show them, no other ship lies there, and these ships
are shot before all else.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from optsearch.game import Cell, Game, bits
from optsearch.game.fleets import MixedGame
from optsearch.game.position import SUNK, Position
from optsearch.game.shapes import Placement
from optsearch.strategies.player import Compiled, Player, Playing, number

if TYPE_CHECKING:
    from optsearch.strategies.loops import Knowledge, Ships


class _Tables(NamedTuple):
    """The tables of a game for `loops`.

    kinds -- the different lengths of the fleet, the longest first. ships -- all placements. holes
    -- 1 for each cell that is a hole. fleet -- the number of ships of each kind. sides -- the
    neighbours of each cell.
    """

    kinds: list[int]
    ships: Ships
    holes: NDArray[np.uint8]
    fleet: NDArray[np.int64]
    sides: NDArray[np.int64]


def _cells_of_masks(masks: Iterable[int]) -> NDArray[np.int64]:
    """Return an array with the cells of each mask in a row; shorter rows end with OTHER."""
    from optsearch.strategies.loops import OTHER

    cells_by_mask = [list(bits(mask)) for mask in masks]
    width = max(1, *map(len, cells_by_mask))
    rows = np.full((len(cells_by_mask), width), OTHER, np.int64)
    for row, cells in zip(rows, cells_by_mask, strict=True):
        row[: len(cells)] = cells
    return rows


@lru_cache(maxsize=16)
def _tables(game: Game) -> _Tables:
    from optsearch.strategies.loops import Ships

    kinds = sorted(set(game.fleet), reverse=True)
    placements = [
        (index, ship) for index, kind in enumerate(kinds) for ship in game.placements(kind)
    ]
    return _Tables(
        kinds=kinds,
        ships=Ships(
            cells=_cells_of_masks(ship for _, ship in placements),
            halo=_cells_of_masks(game.halo(ship) for _, ship in placements),
            kind=np.array([index for index, _ in placements], np.int64),
        ),
        holes=np.array([game.holes >> cell & 1 for cell in range(game.cells)], np.uint8),
        fleet=np.array([game.fleet.count(kind) for kind in kinds], np.int64),
        sides=_cells_of_masks(game.board.sides),
    )


def knowledge_of(position: Position) -> Knowledge:
    """Return what a player who uses sinkings knows from the replies of a position."""
    from optsearch.strategies import loops

    game, tables = position.game, _tables(position.game)
    knowledge = loops.begin_knowledge(tables.holes, tables.fleet)
    for shot in position.shots:
        cell = shot.cell[0] * game.columns + shot.cell[1]
        reply, label = shot.reply, shot.reply.label
        kind = game.kind_of_label(label)
        kind_index = loops.OTHER if kind is None else tables.kinds.index(kind)
        loops.learn_reply(knowledge, tables.ships, cell, reply.hit, reply.sunk, kind_index)
        known_ship = label if isinstance(label, Placement) else 0
        is_last_named_hit = reply != SUNK and position.drawn_replies[shot.cell] == SUNK
        if not known_ship and is_last_named_hit:
            hits_with_name = (other.cell for other in position.shots if other.reply == reply)
            known_ship = game.mask(hits_with_name)
        if known_ship and not knowledge.closed[cell]:
            knowledge.closed[list(bits(known_ship | game.halo(known_ship)))] = 1
            knowledge.afloat[kind_index] -= 1
    return knowledge


def _prefer_shown_ships(values: NDArray[np.float64], position: Position) -> NDArray[np.float64]:
    """Set `values` to infinity at cells not hit yet of ships that a hit has shown; return it."""
    labels = (shot.reply.label for shot in position.shots)
    for ship in {label for label in labels if isinstance(label, Placement)}:
        values[list(bits(ship & ~position.hits))] = np.inf
    return values


@dataclass(frozen=True)
class _ByValuesGame:
    """A game that draws one of the unknown cells with the highest value."""

    player: _ByValues
    generator: np.random.Generator

    def shot(self, position: Position) -> Cell:
        """Draw a cell."""
        return self.salvo(position, 1)[0]

    def salvo(self, position: Position, number: int) -> list[Cell]:
        """Draw up to `number` different cells, one after the other, by the values of now."""
        from optsearch.strategies.loops import draw_highest

        game, closed = position.game, position.closed
        is_closed = np.array([[closed >> cell & 1 for cell in range(game.cells)]], np.uint8)
        values = self.player.values(position).reshape(1, -1)
        cells = []
        for _ in range(min(number, game.cells - closed.bit_count())):
            _, cell = draw_highest(values, is_closed, self.generator)
            is_closed[0, cell] = 1
            cells.append(game.cell(cell))
        return cells


class _ByValues(Player):
    """A player whose values of the cells follow from the position."""

    def begin(self, game: Game, generator: np.random.Generator) -> Playing:
        """Begin a game, shot by shot."""
        return _ByValuesGame(self, generator)

    @abstractmethod
    def values(self, position: Position) -> NDArray[np.float64]:
        """Return the value of each cell; of shape (cells,)."""

    def _compile(self, game: Game, player: int, weight: int = 1, modulus: int = 1) -> Compiled:
        """Return a function that plays a whole game on a board and returns the number of its shots.

        player -- RANDOM, PARITY (by `modulus`) or DENSITY (by `weight`).
        """
        from optsearch.strategies.loops import ShotRules, begin_knowledge, play_by_values

        tables = _tables(game)
        rules = ShotRules(
            kind_of_ship=np.array([tables.kinds.index(ship) for ship in game.fleet], np.int64),
            tells_sinkings=game.tells_sinkings,
            names_sunk_ships=game.tells_sinkings and bool(game.labels),
            ships=tables.ships,
            sides=tables.sides,
            pattern=_pattern(game, modulus),
        )

        def play(cells: NDArray[np.uint8], generator: np.random.Generator) -> int:
            knowledge = begin_knowledge(tables.holes, tables.fleet)
            return int(play_by_values(cells, rules, knowledge, player, weight, generator))

        return play


def _pattern(game: Game, modulus: int) -> NDArray[np.float64]:
    """Return 2 for each cell whose row + column is a multiple of the modulus, else 1."""
    sums = np.array([sum(game.cell(index)) for index in range(game.cells)])
    return np.where(sums % modulus, 1.0, 2.0)


@dataclass(frozen=True)
class Random(_ByValues):
    """Any cell that was not shot yet, by chance."""

    name: ClassVar[str] = "random"

    def require_fleet(self, game: Game) -> None:
        """Accept any fleet: it ignores all replies."""

    def require_noise(self) -> None:
        """Accept false replies: it ignores all replies."""

    def values(self, position: Position) -> NDArray[np.float64]:
        """Return 1 for each cell."""
        return np.ones(position.game.cells)

    def compiled(self, game: Game) -> Compiled | None:
        """Return a function that plays a whole game."""
        from optsearch.strategies.loops import RANDOM

        if isinstance(game, MixedGame):
            return None
        return self._compile(game.with_announcement("nothing"), RANDOM)


@dataclass(frozen=True)
class Parity(_ByValues):
    """Hunt and target by chance: beside a hit, else on a pattern, else anywhere."""

    name: ClassVar[str] = "parity"

    modulus: int = number(2, 1, 10, "the pattern: row + column is a multiple of it")

    def values(self, position: Position) -> NDArray[np.float64]:
        """Return the value of each cell, of which the player shoots one of the highest.

        The value is 3 beside a hit that is not known to be of a sunk ship. Otherwise it is 2 where
        row + column is a multiple of `modulus`, else 1. Instead it is 0 where no ship afloat can
        be, and infinite on a ship that a hit has shown.
        """
        from optsearch.strategies.loops import parity_values

        game = position.game
        game.require_rectangle(str(self))
        sides, pattern = _tables(game).sides, _pattern(game, self.modulus)
        values = parity_values(knowledge_of(position), sides, pattern)
        return _prefer_shown_ships(values, position)

    def compiled(self, game: Game) -> Compiled | None:
        """Return a function that plays a whole game; None if hits name or show their ships."""
        from optsearch.strategies.loops import PARITY

        game.require_rectangle(str(self))
        return None if game.has_labels else self._compile(game, PARITY, modulus=self.modulus)


@dataclass(frozen=True)
class Density(_ByValues):
    """A cell on which most placements lie, each ship taken alone; ties by chance."""

    name: ClassVar[str] = "density"

    weight: int = number(20, 1, 100, "how many times more a placement counts for each hit on it")

    def values(self, position: Position) -> NDArray[np.float64]:
        """Return, for each cell, the sum of the weights of the placements that cover it.

        A placement weighs the number of ships of its length that are afloat, times `weight` for
        each hit on it, or 0 where no ship afloat can be. The value of a cell is infinite on a ship
        that a hit has shown.
        """
        from optsearch.strategies.loops import density_values

        ships = _tables(position.game).ships
        values = density_values(knowledge_of(position), ships, self.weight)
        return _prefer_shown_ships(values, position)

    def compiled(self, game: Game) -> Compiled | None:
        """Return a function that plays a whole game; None if hits name or show their ships."""
        from optsearch.strategies.loops import DENSITY

        return None if game.has_labels else self._compile(game, DENSITY, self.weight)
