"""Bad input: exit status 2, one line that quotes what was given, nothing printed, no file left."""

import io
import json
import os
import re
import resource
import shlex
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from optsearch.cli import common, progress
from optsearch.support.store import Integers
from tests import shown
from tests.processes import run_script
from tests.test_transcripts import ARE_WRITTEN, FOLDER

ERRORS = FOLDER / "errors.txt"

# What errors.txt cannot hold. Each entry: arguments, and what is quoted.
ODD = [
    (["count", "4x4:2\N{RIGHT-TO-LEFT OVERRIDE}"], "u202e"),
    (["count", "\x1b[31m4x4:2"], r"'\x1b[31m4x4:2'"),
    (["count", "4x4:2;x\r\n"], "'4x4:2;x"),
    (["count", "4x4:2\0"], r"\x00"),
    (["count", "9" * 100_000], "999"),
    (["count", "4x4:2", "--shots", "A1=hit\0"], r"\x00"),
    (["count", "4x4:2", "--shots", "A1=hit" * 10_000], "'hitA1'"),
    (["solve", "4x4:2", "--board", "n" * 300], "n" * 59 + "..."),
    (["solve", "4x4:2", "--table", "n" * 300], "n" * 59 + "..."),
    (["solve", "4x4:2", "--tree", "n" * 300], "n" * 59 + "..."),
    (["solve", "4x4:2", "--objective", "b" * 9999], "'bbb", "...'"),
    (["count", "4x4:" + ",".join(["2"] * 5000)], "2,2,2,", "..."),
    (["count", "4x4:" + "2" * 5000], "'222", "...'"),
    (["counterexamples", "--max-cells", "4", "--fleet", "9" * 5000], "'999", "...'"),
]

BOARDS = [  # what a drawing by itself may be is in test_position.py
    (b"", "0 rows"),
    (b"....\n.\0..\n....\n....\n", r"\x00"),
    (bytes(range(256)), "UTF-8"),
    (b"." * 1_000_000, "65,536 bytes"),
]


def assert_is_one_clear_line(result, *quoted):
    status, out, err = result
    assert status == 2, err
    assert out == ""
    err = shown.without_known(err)
    assert err.startswith("error: ")
    assert err.endswith("\n")
    assert err.count("\n") == 1
    for text in quoted:
        assert text in err


@pytest.mark.parametrize(("drawing", "quoted"), BOARDS, ids=[q for _, q in BOARDS])
def test_bad_board(call_command, tmp_path, drawing, quoted):
    board = tmp_path / "board.txt"
    board.write_bytes(drawing)
    assert_is_one_clear_line(call_command("count", "4x4:2", "--board", board), quoted)


TREE = {
    "format": "optsearch decision tree",
    "version": 1,
    "game": "1x2:1",
    "position": "",
    "total_height": 3,
    "configurations": 2,
    "root": {
        "shot": "A1",
        "hit": {"configurations": 1},
        "miss": {"shot": "B1", "hit": {"configurations": 1}},
    },
}
SHOT = {"shot": "A1", "hit": {"configurations": 1}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with files that are good for something, and no file `nothing`."""
    tmp_path = tmp_path_factory.mktemp("files")
    (tmp_path / "board.txt").write_text("....\n" * 4)
    (tmp_path / "binary").write_bytes(bytes(range(256)))
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "folder.pdf").mkdir()
    with Integers(tmp_path / "table", "the solver's table of 4x4:2"):
        pass
    (tmp_path / "garbage.json").write_text("{]")
    (tmp_path / "deep.json").write_text("[" * 100_000)
    (tmp_path / "tree.json").write_text(json.dumps(TREE))
    wrong = {"total_height": 2, "root": {**SHOT, "miss": {"configurations": 1}}}
    (tmp_path / "wrong.json").write_text(json.dumps({**TREE, **wrong}))
    digits = '"configurations": 1', '"configurations": ' + "9" * 4300
    (tmp_path / "huge.json").write_text(json.dumps(TREE).replace(*digits, 1))
    other = {"position": "B1=miss", "total_height": 1, "configurations": 1, "root": SHOT}
    (tmp_path / "other.json").write_text(json.dumps({**TREE, **other}))
    (tmp_path / "game.json").write_text(json.dumps({**TREE, "game": "1x2:1,contact=any"}))
    (tmp_path / "own.py").write_text("def shoot(position):\n    return 0, 0\n")
    (tmp_path / "weights.csv").write_text("cell,weight\nA1,2\n")
    (tmp_path / "sets.csv").write_text("set,things\na,x y\nb,y\n")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "miscounted.json").write_text(json.dumps({**TREE, "total_height": 4}))
    return tmp_path


def refused(call_command, arguments, *quoted):
    """The line that a request is refused with, which leaves no file in this folder."""
    before = sorted(Path().rglob("*"))
    result = call_command(*arguments)
    assert_is_one_clear_line(result, *quoted)
    assert len(result[2]) < 1500
    assert sorted(Path().rglob("*")) == before, arguments
    return result[2].strip()


@pytest.mark.parametrize(("arguments", "quoted"), [(words, quoted) for words, *quoted in ODD])
def test_odd_requests(call_command, folder, monkeypatch, arguments, quoted):
    monkeypatch.chdir(folder)
    refused(call_command, arguments, *quoted)


def test_bad_requests(call_command, folder, monkeypatch):
    """All of tests/transcripts/errors.txt; `make transcripts` writes the answers anew.

    The lines after > are those of the file that a command names.
    """
    monkeypatch.chdir(folder)
    said = []
    for command, *lines in (part.split("\n") for part in ERRORS.read_text("utf-8").split("$ ")[1:]):
        content = [line for line in lines if line.startswith(">")]
        names = re.findall(r"\bfile\.\w+", command)
        for name in names:
            Path(name).write_text("".join(f"{line[2:]}\n" for line in content), "utf-8")
        answer = shown.without_known(refused(call_command, shlex.split(command)[1:]))
        said += [f"$ {command}", *content, answer]
        for name in names:
            Path(name).unlink()
    if ARE_WRITTEN:
        ERRORS.write_text("\n".join([*said, ""]), "utf-8")
    assert said == ERRORS.read_text("utf-8").splitlines()


# Outputs of a request that takes long, refused before the work; errors.txt has other commands

LINKS, LONG = "Too many levels of symbolic links", "File name too long"
PLACES = [
    *(("loop", LINKS), ("loop/a", LINKS), ("n" * 250, LONG), ("nothing/a", "No such file or")),
    *(("board.txt/a", "Not a directory"), ("/proc/a", "'/proc/a"), ("table", "a folder")),
    ("/dev/full", "not a regular file"),
]
FOLDERS = [
    *(("loop", LINKS), ("loop/a", LINKS), ("n" * 300, LONG), ("board.txt", "Not a directory")),
    *(("board.txt/a", "Not a directory"), ("dangling", "leads nowhere")),
    *(("/dev/full", "Not a directory"), ("/proc/a", "'/proc/a'")),
]


@pytest.mark.parametrize(
    ("request_", "places"),
    [
        (["evaluate", "greedy", "10x10:5,4,3,3,2", "--output"], PLACES),
        (["evaluate", "greedy", "10x10:5,4,3,3,2", "--resume"], FOLDERS),
    ],
    ids=("file", "folder"),
)
def test_an_output_that_cannot_be_written(call_command, folder, monkeypatch, request_, places):
    monkeypatch.chdir(folder)
    for place, reason in places:
        assert_is_one_clear_line(call_command(*request_, place), reason, "cannot write")
    assert not (folder / "nothing").exists()


# Texts from outside that are printed

EVIL = "a\x1b[2J\x07\x9b1m\u202eb"
HARMLESS = r"a\x1b[2J\x07\x9b1m\u202eb"


def assert_harmless(text, quoted=HARMLESS):
    assert quoted in text
    assert text.replace("\n", "").isprintable()


def test_control_characters_in_names(call_command, folder, tmp_path, monkeypatch):
    """Of files, families and their things: on a terminal they are seen and do nothing."""
    family = tmp_path / f"{EVIL}.csv"
    family.write_text(f"set,things\n{EVIL},{EVIL} y\nb,y\n")
    monkeypatch.setattr("sys.stdin", io.StringIO())
    own = tmp_path / f"{EVIL}.py"
    own.write_text((folder / "own.py").read_text())
    requests = [
        ("solve", family, "--tree", tmp_path / f"{EVIL}.t"),
        ("tree", tmp_path / f"{EVIL}.t", family),
        ("greedy", family),
        ("bounds", family),
        ("simulate", f"{own}:shoot", "1x1:1"),
        ("evaluate", f"{own}:shoot", "1x1:1", "--jobs", "1"),
        ("play", "4x4:2", "--resume", tmp_path / EVIL),
        ("advise", "4x4:2", "--resume", tmp_path / f"{EVIL}.txt"),
    ]
    for request in requests:
        for json_too in (["--json"] if request[0] not in ("play", "advise") else [], []):
            status, out, err = call_command(*request, *json_too)
            assert (status, err) == (0, ""), request
            assert_harmless(out, "a\\u001b[2J" if json_too else HARMLESS)
    for request in (["tree"], ["check"], ["solitaire", "solve"], ["count", f"{EVIL}:2"], [EVIL]):
        result = call_command(
            *request, *([own] if request[-1] in ("tree", "check", "solve") else [])
        )
        assert_is_one_clear_line(result)
        assert_harmless(result[2])


def test_a_label_is_no_markup(monkeypatch):
    """Of a progress line on a terminal."""
    monkeypatch.setattr(progress, "err", common.Safe(file=io.StringIO(), force_terminal=True))
    monkeypatch.setattr(progress, "SECONDS_TO_BAR", 0)
    with progress.show_search_progress(f"[/b]{EVIL}"):
        while f"[/b]{HARMLESS}" not in (shown := progress.err.file.getvalue()):
            time.sleep(0.01)
    assert EVIL not in shown


# Memory that is short


def test_what_cannot_be_loaded_is_not_said_to_be_missing(call_command, folder, monkeypatch):
    """A package is there, and there is too little memory to load it."""
    reason = "libortools.so.9: failed to map segment from shared object"

    class Short:
        @staticmethod
        def find_spec(name, *_):
            if name.startswith(("ortools", "distributed")):
                raise ImportError(reason)

    for name in [name for name in sys.modules if name.partition(".")[0] in PACKAGES]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Short, *sys.meta_path])
    (folder / "easy.txt").write_text("grid 3x3\nfleet 2\n")
    for request in (
        ("solitaire", "solve", folder / "easy.txt", "--method", "ship"),
        ("evaluate", "greedy", "2x2:1", "--dask", "tcp://127.0.0.1:1"),
    ):
        result = call_command(*request)
        assert_is_one_clear_line(result, reason, "memory")
        assert "install" not in result[2]


PACKAGES = ("ortools", "distributed")


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("can't start new thread")])
def test_short_memory(call_command, monkeypatch, error):
    def fail(*_):
        raise error

    monkeypatch.setattr("optsearch.cli.counting.read_position", fail)
    assert_is_one_clear_line(call_command("count", "4x4:2"), "not enough memory")


def test_too_little_memory_to_begin():
    """Where not even NumPy can be loaded."""
    hooks = """
class Short:
    @staticmethod
    def find_spec(name, *_):
        if name == "numpy":
            raise ImportError("advice\\nOriginal error was: libgfortran.so: failed to map\\n")

sys.meta_path.insert(0, Short)
"""
    script = "from optsearch.cli import main; main()"
    result = run_script(script, "solve", "2x3:2", hooks=hooks)
    assert_is_one_clear_line(result, "cannot be loaded: Original error was: libgfortran.so")


# By the real command, so that the exit status and standard error are its own


def ran(*arguments, **more):
    process = subprocess.run(
        [sys.executable, "-m", "optsearch", *arguments],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=os.environ | {"NO_COLOR": "1", "PYTHONUTF8": "1"},
        timeout=120,
        **{"stdout": subprocess.PIPE, **more},
    )
    return process.returncode, process.stdout, process.stderr


def test_the_real_command():
    assert_is_one_clear_line(ran("solve", "4x4:5"), "5")


@pytest.mark.parametrize("arguments", [["count", "4x4:2"], ["sample", "4x4:2", "-n9", "--json"]])
def test_an_answer_that_cannot_be_written(arguments):
    with Path("/dev/full").open("w") as full:
        status, _, err = ran(*arguments, stdout=full)
    assert_is_one_clear_line((status, "", err), "cannot write the answer", "No space left")


def test_an_answer_comes_before_the_tree_that_cannot_be_written(
    call_command, monkeypatch, tmp_path
):
    """The disk is full when the work is done: the answer is not lost."""

    def full(path, text):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("optsearch.support.documents.replace", full)
    status, out, err = call_command("solve", "4x4:2", "--tree", tmp_path / "tree.json")
    assert "146/24" in out
    assert_is_one_clear_line((status, "", err), "tree.json", "No space left")


# Files that are none, or have no end


READ = {
    "board": (["posterior", "4x4:2", "--board"], 1 << 16),
    "drawn board of a game": (["count", "{}:2"], 1 << 16),
    "puzzle": (["solitaire", "solve"], 1 << 20),
    "prior": (["posterior", "4x4:2", "--prior"], 1 << 26),
    "boards": (["simulate", "greedy", "4x4:2", "--games", "2", "--boards"], 1 << 26),
    "family": (["bounds"], 1 << 26),
    "tree": (["tree"], 1 << 30),
    "tree of a page": (["explore", "4x4:2", "-o", "page.html", "--with-tree"], 1 << 30),
    "tree of a family": (["tree", "{}", "sets.csv"], 1 << 30),
    "tree, proof or value": (["check"], 1 << 30),
    "function": (["posterior", "4x4:2", "--prior", "{}:weigh"], 1 << 30),
    "strategy": (["evaluate", "{}:shot", "4x4:2"], 1 << 30),
}


@pytest.fixture
def odd(tmp_path, monkeypatch):
    """A folder in which anything can be made: what is read from it must not be waited for."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sets.csv").write_text("set,things\na,x y\nb,y\n")
    with only_so_much_memory(1 << 29):
        yield tmp_path


@contextmanager
def only_so_much_memory(more):
    """Address space for so many bytes more than there are."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + more, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


@pytest.mark.parametrize("kind", ["device", "pipe", "endless", "loop", "folder"])
@pytest.mark.parametrize("read", READ)
def test_what_is_no_file_to_read(call_command, odd, kind, read):
    arguments, most = READ[read]
    ending = {
        "prior": ".csv",
        "family": ".csv",
        "boards": ".csv",
        "function": ".py",
        "strategy": ".py",
    }.get(read, "")
    name = f"./odd{ending or '.txt'}"
    if kind == "device":
        Path(name).symlink_to("/dev/zero")
    elif kind == "pipe":
        os.mkfifo(name)
    elif kind == "endless":
        Path(name).touch()
        os.truncate(name, 1 << 40)  # of zeros, which take no room on a disk
    elif kind == "loop":
        Path(name).symlink_to(name)
    else:
        Path(name).mkdir()
    whole = [argument.format(name) for argument in arguments]
    status, out, err = call_command(*whole, *([] if whole != arguments else [name]))
    assert (status, out) == (2, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert Path(name).name in err
    if ending != ".py" or kind == "endless":
        says = {
            "device": f"it is not a regular file; one of at most {most:,} bytes is read",
            "pipe": f"it is not a regular file; one of at most {most:,} bytes is read",
            "endless": f"it has more than {most:,} bytes",
            "loop": "Too many levels of symbolic links",
            "folder": "",
        }[kind]
        assert says in err


def test_files_of_checkpoints_and_tables_that_are_none(call_command, odd):
    """Inside the folders that the command writes itself."""
    for name, arguments in (
        ("run/data.mdb", ["evaluate", "greedy", "4x4:2", "--jobs", 1, "--resume", "run"]),
        ("both/data.mdb", ["compare", "greedy", "spread", "4x4:2", "--resume", "both"]),
        ("table/data.mdb", ["solve", "4x4:2", "--table", "table"]),
    ):
        assert call_command(*arguments)[0] == 0
        Path(name).unlink()
        Path(name).symlink_to("/dev/zero")
        status, out, err = call_command(*arguments)
        assert (status, out) == (2, "")
        assert f"{name}" in err
        assert "is not a regular file" in err
    for command in ("advise", "play"):
        status, out, err = call_command(command, "4x4:2", "--resume", "/dev/zero")
        assert (status, out) == (2, "")
        assert "cannot write '/dev/zero': it is not a regular file" in err
        Path("long").touch()
        os.truncate("long", 1 << 40)
        status, out, err = call_command(command, "4x4:2", "--resume", "long")
        assert (status, out) == (2, "")
        assert all(said in err for said in ("'long'", ": it has more than 65,536 bytes"))
