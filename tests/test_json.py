"""Answers as JSON: the form of docs/json.md, of every command; and tables as others read them."""

import csv
import io
import json
import re
import shlex
from fractions import Fraction

import pytest

from docs import parts
from docs.parts import names_of_commands, names_of_family_answers
from optsearch.cli.answers import EXACT_FIELDS, SCHEMA, json_text
from optsearch.support.datafiles import RESULTS
from optsearch.support.version import VERSION
from tests.examples import plain

GAME = "4x5:2,3,4"
PUZZLE = ("--grid", "5x5", "--fleet", "3,2,1", "--seed", "3", "-o", "puzzle.txt")
# What is needed first, and the command
RUNS = {
    "ask": [
        ["ask", "4x4:3,2", "-n", "2"],
        ["ask", "4x4:3,2", "-n", "2", "--know", "row 1: 0", "--prior", "one-by-one"],
    ],
    "cite": [["cite", "thompson"]],
    "count": [
        ["count", "10x10:5,4,3,3,2"],
        ["count", "3x3:2", "--shots", "A1=hit C3=hit"],
    ],
    "posterior": [
        ["posterior", GAME, "--shots", "A2=hit"],
        ["posterior", GAME, "--prior", "one-by-one"],
        ["posterior", "4x4:2-3,2", "--shots", "A2=hit"],
    ],
    "sample": [
        ["sample", GAME, "--seed", "1"],
        ["sample", GAME, "--all"],
        ["sample", GAME, "--seed", "1", "--prior", "one-by-one"],
    ],
    "solve": [
        ["solve", GAME, "--tree", "tree.json", "--prove", "proof.json"],
        ["solve", "4x4:3,2", "--all-shots"],
        ["solve", "3x3:1-2,1"],
        ["solve", GAME, "--objective", "worst"],
        ["solve", GAME, "--objective", "within=11"],
    ],
    "bounds": [
        ["bounds", "7x7:5,4,3,3,2"],
        ["bounds", "4x4:3,2", "--prior", "one-by-one"],
    ],
    "equilibrium": [
        ["equilibrium", "4x4:3"],
        ["equilibrium", "4x4:3", "--objective", "within=5"],
        ["equilibrium", "3x4:2,2", "--tolerance", "0.1"],
    ],
    "check": [
        ["solve", "3x4:2", "--prove", "proof.json", "--tree", "tree.json"],
        ["check", "proof.json"],
        ["check", "tree.json"],
        ["equilibrium", "4x4:3", "--certificate", "value.json"],
        ["check", "value.json"],
    ],
    "greedy": [
        ["greedy", "4x4:3,2"],
        ["greedy", "4x4:3,2", "--prior", "one-by-one"],
    ],
    "evaluate": [
        ["evaluate", "greedy", GAME, "--jobs", "1", "--within", "11"],
        ["evaluate", "greedy", GAME, "--jobs", "1", "--prior", "one-by-one"],
        ["evaluate", "random", GAME],
    ],
    "compare": [["compare", "greedy", "rollout", GAME, "--jobs", "1"]],
    "table": [
        ["table", "3x4:2", "4x4:4,3,2", "--columns", "configurations,optimum,greedy,time"],
        ["table", "5x6:3,2,2", "--columns", "optimum,lower", "--time-limit", "0.1"],
    ],
    "strategies": [["strategies"]],
    "games": [["games"]],
    "simulate": [
        ["simulate", "greedy", GAME, "--games", "10", "--jobs", "1"],
        ["simulate", "greedy", GAME, "--games", "10", "--jobs", "1", "--within", "11"],
    ],
    "advise": [["advise", GAME, "--shots", "A2=hit"], ["advise", "4x4:3,2", "--shots", "B2=hit"]],
    "animate": [["animate", "density", "3x3:2", "-o", "game.gif"]],
    "tree": [
        ["solve", GAME, "--tree", "tree.json"],
        ["tree", "tree.json"],
    ],
    "counterexamples": [["counterexamples", "--max-cells", "12", "--fleet", "2"]],
    "reproduce": [["reproduce", "--source", "probability"]],
    "explore": [
        ["explore", "3x4:2", "-o", "walk.html"],
        ["explore", "5x5:3,2", "-o", "walk.html", "--time-limit", "0.1"],
    ],
    "solitaire solve": [["solitaire", "generate", *PUZZLE], ["solitaire", "solve", "puzzle.txt"]],
    "solitaire minimise": [
        ["solitaire", "generate", *PUZZLE],
        ["solitaire", "minimise", "puzzle.txt", "-o", "minimal.txt"],
    ],
    "solitaire generate": [["solitaire", "generate", *PUZZLE]],
    "solitaire sheet": [
        ["solitaire", "generate", *PUZZLE],
        ["solitaire", "sheet", "puzzle.txt", "-o", "sheet.svg"],
    ],
    "solitaire count": [["solitaire", "generate", *PUZZLE], ["solitaire", "count", "puzzle.txt"]],
    "solitaire grade": [["solitaire", "generate", *PUZZLE], ["solitaire", "grade", "puzzle.txt"]],
    "solitaire explain": [
        ["solitaire", "generate", *PUZZLE],
        ["solitaire", "explain", "puzzle.txt"],
    ],
}
PAGE = parts.fill_site_parts((parts.ROOT / "docs" / "json.md").read_text(encoding="utf-8"))
FAMILY = "family family_digest sets things weight"


def always_and_known(names):
    """The names that are always there, and those that may be."""
    return {*re.sub(r"\(.*?\)", "", names).split()}, {*re.findall(r"\w+", names)}


def test_every_answer_is_run():
    assert {*names_of_commands()} == {*RUNS}


def exact_pairs(value):
    """Every number with its exact text, wherever in an answer."""
    if isinstance(value, dict):
        for name, one in value.items():
            if f"{name}_exact" in value:
                yield from zip(flat(one), flat(value[f"{name}_exact"]), strict=True)
            yield from exact_pairs(one)
    elif isinstance(value, list):
        for one in value:
            yield from exact_pairs(one)


def flat(value):
    return [x for one in value for x in flat(one)] if isinstance(value, list) else [value]


@pytest.mark.parametrize("command", RUNS)
def test_the_form(call_command, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    always, known = always_and_known(names_of_commands()[command])
    for arguments in RUNS[command]:
        status, out, err = call_command(*arguments, "--json")
        assert (status, err, out.count("\n")) == (0, "", 1)
        found = json.loads(out)
        assert (found["schema"], found["version"]) == (SCHEMA, VERSION)
        assert found["command"] == shlex.join(["optsearch", *arguments, "--json"])
        if arguments[: len(command.split())] != command.split():
            continue  # what the command needs
        assert always <= {*plain(found)} <= known
        pairs = list(exact_pairs(found))
        assert pairs or not EXACT_FIELDS & {*found} - {"solutions"}  # a list, but of `count`
        for number, text in pairs:
            assert (number is None) == (text is None)
            if text is not None:
                assert type(text) is str
                assert number == float(Fraction(text))


FAMILIES = [
    ("solve", "--tree", "tree.json", "--prove", "proof.jsonl"),
    ("tree", "tree.json"),
    ("check", "tree.json"),
    ("check", "proof.jsonl"),
    ("greedy",),
    ("bounds",),
]


def test_answers_names_of_family_answers(answer_of, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    (tmp_path / "sets.csv").write_text("set,things\na,x y\nb,y z\nc,z\n")
    assert {command for command, *_ in FAMILIES} == {*names_of_family_answers()}
    for command, *arguments in FAMILIES:
        words = [word for word in arguments if not word.startswith("-")][:1]
        options = arguments if command == "solve" else []
        found = plain(answer_of(command, *([] if options else words), "sets.csv", *options))
        always, known = always_and_known(f"{FAMILY} {names_of_family_answers()[command]}")
        assert always <= {*found} <= known


NESTED = {
    ("solve", "--all-shots"): ("shot_values", {"shot", "total_height", "mean", "lower", "upper"}),
    ("solve", "--all-shots", "--objective", "worst"): (
        "shot_values",
        {"shot", "total_height", "mean", "worst"},
    ),
    ("solve", "--all-shots", "--objective", "within=6"): ("shot_values", {"shot", "finished"}),
    ("explore", "-o", "walk.html"): ("trees", {"name", "total_height"}),
    ("greedy",): (
        "partings",
        {
            *("shots", "configurations", "best_greedy_shots", "best_shots"),
            *("best_greedy_total_height", "total_height"),
        },
    ),
    ("table", "--columns", "optimum"): (
        "values",
        {"game", "column", "value", "bracket", "source", "by", "note", "seconds"},
    ),
    ("bounds",): ("bounds", {"name", "side", "value", "source", "is_binding"}),
}


@pytest.mark.parametrize("arguments", NESTED, ids=" ".join)
def test_what_is_in_lists(answer_of, tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    command, *options = arguments
    name, names = NESTED[arguments]
    rows = answer_of(command, "2x6:2,3" if command == "greedy" else "3x4:2", *options)[name]
    assert rows
    for row in rows:
        assert {*plain(row)} == names
        assert all(f"`{one}`" in PAGE for one in names)


def test_names_with_exact_texts_are_on_the_page():
    text = PAGE.partition("These have `NAME_exact` beside them")[2].partition("##")[0]
    listed = set(re.findall(r"`(\w+)`", text))
    assert listed == {name for name in EXACT_FIELDS if not name.endswith("_total_height")}


def test_large_numbers_and_fractions():
    number = 2**70 + 1
    found = json.loads(
        json_text({"configurations": number, "occurrence": [[1, number]], "mean": Fraction(1, 3)})
    )
    assert found == {
        **{"schema": SCHEMA, "version": VERSION, "command": found["command"]},
        "configurations": 2.0**70,
        "configurations_exact": str(number),
        "occurrence": [[1, 2.0**70]],
        "occurrence_exact": [["1", str(number)]],
        "mean": 1 / 3,
        "mean_exact": "1/3",
    }
    unreduced = json.loads(json_text({"mean": Fraction(2, 4), "mean_exact": "2/4"}))
    assert (unreduced["mean"], unreduced["mean_exact"]) == (0.5, "2/4")
    unknown = json.loads(json_text({"bracket": [Fraction(3, 2), None]}))
    assert (unknown["bracket"], unknown["bracket_exact"]) == ([1.5, None], ["3/2", None])


# Other forms

TABLES = {  # a command -> the list in its answer that is its table
    ("bounds", "3x4:2"): "bounds",
    ("ask", "4x4:3,2", "-n", "3"): "questions",
    ("solve", "3x4:2", "--all-shots"): "shot_values",
    ("simulate", "greedy", "3x3:2", "--games", "3", "--jobs", "1"): "players",
    ("strategies",): "strategies",
    ("explore", "2x3:2", "-o", "walk.html"): "trees",
    ("counterexamples", "--max-cells", "9", "--fleet", "2"): "counterexamples",
    ("equilibrium", "3x3:2"): "hider",
}


def cell_text(value):
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, list) and not any(isinstance(one, list | dict) for one in value):
        return " ".join(map(cell_text, value))
    return json.dumps(value, ensure_ascii=False)


@pytest.mark.parametrize("arguments", TABLES, ids=" ".join)
def test_tables_in_csv(call_command, answer_of, tmp_path, monkeypatch, arguments):
    """CSV has the rows of JSON, by the same names."""
    monkeypatch.chdir(tmp_path)
    rows = answer_of(*arguments)[TABLES[arguments]]
    names = [name for name in rows[0] if name != "histogram"] if rows else []
    texts = [[cell_text(row[name]) for name in names] for row in rows]
    status, out, err = call_command(*arguments, "--format", "csv")
    assert (status, err) == (0, "")
    table = [line for line in out.splitlines() if not line.startswith("# ")]
    assert list(csv.reader(table)) == ([names, *texts] if rows else [])


def test_matrices_in_csv(call_command, answer_of):
    """A row a cell on the board, after the other fields."""
    game = "3x3:2,holes=B2"
    found, out = answer_of("posterior", game), call_command("posterior", game, "--format", "csv")[1]
    lines = [line for line in out.splitlines() if not line.startswith("# ")]
    rows = {row["cell"]: row for row in csv.DictReader(lines)}
    assert [*rows] == ["A1", "B1", "C1", "A2", "C2", "A3", "B3", "C3"]
    assert rows["C2"]["occurrence_exact"] == found["occurrence_exact"][1][2]
    assert f"# configurations: {found['configurations']}\n" in out


def test_answers_without_a_table(call_command):
    """A row of all fields."""
    out = call_command("count", "4x4:3", "--format", "csv")[1]
    (row,) = csv.DictReader(out.splitlines())
    fields = {"configurations": "16", "configurations_exact": "16"}
    assert row == {"game": "4x4:3", "position": "", **fields}
    assert "'latex'" in call_command("count", "4x4:3", "--format", "latex")[2]
    assert "A1-C1" in call_command("sample", "1x3:3", "--format", "csv")[1].splitlines()
    assert (
        "give --json or --format" in call_command("count", "4x4:3", "--json", "--format", "csv")[2]
    )


# As others read them


def test_tables_in_pandas():
    pandas = pytest.importorskip("pandas")
    table = pandas.read_csv(RESULTS / "evaluations" / "greedy.csv", comment="#")
    assert table["configurations"].sum() == 1_925_751_392
    assert (table["shots"] * table["configurations"]).sum() == 78_233_068_903
    for path in RESULTS.rglob("*.csv"):
        assert len(pandas.read_csv(path, comment="#")), path
