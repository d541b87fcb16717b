"""The root chain with the misses beside the first ship, against the definition and all strategies.

Nothing of `optsearch.lower_bounds` computes V in this file but what is compared.
"""

import random
from functools import cache
from itertools import permutations
from math import comb

import pytest

from optsearch.game import Game, bits
from optsearch.lower_bounds import first_ship
from optsearch.lower_bounds.conditional_coverage import list_conditional_coverages
from optsearch.lower_bounds.coverage import CellSetCounts, Coverage
from optsearch.lower_bounds.first_ship import Unfinished, first_ship_chain, most_kept
from tests.test_long_bounds import columns_of, met_by, most_found, sets_of
from tests.test_ship_chain_inequality import met_beside, most_finished

GAMES = (
    pytest.param("3x4:3,2", marks=pytest.mark.long(5)),
    pytest.param("2x6:3,2", marks=pytest.mark.long(4)),
    pytest.param("1x9:3,2", marks=pytest.mark.long(2)),
    pytest.param("3x4:2,2", marks=pytest.mark.long(2)),
    pytest.param("3x3:2,1,contact=corner", marks=pytest.mark.long(2)),
    "1x9:2,2,1",
    "3x3:2,2,contact=corner",
    "1x6:3,1",
)
MISSES = range(6)


def words(misses, hits):
    """The sequences of so many hits and at most so many misses that end in a hit."""
    return comb(misses + hits, hits) if misses >= 0 else 0


class CostByDefinition:
    """V as it is defined, without a table of states, or with a mistake.

    by_placement -- the configurations with each placement, and what 0, 1, … cells meet. misses,
    start, most -- l, j - 1, M. The others are mistakes: `far` cells missed anywhere count as if
    they were in the halo, `spare` misses are not counted as made, `free` hits are counted that are
    not, `met` ships stay that were met before, and the `end` of the game is not seen. With `common`
    false what counts are the cells hit, not those that all placements alive have: weaker, and no
    mistake.
    """

    def __init__(
        self,
        game,
        by_placement,
        misses,
        start,
        most,
        far=False,
        spare=0,
        free=0,
        met=False,
        end=True,
        common=True,
    ):
        self.game, self.by_placement = game, by_placement
        self.misses, self.start, self.most = misses, start, most
        self.far, self.spare, self.free, self.met, self.end = far, spare, free, met, end
        self.common = common

    def value(self, cell, missed):
        """V(cell, missed)."""
        ships = [
            ship
            for ship in self.by_placement
            if ship >> cell & 1
            and (self.met or not ship & missed)
            and (ship.bit_count() < self.game.fleet_cells or not self.end)
        ]
        return self.least(tuple(ships), 1 << cell, missed, missed.bit_count())

    def least(self, alive, hit, missed, misses):
        if not alive:
            return 0
        value = self.left(alive, hit, missed, misses) if misses >= self.start else 0
        if misses == self.most:
            return value
        ways = [self.least(alive, hit, missed, misses + 1)]
        everywhere = 0
        for ship in alive:
            everywhere |= ship
        for cell in bits(everywhere & ~hit & ~missed):  # one of all only counts as hit
            with_it = tuple(ship for ship in alive if ship >> cell & 1)
            without = tuple(ship for ship in alive if not ship >> cell & 1)
            ways.append(
                self.least(with_it, hit | 1 << cell, missed, misses)
                + self.least(without, hit, missed | 1 << cell, misses + 1)
            )
        return max(value, min(ways))

    def left(self, alive, hit, missed, misses):
        left = self.misses - misses - self.spare
        hits = self.game.fleet_cells
        each = together = 0
        shared = alive[0]
        for ship in alive:
            shared &= ship
            number, met = self.by_placement[ship]
            near = missed if self.far else missed & self.game.halo(ship)
            avoid = number - met[max(0, misses - near.bit_count())]
            each += max(0, avoid - words(left, hits - ship.bit_count()))
            together += avoid
        known = (shared if self.common else hit).bit_count() + self.free
        return max(each, together - words(left, max(0, hits - known)))


def violations(text, **mistake):
    """Sequences of up to three cells, and misses, of which more is finished than may be."""
    game = Game.parse(text)
    everything, by_placement = sets_of(game), met_beside(game)
    columns = columns_of(everything, game)
    for misses in MISSES:
        for j in (1, 2, 3):
            for start in {j - 1, max(j - 1, misses // 2)}:
                check = cache(
                    CostByDefinition(game, by_placement, misses, start, start + 2, **mistake).value
                )
                for cells in permutations(range(game.cells), j):
                    left = sum(
                        check(cell, sum(1 << other for other in cells[:t]))
                        for t, cell in enumerate(cells)
                    )
                    if most_finished(everything, cells, misses) > met_by(columns, cells) - left:
                        yield cells, misses, start


@pytest.mark.parametrize("text", GAMES)
def test_the_inequality_for_every_sequence(text):
    assert [*violations(text)] == []


@pytest.mark.parametrize(
    ("text", "mistake"),
    [
        ("1x9:3,2", {"far": True}),
        ("1x9:3,2", {"spare": 1}),
        ("1x9:3,2", {"free": 1}),
        ("1x9:3,2", {"met": True}),
        ("1x6:3,1", {"met": True}),
        ("3x3:2", {"end": False}),
    ],
    ids=str,
)
def test_mistakes_are_caught(text, mistake):
    assert any(violations(text, **mistake))


SEARCHED = ("3x4:3,2", "4x4:3,2", "2x7:3,2,2", "3x4:2,2", "4x4:3,2,contact=corner", "1x9:2,2,1")


def searched(text):
    game = Game.parse(text)
    return game, list_conditional_coverages(game), Coverage(CellSetCounts.of(game))


@pytest.mark.parametrize("text", SEARCHED)
def test_the_kernel_against_the_definition(text):
    game, ships, _ = searched(text)
    by_placement = {
        ship: (beside.completions, [beside.most_met(k) for k in range(9)])
        for beside in ships
        for ship in game.images(beside.ship)
    }
    random_ = random.Random(f"first ships of {text}")
    different = set()
    for _ in range(40):
        misses, start = random_.randrange(8), random_.randrange(4)
        end = start + random_.randrange(3)
        size = random_.randrange(min(start, end) + 1)
        cell, *before = random_.sample(range(game.cells), size + 1)
        missed = sum(1 << other for other in before)
        arguments = game, by_placement, misses, start, end
        expected = CostByDefinition(*arguments).value(cell, missed)
        assert Unfinished(game, ships, misses, start, end).lower_bound(cell, missed) == expected
        different.add(expected)
        by_hits = CostByDefinition(*arguments, common=False).value(cell, missed)
        assert by_hits <= expected
    assert len(different) > 2


def test_common_cells_count_for_more_than_hits():
    game, ships, _ = searched("1x9:3,2")
    by_placement = {
        ship: (beside.completions, [beside.most_met(i) for i in range(game.cells + 1)])
        for beside in ships
        for ship in game.images(beside.ship)
    }
    arguments = game, by_placement, 1, 0, 2
    by_hits = [
        CostByDefinition(*arguments, common=False).value(cell, 0) for cell in range(game.cells)
    ]
    by_common = [CostByDefinition(*arguments).value(cell, 0) for cell in range(game.cells)]
    assert sum(by_common) > sum(by_hits)


@pytest.mark.parametrize("text", SEARCHED)
def test_the_search_against_all_sequences(text):
    """Of up to four cells what is met is exact, and so is the most that is kept."""
    game, ships, coverage = searched(text)
    columns = columns_of(sets_of(game), game)
    for misses in (2, 4, 6):
        for j in (1, 2, 3):
            unfinished = Unfinished(game, ships, misses, j - 1, j + 2)
            expected = max(
                met_by(columns, cells)
                - sum(
                    unfinished.lower_bound(cell, sum(1 << other for other in cells[:t]))
                    for t, cell in enumerate(cells)
                )
                for cells in permutations(range(game.cells), j)
            )
            assert most_kept(coverage, unfinished, j, expected + 1) == expected
            assert most_kept(coverage, unfinished, j, expected) is None


@pytest.mark.parametrize("text", SEARCHED)
def test_what_a_cell_adds_gets_no_more(text):
    """What the search relies on: for the first j - 1 cells, from the sets of configurations."""
    game, ships, _ = searched(text)
    columns = columns_of(sets_of(game), game)
    random_ = random.Random(f"cells added in {text}")
    falls = 0
    for _ in range(60):
        j, misses = random_.randint(2, 4), random_.randrange(8)
        unfinished = Unfinished(game, ships, misses, j - 1, j + random_.randrange(3))
        cell, last, *before = random_.sample(range(game.cells), random_.randint(2, j))

        def gain(cells, cell=cell, unfinished=unfinished):
            value = unfinished.lower_bound(cell, sum(1 << other for other in cells))
            return met_by(columns, [*cells, cell]) - met_by(columns, cells) - value

        assert 0 <= gain([*before, last]) <= gain(before)
        falls += gain([*before, last]) < gain(before)
    assert falls


@pytest.mark.parametrize("text", SEARCHED)
def test_no_strategy_finishes_more(text):
    """For every number of misses; a ship less known is no better."""
    game, ships, coverage = searched(text)
    everything = frozenset(sets_of(game))
    before = [len(everything)] * 7
    finished = first_ship_chain(coverage, ships, before)
    fewer = first_ship_chain(coverage, ships[:-1], before)
    for misses, (configurations, cells) in enumerate(finished):
        assert 0 <= cells <= misses + 1
        assert configurations <= fewer[misses].configurations
        if len(everything) < 50:
            assert configurations >= most_found(everything, misses)


def test_a_search_that_gives_up():
    game, ships, coverage = searched("4x4:3,2")
    unfinished = Unfinished(game, ships, 4, 2, 5)
    kept = most_kept(coverage, unfinished, 3, 10**9)
    assert kept is not None
    assert most_kept(coverage, unfinished, 3, 10**9, sets=1) is None


def test_what_a_search_says(monkeypatch):
    """A part of the sets at a time gives the same, and all of them are told."""
    game, ships, coverage = searched("4x4:3,2")
    unfinished = Unfinished(game, ships, 4, 2, 5)
    kept = most_kept(coverage, unfinished, 3, 10**9)
    monkeypatch.setattr(first_ship, "_SEQUENCES_AT_ONCE", 2)
    reports = []
    again = most_kept(coverage, unfinished, 3, 10**9, on_sets=lambda *sets: reports.append(sets))
    assert again == kept
    assert {(j, size) for j, size, _, _ in reports} == {(3, 0), (3, 1), (3, 2)}
    assert max(total for _, _, _, total in reports) > 2
    assert all(finished % 2 == 0 and finished < total for _, _, finished, total in reports)


@pytest.mark.parametrize("text", SEARCHED)
def test_what_symmetries_make_of_a_cell(text):
    """V is kept for one of them; a kernel that knows nothing but this cell finds the same."""
    game, ships, _ = searched(text)
    unfinished = Unfinished(game, ships, 5, 2, 4)
    random_ = random.Random(f"symmetries of {text}")
    for _ in range(20):
        cell, *before = random_.sample(range(game.cells), random_.randint(1, 3))
        missed = sum(1 << other for other in before)
        value = unfinished.lower_bound(cell, missed)
        for turn in game.symmetries():
            image = sum(1 << turn[other] for other in before)
            assert Unfinished(game, ships, 5, 2, 4).lower_bound(turn[cell], image) == value


@pytest.mark.parametrize("text", ["3x3:2", "3x4:1", "4x4:V3,contact=corner"])
def test_a_fleet_of_one_ship(text):
    """No ship costs anything, and the search ends."""
    game, ships, coverage = searched(text)
    before = [len(sets_of(game))] * 4
    assert [step.cells for step in first_ship_chain(coverage, ships, before)] == [0] * 4


def test_where_many_ships_are_through_a_cell(monkeypatch):
    """The shortest cost nothing there."""
    game, ships, _ = searched("4x4:3,2")
    fewer = [conditional for conditional in ships if conditional.ship.bit_count() == 3]
    cells = range(game.cells)

    def values(some):
        return [Unfinished(game, some, 1, 0, 2).lower_bound(cell, 0) for cell in cells]

    every, long = values(ships), values(fewer)
    monkeypatch.setattr(first_ship, "_KERNEL_ROOM", 7)
    assert values(ships) == long != every
