"""Tables of many games: ranges, quantities a second way, stored values, brackets, cut runs."""

import csv
import io
import json
import re
from fractions import Fraction

import pytest

import optsearch
from optsearch.check import reference
from optsearch.cli.latex import latex_table, latex_text
from optsearch.counting.configurations import list_ships, to_masks
from optsearch.game import Game
from optsearch.game.position import Position, reply
from optsearch.game.ranges import expand_range
from optsearch.results.quantities import COMPUTED, STORED
from optsearch.results.tables import TABLES
from optsearch.results.tabulate import split_columns, table
from optsearch.strategies import as_strategy
from optsearch.support.errors import TableError
from optsearch.support.store import Facts
from optsearch.support.workers import Execution
from tests.examples import plain
from tests.processes import run_command
from tests.stores import facts_of

SMALL = ("2x3:2", "3x3:2,2", "3x4:2", "2x5:2,contact=any", "3x3:3,announce=ship", "3x3:2,holes=B2")


def games(*texts):
    return [Game.parse(text) for text in texts]


# Ranges


@pytest.mark.parametrize("ends", ["4x4..6x6", "2x5..3x6", "3x2..5x4", "4x6..4x8", "6x4..8x4"])
def test_a_range_has_each_board_once(ends):
    """All sizes between the ends, of which none is another one turned."""
    rows, columns, last_rows, last_columns = map(int, re.findall(r"\d+", ends))
    listed = [
        tuple(map(int, text.partition(":")[0].split("x"))) for text in expand_range(f"{ends}:2")
    ]
    between = {(r, c) for r in range(rows, last_rows + 1) for c in range(columns, last_columns + 1)}
    assert {*listed} <= between
    assert {tuple(sorted(board)) for board in between} == {tuple(sorted(b)) for b in listed}
    assert len({tuple(sorted(board)) for board in listed}) == len(listed)
    assert listed == sorted(listed)


def test_lists_have_ranges(answer_of, tmp_path, monkeypatch):
    """In a file, on standard input and where other commands take lists."""
    path = tmp_path / "games.txt"
    path.write_text("# small\n2x2..2x3:1\n3x3:2\n")
    monkeypatch.setattr("sys.stdin", io.StringIO("2x3..3x3:1\n"))
    found = answer_of("table", path, "-", "--columns", "configurations", "--jobs", 1)["values"]
    assert [value["game"] for value in found] == ["2x2:1", "2x3:1", "3x3:2", "3x3:1"]
    assert answer_of("counterexamples", "--game", "2x2..2x3:1", "--empty-only")["games"] == 2


def test_columns_between_commas():
    text = "optimum, rollout:endgame=4,percent=40,my.py:Mine,greedy:ties=last,lower"
    parts = ["optimum", "rollout:endgame=4,percent=40", "my.py:Mine", "greedy:ties=last", "lower"]
    assert split_columns(text) == parts


# Values


def shots_taken(strategy, game):
    """Of a strategy on every configuration, each game played shot by shot."""
    for hidden in map(to_masks, list_ships(Position(game))):
        position = Position(game)
        while position.hits_left:
            cell = strategy.shot(position)
            position = position.after(cell, reply(game, hidden, position.hits, game.bit(cell)))
        yield len(position.shots)


def test_each_quantity_by_its_definition(tmp_path):
    """The optimum by the oracle, greedy by its games; without the stored tables."""
    columns = ("configurations", "optimum", "total_height", "best_greedy", "greedy", "lower")
    found = table(games(*SMALL), [*columns, "upper", "time"], results=tmp_path)
    for game in games(*SMALL):
        row, oracle = found.row(game), reference.solve(Position(game))
        assert {value.source for name, value in row.items() if name != "time"} == {COMPUTED}
        assert row["configurations"].exact == oracle.configurations
        assert row["total_height"].exact == oracle.total_height
        assert row["optimum"].exact == Fraction(oracle.total_height, oracle.configurations)
        assert row["optimum"].text(row["optimum"].exact) == (
            f"{oracle.total_height}/{oracle.configurations}"
        )
        taken = [*shots_taken(as_strategy("greedy"), game)]
        assert row["greedy"].exact == Fraction(sum(taken), len(taken))
        means = [row[name].exact for name in ("lower", "optimum", "best_greedy", "greedy")]
        assert means == sorted(means)
        assert row["optimum"].exact <= row["upper"].exact <= row["greedy"].exact
        assert row["time"].exact == pytest.approx(
            sum(found.values[game, name].seconds for name in ("configurations", "optimum"))
            + sum(found.values[game, one].seconds for one in ("best_greedy", "bounds"))
            + found.values[game, as_strategy("greedy").identity()].seconds
        )


def test_what_is_stored_comes_first():
    """Also of a board that is turned; every figure is that of its table."""
    listed = {str(row["game"]): row for row in TABLES["optima"].read()}
    found = table(games("4x4:3,2", "5x4:3,2", "3x5:3,2,2"), ["optimum"])
    for name, of in (("4x4:3,2", "4x4:3,2"), ("5x4:3,2", "4x5:3,2")):
        value = found.row(Game.parse(name))["optimum"]
        assert (value.source, value.by) == (STORED, "data/results/optima.csv")
        assert value.exact == Fraction(listed[of]["total_height"], listed[of]["configurations"])
    assert "3x5:3,2,2" not in listed
    assert found.row(Game.parse("3x5:3,2,2"))["optimum"].source == COMPUTED
    (game,) = chosen = games("3x4:2")
    hider = table(chosen, ["hider"]).row(game)["hider"]
    assert (hider.exact, hider.by) == (Fraction(534, 103), "data/results/equilibria.csv")


def test_a_short_time_gives_a_bracket_within_what_stands_beside_it(tmp_path):
    (game,) = chosen = games("5x6:3,2,2")
    columns = ["optimum", "total_height", "greedy", "lower"]
    row = table(chosen, columns, time_limit=0.1, results=tmp_path).row(game)
    value, number = row["optimum"], row["optimum"].per
    assert value.is_bracket
    assert value.is_cut
    assert value.note == "not solved in 0.1 seconds"
    assert row["lower"].exact <= value.lower < value.upper <= row["greedy"].exact
    total = row["total_height"]
    assert (total.lower, total.upper) == (value.lower * number, value.upper * number)
    assert total.lower.denominator == total.upper.denominator == 1


def test_reasons(tmp_path):
    """What cannot be had is nothing, with the reason, and ends no table."""
    chosen = games("4x4:4,3,2", "12x12:5,4", "3x3:2")
    found = table(chosen, ["optimum", "greedy"], time_limit=1)
    first, second, third = (found.row(game) for game in chosen)
    assert {value.note for value in first.values()} == {"no configuration: the fleet does not fit"}
    assert second["optimum"].note == "too large to be searched"
    assert second["optimum"].lower < second["optimum"].upper  # a bracket all the same
    assert all(value.exact for value in third.values())


def test_the_table_of_the_command(answer_of):
    """From Python: ranges, columns as one text, the same rows, and the sheet in a notebook."""
    asked = "3x4..4x4:3,2", "optimum,greedy:ties=last,endgame=4,lower"
    found = optsearch.table(*asked)
    assert repr(found) == ("<Tabulation of 2 games: optimum, greedy:ties=last,endgame=4, lower>")
    said = answer_of("table", asked[0], "--columns", asked[1], "--jobs", 1)["values"]
    for row in (*said, *(rows := found.to_dicts())):
        del row["seconds"]
    assert rows == said
    assert found.row("3x4:3,2")["optimum"].exact == Fraction(rows[0]["value_exact"])
    assert '<td style="text-align:left;border:0">7.1333†</td>' in found._repr_html_()
    both = [optsearch.Game("2x2:1"), "2x3:2"]
    assert optsearch.table(both, ["configurations"]).sheet().rows == [
        ["2x2:1", "4"],
        ["2x3:2", "7"],
    ]
    (alone,) = optsearch.table(both[0]).games
    assert alone == both[0]


# Runs that are cut short


def test_a_killed_run_goes_on(call_command, tmp_path, monkeypatch):
    arguments = ("table", "2x2..3x3:2", "--columns", "optimum,greedy", "--json", "--jobs", 1)
    hooks = "from optsearch.support.store import Facts; at(Facts, 'add', kill, 2)"
    options = (*arguments, "--resume", "kept")
    assert run_command(*options, hooks=hooks, cwd=tmp_path)[:2] == (-9, "")
    before = facts_of(tmp_path / "kept")
    assert len(before) == 2
    monkeypatch.chdir(tmp_path)
    whole = answer(*call_command(*options))
    after = facts_of(tmp_path / "kept")
    assert {**after, **before} == after
    assert len(after) == 3  # the optima are stored
    assert plain(whole) == plain(answer(*call_command(*arguments)))


def answer(status, out, err):
    """An answer without what takes another time each run."""
    assert (status, err) == (0, "")
    found = json.loads(out)
    for value in found["values"]:
        del value["seconds"]
    return found


def test_ctrl_c_prints_what_is_known(call_command, interrupt_at, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    interrupt_at(Facts, "add", 1)
    arguments = ("table", "2x2..3x3:2", "--columns", "greedy", "--jobs", 1, "--resume", "kept")
    status, out, err = call_command(*arguments)
    assert (status, out.count("—†")) == (130, 2)
    assert "† not computed" in out
    kept = "what is done is in kept, and the same command goes on from there"
    assert err == f"interrupted; {kept}\n"


def test_values_that_cannot_be_are_refused(tmp_path):
    chosen = games("3x3:2")
    table(chosen, ["greedy"], execution=Execution(checkpoint=tmp_path))
    key = f"{as_strategy('greedy').identity()}; 3x3:2"
    for wrong in ({"lower": "5"}, {"per": "12"}, {"seconds": None}, {"upper": "1/0"}):
        with Facts(tmp_path, "values of games") as store:
            kept = store[key]
            store.add(key, {**kept, **wrong})
        with pytest.raises(TableError, match="is damaged"):
            table(chosen, ["greedy"], execution=Execution(checkpoint=tmp_path))
        with Facts(tmp_path, "values of games") as store:
            store.add(key, kept)


def test_processes_find_the_same(tmp_path):
    chosen, columns = games("3x3:2", "2x4:2"), ["optimum", "greedy"]
    one, two = (
        table(chosen, columns, results=tmp_path, execution=Execution(jobs=jobs)) for jobs in (1, 2)
    )
    for game in chosen:
        assert all(
            value.exact == two.row(game)[name].exact for name, value in one.row(game).items()
        )


def test_a_strategy_of_ones_own(call_command, answer_of, tmp_path, monkeypatch):
    """Its fault ends the table, as it ends `evaluate`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(
        "def rows(position):\n"
        "    cells = range(position.game.cells)\n"
        "    shot = position.closed\n"
        "    return position.game.cell(next(cell for cell in cells if not shot >> cell & 1))\n"
        "def wrong(position):\n"
        "    return 0, 0\n"
    )
    (value,) = answer_of("table", "2x2:1", "--columns", "own.py:rows", "--jobs", 1)["values"]
    assert (value["column"], value["value_exact"]) == ("own.py:rows", "10/4")
    status, out, err = call_command("table", "2x2:1", "--columns", "own.py:wrong", "--jobs", 1)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "was shot before" in err


# As it is printed


def test_every_form_has_the_same_numbers(call_command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments = ("table", "3x4..4x4:3,2", "4x4:4,3,2", "--columns", "optimum,greedy,lower")
    options = ("--jobs", 1, "--places", 3)
    printed = {}
    for form in ("text", "latex"):
        status, out, err = call_command(*arguments, *options, "--format", form)
        assert (status, err) == (0, "")
        printed[form] = out
    lines = [line.split() for line in printed["text"].splitlines()]
    assert lines[:4] == [
        ["game", "optimum", "greedy", "lower"],
        ["3x4:3,2", "7.133†", "7.167", "7.100"],
        ["4x4:3,2", "8.442†", "8.452", "8.375"],
        ["4x4:4,3,2", "—‡", "—‡", "—‡"],
    ]
    assert [unescaped(row) for row in rows_of(printed["latex"])] == lines[:4]
    for text in printed.values():
        assert "stored in optsearch: data/results/optima.csv" in text.replace("\\_", "_")
    lines = call_command(*arguments, *options, "--format", "csv")[1].splitlines()
    read = list(csv.DictReader(line for line in lines if not line.startswith("# ")))
    assert [(row["game"], row["column"]) for row in read[:2]] == [
        ("3x4:3,2", "optimum"),
        ("3x4:3,2", "greedy"),
    ]
    assert (read[0]["value_exact"], read[0]["source"]) == ("214/30", "stored")


def rows_of(text):
    """The rows of a tabular whose lines are as they should be, without the notes."""
    lines = [line for line in text.splitlines() if not line.startswith("%")]
    layout = re.fullmatch(r"\\begin\{tabular\}\{([lr]+)\}", lines[0])[1]
    assert lines[1] == r"\toprule"
    assert lines[-1] == r"\end{tabular}"
    ended = lines.index(r"\bottomrule")
    assert [line for line in lines if line.endswith("rule")] == [
        *(r"\toprule", r"\midrule", r"\bottomrule")
    ]
    body = [line for line in lines[2:ended] if line != r"\midrule"]
    for line in [*body, *lines[ended + 1 : -1]]:
        assert line.endswith(r" \\")
        plain = re.sub(r"\\[{}&%#$_]", "", line)
        assert plain.count("{") == plain.count("}")
        assert plain.count("$") % 2 == 0
        assert not re.search(r"(?<!\\)[#~^%]", line)
    assert all(len(re.findall(r"(?<!\\)&", line)) == len(layout) - 1 for line in body)
    return [re.split(r" (?<!\\)& ", line.removesuffix(r" \\")) for line in body]


def unescaped(row):
    """The texts of a row of LaTeX."""
    signs = {r"$\dagger$": "†", r"$\ddagger$": "‡", "---": "—", r"\_": "_"}
    texts = [re.sub(r"\\rlap\{\\textsuperscript\{(.*?)\}\}", r"\1", text) for text in row]
    for spelled, sign in signs.items():
        texts = [text.replace(spelled, sign) for text in texts]
    return texts


def test_latex_of_what_is_special():
    text = r"a_b & 50% #1 {x} \y ~ ^ <5> [6] * ≤ × †"
    assert latex_text(text) == (
        r"a\_b \& 50\% \#1 \{x\} \textbackslash{}y \textasciitilde{} \textasciicircum{} $<$5$>$ "
        r"{[}6{]} {*} $\le$ $\times$ $\dagger$"
    )
    made = latex_table([["name", "value"], ["[1]", "1.5"], ["*", "—"]])
    assert made.splitlines()[:2] == [
        r"% in the preamble: \usepackage{booktabs}",
        r"\begin{tabular}{lr}",
    ]
    assert rows_of(made)[1:] == [["{[}1{]}", "1.5"], ["{*}", "---"]]
    assert latex_table([]) == ""
