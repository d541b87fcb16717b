"""Exact counts within l misses, and the shortest path over missed cells, by their definitions."""

from functools import cache
from itertools import combinations
from random import Random

import pytest
from test_nested_dual import any_prices

from optsearch.compiled._finished import Finished
from optsearch.compiled._table import MemoryTable
from optsearch.counting.configurations import to_words
from optsearch.counting.family import Family
from optsearch.game import Game
from optsearch.game.objective import MEAN, Objective
from optsearch.game.position import Position
from optsearch.lower_bounds.nested_dual import Later, Nested, raised
from optsearch.search.finished import Counts
from optsearch.search.kernels import SWITCHES, Silent, SolverOptions
from optsearch.search.missed import Missed
from optsearch.search.roots import PATIENT, QUICK, root_bounds
from optsearch.search.solver import solve
from optsearch.support.errors import NotSupported
from optsearch.support.progress import LimitReached


def nothing(nodes):
    """A tick of no use."""


@cache
def finished(sets, misses):
    """N by its definition: sets of masks, of which cells of all are hit for nothing."""
    if misses < 0 or len(sets) < 2:
        return 0 if misses < 0 else len(sets)
    best = 0
    for cell in range(16):
        hit = frozenset(one for one in sets if one >> cell & 1)
        if 0 < len(hit) < len(sets):
            best = max(best, finished(hit, misses) + finished(sets - hit, misses - 1))
    return best


@cache
def least(sets):
    """M by its definition."""
    if len(sets) < 2:
        return 0
    costs = []
    for cell in range(16):
        hit = frozenset(one for one in sets if one >> cell & 1)
        if 0 < len(hit) < len(sets):
            costs.append(least(hit) + least(sets - hit) + len(sets) - len(hit))
    return min(costs)


def drawn(seed):
    """Some sets of one size on a board of few cells, or those of a small game."""
    rng = Random(seed)
    game = Game(3, 3, (1,))
    if rng.random() < 0.3:
        return Family.of(Position(Game.parse(rng.choice(["3x3:2,1", "3x3:2", "2x4:2,1", "3x3:3"]))))
    every = [sum(1 << c for c in some) for some in combinations(range(8), rng.randint(1, 4))]
    some = sorted(rng.sample(every, min(len(every), rng.randint(2, 12))))
    return Family(game, tuple(some), (1,) * len(some))


def options_of(seed):
    """Every switch on, off, or some of them."""
    rng = Random(seed)
    share = rng.choice([0.0, 0.5, 1.0, 1.0])
    return SolverOptions(**{name: rng.random() < share or share == 1 for name in SWITCHES})


def kernel_of(family, options):
    return Silent(family, 0, MEAN, options, MemoryTable(1 << 22), None, nothing)


@pytest.mark.parametrize("part", range(4))
def test_counts_and_path_are_those_of_the_definition(part):
    for seed in range(12 * part, 12 * part + 12):
        family, options = drawn(seed), options_of(seed)
        sets, rng = frozenset(family.sets), Random(seed)
        exact = [finished(sets, misses) for misses in range(9)]
        counts = Counts(family, nothing)
        assert list(counts) == exact[: len(counts.finished)], seed
        assert counts.finished[-1] == len(sets)
        known = [min(len(sets), n + rng.randrange(3)) for n in exact]
        capped = Counts(family, nothing, known)
        for _ in zip(range(rng.randrange(3)), capped, strict=False):
            pass
        for _ in range(20):
            missed, misses = rng.randrange(1 << 8), rng.randrange(6)
            left = frozenset(one for one in sets if not one & missed)
            number = finished(left, misses)
            assert number <= capped.cap(missed, misses), seed
            assert capped.to_come(missed) <= (least(left) if left else 0), seed
            enough = rng.randrange(-1, len(sets))
            found = counts.most(missed, misses, enough)
            assert found == number if found > enough else found >= number, seed
        for _ in zip(range(rng.randrange(-3, 9)), capped.bounded(), strict=False):
            pass
        for number, most in zip(exact, capped.bounds, strict=False):
            assert number <= most, seed
        for _ in range(20):
            missed, misses, cell = rng.randrange(1 << 8), rng.randrange(6), rng.randrange(8)
            left = frozenset(one for one in sets if not one & missed)
            assert finished(left, misses) <= capped.cap(missed, misses), seed
            assert finished(left, misses) <= capped.most(missed, misses, rng.randrange(9)), seed
            hit = frozenset(one for one in left if one >> cell & 1)
            if 0 < len(hit) < len(left):
                assert capped.to_come_after_hit(missed, cell) <= least(hit), seed
        path = Missed(capped, kernel_of(family, options))
        before = 0
        for lower in path:
            assert before <= lower <= least(sets), seed
            before = lower
        assert path.is_exact, seed
        assert path.lower == least(sets), seed


def later_of(family, rng):
    """By prices that are searched, or of all sorts, with random sides."""
    nested = Nested(family.sets, {cell: rng.getrandbits(8) for cell in range(8)})
    prices = any_prices(rng, nested) if rng.random() < 0.5 else raised(nested, 60)[1]
    return Later(nested, prices)


@pytest.mark.parametrize("part", range(4))
def test_prices_for_what_is_to_come_and_the_path_by_them(part):
    tight = 0
    for seed in range(12 * part, 12 * part + 12):
        family, options, rng = drawn(seed), options_of(seed), Random(seed)
        counts, later = Counts(family, nothing), later_of(family, rng)
        for _ in range(20):
            missed = rng.randrange(1 << rng.randint(0, 8))
            left = frozenset(one for one in family.sets if not one & missed)
            bound = later(counts.without(missed), missed.bit_count())
            assert bound <= (least(left) if left else 0), seed
            tight += 0 < bound == least(left)
        path = Missed(counts, kernel_of(family, options), later=later)
        lowers = list(path)
        assert path.is_exact, seed
        assert lowers == sorted(lowers), seed
        assert lowers[-1] == least(frozenset(family.sets)), seed
    assert tight


def test_prices_whose_places_begin_later_are_wrong():
    above = 0
    for seed in range(12):
        family, rng = drawn(seed), Random(seed)
        counts, later = Counts(family, nothing), later_of(family, rng)
        for missed in (rng.randrange(1, 1 << 8) for _ in range(20)):
            left = frozenset(one for one in family.sets if not one & missed)
            bound = later(counts.without(missed), missed.bit_count() + 1) + len(left)
            above += bool(left) and bound > least(left)
    assert above


def test_a_stronger_cap_is_wrong():
    """One miss less for what is left of the chain, and the cap is below what is finished."""
    family = drawn(1)
    exact = [finished(frozenset(family.sets), misses) for misses in range(9)]
    shifted = Counts(family, nothing, [0, *exact])
    assert any(shifted.cap(0, misses) < number for misses, number in enumerate(exact))


@pytest.mark.parametrize("game", ["4x4:3,2", "4x5:2,2"])
def test_counts_are_those_of_the_search(game):
    position = Position(Game.parse(game))
    counts = Counts(Family.of(position), nothing)
    for misses, number in zip(range(6), counts, strict=False):
        objective = Objective("within", position.game.fleet_cells + misses)
        assert solve(position, objective=objective).finished == number


NUMBERS = [1, 6, 21, 56, 123, 225, 358, 515, 694]  # 6x6:3,2, by an independent program from 4 on


@pytest.mark.parametrize("most", [7, pytest.param(9, marks=pytest.mark.long(5))])
def test_counts_of_6x6(most):
    counts = Counts(Family.of(Position(Game.parse("6x6:3,2"))), nothing)
    assert [number for _, number in zip(range(most), counts, strict=False)] == NUMBERS[:most]


def test_what_the_kernel_refuses():
    none = to_words([0])[0]
    kernel = Finished(to_words([3, 5]), 3, nothing, 1 << 10)
    assert [kernel.most(0, none, misses, 0) for misses in range(2)] == [1, 2]
    for cell, misses in ((3, 0), (-1, 0), (0, -1), (0, 128)):
        with pytest.raises(ValueError, match="a cell of the grid, and 0 to 127 misses"):
            kernel.most(cell, none, misses, 0)
    with pytest.raises(ValueError, match="a set beyond the grid"):
        Finished(to_words([3, 5]), 2, nothing, 1 << 10)
    with pytest.raises(ValueError, match="a grid of 1 to 128 cells"):
        Finished(to_words([3, 5]), 129, nothing, 1 << 10)
    with pytest.raises(ValueError, match="more than 4096 sets with a cell"):
        Finished(to_words([1 | n << 1 for n in range(1, 4098)]), 20, nothing, 1 << 10)


@pytest.mark.parametrize(
    ("game", "misses"),
    [
        ("4x5:4,2", 465),
        ("4x5:3,2", 1116),
        ("4x4:2,2", 394),
        pytest.param("5x5:3,2", 3145, marks=pytest.mark.long(5)),
        pytest.param("4x5:2,2", 1149, marks=pytest.mark.long(2)),
        pytest.param("5x5:2,2", 3019, marks=pytest.mark.long(20)),
    ],
)
def test_the_path_closes(game, misses):
    """The optima of an independent program, by counts, and for two equal ships by prices."""
    family, later = Family.of(Position(Game.parse(game))), None
    counts = Counts(family, nothing)
    if game.endswith("2,2"):
        nested = Nested.of(family.game)
        later = Later(nested, raised(nested)[1])
    for _ in zip(range(6 if later is None else 0), counts, strict=False):
        pass
    path = Missed(counts, kernel_of(family, SolverOptions()), later=later)
    assert list(path)[-1] == misses
    assert path.is_exact


def test_the_path_goes_on_where_it_was_stopped():
    family = Family.of(Position(Game.parse("4x5:3,2")))
    left = [3]

    def stop(nodes):
        left[0] -= 1
        if left[0] == 0:
            raise LimitReached(None)

    counts = Counts(family, nothing)
    for _ in zip(range(5), counts, strict=False):
        pass
    kernel = Silent(family, 0, MEAN, SolverOptions(), MemoryTable(1 << 22), None, stop)
    path, brackets = Missed(counts, kernel), []
    while not path.is_exact:
        try:
            path.step()
        except LimitReached:
            left[0] = 3
        brackets.append(path.lower)
    assert brackets == sorted(brackets)
    assert path.lower == 1116


def test_what_is_not_counted():
    for game in ("4x4:3,2;contact=any", "3x3:2,1;contact=any"):
        with pytest.raises(NotSupported, match="the same weight and size"):
            Counts(Family.of(Position(Game.parse(game))), nothing)


def test_patience_says_each_gain():
    position = Position(Game.parse("4x4:3,2"))
    some, every = (list(root_bounds(position, patience=patience)) for patience in (QUICK, PATIENT))
    last = ["exact counts", "counts by the ship hit", "missed cells"]
    assert [bound.name for bound in some[-3:]] == last
    assert len(every) > len(some)
    assert every[-1].value == some[-1].value == solve(position).mean
    names = {bound.name for bound in root_bounds(position, patience=None)}
    assert names == {bound.name for bound in some[:-3]}
