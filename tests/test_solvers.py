"""The three implementations of the optimum: one body of tests over all of them.

The oracle is optsearch.reference, the definition in plain Python.
"""

import itertools
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from subprocess import PIPE

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from optsearch import paper, records, reference, solver
from optsearch.configurations import Configurations, to_masks, to_words
from optsearch.errors import ImpossiblePosition, NotSupported, TableError, TooLarge
from optsearch.family import Family, image
from optsearch.game import Game, parse_cell
from optsearch.position import HIT, MISS, Position, reply
from optsearch.solution import Status
from optsearch.solver import Solver, SolverOptions
from optsearch.tables import DiskTable
from optsearch.tree import verify
from tests.examples import positions

METHODS = {"reference": reference.solve, "paper": paper.solve, "solver": solver.solve}
SWITCHES = ("memo", "symmetry", "leaf_counting", "ordering", "small_cases")

every_method = pytest.mark.parametrize("solve", METHODS.values(), ids=METHODS)


@every_method
@pytest.mark.parametrize(
    ("game", "shots", "total_height", "configurations"),
    [
        ("2x3:2", "", 25, 7),  # Figure 5
        ("3x4:2", "A1=miss B3=miss", 53, 12),  # Figure 8; its misses are found by search
        ("4x4:2", "", 146, 24),  # Table 1
        ("4x4:3,3", "", 196, 24),  # Table 1
        ("1x1:1", "", 1, 1),
        ("1x1:1", "A1=hit", 0, 1),
        ("1x5:1", "", 1 + 2 + 3 + 4 + 5, 5),
        ("2x2:2;contact=any", "A1=hit", 1 + 2, 2),
        ("2x2:2,2;contact=any", "", 8, 2),  # two configurations with the same four cells
        ("2x2:1,1,1,1;contact=any", "", 4, 1),
    ],
)
def test_known_values(solve, game, shots, total_height, configurations):
    solution = solve(Position.parse(Game.parse(game), shots))
    assert (solution.total_height, solution.configurations) == (total_height, configurations)
    assert solution.mean == Fraction(total_height, configurations)
    assert solution.mean_text == f"{total_height}/{configurations}"


@settings(max_examples=400)
@given(positions(max_cells=12, max_configurations=40))
def test_all_methods_agree(position):
    solutions = [solve(position) for solve in METHODS.values()]
    answers = {(s.total_height, s.configurations, s.best_shots) for s in solutions}
    assert len(answers) == 1, answers


@settings(max_examples=50)
@given(positions(max_cells=9, max_configurations=20))
def test_every_combination_of_switches(position):
    expected = reference.solve(position)
    for values in itertools.product((False, True), repeat=len(SWITCHES)):
        options = SolverOptions(**dict(zip(SWITCHES, values, strict=True)))
        found = solver.solve(position, options=options)
        assert found.total_height == expected.total_height, options
        assert found.best_shots == expected.best_shots, options


@settings(max_examples=300)
@given(positions(max_cells=12, max_configurations=60), st.sets(st.sampled_from(SWITCHES)))
def test_switches_on_larger_positions(position, off):
    expected = reference.solve(position)
    options = SolverOptions(**dict.fromkeys(off - {"memo"}, False))
    found = solver.solve(position, options=options)
    assert found.total_height == expected.total_height
    assert found.best_shots == expected.best_shots


@settings(max_examples=200)
@given(positions(max_cells=16, max_ships=4, max_configurations=300))
def test_the_tree_is_optimal_and_begins_with_a_best_shot(position):
    solution = solver.solve(position)
    tree = solution.tree()
    assert verify(tree) == tree.total_height == solution.total_height
    assert tree.configurations == solution.configurations
    if solution.total_height:
        assert tree.root.cell in solution.best_shots


@pytest.mark.parametrize("line", records.read_published("table1.csv").rows, ids=str)
def test_table_1(line):
    position = Position(Game.parse(f"{line['grid']}:{line['fleet']}"))
    if not line["total_height"]:
        assert Configurations(position).configurations == 0
        return
    solution = solver.solve(position)
    assert solution.total_height == int(line["total_height"])
    assert solution.configurations == int(line["configurations"])
    assert verify(solution.tree()) == solution.total_height


@pytest.mark.parametrize(
    ("game", "total_height", "configurations"),
    [("5x5:3,2", 5765, 524), ("5x5:5,4,3", 1013, 72)],  # computed by an independent prototype
)
def test_past_the_paper(game, total_height, configurations):
    solution = solver.solve(Position(Game.parse(game)))
    assert (solution.total_height, solution.configurations) == (total_height, configurations)


@pytest.mark.parametrize(
    ("game", "nodes"), [("4x4:3,2", 295), ("4x5:4,3,2", 1862), ("4x5:3,2", 9104)]
)
def test_nodes(game, nodes):
    """The regression signature of the search: change it only with a commit that says why."""
    assert solver.solve(Position(Game.parse(game))).nodes == nodes


def test_the_papers_states():
    """The paper's method is not ours: its table is keyed by the shots."""
    assert paper.solve(Position(Game.parse("4x4:2"))).nodes == 514_861


def test_a_board_past_64_cells():
    """The same endgame in two corners of a board of 117 cells."""
    game = Game(9, 13, (3, 2))
    near = {(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)}
    for cells in (near, {(8 - i, 12 - j) for i, j in near}):
        position = Position(game)
        others = [game.cell(i) for i in range(game.cells) if game.cell(i) not in cells]
        for cell in others:
            position = position.after(cell, MISS)
        assert len(others) == 108
        small = Position(Game(3, 3, (3, 2)))
        expected = reference.solve(small)
        for solve in METHODS.values():
            if solve is not reference.solve:
                found = solve(position)
                assert found.total_height == expected.total_height
                assert len(found.best_shots) == len(expected.best_shots)


@pytest.mark.parametrize("seed", [4, 5, 6])
def test_late_on_the_usual_board(seed):
    """Random shots at a 10x10 game until 150 configurations are left; the tree is replayed."""
    game = Game.parse("10x10:5,4,3,3,2")
    ships = [
        game.mask(map(parse_cell, text.split()))
        for text in ("A1 B1 C1 D1 E1", "A3 B3 C3 D3", "E5 F5 G5", "B7 B8 B9", "H10 I10")
    ]
    cells = list(range(game.cells))
    random.Random(seed).shuffle(cells)
    position = Position(game)
    for index in cells:
        position = position.after(game.cell(index), reply(game, ships, position.hits, 1 << index))
        if len(position.shots) > 25 and Configurations(position).configurations <= 150:
            break
    solution = solver.solve(position)
    assert solution.configurations == Configurations(position).configurations > 100
    assert verify(solution.tree()) == solution.total_height


# Normal forms and bounds


@settings(max_examples=100)
@given(positions(max_cells=12, max_configurations=60), st.data())
def test_equal_normal_forms_have_equal_optima(position, data):
    """Symmetric images share a normal form; so do families that differ in certain hits."""
    kernel = Solver(position)
    everything = kernel._root
    family = kernel.family
    some = sorted(data.draw(st.sets(st.sampled_from(range(len(everything))), min_size=1)))
    part = everything[some]
    sets = [family.sets[i] for i in some]
    weights = [family.weights[i] for i in some]
    permutation = data.draw(st.sampled_from(position.game.symmetries()))
    index = {mask: i for i, mask in enumerate(to_masks(kernel._universe))}
    images = np.array(sorted(index[image(mask, permutation)] for mask in sets), np.int32)
    if set(family.weights) == {1}:  # weights belong to the sets of the family, not to its images
        assert kernel._search.normal_form(part) == kernel._search.normal_form(images)
    assert kernel._search.misses(part) == _oracle_misses(sets, weights)


def _oracle_misses(sets, weights):
    height = reference.total_height(frozenset(zip(sets, weights, strict=True)))
    return height - sum(weights) * sets[0].bit_count()


@settings(max_examples=200)
@given(positions(max_cells=12, max_configurations=60))
def test_the_kernels_bounds_are_admissible_and_those_of_bounds_py(position):
    from collections import Counter

    from optsearch import bounds

    kernel = Solver(position)
    family = kernel.family
    bound = kernel._search.leaf_counting_bound(kernel._root)
    hits = family.hits - family.certain.bit_count()
    assert bound == bounds.leaf_counting_misses(Counter(family.weights), hits)
    misses = kernel.solution.total_height - family.weight * family.hits
    assert bound <= misses
    heights = reference.first_shots(reference.family(position))
    for cell, cell_bound in kernel._search.first_shots(kernel._root):
        assert cell_bound <= heights[cell] - family.weight * family.hits


@settings(max_examples=100)
@given(positions(max_cells=12, max_configurations=60), st.integers(-3, 3))
def test_a_limit_gives_the_optimum_below_it_and_a_bound_at_or_above_it(position, offset):
    kernel = Solver(position)
    misses = kernel.solution.total_height - kernel.family.weight * kernel.family.hits
    limit = misses + offset
    found = Solver(position)._search.misses(kernel._root, limit)
    if misses < limit:
        assert found == misses
    else:
        assert limit <= found <= misses


def test_family():
    position = Position.parse(Game.parse("3x3:2,1;contact=any"), "A1=hit")
    family = Family.of(position)
    assert family.weight == Configurations(position).configurations
    assert dict(zip(family.sets, family.weights, strict=True)) == dict(reference.family(position))
    assert list(family.sets) == sorted(family.sets)
    assert len(Family.of(Position(position.game)).automorphisms) == 8
    assert len(family.automorphisms) == 2  # the diagonal through A1
    assert to_words(family.sets).shape == (len(family.sets), 2)


# What is refused, what is reported


@every_method
def test_no_configuration_is_an_error(solve):
    with pytest.raises(ImpossiblePosition, match="4x4:4,3,2"):
        solve(Position(Game.parse("4x4:4,3,2")))
    with pytest.raises(ImpossiblePosition, match="A1=hit C3=hit"):
        solve(Position.parse(Game.parse("3x3:2"), "A1=hit C3=hit"))


@pytest.mark.parametrize("solve", [paper.solve, solver.solve], ids=["paper", "solver"])
@pytest.mark.parametrize("announce", ["sunk", "ship"])
def test_announcements_are_refused_by_name(solve, announce):
    with pytest.raises(NotSupported, match=f"announce={announce}"):
        solve(Position(Game.parse(f"3x3:2;announce={announce}")))


def test_the_paper_method_says_where_it_ends():
    with pytest.raises(TooLarge, match="49 cells"):
        paper.solve(Position(Game.parse("7x7:2")))
    with pytest.raises(TooLarge, match=r"0\.0 GiB of table on 4x4:2"):
        paper.solve(Position(Game.parse("4x4:2")), memory=1 << 20)
    with pytest.raises(NotSupported, match="gives no tree"):
        paper.solve(Position(Game.parse("2x3:2"))).tree()


def test_expected_states():
    """Exact where every set of cells is drawn; within a few per cent by sampling."""
    for text in ("2x3:2", "4x4:2", "4x4:3,3"):
        position = Position(Game.parse(text))
        sets = [cells for cells, _ in reference.family(position)]
        states = paper.solve(position).nodes
        assert abs(paper.expected_states(sets, samples=400) - states) < 0.08 * states


def test_progress_is_reported():
    reports: list[Status] = []
    solver.solve(Position(Game.parse("5x5:3,2")), progress=reports.append)
    assert len(reports) > 5
    assert all(0 <= r.done < r.total for r in reports)
    assert reports[-1].best == 5765
    assert [r.nodes for r in reports] == sorted(r.nodes for r in reports)


def test_an_exception_in_progress_ends_the_search():
    def stop(status: Status) -> None:
        raise KeyboardInterrupt

    for solve in (solver.solve, paper.solve):
        with pytest.raises(KeyboardInterrupt):
            solve(Position(Game.parse("5x5:2")), progress=stop)


def test_a_small_memory_gives_the_same_answer():
    position = Position(Game.parse("5x5:3,2"))
    small = solver.solve(position, options=SolverOptions(memory=1))
    assert small.total_height == 5765
    assert small.table_bytes <= 16 << 20


# The table on disk


def test_a_second_run_finds_what_the_first_one_left(tmp_path):
    position = Position(Game.parse("4x5:3,2"))
    first = solver.solve(position, table=tmp_path / "table")
    second = solver.solve(position, table=tmp_path / "table")
    assert replace(second, nodes=0, seconds=0.0, table_entries=0, table_bytes=0) == replace(
        first, nodes=0, seconds=0.0, table_entries=0, table_bytes=0
    )
    assert second.nodes < first.nodes / 20
    later = position.after((0, 2), HIT)
    with_table = solver.solve(later, table=tmp_path / "table")
    assert with_table.total_height == reference.solve(later).total_height


def test_killed_and_run_again(tmp_path):
    """SIGKILL in the middle, twice: the next run ends with the same answer, in fewer nodes."""
    program = (
        "import sys\n"
        "from optsearch.game import Game; from optsearch.position import Position\n"
        "from optsearch.tables import DiskTable; from optsearch.solver import Solver\n"
        "disk = DiskTable(sys.argv[1], '5x5:2,2', batch_entries=2000)\n"
        "report = lambda status: print(status.nodes, flush=True)\n"
        "Solver(Position(Game.parse('5x5:2,2')), disk=disk, progress=report).solution\n"
    )
    for nodes in (100_000, 300_000):
        run = subprocess.Popen([sys.executable, "-c", program, str(tmp_path)], stdout=PIPE)
        while int(run.stdout.readline()) < nodes:
            pass
        run.kill()
        run.wait()
        run.stdout.close()
    fresh = solver.solve(Position(Game.parse("5x5:2,2")))
    resumed = solver.solve(Position(Game.parse("5x5:2,2")), table=tmp_path)
    assert resumed.total_height == fresh.total_height == 4707
    assert resumed.best_shots == fresh.best_shots
    assert resumed.nodes < 0.95 * fresh.nodes


def test_the_tree_of_a_solution_found_with_a_table(tmp_path):
    solution = solver.solve(Position(Game.parse("4x4:3,2")), table=tmp_path)
    assert verify(solution.tree()) == solution.total_height == 878


def test_a_table_that_another_process_writes_is_read(tmp_path):
    position = Position(Game.parse("4x5:3,2"))
    first = solver.solve(position, table=tmp_path)
    with DiskTable(tmp_path, "4x5:3,2", writable=False) as disk:
        again = Solver(position, disk=disk).solution
        assert again.total_height == first.total_height
        assert again.nodes < first.nodes / 10
        with pytest.raises(TableError, match=r"is for 4x5:3,2, not for 4x5:2"):
            Solver(Position(Game.parse("4x5:2")), disk=disk)


def test_threads_take_turns_on_one_solver():
    solution = solver.solve(Position(Game.parse("4x5:3,2")))
    with ThreadPoolExecutor(4) as pool:
        trees = list(pool.map(lambda _: solution.tree(), range(4)))
    assert all(tree == trees[0] for tree in trees)


def test_too_many_weights_are_refused():
    with pytest.raises(TooLarge, match="89 different numbers"):
        solver.solve(Position(Game.parse("3x5:2,2,2,2,1,1,1,1;contact=any")))
