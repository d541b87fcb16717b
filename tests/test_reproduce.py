"""`optsearch reproduce`: every printed number is computed, and a wrong one is seen."""

import json
import re
import shutil
import sys
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import ANY

import numpy as np
import pytest

from optsearch import reproduce as reproduce_
from optsearch.check import reference
from optsearch.cli import reproducing
from optsearch.counting.posterior import Posterior
from optsearch.evaluation import Evaluation, evaluate
from optsearch.game import Game, bits
from optsearch.game.position import MISS, Position, Shot
from optsearch.lower_bounds import count_hit_sequences, leaf_counting
from optsearch.reproduce import SOURCES, Source, paper
from optsearch.reproduce.printed import Number, no_note, rounded
from optsearch.results.tables import TABLES
from optsearch.search.solver import solve
from optsearch.strategies import as_strategy
from optsearch.support import datafiles, records
from optsearch.support.errors import TableError
from tests.shown import console_commands, is_shown

GRID = Game(3, 4, (2,))  # of Figure 6


def fake(name, numbers, full=()):
    """A source of numbers that are (what, printed, computed, and more)."""

    def made(each):
        return lambda *_: iter([Number("place", *one[:2], *one[2:]) for one in each])

    return Source(name, f"Title of {name}", made(numbers), made(full))


AFTER = fake("after", [("two", "2", lambda: "2")])


@pytest.fixture(scope="module")
def checks():
    return list(reproduce_.checks())


# What is computed


def test_every_printed_number_is_computed_or_said_not_to_be(checks):
    computed = {check.what: check for check in checks}
    for row in records.read_published("numbers.csv").rows:
        check = computed.pop(row["name"].replace("_", " "), None)
        if row["name"] in paper.NOT_REPRODUCED:
            assert check is None, row
        else:
            assert (check.place, check.printed) == (row["place"], row["value"])
    rows = records.read_published("table1.csv").rows
    for row in rows:
        check = computed.pop(str(Game.parse(f"{row['grid']}:{row['fleet']}")))
        assert check.place == "Table 1"
        assert check.printed.endswith(row["mean"])
        assert f"{row['total_height']}/{row['configurations']}" in check.printed or not (
            row["total_height"] or row["configurations"]
        )
    assert len(rows) == 8
    for name in ("occurrence", "frequency"):
        check = computed.pop(f"{name} matrix 10x10")
        assert check.printed == "100 numbers"
    assert computed == {}


def test_all_agree(checks):
    for check in checks:
        assert check.agrees, check
        assert check.computed == check.printed
        assert check.seconds >= 0
    places = Counter(check.place for check in checks)
    assert places["Table 1"] == 8
    assert {"Figure 2", "Figure 3", "section 3.1", "section 3.3", "section 4.1"} <= set(places)


# The counterexample, by brute force


def family(pair):
    """The ships of GRID that avoid two cells."""
    misses = sum(1 << cell for cell in pair)
    return frozenset(ship for ship in GRID.placements(2) if not ship & misses)


def test_the_shots_of_the_counterexample():
    """With the paper's names (row letter, column number): greedy shoots at B3, the optimum at B2.

    Some symmetry of a counterexample must give both.
    """
    (example,) = paper.counterexamples()
    pair = frozenset(bits(example.position.misses))
    readings = []
    for image in {frozenset(p[cell] for cell in pair) for p in GRID.symmetries()}:
        position = Position(GRID, tuple(Shot(GRID.cell(cell), MISS) for cell in sorted(image)))
        numbers = Counter(cell for ship in family(image) for cell in bits(ship))
        most = {cell for cell, number in numbers.items() if number == max(numbers.values())}
        heights = reference.first_shots(frozenset((ship, 1) for ship in family(image)))
        best = {cell for cell, height in heights.items() if height == 53}
        assert best == {row * 4 + column for row, column in reference.solve(position).best_shots}
        assert len(best) == 3
        readings.append((most, best))
    b2, b3 = 1 * 4 + 1, 1 * 4 + 2
    assert any(most == {b3} and b2 in best for most, best in readings)


# A printed value that is wrong


@pytest.fixture
def published(monkeypatch, tmp_path):
    """A copy of data/published that is used in its place."""
    folder = tmp_path / "published"
    shutil.copytree(datafiles.PUBLISHED, folder)
    monkeypatch.setattr(datafiles, "PUBLISHED", folder)
    return folder


def edit(path, old, new):
    """Change how one line begins."""
    text = path.read_text(encoding="utf-8")
    assert text.count(f"\n{old}") == 1, old
    path.write_text(text.replace(f"\n{old}", f"\n{new}"), encoding="utf-8")


def test_the_table(call_command, checks):
    status, out, err = call_command("reproduce")
    assert (status, err) == (0, "")
    ticked = [line for line in out.splitlines() if line.startswith("✓")]
    assert len(ticked) == len(checks)
    for line, check in zip(ticked, checks, strict=True):
        assert check.place in line
        assert check.what in line
        assert line.count(check.printed) >= 2 or check.printed == "-"
    assert "✗" not in out
    assert "all agree" in out
    readme = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
    (output,) = [text for command, text in console_commands(readme) if command == "make reproduce"]
    assert is_shown(out, output)


def test_cite_says_of_the_program_what_citation_cff_says(call_command):
    state = records.commit()
    own = dict(
        re.findall(r"^  (\w+) = {(.*)},$", call_command("cite")[1].partition("\n}")[0], re.M)
    )
    cff = (Path(__file__).parent.parent / "CITATION.cff").read_text(encoding="utf-8")
    assert own["note"] == (state if state.startswith("release") else f"commit {state}")
    assert f"\nversion: {own['version']}\n" in cff
    assert f"\ndate-released: {own['year']}-" in cff
    assert f"\n  - name: {own['author'].strip('{}')}\n" in cff


FALSIFIED = [
    ("numbers.csv", "configurations_10x10,1925751392,", "configurations_10x10,1925751393,"),
    ("numbers.csv", "figure5_total_height,25,", "figure5_total_height,26,"),
    ("numbers.csv", "counterexample_greedy_mean,54/12,", "counterexample_greedy_mean,53/12,"),
    ("numbers.csv", "counterexample_optimal_shot,B2,", "counterexample_optimal_shot,B3,"),
    ("numbers.csv", "lower_bound_10x10,30.8,", "lower_bound_10x10,30.9,"),
    ("table1.csv", '4x5,"2,3,4",994,88', '4x5,"2,3,4",993,88'),
    ("table1.csv", '4x4,"3,3",196,24,8.2', '4x4,"3,3",196,24,8.1'),
    ("table1.csv", '4x4,"2,3,4",,,-', '4x4,"2,3,4",100,10,10.0'),
    ("figure2_occurrence.csv", "0,0,229713268", "0,0,229713269"),
    ("figure3_frequency.csv", "9,9,11.9", "9,9,12.0"),
]


@pytest.mark.parametrize(
    ("name", "true", "false"), FALSIFIED, ids=[false for _, _, false in FALSIFIED]
)
def test_a_false_value_has_a_cross(call_command, published, checks, name, true, false):
    edit(published / name, true, false)
    status, out, err = call_command("reproduce")
    assert (status, err) == (1, "")
    assert len([line for line in out.splitlines() if line.startswith("✗")]) == 1
    assert f"1 of {len(checks)} differ" in out
    assert "all agree" not in out


def test_a_missing_file_and_a_value_that_nothing_computes(call_command, published):
    edit(published / "numbers.csv", "figure9_mean,", "figure99_mean,")
    for said in ("'figure99_mean'", "table1.csv"):
        status, _, err = call_command("reproduce")
        assert (status, err.count("\n"), said in err) == (2, 1, True)
        shutil.copy(datafiles.DATA / "published" / "numbers.csv", published)
        (published / "table1.csv").unlink(missing_ok=True)


def test_rounding_is_exact():
    assert rounded(Fraction(5 * 10**40 - 1, 10**42)) == "0.0"
    assert rounded(Fraction(5, 100)) == "0.1"
    assert rounded(Fraction(146, 24)) == "6.1"
    assert rounded(Fraction(12345, 1000), 2) == "12.35"
    assert rounded(Fraction(995, 10), 0) == "100"


# Battleship Heuristics


def test_the_effects_of_the_heuristics_are_computed(monkeypatch):
    """From fewer games here; each published effect is beside the computed one."""
    heuristics = reproduce_.heuristics
    monkeypatch.setattr(heuristics, "GAMES", 400)
    heuristics.outcome.cache_clear()
    found = list(reproduce_.checks("heuristics"))
    heuristics.outcome.cache_clear()
    assert [check.printed for check in found] == ["5.062", "0.867", "0.176", "0.051"]
    effects = [float(check.computed.split(" ± ")[0]) for check in found]
    errors = [float(check.computed.split(" ± ")[1]) for check in found]
    assert effects[0] > effects[1] > effects[2]
    for check, effect, error in zip(found, effects, errors, strict=True):
        assert check.agrees == (abs(effect - float(check.printed)) <= 3 * 2**0.5 * error)
    assert not heuristics.agrees("9.9", heuristics.Effect(5.0, 0.04))


# The post on Thompson sampling, and the slides on probabilities


@pytest.fixture(scope="module")
def thompson():
    return list(reproduce_.checks("thompson"))


def test_each_number_of_the_post_is_computed_and_agrees(thompson):
    rows = records.read_published("thompson.csv").rows
    assert [check.printed for check in thompson] == [row["value"] for row in rows]
    assert [check.place for check in thompson] == [row["place"] for row in rows]
    shown = ["shots of the first game"]
    assert [check.what for check in thompson if not check.agrees] == shown
    assert [check.agrees for check in thompson if check.what in shown] == [None]


def test_what_is_read_from_a_table_is_stored(call_command, monkeypatch, tmp_path):
    """An altered table does not pass for computed; with --full the games are played."""
    thompson = reproduce_.thompson
    rows = [[*row.values()] for row in TABLES["thompson"].read()]
    for row in rows:
        row[2] += 10
    path = TABLES["thompson"].write(rows, tmp_path, game=thompson.GAME)
    table = TABLES["thompson"]
    altered = SimpleNamespace(read=lambda: table.read(path), command="make it")
    monkeypatch.setitem(TABLES, "thompson", altered)
    status, out, _ = call_command("reproduce", "--source", "thompson")
    assert status == 1
    assert re.search(r"^✗ .*thompson mean 10x10 +45.89 +56.31 ± 0.29 +stored$", out, re.M)
    said = "stored: shots of the first game, thompson mean 10x10: computed by make it, or --full"
    assert said in out
    assert ", 2 of these numbers stored, " in out.splitlines()[-1]
    stored = json.loads(call_command("reproduce", "--source", "thompson", "--json")[1])["checks"]
    assert [one["what"] for one in stored if one["stored"] == "make it"] == [
        "shots of the first game",
        "thompson mean 10x10",
    ]
    shots = np.array([row[2] - 10 for row in rows])
    monkeypatch.setattr(thompson, "_play_games", lambda folder: shots)
    full = {
        number.what: number.compute()
        for number in reproduce_.source_named("thompson").all_numbers()
        if not number.stored and number.place == "Standard battleship, Bayesian"
    }
    assert full["thompson mean 10x10"] == "46.31 ± 0.29"
    assert full["games of thompson, as in the table"] == "0 games"


def test_what_needs_a_library_is_left_out(call_command, monkeypatch):
    """The others are computed, and the last line says how many were not."""
    missing = {"ortools": None, "ortools.sat": None, "ortools.sat.python": None}
    for name, module in missing.items():
        monkeypatch.setitem(sys.modules, name, module)
    for module in (reproduce_, reproducing):
        monkeypatch.setattr(module, "SOURCES", [reproduce_.source_named("solitaire"), AFTER])
    status, out, err = call_command("reproduce", "--source", "all")
    assert (status, err) == (0, "")
    assert re.search(r"^✓ .*ship cells +(\d+) +\1 ", out, re.M)
    assert re.search(r"^· .*solutions +\w+ +left out$", out, re.M)
    assert (
        "solutions"
        in re.search(
            r"^left out: (.*): needs CP-SAT of OR-tools, .* pip install ortools$", out, re.M
        )[1]
    )
    assert re.search(r"^✓ .*two +2 +2", out, re.M)
    assert re.search(r"^\d+ checks, all agree, .*\d left out, ", out.splitlines()[-1])


def test_the_slides_on_probabilities(call_command, published):
    found = {check.what: check for check in reproduce_.checks("probability")}
    assert found["cliques"].computed == "30093975536" == str(2 * 15046987768)
    assert found["probability matrix 10x10"].computed == "100 numbers"
    assert all(found[name].agrees for name in ("cliques", "probability matrix 10x10"))
    assert {name for name in found if name.startswith("seconds")} == {
        "seconds one core",
        "seconds eight threads",
        "seconds gpu",
    }
    assert {found[name].agrees for name in found if name.startswith("seconds")} == {None}
    status, out, _ = call_command("reproduce", "--source", "probability")
    assert status == 0
    assert "4 checks, all agree, 3 shown and not compared (·), " in out
    assert len(re.findall("^· ", out, re.M)) == 3
    edit(published / "spalding_jamieson_probability.csv", "9,9,0.080", "9,9,0.081")
    status, out, _ = call_command("reproduce", "--source", "probability")
    assert status == 1
    assert "99 numbers" in out


def test_small_games_of_mayflower():
    """Counts, totals or means of the optimum, and of greedy with ties broken by the first cell.

    Its bounds are of the boxed game: below, leaf counting with what sinkings tell; above, a mean
    that it measured, with a standard error of .06, for which we have greedy on all boards.
    """
    for row in records.read_published("mayflower.csv").rows:
        game = replace(Game.parse(row["game"]), contact="any", announce="ship")
        count = value = Posterior(game).configurations
        if row["name"] == "lower":
            value = count * leaf_counting({1: count}, game.fleet_cells, count_hit_sequences(game))
        elif row["name"] == "upper":
            greedy = TABLES["evaluations"].read(name="any_ship_greedy").header["total_height"]
            assert float(row["value"]) == pytest.approx(int(greedy) / count, abs=0.12)
            continue
        if row["name"].startswith("optimum"):
            value = solve(Position(game)).total_height
        elif row["name"].startswith("greedy"):
            value = evaluate("greedy:ties=first,endgame=0", game).total_height
        _, point, decimals = row["value"].partition(".")
        shown = rounded(Fraction(value, count), len(decimals)) if point else str(value)
        assert shown == row["value"], row


def test_what_players_of_the_mini_game_print(call_command):
    """It differs, is marked, and is no fault."""
    status, out, _ = call_command("reproduce", "--source", "mini-game")
    assert status == 0
    assert re.search(r"✓ .*boards +604584 +604584", out)
    assert re.search(r"≠ .*greedy within 20 +132883 +125281", out)


# Everything


def test_what_the_paper_prints_is_computed_in_all():
    """What takes seconds and what takes an hour are all rows together, none twice."""
    full = list(paper.full(None, lambda status: None))
    names = {row["name"].replace("_", " ") for row in records.read_published("numbers.csv").rows}
    quick = {number.what for number in paper.numbers()}
    assert {number.what.replace(" ", "_") for number in full} == paper.NOT_REPRODUCED
    assert names <= quick | {number.what for number in full}
    assert not quick & {number.what for number in full}
    assert sum(number.minutes for number in full) > 10
    assert {number.what for number in full} <= {
        number.what for number in reproduce_.numbers_left(SOURCES)
    }


def test_section_4_2(monkeypatch, tmp_path):
    """From the committed distributions: what differs is reconstructed, and said to be."""
    asked = []

    def committed(strategy, game, *, execution):
        asked.append((strategy, str(game), execution.checkpoint))
        name = "pattern_" + strategy.rpartition("=")[2]
        histogram = {
            row["shots"]: row["configurations"] for row in TABLES["evaluations"].read(name=name)
        }
        return Evaluation(strategy, Position(game), histogram, 0.0, 1, 0)

    monkeypatch.setattr(paper, "evaluate", committed)
    checks = {}
    for number in paper.full(tmp_path, lambda status: None):
        checks[number.what] = reproduce_.check(number)
    shown = {what: (check.printed, check.computed) for what, check in checks.items()}
    assert shown == {
        "hits 10x10": ("17", "17"),
        "upper bound 10x10": ("55.6", "54.7"),
        "naive strategy mean": ("58.7", "58.0"),
        "upper bound strategy standard deviation": ("7.6", "8.0"),
        "upper bound strategy worst case": ("73", "74"),
    }
    assert not any(check.is_fault for check in checks.values())
    assert [check.known != "" for check in checks.values()] == [
        check.printed != check.computed for check in checks.values()
    ]
    assert sorted(asked) == [
        (f"{paper.NEAREST},clear={clear}", "10x10:5,4,3,3,2", tmp_path / f"pattern_{clear}")
        for clear in ("cross", "line")
    ]
    for name, (strategy, _, _) in zip(
        ("pattern_cross", "pattern_line"), sorted(asked), strict=True
    ):
        header = TABLES["evaluations"].read(name=name).header
        assert str(as_strategy(strategy)) == header["strategy"]


def test_everything_goes_on_from_what_is_done(tmp_path):
    counts = Counter()

    def counted(name, fails=False):
        def compute():
            counts[name] += 1
            if fails and counts[name] == 1:
                raise KeyboardInterrupt
            return "1"

        return compute

    sources = [
        fake("a", [("one", "1", counted("one"))], [("long", "1", counted("long"))]),
        fake("b", [("two", "2", counted("two", fails=True))]),
    ]
    with pytest.raises(KeyboardInterrupt):
        list(reproduce_.everything(sources, tmp_path))
    assert counts == {"one": 1, "long": 1, "two": 1}
    found = list(reproduce_.everything(sources, tmp_path))
    assert counts == {"one": 1, "long": 1, "two": 2}
    assert [(source.name, check.what, check.agrees) for source, check in found] == [
        ("a", "one", True),
        ("a", "long", True),
        ("b", "two", False),
    ]
    assert list(reproduce_.everything(sources)) == [
        (source, replace(check, seconds=ANY)) for source, check in found
    ]
    assert counts == {"one": 2, "long": 2, "two": 3}  # without a folder, everything is computed


def test_what_another_commit_did_is_refused(tmp_path, monkeypatch):
    sources = [fake("a", [("one", "1", lambda: "1")])]
    list(reproduce_.everything(sources, tmp_path))
    monkeypatch.setattr(records, "commit", lambda: "other")
    with pytest.raises(TableError):
        list(reproduce_.everything(sources, tmp_path))


@pytest.mark.parametrize("computed", ["2", "3"])
def test_full_on_the_command_line(call_command, monkeypatch, tmp_path, computed):
    """Known differences are no fault, others are; the estimate comes first."""
    known = ("bent", "1", lambda: "9", no_note, None, 90, "the page is lost")
    sources = [
        fake("paper", [("one", "2", lambda: computed)], [known]),
        fake("b", [("two", "2", lambda: "2")]),
    ]
    for module in (reproduce_, reproducing):
        monkeypatch.setattr(module, "SOURCES", sources)
    status, out, err = call_command("reproduce", "--full", "--resume", tmp_path)
    assert (status, err) == (int(computed == "3"), "")
    lines = out.splitlines()
    left = "everything of paper, b: {} of 3 numbers left, {}, kept in "
    assert lines[0].startswith(left.format(3, "about 90 minutes on two cores"))
    again = call_command("reproduce", "--full", "--resume", tmp_path)[1].splitlines()
    assert again[0].startswith(left.format(0, "seconds"))
    assert again[1:] == lines[1:]
    assert lines[2] == "Title of paper, printed and computed"
    assert [line.split()[0] for line in lines if " place " in line] == [
        "✗" if computed == "3" else "✓",
        "≠",
        "✓",
    ]
    assert "≠ bent: the page is lost" in lines
    fault = ", 1 differ and should not" if computed == "3" else ""
    agree = 2 - (computed == "3")
    assert f"3 checks, {agree} agree, 1 differ as is known{fault}" in lines[-1]
    found = json.loads(call_command("reproduce", "--full", "--source", "b", "--json")[1])
    assert [(check["source"], check["what"]) for check in found["checks"]] == [("b", "two")]


def test_resume_goes_with_full(call_command, tmp_path):
    assert call_command("reproduce", "--resume", tmp_path)[2] == (
        "error: --resume is for --full; without it, everything takes seconds\n"
    )
