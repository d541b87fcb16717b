"""Boards of files: JSON with the cells of one or more boards, and the ships that lie on them.

    {
      "format": "optsearch boards", "version": 1,
      "boards": {
        "ring": {
          "cells": {"A1": [0, 0], "B1": [1, 0], "B2": [1, 1], "A2": [0, 1]},
          "neighbours": {"A1": ["B1", "A2"], "B1": ["A1", "B2"],
                         "B2": ["B1", "A2"], "A2": ["B2", "A1"]},
          "lines": {"round": [["A1", "B1", "B2", "A2", "A1"]]},
          "ships": {"boat": {"length": 3}, "corner": {"cells": [["A1", "B1", "A2"]]}}
        }
      }
    }

The name of a cell is its place in a grid. `cells` says where each cell is drawn: x to the right, y
down, neighbours 1 apart. `neighbours` touch along a side; `corners`, which may be left out, touch
at a corner only. If `neighbours` is "diagonal", the neighbours of a cell are all cells in the eight
places around it.

A line is a row of neighbours; it is closed if it ends with its first cell. A ship of the file has a
length, or lists all its placements. One with a length lies along any line, or only along those that
its field `lines` names. A fleet has ships of the file, by name, and lengths, which lie along any
line. `outline` is `square` (the default), `hexagon`, or the corners of a cell around its place.

In the text of a game a board is `FILE.json#NAME@DIGEST`. The digest, 16 digits, depends on the
cells, contacts, lines and ships; a file with another one is refused. People leave it out.
`hexagonal_2008.json` comes with the package.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from itertools import pairwise, permutations, product
from pathlib import Path
from typing import Any, NoReturn

from optsearch.game.announcements import WORDS
from optsearch.game.board import HEXAGON, NOWHERE, SQUARE, Board, Point, bits, connected_cells
from optsearch.game.cells import MAX_BOARD, Cell, cell_name, is_cell, parse_cell
from optsearch.game.shapes import is_kind
from optsearch.support.datafiles import DATA
from optsearch.support.documents import Document, text_of
from optsearch.support.errors import GameError

BOARDS = DATA / "boards"
"""The folder searched for a file that is named without a folder and does not exist."""

FORMAT, VERSION = "optsearch boards", 1
MOST_BYTES = 1 << 24  # of a file
MOST_PLACEMENTS = 1 << 14  # of a ship
_FIELDS = ("cells", "neighbours", "corners", "lines", "ships", "outline")
DIAGONAL = "diagonal"
_OUTLINES = {"square": SQUARE, "hexagon": HEXAGON}


def named_board(text: str) -> Board:
    """Return the board that `FILE.json#NAME` or `FILE.json#NAME@DIGEST` names.

    Raises GameError for an unreadable or invalid file, an unknown name, and another digest.
    """
    path, _, name_and_digest = text.rpartition("#")
    name, _, digest = name_and_digest.partition("@")
    file = Path(path)
    has_no_folder = file.name == path
    if has_no_folder and not file.exists() and (BOARDS / path).is_file():
        file = BOARDS / path
    boards = _read_boards(path, text_of(file, GameError, MOST_BYTES))
    board = boards.get(name)
    if board is None:
        raise GameError(f"{path} has no board {name!r}; it has {', '.join(boards)}")
    if digest and digest != board.digest:
        raise GameError(
            f"the board {name} of {path} has the digest {board.digest}, and not {digest}: it "
            "changed since this was written"
        )
    return board


@lru_cache(maxsize=16)
def _read_boards(path: str, content: str) -> Mapping[str, Board]:
    """Return all boards of a file by name, from its text; GameError if it is not valid."""
    document = Document(content, path, GameError)
    document.require(FORMAT, VERSION, ("format", "version", "about", "boards"))
    fields_by_name = document.value("boards", dict)
    if not fields_by_name:
        document.refuse("there is no board")
    boards = {}
    for name, fields in fields_by_name.items():
        if not re.fullmatch(r"[\w-]{1,40}", name, re.ASCII):
            document.refuse(f"{name!r} is not the name of a board; letters, digits, - and _ are")
        if type(fields) is not dict:
            document.refuse(f"the board {name!r} is not an object, {{…}}")
        boards[name] = _Reader(document, name, fields).read_board()
    return boards


class _Reader:
    """A reader of one board of a document, which checks each field.

    The document has the names of cells; the methods return indices, row times columns plus column.
    """

    def __init__(self, document: Document, name: str, fields: dict[str, Any]):
        self._document, self._name, self._fields = document, name, fields
        for field in fields:
            if field not in _FIELDS:
                self._refuse(f"there is no field {field!r}; the fields are {', '.join(_FIELDS)}")
        centre_by_name = document.value("cells", dict, fields, f"board {name}")
        cells = [self._parse_cell(cell) for cell in centre_by_name]
        if not cells:
            self._refuse("it has no cell")
        self._rows = 1 + max(row for row, _ in cells)
        self._columns = 1 + max(column for _, column in cells)
        if self._rows * self._columns > MAX_BOARD:
            self._refuse(
                f"its cells lie in {self._rows} rows and {self._columns} columns; at most "
                f"{MAX_BOARD:,} places are handled"
            )
        self._index_by_name = {
            cell_name((row, column)): row * self._columns + column for row, column in cells
        }
        self._centres = {
            self._index_by_name[text]: self._read_centre(text, centre)
            for text, centre in centre_by_name.items()
        }

    def _refuse(self, problem: str) -> NoReturn:
        self._document.refuse(problem, f"board {self._name}")

    def _value(self, field: str, kind: type[Any], default: Any) -> Any:
        """Return a field of the board, of this type; the default if it is missing."""
        if field not in self._fields:
            return default
        return self._document.value(field, kind, self._fields, f"board {self._name}")

    def _parse_cell(self, name: str) -> Cell:
        """Return the cell of a name such as `B3`; refuse another form, such as `b3`."""
        try:
            cell = parse_cell(name)
        except GameError as error:
            self._refuse(str(error))
        if name != cell_name(cell):
            self._refuse(f"the cell {name!r} is written {cell_name(cell)}")
        return cell

    def _read_centre(self, name: str, centre: Any) -> Point:
        if not _is_point(centre):
            self._refuse(f"the place of {name} is {centre!r:.40}, not [x, y]")
        return float(centre[0]), float(centre[1])

    def _read_cell(self, name: Any, where: str) -> int:
        """Return the index of a named cell. where -- in the document, for errors."""
        if not isinstance(name, str) or name not in self._index_by_name:
            self._refuse(f"{where} names {name!r:.40}, which is not a cell of the board")
        return self._index_by_name[name]

    def _read_cells(self, names: Any, where: str) -> list[int]:
        if not isinstance(names, list) or not names:
            self._refuse(f"{where} is {names!r:.40}, not a list of cells")
        return [self._read_cell(name, where) for name in names]

    def _read_contacts(self, field: str) -> tuple[int, ...]:
        """Return the contacts of a field: for each place of the grid, the mask of its neighbours.

        field -- `neighbours` or `corners`.
        """
        word = self._fields.get(field)
        if field == "neighbours" and isinstance(word, str):
            if word != DIAGONAL:
                self._refuse(f'neighbours is {word!r:.40}; an object or "{DIAGONAL}" is accepted')
            return self._surrounding_cells()
        masks = [0] * (self._rows * self._columns)
        for name, other_names in self._value(field, dict, {}).items():
            cell, where = self._read_cell(name, field), f"{field} of {name}"
            other_cells = self._read_cells(other_names, where) if other_names else []
            for other_cell in other_cells:
                if other_cell == cell:
                    self._refuse(f"{where} names the cell itself")
                if masks[cell] >> other_cell & 1:
                    self._refuse(f"{where} names {self._cell_name(other_cell)} twice")
                masks[cell] |= 1 << other_cell
        self._require_mutual(masks, field)
        return tuple(masks)

    def _surrounding_cells(self) -> tuple[int, ...]:
        """Return, for each place of the grid, the mask of the cells in the eight places around."""
        masks = [0] * (self._rows * self._columns)
        for cell, other in permutations(self._index_by_name.values(), 2):
            if max(self._offset(cell, other)) == 1:
                masks[cell] |= 1 << other
        return tuple(masks)

    def _require_mutual(self, masks: Sequence[int], field: str) -> None:
        """Refuse contacts that the file gives for only one of the two cells.

        masks -- for each cell, the cells that it touches by this field.
        """
        for cell, mask in enumerate(masks):
            for other_cell in bits(mask):
                if not masks[other_cell] >> cell & 1:
                    self._refuse(
                        f"{self._cell_name(other_cell)} is among the {field} of "
                        f"{self._cell_name(cell)}, but not the other way round"
                    )

    def _cell_name(self, cell: int) -> str:
        return cell_name(divmod(cell, self._columns))

    def _offset(self, cell: int, other: int) -> tuple[int, int]:
        """Return how many rows and how many columns apart two cells are."""
        row, column = divmod(cell, self._columns)
        other_row, other_column = divmod(other, self._columns)
        return abs(row - other_row), abs(column - other_column)

    def _refuse_not_neighbours(
        self, problem: str, pairs: Iterable[tuple[int, int]], neighbour_masks: Sequence[int]
    ) -> NoReturn:
        """Raise the error for pairs of cells that should be neighbours, and are not.

        If a pair is diagonal, the message shows how to make its cells neighbours.

        problem -- the beginning of the message. neighbour_masks -- for each cell, its neighbours.
        """
        diagonal = next((pair for pair in pairs if self._offset(*pair) == (1, 1)), None)
        if diagonal is None:
            self._refuse(problem)
        entries = []
        for cell, other in (diagonal, diagonal[::-1]):
            neighbours = [*bits(neighbour_masks[cell]), other]
            names = json.dumps([*map(self._cell_name, neighbours)])
            entries.append(f'"{self._cell_name(cell)}": {names}')
        self._refuse(
            f"{problem}; a diagonal step has to be among the neighbours: {', '.join(entries)}; or "
            f'write "neighbours": "{DIAGONAL}" for all of them'
        )

    def read_board(self) -> Board:
        """Return the board, with its digest; GameError for an invalid field."""
        sides, corners = self._read_contacts("neighbours"), self._read_contacts("corners")
        for cell, (sides_mask, corners_mask) in enumerate(zip(sides, corners, strict=True)):
            for other in bits(sides_mask & corners_mask):
                self._refuse(
                    f"{self._cell_name(cell)} and {self._cell_name(other)} are neighbours, and "
                    "touch at a corner only; one of the two"
                )
        steps = {
            name: self._read_direction(name, lines, sides)
            for name, lines in self._value("lines", dict, {}).items()
        }
        cells = self._rows * self._columns
        board_without_ships = Board(
            text=f"{self._document.name}#{self._name}",
            rows=self._rows,
            columns=self._columns,
            sides=sides,
            corners=corners,
            steps=tuple(steps.values()),
            centres=tuple(self._centres.get(cell, (0.0, 0.0)) for cell in range(cells)),
            outline=self._read_outline(),
            empty=(1 << cells) - 1 - sum(1 << cell for cell in self._centres),
            has_squares=False,
            digest="0",  # not empty, as it is a board of a file; the digest needs the ships
        )
        ships = {
            name: self._read_ship(name, ship, board_without_ships, steps)
            for name, ship in self._value("ships", dict, {}).items()
        }
        content = {
            "cells": sorted(self._index_by_name),
            "sides": sides,
            "corners": corners,
            "steps": sorted(steps.values()),
            "ships": sorted((name, sorted(placements)) for name, placements in ships.items()),
        }
        digest = sha256(json.dumps(content).encode()).hexdigest()[:16]
        text = f"{board_without_ships.text}@{digest}"
        return replace(board_without_ships, text=text, ships=ships, digest=digest)

    def _read_direction(
        self, name: str, lines: Any, neighbour_masks: Sequence[int]
    ) -> tuple[int, ...]:
        """Return, for each cell, the next cell along some lines; NOWHERE if none follows.

        name -- of the lines. lines -- from the file: lists of cells, from neighbour to neighbour.
        neighbour_masks -- for each cell, its neighbours.
        """
        next_cells = [NOWHERE] * (self._rows * self._columns)
        if not isinstance(lines, list):
            self._refuse(f"the lines {name!r} are {lines!r:.40}, not a list of lists of cells")
        for line in lines:
            for cell, next_cell in pairwise(self._read_cells(line, f"a line of {name!r}")):
                if not neighbour_masks[cell] >> next_cell & 1:
                    self._refuse_not_neighbours(
                        f"a line of {name!r} goes from {self._cell_name(cell)} to "
                        f"{self._cell_name(next_cell)}, which are no neighbours",
                        [(cell, next_cell)],
                        neighbour_masks,
                    )
                leads_elsewhere = next_cells[cell] not in (NOWHERE, next_cell)
                is_reached_before = next_cell in next_cells
                if leads_elsewhere or is_reached_before:
                    self._refuse(f"two lines of {name!r} go through {self._cell_name(cell)}")
                next_cells[cell] = next_cell
        return tuple(next_cells)

    def _read_ship(
        self, name: str, ship: object, board: Board, steps: Mapping[str, tuple[int, ...]]
    ) -> tuple[int, ...]:
        """Return all placements of a ship as masks.

        ship -- from the file. board -- the board without ships. steps -- for each name of lines,
        the next cell of each cell.
        """
        # A name must not be taken for another part of a reply: a kind of ship, a cell or a word.
        is_word = len(name) <= 41 and re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name)
        if not is_word or is_kind(name) or is_cell(name) or name in WORDS:
            self._refuse(
                f"{name!r} is not the name of a ship; words of small letters and digits are, with "
                f"- between them, but no ship as 3 or L4, no cell, and none of {', '.join(WORDS)}"
            )
        fields = ship if isinstance(ship, dict) else {}
        if fields.keys() == {"cells"} and isinstance(fields["cells"], list):
            placements = self._read_placements(name, fields["cells"], board.sides)
        elif "length" in fields and fields.keys() <= {"length", "lines"}:
            placements = self._read_straight_ship(name, fields, board, steps)
        else:
            self._refuse(
                f"the ship {name} is {ship!r:.60}; it has a length, and maybe lines, or lists of "
                "cells"
            )
        if not placements:
            self._refuse(f"the ship {name} fits nowhere")
        if len(placements) > MOST_PLACEMENTS:
            self._refuse(
                f"the ship {name} has {len(placements):,} ways to lie; {MOST_PLACEMENTS:,} are"
            )
        return placements

    def _read_straight_ship(
        self,
        name: str,
        fields: Mapping[str, Any],
        board: Board,
        steps: Mapping[str, tuple[int, ...]],
    ) -> tuple[int, ...]:
        """Return the placements (masks) of a ship that has a length, along the lines that it names.

        fields -- the ship in the file. steps -- for each name of lines, the next cell of each cell.
        """
        length = self._document.value("length", int, fields, f"board {self._name}, ship {name}")
        if not 1 <= length <= board.cells:
            self._refuse(f"the ship {name} has length {length}; 1 to {board.cells} are accepted")
        lines = fields.get("lines", list(steps))
        is_list_of_names = isinstance(lines, list) and all(isinstance(line, str) for line in lines)
        if not is_list_of_names or not all(line in steps for line in lines):
            self._refuse(f"the ship {name} lies along {lines!r:.60}; lines are {', '.join(steps)}")
        lines_of_ship = tuple(steps[line] for line in lines)
        return replace(board, steps=lines_of_ship).straight_placements(length)

    def _read_placements(
        self, name: str, placements: Iterable[object], neighbour_masks: tuple[int, ...]
    ) -> tuple[int, ...]:
        """Return the placements that the file lists for a ship, as masks sorted by first cell.

        neighbour_masks -- for each cell, its neighbours: the cells of a ship must be connected.
        """
        masks: set[int] = set()
        length = 0
        where = f"the ship {name}"
        for placement in placements:
            cells = self._read_cells(placement, where)
            mask = sum(1 << cell for cell in set(cells))
            cells_text = "+".join(map(self._cell_name, cells))
            if len(set(cells)) < len(cells):
                self._refuse(f"{where} has a cell twice at {cells_text}")
            if mask in masks:
                self._refuse(f"{where} is there twice at {cells_text}")
            if masks and len(cells) != length:
                self._refuse(
                    f"{where} has {len(cells)} cells at {cells_text}, and another number before"
                )
            connected_mask = connected_cells(mask, neighbour_masks)
            if connected_mask != mask:
                pairs = product(bits(connected_mask), bits(mask & ~connected_mask))
                self._refuse_not_neighbours(
                    f"{where} is in pieces at {cells_text}", pairs, neighbour_masks
                )
            masks.add(mask)
            length = len(cells)
        return tuple(sorted(masks, key=lambda mask: (mask & -mask, mask)))

    def _read_outline(self) -> tuple[Point, ...]:
        """Return the corners of a cell relative to its centre: a named outline, or a list."""
        outline = self._fields.get("outline", "square")
        if isinstance(outline, str) and outline in _OUTLINES:
            return _OUTLINES[outline]
        if not isinstance(outline, list) or not 3 <= len(outline) <= 64:
            self._refuse(f"the outline is {outline!r:.40}; square, hexagon or 3 to 64 places are")
        if not all(map(_is_point, outline)):
            self._refuse("the outline has a place that is not [x, y]")
        return tuple((float(x), float(y)) for x, y in outline)


def _is_point(value: object) -> bool:
    """True if a value of a document is a pair of numbers between -1e6 and 1e6."""
    if not isinstance(value, list) or len(value) != 2:
        return False
    return all(type(item) in (int, float) and abs(item) < 1e6 for item in value)
