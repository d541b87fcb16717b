"""Priors: weights of configurations in every engine, against the definition."""

from collections import Counter
from fractions import Fraction

import definition
import pytest
from examples import draws, positions
from hypothesis import given
from hypothesis import strategies as st

from optsearch import greedy, reference, tree
from optsearch.errors import ImpossiblePosition, NotSupported, PositionError, TableError, TooLarge
from optsearch.family import MAX_WEIGHT, Family
from optsearch.game import ANNOUNCEMENTS, Game
from optsearch.kernels import SWITCHES
from optsearch.objective import Objective
from optsearch.position import Position
from optsearch.posterior import Posterior
from optsearch.prior import Prior
from optsearch.solver import SolverOptions, solve

GAME = Game.parse("3x4:3,2")
WEIGHTS = st.sampled_from([0, 0, 1, 1, 1, 2, 3, 7, 40, 10**6])


@st.composite
def weighed(draw, announce=("nothing",), most=40, cells=12):
    """A position, the weights of all its configurations as the definition has them, and a prior."""
    position = draw(positions(cells, 3, most, announce))
    rules, _ = asked_of(position)
    rows = sorted(rules.configurations)
    weights = {ships: draw(WEIGHTS) for ships in rows[:60]} | dict.fromkeys(rows[60:], 1)
    return position, weights, Prior.of_configurations(position.game, weights)


def asked_of(position):
    game = position.game
    rules = definition.Rules(game.rows, game.columns, game.fleet, game.contact, game.announce)
    shots = [
        (shot.cell[0] * game.columns + shot.cell[1], str(shot.reply)) for shot in position.shots
    ]
    return rules, shots


def defined(position, weights):
    """The definition of a position by some weights; None where nothing has one."""
    rules, shots = asked_of(position)
    found = definition.Definition(rules, (), weights)
    for cell, reply in shots:
        found.root = found.parts(found.root, cell).get(reply, definition.State(frozenset()))
    return found if found.root.family else None


def total(found):
    return found.optimum(found.root)


@draws(1000)
@given(weighed())
def test_the_optimum_is_that_of_the_definition(drawn):
    position, weights, prior = drawn
    found = defined(position, weights)
    if found is None:
        with pytest.raises(ImpossiblePosition, match="weight 0"):
            solve(position, prior=prior)
        return
    solution = solve(position, prior=prior, all_shots=True)
    assert solution.total_height == total(found)
    assert solution.configurations == found.weight(found.root.family)
    names = {position.game.bit(cell).bit_length() - 1 for cell in solution.best_shots}
    assert names == found.best(found.root)
    values = {position.game.bit(v.cell).bit_length() - 1: v.upper for v in solution.shot_values}
    assert {cell: values[cell] for cell in found.firsts(found.root)} == found.firsts(found.root)
    grown = solution.tree()
    assert tree.verify(grown, prior) == grown.total_height == solution.total_height
    assert grown.prior == prior.digest


@draws(300)
@given(weighed(), st.lists(st.sampled_from(SWITCHES), max_size=8))
def test_switches_change_nothing(drawn, off):
    position, weights, prior = drawn
    found = defined(position, weights)
    if found is not None:
        options = SolverOptions(**dict.fromkeys(off, False))
        assert solve(position, prior=prior, options=options).total_height == total(found)


@draws(300)
@given(weighed(most=20))
def test_other_objectives(drawn):
    position, weights, prior = drawn
    found = defined(position, weights)
    if found is None:
        return
    worst = solve(position, prior=prior, objective=Objective.parse("worst"))
    assert worst.worst == found.worst()
    assert worst.total_height == found.lasting(found.root, worst.worst)
    for shots in (1, 3, 5):
        within = solve(position, prior=prior, objective=Objective.parse(f"within={shots}"))
        assert within.finished == found.finished(found.root, shots)


@draws(300)
@given(weighed(most=30))
def test_greedy_is_that_of_the_definition(drawn):
    position, weights, prior = drawn
    found = defined(position, weights)
    if found is None:
        return
    solver = greedy(position, prior=prior)
    for rule, end in (("best", min), ("worst", max)):
        assert solver.total_height(rule) == found.greedy(found.root, end)
        assert tree.verify(solver.tree(rule), prior) == solver.total_height(rule)
    for rule in ("first", "central", "last", "checkerboard", "remainder"):
        played = found.played(found.greedy_rule(rule))
        assert solver.tree(rule).histogram == dict(sorted(played.items()))
    compared = solver.compare()
    assert compared.optimal.total_height == total(found)


@draws(300)
@given(weighed(ANNOUNCEMENTS, most=16))
def test_the_reference_takes_all_announcements(drawn):
    position, weights, prior = drawn
    found = defined(position, weights)
    if found is None:
        return
    solution = reference.solve(position, prior=prior)
    assert solution.total_height == total(found)
    assert tree.verify(solution.tree(), prior) == solution.total_height


@draws(300)
@given(weighed(ANNOUNCEMENTS))
def test_posteriors_are_those_of_the_definition(drawn):
    position, weights, prior = drawn
    found = defined(position, weights)
    posterior = Posterior(position, prior)
    if found is None:
        with pytest.raises(ImpossiblePosition, match="weight 0"):
            posterior.frequency  # noqa: B018
        return
    whole = found.weight(found.root.family)
    cells: Counter[int] = Counter()
    for ships in found.root.family:
        for cell in range(position.game.cells):
            cells[cell] += weights[ships] * (sum(ships) >> cell & 1)
    flat = [p for row in posterior.frequency for p in row]
    assert flat == [Fraction(cells[cell], whole) for cell in range(position.game.cells)]
    counts = found.counts(found.root)
    most = [cell for cell, n in counts.items() if n == max(counts.values())]
    assert [position.game.bit(c).bit_length() - 1 for c in posterior.best_shots()] == most
    for row in posterior.sample(20, 1):
        assert weights[tuple(sorted(a | b << 64 for a, b in row.tolist()))]


def test_weights_that_are_too_much_are_refused():
    ships = next(reference.configurations(Position(GAME)))
    prior = Prior.of_configurations(GAME, {ships: MAX_WEIGHT}, 1)
    with pytest.raises(TooLarge, match=r"add up to 8,796,093,022,\d+; the search adds them in 64"):
        solve(GAME, prior=prior)
    alone = Prior.of_configurations(GAME, {ships: MAX_WEIGHT})
    assert solve(GAME, prior=alone).total_height == 5 * MAX_WEIGHT
    others = len(Family.of(Position(GAME)).sets) - 1
    most = Prior.of_configurations(GAME, {ships: MAX_WEIGHT - others}, 1)
    solution = solve(GAME, prior=most)
    assert solution.configurations == MAX_WEIGHT
    assert tree.verify(solution.tree(), most) == solution.total_height


def test_a_table_is_of_one_prior(tmp_path):
    one, other = (Prior.of_placements(GAME, {0b111: weight}) for weight in (2, 3))
    value = solve(GAME, prior=one, table=tmp_path / "table").total_height
    assert solve(GAME, prior=one, table=tmp_path / "table").total_height == value
    for prior in (other, None):
        with pytest.raises(TableError, match=f"prior {one.digest}, not of 3x4:3,2"):
            solve(GAME, prior=prior, table=tmp_path / "table")


def test_a_prior_is_of_one_game():
    prior = Prior.of_placements(GAME, {})
    with pytest.raises(PositionError, match="of the game 3x4:3,2, not of 3x4:3,3"):
        solve("3x4:3,3", prior=prior)
    with pytest.raises(NotSupported, match="a search by a prior is for announce=nothing"):
        solve("3x4:3,2;announce=sunk", prior=prior)
