"""Files that are written whole or not at all, and files from outside, read up to a limit."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from tempfile import TemporaryFile

MOST_BYTES = 1 << 30  # read of a file


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Provide a temporary file to write in a block; it replaces the file at `path` at the end.

    If the block fails, the file at `path` stays as before. Raises OSError if the folder does not
    exist, or if something else than a regular file is at `path`.
    """
    path, temporary = _target_and_temporary(path)
    try:
        yield temporary
        sync(temporary)
        os.replace(temporary, path)
        sync(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


def _target_and_temporary(path: Path) -> tuple[Path, Path]:
    """Return the path of a file without links, and that of a temporary file beside it.

    Raises OSError if something else than a regular file is there.
    """
    status = _status_of(path)
    if status is not None and not stat.S_ISREG(status.st_mode):
        folder = "a folder, " if stat.S_ISDIR(status.st_mode) else ""
        raise OSError(errno.EINVAL, f"it is {folder}not a regular file")
    path = Path(os.path.realpath(path))
    return path, path.with_name(f".{path.name}.{os.getpid()}.tmp{path.suffix}")


def _status_of(path: Path, follow_links: bool = True) -> os.stat_result | None:
    """Return the status of what is at a path; None if nothing is.

    Another OSError is raised, as for a name that is too long or links that lead round in a circle.
    """
    try:
        return path.stat(follow_symlinks=follow_links)
    except FileNotFoundError:
        return None


def require_replaceable(path: Path, is_folder: bool = False) -> None:
    """Raise OSError if `replacing` could not write a file at `path`; leave nothing behind.

    is_folder -- True if `path` is a folder, which may not exist yet, and the file is one in it.
    """
    temporary = path / f".{os.getpid()}" if is_folder else _target_and_temporary(path)[1]
    folder = temporary.parent
    while is_folder and _status_of(folder) is None:  # up to the first folder that exists
        folder = folder.parent
    for name in temporary.relative_to(folder).parts:
        status = _status_of(folder / name, follow_links=False)
        if status is not None and stat.S_ISLNK(status.st_mode):
            raise OSError(errno.EEXIST, "it is a link that leads nowhere")
    with TemporaryFile(dir=folder):
        pass


def replace(path: Path, content: str | bytes) -> None:
    """Write a file, whole or not at all; a text is written as UTF-8. OSError as in `replacing`."""
    with replacing(path) as temporary:
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)


def sync(path: Path) -> None:
    """Wait until the content of a file, or the names in a folder, are on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# Read, never past a limit


def read_text(path: str | Path, limit: int = MOST_BYTES) -> str:
    """Return the UTF-8 text of a file without a byte order mark; OSError as in `read_bytes`."""
    try:
        return read_bytes(path, limit).decode().removeprefix("\ufeff")
    except UnicodeDecodeError:
        raise OSError(errno.EILSEQ, "it is not UTF-8 text", str(path)) from None


def read_bytes(path: str | Path, limit: int = MOST_BYTES) -> bytes:
    """Return the content of a regular file of at most `limit` bytes.

    Raises OSError, whose strerror is the reason, for a longer file, and for a device or a pipe:
    that may have no end, or never begin.
    """

    def open_without_waiting(name: str, flags: int) -> int:
        return os.open(name, flags | os.O_NONBLOCK)

    with open(path, "rb", buffering=0, opener=open_without_waiting) as file:
        return content_of(file, limit)


def content_of(file: FileIO, limit: int) -> bytes:
    """Return the content of an open file of at most `limit` bytes; OSError as in `read_bytes`."""
    status = os.fstat(file.fileno())
    if not stat.S_ISREG(status.st_mode):
        reason = f"it is not a regular file; one of at most {limit:,} bytes is read"
        raise OSError(errno.EINVAL, reason, str(file.name))
    content = bytearray()
    # A file can be longer than its status says, so what is read is counted too.
    while status.st_size <= limit and len(content) <= limit:
        chunk = file.read(min(1 << 20, limit + 1 - len(content)))
        if not chunk:
            return bytes(content)
        content += chunk
    raise OSError(errno.EFBIG, f"it has more than {limit:,} bytes", str(file.name))


def reason_of(error: OSError) -> str:
    """Return the reason of an error in the words of the operating system."""
    return error.strerror or str(error)


def state_folder() -> Path:
    """Return the folder `optsearch` where the state of a user is kept between runs.

    It is in the folder that XDG_STATE_HOME names, if that is absolute; else in ~/.local/state, or
    on macOS in ~/Library/Application Support.
    """
    state = Path(os.environ.get("XDG_STATE_HOME", ""))
    if state.is_absolute():
        return state / "optsearch"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "optsearch"
    return Path.home() / ".local" / "state" / "optsearch"
