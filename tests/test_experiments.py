"""The experiments: what they write is what they say, and what is committed is what they write."""

import re
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from functools import cache
from importlib import import_module
from math import comb
from types import SimpleNamespace

import numpy as np
import pytest
from numba.core.registry import CPUDispatcher as Dispatcher

import optsearch
from experiments import __main__ as listing
from experiments import (
    ablation,
    bench,
    boards,
    bracket,
    check_lower_bounds,
    check_told,
    equilibria,
    evaluation_check,
    golden,
    hiders,
    lower_bounds,
    one_by_one,
    optima,
    paper_tables,
    told,
    trials,
    verify_beside,
    verify_coverage,
    verify_first_ship,
    verify_reveal,
    worst_cases,
)
from experiments import script as shape
from experiments.verify_coverage import cover_counts, largest_bound
from experiments.verify_rollout import RolloutReplay
from optsearch.check import reference
from optsearch.check.trees import verify
from optsearch.counting.configurations import Configurations, to_masks, to_words
from optsearch.evaluation import FollowedTask, evaluate
from optsearch.game import ANNOUNCEMENTS, Game, bits, image
from optsearch.game.objective import Objective
from optsearch.game.position import MISS, Position
from optsearch.game.ships import objection
from optsearch.lower_bounds import complete_binary_tree
from optsearch.lower_bounds.conditional_coverage import ConditionalCoverage
from optsearch.lower_bounds.coverage import CellSetCounts, Coverage
from optsearch.lower_bounds.reveal import placement_classes as reveal_classes
from optsearch.play.hiding import Corner
from optsearch.play.simulate import simulate
from optsearch.results.tables import TABLES, TREES, told_file_name
from optsearch.search.solver import SWITCHES, SolverOptions
from optsearch.strategies import Level, named
from optsearch.support import records
from optsearch.support.datafiles import CHECKOUT, RESULTS
from optsearch.support.errors import OptsearchError, RecordError
from optsearch.tree import load
from tests.examples import sizes, some
from tests.plain import looking

# These say where and when a table was computed; all else must come out the same anywhere.
PROVENANCE = ("python", "numpy", "commit", "date")

digest_once = cache(shape.digest_of_sources)  # no source changes while tests run
commit_once = cache(records.commit)


@pytest.fixture
def run(monkeypatch, capsys):
    """Run a script with arguments; what it prints on standard output."""
    monkeypatch.setattr(shape, "digest_of_sources", digest_once)
    monkeypatch.setattr(records, "commit", commit_once)

    def main(script, *arguments):
        monkeypatch.setattr(sys, "argv", [script.__name__, *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            shape.run(script.main)
        if end.value.code:
            raise end.value
        out, err = capsys.readouterr()
        assert err == ""
        return out

    return main


@pytest.fixture
def uncompiled(monkeypatch):
    """What numba compiles, as plain Python: compiling takes longer than a small game."""
    for module in (verify_beside, check_told, verify_coverage, verify_first_ship, verify_reveal):
        for name, thing in list(vars(module).items()):
            if isinstance(thing, Dispatcher):
                monkeypatch.setattr(module, name, thing.py_func)
    for module in (verify_first_ship, verify_reveal):
        monkeypatch.setattr(module, "Dict", SimpleNamespace(empty=lambda *_: {}))


def same(record):
    """What every run of an experiment gives."""
    header = {key: value for key, value in record.header.items() if key not in PROVENANCE}
    return header, record.columns, record.rows


def assert_has_provenance(record, script):
    header = record.header
    assert header["title"]
    assert header["command"].startswith(f"python -m {script.__name__}")
    assert header["optsearch"] == optsearch.__version__
    assert header["python"].count(".") == 2
    assert re.fullmatch(r"\d+\.\d+\..+", header["numpy"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", header["date"])
    assert re.fullmatch(r"[0-9a-f]{40}(\+changes)?|unknown|release .*", header["commit"])


def test_table_1():
    record = records.read(RESULTS / "table1.csv")
    printed = records.read_published("table1.csv").rows
    for row, line in zip(record.rows, printed, strict=True):
        assert row["game"] == str(Game.parse(f"{line['grid']}:{line['fleet']}"))
        assert row["mean"] == row["printed"] == line["mean"]
        assert row["total_height"] == row["replayed"] == line["total_height"]
        assert row["configurations"] == (line["configurations"] or "0")
        assert bool(row["best_shots"]) == bool(line["total_height"])


def test_tables_of_the_papers_method(run, tmp_path):
    """The smallest game: all that is not measured is as committed."""
    run(paper_tables, "--states", 600_000, "-o", tmp_path)
    (row,), (whole, *_) = (
        TABLES["paper_tables"].read(p) for p in (tmp_path / "paper_tables.csv", None)
    )
    unmeasured = {c.name for c in TABLES["paper_tables"].columns if not c.measured}
    assert {name: row[name] for name in unmeasured} == {name: whole[name] for name in unmeasured}


def test_reconstructions():
    order = TABLES["pattern_order"].read()
    assert sorted(order.column("place")) == list(range(1, 101))
    pattern = named(order.header["strategy"])
    game = Game.parse(order.header["game"])
    shots = sorted((row["place"], row["row"], row["column"]) for row in order)
    position = Position(game)
    for _, *cell in shots[:40]:  # as long as all shots miss, it goes by the order alone
        assert pattern.shot(position) == tuple(cell)
        position = position.after(tuple(cell), MISS)


def test_trees():
    totals = [load(RESULTS / f"counterexample_{name}.json").mean for name in ("greedy", "optimal")]
    assert totals == [Fraction(54, 12), Fraction(53, 12)]  # section 3.3
    record = records.read(RESULTS / "complete_binary_tree.csv")
    depths = record.values("depth", int)
    assert sorted(depths) == [3] * 5 + [4] * 6  # Figure 9
    assert Fraction(record.header["mean"]) == Fraction(sum(depths), 11) == 3 + Fraction(6, 11)
    assert complete_binary_tree({1: 11}) == Fraction(39, 11)


def test_the_greedy_tree_shoots_most_probable_cells():
    """By counting the configurations of each position on the tree."""
    tree = load(RESULTS / "counterexample_greedy.json")
    game = tree.position.game
    checked = set()
    for shots, _ in tree.paths():
        for n, shot in enumerate(shots):
            position = Position(game, (*tree.position.shots, *shots[:n]))
            cells = [sum(ships) & ~position.hits for ships in reference.configurations(position)]
            counts = [sum(mask >> i & 1 for mask in cells) for i in range(game.cells)]
            assert counts[shot.cell[0] * game.columns + shot.cell[1]] == max(counts)
            checked.add(shots[:n])
    assert len(checked) == 11 + 6  # a node less than leaves, and the certain hits


# Optima


OF_THE_COMMIT = {"nodes", "subsets", "confirmed"}  # of the row; tests of signatures have today's
EVERYWHERE = [
    column.name
    for column in TABLES["optima"].columns
    if not column.measured and column.name not in OF_THE_COMMIT
]


def numbers(row):
    return [row[name] for name in EVERYWHERE]


def test_worst_cases(run, tmp_path):
    """A row is what the definition says: 5x5:2 needs one more than its parts."""
    run(worst_cases, "3x3:2", "4x4:3,2", "5x5:2", "-o", tmp_path)
    found = {
        str(row["game"]): row for row in TABLES["worst_cases"].read(tmp_path / "worst_cases.csv")
    }
    defined = reference.solve(Position(Game.parse("3x3:2")), Objective.parse("worst"))
    exact = {"3x3:2": defined.worst, "4x4:3,2": 11, "5x5:2": 15}
    assert {name: row["at_least"] for name, row in found.items()} == exact
    for name, row in found.items():
        assert row["covers"] <= row["at_least"] == row["at_most"]
        known = next(one for one in TABLES["worst_cases"].read() if str(one["game"]) == name)
        assert all(known[key] == row[key] for key in ("covers", "at_least", "at_most", "tree"))


@sizes("larger", [], ["4x4:3,2", "5x5:4"], 5)
def test_optima(run, tmp_path, larger):
    """As committed, and as published or known otherwise."""
    path = tmp_path / "optima.csv"
    told = "3x5:3,3,announce=ship"
    chosen = ["3x3:2", "2x3:2", told, *larger]
    out = run(optima, *chosen, "-o", tmp_path)
    record = records.read(path)
    assert_has_provenance(record, optima)
    assert record.columns == TABLES["optima"].names
    rows = {row["game"]: row for row in record.rows}
    order = ["2x3:2", "3x3:2", "5x5:4", "4x4:3,2", told]  # that of the table
    assert list(rows) == [game for game in order if game in chosen]
    committed = {row["game"]: row for row in records.read(RESULTS / "optima.csv").rows}
    for game, row in rows.items():
        assert game == told or numbers(row) == numbers(committed[game])
        assert row["confirmed"].startswith("tree+")
    assert rows["3x3:2"]["confirmed"] == "tree+reference+paper"
    assert rows["2x3:2"]["mean"] == "3.571429"  # 25/7, Figure 5
    assert rows[told]["confirmed"] == "tree+first+unpruned"
    assert (rows[told]["contact"], rows[told]["announce"]) == ("none", "ship")
    assert out.splitlines()[-1] == f"{path}: {len(chosen)} rows"
    if larger:
        assert rows["4x4:3,2"]["confirmed"] == "tree+paper+published"
        assert rows["4x4:3,2"]["best_greedy_total_height"] == "878"


def test_optima_goes_on_where_it_stopped(run, monkeypatch, tmp_path):
    path = tmp_path / "optima.csv"
    listed = [Game.parse(text) for text in ("2x2:2", "2x3:2", "3x3:2")]
    monkeypatch.setattr(optima, "main", replace(optima.main, tasks=listed))
    run(optima, "2x3:2", "-o", tmp_path)
    computed, *others, end = run(optima, "-o", tmp_path).splitlines()
    assert computed.startswith("2x2:2 none nothing 4 4 12 3.0")
    assert (len(others), end) == (1, f"{path}: 3 rows")
    assert run(optima, "-o", tmp_path) == f"{path}: 3 rows\n"
    assert len(run(optima, "-o", tmp_path, "--again").splitlines()) == 4
    assert [row["game"] for row in records.read(path).rows] == list(map(str, listed))


def test_an_optimum_is_a_row_if_a_second_way_agrees(monkeypatch, capsys):
    monkeypatch.setattr(optima, "WAYS", {"tree": optima.WAYS["tree"]})
    row_of = Game.parse("2x3:2"), 60, 1, optima.DEFAULT.memory, True
    assert list(optima.rows(*row_of)) == []
    assert capsys.readouterr().err == "2x3:2: 25, which no second way confirms\n"
    monkeypatch.setitem(optima.WAYS, "paper", lambda solver, found, limit: found.total_height + 1)
    with pytest.raises(SystemExit, match="2x3:2: 25, but paper says 26"):
        list(optima.rows(*row_of))


def test_the_committed_optima():
    rows = TABLES["optima"].read().rows
    found = {row["game"]: row for row in rows}
    assert list(found) == [game for game in optima.games() if game in found]
    for row in rows:
        game, total = row["game"], row["total_height"]
        mean = Fraction(total, row["configurations"])
        assert (row["contact"], row["announce"]) == (game.contact, game.announce)
        assert f"{row['mean']:.6f}" == f"{float(mean):.6f}"
        assert float(row["leaf_counting"] or 0) <= float(mean) + 1e-6
        assert total <= (row["best_greedy_total_height"] or total)
        assert row["confirmed"].startswith("tree")
        if len(set(game.fleet)) == len(game.fleet):  # else names do not tell of sinkings
            for less in list(ANNOUNCEMENTS)[: list(ANNOUNCEMENTS).index(game.announce)]:
                silent = found.get(replace(game, announce=less))
                assert silent is None or total <= silent["total_height"]
    totals = {str(game): row["total_height"] for game, row in found.items()}
    assert totals["4x4:3,2,contact=any,announce=ship"] == 2311  # printed as a total
    for line in records.read_published("prototype_optima.csv").rows:
        assert totals[line["game"]] == int(line["total_height"])
    published = [game for game, row in found.items() if "published" in row["confirmed"]]
    assert sum(game.announce == "ship" for game in published) == 7


# Ablation


@pytest.mark.parametrize(
    "text", ["5x6:4,3,2,2,1", "3x5:4,3,2,2,1,contact=any", "5x5:4,3,2,2,1,contact=corner"]
)
def test_boards_placed_one_by_one(text):
    """Going through four ships gives what the list of all boards gives."""
    game = Game.parse(text)
    exact, counted = one_by_one.deviation_by_listing(game), one_by_one.deviation_by_groups(game)
    assert exact[0] == counted[0] > 100
    assert counted[1:] == pytest.approx(exact[1:], rel=1e-12)
    with pytest.raises(ValueError, match="is not one of these"):
        one_by_one.deviation_by_groups(Game.parse("8x8:5,4,3,2,2"))


def test_the_committed_distances_from_uniform():
    """Small games are computed anew; all were confirmed by boards that the program placed."""
    for row in TABLES["one_by_one"].read():
        assert abs(row["sampled"] - row["distance"]) < 5 * row["error"]
        if row["configurations"] < 1000:
            found = one_by_one.deviation_by_listing(row["game"])
            said = (row["configurations"], *(row[n] for n in ("distance", "greatest", "least")))
            assert found == pytest.approx(said, abs=1e-9)
    usual = TABLES["one_by_one"].read()[6]
    assert str(usual["game"]) == "10x10:5,4,3,3,2"
    assert usual["configurations"] == 1_925_751_392


ON = [name for name in SWITCHES if getattr(SolverOptions(), name)]  # the others are not compared


def test_switches_that_can_go(monkeypatch):
    """All are asked; one that changes a number ends the program."""
    asked = [ablation.AblationCase.parse("3x3:2"), ablation.AblationCase.parse("3x3:2 worst")]
    found = list(ablation.time_ratios(asked, 10_000))
    assert [name for name, *_ in found] == ON
    assert all(0 < ratio <= most for _, ratio, most in found)
    answers = iter(range(9))
    monkeypatch.setattr(ablation, "invariant_values", lambda found: next(answers))
    with pytest.raises(SystemExit, match="3x3:2 without memo"):
        next(ablation.time_ratios(asked, 10_000))


def test_ablation(run, tmp_path):
    path = tmp_path / "ablation.csv"
    asked = "4x4:2", "3x3:2,contact=any worst A1=miss", "3x3:2 prior=one-by-one"
    out = run(ablation, *asked, "-o", tmp_path)
    record = records.read(path)
    assert_has_provenance(record, ablation)
    assert record.columns == TABLES["ablation"].names
    names = ["nothing", *ON]
    assert [row["off"] for row in record.rows] == 3 * names
    assert {row["total_height"] for row in record.rows[: len(names)]} == {"146"}  # Table 1
    second, third = record.rows[len(names) : -len(names)], record.rows[-len(names) :]
    (question,) = {(row["game"], row["objective"], row["position"]) for row in second}
    assert question == ("3x3:2,contact=any", "worst", "A1=miss")
    assert {(row["game"], row["prior"]) for row in third} == {("3x3:2", "one-by-one")}
    assert [row["nodes"] for row in record.rows[-1:]] != [""]
    for name in names:
        assert out.count(f"\n  {name} ") == 3
    assert f"{path}: {3 * len(names)} runs" in out


@pytest.mark.parametrize("path", sorted(RESULTS.glob("*.json")), ids=lambda path: path.name)
def test_every_tree_says_which_experiment_computed_it_and_is_a_strategy(path):
    tree = load(path)
    name = re.match(r"python -m experiments\.(\w+), optsearch \d", tree.source)[1]
    assert path.name in import_module(f"experiments.{name}").__doc__
    assert verify(tree) == tree.total_height


@pytest.mark.parametrize("path", sorted(RESULTS.glob("*.csv")), ids=lambda path: path.name)
def test_every_result_says_which_experiment_computed_it(path):
    command = records.read(path).header["command"]
    name = re.match(r"python -m experiments\.(\w+)", command)[1]
    script = import_module(f"experiments.{name}")
    assert script.__doc__.count(f"python -m experiments.{name}") == 1
    assert_has_provenance(records.read(path), script)


# The bench


SMALL = Position(Game.parse("2x3:2"))  # of Figure 5: 7 configurations, total height 25


class Unspawned(ThreadPoolExecutor):
    """What a process of its own would do, by a thread."""

    def __init__(self, workers, _context):
        super().__init__(workers)


@pytest.mark.parametrize("place", some(1, [Unspawned, bench.ProcessPoolExecutor], 2))
def test_compare(capsys, monkeypatch, place):
    monkeypatch.setattr(bench, "ProcessPoolExecutor", place)
    bench.compare("Optimum of 2x3:2", SMALL, bench.OPTIMA)
    title, head, *lines = [line for line in capsys.readouterr().out.splitlines() if line]
    assert title == "Optimum of 2x3:2"
    assert head.split() == ["method", "answer", "nodes", "seconds", "MiB", "speed"]
    paper, _, ours = (line[48:].split() for line in lines)
    assert (paper[0], paper[-1], ours[0]) == ("25", "1.0x", "25")
    assert int(paper[1]) > int(ours[1]) > 0


def test_compare_refuses_methods_that_disagree(monkeypatch):
    monkeypatch.setattr(bench, "ProcessPoolExecutor", Unspawned)
    methods = "enumeration, one thread", "solver"
    with pytest.raises(OptsearchError, match=r"solver answers 25, not 7\b"):
        bench.compare("Nonsense", SMALL, methods)


def test_the_bench_of_commands(capsys):
    bench.bench_commands(("count 3x3:2",))
    command, seconds, mebibytes = capsys.readouterr().out.splitlines()[-1].rsplit(maxsplit=2)
    assert command.strip() == "count 3x3:2"
    assert 0 < float(seconds) < 60
    assert int(mebibytes) > 10
    with pytest.raises(OptsearchError, match="optsearch count 3x3 ends with"):
        bench.bench_commands(("count 3x3",))


@pytest.mark.parametrize(
    ("methods", "answer"),
    [
        ({**bench.COUNTERS, **bench.MATRICES}, 104),
        (bench.EVALUATIONS["5x5:3,2"], 879),
        ({**bench.OPTIMA, **bench.CHAINS, **bench.PROCESSES}, 878),
    ],
)
def test_the_methods_of_the_bench(monkeypatch, methods, answer):
    """4x4:3,2 of Table 1."""
    monkeypatch.setattr(bench, "ProcessPoolExecutor", Unspawned)
    for method in methods:
        assert bench.measure(method, Position(Game.parse("4x4:3,2"))).answer == answer


@pytest.mark.parametrize(
    ("code", "size", "mean", "faults"),
    [
        (
            *("uncompiled", "4x5", "11.104300  all ships but two revealed = 26084/2349"),
            (("21,21,2,708,7,2876", "21,21,2,708,7,2877"), ("25,25,8,3944", "25,25,8,3945")),
        ),
        pytest.param(
            *("compiled", "5x5", "12.690577  all ships but two revealed = 9023/711"),
            (
                ("30,30,6,4548,9,25880", "30,30,6,4548,9,25881"),
                ("31,31,12,9672,9,54328", "31,31,12,9672,9,54327"),
                ("34,34,8,7744", "34,34,8,7745"),
            ),
            marks=pytest.mark.long(20),
        ),
    ],
)
def test_told_and_its_check(request, code, size, mean, faults, run, tmp_path):
    if code == "uncompiled":
        request.getfixturevalue(code)
    game = f"{size}:3,2,2,contact=any"
    out = run(told, game, "-o", tmp_path)
    assert mean in out
    path = tmp_path / f"told_{size}_322_any.csv"
    assert_has_provenance(records.read(path), told)
    check = (game, "--tables", tmp_path, "-o", tmp_path)
    out = run(check_told, *check, "--rows", 3)
    assert "0 of 4 rows done" in out
    assert "agree: 4 rows by sets and pairs, 3 of them by misses" in out
    out = run(check_told, *check)  # the others
    assert "3 of 4 rows done" in out
    assert "agree: 4 rows by sets and pairs, 4 of them by misses" in out
    confirmed = records.read(tmp_path / f"confirmed_{size}_322_any.csv")
    assert_has_provenance(confirmed, check_told)
    names = ("long", "short", "sets", "pairs", "price", "misses")
    assert [[row[name] for name in names] for row in confirmed.rows] == [
        [row[name] for name in names] for row in records.read(path).rows
    ]
    text = path.read_text()
    for row, wrong in faults:
        assert row in text
        path.write_text(text.replace(row, wrong))
        with pytest.raises(SystemExit):
            run(check_told, *check)


def test_the_page_says_how_much_of_told_was_confirmed():
    name = told_file_name(told.BOXED)
    every, some = (table.read(name=name) for table in (TABLES["told"], TABLES["confirmed"]))
    share = f"{100 * sum(some.column('pairs')) / sum(every.column('pairs')):.2f} % of the pairs"
    words = " ".join((CHECKOUT / "docs" / "boxed.md").read_text(encoding="utf-8").split())
    assert share in words


def test_lower_bounds(run, monkeypatch, tmp_path):
    """The tables of a small game, of one run and of one that was stopped."""
    monkeypatch.setattr(shape, "SECONDS", -1)  # each class is told
    game, folder = "5x6:2,2", tmp_path / "tables"
    arguments = (game, "--checkpoints", tmp_path, "-o", folder)
    out = run(lower_bounds, *arguments)
    assert "11.858345  root chain and reveal game = 8455/713" in out
    assert "11.897616  root chain with the longest ship = 8483/713" in out
    assert "12.433380  root chain with the first ship = 8865/713" in out
    names = [f"{part}_5x6_22.csv" for part in ("beside", "coverage", "finished", "reveal")]
    assert sorted(path.name for path in folder.iterdir()) == names
    before = {name: same(records.read(folder / name)) for name in names}
    for name in names:
        assert_has_provenance(records.read(folder / name), lower_bounds)
    for name in (names[0], names[3]):  # stopped
        path = folder / name
        path.write_text("\n".join(path.read_text().splitlines()[:-1]) + "\n")
    out = run(lower_bounds, *arguments)
    assert out.count("reveal game: ") == out.count("cells beside ships: ") == 1
    assert {name: same(records.read(folder / name)) for name in names} == before
    assert cells_of_chains(folder) == [[7, 8, 9, 10], [5, 6, 7, 8, 9, 10, 11]]


def cells_of_chains(folder):
    """The misses at which the chain with the longest and the first ship is the least."""
    finished = records.read(folder / "finished_5x6_22.csv")
    columns = ("cells", "first_ship_cells")
    cells = [finished.values(column, int) for column in columns]
    return [[misses for misses, some in enumerate(column) if some] for column in cells]


@pytest.mark.parametrize(
    ("part", "columns"),
    [
        ("beside", ["alike", "completions", "met1", "met4"]),
        ("coverage", ["most_met"]),
        ("finished", ["root_chain", "reveal_game", "ship_chain", "first_ship"]),
        ("reveal", ["alike", "completions", "F1"]),
    ],
)
def test_a_lower_bound_that_is_wrong(uncompiled, run, monkeypatch, tmp_path, part, columns):
    """One lower than the table says is seen, of a game of six configurations."""
    monkeypatch.setattr(check_lower_bounds, "process_pool", ThreadPoolExecutor)
    game, kept = "1x6:3,1", ("--checkpoints", tmp_path)
    run(lower_bounds, game, *kept, "-o", tmp_path)
    check = (check_lower_bounds, game, *kept, "--tables", tmp_path, "--jobs", 1, "-o", tmp_path)
    assert "confirmed" in run(*check)
    path = tmp_path / f"{part}_1x6_31.csv"
    text = path.read_text()
    record = records.read(path)
    for column in columns:
        lowered = [str(record.rows[1][name]) for name in record.columns]
        line = ",".join(lowered)
        lowered[record.columns.index(column)] = str(int(record.rows[1][column]) - 1)
        path.write_text(text.replace(f"\n{line}\n", f"\n{','.join(lowered)}\n", 1))
        with pytest.raises(SystemExit, match="NOT CONFIRMED"):
            run(*check)
    for said in re.findall(r"^# (?:configurations|game|root chain.*|reveal game): ", text, re.M):
        path.write_text(text.replace(said, f"{said}1"))
        with pytest.raises(SystemExit, match="NOT CONFIRMED"):
            run(*check)
    path.write_text(text)
    assert "confirmed" in run(*check)
    confirmed = TABLES["checked"].read(tmp_path / "checked_1x6_31.csv")
    assert_has_provenance(confirmed, check_lower_bounds)
    for row in confirmed:
        assert row["digest"] == records.read(tmp_path / row["table"]).digest()


@pytest.mark.parametrize(
    ("game", "said"),
    [
        ("3x3:2,1,announce=ship", "is for announce=nothing"),
        ("4x4:4,3,2", "does not fit"),
        ("3x3:2,1,contact=any", "may touch"),
    ],
)
def test_lower_bounds_refuse(run, capsys, tmp_path, game, said):
    folders = ("--checkpoints", tmp_path, "-o", tmp_path)
    with pytest.raises(SystemExit) as end:
        run(lower_bounds, game, *folders)
    assert end.value.code == 2
    assert said in capsys.readouterr().err


@sizes("most_cells", 5, 7, 10)
def test_larger_sets_of_a_game(uncompiled, most_cells):
    """Nothing above what the kernel's search found, and a number that is one too low is seen."""
    game = Game.parse("5x5:3,2")
    sets = to_masks(Configurations(Position(game)).list())
    missed = np.array([[not s >> cell & 1 for s in sets] for cell in range(game.cells)])
    pairs = (missed[:, None] & missed).reshape(game.cells**2, -1).astype(np.int64)
    met = (len(sets) - pairs @ pairs.T).reshape((game.cells,) * 4).astype(np.uint32)
    classes = np.array([min(p[cell] for p in game.symmetries()) for cell in range(game.cells)])
    no_ships = np.zeros((0, game.cells), bool), np.zeros(0, np.int64)
    coverage = Coverage(CellSetCounts.of(game))
    for k in range(5, most_cells + 1):
        most = coverage.most_met(k)
        assert most < len(sets)
        assert largest_bound(cover_counts(met), classes, k, most, *no_ships) == most
        assert largest_bound(cover_counts(met), classes, k, most - 1, *no_ships) == most
        # Less where sets meet the longer ship: no more of those with it than k - 2 cells leave.
        masks = game.placements(3)
        ships = np.array([[mask >> cell & 1 for cell in range(game.cells)] for mask in masks], bool)
        cost = dict.fromkeys(masks, 0)
        for mask, _ in reveal_classes(game):
            shown = ConditionalCoverage.of(game, mask)
            alike = {sum(1 << p[cell] for cell in bits(mask)) for p in game.symmetries()}
            cost |= dict.fromkeys(alike, shown.completions - shown.most_met(k - 2))
        costs = np.array([cost[mask] for mask in masks])
        kept = coverage.most_kept(k, len(sets), to_words(masks), costs)
        assert kept < most
        assert largest_bound(cover_counts(met), classes, k, kept, ships, costs) == kept
        assert largest_bound(cover_counts(met), classes, k, kept - 1, ships, costs) == kept


@pytest.mark.parametrize("name", some(1, ["pattern_line_water", "rollout", "any_ship_rollout"], 4))
def test_evaluation_check(run, monkeypatch, tmp_path, name):
    monkeypatch.setattr(evaluation_check, "process_pool", ThreadPoolExecutor)
    out = run(evaluation_check, name, "--games", 2, "--jobs", 1, "-o", tmp_path)
    assert f"{name}.csv: 2 games agree" in out
    record = records.read(TABLES["evaluation_checks"].path(tmp_path, name=name))
    assert_has_provenance(record, evaluation_check)
    assert record.values("shots_in_tree", int) == record.values("shots_played", int)


@pytest.mark.parametrize(
    "strategy",
    [
        looking("rollout:candidates=5,percent=40,screen=64,finalists=2,cap=128", truncate=4),
        looking(
            "nested:candidates=3,screen=64,finalists=2,cap=128,second=256",
            **{"above": 80, "inner": Level(64, 2, 0, 1)},
        ),
        looking(
            "levels:candidates=3,screen=64,cap=64,until=150",
            **{"first": Level(4, 1, 30, 32), "higher": Level(5, 4, 2, 6)},
        ),
        looking(
            "levels:candidates=4,screen=64,cap=64,until=64,depth=3",
            **{"first": Level(4, 1, 20, 32), "higher": Level(12, 2, 4, 2)},
        ),
    ],
)
@sizes("number", 3, 15, 3)
def test_rollout_again(strategy, number):
    """On samples too, configurations of a small game; a wrong number is seen."""
    game = Game.parse("5x5:3,2")
    again, tree = RolloutReplay(strategy, Position(game)), FollowedTask(strategy, Position(game))
    other = RolloutReplay(named("rollout"), Position(game))
    differ = 0
    for index in range(0, tree.configurations, tree.configurations // number):
        shots = tree.shots(index)
        assert again.misses(tree.cells(index)) + game.fleet_cells == shots, f"number {index}"
        differ += other.misses(tree.cells(index)) + game.fleet_cells != shots
    assert differ


def test_bracket(run, tmp_path):
    path = tmp_path / "bracket_4x5_432.csv"
    assert run(bracket, "4x5:4,3,2", "-o", tmp_path) == (
        f"{path}: 11.295455 on both sides, to the nearest digit\n"
    )
    record = records.read(path)
    assert_has_provenance(record, bracket)
    *lower, upper = record.values("value_exact", Fraction)
    assert [row["side"] for row in record.rows] == ["lower"] * len(lower) + ["upper"]
    assert lower == sorted(lower)
    assert lower[-1] == upper == Fraction(994, 88)


def test_the_mini_game():
    """All boards for each strategy; greedy as the kernel has it; policies best at their limits."""
    table = TABLES["mini_game"].read()
    game = Game.parse(table.header["game"])
    found = {}
    for row in table:
        found.setdefault(row["strategy"], {})[row["shots"]] = row["configurations"]
    assert {sum(counts.values()) for counts in found.values()} == {604584}  # printed by players
    greedy = "greedy:ties=first,endgame=0"
    assert found[greedy] == evaluate(greedy, game).histogram
    for limit in (20, 24):
        won = {
            name: sum(n for shots, n in counts.items() if shots <= limit)
            for name, counts in found.items()
        }
        assert max(won, key=won.__getitem__) == f"within:shots={limit}"


def test_the_committed_lower_bounds():
    """The tables of the paper's game follow from one another; their parts are known otherwise."""
    coverage, revealed, finished = (
        records.read(RESULTS / f"{part}_10x10_54332.csv")
        for part in ("coverage", "reveal", "finished")
    )
    number = int(finished.header["configurations"])
    assert number == 1_925_751_392
    most = coverage.values("most_met", int)
    # The first is the highest of Figure 2; an independent prototype had the first four.
    assert most[:5] == [0, 395_191_893, 721_025_870, 986_944_040, 1_209_225_402]
    chain = finished.values("root_chain", int)
    for misses, least in enumerate(chain):
        words = (most[j] + comb(misses - j + 17, 17) for j in range(min(misses + 1, len(most))))
        assert least == min(number, *words, most[min(misses + 1, len(most) - 1)])
    alike = revealed.values("alike", int)
    assert sum(alike) == 120
    together = by_all = Fraction(17)
    shown = finished.values("ship_chain", int)
    for misses, most_shown in enumerate(finished.values("reveal_game", int)):
        values = zip(alike, revealed.values(f"F{misses}", int), strict=True)
        assert most_shown == sum(weight * value for weight, value in values)
        together += 1 - Fraction(min(most_shown, chain[misses]), number)
        by_all += 1 - Fraction(min(most_shown, chain[misses], shown[misses]), number)
    assert together == Fraction(finished.header["root chain and reveal game"])
    assert by_all == Fraction(finished.header["root chain with the longest ship"]) > 34


# The shape of all scripts


SCRIPTS = sorted(listing.experiments())


@pytest.mark.parametrize("name", SCRIPTS)
def test_help_shows_usage_and_runs_nothing(name, monkeypatch, capsys):
    """What is made, and how long it takes; the committed tables are as before."""
    before = {path: path.read_bytes() for path in RESULTS.rglob("*.*")}
    monkeypatch.setattr(sys, "argv", [name, "--help"])
    with pytest.raises(SystemExit) as end:
        import_module(f"experiments.{name}").main()
    assert end.value.code == 0
    out = capsys.readouterr().out
    assert out.startswith(f"usage: python -m experiments.{name}")
    tables = shape.made_by(name)
    for table in tables:
        assert table.name in out
    assert "on two cores" in out or not tables
    assert {path: path.read_bytes() for path in RESULTS.rglob("*.*")} == before


def test_every_committed_table_is_declared_and_every_declared_one_is_committed():
    """And what was written is what is read: the text of each value comes back."""
    declared = {path: table for table in TABLES.values() for path in table.all()}
    assert set(declared) == set(RESULTS.rglob("*.csv"))
    assert set(declared.values()) == set(TABLES.values())
    for path, table in declared.items():
        raw = records.read(path)
        for entry, row in zip(table.read(path), raw.rows, strict=True):
            shown = {column.name: column.show(entry[column.name]) for column in table.columns}
            assert shown == row, path
    assert {tree.path() for tree in TREES} == set(RESULTS.rglob("*.json"))


def test_a_table_with_other_columns_or_values_is_refused(tmp_path):
    path = tmp_path / "growth.csv"
    records.write(path, ("size", "contact"), [], title="t", command="c")
    with pytest.raises(RecordError, match="those of a table growth are size, contact, conf"):
        TABLES["growth"].read(path)
    TABLES["growth"].write([(6, "none", 1, 2.0, True)], path=path, fleet="2")
    assert TABLES["growth"].read(path)[0]["confirmed"] is True
    path.write_text(path.read_text().replace("yes", "perhaps"))
    with pytest.raises(RecordError, match="'perhaps' in column 'confirmed': yes or no"):
        TABLES["growth"].read(path)


# What these compute smaller tests do.
OWN = ("bracket", "occurrence")
QUICK = dict.fromkeys(t.experiment for t in (*TABLES.values(), *TREES) if t.is_quick)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.long(4) if name in OWN else ()) for name in QUICK],
)
def test_quick_tables_come_out_as_committed(run, tmp_path, name):
    """From nothing, every value; the others are for `make golden`."""
    script = import_module(f"experiments.{name}")
    run(script, "-o", tmp_path)
    for path in tmp_path.rglob("*.csv"):
        assert_has_provenance(records.read(path), script)
    (golden_run,) = [one for one in golden.recomputations() if one.command[0] == script.__name__]
    assert golden_run.files
    for file, made in golden_run.files:
        assert golden.difference(made, RESULTS / file, tmp_path / file) == ""


def test_the_tables_are_made_by_the_commands_that_they_declare(monkeypatch, capsys):
    """Each once, up to the first that fails; those of APART by commands of their own."""
    commands = []
    statuses = iter([0] * 30)

    def run(command, check):
        commands.append(" ".join(["python", *command[1:]]))
        return SimpleNamespace(returncode=next(statuses))

    monkeypatch.setattr(listing, "subprocess", SimpleNamespace(run=run))
    assert listing.make_tables() == 0
    assert "python -m experiments.worst_cases --again" in commands
    made = {command.split()[2].rpartition(".")[2] for command in commands}
    assert made | set(listing.APART) == {t.experiment for t in (*TABLES.values(), *TREES)}
    assert len(set(commands)) == len(commands) == len(made) + 1  # greedy_loss twice
    statuses = iter([0, 3])
    assert listing.make_tables() == 3
    assert len(capsys.readouterr().out.split()) > len(made)


def test_every_table_is_made_by_a_command_of_the_golden_run():
    files = [file for one in golden.recomputations() for file, _ in one.files]
    assert sorted(files) == sorted(
        path.relative_to(RESULTS).as_posix()
        for path in RESULTS.rglob("*.*")
        if path.name != "recomputed.csv"
    )
    for file, command in (
        ("evaluations/greedy.csv", "python -m experiments.evaluations greedy"),
        (
            "evaluation_checks/rollout.csv",  # as its header says
            "python -m experiments.evaluation_check rollout --games 150",
        ),
    ):
        (found,) = golden.choose_recomputations(0, [file])
        assert found.text == command
    with pytest.raises(RecordError, match=r"'nothing\.csv'; there are .*table1\.csv"):
        golden.choose_recomputations(1, ["nothing.csv"])


def test_golden_finds_what_differs(tmp_path, monkeypatch, capsys):
    """A value, a row, a header; not a time, nor where and when."""
    text = (RESULTS / "growth.csv").read_text()
    place = tmp_path / "growth.csv"

    def found(old, new, count=1):
        assert old in text
        place.write_text(text.replace(old, new, count))
        return golden.difference(TABLES["growth"], RESULTS / "growth.csv", place)

    date = re.search(r"# date: .*", text)[0]
    row = text.splitlines()[-1]
    values = row.split(",")
    seconds = ",".join([*values[:3], "999.000", values[4]])
    assert found(date, "# date: 1999-01-01") == ""
    assert found(row, seconds) == ""
    assert found("# fleet", "# seconds: 3\n# fleet") == ""  # evaluations have it
    assert found("# fleet: 5,4,3,3,2", "# fleet: 5,4") == (
        "header fleet: '5,4,3,3,2' is committed, '5,4' found"
    )
    more = ",".join([*values[:2], values[2] + "0", *values[3:]])
    assert (
        found(row, more)
        == f"row 21, configurations: '{values[2]}' is committed, '{values[2]}0' found"
    )
    assert found(row + "\n", "") == "21 rows are committed, 20 found"
    place.unlink()
    assert (
        golden.difference(TABLES["growth"], RESULTS / "growth.csv", place) == "it was not written"
    )


@pytest.mark.long(9)
def test_the_leaderboard_goes_on_and_keeps_its_rows(tmp_path, monkeypatch, capsys):
    """A new player is a line; the others are not played again."""
    from experiments import leaderboard

    def run_it(**changes):
        for name, value in changes.items():
            monkeypatch.setattr(leaderboard, name, value)
        folder = ["-o", str(tmp_path), "--checkpoints", str(tmp_path / "played")]
        monkeypatch.setattr(sys, "argv", ["leaderboard", *folder, "-n", "60", "--slow", "20"])
        leaderboard.main()
        return TABLES["leaderboard"].read(TABLES["leaderboard"].path(tmp_path))

    fast = {leaderboard.SILENT: 10_000, leaderboard.TOLD: 10_000}
    first = run_it(PLAYERS={"density": fast, "random": fast}, EVALUATED=(), TIMED=1)
    assert [row["games"] for row in first] == [60] * 4
    random = next(row for row in first if row["strategy"] == "random")
    assert random["known"] == pytest.approx(17 * 101 / 18, abs=1e-4)
    assert abs(random["mean"] - random["known"]) < 4 * random["standard_error"]
    played = simulate(["density", "random"], leaderboard.SILENT, games=60, seed=1)
    (difference,) = played.differences()
    assert random["difference"] == pytest.approx(difference.mean, abs=1e-4)
    assert random["difference_error"] == pytest.approx(difference.standard_error, abs=1e-4)
    shots = TABLES["leaderboard_shots"].read(TABLES["leaderboard_shots"].path(tmp_path))
    histogram = {
        row["shots"]: row["games"]
        for row in shots
        if (row["game"], row["strategy"]) == (leaderboard.SILENT, "random")
    }
    assert histogram == played.outcomes[1].histogram
    slow = {leaderboard.TOLD: 1_000}
    again = run_it(PLAYERS={"random": fast, "parity": slow}, EVALUATED=("rollout",))
    assert [row["games"] for row in again if row["strategy"].startswith("parity")] == [20]
    (rollout,) = [row for row in again if row["strategy"].startswith("rollout")]
    assert (rollout["games"], rollout["standard_error"]) == (1_925_751_392, 0)
    assert rollout["median"] == 40
    monkeypatch.setattr(leaderboard, "known_mean", lambda player, game: 50.0)
    with pytest.raises(AssertionError, match=r"random .* known to be 50"):
        run_it(PLAYERS={"random": {leaderboard.TOUCHING: 10_000}})


def test_equilibria(run, tmp_path, monkeypatch):
    """Games in a folder of their own come out as committed, and a run goes on after them."""
    monkeypatch.setattr(equilibria, "CHECKPOINTS", tmp_path / "checkpoints")
    committed = {row["game"]: row for row in TABLES["equilibria"].read()}
    games = ["3x4:2", "4x4:3", "3x4:2,2", "4x4:4"]
    out = run(equilibria, "-o", tmp_path, *games)
    assert "4 values and 0 brackets" in out
    table = TABLES["equilibria"].read(TABLES["equilibria"].path(tmp_path))
    measured = {column.name for column in TABLES["equilibria"].columns if column.measured}
    for row in table:
        for name in set(row) - measured:
            assert row[name] == committed[row["game"]][name], name
    cells = TABLES["equilibrium_cells"].read(TABLES["equilibrium_cells"].path(tmp_path))
    assert {str(game) for game in cells.column("game")} == {"3x4:2"}
    assert sum(cells.column("probability")) == pytest.approx(2, abs=1e-4)
    again = run(equilibria, "-o", tmp_path, "3x3:2")
    assert "5 values" in again


def test_the_committed_equilibria():
    """Values of the prototype, bounds on both sides, and against a uniform hider the optimum."""
    optima = {
        row["game"]: Fraction(row["total_height"], row["configurations"])
        for row in TABLES["optima"].read()
    }
    table = TABLES["equilibria"].read()
    assert len(table) >= 180
    assert sum(row["value"] is not None for row in table) >= 125
    for row in table:
        assert row["uniform"] == optima[row["game"]]
        assert float(row["uniform"]) - 1e-6 <= row["least"] <= row["most"] <= row["game"].cells
        if row["value"] is not None:
            assert row["least"] == row["most"] == pytest.approx(float(row["value"]), abs=1e-6)
            assert row["is_uniform"] == (row["value"] == row["uniform"])
            assert row["confirmed"] in ("a plain search", "the exact solver")
        if row["orbits"] == 1:
            assert row["is_uniform"]
    values = {str(row["game"]): row["value"] for row in table}
    assert (values["3x4:2"], values["4x4:2"], values["4x5:4,3,2"]) == (
        *(Fraction(534, 103), Fraction(379, 60), Fraction(949, 84)),
    )
    cells = TABLES["equilibrium_cells"].read()
    assert {str(game) for game in cells.column("game")} == set(equilibria.DRAWN)


def test_the_same_fleets_on_boards_of_several_shapes(run, tmp_path):
    """Some games come out as committed; on one ship of 2 the torus takes the most shots."""
    committed = {row["game"]: row for row in TABLES["boards"].read()}
    assert len(committed) >= 44
    games = ["3x4:2,board=torus", "3x4:2,2,board=cylinder", "4x4:3,board=hex", "4x4:3"]
    run(boards, "-o", tmp_path, *games)
    table = TABLES["boards"].read(TABLES["boards"].path(tmp_path))
    assert [row["game"] for row in table] == [Game.parse(game) for game in games]
    for row in table:
        assert row == committed[row["game"]]
    of = {str(game): row["mean"] for game, row in committed.items()}
    assert of["4x4:2"] < of["4x4:2,board=cylinder"] < of["4x4:2,board=torus"]


def test_the_committed_trials():
    """Both trials made the player worse, as its post says; the first games come out the same."""
    committed = TABLES["trials"].read()
    assert len(committed) == 11
    for row in committed:
        is_trial = row["change"] is not None and "grid" not in row["change"]
        assert row["more"] > 5 * row["more_error"] if is_trial else row["more"] >= 0
    (plain,) = (row for row in committed if row["boards"] == "corner" and not row["change"])
    again = simulate(trials.HEURISTIC, trials.TOUCHING, games=5000, seed=1, boards=Corner())
    assert plain["mean"] == pytest.approx(again.outcomes[0].mean, abs=1e-4)


def test_hiders(monkeypatch):
    """On a small board, where each keeps to the rules; and of the committed table what is said."""
    small, pattern = Game.parse("6x6:3,2"), hiders.FAST[-1]
    monkeypatch.setattr(hiders, "POOL", 8)
    monkeypatch.setattr(hiders, "HARD", 2)
    hiders.hardest_boards.cache_clear()
    own, turned = (hiders.hider_of_hardest(pattern, is_turned) for is_turned in (False, True))
    for hider in [hider for game, hider in hiders.HIDERS_HERE if game.contact == "none"]:
        boards = hider.boards(small, 9, 1)
        assert [objection(small, to_masks(board)) for board in boards] == [""] * 9
    played = simulate([pattern], small, games=8, seed=hiders.POOL_SEED)
    again = simulate([pattern], small, games=2, seed=1, boards=own)
    hardest = sorted(played.outcomes[0].shots.tolist())[-2:]
    assert sorted(again.outcomes[0].shots.tolist()) == hardest
    images = {
        tuple(sorted(image(ship, permutation) for ship in to_masks(board)))
        for board in own.boards(small, 2, 1)
        for permutation in small.symmetries()
    }
    assert {tuple(sorted(to_masks(board))) for board in turned.boards(small, 20, 1)} <= images
    monkeypatch.setattr(hiders, "GAMES_A_BOARD", {"parity": 3})  # which draws lots
    who = hiders.MadeBoards("pool", hiders.pool)
    games = simulate(["parity"], small, games=24, seed=2, boards=who).outcomes[0]
    assert (hiders.pool(small, 24) == np.tile(drawn(small), (3, 1, 1))).all()
    sums = games.shots.reshape(3, 8).sum(axis=0)
    worst = int(sums.argmax())
    assert hiders.hardest_boards(small, "parity")[0] == tuple(to_masks(drawn(small)[worst]))
    hiders.hardest_boards.cache_clear()


def drawn(game):
    return hiders.Drawn().boards(game, hiders.POOL, hiders.POOL_SEED)


def test_the_committed_hiders():
    committed = TABLES["hiders"].read()
    found = {
        (
            row["game"].contact if row["game"].is_silent else "boxed",
            *(row["hider"], row["strategy"].partition(":")[0]),
        ): row
        for row in committed
    }
    assert len(found) == len(committed) == 42
    own, turned = (found["none", f"hard for greedy{end}", "greedy"] for end in ("", ", turned"))
    assert round(own["difference"]) == 12
    assert turned["difference"] > 3 * turned["standard_error"]
    assert own["difference"] > turned["difference"] + 2 * turned["standard_error"]
    own, turned = (
        found["boxed", f"hard for thompson{end}", "thompson"] for end in ("", ", turned")
    )
    assert own["difference"] > 3 * own["standard_error"]
    assert abs(own["difference"] - turned["difference"]) < 3 * own["standard_error"]
    for player in ("density", "parity", "pattern"):
        assert found["none", "hard for greedy", player]["difference"] < 1
        assert abs(found["none", "spread", player]["difference"]) < 0.3
    assert found["any", "corner", "parity"]["difference"] < 0
    for (contact, _, player), row in found.items():
        uniform = found[contact, "uniform", player]["mean"]
        assert row["difference"] == pytest.approx(row["mean"] - uniform, abs=1e-3)


def test_the_committed_leaderboard():
    """Means that are known are met, and the two tables are of the same games."""
    rows = TABLES["leaderboard"].read()
    shots = TABLES["leaderboard_shots"].read()
    known = [row for row in rows if row["known"] is not None and row["standard_error"]]
    assert len(known) >= 5
    for row in known:
        assert abs(row["mean"] - row["known"]) < 3 * row["standard_error"], row["strategy"]
    for row in rows:
        histogram = {
            one["shots"]: one["games"]
            for one in shots
            if (one["game"], one["strategy"]) == (row["game"], row["strategy"])
        }
        games = sum(histogram.values())
        mean = sum(k * n for k, n in histogram.items()) / games
        assert (games, max(histogram)) == (row["games"], row["worst"])
        assert mean == pytest.approx(row["mean"], abs=1e-4)
