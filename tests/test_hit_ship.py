"""What the ships through a cell that was hit leave unfinished: the definition, and any strategy."""

from functools import cache
from itertools import combinations
from math import comb
from random import Random

import numpy as np
import pytest

from optsearch.compiled._hit_ship import MAX_RESTS, HitShip
from optsearch.counting.configurations import to_words
from optsearch.counting.family import Family
from optsearch.game import Game, bits
from optsearch.game.position import Position
from optsearch.search.finished import Counts
from optsearch.search.hit_ship import hit_ship_of
from tests.test_finished import drawn, finished, nothing


def words(misses, hits):
    return comb(misses + hits, hits) if misses >= 0 and hits >= 0 else 0


def ship_of(game, cell, one):
    """The cells of a set that hang together with one of them by their sides."""
    ship = 1 << cell
    for _ in range(game.cells):
        for other in bits(ship):
            ship |= game.board.sides[other] & one
    return ship


class Definition:
    """The value of the game for two of `optsearch.search.hit_ship`.

    sets -- those with the cell that was hit, and none that was missed. hits -- cells of a set.
    """

    def __init__(self, game, cell, sets, hits):
        self.hits = hits
        self.rests = {}
        for one in sets:
            ship = ship_of(game, cell, one)
            if one != ship:
                self.rests.setdefault(ship, []).append(one & ~ship)
        self.met = cache(self._met)
        self.value = cache(self._value)

    def unfinished(self, misses):
        return self.value(frozenset(self.rests), 0, 0, misses)

    def left(self, ship, near):
        return frozenset(rest for rest in self.rests[ship] if not rest & near)

    def _met(self, rests, cells):
        """The most rests that so many cells meet."""
        free = sorted({cell for rest in rests for cell in bits(rest)})
        return max(
            sum(1 for rest in rests if any(rest >> cell & 1 for cell in some))
            for some in combinations(free, min(cells, len(free)))
        )

    def done(self, rests, far, misses, hits):
        """Rests that `far` cells meet or that so many misses more finish, at most."""
        counts = sorted(
            (sum(rest >> cell & 1 for rest in rests) for cell in range(16)), reverse=True
        )
        cap = min(len(rests), self.met(rests, far) + words(misses, hits))
        met, by_cells = self.met(rests, far), sum(counts[:far])
        for i in range(misses + 1):
            line = words(misses - i, hits - 1)
            by_cells += min(counts[far + i], line) if far + i < 16 else 0
            met = min(met + line, self.met(rests, far + i + 1), by_cells)
            cap = min(cap, met + words(misses - i - 1, hits))
        return cap

    def _value(self, alive, near, far, misses):
        if not alive:
            return 0
        each = together = 0
        shared = every = next(iter(alive))
        for ship in alive:
            rests = self.left(ship, near)
            each += len(rests) - self.done(rests, far, misses, self.hits - ship.bit_count())
            together += len(rests) - self.met(rests, far)
            shared, every = shared & ship, every | ship
        now = max(each, together - words(misses, self.hits - shared.bit_count()))
        if misses < 0:
            return now
        later = [self.value(alive, near, far + 1, misses - 1)]
        for cell in bits(every & ~shared):
            hit = frozenset(ship for ship in alive if ship >> cell & 1)
            missed = self.value(alive - hit, near | 1 << cell, far, misses - 1)
            later.append(missed + self.value(hit, near, far, misses))
        return max(now, min(later))


def cases(seeds):
    """Random small families, a cell hit, cells missed, and the sets that these leave."""
    for seed in seeds:
        family, rng = drawn(seed), Random(seed)
        for _ in range(6):
            cell = rng.randrange(8)
            missed = rng.randrange(1 << 8) & rng.randrange(1 << 8) & ~(1 << cell)
            sets = frozenset(one for one in family.sets if one >> cell & 1 and not one & missed)
            yield family, cell, missed, sets


@pytest.mark.parametrize("part", range(4))
def test_the_kernel_has_the_value_of_the_definition_and_no_strategy_leaves_less(part):
    tight = 0
    for family, cell, missed, sets in cases(range(60 * part, 60 * part + 60)):
        kernel = hit_ship_of(family)
        definition = Definition(family.game, cell, sets, family.hits)
        for misses in range(5):
            left = kernel.unfinished(cell, to_words([missed])[0], misses)
            assert left == definition.unfinished(misses)
            assert left <= len(sets) - finished(sets, misses)
            tight += 0 < left == len(sets) - finished(sets, misses)
    assert tight


@pytest.mark.parametrize("wrong", ["a hit more", "fewer are met", "a miss less", "no rest"])
def test_stronger_formulas_are_wrong(wrong):
    above = 0
    for family, cell, _, sets in cases(range(120)):
        definition = Definition(family.game, cell, sets, family.hits - (wrong == "a hit more"))
        if wrong == "fewer are met":
            definition.met = lambda rests, cells, met=definition.met: met(rests, max(0, cells - 1))
        if wrong == "no rest":  # a ship that is all of its set
            definition.rests |= {one: [0] for one in sets if ship_of(family.game, cell, one) == one}
        for misses in range(1, 5):
            left = definition.unfinished(misses - (wrong == "a miss less"))
            above += left > len(sets) - finished(sets, misses)
    assert above


@pytest.mark.parametrize(("game", "misses"), [("4x4:3,2", 7), ("3x5:2,2", 6), ("3x4:2,1,1", 4)])
def test_whole_games(game, misses):
    """Never below what the kernel of counts finds, and above it by few."""
    family = Family.of(Position(Game.parse(game)))
    counts, kernel = Counts(family, nothing), hit_ship_of(family)
    rng, over, all_sets = Random(1), 0, 0
    for _ in range(60):
        cell, missed = rng.randrange(12), rng.randrange(1 << 12) & rng.randrange(1 << 12)
        missed &= rng.randrange(1 << 12) & ~(1 << cell)
        number = int((counts.without(missed) & counts.has[:, cell]).sum())
        for left in range(misses):
            most = counts._kernel.most(cell, to_words([missed])[0], left, -1)
            bound = number - kernel.unfinished(cell, to_words([missed])[0], left)
            assert most <= bound
            over, all_sets = over + min(bound, number) - most, all_sets + most
    assert over < all_sets / 20


def test_what_the_kernel_refuses():
    rows = to_words([3])
    has = np.ones((1, MAX_RESTS // 64), np.uint64)
    kernel = HitShip(3, 4, rows, to_words([8]), has)
    for cell, misses in ((4, 0), (-1, 0), (0, -1), (0, 128)):
        with pytest.raises(ValueError, match="a cell of the grid, and 0 to 127 misses"):
            kernel.unfinished(cell, rows[0], misses)
    with pytest.raises(ValueError, match=f"1 to 128 cells, and at most {MAX_RESTS} rests"):
        HitShip(3, 4, rows, to_words([8] * (MAX_RESTS + 1)), has)
    with pytest.raises(ValueError, match=f"1 to 128 cells, and at most {MAX_RESTS} rests"):
        HitShip(3, 129, rows, to_words([8]), has)
    with pytest.raises(ValueError, match="the rests of each ship"):
        HitShip(3, 4, rows, to_words([8]), np.ones((2, MAX_RESTS // 64), np.uint64))


def test_where_the_kernel_has_no_room():
    assert hit_ship_of(Family.of(Position(Game.parse("5x5:2,2,1")))) is None
