"""Cells as text (`A1` is row 0, column 0), and how many cells a board may have."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable
from typing import SupportsIndex, cast

from optsearch.support.errors import GameError

Cell = tuple[int, int]

MAX_CELLS = 128  # to list or search: there a set of cells is 128 bits
MAX_BOARD = 1024  # to count and play


def column_name(column: int) -> str:
    """Return the letters of a column: A for 0, B for 1, …, Z for 25, AA for 26, AB for 27, …"""
    name = ""
    number = column + 1  # in base 26, with digits 1 to 26 in place of 0 to 25
    while number:
        number, letter = divmod(number - 1, 26)
        name = chr(ord("A") + letter) + name
    return name


def cell_name(cell: Cell) -> str:
    """Return the text of a cell: (1, 0) is A2."""
    row, column = cell
    return f"{column_name(column)}{row + 1}"


def parse_cell(text: str) -> Cell:
    """Return the cell (row, column) of a text such as `B3`; GameError for another text."""
    match = re.fullmatch(r"([A-Za-z]{1,3})([1-9][0-9]{0,3})", text.strip(), re.ASCII)
    if not match:
        raise GameError(f"{text!r} is not a cell; write column letter and row number, as in B3")
    column = 0
    for letter in match[1].upper():
        column = 26 * column + ord(letter) - ord("A") + 1
    return int(match[2]) - 1, column - 1


def is_cell(text: str) -> bool:
    """True if a text has the form of a cell."""
    try:
        return bool(parse_cell(text))
    except GameError:
        return False


def cell_of(value: object) -> Cell:
    """Return the cell of a name, or of a pair of integers of any type; GameError for others."""
    if isinstance(value, str):
        return parse_cell(value)
    try:
        row, column = cast(Iterable[SupportsIndex], value)
        return operator.index(row), operator.index(column)
    except (TypeError, ValueError):
        raise GameError(
            f"{value!r} is not a cell; give (row, column), from 0, or its name, as in 'B3'"
        ) from None
