"""Every table of results: its place, its columns and their types, what makes it.

    TABLES["optima"].read()[0]["total_height"]          # 10, an int
    TABLES["occurrence"].write(rows, game="4x4:2", name="4x4_2", fields={…})

`tables.csv` and `columns.csv` declare each table once. Experiments write through these
declarations; figures, bounds and the command line read through them. A table whose name has
braces, such as `evaluations/{name}`, is one of a kind, here `evaluations`: the parts in braces are
given to `path`, `read` and `write`. Empty text is None in every column.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from hashlib import sha256
from operator import itemgetter
from pathlib import Path
from typing import Any, ClassVar

from optsearch.game import Game
from optsearch.support import records
from optsearch.support.datafiles import RESULTS
from optsearch.support.errors import RecordError


@dataclass(frozen=True)
class Type:
    """The type of a column: how its text is read, and how a value is written.

    name -- in the documentation. parse -- raises ValueError for a text of another type.
    """

    name: str
    parse: Callable[[str], Any]
    show: Callable[[Any], str] = str


def _yes_or_no(text: str) -> bool:
    if text not in ("yes", "no"):
        raise ValueError("yes or no is accepted")
    return text == "yes"


_PARSER_OF_TYPE: dict[str, Callable[[str], Any]] = {
    "text": str,
    "integer": int,
    "fraction": Fraction,
    "game": Game.read,
}


def _column_type(name: str) -> Type:
    """Return the type of a name, such as `game`, `yes or no` or `3 decimals`."""
    if name == "yes or no":
        return Type(name, _yes_or_no, lambda value: "yes" if value else "no")
    places, _, is_decimal = name.partition(" ")
    if is_decimal:
        return Type(name, float, lambda value: f"{float(value):.{places}f}")
    return Type(name, _PARSER_OF_TYPE[name])


@dataclass(frozen=True)
class Column:
    """A column: its name, its type, and the meaning of its values, with the unit.

    measured -- True if it depends on a time, so that another run gives another value.
    """

    name: str
    type: Type
    meaning: str
    measured: bool = False

    def parse(self, text: str) -> Any:
        """Return the value of a text; None if it is empty."""
        return self.type.parse(text) if text else None

    def show(self, value: Any) -> str:
        """Return the text of a value; empty for None."""
        return "" if value is None else self.type.show(value)


@dataclass(frozen=True)
class Entries(Sequence[dict[str, Any]]):
    """A table that was read: rows as dictionaries from column to value, and its header."""

    table: Table
    header: dict[str, str]
    rows: list[dict[str, Any]]
    path: Path

    def __getitem__(self, index: Any) -> Any:
        return self.rows[index]

    def __len__(self) -> int:
        return len(self.rows)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the rows, with games as texts and fractions as floats."""
        return [{name: _as_json_value(value) for name, value in row.items()} for row in self.rows]

    @property
    def game(self) -> Game | None:
        """The game in the header, if there is one."""
        return Game.read(self.header["game"]) if "game" in self.header else None

    def column(self, name: str) -> list[Any]:
        """Return the values of one column."""
        return [row[name] for row in self.rows]


def _as_json_value(value: Any) -> Any:
    """Return games as texts and fractions as floats, and other values unchanged."""
    if isinstance(value, Game):
        return str(value)
    return float(value) if isinstance(value, Fraction) else value


@dataclass(frozen=True, kw_only=True)
class Made:
    """A file that an experiment makes.

    name -- its path below data/results, without its ending; parts in braces distinguish files of
    one kind. experiment, arguments -- the module of `experiments` that makes it, and its arguments.
    minutes -- that this takes on two cores, roughly; of_names -- the minutes of files of the kind
    that take another time, by name.
    """

    name: str
    experiment: str
    minutes: float
    arguments: str = ""
    of_names: Mapping[str, float] = field(default_factory=dict, hash=False)
    ending: ClassVar[str] = ".csv"

    @property
    def command(self) -> str:
        """The command that makes the file."""
        return f"python -m experiments.{self.experiment} {self.arguments}".strip()

    @property
    def most_minutes(self) -> float:
        """The minutes of the longest file of its kind."""
        return max(self.minutes, *self.of_names.values(), 0)

    def minutes_of(self, path: Path) -> float:
        """Return the minutes of one file of its kind."""
        return self.of_names.get(path.stem, self.minutes)

    @property
    def is_quick(self) -> bool:
        """True if every run of the tests recomputes it."""
        return self.minutes <= QUICK

    @property
    def kind(self) -> str:
        """The name without its parts in braces: `evaluations` of `evaluations/{name}`."""
        return self.name.partition("{")[0].rstrip("_/")

    @property
    def file(self) -> str:
        """The path below a folder of results, with parts in braces."""
        return f"{self.name}{self.ending}"

    def path(self, folder: Path = RESULTS, **name_parts: object) -> Path:
        """Return the path below a folder of results; name_parts -- what fills the name's braces."""
        return folder / self.file.format(**name_parts)

    def all(self, folder: Path = RESULTS) -> Iterator[Path]:
        """Yield the existing files of its kind, by name."""
        return iter(sorted(folder.glob(re.sub(r"\{\w+\}", "*", self.file))))


@dataclass(frozen=True, kw_only=True)
class Tree(Made):
    """A decision tree among the results."""

    ending: ClassVar[str] = ".json"

    def digest(self, path: Path) -> str:
        """Return the first 16 hexadecimal digits of the SHA-256 of the file."""
        return sha256(path.read_bytes()).hexdigest()[:16]


@dataclass(frozen=True, kw_only=True)
class Table(Made):
    """A table of results.

    title -- of its header; in braces are parts of its name, or other lines. columns -- in order.
    sample -- the file of a table for which other code computed parts of this one again.
    backed_by -- the evidence for a table that was computed with uncommitted changes.
    """

    title: str
    columns: tuple[Column, ...]
    sample: str = ""
    backed_by: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.columns)

    def digest(self, path: Path) -> str:
        """Return the digest of the values in a file, without measured ones such as seconds."""
        return records.read(path).digest(
            [column.name for column in self.columns if column.measured]
        )

    def read(self, path: Path | None = None, **name_parts: object) -> Entries:
        """Read the table from a file, by default from the one of its name among the results.

        name_parts -- the values of the braces in that name, as in name="10x10". Raises RecordError
        for no such file, and for columns or values that contradict the declaration.
        """
        return self._parse(records.read(self.path(RESULTS, **name_parts) if path is None else path))

    def rows_of(self, game: Game, folder: Path = RESULTS) -> list[dict[str, Any]]:
        """Return the rows of a game; an empty list if the table has no file.

        On a rectangle without holes, with straight ships that are announced alike either way, the
        rows of the game with rows and columns exchanged count, too.
        """
        path = self.path(folder)
        if not path.is_file():
            return []
        games = [game]
        has_same_replies = game.label_of_kind is not None or game.shows_ships
        is_plain = not game.holes and all(type(ship) is int for ship in game.fleet)
        if game.is_rectangle and is_plain and has_same_replies:
            games.append(replace(game, rows=game.columns, columns=game.rows))
        record = _record(path, path.stat().st_mtime_ns)
        return self._parse(record.where("game", set(map(str, games)))).rows

    def _parse(self, record: records.Record) -> Entries:
        if record.columns != self.names:
            raise RecordError(
                f"{record.path}: the columns are {', '.join(record.columns)}; those of a table "
                f"{self.name} are {', '.join(self.names)}"
            )
        values = [record.values(column.name, column.parse) for column in self.columns]
        rows = [dict(zip(self.names, row, strict=True)) for row in zip(*values, strict=True)]
        return Entries(self, record.header, rows, record.path)

    def write(
        self,
        rows: Iterable[Sequence[object]],
        folder: Path = RESULTS,
        *,
        path: Path | None = None,
        command: str | None = None,
        fields: Mapping[str, object] | None = None,
        **name_parts: object,
    ) -> Path:
        """Write the table to the file of its name below a folder, or to `path`; return the path.

        rows -- each has one value per column. command -- that made the rows, by default the
        declared one. fields -- more lines of the header. name_parts -- what replaces the braces of
        the file's name, as in name="10x10". Fields and name parts also fill the title. Raises the
        errors of `records.write`.
        """
        if path is None:
            path = self.path(folder, **name_parts)
            path.parent.mkdir(parents=True, exist_ok=True)
        texts = [
            [column.show(value) for column, value in zip(self.columns, row, strict=True)]
            for row in rows
        ]
        records.write(
            path,
            self.names,
            texts,
            title=self.title.format(**{**(fields or {}), **name_parts}),
            command=command or self.command,
            fields=fields,
        )
        return path


@lru_cache(maxsize=8)
def _record(path: Path, modified: int) -> records.Record:
    """Read the table in a file; `modified` makes a modified file be read again."""
    return records.read(path)


QUICK = 0.2  # minutes


def best_bounds(table: Entries) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return two rows of a table of bounds: the greatest lower bound and the least upper one."""
    lower = [row for row in table if row["side"] == "lower"]
    upper = [row for row in table if row["side"] == "upper"]
    return max(lower, key=_exact_value), min(upper, key=_exact_value)


_exact_value = itemgetter("value_exact")


def file_name_of(game: Game) -> str:
    """Return a game as part of a table's name: 10x10_54332, or 1x28_-11-1-1 for long ships."""
    separator = "-" if max(game.fleet) > 9 else ""
    comma_between_ships = ",(?![a-z]+=)"  # not one before a rule such as contact=any
    return re.sub(comma_between_ships, separator, str(game).replace(":", f"_{separator}"))


def told_file_name(game: Game) -> str:
    """Return a game without announcements as part of a table's name: 10x10_54332_any."""
    return f"{file_name_of(replace(game, contact='none', announce='nothing'))}_{game.contact}"


def _read_declarations(file: str) -> Iterator[dict[str, str]]:
    yield from csv.DictReader(Path(__file__).with_name(file).read_text("utf-8").splitlines())


def _declared_tables() -> Iterator[Table]:
    """Yield each kind of table, as `tables.csv` and `columns.csv` declare it."""
    columns: dict[str, list[Column]] = {}
    for row in _read_declarations("columns.csv"):
        column = Column(
            row["column"], _column_type(row["type"]), row["meaning"], bool(row["measured"])
        )
        columns.setdefault(row["table"], []).append(column)
    for row in _read_declarations("tables.csv"):
        minutes, *minutes_of_names = row.pop("minutes").split()  # as in "12 greedy=2 spread=13"
        of_names = dict(text.split("=") for text in minutes_of_names)
        yield Table(
            **row,
            columns=tuple(columns[row["name"]]),
            minutes=float(minutes),
            of_names={name: float(number) for name, number in of_names.items()},
        )


TABLES = {table.kind: table for table in _declared_tables()}
"""Each table by its kind, in the order of `tables.csv`."""
CONFIRMING = (TABLES["recomputed"], TABLES["checked"])
"""Tables whose rows name a table and the digest of its values, as they were computed again."""
TOLD_BOUND = "all ships told but two"  # the header field of `told` with the bound

COUNTEREXAMPLE_GREEDY = Tree(name="counterexample_greedy", experiment="trees", minutes=0.1)
COUNTEREXAMPLE_OPTIMAL = Tree(name="counterexample_optimal", experiment="trees", minutes=0.1)
TREES = (COUNTEREXAMPLE_GREEDY, COUNTEREXAMPLE_OPTIMAL)
