"""A transposition table on disk: exact keys and what is proved of their values.

It is kept in LMDB, so that everything committed survives `kill -9`. A folder holds one table:

    data.mdb      the LMDB database: a header that names the game, and the records
    data.sum      a checksum of data.mdb, as long as no process writes
    lock.mdb      LMDB's own list of the processes that are reading
    writer.lock   locked by the one process that writes, for as long as that process lives

LMDB's keys are short, so a record lies in a slot named by a digest of its key. It holds the
complete key all the same, and a lookup compares it. Keys whose digests collide take successive
slots; nothing is ever deleted, so a lookup may stop at the first empty slot. A record has a
checksum of its key and value, in which the game is mixed.

LMDB follows the page numbers in its file unchecked: damaged ones kill the process, or let it
overwrite what is sound. So a database is looked at before LMDB gets it. Where data.sum is there,
it says whether the file is as it was left, and there is nothing to understand. Where it is not,
a writer was killed (or is at work): another process then reads every record, and what kills that
process, or is not whole, is damage. A writer goes on with a copy made of these records, since the
free pages and the insides of pages cannot be checked by reading. This is about a microsecond a
record, and only after a kill; the checksum of the file takes a second a gigabyte.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import signal
import struct
import subprocess
import sys
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from io import FileIO
from itertools import count
from mmap import PAGESIZE
from pathlib import Path
from types import TracebackType
from typing import TypeVar

import lmdb

from optsearch.errors import TableError
from optsearch.journal import replace, replacing, sync

FORMAT = "optsearch transposition table"
VERSION = 2  # 1 had no checksums

BATCH_BYTES = 1 << 26
"""Pending keys of this many bytes are committed, however few they are."""

SMALLEST_MAP = 1 << 16
MOST_READERS = 1022
LOCK_FILE_BYTES = 1 << 16  # what LMDB wants for so many readers

_HEADER = b"optsearch table header"  # as long as no slot's name
_VALUE = struct.Struct("<q")
_CHECK_BYTES = 8
_BEFORE_KEY = _VALUE.size + _CHECK_BYTES
_CHUNK = 1 << 20

_DAMAGE = (
    lmdb.BadTxnError,
    lmdb.BadValsizeError,
    lmdb.CorruptedError,
    lmdb.CursorFullError,
    lmdb.IncompatibleError,
    lmdb.InvalidError,
    lmdb.MapResizedError,
    lmdb.PageNotFoundError,
    lmdb.PanicError,
    lmdb.VersionMismatchError,
)

T = TypeVar("T")


def key_digest(key: bytes) -> bytes:
    """The digest that names the slots of a key; any function of the key gives exact answers."""
    return blake2b(key, digest_size=16).digest()


class DiskTable:
    """Integers of 64 bits by exact keys, for one game, in a folder.

    folder -- created, with its parents, if a writable table is asked for; at `path` afterwards.
    game -- text that names the game; a folder written for another game is refused.
    writable -- one process writes a table; any number of others read it at the same time
        (writable=False) and see each commit. A process opens a table once at a time, and uses it
        from one thread; after a fork only the parent has it.
    batch_entries, batch_seconds -- a `put` commits all pending entries when there are this many,
        or when this long has passed since the last commit. A kill loses the pending ones only.
    map_size -- bytes that LMDB reserves at first, in the address space and as a sparse file; it
        grows as needed.
    max_bytes -- the most that it may grow to; by default the disk is the limit.

    Raises TableError, here and in every method, where the folder cannot be used as asked.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        game: str,
        *,
        writable: bool = True,
        batch_entries: int = 20_000,
        batch_seconds: float = 5.0,
        map_size: int = 1 << 24,
        max_bytes: int | None = None,
    ) -> None:
        self.path = Path(folder)
        self.game = game
        self.writable = writable
        self._batch_entries = batch_entries
        self._batch_seconds = batch_seconds
        self._max_bytes = max_bytes
        self._map_size = map_size if max_bytes is None else min(map_size, max_bytes)
        if self._map_size < SMALLEST_MAP:
            raise TableError(
                f"{self._map_size} bytes are too few for the table {self.path}; allow "
                f"{SMALLEST_MAP} or more"
            )
        self._records = _Records(game)
        self._pending: dict[bytes, int] = {}
        self._pending_bytes = 0
        self._pending_new = 0
        self._last_commit = time.monotonic()
        self._writer_lock: FileIO | None = None
        self._locked = True
        self._env: lmdb.Environment | None = None

        with _reporting(self.path, "opened"):
            _require_folder(self.path, writable)
            if writable and not _data(self.path).exists():
                _create(self.path, game)
            was_locked = _lock(self.path).exists()
            if writable:
                self._writer_lock = _lock_for_writing(self.path)
            try:
                _require_sound(self.path, game, writable)
                self._env = self._opened_database()
            except BaseException:
                self._release()
                if writable and not was_locked:  # leave the folder of something else as it was
                    _lock(self.path).unlink(missing_ok=True)
                raise
        _close_after_fork(self)

    def get(self, key: bytes) -> int | None:
        """The value of a key, pending or committed; None if there is none."""
        value = self._pending.get(key)
        return self._committed(key) if value is None else value

    def put(self, key: bytes, value: int) -> None:
        """Give a key its value, in place of an earlier one; may commit the pending entries."""
        if not self.writable:
            raise TableError(f"the table {self.path} was opened with writable=False")
        if not -(2**63) <= value < 2**63:
            raise TableError(f"the value {value} does not fit into the 64 bits of a table entry")
        if key not in self._pending:
            known = self._committed(key)
            if known == value:
                return
            self._pending_new += known is None
            self._pending_bytes += len(key)
        self._pending[key] = value
        if (
            len(self._pending) >= self._batch_entries
            or self._pending_bytes >= BATCH_BYTES
            or time.monotonic() - self._last_commit >= self._batch_seconds
        ):
            self.flush()

    def flush(self) -> None:
        """Commit the pending entries: on return they are on the disk.

        If that fails, they stay pending and what was committed before stays readable.
        """
        if not self._pending:
            return
        try:
            while not self._commit():
                self._grow()
        except (lmdb.Error, OSError) as error:
            with _reporting(self.path, "opened again"):
                self._database().close()  # LMDB may refuse to go on after a failed write
                self._env = None
                self._env = self._opened_database()
            raise TableError(
                f"the table {self.path} could not be written: {error}. {self._safe()}. If the "
                "disk or a quota is full, free space and run again: it goes on from there"
            ) from error
        self._pending = {}
        self._pending_bytes = self._pending_new = 0
        self._last_commit = time.monotonic()

    def close(self) -> None:
        """Commit the pending entries and let go of the folder; a second call does nothing."""
        try:
            if self._env is not None:
                self.flush()
                if self.writable:
                    self._env.close()
                    self._env = None
                    _seal(self.path)
        finally:
            self._release()

    def __enter__(self) -> DiskTable:
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

    def __len__(self) -> int:
        """The number of different keys that have a value, committed or pending."""
        return self._committed_entries() + self._pending_new

    def _database(self) -> lmdb.Environment:
        if self._env is None:
            raise TableError(f"the table {self.path} is closed in this process; open it again")
        return self._env

    def _opened_database(self) -> lmdb.Environment:
        if self.writable:
            _reserve_lock_file(self.path)
            env = lmdb.open(str(self.path), map_size=self._map_size, max_readers=MOST_READERS)
        else:
            env, self._locked = _opened_for_reading(self.path)
        env.reader_check()
        return env

    def _release(self) -> None:
        self._pending = {}
        self._pending_bytes = self._pending_new = 0
        if self._env is not None:
            self._env.close()
            self._env = None
        if self._writer_lock is not None:
            self._writer_lock.close()
            self._writer_lock = None

    def _committed(self, key: bytes) -> int | None:
        env = self._database()
        try:
            return _read(env, lambda txn: _find(txn, key, self._records)[1], self._locked)
        except _DamagedRecord:
            raise _damaged(_data(self.path), "the checksum of a record is wrong") from None
        except lmdb.Error:
            with _reporting(self.path, "read"):
                raise

    def _committed_entries(self) -> int:
        with _reporting(self.path, "read"):
            return self._database().stat()["entries"] - 1  # one is the header

    def _commit(self) -> bool:
        """Commit the pending entries together; False if the map is too small for them."""
        try:
            with self._database().begin(write=True) as txn:
                for key in sorted(self._pending, key=key_digest):  # in the order of the tree
                    slot, _ = _find(txn, key, self._records)
                    txn.put(slot, self._records.packed(key, self._pending[key]))
        except _DamagedRecord:
            raise _damaged(_data(self.path), "the checksum of a record is wrong") from None
        except lmdb.MapFullError:
            return False
        return True

    def _grow(self) -> None:
        """Double the map, as far as `max_bytes` allows."""
        env = self._database()
        size = env.info()["map_size"]
        larger = 2 * size
        if self._max_bytes is not None:
            larger = min(larger, self._max_bytes // PAGESIZE * PAGESIZE)
        if larger <= size:
            raise TableError(
                f"the table {self.path} is full: max_bytes={self._max_bytes}. {self._safe()}. "
                "Allow more bytes and run again: it goes on from there"
            )
        env.reader_check()  # a killed reader would keep old pages from being used again
        env.set_mapsize(larger)

    def _safe(self) -> str:
        return (
            f"{self._committed_entries()} entries are committed and safe, {len(self._pending)} "
            "are not yet committed"
        )


# Records


class _DamagedRecord(Exception):
    """A record whose checksum is wrong."""


class _Records:
    """Records of one game: the value, the checksum of value and key, the key."""

    def __init__(self, game: str):
        identity = blake2b(f"{FORMAT}\n{VERSION}\n{game}".encode()).digest()
        self._fresh = blake2b(digest_size=_CHECK_BYTES, key=identity)

    def packed(self, key: bytes, value: int) -> bytes:
        """The record of a key and its value."""
        number = _VALUE.pack(value)
        return number + self._checksum(number, key) + key

    def unpacked(self, record: bytes) -> tuple[bytes, int]:
        """The key and the value in a record; _DamagedRecord where the checksum is wrong."""
        number, check, key = (
            record[: _VALUE.size],
            record[_VALUE.size : _BEFORE_KEY],
            record[_BEFORE_KEY:],
        )
        if len(record) < _BEFORE_KEY or self._checksum(number, key) != check:
            raise _DamagedRecord
        return key, _VALUE.unpack(number)[0]

    def _checksum(self, number: bytes, key: bytes) -> bytes:
        check = self._fresh.copy()
        check.update(number)
        check.update(key)
        return check.digest()


def _find(txn: lmdb.Transaction[bytes], key: bytes, records: _Records) -> tuple[bytes, int | None]:
    """The slot of a key and its value; the empty slot that it would take, and None."""
    for slot in _slots(key):
        record = txn.get(slot)
        if record is None:
            return slot, None
        stored, value = records.unpacked(record)
        if stored == key:
            return slot, value
    raise AssertionError("the slots of a key do not end")


def _slots(key: bytes) -> Iterator[bytes]:
    digest = key_digest(key)
    yield digest
    for number in count(1):
        yield digest + number.to_bytes(4, "big")


def _read(
    env: lmdb.Environment, question: Callable[[lmdb.Transaction[bytes]], T], locked: bool
) -> T:
    """The answer to a question asked of the last commit.

    Where the reader is not in LMDB's lock file, the writer does not spare its pages: those of one
    commit may be overwritten once two more have followed, and then the answer is asked for again.
    """
    while True:
        try:
            with env.begin() as txn:
                answer = question(txn)
                commit = txn.id()
        except lmdb.MapResizedError:  # the writer has grown it
            env.set_mapsize(0)
            continue
        if locked or env.info()["last_txnid"] <= commit + 1:
            return answer


# The folder


def _data(folder: Path) -> Path:
    return folder / "data.mdb"


def _lock(folder: Path) -> Path:
    return folder / "writer.lock"


@contextmanager
def _reporting(folder: Path, deed: str) -> Iterator[None]:
    """Turn what the system and LMDB raise into a TableError that says what to do."""
    try:
        yield
    except (OSError, lmdb.Error) as error:
        if (
            isinstance(error, PermissionError | lmdb.ReadonlyError)
            or getattr(error, "errno", None) == errno.EROFS
        ):
            advice = "give this user access to it, or open it with writable=False"
        elif "already open in this process" in str(error):
            advice = "close it first, for a process opens a table once at a time"
        elif isinstance(error, _DAMAGE):
            advice = "its data.mdb is damaged; restore it from a copy, or use another folder"
        else:
            advice = (
                "if the disk or a quota is full, free space and run again; whatever was "
                "committed is safe"
            )
        what = str(error).rstrip(".")
        raise TableError(f"the table {folder} could not be {deed}: {what}; {advice}") from error


def _require_folder(folder: Path, writable: bool) -> None:
    """Refuse a path that is no folder, and a folder that holds something else than a table."""
    if folder.exists() and not folder.is_dir():
        raise TableError(f"{folder} is a file; a table is a folder, so name a new or empty one")
    if _data(folder).exists():
        return
    if not writable:
        raise TableError(f"there is no table in {folder}; name the folder of one, or write one")
    own = {"lock.mdb", "writer.lock"}
    files = set(os.listdir(folder)) if folder.exists() else set()
    others = sorted(files - own - {stale.name for stale in _stale(folder)})
    if others:
        raise TableError(
            f"{folder} is not the folder of a table, for it holds {others[0]!r}; name a new or "
            "empty one"
        )


def _create(folder: Path, game: str) -> None:
    """Put an empty table into a folder, whole or not at all."""
    with _reporting(folder, "created (0 entries are committed)"):
        folder.mkdir(parents=True, exist_ok=True)
        with _lock_for_writing(folder):
            if _data(folder).exists():  # another process was quicker
                return
            for stale in _stale(folder):
                stale.unlink()
            with (
                replacing(_data(folder)) as new,
                lmdb.open(str(new), map_size=SMALLEST_MAP, subdir=False, lock=False) as env,
                env.begin(write=True) as txn,
            ):
                txn.put(_HEADER, f"{FORMAT}\n{VERSION}\n{game}".encode())
            _seal(folder)


def _stale(folder: Path) -> list[Path]:
    """Files that a process was writing when it was killed."""
    return list(folder.glob(".data.*.tmp"))


# What is checked before LMDB gets a database


def _require_sound(folder: Path, game: str, writable: bool) -> None:
    """Refuse a damaged database and one of something else.

    Afterwards a writer has a database that it can change.
    """
    if _is_sealed(folder):
        with lmdb.open(str(folder), map_size=0, create=False, readonly=True, lock=False) as env:
            _require_game(env, folder, game)
    elif not writable:
        _read_elsewhere(folder, game, None)
    else:
        with replacing(_data(folder)) as copy:
            _read_elsewhere(folder, game, copy)
            (folder / "lock.mdb").unlink(missing_ok=True)  # it counts the commits of the other
    if writable:
        for stale in (_sum(folder), *_stale(folder)):
            stale.unlink(missing_ok=True)
        sync(folder)


def _sum(folder: Path) -> Path:
    return folder / "data.sum"


def _seal(folder: Path) -> None:
    """Note how data.mdb was left. Where that fails, the next opening reads every record."""
    with suppress(OSError):
        replace(_sum(folder), _digest(_data(folder)))


def _is_sealed(folder: Path) -> bool:
    """Whether data.mdb is as a writer left it; False where none says so, TableError if not."""
    for _ in range(2):
        try:
            seal = _sum(folder).read_text(errors="replace")
        except FileNotFoundError:
            return False
        if seal == _digest(_data(folder)):
            return True  # else once more: a writer may have begun
    raise _damaged(_data(folder), "it is not as it was left; its checksum is wrong")


def _digest(data: Path) -> str:
    digest = blake2b(digest_size=16)
    with data.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest() + "\n"


_ELSEWHERE = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from optsearch.tables import _main
_main(*sys.argv[2:])
"""
_REFUSED = 3  # exit status of that process, which prints why


def _read_elsewhere(folder: Path, game: str, copy: Path | None) -> None:
    """Let another process read every record, since damage may kill it; and copy them."""
    arguments = [json.dumps(sys.path), str(folder), game, *([] if copy is None else [str(copy)])]
    done = subprocess.run(
        [sys.executable, "-c", _ELSEWHERE, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    if done.returncode == _REFUSED:
        raise TableError(done.stdout.decode(errors="replace"))
    if -done.returncode in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
        raise TableError(f"reading the table {folder} was stopped; run again")
    if done.returncode:
        raise _damaged(_data(folder), "it cannot be read to its end")


def _main(folder: str, game: str, copy: str | None = None) -> None:
    """What that process does."""
    try:
        with _reporting(Path(folder), "opened"):
            _read_all(Path(folder), game, copy)
    except _DamagedRecord:
        error = _damaged(_data(Path(folder)), "the checksum of a record is wrong")
    except TableError as refusal:
        error = refusal
    else:
        return
    sys.stdout.buffer.write(str(error).encode(errors="replace"))
    sys.stdout.flush()
    sys.exit(_REFUSED)


def _read_all(folder: Path, game: str, copy: str | None) -> None:
    """Check every record of a database; with `copy`, write them to a new one."""
    try:
        if copy is None and (folder / "lock.mdb").exists():
            env, _ = _opened_for_reading(folder)
        else:
            env = lmdb.open(str(folder), map_size=0, readonly=True, lock=False)
    except (lmdb.ReadonlyError, lmdb.LockError):
        raise
    except lmdb.Error as error:
        raise _damaged(_data(folder), f"it cannot be opened: {error}") from None
    with env:
        _require_game(env, folder, game)
        with env.begin() as txn:
            records = _checked(txn, folder, game)
            if copy is None:
                for _ in records:
                    pass
                return
            room = 2 * _data(folder).stat().st_size + SMALLEST_MAP
            with (
                lmdb.open(copy, map_size=room, subdir=False, lock=False) as new,
                new.begin(write=True) as writing,
            ):
                for slot, record in records:
                    writing.put(slot, record, append=True)


def _checked(
    txn: lmdb.Transaction[bytes], folder: Path, game: str
) -> Iterator[tuple[bytes, bytes]]:
    """All slots and records, each checked; that they ascend shows that there is an end."""
    records, before, number = _Records(game), b"", 0
    try:
        for slot, record in txn.cursor():
            if slot <= before:
                raise _damaged(_data(folder), "its records are not in order")
            if slot != _HEADER and not slot.startswith(key_digest(records.unpacked(record)[0])):
                raise _damaged(_data(folder), "a record is in the place of another")
            yield slot, record
            before = slot
            number += 1
        if number != txn.stat()["entries"]:
            raise _damaged(_data(folder), "records are missing")
    except lmdb.Error as error:
        raise _damaged(_data(folder), f"it cannot be read: {error}") from None


def _opened_for_reading(folder: Path) -> tuple[lmdb.Environment, bool]:
    """A database, and whether the writer knows of this reader and spares its pages."""
    try:
        _reserve_lock_file(folder)
        return lmdb.open(str(folder), map_size=0, readonly=True, max_readers=MOST_READERS), True
    except (OSError, lmdb.ReadonlyError):  # no leave, or no space, to lock
        return lmdb.open(str(folder), map_size=0, readonly=True, lock=False), False


def _damaged(data: Path, how: str) -> TableError:
    return TableError(
        f"{data} is damaged: {how}; restore it from a copy, or let the table be computed again in "
        "another folder"
    )


def _require_game(env: lmdb.Environment, folder: Path, game: str) -> None:
    """Refuse a database that is not a table of this game in this format."""
    with env.begin() as txn:
        text = txn.get(_HEADER)
    name, _, rest = (text or b"").decode(errors="replace").partition("\n")
    version, _, written_for = rest.partition("\n")
    if name != FORMAT:
        raise TableError(
            f"{folder} is not the folder of a table, for it holds another LMDB database; name a "
            "new or empty one"
        )
    if version != str(VERSION):
        raise TableError(
            f"the table {folder} of the game {written_for} has format version {version}; here "
            f"version {VERSION} is used, for the game {game}; use another folder"
        )
    if written_for != game:
        raise TableError(
            f"the table {folder} is of the game {written_for}, not of {game}; use one folder for "
            "each game"
        )


def _lock_for_writing(folder: Path) -> FileIO:
    """The file whose lock makes this process the writer, until it is closed or the process ends."""
    file = FileIO(str(_lock(folder)), "a+")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        file.seek(0)
        writer = file.read(20).decode("ascii", "replace")
        file.close()
        if writer == str(os.getpid()):
            raise TableError(
                f"the table {folder} is already open in this process; close it first, for a "
                "process opens a table once at a time"
            ) from error
        raise TableError(
            f"the table {folder} is being written by another process "
            f"({f'pid {writer}' if writer.isdigit() else 'pid unknown'}); wait for its end, or "
            "open it with writable=False"
        ) from error
    except BaseException:
        file.close()
        raise
    with suppress(OSError):  # the pid is only told, so a full disk does not matter
        file.truncate(0)
        file.write(str(os.getpid()).encode())
    return file


def _close_after_fork(table: DiskTable) -> None:
    """Make a forked child forget a table, lest it hold the lock when the parent is dead."""
    reference = weakref.ref(table)

    def forget() -> None:
        if (inherited := reference()) is not None:
            inherited._release()

    os.register_at_fork(after_in_child=forget)


def _reserve_lock_file(folder: Path) -> None:
    """Take the disk space of LMDB's lock file: writing to its map on a full disk is a SIGBUS."""
    with FileIO(str(folder / "lock.mdb"), "a+") as file:
        missing = LOCK_FILE_BYTES - file.seek(0, os.SEEK_END)
        if missing > 0 and file.write(bytes(missing)) < missing:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
