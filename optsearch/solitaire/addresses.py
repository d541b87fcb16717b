"""Puzzles as addresses of puzz.link, pzv.jp and other homes of pzprjs; the address has the puzzle.

    https://puzz.link/p?battleship/6/6/g12h2g30g3gk0r3w//c

After `battleship` come the number of columns and of rows, the clues, and the fleet. The clues are
the counts of the columns, those of the rows, and the revealed value of each cell, row by row:

    0 to f, -10 to -ff   a number in hexadecimal: a count, or an index into `SHOWN`
    g to z               1 to 20 places without a clue
    .                    a ship of unknown shape; of a line, no count

The fleet is `/` and a letter of `FLEETS`; or the number of ships, and each of them as its width and
height in base 36, then its cells as bits, five to a digit in base 32, zeros at the end left out:
`2/11g/31s` are a submarine and a ship of length 3.

This is the form of pzprjs of August 2026 (github.com/robx/pzprjs, src/variety/statuepark.js and
src/variety-common/Encode.js). Clues and ships that `Puzzle` does not have are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from string import ascii_lowercase, digits

from optsearch.solitaire.puzzle import (
    BOTTOM,
    LEFT,
    MIDDLE,
    RIGHT,
    SHIP,
    SUBMARINE,
    TOP,
    WATER,
    Puzzle,
)
from optsearch.support.documents import shortened
from optsearch.support.errors import PuzzleError

HOME = "https://puzz.link/p?battleship/"
SHOWN = (WATER, TOP, BOTTOM, LEFT, RIGHT, MIDDLE, SUBMARINE)  # values of cells, by number
FLEETS = {
    "c": (3, 2, 2, 1, 1, 1),
    "d": (4, 3, 3, 2, 2, 2, 1, 1, 1, 1),
    "e": (5, 4, 4, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 1),
}
_DIGITS = digits + ascii_lowercase
_GAPS = _DIGITS[16:]  # g to z skip 1 to 20 places
_UNSHAPED = -1  # in place of the number, for the sign .
_FORM = re.compile(
    r"[^?]*\?(?:\w+=\w*&)*([a-z0-9-]+?)(?:_edit|_play)?/"
    r"(\d{1,3})/(\d{1,3})/([^/]*)/(/[a-z]|\d{1,4}(?:/\w+)*)/?",
    re.ASCII,
)


def is_address(text: str) -> bool:
    """True if a text is an address, not the name of a file."""
    return text.startswith(("http://", "https://")) or "?battleship" in text


def to_address(puzzle: Puzzle) -> str:
    """Return the address of a puzzle at puzz.link; PuzzleError for a ship of 36 cells and more."""
    if puzzle.fleet[0] >= len(_DIGITS):
        raise PuzzleError(
            f"a ship of length {puzzle.fleet[0]} cannot be part of an address; one of length 35 can"
        )
    clue_of_cell = {
        cell: _UNSHAPED if value == SHIP else SHOWN.index(value) for cell, value in puzzle.revealed
    }
    cell_clues = [clue_of_cell.get(puzzle.cell(i)) for i in range(puzzle.rows * puzzle.columns)]
    clue_text = _write_clues((*puzzle.column_counts, *puzzle.row_counts)) + _write_clues(cell_clues)
    letter = next((letter for letter, fleet in FLEETS.items() if fleet == puzzle.fleet), "")
    ship_texts = [_write_ship(length) for length in reversed(puzzle.fleet)]
    fleet_text = f"/{letter}" if letter else "/".join([str(len(ship_texts)), *ship_texts])
    return f"{HOME}{puzzle.columns}/{puzzle.rows}/{clue_text}/{fleet_text}"


def from_address(address: str) -> Puzzle:
    """Return the puzzle of an address; PuzzleError for one that is not handled.

    address -- of a page of pzprjs: its end is COLUMNS/ROWS/CLUES/FLEET, as the module explains.
    """
    try:
        match = _FORM.fullmatch(address)
        if match is None:
            raise PuzzleError(f"the form of an address is {HOME}COLUMNS/ROWS/CLUES/FLEET")
        kind, columns, rows, clues, fleet = match.groups()
        if kind != "battleship":
            raise PuzzleError(f"{kind!r} is not a kind of puzzle that is read; battleship is")
        puzzle = Puzzle(int(rows), int(columns), _read_fleet(fleet))
        clue_signs = iter(re.findall(r"-[0-9a-f]{2}|.", clues))
        line_clues = _read_clues(clue_signs, puzzle.columns + puzzle.rows)
        counts = [None if clue == _UNSHAPED else clue for clue in line_clues]
        cell_clues = list(_read_clues(clue_signs, puzzle.columns * puzzle.rows))
        if surplus := "".join(clue_signs):
            raise PuzzleError(
                f"{surplus!r:.40} are more clues than the grid {puzzle.grid} has places"
            )
        return replace(
            puzzle,
            column_counts=tuple(counts[: puzzle.columns]),
            row_counts=tuple(counts[puzzle.columns :]),
            revealed=tuple(
                (puzzle.cell(index), _read_value(clue))
                for index, clue in enumerate(cell_clues)
                if clue is not None
            ),
        )
    except PuzzleError as error:
        raise PuzzleError(f"{shortened(address)}: {error}") from None


def _write_clues(numbers: Iterable[int | None]) -> str:
    """Return clues as they stand in an address; None is a place without a clue."""
    signs = "".join(" " if number is None else _write_number(number) for number in numbers)
    return re.sub(" {1,20}", lambda gap: _GAPS[len(gap[0]) - 1], signs)


def _write_number(number: int) -> str:
    """Return a clue in an address: `.` for `_UNSHAPED`, else the number in hexadecimal."""
    if number == _UNSHAPED:
        return "."
    return f"{number:x}" if number < 16 else f"-{number:x}"


def _read_clues(signs: Iterator[str], places_left: int) -> Iterator[int | None]:
    """Yield the clue of each of the next places as a number; None for a place without a clue.

    Raises PuzzleError for a sign that is not handled, or if the signs end too early.

    places_left -- the number of places to read.
    """
    while places_left:
        sign = next(signs, "")
        if not sign:
            raise PuzzleError(f"the clues end {places_left} places before the grid does")
        if not re.fullmatch(r"[0-9a-z.]|-[0-9a-f]{2}", sign):
            raise PuzzleError(f"{sign!r} among the clues is neither a number nor ., nor g to z")
        places_skipped = _GAPS.find(sign) + 1  # 0 for a clue
        if places_skipped > places_left:
            raise PuzzleError(
                f"{sign!r} among the clues skips {places_skipped} places; {places_left} are left"
            )
        if places_skipped:
            yield from [None] * places_skipped
            places_left -= places_skipped
        else:
            yield _UNSHAPED if sign == "." else int(sign.strip("-"), 16)
            places_left -= 1


def _read_value(number: int) -> str:
    """Return the value of a revealed cell; PuzzleError for a number that `Puzzle` does not have."""
    if number == _UNSHAPED:
        return SHIP
    if number >= len(SHOWN):
        raise PuzzleError(
            f"the clue {_write_number(number)!r} of a cell is for ships that are not straight; the "
            f"clues 0 to {len(SHOWN) - 1} and . are handled"
        )
    return SHOWN[number]


def _write_ship(length: int) -> str:
    """Return the text of a horizontal ship in an address: its width, its height 1, and its cells.

    Each digit for the cells stands for five cells, one a bit, with the first cell in the highest
    bit. The digit v has all five.
    """
    full_digits, cells_left = divmod(length, 5)
    last_digit = _DIGITS[32 - (32 >> cells_left)] if cells_left else ""
    return f"{_DIGITS[length]}1{'v' * full_digits}{last_digit}"


def _read_fleet(text: str) -> tuple[int, ...]:
    """Return the lengths of a fleet, written as a letter or as a list of ships.

    Raises PuzzleError for ships that are not straight, and for a wrong number of ships.
    """
    if text[0] == "/":
        if text[1] not in FLEETS:
            raise PuzzleError(f"the fleet {text!r} is not one of straight ships; /c, /d and /e are")
        return FLEETS[text[1]]
    count_text, *ship_texts = text.split("/")
    if int(count_text) != len(ship_texts):
        raise PuzzleError(f"the fleet has {len(ship_texts)} ships, not {count_text} as it says")
    length_of_text = {_write_ship(length): length for length in range(1, len(_DIGITS))}
    # a vertical ship has width and height exchanged, and the same bits
    length_of_text |= {
        f"1{ship_text[0]}{ship_text[2:]}": length for ship_text, length in length_of_text.items()
    }
    for ship_text in ship_texts:
        if ship_text not in length_of_text:
            raise PuzzleError(
                f"{ship_text!r:.40} is not a straight ship; one of length 3 is 31s or 13s"
            )
    return tuple(length_of_text[ship_text] for ship_text in ship_texts)
