"""Games: the board, the fleet, whether ships may touch, and what a shot announces.

A cell is `(row, column)`, both from 0, in code, and `A1` (column letter, row number from 1) in
text. Sets of cells are masks: integers whose bit `row * columns + column` is the cell. Figures and
messages use text; computations use masks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import count
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optsearch.game import notebook
from optsearch.game.announcements import (
    ANNOUNCEMENTS,
    HIT,
    Announcement,
    Label,
    PlacedShip,
    Reply,
    tells_kind,
    tells_nothing,
)
from optsearch.game.board import BOARD_MAKERS, Board, Permutation, bits, image, make_board
from optsearch.game.board_files import named_board
from optsearch.game.cells import MAX_BOARD, MAX_CELLS, Cell, cell_name, parse_cell
from optsearch.game.labels import LabelTable
from optsearch.game.named_games import BOX, NAMED_GAMES, boxed_ships, split_name, suggestion
from optsearch.game.shapes import LengthRange, Lettered, Placement, Shape, parse_kind
from optsearch.game.user_rules import announcement_of, named_announcement
from optsearch.support.errors import GameError, NotSupported, TooLarge

MOST_TURNS = 8  # the most symmetries for kernels that turn boards
IN_WORDS = {
    "contact": {
        "none": "ships do not touch",
        "corner": "ships may touch diagonally only",
        "any": "ships may touch",
    },
    "announce": {name: rule.words for name, rule in ANNOUNCEMENTS.items()},
    "ends": {"sunk": "the last ship ends the game", "hit": "the first hit ends the game"},
}
"""The values of each rule, in words; the first value of a rule is its default."""

CONTACTS = tuple(IN_WORDS["contact"])
ENDS = tuple(IN_WORDS["ends"])

HOLE = "-"  # the sign of a hole on drawn boards
HOLES = "-#"  # the signs that are read as a hole

_FORM = (
    f"ROWSxCOLUMNS:SHIP,SHIP,…[,contact={'|'.join(CONTACTS)}]"
    f"[,announce={'|'.join(ANNOUNCEMENTS)}|FILE.py:NAME][,ends={'|'.join(ENDS)}]"
    "[,holes=CELL,CELL-CELL,…][,board=cylinder|torus|hex], or FILE.json#BOARD:SHIP,SHIP,…[,…] for "
    "a board of a file"
)
_GAME = re.compile(
    r"\s*((?P<rows>\d{1,9})\s*[xX×]\s*(?P<columns>\d{1,9})|(?P<file>.+\.json#[\w-]+(?:@\w+)?))"
    r"\s*:(?P<ships_and_rules>.*)",
    re.ASCII | re.DOTALL,
)
_RULES = (*IN_WORDS, "holes", "board")
_DEFAULTS = {**{rule: next(iter(values)) for rule, values in IN_WORDS.items()}, "holes": 0}
_EXAMPLES = "10x10:5,4,3,3,2, 4x4:3,2,contact=any,announce=ship or paper"


def parse_holes(text: str, rows: int, columns: int) -> int:
    """Return the mask of holes such as `B2,C4-D5`: cells, and rectangles from corner to corner.

    Raises GameError for a text that is not a cell, and for a cell off the grid.
    """
    holes = 0
    for item in text.split(","):
        first, dash, last = item.partition("-")
        corners = [parse_cell(first), parse_cell(last if dash else first)]
        for row, column in corners:
            if not (row < rows and column < columns):
                raise GameError(
                    f"the hole {item.strip()} is off the board {rows}x{columns}; its cells are "
                    f"A1 to {cell_name((rows - 1, columns - 1))}"
                )
        (top, bottom), (left, right) = map(sorted, zip(*corners, strict=True))  # rows, columns
        for row in range(top, bottom + 1):
            for column in range(left, right + 1):
                holes |= 1 << row * columns + column
    return holes


def holes_text(holes: int, columns: int) -> str:
    """Return the text of a mask of holes, row by row: holes side by side are a run, as B2-D2."""
    runs: list[list[int]] = []
    for cell in bits(holes):
        is_new_row = cell % columns == 0
        if runs and cell == runs[-1][-1] + 1 and not is_new_row:
            runs[-1].append(cell)
        else:
            runs.append([cell])

    def run_text(run: list[int]) -> str:
        first, last = (cell_name(divmod(cell, columns)) for cell in (run[0], run[-1]))
        return first if first == last else f"{first}-{last}"

    return ",".join(map(run_text, runs))


def drawn_board(drawing: str) -> tuple[int, int, int]:
    """Return the rows, columns and holes (mask) of a drawing: `.` is a cell, `-` or `#` a hole.

    Blank lines and spaces are skipped. Raises GameError for another sign or unequal lines.
    """
    lines_without_spaces = ("".join(line.split()) for line in drawing.splitlines())
    lines = [line for line in lines_without_spaces if line]
    for row_number, line in enumerate(lines, 1):
        wrong_signs = [sign for sign in line if sign not in f".{HOLES}"]
        if wrong_signs:
            raise GameError(
                f"{wrong_signs[0]!r} in row {row_number} of the drawn board, {line!r}, is neither "
                ". (a cell) nor - or # (a hole)"
            )
        if len(line) != len(lines[0]):
            raise GameError(
                f"row {row_number} of the drawn board, {line!r}, has {len(line)} signs, and row 1 "
                f"has {len(lines[0])}"
            )
    if not lines:
        raise GameError(
            "the drawn board is empty; draw one line per row, . for a cell and - or # for a hole"
        )
    signs = "".join(lines)
    holes = sum(1 << index for index, sign in enumerate(signs) if sign in HOLES)
    return len(lines), len(lines[0]), holes


@dataclass(frozen=True, init=False)
class Game:
    """A board, a fleet, two rules and holes; hashable, and equal when all of these are equal.

    rows, columns -- the size of the grid. Counting and playing take up to 1,024 cells, listing and
        searching up to 128 (`require_small`). `rows` may be the text of the game, as in
        `Game("4x4:3,2")`; then the other arguments replace what the text says.
    fleet -- the lengths of the ships, or shapes (`optsearch.game.shapes`), kept in descending
        order. Equal ones are indistinguishable. A length may have a letter if each hit names its
        ship.
    contact -- whether ships may touch: `none` (not even diagonally: the paper's rule), `corner`
        (diagonally only), `any` (they may touch but never overlap).
    announce -- what a shot tells besides hit or miss: `nothing` (the paper's rule), `sunk` (the hit
        that sinks a ship says so), `ship` (only the hit that sinks a ship names it), `name` (every
        hit names its ship), `place` (every hit shows its ship), or a function of a ship and a cell
        in a file, as in `rules.py:parity`, kept with the digest of the file.
    holes -- the mask of the cells that are not on the board: no ship lies on them, and no shot goes
        there. Holes do not change which ships touch.
    board -- which cells of the grid touch (`optsearch.game.board`): a `Board`, or its name.
    announcement -- the rule named `announce` (`optsearch.game.announcements`), if already loaded.
    ends -- what ends the game: `sunk` (the last cell of the last ship is hit) or `hit` (the first
        hit). With either, all configurations need equally many hits: only the misses differ.

    Raises GameError for a game that cannot be set up. If the fleet has few enough cells but does
    not fit, as in 4x4:4,3,2, the game has no configuration.
    """

    rows: int
    columns: int
    fleet: tuple[int, ...]
    contact: str
    announce: str
    holes: int
    board: Board
    announcement: Announcement
    ends: str

    def __init__(
        self,
        rows: int | str,
        columns: int | None = None,
        fleet: Iterable[int] | None = None,
        contact: str | None = None,
        announce: str | None = None,
        holes: int | None = None,
        board: Board | str | None = None,
        announcement: Announcement | None = None,
        ends: str | None = None,
    ):
        fields = _fields_of(rows) if isinstance(rows, str) else {"rows": rows}
        arguments = {
            "columns": columns,
            "fleet": fleet,
            "contact": contact,
            "announce": announce,
            "holes": holes,
            "board": board,
            "announcement": announcement,
            "ends": ends,
        }
        fields |= {name: value for name, value in arguments.items() if value is not None}
        if "columns" not in fields or "fleet" not in fields:
            raise GameError(
                f"{rows!r} is not a game; give its text, as in {_EXAMPLES}, or its rows, columns "
                "and fleet"
            )
        self.__dict__.update({**_DEFAULTS, "board": "rectangle", "announcement": None, **fields})
        self._check()

    def _check(self) -> None:
        """Check all fields, and replace some by their normal form; GameError for invalid ones."""
        self.require_known_fleet()
        object.__setattr__(self, "fleet", tuple(sorted(self.fleet, key=_fleet_order)))
        _require_grid(self.rows, self.columns)
        self._set_board()
        self._check_ships()
        if self.announcement is None or self.announcement.name != self.announce:
            object.__setattr__(self, "announcement", announcement_of(self.announce))
            object.__setattr__(self, "announce", self.announcement.name)
        self._check_kinds()
        if self.fleet_cells > self.room:
            raise GameError(
                f"the fleet {self.fleet_text} needs {self.fleet_cells} cells; the board "
                f"{self.board_text} has {self.room}{' that are no holes' if self.holes else ''}"
            )
        self._check_rules()

    def _check_ships(self) -> None:
        """Raise GameError for an empty fleet, and for a ship that fits nowhere on the board."""
        if not self.fleet:
            raise GameError(
                f"the fleet of {self.rows}x{self.columns} is empty; give at least one ship length"
            )
        for kind in self.fleet:
            if kind < 1:
                raise GameError(f"{kind} is not the length of a ship; lengths are 1 or more")
            if not self.board.placements(kind):
                raise self._misfit_error(kind)

    def _check_rules(self) -> None:
        """Raise GameError for an unknown rule, and for one that makes no sense on the board."""
        if self.contact not in CONTACTS:
            raise GameError(f"contact={self.contact!r} is not a rule; use {', '.join(CONTACTS)}")
        if self.ends not in ENDS:
            raise GameError(f"ends={self.ends!r} is not a rule; use {', '.join(ENDS)}")
        if self.contact == "corner" and not self.board.has_corners:
            raise GameError(
                f"cells of the board {self.board_text} touch along sides only, so contact=corner "
                "is not a rule there; use contact=none or contact=any"
            )

    def _set_board(self) -> None:
        """Set `board` to a board in the size of the game; its places without a cell become holes.

        Raises GameError if a board of a file has another size, or holes are off the board.
        """
        board: Board | str = self.board
        if isinstance(board, str):
            board = make_board(board, self.rows, self.columns)
        elif not board.digest:
            board = make_board(board.text, self.rows, self.columns)
        elif (board.rows, board.columns) != (self.rows, self.columns):
            raise GameError(
                f"the board {board.text} has {board.rows} rows and {board.columns} columns, not "
                f"{self.rows} and {self.columns}"
            )
        object.__setattr__(self, "board", board)
        object.__setattr__(self, "holes", self.holes | board.empty)
        if not 0 <= self.holes < 1 << self.cells:
            raise GameError(
                f"the mask of holes {self.holes} has cells off the board {self.rows}x{self.columns}"
            )

    def _misfit_error(self, kind: int) -> GameError:
        """Return the error for a length or shape that fits nowhere, even without holes."""
        if not isinstance(kind, Shape):
            longest = next(
                length for length in count() if not self.board.straight_placements(length + 1)
            )
            return GameError(
                f"a ship of length {kind} is longer than the board {self.board_text}; the longest "
                f"that fits has length {longest}"
            )
        if self.board.digest or not self.board.has_squares:
            return GameError(
                f"the ship {kind} is a shape of squares, and the cells of the board "
                f"{self.board_text} are none; give lengths"
            )
        return GameError(f"the ship {kind} does not fit on the board {self.board_text}")

    def _check_kinds(self) -> None:
        """Raise GameError, unless hits name ships, for kinds that a player could not tell apart.

        These are ships with letters, and different kinds that can lie on equal cells.
        """
        if self.names_hits:
            return
        kinds = list(dict.fromkeys(self.fleet))
        for kind in kinds:
            if isinstance(kind, Lettered):
                raise GameError(
                    f"the ship {kind} has a letter, which is heard where each hit names its ship: "
                    f"add announce=name, or write {int(kind)}"
                )
        for index, kind in enumerate(kinds):
            for other in kinds[:index]:
                if self._can_look_alike(kind, other):
                    first, second = sorted((str(kind), str(other)))
                    raise GameError(
                        f"the ships {first} and {second} can lie on the same cells, so nobody "
                        "could tell them apart; give both the same form"
                    )

    def _can_look_alike(self, kind: int, other: int) -> bool:
        """True if ships of two kinds (lengths or shapes) can lie on equal cells."""
        if int(kind) != int(other):
            return False
        return bool({*self.board.placements(kind)} & {*self.board.placements(other)})

    def __reduce__(self) -> tuple[type[Game], tuple[object, ...]]:
        """Pickle the fields only: cached values, such as the labels, are computed again."""
        return type(self), tuple(getattr(self, name) for name in self.__dataclass_fields__)

    @classmethod
    def of(cls, game: Game | str) -> Game:
        """Return a game itself, or the game of a text; GameError for anything else."""
        if isinstance(game, str):
            return cls(game)
        if isinstance(game, Game):
            game.require_known_fleet()
            return game
        raise GameError(f"{game!r} is not a game; give a Game or its text, as in {_EXAMPLES}")

    @classmethod
    def parse(cls, text: str) -> Game:
        """Return the game of a text such as `4x4:3,2,contact=any`; GameError for another text.

        The text may begin with a name, as in `boxed,contact=none`; rules after it replace those of
        the named game. The older form `4x4:3,2;contact=any` is accepted.
        """
        return cls(text)

    @classmethod
    def read(cls, text: str) -> Game:
        """Return the game of a text from a file or the network, without running code of a user.

        Raises GameError for a text of another form, and for a user's rule that was not loaded yet.
        """
        fields = _fields_of(text)
        rule = named_announcement(fields.get("announce", "nothing"))
        return cls(**{**fields, "announce": rule.name, "announcement": rule})

    def __repr__(self) -> str:
        return f"Game({str(self)!r})"

    def __str__(self) -> str:
        text = f"{self._grid_text}:{self.fleet_text}"
        if self.contact != "none":
            text += f",contact={self.contact}"
        if self.announce != "nothing":
            text += f",announce={self.announce}"
        if self.ends != "sunk":
            text += f",ends={self.ends}"
        if self.holes != self.board.empty:
            text += f",holes={holes_text(self.holes & ~self.board.empty, self.columns)}"
        if not (self.board.digest or self.is_rectangle):
            text += f",board={self.board.text}"
        return text

    def _repr_html_(self) -> str:
        """Return the board, the fleet and the rules in words, as a table of HTML."""
        values = {"board": self.board_text, "holes": self.holes_text, "fleet": self.fleet_text}
        values |= self.rules
        filled_rows = [(name, value) for name, value in values.items() if value]
        return notebook.with_title(str(self), notebook.pairs_table(filled_rows))

    @property
    def title(self) -> str:
        """The board and the fleet without rules and without the digest of the board."""
        return f"{self._grid_text.removesuffix(f'@{self.board.digest}')}:{self.fleet_text}"

    @property
    def rules(self) -> dict[str, str]:
        """The rules in words, by name; `contact` only for several ships, `ends` only if `hit`."""
        rules: dict[str, str] = {}
        if len(self.fleet) > 1:
            rules["contact"] = IN_WORDS["contact"][self.contact]
        rules["announce"] = self.announcement.words
        if self.ends_at_hit:
            rules["ends"] = IN_WORDS["ends"][self.ends]
        return rules

    @property
    def unwritten_rules(self) -> str:
        """The rules that the text of the game leaves out, as they are the default, in words."""
        rules = self.rules.items()
        return ", ".join(words for rule, words in rules if getattr(self, rule) == _DEFAULTS[rule])

    @property
    def _grid_text(self) -> str:
        return self.board.text if self.board.digest else f"{self.rows}x{self.columns}"

    @property
    def board_text(self) -> str:
        """The board as text: 10x10, 10x10,board=torus, or FILE.json#NAME@DIGEST."""
        if self.board.digest or self.is_rectangle:
            return self._grid_text
        return f"{self._grid_text},board={self.board.text}"

    @property
    def is_rectangle(self) -> bool:
        """True if the board is a rectangle, with or without holes."""
        return self.board.text == "rectangle"

    @property
    def fleet_text(self) -> str:
        """The lengths and shapes, joined by commas."""
        return ",".join(map(str, self.fleet))

    @property
    def holes_text(self) -> str:
        """The holes row by row, as in `B2,C4-E4`; holes side by side are a run."""
        return holes_text(self.holes, self.columns)

    @property
    def cells(self) -> int:
        """The number of cells of the grid, holes among them."""
        return self.rows * self.columns

    @property
    def words(self) -> int:
        """The number of 64-bit words of a set of cells in arrays: at least 2."""
        return max(2, ceil(self.cells / 64))

    @property
    def room(self) -> int:
        """The number of cells that are not holes."""
        return self.cells - self.holes.bit_count()

    @cached_property
    def fleet_cells(self) -> int:
        """The number of cells that the ships occupy together."""
        return sum(self.fleet)

    @property
    def least_cells(self) -> int:
        """The least number of cells that the ships can occupy together."""
        return self.fleet_cells

    @property
    def ends_at_hit(self) -> bool:
        """True if the first hit ends the game."""
        return self.ends == "hit"

    @property
    def hits_to_end(self) -> int:
        """The number of hits that end the game; it is equal for all configurations."""
        return 1 if self.ends_at_hit else self.fleet_cells

    @property
    def has_shapes(self) -> bool:
        """True if some ship is not straight, or may not lie in all directions."""
        return any(isinstance(kind, Shape) for kind in self.fleet)

    @cached_property
    def _kind_of_placement(self) -> dict[int, int]:
        return {ship: kind for kind in set(self.fleet) for ship in self.placements(kind)}

    @cached_property
    def _has_plain_lengths(self) -> bool:
        """True if all kinds are lengths without letters."""
        return not any(isinstance(kind, Shape | Lettered) for kind in self.fleet)

    @cached_property
    def has_twins(self) -> bool:
        """True if ships of different kinds can lie on the same cells, as 3a and 3b can.

        Then the ships of a configuration are in the order of the fleet.
        """
        if self._has_plain_lengths:
            return False
        placement_counts = [len(self.placements(kind)) for kind in set(self.fleet)]
        return len(self._kind_of_placement) < sum(placement_counts)

    def kind_of(self, ship: int) -> int:
        """Return the kind of the ship that lies on some cells (mask): its length or its shape.

        Raises NotSupported if different kinds can lie on the same cells (`has_twins`); with shapes
        or letters, KeyError if no ship can lie there.
        """
        if self._has_plain_lengths:
            return ship.bit_count()
        self.require_no_twins("what goes by the cells of ships")
        return self._kind_of_placement[ship]

    def require_no_twins(self, feature: str) -> None:
        """Raise NotSupported if different kinds can lie on the same cells (`has_twins`)."""
        if self.has_twins:
            raise NotSupported(
                f"{feature} cannot tell ships apart that can lie on the same cells, as in {self}: "
                "count, posterior, sample, solve, advise, play and simulate can, without a prior"
            )

    def kinds_of(self, ships: Iterable[int]) -> tuple[int, ...]:
        """Return the kind of each ship of a configuration (masks).

        If kinds can lie on the same cells (`has_twins`), ships must be in the order of the fleet.
        """
        return self.fleet if self.has_twins else tuple(map(self.kind_of, ships))

    def sort_ships(self, ships: Sequence[int]) -> tuple[int, ...]:
        """Return the ships of a configuration (masks) in ascending order.

        If kinds can lie on the same cells (`has_twins`), kinds stay in the order of the fleet.
        """
        if not self.has_twins:
            return tuple(sorted(ships))
        index_of_kind = map(self.fleet.index, self.fleet)  # equal for ships of one kind
        return tuple(ship for _, ship in sorted(zip(index_of_kind, ships, strict=True)))

    @cached_property
    def named_ships(self) -> dict[str, int]:
        """The kinds of the ships that have names, by name.

        A board file names ships. Without a file, only the fleet of the boxed game has names.
        """
        if self.board.digest:
            return dict(self.board.kinds)
        names = boxed_ships(self.names_hits)
        kinds: dict[str, int] = {name: parse_kind(text) for name, text in names.items()}
        if "a" not in self.fleet_text:  # 5,4,3,3,2: the ships of length 3 have no letters
            kinds = {name: int(kind) for name, kind in kinds.items()}
        boxed_fleet = sorted((kinds[name] for name in BOX), key=_fleet_order)
        return kinds if boxed_fleet == [*self.fleet] else {}

    @cached_property
    def kind_names(self) -> dict[int, tuple[str, ...]]:
        """For each kind of the fleet, the names of its ships: at most one name for each ship."""
        names: dict[int, list[str]] = {kind: [] for kind in self.fleet}
        for name, kind in self.named_ships.items():
            if kind in names:
                names[kind].append(name.replace("-", " "))
        # If there are more names than ships, as for the boxed ship of length 2, the last ones.
        return {
            kind: tuple(names_of_kind[-self.fleet.count(kind) :])
            for kind, names_of_kind in names.items()
        }

    @cached_property
    def labels_by_name(self) -> dict[str, Label]:
        """Map each name in a reply (lower case) to its label, which is what a hit tells."""
        labels: tuple[Label, ...] = self.labels if self.has_labels else ()
        by_name: dict[str, Label] = {label: label for label in labels if isinstance(label, str)}
        if not by_name:
            by_name.update(self.named_ships)
            by_name.update({str(kind).lower(): kind for kind in self.fleet})
        for label in labels:
            if isinstance(label, Placement):
                by_name |= dict.fromkeys(self._placement_texts(label), label)
        return by_name

    def _placement_texts(self, placement: Placement) -> list[str]:
        """Return the texts, in lower case, by which a reply may show a ship: a1-a3, a1+a2+a3, …"""
        names = self.names(int(placement))
        first, last = names[0], names[-1]
        texts = [placement.text, "+".join(names)]
        rectangle = parse_holes(f"{first}-{last}", self.rows, self.columns)  # as holes are written
        if rectangle == int(placement) or "+" not in placement.text:  # then its ends say its cells
            texts += [f"{first}-{last}", f"{last}-{first}"]
        return [text.lower() for text in texts]

    def label_named(self, text: str) -> Label:
        """Return the label of a name, in which blanks may replace -; 0 for an unknown name."""
        return self.labels_by_name.get("-".join(text.lower().split()), 0)

    def reply(self, text: str) -> Reply:
        """Return the reply of a text such as `miss` or `hit:3a`; PositionError for another text."""
        answer, _, name = text.partition(":")
        if self.label_named(name):
            text = f"{answer}:{'-'.join(name.split())}"
        return Reply.parse(text, self.labels_by_name, self.forms_of_replies)

    @property
    def forms_of_replies(self) -> str:
        """The replies of the game, as error messages write them."""
        rule = self.announcement
        if not rule.forms:  # a rule of a user
            texts = sorted(map(str, self.hit_replies))
            others = ", …" if len(texts) > 20 else ""
            return f"miss, {', '.join(texts[:20])}{others}"
        if rule.tells is not tells_kind:
            return rule.forms
        placeholder = rule.forms.rpartition(":")[2]  # SHIP or LENGTH
        ships = ", ".join(map(self._kind_with_names, dict.fromkeys(self.fleet)))
        return f"{rule.forms}; {placeholder} is {ships}"

    def _kind_with_names(self, kind: int) -> str:
        """Return a kind of ship and its names, as in `3 (cruiser, submarine)`."""
        names = [name for name, other_kind in self.named_ships.items() if other_kind == kind]
        texts = [name.replace("-", " ") for name in names if name != str(kind)]
        return f"{kind} ({', '.join(texts)})" if texts else str(kind)

    def rank(self, ship: int) -> tuple[int, int]:
        """Return the sort key of a ship (mask): its place in the fleet, and then its mask."""
        kind = self.kind_of(ship)
        place_in_fleet = self.fleet.index(kind) if self.has_shapes else -kind
        return place_in_fleet, ship

    # What hits tell

    @cached_property
    def is_silent(self) -> bool:
        """True if a hit tells nothing: the replies are hit and miss."""
        if self.announce in ANNOUNCEMENTS:
            return self.announce == "nothing"
        return not self.label_table.labels

    @property
    def tells_sinkings(self) -> bool:
        """True if only the hit that sinks a ship tells something: that it sinks, and maybe a label.

        Only then does the order of the shots matter.
        """
        return self.announcement.at_sinking

    @property
    def has_labels(self) -> bool:
        """True if every hit tells a label, which does not depend on what was hit before."""
        return not self.is_silent and not self.tells_sinkings

    @property
    def names_hits(self) -> bool:
        """True if every hit names its ship: its label is the kind of the ship."""
        return self.announcement.tells is tells_kind and not self.announcement.at_sinking

    @property
    def shows_ships(self) -> bool:
        """True if every hit shows its whole ship: its label is the placement of the ship."""
        return not self.names_hits and self.has_labels and self.label_table.are_placements

    @cached_property
    def label_of_kind(self) -> dict[int, Label | None] | None:
        """The label of each kind, which hits tell; None if it depends on the placement or the cell.

        If it is not None, labels tell nothing of where a ship lies.
        """
        tells = self.announcement.tells  # known rules need no table
        if tells is tells_kind:
            return {kind: kind for kind in self.fleet}
        if tells is tells_nothing:
            return dict.fromkeys(self.fleet)
        return self.label_table.label_of_kind

    @property
    def labels(self) -> tuple[Label, ...]:
        """All labels (what hits tell), each once, in the order of the fleet and its placements."""
        if self.label_of_kind is not None:
            labels = dict.fromkeys(self.label_of_kind[kind] for kind in self.fleet)
            return tuple(label for label in labels if label is not None)
        return self.label_table.labels

    @cached_property
    def label_table(self) -> LabelTable:
        """The labels of each cell of each placement."""
        return _label_table(self)

    def label(self, kind: int, ship: int, cell: int) -> Label | None:
        """Return the label of a cell (index) of a ship (mask) of this kind; None if it has none."""
        return self.label_table.labels_by_cell[kind, ship][cell]

    def kind_of_label(self, label: Label | None) -> int | None:
        """Return the kind of the ship that a label names or shows; None if it does neither."""
        if isinstance(label, Placement):
            return self.kind_of(label)
        return None if isinstance(label, str) else label

    def hit_reply(self, kind: int, ship: int, cell: int, is_sunk: bool) -> Reply:
        """Return the reply to a hit on a cell (index) of a ship (mask), which sinks it or not."""
        return self.announcement.reply_to_hit(self.label(kind, ship, cell), is_sunk)

    @cached_property
    def hit_replies(self) -> frozenset[Reply]:
        """Every reply to a hit."""
        return frozenset([HIT]) if self.is_silent else self.label_table.replies

    def most_replies(self, answer: Reply) -> int | None:
        """Return an upper bound on how often a hit can get this reply; None if unlimited."""
        if self.is_silent or (self.tells_sinkings and not answer.sunk):
            return None
        return self.label_table.most_replies.get(answer.label, 0)

    def with_announcement(self, announce: str) -> Game:
        """Return this game with another rule of what hits tell, given by its name.

        If hits no longer name ships, the ships lose their letters: then each configuration of the
        new game stands for equally many of this one.
        """
        fleet = self.fleet
        rule = self.announcement if announce == self.announce else announcement_of(announce)
        names_hits = rule.tells is tells_kind and not rule.at_sinking
        if not names_hits:
            fleet = tuple(int(kind) if isinstance(kind, Lettered) else kind for kind in fleet)
        return replace(self, announce=announce, fleet=fleet)

    def require_known_fleet(self) -> None:
        """Raise GameError for ranges of lengths, which only a `game.fleets.MixedGame` can have."""
        if any(isinstance(kind, LengthRange) for kind in self.fleet):
            raise GameError(
                f"the lengths of the ships {self.fleet_text} are not known; the commands count, "
                "posterior, sample, advise, ask, simulate, play and serve accept that, and with "
                "announce=nothing or sunk solve and evaluate greedy: give lengths here"
            )

    def require_rule(self, feature: str, is_handled: bool, rules: str) -> None:
        """Raise NotSupported unless `is_handled`: a feature is for other rules of what hits tell.

        feature, rules -- its name, and the names of the rules that it handles, for the message.
        """
        if not is_handled:
            raise NotSupported(
                f"{feature} is for announce={rules}; {self} has announce={self.announce}"
            )

    def require_silent(self, feature: str) -> None:
        """Raise NotSupported if hits tell more than hit, which `feature` does not handle."""
        self.require_rule(feature, self.is_silent, "nothing")

    def require_named_rule(self, feature: str) -> None:
        """Raise NotSupported for a user's rule, which `feature` does not handle."""
        self.require_rule(feature, self.announce in ANNOUNCEMENTS, "|".join(ANNOUNCEMENTS))

    def require_no_sinkings(self, feature: str) -> None:
        """Raise NotSupported if sinkings are announced, which `feature` does not handle."""
        rules = [name for name, rule in ANNOUNCEMENTS.items() if not rule.at_sinking]
        self.require_rule(feature, not self.tells_sinkings, "|".join(rules))

    def require_sunk(self, feature: str) -> None:
        """Raise NotSupported if the first hit ends the game, which `feature` does not handle."""
        if self.ends_at_hit:
            raise NotSupported(f"{feature} is for ends=sunk; {self} has ends=hit")

    def require_small(self, feature: str) -> None:
        """Raise TooLarge for more than MAX_CELLS cells, which `feature` does not handle."""
        if self.cells > MAX_CELLS:
            raise TooLarge(
                f"{feature} is for boards of at most {MAX_CELLS} cells; {self} has {self.cells}: "
                "larger ones are counted (count, posterior, sample, bounds) and played (play, "
                "advise, simulate)"
            )

    @property
    def is_usual(self) -> bool:
        """True if the game has straight ships on a rectangle without holes."""
        return self.is_rectangle and not self.holes and not self.has_shapes

    def require_usual(self, feature: str) -> None:
        """Raise NotSupported unless `is_usual`: `feature` handles no other board or ships."""
        self.require_rectangle(feature)
        if self.holes:
            raise NotSupported(f"{feature} is for boards without holes; {self} has holes")
        if self.has_shapes:
            raise NotSupported(f"{feature} is for straight ships; {self} has others")

    def require_rectangle(self, feature: str) -> None:
        """Raise NotSupported for a board that is not a rectangle, which `feature` needs."""
        if not self.is_rectangle:
            raise NotSupported(
                f"{feature} needs the rows and columns of a rectangle; {self} has another board"
            )

    # Cells and masks

    def __contains__(self, cell: Cell) -> bool:
        """True if a cell is on the board and not a hole."""
        row, column = cell
        is_on_grid = 0 <= row < self.rows and 0 <= column < self.columns
        return is_on_grid and not self.holes >> row * self.columns + column & 1

    def bit(self, cell: Cell) -> int:
        """Return the mask of one cell; GameError if it is off the board or a hole."""
        row, column = cell
        index = row * self.columns + column
        if cell in self:
            return 1 << index
        is_on_grid = 0 <= row < self.rows and 0 <= column < self.columns
        if not is_on_grid:
            raise GameError(
                f"{cell_name(cell)} is off the board {self.board_text}; its cells are "
                f"A1 to {cell_name((self.rows - 1, self.columns - 1))}"
            )
        if self.board.empty >> index & 1:
            raise GameError(f"{cell_name(cell)} is not a cell of the board {self.board_text}")
        raise GameError(f"{cell_name(cell)} is a hole of the board; holes={self.holes_text}")

    def mask(self, cells: Iterable[Cell]) -> int:
        """Return the mask of some cells; GameError if one is off the board or a hole."""
        mask = 0
        for cell in cells:
            mask |= self.bit(cell)
        return mask

    def cell(self, index: int) -> Cell:
        """Return the cell of bit `index` of a mask."""
        return divmod(index, self.columns)

    def cells_of(self, mask: int) -> list[Cell]:
        """Return the cells of a mask in row-major order."""
        return [self.cell(index) for index in bits(mask)]

    def names(self, mask: int) -> list[str]:
        """Return the names of the cells of a mask, such as B3, in row-major order."""
        return [cell_name(cell) for cell in self.cells_of(mask)]

    def ship_name(self, mask: int) -> str:
        """Return the text of a ship (mask): its first and last cell, as in A1-A3, or its only cell.

        If it has no ends (`has_ends`), the text is all its cells, as in A1+A2+B2.
        """
        names = self.names(mask)
        if not self.has_ends(mask):
            return "+".join(names)
        return names[0] if len(names) == 1 else f"{names[0]}-{names[-1]}"

    def has_ends(self, mask: int) -> bool:
        """True if a ship (mask) is written by its ends, as in A1-A3: it is the line between them.

        Shapes, ships over a seam and ships on a board of a file are not.
        """
        if self.board.digest:
            return False
        if self.has_shapes and isinstance(self._kind_of_placement[mask], Shape):
            return False
        if not any(self.board.seams):
            return True
        rectangle = make_board("rectangle", self.rows, self.columns)
        return mask in rectangle.placements(mask.bit_count())

    def array(self, mask: int) -> NDArray[np.uint8]:
        """Return 1 on the cells of a mask and 0 elsewhere: uint8 of shape (rows, columns)."""
        packed = np.frombuffer(mask.to_bytes(ceil(self.cells / 8), "little"), np.uint8)
        cells = np.unpackbits(packed, count=self.cells, bitorder="little")
        return cells.reshape(self.rows, self.columns)

    # Ships

    def placements(self, length: int) -> tuple[int, ...]:
        """Return all placements of one ship of this length or shape, as masks; none is on a hole.

        Straight ships are sorted by first cell in row-major order, horizontal before vertical. The
        first cell is the top-left one, except for lines over a seam.
        """
        if isinstance(length, LengthRange):
            self.require_known_fleet()
        return _placements(self.board, length, self.holes)

    def halo(self, placement: int) -> int:
        """Return the cells (mask) around a placement that the contact rule forbids to others."""
        return _halo(self.board, self.contact, placement)

    # Symmetries

    def symmetries(self, limit: int | None = None) -> tuple[Permutation, ...]:
        """Return the symmetries of the game: permutations p that take cell i (index) to p[i].

        They keep which cells touch, the holes, the placements of each kind, and the labels that
        hits tell. The identity is the first.

        limit -- if there are more symmetries, only the identity is returned.
        """
        are_too_many = limit is not None and len(self._symmetries) > limit
        return self._symmetries[:1] if are_too_many else self._symmetries

    @cached_property
    def _symmetries(self) -> tuple[Permutation, ...]:
        """The symmetries of the board with its holes and ships that keep the labels of hits."""
        symmetries = _symmetries(self.board, self.holes, frozenset(self.fleet))
        if self.label_of_kind is not None:  # labels move with their ships
            return symmetries
        return tuple(filter(self.label_table.has_symmetry, symmetries))

    def images(self, mask: int) -> list[int]:
        """Return the image of a mask under each symmetry, in their order; equal ones are kept."""
        return [image(mask, permutation) for permutation in self.symmetries()]


def _fields_of(text: str) -> dict[str, Any]:
    """Return the arguments of `Game` that a text gives, by name; GameError for another text."""
    named_game, added_rules = split_name(text) or (None, "")
    match = _GAME.fullmatch(named_game.text if named_game else text)
    if match is None:
        raise _not_a_game_error(text)
    ships, rules = _split_ships_and_rules(text, match["ships_and_rules"])
    if added_rules:  # behind its comma or semicolon; after ; there are only rules
        rules |= _split_ships_and_rules(text, f";{added_rules[1:]}")[1]
    if not any(ships):
        raise GameError(f"{text!r} has no ships; add them, as in 4x4:3,2")
    board: Board | str = rules.pop("board", "rectangle")
    if match["file"]:
        if board != "rectangle":
            raise GameError(f"{text!r} has a board of a file, and board={board} besides")
        board = named_board(match["file"])
        rows, columns = board.rows, board.columns
    else:
        rows, columns = int(match["rows"]), int(match["columns"])
    kind_by_name = board.kinds if isinstance(board, Board) else {}
    fleet = _parse_fleet(text, ships, kind_by_name)
    fields = {**rules, "rows": rows, "columns": columns, "fleet": fleet, "board": board}
    if "holes" in rules:
        _require_grid(rows, columns)  # before a mask of so many bits is made
        fields["holes"] = parse_holes(rules["holes"], rows, columns)
    return fields


def _require_grid(rows: int, columns: int) -> None:
    """Raise GameError for a grid without cells, or with more than MAX_BOARD."""
    grid, cells = f"{rows}x{columns}", rows * columns
    if rows < 1 or columns < 1:
        raise GameError(f"the grid {grid} has no cells; rows and columns are 1 or more")
    if cells > MAX_BOARD:
        raise GameError(f"the grid {grid} has {cells} cells; at most {MAX_BOARD:,} are handled")


def _parse_fleet(text: str, ships: Sequence[str], kind_by_name: Mapping[str, int]) -> list[int]:
    """Return the kinds of ships of some texts; GameError for a text that is not a ship.

    text -- the whole game, for the error. kind_by_name -- the ships that the board has by name.
    """
    kinds = []
    for ship in ships:
        name = "-".join(ship.lower().split())
        try:
            kinds.append(kind_by_name[name] if name in kind_by_name else parse_kind(ship))
        except GameError as error:
            named_ships = f"; the board has {', '.join(kind_by_name)}" if kind_by_name else ""
            raise GameError(f"in {text!r}: {error}{named_ships}") from None
    return kinds


def has_ranges(text: str) -> bool:
    """True if the text of a game has a range in place of a length."""
    fields = _fields_of(text)
    return any(isinstance(kind, LengthRange) for kind in fields["fleet"])


def _not_a_game_error(text: str) -> GameError:
    """Return the error for a text that is not a game."""
    if re.fullmatch(r"\s*\d+\s*[xX×]\s*\d+\s*", text, re.ASCII):
        return GameError(f"{text!r} has no ships; add them, as in 4x4:3,2")
    form = suggestion(text) or f"write {_FORM}, or {'|'.join(NAMED_GAMES)}, as in {_EXAMPLES}"
    return GameError(f"{text!r} is not a game; {form}")


def _split_ships_and_rules(text: str, after_board: str) -> tuple[list[str], dict[str, str]]:
    """Return the texts of the ships of a game, and the value of each rule that is given, by name.

    after_board -- the text after the board: ships up to the first rule or `;`, then rules. The
    value of `holes` has commas. text -- the whole game, for errors.
    """
    ships: list[str] = []
    rules: dict[str, str] = {}
    for section_index, section in enumerate(after_board.split(";")):
        item_before = "ship" if section_index == 0 else ""  # what a further item continues
        for item in map(str.strip, section.split(",")):
            key, equals, value = map(str.strip, item.partition("="))
            if equals and key in rules:
                raise GameError(f"{key} is given twice in {text!r}")
            if equals and key in _RULES:
                rules[key] = value
                item_before = key
            elif not equals and item_before == "ship":
                ships.append(item)
            elif not equals and item_before == "holes":
                rules["holes"] += f",{item}"
            else:
                raise GameError(
                    f"{item!r} in {text!r} is not a rule; write contact={'|'.join(CONTACTS)}, "
                    f"announce={'|'.join(ANNOUNCEMENTS)}|FILE.py:NAME, ends={'|'.join(ENDS)}, "
                    f"holes=CELL,CELL-CELL,… or board={'|'.join(BOARD_MAKERS)}"
                )
    return ships, rules


def placements(rows: int, columns: int, length: int) -> tuple[int, ...]:
    """Return all placements of a straight ship on a rectangle, as masks; see `Game.placements`."""
    return make_board("rectangle", rows, columns).placements(length)


def _fleet_order(kind: int) -> tuple[int, bool, str]:
    """Return the sort key of a fleet: larger ships first, then straight ones, then by text."""
    return -int(kind), isinstance(kind, Shape), str(kind)


@lru_cache(maxsize=256)
def _placements(board: Board, kind: int, holes: int) -> tuple[int, ...]:
    return tuple(ship for ship in board.placements(kind) if not ship & holes)


@lru_cache(maxsize=16)
def _label_table(game: Game) -> LabelTable:
    """Return what a hit on each cell of each placement tells, by the rule of the game."""
    labels = {}
    for kind in dict.fromkeys(game.fleet):
        for mask in game.placements(kind):
            cell_by_index = {index: game.cell(index) for index in bits(mask)}
            head = game.board.head_of(kind, mask)  # the cell that its drawing marks, if any
            ship = PlacedShip(
                kind=kind,
                cells=tuple(cell_by_index.values()),
                place=Placement(mask, game.ship_name(mask)),
                head=None if head is None else cell_by_index[head],
            )
            labels[kind, mask] = {
                index: game.announcement.tells(ship, cell) for index, cell in cell_by_index.items()
            }
    return LabelTable(game.announcement, game.fleet, labels)


@lru_cache(maxsize=1 << 16)
def _halo(board: Board, contact: str, placement: int) -> int:
    return board.halo(contact, placement)


@lru_cache(maxsize=256)
def _symmetries(board: Board, holes: int, kinds: frozenset[int]) -> tuple[Permutation, ...]:
    return board.symmetries(kinds, holes)
