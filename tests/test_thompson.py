"""Thompson sampling and the other players of its post, against the code that was published."""

from collections import Counter
from fractions import Fraction
from itertools import combinations, product
from math import comb, sqrt

import numpy as np
import pytest

from optsearch.counting.configurations import list_ships, to_masks
from optsearch.counting.posterior import Posterior
from optsearch.counting.prior import Prior
from optsearch.evaluation import evaluate
from optsearch.game import Game, urn
from optsearch.game.position import HIT, MISS, Position, play
from optsearch.play.hiding import Drawn
from optsearch.play.simulate import player_generator, replay, simulate
from optsearch.reproduce import thompson as reproduced
from optsearch.strategies import as_player, as_strategy, thompson
from optsearch.strategies.sampling import tally
from optsearch.strategies.thompson import Thompson, all_placements, is_hunting, possible_placements
from optsearch.support.errors import OptsearchError, StrategyError
from optsearch.support.workers import Execution
from tests import thompson_post as post
from tests.definition import USERS_RULES
from tests.examples import rule_name, sizes, some

BOXED = "10x10:5,4,3,3,2,contact=any,announce=ship"


def board_of(game, ships):
    """Masks of ships as the post has boards."""
    board = np.zeros((len(ships), game.rows, game.columns))
    for number, ship in enumerate(ships):
        for cell in game.cells_of(ship):
            board[(number, *cell)] = 1
    return board


def guesses(position):
    return [shot.cell for shot in position.shots]


def games(text, number, seed=1):
    game = Game.parse(text)
    for ships in Drawn().boards(game, number, seed):
        yield game, to_masks(ships)


# Random shots


def test_random_shots():
    found = urn.random_shots(Game.parse(BOXED))
    assert (min(found), max(found), sum(found.values())) == (17, 100, 1)
    assert urn.mean(found) == Fraction(1717, 18)  # k (n + 1) / (k + 1)
    (outcome,) = simulate(["random"], Game.parse("4x4:3,2"), games=3000).outcomes
    exact = urn.mean(urn.random_shots(Game.parse("4x4:3,2")))
    assert abs(outcome.mean - exact) < 4 * outcome.standard_error
    for bad in ((3, 4, 1), (3, 2, 0), (3, 2, 3)):
        with pytest.raises(OptsearchError, match="cannot be drawn"):
            urn.draws(*bad)


def test_the_printed_means_count_five_draws_too_many():
    """The published function, with scipy's formula of the distribution, and its support."""
    grid, ship, hits = 50, 10, 5

    def pmf(water):  # scipy.stats.nhypergeom(grid, grid - ship, hits)
        return Fraction(
            comb(water + hits - 1, water) * comb(grid - hits - water, grid - ship - water),
            comb(grid, grid - ship),
        )

    support = range(ship, grid + 1)
    published = sum(n * pmf(n - ship) for n in support)
    assert sum(pmf(n - ship) for n in support) == 1
    assert float(published + 12) == pytest.approx(40.18181818181814, rel=1e-12)
    meant = sum((water + hits) * pmf(water) for water in range(grid - ship + 1))
    assert meant == published - 5 == urn.mean(urn.draws(grid, ship, hits))
    assert reproduced.optimistic_shots(True) == published
    assert reproduced.optimistic_shots(False) == meant


# One ship


@pytest.mark.parametrize(("cells", "length"), [(5, 3), (10, 3), (10, 4), (3, 2), (9, 2), (7, 7)])
def test_row_and_enumeration_play_as_published(cells, length):
    game = Game(1, cells, (length,))
    rows = post.get_all_ship_rows(cells, length)[:, np.newaxis, :]
    assert len(rows) == len(game.placements(length))
    for ship in game.placements(length):
        board = board_of(game, [ship])
        optimal = post.Single1DOptimalStrategy(cells, length)
        assert guesses(play(as_strategy("row").shot, [ship], Position(game))) == post.play(
            board, optimal
        )
        enumeration = post.SingleThompsonStrategy(rows)
        assert guesses(
            play(as_strategy("greedy:endgame=0").shot, [ship], Position(game))
        ) == post.play(board, enumeration)


@pytest.mark.parametrize(
    ("size", "length"), some(2, [(3, 3), (4, 3), (5, 3), (5, 5), (6, 2), (7, 4)], 3)
)
def test_grid_and_enumeration_play_as_published(size, length):
    game = Game(size, size, (length,))
    every = post.get_all_ships(size, length)
    assert len(every) == len(game.placements(length))
    for ship in game.placements(length):
        board = board_of(game, [ship])
        for name, published in (
            ("grid", post.SingleGridStrategy(length)),
            ("greedy:endgame=0", post.SingleThompsonStrategy(every)),
        ):
            end = play(as_strategy(name).shot, [ship], Position(game))
            assert guesses(end) == post.play(board, published), (name, ship)


@pytest.mark.parametrize("text", ["3x5:3", "6x4:2", "5x8:4", "1x6:1", "4x4:1"])
def test_grid_sinks_every_ship_of_a_rectangle(text):
    game = Game.parse(text)
    found = evaluate("grid", game)
    assert found.configurations == len(game.placements(game.fleet[0]))
    assert found.worst <= game.cells


# Thompson sampling, as published


def as_labelled(game, ships, end):
    """The ships in the order of the fleet, of equal ones the first to be sunk first."""
    sunk_at, hits = {}, 0
    for number, shot in enumerate(end.shots):
        hits |= game.bit(shot.cell) if shot.reply.hit else 0
        for ship in ships:
            if not ship & ~hits:
                sunk_at.setdefault(ship, number)
    return sorted(ships, key=lambda ship: (-ship.bit_count(), sunk_at[ship]))


@pytest.mark.parametrize(
    ("text", "number", "block_size"),
    some(
        3,
        [
            ("6x6:4,3,2,contact=any,announce=ship", 6, 60),
            ("6x6:3,3,2,contact=any,announce=ship", 6, 100),
            ("7x7:4,3,3,3,contact=any,announce=ship", 3, 200),
            (BOXED, 1, 1000),
        ],
        2,
    ),
)
def test_the_same_seed_gives_the_game_of_the_published_code(text, number, block_size):
    """Shot by shot, and as many draws: numba beside the masked arrays of numpy."""
    for board, (game, ships) in enumerate(games(text, number)):
        player = Thompson(block_size)
        mine, published = player_generator(1, board), player_generator(1, board)
        end = play(player.begin(game, mine).shot, ships, Position(game))
        every = [post.get_all_ships(game.rows, length) for length in game.fleet]
        again = post.play(
            board_of(game, as_labelled(game, ships, end)),
            post.ThompsonStrategy(every, published, block_size),
        )
        assert guesses(end) == again, f"board {board}"
        assert mine.random() == published.random()


def test_the_tally_counts_what_the_definition_keeps():
    generator = np.random.default_rng(2)
    game = Game.parse("5x14:3,2,2,contact=corner")  # cells in both words
    table = np.concatenate(all_placements(game))
    sets = [to_masks(table[:, columns : columns + 2]) for columns in (0, 2)]
    hits = [game.bit((0, 0)) | game.bit((4, 13)), game.bit((2, 2)), 0]
    chosen = generator.integers(0, len(table), (3, 40_000))
    for covered in hits:
        kept = []
        for places in chosen.T.tolist():
            ships = [sets[0][place] for place in places]
            closed = [sets[1][place] for place in places]
            apart = all(not ships[j] & closed[i] for i, j in combinations(range(3), 2))
            if apart and not covered & ~(ships[0] | ships[1] | ships[2]):
                kept.append(places)
        words = np.array([covered & (1 << 64) - 1, covered >> 64], np.uint64)
        for most in (len(kept) + 1, 3):
            uses = np.zeros(len(table), np.int64)
            assert tally(chosen, table, words, most, uses) == min(len(kept), most)
            expected = np.bincount(np.ravel(kept[:most]).astype(int), minlength=len(table))
            assert (uses == expected).all()


# What is known of each ship alone


@pytest.mark.parametrize(
    "text",
    [
        "4x4:3,2,2,contact=any,announce=ship",
        "5x4:3,2,1,contact=corner,announce=ship",
        "4x5:3,2,contact=none,announce=ship",
        "4x4:2,2,contact=any",
        *("3x4:3,2,contact=any,announce=name", "4x4:2,2,1,contact=corner,announce=name"),
        *("3x4:2a,2b,contact=any,announce=name", "4x4:2,2,1,announce=place"),
        *(f"4x4:3,2,2,announce={rule}" for rule in USERS_RULES),
    ],
    ids=rule_name,
)
@sizes("number", 1, 4, 1)
def test_what_fits_every_ship_alone_and_all_together_is_compatible(text, number):
    """`whole`: the products of the sets that may lie together and cover the hits are exactly the
    compatible configurations, equal ships told apart as they are sunk. `printed`: not fewer.
    """
    for game, ships in games(text, number, 3):
        end = play(as_player("density").begin(game, np.random.default_rng(1)).shot, ships,
                   Position(game))  # fmt: skip
        for made in range(0, len(end.shots), 2):
            position = Position(game, end.shots[:made])
            compatible = {
                frozenset(Counter(zip(game.fleet, to_masks(found), strict=True)).items())
                for found in list_ships(position)
                if position.is_compatible(to_masks(found))
            }
            products = {
                is_printed: {
                    frozenset(Counter(zip(game.fleet, chosen, strict=True)).items())
                    for chosen in product(
                        *(to_masks(s[:, :2]) for s in possible_placements(position, is_printed))
                    )
                    if is_apart(game, chosen) and not position.hits & ~union(chosen)
                }
                for is_printed in (False, True)
            }
            assert products[False] == compatible
            assert products[True] >= compatible


def union(ships):
    together = 0
    for ship in ships:
        together |= ship
    return together


def is_apart(game, ships):
    return all(not a & (b | game.halo(b)) for a, b in combinations(ships, 2))


@pytest.mark.parametrize("information", ["whole", "exact"])
@pytest.mark.parametrize(
    "text",
    [
        *("6x6:3,3,2,contact=any,announce=ship", "5x6:3,2", "5x6:3a,3b,2,announce=name"),
        "6x6:3,2,2,contact=any,announce=place",
        *(f"5x5:3,2,2,contact=any,announce={rule}" for rule in USERS_RULES),
    ],
    ids=rule_name,
)
def test_samples_have_the_exact_probabilities(text, information):
    """Also where blocks keep too few, and the posterior gives the rest."""
    player = Thompson(information=information)
    for game, ships in games(text, 2, 5):
        end = play(as_strategy("greedy").shot, ships, Position(game))
        for made in range(0, len(end.shots), 3):
            position = Position(game, end.shots[:made])
            exact = Posterior(position).probability
            sampled = player.posterior(position, np.random.default_rng([7, made]), 20_000)
            error = np.sqrt(exact * (1 - exact) / 20_000)
            assert (abs(sampled - exact) <= 5 * error + 1e-12).all()


@pytest.mark.parametrize("information", ["printed", "whole", "exact"])
def test_samples_by_a_prior_have_its_probabilities(information, tmp_path):
    """Weights of placements, of which some are 0; weights of configurations for `exact` alone."""
    game = Game.parse("4x4:3,2,contact=any")
    cells = Prior.of_cells(game, {(0, 0): 7, (2, 2): 3, (3, 0): 0}, "product")
    listed = Prior.of_function(game, lambda ships: 1 + ships[0].bit_length(), "listed")
    player = Thompson(information=information)
    for prior in [cells, listed] if information == "exact" else [cells]:
        for shots in ("", "B2=hit A1=miss"):
            position = Position.parse(game, shots)
            exact = Posterior(position, prior=prior).probability
            sampled = player.with_prior(prior).posterior(position, np.random.default_rng(3), 20_000)
            error = np.sqrt(exact * (1 - exact) / 20_000)
            assert (abs(sampled - exact) <= 5 * error + 1e-9).all()
    if information != "exact":
        with pytest.raises(StrategyError, match="information=exact draws configurations"):
            player.with_prior(listed)
    with pytest.raises(StrategyError, match="knows no prior"):
        as_player("density").with_prior(cells)
    names = [f"thompson:information={information},block_size=200"]
    kept = [
        simulate(
            names,
            game,
            games=4,
            prior=prior,
            execution=Execution(checkpoint=tmp_path / str(prior)[:5]),
        )
        for prior in (cells, None)
    ]
    assert kept[0].boards == f"prior cells, {cells.digest}"
    assert kept[1].boards == "uniform"


@pytest.mark.parametrize("announce", ["nothing", "ship", "place"])
def test_the_search_grid(announce):
    """While every hit is of a sunk ship a cell of the grid is shot if a sample holds one."""
    game = Game.parse(f"6x6:3,2,2,contact=any,announce={announce}")
    player, hunted = Thompson(200, "exact", grid=2), 0
    assert str(player) == "thompson:block_size=200,information=exact,grid=2"
    for number, ships in enumerate(Drawn().boards(game, 6, 1)):
        end = play(player.begin(game, player_generator(1, number)).shot, to_masks(ships),
                   Position(game))  # fmt: skip
        for made, shot in enumerate(end.shots):
            position = Position(game, end.shots[:made])
            of_grid = [(i, j) for i in range(6) for j in range(6) if (i - 1 - j) % 2 == 0]
            chances = Posterior(position).probability
            likely = [c for c in of_grid if chances[c] > 0.1 and not game.bit(c) & position.closed]
            if is_hunting(position) and likely:
                hunted += 1
                assert shot.cell in of_grid
    assert hunted > 15


def test_the_posterior_asked_for_what_is_wanting(monkeypatch):
    monkeypatch.setattr(thompson, "EXACT_BLOCKS", 0)
    position = Position.parse(Game.parse(BOXED), "E5=hit F5=hit E6=miss")
    exact = Posterior(position).probability
    player = Thompson(information="exact")
    sampled = player.posterior(position, np.random.default_rng(1), 4000)
    assert (abs(sampled - exact) <= 5 * np.sqrt(exact * (1 - exact) / 4000) + 1e-12).all()


# As a player


@pytest.mark.parametrize("information", ["printed", "whole", "exact"])
@pytest.mark.parametrize(
    "text",
    [
        "6x6:3,3,2,contact=any,announce=ship",
        "6x6:3,3,2,contact=any,announce=sunk",
        "5x6:3,2",
        "6x5:2,2,1,contact=corner,announce=ship",
        "6x6:3,3,2,contact=any,announce=name",
    ],
)
def test_it_plays_by_all_rules_and_by_its_seed(text, information):
    game, name = Game.parse(text), f"thompson:block_size=200,information={information}"
    if information == "whole" and game.announce == "sunk":
        with pytest.raises(StrategyError, match="needs to hear which ship is sunk"):
            simulate([name], game, games=1)
        return
    (first,), (again,) = (simulate([name], game, games=3, seed=3).outcomes for _ in range(2))
    assert first.shots.tolist() == again.shots.tolist()
    assert first.worst <= game.cells
    (other,) = simulate([name], game, games=3, seed=4).outcomes
    assert other.shots.tolist() != first.shots.tolist()
    assert len(replay(name, game, 2, seed=3).shots) == first.shots[2]


def test_it_gives_up_where_nothing_fits(monkeypatch):
    monkeypatch.setattr(thompson, "MOST_SAMPLES", 1000)
    game = Game.parse("3x3:3,contact=any")
    position = Position(game).after((0, 0), HIT).after((0, 1), MISS).after((1, 0), MISS)
    with pytest.raises(StrategyError, match=r"keeps 0 of 1,000 .*exact always keeps all"):
        Thompson(10).begin(game, np.random.default_rng(1)).shot(position)


@pytest.mark.long(6)
def test_more_samples_are_better_on_average():
    game = Game.parse("6x6:4,3,2,contact=any,announce=ship")
    one, many = "thompson:block_size=1,information=exact", "thompson:information=exact"
    (difference,) = simulate([one, many], game, games=40).differences()
    assert difference.slower == one
    assert difference.mean > 3 * difference.standard_error
    exact, few = (simulate([name], game, games=40).outcomes[0] for name in
                  ("greedy:endgame=0", many))  # fmt: skip
    by_board = few.shots - exact.shots
    assert abs(by_board.mean()) < 4 * by_board.std(ddof=1) / sqrt(40) + 0.3
