"""Puzzles: a grid, a fleet whose ships may not touch, counts of lines, revealed cells.

Cells and masks are as in `optsearch.game`, on grids of any size up to 50×50: the cell
`(row, column)` is bit `row * columns + column`. A *solution* is a tuple of masks, one per ship, in
the order of the fleet, equal lengths by ascending mask.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial

from optsearch.game import Cell, bits, cell_name, column_name, placements
from optsearch.support.errors import PuzzleError

Solution = tuple[int, ...]

MAX_SIDE = 50
WATER, SHIP, SUBMARINE = "water", "ship", "submarine"
LEFT, RIGHT, TOP, BOTTOM, MIDDLE = "left", "right", "top", "bottom", "middle"
REVEALED = (WATER, SHIP, SUBMARINE, LEFT, RIGHT, TOP, BOTTOM, MIDDLE)  # values of revealed cells


@dataclass(frozen=True)
class Clue:
    """A clue: the count of a row or column (numbered from 0), or a revealed cell."""

    kind: str  # row, column or cell
    place: int | Cell
    value: int | str

    def __str__(self) -> str:
        return f"{place_name(self.kind, self.place)} = {self.value}"


@dataclass(frozen=True)
class Puzzle:
    """A puzzle; hashable. It may have no solution, or several.

    rows, columns -- the grid, each at most 50.
    fleet -- lengths of the ships, kept in descending order.
    row_counts, column_counts -- the numbers of ship cells, None for a line without a clue; empty
        if no line has one.
    revealed -- pairs of a cell and its value (one of `REVEALED`), kept in row-major order.
    lines -- for a puzzle read from a file, the line of each clue; not part of its value.

    Raises PuzzleError for a malformed puzzle, and for a revealed piece that no ship of the fleet
    can have there.
    """

    rows: int
    columns: int
    fleet: tuple[int, ...]
    row_counts: tuple[int | None, ...] = ()
    column_counts: tuple[int | None, ...] = ()
    revealed: tuple[tuple[Cell, str], ...] = ()
    lines: dict[Clue, str] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        set_field = partial(object.__setattr__, self)  # the dataclass is frozen
        self._check_grid()
        row_counts = _checked_counts("row", self.row_counts, self.rows, self.columns)
        set_field("row_counts", row_counts)
        column_counts = _checked_counts("column", self.column_counts, self.columns, self.rows)
        set_field("column_counts", column_counts)
        set_field("fleet", tuple(sorted(self.fleet, reverse=True)))
        self._check_fleet()
        set_field("revealed", tuple(sorted(self.revealed)))
        values: dict[Cell, str] = {}
        for cell, value in self.revealed:
            self._check_revealed(cell, value)
            if cell in values:
                raise PuzzleError(
                    f"{cell_name(cell)} is revealed twice, as {values[cell]} and as {value}"
                )
            values[cell] = value

    def _check_grid(self) -> None:
        if not (1 <= self.rows <= MAX_SIDE and 1 <= self.columns <= MAX_SIDE):
            raise PuzzleError(
                f"the grid {self.grid} is not handled; rows and columns are 1 to {MAX_SIDE}"
            )

    def _check_fleet(self) -> None:
        longest = max(self.rows, self.columns)
        if not self.fleet:
            raise PuzzleError("the fleet is empty; give at least one ship length")
        for length in self.fleet:
            if not 1 <= length <= longest:
                raise PuzzleError(
                    f"a ship of length {length} does not fit on the grid {self.grid}; lengths are "
                    f"1 to {longest}"
                )
        if sum(self.fleet) > self.rows * self.columns:
            raise PuzzleError(
                f"the fleet {self.fleet_text} needs {sum(self.fleet)} cells; the grid {self.grid} "
                f"has {self.rows * self.columns}"
            )

    def _check_revealed(self, cell: Cell, value: str) -> None:
        if not (0 <= cell[0] < self.rows and 0 <= cell[1] < self.columns):
            raise PuzzleError(
                f"{cell_name(cell)} is off the grid {self.grid}; its cells are A1 to "
                f"{cell_name((self.rows - 1, self.columns - 1))}"
            )
        if value not in REVEALED:
            raise PuzzleError(
                f"{cell_name(cell)} shows {value!r}; a cell shows {', '.join(REVEALED)}"
            )
        if value in (WATER, SHIP):
            return
        cell_mask = self.bit(cell)
        ships = (
            ship for length in self.lengths for ship in placements(self.rows, self.columns, length)
        )
        if not any(ship & cell_mask and self.piece(ship, cell) == value for ship in ships):
            raise PuzzleError(
                f"{cell_name(cell)} cannot be the {piece_text(value)} of a ship of the fleet "
                f"{self.fleet_text} on the grid {self.grid}"
            )

    # Names and numbers

    @property
    def grid(self) -> str:
        """The grid as text, such as 6x6."""
        return f"{self.rows}x{self.columns}"

    @property
    def fleet_text(self) -> str:
        """The lengths, joined by commas."""
        return ",".join(map(str, self.fleet))

    def __str__(self) -> str:
        return f"{self.grid}:{self.fleet_text}"

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """The distinct lengths, descending."""
        return tuple(sorted(set(self.fleet), reverse=True))

    # Cells and masks

    def bit(self, cell: Cell) -> int:
        """Return the mask of one cell."""
        return 1 << (cell[0] * self.columns + cell[1])

    def cell(self, index: int) -> Cell:
        """Return the cell of bit `index` of a mask."""
        return divmod(index, self.columns)

    def cells_of(self, mask: int) -> list[Cell]:
        """Return the cells of a mask in row-major order."""
        return [self.cell(index) for index in bits(mask)]

    @cached_property
    def row_masks(self) -> tuple[int, ...]:
        """The mask of each row."""
        row = (1 << self.columns) - 1
        return tuple(row << (i * self.columns) for i in range(self.rows))

    @cached_property
    def column_masks(self) -> tuple[int, ...]:
        """The mask of each column."""
        column = sum(1 << (i * self.columns) for i in range(self.rows))
        return tuple(column << j for j in range(self.columns))

    @cached_property
    def everywhere(self) -> int:
        """The mask of all cells."""
        return (1 << (self.rows * self.columns)) - 1

    def closed(self, mask: int) -> int:
        """Return the mask of some cells and all that touch them, also at corners."""
        return _closed(self.rows, self.columns, mask)

    def piece(self, ship: int, cell: Cell) -> str:
        """Return the piece of a ship (mask of cells) on a cell: an end, middle or submarine."""
        cell_mask, width = self.bit(cell), self.columns
        first_cell_mask, last_cell_mask = ship & -ship, 1 << (ship.bit_length() - 1)
        if first_cell_mask == last_cell_mask:
            return SUBMARINE
        is_vertical = ship & (first_cell_mask << width)
        if cell_mask == first_cell_mask:
            return TOP if is_vertical else LEFT
        if cell_mask == last_cell_mask:
            return BOTTOM if is_vertical else RIGHT
        return MIDDLE

    # Clues

    @cached_property
    def clues(self) -> tuple[Clue, ...]:
        """All clues of the puzzle: rows, columns, cells."""
        clues = []
        for kind, counts in (("row", self.row_counts), ("column", self.column_counts)):
            for index, count in enumerate(counts):
                if count is not None:
                    clues.append(Clue(kind, index, count))
        return (*clues, *(Clue("cell", cell, value) for cell, value in self.revealed))

    def mask(self, clue: Clue) -> int:
        """Return the mask of the cells that a clue is about."""
        if isinstance(clue.place, tuple):
            return self.bit(clue.place)
        return (self.row_masks if clue.kind == "row" else self.column_masks)[clue.place]

    def with_clues(self, clues: Iterable[Clue]) -> Puzzle:
        """Return the puzzle with the same grid and fleet, and these clues instead."""
        counts: dict[str, list[int | None]] = {
            "row": [None] * self.rows,
            "column": [None] * self.columns,
        }
        revealed = []
        for clue in clues:
            if isinstance(clue.place, tuple):
                revealed.append((clue.place, str(clue.value)))
            else:
                counts[clue.kind][clue.place] = int(clue.value)
        return replace(
            self,
            row_counts=tuple(counts["row"]),
            column_counts=tuple(counts["column"]),
            revealed=tuple(revealed),
        )

    def weakened(self, clue: Clue) -> Puzzle:
        """Return the puzzle with one clue made weaker, or left out.

        A revealed end, middle or submarine becomes a ship cell whose piece is not told. A count,
        water or such a ship cell is left out.
        """
        others = [other for other in self.clues if other != clue]
        if clue.kind == "cell" and clue.value not in (WATER, SHIP):
            others.append(Clue("cell", clue.place, SHIP))
        return self.with_clues(others)

    def agrees(self, ship: int, clue: Clue) -> bool:
        """True if the clue of one cell allows a ship (mask).

        Water forbids ships on its cell. A ship cell forbids ships that only touch it, and ships
        that have another piece on it. The count of a row or column forbids nothing here.
        """
        if not isinstance(clue.place, tuple):
            return True
        cell_mask = self.bit(clue.place)
        if clue.value == WATER:
            return not ship & cell_mask
        if ship & cell_mask:
            return clue.value in (SHIP, self.piece(ship, clue.place))
        return not self.closed(ship) & cell_mask

    def allowed(self, length: int) -> list[int]:
        """Return the placements of one ship that no revealed cell forbids, as masks."""
        water_mask = sum(self.bit(cell) for cell, value in self.revealed if value == WATER)
        piece_clues = [Clue("cell", cell, value) for cell, value in self.revealed if value != WATER]
        return [
            ship
            for ship in placements(self.rows, self.columns, length)
            if not ship & water_mask
            and all(self.agrees(ship, piece_clue) for piece_clue in piece_clues)
        ]

    # Images of a puzzle

    def flipped(self) -> Puzzle:
        """Return the puzzle upside down, without the lines it was read from."""
        flipped_end = {TOP: BOTTOM, BOTTOM: TOP}
        revealed = tuple(
            ((self.rows - 1 - row, column), flipped_end.get(value, value))
            for (row, column), value in self.revealed
        )
        return replace(self, row_counts=self.row_counts[::-1], revealed=revealed, lines={})

    def turned(self) -> Puzzle:
        """Return the puzzle with rows and columns exchanged, without the lines it was read from."""
        turned_end = {LEFT: TOP, TOP: LEFT, RIGHT: BOTTOM, BOTTOM: RIGHT}
        return Puzzle(
            rows=self.columns,
            columns=self.rows,
            fleet=self.fleet,
            row_counts=self.column_counts,
            column_counts=self.row_counts,
            revealed=tuple(
                ((column, row), turned_end.get(value, value))
                for (row, column), value in self.revealed
            ),
        )

    # Solutions

    def is_solved_by(self, solution: Solution) -> bool:
        """True if a fleet has the right lengths, touches nowhere, and satisfies every clue."""
        if sorted((ship.bit_count() for ship in solution), reverse=True) != list(self.fleet):
            return False
        covered_mask = 0
        for ship in solution:
            if ship not in placements(self.rows, self.columns, ship.bit_count()):
                return False
            if self.closed(ship) & covered_mask:
                return False
            covered_mask |= ship
        for clue in self.clues:
            if isinstance(clue.place, tuple):
                if clue.value not in self._values(solution, clue.place):
                    return False
            elif (covered_mask & self.mask(clue)).bit_count() != clue.value:
                return False
        return True

    def _values(self, solution: Solution, cell: Cell) -> tuple[str, ...]:
        """Return the values that a clue of a cell may have in a solution: `ship`, and its piece."""
        for ship in solution:
            if ship & self.bit(cell):
                return SHIP, self.piece(ship, cell)
        return (WATER,)

    def shows(self, solution: Solution, cell: Cell) -> str:
        """Return what a solution has on a cell: water, an end, the middle or a submarine."""
        return self._values(solution, cell)[-1]

    def revealing(self, solution: Solution) -> Puzzle:
        """Return the puzzle with all cells of a solution revealed."""
        cells = [self.cell(i) for i in range(self.rows * self.columns)]
        return replace(self, revealed=tuple((cell, self.shows(solution, cell)) for cell in cells))


def sort_ships(ships: Iterable[int]) -> Solution:
    """Return ships as a solution: longest first, equal lengths by ascending mask."""
    return tuple(sorted(ships, key=lambda ship: (-ship.bit_count(), ship)))


def _checked_counts(
    kind: str, given: Iterable[int | None], line_count: int, line_length: int
) -> tuple[int | None, ...]:
    """Return the counts of all rows or columns; None for each if no counts are given.

    Raises PuzzleError for a wrong number of counts, and for one that is not possible. kind -- `row`
    or `column`.
    """
    counts = tuple(given) or (None,) * line_count
    if len(counts) != line_count:
        raise PuzzleError(
            f"{len(counts)} {kind} counts for {line_count} {kind}s; give one per {kind}: `?` is "
            "one that is not known, in JSON null"
        )
    for index, count in enumerate(counts):
        if count is not None and not 0 <= count <= line_length:
            raise PuzzleError(
                f"the count {count} of {place_name(kind, index)} is not possible; its "
                f"{line_length} cells allow 0 to {line_length}"
            )
    return counts


def place_name(kind: str, place: int | Cell) -> str:
    """Return the place of a clue of a kind (row, column, cell) as text: row 3, column C, A1."""
    if isinstance(place, tuple):
        return cell_name(place)
    return f"{kind} {place + 1 if kind == 'row' else column_name(place)}"


def piece_text(value: str) -> str:
    """Return in words the value of a revealed cell."""
    return f"{value} end" if value in (LEFT, RIGHT, TOP, BOTTOM) else value


@lru_cache(maxsize=1 << 16)
def _closed(rows: int, columns: int, mask: int) -> int:
    """Return the cells of a mask and all cells around them, also at corners."""
    board = (1 << (rows * columns)) - 1
    first_column = sum(1 << (row * columns) for row in range(rows + 1))
    right = mask << 1 & ~first_column  # a step from the last column would arrive in the first one
    left = (mask & ~first_column) >> 1
    wide = mask | left | right
    return (wide | wide << columns | wide >> columns) & board
