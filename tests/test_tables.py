"""The table on disk: exact answers, and nothing committed is lost whatever happens."""

import errno
import os
import random
import re
import signal
import struct
import subprocess
import sys
import tempfile
import textwrap
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import lmdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from optsearch.search import tables
from optsearch.search.tables import SMALLEST_MAP, DiskTable, disk, slots, soundness
from optsearch.support.errors import TableError
from tests.examples import draws, sizes
from tests.processes import MANY_SECONDS

GAME = "4x5:4,3,2;contact=any"
OTHER_GAME = "10x10:5,4,3,3,2"

PRELUDE = f"""
import os, resource, signal, sys, time
from optsearch.search import tables
from optsearch.support.errors import TableError
from optsearch.search.tables import DiskTable
GAME = {GAME!r}
folder = sys.argv[1]
"""


def key(number, size=100):
    """A key of this size, different for every number."""
    return random.Random(number).randbytes(size - 8) + struct.pack("<q", number)


@contextmanager
def started(script, *arguments):
    """A process that runs a script on a folder and other arguments; it is killed at the end."""
    with subprocess.Popen(
        [sys.executable, "-c", PRELUDE + textwrap.dedent(script), *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def output(script, *arguments):
    """What a script prints; it must end well."""
    with started(script, *arguments) as process:
        printed, _ = process.communicate(timeout=MANY_SECONDS)
    assert process.returncode == 0
    return printed


def error_of(action, *arguments):
    """What the TableError of an action says; None if it raises none."""
    try:
        action(*arguments)
    except TableError as error:
        return str(error)
    return None


def contents(folder):
    """The files of a folder, by name; of those for locking only that they are there."""
    return {
        path.name: "" if "lock" in path.name else path.read_bytes() for path in folder.iterdir()
    }


def make_table(folder, entries=300):
    with DiskTable(folder, GAME) as table:
        for number in range(entries):
            table.put(key(number), number)


@pytest.fixture
def public_folder():
    """A folder that every user may enter; pytest's own are closed to all but one."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        yield Path(name)
        os.chmod(name, 0o755)


READER = """
with DiskTable(folder, GAME, writable=False) as table:
    print("open", flush=True)
    for line in sys.stdin:
        print(table.get(bytes.fromhex(line)), len(table), flush=True)
"""


@contextmanager
def reading(folder, script=READER):
    """Another process that reads a table: the value of a key, and the length, as it sees them."""
    with started(script, folder) as process:

        def ask(key):
            process.stdin.write(key.hex() + "\n")
            process.stdin.flush()
            value, length = process.stdout.readline().split()
            return None if value == "None" else int(value), int(length)

        assert process.stdout.readline() == "open\n"
        yield ask
        process.communicate(timeout=MANY_SECONDS)
        assert process.returncode == 0


# Exact answers


def test_values_survive_closing(tmp_path):
    entries = {
        b"": 0,
        b"a": -(2**63),
        b"b": 2**63 - 1,
        key(1, 511): 1,
        key(2, 512): -1,
        key(3, 5000): 3,
        key(4, 3_000_000): 4,
    }
    with DiskTable(tmp_path / "new" / "table", GAME) as table:
        for k, value in entries.items():
            table.put(k, value)
    with DiskTable(tmp_path / "new" / "table", GAME) as table:
        assert {k: table.get(k) for k in entries} == entries
        assert table.get(b"c") is None
        assert table.get(key(4, 3_000_000)[:-1]) is None
        assert len(table) == len(entries)
        assert dict(table.items()) == entries
        assert table.path == tmp_path / "new" / "table"


@draws(25)
@given(
    puts=st.lists(
        st.tuples(st.binary(max_size=4) | st.binary(max_size=600), st.integers(-(2**63), 2**63 - 1))
    ),
    batch=st.integers(1, 5),
)
def test_it_is_a_dictionary(puts, batch):
    expected = {}
    with tempfile.TemporaryDirectory() as folder:
        with DiskTable(folder, GAME, batch_entries=batch) as table:
            for k, value in puts:
                table.put(k, value)
                expected[k] = value
                assert table.get(k) == value
                assert len(table) == len(expected)
        with DiskTable(folder, GAME, writable=False) as table:
            assert {k: table.get(k) for k in expected} == expected
            assert len(table) == len(expected)


@pytest.mark.parametrize("digest", [lambda key: b"x", lambda key: bytes([sum(key) % 256])])
def test_keys_whose_digests_collide(tmp_path, monkeypatch, digest):
    for module in (slots, disk):
        monkeypatch.setattr(module, "key_digest", digest)
    keys = [b"", b"a", b"aa", b"ba", *(key(number, 8 + number % 30) for number in range(100))]
    for repeat in (1, 2):
        with DiskTable(tmp_path, GAME, batch_entries=17) as table:
            for number, k in enumerate(keys):
                table.put(k, repeat * number)
            assert len(table) == len(keys)
    with DiskTable(tmp_path, GAME) as table:
        assert [table.get(k) for k in keys] == [2 * number for number in range(len(keys))]
        assert [table.get(k + b"a") for k in keys[2:]] == [None] * (len(keys) - 2)


def test_the_digest_has_sixteen_bytes():
    assert len(tables.key_digest(b"") + tables.key_digest(key(0, 10_000))) == 32


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1])
def test_a_value_of_more_than_64_bits(tmp_path, value):
    with DiskTable(tmp_path, GAME) as table, pytest.raises(TableError, match=str(value)):
        table.put(b"k", value)


# Batches


def test_pending_entries_are_seen_here_and_committed_ones_everywhere(tmp_path):
    with DiskTable(tmp_path, GAME, batch_seconds=3600) as table, reading(tmp_path) as ask:
        table.put(b"k", 7)
        assert (table.get(b"k"), len(table)) == (7, 1)
        assert ask(b"k") == (None, 0)
        table.flush()
        assert (table.get(b"k"), len(table)) == (7, 1)
        assert ask(b"k") == (7, 1)
        table.put(b"k", 8)
        assert (table.get(b"k"), len(table)) == (8, 1)
        assert ask(b"k") == (7, 1)
        table.close()
        assert ask(b"k") == (8, 1)


def test_a_batch_is_committed_when_it_has_enough_entries(tmp_path):
    with (
        DiskTable(tmp_path, GAME, batch_entries=3, batch_seconds=3600) as table,
        reading(tmp_path) as ask,
    ):
        for number, committed in enumerate([0, 0, 3, 3, 3, 6]):
            table.put(key(number), number)
            assert ask(key(0)) == (0 if committed else None, committed)


def test_a_batch_is_committed_when_it_has_enough_bytes(tmp_path, monkeypatch):
    monkeypatch.setattr(disk, "BATCH_BYTES", 300)
    with DiskTable(tmp_path, GAME, batch_seconds=3600) as table, reading(tmp_path) as ask:
        for number, committed in enumerate([0, 0, 3, 3, 3, 6]):
            table.put(key(number), number)
            assert ask(key(0)) == (0 if committed else None, committed)


def test_a_batch_is_committed_when_its_time_has_come(tmp_path, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(disk.time, "monotonic", lambda: now[0])
    with DiskTable(tmp_path, GAME, batch_seconds=10) as table, reading(tmp_path) as ask:
        for number, (second, committed) in enumerate([(0, 0), (9.9, 0), (10, 3), (19, 3), (20, 5)]):
            now[0] = second
            table.put(key(number), number)
            assert ask(key(0)) == (0 if committed else None, committed)


def test_a_commit_waits_for_the_disk(tmp_path):
    with DiskTable(tmp_path, GAME) as table:
        flags = table._env.flags()
    assert flags["sync"]
    assert flags["metasync"]
    assert not flags["writemap"]


# Size


def test_the_map_grows_and_a_reader_follows(tmp_path):
    with DiskTable(tmp_path, GAME, map_size=SMALLEST_MAP, batch_entries=100) as table:
        table.put(b"first", 1)
        table.flush()
        with reading(tmp_path) as ask:
            assert ask(b"first") == (1, 1)
            for number in range(1000):
                table.put(key(number, 1000), number)
            table.flush()
            for number in range(0, 1000, 100):
                assert ask(key(number, 1000)) == (number, 1001)
            table.put(key(1, 5_000_000), 5)  # more than twice the map
            table.flush()
            assert ask(b"first") == (1, 1002)
        assert [table.get(key(number, 1000)) for number in range(1000)] == [*range(1000)]
        assert table.get(key(1, 5_000_000)) == 5


def test_the_map_grows_no_further_than_allowed(tmp_path):
    limit = 5 * SMALLEST_MAP + 1
    table = DiskTable(tmp_path, GAME, max_bytes=limit, batch_entries=50, batch_seconds=3600)
    error, number = None, 0
    while error is None:
        error = error_of(table.put, key(number, 1000), number)
        number += 1
    committed = number - 50
    assert committed >= 100
    assert f"full: max_bytes={limit}" in error
    assert f"{committed} entries are committed and safe, 50 are not yet" in error
    assert str(tmp_path) in error
    assert (tmp_path / "data.mdb").stat().st_size <= limit
    assert [table.get(key(n, 1000)) for n in range(number)] == [*range(number)]
    assert error_of(table.close) == error
    with DiskTable(tmp_path, GAME, max_bytes=4 * limit) as table:
        assert len(table) == committed
        for number in range(committed, 400):
            table.put(key(number, 1000), number)
        table.flush()
        assert [table.get(key(number, 1000)) for number in range(400)] == [*range(400)]


def test_too_few_bytes_for_any_table(tmp_path):
    with pytest.raises(TableError, match="1000 bytes are too few"):
        DiskTable(tmp_path / "table", GAME, max_bytes=1000)
    assert not (tmp_path / "table").exists()


# Several processes


def test_a_second_writer_is_refused_while_the_first_lives(tmp_path):
    script = """
    table = DiskTable(folder, GAME)
    table.put(b"k", 7)
    table.flush()
    print("open", flush=True)
    signal.pause()
    """
    with started(script, tmp_path) as first:
        assert first.stdout.readline() == "open\n"
        with pytest.raises(TableError, match=f"another process .pid {first.pid}.") as caught:
            DiskTable(tmp_path, GAME)
        assert str(tmp_path) in str(caught.value)
        with DiskTable(tmp_path, GAME, writable=False) as table:
            assert table.get(b"k") == 7
        first.kill()
    with DiskTable(tmp_path, GAME) as table:
        assert table.get(b"k") == 7
        table.put(b"k", 8)


def test_a_table_is_opened_once_in_a_process(tmp_path):
    with DiskTable(tmp_path, GAME) as table:
        for writable in (True, False):
            with pytest.raises(TableError, match="already open in this process; close it first"):
                DiskTable(tmp_path, GAME, writable=writable)
        table.put(b"k", 7)
        table.flush()
        assert table.get(b"k") == 7


def test_a_forked_child_neither_has_the_table_nor_keeps_it_from_others(tmp_path):
    script = """
    table = DiskTable(folder, GAME)
    table.put(b"k", 7)
    child = os.fork()
    if child == 0:
        try:
            print(table.get(b"k"), flush=True)
        except TableError as error:
            print(error, flush=True)
        table.close()
        signal.pause()
    sys.stdin.readline()
    table.flush()
    print(child, table.get(b"k"), flush=True)
    signal.pause()
    """
    with started(script, tmp_path) as parent:
        assert "is closed in this process" in parent.stdout.readline()
        parent.stdin.write("go on\n")
        parent.stdin.flush()
        child, value = map(int, parent.stdout.readline().split())
        try:
            assert value == 7
            with pytest.raises(TableError, match="another process"):
                DiskTable(tmp_path, GAME)
            parent.kill()
            parent.wait()
            with DiskTable(tmp_path, GAME) as table:
                assert table.get(b"k") == 7
        finally:
            os.kill(child, signal.SIGKILL)


def test_a_forked_child_of_a_reader_does_not_have_the_table(tmp_path):
    script = """
    with DiskTable(folder, GAME, writable=False) as table:
        child = os.fork()
        if child == 0:
            try:
                table.get(b"k")
            except TableError as error:
                print(error, flush=True)
            os._exit(0)
        os.waitpid(child, 0)
        print(table.get(b"k"))
    """
    with DiskTable(tmp_path, GAME) as table:
        table.put(b"k", 7)
    childs, parents = output(script, tmp_path).splitlines()
    assert "is closed in this process" in childs
    assert parents == "7"


def test_a_killed_reader_does_not_hold_old_pages(tmp_path):
    script = """
    table = DiskTable(folder, GAME, writable=False)
    transaction = table._env.begin()
    print("open", flush=True)
    signal.pause()
    """
    with DiskTable(tmp_path, GAME, map_size=SMALLEST_MAP) as table:
        with started(script, tmp_path) as reader:
            assert reader.stdout.readline() == "open\n"
        assert str(reader.pid) in table._env.readers()
        table.put(key(1, 2 * SMALLEST_MAP), 1)
        table.flush()
        assert str(reader.pid) not in table._env.readers()


UNPRIVILEGED = """
def become_nobody():
    if os.getuid() == 0:
        os.setgid(65534)
        os.setuid(65534)
"""


def test_a_reader_in_a_folder_that_it_may_not_write_to(public_folder):
    script = UNPRIVILEGED + "become_nobody()\n" + READER
    with DiskTable(public_folder, GAME, map_size=SMALLEST_MAP) as table:
        table.put(b"k", 7)
    os.chmod(public_folder, 0o555)
    for name in ("data.mdb", "data.sum", "lock.mdb", "writer.lock"):
        os.chmod(public_folder / name, 0o444)
    with reading(public_folder, script) as ask:
        assert ask(b"k") == (7, 1)
        with DiskTable(public_folder, GAME, map_size=SMALLEST_MAP) as table:
            for number in range(1000):
                table.put(key(number), number)
                if number % 100 == 99:
                    table.flush()
                    assert ask(key(number)) == (number, number + 2)


def test_a_writer_in_a_folder_that_it_may_not_write_to(public_folder):
    with DiskTable(public_folder, GAME) as table:
        table.put(b"k", 7)
    (public_folder / "empty").mkdir()
    script = UNPRIVILEGED + textwrap.dedent("""
    become_nobody()
    for name in (folder, folder + "/empty", folder + "/none"):
        try:
            DiskTable(name, GAME)
        except TableError as error:
            print(error)
    """)
    for name in ("data.mdb", "lock.mdb", "writer.lock"):
        os.chmod(public_folder / name, 0o444)
    for folder in (public_folder / "empty", public_folder):
        os.chmod(folder, 0o555)
    before = {p: p.stat().st_mtime_ns for p in public_folder.iterdir()}
    table, empty, none = output(script, public_folder).splitlines()
    assert before == {p: p.stat().st_mtime_ns for p in public_folder.iterdir()}
    for message, folder in ((table, ""), (empty, "/empty"), (none, "/none")):
        assert f"table {public_folder}{folder} could not be" in message
        assert "Permission denied" in message
        assert "give this user access to it, or open it with writable=False" in message


def test_a_read_only_file_system(tmp_path, monkeypatch):
    def refuse(folder):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(folder))

    make_table(tmp_path)
    monkeypatch.setattr(disk, "lock_for_writing", refuse)
    monkeypatch.setattr(disk, "reserve_lock_file", refuse)
    with pytest.raises(TableError, match=r"Read-only file system.*open it with writable=False"):
        DiskTable(tmp_path, GAME)
    with DiskTable(tmp_path, GAME, writable=False) as table:
        assert table.get(key(7)) == 7


def test_pages_that_the_writer_may_have_used_again_are_read_again(tmp_path, monkeypatch):
    with DiskTable(tmp_path, GAME) as table:
        table.put(b"k", 0)
    with monkeypatch.context() as patch:
        patch.setattr(
            tables.folder, "reserve_lock_file", lambda path: (_ for _ in ()).throw(OSError)
        )
        table = DiskTable(tmp_path, GAME, writable=False)
    writer = """
    with DiskTable(folder, GAME, batch_entries=1) as table:
        for value in sys.argv[2:]:
            table.put(b"k", int(value))
    """
    find, values = disk.find, iter([(1,), (2, 3), ()])

    def find_while_another_writes(*question):
        found = find(*question)
        output(writer, tmp_path, *next(values))
        return found

    monkeypatch.setattr(disk, "find", find_while_another_writes)
    assert table.get(b"k") == 0  # one commit since leaves the pages as they were
    assert table.get(b"k") == 3  # two do not
    table.close()


# Killed


WRITER = """
import struct
from hashlib import sha256

table = DiskTable(folder, GAME, map_size=1 << 16, batch_entries=int(sys.argv[3]))
for batch in range(int(sys.argv[2]), 10**9):
    for number in range(100 * batch, 100 * batch + 100):
        name = sha256(struct.pack("<q", number)).digest()
        table.put(name * (1 + number % 7), number)
        table.put(b"last", number)
    table.flush()
    print(batch, flush=True)
"""


@pytest.mark.parametrize("seed", [2014])
@sizes("times", 4, 8, 2)
def test_killed_while_writing(tmp_path, seed, times):
    moments, batch = random.Random(seed), 0
    for _ in range(times):
        with started(WRITER, tmp_path, batch, moments.choice([7, 50, 1000])) as process:
            lines = [process.stdout.readline() for _ in range(moments.randrange(1, 8))]
            process.kill()  # which comes while it writes on, wherever that is
            lines += process.stdout.readlines()
        assert process.returncode == -signal.SIGKILL
        reported = [int(line) for line in lines if line.endswith("\n")]
        assert reported == [*range(batch, batch + len(reported))]
        with DiskTable(tmp_path, GAME) as table:
            last = table.get(b"last")
            assert last >= 100 * batch + 100 * len(reported) - 1
            for number in range(last + 1):
                name = sha256(struct.pack("<q", number)).digest()
                assert table.get(name * (1 + number % 7)) == number
        batch = (last + 1) // 100  # where one is committed in part, it is written again


KILLED_AT_EVERY_LINE = """
from pathlib import Path

OFTEN_RUN = {"get", "put", "_committed", "find", "_slots", "read", "<lambda>", "key_digest"}
OFTEN_RUN |= {"packed", "unpacked", "_checksum", "_digest"}

def kill_at(line):
    left = [line]
    def local(frame, event, argument):
        if event == "line":
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return local
    def trace(frame, event, argument):
        code = frame.f_code
        is_ours = code.co_filename.startswith(os.path.dirname(tables.__file__))
        if is_ours and code.co_name not in OFTEN_RUN:
            return local
    sys.settrace(trace)

def write(table, batch):
    for number in range(4 * batch, 4 * batch + 4):
        table.put(b"%09000d" % number, number)
    table.flush()

def check(table, batches):
    assert len(table) == 4 * batches
    assert [table.get(b"%09000d" % n) for n in range(4 * batches)] == [*range(4 * batches)]

killed, stages = 0, set()
for line in range(1, 10**6, int(sys.argv[2])):
    name = f"{folder}/{line}"
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        kill_at(line)
        with DiskTable(name, GAME, map_size=1 << 16, batch_seconds=3600) as table:
            for batch in range(3):
                write(table, batch)
                os.write(writing, b"x")
        os._exit(0)
    os.close(writing)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    reported = len(os.read(reading, 10))
    os.close(reading)
    data = Path(name, "data.mdb")
    stages.add((reported, data.exists()))
    with DiskTable(name, GAME, map_size=1 << 16) as table:
        batches = len(table) // 4
        assert reported <= batches <= reported + 1, (line, reported, len(table))
        check(table, batches)
        write(table, batches)
    with DiskTable(name, GAME, writable=False) as table:
        check(table, batches + 1)
    assert sorted(os.listdir(name)) == ["data.mdb", "data.sum", "lock.mdb", "writer.lock"]
    assert data.stat().st_size > 1 << 16  # it has grown
    if status == 0:
        break
    assert status == -signal.SIGKILL, status
    killed += 1
print(killed, sorted(stages))
"""


@pytest.mark.parametrize("step", [29, pytest.param(1, marks=pytest.mark.long(30))])
def test_killed_at_lines_of_creating_opening_committing_growing_and_closing(tmp_path, step):
    killed, stages = output(KILLED_AT_EVERY_LINE, tmp_path, step).split(maxsplit=1)
    assert int(killed) > 100 // step
    assert eval(stages) == [(0, False), (0, True), (1, True), (2, True), (3, True)]


# Damaged and foreign folders


def used_bytes(folder):
    with lmdb.open(str(folder), readonly=True, lock=False) as env:
        return (env.info()["last_pgno"] + 1) * env.stat()["psize"]


CUTS = {
    "nothing": lambda page, used: 0,
    "some bytes": lambda page, used: 10,
    "first meta cut": lambda page, used: 100,
    "one page": lambda page, used: page,
    "second meta cut": lambda page, used: page + 100,
    "almost two pages": lambda page, used: 2 * page - 1,
    "two pages": lambda page, used: 2 * page,
    "half": lambda page, used: used // 2,
    "last page missing": lambda page, used: used - page,
    "last byte missing": lambda page, used: used - 1,
}


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("writable", [True, False])
def test_a_truncated_file(tmp_path, cut, writable):
    make_table(tmp_path)
    os.truncate(tmp_path / "data.mdb", CUTS[cut](os.sysconf("SC_PAGESIZE"), used_bytes(tmp_path)))
    before = contents(tmp_path)
    with pytest.raises(TableError, match=r"damaged: .*; restore it from a copy") as caught:
        DiskTable(tmp_path, GAME, writable=writable)
    assert str(tmp_path / "data.mdb") in str(caught.value)
    assert contents(tmp_path) == before


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("writable", [True, False])
def test_a_truncated_file_of_a_writer_that_was_killed(tmp_path, cut, writable):
    """The last page may be free, and then nothing is lost."""
    make_table(tmp_path)
    (tmp_path / "data.sum").unlink()
    os.truncate(tmp_path / "data.mdb", CUTS[cut](os.sysconf("SC_PAGESIZE"), used_bytes(tmp_path)))
    before = contents(tmp_path)
    try:
        with DiskTable(tmp_path, GAME, writable=writable) as table:
            assert [table.get(key(number)) for number in range(300)] == [*range(300)]
            assert cut.startswith("last ")
    except TableError as error:
        assert re.search(r"damaged: .*; restore it from a copy", str(error))  # noqa: PT017
        assert str(tmp_path / "data.mdb") in str(error)  # noqa: PT017
        assert contents(tmp_path) == before


MAGIC = struct.pack("@I", 0xBEEFC0DE)
GARBAGE = {
    "random": random.Random(1).randbytes(50_000),
    "zeros": bytes(50_000),
    "text": b"4x4:3,2 = 44/24\n" * 1000,
    "magic number and zeros": bytes(16) + MAGIC + bytes(50_000),
    "magic number and rubbish": bytes(16) + MAGIC + random.Random(2).randbytes(50_000),
}


@pytest.mark.parametrize("garbage", GARBAGE)
@pytest.mark.parametrize("writable", [True, False])
def test_garbage(tmp_path, garbage, writable):
    (tmp_path / "data.mdb").write_bytes(GARBAGE[garbage])
    with pytest.raises(TableError, match="damaged") as caught:
        DiskTable(tmp_path, GAME, writable=writable)
    assert str(tmp_path) in str(caught.value)
    assert contents(tmp_path) == {"data.mdb": GARBAGE[garbage]}


@pytest.mark.parametrize("writable", [True, False])
def test_garbage_in_the_place_of_a_page(tmp_path, writable):
    make_table(tmp_path)
    page, used = os.sysconf("SC_PAGESIZE"), used_bytes(tmp_path)
    with open(tmp_path / "data.mdb", "r+b") as file:
        file.seek(2 * page)
        file.write(bytes(used - 2 * page))
    with pytest.raises(TableError, match="damaged"):
        DiskTable(tmp_path, GAME, writable=writable)


@pytest.mark.parametrize("writable", [True, False])
def test_another_game(tmp_path, writable):
    make_table(tmp_path)
    before = contents(tmp_path)
    with pytest.raises(TableError) as caught:
        DiskTable(tmp_path, OTHER_GAME, writable=writable)
    assert str(caught.value) == (
        f"the table {tmp_path} is of the game {GAME}, not of {OTHER_GAME}; use one folder for each "
        "game"
    )
    assert contents(tmp_path) == before


@pytest.mark.parametrize("writable", [True, False])
def test_another_version(tmp_path, monkeypatch, writable):
    make_table(tmp_path)
    before = contents(tmp_path)
    for module in (disk, slots, soundness):
        monkeypatch.setattr(module, "VERSION", 3)
    with pytest.raises(TableError) as caught:
        DiskTable(tmp_path, OTHER_GAME, writable=writable)
    assert str(caught.value) == (
        f"the table {tmp_path} of the game {GAME} has format version 2; here version 3 is used, "
        f"for the game {OTHER_GAME}; use another folder"
    )
    assert contents(tmp_path) == before


@pytest.mark.parametrize("writable", [True, False])
def test_another_database(tmp_path, writable):
    with lmdb.open(str(tmp_path), lock=False) as env, env.begin(write=True) as txn:
        txn.put(b"some", b"thing")
    before = contents(tmp_path)
    with pytest.raises(TableError, match="holds another LMDB database") as caught:
        DiskTable(tmp_path, GAME, writable=writable)
    assert str(tmp_path) in str(caught.value)
    assert contents(tmp_path) == before == {"data.mdb": before["data.mdb"]}


@pytest.mark.parametrize(("writable", "message"), [(True, "holds 'a.txt'"), (False, "no table in")])
def test_a_folder_of_something_else(tmp_path, writable, message):
    (tmp_path / "a.txt").write_bytes(b"text")
    with pytest.raises(TableError, match=message) as caught:
        DiskTable(tmp_path, GAME, writable=writable)
    assert str(tmp_path) in str(caught.value)
    assert contents(tmp_path) == {"a.txt": b"text"}


@pytest.mark.parametrize("writable", [True, False])
def test_a_path_that_is_a_file(tmp_path, writable):
    (tmp_path / "file").write_bytes(b"text")
    for path in (tmp_path / "file", tmp_path / "file" / "table"):
        with pytest.raises(TableError) as caught:
            DiskTable(path, GAME, writable=writable)
        assert str(path) in str(caught.value)
    assert contents(tmp_path) == {"file": b"text"}


def test_reading_where_there_is_no_table(tmp_path):
    with pytest.raises(TableError, match=r"there is no table in .*none"):
        DiskTable(tmp_path / "none", GAME, writable=False)
    assert contents(tmp_path) == {}


# A full disk


LIMITED = """
def limit(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
key = lambda number: b"%0100d" % number
"""


@pytest.mark.parametrize("map_size", [1 << 16, 1 << 24])
def test_the_disk_is_full_while_writing(tmp_path, map_size):
    script = """
    table = DiskTable(
        folder, GAME, batch_entries=100, batch_seconds=3600, map_size=int(sys.argv[2])
    )
    limit(300_000)
    try:
        for number in range(10**6):
            table.put(key(number), number)
    except TableError as error:
        print(number // 100 * 100)
        print(error)
    assert [table.get(key(n)) for n in range(number + 1)] == [*range(number + 1)]
    try:
        table.put(b"more", 0)
    except TableError as error:
        print(error)
    limit(resource.RLIM_INFINITY)
    table.flush()
    limit(1000)
    table.put(b"still more", 0)
    try:
        table.close()
    except TableError as error:
        print(error)
    """
    printed = output(LIMITED + textwrap.dedent(script), tmp_path, map_size).splitlines()
    committed, (first, second, third) = int(printed[0]), printed[1:]
    assert committed >= 300
    for message, entries, pending in (
        (first, committed, 100),
        (second, committed, 101),
        (third, committed + 101, 1),
    ):
        assert f"the table {tmp_path} could not be written: " in message
        assert f"{entries} entries are committed and safe, {pending} are not yet" in message
        assert "free space and run again" in message
    with DiskTable(tmp_path, GAME) as table:
        assert len(table) == committed + 101
        assert table.get(b"more") == 0
        assert table.get(b"still more") is None
        table.put(b"still more", 1)
        table.flush()


def test_there_is_no_address_space_to_grow(tmp_path):
    script = """
    table = DiskTable(folder, GAME, batch_entries=100, map_size=1 << 26)
    table.put(b"first", 7)
    table.flush()
    pages = int(open("/proc/self/statm").read().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + (1 << 25),) * 2)
    try:
        for number in range(10**6):
            table.put(b"%0100000d" % number, number)
    except TableError as error:
        print(error)
    print(table.get(b"first"), len(table) - number)
    """
    message, answers = output(script, tmp_path).splitlines()
    assert "could not be written: mdb_env_set_mapsize: Cannot allocate memory" in message
    assert answers == "7 2"


@pytest.mark.parametrize("size", [0, 1, 4096, 10_000, 40_000, 100_000])
def test_the_disk_is_full_while_creating(tmp_path, size):
    script = """
    limit(int(sys.argv[2]))
    for _ in range(2):
        try:
            DiskTable(folder, GAME)
        except TableError as error:
            print(error)
    """
    for message in output(LIMITED + textwrap.dedent(script), tmp_path, size).splitlines():
        assert f"the table {tmp_path} could not be" in message
        assert "free space and run again" in message
        assert size > 20_000 or "(0 entries are committed)" in message
    with DiskTable(tmp_path, GAME) as table:
        assert len(table) == 0
        table.put(b"k", 7)


def test_the_space_of_the_lock_file_is_taken(tmp_path):
    make_table(tmp_path)
    lock_file = (tmp_path / "lock.mdb").stat()
    assert lock_file.st_size == tables.LOCK_FILE_BYTES
    assert lock_file.st_blocks * 512 >= tables.LOCK_FILE_BYTES


# After the end


def test_a_closed_table(tmp_path):
    table = DiskTable(tmp_path, GAME)
    table.put(b"k", 7)
    table.close()
    table.close()
    table.flush()
    for use in (lambda: table.get(b"k"), lambda: table.put(b"k", 8), lambda: len(table)):
        with pytest.raises(TableError, match="is closed in this process; open it again"):
            use()


def test_a_table_opened_for_reading_is_not_written(tmp_path):
    make_table(tmp_path)
    with DiskTable(tmp_path, GAME, writable=False) as table:
        with pytest.raises(TableError, match="was opened with writable=False"):
            table.put(b"k", 7)
        table.flush()
        assert table.get(b"k") is None


def test_an_interrupt_keeps_what_was_put_before_it(tmp_path):
    def interrupted():
        with DiskTable(tmp_path, GAME) as table:
            table.put(b"k", 7)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    with DiskTable(tmp_path, GAME) as table:
        assert table.get(b"k") == 7
