"""Posteriors against brute force: every rule, every cell, with sinkings by replay."""

from collections import Counter
from fractions import Fraction
from itertools import chain
from math import comb, log2
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from optsearch.check import reference
from optsearch.counting import engines
from optsearch.counting.configurations import Configurations, to_masks
from optsearch.counting.constraints import Constraints
from optsearch.counting.engines import engine_for
from optsearch.counting.lattice import SkylineSweep
from optsearch.counting.posterior import FLOOR, Posterior, _choose_index, sunk_assignments
from optsearch.counting.prior import Prior
from optsearch.counting.remainders import combine_residues, moduli_above
from optsearch.game import Game
from optsearch.game.position import HIT, MISS, Position, reply
from optsearch.support.errors import ImpossiblePosition, PositionError, TooLarge
from tests.examples import EVERY_RULE, draws, games, positions, sizes
from tests.processes import run_script

STANDARD = Game.parse("10x10:5,4,3,3,2")


def brute_force(position):
    """Counter of placements over all compatible configurations, and how many there are."""
    through: Counter[int] = Counter()
    number = 0
    for ships in reference.configurations(position):
        through.update(ships)
        number += 1
    return number, through


def cells_of(through, game):
    matrix = [[0] * game.columns for _ in range(game.rows)]
    for mask, n in through.items():
        for row, column in game.cells_of(mask):
            matrix[row][column] += n
    return matrix


@draws(2500, few=16)
@given(positions(max_cells=16, max_ships=4, max_configurations=3000, announce=EVERY_RULE))
def test_equals_brute_force(position):
    number, through = brute_force(position)
    posterior = Posterior(position)
    assert posterior.configurations == number
    assert posterior.placements == dict(through)
    expected = cells_of(through, position.game)
    assert posterior.occurrence.tolist() == expected
    assert posterior.frequency == [[Fraction(n, number) for n in row] for row in expected]
    assert posterior.probability.tolist() == [[n / number for n in row] for row in expected]
    assert posterior.entropy == log2(number)
    fresh = {
        cell: expected[cell[0]][cell[1]]
        for cell in map(position.game.cell, range(position.game.cells))
        if cell in position.game and not (position.hits | position.misses) & position.game.bit(cell)
    }
    most = max(fresh.values(), default=0)
    assert posterior.greedy_shots() == [cell for cell, n in fresh.items() if n == most > 0]


@draws(300)
@given(positions(max_cells=16, max_ships=4, max_configurations=500, announce=EVERY_RULE))
def test_every_rank_is_another_configuration(position):
    """Unranking all ranks of all cases lists the configurations, each once."""
    posterior = Posterior(position)
    found = []
    for case in posterior._cases:
        count = posterior._engine.count(case.constraints)
        drawn = posterior._engine.unrank(case.constraints, np.arange(count, dtype=np.uint64))
        for row in drawn:
            found.append(tuple(sorted((*case.sunk, *to_masks(row)))))
    expected = [tuple(sorted(ships)) for ships in reference.configurations(position)]
    assert sorted(found) == sorted(expected)


@draws(300)
@given(positions(max_cells=12, max_ships=3, max_configurations=500, announce=EVERY_RULE), st.data())
def test_weights(position, data):
    ships = sorted({m for length in position.game.fleet for m in position.game.placements(length)})
    values = st.sampled_from([0.0, 0.25, 0.5, 1.0, 3.0, 1e-3, 1e6])
    weights = data.draw(st.dictionaries(st.sampled_from(ships), values, max_size=8))
    posterior = Posterior(position, prior=Prior.of_placements(position.game, weights))
    total = Fraction(0)
    through: Counter[int] = Counter()
    logs = 0.0
    for configuration in reference.configurations(position):
        weight = Fraction(1)
        for ship in configuration:
            weight *= Fraction(weights.get(ship, 1.0))
        total += weight
        if weight:
            logs += float(weight) * log2(weight)
        for ship in configuration:
            through[ship] += weight
    require_that_exists(posterior, weights_of(posterior))
    if total == 0:
        return
    expected = cells_of(through, position.game)
    assert posterior.relative_error < 1e-9
    for row, line in zip(posterior.probability.tolist(), expected, strict=True):
        for found, value in zip(row, line, strict=True):
            exact = value / total
            assert abs(Fraction(found) - exact) <= exact * Fraction(posterior.relative_error)
    assert posterior.entropy == pytest.approx(log2(total) - logs / float(total), abs=1e-9)


QUESTIONS = (
    *(lambda one: one.probability, lambda one: one.frequency, lambda one: one.entropy),
    *(lambda one: one.occurrence, lambda one: one.placements, lambda one: one.by_kind),
    *(
        lambda one: one.placement_probability,
        lambda one: one.greedy_shots(),
        lambda one: one.list_all(),
    ),
    *(lambda one: one.sample(1, 1), lambda one: one.relative_error, lambda one: one.require_some()),
)


def weights_of(posterior):
    """The weight of each configuration of a position, by the definition."""
    listed = reference.configurations(posterior.position)
    prior = posterior.prior
    return {tuple(sorted(ships)): prior.weight(ships) if prior else 1 for ships in listed}


def require_that_exists(posterior, weights):
    """What has no weight does not exist; where nothing has one, every question is refused."""
    having = [tuple(sorted(ships)) for ships, weight in weights.items() if weight]
    assert posterior.configurations == len(having)
    assert posterior.is_possible == bool(having)
    if not having:
        why = "has weight 0 by the prior" if weights else "no configuration"
        for question in QUESTIONS:
            with pytest.raises(ImpossiblePosition, match=why):
                question(posterior)
        return
    through = Counter(chain.from_iterable(having))
    assert posterior.placements == through
    assert posterior.occurrence.tolist() == cells_of(through, posterior.position.game)
    every = map(to_masks, posterior.list_all(masks=True))
    assert sorted(tuple(sorted(ships)) for ships in every) == sorted(having)
    assert posterior.weight == sum(weights.values())
    assert posterior.entropy <= log2(len(having))


@st.composite
def far_apart(draw):
    """A position, and weights that no float has, of placements or of cells."""
    position = draw(
        positions(max_cells=12, max_ships=3, max_configurations=300, announce=EVERY_RULE)
    )
    game = position.game
    powers = draw(st.sampled_from([(0, 16, -17), (0, 150), (0, 10, 200, 350), (0, 900)]))
    values = st.builds(
        lambda n, e: n * Fraction(10) ** e, st.integers(0, 3), st.sampled_from(powers)
    )
    if draw(st.booleans()):
        cells = [game.cell(cell) for cell in range(game.cells)]
        weights = draw(st.fixed_dictionaries(dict.fromkeys(cells, values)))
        return position, Prior.of_cells(game, weights, "product")
    ships = {m for length in game.fleet for m in game.placements(length)}
    weights = draw(st.fixed_dictionaries(dict.fromkeys(sorted(ships), values)))
    return position, Prior.of_placements(game, weights)


def require_bound(position, prior):
    """The promises of a posterior by weights of placements, beside exact fractions; the weights."""
    weights = {ships: prior.weight(ships) for ships in reference.configurations(position)}
    total = sum(weights.values())
    posterior = Posterior(position, prior=prior)
    require_that_exists(posterior, weights_of(posterior))
    if not total:
        return posterior, weights
    through: Counter[int] = Counter()
    for ships, weight in weights.items():
        through.update(dict.fromkeys(ships, Fraction(weight, total)))
    bound = Fraction(posterior.relative_error)
    assert bound < 1e-9
    expected = cells_of(through, position.game)
    for found, exact in (
        *zip(posterior.probability.ravel().tolist(), chain(*expected), strict=True),
        *((posterior.placement_probability.get(ship, 0), p) for ship, p in through.items()),
    ):
        assert abs(Fraction(found) - exact) <= bound * max(exact, Fraction(FLOOR))
    bits = sum(w / total * (log2(total) - log2(w)) for w in weights.values() if w)
    assert posterior.entropy == pytest.approx(bits, abs=1e-9)
    assert posterior.entropy >= 0
    for row in posterior.sample(20, 1, masks=True):
        ships = tuple(sorted(to_masks(row)))
        assert 2**80 * sum(w for s, w in weights.items() if tuple(sorted(s)) == ships) > total
    return posterior, weights


@draws(500)
@given(far_apart())
def test_weights_far_apart(drawn):
    require_bound(*drawn)


def test_what_is_left_may_be_light():
    """The heavy half is missed: the weights left are denormal beside the heaviest."""
    game, rng = Game.parse("8x8:5,5,contact=any"), Random(1)
    light = {(row, column): Fraction(rng.choice((2, 3)), 5 * 10**16)
             for row in range(8) for column in range(4)}  # fmt: skip
    prior = Prior.of_cells(game, light, "product", 10**16)
    missed = " ".join(f"{column}{row}=miss" for row in range(1, 9) for column in "EFGH")
    position = Position.parse(game, missed)
    posterior, weights = require_bound(position, prior)
    assert not posterior.is_exact
    n, total = 20_000, sum(weights.values())
    drawn = Counter(tuple(sorted(to_masks(row))) for row in posterior.sample(n, 1, masks=True))
    expected = {tuple(sorted(ships)): n * weight / total for ships, weight in weights.items()}
    statistic = sum((drawn[ships] - e) ** 2 / e for ships, e in expected.items())
    degrees = len(expected) - 1
    assert statistic < degrees + 5 * (2 * degrees) ** 0.5


# Sinkings


def test_the_impossible_shot_is_named():
    game = Game.parse("5x5:3,2")
    for shots, number, name in (
        ("A1=hit B1=miss A2=miss C3=hit", 3, "A2=miss"),
        ("A1=miss C3=hit C4=hit E5=hit D4=hit", 5, "D4=hit"),
    ):
        with pytest.raises(ImpossiblePosition, match=f"shot number {number}, {name}"):
            Posterior(Position.parse(game, shots)).require_some()
    sunk = Game.parse("5x5:3,2,announce=ship")
    with pytest.raises(ImpossiblePosition, match="shot number 2, A2=sunk:3"):
        Posterior(Position.parse(sunk, "A1=hit A2=sunk:3 B5=miss")).occurrence  # noqa: B018
    with pytest.raises(ImpossiblePosition, match="4x4:4,3,2 has no configuration"):
        Posterior(Position(Game.parse("4x4:4,3,2"))).sample(1, 1)
    assert Posterior(Position(Game.parse("4x4:4,3,2"))).configurations == 0


def test_a_finished_game():
    position = Position.parse(Game.parse("2x2:2,announce=ship"), "A1=hit B1=sunk:2")
    posterior = Posterior(position)
    assert posterior.configurations == 1
    assert posterior.greedy_shots() == []
    assert posterior.entropy == 0
    assert posterior.sample(3, 1, masks=True).tolist() == [[[3, 0]]] * 3


# Size


def test_a_hit_far_beyond_the_last_ship():
    assert Posterior("12x3:2,2", "A1=hit A12=hit").configurations == 4  # two ways at either end


def test_counts_past_128_bits():
    """Ships in a row: arrange the ships and the gaps, an independent formula."""
    fleet = (3,) * 10 + (2,) * 15 + (1,) * 20
    position = Position(Game(1, 128, fleet, "any"))
    ships, gaps = len(fleet), 128 - sum(fleet)
    number = comb(ships + gaps, ships) * comb(45, 10) * comb(35, 15)
    assert Posterior(position).configurations == number > 2**128
    after = Posterior(position.after((0, 0), HIT)).configurations
    before = Posterior(position.after((0, 0), MISS)).configurations
    assert after + before == number
    assert after == Posterior(position).occurrence[0, 0]


def test_moduli_and_remainders():
    for bound in (0, 2**64 - 1, 2**64, 2**200, 10**120):
        moduli = moduli_above(bound)
        assert (len(moduli) == 1) == (bound < 2**64)
        for number in {0, 1, bound // 2, bound}:
            assert combine_residues([number % m for m in moduli], moduli) == number


LIMIT = 16 << 20
LARGEST = {  # by this limit: of each question the board, and one that is too large
    "count": ("16x12", "16x13"),
    "count_by_placement": ("31x10", "32x10"),
    "weigh": ("31x10", "32x10"),
    "unrank": ("31x10", "32x10"),
}
MEMORY = """
import sys
from resource import RUSAGE_SELF, getrusage
import numpy as np
from optsearch.counting.constraints import Constraints
from optsearch.counting.lattice import SkylineSweep
from optsearch.game import Game
def ask(board, question, limit):
    sweep, asked = SkylineSweep(Game.parse(board + ":4,3,3,2"), limit), Constraints((4, 3, 3, 2))
    more = {"weigh": [{}], "unrank": [np.zeros(1, np.uint64)]}
    getattr(sweep, question)(asked, *more.get(question, []))
limit = int(sys.argv[1])
ask("9x4", "unrank", limit)
before = getrusage(RUSAGE_SELF).ru_maxrss
for word in sys.argv[2:]:
    ask(*word.split("."), limit)
print(1024 * (getrusage(RUSAGE_SELF).ru_maxrss - before) <= limit)
"""


def test_the_largest_boards_of_each_question():
    """They get the answers that they get without a limit, and less memory; a row more is refused.

    Where a count is allowed, a posterior may not be; after shots, when less is reached, it is.
    """
    fleet = (4, 3, 3, 2)
    whole, some = Constraints(fleet), Constraints(fleet, closed=(1 << 100) - 1)
    for question, boards in LARGEST.items():
        more = {"weigh": ({},), "unrank": (np.array([0, 10**9], np.uint64),)}.get(question, ())
        games = [Game.parse(f"{board}:4,3,3,2") for board in boards]
        allowed = getattr(SkylineSweep(games[0], LIMIT), question)(whole, *more)
        expected = getattr(engine_for(games[0]), question)(whole, *more)
        assert np.array_equal(allowed, expected) if question == "unrank" else allowed == expected
        with pytest.raises(TooLarge, match=r"more than 0\.016 GiB"):
            getattr(SkylineSweep(games[1], LIMIT), question)(whole, *more)
        if question != "count":
            sweep = SkylineSweep(games[1], LIMIT)
            assert sweep.count(whole) == engine_for(games[1]).count(whole)
            assert len(getattr(sweep, question)(some, *more)) == 2
    asked = [f"{board}.{question}" for question, (board, _) in LARGEST.items()]
    assert run_script(MEMORY, LIMIT, *asked) == (0, "True\n", "")


@pytest.mark.parametrize("contact", ["none", "any"])
@pytest.mark.parametrize("board", ["4x5:3a,3b,2", "4x4:2a,2b,2b,1", "5x5:3a,2a,2b", "cylinder"])
def test_ships_that_differ_by_names_alone_are_counted_as_equal_ones(board, contact):
    """As by a table of all names; after shots that name both, one or none of them."""
    text = "4x4:2a,2b,1,board=cylinder" if board == "cylinder" else board
    game = Game.parse(f"{text},contact={contact},announce=name")
    engine, exact = engine_for(game), engines._board_engine(game)
    asked, drawn = Counter(), np.random.default_rng(5)
    for ships in map(to_masks, Posterior(game).sample(8, 3, masks=True)):
        position = Position(game)
        for index in drawn.permutation(game.cells).tolist():
            for case in sunk_assignments(position):
                constraints = case.constraints
                if constraints.fleet:
                    asked[engine._drop_names(constraints) is None] += 1
                    assert engine.count(constraints) == exact.count(constraints)
                    assert engine.count_by_placement(constraints) == exact.count_by_placement(
                        constraints
                    )
            if not position.hits_left:
                break
            told = reply(game, ships, position.hits, 1 << index)
            position = position.after(game.cell(index), told)
    assert min(asked[False], asked[True]) > 8


# Samples


def chi_square(observed, expected):
    return sum((o - e) ** 2 / e for o, e in zip(observed, expected, strict=True))


@pytest.mark.parametrize("weights", [None, {0b111: 3.0, 0b110: 0.5}])
def test_samples_are_uniform(weights):
    """Chi-square over all configurations of a position with an ambiguous sinking; seeded."""
    game = Game(4, 4, (3, 2), "any", "sunk")
    position = Position.parse(game, "A1=hit D3=miss B1=hit C1=sunk")
    prior = weights and Prior.of_placements(game, weights)
    posterior = Posterior(position, prior=prior)
    expected = {}
    for ships in reference.configurations(position):
        weight = 1.0
        for ship in ships:
            weight *= (weights or {}).get(ship, 1.0)
        expected[tuple(sorted(ships))] = weight
    n = 20_000
    drawn = Counter(tuple(sorted(to_masks(ships))) for ships in posterior.sample(n, 11, masks=True))
    assert set(drawn) <= set(expected)
    whole = sum(expected.values())
    degrees = len(expected) - 1
    statistic = chi_square(
        [drawn[ships] for ships in expected], [n * w / whole for w in expected.values()]
    )
    assert degrees > 4
    assert statistic < degrees + 5 * (2 * degrees) ** 0.5


def test_choose_is_in_proportion():
    rng = np.random.default_rng(1)
    counts = [2**70, 0, 2**71, 2**70]
    drawn = Counter(_choose_index(counts, rng) for _ in range(4000))
    assert drawn[1] == 0
    assert chi_square([drawn[0], drawn[2], drawn[3]], [1000, 2000, 1000]) < 20


def test_bad_weights():
    for weight in (-1.0, float("inf"), float("nan")):
        with pytest.raises(PositionError, match="A1-B1 is not a number"):
            Prior.of_placements(Game.parse("3x3:2"), {0b11: weight})


@sizes("number", 1000, 6000, 5)
def test_ship_by_ship_sampling_is_uniform(number):
    """The method for huge games, on a game small enough to list."""
    posterior = Posterior(Position.parse(Game(3, 3, (2, 2, 1), "any"), "A1=hit"))
    rng = np.random.default_rng(2)
    drawn = Counter(
        tuple(sorted(low for low, _ in posterior._sample_ship_by_ship(rng))) for _ in range(number)
    )
    expected = {tuple(sorted(s)) for s in reference.configurations(posterior.position)}
    assert set(drawn) == expected
    degrees = len(expected) - 1
    statistic = chi_square([drawn[s] for s in expected], [number / len(expected)] * len(expected))
    assert statistic < degrees + 5 * (2 * degrees) ** 0.5


@draws(600, few=24)
@given(
    positions(max_cells=16, max_ships=4, max_configurations=3000, announce=EVERY_RULE),
    st.integers(0, 2**32),
)
def test_ship_by_ship_samples_fit_the_replies(position, number):
    """The method for huge games keeps what hits have told, under every rule."""
    posterior, rng = Posterior(position), np.random.default_rng(number)
    everything = {tuple(to_masks(ships)) for ships in posterior.list_all(masks=True)}
    drawn = np.array([posterior._sample_ship_by_ship(rng) for _ in range(10)], np.uint64)
    assert {tuple(to_masks(ships)) for ships in posterior._sort_ships(drawn)} <= everything


def test_samples_of_a_huge_game_fit_the_replies():
    """Four of six samples once had other ships on A1 and C2."""
    game = Game.parse("2x200:3,3,3,3,3,2,2,2,2,2,2,contact=any,announce=name")
    position = Position.parse(game, "B2=hit:2 G1=hit:2 J2=hit:3")
    posterior = Posterior(position)
    assert posterior.configurations >= 2**64
    for ships in posterior.sample(6, 1, masks=True):
        assert position.is_compatible(to_masks(ships))


@st.composite
def any_shots(draw):
    """A position with hits and misses anywhere, often one that no configuration leads to."""
    game = draw(games(max_cells=20, max_ships=3, announce=("nothing",)))
    cells = draw(st.lists(st.sampled_from(range(game.cells)), unique=True, max_size=6))
    position = Position(game)
    for cell in cells:
        try:
            position = position.after(game.cell(cell), draw(st.sampled_from([HIT, MISS])))
        except PositionError:
            break
    return position


@draws(1500, few=16)
@given(any_shots())
def test_impossible_positions_count_nothing(position):
    number, through = brute_force(position)
    posterior = Posterior(position)
    assert posterior.configurations == number == Configurations(position).configurations
    if number:
        assert posterior.placements == dict(through)
    else:
        with pytest.raises(ImpossiblePosition):
            posterior.occurrence  # noqa: B018
