"""Priors: weights of configurations in every engine, against the definition."""

import json
import re
import sys
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from optsearch import bounds, evaluate, greedy, tree
from optsearch.check import proofs as proof
from optsearch.check import reference
from optsearch.check.trees import verify
from optsearch.counting.configurations import to_masks
from optsearch.counting.family import MAX_WEIGHT, Family
from optsearch.counting.posterior import Posterior
from optsearch.counting.prior import Prior, one_by_one, prior_of, read
from optsearch.evaluation import runners
from optsearch.game import ANNOUNCEMENTS, Game
from optsearch.game.noise import Lies, NoisyPosition
from optsearch.game.objective import Objective
from optsearch.game.position import Position, reply
from optsearch.game.ships import ships_of
from optsearch.play.advice import advise
from optsearch.play.hiding import hider
from optsearch.search.kernels import SWITCHES
from optsearch.search.proving import SolvedParts, prove
from optsearch.search.solver import Solver, SolverOptions, solve
from optsearch.strategies import named
from optsearch.support.errors import (
    ImpossiblePosition,
    PositionError,
    ProofError,
    StrategyError,
    TableError,
    TooLarge,
    TreeError,
)
from optsearch.support.workers import Execution
from tests import definition
from tests.examples import draws, positions, rules_of, sizes
from tests.test_posterior import require_that_exists

GAME = Game.parse("3x4:3,2")
WEIGHTS = st.sampled_from([0, 0, 1, 1, 1, 2, 3, 7, 40, 10**6])


@st.composite
def weighed(draw, announce=("nothing",), most=24, cells=16):
    """A position, the weights of all its configurations as the definition has them, and a prior."""
    position = draw(positions(cells, 3, most, announce))
    assume(not position.game.has_twins)
    rules, _ = asked_of(position)
    rows = sorted({tuple(sorted(ships)) for ships in rules.configurations})
    weight_of = {ships: draw(WEIGHTS) for ships in rows[:60]} | dict.fromkeys(rows[60:], 1)
    weights = {ships: weight_of[tuple(sorted(ships))] for ships in rules.configurations} | weight_of
    return position, weights, Prior.of_configurations(position.game, weight_of)


def asked_of(position):
    rules = rules_of(position.game)
    shots = [
        (shot.cell[0] * rules.columns + shot.cell[1], str(shot.reply)) for shot in position.shots
    ]
    return rules, shots


def defined(position, weights):
    """The definition of a position by some weights; None where nothing has one."""
    rules, shots = asked_of(position)
    truth = definition.Definition(rules, (), weights)
    for cell, answer in shots:
        truth.root = truth.parts(truth.root, cell).get(answer, definition.State(frozenset()))
    return truth if truth.root.family else None


def total(truth):
    return truth.optimum(truth.root)


@draws(1000, few=12)
@given(weighed(ANNOUNCEMENTS, most=16))
def test_the_optimum_is_that_of_the_definition(drawn):
    position, weights, prior = drawn
    truth = defined(position, weights)
    if truth is None:
        with pytest.raises(ImpossiblePosition, match="weight 0"):
            solve(position, prior=prior)
        return
    solution = solve(position, prior=prior, all_shots=True)
    assert solution.total_height == total(truth)
    assert solution.configurations == truth.weight(truth.root.family)
    names = {position.game.bit(cell).bit_length() - 1 for cell in solution.best_shots}
    assert names == truth.best(truth.root)
    values = {position.game.bit(v.cell).bit_length() - 1: v.upper for v in solution.shot_values}
    assert {cell: values[cell] for cell in truth.firsts(truth.root)} == truth.firsts(truth.root)
    grown = solution.tree()
    assert verify(grown, prior) == grown.total_height == solution.total_height
    assert grown.prior == prior.digest


@draws(300)
@given(weighed(ANNOUNCEMENTS, most=16), st.lists(st.sampled_from(SWITCHES), max_size=8))
def test_switches_change_nothing(drawn, off):
    position, weights, prior = drawn
    truth = defined(position, weights)
    if truth is not None:
        options = SolverOptions(**dict.fromkeys(off, False))
        assert solve(position, prior=prior, options=options).total_height == total(truth)


@draws(300)
@given(weighed(ANNOUNCEMENTS, most=16))
def test_other_objectives(drawn):
    position, weights, prior = drawn
    truth = defined(position, weights)
    if truth is None:
        return
    worst = solve(position, prior=prior, objective=Objective.parse("worst"))
    assert worst.worst == truth.worst()
    assert worst.total_height == truth.lasting(truth.root, worst.worst)
    for shots in (1, 3, 5):
        within = solve(position, prior=prior, objective=Objective.parse(f"within={shots}"))
        assert within.finished == truth.finished(truth.root, shots)


@draws(300)
@given(weighed())
def test_greedy_is_that_of_the_definition(drawn):
    position, weights, prior = drawn
    truth = defined(position, weights)
    if truth is None:
        return
    solver = greedy(position, prior=prior)
    for rule, end in (("best", min), ("worst", max)):
        assert solver.total_height(rule) == truth.greedy(truth.root, end)
        assert verify(solver.tree(rule), prior) == solver.total_height(rule)
    rules = ("first", "last", "remainder", "central", "checkerboard")
    for rule in rules if position.game.is_rectangle else rules[:3]:
        played = truth.played(truth.greedy_rule(rule))
        assert solver.tree(rule).histogram == dict(sorted(played.items()))
    compared = solver.compare()
    assert compared.optimal.total_height == total(truth)


@draws(300)
@given(weighed(ANNOUNCEMENTS, most=12))
def test_the_reference_takes_all_announcements(drawn):
    position, weights, prior = drawn
    truth = defined(position, weights)
    if truth is None:
        return
    solution = reference.solve(position, prior=prior)
    assert solution.total_height == total(truth)
    assert verify(solution.tree(), prior) == solution.total_height


@draws(300)
@given(weighed(ANNOUNCEMENTS))
def test_posteriors_are_those_of_the_definition(drawn):
    position, weights, prior = drawn
    truth = defined(position, weights)
    posterior = Posterior(position, prior=prior)
    if truth is None:
        require_that_exists(posterior, dict.fromkeys(weights, 0))
        return
    weight = truth.weight(truth.root.family)
    require_that_exists(posterior, {ships: weights[ships] for ships in truth.root.family})
    cells: Counter[int] = Counter()
    for ships in truth.root.family:
        for cell in range(position.game.cells):
            cells[cell] += weights[ships] * (sum(ships) >> cell & 1)
    flat = [p for row in posterior.frequency for p in row]
    assert flat == [Fraction(cells[cell], weight) for cell in range(position.game.cells)]
    counts = truth.counts(truth.root)
    likely = [cell for cell, n in counts.items() if n == max(counts.values())]
    assert [position.game.bit(c).bit_length() - 1 for c in posterior.greedy_shots()] == likely
    for row in posterior.sample(20, 1, masks=True):
        assert weights[tuple(sorted(a | b << 64 for a, b in row.tolist()))]


def test_weights_that_are_too_much_are_refused():
    ships = next(reference.configurations(Position(GAME)))
    prior = Prior.of_configurations(GAME, {ships: MAX_WEIGHT}, 1)
    with pytest.raises(TooLarge, match=r"add up to 8,796,093,022,\d+; the search adds them in"):
        solve(GAME, prior=prior)
    alone = Prior.of_configurations(GAME, {ships: MAX_WEIGHT})
    assert solve(GAME, prior=alone).total_height == 5 * MAX_WEIGHT
    others = len(Family.of(Position(GAME)).sets) - 1
    heaviest = Prior.of_configurations(GAME, {ships: MAX_WEIGHT - others}, 1)
    solution = solve(GAME, prior=heaviest)
    assert solution.configurations == MAX_WEIGHT
    assert verify(solution.tree(), heaviest) == solution.total_height


def test_a_table_is_of_one_prior(tmp_path):
    one, other = (Prior.of_placements(GAME, {0b111: weight}) for weight in (2, 3))
    value = solve(GAME, prior=one, table=tmp_path / "table").total_height
    assert solve(GAME, prior=one, table=tmp_path / "table").total_height == value
    for prior in (other, None):
        with pytest.raises(TableError, match=f"prior {one.digest}, not .*3x4:3,2"):
            solve(GAME, prior=prior, table=tmp_path / "table")


def test_a_prior_is_of_one_game():
    prior = Prior.of_placements(GAME, {})
    with pytest.raises(PositionError, match="of the game 3x4:3,2, not of 3x4:3,3"):
        solve("3x4:3,3", prior=prior)


# Evaluation

STRATEGIES = ("greedy:endgame=0", "greedy:ties=last,endgame=4", "rollout", "pattern", "bisection")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.long(8) if name == "rollout" else ())
        for name in STRATEGIES
    ],
)
@draws(100)
@given(weighed(most=40), st.booleans())
def test_strategies_are_evaluated_by_weight(name, drawn, large):
    """Beside each configuration played by itself; the strategy knows nothing of the weights."""
    position, weights, _ = drawn
    game = position.game
    assume(game.is_rectangle or name != "pattern")
    factor = ((1 << 63) - 1) // max(1, sum(weights.values())) if large else 1  # the most there is
    weights = {ships: factor * weight for ships, weight in weights.items()}
    prior = Prior.of_configurations(game, weights)
    if not any(weights.values()):
        with pytest.raises(ImpossiblePosition, match="weight 0"):
            evaluate(name, game, prior=prior)
        return
    evaluation = evaluate(name, game, prior=prior)
    shot, expected = cache(named(name).shot), Counter()
    for ships in reference.configurations(Position(game)):
        played = Position(game)
        while played.hits_left:
            cell = shot(played)
            played = played.after(cell, reply(game, ships, played.hits, game.bit(cell)))
        expected[len(played.shots)] += weights[tuple(sorted(ships))]
    assert evaluation.histogram == {shots: n for shots, n in sorted(expected.items()) if n}
    assert evaluation.configurations == sum(weights.values())


def test_weights_of_tasks(monkeypatch, tmp_path):
    """A tree whose top is only positions, cut short and gone on with; another prior is refused."""
    game = Game.parse("6x6:3,2")
    prior, other = (Prior.of_placements(game, {0b111: weight, 0b11: 0}) for weight in (9, 8))
    evaluation = evaluate("greedy", game, prior=prior)
    monkeypatch.setattr(runners.KernelRunner, "task_limit", lambda self, memory: 128)
    halves = evaluate("greedy", game, prior=prior, execution=Execution(checkpoint=tmp_path))
    assert halves.tasks > 5
    assert halves.histogram == evaluation.histogram
    again = evaluate("greedy", game, prior=prior, execution=Execution(checkpoint=tmp_path))
    assert again.resumed == again.tasks == halves.tasks
    assert again.histogram == evaluation.histogram
    for changed in (other, None):
        with pytest.raises(TableError, match=f"prior {prior.digest}"):
            evaluate("greedy", game, prior=changed, execution=Execution(checkpoint=tmp_path))


@pytest.mark.parametrize("name", ["greedy", "pattern", "asked"])
def test_only_what_has_a_weight_is_played(name, monkeypatch):
    """Tasks without a weight are left out, and a strategy is asked where something has one."""
    game = Game.parse("6x6:3,2")
    everything = sorted(tuple(sorted(ships)) for ships in reference.configurations(Position(game)))
    prior = Prior.of_configurations(game, dict(zip(everything[::150], (2, 3, 5, 0), strict=False)))
    having = [ships for ships in everything if prior.weight(ships)]

    def asked(position):
        assert any(map(position.is_compatible, having)), position
        return next(c for c in map(game.cell, range(36)) if not game.bit(c) & position.closed)

    strategy = asked if name == "asked" else name
    evaluation = evaluate(strategy, game, prior=prior)
    for runner in (runners.KernelRunner, runners.PatternRunner, runners.PythonRunner):
        monkeypatch.setattr(runner, "task_limit", lambda self, memory: 32)
    parts = evaluate(strategy, game, prior=prior)
    assert parts.histogram == evaluation.histogram
    assert evaluation.configurations == 10
    assert 1 < parts.tasks <= len(having) == 3


def test_rows_of_a_game_that_is_too_large_to_list():
    """Three boards of the paper's game: they are all that there is, whatever is asked."""
    game = Game.parse("paper")
    boards = ("A1-A5 C1-C4 E1-E3 G1-G3 I1-I2", "A1-E1 C3-C6 E3-E5 G1-G3 I1-I2", "A1-E1 C3-C6 "
              "E3-E5 G5-G7 I1-I2")  # fmt: skip
    rows = {tuple(ships_of(text, game)): n for text, n in zip(boards, (4, 2, 1), strict=True)}
    elsewhere = {(0b11111, 0b1111, 0b111, 0b111 << 50, 0b11 << 90): 9}  # ships overlap
    prior = Prior.of_configurations(game, rows | elsewhere)
    for shots, left in (("", (4, 2, 1)), ("B1=hit", (2, 1)), ("B1=miss", (4,)), ("G7=hit", (1,))):
        position = Position(game, shots)
        posterior = Posterior(position, prior=prior)
        assert (posterior.configurations, posterior.weight) == (len(left), sum(left))
        assert posterior.occurrence.sum() == 17 * len(left)
        assert posterior.frequency[0][0] == 1
        drawn = {tuple(to_masks(ships)) for ships in posterior.sample(50, 1, masks=True)}
        assert drawn == {ships for ships, weight in rows.items() if weight in left}
        assert advise(position, prior=prior).optimum.configurations == sum(left)
    assert solve(game, prior=prior).total_height == 17 * 7 + 3
    lying = NoisyPosition.parse(game, Lies(1), "B1=hit G7=hit A1=miss")
    assert Posterior(lying, prior=prior).weight == 1
    with pytest.raises(ImpossiblePosition, match=r"2, G7=hit, is the first after which none has"):
        Posterior("paper", "B1=miss G7=hit", prior=prior).probability  # noqa: B018
    weighed = Prior.of_function(game, lambda ships: 1, "one")
    with pytest.raises(TooLarge, match="1,925,751,392 of 10x10:5,4,3,3,2 are too many to list"):
        Posterior(game, prior=weighed).configurations  # noqa: B018


def test_weights_past_63_bits_are_refused():
    prior = Prior.of_placements(GAME, {0b111: 2**62, 0b11: 2**62})
    for name in ("greedy", "pattern"):
        with pytest.raises(TooLarge, match="at most 9,223,372,036,854,775,807 are counted"):
            evaluate(name, GAME, prior=prior)


# Bounds and proofs


@draws(400)
@given(weighed(most=60))
def test_bounds_are_below_the_optimum_and_above(drawn):
    position, weights, prior = drawn
    truth = defined(position, weights)
    if truth is None or not position.hits_left:
        return
    mean = Fraction(total(truth), truth.weight(truth.root.family))
    bracket = bounds(position, prior=prior)
    assert {bound.name for bound in bracket.bounds} == {
        *("complete binary tree", "leaf counting", "leaf counting after one ply"),
        "most probable cell",
    }
    for bound in bracket.bounds:
        assert bound.value <= mean if bound.side == "lower" else bound.value >= mean, bound.name


@draws(150)
@given(weighed(most=24))
def test_proofs_by_a_prior(tmp_path_factory, drawn):
    position, weights, prior = drawn
    truth = defined(position, weights)
    if truth is None:
        return
    parts = SolvedParts(Solver(position, prior=prior))
    misses = total(truth) - position.hits_left * truth.weight(truth.root.family)
    proved = prove(position, misses, parts.least_misses, parts.prices, prior)
    path = tmp_path_factory.mktemp("proof") / "proof.jsonl"
    proof.save(proved, path)
    checked = proof.check(path, prior)
    assert checked.total_height == total(truth)
    assert checked.configurations == truth.weight(truth.root.family)
    with pytest.raises(ProofError, match=f"by the prior {prior.digest}; give it with --prior"):
        proof.check(path)
    with pytest.raises(ProofError, match="cannot be proved"):
        prove(position, misses + 1, parts.least_misses, None, prior)


def test_files_name_their_prior(tmp_path):
    first, other = (Prior.of_placements(GAME, {0b111: weight}) for weight in (2, 3))
    solution = solve(GAME, prior=first)
    tree.save(solution.tree(), tmp_path / "tree.json")
    loaded = tree.load(tmp_path / "tree.json")
    assert loaded == solution.tree()
    assert verify(loaded, first) == solution.total_height
    with pytest.raises(
        TreeError, match=f"by the prior {first.digest}; placements is {other.digest}"
    ):
        verify(loaded, other)
    with pytest.raises(TreeError, match="give it with --prior"):
        verify(loaded)
    with pytest.raises(TreeError, match="has no prior; leave --prior out"):
        verify(solve(GAME).tree(), first)
    other_weights = replace(solve(GAME, prior=other).tree(), prior=first.digest)
    with pytest.raises(TreeError, match=r"the leaf has weight 3, but 1 configuration .* weigh 2"):
        verify(other_weights, first)


# Tables


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_each_kind_of_table(tmp_path):
    game = Game.parse("1x5:2,1")
    placements = [0b11, 0b110, 0b1100, 0b11000]
    path = tmp_path / "prior.csv"

    def weights(text):
        prior = read(write(path, text), game)
        return [
            prior.weight((ship, cell))
            for ship, cell in ((0b11, 0b1000), (0b11, 0b10000), (0b11000, 1), (0b110, 0b10000))
        ]

    assert len(placements) == 4
    assert weights("ship,weight\nA1-B1,3\nE1,5\n") == [3, 15, 1, 5]
    assert weights("# otherwise: 0\nship,weight\nA1-B1,3\nE1,5\n") == [0, 15, 0, 0]
    assert weights("# otherwise: 0.5\nship,weight\nA1-B1,3\n") == [6, 6, 1, 1]
    # Ships of length 2 are brought to one denominator, and those of length 1 to another.
    assert weights("ship,weight\nA1-B1,1/3\nE1,0.5\n") == [2, 1, 6, 3]
    cells = "# cells: {}\n# otherwise: 2\ncell,weight\nA1,3\nE1,5\n"
    assert weights(cells.format("product")) == [6 * 2, 6 * 5, 10 * 3, 4 * 5]
    assert weights(cells.format("mean")) == [5 * 2, 5 * 5, 7 * 3, 4 * 5]
    assert weights("ships,weight\nA1-B1 D1,4\nE1 A1-B1,1/2\n") == [8, 1, 0, 0]
    assert weights("# otherwise: 2\nships,weight\nA1-B1 D1,4\n") == [4, 2, 2, 2]
    games = "ships\nA1-B1 D1\nA1-B1 E1\nD1-E1 A1\n"
    assert weights("# smoothing: 1\n" + games) == [3 * 2, 3 * 2, 2 * 2, 1 * 2]
    assert weights("# smoothing: 0\n" + games) == [2 * 1, 2 * 1, 1 * 1, 0]
    assert weights("# smoothing: 0.5\n" + games) == [5 * 3, 5 * 3, 3 * 3, 1 * 3]


# Ships placed one by one


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("3x4:3,2", ""),
        ("2x5:2,2", ""),
        ("3x3:3,2,contact=any", ""),
        ("4x4:3,3,contact=corner", ""),
        ("3x4:3,2", ":order=2,3"),
        ("3x4:2,1,1", ":order=1,2,1"),
        ("3x3:##/.#,2,contact=any", ":order=2,V3"),
    ],
)
@sizes("n", 4_000, 20_000, 2)
def test_one_by_one_is_what_programs_do(text, order, n):
    """Beside the boards of the program that places them: chi-square, seeded."""
    game = Game.parse(text)
    prior, placed = prior_of(f"one-by-one{order}", game), hider(f"one-by-one{order}")
    rows = {tuple(sorted(s)): prior.weight(s) for s in reference.configurations(Position(game))}
    total_weight = sum(rows.values())
    drawn = Counter(tuple(sorted(to_masks(b))) for b in placed.boards(game, n, 1))
    assert set(drawn) <= {ships for ships, weight in rows.items() if weight}
    expected = {ships: n * weight / total_weight for ships, weight in rows.items() if weight}
    statistic = sum((drawn[ships] - e) ** 2 / e for ships, e in expected.items())
    degrees = len(expected) - 1
    assert statistic < degrees + 5 * (2 * degrees) ** 0.5
    assert len(set(rows.values())) > 1  # not uniform


@pytest.mark.parametrize(
    ("order", "weights"),
    [(None, [1, 1, 2, 2, 1, 1]), ((2, 1), [1, 1, 2, 2, 1, 1]), ("12", [2, 1, 1, 1, 1, 2])],
)
def test_the_order_of_placing_counts(order, weights):
    """By hand: on a row of five, a single ship in the middle leaves no room for the other."""
    game = Game("1x5:2,1")
    boards = "A1-B1 D1", "A1-B1 E1", "B1-C1 E1", "C1-D1 A1", "D1-E1 A1", "D1-E1 B1"
    prior = one_by_one(game, order)
    found = [prior.weight(ships_of(board, game)) for board in boards]
    assert [weight * sum(weights) for weight in found] == [w * sum(found) for w in weights]


def test_an_order_has_all_ships():
    for place in (prior_of, lambda text, game: hider(text).boards(game, 1, 1)):
        with pytest.raises(StrategyError, match=r"fleet 3,2,2; write each of its ships .*=2,2,3"):
            place("one-by-one:order=2,3", Game("4x4:3,2,2"))
    with pytest.raises(StrategyError, match="is not a hider"):
        hider("one-by-one:longest")


# Functions of one's own


@pytest.mark.parametrize("what", ["ship", "ships"])
@pytest.mark.parametrize("source", ["file", "table"])
def test_a_checkpoint_is_of_the_weights_and_not_of_the_source(
    tmp_path, call_command, monkeypatch, what, source
):
    """What a function reads changes between two runs, and its source does not."""
    corner = "(0, 0) in ship" if what == "ship" else "any((0, 0) in ship for ship in ships)"
    if source == "file":
        text = (
            "from pathlib import Path\nDATA = Path(__file__).with_name('data')\n"
            f"def weigh(game, {what}):\n    return int(DATA.read_text()) if {corner} else 1\n"
        )
    else:
        text = f"import sys\ndef weigh(game, {what}):\n    return sys.heavy if {corner} else 1\n"
    write(tmp_path / "own.py", text)
    run = tmp_path / "run"
    asked = ("evaluate", "greedy", "4x4:3,2", "--jobs", 1, "--resume", run)
    asked += ("--prior", f"{tmp_path / 'own.py'}:weigh")

    def ran(heavy):
        write(tmp_path / "data", str(heavy))
        monkeypatch.setattr(sys, "heavy", heavy, raising=False)
        return call_command(*asked, "--json")

    totals = [json.loads(ran(heavy)[1])["total_height"] for heavy in (3, 3)]
    assert totals[0] == totals[1]
    status, out, err = ran(5)
    assert (status, out) == (2, "")
    assert re.search(r"prior \w{16}, not .*prior \w{16}; name another folder", err)
    run.rename(tmp_path / "other")
    assert json.loads(ran(5)[1])["total_height"] > totals[0]


def test_a_function_is_asked_once_for_every_weight():
    heavy, calls = {"weight": 3}, Counter()

    def weigh(ships):
        calls[ships] += 1
        return heavy["weight"] if ships[0] & 1 else 1

    prior = Prior.of_function(GAME, weigh, "weigh")
    heavy["weight"] = 5
    assert set(calls.values()) == {1}
    rows = {ships: 3 if ships[0] & 1 else 1 for ships in calls}
    assert {*map(tuple, map(sorted, calls))} == {
        tuple(sorted(ships)) for ships in reference.configurations(Position(GAME))
    }
    assert prior == Prior.of_configurations(GAME, rows)
    assert prior != Prior.of_function(GAME, weigh, "weigh")
    nothing = Prior.of_function(Game.parse("2x2:2,2"), weigh, "weigh")
    assert nothing == Prior.of_configurations(nothing.game, {})
