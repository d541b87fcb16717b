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
from types import TracebackType
from typing import Any, TypeVar

import lmdb

from optsearch.support.errors import TableError

FORMAT = "optsearch store"
VERSION = 1
_HEADER = b"header"
_SHORT, _LONG = b"k", b"d"  # a record has its key, or a digest of a key too long for LMDB
_MOST_KEY = 500  # bytes of a key by itself
_CHECK_BYTES = 8
_LENGTH = Struct("<I")
_INTEGER = Struct("<q")
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

    folder -- made, with its parents, if it does not exist. question -- its name; a store of another
    one is refused. Only one process can open a store, and only once. batch, seconds -- a `put`
    commits if this many values are uncommitted, or if this time has passed since the last commit.

    Raises TableError, here and in every method, if the folder cannot be used.
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
        self._header = _text(f"{FORMAT}\n{VERSION}\n{question}")
        key = blake2b(self._header).digest()
        self._keyed_hash = blake2b(digest_size=_CHECK_BYTES, key=key)
        self._lock: FileIO | None = None
        self._env: lmdb.Environment | None = None
        with self._reporting("opened"):
            self._require_folder()
            try:
                self._make_and_lock()
                if self._file.stat().st_size:
                    self._require_readable()
                    self._require_this_question()
                self._env = self._open()
            except BaseException:
                self._release()
                raise

    # Values

    def get(self, key: bytes) -> bytes | None:
        """Return the value of a key, committed or not; None if it has none."""
        slot = _slot(key)
        record = self._pending.get(slot)
        if record is None:
            record = self._read(slot)
        stored_key, value = (None, None) if record is None else self._unpack(slot, record)
        return value if stored_key == key else None

    def put(self, key: bytes, value: bytes) -> None:
        """Set the value of a key."""
        self._database()
        slot = _slot(key)
        body = value if slot[:1] == _SHORT else _LENGTH.pack(len(value)) + value + key
        self._pending[slot] = self._check(slot, body) + body
        self._pending_bytes += len(body)
        if (
            len(self._pending) >= self._batch
            or self._pending_bytes >= _BATCH_BYTES
            or time.monotonic() - self._committed_at >= self._seconds
        ):
            self.flush()

    def items(self) -> Iterator[tuple[bytes, bytes]]:
        """Yield every key with its value, in no order, as of the moment when it begins."""
        self.flush()
        with self._reporting("read"), self._database().begin() as txn:
            for slot, record in txn.cursor():
                if slot != _HEADER:
                    yield self._unpack(slot, record)

    def __len__(self) -> int:
        """Return the number of keys that have a value."""
        self.flush()
        with self._reporting("read"):
            return int(self._database().stat()["entries"]) - 1  # one is the header

    @property
    def size(self) -> int:
        """The bytes of the database on disk."""
        return self._file.stat().st_size

    def flush(self) -> None:
        """Commit: on return all values are on the disk. If that fails, they stay pending."""
        while self._pending:
            env = self._database()
            try:
                with env.begin(write=True) as txn:
                    for slot in sorted(self._pending):  # in the order of the tree
                        txn.put(slot, self._pending[slot])
                self._pending, self._pending_bytes = {}, 0
            except lmdb.MapFullError:
                with self._reporting("written"):
                    env.set_mapsize(2 * env.info()["map_size"])
            except (lmdb.Error, OSError):
                with self._reporting("written"):
                    env.close()  # LMDB may refuse to go on after a failed write
                    self._env = None
                    self._env = self._open()
                    raise
        self._committed_at = time.monotonic()

    # The end

    def close(self) -> None:
        """Commit and release the folder; a second call does nothing."""
        try:
            if self._env is not None:
                self.flush()
        finally:
            self._release()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            self.close()
        except TableError:
            if error is None:  # otherwise the first error says more
                raise

    def _release(self) -> None:
        self._pending, self._pending_bytes = {}, 0
        if self._env is not None:
            self._env.close()
            self._env = None
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    # Records

    def _check(self, slot: bytes, body: bytes) -> bytes:
        check = self._keyed_hash.copy()
        check.update(slot)
        check.update(body)
        return check.digest()

    def _unpack(self, slot: bytes, record: bytes) -> tuple[bytes, bytes]:
        """Return the key and the value of a record; TableError if its checksum is wrong."""
        body = record[_CHECK_BYTES:]
        if record[:_CHECK_BYTES] != self._check(slot, body):
            raise self.damaged("the checksum of a value is wrong")
        if slot[:1] == _SHORT:
            return slot[1:], body
        end = _LENGTH.size + _LENGTH.unpack_from(body)[0]
        return body[end:], body[_LENGTH.size : end]

    def _read(self, slot: bytes) -> bytes | None:
        with self._reporting("read"), self._database().begin() as txn:
            return txn.get(slot)

    # The folder

    @property
    def _file(self) -> Path:
        return self.path / "data.mdb"

    def damaged(self, problem: str) -> TableError:
        """Return the error for a store that is not as it was written."""
        return TableError(
            f"{self._file} is damaged: {problem}; restore it from a copy, or name another folder, "
            "where it is computed again"
        )

    def _database(self) -> lmdb.Environment:
        if self._env is None:
            raise TableError(f"the store {self.path} is closed; open it again")
        return self._env

    def _require_folder(self) -> None:
        """Refuse a path that is not a folder, and a folder of something else."""
        if self.path.exists() and not self.path.is_dir():
            raise TableError(f"{self.path} is a file; name a new or empty folder")
        if self._file.exists() and not self._file.is_file():
            raise TableError(f"{self._file} is not a regular file, as that of a store is")
        if not self._file.exists() and self.path.exists():
            for name in sorted(os.listdir(self.path)):
                raise TableError(
                    f"{self.path} is not the folder of a store, for it holds {name!r}; name a new "
                    "or empty one"
                )

    def _make_and_lock(self) -> None:
        """Make the folder and the file if they do not exist, and lock the file."""
        self.path.mkdir(parents=True, exist_ok=True)
        self._lock = FileIO(str(self._file), "a+")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise TableError(
                f"{self.path} is open already, in another process or in this one; wait until it is "
                "closed, or name another folder"
            ) from None

    def _require_readable(self) -> None:
        """Refuse a database that another process cannot read to its end."""
        import subprocess

        command = [sys.executable, "-S", "-c", _READ_ALL, str(self.path), *sys.path]
        try:
            reader = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
        except OSError:  # there is no interpreter that this user may start
            return
        if reader.returncode < 0:
            raise self.damaged("a page is missing, or is not what it should be")
        if reader.returncode:
            raise self.damaged(reader.stderr.strip().rpartition("\n")[2])

    def _require_this_question(self) -> None:
        """Refuse a database of something else, before anything is changed."""
        with (
            lmdb.open(str(self.path), map_size=0, readonly=True, lock=False) as env,
            env.begin() as txn,
        ):
            header = txn.get(_HEADER) or b""
            entries = txn.stat()["entries"]
        if not entries or header == self._header:  # none: killed before its first commit
            return
        name, _, version_and_what = header.decode(errors="replace").partition("\n")
        version, _, written_for = version_and_what.partition("\n")
        if (name, version) == (FORMAT, str(VERSION)):
            raise TableError(
                f"{self.path} holds {written_for}, not {self.question}; name another folder"
            )
        if name == FORMAT:
            raise TableError(
                f"{self.path} holds a store of version {version}; here version {VERSION} is used; "
                "name another folder"
            )
        raise TableError(f"{self.path} holds another LMDB database; name a new or empty folder")

    def _open(self) -> lmdb.Environment:
        """Open the database; a new one gets its header."""
        is_new, size = not self.size, max(_FIRST_MAP_SIZE, self.size)
        try:
            env = lmdb.open(str(self.path), map_size=size, lock=False, metasync=False)
            with env.begin(write=True) as txn:
                txn.put(_HEADER, self._header, overwrite=False)
        except BaseException:
            if is_new:
                self._file.unlink(missing_ok=True)
            raise
        return env

    @contextmanager
    def _reporting(self, deed: str) -> Iterator[None]:
        """Turn errors of the system and of LMDB into a TableError that says what to do."""
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
                f"the store {self.path} could not be {deed}: {reason}; {advice}"
            ) from error


class _InStore:
    """Values in a store of their own; folder, question and batch are those of `Store`."""

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


S = TypeVar("S", bound=_InStore)


class Integers(_InStore):
    """Integers of 64 bits by exact keys, in batches."""

    def get(self, key: bytes) -> int | None:
        """Return the value of a key; None if it has none."""
        value = self.store.get(key)
        return None if value is None else int(_INTEGER.unpack(value)[0])

    def put(self, key: bytes, value: int) -> None:
        """Set the value of a key."""
        if self.get(key) != value:
            self.store.put(key, _INTEGER.pack(value))

    def items(self) -> Iterator[tuple[bytes, int]]:
        """Yield every key with its value, in no order, as of the moment when it begins."""
        for key, value in self.store.items():
            yield key, int(_INTEGER.unpack(value)[0])


class Facts(_InStore, Mapping[str, Any]):
    """Facts by name, as JSON; each is committed at once."""

    def __init__(self, folder: str | os.PathLike[str], question: str):
        super().__init__(folder, question, 1)

    def __getitem__(self, name: str) -> Any:
        value = self.store.get(_text(name))
        if value is None:
            raise KeyError(name)
        return json.loads(value)

    def add(self, name: str, fact: object) -> None:
        """Store a fact; on return it is on the disk."""
        self.store.put(_text(name), json.dumps(fact, separators=(",", ":")).encode())

    def __iter__(self) -> Iterator[str]:
        return (key.decode(errors="surrogatepass") for key, _ in self.store.items())

    def impossible_fact(self, name: str, needed: str) -> TableError:
        """Return the error for an impossible fact."""
        return TableError(
            f"{self.path} is damaged: {name!r} has {str(self[name])[:60]}, not {needed}; restore "
            "it from a copy, or name another folder"
        )


def _text(text: str) -> bytes:
    return text.encode(errors="surrogatepass")  # a path may have half a pair of surrogates


def _slot(key: bytes) -> bytes:
    """Return the key of the database under which the record of a key lies."""
    if len(key) <= _MOST_KEY:
        return _SHORT + key
    return _LONG + blake2b(key, digest_size=32).digest()
