"""Rules of replies in files of users: what is one, when its file runs, and who refuses it."""

import json
import re
import shutil
from pathlib import Path

import pytest

from optsearch import evaluate, solve
from optsearch.board.answers import setting_of
from optsearch.check import reference
from optsearch.cli.common import read_games
from optsearch.environment import Battleship
from optsearch.game import Game, user_rules
from optsearch.game.position import Position
from optsearch.play.match import Match
from optsearch.results.stored import stored_two_hidden
from optsearch.results.tables import TABLES
from optsearch.support import user_code
from optsearch.support.datafiles import RESULTS
from optsearch.support.errors import GameError, NotSupported, OptsearchError
from optsearch.support.workers import Execution
from tests.definition import RULES_FILE, USERS_RULES, Definition, Rules
from tests.examples import EVERY_RULE, rule_name

GAME = "2x4:2,1,contact=any,announce=rules.py:parity"
RAN = "ran"  # a file that the rules leave when they are run


@pytest.fixture
def forget(monkeypatch):
    """As a new process: no rule has been named, and no file was run."""

    def forgotten():
        monkeypatch.setattr(user_rules, "_rules_by_name", {})
        user_code._run_module.cache_clear()
        Path(RAN).unlink(missing_ok=True)

    yield forgotten
    forgotten()


@pytest.fixture
def rules(tmp_path, monkeypatch, forget):
    """The rules of the tests as `rules.py` in the working folder, which say that they ran."""
    monkeypatch.chdir(tmp_path)
    forget()
    file = Path("rules.py")
    file.write_text(f"open({RAN!r}, 'w').close()\n{RULES_FILE.read_text()}")
    return file


@pytest.mark.parametrize(("name", "total"), [("parity", 303), ("ends", 299), ("orientation", 296)])
def test_the_optimum(name, total):
    """The totals are those of the brute force, which is given the rule as a plain function."""
    text = f"{RULES_FILE}:{name}"
    brute = Definition(Rules(2, 5, (3, 1), "any", text, tells=USERS_RULES[text]))
    game = Game(f"2x5:3,1,contact=any,announce={text}")
    assert solve(game).total_height == reference.solve(Position(game)).total_height == total
    assert brute.optimum(brute.root) == total


def test_the_text_has_the_digest(rules):
    game = Game(GAME)
    assert re.fullmatch(rf"{re.escape(GAME)}@[0-9a-f]{{16}}", str(game))
    assert Game(str(game)) == game == eval(repr(game))
    assert game.rules["announce"] == "every hit tells what rules.py:parity returns"
    rules.write_text(f"{rules.read_text()}\n")
    assert Game(GAME) != game
    with pytest.raises(
        GameError, match=r"rules.py:parity has the digest .* changed since this was"
    ):
        Game(str(game))


def test_another_process_has_the_rule_without_the_file(rules):
    game = Game(GAME)
    rules.unlink()
    assert (
        evaluate("greedy", game, execution=Execution(jobs=2)).histogram
        == evaluate("greedy", game).histogram
    )


# A file that is read, an address and the page run nothing


def written(call_command, *arguments):
    status, _, error = call_command(*arguments)
    assert (status, error) == (0, "")


UNNAMED = "is a rule of a file, which a game that is read does not run; name it first"


@pytest.mark.parametrize(
    ("writing", "file", "reading"),
    [
        (f"solve {GAME} --tree f.json", "f.json", "check f.json"),
        (f"solve {GAME} --tree f.json", "f.json", "tree f.json"),
        (f"solve {GAME} --prove f.jsonl", "f.jsonl", "check f.jsonl"),
        (f"equilibrium {GAME} --certificate f.json", "f.json", "check f.json"),
    ],
)
def test_a_file_that_is_read_runs_no_rule(call_command, rules, forget, writing, file, reading):
    """It is read after a person has named the rule, unless the rule was changed."""
    written(call_command, *writing.split())
    forget()
    status, out, error = call_command(*reading.split())
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert UNNAMED in error
    assert not Path(RAN).exists()
    written(call_command, *reading.split(), GAME)
    rules.write_text(f"{rules.read_text()}\n")
    status, _, error = call_command(*reading.split(), GAME)
    assert (status, error.count("\n")) == (2, 1)
    assert "the file was changed since then" in error


def test_a_text_of_elsewhere_runs_no_rule(rules, forget):
    """A match, a list of games, a table of results, the address and the page of the board."""
    game = Game(GAME)
    Path("games.txt").write_text(f"2x2..2x3:2,announce=rules.py:parity\n{game}")
    kept = Match(game, seed=1).to_json()
    fields = {"game": game, "strategy": "greedy", "total_height": 0}
    path = TABLES["evaluations"].write([], path=Path("evaluation.csv"), fields=fields, **fields)
    forget()
    doors = [
        lambda: Match.from_json(kept),
        lambda: read_games(["games.txt"]),
        lambda: TABLES["evaluations"].read(path).game,
        lambda: setting_of(str(game), ()),
        lambda: setting_of(GAME, ()),
        lambda: Game.read(str(game)),
    ]
    for read in doors:
        with pytest.raises(OptsearchError, match=UNNAMED):
            read()
    assert not Path(RAN).exists()
    assert Game(GAME) == Game.read(str(game))
    assert [one.announce for one in read_games(["games.txt"])] == 3 * [game.announce]


def test_a_board_file_names_no_rule(rules, forget):
    """A board has cells and ships, no rules: a game with it names the rule itself."""
    board = {"cells": {"A1": [0, 0]}, "neighbours": {"A1": []}, "announce": "rules.py:parity"}
    boards = {"format": "optsearch boards", "version": 1, "boards": {"one": board}}
    Path("b.json").write_text(json.dumps(boards))
    with pytest.raises(GameError, match="announce"):
        Game("b.json#one:1")
    assert not Path(RAN).exists()


def test_turned_boards_are_two_games(rules):
    texts = "2x2..2x3:2,announce=rules.py:orientation", "3x2:2,announce=rules.py:orientation"
    assert len({*read_games(texts)}) == 3
    assert len({*read_games(["2x2..3x3:2", "2x2..3x3:2,announce=rules.py:ends"])}) == 3 + 4


def test_a_store_is_of_one_digest(call_command, rules):
    for command in (
        "evaluate greedy GAME --resume",
        "solve GAME --table",
        "equilibrium GAME --resume",
    ):
        command = command.replace("GAME", GAME).split()
        written(call_command, *command, "store")
        rules.write_text(f"{rules.read_text()}\n")
        status, _, error = call_command(*command, "store")
        assert (status, error.count("\n")) == (2, 1), error
        shutil.rmtree("store")


# Bounds


@pytest.mark.parametrize("announce", EVERY_RULE, ids=rule_name)
def test_two_hidden_ships_bound_games_whose_labels_are_of_kinds(announce):
    """The table of two hidden ships proves nothing where hits may tell how a ship lies."""
    game = Game(f"10x10:5,4,3,3,2,announce={announce}")
    is_of_kinds = rule_name(announce) not in ("place", "ends", "orientation")
    assert bool(stored_two_hidden(game, RESULTS)) == is_of_kinds


def test_leaf_counting_of_too_many_labels_is_left_out(call_command, rules):
    """A word says so, and a lower bound is left."""
    rules.write_text("def f(ship, cell):\n    return f'{ship.cells[0]}-{cell}'.translate(WORD)\n")
    with rules.open("a") as file:
        file.write("WORD = {ord(sign): '-' for sign in '(), '}\n")
    status, out, error = call_command(
        "bounds", "8x8:3,2,2,announce=rules.py:f", "--time-limit", "5"
    )
    assert (status, error) == (0, "")
    assert "one shot for each cell" in out
    assert re.search(r"left out: leaf counting \(.* ways or more in which hits can have", out)


# What is no rule, and what takes none


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("def f(ship): ...", "rules.py:f takes ship; a rule is a function of two"),
        ("def f(ship, cell, hits): ...", "rules.py:f takes ship, cell, hits; a rule"),
        ("def f(): ...", "rules.py:f takes no arguments; a rule"),
        ("f = 3", "rules.py:f is 3; a function is accepted"),
        ("g = 3", "rules.py has no 'f'; it defines nothing"),
        (
            "def f(ship",
            "rules.py cannot be run: SyntaxError: '(' was never closed (rules.py, line 1",
        ),
        (
            "def f(ship, cell):\n    return 1 // (cell[1] - 1)",
            "rules.py:f fails for the ship 2 at A1-B1, hit at B1: ZeroDivisionError: integer "
            "division or modulo by zero (rules.py, line 2, in f: return 1 // (cell[1] - 1))",
        ),
        *(
            (
                f"def f(ship, cell):\n    return {label}",
                f"rules.py:f tells {shown} of the ship 2 at A1-B1",
            )
            for label, shown in [
                ("0.5", "0.5"),
                ("''", "''"),
                ("'a b'", "'a b'"),
                ("'B2'", "'B2'"),
                ("'miss'", "'miss'"),
                ("'o'", "'o'"),
                ("'unsunk'", "'unsunk'"),
                ("21 * 'a'", repr(21 * "a")),
                ("ship.cells", "((0, 0), (0, 1))"),
            ]
        ),
    ],
)
def test_what_is_no_rule(call_command, rules, code, problem):
    rules.write_text(code)
    status, out, error = call_command("solve", "2x2:2,announce=rules.py:f")
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert problem in error


@pytest.mark.parametrize("text", ["rules.py", "rules.py:", "f.txt:f", "rules.py:f@@", "other.py:f"])
def test_what_names_no_rule(call_command, rules, text):
    status, out, error = call_command("solve", f"2x2:2,announce={text}")
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert "announce=" in error or "there is no Python file 'other.py'" in error


@pytest.mark.parametrize(
    "label", ["1", "True", "'Bow-1'", "-3", "ship.kind", "ship.name", "ship.place"]
)
def test_labels_are_words_and_numbers(rules, label):
    """Numbers and kinds as their text, in small letters; as a reply each is read again."""
    rules.write_text(f"def f(ship, cell):\n    return {label}")
    game = Game("2x3:2,announce=rules.py:f")
    texts = {"ship.kind": "2", "ship.name": "2", "ship.place": "a1-b1"}
    told = {str(answer) for answer in game.hit_replies}
    assert f"hit:{texts.get(label, label.strip(chr(39)).lower())}" in told
    for answer in game.hit_replies:
        assert Position(game, f"A1={answer}").shots[0].reply == answer
        assert Position(game, f"A1 {answer.label}").shots[0].reply == answer


@pytest.mark.parametrize(
    "command",
    [
        "solve GAME --method paper",
        "counterexamples --game GAME",
        "explore GAME -o p.html",
        "serve GAME --port 0 --no-browser",
    ],
)
def test_who_takes_no_rule_of_a_file(call_command, rules, command):
    status, out, error = call_command(*command.replace("GAME", GAME).split())
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert re.search(r"is for announce=[a-z|]+; .* has announce=rules.py:parity@", error)


def test_the_environment_takes_no_rule_of_a_file(rules):
    with pytest.raises(NotSupported, match=r"is for announce=.*; .* has announce=rules.py:parity@"):
        Battleship(GAME)
