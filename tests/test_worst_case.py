"""The least worst case: its bound by packings, and what the search makes of it."""

import json
from functools import cache
from itertools import chain, count, product

import numpy as np
import pytest

from optsearch.check.trees import verify
from optsearch.counting.family import Family
from optsearch.game import Game, bits
from optsearch.game.objective import Objective
from optsearch.game.position import Position
from optsearch.lower_bounds import worst_case
from optsearch.lower_bounds.worst_case import hidden_ship_sets, worst_case_misses
from optsearch.search import solver
from optsearch.search.diagonals import Diagonals
from optsearch.search.solver import Solver, SolverOptions, solve
from optsearch.support.errors import NotSupported
from optsearch.support.progress import Limit
from optsearch.support.sharing import SerialExecutor
from tests.examples import some

# By definition


def cells_of(family):
    return sorted(set(chain.from_iterable(map(bits, family))))


def unmet(family, cells):
    return frozenset(mask for mask in family if not any(mask >> cell & 1 for cell in cells))


def cover(family):
    """The fewest cells that meet all sets: one of them is in the first set."""
    if not family:
        return 0
    return 1 + min(cover(unmet(family, [cell])) for cell in bits(min(family)))


@cache
def worst(family):
    """The misses of the best strategy, over all first shots."""
    if len(family) == 1:
        return 0
    certain = [cell for cell in cells_of(family) if all(mask >> cell & 1 for mask in family)]
    return min(
        max(
            1 + worst(unmet(family, [cell])),
            worst(frozenset(m & ~(1 << cell) for m in family if m >> cell & 1)),
        )
        for cell in cells_of(family)
        if cell not in certain
    )


def cover_outside(family, last):
    """The fewest cells outside a set that meet all others."""
    return cover(frozenset(mask & ~last for mask in family if mask != last))


def proved(family):
    """What the best part of a family proves: sets that are met by too few cells are left out."""
    best = -1
    while family:
        covers = {last: cover_outside(family, last) for last in family}
        best = max(best, min(covers.values()))
        family = frozenset(last for last in family if covers[last] > best)
    return best


GAMES = ["2x2:2", "3x3:2", "2x4:3", "3x4:2", "4x4:3", "4x4:4", "1x9:3", "3x3:2,board=hex"]


@pytest.mark.parametrize("text", GAMES)
def test_packings_prove_no_more_than_covers(text):
    game = Game.parse(text)
    sets = game.placements(int(game.fleet[0]))
    bounds = list(worst_case_misses(game, sets))
    assert bounds == sorted(bounds)
    assert bounds[-1] == proved(frozenset(sets)) == worst(frozenset(sets))


PAIRS = ["3x4:2,2", "3x3:2,1", "4x4:3,2", "4x4:3,2,contact=any", "3x4:4,holes=A1,D3"]


@pytest.mark.parametrize("announce", ["nothing", "ship"])
@pytest.mark.parametrize("text", GAMES + PAIRS)
def test_no_worst_case_is_below_the_bound(text, announce):
    """A bound that is one more fails: it is met by most of these."""
    game = Game.parse(f"{text},announce={announce}")
    without = solve(game, objective="worst", options=SolverOptions(root_bounds=False))
    found = solve(game, objective="worst")
    assert (found.worst, found.total_height) == (without.worst, without.total_height)
    misses = found.worst - game.fleet_cells
    for sets in hidden_ship_sets(game):
        assert max(worst_case_misses(game, sets)) <= misses
    if game.is_silent:
        assert max(worst_case_misses(game, Family.of(Position(game)).sets)) <= misses


def test_a_worst_case_within_reach_of_few_strategies():
    """Costs that no strategy keeps within the budget do not add up where sinkings have names."""
    assert solve("3x4:4,3,2,contact=any,announce=ship", objective="worst").worst == 11


def test_of_many_sets_all_but_the_heaviest_are_packed(monkeypatch):
    game = Game.parse("10x10:5")
    monkeypatch.setattr(worst_case, "MOST_ENTRIES", 0)
    assert list(worst_case_misses(game, game.placements(5))) == [19]  # in 20 of weight 1
    monkeypatch.setattr(solver, "MOST_ENTRIES", 0)
    assert solve("4x4:3,2", objective="worst").worst == 11  # one ship is told then


# Both sides


@pytest.fixture
def short_of_time(monkeypatch):
    """Time that is over when it was looked at so often."""

    def begin(looks):
        seconds = count()
        limit = lambda _: Limit(looks, clock=lambda: next(seconds))  # noqa: E731
        monkeypatch.setattr(solver, "Limit", limit)

    return begin


PROVED = {"7x7:2": 27, "7x7:4": 16, "8x8:3": 24, "8x8:5": 17, "9x9:2": 43, "9x9:5": 21}
PROVED |= {"8x8:4": 20, "7x7:3": 19, "10x10:2": 52, "10x10:5": 25}


@pytest.mark.parametrize("text", some(2, list(PROVED), 20))
def test_both_sides_without_a_search(short_of_time, text):
    """10x10:5 takes 25 shots: the question of a puzzle site, whose answer has this proof."""
    game = Game.parse(text)
    (ship,) = game.fleet
    assert max(worst_case_misses(game, game.placements(ship))) + ship == PROVED[text]
    short_of_time(40)
    found = solve(game, objective="worst", time_limit=1)
    assert found.worst == PROVED[text]
    tree = found.tree()
    assert tree.worst == PROVED[text]
    assert verify(tree) == tree.total_height


def test_the_worst_case_is_told_before_the_least_mean_is_found():
    told = []

    def listen(status):
        told.append(status.worst)
        if status.worst is not None:
            raise KeyboardInterrupt

    found = solve("8x8:4", objective="worst", progress=listen, partial=True)
    assert told[-1] == found.worst == PROVED["8x8:4"]
    assert not found.is_exact


@pytest.mark.parametrize("objective", ["worst+mean", "within=9"])
@pytest.mark.parametrize("text", ["4x4:3,2", "4x4:3,announce=ship", "1x6:3,2,1,contact=any"])
def test_a_bracket_of_every_objective(short_of_time, text, objective):
    exact = solve(text, objective=objective)
    value = exact.worst or exact.finished
    for looks in (0, 3, 10, 100, 100_000):
        short_of_time(looks)
        found = solve(text, objective=objective, time_limit=1)
        if found.is_exact:
            assert (found.worst, found.finished) == (exact.worst, exact.finished)
        else:
            assert found.lower <= value <= found.upper
    assert found.is_exact


def cube(side):
    """Layers of a cube side by side: each cell touches those one step away in each direction."""
    cells = {
        (x, y, z): f"{chr(65 + side * z + x)}{y + 1}" for x, y, z in product(range(side), repeat=3)
    }
    names = {
        name: [other for far, other in cells.items() if sum(map(abs, np.subtract(cell, far))) == 1]
        for cell, name in cells.items()
    }
    lines = {
        f"along {axis}": [
            [name for cell, name in cells.items() if cell[:axis] + cell[axis + 1 :] == others]
            for others in product(range(side), repeat=2)
        ]
        for axis in range(3)
    }
    places = {name: [(side + 1) * z + x, y] for (x, y, z), name in cells.items()}
    board = {"cells": places, "neighbours": names, "lines": lines, "ships": {}}
    return {"format": "optsearch boards", "version": 1, "boards": {"cube": board}}


@pytest.mark.parametrize("more", [{}, {"executor": SerialExecutor()}])
def test_a_search_for_the_worst_case_ends_with_its_proof(short_of_time, tmp_path, more):
    """And goes on to the mean if that is asked for, or without a limit."""
    path, looks = tmp_path / "cube.json", 100
    path.write_text(json.dumps(cube(5)))
    position = Position(f"{path}#cube:2")
    told, least = [], solve("4x4:3,2", objective="worst").total_height
    short_of_time(looks)
    found = solve(position, objective="worst", time_limit=1, progress=told.append, **more)
    assert len(told) < looks
    assert (found.worst, found.lower, found.upper, found.total_height) == (66, 66, 66, None)
    assert found.value_text == "worst case 66, proved"
    tree = found.tree()
    assert (tree.worst, verify(tree)) == (66, tree.total_height)
    with pytest.raises(NotSupported, match="least mean was not searched to its end"):
        found.mean  # noqa: B018
    for asked in ({"objective": "worst+mean"}, {"objective": "worst", "all_shots": True}):
        assert solve("4x4:3,2", time_limit=1, **asked, **more).total_height == least
    later = solver_of("4x4:3,2")
    assert later.search(1).total_height is None
    assert later.search().total_height == least


def solver_of(text):
    return Solver(Position(Game.parse(text)), objective=Objective.parse("worst"))


def test_diagonals_are_of_no_use_for_two_ships():
    assert Diagonals(solver_of("5x5:3,2").kernel).misses is None
    assert Diagonals(solver_of("3x3:2,board=hex").kernel).misses is None
