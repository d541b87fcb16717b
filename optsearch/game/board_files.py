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

The name of a cell is its place in a grid; `cells` says where it is drawn: x to the right, y down,
neighbours 1 apart. `neighbours` touch along a side; `corners`, which may be left out, at a corner
only. If `neighbours` is "diagonal", a cell has all eight cells around it in the grid as neighbours.
A line is a row of neighbours; it is closed if it ends with its first cell. A fleet names ships, or
gives lengths, which lie along any line; a ship of the file has a length and maybe the names of its
`lines`, or lists all its placements. `outline` is `square` (the default), `hexagon` or the corners
of a cell around its place.

In the text of a game a board is `FILE.json#NAME@DIGEST`. The digest, 16 digits, depends on the
cells, contacts, lines and ships; a file with another one is refused. People leave it out.
`hexagonal_2008.json` comes with the package.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from itertools import pairwise, permutations, product
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn

from optsearch.game.announcements import WORDS
from optsearch.game.board import HEXAGON, NOWHERE, SQUARE, Board, Point, bits, connected_cells
from optsearch.game.cells import MAX_BOARD, cell_name, is_cell, parse_cell
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

    Raises GameError for a file that cannot be read or is not of this format, for an unknown name,
    and for another digest.
    """
    path, _, name_and_digest = text.rpartition("#")
    name, _, digest = name_and_digest.partition("@")
    file = Path(path)
    if not file.exists() and (BOARDS / file.name).is_file() and file.name == path:
        file = BOARDS / path
    boards = _boards(path, text_of(file, GameError, MOST_BYTES))
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
def _boards(path: str, content: str) -> Mapping[str, Board]:
    """Read all boards of a file, by name."""
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
        boards[name] = _Reader(document, name, fields).board()
    return boards


class _Reader:
    """A reader of one board of a document, which checks each field."""

    def __init__(self, document: Document, name: str, fields: dict[str, Any]):
        self._document, self._name, self._fields = document, name, fields
        for field in fields:
            if field not in _FIELDS:
                self._refuse(f"there is no field {field!r}; the fields are {', '.join(_FIELDS)}")
        places = document.value("cells", dict, fields, f"board {name}")
        grid = [self._grid_place(cell) for cell in places]
        if not grid:
            self._refuse("it has no cell")
        if len(set(grid)) < len(grid):
            twice = next(cell for cell in grid if grid.count(cell) > 1)
            self._refuse(f"the cell {cell_name(twice)} is there twice")
        self._rows = 1 + max(row for row, _ in grid)
        self._columns = 1 + max(column for _, column in grid)
        if self._rows * self._columns > MAX_BOARD:
            self._refuse(
                f"its cells lie in {self._rows} rows and {self._columns} columns; at most "
                f"{MAX_BOARD:,} places are handled"
            )
        self._index = {
            name: row * self._columns + column
            for name, (row, column) in zip(places, grid, strict=True)
        }
        self._places = {self._index[cell]: self._centre(cell, at) for cell, at in places.items()}

    def _refuse(self, problem: str) -> NoReturn:
        self._document.refuse(problem, f"board {self._name}")

    def _value(self, field: str, kind: type[Any], default: Any) -> Any:
        if field not in self._fields:
            return default
        return self._document.value(field, kind, self._fields, f"board {self._name}")

    def _grid_place(self, cell: str) -> tuple[int, int]:
        try:
            place = parse_cell(cell)
        except GameError as error:
            self._refuse(str(error))
        if cell != cell_name(place):
            self._refuse(f"the cell {cell!r} is written {cell_name(place)}")
        return place

    def _centre(self, cell: str, at: Any) -> Point:
        if not _is_pair(at):
            self._refuse(f"the place of {cell} is {at!r:.40}, not [x, y]")
        return float(at[0]), float(at[1])

    def _cell(self, cell: Any, where: str) -> int:
        if not isinstance(cell, str) or cell not in self._index:
            self._refuse(f"{where} names {cell!r:.40}, which is not a cell of the board")
        return self._index[cell]

    def _cells(self, cells: Any, where: str) -> list[int]:
        if not isinstance(cells, list) or not cells:
            self._refuse(f"{where} is {cells!r:.40}, not a list of cells")
        return [self._cell(cell, where) for cell in cells]

    def _touching(self, field: str) -> tuple[int, ...]:
        """Return, for each place of the grid, the mask of the cells that it touches."""
        masks = [0] * (self._rows * self._columns)
        word = self._fields.get(field)
        if field == "neighbours" and isinstance(word, str):
            if word != DIAGONAL:
                self._refuse(f'neighbours is {word!r:.40}; an object or "{DIAGONAL}" is accepted')
            for cell, other in permutations(self._index.values(), 2):
                masks[cell] |= (max(self._offset(cell, other)) == 1) << other
            return tuple(masks)
        for name, others in self._value(field, dict, {}).items():
            cell, where = self._cell(name, field), f"{field} of {name}"
            for other in self._cells(others, where) if others else ():
                if other == cell:
                    self._refuse(f"{where} names the cell itself")
                if masks[cell] >> other & 1:
                    self._refuse(f"{where} names {self._text(other)} twice")
                masks[cell] |= 1 << other
        for cell, mask in enumerate(masks):
            for other in bits(mask):
                if not masks[other] >> cell & 1:
                    self._refuse(
                        f"{self._text(other)} is among the {field} of {self._text(cell)}, but not "
                        "the other way round"
                    )
        return tuple(masks)

    def _text(self, cell: int) -> str:
        return cell_name(divmod(cell, self._columns))

    def _offset(self, cell: int, other: int) -> tuple[int, int]:
        """Return the distance of two cells in the grid, in rows and in columns."""
        (i, j), (k, m) = divmod(cell, self._columns), divmod(other, self._columns)
        return abs(i - k), abs(j - m)

    def _refuse_apart(
        self, problem: str, pairs: Iterable[tuple[int, int]], sides: Sequence[int]
    ) -> NoReturn:
        """Refuse pairs that are not neighbours, and say how to make a diagonal pair neighbours."""
        diagonal = next((pair for pair in pairs if self._offset(*pair) == (1, 1)), None)
        if diagonal is None:
            self._refuse(problem)
        entries = []
        for cell, other in (diagonal, diagonal[::-1]):
            neighbours = [self._text(neighbour) for neighbour in (*bits(sides[cell]), other)]
            entries.append(f'"{self._text(cell)}": {json.dumps(neighbours)}')
        self._refuse(
            f"{problem}; a diagonal step has to be among the neighbours: {', '.join(entries)}; or "
            f'write "neighbours": "{DIAGONAL}" for all of them'
        )

    def board(self) -> Board:
        """Return the board, with its digest; GameError for an invalid field."""
        sides, corners = self._touching("neighbours"), self._touching("corners")
        for cell, both in enumerate(a & b for a, b in zip(sides, corners, strict=True)):
            for other in bits(both):
                self._refuse(
                    f"{self._text(cell)} and {self._text(other)} are neighbours, and touch at a "
                    "corner only; one of the two"
                )
        steps = {
            name: self._step(name, lines, sides)
            for name, lines in self._value("lines", dict, {}).items()
        }
        cells = self._rows * self._columns
        empty = (1 << cells) - 1 - sum(1 << cell for cell in self._places)
        plain = Board(
            f"{self._document.name}#{self._name}",
            self._rows,
            self._columns,
            sides,
            corners,
            tuple(steps.values()),
            tuple(self._places.get(cell, (0.0, 0.0)) for cell in range(cells)),
            self._outline(),
            empty=empty,
            has_squares=False,
            digest="0",
        )
        ships = {
            name: self._ship(name, ship, plain, steps)
            for name, ship in self._value("ships", dict, {}).items()
        }
        content = {
            "cells": sorted(self._index),
            "sides": sides,
            "corners": corners,
            "steps": sorted(steps.values()),
            "ships": sorted((name, sorted(ways)) for name, ways in ships.items()),
        }
        digest = sha256(json.dumps(content).encode()).hexdigest()[:16]
        return Board(
            **{
                **plain.__dict__,
                "text": f"{plain.text}@{digest}",
                "ships": ships,
                "digest": digest,
            }
        )

    def _step(self, name: str, lines: Any, sides: tuple[int, ...]) -> tuple[int, ...]:
        """Return the next cell after each cell in one direction, or NOWHERE."""
        step = [NOWHERE] * (self._rows * self._columns)
        if not isinstance(lines, list):
            self._refuse(f"the lines {name!r} are {lines!r:.40}, not a list of lists of cells")
        for line in lines:
            cells = self._cells(line, f"a line of {name!r}")
            for cell, following in pairwise(cells):
                if not sides[cell] >> following & 1:
                    self._refuse_apart(
                        f"a line of {name!r} goes from {self._text(cell)} to "
                        f"{self._text(following)}, which are no neighbours",
                        [(cell, following)],
                        sides,
                    )
                if step[cell] not in (NOWHERE, following) or step.count(following):
                    self._refuse(f"two lines of {name!r} go through {self._text(cell)}")
                step[cell] = following
        return tuple(step)

    def _ship(
        self, name: str, ship: object, board: Board, steps: Mapping[str, tuple[int, ...]]
    ) -> tuple[int, ...]:
        """Return the masks of all placements of a ship."""
        is_form = re.fullmatch(r"[a-z][a-z0-9-]{0,40}", name) and "--" not in f"{name}-"
        if not is_form or is_kind(name) or is_cell(name) or name in WORDS:
            self._refuse(
                f"{name!r} is not the name of a ship; words of small letters and digits are, with "
                f"- between them, but no ship as 3 or L4, no cell, and none of {', '.join(WORDS)}"
            )
        fields = ship if isinstance(ship, dict) else {}
        if fields.keys() == {"cells"} and isinstance(fields["cells"], list):
            placements = self._read_placements(name, fields["cells"], board.sides)
        elif "length" in fields and fields.keys() <= {"length", "lines"}:
            placements = self._place_along(name, fields, board, steps)
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

    def _place_along(
        self,
        name: str,
        fields: Mapping[str, Any],
        board: Board,
        steps: Mapping[str, tuple[int, ...]],
    ) -> tuple[int, ...]:
        length = self._document.value("length", int, fields, f"board {self._name}, ship {name}")
        if not 1 <= length <= board.cells:
            self._refuse(f"the ship {name} has length {length}; 1 to {board.cells} are accepted")
        lines = fields.get("lines", list(steps))
        if not isinstance(lines, list) or not all(line in steps for line in lines if line):
            self._refuse(f"the ship {name} lies along {lines!r:.60}; lines are {', '.join(steps)}")
        board_with_lines = Board(
            **{
                **board.__dict__,
                "steps": tuple(steps[line] for line in lines),
                "digest": f"{name} {lines}",
            }
        )
        return board_with_lines.straight_placements(length)

    def _read_placements(
        self, name: str, placements: Iterable[object], sides: tuple[int, ...]
    ) -> tuple[int, ...]:
        masks: dict[int, None] = {}
        for placement in placements:
            where = f"the ship {name}"
            cells = self._cells(placement, where)
            mask = sum(1 << cell for cell in set(cells))
            text = "+".join(map(self._text, cells))
            if len(set(cells)) < len(cells):
                self._refuse(f"{where} has a cell twice at {text}")
            if mask in masks:
                self._refuse(f"{where} is there twice at {text}")
            if masks and len(cells) != next(iter(masks)).bit_count():
                self._refuse(f"{where} has {len(cells)} cells at {text}, and another number before")
            piece = connected_cells(mask, sides)
            if piece != mask:
                pairs = product(bits(piece), bits(mask & ~piece))
                self._refuse_apart(f"{where} is in pieces at {text}", pairs, sides)
            masks[mask] = None
        return tuple(sorted(masks, key=lambda mask: (mask & -mask, mask)))

    def _outline(self) -> tuple[Point, ...]:
        outline = self._fields.get("outline", "square")
        if isinstance(outline, str) and outline in _OUTLINES:
            return _OUTLINES[outline]
        if not isinstance(outline, list) or not 3 <= len(outline) <= 64:
            self._refuse(f"the outline is {outline!r:.40}; square, hexagon or 3 to 64 places are")
        if not all(map(_is_pair, outline)):
            self._refuse("the outline has a place that is not [x, y]")
        return tuple((float(x), float(y)) for x, y in outline)


def _is_pair(value: object) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(type(x) in (int, float) and isfinite(x) and abs(x) < 1e6 for x in value)
    )
