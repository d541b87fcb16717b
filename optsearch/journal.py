"""Files that survive a kill and are checked before they are believed.

Three kinds: one that is written whole or not at all (`replacing`, `replace`), arrays with a
checksum (`write_arrays`, `read_arrays`), and a journal that grows by one fact at a time
(`Journal`). Checksums are keyed with what a file is of, so what belongs to another game or strategy
does not pass. They are for damage and mistakes; who means to deceive can compute them too.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import blake2b
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optsearch.errors import TableError

FORMAT = "optsearch journal"
VERSION = 1

ARRAYS = b"optsearch arrays 1\n"
_HEAD_BYTES = 8
_DIGEST_BYTES = 16
_ALIGNED = 64

Arrays = Mapping[str, NDArray[Any]]


# Whole or not at all


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """The name of a file to write, which takes the place of `path` at the end; folders are made.

    If the block fails, what was there stays. Raises OSError, also where something that is not a
    regular file is in the way.
    """
    path = path.resolve()
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, f"{path} is not a regular file")
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        yield beside
        sync(beside)
        os.replace(beside, path)
        sync(path.parent)
    finally:
        beside.unlink(missing_ok=True)


def read_text(path: Path, most: int = 1 << 30) -> str:
    """The UTF-8 text in a file of at most so many bytes, also where a device has no end.

    Raises OSError, and ValueError for what is too long or is no text.
    """
    pieces: list[bytes] = []
    size = 0
    with open(path, "rb") as file:
        while piece := file.read(min(1 << 20, most + 1 - size)):
            pieces.append(piece)
            size += len(piece)
            if size > most:
                raise ValueError(f"it has more than {most:,} bytes")
            if b"\0" in piece and size == 1 << 20:
                raise ValueError("it is not UTF-8 text")
    return b"".join(pieces).decode()


def replace(path: Path, content: str | bytes) -> None:
    """Put a file at `path`, whole or not at all; text as UTF-8. OSError as in `replacing`."""
    with replacing(path) as beside:
        beside.write_bytes(content.encode() if isinstance(content, str) else content)


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


# Arrays


def write_arrays(path: Path, what: str, arrays: Arrays) -> None:
    """Put arrays of numbers into a file, with a checksum, whole or not at all.

    what -- names what they are of. Raises TableError where the file cannot be written.
    """
    whole = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    bodies = [array.ravel().data for array in whole.values()]
    head = json.dumps(
        {
            "what": what,
            "arrays": [[name, array.dtype.str, array.shape] for name, array in whole.items()],
        }
    ).encode()
    head += b" " * (-len(head) % _ALIGNED)
    digest = blake2b(head, digest_size=_DIGEST_BYTES, key=_key(what))
    for body in bodies:
        digest.update(body)
    try:
        with replacing(path) as beside, beside.open("wb") as file:
            file.write(ARRAYS)
            file.write(digest.digest() + len(head).to_bytes(_HEAD_BYTES, "little"))
            file.write(head)
            file.writelines(bodies)
    except OSError as error:
        raise TableError(f"{path} cannot be written: {_reason(error)}") from None


def read_arrays(path: Path, what: str) -> dict[str, NDArray[Any]] | None:
    """The arrays in a file of `write_arrays`; None where there is no file.

    Raises TableError where it is not whole, or of something else; the message begins with the path.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise TableError(f"{path} cannot be read: {_reason(error)}") from None
    start = len(ARRAYS) + _DIGEST_BYTES + _HEAD_BYTES
    length = int.from_bytes(content[start - _HEAD_BYTES : start], "little")
    if not content.startswith(ARRAYS) or not 0 < length <= len(content) - start:
        raise TableError(f"{path} is damaged, or not a file of this version of optsearch")
    try:
        head = json.loads(content[start : start + length])
        written_for = str(head["what"])
    except (ValueError, TypeError, KeyError):
        raise TableError(f"{path} is damaged: its checksum is wrong") from None
    body = memoryview(content)[start:]
    digest = blake2b(body, digest_size=_DIGEST_BYTES, key=_key(written_for)).digest()
    if digest != content[len(ARRAYS) : len(ARRAYS) + _DIGEST_BYTES]:
        raise TableError(f"{path} is damaged: its checksum is wrong")
    if written_for != what:
        raise TableError(f"{path} is of {written_for}, not of {what}")
    arrays, at = {}, start + length
    for name, kind, shape in head["arrays"]:
        array = np.ndarray(tuple(shape), np.dtype(kind), content, at)
        arrays[name] = array
        at += array.nbytes
    return arrays


# Journals


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
        self._before = _key(what)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = FileIO(str(path), "a+")
        except OSError as error:
            raise TableError(f"{path} cannot be opened: {_reason(error)}") from None
        try:
            self._lock()
            self._read(what)
        except OSError as error:
            self.close()
            raise TableError(f"{path} cannot be read: {_reason(error)}") from None
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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise TableError(
                f"{self.path} is being written by another process; wait for its end, or name "
                "another folder"
            ) from None

    def _read(self, what: str) -> None:
        self._file.seek(0)
        text = self._file.read()
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
        if written_for != head["what"] and lines[0] + b"\n" == _line(_key(written_for), written):
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
                f"{self.path} cannot be written: {_reason(error)}; what it had is safe, and the "
                "same run goes on from there"
            ) from None
        self._before = line[:-1]


def _line(before: bytes, content: object) -> bytes:
    """A line of a journal after another one."""
    text = json.dumps(content, separators=(",", ":")).encode()
    digest = blake2b(before + b"\n" + text, digest_size=8).hexdigest()
    return digest.encode() + b" " + text + b"\n"


def _key(what: str) -> bytes:
    """What is mixed into all checksums of a file."""
    return blake2b(what.encode(), digest_size=32).digest()


def _reason(error: OSError) -> str:
    return error.strerror or str(error)
