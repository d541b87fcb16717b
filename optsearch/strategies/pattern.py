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
WAYS = ((0, 1), (0, -1), (1, 0), (-1, 0))


SORT_KEYS: dict[str, Callable[[Cell], tuple[int, int]]] = {
    "snake": lambda cell: (cell[0], -cell[1] if cell[0] % 2 else cell[1]),
    "diagonals": lambda cell: (cell[0] + cell[1], cell[0]),
    "antidiagonals": lambda cell: (cell[0] - cell[1], cell[0]),
}


def _scan(game: Game, scan: str) -> list[Cell]:
    """List the cells in the order of a scan."""
    cells = [game.cell(i) for i in range(game.cells)]
    if scan == "central":
        return [game.cell(i) for i in order_of(game, "central")]
    if scan == "spiral":
        return _spiral(cells)
    return sorted(cells, key=SORT_KEYS[scan]) if scan in SORT_KEYS else cells


def _spiral(cells: Sequence[Cell]) -> list[Cell]:
    """List the cells of a rectangle from its first corner along its sides, and on inwards."""
    left, spiral = set(cells), list[Cell]()
    row, column, way = 0, -1, 0
    while left:
        down, right = ((0, 1), (1, 0), (0, -1), (-1, 0))[way]
        ahead = row + down, column + right
        if ahead not in left:
            way = (way + 1) % 4
            continue
        left.remove(ahead)
        spiral.append(ahead)
        row, column = ahead
    return spiral


def revealed_cells(game: Game, kind: int) -> int:
    """Count the hits of a clearing that the sinking of a ship of this kind accounts for."""
    if game.names_hits:
        return int(kind) if game.fleet.count(kind) == 1 else 0
    if game.tells_sinkings and not game.labels:
        return game.fleet_cells if game.contact != "any" else 0
    return int(kind) if game.tells_sinkings or game.shows_ships else 0


@lru_cache(maxsize=256)
def pattern_of(game: Game, modulus: int, colours: str, scan: str) -> tuple[int, ...]:
    """Every cell (row * columns + column) in the order of a pattern."""
    rank = {int(colour): i for i, colour in enumerate(colours)}
    cells = _scan(game, scan)
    cells.sort(key=lambda cell: rank.get(sum(cell) % modulus, len(rank)))
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
        is_told = 0 < len(digits) == len(self.colours)
        if not is_told or not digits <= set("0123456789"[: self.modulus]):
            raise StrategyError(
                f"colours={self.colours} are not different digits below modulus={self.modulus}; "
                "give one or more, as in colours=02"
            )

    def rule(self, game: Game) -> PatternRule | None:
        """Return its rule for the kernel; None with holes, shapes, too many ships."""
        game.require_rectangle(str(self))
        self._require_water_known(game)
        if not game.is_usual or not (game.is_silent or Codes.of(game).fit_kernels):
            return None
        pattern = pattern_of(game, self.modulus, self.colours, self.scan)
        return PatternRule(pattern, self.clear == "line", bool(self.water), self.clear == "sunk")

    def shot(self, position: Position) -> Cell:
        """Return the first cell without a reply, if the strategy is played from the start."""
        position.game.require_rectangle(str(self))
        self._require_water_known(position.game)
        closed = position.closed
        return next(cell for cell in self._shots(position) if not position.game.bit(cell) & closed)

    def _shots(self, position: Position) -> Iterator[Cell]:
        """Yield the cells shot, as far as the replies are known."""
        game = position.game
        shot_cells: set[Cell] = set()
        water: set[Cell] = set()

        def hit(cell: Cell) -> bool:
            shot_cells.add(cell)
            is_hit = bool(game.bit(cell) & position.hits)
            if is_hit and self.water:
                water.update((cell[0] + i, cell[1] + j) for i in (-1, 1) for j in (-1, 1))
            return is_hit

        for index in pattern_of(game, self.modulus, self.colours, self.scan):
            first = game.cell(index)
            if first not in game or first in shot_cells or first in water:
                continue
            yield first
            if not hit(first):
                continue
            hits, left = 0, 1 - self._accounted(position, first)
            for way in WAYS:
                if way == WAYS[2] and self.clear == "line" and hits:
                    break
                for cell in self._ahead(game, first, way):
                    if left <= 0:
                        break
                    if cell in water or (cell in shot_cells and not game.bit(cell) & position.hits):
                        break
                    if cell not in shot_cells:
                        yield cell
                        if not hit(cell):
                            break
                        hits += 1
                        left += 1 - self._accounted(position, cell)

    def _accounted(self, position: Position, cell: Cell) -> int:
        """Count the hits of a clearing that the reply to a shot accounts for."""
        if self.clear != "sunk":
            return 0
        reply = next(shot.reply for shot in position.shots if shot.cell == cell)
        if not position.drawn_replies[cell].sunk:
            return 0
        return revealed_cells(position.game, position.game.kind_of_label(reply.label) or 0)

    @staticmethod
    def _ahead(game: Game, cell: Cell, way: Cell) -> Iterator[Cell]:
        while (cell := (cell[0] + way[0], cell[1] + way[1])) in game:
            yield cell

    def _require_water_known(self, game: Game) -> None:
        if self.water and game.has_shapes:
            game.require_usual(str(self))
        if self.water and game.contact != "none":
            raise NotSupported(
                f"{self} deduces water from ships that do not touch; {game} has "
                f"contact={game.contact}, and contact=none is accepted"
            )
