"""All ships but two revealed: beside every strategy of small games, the definition, packings."""

from fractions import Fraction
from functools import cache
from itertools import combinations
from math import comb

import numpy as np
import pytest

from optsearch import lower_bounds
from optsearch.check import reference
from optsearch.compiled.lower_bounds._told import least_cost
from optsearch.game import CONTACTS, Game
from optsearch.game.position import MISS, Position
from optsearch.lower_bounds.two_hidden import Hidden, TwoHidden
from optsearch.results import bracket
from optsearch.results.tables import TABLES
from optsearch.support.errors import NotSupported, TooLarge
from tests.definition import Misses

TINY = ("3x3:3,2", "2x4:2,2", "2x4:2,1", "2x4:3,1", "3x3:1,1", "1x9:3,2", "2x5:3,2", "1x7:3,1")
GAMES = [
    f"{text},contact={contact}"
    for text in TINY
    for contact in CONTACTS
    if text != "2x4:3,1" or contact != "none"
]
GAMES += [
    "3x3:2,2,contact=any,holes=B2",
    "3x4:3,2,holes=A1,C2",
    "3x4:2,1,contact=corner,holes=B2-C2",
]


def pairs_of(game):
    """The placements of both ships, and which may stand together."""
    long, short = (game.placements(length) for length in game.fleet)
    pairs = frozenset((p, q) for p in long for q in short if not (p | game.halo(p)) & q)
    return long, short, pairs


@cache
def least_misses(text):
    """Of any strategy whose hits are told by the name of the ship, in sum: by the definition."""
    pairs = sorted(pairs_of(Game.parse(text))[2])
    masks = [long | short for long, short in pairs]
    truth = Misses(masks, [1] * len(pairs), told=lambda i, hits, cell: pairs[i][0] >> cell & 1)
    return truth.value(truth.everything)


def value(hidden, price=None):
    """The bound on the misses of a game of two ships."""
    (row,) = hidden.count_leftovers()
    return hidden.misses(row, hidden.best_price(row) if price is None else price)


@pytest.mark.parametrize("text", GAMES)
def test_below_every_strategy(text):
    hidden = TwoHidden(Game.parse(text))
    best = value(hidden)
    assert 0 <= best <= least_misses(text)
    assert all(value(hidden, price) <= best for price in range(1, 12))
    (bound,) = hidden.bound()
    assert bound.misses == best
    assert bound.pairs == len(pairs_of(hidden.game)[2])


def wrong_most(hidden, monkeypatch):
    """A cell has one placement less than it has."""
    for ship in (hidden.long, hidden.short):
        monkeypatch.setitem(vars(ship), "most_on_cell", max(1, ship.most_on_cell - 1))


def wrong_bars(hidden, monkeypatch):
    """A placement bars less than it does."""
    for ship in (hidden.long, hidden.short):
        monkeypatch.setitem(vars(ship), "most_barred", ship.most_barred // 2)


def wrong_words(hidden, monkeypatch):
    """A ship that is hit is finished by fewer words than there are."""
    monkeypatch.setattr(
        "optsearch.lower_bounds.two_hidden.comb", lambda n, k: max(1, comb(max(0, n - 1), k))
    )


def wrong_packings(hidden, monkeypatch):
    """Packings have one placement more, if there is one."""
    (row,) = hidden.count_leftovers()
    row = row._replace(
        long_packings=[min(n + 1, row.free_long) for n in row.long_packings],
        short_packings=[min(n + 1, row.free_short) for n in row.short_packings],
    )
    monkeypatch.setattr(hidden, "count_leftovers", lambda: [row])


@pytest.mark.parametrize("wrong", [wrong_most, wrong_bars, wrong_words, wrong_packings])
def test_wrong_variants_are_caught(wrong, monkeypatch):
    """Each is above the optimum somewhere."""
    caught = 0
    for text in GAMES:
        hidden = TwoHidden(Game.parse(text))
        wrong(hidden, monkeypatch)
        caught += value(hidden) > least_misses(text)
    assert caught


def chain_cost(long, short, price):
    """The docstring of `two_hidden`, word by word: (met, words, most, barred) of each ship."""

    def further(ship, cells, hit, target):
        met, words, most, _ = ship
        met = [*met, *[met[-1]] * 200]
        total, w = 0, 0
        while True:
            reached = min(
                min(most * (w + 1 - e), met[cells + w + 1 - e] - hit)
                + sum(words(x) for x in range(e))
                for e in range(w + 2)
            )
            if reached >= target:
                return total
            total, w = total + target - reached, w + 1

    def option(ship, i, hit, new):
        met, _, most, barred = ship
        choices = []
        for b in range(new, max(most, barred) + 1):
            r = max(0, met[-1] - hit - b)
            choices.append((i - price) * r + further(ship, i, hit, r))
        return min(choices)

    @cache
    def best(i, g, h):
        if i >= price or g == long[0][-1] or h == short[0][-1]:
            return 0
        top_g = long[0][min(i + 1, len(long[0]) - 1)]
        top_h = short[0][min(i + 1, len(short[0]) - 1)]
        return min(
            t * option(short, i, h, d) + d * option(long, i, g, t) + best(i + 1, g + t, h + d)
            for t in range(min(long[2], top_g - g) + 1)
            for d in range(min(short[2], top_h - h) + 1)
        )

    return best(0, 0, 0)


@pytest.mark.parametrize("seed", range(12))
def test_kernel_is_the_definition(seed):
    rng = np.random.default_rng(seed)
    ships, findings = [], []
    for _ in range(2):
        length, most = int(rng.integers(1, 4)), int(rng.integers(1, 4))
        hidden = Hidden(length, most, int(rng.integers(0, 5)))
        free = int(rng.integers(1, 9))
        sizes = sorted(int(n) for n in rng.integers(0, free + 1, most - 1))
        findings.append(hidden.make_finding(free, sizes))
        met, packings = [], [0, *sizes, free]
        while not met or met[-1] < free:
            met.append(min(free - p + s * len(met) for s, p in enumerate(packings)))
        ships.append((tuple(met), lambda x, k=length - 1: comb(x + k, k), most, hidden.most_barred))
    for price in (1, 3, 6, 10):
        assert least_cost(*findings, price) == chain_cost(*ships, price)


@pytest.mark.parametrize(
    "text", ["4x4:3,2,2,contact=any", "4x4:3,2,1", "3x5:3,3,2,contact=corner", "4x4:3,2,1,holes=B3"]
)
def test_what_known_ships_leave(text):
    """Counted again from lists, and packings against what sets of cells meet."""
    game = Game.parse(text)
    hidden = TwoHidden(game)
    sets = pairs = 0
    expected = {}
    for ship in game.placements(game.fleet[0]):
        closed = ship | game.halo(ship)
        long, short = ([p for p in game.placements(n) if not p & closed] for n in game.fleet[1:])
        number = sum(not (p | game.halo(p)) & q for p in long for q in short)
        if number:
            sets, pairs = sets + 1, pairs + number
            key = (len(long), len(short))
            expected.setdefault(key, []).append((number, long, short))
    stock = hidden.count_leftovers()
    assert sum(row.sets for row in stock) == sets
    assert sum(row.pairs for row in stock) == pairs
    for key, leftovers in expected.items():
        rows = [row for row in stock if (row.free_long, row.free_short) == key]
        assert sum(row.sets for row in rows) == len(leftovers)
        assert sum(row.pairs for row in rows) == sum(number for number, *_ in leftovers)
        for which in (0, 1):
            packings = [(row.long_packings, row.short_packings)[which] for row in rows]
            smallest = [min(sizes) for sizes in zip(*packings, strict=True)]
            for _, *free in leftovers:
                placements = free[which]
                for cells in (1, 2, 3):
                    met = max(
                        sum(any(p >> c & 1 for c in some) for p in placements)
                        for some in combinations(range(game.cells), cells)
                    )
                    for s, size in enumerate(smallest, 1):
                        assert met <= len(placements) - size + s * cells


@pytest.mark.parametrize(
    "text",
    [
        "3x3:2,2,contact=any,announce=ship",
        "3x4:3,2,announce=ship",
        "2x4:2,2,contact=any,announce=sunk",
        "3x4:2,2,2,announce=ship",
        "3x3:3,announce=ship",
        "2x4:2,2,1,contact=any,announce=sunk",
        "3x4:3,2,1,announce=ship",
    ],
)
def test_bounds_where_sinkings_are_announced(text):
    game = Game.parse(text)
    optimum = reference.solve(Position(game)).mean
    bounds = lower_bounds.lower_bounds(Position(game))
    assert {bound.name for bound in bounds} >= {"leaf counting"}
    for bound in bounds:
        assert bound.value <= optimum, bound
    bracketed = bracket.bounds(game)
    assert bracketed.lower <= optimum <= bracketed.upper


def test_below_every_optimum_where_ships_touch_or_sinkings_are_told():
    rows = [
        row
        for row in TABLES["optima"].read()
        if (row["contact"], row["announce"]) != ("none", "nothing") and row["cells"] <= 20
    ]
    reached = 0
    for row in rows:
        optimum = Fraction(row["total_height"], row["configurations"])
        bounds = lower_bounds.lower_bounds(Position(row["game"]))
        assert all(bound.value <= optimum for bound in bounds), row["game"]
        reached += any(bound.value == optimum for bound in bounds)
    assert reached  # so a bound that is a little stronger would be seen


def test_announced_positions_have_none():
    position = Position(Game.parse("3x4:3,2,announce=ship")).after((0, 0), MISS)
    with pytest.raises(NotSupported, match="announce=nothing"):
        lower_bounds.lower_bounds(position)


@pytest.mark.long(4)
def test_the_bracket_of_the_boxed_game():
    bracketed = bracket.bounds("10x10:5,4,3,3,2,contact=any,announce=ship")
    (best,) = (bound for bound in bracketed.bounds if bound.name == "all ships but two revealed")
    assert bracketed.lower == best.value > 38


def test_what_is_too_large():
    with pytest.raises(TooLarge, match="sets of ships to tell; at most"):
        TwoHidden(Game.parse("10x10:5,4,3,3,2,2,contact=any")).list_revealed_sets()
    with pytest.raises(ValueError, match="one ship"):
        TwoHidden(Game.parse("3x3:2"))


def test_ships_that_lie_in_too_many_ways():
    """336 for this one: those bounds are left out that do not take it."""
    names = {bound.name for bound in lower_bounds.lower_bounds(Position(Game.parse("8x8:L,3")))}
    assert "leaf counting" in names
    assert "all ships but two revealed" not in names
