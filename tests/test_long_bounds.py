"""The root chain and the reveal game: against brute force, and below every optimum."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optsearch import lower_bounds
from optsearch.check import reference
from optsearch.counting.configurations import Configurations, to_masks
from optsearch.counting.family import Family
from optsearch.game import Game, bits
from optsearch.game.position import HIT, MISS, Position, Shot
from optsearch.lower_bounds import chain, coverage, leaves, reveal
from optsearch.lower_bounds.conditional_coverage import (
    ConditionalCoverage,
    list_conditional_coverages,
)
from optsearch.lower_bounds.coverage import CellSetCounts, Coverage
from optsearch.lower_bounds.reveal import Revealed
from optsearch.lower_bounds.ship_chain import finished_with_ship, longest_ship_chain
from optsearch.results import bracket
from optsearch.results.tables import TABLES
from optsearch.support.errors import NotSupported, RecordError, TableError, TooLarge
from optsearch.support.store import Store
from tests.definition import Misses
from tests.examples import sizes

TINY = ("2x3:2", "3x3:2", "3x4:2,2", "3x4:3,2", "2x6:3,2", "3x4:3,contact=corner", "1x9:2,2,1")
SMALL = (*TINY, "4x4:3,2", "4x5:3,2", "4x5:4,3,2", "5x5:3,2", "3x7:3,2", "4x4:2,2,contact=corner")


def slow(texts, *long, seconds):
    """These games, some of them marked as long."""
    mark = pytest.mark.long(seconds)
    return [pytest.param(text, marks=mark if text in long else ()) for text in texts]


def sets_of(game):
    """All configurations as masks, by the enumeration kernel."""
    return to_masks(Configurations(Position(game)).list())


def most_met_exactly(game):
    """k -> the most configurations that k cells meet, by branch and bound on lists."""
    everything = sets_of(game)
    through = [
        sum(1 << i for i, mask in enumerate(everything) if mask >> cell & 1)
        for cell in range(game.cells)
    ]

    @cache
    def most(k):
        best = 0

        def search(met, candidates, left):
            nonlocal best
            best = max(best, met.bit_count())
            if not left:
                return
            gains = sorted(
                ((met | through[c]).bit_count() - met.bit_count() for c in candidates), reverse=True
            )
            order = sorted(candidates, key=lambda c: -(met | through[c]).bit_count())
            for i, cell in enumerate(order):
                if met.bit_count() + sum(gains[i : i + left]) <= best:
                    return
                search(met | through[cell], order[i + 1 :], left - 1)

        search(0, range(game.cells), min(k, game.cells))
        return best

    return most


# Coverage


@pytest.mark.parametrize("text", slow(SMALL, "5x5:3,2", seconds=4))
def test_coverage(text):
    game = Game.parse(text)
    most, found = most_met_exactly(game), Coverage(CellSetCounts.of(game))
    for k in range(min(game.cells, 7) + 1):
        assert most(k) <= found.most_met(k) <= most(game.cells)
        assert found.is_exact(k) == (most(k) == found.most_met(k))
        assert found.is_exact(k) or k > 4


@given(st.data())
def test_the_inequality_of_the_search(data):
    """For every way to cover cells, with random trees; with one triple more it is false."""
    j = data.draw(st.integers(3, 7))
    triples = []
    for u in range(2, j):
        parents = [data.draw(st.integers(0, b - 1)) for b in range(1, u)]
        triples += [{u, a, b} for b, a in enumerate(parents, 1)]
    assert len(triples) == comb(j - 1, 2)

    def value(covered, triples):
        i = len(covered)
        return 1 - i + comb(i, 2) - sum(triple <= covered for triple in triples)

    every = [set(some) for i in range(j + 1) for some in combinations(range(j), i)]
    assert all(value(covered, triples) >= (not covered) for covered in every)
    assert any(value(covered, [*triples, {0, 1, 2}]) < 0 for covered in every)


def test_classes_and_checkpoints(tmp_path):
    """Counts are equal from all placements of the longest ship, and from a run that was stopped."""
    game, path = Game.parse("5x5:4,3,2"), tmp_path
    everything = CellSetCounts.of(game, path)
    with Store(path, f"the counts of the cell sets of {game}") as store:
        done, total, sums = coverage._load_counts(store, game)
        assert (done, total) == (len(reveal.placement_classes(game)), everything.configurations)
        coverage._save_counts(store, 0, 0, [array * 0 for array in sums])
    steps = []

    class Stopped(Exception):
        pass

    def stop(done, total):
        steps.append((done, total))
        if done == 2:
            raise Stopped

    with pytest.raises(Stopped):
        CellSetCounts.of(game, path, stop)
    again = CellSetCounts.of(game, path, lambda done, total: steps.append((done, total)))
    assert steps == [(1, 3), (2, 3), (2, 3), (3, 3)]
    for one, other in zip(again.covering, everything.covering, strict=True):
        assert (one == other).all()
    with pytest.raises(TableError, match="5x5:4,2"):
        CellSetCounts.of(Game.parse("5x5:4,2"), path)
    with pytest.raises(TooLarge, match="15,046,987,768"):
        CellSetCounts.of(Game.parse("10x10:5,4,3,3,2,contact=any"))


# The root chain


@pytest.mark.parametrize(
    ("text", "value"),
    # With exact coverages. Where an earlier prototype printed less (9.3678, 10.5534 and 9.6837), it
    # had bounds on them from sets of three cells; the others are as it printed them.
    [
        ("4x4:3,2", Fraction(863, 104)),
        ("4x5:3,2", Fraction(2269, 242)),
        ("4x5:4,3,2", Fraction(45, 4)),
        ("5x5:3,2", Fraction(5551, 524)),
        ("3x7:3,2", Fraction(2849, 294)),
        ("5x7:5,4,3,3,2", Fraction(15170, 768)),
    ],
)
def test_root_chain(text, value):
    game = Game.parse(text)
    number, hits = len(sets_of(game)), game.fleet_cells
    exact = chain.root_chain(hits, number, most_met_exactly(game), 60)
    assert chain.mean_at_least(exact, hits, number) == value
    finished = chain.root_chain(hits, number, Coverage(CellSetCounts.of(game)).most_met, 60)
    assert chain.mean_at_least(finished, hits, number) <= value


@pytest.mark.parametrize("text", slow(TINY, "3x4:2,2", "3x4:3,2", "2x6:3,2", seconds=2))
def test_no_strategy_finishes_more(text):
    """A(l) of both bounds against the most configurations that any strategy finishes."""
    game = Game.parse(text)
    hits, root = game.fleet_cells, reference.family(Position(game))
    most_met = Coverage(CellSetCounts.of(game)).most_met
    revealed = reveal.finished_by_reveal(game, reveal.reveal(game))
    with reference.caches():
        for misses in range(8):
            best = reference.most_finished(root, hits + misses)
            assert best <= chain.finished_by_chain(misses, hits, most_met)
            assert best <= revealed[misses]


@pytest.mark.parametrize("plies", range(4))
@pytest.mark.parametrize("text", ["3x3:2", "3x4:3", "3x4:2,2", "2x6:3,2"])
def test_leaf_counting_after_plies(text, plies):
    """All shots at every ply by the definition; never above the optimum."""
    game = Game.parse(text)

    def misses(sets, left, hits):
        if left == 0 or hits == 0 or len(sets) < 2:
            return lower_bounds.leaf_counting_misses({1: len(sets)}, hits) if sets else 0
        results = []
        for cell in range(game.cells):
            hit = [some & ~(1 << cell) for some in sets if some >> cell & 1]
            miss = [some for some in sets if not some >> cell & 1]
            if hit:
                value = misses(hit, left - 1, hits - 1) + misses(miss, left - 1, hits)
                results.append(value + len(miss))
        return min(results)

    sets = sets_of(game)
    expected = game.fleet_cells + Fraction(misses(sets, plies, game.fleet_cells), len(sets))
    bound = lower_bounds.leaf_counting_after(Position(game), plies)
    assert bound == expected <= reference.solve(Position(game)).mean


@pytest.mark.parametrize("text", ["3x3:2", "3x4:3", "3x4:2,2", "2x6:3,2"])
def test_leaf_counting_after_a_shot_with_weights(text):
    """All first shots by the definition; the heaviest leaves are the first to be reached."""
    family = Family.of(Position(Game.parse(text)))
    for most in (1, 4):
        weights = [1 + i % most for i in range(len(family.sets))]
        hits, total, results = family.sets[0].bit_count(), sum(weights), []
        for cell in range(family.game.cells):
            hit, miss = Counter(), Counter()
            for cells, weight in zip(family.sets, weights, strict=True):
                (hit if cells >> cell & 1 else miss)[weight] += 1
            value = lower_bounds.leaf_counting_misses(hit, hits - 1) if hit else 0
            value += lower_bounds.leaf_counting_misses(miss, hits) if miss else 0
            results.append(value + sum(weight * n for weight, n in miss.items()))
        weighted = replace(family, weights=tuple(weights))
        expected = hits + Fraction(min(results), total)
        assert leaves.weighted_leaf_counting_after(weighted) == expected
        misses = Misses(family.sets, weights)
        assert expected <= hits + Fraction(misses.value(misses.everything), total)


# The reveal game


@cache
def most_found(sets, misses):
    """The most sets that a strategy finds with at most so many misses, over all strategies."""
    if not sets or misses < 0:
        return 0
    best = 1
    everywhere = 0
    for some in sets:
        everywhere |= some
    for cell in bits(everywhere):
        hit = frozenset(some & ~(1 << cell) for some in sets if some >> cell & 1)
        if len(hit) < len(sets):
            miss = frozenset(some for some in sets if not some >> cell & 1)
            best = max(best, most_found(hit, misses) + most_found(miss, misses - 1))
            if best == len(sets):
                break
        else:
            return most_found(hit, misses) if len(sets) > 1 else 1
    return best


@pytest.mark.parametrize("text", ["3x4:2,2", "3x4:3,2", "2x6:3,2", "3x3:2,1,contact=corner"])
def test_the_reveal_game(text):
    """F_Q(l) of one known ship against all strategies that know it, for l = 0 … 7."""
    game = Game.parse(text)
    everything = sets_of(game)
    revealed = reveal.reveal(game)
    for beside in revealed:
        around = beside.ship | game.halo(beside.ship)
        others = frozenset(
            some & ~beside.ship
            for some in everything
            if some & around == beside.ship and some.bit_count() == game.fleet_cells
        )
        assert beside.completions == len(others)
        for misses in range(8):
            assert most_found(others, misses) <= beside.finished[misses] <= beside.completions
    totals = reveal.finished_by_reveal(game, revealed)
    for misses in range(8):
        assert most_found(frozenset(everything), misses) <= totals[misses]


def test_announced_sinkings_have_no_long_bounds():
    with pytest.raises(NotSupported, match="announce=ship"):
        list(lower_bounds.long_bounds_in_turn(Game.parse("3x3:2,1,announce=ship")))


def test_contact_any_has_no_reveal_game():
    with pytest.raises(NotSupported, match="contact=any"):
        reveal.reveal(Game.parse("4x4:2,2,contact=any"))


def test_too_many_configurations_for_the_reveal_game():
    """2^48 or more, which the kernel could not add up."""
    game = Game.parse("7x18:2,1,1,1,1,1,1,1,1,1,1,1")
    said = "fewer than 281,474,976,710,656 configurations; .* has 4,240,042,248,861,996"
    with pytest.raises(TooLarge, match=said):
        reveal.reveal(game)


# The ship chain


def shown_exactly(game, values=8):
    """(placement, those alike, completions, the most found within l < values misses), by force."""
    everything = sets_of(game)
    for ship, _ in reveal.placement_classes(game):
        alike = {sum(1 << p[cell] for cell in bits(ship)) for p in game.symmetries()}
        around = ship | game.halo(ship)
        rest = frozenset(some & ~ship for some in everything if some & around == ship)
        yield ship, alike, len(rest), tuple(most_found(rest, misses) for misses in range(values))


def columns_of(sets, game):
    """For each cell the sets that have it, as bits."""
    return [
        sum((some >> cell & 1) << i for i, some in enumerate(sets)) for cell in range(game.cells)
    ]


def met_by(columns, cells):
    """How many sets have one of the cells."""
    met = 0
    for cell in cells:
        met |= columns[cell]
    return met.bit_count()


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("3x4:3,2", 8),
        ("4x4:3,2", 4),
        ("3x4:2,2", 8),
        ("3x5:2,2", 5),
        ("2x7:3,2,2", 8),
        ("1x9:2,2,1", 8),
        ("1x14:3,3,1", 4),  # wrong where costs are not held down by what k - 2 cells meet
    ],
)
@sizes("most_sets", 100, 1000, 4)
def test_the_ship_chain(text, values, most_sets):
    """Against all sets of cells and all strategies, from the most that is found beside a ship.

    most_sets -- of games of fewer configurations all strategies are tried.
    """
    game = Game.parse(text)
    everything = sets_of(game)
    number, hits, equal = len(everything), game.fleet_cells, game.fleet.count(game.fleet[0])
    coverage_ = Coverage(CellSetCounts.of(game))
    classes = list(shown_exactly(game, values))
    revealed = [Revealed(ship, len(alike), n, ends) for ship, alike, n, ends in classes]
    conditional = {ship: ConditionalCoverage.of(game, ship) for ship, *_ in classes}
    finished = longest_ship_chain(coverage_, revealed, conditional.values(), [number] * values)
    columns, chains_used = columns_of(everything, game), 0
    for misses, (most, cells) in enumerate(finished):
        if number < most_sets:
            assert most >= most_found(frozenset(everything), misses)
        expected = []
        for k in range(1, misses + 2):
            costs = {
                image: max(
                    0,
                    n
                    - max(
                        finished_with_ship(game, conditional[ship], misses, ends[misses]),
                        conditional[ship].most_met(k - 2),
                    ),
                )
                // equal
                for ship, alike, n, ends in classes
                for image in alike
            }
            words = comb(misses - k + hits, hits) if k <= misses else 0
            masks = {some: sum(1 << c for c in some) for some in combinations(range(game.cells), k)}
            covered = max(
                met_by(columns, some) - sum(cost for ship, cost in costs.items() if ship & mask)
                for some, mask in masks.items()
            )
            expected.append(covered + words)
        bound = min(expected)
        assert most >= min(bound, number)
        if cells and cells <= 4:
            assert most == expected[cells - 1] == min(expected[:4])
        chains_used += cells > 0
    assert chains_used


@pytest.mark.parametrize("text", ["2x6:3,2", "3x4:3,2", "3x4:3"])
def test_a_ship_chain_that_costs_too_much_is_caught(text):
    """With what is found within l - 1 misses in place of l strategies finish more."""
    game = Game.parse(text)
    everything = sets_of(game)
    finished = [
        longest_ship_chain(
            Coverage(CellSetCounts.of(game)),
            [
                Revealed(ship, len(alike), n, (0,) * delay + ends)
                for ship, alike, n, ends in shown_exactly(game)
            ],
            list_conditional_coverages(game),
            [len(everything)] * 8,
        )
        for delay in (0, 1)
    ]
    best = [most_found(frozenset(everything), misses) for misses in range(8)]
    right, wrong = ([one.configurations for one in some] for some in finished)
    assert all(one >= some for one, some in zip(right, best, strict=True))
    assert any(one < some for one, some in zip(wrong, best, strict=True))


# All of them


def admissible(rows):
    for row in rows:
        position = Position(row["game"])
        optimum = Fraction(row["total_height"], row["configurations"])
        for bound in lower_bounds.bounds_on_demand(position):
            assert bound.value <= optimum, (row["game"], bound)


def solved(is_small):
    rows = [row for row in TABLES["optima"].read() if row["game"].is_silent]
    return [row for row in rows if row["contact"] == "none" and (row["cells"] <= 16) == is_small]


def test_below_every_optimum_of_small_boards():
    admissible(solved(True))


@pytest.mark.long(60)
def test_below_the_optima_of_larger_boards():
    admissible(solved(False))


def test_the_bracket(tmp_path):
    position = Position(Game.parse("4x4:3,2"))
    bounds = bracket.known_bounds(position, tmp_path)
    lower, upper = bracket.bracket(bounds)
    assert lower == Fraction(67, 8)
    value_of = {b.name: b.value for b in bounds}
    assert value_of["root chain with the first ship"] == lower
    assert {b.name for b in bounds if b.side == "upper"} == {
        *("most probable cell", "levels of rollouts")
    }
    assert Fraction(878, 104) <= upper < Fraction(900, 104)  # between the optimum of Table 1 and …
    after = Position(position.game, (Shot((0, 0), HIT), Shot((1, 1), MISS)))
    lower, upper = bracket.bracket(bracket.known_bounds(after))
    assert lower <= reference.solve(after).mean <= upper


def write_evaluation(folder, name, game, histogram, **header):
    total = sum(shots * n for shots, n in histogram.items())
    fields = {
        "strategy": "best guess",
        "game": game,
        "configurations": sum(histogram.values()),
        "total_height": total,
    }
    return TABLES["evaluations"].write(
        histogram.items(), folder, fields=fields | header, name=name, **fields
    )


@pytest.mark.parametrize(
    ("histogram", "header", "message"),
    [
        ({8: 100}, {}, "4x4:3,2 has 104 configurations, not 100"),
        ({8: 100}, {"configurations": 104}, "its rows have 100 configurations, not 104"),
        ({8: 100, 9: 4}, {"total_height": 835}, "its rows have 836 shots in all, not 835"),
    ],
)
def test_a_table_that_contradicts_itself_is_refused(tmp_path, histogram, header, message):
    path = write_evaluation(tmp_path, "some", "4x4:3,2", histogram, **header)
    with pytest.raises(RecordError) as error:
        upper_bounds(Position(Game.parse("4x4:2,3")), tmp_path)
    assert str(error.value).startswith(f"{path}: {message}; make it again with: ")


def upper_bounds(position, results):
    return [bound for bound in bracket.known_bounds(position, results) if bound.side == "upper"]


def test_a_strategy_that_is_told_less_can_be_played_where_more_is_announced(tmp_path):
    write_evaluation(tmp_path, "some", "4x4:3,2,announce=sunk", {8: 36, 9: 68})
    source = "data/results/evaluations/some.csv"
    for announce, told in (("sunk", source), ("ship", "it plays as with announce=sunk")):
        position = Position(Game.parse(f"4x4:3,2,announce={announce}"))
        (found,) = upper_bounds(position, tmp_path)
        assert (found.value, found.source[: len(told)]) == (Fraction(900, 104), told)
    found = upper_bounds(Position(Game.parse("4x4:3,2")), tmp_path)
    names = {bound.name for bound in found}
    # "best guess" may go by sinkings:
    assert names == {"most probable cell", "levels of rollouts"}


def test_committed_evaluations_and_optima(tmp_path):
    write_evaluation(tmp_path, "some", "4x4:3,2", {8: 36, 9: 68})
    write_evaluation(tmp_path, "more", "4x4:3,3", {8: 24})
    position = Position(Game.parse("4x4:2,3"))
    (bound,) = upper_bounds(position, tmp_path)
    assert (bound.name, bound.value) == ("best guess", Fraction(900, 104))
    assert bound.source == "data/results/evaluations/some.csv"
    assert bracket.bracket(bracket.known_bounds(position)) == (Fraction(878, 104),) * 2
