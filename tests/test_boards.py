"""Boards of any shape, beside the definition, which knows neighbours and lists of cells alone."""

import json
import pickle
import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from optsearch.check import reference
from optsearch.counting.posterior import Posterior
from optsearch.equilibria import equilibrium
from optsearch.evaluation import evaluate
from optsearch.game import CONTACTS, Game, bits, image
from optsearch.game.board import BOARD_MAKERS
from optsearch.game.position import Position, shots_of
from optsearch.game.ships import ship_of
from optsearch.play.simulate import simulate
from optsearch.search.solver import solve
from optsearch.support.errors import GameError, NotSupported
from tests.definition import LYING, USERS_RULES, Definition, Rules
from tests.examples import EVERY_RULE, draws

OTHERS = sorted(BOARD_MAKERS.keys() - {"rectangle"})


@st.composite
def rules(draw, boards=OTHERS, announce=EVERY_RULE, most=200, cells=16):
    """Rules on such boards with so many configurations, one at least."""
    board = draw(st.sampled_from(boards))
    rows = draw(st.integers(1, 4))
    columns = draw(st.integers(1, max(1, min(6, cells // rows))))
    ship = st.integers(1, 4)
    if board != "hex" and draw(st.booleans()):
        ship |= st.sampled_from(sorted(LYING))
    fleet = draw(st.lists(ship, min_size=1, max_size=3))
    contacts = [one for one in CONTACTS if board != "hex" or one != "corner"]
    holes = draw(st.sets(st.integers(0, rows * columns - 1), max_size=3) | st.just(set()))
    rule = draw(st.sampled_from(announce))
    made = Rules(
        *(rows, columns, tuple(sorted(fleet, key=str)), draw(st.sampled_from(contacts)), rule),
        *(tuple(sorted(holes)), board, USERS_RULES.get(rule)),
    )
    assume(len(holes) < rows * columns)
    try:
        Game.parse(str(made))
    except GameError:  # a ship that goes nowhere, or too many cells
        assume(False)
    assume(0 < len(made.configurations) <= most)
    return made


@draws(1000, 12)
@given(rules())
def test_configurations(rules):
    """The oracle of this package and the sweep find those of the definition."""
    game = Game.parse(str(rules))
    assert str(Game.parse(str(game))) == str(game)
    found = [tuple(sorted(ships)) for ships in reference.configurations(Position(game))]
    assert len(found) == len(set(found))
    assert set(found) == rules.configurations
    posterior = Posterior(game)
    assert posterior.configurations == len(found)
    counts = Counter(cell for ships in found for ship in ships for cell in bits(ship))
    occurrence = posterior.occurrence.ravel()
    assert {cell: n for cell, n in enumerate(occurrence.tolist()) if n} == counts


@draws(300, 30)
@given(rules(), st.data())
def test_posteriors_after_shots(rules, data):
    game = Game.parse(str(rules))
    hidden = data.draw(st.sampled_from(sorted(rules.configurations)))
    free = [cell for cell in range(rules.cells) if cell not in rules.holes]
    order = data.draw(st.permutations(free))
    state, text, hits = Definition(rules).root, [], 0
    for cell in order[: data.draw(st.integers(0, len(free)))]:
        answer = rules.reply(hidden, hits, cell)
        state = Definition(rules).parts(state, cell)[answer]
        hits |= (answer != "miss") << cell
        text.append(f"{rules.name(cell)}={answer}")
    position = Position.parse(game, " ".join(text))
    counts = Counter(c for ships in state.family for ship in ships for c in bits(ship))
    posterior = Posterior(position)
    assert posterior.configurations == len(state.family)
    assert np.array_equal(
        posterior.occurrence.ravel(), [counts[cell] for cell in range(rules.cells)]
    )
    drawn = posterior.ships(posterior.sample(5, np.random.default_rng(0), masks=True))
    for names in drawn:
        ships = tuple(sorted(ship_of(name, game) for name in names))
        assert ships in state.family


@draws(120, 5)
@given(rules(most=60, cells=12))
def test_optimum_and_greedy(rules):
    """Solving and evaluating beside the definition, which tries everything."""
    definition, game = Definition(rules), Game.parse(str(rules))
    assert solve(Position(game)).total_height == definition.optimum(definition.root)
    played = definition.played(definition.player("first", 0))
    found = evaluate("greedy:endgame=0", game)
    assert found.histogram == dict(sorted(played.items()))


@draws(100, 20)
@given(rules())
def test_symmetries(rules):
    """A group of permutations that take configurations to configurations."""
    game = Game.parse(str(rules))
    symmetries = set(game.symmetries())
    assert game.symmetries()[0] == tuple(range(game.cells))
    assert len(symmetries) == len(game.symmetries())
    for p in game.symmetries()[:20]:
        turned = {tuple(sorted(image(ship, p) for ship in one)) for one in rules.configurations}
        assert turned == rules.configurations
        assert tuple(p[i] for i in game.symmetries()[-1]) in symmetries


@pytest.mark.parametrize(
    ("board", "number"),
    [("rectangle", 8), ("cylinder", 20), ("torus", 200), ("hex", 4)],
)
def test_how_many_symmetries(board, number):
    """Of 5x5: a square has 8; each seam lets the board be moved 5 times as many ways."""
    assert len(Game.parse(f"5x5:2,board={board}").symmetries()) == number


@pytest.mark.parametrize("text", ["1x6:2,2a,board=cylinder", "3x3:2,2a,2b,board=torus"])
def test_ships_of_other_names_have_the_same_places(text):
    game = Game.parse(f"{text},contact=any,announce=name")
    every = [sum(ships) for ships in reference.configurations(Position(game))]
    for position in (Position(game), Position(game, "A1=miss")):
        left = [cells for cells in every if not cells & position.misses]
        found = Posterior(position)
        on = [sum(cells >> cell & 1 for cells in left) for cell in range(game.cells)]
        assert found.occurrence.ravel().tolist() == on
        assert found.configurations == len(left) == Posterior(position).configurations


def test_what_is_found_once_is_not_sent():
    """A game goes to other processes with each task."""
    game = Game.parse("5x5:2,board=torus")
    before = len(pickle.dumps(game))
    assert len(game.symmetries()) == 200
    assert len(pickle.dumps(game)) == before < 1000
    assert pickle.loads(pickle.dumps(game)) == game


def test_a_place_without_a_cell():
    game = Game.parse("hexagonal_2008.json#upper:destroyer")
    with pytest.raises(GameError, match="H1 is not a cell of the board hexagonal_2008"):
        game.bit((0, 7))


def test_lines_that_wrap_onto_the_same_cells_are_one():
    assert len(Game.parse("3x5:5,board=torus").placements(5)) == 3
    assert len(Game.parse("2x3:2,board=torus").placements(2)) == 9


@pytest.mark.parametrize(
    "strategy",
    ["parity", "pattern", "greedy:ties=checkerboard", "heuristic", "greedy:ties=central"],
)
def test_what_needs_a_rectangle(strategy):
    with pytest.raises(NotSupported, match="rectangle"):
        simulate([strategy], Game.parse("4x4:2,board=torus"), games=2)


# Boards of files

RING = {
    "cells": {"A1": [0, 0], "B1": [1, 0], "B2": [1, 1], "A2": [0, 1]},
    "neighbours": {
        **{"A1": ["B1", "A2"], "B1": ["A1", "B2"]},
        **{"B2": ["B1", "A2"], "A2": ["B2", "A1"]},
    },
    "lines": {"round": [["A1", "B1", "B2", "A2", "A1"]]},
    "ships": {"boat": {"length": 2}, "corner": {"cells": [["A1", "B1", "A2"]]}},
}


def written(folder, board, name="ring"):
    path = folder / "boards.json"
    made = {"format": "optsearch boards", "version": 1, "boards": {name: board}}
    path.write_text(json.dumps(made))
    return path


def test_a_board_of_a_file(tmp_path):
    path = written(tmp_path, RING)
    game = Game.parse(f"{path}#ring:boat,1,contact=any")
    assert len(game.placements(game.fleet[0])) == 4
    assert Posterior(game).configurations == 8
    assert Game.parse(str(game)) == game
    assert solve(Position(game)).total_height > 0
    other = tmp_path / "other"
    other.mkdir()
    assert Game.parse(f"{written(other, RING)}#ring:boat,1,contact=any") == game
    with pytest.raises(GameError, match="C1 is off the board"):
        game.bit((0, 2))
    told = Game.parse(f"{path}#ring:boat,1,contact=any,announce=ship")
    position = Position.parse(told, "A1=hit B1=sunk:boat")
    assert Posterior(position).configurations == 2
    assert str(Position.parse(told, str(position))) == str(position)
    assert shots_of(told, "A1 hit, B1 sunk boat")[1].reply == position.shots[1].reply
    assert pickle.loads(pickle.dumps(told)) == told
    assert equilibrium(told).value > 0


@pytest.mark.parametrize(
    "changed",
    [{"lines": {"round": [["A1", "B2"]]}}, {"ships": {"boat": {"cells": [["A2", "B1"]]}}}],
)
def test_diagonal_steps_are_listed_as_the_error_says(tmp_path, changed):
    with pytest.raises(GameError) as error:
        Game.parse(f"{written(tmp_path, {**RING, **changed})}#ring:boat")
    entries = re.search(r"among the neighbours: (.*); or write (.*) for all", str(error.value))
    listed = RING["neighbours"] | json.loads(f"{{{entries[1]}}}")
    for touching in ({"neighbours": listed}, json.loads(f"{{{entries[2]}}}")):
        game = Game.parse(f"{written(tmp_path, {**RING, **changed, **touching})}#ring:boat")
        assert Posterior(game).configurations == 1


@pytest.mark.parametrize("lines", [[""], [None], [["round"]], [{}], "round"])
def test_the_lines_of_a_ship_are_a_list_of_names(tmp_path, lines):
    path = written(tmp_path, {**RING, "ships": {"boat": {"length": 2, "lines": lines}}})
    with pytest.raises(GameError, match=r"the ship boat lies along .*; lines are round"):
        Game.parse(f"{path}#ring:boat")


@pytest.mark.parametrize("place", [[10**310, 0], [float("nan"), 0], [0, 10**6], [0]])
def test_the_place_of_a_cell_is_a_pair_of_numbers(tmp_path, place):
    path = written(tmp_path, {**RING, "cells": {**RING["cells"], "A1": place}})
    with pytest.raises(GameError, match=r"the place of A1 is .*, not \[x, y\]"):
        Game.parse(f"{path}#ring:boat")


def test_all_neighbours_in_a_word(tmp_path):
    """As if they were listed; the board has a hole."""
    cells = {f"{column}{row}": [i, row] for i, column in enumerate("ABC") for row in (1, 2, 3)}
    del cells["B2"]
    around = {
        one: [n for n, at in cells.items() if n != one and max(abs(at[0] - x), abs(at[1] - y)) == 1]
        for one, (x, y) in cells.items()
    }
    lines = {"across": [["A2", "B3"], ["B1", "C2"]]}
    listed, word = ({"cells": cells, "neighbours": n, "lines": lines} for n in (around, "diagonal"))
    games = [Game.parse(f"{written(tmp_path, board)}#ring:2") for board in (listed, word)]
    assert games[0] == games[1]
    assert Posterior(games[1]).configurations == 2


def test_a_file_that_changed(tmp_path):
    text = str(Game.parse(f"{written(tmp_path, RING)}#ring:boat"))
    written(tmp_path, {**RING, "ships": {"boat": {"length": 3}}})
    with pytest.raises(GameError, match="it changed since this was written"):
        Game.parse(text)
    (tmp_path / "boards.json").unlink()
    with pytest.raises(GameError, match="does not exist"):
        Game.parse(text)


@pytest.mark.parametrize(("half", "number"), [("upper", 17290404311), ("lower", None)])
def test_the_hexagonal_game(half, number):
    """The upper half was counted by an independent program."""
    fleet = "carrier,battleship,submarine,destroyer,weapons"
    posterior = Posterior(Game.parse(f"hexagonal_2008.json#{half}:{fleet},contact=any"))
    assert posterior.occurrence.sum() == posterior.configurations * 17
    assert number is None or posterior.configurations == number


@pytest.mark.parametrize("game", ["3x3:1", "17x17:1", "3x3:1,board=torus"])
def test_all_ships_sunk_leave_one_configuration(game):
    assert Posterior(f"{game},announce=sunk", "A1=miss B1=sunk").configurations == 1
