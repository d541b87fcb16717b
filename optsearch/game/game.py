"""What a game is: the grid, the fleet, whether ships may touch, and what a shot announces.

A cell is `(row, column)`, both from 0, in code, and `A1` (column letter, row number from 1) in
text. Sets of cells are masks: integers whose bit `row * columns + column` is the cell. Figures and
messages are in text; everything that computes uses masks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from optsearch.game.shapes import Shape, orientations_of, parse_kind
from optsearch.support.errors import GameError, NotSupported, TooLarge

Cell = tuple[int, int]
Permutation = tuple[int, ...]

MAX_CELLS = 128  # of what lists or searches: sets of cells are 128 bits there
MAX_BOARD = 1024  # cells of a board for what counts
CONTACTS = ("none", "corner", "any")
ANNOUNCEMENTS = ("nothing", "sunk", "ship")

HOLE = "-"  # the sign of a hole on drawn boards

_FORM = (
    "ROWSxCOLUMNS:SHIP,SHIP,…[;contact=none|corner|any][;announce=nothing|sunk|ship]"
    "[;holes=CELL,CELL-CELL,…]"
)
_EXAMPLES = "10x10:5,4,3,3,2 or 4x4:3,2;contact=any;announce=ship"


def bits(mask: int) -> Iterator[int]:
    """The positions of the set bits of a mask, ascending."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def image(mask: int, permutation: Permutation) -> int:
    """The mask of the images of the cells of a mask; cell index i goes to permutation[i]."""
    return sum(1 << permutation[cell] for cell in bits(mask))


def column_name(column: int) -> str:
    """A, B, …, Z, AA, AB, … for column 0, 1, …, 25, 26, 27, …"""
    name = ""
    column += 1
    while column:
        column, letter = divmod(column - 1, 26)
        name = chr(ord("A") + letter) + name
    return name


def cell_name(cell: Cell) -> str:
    """The text of a cell: (1, 0) is A2."""
    row, column = cell
    return f"{column_name(column)}{row + 1}"


def parse_cell(text: str) -> Cell:
    """The cell (row, column) that a text such as `B3` names; GameError if it names none."""
    match = re.fullmatch(r"([A-Za-z]{1,3})([1-9][0-9]{0,3})", text.strip(), re.ASCII)
    if not match:
        raise GameError(f"{text!r} is not a cell; write column letter and row number, as in B3")
    column = 0
    for letter in match[1].upper():
        column = 26 * column + ord(letter) - ord("A") + 1
    return int(match[2]) - 1, column - 1


def parse_holes(text: str, rows: int, columns: int) -> int:
    """The mask of holes such as `B2,C4-D5`: cells, and rectangles from corner to corner.

    Raises GameError for what is no cell, and for one off the grid.
    """
    result = 0
    for item in text.split(","):
        first, dash, last = item.partition("-")
        corners = [parse_cell(first), parse_cell(last if dash else first)]
        for row, column in corners:
            if not (row < rows and column < columns):
                raise GameError(
                    f"the hole {item.strip()} is off the board {rows}x{columns}; its cells are "
                    f"A1 to {cell_name((rows - 1, columns - 1))}"
                )
        (top, bottom), (left, right) = (sorted(side) for side in zip(*corners, strict=True))
        for row in range(top, bottom + 1):
            result |= ((1 << right + 1 - left) - 1) << row * columns + left
    return result


def holes_text(holes: int, columns: int) -> str:
    """The text of a mask of holes, row by row, with those beside each other as one rectangle."""
    runs: list[list[int]] = []
    for cell in bits(holes):
        if runs and cell == runs[-1][-1] + 1 and cell % columns:
            runs[-1] = [runs[-1][0], cell]
        else:
            runs.append([cell])
    return ",".join("-".join(cell_name(divmod(end, columns)) for end in run) for run in runs)


def drawn_board(drawing: str) -> tuple[int, int, int]:
    """Rows, columns and the holes (mask) of a board drawn as lines of `.` and `-`, a hole.

    Blank lines and spaces are skipped. Raises GameError for another sign or unequal lines.
    """
    lines = [line for line in ("".join(line.split()) for line in drawing.splitlines()) if line]
    for number, line in enumerate(lines, 1):
        wrong = [sign for sign in line if sign not in f".{HOLE}"]
        if wrong:
            raise GameError(
                f"{wrong[0]!r} in row {number} of the drawn board, {line!r}, is neither . (a "
                f"cell) nor {HOLE} (a hole)"
            )
        if len(line) != len(lines[0]):
            raise GameError(
                f"row {number} of the drawn board, {line!r}, has {len(line)} signs, and row 1 has "
                f"{len(lines[0])}"
            )
    if not lines:
        raise GameError("the drawn board is empty; draw one line a row, . a cell and - a hole")
    signs = "".join(lines)
    holes = sum(1 << i for i, sign in enumerate(signs) if sign == HOLE)
    return len(lines), len(lines[0]), holes


@dataclass(frozen=True)
class Game:
    """A grid, a fleet, two rules and holes; hashable, and equal when all of these are equal.

    rows, columns -- the grid; at most 1,024 cells. What lists configurations or searches handles
        boards of at most 128 cells (`require_small`).
    fleet -- lengths of the ships, or shapes (`optsearch.game.shapes`), kept in descending order;
        equal ones are indistinguishable.
    contact -- may ships touch: `none` (not even diagonally: the paper's rule), `corner`
        (diagonally only), `any` (they may touch but never overlap).
    announce -- what a shot tells besides hit or miss: `nothing` (the paper's rule), `sunk` (that
        some ship is sunk), `ship` (the length of the ship that is sunk).
    holes -- mask of the cells that are no part of the board: no ship lies on them and no shot goes
        there. Two ships touch, or do not, as they would without holes.

    Raises GameError for a game that cannot be set up. A game into which the fleet does not fit
    because of its shape, such as 4x4:4,3,2, is a game with no configuration.
    """

    rows: int
    columns: int
    fleet: tuple[int, ...]
    contact: str = "none"
    announce: str = "nothing"
    holes: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "fleet", tuple(sorted(self.fleet, key=_place)))
        grid = f"{self.rows}x{self.columns}"
        if self.rows < 1 or self.columns < 1:
            raise GameError(f"the grid {grid} has no cells; rows and columns are 1 or more")
        if self.rows * self.columns > MAX_BOARD:
            raise GameError(
                f"the grid {grid} has {self.rows * self.columns} cells; at most {MAX_BOARD:,} are "
                "handled"
            )
        if not 0 <= self.holes < 1 << self.cells:
            raise GameError(f"the mask of holes {self.holes} has cells off the board {grid}")
        if not self.fleet:
            raise GameError(f"the fleet of {grid} is empty; give at least one ship length")
        for length in self.fleet:
            if length < 1:
                raise GameError(f"a ship of length {length} is no ship; lengths are 1 or more")
            if isinstance(length, Shape):
                self._check_shape(length)
            elif length > max(self.rows, self.columns):
                raise GameError(
                    f"a ship of length {length} is longer than the board {grid}; the longest that "
                    f"fits has length {max(self.rows, self.columns)}"
                )
        if self.fleet_cells > self.room:
            raise GameError(
                f"the fleet {self.fleet_text} needs {self.fleet_cells} cells; the board {grid} "
                f"has {self.room}{' that are no holes' if self.holes else ''}"
            )
        if self.contact not in CONTACTS:
            raise GameError(f"contact={self.contact!r} is not a rule; use {', '.join(CONTACTS)}")
        if self.announce not in ANNOUNCEMENTS:
            raise GameError(
                f"announce={self.announce!r} is not a rule; use {', '.join(ANNOUNCEMENTS)}"
            )

    def _check_shape(self, shape: Shape) -> None:
        """Raise GameError for a shape that fits nowhere, or lies as another kind of ship can."""
        if not placements(self.rows, self.columns, shape):
            raise GameError(
                f"the ship {shape} does not fit on the board {self.rows}x{self.columns}"
            )
        for other in set(self.fleet) - {shape}:
            if set(shape.orientations) & set(orientations_of(other)):
                one, another = sorted((str(shape), str(other)))
                raise GameError(
                    f"the ships {one} and {another} can lie on the same cells, so that they could "
                    "not be told apart; give both the same form"
                )

    @classmethod
    def parse(cls, text: str) -> Game:
        """The game that a text such as `4x4:3,2;contact=any` describes; GameError otherwise."""
        head, *options = [part.strip() for part in text.strip().split(";")]
        match = re.fullmatch(r"(\d{1,9})\s*[xX×]\s*(\d{1,9})\s*:\s*(.*)", head, re.ASCII)
        if not match:
            raise GameError(f"{text!r} is not a game; write {_FORM}, as in {_EXAMPLES}")
        try:
            fleet = [parse_kind(ship.strip()) for ship in match[3].split(",")]
        except GameError as error:
            raise GameError(f"in {text!r}: {error}") from None
        rules: dict[str, str] = {}
        for option in options:
            key, equals, value = (part.strip() for part in option.partition("="))
            if not equals or key not in ("contact", "announce", "holes"):
                raise GameError(
                    f"{option!r} in {text!r} is not a rule; write contact=none|corner|any, "
                    "announce=nothing|sunk|ship or holes=CELL,CELL-CELL,…"
                )
            if key in rules:
                raise GameError(f"{key} is given twice in {text!r}")
            rules[key] = value
        rows, columns = int(match[1]), int(match[2])
        holes = 0
        if "holes" in rules:
            holes = parse_holes(rules.pop("holes"), rows, columns)
        return cls(rows, columns, tuple(fleet), **rules, holes=holes)

    def __repr__(self) -> str:
        return f"Game.parse({str(self)!r})"

    def __str__(self) -> str:
        text = f"{self.rows}x{self.columns}:{self.fleet_text}"
        if self.contact != "none":
            text += f";contact={self.contact}"
        if not self.is_silent:
            text += f";announce={self.announce}"
        if self.holes:
            text += f";holes={self.holes_text}"
        return text

    @property
    def fleet_text(self) -> str:
        """The lengths and shapes with commas between them."""
        return ",".join(map(str, self.fleet))

    @property
    def holes_text(self) -> str:
        """The holes row by row, those beside each other as the first and the last: `B2,C4-E4`."""
        return holes_text(self.holes, self.columns)

    @property
    def cells(self) -> int:
        """The number of cells of the grid, holes among them."""
        return self.rows * self.columns

    @property
    def words(self) -> int:
        """How many words of 64 bits a set of cells takes in arrays: 2 up to 128 cells."""
        return max(2, -(-self.cells // 64))

    @property
    def room(self) -> int:
        """The number of cells that are no holes."""
        return self.cells - self.holes.bit_count()

    @cached_property
    def fleet_cells(self) -> int:
        """The number of cells that the ships occupy together: the hits a whole game needs."""
        return sum(self.fleet)

    @property
    def has_shapes(self) -> bool:
        """Whether some ship is no straight line that may lie both ways."""
        return any(isinstance(kind, Shape) for kind in self.fleet)

    @cached_property
    def _kinds(self) -> dict[int, int]:
        return {ship: kind for kind in set(self.fleet) for ship in self.placements(kind)}

    def kind_of(self, ship: int) -> int:
        """The length or the shape of a placement (mask); with shapes KeyError for none."""
        return self._kinds[ship] if self.has_shapes else ship.bit_count()

    def rank(self, ship: int) -> tuple[int, int]:
        """What the ships of a configuration are sorted by: the order of the fleet, then cells."""
        kind = self.kind_of(ship)
        return (self.fleet.index(kind) if self.has_shapes else -kind), ship

    @property
    def is_silent(self) -> bool:
        """Whether a shot tells no more than hit or miss: sinkings are not announced."""
        return self.announce == "nothing"

    def require_silent(self, what: str) -> None:
        """Raise NotSupported where sinkings are announced, which `what` does not handle."""
        if not self.is_silent:
            raise NotSupported(
                f"{what} is for announce=nothing; {self} announces sinkings with "
                f"announce={self.announce}"
            )

    def require_small(self, what: str) -> None:
        """Raise TooLarge for a board of more than 128 cells, which `what` does not handle."""
        if self.cells > MAX_CELLS:
            raise TooLarge(
                f"{what} is for boards of at most {MAX_CELLS} cells; {self} has {self.cells}: "
                "larger ones are counted (count, occurrence, posterior, sample) and played (play, "
                "advise, simulate)"
            )

    def require_usual(self, what: str) -> None:
        """Raise NotSupported for holes and for shapes, which `what` does not handle."""
        if self.holes:
            raise NotSupported(f"{what} is for boards without holes; {self} has holes")
        if self.has_shapes:
            raise NotSupported(f"{what} is for straight ships; {self} has others")

    # Cells and masks

    def __contains__(self, cell: Cell) -> bool:
        """Whether a cell is on the board and no hole."""
        row, column = cell
        is_on_grid = 0 <= row < self.rows and 0 <= column < self.columns
        return is_on_grid and not self.holes >> row * self.columns + column & 1

    def bit(self, cell: Cell) -> int:
        """The mask of one cell; GameError if it is off the board or a hole."""
        if cell not in self:
            if 0 <= cell[0] < self.rows and 0 <= cell[1] < self.columns:
                raise GameError(
                    f"{cell_name(cell)} is a hole of the board; holes={self.holes_text}"
                )
            raise GameError(
                f"{cell_name(cell)} is off the board {self.rows}x{self.columns}; its cells are "
                f"A1 to {cell_name((self.rows - 1, self.columns - 1))}"
            )
        return 1 << (cell[0] * self.columns + cell[1])

    def mask(self, cells: Iterable[Cell]) -> int:
        """The mask of some cells; GameError if one is off the board or a hole."""
        result = 0
        for cell in cells:
            result |= self.bit(cell)
        return result

    def cell(self, index: int) -> Cell:
        """The cell of bit `index` of a mask."""
        return divmod(index, self.columns)

    def cells_of(self, mask: int) -> list[Cell]:
        """The cells of a mask in row-major order."""
        return [self.cell(index) for index in bits(mask)]

    def names(self, mask: int) -> list[str]:
        """The texts of the cells of a mask in row-major order."""
        return [cell_name(cell) for cell in self.cells_of(mask)]

    def ship_name(self, mask: int) -> str:
        """A ship by its first and last cell, as in A1-A3; a ship of one cell by its cell.

        One of another shape by all its cells, as in A1+A2+B2.
        """
        names = self.names(mask)
        if self.has_shapes and isinstance(self.kind_of(mask), Shape):
            return "+".join(names)
        return names[0] if len(names) == 1 else f"{names[0]}-{names[-1]}"

    # Ships

    def placements(self, length: int) -> tuple[int, ...]:
        """Every way to place one ship of this length or shape, as masks.

        By first (top-left) cell in row-major order, horizontal before vertical. A ship of length 1
        has one placement a cell; none lies on a hole.
        """
        return _placements(self.rows, self.columns, length, self.holes)

    def halo(self, placement: int) -> int:
        """The cells outside a placement that the contact rule forbids to every other ship."""
        return _halo(self.rows, self.columns, self.contact, placement)

    # Symmetries

    def symmetries(self) -> tuple[Permutation, ...]:
        """The symmetries of the board: permutations p, cell index i going to p[i].

        Those of the grid (`grid_symmetries`) that take holes to holes, and ships to ways in which
        they may lie; the identity first.
        """
        return _symmetries(self.rows, self.columns, self.holes, self.fleet)

    def images(self, mask: int) -> list[int]:
        """A mask under each of the symmetries, in their order; equal images are repeated."""
        return [image(mask, permutation) for permutation in self.symmetries()]


@lru_cache(maxsize=256)
def placements(rows: int, columns: int, length: int) -> tuple[int, ...]:
    """Every way to place one ship of this length on a grid of any size: `Game.placements`."""
    if isinstance(length, Shape):
        return _of_shape(rows, columns, length)
    horizontal = (1 << length) - 1
    vertical = sum(1 << (i * columns) for i in range(length))
    result = []
    for row in range(rows):
        for column in range(columns):
            first = row * columns + column
            if column + length <= columns:
                result.append(horizontal << first)
            if row + length <= rows and length > 1:
                result.append(vertical << first)
    return tuple(result)


def _place(kind: int) -> tuple[int, bool, str]:
    """The order of a fleet: larger ships first, then straight ones, then by text."""
    return -int(kind), isinstance(kind, Shape), str(kind)


def _of_shape(rows: int, columns: int, shape: Shape) -> tuple[int, ...]:
    found = []
    for cells in shape.orientations:
        high, wide = (max(side) + 1 for side in zip(*cells, strict=True))
        mask = sum(1 << row * columns + column for row, column in cells)
        for row in range(rows - high + 1):
            found += [mask << row * columns + column for column in range(columns - wide + 1)]
    return tuple(sorted(found, key=lambda mask: (mask & -mask, mask)))


@lru_cache(maxsize=256)
def _placements(rows: int, columns: int, length: int, holes: int) -> tuple[int, ...]:
    return tuple(ship for ship in placements(rows, columns, length) if not ship & holes)


@lru_cache(maxsize=1 << 16)
def _halo(rows: int, columns: int, contact: str, placement: int) -> int:
    if contact == "any":
        return 0
    around = 0
    for cell in bits(placement):
        row, column = divmod(cell, columns)
        for i in range(max(0, row - 1), min(rows, row + 2)):
            for j in range(max(0, column - 1), min(columns, column + 2)):
                if contact == "none" or i == row or j == column:
                    around |= 1 << (i * columns + j)
    return around & ~placement


@lru_cache(maxsize=256)
def _symmetries(
    rows: int, columns: int, holes: int, fleet: tuple[int, ...]
) -> tuple[Permutation, ...]:
    shapes = {kind for kind in fleet if isinstance(kind, Shape)}
    everywhere = [set(placements(rows, columns, shape)) for shape in shapes]
    return tuple(
        p
        for p in grid_symmetries(rows, columns)
        if image(holes, p) == holes
        and all({image(ship, p) for ship in ships} == ships for ships in everywhere)
    )


@lru_cache(maxsize=256)
def grid_symmetries(rows: int, columns: int) -> tuple[Permutation, ...]:
    """The symmetries of a grid without holes, the identity first.

    8 for a square and 4 for another rectangle, fewer where some coincide (a 1×n grid has 2).
    """
    different: dict[Permutation, None] = {}
    for transpose in (False, True) if rows == columns else (False,):
        for flip_rows in (False, True):
            for flip_columns in (False, True):
                target = []
                for row in range(rows):
                    for column in range(columns):
                        i = rows - 1 - row if flip_rows else row
                        j = columns - 1 - column if flip_columns else column
                        target.append(j * columns + i if transpose else i * columns + j)
                different[tuple(target)] = None
    return tuple(different)
