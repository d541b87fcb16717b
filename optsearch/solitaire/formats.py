"""Puzzles as text that resembles the printed puzzle, and as JSON.

    # a comment for the reader
    grid 6x6
    fleet 3,2,2,1,1,1
    rows 3 1 2 1 1 2
    columns 4 0 2 1 1 2
    board
    . . . . . .
    . ~ . . . .
    . . . . . .
    . . . . . ^
    . . . . . .
    . . . . . .

`docs/solitaire.md` describes both.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from optsearch.game import Cell, cell_name, parse_cell
from optsearch.solitaire.addresses import from_address, is_address
from optsearch.solitaire.puzzle import REVEALED, Clue, Puzzle, Solution
from optsearch.support.documents import Document, shortened, text_of, write
from optsearch.support.errors import OptsearchError, PuzzleError

MOST_BYTES = 1 << 20  # of a puzzle

SYMBOLS = dict(zip(REVEALED, "~X@<>^v=", strict=True))
HIDDEN = "."
_MEANING = {symbol: value for value, symbol in SYMBOLS.items()}
_KEYWORDS = ("grid", "fleet", "rows", "columns", "board")
_ACCEPTED = f"{HIDDEN} (not revealed), " + ", ".join(f"{s} ({v})" for v, s in SYMBOLS.items())
_FORM_OF_FIELD = {
    "grid": "write rows and columns, as in `grid 6x6`",
    "fleet": "write the lengths of all ships, as in `fleet 3,2,2,1`",
}
_JSON_KEYS = ("grid", "fleet", "rows", "columns", "revealed")
_KEYS_TEXT = ", ".join(f'"{key}"' for key in _JSON_KEYS)


def parse_grid(text: str) -> tuple[int, int]:
    """Return rows and columns of a text such as 6x6; PuzzleError for another text."""
    match = re.fullmatch(r"\s*(\d{1,9})\s*[xX×]\s*(\d{1,9})\s*", text, re.ASCII)
    if not match:
        raise PuzzleError(f"{text.strip()!r} is not a grid; write rows and columns, as in 6x6")
    return int(match[1]), int(match[2])


def parse_fleet(text: str) -> tuple[int, ...]:
    """Return the lengths of a text such as 3,2,2,1; PuzzleError for another text."""
    lengths = []
    for word in text.split(","):
        if not re.fullmatch(r"\s*\d{1,9}\s*", word, re.ASCII):
            raise PuzzleError(
                f"{word.strip()!r} is not a ship length; write lengths with commas between them, "
                "as in 3,2,2,1"
            )
        lengths.append(int(word))
    return tuple(lengths)


def _parse_counts(text: str) -> tuple[int | None, ...]:
    """Return the counts of a text such as `3 1 ? 2`, None for `?`; PuzzleError for another text."""
    counts: list[int | None] = []
    for word in text.split():
        if word != "?" and not re.fullmatch(r"\d{1,9}", word, re.ASCII):
            raise PuzzleError(
                f"{word!r} is not a count; write a number, or `?` where there is none"
            )
        counts.append(None if word == "?" else int(word))
    return tuple(counts)


# Text


@dataclass(frozen=True)
class _Line:
    """A line of a file, which errors quote."""

    number: int
    text: str

    def __str__(self) -> str:
        return f"line {self.number}: {self.text!r}"

    @property
    def value(self) -> str:
        """The text after the keyword."""
        return self.text.partition(" ")[2]

    def error(self, reason: object) -> PuzzleError:
        return PuzzleError(f"{self}: {reason}")

    @contextmanager
    def quoted(self) -> Iterator[None]:
        """Quote the line in a PuzzleError that is raised in the `with` block."""
        try:
            yield
        except PuzzleError as error:
            raise self.error(error) from None


def parse(text: str) -> Puzzle:
    """Return the puzzle that a text describes; PuzzleError quotes the line that is wrong."""
    lines = [
        _Line(number, line.strip().replace("\t", " "))
        for number, line in enumerate(text.splitlines(), 1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    fields, board_lines = _split_fields(lines)
    for name in ("grid", "fleet"):
        if name not in fields:
            raise PuzzleError(f"there is no line `{name} …`; {_FORM_OF_FIELD[name]}")
    with fields["grid"].quoted():
        rows, columns = parse_grid(fields["grid"].value)
        puzzle = Puzzle(rows, columns, (1,))
    with fields["fleet"].quoted():
        puzzle = replace(puzzle, fleet=parse_fleet(fields["fleet"].value))
    line_of_clue: dict[Clue, str] = {}
    for name in ("rows", "columns"):
        if name in fields:
            with fields[name].quoted():
                puzzle = _with_counts(puzzle, name, _parse_counts(fields[name].value))
            for clue in puzzle.clues:
                line_of_clue.setdefault(clue, str(fields[name]))
    for line, cells in _read_board(puzzle, fields, board_lines):
        with line.quoted():
            puzzle = replace(puzzle, revealed=puzzle.revealed + cells)
        for clue in puzzle.clues:
            line_of_clue.setdefault(clue, str(line))
    return replace(puzzle, lines=line_of_clue)


def _split_fields(lines: list[_Line]) -> tuple[dict[str, _Line], list[_Line]]:
    """Return the line that begins with each keyword, and the lines after the keyword `board`.

    Raises PuzzleError for a line with another first word, or with one that came before.
    """
    fields: dict[str, _Line] = {}
    for i, line in enumerate(lines):
        word = line.text.split()[0]
        if word not in _KEYWORDS:
            raise line.error(f"{word!r} is none of {', '.join(_KEYWORDS)}")
        if word in fields:
            raise line.error(f"{word!r} was given before, in {fields[word]}")
        fields[word] = line
        if word == "board":
            if line.text != "board":
                raise line.error("write the board in the lines below `board`")
            return fields, lines[i + 1 :]
    return fields, []


def _with_counts(puzzle: Puzzle, name: str, counts: tuple[int | None, ...]) -> Puzzle:
    """Return the puzzle with counts of its `rows` or `columns`; PuzzleError if there are none.

    name -- `rows` or `columns`.
    """
    if not counts:
        raise PuzzleError(
            f"there are no counts; leave out the line, or give one for each of the {name}"
        )
    if name == "rows":
        return replace(puzzle, row_counts=counts)
    return replace(puzzle, column_counts=counts)


def _read_board(
    puzzle: Puzzle, fields: dict[str, _Line], board_lines: list[_Line]
) -> Iterator[tuple[_Line, tuple[tuple[Cell, str], ...]]]:
    """Yield each line of the board, and the cells that it reveals with their values."""
    if not board_lines:
        return
    for row, line in enumerate(board_lines):
        if row == puzzle.rows:
            raise line.error(f"the board has {puzzle.rows} lines, and this is one more")
        symbols = line.text.replace(" ", "")
        for symbol in symbols:
            if symbol != HIDDEN and symbol not in _MEANING:
                raise line.error(f"{symbol!r} is not a symbol of a cell; use {_ACCEPTED}")
        if len(symbols) != puzzle.columns:
            raise line.error(
                f"the line has {len(symbols)} cells; the grid {puzzle.grid} has {puzzle.columns} "
                "columns"
            )
        revealed = [
            ((row, column), _MEANING[symbol])
            for column, symbol in enumerate(symbols)
            if symbol != HIDDEN
        ]
        yield line, tuple(revealed)
    if len(board_lines) < puzzle.rows:
        raise fields["board"].error(
            f"{len(board_lines)} lines follow; the grid {puzzle.grid} has {puzzle.rows} rows"
        )


def to_text(puzzle: Puzzle) -> str:
    """Return a puzzle as text that `parse` reads."""
    lines = [f"grid {puzzle.grid}", f"fleet {puzzle.fleet_text}"]
    for name, counts in (("rows", puzzle.row_counts), ("columns", puzzle.column_counts)):
        if any(count is not None for count in counts):
            words = ("?" if count is None else str(count) for count in counts)
            lines.append(f"{name} {' '.join(words)}")
    if puzzle.revealed:
        lines.append("board")
        revealed = dict(puzzle.revealed)
        for row in range(puzzle.rows):
            symbols = [
                SYMBOLS.get(revealed.get((row, column), ""), HIDDEN)
                for column in range(puzzle.columns)
            ]
            lines.append(" ".join(symbols))
    return "\n".join(lines) + "\n"


# JSON


def to_fields(puzzle: Puzzle) -> dict[str, Any]:
    """Return a puzzle as a JSON value that `from_fields` reads."""
    return {
        "grid": puzzle.grid,
        "fleet": list(puzzle.fleet),
        "rows": list(puzzle.row_counts),
        "columns": list(puzzle.column_counts),
        "revealed": {cell_name(cell): value for cell, value in puzzle.revealed},
    }


def solution_fields(puzzle: Puzzle, solution: Solution) -> list[str]:
    """Return a solution as JSON: each ship as its first and last cell."""
    return [ship_text(puzzle, ship) for ship in solution]


def ship_text(puzzle: Puzzle, ship: int) -> str:
    """Return the text of a ship (mask of cells): its ends, as in A1-A3, or its only cell."""
    cells = puzzle.cells_of(ship)
    names = [cell_name(cells[0]), cell_name(cells[-1])]
    return names[0] if len(cells) == 1 else "-".join(names)


def from_fields(value: object) -> Puzzle:
    """Return the puzzle that a JSON value describes; PuzzleError quotes the part that is wrong."""
    if not isinstance(value, dict):
        raise PuzzleError(f"{shortened(value)} is not a puzzle; an object has {_KEYS_TEXT}")
    for key in value:
        if key not in _JSON_KEYS:
            raise PuzzleError(f"{key!r} is not a part of a puzzle; it has {_KEYS_TEXT}")
    for key in ("grid", "fleet"):
        if key not in value:
            raise PuzzleError(f"there is no {key!r}; a puzzle has {_KEYS_TEXT}")
    if not isinstance(value["grid"], str):
        raise PuzzleError(f'"grid": {shortened(value["grid"])}: write a text such as "6x6"')
    fleet = _integers("fleet", value["fleet"])
    row_counts, column_counts = (
        _integers(name, value.get(name) or [], accepts_null=True) for name in ("rows", "columns")
    )
    revealed = value.get("revealed") or {}
    if not isinstance(revealed, dict):
        raise PuzzleError(f'"revealed": {shortened(revealed)}: write {{"A1": "water", …}}')
    revealed_cells = []
    for name, symbol in revealed.items():
        try:
            revealed_cells.append((parse_cell(name), symbol))
        except OptsearchError as error:
            raise PuzzleError(f'"revealed": {error}') from None
        if not isinstance(symbol, str):
            raise PuzzleError(f'"revealed": {name} shows {shortened(symbol)}, which is not a text')
    rows, columns = parse_grid(value["grid"])
    lengths = tuple(length for length in fleet if length is not None)
    return Puzzle(rows, columns, lengths, row_counts, column_counts, tuple(revealed_cells))


def _integers(name: str, value: object, accepts_null: bool = False) -> tuple[int | None, ...]:
    """Return the integers in a JSON list; PuzzleError for any other value.

    name -- of the value in the error. accepts_null -- True to accept None in the list.
    """
    form = "a list of numbers" + (", null for one that is not known" if accepts_null else "")
    if not isinstance(value, list):
        raise PuzzleError(f'"{name}": {shortened(value)}: write {form}')
    for number in value:
        if (type(number) is not int) and not (accepts_null and number is None):
            raise PuzzleError(f'"{name}": {shortened(number)} in {shortened(value)}: write {form}')
    return tuple(value)


# Files


def load(path: Path | str) -> Puzzle:
    """Return the puzzle of a file, text or JSON, or of an address (`addresses`).

    Raises PuzzleError, with file and line, or with the address.
    """
    if isinstance(path, str) and is_address(path):
        return from_address(path)
    text = text_of(path, PuzzleError, MOST_BYTES)
    if not text.strip():
        raise PuzzleError(f"{path}: the file is empty")
    is_json = text.lstrip().startswith("{")
    fields = Document(text, str(path), PuzzleError).fields if is_json else {}
    try:
        return from_fields(fields) if is_json else parse(text)
    except PuzzleError as error:
        separator = ", " if str(error).startswith("line ") else ": "
        raise PuzzleError(f"{path}{separator}{error}") from None


def save(puzzle: Puzzle, path: Path) -> None:
    """Write a puzzle, whole or not at all: JSON to a name in .json, text to any other."""
    is_json = path.suffix.lower() == ".json"
    text = json.dumps(to_fields(puzzle), ensure_ascii=False, indent=1) + "\n"
    write(path, text if is_json else to_text(puzzle), PuzzleError)
