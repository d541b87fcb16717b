"""Counterexamples to greedy: the kernel against the definition, and runs that are cut short."""

import json
import random
import signal
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context

import numpy as np
import pytest
from hypothesis import assume, given

from optsearch.check import reference
from optsearch.check.trees import verify
from optsearch.game import Game, bits
from optsearch.game.game import MOST_TURNS
from optsearch.game.position import HIT, MISS, Position, Reply, reply
from optsearch.search import counterexamples
from optsearch.search.counterexamples import Positions, Scope, find, search_game
from optsearch.search.greedy import GreedySolver
from optsearch.search.solver import solve
from optsearch.support.errors import NotSupported, TableError
from tests.examples import draws, games, sizes, some
from tests.processes import run_command
from tests.stores import facts_of, what_of, write_facts

# By the definition, in plain Python


def positions_by_shots(game):
    """Every position that a configuration leads to, fewest shots first."""
    everything = list(reference.configurations(Position(game)))
    level = [Position(game)]
    while level:
        yield from level
        after = {}
        for position in level:
            ships, hits = list(filter(position.is_compatible, everything)), position.hits
            for cell in bits(~(hits | position.misses | game.holes) & (1 << game.cells) - 1):
                for answer in {reply(game, one, hits, 1 << cell) for one in ships}:
                    after[position.after(game.cell(cell), answer)] = None
        level = list(after)


def replies_of(game):
    """The miss, and the hits in the order of the fleet."""
    return [MISS, *([HIT] if game.is_silent else [Reply(True, label=n) for n in game.labels])]


def residual(position):
    """The family less the cells, with names, in all of its sets, and its least image."""
    family = Counter()
    for hidden, n in reference.family(position):
        parts = [(hidden, "")] if isinstance(hidden, int) else hidden
        family[frozenset((cell, str(told)) for cells, *told in parts for cell in bits(cells))] += n
    certain = frozenset.intersection(*family)
    left = [(cells - certain, n) for cells, n in family.items()]
    return min(
        tuple(sorted((tuple(sorted((p[cell], told) for cell, told in s)), n) for s, n in left))
        for p in position.game.symmetries(MOST_TURNS)
    )


def row_major(position):
    """The order among positions with as many shots: earlier cells first, a miss before a hit."""
    order = replies_of(position.game)
    return sorted((shot.cell, order.index(shot.reply)) for shot in position.shots)


def by_definition(game):
    """Class -> (position with the fewest shots that comes first, optimum, best greedy)."""
    found = {}
    for position in positions_by_shots(game):
        key = residual(position)
        order = len(position.shots), row_major(position)
        if key not in found or found[key][0] > order:
            found[key] = order, position
    families = {key: (p, reference.family(p)) for key, (_, p) in found.items()}
    return {
        key: (p, reference.total_height(family), reference.best_greedy(family))
        for key, (p, family) in families.items()
    }


def compare(game):
    """The classes, values and counterexamples are those of the definition."""
    expected = by_definition(game)
    positions = Positions(game)
    codes = positions.representatives()
    assert len(codes) == len(expected)
    found = {}
    for code in codes.tolist():
        position = counterexamples.Counterexample(game, code, 0, 0, 0, 0, 0).position
        weight = int(positions.configurations[code])
        certain = weight * (game.fleet_cells - position.hits.bit_count())
        optimum, greedy = positions.optimum[code], positions.greedy[code]
        found[residual(position)] = (position, certain + optimum, certain + greedy)
    assert found == expected
    shown = {c.position: c for c in search_game(game, False).counterexamples}
    assert set(shown) == {p for p, optimum, greedy in expected.values() if greedy > optimum}
    for position, one in shown.items():
        values = position, one.total_height, one.best_greedy_total_height
        assert values == found[residual(position)]
        assert one.shots == len(position.shots)
        assert one.configurations == reference.weight(reference.family(position))
        assert_shots(one)


def assert_shots(example):
    """The cells of a counterexample, by the definition."""
    family = reference.family(example.position)
    parts = {cell: reference.shoot(family, cell) for cell in reference.useful_cells(family)}
    counts = {
        cell: sum(reference.weight(part) for answer, part in some.items() if answer.hit)
        for cell, some in parts.items()
    }
    is_open = [cell for cell, some in parts.items() if len(some) > 1]
    most = max(counts[cell] for cell in is_open)
    assert example.greedy_cells == sum(1 << cell for cell in is_open if counts[cell] == most)
    costs = reference.first_shots(family)
    least = min(costs.values())
    assert example.best_cells == sum(1 << cell for cell in is_open if costs[cell] == least)


@pytest.mark.parametrize(
    "text",
    some(
        9,
        [
            *("1x1:1", "1x2:1,1,contact=any", "1x8:3,1", "2x3:2", "2x2:1"),
            *("2x3:2,1,announce=name", "1x6:3,2,contact=any,announce=name"),
            *("2x3:2,1,contact=corner", "2x3:2,1,contact=any"),
            *("3x3:2", "2x4:2,1", "2x4:2,1,contact=any", "1x8:2,2,1,contact=any"),
        ],
        2,
    ),
)
def test_every_position_by_the_definition(text):
    compare(Game.parse(text))


@draws(25)
@given(games(max_cells=6, announce=("nothing", "name")))
def test_random_games_by_the_definition(game):
    assume(any(reference.configurations(Position(game))))
    compare(game)


def test_own_games():
    """A board with holes, by its text; the usual ones as they are among all grids."""
    game = Game.parse("3x3:2,1,holes=B2")
    search = counterexamples.find(Scope.of([game]))
    assert str(search.scope) == "every position of 3x3:2,1,holes=B2"
    assert [searched.game for searched in search.games] == [game]
    assert search.positions == len(by_definition(game))
    two = counterexamples.find(Scope.of([Game.parse("2x5:2"), Game.parse("1x11:3,2")]))
    everything = counterexamples.find(Scope(11, ((2,), (3, 2))))
    chosen = {searched.game for searched in two.games}
    assert two.counterexamples
    assert set(two.counterexamples) == {
        one for one in everything.counterexamples if one.game in chosen
    }
    with pytest.raises(NotSupported, match=r"is for announce=nothing\|name"):
        Scope.of([Game.parse("2x2:2,announce=sunk")])


@pytest.mark.parametrize("text", ["3x4:2,1", "3x3:3,2,contact=any,announce=name"])
def test_all_positions_are_an_oracle_for_the_solver_and_for_greedy(text):
    """Any position, with its hits, certain or not, and shots that tell nothing."""
    game = Game.parse(text)
    positions = Positions(game)
    generator = random.Random(12)
    codes = np.flatnonzero(positions.configurations)
    for code in generator.sample(codes.tolist(), 40):
        position = counterexamples.Counterexample(game, code, 0, 0, 0, 0, 0).position
        weight = int(positions.configurations[code])
        certain = weight * (game.fleet_cells - position.hits.bit_count())
        greedy = GreedySolver(position)
        assert greedy.configurations == weight
        assert solve(position).total_height == certain + positions.optimum[code]
        assert greedy.total_height() == certain + positions.greedy[code]


# What is known


@pytest.mark.parametrize(
    ("text", "greedy", "optimum"),
    [("4x5:3,2", 2333, 2326), ("4x5:3,3", 596, 595), ("4x5:4,3,2", 995, 994)],  # prototype
)
def test_empty_boards_with_too_many_positions(text, greedy, optimum):
    game = Game.parse(text)
    (example,) = search_game(game, True).counterexamples
    assert not example.position.shots
    assert (example.best_greedy_total_height, example.total_height) == (greedy, optimum)
    solver = GreedySolver(example.position)
    assert game.names(example.greedy_cells) == game.names(game.mask(solver.greedy_shots))
    assert game.names(example.best_cells) == game.names(game.mask(solver.best_shots))


def test_both_ways_agree_on_empty_boards(monkeypatch):
    """The solver's way, which is for more positions, on every game of 8 and 9 cells."""
    chosen = [game for game in Scope(9, empty_only=True, shortest=1).games() if game.cells >= 8]
    chosen.append(Game.parse("3x3:2,2,contact=any,announce=name"))  # a counterexample
    expected = [search_game(game, True) for game in chosen]
    assert expected[-1].counterexamples
    monkeypatch.setattr(counterexamples, "MAX_POSITIONS", 0)
    assert [search_game(game, True) for game in chosen] == expected
    assert not search_game(chosen[-1], False).is_decided


def test_too_much_effort_is_undecided(monkeypatch):
    monkeypatch.setattr(counterexamples, "MAX_NODES", 0)
    game = Game.parse("4x5:2,1")
    searched = search_game(game, True)
    assert (searched.is_decided, searched.counterexamples) == (False, ())
    search = counterexamples.CounterexampleSearch(
        Scope(20, ((2, 1),), empty_only=True), (searched,)
    )
    assert (search.undecided, search.positions, search.smallest) == ([game], 0, {})


# Games


def test_games():
    """All multisets that fit: those of a row of n cells, ships not touching, are partitions."""
    listed = [str(game) for game in Scope(5, shortest=1).games()]
    assert listed == [
        *("1x1:1", "1x2:1", "1x2:2", "1x3:1", "1x3:2", "1x3:3", "1x3:1,1"),
        *("1x4:1", "1x4:2", "1x4:3", "1x4:4", "1x4:1,1", "1x4:2,1", "2x2:1", "2x2:2"),
        *("1x5:1", "1x5:2", "1x5:3", "1x5:4", "1x5:5", "1x5:1,1", "1x5:2,1", "1x5:2,2"),
        *("1x5:3,1", "1x5:1,1,1"),
    ]
    # Partitions of at most 13 into parts of 2 and more, without the empty one: OEIS A000041.
    twelve = [game for game in Scope(12, shortest=1).games() if game.cells == 12]
    assert sum(game.rows == 1 for game in twelve) == 101 - 1
    assert list(Scope(12).games()) == [
        game for game in Scope(12, shortest=1).games() if min(game.fleet) > 1
    ]


def test_only_some_fleets():
    found = [str(game) for game in Scope(8, ((3, 2), (4,))).games()]
    assert found == ["1x4:4", "1x5:4", "1x6:4", "1x6:3,2", "1x7:4", "1x7:3,2", *EIGHT]


EIGHT = ["1x8:4", "1x8:3,2", "2x4:4"]


# The whole search

SMALL = Scope(8, shortest=1)


@pytest.fixture(scope="module")
def small():
    search = find(SMALL)
    assert (len(search.games), len(search.counterexamples)) == (102, 3)
    return search


@pytest.fixture(scope="module")
def ten():
    return find(Scope(10, shortest=1))


def test_smallest_first(ten):
    """Every position of up to ten cells; the least ones by the definition in plain Python."""
    assert (len(ten.games), ten.positions, ten.undecided) == (225, 26444, [])  # by this code
    examples = ten.counterexamples
    assert len(examples) == 132  # likewise
    sort_keys = [example.sort_key for example in examples]
    assert sort_keys == sorted(sort_keys)
    sizes = [(example.game.cells, example.configurations, example.shots) for example in examples]
    assert sizes == sorted(sizes)
    for example in (*examples[:12], *ten.smallest.values()):
        family = reference.family(example.position)
        assert example.total_height == reference.total_height(family)
        assert example.best_greedy_total_height == reference.best_greedy(family)
        assert_shots(example)
    least = {
        name: (str(example.game), str(example.position)) for name, example in ten.smallest.items()
    }
    assert least == {
        "cells": ("1x8:3,1", "A1=hit D1=miss"),
        "configurations": ("1x8:3,1", "A1=hit D1=miss"),
        "shots": ("1x10:3,2,1", ""),
    }
    assert least["cells"][0] == str(examples[0].game)


@pytest.mark.parametrize(
    "pool",
    [
        partial(ThreadPoolExecutor, 2),
        pytest.param(  # `--jobs 2` has processes below
            partial(ProcessPoolExecutor, 2, get_context("spawn")), marks=pytest.mark.long(4)
        ),
    ],
)
def test_workers(small, pool):
    """Two threads or two processes, as any executor: the same."""
    with pool() as executor:
        assert find(SMALL, executor=executor, workers=3) == small


def test_progress(ten):
    reports = []
    find(Scope(6, shortest=1), progress=reports.append)
    assert [status.games for status in reports] == list(range(46))
    shares = [status.share for status in reports]
    assert (shares[0], shares[-1]) == (0, 1)
    assert shares == sorted(shares)


def test_trees(ten):
    for example in ten.counterexamples[::9]:
        greedy, optimal = counterexamples.trees(example)
        assert greedy.position == optimal.position == example.position
        assert verify(greedy) == example.best_greedy_total_height
        assert verify(optimal) == example.total_height


@sizes("cuts", [90, 102], [0, 1, 50, 90, 102], 3)
def test_resumed(small, tmp_path, cuts):
    """After every game a run may end; what is kept is not searched again."""
    find(SMALL, folder=tmp_path / "whole")
    facts = facts_of(tmp_path / "whole")
    assert len(facts) == len(small.games)
    for number in cuts:
        folder = tmp_path / str(number)
        write_facts(folder, what_of(tmp_path / "whole"), dict(list(facts.items())[:number]))
        assert find(SMALL, folder=folder) == small
        assert facts_of(folder) == facts


def test_another_checkpoint_is_refused(tmp_path):
    find(Scope(4, shortest=1), folder=tmp_path)
    with pytest.raises(TableError, match=r"at most 4 cells .* not .* at most 5 cells"):
        find(Scope(5, shortest=1), folder=tmp_path)
    with pytest.raises(TableError, match=r"contact=none, not .* contact=any"):
        find(Scope(4, contact="any", shortest=1), folder=tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(TableError, match="file is a file; name a new or empty folder"):
        find(Scope(4, shortest=1), folder=tmp_path / "file")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("9x9:1", {"positions": 1, "is_decided": True, "counterexamples": []}),
        ("1x2:1", {"positions": 1, "is_decided": True, "counterexamples": [[1]]}),
        ("1x2:1", {"positions": 1, "is_decided": True, "counterexamples": 3}),
        ("1x2:1", {"positions": 1, "is_decided": True}),
        ("1x2:1", {"positions": "1", "is_decided": True, "counterexamples": []}),
        ("1x2:1", {"positions": 1, "is_decided": 1, "counterexamples": []}),
        ("1x2:1", 3),
    ],
)
def test_what_no_search_finds_is_refused(tmp_path, key, value):
    """Behind good checksums, too."""
    scope = Scope(4, shortest=1)
    write_facts(tmp_path, f"counterexamples of {scope}", {key: value})
    with pytest.raises(TableError, match="does not hold what a search found"):
        find(scope, folder=tmp_path)


# The command


UP_TO_EIGHT = ("--max-cells", 8, "--shortest", 1)


def test_killed_and_resumed(call_command, monkeypatch, tmp_path):
    """Killed with one worker, resumed with two: what one run gives."""
    monkeypatch.chdir(tmp_path)
    hooks = "from optsearch.support.store import Facts; at(Facts, 'add', kill, 60)"
    cut_short = ("counterexamples", *UP_TO_EIGHT, "--resume", "kept")
    assert run_command(*cut_short, hooks=hooks, cwd=tmp_path)[0] == -signal.SIGKILL
    assert len(facts_of(tmp_path / "kept")) == 60
    resumed = ("--jobs", 2, "--resume", "kept", "--json")
    status, out, err = call_command("counterexamples", *UP_TO_EIGHT, *resumed)
    assert (status, err) == (0, "")
    uncut = call_command("counterexamples", *UP_TO_EIGHT, "--json")
    assert (uncut[0], uncut[2]) == (0, "")
    resumed_answer, alone = json.loads(out), json.loads(uncut[1])
    assert resumed_answer.pop("command") != alone.pop("command")
    assert resumed_answer == alone
    assert len(resumed_answer["counterexamples"]) == 3
