"""The folder of a table: its files, the lock of its writer, and what cannot be used as asked."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path

import lmdb

from optsearch.support.errors import TableError
from optsearch.support.locks import take

MOST_READERS = 1022
LOCK_FILE_BYTES = 1 << 16  # what LMDB wants for so many readers

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


def data_file(folder: Path) -> Path:
    """LMDB's database."""
    return folder / "data.mdb"


def writer_lock(folder: Path) -> Path:
    """What the one process that writes has locked."""
    return folder / "writer.lock"


@contextmanager
def reporting(folder: Path, deed: str) -> Iterator[None]:
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


def require_folder(folder: Path, writable: bool) -> None:
    """Refuse a path that is no folder, and a folder that holds something else than a table."""
    if folder.exists() and not folder.is_dir():
        raise TableError(f"{folder} is a file; a table is a folder, so name a new or empty one")
    if data_file(folder).exists():
        if not data_file(folder).is_file():
            raise TableError(f"{data_file(folder)} is not a regular file, as that of a table is")
        return
    if not writable:
        raise TableError(f"there is no table in {folder}; name the folder of one, or write one")
    own = {"lock.mdb", "writer.lock"}
    files = set(os.listdir(folder)) if folder.exists() else set()
    others = sorted(files - own - {stale.name for stale in stale_files(folder)})
    if others:
        raise TableError(
            f"{folder} is not the folder of a table, for it holds {others[0]!r}; name a new or "
            "empty one"
        )


def stale_files(folder: Path) -> list[Path]:
    """Files that a process was writing when it was killed."""
    return list(folder.glob(".data.*.tmp*"))


def damaged(data: Path, how: str) -> TableError:
    """The error of a database that is not as a writer left it."""
    return TableError(
        f"{data} is damaged: {how}; restore it from a copy, or let the table be computed again in "
        "another folder"
    )


def opened_for_reading(folder: Path) -> tuple[lmdb.Environment, bool]:
    """A database, and whether the writer knows of this reader and spares its pages."""
    try:
        reserve_lock_file(folder)
        return lmdb.open(str(folder), map_size=0, readonly=True, max_readers=MOST_READERS), True
    except (OSError, lmdb.ReadonlyError):  # no leave, or no space, to lock
        return lmdb.open(str(folder), map_size=0, readonly=True, lock=False), False


def lock_for_writing(folder: Path) -> FileIO:
    """The file whose lock makes this process the writer, until it is closed or the process ends."""
    file = FileIO(str(writer_lock(folder)), "a+")
    try:
        if not take(file):
            file.seek(0)
            raise _in_use(folder, file.read(20).decode("ascii", "replace"))
    except BaseException:
        file.close()
        raise
    with suppress(OSError):  # the pid is only told, so a full disk does not matter
        file.truncate(0)
        file.write(str(os.getpid()).encode())
    return file


def _in_use(folder: Path, writer: str) -> TableError:
    """The error of a table that a process writes; writer -- what it noted as its pid."""
    if writer == str(os.getpid()):
        return TableError(
            f"the table {folder} is already open in this process; close it first, for a process "
            "opens a table once at a time"
        )
    return TableError(
        f"the table {folder} is being written by another process "
        f"({f'pid {writer}' if writer.isdigit() else 'pid unknown'}); wait for its end, or open it "
        "with writable=False"
    )


def reserve_lock_file(folder: Path) -> None:
    """Take the disk space of LMDB's lock file: writing to its map on a full disk is a SIGBUS."""
    with FileIO(str(folder / "lock.mdb"), "a+") as file:
        missing = LOCK_FILE_BYTES - file.seek(0, os.SEEK_END)
        if missing > 0 and file.write(bytes(missing)) < missing:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
