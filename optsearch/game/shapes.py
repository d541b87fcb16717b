"""Kinds of ships: lengths, some with a letter, and polyominoes, by name or drawn.

A fleet has lengths of straight ships and shapes, as in `5,L4,#./##-fixed,2`. A letter behind a
length, as in `3a,3b`, tells ships of one length apart. A shape is named by the letter of a
tetromino or pentomino and its number of cells, or drawn: rows of `#` and `.` with `/` between them.
All rotations and reflections are allowed; `-onesided` allows rotations only, `-fixed` none. Names
are those of S. W. Golomb, Polyominoes (1994), and for the mirror images of L4 and S4 J4 and Z4.
"""

from __future__ import annotations

import re
from functools import lru_cache

from optsearch.support.errors import GameError

Cells = tuple[tuple[int, int], ...]  # (row, column), ascending; the first row and column are 0

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
    "a length, as 3, or 3a with a letter; the name of a tetromino or pentomino, as L4, T4, S4, O4, "
    "F5 or W5; or rows of # and . with / between them, as in #./##; a shape may end in -onesided "
    "or -fixed"
)


class Labelled(int):
    """A number with a text, which is written in place of it."""

    text: str

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    def __format__(self, form: str) -> str:
        return format(self.text, form)

    def __ne__(self, other: object) -> bool:  # that of integers knows nothing of the text
        return not self == other


class Placement(Labelled):
    """Where a ship lies, as a hit shows it; as an integer, the mask of its cells."""

    def __new__(cls, mask: int, text: str) -> Placement:
        """The ship on these cells, and their names."""
        ship = super().__new__(cls, mask)
        ship.text = text
        return ship

    def __getnewargs__(self) -> tuple[int, str]:  # type: ignore[override]
        return int(self), self.text


class Lettered(Labelled):
    """A straight ship with a letter; as an integer, its length. It is equal to no plain length."""

    def __new__(cls, length: int, letter: str) -> Lettered:
        """The ship of a length with a letter."""
        ship = super().__new__(cls, length)
        ship.text = f"{length}{letter}"
        return ship

    def __getnewargs__(self) -> tuple[int, str]:  # type: ignore[override]
        return int(self), self.text.lstrip("0123456789")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Lettered) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


class Shape(Labelled):
    """A ship of some shape; as an integer, how many cells it has.

    text -- its name, or a drawing. orientations -- the cells of each way in which it may lie, from
    its first row and column on. Shapes are equal when their orientations are, and none is equal to
    a number.
    """

    orientations: tuple[Cells, ...]

    def __new__(cls, text: str, orientations: tuple[Cells, ...]) -> Shape:
        """A shape of `parse_kind`."""
        shape = super().__new__(cls, len(orientations[0]))
        shape.text, shape.orientations = text, orientations
        return shape

    def __getnewargs__(self) -> tuple[str, tuple[Cells, ...]]:  # type: ignore[override]
        return self.text, self.orientations

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Shape) and self.orientations == other.orientations

    def __hash__(self) -> int:
        return hash(self.orientations)


class Piece(Shape):
    """A ship that a board of a file lists by name; as an integer, how many cells it has."""

    def __new__(cls, text: str, cells: int) -> Piece:
        """The ship of that name."""
        piece = int.__new__(cls, cells)
        piece.text, piece.orientations = text, ()
        return piece

    def __getnewargs__(self) -> tuple[str, int]:  # type: ignore[override]
        return self.text, int(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Piece) and (self.text, int(self)) == (other.text, int(other))

    def __hash__(self) -> int:
        return hash(self.text)


def orientations_of(kind: int) -> tuple[Cells, ...]:
    """The ways in which a ship may lie: of a length, across and then down."""
    if isinstance(kind, Shape):
        return kind.orientations
    across = tuple((0, i) for i in range(kind))
    return (across, turned(across)) if kind > 1 else (across,)


@lru_cache(maxsize=256)
def parse_kind(text: str) -> int:
    """The length or the shape that a text such as `3`, `L4` or `#./##` names; else GameError."""
    plain = text.strip()
    if straight := re.fullmatch(r"[Ii]?(\d{1,9})([A-Za-z]?)", plain, re.ASCII):
        length, letter = int(straight[1]), straight[2].lower()
        return Lettered(length, letter) if letter else length
    head, dash, turns = plain.partition("-")
    allowed = f"{dash}{turns}".lower()
    drawing = NAMED.get(SHORT.get(head.upper(), head.upper()), head)
    if allowed not in TURNS or not re.fullmatch(r"[#./]+", drawing):
        raise GameError(f"{text!r} is not a ship; write {_FORM}")
    found = _orientations(_cells(drawing, text), allowed)
    length = len(found[0])
    if found == tuple(sorted(orientations_of(length))):
        return length
    return Shape(_text(found), found)


def is_kind(text: str) -> bool:
    """Whether a text names a ship on boards of squares."""
    try:
        return bool(parse_kind(text))
    except GameError:
        return False


def turned(cells: Cells) -> Cells:
    """The cells mirrored along the diagonal: rows become columns."""
    return tuple(sorted((column, row) for row, column in cells))


def _mirrored(cells: Cells) -> Cells:
    right = max(column for _, column in cells)
    return tuple(sorted((row, right - column) for row, column in cells))


def _orientations(cells: Cells, allowed: str) -> tuple[Cells, ...]:
    """All ways to lie, ascending."""
    found = {cells}
    while allowed != "-fixed":
        more = {_mirrored(turned(one)) for one in found}  # a quarter turn
        more |= {_mirrored(one) for one in found} if not allowed else set()
        if more <= found:
            break
        found |= more
    return tuple(sorted(found))


def _cells(drawing: str, text: str) -> Cells:
    """The cells of a drawing; GameError unless they are one piece and fill rows and columns."""
    rows = drawing.split("/")
    cells = {(i, j) for i, row in enumerate(rows) for j, sign in enumerate(row) if sign == "#"}
    if len({len(row) for row in rows}) > 1:
        raise GameError(f"{text!r} has rows of different lengths; write . where no cell is")
    columns = {column for _, column in cells}
    if len({row for row, _ in cells}) < len(rows) or len(columns) < len(rows[0]):
        raise GameError(f"{text!r} has an empty row or column; leave it out")
    piece, waiting = set(), [min(cells)]
    while waiting:
        row, column = cell = waiting.pop()
        piece.add(cell)
        beside = {(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)}
        waiting += beside & cells - piece
    if piece != cells:
        raise GameError(f"{text!r} is not one piece; its cells must join along edges")
    return tuple(sorted(cells))


def _text(orientations: tuple[Cells, ...]) -> str:
    """The name of a shape that has one, or else its first drawing, with what is allowed."""
    for allowed in TURNS:
        for name, drawing in NAMED.items():
            if _orientations(_cells(drawing, name), allowed) == orientations:
                return f"{name}{allowed}"
    first = orientations[0]
    allowed = next(a for a in TURNS if _orientations(first, a) == orientations)
    rows, columns = (max(side) + 1 for side in zip(*first, strict=True))
    lines = ("".join(".#"[(i, j) in first] for j in range(columns)) for i in range(rows))
    return f"{'/'.join(lines)}{allowed}"
