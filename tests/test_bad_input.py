"""Bad input: exit status 2, one line that quotes what was given, nothing printed, no file left."""

import io
import json
import os
import resource
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from optsearch.cli import common, progress
from optsearch.cli.app import err, everything
from optsearch.cli.arguments import Command
from optsearch.cli.command import say
from optsearch.counting.lattice import sweep
from optsearch.support.store import Integers
from tests.processes import run_script

# Everything that can be wrong. Each entry: arguments, and texts that the one line quotes.

GAMES = [
    ("", "''"),
    (" ", "' '"),
    ("x", "'x'"),
    ("4x4", "'4x4'"),
    ("4x4:", "'4x4:'"),
    ("4x4:2,", "'4x4:2,'"),
    ("4x4:2,,2", "'4x4:2,,2'"),
    ("4x4:2.5", "'2.5'"),
    ("4x4:-1", "'-1'"),
    ("4x4:0", "length 0"),
    ("4x4:5", "length 5"),
    ("0x4:2", "0x4"),
    ("40x40:5", "40x40"),
    ("999999999x999999999:2", "999999999x999999999"),
    ("9999999999x4:2", "'9999999999x4:2'"),
    ("4x4:4,4,4,4,4", "4,4,4,4,4"),
    ("4x4:2,contact=maybe", "'maybe'"),
    ("4x4:2,announce=", "''"),
    ("4x4:2,contact=any,contact=any", "'4x4:2,contact=any,contact=any'"),
    ("4x4:2;x", "'x'"),
    ("4x4:2;", "'4x4:2;'"),
    ("４x4:2", "'４x4:2'"),
    ("🚢", "'🚢'"),
    ("4x4:2\N{RIGHT-TO-LEFT OVERRIDE}", "u202e"),
    ("\x1b[31m4x4:2", r"'\x1b[31m4x4:2'"),
    ("[red]4x4:2[/red]", "'[red]4x4:2[/red]'"),
    ("4x4:2[/]", "'2[/]'"),
    ("4x4:2;x\r\n", "'4x4:2;x"),
    ("4x4:2\0", r"\x00"),
    ("9" * 100_000, "999"),
]

SHOTS = [
    ("x", "'x'"),
    ("A1", "'A1'"),
    ("A1=", "'A1='"),
    ("=", "'='"),
    ("=hit", "'=hit'"),
    ("A1 = hit", "'A1'"),
    ("A1=maybe", "'maybe'"),
    ("A1=hit;", "'hit;'"),
    ("A0=hit", "'A0'"),
    ("A01=hit", "'A01'"),
    ("1A=hit", "'1A'"),
    ("E1=hit", "E1"),
    ("A5=miss", "A5"),
    ("ZZZ9999=miss", "ZZZ9999"),
    ("A1=hit A1=hit", "A1"),
    ("A1=miss a1=hit", "A1=miss"),
    ("A1=sunk", "A1=sunk"),
    ("A1=sunk:2", "A1=sunk:2"),
    ("A1=hit B1=hit C1=hit", "'A1=hit B1=hit C1=hit'"),
    ("A1=hit D4=hit", "'A1=hit D4=hit'"),
    ("A1=hit B1=miss A2=miss", "'A1=hit B1=miss A2=miss'"),
    ("🚢=hit", "'🚢'"),
    ("[/b]=hit", "'[/b]'"),
    ("A1=hit\0", r"\x00"),
    ("A1=hit" * 10_000, "A1=hit"),
]

BOARDS = [
    (b"", "0 rows"),
    (b"....\n", "1 rows"),
    (b"....\n" * 5, "5 rows"),
    (b"....\n.....\n....\n....\n", "'.....'"),
    (b"....\n.x..\n....\n....\n", "'x'"),
    (b"....\n.\0..\n....\n....\n", r"\x00"),
    ("....\n.●..\n....\n....\n".encode(), "B2=sunk"),
    (b"X...\n....\n....\n...X\n", "'A1=hit D4=hit'"),
    (b"XXX.\n....\n....\n....\n", "'A1=hit B1=hit C1=hit'"),
    (bytes(range(256)), "UTF-8"),
    (b"." * 60_000, "1 rows"),
    (b"." * 1_000_000, "65,536 bytes"),
]


def assert_is_one_clear_line(result, *quoted):
    status, out, err = result
    assert status == 2, err
    assert out == ""
    assert err.startswith("error: ")
    assert err.endswith("\n")
    assert err.count("\n") == 1
    for text in quoted:
        assert text in err


@pytest.mark.parametrize(("game", "quoted"), GAMES, ids=[repr(game)[:30] for game, _ in GAMES])
def test_bad_game(here, game, quoted):
    for command in ("count", "occurrence", "solve", "bounds"):
        assert_is_one_clear_line(here(command, game), quoted)
    assert_is_one_clear_line(here("solve", game, "--json"), quoted)


@pytest.mark.parametrize(("shots", "quoted"), SHOTS, ids=[repr(shots)[:30] for shots, _ in SHOTS])
def test_bad_shots(here, shots, quoted):
    for command in ("count", "occurrence", "solve", "bounds"):
        assert_is_one_clear_line(here(command, "4x4:2", "--shots", shots), quoted)


@pytest.mark.parametrize(("drawing", "quoted"), BOARDS, ids=[q for _, q in BOARDS])
def test_bad_board(here, tmp_path, drawing, quoted):
    board = tmp_path / "board.txt"
    board.write_bytes(drawing)
    for command in ("count", "occurrence", "solve", "bounds"):
        assert_is_one_clear_line(here(command, "4x4:2", "--board", board), quoted)


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
    for name in ("loop", *(f"loop{ending}" for ending in (".pdf", ".dot", ".gif"))):
        (tmp_path / name).symlink_to(name)
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "miscounted.json").write_text(json.dumps({**TREE, "total_height": 4}))
    return tmp_path


REQUESTS = [
    (["solve", "four by four"], "'four by four'"),
    (["solve", "4x4:4,3,2"], "4x4:4,3,2"),
    (["solve", "4x4:4,3,2", "--method", "paper"], "4x4:4,3,2"),
    (["occurrence", "4x4:4,3,2"], "4x4:4,3,2"),
    (["bounds", "4x4:4,3,2"], "4x4:4,3,2"),
    (["solve", "4x4:2", "--shots", "A1=boat"], "'A1=boat'"),
    (["solve", "4x4:2", "--shots", "A1=hit C3=hit"], "'A1=hit C3=hit'"),
    (["solve", "4x4:2,announce=sunk", "--method", "paper"], "announce=sunk", "'paper'"),
    (["solve", "4x4:2,announce=ship", "--prove", "p"], "announce=ship"),
    (["solve", "4x4:2", "--objective", "best"], "'best'"),
    (["solve", "4x4:2", "--objective", "within="], "'within='"),
    (["solve", "4x4:2", "--objective", "worst", "--time-limit", "1"], "worst"),
    (["solve", "4x4:2", "--objective", "worst", "--method", "paper"], "worst"),
    (["solve", "4x4:2", "--time-limit", "1", "--method", "reference"], "--time-limit"),
    (["solve", "4x4:2", "--jobs", "2", "--method", "paper"], "--jobs"),
    (["proof", "nowhere.jsonl"], "nowhere.jsonl"),
    (["solve", "4x4:2", "--shots", "A1=hit", "--board", "board.txt"], "A1=hit", "board.txt"),
    (["count", "4x4:2", "--shots", "A1=hit", "--board", "board.txt"], "A1=hit", "board.txt"),
    (["solve", "4x4:2", "--board", "nothing"], "'nothing'"),
    (["solve", "4x4:2", "--board", "binary"], "'binary'"),
    (["solve", "4x4:2", "--board", "table"], "'table'"),
    (["solve", "4x4:2", "--board", ""], "'.' cannot be read"),
    (["solve", "4x4:2", "--board", "n" * 300], "n" * 59 + "..."),
    (["solve", "4x4:2", "--method", "paper", "--table", "nothing"], "--table", "paper"),
    (["solve", "4x4:2", "--method", "reference", "--tree", "nothing"], "--tree", "reference"),
    (["solve", "4x4:3,2", "--table", "table"], "table", "4x4:2", "4x4:3,2"),
    (["solve", "4x4:2,contact=any", "--table", "table"], "is of the game 4x4:2"),
    (["solve", "4x4:2", "--table", "board.txt"], "board.txt"),
    (["solve", "4x4:2", "--table", "."], "binary"),
    (["solve", "4x4:2", "--table", "n" * 300], "n" * 59 + "..."),
    (["solve", "4x4:2", "--method", "paper", "--memory", "0.01"], "4x4:2", "memory"),
    (["tree", "nothing"], "nothing"),
    (["tree", ""], "."),
    (["tree", "table"], "table"),
    (["tree", "empty"], "empty"),
    (["tree", "binary"], "binary"),
    (["tree", "garbage.json"], "garbage.json", "line 1", "Expecting property name"),
    (["tree", "deep.json"], "deep.json"),
    (["tree", "miscounted.json"], "miscounted.json", "'total_height' is 4"),
    (["tree", "wrong.json"], "1x2:1", "A1=miss", "1 cell still to hit"),
    (["tree", "wrong.json", "--verify", "--figure", "a.pdf"], "1x2:1", "A1=miss"),
    (["tree", "wrong.json", "--figure", "nothing"], "'nothing'", ".pdf"),
    (["tree", "wrong.json", "--figure", "a.gif"], "'a.gif'", ".svg"),
    (["tree", "wrong.json", "--figure", "folder.pdf"], "'folder.pdf'"),
    (["tree", "wrong.json", "--figure", "board.txt/a.pdf"], "'board.txt/a.pdf'", "Not a directory"),
    (["tree", "wrong.json", "--draw-boards"], "--draw-boards", "--figure"),
    (["tree", "wrong.json", "--dot", "a.txt"], "'a.txt'", ".dot"),
    (["tree", "wrong.json", "--dot", "board.txt/a.dot"], "'board.txt/a.dot'"),
    (["tree", "wrong.json", "--figure", "a.pdf", "--dot", "a.txt"], "'a.txt'", ".dot"),
    (["tree", "tree.json", "--beside", "nothing", "--figure", "a.pdf"], "nothing"),
    (["tree", "tree.json", "--beside", "wrong.json"], "1x2:1", "A1=miss"),
    (["tree", "tree.json", "--beside", "other.json"], "1x2:1 ", "1x2:1, B1=miss"),
    (["tree", "tree.json", "--beside", "other.json", "--figure", "a.pdf"], "1x2:1, B1=miss"),
    (["tree", "tree.json", "--beside", "game.json", "--figure", "a.pdf"], "1x2:1 ", "contact=any"),
    (["equilibrium", "4x4"], "'4x4'"),
    (["equilibrium", "4x4:4,3,2"], "4x4:4,3,2"),
    (["equilibrium", "10x10:5,4,3,3,2"], "1,925,751,392", "50,000"),
    (["equilibrium", "5x5:3,2,announce=ship"], "150"),
    (["equilibrium", "4x4:2", "--objective", "best"], "'best'"),
    (["equilibrium", "4x4:2", "--objective", "worst", "--certificate", "c"], "--certificate"),
    (["equilibrium", "4x4:2", "--objective", "worst", "--dask", "tcp://a:1"], "--dask"),
    (["equilibrium", "3x3:2,announce=sunk", "--jobs", "2"], "announces sinkings", "--jobs"),
    (["solve", "4x4:2", "--dask", "tcp://a:1", "--method", "paper"], "--dask"),
    (["equilibrium", "4x4:2", "--tolerance", "x"], "--tolerance", "'x'", "1/100"),
    (["equilibrium", "4x4:2", "--tolerance=-1"], "--tolerance", "'-1'"),
    (["equilibrium", "4x4:2", "--tolerance", "1/0"], "'1/0'"),
    (["equilibrium", "4x4:2", "--time-limit", "0"], "--time-limit", "'0'"),
    (["equilibrium", "4x4:2", "--certificate", "table"], "'table'", "is a folder"),
    (["equilibrium", "4x4:2", "--trees", "board.txt/trees"], "'board.txt/trees'"),
    (["equilibrium", "4x4:2", "--figure", "a.gif"], "'a.gif'", ".svg"),
    (["equilibrium", "4x4:2", "--resume", "board.txt"], "board.txt"),
    (["certificate"], "'file'"),
    (["certificate", "nothing"], "'nothing' does not exist"),
    (["certificate", "binary"], "binary"),
    (["certificate", "empty"], "empty", "line 1"),
    (["certificate", "deep.json"], "deep.json"),
    (["certificate", "wrong.json"], "wrong.json", "optsearch equilibrium certificate"),
    # Arguments that are none
    (["nothing"], "'nothing'", "optsearch --help"),
    (["--nothing"], "--nothing"),
    (["solve"], "'GAME'", "optsearch solve --help"),
    (["solve", "4x4:2", "extra"], "extra"),
    (["solve", "4x4:2", "--nothing"], "--nothing"),
    (["solve", "4x4:2", "--shots"], "--shots"),
    (["solve", "4x4:2", "--method", "guess"], "'guess'", "reference"),
    (["solve", "4x4:2", "--jobs", "x"], "--jobs", "'x'"),
    (["solve", "4x4:2", "--jobs", "0"], "--jobs", "'0'"),
    (["solve", "4x4:2", "--jobs", "257"], "--jobs", "'257'"),
    (["solve", "4x4:2", "--jobs", "1.5"], "--jobs", "'1.5'"),
    (["solve", "4x4:2", "--memory", "inf"], "--memory", "'inf'"),
    (["solve", "4x4:2", "--memory", "nan"], "--memory", "'nan'"),
    (["solve", "4x4:2", "--memory=-1"], "--memory", "'-1'"),
    (["solve", "4x4:2", "--memory", "0"], "--memory", "'0'"),
    (["solve", "4x4:2", "--memory", "much"], "--memory", "'much'"),
    (["solve", "4x4:2", "--memory", "1e400"], "--memory", "'1e400'"),
    (["solve", "4x4:2", "--time-limit", "nan"], "--time-limit", "'nan'"),
    (["solve", "4x4:2", "--time-limit", "0"], "--time-limit", "'0'"),
    (["solve", "4x4:2", "--time-limit=-1"], "--time-limit", "'-1'"),
    (["solve", "4x4:2", "--time-limit", "soon"], "--time-limit", "'soon'"),
    (["solve", "4x4:2", "--objective", "within=x"], "'within=x'"),
    (["solve", "4x4:2", "--objective", "within=-1"], "'within=-1'"),
    (["solve", "4x4:2", "--objective", ""], "''"),
    (["solve", "4x4:2", "--objective", "b" * 9999], "'bbb", "...'"),
    (["solve", "4x4:2", "--shots", "A1=miss", "--shots", "B1=miss"], "--shots is given twice"),
    (["solve", "4x4:2", "--objective=mean", "--objective", "worst"], "--objective is given twice"),
    (
        ["animate", "greedy", "4x4:2", "-o", "a.html", "--output", "b.html"],
        "--output is given twice",
    ),
    (["evaluate", "greedy", "4x4:2", "--resume", "board.txt"], "'board.txt'", "Not a directory"),
    (["simulate", "greedy", "4x4:2", "--resume", "board.txt"], "'board.txt'", "Not a directory"),
    (["proof", "garbage.json"], "garbage.json", "solve --prove"),
    # Files that would be lost
    (["evaluate", "own.py:shoot", "4x4:2", "-o", "own.py"], "--output 'own.py'", "STRATEGY"),
    (["simulate", "greedy", "own.py:shoot", "4x4:2", "-o", "own.py"], "'own.py'", "reads"),
    (["simulate", "greedy", "4x4:2", "--boards", "own.py:hide", "-o", "own.py"], "--boards"),
    (
        ["solve", "4x4:2", "--board", "board.txt", "--tree", "./board.txt"],
        "'board.txt'",
        "--board",
    ),
    (["solve", "board.txt:2", "--prove", "board.txt"], "--prove 'board.txt'", "GAME"),
    (["solve", "4x4:2", "--prior", "weights.csv", "--tree", "weights.csv"], "--prior"),
    (["solve", "--family", "sets.csv", "--tree", "sets.csv"], "--tree 'sets.csv'", "--family"),
    (
        ["explore", "2x2:1", "--with-tree", "wrong.json", "-o", "wrong.json"],
        "--output",
        "--with-tree",
    ),
    (["tree", "wrong.json", "--dot", "folder.pdf/../wrong.json"], "--dot", "FILE"),
    (
        ["solve", "4x4:2", "--tree", "new.json", "--prove", "./new.json"],
        "--tree and --prove are both",
    ),
    (["greedy", "4x4:2", "--tree", "new", "--optimal-tree", "new"], "are both 'new'"),
    (["evaluate"], "'STRATEGY'"),
    (["evaluate", "greedy"], "'GAME'"),
    (["evaluate", "greedy", "4x4"], "'4x4'"),
    (["evaluate", "clever", "4x4:2"], "'clever'"),
    (["evaluate", "", "4x4:2"], "''"),
    (["evaluate", "greedy:ties=best", "4x4:2"], "'best'"),
    (["evaluate", "greedy:speed=9", "4x4:2"], "speed"),
    (["evaluate", "within:shots=40", "10x10:5,4,3,3,2"], "up to 16,777,216 are accepted"),
    (["evaluate", "within", "10x10:5,4,3,3,2"], "1,925,751,392 configurations"),
    (["evaluate", "greedy:ties", "4x4:2"], "ties"),
    (["evaluate", "greedy:endgame=x", "4x4:2"], "x"),
    (["evaluate", "greedy:endgame=-1", "4x4:2"], "-1"),
    (["evaluate", "greedy:endgame=٣", "4x4:2"], "not a whole number"),
    (["count", "missing.txt:2"], "missing.txt", "does not exist"),
    (["evaluate", "greedy:endgame=6,endgame=7", "4x4:2"], "endgame is given twice"),
    (["evaluate", "nowhere.py:Mine", "4x4:2"], "nowhere.py"),
    (["evaluate", "greedy", "4x4:4,3,2"], "4x4:4,3,2"),
    (["evaluate", "greedy", "4x4:2", "--memory", "inf"], "--memory", "'inf'"),
    (["evaluate", "greedy", "4x4:2", "--memory", "nan"], "--memory", "'nan'"),
    (["evaluate", "greedy", "4x4:2", "--memory=-4"], "--memory", "'-4'"),
    (["evaluate", "greedy", "4x4:2", "--memory", "0"], "memory"),
    (["evaluate", "greedy", "4x4:2", "--jobs", "0"], "--jobs", "'0'"),
    (["evaluate", "greedy", "4x4:2", "--jobs", "100000"], "--jobs", "'100000'"),
    (["evaluate", "greedy", "4x4:2", "-o", "folder.pdf"], "'folder.pdf'", "is a folder"),
    (["evaluate", "greedy", "4x4:2", "-o", "board.txt/a.csv"], "'board.txt/a.csv'"),
    (["evaluate", "greedy", "4x4:2", "-o", "/dev/full"], "'/dev/full'"),
    (["evaluate", "greedy", "4x4:2", "-o", "/proc/a.csv"], "'/proc/a.csv'"),
    (["compare"], "'FIRST'"),
    (["compare", "greedy", "spread"], "'GAME'"),
    (["compare", "4x4:2", "greedy", "spread"], "'4x4:2' is a game", "compare greedy spread 4x4:2"),
    (["compare", "greedy", "4x4:2", "spread"], "'4x4:2' is a game", "compare greedy spread 4x4:2"),
    (["compare", "greedy", "spread", "4x4"], "'4x4'"),
    (["compare", "greedy", "clever", "4x4:2"], "'clever'"),
    (["compare", "greedy", "random", "4x4:2"], "random"),
    (["compare", "greedy", "spread", "4x4:4,3,2"], "4x4:4,3,2"),
    (["compare", "greedy", "spread", "20x20:5,4,3"], "20x20"),
    (["compare", "greedy", "spread", "4x4:2", "--until", "rollout"], "rollout", "cannot lead"),
    (["compare", "greedy", "spread", "4x4:2", "--until", "clever"], "'clever'"),
    (["compare", "greedy", "spread", "4x4:2", "--positions", "1"], "--positions", "'1'"),
    (["compare", "greedy", "spread", "4x4:2", "--largest", "1"], "--largest", "'1'"),
    (["compare", "greedy", "spread", "4x4:2", "--largest", "9e4"], "--largest", "'9e4'"),
    (["compare", "greedy", "spread", "4x4:2", "--largest", "99999999"], "up to 16,777,216"),
    (["compare", "greedy", "pattern", "4x4:2", "--largest", "9999"], "pattern", "up to 8,192"),
    (["compare", "greedy", "spread", "4x4:2", "--seed=-1"], "--seed", "'-1'"),
    (["compare", "greedy", "spread", "4x4:2", "--jobs", "0"], "--jobs", "'0'"),
    (["compare", "greedy", "spread", "4x4:2", "--memory", "0"], "memory"),
    (["compare", "greedy", "spread", "4x4:2", "--resume", "board.txt"], "'board.txt'"),
    (["sample", "4x4:2", "-n", "0"], "-n", "'0'"),
    (["sample", "4x4:2", "-n", "10000001"], "-n", "'10000001'"),
    (["sample", "4x4:2", "-n", "many"], "-n", "'many'"),
    (["sample", "4x4:2", "--seed=-1"], "--seed", "'-1'"),
    (["sample", "4x4:2", "--seed", "x", "--json"], "--seed", "'x'"),
    (["sample", "4x4:4,3,2"], "4x4:4,3,2"),
    (["sample", "4x4:4,3,2", "--json"], "4x4:4,3,2"),
    (["sample", "4x4:2", "--cache", "board.txt"], "'board.txt'"),
    (["posterior", "4x4:2", "--shots", "A1=hit C3=hit"], "C3=hit"),
    (["posterior", "4x4:2", "--figure", "a.gif"], "'a.gif'", ".svg"),
    (["posterior", "4x4:2", "--matrix", "attack"], "on the empty board", "the hunt is accepted"),
    (["posterior", "4x4:2", "--matrix", "hunt", "--prior", "p.csv"], "--matrix hunt", "--prior"),
    (["posterior", "4x4:2,holes=A1", "--matrix", "hunt"], "has holes"),
    (["posterior", "4x4:2", "--figure", "board.txt/a.pdf"], "'board.txt/a.pdf'"),
    (["posterior", "4x4:2", "--figure", "folder.pdf"], "'folder.pdf'"),
    (["posterior", "4x4:2", "--cache", "board.txt/cache"], "'board.txt/cache'"),
    (["count", "4x4:2", "--method", "guess"], "'guess'", "enumerate"),
    (["count", "4x4:2", "--method", "enumerate", "--cache", "kept"], "--cache", "enumerate"),
    (["count", "4x4:2", "--cache", "/proc/cache"], "'/proc/cache'"),
    (["count", "11x11:9,8,7,6,5,4,3,2,1,contact=any", "--shots", "A1=boat"], "'A1=boat'"),
    (["count", "4x4:" + ",".join(["2"] * 5000)], "2,2,2,", "..."),
    (["count", "4x4:" + "2" * 5000], "'222", "...'"),
    (["solve", "4x4:" + ",".join(["9"] * 5000)], "9"),
    (["occurrence", "4x4:2", "--board", "/dev/zero"], "'/dev/zero'", "65,536 bytes"),
    (["solve", "4x4:2", "--board", "/dev/null"], "'/dev/null'", "not a regular file"),
    (["solve", "4x4:2", "--tree", "board.txt/tree.json"], "'board.txt/tree.json'"),
    (["solve", "4x4:2", "--tree", "table"], "'table'", "is a folder"),
    (["solve", "4x4:2", "--tree", "n" * 300], "n" * 59, "..."),
    (["solve", "4x4:2", "--tree", "/dev/full"], "'/dev/full'", "not a regular file"),
    (["solve", "4x4:2", "--prove", "table"], "'table'", "is a folder"),
    (["solve", "4x4:2", "--prove", "board.txt/p"], "'board.txt/p'"),
    (
        ["solve", "10x10:5,4,3,3,2"],
        *("1,925,751,392", "10x10:5,4,3,3,2", "bounds", "evaluate", "posterior"),
    ),
    (["greedy", "4x4:2", "--rule", "clever"], "'clever'"),
    (["greedy", "4x4:2", "--tree", "table"], "'table'"),
    (["greedy", "4x4:2", "--optimal-tree", "board.txt/t"], "'board.txt/t'"),
    (["greedy", "4x4:2", "--patience", "x"], "--patience", "'x'"),
    (["greedy", "4x4:2", "--patience=-1"], "--patience", "'-1'"),
    (["explore", "4x4:2"], "--output"),
    (["explore", "4x4:2", "-o", "table"], "'table'", "is a folder"),
    (["explore", "4x4:2", "-o", "/dev/full"], "'/dev/full'"),
    (["explore", "4x4:2", "-o", "a.html", "--with-tree", "nothing"], "nothing"),
    (["explore", "4x4:2", "-o", "a.html", "--with-tree", "tree.json"], "1x2:1"),
    (["explore", "1x2:1", "-o", "a.html", "--with-tree", "wrong.json"], "A1=miss"),
    (["explore", "10x10:5,4,3,3,2", "-o", "a.html"], "10x10:5,4,3,3,2"),
    (["counterexamples"], "--max-cells"),
    (["counterexamples", "--max-cells", "0"], "--max-cells", "'0'"),
    (["counterexamples", "--max-cells", "x"], "--max-cells", "'x'"),
    (["counterexamples", "--max-cells", "17"], "17"),
    (["counterexamples", "--max-cells", "4", "--fleet", "x"], "'x'"),
    (["counterexamples", "--max-cells", "4", "--fleet", ""], "''"),
    (["counterexamples", "--max-cells", "4", "--fleet", "0"], "'0'"),
    (["counterexamples", "--max-cells", "4", "--fleet", "9" * 5000], "'999", "...'"),
    (["counterexamples", "--max-cells", "4", "--fleet", "9"], "fleet 9"),
    (["counterexamples", "--max-cells", "4", "--contact", "maybe"], "'maybe'"),
    (["counterexamples", "--max-cells", "4", "--shortest", "0"], "--shortest", "'0'"),
    (["counterexamples", "--max-cells", "4", "-o", "table"], "'table'", "is a folder"),
    (["counterexamples", "--max-cells", "4", "-o", "/dev/full"], "'/dev/full'"),
    (["counterexamples", "--max-cells", "4", "--trees", "board.txt"], "'board.txt'"),
    (["counterexamples", "--max-cells", "4", "--resume", "board.txt"], "board.txt"),
    (["table"], "'GAMES'"),
    (["table", "4x4"], "'4x4'"),
    (["table", ""], "''"),
    (["table", "empty"], "'empty'", "4x4:3,2"),
    (["table", "6x6..4x4:3,2"], "'6x6..4x4:3,2'", "4x4..6x6:3,2"),
    (["table", "4x6..6x4:3,2"], "'4x6..6x4:3,2' is an empty range"),
    (["table", "1x1..3x3:2"], "1x1"),
    (["table", "4x4..6x6"], "'4x4..6x6'"),
    (["table", "4x4..6x6:"], "'4x4:'"),
    (["table", "4x4..6x6:2,contact=maybe"], "'maybe'"),
    (["table", "1x1..40x40:1"], "1,600 boards; up to 1,000"),
    (["table", "1x1..999999999x999999999:1"], "boards"),
    (["table", "40x40:5"], "40x40"),
    (["table", "4x4:2", "--columns", ""], "no column ''"),
    (["table", "4x4:2", "--columns", "optimum,,greedy"], "no column ''"),
    (["table", "4x4:2", "--columns", "clever"], "'clever'", "best_greedy", "rollout"),
    (["table", "4x4:2", "--columns", "optimum,greedy,optimum"], "'optimum' is given twice"),
    (["table", "4x4:2", "--columns", "greedy,greedy:ties=first"], "given twice"),
    (["table", "4x4:2", "--columns", "greedy:ties=best"], "'best'"),
    (["table", "4x4:2", "--columns", "random"], "simulate"),
    (["table", "4x4:2", "--columns", "nowhere.py:Mine"], "nowhere.py"),
    (["table", "4x4:2", "--columns", "configurations", "--figure", "a.pdf"], "'a.pdf'", "optimum"),
    (["table", "4x4:2", "--figure", "a.gif"], "'a.gif'", ".svg"),
    (["table", "4x4:2", "--format", "word"], "'word'", "latex"),
    (["table", "4x4:2", "--time-limit", "0"], "--time-limit", "'0'"),
    (["table", "4x4:2", "--time-limit", "nan"], "--time-limit", "'nan'"),
    (["table", "4x4:2", "--places", "13"], "--places", "'13'"),
    (["table", "4x4:2", "--jobs", "0"], "--jobs", "'0'"),
    (["bounds", "4x4:2", "--shots", "A1=hit C3=hit"], "A1=hit C3=hit"),
    (["bounds", "4x4:2,announce=ship", "--shots", "A1=miss"], "announce=ship"),
    (["tree"], "'file'"),
    (["tree", "/dev/zero"], "/dev/zero", "not a regular file"),
    (["tree", "/dev/null"], "/dev/null"),
    (["tree", "huge.json"], "huge.json", "4,300 digits"),
    (["tree", "wrong.json", "--figure", "/proc/a.pdf"], "'/proc/a.pdf'"),
    (["proof"], "'file'"),
    (["proof", "/dev/zero"], "/dev/zero", "not a regular file"),
    (["proof", "binary"], "binary"),
    (["proof", "empty"], "empty"),
    (["proof", "wrong.json"], "wrong.json"),
    (["proof", "table"], "table"),
]


def test_the_table_is_long():
    assert len(GAMES) + len(SHOTS) + len(BOARDS) + len(REQUESTS) >= 200
    assert len(REQUESTS) >= 150


@pytest.mark.parametrize(
    ("arguments", "quoted"),
    [(arguments, quoted) for arguments, *quoted in REQUESTS],
    ids=[" ".join(arguments)[:60] for arguments, *_ in REQUESTS],
)
def test_bad_request(here, folder, monkeypatch, arguments, quoted):
    monkeypatch.chdir(folder)
    before = sorted(folder.rglob("*"))
    result = here(*arguments)
    assert_is_one_clear_line(result, *quoted)
    assert len(result[2]) < 1500
    assert sorted(folder.rglob("*")) == before  # a request that failed leaves no file


# Every output of every command: a request that takes long, the option, an ending

GAME, PUZZLE = "10x10:5,4,3,3,2", "puzzle.txt"
OUTPUTS = [
    (["animate", "greedy", GAME], "--output", ".gif"),
    (["explore", "4x4:3,2"], "--output", ""),
    (["evaluate", "greedy", GAME], "--output", ""),
    (["simulate", "greedy", GAME], "--output", ""),
    (["counterexamples", "--max-cells", "16"], "--output", ""),
    (["solitaire", "minimise", PUZZLE], "--output", ""),
    (["solitaire", "generate", "--grid", "9x9", "--fleet", "4,3,2"], "--output", ""),
    (["solve", "6x6:4,3,2"], "--tree", ""),
    (["greedy", "6x6:4,3,2"], "--tree", ""),
    (["greedy", "6x6:4,3,2"], "--optimal-tree", ""),
    (["solve", "6x6:4,3,2"], "--prove", ""),
    (["equilibrium", "5x5:3,2"], "--certificate", ""),
    (["equilibrium", "5x5:3,2"], "--figure", ".pdf"),
    (["tree", "wrong.json"], "--figure", ".pdf"),
    (["solitaire", "solve", PUZZLE], "--figure", ".pdf"),
    (["solitaire", "minimise", PUZZLE, "-o", "new"], "--figure", ".pdf"),
    (["solitaire", "generate", "--grid", "9x9", "--fleet", "4", "-o", "new"], "--figure", ".pdf"),
    (["posterior", GAME], "--figure", ".pdf"),
    (["table", "6x6:4,3,2"], "--figure", ".pdf"),
    (["tree", "wrong.json"], "--dot", ".dot"),
    (["play", GAME], "--resume", ""),
    (["advise", GAME], "--resume", ""),
]
FOLDERS = [
    (["evaluate", "greedy", GAME], "--resume"),
    (["simulate", "greedy", GAME], "--resume"),
    (["compare", "greedy", "rollout", GAME], "--resume"),
    (["counterexamples", "--max-cells", "16"], "--resume"),
    (["equilibrium", "5x5:3,2"], "--resume"),
    (["reproduce", "--full"], "--resume"),
    (["table", "6x6:4,3,2"], "--resume"),
    (["counterexamples", "--max-cells", "16"], "--trees"),
    (["equilibrium", "5x5:3,2"], "--trees"),
    (["solve", "6x6:4,3,2"], "--table"),
    *(([command, GAME], "--cache") for command in ("count", "occurrence", "posterior", "sample")),
]
LINKS, LONG = "Too many levels of symbolic links", "File name too long"


def test_every_output_is_listed():
    def named(group, *before):
        for name, one in group.commands.items():
            if hasattr(one, "commands"):
                yield from named(one, *before, name)
            elif isinstance(one, Command):
                for option in one.params:
                    if one.writes(option):
                        yield *before, name, option.opts[-1 if "-o" in option.opts[:1] else 0]

    listed = [(*words[: 1 + (words[0] == "solitaire")], option) for words, option, *_ in OUTPUTS]
    listed += [(words[0], option) for words, option in FOLDERS]
    assert sorted(listed) == sorted(named(everything()))


@pytest.mark.parametrize(("words", "option", "ending"), OUTPUTS)
def test_an_output_that_cannot_be_written(here, folder, monkeypatch, words, option, ending):
    """Refused before the work, which is long."""
    monkeypatch.chdir(folder)
    for place, reason in (
        (f"loop{ending}", LINKS),
        (f"loop/a{ending}", LINKS),
        ("n" * 250 + ending, LONG),
        (f"nothing/{'n' * 300}/a{ending}", LONG),
        (f"board.txt/a{ending}", "Not a directory"),
        ("/proc/a" + ending, "'/proc/a"),
        *([("/dev/full", "not a regular file"), ("table", "a folder")] if not ending else []),
    ):
        assert_is_one_clear_line(here(*words, option, place), reason, "cannot write")
    assert not (folder / "nothing").exists()


@pytest.mark.parametrize(("words", "option"), FOLDERS)
def test_a_folder_that_cannot_be_written(here, folder, monkeypatch, words, option):
    monkeypatch.chdir(folder)
    for place, reason in (
        ("loop", LINKS),
        ("loop/a", LINKS),
        ("n" * 300, LONG),
        ("board.txt", "Not a directory"),
        ("board.txt/a", "Not a directory"),
        ("dangling", "leads nowhere"),
        ("/dev/full", "Not a directory"),
        ("/proc/a", "'/proc/a'"),
    ):
        assert_is_one_clear_line(here(*words, option, place), reason, "cannot write")


@pytest.mark.parametrize("place", ["new/folder/a", "to_new"])
def test_folders_of_outputs_are_made(here, tmp_path, place):
    """Also where a link leads to what is not there yet."""
    (tmp_path / "to_new").symlink_to("new")
    for words, option, ending in (
        (["solve", "2x2:1"], "--tree", ""),
        (["posterior", "2x2:1"], "--figure", ".svg"),
    ):
        (tmp_path / f"to_new{ending}").unlink(missing_ok=True)
        (tmp_path / f"to_new{ending}").symlink_to("new" + ending)
        status, _, err = here(*words, option, tmp_path / (place + ending))
        assert (status, err) == (0, "")
        assert (tmp_path / (place + ending)).is_file()


# Texts from outside that are printed

EVIL = "a\x1b[2J\x07\x9b1m\u202eb"
HARMLESS = r"a\x1b[2J\x07\x9b1m\u202eb"


def assert_harmless(text, quoted=HARMLESS):
    assert quoted in text
    assert text.replace("\n", "").isprintable()


def test_control_characters_in_names(here, folder, tmp_path, monkeypatch):
    """Of files, trees, families and their things: on a terminal they are seen and do nothing."""
    family, tree = tmp_path / f"{EVIL}.csv", tmp_path / f"{EVIL}.json"
    family.write_text(f"set,things\n{EVIL},{EVIL} y\nb,y\n")
    tree.write_text(json.dumps({**TREE, "title": EVIL}))
    monkeypatch.setattr("sys.stdin", io.StringIO())
    own = tmp_path / f"{EVIL}.py"
    own.write_text((folder / "own.py").read_text())
    requests = [
        ("solve", "--family", family, "--tree", tmp_path / f"{EVIL}.t"),
        ("tree", tmp_path / f"{EVIL}.t", "--family", family),
        ("greedy", "--family", family),
        ("bounds", "--family", family),
        ("simulate", f"{own}:shoot", "1x1:1"),
        ("evaluate", f"{own}:shoot", "1x1:1", "--jobs", "1"),
        ("tree", tree, "--beside", tree),
        ("play", "4x4:2", "--resume", tmp_path / EVIL),
        ("advise", "4x4:2", "--resume", tmp_path / f"{EVIL}.txt"),
    ]
    for request in requests:
        for json_too in (["--json"] if request[0] not in ("play", "advise") else [], []):
            status, out, err = here(*request, *json_too)
            assert (status, err) == (0, ""), request
            quoted = "1x2" if tree in request else "a\\u001b[2J" if json_too else HARMLESS
            assert_harmless(out, HARMLESS if not json_too else quoted)
    for request in (["tree"], ["proof"], ["solitaire", "solve"], ["count", f"{EVIL}:2"], [EVIL]):
        result = here(*request, *([own] if request[-1] in ("tree", "proof", "solve") else []))
        assert_is_one_clear_line(result)
        assert_harmless(result[2])


def test_a_label_is_no_markup(monkeypatch):
    """Of a progress line on a terminal."""
    monkeypatch.setattr(progress, "err", common.Safe(file=io.StringIO(), force_terminal=True))
    with progress.solving(f"[/b]{EVIL}"):
        pass
    shown = progress.err.file.getvalue()
    assert f"[/b]{HARMLESS}" in shown
    assert EVIL not in shown


# Memory that is short


def test_what_cannot_be_loaded_is_not_said_to_be_missing(here, folder, monkeypatch):
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
        result = here(*request)
        assert_is_one_clear_line(result, reason, "memory")
        assert "install" not in result[2]


PACKAGES = ("ortools", "distributed")


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("can't start new thread")])
def test_short_memory(here, monkeypatch, error):
    def fail(*_):
        raise error

    monkeypatch.setattr("optsearch.cli.counting.read_position", fail)
    assert_is_one_clear_line(here("count", "4x4:2"), "not enough memory")


def test_short_memory_while_the_reason_is_printed(capsys, monkeypatch):
    def fail(*_, **__):
        raise MemoryError

    monkeypatch.setattr(err, "print", fail)
    say("error: a reason")
    assert capsys.readouterr().err == "error: a reason\n"


def test_names_of_emoji_are_text(here):
    assert_is_one_clear_line(here("solve", "4x4:2,contact=:ship:"), ":ship:")


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
        [sys.executable, "-m", "optsearch.cli", *arguments],
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


def test_a_file_name_with_dollars_is_no_mathematics(here, folder, tmp_path):
    name = tmp_path / r"a$\foo$.json"
    name.write_text((folder / "tree.json").read_text())
    drawing = tmp_path / "both.svg"
    arguments = ("tree", folder / "tree.json", "--beside", name, "--figure", drawing)
    assert here(*arguments)[::2] == (0, "")
    assert r"a$\foo$" in drawing.read_text()


def test_an_answer_comes_before_the_tree_that_cannot_be_written(here, monkeypatch, tmp_path):
    """The disk is full when the work is done: the answer is not lost."""

    def full(path, text):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("optsearch.support.documents.replace", full)
    status, out, err = here("solve", "4x4:2", "--tree", tmp_path / "tree.json")
    assert "146/24" in out
    assert_is_one_clear_line((status, "", err), "tree.json", "No space left")


# Files that are none, or have no end


READ = {
    "board": (["posterior", "4x4:2", "--board"], 1 << 16),
    "drawn board of a game": (["count", "{}:2"], 1 << 16),
    "puzzle": (["solitaire", "solve"], 1 << 20),
    "prior": (["posterior", "4x4:2", "--prior"], 1 << 26),
    "boards": (["simulate", "greedy", "4x4:2", "--games", "2", "--boards"], 1 << 26),
    "family": (["bounds", "--family"], 1 << 26),
    "tree": (["tree"], 1 << 30),
    "tree of a page": (["explore", "4x4:2", "-o", "page.html", "--with-tree"], 1 << 30),
    "tree of a family": (["tree", "--family", "sets.csv"], 1 << 30),
    "proof": (["proof"], 1 << 30),
    "certificate": (["certificate"], 1 << 30),
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
def test_what_is_no_file_to_read(here, odd, kind, read):
    arguments, most = READ[read]
    ending = {"prior": ".csv", "boards": ".csv", "function": ".py", "strategy": ".py"}.get(read, "")
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
    status, out, err = here(*whole, *([] if whole != arguments else [name]))
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


def test_files_of_checkpoints_and_tables_that_are_none(here, odd):
    """Inside the folders that the command writes itself."""
    for name, arguments in (
        ("run/tasks.jsonl", ["evaluate", "greedy", "4x4:2", "--jobs", 1, "--resume", "run"]),
        ("both/comparison.jsonl", ["compare", "greedy", "spread", "4x4:2", "--resume", "both"]),
        ("table/data.mdb", ["solve", "4x4:2", "--table", "table"]),
    ):
        assert here(*arguments)[0] == 0
        Path(name).unlink()
        Path(name).symlink_to("/dev/zero")
        status, out, err = here(*arguments)
        assert (status, out) == (2, "")
        assert f"{name}" in err
        assert "is not a regular file" in err
    for command in ("advise", "play"):
        status, out, err = here(command, "4x4:2", "--resume", "/dev/zero")
        assert (status, out) == (2, "")
        assert "cannot write '/dev/zero': it is not a regular file" in err
        Path("long").touch()
        os.truncate("long", 1 << 40)
        status, out, err = here(command, "4x4:2", "--resume", "long")
        assert (status, out) == (2, "")
        assert all(said in err for said in ("'long'", ": it has more than 65,536 bytes"))
    sweep.cache_clear()
    assert here("count", "4x4:2", "--cache", "kept")[0] == 0
    (kept,) = Path("kept").iterdir()
    kept.unlink()
    os.mkfifo(kept)
    sweep.cache_clear()
    status, _, err = here("count", "4x4:2", "--cache", "kept")
    assert status == 2
    assert kept.name in err.splitlines()[-1]
