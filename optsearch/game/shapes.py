"""Kinds of ships: lengths, some with a letter, and polyominoes, by name or drawn.

A fleet has lengths of straight ships and shapes, as in `5,L4,#./##-fixed,2`. A letter behind a
length, as in `3a,3b`, tells ships of one length apart. A shape is named by the letter of a
tetromino or pentomino and its number of cells, or drawn: rows of `#` and `.` with `/` between them.
`@` instead of one `#` marks the head of the ship, which rules of replies may use. All rotations and
reflections are allowed; `-onesided` allows rotations only, `-fixed` none. Names are those of S. W.
Golomb, Polyominoes (1994), and for the mirror images of L4 and S4 J4 and Z4.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from optsearch.support.errors import GameError

Cell = tuple[int, int]  # (row, column)
Cells = tuple[Cell, ...]  # ascending; the first row and column are 0

NAMED = {
    "V3": "#./##",
    "L4": "#./#./##",
    "J4": ".#/.#/##",
    "O4": "##/##",
    "S4": ".##/##.",
    "T4": "###/.#.",
    "Z4": "##./.##",
    "F5": ".##/##./.#.",
    "L5": "#./#./#./##",
    "N5": ".#/.#/##/#.",
    "P5": "##/##/#.",
    "T5": "###/.#./.#.",
    "U5": "#.#/###",
    "V5": "#../#../###",
    "W5": "#../##./.##",
    "X5": ".#./###/.#.",
    "Y5": ".#/##/.#/.#",
    "Z5": "##./.#./.##",
}
SHORT = {name[0]: name for name in reversed(NAMED) if name != "V3"}  # L is L4, and W is W5
SHORT |= {"Z": "Z5", "SQUARE": "O4"}
TURNS = ("", "-onesided", "-fixed")  # all, rotations only, none
_FORM = (
    "a length, as 3, 3a with a letter, or 2-5 if it is not known; the name of a tetromino or "
    "pentomino, as L4, T4, S4, O4, F5 or W5; or rows of # and . with / between them, as in #./##, "
    "and @ for a head; a shape may end in -onesided or -fixed"
)


class Drawing(NamedTuple):
    """A shape in one orientation: its cells and, if one is marked, its head."""

    cells: Cells
    head: Cell | None = None

    def mirror(self) -> Drawing:
        """Return the drawing mirrored from left to right."""
        last_column = max(column for _, column in self.cells)
        images = {(row, column): (row, last_column - column) for row, column in self.cells}
        return self._map_cells(images)

    def transpose(self) -> Drawing:
        """Return the drawing mirrored along the diagonal: rows become columns."""
        return self._map_cells({(row, column): (column, row) for row, column in self.cells})

    def _map_cells(self, image_of_cell: dict[Cell, Cell]) -> Drawing:
        head = None if self.head is None else image_of_cell[self.head]
        return Drawing(tuple(sorted(image_of_cell.values())), head)


class Labelled(int):
    """An integer that prints as a text; kinds of ships and placements are such integers."""

    text: str

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    def __format__(self, form: str) -> str:
        return format(self.text, form)

    def __ne__(self, other: object) -> bool:  # that of int compares only the numbers
        return not self == other


class Placement(Labelled):
    """The placement of a ship, as a hit shows it; as an integer, the mask of its cells."""

    def __new__(cls, mask: int, text: str) -> Placement:
        """Return the placement on the cells of a mask. text -- the placement in words, A1-A3."""
        placement = super().__new__(cls, mask)
        placement.text = text
        return placement

    def __getnewargs__(self) -> tuple[int, str]:  # type: ignore[override]
        return int(self), self.text


class Lettered(Labelled):
    """A straight ship with a letter; as an integer, its length. It never equals a plain length."""

    def __new__(cls, length: int, letter: str) -> Lettered:
        """Return the kind of a ship with this length and letter."""
        ship = super().__new__(cls, length)
        ship.text = f"{length}{letter}"
        return ship

    def __getnewargs__(self) -> tuple[int, str]:  # type: ignore[override]
        return int(self), self.text.lstrip("0123456789")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Lettered) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


class LengthRange(Labelled):
    """A straight ship whose length is not known; as an integer, the greatest length it can have.

    least -- the least length it can have. letter -- the name of the ship, or empty.
    """

    def __new__(cls, least: int, most: int, letter: str = "") -> LengthRange:
        """Return the kind of a ship with some length from `least` to `most`."""
        ship = super().__new__(cls, most)
        ship.text, ship.least, ship.letter = f"{least}-{most}{letter}", least, letter
        return ship

    least: int
    letter: str

    def __getnewargs__(self) -> tuple[int, int, str]:  # type: ignore[override]
        return self.least, int(self), self.letter

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LengthRange) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


class Shape(Labelled):
    """A ship of some shape; as an integer, the number of its cells.

    text -- its name, or its drawing as text. drawings -- its orientations; each begins in row 0 and
    in column 0. Shapes are equal if their drawings are; no shape equals a number.
    """

    drawings: tuple[Drawing, ...]

    def __new__(cls, text: str, drawings: tuple[Drawing, ...]) -> Shape:
        """Return the shape with these orientations; `parse_kind` reads one from a text."""
        shape = super().__new__(cls, len(drawings[0].cells))
        shape.text, shape.drawings = text, drawings
        return shape

    def __getnewargs__(self) -> tuple[str, tuple[Drawing, ...]]:  # type: ignore[override]
        return self.text, self.drawings

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Shape) and self.drawings == other.drawings

    def __hash__(self) -> int:
        return hash(self.drawings)

    @property
    def orientations(self) -> tuple[Cells, ...]:
        """The cells of each orientation."""
        return tuple(drawing.cells for drawing in self.drawings)


class Piece(Shape):
    """A ship that a board of a file lists by name; as an integer, the number of its cells."""

    def __new__(cls, text: str, cells: int) -> Piece:
        """Return the kind of a ship with this name and number of cells."""
        piece = int.__new__(cls, cells)
        piece.text, piece.drawings = text, ()
        return piece

    def __getnewargs__(self) -> tuple[str, int]:  # type: ignore[override]
        return self.text, int(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Piece) and (self.text, int(self)) == (other.text, int(other))

    def __hash__(self) -> int:
        return hash(self.text)


def orientations_of(kind: int) -> tuple[Cells, ...]:
    """Return the cells of each orientation of a length or shape, moved to row 0 and column 0.

    A straight ship lies across in the first orientation, and down in the second.
    """
    if isinstance(kind, Shape):
        return kind.orientations
    across = tuple((0, column) for column in range(kind))
    return (across, transpose(across)) if kind > 1 else (across,)


@lru_cache(maxsize=256)
def parse_kind(text: str) -> int:
    """Return the kind of ship that a text such as `3`, `3a`, `2-5`, `L4` or `#./##` names.

    Raises GameError for a text of another form.
    """
    stripped = text.strip()
    if straight := re.fullmatch(r"[Ii]?(\d{1,9})([A-Za-z]?)", stripped, re.ASCII):
        length, letter = int(straight[1]), straight[2].lower()
        return Lettered(length, letter) if letter else length
    if span := re.fullmatch(r"(\d{1,9})-(\d{1,9})([A-Za-z]?)", stripped, re.ASCII):
        shortest, longest = int(span[1]), int(span[2])
        if not 0 < shortest < longest:
            raise GameError(f"{text!r} is no range of lengths; the lesser comes first, as in 2-5")
        return LengthRange(shortest, longest, span[3].lower())
    return _parse_shape(text)


def _parse_shape(text: str) -> int:
    """Return the shape of a text such as `L4`, `W5-fixed` or `#./##`; GameError for another text.

    A straight line that may be turned is returned as its length.
    """
    name_or_rows, dash, suffix = text.strip().partition("-")
    turns = f"{dash}{suffix}".lower()
    name = name_or_rows.upper()
    rows = NAMED.get(SHORT.get(name, name), name_or_rows)
    if turns not in TURNS or not re.fullmatch(r"[#.@/]+", rows) or rows.count("@") > 1:
        raise GameError(f"{text!r} is not a ship; write {_FORM}")
    drawings = _orientations(_parse_drawing(rows, text), turns)
    if len({drawing.cells for drawing in drawings}) < len(drawings):
        raise GameError(f"{text!r} has more than one head on the same cells; -fixed has one")
    length = len(drawings[0].cells)
    is_straight = drawings == tuple(map(Drawing, sorted(orientations_of(length))))
    return length if is_straight else Shape(_shape_text(drawings), drawings)


def is_kind(text: str) -> bool:
    """True if a text names a kind of ship, as `parse_kind` accepts it."""
    try:
        return bool(parse_kind(text))
    except GameError:
        return False


def transpose(cells: Cells) -> Cells:
    """Return the cells mirrored along the diagonal: rows become columns."""
    return Drawing(cells).transpose().cells


def _orientations(drawing: Drawing, turns: str) -> tuple[Drawing, ...]:
    """Return all orientations of a drawing of a ship, ascending by their cells.

    turns -- empty for all rotations and reflections, `-onesided` for rotations, `-fixed` for none.
    """
    if turns == "-fixed":
        return (drawing,)
    orientations = {drawing}
    while True:  # until no turn of these makes another one
        images = {oriented.transpose().mirror() for oriented in orientations}  # a quarter turn
        if turns != "-onesided":
            images |= {oriented.mirror() for oriented in orientations}
        if images <= orientations:
            return tuple(sorted(orientations))
        orientations |= images


def _parse_drawing(drawing: str, text: str) -> Drawing:
    """Return the cells of a ship from its rows, such as `#./##`, and the head, which is `@`.

    Raises GameError, with the text of the ship, if the cells are not one piece, rows have different
    lengths, or a row or a column is empty.
    """
    lines = drawing.split("/")
    signs = {
        (row, column): sign for row, line in enumerate(lines) for column, sign in enumerate(line)
    }
    cells = {cell for cell, sign in signs.items() if sign != "."}
    if len({len(line) for line in lines}) > 1:
        raise GameError(f"{text!r} has rows of different lengths; write . where no cell is")
    rows, columns = {row for row, _ in cells}, {column for _, column in cells}
    if len(rows) < len(lines) or len(columns) < len(lines[0]):
        raise GameError(f"{text!r} has an empty row or column; leave it out")
    component, waiting = set(), [min(cells)]
    while waiting:
        row, column = cell = waiting.pop()
        component.add(cell)
        neighbours = {(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)}
        waiting += neighbours & cells - component
    if component != cells:
        raise GameError(f"{text!r} is not one piece; its cells must join along edges")
    head = next((cell for cell in cells if signs[cell] == "@"), None)
    return Drawing(tuple(sorted(cells)), head)


def _shape_text(drawings: tuple[Drawing, ...]) -> str:
    """Return the text of a shape from all its orientations, such as `V3-fixed` or `###/#.#/#..`.

    It is the name of the shape, or else the rows of its first drawing, and then the allowed turns.
    """
    for turns in TURNS:
        for name, rows_of_name in NAMED.items():
            if _orientations(_parse_drawing(rows_of_name, name), turns) == drawings:
                return f"{name}{turns}"
    first = drawings[0]
    turns = next(turns for turns in TURNS if _orientations(first, turns) == drawings)
    signs = dict.fromkeys(first.cells, "#")
    if first.head is not None:
        signs[first.head] = "@"
    rows, columns = (range(max(indices) + 1) for indices in zip(*first.cells, strict=True))
    lines = ("".join(signs.get((row, column), ".") for column in columns) for row in rows)
    return f"{'/'.join(lines)}{turns}"
