"""The front door: what `import optsearch` gives, how values look, and samples as ships."""

import ast
import doctest
import importlib
import inspect
import pickle
import re
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import dist
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib import pyplot

import optsearch
from optsearch.check import reference
from optsearch.counting.configurations import to_masks
from optsearch.evaluation import PositionSampling
from optsearch.game import cell_name
from optsearch.game.position import Position, play
from optsearch.results import bracket
from optsearch.results.tables import TABLES
from optsearch.strategies import named
from optsearch.support.errors import PositionError

GAME = "4x5:2,3,4"
EMPTY = Position.of(GAME)


def test_every_name_is_there():
    assert {*optsearch.__all__, "build"} == {*optsearch._HOMES}
    assert {*dir(optsearch)} == {*optsearch.__all__, "__version__", "build"}
    for name, home in optsearch._HOMES.items():
        value = getattr(importlib.import_module(f"optsearch.{home}"), name)
        assert value is getattr(optsearch, name)
        assert not inspect.ismodule(value)
    with pytest.raises(AttributeError, match="no attribute 'sovle'"):
        _ = optsearch.sovle


def test_type_checkers_see_the_names():
    face = ast.parse(Path(optsearch.__file__).read_text())
    (checked,) = (one.body for one in face.body if isinstance(one, ast.If))
    imported = {(one.module, alias.name) for one in checked for alias in one.names}
    assert imported == {(f"optsearch.{home}", name) for name, home in optsearch._HOMES.items()}


def test_the_docstring():
    found = doctest.testmod(optsearch, optionflags=doctest.ELLIPSIS)
    assert (found.failed, found.attempted) == (0, 5)


def test_the_import_loads_next_to_nothing():
    code = "import optsearch, sys; print(*(m for m in sys.modules if m in %r))"
    heavy = ["numpy", "matplotlib", "lmdb", "click", "rich", "optsearch.game"]
    run = subprocess.run(
        [sys.executable, "-c", code % heavy], capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == []


def test_calls_give_what_the_functions_give():
    assert optsearch.solve(GAME).total_height == optsearch.solve(EMPTY).total_height == 994
    assert optsearch.solve(EMPTY.game).total_height == 994  # Table 1
    assert optsearch.greedy(GAME).total_height() == 995  # tests/examples.py
    assert optsearch.evaluate("greedy", GAME) == optsearch.evaluate("greedy", EMPTY.game)
    assert optsearch.bounds(GAME).bounds == bracket.bounds(EMPTY).bounds
    assert optsearch.Posterior(GAME).configurations == 88
    with pytest.raises(PositionError, match="5 is not a position; give a Position, a Game"):
        optsearch.solve(5)


# How values look


@cache
def values():
    solution = optsearch.solve(GAME)
    return {
        "game": EMPTY.game,
        "position": Position.parse(EMPTY.game, "A2=hit B3=miss"),
        "announced": Position.parse(optsearch.Game.parse("2x3:2,1,announce=sunk"), "A1=sunk"),
        "posterior": optsearch.Posterior(Position.parse(EMPTY.game, "A2=hit")),
        "solution": solution,
        "within": optsearch.solve(GAME, objective=optsearch.Objective.parse("within=11")),
        "worst": optsearch.solve(GAME, objective=optsearch.Objective.parse("worst")),
        "tree": solution.tree(),
        "evaluation": optsearch.evaluate("greedy", GAME),
        "bracket": optsearch.bounds(GAME),
        "simulation": optsearch.simulate("greedy", GAME, games=3),
        "comparison": optsearch.compare(
            "greedy", "greedy:endgame=0", GAME, sampling=PositionSampling(positions=2)
        ),
        "greedy": optsearch.greedy(GAME),
    }


def test_short_representations():
    found = {name: repr(value) for name, value in values().items()}
    assert found == {
        "game": "Game('4x5:4,3,2')",
        "position": "Position('4x5:4,3,2', 'A2=hit B3=miss')",
        "announced": "Position('2x3:2,1,announce=sunk', 'A1=sunk')",
        "posterior": "<Posterior of 4x5:4,3,2, A2=hit>",
        "solution": "<Solution of 4x5:4,3,2: mean 994/88 = 11.295455>",
        "within": "<Solution of 4x5:4,3,2: 52 of 88 within 11 shots>",
        "worst": "<Solution of 4x5:4,3,2: worst case 12, mean 995/88 = 11.306818>",
        "tree": "<DecisionTree of 4x5:4,3,2: 88 leaves, total height 994>",
        "evaluation": "<Evaluation of greedy:ties=first,endgame=4 on 4x5:4,3,2: mean 11.340909, "
        "worst 13>",
        "bracket": "<Bracket of 4x5:4,3,2: 11.295455 on both sides, to the nearest digit>",
        "simulation": "<Simulation of 4x5:4,3,2, 3 games: greedy:ties=first,endgame=4 10.3333 ± "
        "0.3333>",
        "comparison": "<Comparison on 4x5:4,3,2: greedy:ties=first,endgame=4 11.3409, "
        "greedy:ties=first,endgame=0 11.3409, saved 0.000000 shots, exactly>",
        "greedy": "<GreedySolver of 4x5:4,3,2>",
    }
    names = {"Game": optsearch.Game, "Position": Position}
    for name in ("game", "position", "announced"):
        assert eval(found[name], names) == values()[name]


def test_drawn_in_a_notebook():
    """Well-formed, with the figures in it, and the signs of the shots where they are."""
    texts = {}
    for name, value in values().items():
        if hasattr(value, "_repr_html_"):
            root = ElementTree.fromstring(
                value._repr_html_().replace("<details open>", "<details>")
            )
            texts[name] = ["".join(cell.itertext()) for cell in root.iter() if cell.tag == "td"]
    assert {*texts} == {*values()} - {"greedy"}
    assert texts["game"][-4:] == [
        *("contact", "ships do not touch", "announce", "hits tell nothing")
    ]
    board = texts["position"]
    assert [(i, sign) for i, sign in enumerate(board) if sign] == [(5, "×"), (11, "○")]
    assert texts["announced"] == ["●", "", "", "", "", ""]
    chances = [round(100 * p) for p in values()["posterior"].probability.ravel()]
    assert texts["posterior"] == ["×" if i == 5 else str(p) for i, p in enumerate(chances)]
    assert "mean 994/88 = 11.295455" in texts["solution"]
    assert "994/88 = 11.295455" in texts["tree"]
    assert "998/88 = 11.340909" in texts["evaluation"]
    bounds = [bound.name for bound in values()["bracket"].bounds]
    assert texts["bracket"][2::4] == bounds
    assert texts["bracket"][0::4][-1] == "="
    assert texts["simulation"] == [
        *("greedy:ties=first,endgame=4", "10.3333", "0.3333", "0.577", "10", "11")
    ]
    assert texts["comparison"][1:8:2] == [
        *("11.3409", "11.3409", "the whole game; alike", "0.000000 shots, exactly")
    ]


def test_tables_as_dictionaries():
    """What is a table gives rows that pandas reads in one line; exact values are texts there."""
    found = values()["bracket"]
    assert [Fraction(row["value_exact"]) for row in found.to_dicts()] == [
        bound.value for bound in found.bounds
    ]
    assert [row["value"] for row in found.to_dicts()][-1] == 994 / 88
    assert values()["evaluation"].to_dicts()[0] == {"shots": 9, "configurations": 1}
    (row,) = values()["simulation"].to_dicts()
    assert (row["mean"], row["games"], "histogram" in row) == (31 / 3, 3, False)
    assert values()["simulation"].outcomes[0].histogram == {10: 2, 11: 1}
    rows = values()["comparison"].to_dicts()
    assert rows == [{"first_mean": 998 / 88, "second_mean": 998 / 88, "saved": 0.0}] * 2
    posterior = values()["posterior"]
    cells = {row["cell"]: (row["occurrence"], row["probability"]) for row in posterior.to_dicts()}
    assert cells["A3"] == (46, 46 / 60)
    assert len(optsearch.Posterior("3x3:2,holes=B2").to_dicts()) == 8
    valued = optsearch.solve("2x3:2", all_shots=True).to_dicts()
    assert [(row["shot"], row["mean_exact"]) for row in valued[:2]] == [
        ("A1", "26/7"),
        ("B1", "25/7"),
    ]
    with pytest.raises(optsearch.OptsearchError, match="call solve with all_shots=True"):
        values()["solution"].to_dicts()
    mixed = optsearch.equilibrium("3x3:2").to_dicts()  # a third in the middle
    assert [(row["images"], row["probability_exact"]) for row in mixed] == [(8, "2/3"), (4, "1/3")]
    stored = TABLES["optima"].read().to_dicts()[0]
    assert (stored["game"], stored["total_height"]) == ("2x2:1", 10)
    pandas = pytest.importorskip("pandas")
    assert pandas.DataFrame(found.to_dicts()).query("side == 'lower'")["value"].max() == 994 / 88


@pytest.mark.parametrize("game", ["3x4:3,board=hex", "hexagonal_2008.json#upper:weapons"])
def test_hexagons_in_a_notebook(game):
    """Each cell is a polygon with its name; neighbours share two corners, and no others do."""
    posterior = optsearch.Posterior(game)
    board = posterior.position.game.board
    picture = ElementTree.fromstring(posterior._repr_html_()).find(".//{*}svg")
    names, corners, texts = [], [], []
    for group in picture.findall("{*}g"):
        names.append(group.find("{*}title").text)
        points = group.find("{*}polygon").get("points").split()
        corners.append([tuple(map(float, point.split(","))) for point in points])
        texts.append(group.find("{*}text").text)
    cells = [cell for cell in range(board.cells) if not board.empty >> cell & 1]
    assert names == [cell_name(divmod(cell, board.columns)) for cell in cells]
    assert texts == [f"{100 * p:.0f}" for p in posterior.probability.ravel()[cells]]
    wide, high = float(picture.get("width")), float(picture.get("height"))
    for one, mine in zip(cells, corners, strict=True):
        assert all(0 <= x <= wide - 1 and 0 <= y <= high - 1 for x, y in mine)  # with its line
        for other, theirs in zip(cells, corners, strict=True):
            shared = sum(dist(a, b) < 1 for a in mine for b in theirs)
            assert shared == (6 if one == other else 2 * (board.sides[one] >> other & 1))


def test_seams_in_a_notebook():
    for board, dashed in (("rectangle", 0), ("cylinder", 2 * 3), ("torus", 2 * 3 + 2 * 4)):
        game = "3x4:2" + (f",board={board}" if board != "rectangle" else "")
        assert optsearch.Posterior(game)._repr_html_().count("dashed") == dashed


def test_a_tree_unfolds_to_all_its_leaves():
    tree = optsearch.solve(GAME).tree()
    assert tree._repr_html_().count("✓") == tree.leaves == 88


def test_bars_of_a_histogram():
    found = optsearch.evaluate("greedy", GAME)
    shown = ElementTree.fromstring(found._repr_html_())
    titles = [one.text for one in shown.iter() if one.tag.endswith("title")]
    assert titles == [f"{shots} shots: {n}" for shots, n in found.histogram.items()]


# Trees and boards elsewhere


def test_values_are_drawn_on_axes():
    """On those that are given, or on a figure as large as the drawing."""
    tree, figure = values()["tree"], pyplot.figure()
    ax = figure.add_subplot()
    assert tree.draw(ax, depth=1) is ax
    names = [text.get_text() for text in ax.texts]
    assert names == [
        "A2",
        "60",
        "28",
        "× hit, ○ miss, △ n: a subtree of n configurations, left out, ✓ end",
    ]
    new = optsearch.draw(values()["posterior"])
    assert new.figure is not figure
    assert tuple(new.figure.get_size_inches()) == (0.45 * 5, 0.45 * 4)
    shown = {text.get_text() for text in new.texts if text.get_gid() == "value"}
    chances = [100 * p for p in values()["posterior"].probability.ravel()]
    assert shown == {f"{p:.1f}" for i, p in enumerate(chances) if i != 5}
    drawn = optsearch.draw(values()["position"], ax)
    assert [text.get_text() for text in drawn.texts][-1] == "× hit, ○ miss"
    with pytest.raises(PositionError, match="5 is not a position"):
        optsearch.draw(5)
    pyplot.close("all")


def test_a_tree_as_a_graph(monkeypatch):
    """Its paths are those of the tree: the shots on them, their replies, and what ends there."""
    networkx = pytest.importorskip("networkx")
    tree = optsearch.solve("3x3:2,1,announce=ship").tree()
    graph = tree.to_networkx()
    assert networkx.is_arborescence(graph)
    ends = [node for node in graph if not graph.out_degree(node)]
    for end, (shots, leaf) in zip(ends, tree.paths(), strict=True):
        path = networkx.shortest_path(graph, 0, end)
        assert [graph.nodes[node]["shot"] for node in path[:-1]] == [
            cell_name(shot.cell) for shot in shots
        ]
        replies = [graph.edges[edge]["reply"] for edge in pairwise(path)]
        assert replies == [str(shot.reply) for shot in shots]
        assert graph.nodes[end] == {"configurations": leaf.configurations}
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(optsearch.OptsearchError, match="needs networkx, which is not installed"):
        tree.to_networkx()


# Samples


@pytest.mark.parametrize("game", ["4x5:2,3,4", "3x4:2,1,1,contact=any"])
def test_ships_and_boards_of_a_sample(game):
    posterior = optsearch.Posterior(game)
    drawn = posterior.sample(20, 3, masks=True)
    size = posterior.position.game
    for sets, names, board in zip(
        drawn, posterior.ships(drawn), posterior.boards(drawn), strict=True
    ):
        rows = board.split("\n")
        assert [len(row) for row in rows] == [size.columns] * size.rows
        for i, (mask, name) in enumerate(zip(to_masks(sets), names, strict=True)):
            cells = size.names(mask)
            assert name == (cells[0] if len(cells) == 1 else f"{cells[0]}-{cells[-1]}")
            for row, column in size.cells_of(mask):
                assert rows[row][column] == str(i + 1)
        assert board.count(".") == size.cells - size.fleet_cells


@pytest.mark.parametrize("game", ["4x5:2,3,4", "3x4:2,1,1,contact=any,holes=B2", "9x15:3,2"])
def test_a_sample_as_arrays(game):
    """1 where the drawn boards have a ship, of boards of two words and of three."""
    posterior = optsearch.Posterior(game)
    drawn = posterior.sample(20, seed=3)
    size = posterior.position.game
    assert (drawn.shape, drawn.dtype) == ((20, size.rows, size.columns), np.uint8)
    boards = posterior.boards(posterior.sample(20, seed=3, masks=True))
    lines = ["\n".join("".join(".1"[cell] for cell in row) for row in board) for board in drawn]
    assert lines == [re.sub("[0-9]", "1", board).replace("-", ".") for board in boards]
    assert (posterior.list_all().sum(axis=0) == posterior.occurrence).all()
    for ask in (posterior.ships, posterior.boards):
        with pytest.raises(optsearch.OptsearchError, match=r"uint8 does not tell ships apart"):
            ask(drawn)


def test_a_position_as_arrays():
    position = Position("3x4:2", "B1=hit D3=miss A2=miss")
    assert position.hits_array.tolist() == [[0, 1, 0, 0], [0] * 4, [0] * 4]
    assert position.misses_array.tolist() == [[0] * 4, [1, 0, 0, 0], [0, 0, 0, 1]]
    assert Position("9x15:3", "O9=hit").hits_array.nonzero() == ([8], [14])


# One way in: text wherever a game, a position, a reply or an objective is taken


def test_text_is_taken_for_games_positions_and_replies():
    after = Position.parse(optsearch.Game.parse("4x4:3,2"), "A1=hit")
    assert Position.parse("4x4:3,2", "A1=hit") == after
    assert Position("4x4:3,2", "A1=hit") == Position("4x4:3,2").after((0, 0), "hit") == after
    assert Position("4x4:3,2", {"A1": "hit"}) == Position("4x4:3,2", {(0, 0): "hit"}) == after
    assert Position("4x4:3,2").after("A1", "hit").after(np.array([0, 1]), "miss").hits == 1
    signs = np.full((4, 4), ".")
    signs[0, 0] = "X"
    assert Position.from_board("4x4:3,2", signs) == after
    assert Position.of(after, "A2=hit") == Position.of("4x4:3,2", "A1=hit A2=hit")
    posterior = optsearch.Posterior("4x4:3,2", "A1=hit")
    assert posterior.configurations == optsearch.Posterior(after).configurations
    assert (posterior.sample(3, seed=1) == posterior.sample(3, np.random.default_rng(1))).all()


def test_shots_are_taken_by_every_function():
    game, after = "4x4:3,2", Position.parse("4x4:3,2", "A1=hit")
    values = [
        optsearch.solve(game, shots="A1=hit", objective="mean").mean,
        optsearch.greedy(game, shots="A1=hit").total_height(),
        optsearch.bounds(game, shots="A1=hit").lower,
    ]
    assert values == [
        optsearch.solve(after).mean,
        optsearch.greedy(after).total_height(),
        optsearch.bounds(after).lower,
    ]


@pytest.mark.parametrize(
    ("strategy", "game", "shots"),
    [
        ("greedy:endgame=0", "4x4:3,2", "A1=hit B3=miss"),
        ("spread", "3x4:2,2,contact=any,announce=ship", "B2=hit B3=sunk:2"),
        ("pattern", "4x4:3,2", "A1=hit"),
    ],
)
def test_an_evaluation_from_a_position(strategy, game, shots):
    """The histogram of the games played from there on, by the definition of the strategy."""
    start = Position.parse(game, shots)
    played = Counter(
        len(play(named(strategy).shot, ships, start).shots) - len(start.shots)
        for ships in reference.configurations(start)
    )
    found = optsearch.evaluate(strategy, game, shots=shots)
    assert found.histogram == played
    assert found == optsearch.evaluate(strategy, start)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (lambda: optsearch.solve("4x4:3,2", objective="best"), "'best' is not an objective; use"),
        (lambda: optsearch.solve("4x4:3,2", shots="A1"), "A1 has no reply; write it as in A1 miss"),
        (lambda: Position(5), "5 is not a game; give a Game or its text"),
        (lambda: Position("4x4:3,2", ["A1=hit"]), "'A1=hit' is not a shot; give their text"),
        (lambda: Position("4x4:3,2", {"A1": 3}), "A1=3 is not a reply of a game with"),
        (lambda: Position("4x4:3,2").after((0, 1), "hot"), "'hot' is not a reply; use hit or miss"),
        (lambda: Position("4x4:3,2").after("A1", 3), "A1=3 is not a reply of a game with"),
        (lambda: Position("4x4:3,2").after(3, "hit"), "3 is not a cell; give .row, column."),
        (lambda: Position.from_board("4x4:3,2", 5), "5 is not a drawn board; give its rows"),
        (lambda: Position.from_board(np.full((4, 4), ".")), "a drawn board needs its game"),
        (lambda: optsearch.simulate("greedy", 5), "5 is not a game"),
        (lambda: optsearch.Posterior("4x4:3,2", "E1=hit"), "E1"),
    ],
)
def test_errors_are_those_of_the_command(asked, message):
    with pytest.raises(optsearch.OptsearchError, match=message):
        asked()


def test_solutions_and_posteriors_pickle():
    solution = optsearch.solve(GAME)
    assert pickle.loads(pickle.dumps(solution)) == solution
    with pytest.raises(optsearch.OptsearchError, match="was pickled has no tree; solve again"):
        pickle.loads(pickle.dumps(solution)).tree()
    posterior = pickle.loads(pickle.dumps(optsearch.Posterior(GAME, "A2=hit")))
    assert (posterior.configurations, posterior.greedy_shots()) == (60, [(2, 0)])
