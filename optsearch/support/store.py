"""Stores from which runs resume: values by exact keys in LMDB, each with a checksum.

A folder holds the store of one question, such as the evaluation of one strategy on one game, as
`data.mdb`: a header that names the question, and the records. The one process that uses it locks
that file for as long as it lives; LMDB needs no locks of its own.

Committed values survive the end of the process, however it comes. Checksums are keyed with the
question and cover the key, so that no record is taken for another, or for one of another store.
They detect damage and mistakes, not forgery.

LMDB trusts its file: if a page is missing or damaged, reading kills the process. Commits are whole
whatever is killed, so a file is damaged only from outside: it is cut off, a disk fails, it was
copied during a commit. So another process reads all of it first.

The records of the database lie under *slots*: a slot is a key, or a digest of a key too long for
LMDB, behind a letter that says which of the two.

`Store` keeps bytes, `Integers` what kernels find, `Facts` JSON by names.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import blake2b
from io import FileIO
from pathlib import Path
from struct import Struct
from typing import Any, TypeVar

import lmdb

from optsearch.support.errors import TableError

FORMAT = "optsearch store"
VERSION = 1
_HEADER = b"header"
# A slot is a key, or the digest of a key too long for LMDB.
_SHORT_KEY_MARK, _LONG_KEY_MARK = b"k", b"d"
_LONGEST_SHORT_KEY = 500  # bytes
_CHECKSUM_BYTES = 8
_LENGTH_FORMAT = Struct("<I")
_INTEGER_FORMAT = Struct("<q")
_FIRST_MAP_SIZE = 1 << 24  # bytes of address space and of a sparse file, at first
_BATCH_BYTES = 1 << 26
_READ_ALL = """
import sys
folder, *sys.path = sys.argv[1:]
import lmdb
try:
    with lmdb.open(folder, map_size=0, readonly=True, lock=False) as env:
        with env.begin() as txn:
            for _ in txn.cursor():
                pass
except lmdb.Error as error:
    sys.exit(str(error))
"""


class Store:
    """Values by keys, both bytes, of one question, in a folder.

    folder -- it is made, with its parents, if it does not exist.
    question -- a text that names the question. A store of another question is refused.
    batch, seconds -- `put` commits if this many values are uncommitted, or if this time has passed
        since the last commit.

    Only one process can open a store, and only once. Raises TableError, here and in every method,
    if the folder cannot be used.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        question: str,
        *,
        batch: int = 20_000,
        seconds: float = 5.0,
    ):
        self.path, self.question = Path(folder), question
        self._batch, self._seconds = batch, seconds
        self._pending: dict[bytes, bytes] = {}  # records by slots
        self._pending_bytes = 0
        self._committed_at = time.monotonic()
        self._header = _encode(f"{FORMAT}\n{VERSION}\n{question}")
        hash_key = blake2b(self._header).digest()
        self._keyed_hash = blake2b(digest_size=_CHECKSUM_BYTES, key=hash_key)
        self._locked_file: FileIO | None = None
        self._environment: lmdb.Environment | None = None
        with self._translate_errors("opened"):
            self._require_folder()
            try:
                self._make_and_lock()
                if self._file.stat().st_size:
                    self._require_readable()
                    self._require_this_question()
                self._environment = self._open_database()
            except BaseException:
                self._release()
                raise

    # Values

    def get(self, key: bytes) -> bytes | None:
        """Return the value of a key, committed or not; None if it has none."""
        slot = _slot_of(key)
        record = self._pending.get(slot) or self._read_record(slot)
        if record is None:
            return None
        stored_key, value = self._unpack(slot, record)
        return value if stored_key == key else None  # two long keys may have equal digests

    def put(self, key: bytes, value: bytes) -> None:
        """Set the value of a key; it is committed now or later."""
        self._database()  # TableError if it is closed
        slot = _slot_of(key)
        body = value
        if slot[:1] == _LONG_KEY_MARK:
            body = _LENGTH_FORMAT.pack(len(value)) + value + key
        self._pending[slot] = self._checksum(slot, body) + body
        self._pending_bytes += len(body)
        is_full = len(self._pending) >= self._batch or self._pending_bytes >= _BATCH_BYTES
        if is_full or time.monotonic() - self._committed_at >= self._seconds:
            self.flush()

    def items(self) -> Iterator[tuple[bytes, bytes]]:
        """Yield every key with its value, in no order; later changes are not seen."""
        self.flush()
        with self._translate_errors("read"), self._database().begin() as transaction:
            for slot, record in transaction.cursor():
                if slot != _HEADER:
                    yield self._unpack(slot, record)

    def __len__(self) -> int:
        """Return the number of keys that have a value."""
        self.flush()
        with self._translate_errors("read"):
            return int(self._database().stat()["entries"]) - 1  # one is the header

    @property
    def size(self) -> int:
        """The size of the database on disk, in bytes."""
        return self._file.stat().st_size

    def flush(self) -> None:
        """Commit: on return all values are on the disk. If that fails, they stay pending."""
        while self._pending:
            environment = self._database()
            try:
                with environment.begin(write=True) as transaction:
                    for slot in sorted(self._pending):  # in the order of the tree
                        transaction.put(slot, self._pending[slot])
                self._pending, self._pending_bytes = {}, 0
            except lmdb.MapFullError:  # try again with more room
                with self._translate_errors("written"):
                    environment.set_mapsize(2 * environment.info()["map_size"])
            except (lmdb.Error, OSError):
                with self._translate_errors("written"):
                    environment.close()  # LMDB may refuse to go on after a failed write
                    self._environment = None
                    self._environment = self._open_database()
                    raise  # as a TableError
        self._committed_at = time.monotonic()

    # The end

    def close(self) -> None:
        """Commit and release the folder; a second call does nothing."""
        try:
            if self._environment is not None:
                self.flush()
        finally:
            self._release()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        try:
            self.close()
        except TableError:
            if error is None:  # otherwise the first error says more
                raise

    def _release(self) -> None:
        """Close the database and unlock its file; values that are not committed are lost."""
        self._pending, self._pending_bytes = {}, 0
        if self._environment is not None:
            self._environment.close()
            self._environment = None
        if self._locked_file is not None:
            self._locked_file.close()
            self._locked_file = None

    # Records: a checksum and a body, which is the value, or its length, the value and a long key

    def _checksum(self, slot: bytes, body: bytes) -> bytes:
        """Return the checksum of a record (its key and its content) in a store of this question."""
        keyed_hash = self._keyed_hash.copy()
        keyed_hash.update(slot)
        keyed_hash.update(body)
        return keyed_hash.digest()

    def _unpack(self, slot: bytes, record: bytes) -> tuple[bytes, bytes]:
        """Return the key and the value of a record; TableError if its checksum is wrong.

        slot -- its key in the database: the key itself, or a digest of a long one, behind a mark.
        """
        body = record[_CHECKSUM_BYTES:]
        if record[:_CHECKSUM_BYTES] != self._checksum(slot, body):
            raise self.damage_error("the checksum of a value is wrong")
        if slot[:1] == _SHORT_KEY_MARK:
            return slot[1:], body
        end_of_value = _LENGTH_FORMAT.size + _LENGTH_FORMAT.unpack_from(body)[0]
        return body[end_of_value:], body[_LENGTH_FORMAT.size : end_of_value]

    def _read_record(self, slot: bytes) -> bytes | None:
        with self._translate_errors("read"), self._database().begin() as transaction:
            return transaction.get(slot)

    # The folder

    @property
    def _file(self) -> Path:
        return self.path / "data.mdb"

    def damage_error(self, problem: str) -> TableError:
        """Return the error for a store that is not as it was written: `problem` says how."""
        return TableError(
            f"{self._file} is damaged: {problem}; restore it from a copy, or name another folder, "
            "where it is computed again"
        )

    def _database(self) -> lmdb.Environment:
        """Return the open database; TableError if it is closed."""
        if self._environment is None:
            raise TableError(f"the store {self.path} is closed; open it again")
        return self._environment

    def _require_folder(self) -> None:
        """Raise TableError unless the path is new, an empty folder, or the folder of a store."""
        if self.path.exists() and not self.path.is_dir():
            raise TableError(f"{self.path} is a file; name a new or empty folder")
        if self._file.exists() and not self._file.is_file():
            raise TableError(f"{self._file} is not a regular file, as that of a store is")
        if not self._file.exists() and self.path.exists():
            names = os.listdir(self.path)
            if names:
                raise TableError(
                    f"{self.path} is not the folder of a store, for it holds {min(names)!r}; name "
                    "a new or empty one"
                )

    def _make_and_lock(self) -> None:
        """Make the folder and the file if they do not exist, and lock the file."""
        self.path.mkdir(parents=True, exist_ok=True)
        self._locked_file = FileIO(str(self._file), "a+")
        try:
            fcntl.flock(self._locked_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise TableError(
                f"{self.path} is open already, in another process or in this one; wait until it is "
                "closed, or name another folder"
            ) from None

    def _require_readable(self) -> None:
        """Raise TableError if the database in the folder is damaged.

        Another process reads all of it, because damage can end the process that reads. Nothing is
        checked if no other process can be started.
        """
        import subprocess

        command = [sys.executable, "-S", "-c", _READ_ALL, str(self.path), *sys.path]
        try:
            reader = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
        except OSError:  # there is no interpreter that this user may start
            return
        if reader.returncode < 0:
            raise self.damage_error("a page is missing, or is not what it should be")
        if reader.returncode:
            raise self.damage_error(reader.stderr.strip().rpartition("\n")[2])

    def _require_this_question(self) -> None:
        """Raise TableError for a store of another question or version, or another database.

        A database without entries is accepted.
        """
        with (
            lmdb.open(str(self.path), map_size=0, readonly=True, lock=False) as environment,
            environment.begin() as transaction,
        ):
            header = transaction.get(_HEADER) or b""
            entries = transaction.stat()["entries"]
        was_never_committed = not entries
        if was_never_committed or header == self._header:
            return
        form, _, version_and_question = header.decode(errors="replace").partition("\n")
        version, _, other_question = version_and_question.partition("\n")
        if (form, version) == (FORMAT, str(VERSION)):
            raise TableError(
                f"{self.path} holds {other_question}, not {self.question}; name another folder"
            )
        if form == FORMAT:
            raise TableError(
                f"{self.path} holds a store of version {version}; here version {VERSION} is used; "
                "name another folder"
            )
        raise TableError(f"{self.path} holds another LMDB database; name a new or empty folder")

    def _open_database(self) -> lmdb.Environment:
        """Open the database in the folder; a new one gets its header, which names the question.

        If that fails, a new database is removed.
        """
        is_new = self.size == 0
        map_size = max(_FIRST_MAP_SIZE, self.size)
        try:
            environment = lmdb.open(str(self.path), map_size=map_size, lock=False, metasync=False)
            with environment.begin(write=True) as transaction:
                transaction.put(_HEADER, self._header, overwrite=False)
        except BaseException:
            if is_new:
                self._file.unlink(missing_ok=True)
            raise
        return environment

    @contextmanager
    def _translate_errors(self, participle: str) -> Iterator[None]:
        """Turn an error of the system or of LMDB in the block into a TableError, with advice.

        participle -- what could not be done to the store: `opened`, `read` or `written`.
        """
        try:
            yield
        except (OSError, lmdb.Error) as error:
            is_forbidden = isinstance(error, PermissionError | lmdb.ReadonlyError)
            if is_forbidden or getattr(error, "errno", None) == errno.EROFS:
                advice = "give this user access to it, or name another folder"
            else:
                advice = (
                    "what was committed is safe; if the disk or a quota is full, free space and "
                    "run again: it goes on from there"
                )
            reason = str(error).rstrip(".")
            raise TableError(
                f"the store {self.path} could not be {participle}: {reason}; {advice}"
            ) from error


class _TypedStore:
    """Values of some type in a store; folder, question and batch are those of `Store`."""

    def __init__(self, folder: str | os.PathLike[str], question: str, batch: int = 20_000):
        self.store = Store(folder, question, batch=batch)
        self.path, self.question = self.store.path, question

    def __len__(self) -> int:
        return len(self.store)

    def close(self) -> None:
        """Commit and release the folder."""
        self.store.close()

    def __enter__(self: S) -> S:
        return self

    def __exit__(self, *error: Any) -> None:
        self.store.__exit__(*error)


S = TypeVar("S", bound=_TypedStore)


class Integers(_TypedStore):
    """Integers of 64 bits by exact keys; they are committed in batches."""

    def get(self, key: bytes) -> int | None:
        """Return the value of a key; None if it has none."""
        value = self.store.get(key)
        return None if value is None else int(_INTEGER_FORMAT.unpack(value)[0])

    def put(self, key: bytes, value: int) -> None:
        """Set the value of a key; an equal value is not written again."""
        if self.get(key) != value:
            self.store.put(key, _INTEGER_FORMAT.pack(value))

    def items(self) -> Iterator[tuple[bytes, int]]:
        """Yield every key with its value, in no order; later changes are not seen."""
        for key, value in self.store.items():
            yield key, int(_INTEGER_FORMAT.unpack(value)[0])


class Facts(_TypedStore, Mapping[str, Any]):
    """A mapping of names to JSON values; each value is committed at once."""

    def __init__(self, folder: str | os.PathLike[str], question: str):
        super().__init__(folder, question, batch=1)

    def __getitem__(self, name: str) -> Any:
        value = self.store.get(_encode(name))
        if value is None:
            raise KeyError(name)
        return json.loads(value)

    def add(self, name: str, fact: object) -> None:
        """Set the value of a name; on return it is on the disk."""
        self.store.put(_encode(name), json.dumps(fact, separators=(",", ":")).encode())

    def __iter__(self) -> Iterator[str]:
        return (key.decode(errors="surrogatepass") for key, _ in self.store.items())

    def impossible_fact(self, name: str, needed: str) -> TableError:
        """Return the error for a stored value that cannot be right. needed -- what it should be."""
        return TableError(
            f"{self.path} is damaged: {name!r} has {str(self[name])[:60]}, not {needed}; restore "
            "it from a copy, or name another folder"
        )


def _encode(text: str) -> bytes:
    return text.encode(errors="surrogatepass")  # a path may have half a pair of surrogates


def _slot_of(key: bytes) -> bytes:
    """Return the slot under which the record of a key lies in the database."""
    if len(key) <= _LONGEST_SHORT_KEY:
        return _SHORT_KEY_MARK + key
    return _LONG_KEY_MARK + blake2b(key, digest_size=32).digest()
