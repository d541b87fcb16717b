"""Patterns: shoot a fixed order of cells, and clear around every hit.

Section 4.2 of Audinot, Bonnet and Viennot (2014) evaluates two such strategies; the page that
describes them is lost, so these are *reconstructed*. The cells are shot in the order of the
pattern. After a hit, its four directions are cleared, right, left, down, up: each is followed,
over hits, to the first miss or the edge of the board (`clear=cross`). Or right and left first, and
down and up only if neither gave a hit (`clear=line`). Or every direction, but only until the ships
that are announced to be sunk meanwhile have as many cells as were hit meanwhile (`clear=sunk`):
where the length is not told, a sinking accounts for all of these hits if ships may not touch along
an edge, since there is one ship then, and for none if they may; where nothing is announced,
`clear=sunk` is `clear=cross`. Where hits name or show their ships, a ship is sunk once all cells of
the only one of its name, or of the one that is shown, are hit. A hole of the board is an edge.
Cells that were shot are not shot again. Then the pattern goes on. The game ends at the last hit.
With `water=1`, cells that touch a hit at a corner are known to be water, where ships may not touch,
and are not shot.

The pattern is made of colours and a scan. The colour of a cell is (row + column) modulo `modulus`,
counted from 0; the colours come in the order of `colours`, those that it leaves out at the end, and
the cells of one colour in the order of the scan:

    rows       row by row                    spiral     round by round from A1 inwards
    snake      every other row backwards     central    the middle of the board first
    diagonals  by row + column, then row     antidiagonals  by row - column, then row
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from optsearch.counting.configurations import Codes
from optsearch.game import Cell, Game
from optsearch.game.orders import order_of
from optsearch.game.position import Position
from optsearch.strategies import PatternRule, Strategy
from optsearch.strategies.player import number, text, word
from optsearch.support.errors import NotSupported, StrategyError

SCANS = ("rows", "snake", "diagonals", "antidiagonals", "spiral", "central")
CLEAR = ("cross", "line", "sunk")
NEAREST = "pattern:modulus=4,colours=13,scan=diagonals"
"""Of the patterns of `experiments.patterns`, the nearest to what section 4.2 prints."""
DIRECTIONS = ((0, 1), (0, -1), (1, 0), (-1, 0))  # right, left, down, up


SORT_KEYS: dict[str, Callable[[Cell], tuple[int, int]]] = {
    "snake": lambda cell: (cell[0], -cell[1] if cell[0] % 2 else cell[1]),
    "diagonals": lambda cell: (cell[0] + cell[1], cell[0]),
    "antidiagonals": lambda cell: (cell[0] - cell[1], cell[0]),
}


def _scan(game: Game, scan: str) -> list[Cell]:
    """List the cells in the order of a scan, which is one of `SCANS`, such as "snake"."""
    cells = [game.cell(i) for i in range(game.cells)]
    if scan == "central":
        return [game.cell(i) for i in order_of(game, "central")]
    if scan == "spiral":
        return _spiral(cells)
    return sorted(cells, key=SORT_KEYS[scan]) if scan in SORT_KEYS else cells


def _spiral(cells: Sequence[Cell]) -> list[Cell]:
    """List the cells of a rectangle from its first corner along its sides, and on inwards."""
    cells_left, spiral = set(cells), list[Cell]()
    right_down_left_up = ((0, 1), (1, 0), (0, -1), (-1, 0))
    row, column, turns = 0, -1, 0
    while cells_left:
        row_step, column_step = right_down_left_up[turns % 4]
        ahead = row + row_step, column + column_step
        if ahead not in cells_left:
            turns += 1
            continue
        cells_left.remove(ahead)
        spiral.append(ahead)
        row, column = ahead
    return spiral


def revealed_cells(game: Game, kind: int) -> int:
    """Count the hits that a sinking explains, at most: the cells of the ship if it is known.

    kind -- of the ship: as a number, how many cells it has.
    If a sinking does not tell the ship, it explains all hits where ships may not touch along an
    edge (the result is all cells of the fleet), and none where they may.
    """
    cells = int(kind)
    if game.names_hits:
        return cells if game.fleet.count(kind) == 1 else 0
    if game.tells_sinkings and not game.labels:
        return game.fleet_cells if game.contact != "any" else 0
    return cells if game.tells_sinkings or game.shows_ships else 0


@lru_cache(maxsize=256)
def pattern_of(game: Game, modulus: int, colours: str, scan: str) -> tuple[int, ...]:
    """Return every cell of the board, as row * columns + column, in the order of a pattern.

    The colour of a cell is row + column modulo `modulus`. colours -- the colours that come first, a
    digit each, in order; other colours come last. scan -- the order of the cells of a colour.
    """
    rank = {int(colour): i for i, colour in enumerate(colours)}  # colours left out come last
    cells = _scan(game, scan)
    cells.sort(key=lambda cell: rank.get(sum(cell) % modulus, len(rank)))  # keeps ties in order
    return tuple(row * game.columns + column for row, column in cells)


@dataclass(frozen=True)
class Pattern(Strategy):
    """A fixed order of cells, and after a hit the cells in line with it."""

    name: ClassVar[str] = "pattern"

    modulus: int = number(4, 1, 10, "the colour of a cell is row + column modulo this")
    colours: str = text("02", "different digits below modulus", "the colours shot first, in order")
    scan: str = word("rows", SCANS, "the order of the cells of a colour")
    clear: str = word(
        "cross", CLEAR, "after a hit: every direction; right and left first; until sunk"
    )
    water: int = number(0, 0, 1, "whether cells that touch a hit at a corner are left out (1)")

    def __post_init__(self) -> None:
        super().__post_init__()
        digits = set(self.colours)
        are_different = len(digits) == len(self.colours)
        are_colours = digits <= set("0123456789"[: self.modulus])
        if not digits or not are_different or not are_colours:
            raise StrategyError(
                f"colours={self.colours} are not different digits below modulus={self.modulus}; "
                "give one or more, as in colours=02"
            )

    def rule(self, game: Game) -> PatternRule | None:
        """Return its rule for the kernel; None for holes, shapes or too many ships to announce."""
        game.require_rectangle(str(self))
        self._require_water_known(game)
        if not game.is_usual or not (game.is_silent or Codes.of(game).fit_kernels):
            return None
        pattern = pattern_of(game, self.modulus, self.colours, self.scan)
        return PatternRule(pattern, self.clear == "line", bool(self.water), self.clear == "sunk")

    def shot(self, position: Position) -> Cell:
        """Return the cell to shoot next: the strategy is played from the start on the replies."""
        position.game.require_rectangle(str(self))
        self._require_water_known(position.game)
        closed = position.closed
        return next(cell for cell in self._shots(position) if not position.game.bit(cell) & closed)

    def _shots(self, position: Position) -> Iterator[Cell]:
        """Yield the cells that the strategy shoots from the start of the game, in order.

        Replies are those of the position. What follows the first cell without one has no meaning.
        """
        game, replay = position.game, _Replay(position, knows_water=bool(self.water))
        for index in pattern_of(game, self.modulus, self.colours, self.scan):
            first = game.cell(index)
            if first not in game or first in replay.shot_cells or first in replay.water:
                continue
            yield first
            if replay.shoot(first):
                yield from self._clear(replay, first)

    def _clear(self, replay: _Replay, first: Cell) -> Iterator[Cell]:
        """Yield the cells to shoot in line with a hit, in each direction until a miss.

        It ends early if `clear` says so: after right and left if there was a hit, or when all hits
        are known to be of sunk ships. first -- the cell that was hit.
        """
        position, game = replay.position, replay.position.game
        later_hits = 0
        # The hits less the cells of sunk ships.
        hits_without_ship = 1 - self._explained_hits(position, first)
        for direction in DIRECTIONS:
            is_row_done = direction == DIRECTIONS[2]  # after right and left
            if is_row_done and self.clear == "line" and later_hits:
                return
            for cell in self._cells_ahead(game, first, direction):
                if hits_without_ship <= 0:
                    return
                if replay.is_known_water(cell):
                    break
                if cell in replay.shot_cells:  # a hit, over which the direction goes on
                    continue
                yield cell
                if not replay.shoot(cell):
                    break
                later_hits += 1
                hits_without_ship += 1 - self._explained_hits(position, cell)

    def _explained_hits(self, position: Position, cell: Cell) -> int:
        """Return how many hits are explained by the sinking that the reply at this cell tells.

        It is 0 if the reply tells none, or if the strategy does not use sinkings (`clear`).
        """
        if self.clear != "sunk":
            return 0
        reply = next(shot.reply for shot in position.shots if shot.cell == cell)
        if not position.drawn_replies[cell].sunk:
            return 0
        return revealed_cells(position.game, position.game.kind_of_label(reply.label) or 0)

    @staticmethod
    def _cells_ahead(game: Game, cell: Cell, direction: Cell) -> Iterator[Cell]:
        (row, column), (down, right) = cell, direction
        while (row + down, column + right) in game:
            row, column = row + down, column + right
            yield row, column

    def _require_water_known(self, game: Game) -> None:
        if self.water and game.has_shapes:
            game.require_usual(str(self))
        if self.water and game.contact != "none":
            raise NotSupported(
                f"{self} deduces water from ships that do not touch; {game} has "
                f"contact={game.contact}, and contact=none is accepted"
            )


class _Replay:
    """The shots of a pattern so far, played again on the hits of a position.

    shot_cells -- the cells shot. water -- cells that touch a hit at a corner, if `knows_water`.
    """

    def __init__(self, position: Position, knows_water: bool):
        self.position, self._knows_water = position, knows_water
        self.shot_cells: set[Cell] = set()
        self.water: set[Cell] = set()

    def shoot(self, cell: Cell) -> bool:
        """Add a shot; True if it is a hit. Then the cells at its corners may be known water."""
        self.shot_cells.add(cell)
        is_hit = self._is_hit(cell)
        if is_hit and self._knows_water:
            self.water.update((cell[0] + i, cell[1] + j) for i in (-1, 1) for j in (-1, 1))
        return is_hit

    def is_known_water(self, cell: Cell) -> bool:
        """True if a cell was shot and missed, or touches a hit at a corner."""
        return cell in self.water or (cell in self.shot_cells and not self._is_hit(cell))

    def _is_hit(self, cell: Cell) -> bool:
        return bool(self.position.game.bit(cell) & self.position.hits)
