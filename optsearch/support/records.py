"""Tables of results and of published values: CSV files that open with `# key: value` lines.

    # title: Occurrence matrix of 10x10:5,4,3,3,2
    # command: python -m experiments.occurrence
    # optsearch: 0.1.0
    …
    row,column,occurrence
    0,0,229713268

Result tables say what computed them; published ones open with `# Source: …`. Values are text: the
reader chooses the type, so that integers and fractions stay exact.
"""

from __future__ import annotations

import csv
import json
import platform
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

import numpy as np

from optsearch.support import documents
from optsearch.support.datafiles import CHECKOUT, DATA, is_checkout, published_path
from optsearch.support.errors import RecordError
from optsearch.support.version import VERSION

T = TypeVar("T")

MOST_BYTES = 1 << 26  # of a table; its rows take some ten times as much memory
_HEADER_FORM = "write `# key: value`"
PROVENANCE = ("title", "command", "optsearch", "python", "numpy", "commit", "date")
VARYING = (*PROVENANCE, "seconds", "note")  # header keys whose values differ between runs


@dataclass(frozen=True)
class Record:
    """A table that was read from a file.

    header -- the values of the `# key: value` lines, by key. columns -- their names, in order.
    rows -- for each row its texts, by the name of the column. path -- the file. lines -- the number
    of the line where each row starts.
    """

    header: dict[str, str]
    columns: tuple[str, ...]
    rows: list[dict[str, str]]
    path: Path = field(default=Path(), compare=False)
    lines: tuple[int, ...] = field(default=(), compare=False, repr=False)

    def values(self, column: str, parse: Callable[[str], T]) -> list[T]:
        """Return the values of one column, row by row, as `parse` makes them of texts.

        Raises RecordError for an unknown column, and for a text that `parse` refuses with a
        ValueError or ZeroDivisionError.
        """
        if column not in self.columns:
            raise RecordError(
                f"{self.path}: there is no column {column!r}; the columns are "
                f"{', '.join(self.columns)}"
            )
        line_numbers = self.lines or [0] * len(self.rows)
        values = []
        for row, line_number in zip(self.rows, line_numbers, strict=True):
            try:
                values.append(parse(row[column]))
            except (ValueError, ZeroDivisionError) as error:
                where = f"{self.path}, line {line_number}"
                problem = f"{row[column]!r} in column {column!r}: {error}"
                raise RecordError(f"{where}: {problem}") from None
        return values

    def where(self, column: str, texts: Collection[str]) -> Record:
        """Return the table with only the rows that have one of these texts in a column."""
        chosen = [index for index, row in enumerate(self.rows) if row.get(column) in texts]
        lines = tuple(self.lines[index] for index in chosen)
        return replace(self, rows=[self.rows[index] for index in chosen], lines=lines)

    def digest(self, without: Collection[str] = ()) -> str:
        """Return a digest of the table, which stays equal if equal values are computed again.

        It leaves out header keys whose values differ between runs (`VARYING`), and the columns
        named in `without`.
        """
        header = {key: value for key, value in self.header.items() if key not in VARYING}
        columns = [name for name in self.columns if name not in without]
        values = [[row[name] for name in columns] for row in self.rows]
        return sha256(json.dumps([header, columns, values]).encode()).hexdigest()[:16]


# Writing


def write(
    path: str | Path,
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    title: str,
    command: str,
    fields: Mapping[str, object] | None = None,
) -> None:
    """Write a table of results to a file, whole or not at all.

    columns -- their names, all distinct. rows -- for each row a value per column, written as
        str(value).
    title -- the title of the table. command -- the command that makes it.
    fields -- more values of the header, such as `{"configurations": 1925751392}`.

    The header also has the versions of optsearch, Python and numpy, the commit of optsearch (see
    `commit`) and the day in UTC. Raises RecordError for values or a file that cannot be written.
    """
    path = Path(path)
    header = {
        "title": title,
        "command": command,
        "optsearch": VERSION,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "commit": commit(),
        "date": datetime.now(timezone.utc).date().isoformat(),
    }
    for key, value in (fields or {}).items():
        if key in PROVENANCE:
            raise RecordError(f"{path}: the header field {key!r} is filled in by write itself")
        header[key] = str(value)
    lines = [_header_line(path, key, value) for key, value in header.items()]
    lines.append(_csv_line(columns))
    lines += [_csv_line([str(value) for value in row]) for row in rows]
    documents.write(path, "".join(lines), RecordError)


def _header_line(path: Path, key: str, value: str) -> str:
    """Return a line of the header; RecordError if it would not be read as this key and value."""
    line = f"# {key}: {value}\n"
    is_readable = _parse_header_line(line.rstrip("\n")) == (key, value)
    if not key or not is_readable or len(line.splitlines()) > 1:
        raise RecordError(
            f"{path}: {key!r}: {value!r} is not a header field; a key has no colon, and neither "
            "has line breaks or outer spaces"
        )
    return line


def _csv_line(values: Sequence[str]) -> str:
    """Return a line of CSV; values are quoted if CSV needs it, or if they look like a header."""

    def quote_if_needed(value: str) -> str:
        if value and value[0] != "#" and not any(mark in value for mark in ',"\r\n'):
            return value
        return '"' + value.replace('"', '""') + '"'

    return ",".join(map(quote_if_needed, values)) + "\n"


def commit() -> str:
    """Return the commit of the code that runs, with `+changes` if its checkout is modified.

    Tables of results do not count as changes: if a run writes several, all have the same commit. An
    installed copy, or an archive of the source, has the commit that it was made of, or else its
    version, as in `release 0.1.0`.
    """
    import subprocess

    if not is_checkout():
        return _stored_commit(DATA)

    def git(*arguments: str) -> str:
        command = ["git", "--no-optional-locks", "-C", str(CHECKOUT), *arguments]
        return subprocess.run(command, capture_output=True, check=True, text=True).stdout.strip()

    try:
        if Path(git("rev-parse", "--show-toplevel")).resolve() != CHECKOUT:
            return _stored_commit(CHECKOUT)  # an archive, unpacked in some other repository
        head = git("rev-parse", "HEAD")
        all_but_results = (":/", ":(top,exclude)data/results")
        changes = git("status", "--porcelain", "--untracked-files=all", "--", *all_but_results)
    except (OSError, subprocess.CalledProcessError):
        return _stored_commit(CHECKOUT)
    return head + "+changes" if changes else head


def _stored_commit(folder: Path) -> str:
    """Return the commit in a folder's file COMMIT, which `setup.py` writes; else the release."""
    path = folder / "COMMIT"
    written = path.read_text(encoding="ascii") if path.is_file() else ""
    return written or f"release {VERSION}"


# Reading


def read(path: str | Path) -> Record:
    """Return the table in a file; RecordError, with file and line, if it is not a table."""
    path = Path(path)
    lines = documents.text_of(path, RecordError, MOST_BYTES).split("\n")
    header = _read_header(path, lines)
    table = _read_csv(path, lines, first_line=len(header) + 1)
    if not table:
        raise RecordError(f"{path}, line {len(header) + 1}: there is no line of column names")
    names_line, columns = table[0]
    if len(set(columns)) < len(columns):
        raise RecordError(f"{path}, line {names_line}: a column name is given twice in {columns}")
    for line_number, values in table[1:]:
        if len(values) != len(columns):
            raise RecordError(
                f"{path}, line {line_number}: {len(values)} values, {values}, for the "
                f"{len(columns)} columns {', '.join(columns)}"
            )
    return Record(
        header=header,
        columns=tuple(columns),
        rows=[dict(zip(columns, values, strict=True)) for _, values in table[1:]],
        path=path,
        lines=tuple(line_number for line_number, _ in table[1:]),
    )


def _read_header(path: Path, lines: Sequence[str]) -> dict[str, str]:
    """Return the values of the header, by key; it ends before the first line without #."""
    header: dict[str, str] = {}
    for line_number, line in enumerate(lines, 1):
        if not line.startswith("#"):
            break
        key, value = _parse_header_line(line.rstrip("\r")) or ("", "")
        if not key:
            raise RecordError(
                f"{path}, line {line_number}: {line!r} is not a header; {_HEADER_FORM}"
            )
        if key in header:
            raise RecordError(f"{path}, line {line_number}: the header {key!r} is given twice")
        header[key] = value
    return header


def _parse_header_line(line: str) -> tuple[str, str] | None:
    """Return the key and the value of a line `# key: value`; None if it has another form."""
    key, colon, value = line[1:].partition(":")
    return (key.strip(), value.strip()) if colon and key.strip() else None


def _read_csv(path: Path, lines: Sequence[str], first_line: int) -> list[tuple[int, list[str]]]:
    """Return the rows of CSV from a line on, each with the number of the line where it starts.

    A row may span several lines. Empty lines are skipped.
    """
    reader = csv.reader((line + "\n" for line in lines[first_line - 1 :]), strict=True)
    rows: list[tuple[int, list[str]]] = []
    line_number = first_line
    try:
        for values in reader:
            if values:
                rows.append((line_number, values))
            line_number = first_line + reader.line_num
    except csv.Error as error:
        raise RecordError(f"{path}, line {line_number}: {error}") from None
    return rows


def read_published(name: str) -> Record:
    """Return the published table data/published/NAME, such as `table1.csv`.

    Raises RecordError if it does not exist, or does not begin with its source, `# Source: …`.
    """
    path = published_path(name)
    if not path.is_file():
        tables = ", ".join(sorted(file.name for file in path.parent.glob("*.csv")))
        raise RecordError(f"{path} does not exist; the published tables are {tables or 'none'}")
    record = read(path)
    if not record.header.get("Source") or next(iter(record.header)) != "Source":
        raise RecordError(f"{path}, line 1: a published table opens with `# Source: …`")
    return record
