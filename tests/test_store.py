"""What runs go on from: exact values, nothing committed is lost, what is damaged is refused."""

import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import textwrap
from contextlib import contextmanager

import lmdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from optsearch.support import store as stores
from optsearch.support.errors import TableError
from optsearch.support.store import Facts, Integers, Store
from tests.examples import draws, sizes
from tests.processes import MANY_SECONDS

WHAT = "the evaluation of greedy on 4x4:3,2"
PRELUDE = f"""
import os, resource, signal, sys
from optsearch.support.errors import TableError
from optsearch.support.store import Facts, Store
WHAT = {WHAT!r}
folder = sys.argv[1]
"""


def key(number, size=100):
    """A key of this size, different for every number."""
    return random.Random(number).randbytes(size - 8) + struct.pack("<q", number)


def filled(folder, entries=300):
    with Store(folder, WHAT) as store:
        for number in range(entries):
            store.put(key(number, 10 + 3 * number), b"%d" % number)
    return {key(number, 10 + 3 * number): b"%d" % number for number in range(entries)}


def contents(folder):
    """The files of a folder, by name."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def committed(folder):
    """What a process that is killed now would leave."""
    with tempfile.TemporaryDirectory() as copy:
        shutil.copy(folder / "data.mdb", copy)
        with Store(copy, WHAT) as store:
            return dict(store.items())


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


# Values


@draws(25)
@given(
    puts=st.lists(st.tuples(st.binary(max_size=4) | st.binary(max_size=600), st.binary())),
    batch=st.integers(1, 5),
)
def test_it_is_a_dictionary(puts, batch):
    expected = {}
    with tempfile.TemporaryDirectory() as folder:
        with Store(folder, WHAT, batch=batch) as store:
            for k, value in puts:
                store.put(k, value)
                expected[k] = value
                assert store.get(k) == value
        with Store(folder, WHAT) as store:
            assert dict(store.items()) == expected
            assert len(store) == len(expected)
            assert store.get(b"another key") is None


def test_keys_and_values_of_all_sizes(tmp_path):
    entries = {key(n, n): key(-n, 3 * n) for n in (8, 499, 500, 501, 5000, 3_000_000)}
    with Store(tmp_path / "new" / "store", WHAT) as store:
        for k, value in entries.items():
            store.put(k, value)
    with Store(tmp_path / "new" / "store", WHAT) as store:
        assert {k: store.get(k) for k in entries} == dict(store.items()) == entries
        assert store.get(key(3_000_000, 3_000_000)[:-1]) is None
        assert store.size > 12_000_000
    assert os.listdir(tmp_path / "new" / "store") == ["data.mdb"]


def test_facts_and_integers(tmp_path):
    fact, name = [1, {"é": "\n"}, None, 2.5], "a path \udce9" + "x" * 600
    with Facts(tmp_path / "facts", name) as facts:
        facts.add(name, fact)
        facts.add("b", 1)
        facts.add("b", 2)
    with Facts(tmp_path / "facts", name) as facts:
        assert dict(facts) == {name: fact, "b": 2}
        assert "c" not in facts
        with pytest.raises(KeyError):
            facts["c"]
        says = re.escape(f"{tmp_path / 'facts'} is damaged: 'b' has 2, not 3; restore it from")
        assert re.match(says, str(facts.impossible_fact("b", "3")))
    values = {b"a": -(2**63), b"b": 2**63 - 1, b"c": 0}
    with Integers(tmp_path / "integers", WHAT) as integers:
        for k, value in values.items():
            integers.put(k, value)
        assert {k: integers.get(k) for k in values} == dict(integers.items()) == values
        assert integers.get(b"d") is None


# Several processes


def test_pending_values_are_seen_before_they_are_committed(tmp_path):
    with Store(tmp_path, WHAT, batch=3, seconds=3600) as store:
        store.put(b"k", b"7")
        assert (store.get(b"k"), committed(tmp_path)) == (b"7", {})
        store.flush()
        store.put(b"k", b"8")
        assert (store.get(b"k"), committed(tmp_path)) == (b"8", {b"k": b"7"})
        store.put(b"l", b"")
        store.put(b"m", b"")  # which makes three
        assert committed(tmp_path) == {b"k": b"8", b"l": b"", b"m": b""}
        store.put(b"n", bytes(50_000_000))  # more than the map, which grows
        store.flush()
        assert (store.get(b"k"), len(committed(tmp_path))) == (b"8", 4)


def test_a_commit_when_its_time_has_come(tmp_path, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(stores.time, "monotonic", lambda: now[0])
    with Store(tmp_path, WHAT, seconds=10) as store:
        for number, (second, kept) in enumerate([(0, 0), (9.9, 0), (10, 3), (19, 3), (20, 5)]):
            now[0] = second
            store.put(key(number), b"")
            assert len(committed(tmp_path)) == kept


def test_one_process_has_it_while_it_lives(tmp_path):
    script = """
    store = Store(folder, WHAT, batch=1)
    store.put(b"k", b"7")
    print("open", flush=True)
    signal.pause()
    """
    with started(script, tmp_path) as first:
        assert first.stdout.readline() == "open\n"
        with pytest.raises(TableError, match="is open already, in another process or in this"):
            Store(tmp_path, WHAT)
        first.kill()
    with Store(tmp_path, WHAT) as store:
        assert store.get(b"k") == b"7"
        with pytest.raises(TableError, match="is open already, in another process or in this"):
            Store(tmp_path, WHAT)
    with pytest.raises(TableError, match="is closed; open it again"):
        store.put(b"k", b"8")


# Killed


WRITER = """
store = Store(folder, WHAT, batch=int(sys.argv[3]))
for number in range(int(sys.argv[2]), 10**9):
    store.put(b"%d" % number * (1 + number % 200), b"%d" % number * (1 + number % 7))
    store.put(b"last", b"%d" % number)
    if number % 100 == 99:
        store.flush()
        print(number, flush=True)
"""


@pytest.mark.parametrize("seed", [2014])
@sizes("times", 4, 60, 15)
def test_killed_while_writing(tmp_path, seed, times):
    moments, after = random.Random(seed), 0
    for _ in range(times):
        with started(WRITER, tmp_path, after, moments.choice([7, 50, 1000])) as process:
            lines = [process.stdout.readline() for _ in range(moments.randrange(1, 8))]
            process.kill()  # which comes while it writes on, wherever that is
            lines += process.stdout.readlines()
        assert process.returncode == -signal.SIGKILL
        reported = [int(line) for line in lines if line.endswith("\n")][-1]
        with Store(tmp_path, WHAT) as store:
            last = int(store.get(b"last"))
            assert last >= reported
            for number in range(last + 1):
                value = b"%d" % number * (1 + number % 7)
                assert store.get(b"%d" % number * (1 + number % 200)) == value
        after = last + 1


KILLED_AT_EVERY_LINE = """
def kill_at(line):
    left = [line]
    def local(frame, event, argument):
        left[0] -= event == "line"
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return local
    sys.settrace(lambda frame, *_: local if frame.f_code.co_filename.endswith("store.py") else None)

killed, stages = 0, set()
for line in range(1, 10**6, int(sys.argv[2])):
    name = f"{folder}/{line}"
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        kill_at(line)
        with Facts(name, WHAT) as facts:
            for number in range(3):
                facts.add(str(number), "x" * 10_000_000)  # the map grows
                os.write(writing, b"x")
        os._exit(0)
    os.close(writing)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    reported = len(os.read(reading, 10))
    os.close(reading)
    with Facts(name, WHAT) as facts:
        kept = len(facts)
        assert reported <= kept <= reported + 1, (line, reported, kept)
        assert sorted(facts) == ["0", "1", "2"][:kept]
        stages.add((reported, kept))
        facts.add("another", 1)
    with Store(name, WHAT) as store:
        assert len(store) == kept + 1
    if status == 0:
        break
    assert status == -signal.SIGKILL, status
    killed += 1
print(killed, sorted(stages))
"""


@pytest.mark.parametrize("step", [19, pytest.param(1, marks=pytest.mark.long(30))])
def test_killed_at_lines_of_creating_committing_growing_and_closing(tmp_path, step):
    killed, stages = output(KILLED_AT_EVERY_LINE, tmp_path, step).split(maxsplit=1)
    assert int(killed) > 100 // step
    assert {(0, 0), (3, 3)} < set(eval(stages))


# Damaged, and of something else


PAGE = 4096
CUTS = [0, 10, 100, PAGE, PAGE + 100, 2 * PAGE - 1, 2 * PAGE, 7 * PAGE, -PAGE, -1]


@pytest.mark.parametrize("cut", CUTS)
def test_a_truncated_file(tmp_path, cut):
    """Where free pages alone are missing, nothing is lost; an empty file is a new store."""
    expected = filled(tmp_path)
    data = tmp_path / "data.mdb"
    os.truncate(data, cut if cut >= 0 else data.stat().st_size + cut)
    before = contents(tmp_path)
    try:
        with Store(tmp_path, WHAT) as store:
            assert dict(store.items()) == (expected if cut else {})
            assert cut <= 0
    except TableError as error:
        assert re.search(r"damaged: .*; restore it from a copy|could not be", str(error))  # noqa: PT017
        assert str(tmp_path) in str(error)  # noqa: PT017
        assert contents(tmp_path) == before


MAGIC = struct.pack("@I", 0xBEEFC0DE)
GARBAGE = {
    "random": random.Random(1).randbytes(50_000),
    "zeros": bytes(50_000),
    "text": b"4x4:3,2 = 44/24\n" * 1000,
    "magic number and rubbish": bytes(16) + MAGIC + random.Random(2).randbytes(50_000),
}


@pytest.mark.parametrize("garbage", GARBAGE)
def test_garbage(tmp_path, garbage):
    (tmp_path / "data.mdb").write_bytes(GARBAGE[garbage])
    with pytest.raises(TableError, match=r"damaged: .* restore it from a copy"):
        Store(tmp_path, WHAT)
    assert contents(tmp_path) == {"data.mdb": GARBAGE[garbage]}


@sizes("times", 30, 500, 60)
def test_a_damaged_byte_gives_no_wrong_value_and_kills_nothing(tmp_path, times):
    """In a database of all kinds of pages: deep trees, large values, free pages."""
    rng, data, values = random.Random(7), tmp_path / "data.mdb", {}
    with Store(tmp_path, WHAT) as store:
        for _ in range(600):
            k = rng.randbytes(rng.choice([2, 33, 499]))
            values[k] = rng.randbytes(rng.choice([1, 20, 300, 3000, 9000]))
            store.put(k, values[k])
            if rng.random() < 0.05:
                store.flush()
    whole = data.read_bytes()
    for number in range(times):
        damaged = bytearray(whole)
        page = rng.randrange(len(whole) // PAGE) * PAGE
        at = page + rng.choice([*range(24), rng.randrange(PAGE)])
        damaged[at] = rng.randrange(256)
        data.write_bytes(damaged)
        child = os.fork()
        if child == 0:
            wrong = 1
            try:
                with Store(tmp_path, WHAT) as store:
                    wrong = sum(store.get(k) not in (None, value) for k, value in values.items())
            except TableError:
                wrong = 0
            finally:
                os._exit(wrong > 0)
        assert os.waitpid(child, 0)[1] == 0, (number, at)


def test_a_record_in_the_place_of_another(tmp_path):
    filled(tmp_path)
    with lmdb.open(str(tmp_path)) as env, env.begin(write=True) as txn:
        first, second = (b"k" + key(n, 10 + 3 * n) for n in (1, 2))
        txn.put(first, txn.get(second))
    with Store(tmp_path, WHAT) as store:
        assert store.get(second[1:]) == b"2"
        with pytest.raises(TableError, match=r"data.mdb is damaged: the checksum of a value is"):
            store.get(first[1:])


def test_another_question_or_version_or_database(tmp_path, monkeypatch):
    filled(tmp_path / "store")
    before = contents(tmp_path / "store")
    with pytest.raises(TableError, match=f"store holds {WHAT}, not another; name another folder"):
        Store(tmp_path / "store", "another")
    monkeypatch.setattr(stores, "VERSION", 2)
    with pytest.raises(TableError, match="holds a store of version 1; here version 2 is used"):
        Store(tmp_path / "store", WHAT)
    assert contents(tmp_path / "store") == before
    with lmdb.open(str(tmp_path / "b"), lock=False) as env, env.begin(write=True) as txn:
        txn.put(b"some", b"thing")
    before = contents(tmp_path / "b")
    with pytest.raises(TableError, match="holds another LMDB database; name a new"):
        Store(tmp_path / "b", WHAT)
    assert contents(tmp_path / "b") == before


def test_a_folder_of_something_else(tmp_path):
    folder = tmp_path / "holds something"
    folder.mkdir()
    (folder / "a.txt").write_bytes(b"text")
    with pytest.raises(TableError, match=r"it holds 'a\.txt'; name a new or empty one"):
        Store(folder, WHAT)
    assert contents(folder) == {"a.txt": b"text"}
    for path in (folder / "a.txt", folder / "a.txt" / "store"):
        with pytest.raises(TableError, match=str(path)):
            Store(path, WHAT)
    (tmp_path / "data.mdb").mkdir()
    with pytest.raises(TableError, match=r"data.mdb is not a regular file"):
        Store(tmp_path, WHAT)


# A full disk


LIMITED = """
def limit(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
"""


def test_a_full_disk_costs_nothing_that_is_kept(tmp_path):
    script = """
    with Facts(folder, WHAT) as facts:
        facts.add("first", 1)
        limit(50_000)
        try:
            facts.add("second", "x" * 200_000)
        except TableError as error:
            print(error)
        print(facts["first"])
        limit(resource.RLIM_INFINITY)
        facts.add("third", 3)
    """
    message, first = output(LIMITED + textwrap.dedent(script), tmp_path).splitlines()
    assert f"the store {tmp_path} could not be written: " in message
    assert "what was committed is safe" in message
    assert "free space and run again" in message
    assert first == "1"
    with Facts(tmp_path, WHAT) as facts:
        assert dict(facts) == {"first": 1, "second": "x" * 200_000, "third": 3}


@pytest.mark.parametrize("size", [0, 1, 4096, 10_000, 40_000, 70_000])
def test_the_disk_is_full_while_creating(tmp_path, size):
    script = """
    limit(int(sys.argv[2]))
    for _ in range(2):
        try:
            Store(folder, WHAT)
        except TableError as error:
            print(error)
    """
    for message in output(LIMITED + textwrap.dedent(script), tmp_path, size).splitlines():
        assert f"the store {tmp_path} could not be" in message
        assert "free space and run again" in message
    with Store(tmp_path, WHAT) as store:
        store.put(b"k", b"7")


def test_a_folder_without_leave():
    """The folder is one that every user may enter."""
    script = """
    if os.getuid() == 0:
        os.setgid(65534)
        os.setuid(65534)
    for name in (folder, folder + "/none"):
        try:
            Store(name, WHAT)
        except TableError as error:
            print(error)
    """
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        with Store(name, WHAT) as store:
            store.put(b"k", b"7")
        os.chmod(f"{name}/data.mdb", 0o444)
        os.chmod(name, 0o555)
        store, none = output(script, name).splitlines()
    for message in (store, none):
        assert re.search("could not be opened: .*ermission denied", message)
        assert "give this user access to it" in message
