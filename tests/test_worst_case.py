"""The least worst case: its bound by covers of parts, and what the search makes of it."""

from itertools import chain, combinations, count

import pytest

from optsearch.check.trees import verify
from optsearch.game import Game, bits
from optsearch.game.objective import Objective
from optsearch.game.position import Position
from optsearch.lower_bounds.worst_case import (
    cover_number,
    gain_of,
    is_end_within,
    is_worst_within,
    least_worst_misses,
)
from optsearch.search import solver
from optsearch.search.diagonals import Diagonals
from optsearch.search.solver import Solver, SolverOptions, solve
from optsearch.support.progress import Limit
from tests.examples import some

# By definition


def cells_of(family):
    return sorted(set(chain.from_iterable(map(bits, family))))


def unmet(family, cells):
    return frozenset(mask for mask in family if not any(mask >> cell & 1 for cell in cells))


def subsets(cells):
    return chain.from_iterable(combinations(cells, size) for size in range(len(cells) + 1))


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


@pytest.mark.parametrize("text", ["2x2:2", "2x3:2", "3x3:3", "1x5:2", "2x4:3", "3x3:2"])
def test_the_numbers_of_a_part(text):
    family = frozenset(Game.parse(text).placements(int(text[-1])))
    cells = cells_of(family)
    cover = min(len(some) for some in subsets(cells) if not unmet(family, some))
    assert cover_number(family) == cover
    least = worst(family)
    assert [is_worst_within(family, n) for n in (least - 1, least)] == [False, True]
    rests = {some: unmet(family, some) for some in subsets(cells)}
    end = min(len(some) + worst(rest) for some, rest in rests.items() if rest)
    assert [is_end_within(family, n) for n in (end - 1, end)] == [False, True]
    assert gain_of(family) == min(1, end - cover)


GAMES = ["3x3:2", "3x4:2", "3x5:3", "4x4:3", "4x4:4", "3x4:2,2", "3x3:2,1", "4x4:3,2", "1x9:3"]


@pytest.mark.parametrize("announce", ["nothing", "ship"])
@pytest.mark.parametrize("text", GAMES)
def test_no_worst_case_is_below_the_bound(text, announce):
    """A bound that is one more fails: it is met by some of these."""
    game = Game.parse(f"{text},announce={announce}")
    without = solve(game, objective="worst", options=SolverOptions(root_bounds=False))
    found = solve(game, objective="worst")
    assert (found.worst, found.total_height) == (without.worst, without.total_height)
    assert game.fleet_cells + least_worst_misses(game) <= found.worst
    if text in ("3x3:2", "4x4:3", "4x4:4"):
        assert game.fleet_cells + least_worst_misses(game) == found.worst


def test_holes_and_boards_without_rows():
    assert least_worst_misses(Game.parse("4x4:4,holes=A1,D4")) == 2  # two rows, two columns
    assert least_worst_misses(Game.parse("3x3:2,board=hex")) == 0


# Both sides


@pytest.fixture
def short_of_time(monkeypatch):
    """Time that is over when it was looked at so often."""

    def begin(looks):
        seconds = count()
        limit = lambda _: Limit(looks, clock=lambda: next(seconds))  # noqa: E731
        monkeypatch.setattr(solver, "Limit", limit)

    return begin


PROVED = {"8x8:4": 20, "7x7:3": 19, "10x10:2": 52, "10x10:5": 25}


@pytest.mark.parametrize("text", some(2, list(PROVED), 20))
def test_both_sides_without_a_search(short_of_time, text):
    """10x10:5 takes 25 shots: the question of a puzzle site, whose answer has this proof."""
    game = Game.parse(text)
    (ship,) = game.fleet
    assert least_worst_misses(game) + ship == PROVED[text]
    short_of_time(40)
    found = solve(game, objective="worst", time_limit=1)
    assert (found.lower, found.upper, found.worst) == (PROVED[text],) * 3
    assert not found.is_exact
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


@pytest.mark.parametrize("objective", ["worst", "within=9"])
@pytest.mark.parametrize("text", ["4x4:3,2", "4x4:3,announce=ship"])
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


def solver_of(text):
    return Solver(Position(Game.parse(text)), objective=Objective.parse("worst"))


def test_diagonals_are_of_no_use_for_two_ships():
    assert Diagonals(solver_of("5x5:3,2").kernel).misses is None
    assert Diagonals(solver_of("3x3:2,board=hex").kernel).misses is None
