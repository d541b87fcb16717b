"""Simple players that draw among the highest cells of a matrix: random, parity, and density.

`random` draws among all unknown cells. `parity` is hunt and target on a checkerboard: a cell beside
a hit; if there is none, one whose row + column is a multiple of `modulus`; if there is none, any.
`density` takes the ships as independent: a placement without a miss counts `weight` to the power of
the hits on it, and a cell what its placements count together. Where sinkings are announced these
two hear them (`sinkings`): hits of ships known to be sunk are attacked no more, no ship afloat lies
there or where it would touch them and may not, and their lengths leave the density. `loops` has the
same in numba.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from optsearch.game import (
    ANNOUNCEMENTS,
    CONTACTS,
    Cell,
    FixedLabels,
    Game,
    NoLabels,
    ShipNames,
    SinkingLabels,
    bits,
)
from optsearch.game.position import Position
from optsearch.strategies.player import Compiled, Player, Playing, number
from optsearch.strategies.sinkings import heard


@dataclass(frozen=True)
class _ByValuesGame:
    """A game: one of the unknown cells with the highest value is drawn, in row-major order."""

    values: Callable[[Position], list[int]]
    generator: np.random.Generator

    def shot(self, position: Position) -> Cell:
        """The cell drawn."""
        return self.salvo(position, 1)[0]

    def salvo(self, position: Position, number: int) -> list[Cell]:
        """Cells drawn one after the other."""
        values = self.values(position)
        closed = position.closed
        unknown = [i for i in range(position.game.cells) if not closed >> i & 1]
        cells = []
        for _ in range(min(number, len(unknown))):
            most = max(values[i] for i in unknown)
            ties = [i for i in unknown if values[i] == most]
            cell = ties[int(self.generator.random() * len(ties))]
            unknown.remove(cell)
            cells.append(position.game.cell(cell))
        return cells


class _ByValues(Player):
    """A player whose values of the cells follow from the position."""

    def begin(self, game: Game, generator: np.random.Generator) -> Playing:
        """A game in plain Python."""
        return _ByValuesGame(self.values, generator)

    @abstractmethod
    def values(self, position: Position) -> list[int]:
        """The value of each cell."""


@dataclass(frozen=True)
class Random(_ByValues):
    """Any cell that was not shot yet, by chance."""

    name: ClassVar[str] = "random"
    handles = (NoLabels, FixedLabels, SinkingLabels)

    def require_noise(self) -> None:
        """No reply matters to it."""

    def values(self, position: Position) -> list[int]:
        """1 everywhere."""
        return [1] * position.game.cells

    def compiled(self, game: Game) -> Compiled | None:
        """A whole game in numba; None on a board with holes."""
        from optsearch.strategies.loops import anywhere

        if game.holes:
            return None

        def play(cells: NDArray[np.uint8], generator: np.random.Generator) -> int:
            return int(anywhere(cells.reshape(game.rows, game.columns), generator))

        return play


@dataclass(frozen=True)
class Parity(_ByValues):
    """Hunt and target by chance: beside a hit, else on a pattern, else anywhere."""

    name: ClassVar[str] = "parity"
    handles = (NoLabels, ShipNames, SinkingLabels)

    modulus: int = number(2, 1, 10, "the pattern: row + column is a multiple of it")

    def values(self, position: Position) -> list[int]:
        """3 beside a hit of no sunk ship, 2 on the pattern, 1 elsewhere; 0 where no ship can be."""
        game, known = position.game, heard(position)
        game.require_rectangle(str(self))
        result = []
        for index in range(game.cells):
            is_beside = game.board.sides[index] & known.attacked
            on_pattern = sum(game.cell(index)) % self.modulus == 0
            is_closed = known.closed >> index & 1
            result.append(0 if is_closed else 3 if is_beside else 2 if on_pattern else 1)
        return result

    def compiled(self, game: Game) -> Compiled | None:
        """A whole game in numba; None with holes, shapes or named hits."""
        from optsearch.strategies.loops import PARITY

        if not game.is_usual or isinstance(game.announcement, ShipNames):
            return None
        return _compiled(game, PARITY, self.modulus)


@dataclass(frozen=True)
class Density(_ByValues):
    """A cell on which most placements lie, each ship taken alone; ties by chance."""

    name: ClassVar[str] = "density"
    handles = (NoLabels, ShipNames, SinkingLabels)

    weight: int = number(20, 1, 100, "how many times more a placement counts for each hit on it")

    def values(self, position: Position) -> list[int]:
        """What the placements on each cell count."""
        known = heard(position)
        result = [0] * position.game.cells
        for length in known.afloat:
            for ship in position.game.placements(length):
                if not ship & known.closed:
                    for cell in bits(ship):
                        result[cell] += self.weight ** (ship & known.attacked).bit_count()
        return result

    def compiled(self, game: Game) -> Compiled | None:
        """A whole game in numba; None with holes, shapes, named hits, past a float's integers."""
        from optsearch.strategies.loops import DENSITY

        most = self.weight ** (max(game.fleet) - 1) * 2 * game.fleet_cells
        if not game.is_usual or most >= 1 << 53 or isinstance(game.announcement, ShipNames):
            return None
        return _compiled(game, DENSITY, self.weight)


def _compiled(game: Game, kind: int, parameter: int) -> Compiled:
    """A whole game of a kind of player in one call."""
    from optsearch.strategies.loops import by_values

    fleet = np.array(game.fleet, np.int64)
    rules = (CONTACTS.index(game.contact), list(ANNOUNCEMENTS).index(game.announce))

    def play(cells: NDArray[np.uint8], generator: np.random.Generator) -> int:
        board = cells.reshape(game.rows, game.columns)
        return int(by_values(board, fleet, rules, kind, parameter, generator))

    return play
