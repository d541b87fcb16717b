"""Puzzles: what is read and refused, and three ways of counting solutions that must agree."""

import json
from collections import Counter
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from optsearch import solitaire
from optsearch.cli.solitaire import step_text
from optsearch.counting.configurations import list_ships, to_masks
from optsearch.counting.posterior import Posterior
from optsearch.drawing.puzzles import draw_puzzle, draw_sheet, sheet_size
from optsearch.game import Game, bits, cell_name, parse_cell
from optsearch.game.names import LEVELS
from optsearch.game.position import Position
from optsearch.reproduce import puzzles
from optsearch.results.tables import TABLES
from optsearch.solitaire import counting, formats, making, models, reasoning
from optsearch.solitaire.puzzle import REVEALED, SHIP, WATER, Clue, Puzzle, sort_ships
from optsearch.support.errors import OptsearchError, PuzzleError, TooLarge
from optsearch.support.progress import Status, no_progress
from tests.examples import sizes
from tests.processes import run_command

RUSSIAN = (4, 3, 3, 2, 2, 2, 1, 1, 1, 1)
SOURCE = Puzzle(6, 6, (3, 2, 2, 1, 1, 1), (3, 1, 2, 1, 1, 2), (4, 0, 2, 1, 1, 2))
GAMES = ("3x4:2,1", "4x4:3,1", "4x5:3,2,1", "5x4:2,2,1,1", "5x5:3,2,1", "5x5:4,2,1,1", "6x4:3,3,2")


def all_solutions(puzzle):
    """By the definition: every configuration of the game, filtered by `Puzzle.is_solved_by`."""
    game = Game(puzzle.rows, puzzle.columns, puzzle.fleet)
    fleets = (sort_ships(to_masks(ships)) for ships in list_ships(Position(game)))
    return {fleet for fleet in fleets if puzzle.is_solved_by(fleet)}


def random_puzzles(number, seed):
    """Puzzles with a random part of the clues of a fleet, and some with a clue that is wrong."""
    rng = np.random.default_rng(seed)
    for i in range(number):
        game = Game.parse(GAMES[i % len(GAMES)])
        puzzle = Puzzle(game.rows, game.columns, game.fleet)
        solution = making.random_solution(puzzle, rng)
        clues = making.with_counts(puzzle, solution).revealing(solution).clues
        part = rng.choice([0.15, 0.3, 0.5])
        chosen = [c for c in clues if rng.random() < (part if c.kind == "cell" else 0.8)]
        if i % 4 == 0 and chosen:
            wrong = int(rng.integers(len(chosen)))
            clue = chosen[wrong]
            if clue.kind == "cell":
                value = SHIP if clue.value == WATER else WATER
            else:
                value = 1 if clue.value == 0 else clue.value - 1
            chosen[wrong] = Clue(clue.kind, clue.place, value)
        weakened = puzzle.with_clues(chosen)
        if i % 3 == 0:
            for clue in weakened.clues:
                if clue.kind == "cell" and rng.random() < 0.5 and clue.value not in (SHIP, WATER):
                    weakened = weakened.weakened(clue)
        yield weakened


@pytest.fixture
def source_file(tmp_path):
    path = tmp_path / "source.txt"
    formats.save(SOURCE, path)
    return path


@pytest.fixture(scope="module")
def small():
    """100 small puzzles with all their solutions."""
    return [(puzzle, all_solutions(puzzle)) for puzzle in random_puzzles(100, 18)]


# Solutions


def test_the_puzzles_are_of_all_kinds(small):
    numbers = [len(found) for _, found in small]
    assert min(numbers.count(0), numbers.count(1), sum(n > 1 for n in numbers)) >= 10
    shown = {value for puzzle, _ in small for _, value in puzzle.revealed}
    assert shown == set(REVEALED)


def test_the_sweep_finds_all_solutions(small):
    for puzzle, expected in small:
        assert counting.count(puzzle) == len(expected), formats.to_text(puzzle)
        assert counting.count(puzzle, 2) == min(2, len(expected))
        solutions = counting.solutions(puzzle, 10**6)
        assert len(solutions) == len(expected)
        assert set(solutions) == expected


@pytest.mark.parametrize("model", models.MODELS)
@sizes("number", 40, None, 2)
def test_models_agree_with_full_enumeration(small, model, number):
    for puzzle, expected in small[:number]:
        search = models.search(puzzle, 2, model)
        assert len(search.solutions) == min(2, len(expected)), formats.to_text(puzzle)
        assert set(search.solutions) <= expected
        assert search.is_complete == (len(expected) < 2)


@pytest.mark.parametrize("model", models.MODELS)
def test_models_list_all_solutions(model):
    search = models.search(SOURCE, 1000, model)
    assert search.is_complete
    assert set(search.solutions) == set(counting.solutions(SOURCE, 1000))
    assert len(search.solutions) == 30


def puzzles_10x10(number, seed):
    """Puzzles with all counts and some revealed cells, which have none, one or more solutions."""
    rng = np.random.default_rng(seed)
    for i in range(number):
        puzzle = making.random_puzzle(10, 10, RUSSIAN, (0.06, 0.25, 0.4)[i % 3], rng)
        if i % 3 == 2:  # one ship cell moved from a row to another
            rows = list(puzzle.row_counts)
            a, b = rng.permutation([j for j, count in enumerate(rows) if count])[:2]
            rows[a], rows[b] = rows[a] - 1, rows[b] + 1
            puzzle = replace(puzzle, row_counts=tuple(rows))
        yield puzzle


def check_methods(puzzle, limit):
    number = counting.count(puzzle)
    assert counting.count(puzzle, limit) == min(number, limit)
    everything = set(counting.solutions(puzzle, number + 1))
    assert len(everything) == number
    for model in models.MODELS:
        search = models.search(puzzle, limit, model)
        assert search.is_complete == (number < limit), formats.to_text(puzzle)
        assert len(search.solutions) == min(number, limit)
        assert set(search.solutions) <= everything
        assert making.is_unique(puzzle, model) == (number == 1)
    return number


def test_the_sweep_on_10x10_agrees_with_the_models():
    numbers = [check_methods(puzzle, 3) for puzzle in puzzles_10x10(4, 3)]
    assert min(numbers) == 0 < 1 < max(numbers)


def test_a_table_that_grows_counts_what_the_posterior_does():
    fleet = (4, 3, 3, 2, 2, 2, 1, 1, 1)
    number = Posterior(Position(Game(7, 7, fleet))).configurations
    assert counting.count(Puzzle(7, 7, fleet)) == number == 3_943_184


def test_counts_may_be_an_array_or_an_iterator():
    counts = np.array(SOURCE.row_counts), iter(SOURCE.column_counts)
    assert Puzzle(6, 6, SOURCE.fleet, *counts) == SOURCE


@pytest.mark.long(60)
def test_fleets_of_the_usual_puzzle():
    assert Posterior(Position(Game(10, 10, RUSSIAN))).configurations == 1855545978831780
    assert counting.count(Puzzle(10, 10, RUSSIAN)) == 1855545978831780


def test_every_side_that_the_sweep_can_begin_from():
    """Counts on one side alone: the sweep begins there, and finds the same."""
    plain = Puzzle(4, 4, (3, 2, 1))
    full = making.with_counts(plain, counting.solutions(plain, 1)[0])
    views = set()
    for part in ("row_counts", "column_counts"):
        for side in (slice(0, 2), slice(2, 4)):
            counts = [None] * 4
            counts[side] = getattr(full, part)[side]
            puzzle = replace(plain, **{part: tuple(counts)})
            view = counting._cheapest_view(puzzle)
            views.add((view.is_turned, view.is_flipped))
            expected = all_solutions(puzzle)
            assert set(counting.solutions(puzzle, 10**6)) == expected
            assert counting.count(puzzle) == len(expected) >= 1
    assert len(views) == 4


def test_many_solutions_are_counted_and_limits_are_kept():
    puzzle = Puzzle(10, 10, RUSSIAN)
    assert counting.count(puzzle, 1000) == 1000
    with pytest.raises(TooLarge, match="0 seconds"):
        counting.count(Puzzle(20, 20, RUSSIAN * 4), time_limit=0)


def test_time_limits_of_models():
    puzzle = making.random_puzzle(20, 20, making.usual_fleet(20, 20))
    for model in models.MODELS:
        search = models.search(puzzle, 1, model, time_limit=1e-9)
        assert (search.solutions, search.is_complete) == ((), False)
    with pytest.raises(TooLarge, match="after 1e-09 seconds 0 solutions"):
        making.solve(puzzle, method="ship", time_limit=1e-9)


def test_excluded_solutions_are_not_found():
    puzzle = SOURCE.revealing(counting.solutions(SOURCE, 1)[0])
    (only,) = counting.solutions(puzzle, 2)
    for model in models.MODELS:
        search = models.search(puzzle, 1, model, excluding=only)
        assert (search.solutions, search.is_complete) == ((), True)


# Addresses

SHARED = (
    "https://puzz.link/p?battleship/6/6/g12h2g30g3gk0r3w//c"  # pzprjs, test/script/battleship.js
)
AS_SHOWN = """grid 6x6
fleet 3,2,2,1,1,1
rows ? 3 0 ? 3 ?
columns ? 1 2 ? ? 2
board
. . . . . ~
. . . . . .
. . . . . .
< . . . . .
. . . . . .
. . . . . .
"""
MADE = (Path(__file__).parent / "golden" / "addresses.txt").read_text().split("\n\n")[1:]


@pytest.mark.parametrize("block", [f"# {SHARED}\n{AS_SHOWN}", *MADE])
def test_addresses_both_ways(block):
    address, puzzle = block.partition("\n")[0][2:], formats.parse(block)
    assert solitaire.to_address(puzzle) == address
    assert solitaire.from_address(address) == puzzle


@pytest.mark.parametrize(
    "address",
    [
        SHARED.replace("https://puzz.link/p", "http://pzv.jp/p.html"),
        SHARED.replace("battleship", "type=player&battleship"),
        SHARED.replace("battleship", "battleship_edit"),
        SHARED.replace("//c", "/6/31s/21o/21o/11g/11g/11g"),
        SHARED.replace("//c", "/6/11g/12o/21o/13s/11g/11g"),
        f"{SHARED}/",
        SHARED.removeprefix("https://"),
    ],
)
def test_other_forms_of_an_address(call_command, address):
    assert formats.load(address) == formats.parse(AS_SHOWN)
    assert call_command("solitaire", "solve", address) == call_command("solitaire", "solve", SHARED)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("battleship", "retroships", "'retroships' is not a kind of puzzle that is read"),
        ("6/6/", "6/", "the form of an address is https://puzz.link/p?battleship/COLUMNS/ROWS/"),
        ("6/6/", "v:1/6/6/", "the form of an address is"),
        ("6/6/", "6/60/", "the grid 60x6 is not handled"),
        ("w//c", "//c", "the clues end 17 places before the grid does"),
        ("w//c", "z//c", "'z' among the clues skips 20 places; 17 are left"),
        ("w//c", "w1//c", "'1' are more clues than the grid 6x6 has places"),
        ("w//c", "%w//c", "'%' among the clues is neither a number nor"),
        ("r3w", "r9w", "the clue '9' of a cell is for ships that are not straight"),
        ("g12h2", "g12h8", "the count 8 of column F is not possible"),
        ("//c", "//p", "the fleet '/p' is not one of straight ships"),
        ("//c", "/2/11g", "the fleet has 1 ships, not 2 as it says"),
        ("//c", "/1/22u", "'22u' is not a straight ship"),
        ("//c", "/0", "the fleet is empty"),
    ],
)
def test_a_malformed_address_is_refused_in_a_line(call_command, old, new, why):
    status, out, err = call_command("solitaire", "solve", SHARED.replace(old, new))
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert why in err


def test_damaged_addresses_are_puzzles_or_refused():
    rng = np.random.default_rng(3)
    for block in MADE:
        address = block.partition("\n")[0][2:]
        for _ in range(200):
            at = int(rng.integers(address.index("?"), len(address)))
            sign = "0123456789abcdefghijklmnopqrstuvwxyz.-/+=%"[int(rng.integers(42))]
            damaged = address[:at] + sign * int(rng.integers(2)) + address[at + 1 :]
            try:
                puzzle = solitaire.from_address(damaged)
            except PuzzleError:
                continue
            assert solitaire.from_address(solitaire.to_address(puzzle)) == puzzle


def test_a_ship_that_is_too_long_for_an_address(call_command, tmp_path):
    (tmp_path / "long").write_text("grid 1x40\nfleet 36\nrows 36\n")
    with pytest.raises(PuzzleError, match="a ship of length 36 cannot be part of an address"):
        solitaire.to_address(formats.load(tmp_path / "long"))
    status, out, _ = call_command("solitaire", "solve", tmp_path / "long")
    assert (status, "address" in out) == (0, False)


# Clues in conflict


@sizes("number", 2, 15, 3)
def test_conflicts_are_minimal(small, number):
    contradictory = [puzzle for puzzle, expected in small if not expected]
    for puzzle in contradictory[:number]:
        for method in ("ship", "count"):
            clues = making.conflict(puzzle, method)
            assert clues is not None
            assert not all_solutions(puzzle.with_clues(clues))
            for clue in clues:
                assert all_solutions(puzzle.with_clues(c for c in clues if c != clue))


def test_no_conflict_and_no_room():
    full = Puzzle(3, 3, (3, 3, 1))
    for method in ("ship", "count"):
        assert making.conflict(SOURCE, method) is None
        assert making.conflict(full, method) == ()
    assert models.conflict_text(full, ()) == "the fleet 3,3,1 does not fit on the grid 3x3"


# Making


@pytest.mark.parametrize("method", [None, *making.METHODS])
def test_generated_puzzles_are_unique_and_minimal(method):
    options = solitaire.MinimiseOptions(method=method)
    puzzle = solitaire.generate(5, 4, (3, 2, 1), 5, options=options)
    assert puzzle == solitaire.generate(5, 4, (3, 2, 1), 5, options=options)
    assert len(all_solutions(puzzle)) == 1
    for clue in puzzle.clues:
        assert len(all_solutions(puzzle.weakened(clue))) > 1
    for other in making.METHODS:
        assert solitaire.is_minimal(puzzle, other)


@sizes("kind", (7, 7, (3, 2, 2, 1)), (10, 10, RUSSIAN), 5)
def test_a_puzzle_is_unique_and_minimal_by_the_cell_model(kind):
    puzzle = solitaire.generate(*kind, 1)
    assert solitaire.is_minimal(puzzle, "cell")
    assert puzzle != solitaire.generate(*kind, 2)


def test_kept_counts():
    puzzle = solitaire.generate(
        6, 6, (3, 2, 2, 1, 1, 1), 4, options=solitaire.MinimiseOptions(keep_counts=True)
    )
    assert None not in puzzle.row_counts + puzzle.column_counts
    assert solitaire.is_minimal(puzzle, keep_counts=True)
    assert len(solitaire.minimise(puzzle, 1).clues) < len(puzzle.clues)


def test_random_fleets_are_uniform(monkeypatch):
    """Thrown or from the exact sampler: chi square with 33 degrees of freedom, at 0.1%."""
    puzzle = Puzzle(3, 4, (3, 1))
    fleets = all_solutions(puzzle)
    assert len(fleets) == 34
    for throws in (making._THROWS, 0):
        monkeypatch.setattr(making, "_THROWS", throws)
        rng = np.random.default_rng(7)
        met = Counter(making.random_solution(puzzle, rng) for _ in range(680))
        assert set(met) == fleets
        assert sum((met[fleet] - 20) ** 2 / 20 for fleet in fleets) < 63.9


def test_what_cannot_be_made():
    with pytest.raises(PuzzleError, match=r"3,3,1 does not fit on the grid 3x3"):
        solitaire.generate(3, 3, (3, 3, 1))
    with pytest.raises(PuzzleError, match="several solutions"):
        solitaire.minimise(SOURCE)
    with pytest.raises(PuzzleError, match="no solution"):
        solitaire.minimise(replace(SOURCE, row_counts=(0,) * 6))


# Reasoning


def test_every_step_is_true_in_every_solution(small):
    for puzzle, expected in small[:120]:
        try:
            grade = reasoning.grade(puzzle, 1)
        except PuzzleError:
            assert not expected
            continue
        for step in grade.steps if expected else ():
            for cell in step.cells:
                values = {
                    WATER if puzzle.shows(solution, cell) == WATER else SHIP
                    for solution in expected
                }
                assert values == {step.value}, (formats.to_text(puzzle), step)
        if grade.is_solved and expected:
            assert len(expected) == 1


def settled(knowledge):
    """What follows, by the easiest rule each time; None if something cannot be."""
    try:
        while (step := reasoning._easiest_deduction(knowledge)) is not None:
            knowledge.learn(step.mask, step.value)
    except reasoning.Contradiction:
        return None
    return knowledge.ship, knowledge.water


def supposed(knowledge, index, value):
    trial = knowledge.copy()
    try:
        trial.learn(1 << index, value)
    except reasoning.Contradiction:
        return None
    return settled(trial)


@sizes("every", 15, 1, 4)
def test_suppositions_are_by_the_rules_in_any_order(small, every):
    """The first that contradicts itself is found, also where lines have no count."""
    tried = 0
    puzzles = [puzzle for puzzle, _ in small]
    for puzzle in (puzzles + list(map(with_few_clues, puzzles)))[::every]:
        try:
            knowledge = reasoning._Knowledge(puzzle)
        except reasoning.Contradiction:
            continue
        if settled(knowledge) is None:
            continue
        cells = list(bits(knowledge.unknown))
        tried += len(cells)
        both = ((index, value) for index in cells for value in (SHIP, WATER))
        false = next((guess for guess in both if supposed(knowledge, *guess) is None), None)
        step = reasoning._Suppositions(None).next(knowledge, 1)
        if false is None:
            assert step is None
        else:
            index, value = false
            assert (step.cells, step.value != value) == ((puzzle.cell(index),), True)
    assert tried > 300 // every


def with_few_clues(puzzle):
    """Every third count and revealed cell."""
    return puzzle.with_clues(puzzle.clues[::3])


def test_deep_enough_suppositions_solve_every_unique_puzzle(small):
    unique = [puzzle for puzzle, expected in small if len(expected) == 1][:30]
    for puzzle in unique:
        grade = reasoning.grade(puzzle, 3)
        assert grade.is_solved
        assert grade.level != "beyond"
        first = reasoning.explain(puzzle, 3)
        assert first == (grade.steps[0] if grade.steps else None)


def test_levels():
    lines = formats.parse("grid 3x3\nfleet 1,1\nrows 1 0 1\ncolumns 2 0 0")
    assert reasoning.grade(lines).level == "easy"
    assert reasoning.grade(lines).rules == {"row": 3, "column": 1}
    ships = formats.parse("grid 1x5\nfleet 3\nboard\n. = . . .")
    assert reasoning.grade(ships).level == "medium"
    assert reasoning.grade(SOURCE, 0).level == "beyond"


def test_too_few_counts_say_how_an_unknown_one_is_written(call_command, tmp_path):
    text, fields = tmp_path / "puzzle.txt", tmp_path / "puzzle.json"
    text.write_text("grid 3x3\nfleet 2\nrows ? 1\n")
    fields.write_text('{"grid": "3x3", "fleet": [2], "rows": [null, 1]}')
    for file in (text, fields):
        err = call_command("solitaire", "solve", file)[2]
        assert "2 row counts for 3 rows; give one per row: `?` is one that is not known" in err
        assert "in JSON null" in err


def test_time_limits_of_making_and_reasoning():
    with pytest.raises(TooLarge, match="the time is over"):
        solitaire.generate(6, 6, (3, 2, 1), options=solitaire.MinimiseOptions(time_limit=1e-9))
    puzzle = SOURCE.revealing(counting.solutions(SOURCE, 1)[0])
    with pytest.raises(TooLarge, match="the time is over"):
        solitaire.minimise(puzzle, options=solitaire.MinimiseOptions(time_limit=1e-9))
    with pytest.raises(TooLarge, match="the time for suppositions is over"):
        reasoning.explain(Puzzle(6, 6, (3, 2)), 2, time_limit=-1)
    grade = reasoning.grade(SOURCE, 2, time_limit=-1)
    assert (grade.is_cut_short, grade.is_solved, grade.level) == (True, False, "beyond")


def test_a_time_limit_leaves_no_file(call_command, monkeypatch, tmp_path):
    monkeypatch.setattr(making, "_deadline_of", lambda time_limit: time_limit and 0.0)
    path = tmp_path / "made.txt"
    arguments = ("--grid", "6x6", "--fleet", "3,2,1", "-o", path, "--time-limit", 5)
    status, out, err = call_command("solitaire", "generate", *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "the time is over" in err
    assert not path.exists()


INTERRUPTED = """
from optsearch.solitaire import models

class InterruptedModel:
    \"\"\"A solver whose search meets ctrl-C, and ends when it is told to.\"\"\"

    def __init__(self, solver):
        self.parameters, self.told = solver.parameters, threading.Event()

    def solve(self, model):
        interrupt()
        self.told.wait()
        print("told to stop", file=sys.stderr)

    def stop_search(self):
        self.told.set()

make = models._make_solver
models._make_solver = lambda: InterruptedModel(make())
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ("minimise", "-o", "less.txt", "--method", "cell"),
        pytest.param(("solve", "--method", "ship"), marks=pytest.mark.long(2)),
    ],
)
def test_ctrl_c_ends_cp_sat(arguments, source_file):
    """The search is told, and waited for; nothing is written."""
    command, *options = arguments
    folder = source_file.parent
    ended = run_command("solitaire", command, source_file, *options, hooks=INTERRUPTED, cwd=folder)
    assert ended == (130, "", "told to stop\ninterrupted\n")
    assert list(folder.iterdir()) == [source_file]


def test_a_supposition_says_what_it_contradicts():
    puzzle = solitaire.generate(
        8, 8, (4, 3, 2, 2, 1, 1), 3, options=solitaire.MinimiseOptions(keep_counts=True)
    )
    steps = [s for s in reasoning.grade(puzzle, 1).steps if s.rule == "supposition"]
    assert any(step.chain for step in steps)
    for step in steps:
        (cell,) = step.cells
        contrary = WATER if step.value == SHIP else SHIP
        assert step.reason.startswith(f"if {cell_name(cell)} were {contrary}: ")
        lines = step_text(step).splitlines()
        assert len(lines) == len(step.chain) + 2 or not step.chain
        cells_known = {cell}
        for follows in step.chain:  # each is new, and needs no supposition
            assert follows.depth == 0
            assert not cells_known & set(follows.cells)
            cells_known |= set(follows.cells)
        wrong = replace(
            puzzle, revealed=(*(r for r in puzzle.revealed if r[0] != cell), (cell, contrary))
        )
        assert counting.count(wrong) == 0


# Text and JSON


def test_round_trips(small, tmp_path):
    for puzzle, _ in small[:50]:
        assert formats.parse(formats.to_text(puzzle)) == puzzle
        for name in ("p.txt", "p.json"):
            formats.save(puzzle, tmp_path / name)
            assert formats.load(tmp_path / name) == puzzle
    assert json.loads((tmp_path / "p.json").read_text())["grid"] == puzzle.grid


GOOD = """# of a magazine
grid 4x4
fleet 3,1
rows 1 1 1 1
columns 3 ? 1 0
board
. . . .
~ . . .
. . . .
. . . .
"""


def test_a_good_text():
    puzzle = formats.parse(GOOD)
    assert puzzle == Puzzle(4, 4, (3, 1), (1, 1, 1, 1), (3, None, 1, 0), (((1, 0), WATER),))
    assert puzzle.lines[Clue("cell", (1, 0), WATER)] == "line 8: '~ . . .'"
    assert puzzle.lines[Clue("column", 2, 1)] == "line 5: 'columns 3 ? 1 0'"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("fleet 3,1\n", "fleet 3,3\n"),
        ("~ . . .", "~ @ . ."),
        ("rows 1 1 1 1", "rows 1 1 1 3"),
        ("columns 3", "columns 2"),
        ("~ . . .", "~ X . ."),
        ("~ . . .", "^ . = ."),
    ],
)
def test_contradictory_puzzles(old, new, call_command, tmp_path):
    """The clues are named; malformed puzzles are in transcripts/errors.txt."""
    path = tmp_path / "bad.txt"
    path.write_text(GOOD.replace(old, new, 1))
    status, out, err = call_command("solitaire", "solve", path)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "no solution: " in err
    assert all_solutions(formats.parse(path.read_text())) == set()
    assert "(line " in err or "does not fit" in err


def test_without_ortools(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ortools.sat.python", None)
    with pytest.raises(OptsearchError, match="pip install ortools"):
        solitaire.solve(SOURCE, method="ship")
    assert counting.count(SOURCE) == 30


HARD_TO_REFUTE = "grid 5x5\nfleet 3,2,1\nrows 3 ? 1 0 1\ncolumns ? 0 2 2 1\n"  # by suppositions
SMALL = {  # a puzzle with one solution, with several, with none
    "unique": "grid 3x3\nfleet 2\nrows 2 0 0\ncolumns 1 1 0\n",
    "several": "grid 3x3\nfleet 2\n",
    "none": "grid 3x3\nfleet 2\nrows 0 0 1\n",
}


def test_small_puzzles_need_no_ortools(call_command, tmp_path, monkeypatch):
    """Every answer is as with them."""
    monkeypatch.chdir(tmp_path)
    commands = []
    for name, text in SMALL.items():
        (tmp_path / name).write_text(text)
        commands += [("solve", name), ("minimise", name, "-o", "new")]
    with_them = {one: call_command("solitaire", *one, "--method", "ship") for one in commands}
    monkeypatch.setitem(__import__("sys").modules, "ortools.sat.python", None)
    for command in commands:
        status, out, err = call_command("solitaire", *command)
        assert status == with_them[command][0]
        if command[1] != "several":  # of which any two are shown
            assert (out, err) == with_them[command][1:]

    # The count goes on however long it takes; to name clues that no rule names it does not.
    long_sweeps(monkeypatch)
    assert [call_command("solitaire", "solve", name)[0] for name in SMALL] == [0, 0, 2]
    missing = (
        "no solution; naming the clues that contradict each other needs CP-SAT of OR-tools, which "
        "is not installed; install it with: pip install ortools"
    )
    (tmp_path / "hard").write_text(HARD_TO_REFUTE)
    assert call_command("solitaire", "solve", "hard") == (2, "", f"error: {missing}\n")
    assert call_command("solitaire", "count", "hard") == (0, f"hard: {missing}\n", "")


def long_sweeps(monkeypatch):
    """Every sweep as if it took long, which ends it where it may not."""

    def long(sweep):
        def swept(puzzle, limit=None, time_limit=None, progress=no_progress):
            progress(Status(done=2_000_000))
            return sweep(puzzle, limit, time_limit, progress)

        return swept

    for name in ("count", "solutions"):
        monkeypatch.setattr(counting, name, long(getattr(counting, name)))


TO_NAME = {  # clues on 10×10 for the fleet 4,3,3,2,2,2,1,1,1,1, and those that are to be named
    "columns 1 2 1 3 3 2 5 0 3 0; H10 bottom": "column H = 0, H10 = bottom",
    "rows 9 ? ? ? ? ? ? ? ? 0; A2 water": "row 1 = 9",
    "rows 3 ? ? ? ? ? ? ? 1 ?; C4 water, C3 top": "C3 = top, C4 = water",
    "rows ? ? ? ? ? ? ? ? ? 2; B2 ship, C3 ship": "B2 = ship, C3 = ship",
    "rows 1 ? ? ? ? ? ? ? ? ?; A1 left, J10 ship": "row 1 = 1, A1 = left",
    "rows ? ? ? ? ? ? ? ? ? 2; C3 middle, B3 water, C2 water, J1 ship": "C2 = water, B3 = water, "
    "C3 = middle",
    "rows ? ? 2 2 ? 2 ? ? ? ?; columns ? 1 1 ? ? ? ? ? ? 2; C3 middle": "row 3 = 2, column C = 1, "
    "C3 = middle",
    "rows 3 3 3 3 3 2 2 1 1 0; A2 water": "row 1 = 3, row 2 = 3, row 3 = 3, row 4 = 3, row 5 = 3, "
    "row 6 = 2, row 7 = 2, row 8 = 1, row 9 = 1",
}


@pytest.mark.parametrize("clues", TO_NAME)
def test_clues_are_named_without_ortools(monkeypatch, clues):
    """By the rules alone, however long a sweep takes; and the sweep says that they are right."""
    lines, _, cells = clues.rpartition("; ")
    counts = formats.parse("grid 10x10\nfleet 4,3,3,2,2,2,1,1,1,1\n" + lines.replace("; ", "\n"))
    shown = (cell.split() for cell in cells.split(", "))
    puzzle = replace(counts, revealed=tuple((parse_cell(name), value) for name, value in shown))
    monkeypatch.setitem(__import__("sys").modules, "ortools.sat.python", None)
    with monkeypatch.context() as patch:
        long_sweeps(patch)
        named = making.conflict(puzzle)
        assert solitaire.solve(puzzle) == []
    assert ", ".join(map(str, named)) == TO_NAME[clues]
    assert making.conflict(puzzle) == named
    assert counting.count(puzzle.with_clues(named), 1) == 0
    for clue in named:
        assert counting.count(puzzle.with_clues(set(named) - {clue}), 1) == 1


def test_a_count_of_none_says_why(call_command, tmp_path):
    """And a file may end at `board`."""
    (tmp_path / "sums").write_text("grid 3x3\nfleet 3,1\nrows 1 1 1\nboard\n")
    reason = "the counts add up to 3, and the fleet 3,1 has 4 cells"
    status, out, _ = call_command("solitaire", "count", tmp_path / "sums")
    assert (status, reason in out) == (0, True)
    assert reason in call_command("solitaire", "solve", tmp_path / "sums")[2]


# The command


def test_solve_and_count(call_command, source_file, tmp_path):
    assert (
        "\n2 solutions; there may be others (--limit)\n"
        in call_command("solitaire", "solve", source_file)[1]
    )
    assert call_command("solitaire", "count", source_file)[1].endswith("30 solutions\n")
    assert call_command("solitaire", "count", source_file, "--limit", 5)[1].endswith(
        "5 solutions or more\n"
    )
    answer = json.loads(call_command("solitaire", "count", source_file, "--json")[1])
    assert (answer["solutions"], answer["is_exact"]) == (30, True)
    unique = tmp_path / "unique.json"
    formats.save(SOURCE.revealing(counting.solutions(SOURCE, 1)[0]), unique)
    for method in making.METHODS:
        status, out, _ = call_command("solitaire", "solve", unique, "--method", method, "--json")
        assert status == 0
        assert json.loads(out)["is_unique"] is True


@pytest.mark.parametrize("level", ["easy", "medium", "hard"])
def test_a_puzzle_of_a_level(call_command, tmp_path, level):
    """Of this level, with one solution; harder, or with more solutions, without any clue."""
    path = tmp_path / "p.txt"
    for fleet, seed in (("3,2,1,1", 3), ("3,2,2,1", 3), ("3,2,1,1", 4)):
        arguments = ("--grid", "5x5", "--fleet", fleet, "--seed", seed, "--level", level)
        status, out, _ = call_command("solitaire", "generate", *arguments, "-o", path, "--json")
        assert (status, json.loads(out)["level"]) == (0, level)
        puzzle = formats.load(path)
        assert solitaire.grade(puzzle).level == level
        assert len(all_solutions(puzzle)) == 1
        for clue in puzzle.clues:
            weaker = puzzle.with_clues(other for other in puzzle.clues if other != clue)
            assert LEVELS.index(solitaire.grade(weaker).level) > LEVELS.index(level)


def test_a_level_that_no_puzzle_has(call_command, tmp_path):
    arguments = ("--grid", "1x2", "--fleet", "1", "--level", "hard", "-o", tmp_path / "p.txt")
    status, out, err = call_command("solitaire", "generate", *arguments)
    assert (status, out) == (2, "")
    assert "no hard puzzle with the fleet 1 on the grid 1x2 was found" in err


def test_a_sheet_has_puzzles_and_answers(call_command, tmp_path):
    puzzle = solitaire.generate(
        5, 5, (3, 2, 1), 3, options=solitaire.MinimiseOptions(keep_counts=True)
    )
    (solution,) = all_solutions(puzzle)
    figure = Figure(figsize=sheet_size([puzzle] * 4))
    draw_sheet(figure, [(puzzle, solution)] * 4)
    titles = [ax.get_title() for ax in figure.axes]
    assert titles == ["1", "2", "3", "4", *(f"answer {number}" for number in range(1, 5))]
    for ax in figure.axes:
        for gid, names in (("row", "12345"), ("column", "ABCDE")):
            assert [t.get_text() for t in ax.texts if t.get_gid() == gid] == list(names)
        pieces = [p for p in ax.patches if p.get_gid() in {*REVEALED} - {WATER}]
        ship_cells = sum(value != WATER for _, value in puzzle.revealed)
        assert len(pieces) == (6 if ax.get_title().startswith("answer") else ship_cells)
    boxes = [ax.get_position().padded(-1e-6) for ax in figure.axes]
    assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))
    (path := tmp_path / "p.txt").write_text("grid 2x2\nfleet 1\n")
    status, _, err = call_command("solitaire", "sheet", path, "-o", tmp_path / "sheet.pdf")
    assert (status, "has several solutions; a puzzle of a sheet has exactly one" in err) == (
        2,
        True,
    )


# The source


def test_reproduce(call_command, monkeypatch):
    """A smaller board in place of the two on which times are taken."""
    puzzle = making.random_puzzle(8, 8, making.usual_fleet(8, 8), 0.0)

    def searched(puzzle, model):
        found = models.search(puzzle, 1, model)
        return replace(found, build_seconds=0.0, solve_seconds=1.0 if model == "ship" else 2.0)

    for name, new in (("large", lambda: puzzle), ("medium", lambda: puzzle)):
        monkeypatch.setattr(puzzles, name, new)
    monkeypatch.setattr(puzzles, "_search", searched)
    status, out, err = call_command("reproduce", "--source", "solitaire", "--json")
    found = json.loads(out)
    times = {check["what"] for check in found["checks"] if check["agrees"] is None}
    assert times == {"ship based on large grid", "cell based on large grid"}
    assert all(check["agrees"] for check in found["checks"] if check["what"] not in times)
    assert (status, err) == (0, "")
    assert "323 choices" in "".join(check["note"] for check in found["checks"])
    status, _, err = call_command("reproduce", "--source", "nobody")
    assert (status, err.count("\n")) == (2, 1)
    assert "'nobody'" in err
    assert "paper, solitaire" in err


# The experiments and the picture


def test_the_committed_tables():
    seconds = {"ship": {}, "cell": {}}  # by SCIP, of boards in the order of their size
    for row in TABLES["solitaire"].read():
        if row["solver"] == "SCIP" and row["solved"]:
            puzzle = row["grid"], row["revealed"]
            seconds[row["model"]][puzzle] = row["build_seconds"] + row["solve_seconds"]
        else:
            assert row["solved"] or row["model"] == "cell"
    assert ("30x20", 0.0) in seconds["ship"]
    largest = [puzzle for puzzle in seconds["ship"] if puzzle in seconds["cell"]][-1]
    assert seconds["cell"][largest] >= 10 * seconds["ship"][largest]
    rows = TABLES["puzzles"].read().rows
    assert [row["seed"] for row in rows] == list(range(100))
    for row in rows[:5]:
        puzzle = formats.from_fields(json.loads(row["puzzle"]))
        assert (puzzle.grid, puzzle.fleet) == ("10x10", RUSSIAN)
        assert counting.count(puzzle, 2) == 1


def test_the_picture_shows_every_clue():
    puzzle = making.random_puzzle(6, 6, (3, 2, 2, 1, 1, 1), 0.5, 4)
    ax = Figure().add_axes((0, 0, 1, 1))
    draw_puzzle(ax, puzzle)
    names = [child.get_gid() for child in ax.get_children()]
    for value in {clue for _, clue in puzzle.revealed}:
        number = sum(clue == value for _, clue in puzzle.revealed)
        assert names.count(value) == number * (2 if value == WATER else 1)  # a wave is two lines
    texts = [text.get_text() for text in ax.texts]
    counts = [str(n) for n in (*puzzle.row_counts, *puzzle.column_counts)]
    assert sorted(texts) == sorted([*counts, *"123456", *"ABCDEF"])
    assert names.count("fleet") == sum(puzzle.fleet)
