"""Bounds: published values, and never above an optimum."""

import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optsearch import lower_bounds
from optsearch.check import reference
from optsearch.counting import family
from optsearch.counting.posterior import Posterior
from optsearch.game import Game
from optsearch.game.named_games import NAMED_GAMES
from optsearch.game.position import HIT, MISS, Position
from optsearch.lower_bounds.coverage import CellSetCounts
from optsearch.lower_bounds.reveal import reveal
from optsearch.lower_bounds.two_hidden import TwoHidden
from optsearch.results import bracket
from optsearch.results.tables import TABLES, best_bounds
from optsearch.search.solver import solve
from optsearch.support.errors import ImpossiblePosition
from tests.examples import draws, positions, some

STANDARD = Position(Game.parse("10x10:5,4,3,3,2"))


def test_the_papers_values():
    """Section 4.1, Figure 9 and equation 2."""
    assert lower_bounds.complete_binary_tree({1: 11}) == 3 + Fraction(6, 11)
    assert Counter(lower_bounds.complete_binary_tree_depths(11)) == {4: 6, 3: 5}
    value = lower_bounds.complete_binary_tree({1: 1_925_751_392})
    assert value == 30 + Fraction(2 * 1_925_751_392 - 2**31, 1_925_751_392)
    assert str(float(value)).startswith("30.8848")


def test_leaf_counting_of_the_papers_game():
    """32.8555 also came out of an independent prototype."""
    complete, leaf, after = lower_bounds.lower_bounds(STANDARD)
    assert str(float(leaf.value)).startswith("32.8555")
    assert str(float(after.value)).startswith("33.151")
    assert after.value > leaf.value > complete.value
    assert {complete.side, leaf.side, after.side} == {"lower"}


CONTACT = ("3x4:2,2,1,contact=any", "4x4:3,2,2,contact=any", "4x5:3,3,2,contact=any")


@pytest.mark.parametrize("text", [*CONTACT, "4x4:3,2", "5x5:3,2,1,contact=corner"])
@pytest.mark.parametrize("rows", [10, 1 << 20])
def test_weights_that_are_counted_in_parts(monkeypatch, text, rows):
    """Those of the family, which lists its sets, however many parts they are sorted in."""
    monkeypatch.setattr(family, "_ROWS_AT_ONCE", rows)
    position = Position(Game.parse(text))
    for at in (position, position.after((1, 1), HIT), position.after((0, 0), MISS)):
        weights = Counter(family.Family.of(at).weights)
        assert family.sets_by_weight(at) == weights
        assert weights == Counter(n for _, n in reference.family(at))


@pytest.mark.parametrize("text", CONTACT)
def test_bounds_of_the_command_count_weights(call_command, text):
    """Leaf counting from the weights of the family, not from the number of configurations."""
    position = Position(Game.parse(text))
    weights = Counter(family.Family.of(position).weights)
    assert max(weights) > 1
    status, out, err = call_command("bounds", text, "--json")
    assert (status, err) == (0, "")
    found = {bound["name"]: bound["value"] for bound in json.loads(out)["bounds"]}
    exact = lower_bounds.leaf_counting(weights, position.game.fleet_cells)
    assert found["leaf counting"] == float(exact)


IMPOSSIBLE = [
    "3x3:2,2,holes=A2,B1,B3,C2",
    "1x13:5,2,contact=any,holes=C1,E1,J1",
    "4x4:3,3,1,holes=A2,B1,B3,C2,D3,C4",
    "4x4:4,3,2",
    "3x3:2,2,announce=ship,holes=A2,B1,B3,C2",
    "3x3:3,1,holes=A2,B1,B3,C2",
]


@pytest.mark.parametrize("text", IMPOSSIBLE)
def test_games_without_a_configuration(call_command, text):
    status, out, err = call_command("bounds", text)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"error: {Game.parse(text)} has no configuration: the fleet does not fit")


@pytest.mark.parametrize("text", IMPOSSIBLE)
@pytest.mark.parametrize(
    "work",
    [
        bracket.bounds,
        lambda game: lower_bounds.lower_bounds(Position(game)),
        lambda game: list(lower_bounds.long_bounds_in_turn(replace(game, announce="nothing"))),
        lambda game: lower_bounds.leaves_of(Position(replace(game, announce="nothing"))),
        lambda game: lower_bounds.leaf_counting_after(Position(game), 1),
        CellSetCounts.of,
        lambda game: reveal(replace(game, contact="none")),
        lambda game: TwoHidden(game).bound(),
    ],
)
def test_functions_asked_of_games_without_a_configuration(text, work):
    game = Game.parse(text)
    with pytest.raises(ImpossiblePosition, match="has no configuration: the fleet does not fit"):
        work(game)


@given(st.integers(1, 3000))
def test_equation_2_is_huffmans_tree(leaves):
    depths = lower_bounds.complete_binary_tree_depths(leaves)
    assert sum(Fraction(1, 2**depth) for depth in depths) == 1
    assert len(depths) == leaves
    value = lower_bounds.complete_binary_tree({1: leaves})
    assert value == lower_bounds.complete_binary_tree({7: leaves}) == Fraction(sum(depths), leaves)
    if leaves > 1:  # the general method on the same leaves: two weights that are nearly equal
        huffman = lower_bounds.complete_binary_tree({10**9: leaves - 1, 10**9 + 1: 1})
        assert abs(huffman - value) < Fraction(1, 10**6)


def brute_force_words(hits, leaves):
    """The least total of misses of `leaves` sequences of `hits` hits that end in one, listed."""
    lengths = []
    misses = 0
    while len(lengths) < leaves:
        words = list(combinations(range(hits - 1 + misses), misses))
        lengths += [misses] * len(words)
        misses += 1
    return sum(sorted(lengths)[:leaves])


@given(st.integers(1, 5), st.integers(1, 60))
def test_leaf_counting_counts_words(hits, leaves):
    assert lower_bounds.leaf_counting_misses({1: leaves}, hits) == brute_force_words(hits, leaves)
    assert lower_bounds.leaf_counting_misses({3: leaves}, hits) == 3 * brute_force_words(
        hits, leaves
    )


@given(st.dictionaries(st.integers(1, 9), st.integers(1, 12), min_size=1), st.integers(1, 5))
def test_leaf_counting_with_weights(leaves, hits):
    """The heaviest leaves get the sequences with the fewest misses."""
    weights = sorted((w for w, n in leaves.items() for _ in range(n)), reverse=True)
    words = [brute_force_words(hits, n) for n in range(len(weights) + 1)]
    expected = sum(w * (words[i + 1] - words[i]) for i, w in enumerate(weights))
    assert lower_bounds.leaf_counting_misses(leaves, hits) == expected
    mean = hits + Fraction(expected, sum(weights))
    assert lower_bounds.leaf_counting(leaves, hits) == mean
    assert lower_bounds.complete_binary_tree(leaves) <= mean


@draws(300)
@given(positions(max_cells=12, max_configurations=60))
def test_admissible(position):
    solution = reference.solve(position)
    for bound in lower_bounds.lower_bounds(position):
        assert bound.value <= solution.mean, bound
    assert lower_bounds.leaves_of(position) == Counter(n for _, n in reference.family(position))


def test_sequences_of_sinkings_count():
    """With 1x7:2,1,announce=sunk the optimum is 97/20, below what hits and misses alone give."""
    game = Game.parse("1x7:2,1,announce=sunk")
    (leaf, _) = lower_bounds.lower_bounds(Position(game))
    assert leaf.name == "leaf counting"
    assert leaf.value <= reference.solve(Position(game)).mean == Fraction(97, 20)
    assert lower_bounds.leaf_counting({1: 20}, 3) > Fraction(97, 20)


def test_a_bound_from_a_table_is_one_of_the_bounds():
    """That of the boxed game takes hours: it is read, and no other bound is as high."""
    lower, _ = best_bounds(TABLES["bracket"].read(name="boxed"))
    assert bracket.bounds("boxed").lower == lower["value_exact"]


@pytest.mark.parametrize(
    "name", some(1, sorted(NAMED_GAMES, key=lambda name: name != "hex-upper"), 4)
)
def test_the_table_of_a_named_game_says_what_is_computed(name):
    table, found = TABLES["bracket"].read(name=name), bracket.bounds(name)
    assert table.game == Game.parse(name)
    assert int(table.header["configurations"]) == Posterior(name).configurations
    bounds = [(bound.side, bound.name, bound.value, bound.source) for bound in found.bounds]
    rows = [(row["side"], row["name"], row["value_exact"], row["source"]) for row in table]
    assert sorted(rows) == sorted(bounds)
    assert [row["value_exact"] for row in best_bounds(table)] == [found.lower, found.upper]


@pytest.mark.parametrize("rules", ["1x3:2", "3x4:3,2,contact=any", "4x4:2,2", "2x5:3,1"])
def test_a_bracket_where_hits_show_or_name_ships(rules):
    """Leaves are counted by first hits of ships; the upper bound hears what hits tell."""
    for announce in ("place", "name"):
        game = Game.parse(f"{rules},announce={announce}")
        optimum = solve(Position(game)).mean
        least, most = bracket.bracket(bracket.known_bounds(Position(game)))
        assert game.fleet_cells <= least <= optimum <= most <= optimum + Fraction(1, 5)
    (leaf,) = lower_bounds.lower_bounds(Position("1x9:1,announce=place"))
    assert leaf.value == 1 + Fraction(36, 9)  # each cell is a ship: 0 to 8 misses
