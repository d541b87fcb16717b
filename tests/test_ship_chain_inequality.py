"""The root chain with the longest ship, set of cells by set of cells.

What any strategy finishes, of what its first cells meet, against what those cells meet less their
costs (`lower_bounds.ship_chain`). The least A(l) over all sets hides most mistakes in costs;
here each of them shows. Nothing of `optsearch.lower_bounds` computes the costs of this file.
"""

import random
from functools import cache
from itertools import combinations, permutations
from typing import NamedTuple

import numpy as np
import pytest

from optsearch.counting.configurations import to_words
from optsearch.game import Game
from optsearch.lower_bounds.conditional_coverage import ConditionalCoverage
from optsearch.lower_bounds.coverage import CellSetCounts, Coverage
from tests.test_long_bounds import columns_of, met_by, most_found, sets_of, shown_exactly

ONE_LONGEST = ("3x3:2,1,contact=corner", "3x4:3,2", "2x6:3,2", "1x6:3,1", "1x9:3,2")
EQUAL = ("3x4:2,2", "1x9:2,2", "1x9:2,2,1", "3x3:2,2,contact=corner")
MISSES = range(5)


class ShipClass(NamedTuple):
    """Of the longest ship: its cells (mask), its completions, and F(0), F(1), … by brute force."""

    ship: int
    completions: int
    found: tuple[int, ...]

    def unfinished(self, misses):
        """How many of its completions a strategy that knows it leaves; no cap on that."""
        return self.completions - (self.found[misses] if misses >= 0 else 0)


def placements(game):
    return [
        ShipClass(image, n, found)
        for _, alike, n, found in shown_exactly(game)
        for image in sorted(alike)
    ]


def most_finished(everything, cells, misses):
    """Of what the cells meet, the most that is finished by a strategy that begins with them.

    They are shot in this order until one is hit; from there on each strategy is its own.
    """
    left, total = everything, 0
    for i, cell in enumerate(cells):
        hit = frozenset(some & ~(1 << cell) for some in left if some >> cell & 1)
        total += most_found(hit, misses - i)
        left = [some for some in left if not some >> cell & 1]
    return total


def violations(text, cost):
    """The sequences of up to three cells, and misses, with more finished than the costs allow.

    cost -- of a placement at some number of misses, times the ships of that length.
    """
    game = Game.parse(text)
    equal, shown = game.fleet.count(game.fleet[0]), placements(game)
    return violations_of(
        game,
        equal,
        lambda misses, _: [(one.ship, cost(one, misses, equal)) for one in shown],
    )


def violations_of(game, equal, costs_of):
    """Violations by the costs [(placement, cost), ...] at some misses and cells, `equal` times."""
    everything = sets_of(game)
    columns, found = columns_of(everything, game), []
    for misses in MISSES:
        for size in (1, 2, 3):
            costs = costs_of(misses, size)
            for some in combinations(range(game.cells), size):
                mask = sum(1 << cell for cell in some)
                paid = sum(each for ship, each in costs if ship & mask)
                allowed = equal * met_by(columns, some) - paid
                for cells in permutations(some):
                    if equal * most_finished(everything, cells, misses) > allowed:
                        found.append((cells, misses))
    return found


@pytest.mark.parametrize("text", [*ONE_LONGEST, *EQUAL])
def test_the_inequality_for_every_set_and_order(text):
    assert violations(text, lambda one, misses, equal: one.unfinished(misses)) == []


@pytest.mark.parametrize("text", [*ONE_LONGEST, *EQUAL])
def test_costs_of_one_miss_less_are_caught(text):
    """n_p - F_p(l - 1) in place of n_p - F_p(l)."""
    assert violations(text, lambda one, misses, equal: one.unfinished(misses - 1))


@pytest.mark.parametrize("text", EQUAL)
def test_costs_that_are_not_shared_among_equal_ships_are_caught(text):
    """Without the 1/m."""
    assert violations(text, lambda one, misses, equal: equal * one.unfinished(misses))


@cache
def met_beside(game):
    """{placement of any ship: [the most that 0, 1, … cells beside it meet]}, by all sets."""
    everything = sets_of(game)
    result = {}
    for ship in {ship for length in game.fleet for ship in game.placements(length)}:
        around = ship | game.halo(ship)
        others = [some & ~ship for some in everything if some & around == ship]
        columns = columns_of(others, game)
        beside = [cell for cell in range(game.cells) if not ship >> cell & 1]
        most = [
            max((met_by(columns, some) for some in combinations(beside, k)), default=len(others))
            for k in range(5)
        ]
        result[ship] = (len(others), most + [len(others)] * 4)
    return result


@pytest.mark.parametrize("text", ["3x4:3,2", "3x4:2,2", "4x4:3,2", "2x6:3,2", "1x14:3,3,1"])
def test_random_costs_against_all_sets(text):
    """The search for the best set, with costs up to what k - 2 cells leave, and with more.

    Up to there it finds the most that any k cells keep. Costs beyond are illegal: with some of them
    it must miss the best set, or the cap would be idle.
    """
    game, random_ = Game.parse(text), random.Random(f"costs of {text}")
    everything, equal = sets_of(game), game.fleet.count(game.fleet[0])
    columns = columns_of(everything, game)
    coverage = Coverage(CellSetCounts.of(game))
    classes = [
        (ConditionalCoverage.of(game, ship), sorted(alike))
        for ship, alike, *_ in shown_exactly(game)
    ]
    ships = [image for _, alike in classes for image in alike]
    below = 0
    for k in (1, 2, 3, 4):
        masks = [(some, sum(1 << c for c in some)) for some in combinations(range(game.cells), k)]
        met = [(met_by(columns, some), mask) for some, mask in masks]
        for is_legal in (True, False) * 6:
            costs = []
            for shown, alike in classes:
                left = shown.completions - (shown.most_met(k - 2) if is_legal else 0)
                most = max(0, left) // equal * (1 if is_legal else 3)
                costs += [random_.choice((0, most, random_.randint(0, most)))] * len(alike)
            paid = list(zip(ships, costs, strict=True))
            best = max(f - sum(cost for ship, cost in paid if ship & mask) for f, mask in met)
            found = coverage.most_kept(k, len(everything), to_words(ships), np.array(costs))
            assert found is not None
            if is_legal:
                assert found == best, (k, costs)
            below += found < best
    assert below
