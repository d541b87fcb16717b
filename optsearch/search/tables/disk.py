"""The table: lookups, entries that wait for a commit, and the growth of its file."""

from __future__ import annotations

import os
import time
import weakref
from collections.abc import Iterator
from io import FileIO
from mmap import PAGESIZE
from pathlib import Path
from types import TracebackType

import lmdb

from optsearch.search.tables.folder import (
    MOST_READERS,
    damaged,
    data_file,
    lock_for_writing,
    opened_for_reading,
    reporting,
    require_folder,
    reserve_lock_file,
    stale_files,
    writer_lock,
)
from optsearch.search.tables.slots import (
    FORMAT,
    HEADER,
    VERSION,
    DamagedRecord,
    Records,
    find,
    key_digest,
    read,
)
from optsearch.search.tables.soundness import SMALLEST_MAP, require_sound, seal
from optsearch.support.errors import TableError
from optsearch.support.files import replacing

BATCH_BYTES = 1 << 26
"""Pending keys of this many bytes are committed, however few they are."""


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
        self._records = Records(game)
        self._pending: dict[bytes, int] = {}
        self._pending_bytes = 0
        self._pending_new = 0
        self._last_commit = time.monotonic()
        self._writer_lock: FileIO | None = None
        self._locked = True
        self._env: lmdb.Environment | None = None

        with reporting(self.path, "opened"):
            require_folder(self.path, writable)
            if writable and not data_file(self.path).exists():
                _create(self.path, game)
            was_locked = writer_lock(self.path).exists()
            if writable:
                self._writer_lock = lock_for_writing(self.path)
            try:
                require_sound(self.path, game, writable)
                self._env = self._opened_database()
            except BaseException:
                self._release()
                if writable and not was_locked:  # leave the folder of something else as it was
                    writer_lock(self.path).unlink(missing_ok=True)
                raise
        _close_after_fork(self)

    def get(self, key: bytes) -> int | None:
        """The value of a key, pending or committed; None if there is none."""
        value = self._pending.get(key)
        return self._committed(key) if value is None else value

    def items(self) -> Iterator[tuple[bytes, int]]:
        """Every key with its value, each once, in no order; of the moment when it begins."""
        self.flush()
        env = self._database()
        if not self.writable:
            env.set_mapsize(0)  # as large as the writer has made it
        try:
            with env.begin() as txn:
                for slot, record in txn.cursor():
                    if slot != HEADER:
                        yield self._records.unpacked(record)
        except DamagedRecord:
            raise damaged(data_file(self.path), "the checksum of a record is wrong") from None
        except lmdb.Error:
            with reporting(self.path, "read"):
                raise

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
            with reporting(self.path, "opened again"):
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
                    seal(self.path)
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
            reserve_lock_file(self.path)
            env = lmdb.open(str(self.path), map_size=self._map_size, max_readers=MOST_READERS)
        else:
            env, self._locked = opened_for_reading(self.path)
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
            return read(env, lambda txn: find(txn, key, self._records)[1], self._locked)
        except DamagedRecord:
            raise damaged(data_file(self.path), "the checksum of a record is wrong") from None
        except lmdb.Error:
            with reporting(self.path, "read"):
                raise

    def _committed_entries(self) -> int:
        with reporting(self.path, "read"):
            return self._database().stat()["entries"] - 1  # one is the header

    def _commit(self) -> bool:
        """Commit the pending entries together; False if the map is too small for them."""
        try:
            with self._database().begin(write=True) as txn:
                for key in sorted(self._pending, key=key_digest):  # in the order of the tree
                    slot, _ = find(txn, key, self._records)
                    txn.put(slot, self._records.packed(key, self._pending[key]))
        except DamagedRecord:
            raise damaged(data_file(self.path), "the checksum of a record is wrong") from None
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


def _create(folder: Path, game: str) -> None:
    """Put an empty table into a folder, whole or not at all."""
    with reporting(folder, "created (0 entries are committed)"):
        folder.mkdir(parents=True, exist_ok=True)
        with lock_for_writing(folder):
            if data_file(folder).exists():  # another process was quicker
                return
            for stale in stale_files(folder):
                stale.unlink()
            with (
                replacing(data_file(folder)) as new,
                lmdb.open(str(new), map_size=SMALLEST_MAP, subdir=False, lock=False) as env,
                env.begin(write=True) as txn,
            ):
                txn.put(HEADER, f"{FORMAT}\n{VERSION}\n{game}".encode())
            seal(folder)


def _close_after_fork(table: DiskTable) -> None:
    """Make a forked child forget a table, lest it hold the lock when the parent is dead."""
    reference = weakref.ref(table)

    def forget() -> None:
        if (inherited := reference()) is not None:
            inherited._release()

    os.register_at_fork(after_in_child=forget)
