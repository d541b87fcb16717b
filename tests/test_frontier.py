"""Sweeps over cells against the skyline, brute force, and boards that are no rectangles."""

from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from optsearch.counting import frontier
from optsearch.counting.by_ship import ShipByShip
from optsearch.counting.configurations import to_masks
from optsearch.counting.constraints import Constraints
from optsearch.counting.engines import AnyBoard, engine_for
from optsearch.counting.frontier import FrontierSweep
from optsearch.counting.lattice import SkylineSweep
from optsearch.counting.posterior import Posterior
from optsearch.game import Game
from optsearch.support.errors import TooLarge
from tests.examples import draws, games
from tests.processes import run_script


@st.composite
def queries(draw, **limits):
    """A game, constraints on it, and weights of some placements."""
    game = draw(games(**limits))
    cells = st.sets(st.sampled_from([c for c in range(game.cells) if not game.holes >> c & 1]))
    closed, hits = (sum(1 << cell for cell in draw(st.just(set()) | cells)) for _ in range(2))
    fleet = game.fleet[draw(st.integers(0, len(game.fleet) - 1)) :]
    ships = sorted({ship for kind in game.fleet for ship in game.placements(kind)})
    values = st.sampled_from([0.0, 0.25, 0.5, 1.0, 3.0])
    weights = draw(st.dictionaries(st.sampled_from(ships), values, max_size=8)) if ships else {}
    return game, Constraints(fleet, closed, hits & ~closed, draw(st.booleans())), weights


def listed(game, constraints):
    """The configurations by definition, as sorted tuples of masks."""
    kinds = Counter(constraints.fleet)
    for parts in product(*(combinations(game.placements(k), n) for k, n in kinds.items())):
        ships = [ship for part in parts for ship in part]
        taken = sum(ships)
        if (
            all(
                not one & (other | game.halo(other))
                for i, one in enumerate(ships)
                for other in ships[:i]
            )
            and not taken & constraints.closed
            and not constraints.hits & ~taken
            and not (constraints.afloat and any(not one & ~constraints.hits for one in ships))
        ):
            yield tuple(sorted(ships))


def assert_equals_definition(counting, game, constraints, weights):
    """All queries of a way to count."""
    expected = sorted(listed(game, constraints))
    through = Counter(ship for ships in expected for ship in ships)
    assert counting.count(constraints) == len(expected)
    total, found = counting.count_by_placement(constraints)
    assert total == len(expected)
    assert {ship: n for (_, ship), n in found.items()} == dict(through)
    assert all(ship in game.placements(kind) for kind, ship in found)
    drawn = counting.unrank(constraints, np.arange(len(expected), dtype=np.uint64))
    assert sorted(tuple(sorted(to_masks(ships))) for ships in drawn) == expected
    weight_of = {
        ships: float(np.prod([weights.get(ship, 1.0) for ship in ships])) for ships in expected
    }
    total, sums = counting.weigh(constraints, weights)
    assert total == pytest.approx(sum(weight_of.values()), rel=1e-12)
    for ship in through:
        exact = sum(weight for ships, weight in weight_of.items() if ship in ships)
        assert sums.get(ship, 0.0) == pytest.approx(exact, rel=1e-12)
    if total:
        # Ranks in the middle of each configuration's share, in the order of the shares.
        possible = [ships for ships in expected if weight_of[ships]]
        found, rank = Counter(), 0.0
        while rank < total * (1 - 1e-9) and len(found) < 50:
            middle = np.array([rank + min(w for w in weight_of.values() if w) / 2])
            (ships,) = counting.unrank(constraints, middle, weights)
            ships = tuple(sorted(to_masks(ships)))
            found[ships] += 1
            rank += weight_of[ships]
        assert set(found) <= set(possible)
        assert set(found.values()) == {1}
        assert len(found) in (len(possible), 50)


@draws(400)
@given(queries(max_cells=12, max_ships=3))
def test_equals_definition(query):
    game, constraints, weights = query
    assert_equals_definition(FrontierSweep(game), game, constraints, weights)
    expected = sorted(listed(game, constraints))
    backwards = np.arange(len(expected), dtype=np.uint64)[::-1]
    drawn = ShipByShip(game).unrank(constraints, backwards)
    assert sorted(tuple(sorted(to_masks(ships))) for ships in drawn) == expected


@draws(400)
@given(queries(max_cells=20, max_ships=4))
def test_equals_the_skyline(query):
    game, constraints, weights = query
    assume(game.is_rectangle and not game.has_shapes)
    one, other, third = FrontierSweep(game), SkylineSweep(game), ShipByShip(game)
    assert (
        one.count_by_placement(constraints)
        == other.count_by_placement(constraints)
        == third.count_by_placement(constraints)
    )
    assert one.count(constraints) == other.count(constraints) == third.count(constraints)
    total, sums = one.weigh(constraints, weights)
    others_total, others_sums = other.weigh(constraints, weights)
    assert total == pytest.approx(others_total, rel=1e-12)
    assert sums == pytest.approx(others_sums, rel=1e-12)


@pytest.mark.parametrize("text", ["1x120:" + ",".join("1" * 30), "7x7:4,3,3,2", "9x4:3,V3,2,2"])
def test_fewer_layers_in_memory(text):
    """Where not all layers fit, some are made again; where these do not fit, that is said."""
    game = Game.parse(text)
    constraints = Constraints(game.fleet, closed=1 << 5)
    whole = FrontierSweep(game)
    total, through = whole.count_by_placement(constraints)
    weights = dict.fromkeys(game.placements(game.fleet[-1])[::2], 0.5)
    ranks = np.arange(0, min(total, 2**64 - 1), min(total, 2**64 - 1) // 7, dtype=np.uint64)
    at_most = whole._prepare(constraints).kernel
    at_most.keep()
    size = at_most.states * 8 * (whole._prepare(constraints).kernel.stride + 6)
    small = FrontierSweep(game, size // 2)
    assert small.count_by_placement(constraints) == (total, through)
    assert small.weigh(constraints, weights) == whole.weigh(constraints, weights)
    if total < 2**64:
        drawn = small.unrank(constraints, ranks)
        assert (drawn == whole.unrank(constraints, ranks)).all()
        assert (drawn == small.unrank(constraints, ranks)).all()  # layers were dropped
        assert (drawn == whole.unrank(constraints, ranks)).all()  # layers were kept
    tiny = FrontierSweep(game, size // 100)
    with pytest.raises(TooLarge, match=r"needs more than .* GiB \(it passed [\d,]+ masks"):
        tiny.count_by_placement(constraints)


@pytest.mark.parametrize(
    ("text", "hits"),
    [
        ("17x17:4,3,2", 0),
        ("17x17:4,3,2", 1 << 150),  # which leaves fewer masks than those before it let expect
        ("12x12:3,2,2,board=torus", 0),
        ("9x9:4,3,2,board=hex", 1 << 40),
    ],
)
def test_what_does_not_fit_is_refused_by_the_growth_of_its_first_layers(monkeypatch, text, hits):
    """And what fits is not."""
    monkeypatch.setattr(frontier, "MASKS_BEFORE_FORECAST", 500)
    game = Game(text)
    constraints, whole = Constraints(game.fleet, hits=hits), FrontierSweep(game)
    shares = []
    number = whole.count(constraints, lambda status: shares.append(status.share))
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1)
    assert number > 0
    kernel = whole._prepare(constraints).kernel
    kernel.count()
    size = 2 * kernel.widest * (frontier.BYTES_PER_MASK + frontier.BYTES_PER_FLEET * kernel.stride)
    assert FrontierSweep(game, size).count(constraints) == number
    small = FrontierSweep(game, size // 20)
    with pytest.raises(TooLarge, match="by the growth of its" if not hits else "GiB"):
        small.count(constraints)


def test_a_board_of_twenty_is_refused_soon():
    """The sweep would take minutes until it had filled the memory."""
    game = Game("20x20:5,4,3,3,2")
    said = r"would need up to \d+ GiB and \d+ (minutes|hours|days); the limit is 4 GiB"
    with pytest.raises(TooLarge, match=said):
        FrontierSweep(game).count_by_placement(Constraints(game.fleet))


@pytest.mark.parametrize(
    ("text", "way"),
    [
        ("6x6:3,2", SkylineSweep),
        ("9x4:3,V3,2,2", FrontierSweep),
        ("17x17:3,2,1", FrontierSweep),  # too wide for skylines
        ("8x8:4,3,2,contact=any,board=hex", FrontierSweep),
        ("10x10:5,4,3,3,2,board=cylinder", FrontierSweep),
        ("8x8:4,3,2,contact=any,board=torus", ShipByShip),
        ("10x10:5,4,3,3,2,board=torus", ShipByShip),
    ],
)
def test_the_way_that_takes_less(text, way, caplog):
    game = Game.parse(text)
    caplog.set_level("INFO")
    chosen = engine_for.__wrapped__(game)
    if way is not SkylineSweep:
        assert ("skylines go by rows" in caplog.text) is not game.is_rectangle
        chosen = chosen._choose_engine(Constraints(game.fleet))
    assert type(chosen) is way


def test_orders():
    """A board with long rows is swept by columns; ships that reach too far are refused."""
    long, high = FrontierSweep(Game.parse("4x60:3,2")), FrontierSweep(Game.parse("60x4:3,2"))
    assert long.count(Constraints((3, 2))) == high.count(Constraints((3, 2)))
    assert long.states == high.states
    with pytest.raises(TooLarge, match="closes cells up to 145 ahead in the sweep"):
        FrontierSweep(Game.parse("24x24:6"))


def test_ctrl_c():
    """It comes while the kernel counts."""
    status, _, error = run_script(
        """
from optsearch.counting.constraints import Constraints
from optsearch.counting.engines import AnyBoard, engine_for
from optsearch.counting.frontier import FrontierSweep
from optsearch.game import Game

game = Game.parse("11x11:6,5,4,3,2,1,contact=any")
interrupt_in_kernel()
FrontierSweep(game).count(Constraints(game.fleet))
"""
    )
    assert status != 0
    assert error.endswith("KeyboardInterrupt\n")


@pytest.mark.parametrize(
    "rest", ["4x4:3,2,2", "3x5:3,2,announce=sunk", "4x4:2,2,contact=any", "4x4:2,1,holes=A1,C3"]
)
def test_an_empty_board_by_its_symmetries(rest):
    """One placement of each kind stands for those that it is moved to."""
    game = Game.parse(f"{rest},board=torus")
    everything = Constraints(game.fleet, game.holes)
    counting = AnyBoard(game)
    assert counting._orbits or game.holes
    assert counting.count_by_placement(everything) == FrontierSweep(game).count_by_placement(
        everything
    )
    assert counting.count(everything) == FrontierSweep(game).count(everything)
    one = Constraints(game.fleet, closed=2)
    assert counting.count_by_placement(one) == FrontierSweep(game).count_by_placement(one)


def test_a_board_on_which_the_ship_lies_nowhere():
    assert Posterior("1x6:4,holes=A1,C1,board=cylinder").configurations == 0


@pytest.mark.parametrize("text", ["3x4:2", "5x6:3,2", "2x8:2,2", "1x7:3"])
def test_cells_are_ordered_each_once(text):
    """Each order that the sweep chooses from has all cells, also folded."""
    game = Game.parse(text)
    orders = list(frontier._cell_orders(game))
    orders += [folded for order in orders for folded in frontier._fold(order)]
    assert len(orders) >= 2
    for order in orders:
        assert sorted(order) == list(range(game.cells))
