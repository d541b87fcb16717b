"""The oracle against brute force over strategies, for every rule and objective."""

from collections import defaultdict
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optsearch.check import reference
from optsearch.check.trees import verify
from optsearch.game import Game
from optsearch.game.objective import MEAN, Objective
from optsearch.game.position import Position, reply
from optsearch.support.errors import ImpossiblePosition, NotSupported
from tests.examples import AT_SINKING, EVERY_RULE, draws, positions

any_rule = positions(max_cells=8, max_ships=3, max_configurations=20, announce=EVERY_RULE)


def solve(game, shots="", objective=MEAN):
    return reference.solve(Position.parse(Game.parse(game), shots), objective)


@pytest.mark.parametrize(
    ("game", "total_height", "configurations"),
    [  # found by other programs, by brute force
        ("1x7:2,1,announce=sunk", 97, 20),
        ("3x3:2,1,announce=ship", 118, 24),
        ("2x3:2,1,contact=any,announce=ship", 132, 28),
        ("2x3:2", 25, 7),  # Figure 5
    ],
)
def test_known_totals(game, total_height, configurations):
    solution = solve(game)
    assert (solution.total_height, solution.configurations) == (total_height, configurations)
    assert verify(solution.tree()) == total_height


@pytest.mark.parametrize(
    ("game", "shots", "total_height"),
    [
        # Which two of the three neighbours are the ship is told by the second hit.
        ("1x3:2,announce=sunk", "B1=hit", 1 + 2),
        # A1-B1 and C1, or A1 and B1-C1. All three cells are certain, and no order ends sooner.
        ("1x3:2,1,contact=any,announce=sunk", "", 3 + 3),
        ("1x2:1,1,contact=any,announce=ship", "A1=sunk:1", 1),
        ("1x2:1,1,contact=any,announce=ship", "A1=sunk:1 B1=sunk:1", 0),
    ],
)
def test_by_hand(game, shots, total_height):
    assert solve(game, shots).total_height == total_height


# Brute force: strategies by recursion over positions, each with the list of all configurations
# of the game that is_compatible leaves. No state is shared and nothing is kept.


def useful_cells(position, left):
    shot = position.hits | position.misses
    return [
        cell
        for cell in (position.game.cell(i) for i in range(position.game.cells))
        if cell in position.game
        and not shot & position.game.bit(cell)
        and any(sum(ships) & position.game.bit(cell) for ships in left)
    ]


def outcomes(position, everything, limit):
    """For every strategy that shoots at useful cells at most `limit` times: the set of its results.

    A result is (total of shots, configurations finished); strategies alike in both are one. The
    total is infinite where a configuration is not finished. Also by first shot.
    """
    left = [ships for ships in everything if position.is_compatible(ships)]
    if all(not sum(ships) & ~position.hits for ships in left):
        return {None: {(0, len(left))}}
    if limit == 0:
        return {cell: {(inf, 0)} for cell in useful_cells(position, left)}
    results = {}
    for cell in useful_cells(position, left):
        parts = defaultdict(list)
        for ships in left:
            parts[reply(position.game, ships, position.hits, position.game.bit(cell))].append(ships)
        sums = {(len(left), 0)}
        for answer, part in parts.items():
            after = outcomes(position.after(cell, answer), part, limit - 1)
            best = kept(set().union(*after.values()))
            sums = kept({(a + c, b + d) for a, b in sums for c, d in best})
        results[cell] = sums
    return results


def kept(results):
    """The results that no other one matches in both."""
    return {
        (total, number)
        for total, number in results
        if not any((a, b) != (total, number) and a <= total and b >= number for a, b in results)
    }


@draws(120)
@given(positions(max_cells=6, max_ships=3, max_configurations=9, announce=EVERY_RULE))
def test_brute_force_over_positions(position):
    everything = list(reference.configurations(Position(position.game)))
    useful = bin(sum(1 << c for c in reference.useful_cells(reference.family(position)))).count("1")
    by_limit = [outcomes(position, everything, limit) for limit in range(useful + 1)]
    totals = [min(t for s in by.values() for t, _ in s) for by in by_limit]
    mean = reference.solve(position)
    assert mean.total_height == totals[-1]
    assert set(mean.best_shots) == first({c: min(s)[0] for c, s in by_limit[-1].items()}, min)
    worst = reference.solve(position, Objective("worst"))
    needed = next(s for s, total in enumerate(totals) if total < inf)
    assert (worst.worst, worst.total_height) == (needed, totals[needed])
    by = by_limit[needed]
    assert set(worst.best_shots) == first({c: min(s)[0] for c, s in by.items()}, min)
    for limit, by in enumerate(by_limit):
        numbers = {c: max(n for _, n in s) for c, s in by.items()}
        within = reference.solve(position, Objective("within", limit))
        assert within.finished == max(numbers.values())
        assert set(within.best_shots) == first(numbers, max)


def first(values, best):
    """The first shots of the best value; none where the game is over."""
    return {cell for cell in values if cell is not None and values[cell] == best(values.values())}


# What holds between the objectives


@draws(150)
@given(any_rule)
def test_the_objectives_agree_with_each_other(position):
    mean = reference.solve(position)
    worst = reference.solve(position, Objective("worst"))
    assert mean.objective == MEAN
    assert mean.total_height <= worst.total_height
    assert mean.configurations == worst.configurations
    finished = [
        reference.solve(position, Objective("within", shots)).finished
        for shots in range(worst.worst + 2)
    ]
    assert finished == sorted(finished)
    assert finished[-1] == finished[-2] == mean.configurations
    assert all(number < mean.configurations for number in finished[: worst.worst])
    # No strategy finishes more in any time than the best for that time.
    assert (
        worst.total_height
        >= mean.total_height
        >= sum(mean.configurations - number for number in finished)
    )


@draws(150)
@given(any_rule, st.sampled_from(["mean", "worst", "within=0", "within=3", "within=5"]))
def test_the_tree_is_what_was_promised(position, objective):
    solution = reference.solve(position, Objective.parse(objective))
    tree = solution.tree()
    assert verify(tree) == tree.total_height
    assert tree.configurations == solution.configurations
    if solution.total_height is not None:
        assert tree.total_height == solution.total_height
    if solution.worst is not None:
        assert tree.worst == solution.worst
    if solution.finished is not None:
        shots = solution.objective.shots
        assert sum(n for depth, n in tree.histogram.items() if depth <= shots) == solution.finished
    if tree.worst:
        assert tree.root.cell in solution.best_shots
    else:
        assert not solution.best_shots


@draws(100)
@given(positions(max_cells=9, max_ships=2, max_configurations=24))
def test_what_is_told_helps(position):
    """Of one game under the three rules, without hits: the more is told, the less it costs."""
    text = str(position.game)
    shots = tuple(shot for shot in position.shots if not shot.reply.hit)
    totals = [
        reference.solve(Position(Game.parse(text).with_announcement(rule), shots)).total_height
        for rule in ("nothing", *AT_SINKING)
    ]
    assert totals == sorted(totals, reverse=True)


# Solutions


def test_counts_repeat_and_nothing_is_kept():
    first, second = solve("2x4:2,1"), solve("2x4:2,1")
    assert (first.nodes, first.table_entries) == (second.nodes, second.table_entries)
    assert first.nodes == first.table_entries > 0
    assert first.tree() == second.tree()
    assert reference.total_height.cache_info().currsize == 0
    assert reference.most_finished.cache_info().currsize == 0


def test_no_mean_without_a_total():
    solution = solve("2x3:2", objective=Objective("within", 3))
    assert solution.total_height is None
    for name in ("mean", "mean_text"):
        with pytest.raises(NotSupported, match="within=3 has no mean"):
            getattr(solution, name)
    assert solve("2x3:2", objective=Objective("worst")).mean_text == "25/7"


def test_impossible_positions():
    with pytest.raises(ImpossiblePosition, match=r"3x3:2,announce=sunk .* 'A1=hit C3=sunk'"):
        solve("3x3:2,announce=sunk", "A1=hit C3=sunk", Objective("worst"))
