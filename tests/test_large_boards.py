"""Boards of more than 128 cells: counted, sampled and played; what cannot says so."""

from collections import Counter

import numpy as np
import pytest

from optsearch import evaluate
from optsearch.check import reference
from optsearch.counting.configurations import Configurations, list_ships
from optsearch.counting.constraints import Constraints
from optsearch.counting.engines import engine_for
from optsearch.counting.lattice import SkylineSweep
from optsearch.counting.posterior import Posterior
from optsearch.game import Game
from optsearch.game.position import Position
from optsearch.play.simulate import simulate
from optsearch.results.tables import TABLES
from optsearch.search.solver import solve
from optsearch.support.errors import TooLarge
from tests.examples import sizes

STANDARD = (5, 4, 3, 3, 2)


def placements(rows, columns, length):
    """Each placement as a set of cells."""
    for row in range(rows):
        for column in range(columns):
            for down, right in ((0, 1), (1, 0))[: 1 if length == 1 else 2]:
                ship = {(row + down * i, column + right * i) for i in range(length)}
                if max(ship)[0] < rows and max(c for _, c in ship) < columns:
                    yield frozenset(ship)


def around(ship, contact):
    """The ship and the cells that the rule forbids to others."""
    steps = {"any": (), "corner": ((0, 1), (1, 0), (0, -1), (-1, 0))}.get(
        contact, [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
    )
    return ship | {(row + i, column + j) for row, column in ship for i, j in steps}


def through(rows, columns, lengths, contact, missed=(), hit=()):
    """(configurations, how many have each placement) of three ships of different lengths.

    For each placement of the first, which pairs of the others can stand beside it and each other,
    and have what is hit. Cells are (row, column).
    """
    kinds = [
        [ship for ship in placements(rows, columns, length) if not ship & set(missed)]
        for length in lengths
    ]

    def beside(ships, others):
        closed = (around(ship, contact) for ship in ships)
        return np.array([[not one & some for one in others] for some in closed])

    first, second, third = kinds
    covers = [[np.array([cell in one for one in kind]) for kind in kinds] for cell in hit]
    by_first = zip(beside(first, second), beside(first, third), strict=True)
    others, number = beside(second, third), Counter()
    for a, (seconds, thirds) in enumerate(by_first):
        pairs = others & seconds[:, None] & thirds
        for one, two, three in covers:
            pairs &= one[a] | two[:, None] | three
        number[first[a]] = int(pairs.sum())
        number.update(dict(zip(second, pairs.sum(axis=1).tolist(), strict=True)))
        number.update(dict(zip(third, pairs.sum(axis=0).tolist(), strict=True)))
    total = sum(number[ship] for ship in first)
    return total, {ship: n for ship, n in number.items() if n}


@sizes("step", 280, 70, 3)
def test_the_usual_fleet_on_12x12(step):
    """42,850,058,088 configurations, as the table of growth has them; the counts add up.

    Those with a ship in some place are found again when the others are placed around it.
    """
    game = Game(12, 12, STANDARD)
    posterior = Posterior(game)
    assert posterior.configurations == 42_850_058_088
    (row,) = [
        row for row in TABLES["growth"].read() if (row["size"], row["contact"]) == (12, "none")
    ]
    assert row["configurations"] == posterior.configurations
    assert posterior.occurrence.sum() == 17 * posterior.configurations
    assert (posterior.occurrence == posterior.occurrence.T).all()
    assert (posterior.occurrence == posterior.occurrence[::-1]).all()
    of_length = Counter()
    for ship, n in posterior.placements.items():
        of_length[ship.bit_count()] += n
    assert of_length == {length: STANDARD.count(length) * 42_850_058_088 for length in STANDARD}
    for length, others in ((5, (4, 3, 3, 2)), (2, (5, 4, 3, 3))):
        for ship in game.placements(length)[::step]:
            number = engine_for(game).count(Constraints(others, ship | game.halo(ship)))
            assert number == posterior.placements[ship]


@pytest.mark.long(60)
def test_ten_ships_on_100x10():
    """`FrontierSweep` counts as many in ten minutes; its small siblings are in test_frontier."""
    fleet = (5, 4, 4, 3, 3, 3, 2, 2, 2, 2)
    number = engine_for(Game(100, 10, fleet)).count(Constraints(fleet))
    assert number == 393_754_874_873_229_999_431_436_186_272


def test_sinkings_and_holes():
    """By the definition: one ship of two cells is left on a board with holes."""
    game = Game.parse("12x12:3,2,announce=ship,holes=A1-L9")
    position = Position.parse(game, "A12=hit B12=hit C12=sunk:3")
    expected = Counter()
    for ships in reference.configurations(position):
        expected.update(ships)
    assert Posterior(position).placements == expected


SMALL = "is for boards of at most 128 cells; 12x12:2 has 144"


@pytest.mark.parametrize(
    "ask",
    [
        lambda game: Configurations(Position(game)),
        lambda game: list_ships(Position(game)),
        lambda game: solve(game),
        lambda game: evaluate("greedy", game),
        lambda game: simulate(["thompson"], game, games=1),
        lambda game: simulate(["rollout"], game, games=1),
    ],
)
def test_what_lists_says_so(ask):
    with pytest.raises(TooLarge, match=SMALL):
        ask(Game(12, 12, (2,)))


@pytest.mark.parametrize("text", ["17x17:3,2,1", "14x14:6,2,1", "13x13:7,3,2,contact=any"])
def test_a_board_too_wide_for_skylines(text):
    """It is swept cell by cell."""
    game = Game.parse(text)
    with pytest.raises(TooLarge, match="the transfer matrix sweeps boards whose shorter side"):
        SkylineSweep(game)
    number, counts = through(game.rows, game.columns, game.fleet, game.contact)
    posterior = Posterior(game)
    assert posterior.configurations == number
    found = {frozenset(game.cells_of(mask)): n for mask, n in posterior.placements.items()}
    assert found == counts


def test_a_board_too_wide_for_any_sweep():
    with pytest.raises(TooLarge, match="closes cells up to 161 ahead in the sweep of its cells"):
        Posterior(Game.parse("32x32:5"))
