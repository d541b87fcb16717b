"""Ships of other shapes: their text, how they lie, known numbers, and that sinkings name them."""

import pickle

import pytest

from optsearch.check import reference
from optsearch.check.trees import verify
from optsearch.counting.configurations import Configurations
from optsearch.counting.lattice import SkylineSweep
from optsearch.counting.posterior import Posterior
from optsearch.game import CONTACTS, Game
from optsearch.game.position import Position, Reply, shots_of
from optsearch.game.shapes import NAMED, Shape, orientations_of, parse_kind
from optsearch.search.solver import solve
from optsearch.strategies import named
from optsearch.support.errors import GameError, NotSupported, TooLarge
from tests.examples import EVERY_RULE, rule_name

# The ways to lie of each free pentomino and tetromino, and the rectangle around it: S. W. Golomb,
# Polyominoes (1994); the fixed pentominoes are 63 (OEIS A001168), the one-sided 18 (A000988).
WAYS = {
    **{"F5": (8, 3, 3), "L5": (8, 4, 2), "N5": (8, 4, 2), "P5": (8, 3, 2), "T5": (4, 3, 3)},
    **{"U5": (4, 3, 2), "V5": (4, 3, 3), "W5": (4, 3, 3), "X5": (1, 3, 3), "Y5": (8, 4, 2)},
    **{"Z5": (4, 3, 3), "V3": (4, 2, 2), "L4": (8, 3, 2), "O4": (1, 2, 2), "S4": (4, 3, 2)},
    "T4": (4, 3, 2),
}


@pytest.mark.parametrize("name", WAYS)
@pytest.mark.parametrize("size", [8, 10])
def test_placements(name, size):
    """On a square every way to lie has as many places as the rectangle around it."""
    ways, high, wide = WAYS[name]
    shape = parse_kind(name)
    places = (size - high + 1) * (size - wide + 1)
    game = Game(size, size, (shape,))
    assert len(game.placements(shape)) == ways * places
    assert Posterior(game).configurations == Configurations(Position(game)).configurations
    assert Posterior(game).configurations == ways * places


def test_numbers_of_pentominoes():
    shapes = [name for name in NAMED if name.endswith("5")] + ["5"]
    assert len(shapes) == 12
    assert sum(len(orientations_of(parse_kind(name))) for name in shapes) == 63
    onesided = set()
    for name in shapes[:-1]:
        mirrored = "/".join(row[::-1] for row in NAMED[name].split("/"))
        onesided |= {parse_kind(f"{drawn}-onesided") for drawn in (NAMED[name], mirrored)}
    assert len(onesided) + 1 == 18


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("10x10:5,L,T,2", "10x10:5,L4,T4,2"),
        ("10x10:2,t,square,l5", "10x10:L5,O4,T4,2"),
        ("5x5:##/.#", "5x5:V3"),
        ("5x5:###", "5x5:3"),
        ("5x5:I4", "5x5:4"),
        ("5x5:#/#", "5x5:2"),
        ("5x5:##-fixed", "5x5:##-fixed"),
        ("5x5:J4", "5x5:L4"),
        ("5x5:J4-onesided", "5x5:J4-onesided"),
        ("5x5:L4-fixed,announce=ship,holes=A1", "5x5:L4-fixed,announce=ship,holes=A1"),
        ("6x6:#../###/..#", "6x6:Z5"),
        ("6x6:##.#/.###", "6x6:" + "##.#/.###"),
    ],
)
def test_text(text, printed):
    game = Game.parse(text)
    assert Game.parse(str(game)) == game
    if printed.count("/") == 0:
        assert str(game) == printed
    assert pickle.loads(pickle.dumps(game)) == game


PLANE = "..@../#####/..#../.###."


def test_a_head_is_drawn():
    """Each way to lie has its own head; the plane without one is another kind of ship."""
    plane = parse_kind(PLANE)
    assert {drawing.head for drawing in plane.drawings} == {(0, 2), (2, 3), (3, 2), (2, 0)}
    assert parse_kind(str(plane)) == plane != parse_kind(PLANE.replace("@", "#"))
    assert pickle.loads(pickle.dumps(plane)).drawings == plane.drawings
    assert parse_kind("@##-fixed").drawings[0].head == (0, 0)
    game = Game.parse(f"6x6:{PLANE}")
    heads = [game.board.head_of(plane, ship) for ship in game.placements(plane)]
    assert all(ship >> head & 1 for ship, head in zip(game.placements(plane), heads, strict=True))


def test_three_aeroplanes():
    """As many as triples of disjoint placements, listed one by one."""
    ships = Game.parse(f"10x10:{PLANE}").placements(parse_kind(PLANE))
    beside = [(b, a | b) for i, a in enumerate(ships) for b in ships[:i] if not a & b]
    number = sum(not c & both for b, both in beside for c in ships[: ships.index(b)])
    game = Game.parse(f"10x10:{PLANE},{PLANE},{PLANE},contact=any")
    assert Posterior(game).configurations == number == 66_816


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("@##", "'@##' has more than one head on the same cells; -fixed has one"),
        ("@#/@.", "is not a ship"),
    ],
)
def test_a_head_is_one_cell(text, error):
    with pytest.raises(GameError, match=error):
        parse_kind(text)


def test_a_shape_is_no_length():
    shape = parse_kind("L4")
    assert isinstance(shape, Shape)
    assert (shape == 4, shape == parse_kind("L"), int(shape)) == (False, True, 4)
    assert Reply.parse("sunk:L4") == Reply(True, True, shape)
    assert str(Reply(True, True, shape)) == "sunk:L4"


@pytest.mark.parametrize("announce", EVERY_RULE, ids=rule_name)
@pytest.mark.parametrize("contact", CONTACTS)
def test_the_optimum_is_that_of_the_definition(contact, announce):
    """Two kinds of equal size, and a fixed one, on a small board."""
    board = "3x3" if contact == "any" else "3x4"
    for text in (f"{board}:V3,3", "2x5:S4-onesided,1", "3x3:V3-fixed,2"):
        game = Game.parse(f"{text},contact={contact},announce={announce}")
        if not any(reference.configurations(Position(game))):
            continue
        found, expected = solve(game), reference.solve(Position(game))
        assert (found.total_height, found.best_shots) == (
            expected.total_height,
            expected.best_shots,
        )
        assert verify(found.tree()) == found.total_height


def test_a_kind_of_many_placements_is_taken_apart():
    """Two ships of 448 placements each on 9x9: as the transfer matrix counts them."""
    game = Game.parse("9x9:L5,L5,2,contact=any")
    assert len(game.placements(game.fleet[0])) > 256
    by_one, swept = Configurations(Position(game)), Posterior(game)
    assert by_one.configurations == swept.configurations
    assert by_one.occurrence.tolist() == swept.occurrence.tolist()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("B2 sunk:L4", "B2=sunk:L4"),
        ("B2 sunk L4", "B2=sunk:L4"),
        ("B2=sunk:L4, C3 miss", "B2=sunk:L4 C3=miss"),
        ("B2 sunk l4 C3 hit", "B2=sunk:L4 C3=hit"),
        ("B2 sunk L4 hit", "B2=sunk L4=hit"),
        ("B2: sunk 3 C3:miss", "B2=sunk:3 C3=miss"),
        ("B2 sunk ##/.#-fixed", "B2=sunk:##/.#-fixed"),
    ],
)
def test_sinkings_as_a_person_writes_them(text, expected):
    assert " ".join(map(str, shots_of(Game.parse("5x5:2"), text))) == expected


def test_what_is_for_straight_ships_says_so():
    game = Game.parse("5x5:L4")
    with pytest.raises(NotSupported, match="is for straight ships"):
        named("pattern:water=1").rule(game)
    with pytest.raises(TooLarge, match="skylines are of straight ships"):
        SkylineSweep(game)
