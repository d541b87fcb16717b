"""A journal: facts that are found one after another, in a file that survives a kill."""

from __future__ import annotations

import errno
import json
import os
from hashlib import blake2b
from io import FileIO
from pathlib import Path
from typing import Any

from optsearch.support.errors import TableError
from optsearch.support.files import MOST_BYTES, content_of, key_of, reason_of
from optsearch.support.locks import take

FORMAT = "optsearch journal"
VERSION = 1


class Journal:
    """Facts that are found one after another, in a file that only grows.

    path -- the file; it is made, with its folders, if it is not there. what -- names what the facts
    are of; a journal of something else is refused. One process has a journal at a time.

    A line is a checksum and the JSON of a key and its value; the first one says what the journal
    is. A checksum covers the line before as well, so that no line can be changed, moved, repeated
    or left out. What follows the last end of a line was cut off by a kill, and is dropped.

    Raises TableError, here and in `add`, where the file cannot be used as asked.
    """

    def __init__(self, path: Path, what: str):
        self.path = path
        self.entries: dict[str, Any] = {}
        self._before = key_of(what)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = FileIO(str(path), "a+")
        except OSError as error:
            raise TableError(f"{path} cannot be opened: {reason_of(error)}") from None
        try:
            self._lock()
            self._read(what)
        except OSError as error:
            self.close()
            raise TableError(f"{path} cannot be read: {reason_of(error)}") from None
        except BaseException:
            self.close()
            raise

    def add(self, key: str, value: object) -> None:
        """Keep a fact, in place of an earlier one: on return it is on the disk."""
        self._append([key, value])
        self.entries[key] = value

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _lock(self) -> None:
        if not take(self._file):
            raise TableError(
                f"{self.path} is being written by another process; wait for its end, or name "
                "another folder"
            )

    def _read(self, what: str) -> None:
        self._file.seek(0)
        text = content_of(self._file, MOST_BYTES)
        head = {"format": FORMAT, "version": VERSION, "what": what}
        first = _line(self._before, head)
        if first.startswith(text):  # new, or killed while it was made
            self._file.truncate(0)
            self._append(head)
            return
        whole = text[: text.rfind(b"\n") + 1]
        lines = whole.split(b"\n")[:-1]
        self._require_head(lines, head)
        for number, line in enumerate(lines, 1):
            try:
                content = json.loads(line.partition(b" ")[2])
            except ValueError:
                content = None
            if line + b"\n" != _line(self._before, content):
                raise TableError(
                    f"{self.path} is damaged: the checksum of line {number} is wrong; restore it "
                    "from a copy, or name another folder"
                )
            self._before = line
            if number > 1:
                key, value = content
                self.entries[key] = value
        if len(whole) < len(text):
            self._file.truncate(len(whole))

    def _require_head(self, lines: list[bytes], head: dict[str, object]) -> None:
        """Refuse what is no journal of this version, or one of something else."""
        try:
            written = json.loads(lines[0].partition(b" ")[2])
            kind = (written["format"], written["version"])
            written_for = str(written["what"])
        except (ValueError, TypeError, KeyError, IndexError):
            kind, written_for = ("", 0), ""
        if kind != (FORMAT, VERSION):
            raise TableError(
                f"{self.path} is damaged, or not a checkpoint of this version of optsearch, which "
                "has a checksum in each line; name another folder, or delete it"
            )
        if written_for != head["what"] and lines[0] + b"\n" == _line(key_of(written_for), written):
            raise TableError(
                f"{self.path} is of {written_for}, not of {head['what']}; name another folder"
            )

    def _append(self, content: object) -> None:
        line = _line(self._before, content)
        end = self._file.seek(0, os.SEEK_END)
        try:
            if self._file.write(line) < len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(self._file.fileno())
        except OSError as error:
            self._file.truncate(end)
            raise TableError(
                f"{self.path} cannot be written: {reason_of(error)}; what it had is safe, and the "
                "same run goes on from there"
            ) from None
        self._before = line[:-1]


def _line(before: bytes, content: object) -> bytes:
    """A line of a journal after another one."""
    text = json.dumps(content, separators=(",", ":")).encode()
    digest = blake2b(before + b"\n" + text, digest_size=8).hexdigest()
    return digest.encode() + b" " + text + b"\n"
