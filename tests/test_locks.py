"""A file that one process at a time has."""

import subprocess
import sys
from io import FileIO

import pytest

from optsearch.support import locks
from optsearch.support.errors import NotSupported

OTHER = """
import sys
from io import FileIO
from optsearch.support.locks import take
print(take(FileIO(sys.argv[1], "a+")))
"""


def another_takes(path):
    found = subprocess.run(
        [sys.executable, "-c", OTHER, path], capture_output=True, text=True, check=True, timeout=600
    )
    return found.stdout.strip() == "True"


def test_one_process_has_it_until_it_is_closed(tmp_path):
    path = tmp_path / "file"
    with FileIO(path, "a+") as file:
        assert locks.take(file)
        with FileIO(path, "a+") as again:
            assert not locks.take(again)
        assert not another_takes(path)
    assert another_takes(path)


def test_a_system_without_locks_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(locks, "fcntl", None)
    with FileIO(tmp_path / "file", "a+") as file, pytest.raises(NotSupported, match="has no locks"):
        locks.take(file)
