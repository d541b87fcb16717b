"""Games: their text, their rules, what they refuse."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optsearch import simulate
from optsearch.counting.posterior import Posterior
from optsearch.game import (
    ANNOUNCEMENTS,
    CONTACTS,
    IN_WORDS,
    Game,
    bits,
    cell_name,
    column_name,
    drawn_board,
    image,
    parse_cell,
)
from optsearch.game.named_games import NAMED_GAMES
from optsearch.game.position import Position, play, reply
from optsearch.game.shapes import Shape
from optsearch.game.ships import ships_of
from optsearch.strategies import as_player
from optsearch.support.errors import GameError
from tests.definition import Definition, Rules
from tests.examples import EVERY_RULE, games


@given(games(max_cells=24, announce=EVERY_RULE))
def test_text_round_trip(game):
    assert Game.parse(str(game)) == game
    if game.announce in ANNOUNCEMENTS:
        assert game.is_silent == ("announce" not in str(game))
    assert hash(Game.parse(str(game))) == hash(game)
    assert Game.parse(re.sub(r",(?=[a-z]+=)", ";", str(game))) == game  # the form of before


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("10x10:5,4,3,3,2", "10x10:5,4,3,3,2"),
        ("4x5:2,3,4", "4x5:4,3,2"),
        (" 4 x 4 : 3 , 2 ; contact = any ; announce=ship ", "4x4:3,2,contact=any,announce=ship"),
        ("4x4:2,contact=none,announce=nothing", "4x4:2"),
        ("1x128:128", "1x128:128"),
        ("8X16:1,1", "8x16:1,1"),
        ("4x4:2 ; holes = c3 , B1", "4x4:2,holes=B1,C3"),
        ("4x4:2,holes=B2-C3,D4", "4x4:2,holes=B2-C2,B3-C3,D4"),
        ("4x4:2;holes=B2,D4,contact=any", "4x4:2,contact=any,holes=B2,D4"),
        ("4x4:2,holes=C3-B2,contact=any", "4x4:2,contact=any,holes=B2-C2,B3-C3"),
        ("2x4:2,holes=C1-D1,A2", "2x4:2,holes=C1-D1,A2"),
        ("paper", "10x10:5,4,3,3,2"),
        (" Paper ; announce = ship", "10x10:5,4,3,3,2,announce=ship"),
        ("boxed,contact=none,holes=A1", "10x10:5,4,3,3,2,announce=ship,holes=A1"),
    ],
)
def test_text_is_normalised(text, printed):
    assert str(Game.parse(text)) == printed


def test_a_game_by_its_text():
    """What is given besides the text replaces that of the text."""
    assert Game("4x5:2,3,4") == Game(4, 5, (4, 3, 2)) == Game.parse("4x5:2,3,4")
    assert eval(repr(Game("boxed"))) == Game("boxed")
    assert str(Game("boxed", contact="none", holes=1)) == "10x10:5,4,3,3,2,announce=ship,holes=A1"
    assert str(Game("2x3:2,holes=A1", holes=0, board="torus")) == "2x3:2,board=torus"
    assert Game("paper", fleet=[2, 1]).fleet == (2, 1)
    for values in ((5,), (4, 5), (None,)):
        with pytest.raises(GameError, match=f"{values[0]} is not a game; give its text, as in"):
            Game(*values)


def test_rules_in_words():
    """All of them, and those that the text leaves out; a ship alone touches none."""
    game = Game("5x5:3,2,announce=ship")
    assert {*game.rules.values()} == {
        "ships do not touch",
        "only the hit that sinks a ship names it",
    }
    assert game.unwritten_rules == "ships do not touch"
    assert Game("5x5:3,2").unwritten_rules == "ships do not touch, hits tell nothing"
    assert Game("5x5:3").unwritten_rules == "hits tell nothing"
    assert Game("official").unwritten_rules == ""
    assert (*IN_WORDS["contact"],) == CONTACTS
    assert [*IN_WORDS["announce"]] == [*ANNOUNCEMENTS]


@pytest.mark.parametrize(
    ("name", "configurations"),
    [
        ("paper", 1_925_751_392),
        ("boxed", 15_046_987_768),
        ("official", 30_093_975_536),
        ("russian", 1_855_545_978_831_780),
        ("sploosh", 604_584),
        ("hex-upper", 17_290_404_311),
        ("hex-lower", 21_625_126_041),
    ],
)
def test_named_games(name, configurations):
    """All but russian and hex-lower are published: data/published."""
    assert Posterior(Position.of(name)).configurations == configurations
    assert len(NAMED_GAMES) == 7


@given(st.integers(0, 2000), st.integers(0, 2000))
def test_cell_round_trip(row, column):
    assert parse_cell(cell_name((row, column))) == (row, column)
    assert parse_cell(cell_name((row, column)).lower()) == (row, column)


def test_cell_names():
    assert cell_name((1, 0)) == "A2"
    assert [column_name(i) for i in (0, 25, 26, 27, 127)] == ["A", "Z", "AA", "AB", "DX"]
    for text in ("", "A", "1", "A0", "1A", "A1B", "Ä1", "A-1", "A1.0", "ABCD1"):
        with pytest.raises(GameError, match="is not a cell"):
            parse_cell(text)


def test_holes():
    """They are no cells of the board: nothing lies there, and nothing is shot there."""
    game = Game.parse("3x4:3,2,holes=B2-C2")
    assert (game.cells, game.room, game.names(game.holes)) == (12, 10, ["B2", "C2"])
    assert (1, 1) not in game
    assert (1, 0) in game
    with pytest.raises(GameError, match=r"^B2 is a hole of the board; holes=B2-C2$"):
        game.bit((1, 1))
    assert {game.ship_name(ship) for ship in game.placements(3)} == {
        *("A1-C1", "B1-D1", "A1-A3", "D1-D3", "A3-C3", "B3-D3"),
    }
    assert len(game.symmetries()) == 4
    assert len(Game.parse("3x4:3,2,holes=B2").symmetries()) == 2
    assert len(Game.parse("3x4:3,2,holes=A1").symmetries()) == 1


@pytest.mark.parametrize(
    "text", ["9999x18278:2,holes=A1-ZZZ9999", "99999999x99999999:2,holes=A9999"]
)
def test_holes_of_a_grid_that_is_too_large(text):
    with pytest.raises(GameError, match=r"^the grid .* has .* cells; at most 1,024 are handled"):
        Game.parse(text)


@pytest.mark.parametrize(
    ("drawing", "expected"),
    [
        ("....\n.--.\n....", (3, 4, 0b01100000)),
        (" . - \n\n - .\n", (2, 2, 0b0110)),
        ("...", (1, 3, 0)),
    ],
)
def test_drawn_boards(drawing, expected):
    assert drawn_board(drawing) == expected


@given(games(max_cells=24, boards=["rectangle"]))
def test_placements(game):
    for length in set(game.fleet):
        ships = game.placements(length)
        if isinstance(length, Shape):
            check_shape(game, length, ships)
            continue
        across = game.rows * max(0, game.columns - length + 1)
        down = game.columns * max(0, game.rows - length + 1)
        everywhere = replace(game, holes=0).placements(length)
        assert len(everywhere) == (across if length == 1 else across + down)
        assert len(set(ships)) == len(ships)
        assert [ship for ship in everywhere if not ship & game.holes] == list(ships)
        for ship in ships:
            rows, columns = zip(*game.cells_of(ship), strict=True)
            assert ship.bit_count() == length
            assert len(set(rows)) == 1 or len(set(columns)) == 1
            assert max(rows) - min(rows) + max(columns) - min(columns) == length - 1


def check_shape(game, shape, ships):
    """Each way to lie in each place of the rectangle around it, where no hole is."""
    expected = set()
    for cells in shape.orientations:
        high, wide = max(i for i, _ in cells), max(j for _, j in cells)
        for row in range(game.rows - high):
            for column in range(game.columns - wide):
                moved = [(row + i, column + j) for i, j in cells]
                if all(cell in game for cell in moved):
                    expected.add(game.mask(moved))
    assert (set(ships), len(set(ships))) == (expected, len(ships))
    assert all(game.kind_of(ship) == shape for ship in ships)


@given(games(max_cells=24, boards=["rectangle"]))
def test_halo(game):
    """Cell by cell: forbidden are the other cells at a distance that the rule speaks of."""
    for ship in game.placements(game.fleet[0]):
        cells = game.cells_of(ship)
        for index in range(game.cells):
            row, column = game.cell(index)
            steps = [sorted((abs(row - i), abs(column - j))) for i, j in cells]
            touching = {
                "none": [0, 1] in steps or [1, 1] in steps,
                "corner": [0, 1] in steps,
                "any": False,
            }[game.contact]
            inside = [0, 0] in steps
            assert bool(game.halo(ship) >> index & 1) == (touching and not inside)


@given(games(max_cells=24, boards=["rectangle"]))
def test_symmetries_are_a_group_that_keeps_ships(game):
    group = set(game.symmetries())
    assert game.symmetries()[0] == tuple(range(game.cells))
    assert len(group) == len(game.symmetries())
    if not game.holes and not game.has_shapes:
        assert len(group) in ((1,) if game.cells == 1 else (2, 4, 8))
    whole = replace(game, holes=0).symmetries()
    assert group == {p for p in whole if {p[i] for i in bits(game.holes)} == {*bits(game.holes)}}
    everything = Game(game.rows, game.columns, (1,)).symmetries()
    for p in set(everything) - set(whole):  # it takes some ship to where no ship can lie
        kinds = [set(replace(game, holes=0).placements(kind)) for kind in set(game.fleet)]
        assert any({image(ship, p) for ship in ships} != ships for ships in kinds)
    for p in group:
        for q in group:
            assert tuple(p[i] for i in q) in group
        for length in set(game.fleet):
            ships = set(game.placements(length))
            assert {image(ship, p) for ship in ships} == ships


@pytest.mark.parametrize("fleet", [(2, 2), ("2a", "2b"), (2, "1a", "1b"), "place"], ids=str)
@pytest.mark.parametrize("contact", CONTACTS)
def test_players_hear_names(fleet, contact):
    """Greedy's total over all configurations, its last four by the optimum, is the definition's."""
    announce = "name" if fleet != "place" else fleet
    rules = Rules(3, 3, (2, 1, 1) if fleet == "place" else fleet, contact, announce)
    game, greedy = Game.parse(str(rules)), as_player("greedy")
    ends = [play(greedy.shot, ships, Position(game)) for ships in rules.configurations]
    expected = Definition(rules).played(Definition(rules).player("first", 4))
    assert sum(len(end.shots) for end in ends) == sum(n * shots for shots, n in expected.items())
    players = ["random", "greedy", "heuristic", "parity", "density", "pattern", "thompson"]
    found = simulate(players, game, games=3, seed=1)
    assert all((one.shots >= game.fleet_cells).all() for one in found.outcomes)


def test_ships_told_apart_are_written_in_the_order_of_the_fleet():
    game = Game.parse("3x3:2a,2b,contact=any,announce=name")
    first, second = (ships_of(text, game) for text in ("A1-B1 A2-B2", "A2-B2 A1-B1"))
    assert first == second[::-1] == [0b11, 0b11000]
    assert str(reply(game, first, 0, 1)) == "hit:2a"
    assert str(reply(game, second, 0, 1)) == "hit:2b"
    with pytest.raises(GameError, match="the ships have the lengths"):
        ships_of("A1-B1", game)
