"""Files that are written whole or not at all, arrays with a checksum, journals."""

import json
import os
import random
import subprocess
import sys

import numpy as np
import pytest

from optsearch.support.arrays import read_arrays, write_arrays
from optsearch.support.errors import TableError
from optsearch.support.files import replace, replacing
from optsearch.support.journal import Journal
from tests.examples import sizes

WHAT = "an evaluation of greedy on 4x4:3,2"


def filled(path, n=20, what=WHAT):
    with Journal(path, what) as journal:
        for i in range(n):
            journal.add(f"task {i}", [i, {"é": "\n"}])
    return path.read_bytes()


def entries(path, what=WHAT):
    with Journal(path, what) as journal:
        return dict(journal.entries)


# Whole or not at all


def test_a_failed_write_leaves_what_was_there(tmp_path):
    path = tmp_path / "new" / "file"
    replace(path, "é")

    def fail():
        with replacing(path) as beside:
            beside.write_text("half")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert path.read_bytes() == "é".encode()
    assert os.listdir(path.parent) == ["file"]


def test_what_is_no_file_is_not_replaced(tmp_path):
    with pytest.raises(OSError, match="not a regular file"):
        replace(tmp_path, "text")


# Arrays


@pytest.mark.parametrize("what", ["a", "b"])
def test_arrays_come_back(tmp_path, what):
    arrays = {
        "empty": np.zeros((0, 3)),
        "bytes": np.arange(7, dtype=np.uint8),
        "turned": np.arange(12, dtype=np.int64).reshape(3, 4).T,
        "number": np.array(2.5),
    }
    write_arrays(tmp_path / "file", what, arrays)
    again = read_arrays(tmp_path / "file", what)
    assert list(again) == list(arrays)
    for name in ("empty", "bytes", "turned"):
        assert again[name].dtype == arrays[name].dtype
        assert again[name].shape == arrays[name].shape
        assert (again[name] == arrays[name]).all()
    with pytest.raises(TableError, match=f"is of {what}, not of another"):
        read_arrays(tmp_path / "file", "another")
    assert read_arrays(tmp_path / "none", what) is None


def test_every_damaged_byte_of_arrays_is_seen(tmp_path):
    path = tmp_path / "file"
    write_arrays(path, WHAT, {"a": np.arange(5), "b": np.arange(3, dtype=np.uint8)})
    whole = path.read_bytes()
    for i in range(len(whole)):
        damaged = bytearray(whole)
        damaged[i] ^= 1 << i % 8
        for content in (bytes(damaged), whole[:i]):
            path.write_bytes(content)
            with pytest.raises(TableError, match="damaged"):
                read_arrays(path, WHAT)


# Journals


def test_a_journal_keeps_what_is_added(tmp_path):
    path = tmp_path / "new" / "journal"
    filled(path)
    assert entries(path) == {f"task {i}": [i, {"é": "\n"}] for i in range(20)}
    with Journal(path, WHAT) as journal:
        journal.add("task 3", "other")
    assert entries(path)["task 3"] == "other"


def test_a_line_that_a_kill_cut_off_is_dropped(tmp_path):
    path = tmp_path / "journal"
    whole = filled(path, 3)
    for end in range(0, len(whole), 3):
        path.write_bytes(whole[:end])
        lines = whole[:end].count(b"\n")
        assert len(entries(path)) == max(0, lines - 1)
        assert filled(path, 1).count(b"\n") == max(1, lines) + 1


@sizes("times", 40, 200, 3)
def test_lines_are_not_changed_moved_repeated_or_left_out(tmp_path, times):
    path = tmp_path / "journal"
    whole = filled(path)
    lines = whole.splitlines(keepends=True)
    other = filled(tmp_path / "other", what="another evaluation").splitlines(keepends=True)
    rng = random.Random(4)
    for _ in range(times):
        i, j = sorted(rng.sample(range(1, len(lines)), 2))
        bit = rng.randrange(8 * (len(whole) - 1))  # without the last end of a line
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        for damaged in (
            bytes(flipped),
            b"".join([*lines[:i], lines[j], *lines[i + 1 : j], lines[i], *lines[j + 1 :]]),
            b"".join([*lines[:j], lines[i], *lines[j:]]),
            b"".join([*lines[:i], *lines[i + 1 :], lines[j]]),
            b"".join([*lines[:i], other[i], *lines[i + 1 :]]),
            b"".join([*lines[:1], *other[1:]]),
        ):
            path.write_bytes(damaged)
            with pytest.raises(TableError, match="damaged"):
                entries(path)
            assert path.read_bytes() == damaged


def test_another_journal_and_other_files_are_refused(tmp_path):
    path = tmp_path / "journal"
    filled(path)
    with pytest.raises(TableError, match=f"journal is of {WHAT}, not of another"):
        Journal(path, "another")
    for text in ("x", "{}", "\n", '{"format": "optsearch counterexamples", "version": 1}\n'):
        path.write_text(text)
        with pytest.raises(TableError, match=r"not a checkpoint of this version .* another folder"):
            Journal(path, WHAT)
        assert path.read_text() == text
    with pytest.raises(TableError, match="cannot be opened: Is a directory"):
        Journal(tmp_path, WHAT)


def test_one_process_has_a_journal_at_a_time(tmp_path):
    path = tmp_path / "journal"
    script = f"""
from pathlib import Path
from optsearch.support.journal import Journal
Journal(Path({str(path)!r}), {WHAT!r})
"""
    with Journal(path, WHAT):
        other = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=False
        )
        assert "is being written by another process; wait for its end" in other.stderr
    subprocess.run([sys.executable, "-c", script], check=True)


def test_a_full_disk_costs_nothing_that_is_kept(tmp_path):
    path = tmp_path / "journal"
    script = f"""
import json, resource, signal
from pathlib import Path
from optsearch.support.errors import TableError
from optsearch.support.journal import Journal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with Journal(Path({str(path)!r}), {WHAT!r}) as journal:
    journal.add("first", 1)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
    try:
        journal.add("second", "x" * 2000)
    except TableError as error:
        print(error)
    journal.add("third", 3)
    print(json.dumps(journal.entries))
"""
    printed = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout
    message, kept = printed.splitlines()
    assert "cannot be written: " in message
    assert "what it had is safe" in message
    assert json.loads(kept) == entries(path) == {"first": 1, "third": 3}
