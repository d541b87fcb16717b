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
    """A table that was read.

    header -- the `# key: value` lines; columns -- names in order; rows -- one dictionary per row,
    column name to text. path, lines -- the file, and the line where each row starts.
    """

    header: dict[str, str]
    columns: tuple[str, ...]
    rows: list[dict[str, str]]
    path: Path = field(default=Path(), compare=False)
    lines: tuple[int, ...] = field(default=(), compare=False, repr=False)

    def values(self, column: str, parse: Callable[[str], T]) -> list[T]:
        """Return one column, each value parsed: `int`, `Fraction`, `Position.parse`, …

        Raises RecordError for an unknown column, and for a text that `parse` refuses with a
        ValueError or ZeroDivisionError.
        """
        if column not in self.columns:
            raise RecordError(
                f"{self.path}: there is no column {column!r}; the columns are "
                f"{', '.join(self.columns)}"
            )
        result = []
        for row, line in zip(self.rows, self.lines or [0] * len(self.rows), strict=True):
            try:
                result.append(parse(row[column]))
            except (ValueError, ZeroDivisionError) as error:
                raise RecordError(
                    f"{self.path}, line {line}: {row[column]!r} in column {column!r}: {error}"
                ) from None
        return result

    def where(self, column: str, texts: Collection[str]) -> Record:
        """Return the table with only the rows that have one of these texts in a column."""
        chosen = [i for i, row in enumerate(self.rows) if row.get(column) in texts]
        lines = tuple(self.lines[i] for i in chosen)
        return replace(self, rows=[self.rows[i] for i in chosen], lines=lines)

    def digest(self, without: Collection[str] = ()) -> str:
        """Return a digest of all columns except those named, and the header except `VARYING`.

        It stays equal if a table is computed again with the same values.
        """
        header = {key: self.header[key] for key in self.header if key not in VARYING}
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
    """Write a result table; the file appears whole or not at all.

    columns -- distinct names; rows -- one value per column, written as str(value); title -- of the
    table; command -- the one that makes it; fields -- more header lines, such as
    `{"configurations": 1925751392}`.

    The header adds the versions of optsearch, Python and numpy, the commit of optsearch (`commit`)
    and the UTC day. Raises RecordError for what cannot be written.
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
    lines += [_line(columns), *(_line([str(value) for value in row]) for row in rows)]
    documents.write(path, "".join(lines), RecordError)


def _header_line(path: Path, key: str, value: str) -> str:
    line = f"# {key}: {value}\n"
    if not key or _header_field(line.rstrip("\n")) != (key, value) or len(line.splitlines()) > 1:
        raise RecordError(
            f"{path}: {key!r}: {value!r} is not a header field; a key has no colon, and neither "
            "has line breaks or outer spaces"
        )
    return line


def _line(values: Sequence[str]) -> str:
    """Return one row; values are quoted if CSV needs it, or if they look like a header."""
    return (
        ",".join(
            '"' + value.replace('"', '""') + '"'
            if not value or value[0] == "#" or any(mark in value for mark in ',"\r\n')
            else value
            for value in values
        )
        + "\n"
    )


def commit() -> str:
    """Return the commit of the checkout in use, with `+changes` if its tree is modified.

    Tables of results do not count as changes: a run that writes several gives all of them the same
    commit. An installed copy, or an archive of the source, has the commit that it was made of, or
    else the version: `release 0.1.0`.
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
        changes = git(
            *("status", "--porcelain", "--untracked-files=all", "--"),
            *(":/", ":(top,exclude)data/results"),
        )
    except (OSError, subprocess.CalledProcessError):
        return _stored_commit(CHECKOUT)
    return head + "+changes" if changes else head


def _stored_commit(folder: Path) -> str:
    """Return the commit that `setup.py` wrote into a folder when it was made; else the release."""
    path = folder / "COMMIT"
    written = path.read_text(encoding="ascii") if path.is_file() else ""
    return written or f"release {VERSION}"


# Reading


def read(path: str | Path) -> Record:
    """Read the table in a file; RecordError, with file and line, if it is not a table."""
    path = Path(path)
    lines = documents.text_of(path, RecordError, MOST_BYTES).split("\n")
    header: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        if not line.startswith("#"):
            break
        key, value = _header_field(line.rstrip("\r")) or ("", "")
        if not key:
            raise RecordError(f"{path}, line {number}: {line!r} is not a header; {_HEADER_FORM}")
        if key in header:
            raise RecordError(f"{path}, line {number}: the header {key!r} is given twice")
        header[key] = value

    header_lines = len(header)
    reader = csv.reader((line + "\n" for line in lines[header_lines:]), strict=True)
    table: list[list[str]] = []
    starts: list[int] = []
    start = header_lines + 1
    try:
        for values in reader:
            if values:
                table.append(values)
                starts.append(start)
            start = header_lines + reader.line_num + 1
    except csv.Error as error:
        raise RecordError(f"{path}, line {start}: {error}") from None
    if not table:
        raise RecordError(f"{path}, line {header_lines + 1}: there is no line of column names")
    columns = table[0]
    if len(set(columns)) < len(columns):
        raise RecordError(f"{path}, line {starts[0]}: a column name is given twice in {columns}")
    for values, start in zip(table[1:], starts[1:], strict=True):
        if len(values) != len(columns):
            raise RecordError(
                f"{path}, line {start}: {len(values)} values, {values}, for the {len(columns)} "
                f"columns {', '.join(columns)}"
            )
    rows = [dict(zip(columns, values, strict=True)) for values in table[1:]]
    return Record(header, tuple(columns), rows, path, tuple(starts[1:]))


def _header_field(line: str) -> tuple[str, str] | None:
    key, colon, value = line[1:].partition(":")
    return (key.strip(), value.strip()) if colon and key.strip() else None


def read_published(name: str) -> Record:
    """Read the published table data/published/NAME, such as `table1.csv`.

    Its first line is `# Source: …`, the work it is copied from. Raises RecordError.
    """
    path = published_path(name)
    if not path.is_file():
        tables = ", ".join(sorted(file.name for file in path.parent.glob("*.csv")))
        raise RecordError(f"{path} does not exist; the published tables are {tables or 'none'}")
    record = read(path)
    if not record.header.get("Source") or next(iter(record.header)) != "Source":
        raise RecordError(f"{path}, line 1: a published table opens with `# Source: …`")
    return record
