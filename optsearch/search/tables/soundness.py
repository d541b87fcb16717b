"""What is checked before LMDB gets a database.

LMDB follows the page numbers in its file unchecked: damaged ones kill the process, or let it
overwrite what is sound. So a database is looked at before LMDB gets it. Where data.sum is there,
it says whether the file is as it was left, and there is nothing to understand. Where it is not,
a writer was killed (or is at work): another process then reads every record, and what kills that
process, or is not whole, is damage. A writer goes on with a copy made of these records, since the
free pages and the insides of pages cannot be checked by reading. This is about a microsecond a
record, and only after a kill; the checksum of the file takes a second a gigabyte.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

import lmdb

from optsearch.search.tables.folder import (
    damaged,
    data_file,
    opened_for_reading,
    reporting,
    stale_files,
)
from optsearch.search.tables.slots import (
    FORMAT,
    HEADER,
    VERSION,
    DamagedRecord,
    Records,
    key_digest,
)
from optsearch.support.errors import TableError
from optsearch.support.files import read_text, replace, replacing, sync

SMALLEST_MAP = 1 << 16
_CHUNK = 1 << 20


def require_sound(folder: Path, game: str, writable: bool) -> None:
    """Refuse a damaged database and one of something else.

    Afterwards a writer has a database that it can change.
    """
    if _is_sealed(folder):
        with lmdb.open(str(folder), map_size=0, create=False, readonly=True, lock=False) as env:
            _require_game(env, folder, game)
    elif not writable:
        _read_elsewhere(folder, game, None)
    else:
        with replacing(data_file(folder)) as copy:
            _read_elsewhere(folder, game, copy)
            (folder / "lock.mdb").unlink(missing_ok=True)  # it counts the commits of the other
    if writable:
        for stale in (_sum(folder), *stale_files(folder)):
            stale.unlink(missing_ok=True)
        sync(folder)


def _sum(folder: Path) -> Path:
    return folder / "data.sum"


def seal(folder: Path) -> None:
    """Note how data.mdb was left. Where that fails, the next opening reads every record."""
    with suppress(OSError):
        replace(_sum(folder), _digest(data_file(folder)))


def _is_sealed(folder: Path) -> bool:
    """Whether data.mdb is as a writer left it; False where none says so, TableError if not."""
    for _ in range(2):
        try:
            seal = read_text(_sum(folder), 1 << 10)
        except OSError:
            return False
        if seal == _digest(data_file(folder)):
            return True  # else once more: a writer may have begun
    raise damaged(data_file(folder), "it is not as it was left; its checksum is wrong")


def _digest(data: Path) -> str:
    digest = blake2b(digest_size=16)
    with data.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest() + "\n"


_ELSEWHERE = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from optsearch.search.tables.soundness import main
main(*sys.argv[2:])
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
        raise damaged(data_file(folder), "it cannot be read to its end")


def main(folder: str, game: str, copy: str | None = None) -> None:
    """What that process does."""
    try:
        with reporting(Path(folder), "opened"):
            _read_all(Path(folder), game, copy)
    except DamagedRecord:
        error = damaged(data_file(Path(folder)), "the checksum of a record is wrong")
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
            env, _ = opened_for_reading(folder)
        else:
            env = lmdb.open(str(folder), map_size=0, readonly=True, lock=False)
    except (lmdb.ReadonlyError, lmdb.LockError):
        raise
    except lmdb.Error as error:
        raise damaged(data_file(folder), f"it cannot be opened: {error}") from None
    with env:
        _require_game(env, folder, game)
        with env.begin() as txn:
            records = _checked(txn, folder, game)
            if copy is None:
                for _ in records:
                    pass
                return
            room = 2 * data_file(folder).stat().st_size + SMALLEST_MAP
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
    records, before, number = Records(game), b"", 0
    try:
        for slot, record in txn.cursor():
            if slot <= before:
                raise damaged(data_file(folder), "its records are not in order")
            if slot != HEADER and not slot.startswith(key_digest(records.unpacked(record)[0])):
                raise damaged(data_file(folder), "a record is in the place of another")
            yield slot, record
            before = slot
            number += 1
        if number != txn.stat()["entries"]:
            raise damaged(data_file(folder), "records are missing")
    except lmdb.Error as error:
        raise damaged(data_file(folder), f"it cannot be read: {error}") from None


def _require_game(env: lmdb.Environment, folder: Path, game: str) -> None:
    """Refuse a database that is not a table of this game in this format."""
    with env.begin() as txn:
        text = txn.get(HEADER)
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
