"""The game against the best hider: values, mixes, certificates, and runs that are cut short."""

import json
from collections import Counter
from contextlib import nullcontext
from fractions import Fraction
from functools import cache

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from optsearch import tree as tree_
from optsearch.check import reference
from optsearch.check.certificates import _Search
from optsearch.check.trees import verify
from optsearch.equilibria import check, equilibrium, linear, run, save, weighted
from optsearch.equilibria.greedy import greedy_tree
from optsearch.equilibria.hidings import Hidings
from optsearch.game import Game
from optsearch.game.objective import MEAN, Objective
from optsearch.game.position import Position
from optsearch.search.greedy import greedy
from optsearch.search.solver import solve
from optsearch.search.watch import SearchMonitor
from optsearch.support.errors import ImpossiblePosition, NotSupported, ProofError, TableError
from optsearch.support.progress import LimitReached
from optsearch.support.store import Facts
from optsearch.support.workers import Execution
from optsearch.tree import DecisionTree
from tests.examples import EVERY_RULE, draws, games, some
from tests.processes import run_command
from tests.stores import write_facts

# Values that the prototype of the issue printed, with six decimals, and as they come out.
PRINTED = {
    "3x4:2": ("5.184466", Fraction(534, 103)),
    "3x4:3": ("5.000000", Fraction(5)),
    "4x4:2": ("6.316667", Fraction(379, 60)),
    "4x4:3": ("5.684211", Fraction(108, 19)),
    "2x3:2": ("3.571429", Fraction(25, 7)),
    "3x3:2": ("4.500000", Fraction(9, 2)),
    "3x4:2,2": ("6.484848", Fraction(214, 33)),
    "2x6:3,2": ("6.850000", Fraction(137, 20)),
    "4x4:3,3": ("8.166667", Fraction(49, 6)),
}
UNIFORM = {"2x3:2", "3x3:2", "3x4:2,2", "2x6:3,2", "4x4:3,3"}


def certified(solution, path):
    """The check of what was found."""
    save(solution, path)
    return check(path)


def hider(rows, sizes):
    programme = linear.HiderProgramme(sizes)
    for row in rows:
        programme.add(row)
    return programme


@pytest.mark.parametrize("text", PRINTED)
def test_the_table_of_the_prototype(tmp_path, text):
    printed, value = PRINTED[text]
    solution = equilibrium(text)
    assert solution.value == value
    assert f"{float(value):.6f}" == printed
    assert solution.uniform_payment == solve(text).mean
    assert solution.is_uniform == (text in UNIFORM)
    checked = certified(solution, tmp_path / "value.json")
    assert (checked.hider, checked.shooter, checked.is_exact) == (value, value, True)
    assert checked.method == "a plain search"


@pytest.mark.parametrize(
    ("text", "value", "uniform"),
    [
        ("4x4:3,2", "3717/440", "439/52"),
        pytest.param("4x5:4,3,2", "949/84", "497/44", marks=pytest.mark.long(60)),
    ],
)
def test_games_of_two_and_three_ships(tmp_path, text, value, uniform):
    """No source: found here, and confirmed by the plain search of the check."""
    solution = whole_run()[0] if text == "4x4:3,2" else equilibrium(text)
    assert (solution.value, solution.uniform_payment) == (Fraction(value), Fraction(uniform))
    assert certified(solution, tmp_path / "value.json").hider == Fraction(value)


# The check


equilibrium_of = cache(equilibrium)


def certificate_of(tmp_path, text="3x4:2"):
    """A certificate as JSON, and a place for a changed one."""
    path = tmp_path / "value.json"
    save(equilibrium_of(text), path)
    return json.loads(path.read_text()), path


def one_more(text):
    return str(Fraction(text) + 1)


def swapped(node):
    """A tree in which the first two shots of the branch of misses change places."""
    below = node["miss"]
    return {**node, "shot": below["shot"], "miss": {**below, "shot": node["shot"]}}


WRONG = {
    "the value one above": lambda c: c.update(hider_guarantees=one_more(c["hider_guarantees"])),
    "the other one above": lambda c: c.update(shooter_guarantees=one_more(c["hider_guarantees"])),
    "both a little above": lambda c: c.update(
        hider_guarantees="5185/1000", shooter_guarantees="5185/1000"
    ),
    "a weight changed": lambda c: c["hider"][0].update(weight=one_more(c["hider"][0]["weight"])),
    "an orbit left out": lambda c: c["hider"].pop(),
    "an orbit twice": lambda c: c["hider"].append(c["hider"][0]),
    "an image of an orbit": lambda c: c["hider"].append({"hidden": [["D3", "C3"]], "weight": "1"}),
    "what cannot be hidden": lambda c: c["hider"].append({"hidden": [["A1", "B2"]], "weight": "1"}),
    "off the board": lambda c: c["hider"].append({"hidden": [["A9", "B9"]], "weight": "1"}),
    "a weight of 0": lambda c: c["hider"][0].update(weight="0"),
    "a weight that is a number": lambda c: c["hider"][0].update(weight=3),
    "a weight that is a fraction": lambda c: c["hider"][0].update(weight="3/2"),
    "a negative weight": lambda c: c["hider"][0].update(weight="-3"),
    "a probability changed": lambda c: c["shooter"][0].update(probability="1/2"),
    "two probabilities changed": lambda c: (
        c["shooter"][0].update(probability=c["shooter"][1]["probability"]),
        c["shooter"][1].update(probability=c["shooter"][0]["probability"]),
        c["shooter"][2].update(probability=c["shooter"][2]["probability"] + "1"),
    ),
    "a tree left out": lambda c: c["shooter"].pop(),
    "a tree altered": lambda c: c["shooter"][0].update(tree=swapped(c["shooter"][0]["tree"])),
    "a branch left out": lambda c: c["shooter"][0]["tree"].pop("miss"),
    "a branch too much": lambda c: c["shooter"][0]["tree"].update(sunk={"configurations": 1}),
    "a leaf too soon": lambda c: c["shooter"][0]["tree"].update(hit={"configurations": 3}),
    "a leaf miscounted": lambda c: c["shooter"][0].update(tree={"configurations": 17}),
    "a shot off the board": lambda c: c["shooter"][0]["tree"].update(shot="Z9"),
    "a shot that is none": lambda c: c["shooter"][0]["tree"].update(shot=7),
    "a node that is none": lambda c: c["shooter"][0].update(tree=7),
    "another game": lambda c: c.update(game="3x4:3"),
    "no game": lambda c: c.update(game="3x4"),
    "no configuration": lambda c: c.update(game="4x4:4,3,2"),
    "another objective": lambda c: c.update(objective="within=4"),
    "the worst case": lambda c: c.update(objective="worst"),
    "another version": lambda c: c.update(version=2),
    "another format": lambda c: c.update(format="optsearch decision tree"),
    "a field too much": lambda c: c.update(more=1),
    "a field missing": lambda c: c.pop("hider"),
    "no hider": lambda c: c.update(hider=[]),
    "a number that is none": lambda c: c.update(hider_guarantees="five"),
    "a division by zero": lambda c: c.update(hider_guarantees="5/0"),
    "a number without end": lambda c: c.update(hider_guarantees="9" * 5000),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_certificate_is_refused(tmp_path, wrong):
    certificate, path = certificate_of(tmp_path)
    path.write_text(json.dumps(certificate))
    assert check(path).is_exact  # as it was written
    WRONG[wrong](certificate)
    path.write_text(json.dumps(certificate))
    with pytest.raises(ProofError, match=r"value\.json: "):
        check(path)


def test_a_hider_may_guarantee_more_than_the_file_says(tmp_path):
    certificate, path = certificate_of(tmp_path)
    path.write_text(json.dumps(certificate | {"hider_guarantees": "5"}))
    checked = check(path)
    assert (checked.hider, checked.shooter) == (5, Fraction(534, 103))


def test_an_altered_tree_is_refused_by_what_it_pays(tmp_path):
    """A tree that plays on whole but worse is no fault of form: the guarantee is wrong."""
    certificate, path = certificate_of(tmp_path)
    trees = [solve("3x4:2", objective=Objective("worst")).tree()]
    tree_.save(trees[0], tmp_path / "tree.json")
    other = json.loads((tmp_path / "tree.json").read_text())["root"]
    certificate["shooter"][0]["tree"] = other
    path.write_text(json.dumps(certificate))
    with pytest.raises(ProofError, match="shooter_guarantees is 534/103; it is proved to be"):
        check(path)


def test_the_exact_solver_steps_in(tmp_path):
    """Where the plain search would look into too much; both say the same."""
    certificate, path = certificate_of(tmp_path, "4x4:2")
    assert check(path).method == "a plain search"
    assert check(path, effort=3).method == "the exact solver"
    certificate["hider"][0]["weight"] += "0" * 20
    path.write_text(json.dumps(certificate))
    for effort in (3, 20_000):
        with pytest.raises(ProofError, match=r"proved to be 140{18}35/350{18}4$"):
            check(path, effort=effort)


@given(st.data())
@draws(100)
def test_the_plain_search_is_the_definition(data):
    game = data.draw(games(max_cells=10))
    family = reference.family(Position(game))
    assume(2 <= len(family) <= 25)
    masks = sorted(mask for mask, _ in family)
    weights = [data.draw(st.integers(1, 9)) for _ in masks]
    with reference.caches():
        expected = reference.total_height(frozenset(zip(masks, weights, strict=True)))
    assert _Search(masks, weights, 10**6).total_height() == expected


def test_weights_that_are_too_far_apart(tmp_path, monkeypatch):
    path = tmp_path / "value.json"
    certified(equilibrium("4x4:2,2"), path)
    monkeypatch.setattr(weighted, "MOST_STATES", 3)
    with monkeypatch.context() as patch:
        patch.setattr(weighted, "MAX_WEIGHT", 1 << 7)
        with pytest.raises(ProofError, match="too far apart to be compared exactly"):
            check(path, effort=3)
    exact = linear.exact_hider
    monkeypatch.setattr(linear, "exact_hider", lambda *a: [w + (1 << 60) for w in exact(*a)])
    solution = equilibrium("4x4:2,2")
    assert solution.lower <= Fraction(1637, 204) <= solution.upper  # the bracket stays
    assert solution.lower < solution.upper


@given(st.data())
@draws(100)
def test_weights_of_any_size(data):
    """By the definition, which has no end; also where the kernel's units are few."""
    game = data.draw(games(max_cells=9, announce=EVERY_RULE))
    hidings = _hidings(game)
    assume(hidings is not None and 2 <= len(hidings) <= 25)
    weights = [
        data.draw(st.integers(1, 10 ** data.draw(st.integers(0, 30)))) for _ in hidings.hidden
    ]
    numbers = Counter()
    for ships, weight in zip(hidings.examples, weights, strict=True):
        numbers[reference.hidden_of(game, ships)] += weight
    family = frozenset(numbers.items())
    within = data.draw(st.none() | st.integers(game.fleet_cells, game.cells - 1))
    objective = Objective.parse("mean" if within is None else f"within={within}")
    with reference.caches():
        expected = reference.total_height(family)
        if within is not None:
            expected = sum(weights) - reference.most_finished(family, within)
    search = weighted.WeightedSearch(game, objective, hidings.examples, lambda: None, 1 << 20)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(weighted, "MAX_WEIGHT", data.draw(st.sampled_from([100, 1 << 12, 1 << 43])))
        search.weigh(weights)
        assert search.least_payment() == expected


@pytest.mark.parametrize("announce", ["tests/rules.py:orientation", "place", "name", "sunk"])
@pytest.mark.parametrize("fleet", ["2", "2,1"])
def test_weights_in_units_use_what_a_certain_hit_tells(announce, fleet):
    """Of 2x3:2 with the cells of two ships left, their common cell tells how the ship lies."""
    game = Game.parse(f"2x3:{fleet},contact=any,announce={announce}")
    hidings = _hidings(game)
    for heavy in range(len(hidings)):
        weights = [95 if i == heavy else 1 for i in range(len(hidings))]
        numbers = Counter()
        for ships, weight in zip(hidings.examples, weights, strict=True):
            numbers[reference.hidden_of(game, ships)] += weight
        with reference.caches():
            expected = reference.total_height(frozenset(numbers.items()))
        search = weighted.WeightedSearch(game, MEAN, hidings.examples, lambda: None, 1 << 20)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(weighted, "MAX_WEIGHT", sum(weights) - 1)
            search.weigh(weights)
            assert search.least_payment() == expected


# All rules


@given(games(max_cells=9, announce=EVERY_RULE))
@draws(60)
def test_random_games(tmp_path_factory, game):
    hidings = _hidings(game)
    assume(hidings is not None and len(hidings.orbits) <= (12 if game.is_silent else 8))
    solution = equilibrium(game)
    checked = certified(solution, tmp_path_factory.mktemp("found") / "value.json")
    assert checked.hider == checked.shooter == solution.value
    worst = solve(Position(game), objective=Objective("worst")).worst
    assert solution.uniform_payment <= solution.value <= worst
    assert sum(solution.probabilities) == sum(share for _, share in solution.hider) == 1
    assert solution.uniform_payment == solve(Position(game)).mean
    for tree, _ in solution.shooter:
        assert verify(tree) == tree.total_height
    if len(hidings.orbits) == 1:
        assert solution.is_uniform
    assert solution.occupancy.sum() == pytest.approx(game.fleet_cells)


def _hidings(game):
    try:
        return Hidings.of(game)
    except ImpossiblePosition:
        return None


# Linear programmes


def test_solution_of_equations():
    assert linear._solve_equations([[2, 1, 5], [1, -1, 1]]) == [2, 1]
    assert linear._solve_equations([[1, 1, 3], [2, 2, 6], [1, -1, 0]]) == [Fraction(3, 2)] * 2
    assert linear._solve_equations([[1, 1, 3], [2, 2, 6]]) is None  # more than one
    assert linear._solve_equations([[1, 1, 3], [2, 2, 7]]) is None  # none
    assert linear.least_integers([Fraction(1, 6), Fraction(1, 4), Fraction(0)]) == [2, 3, 0]


# Runs that are cut short


class Rounds:
    """A report of progress that ends the run after some rounds."""

    def __init__(self, rounds, error):
        self.rounds, self.error = rounds, error
        self.seen = []

    def __call__(self, status):
        self.seen.append(status)
        if len(self.seen) == self.rounds:
            raise self.error


@pytest.mark.parametrize("rounds", some(1, [4, 1, 12], 3))
def test_ctrl_c_leaves_a_bracket_that_is_proved(tmp_path, rounds):
    stop = Rounds(rounds, KeyboardInterrupt)
    solution = equilibrium(
        "4x4:3,2", partial=True, execution=Execution(progress=stop, checkpoint=tmp_path / "kept")
    )
    assert solution.is_interrupted
    assert solution.lower < Fraction(3717, 440) < solution.upper
    checked = certified(solution, tmp_path / "bracket.json")
    assert (checked.hider, checked.shooter) == (solution.lower, solution.upper)
    assert not checked.is_exact
    with pytest.raises(NotSupported, match="between"):
        assert solution.value is None
    later = Rounds(1000, None)
    again = equilibrium(
        "4x4:3,2", execution=Execution(progress=later, checkpoint=tmp_path / "kept")
    )
    assert again.value == Fraction(3717, 440)
    assert later.seen[0].lower >= stop.seen[-1].lower  # it has what was found
    assert later.seen[0].upper <= stop.seen[max(0, rounds - 2)].upper
    with pytest.raises(KeyboardInterrupt):
        equilibrium("4x4:3,2", execution=Execution(progress=Rounds(2, KeyboardInterrupt)))


@cache
def whole_run():
    """The value of 4x4:3,2, and what was said on the way."""
    rounds = Rounds(1000, None)
    return equilibrium("4x4:3,2", execution=Execution(progress=rounds)), rounds


def test_the_bracket_narrows():
    _, rounds = whole_run()
    lower = [status.lower for status in rounds.seen]
    upper = [status.upper for status in rounds.seen]
    assert lower == sorted(lower)
    assert upper == sorted(upper, reverse=True)
    assert all(low <= high for low, high in zip(lower, upper, strict=True))


def test_a_tolerance_ends_the_run(tmp_path):
    solution = equilibrium("4x4:3,2", tolerance=Fraction(1, 20))
    exact, _ = whole_run()
    assert solution.rounds < exact.rounds
    assert solution.lower <= exact.value <= solution.upper <= solution.lower + Fraction(1, 20)
    assert certified(solution, tmp_path / "bracket.json").shooter == solution.upper
    for text in ("4x4:2,2", "4x5:3,3"):
        solution = equilibrium(text, tolerance=Fraction(1, 10**9))
        assert solution.upper - solution.lower <= Fraction(1, 10**9)


def limited(monkeypatch, checks):
    """A time limit that is over after so many looks at the clock."""

    class Few:
        def __init__(self, seconds):
            self.left = checks

        def check(self, effort=0):
            self.left -= 1
            if self.left < 0:
                raise LimitReached(self)

        def alarm(self):
            return nullcontext()

    monkeypatch.setattr(run, "Limit", Few)


def test_a_time_limit(monkeypatch, tmp_path):
    limited(monkeypatch, 12)
    solution = equilibrium("4x4:3,2", time_limit=1)
    assert not solution.is_exact
    assert certified(solution, tmp_path / "bracket.json").hider == solution.lower
    folder = tmp_path / "kept"
    with pytest.raises(KeyboardInterrupt):
        equilibrium(
            "4x4:3,2", execution=Execution(progress=Rounds(1, KeyboardInterrupt), checkpoint=folder)
        )
    limited(monkeypatch, 0)  # trees from before, and no answer of now
    again = equilibrium("4x4:3,2", time_limit=1, execution=Execution(checkpoint=folder))
    assert again.upper <= equilibrium("4x4:3,2", time_limit=1).upper


SHORT = [
    ("5x5:5,2", "mean"),
    ("4x4:2,2,contact=any", "mean"),
    ("4x4:3,2", "within=9"),
    ("3x4:2,2,announce=sunk", "within=6"),
    ("5x5:5,3,announce=place", "mean"),
    ("5x5:5,3,announce=ship", "mean"),
    ("4x5:4,3,announce=name", "mean"),
]


@pytest.mark.parametrize(("text", "objective"), SHORT)
def test_the_bracket_of_no_time(monkeypatch, tmp_path, text, objective):
    """A hider who draws uniformly from below, a greedy tree from above."""
    limited(monkeypatch, 0)
    aim = Objective.parse(objective)
    solution = equilibrium(text, aim, time_limit=1)
    assert (solution.rounds, solution.trees, solution.uniform_payment) == (1, 1, None)
    uniform, tree = solve(text, objective=aim), greedy(text).tree("first")
    number = uniform.configurations
    if objective == "mean":
        assert solution.game.fleet_cells < solution.lower <= uniform.mean
        assert uniform.mean <= solution.upper <= tree.worst
    else:
        assert 0 < solution.lower <= 1 - Fraction(uniform.finished, number) <= solution.upper <= 1
    assert solution.total_weight == number
    save(solution, tmp_path / "bracket.json")


@pytest.mark.parametrize("text", ["3x4:2,2", "3x4:2,2,announce=sunk", "3x4:3,2,announce=name"])
def test_ctrl_c_in_the_first_round_leaves_a_bracket(interrupt_at, tmp_path, text):
    interrupt_at(SearchMonitor, "tick", 1)
    solution = equilibrium(text, partial=True)
    assert solution.is_interrupted
    assert solution.uniform_payment is None
    checked = certified(solution, tmp_path / "bracket.json")
    assert (checked.hider, checked.shooter) == (solution.lower, solution.upper)
    assert solution.lower <= solve(text).mean <= solution.upper


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_alarm_ends_what_does_not_look_at_the_clock(monkeypatch):
    text = "5x5:5,3,announce=place"
    value = equilibrium(text).value
    monkeypatch.setattr(run.Limit, "check", lambda self, effort=0: None)
    solution = equilibrium(text, time_limit=0.01)
    assert solution.lower <= value <= solution.upper


@given(games(max_cells=9, announce=EVERY_RULE))
def test_the_greedy_tree(game):
    hidings = _hidings(game)
    assume(hidings is not None)
    root, row = greedy_tree(hidings, MEAN)
    tree = DecisionTree(Position(game), root)
    assert verify(tree) == sum(row) == greedy(game).tree("first").total_height


def test_a_checkpoint_of_something_else_is_refused(tmp_path):
    equilibrium("3x3:2", execution=Execution(checkpoint=tmp_path))
    assert equilibrium("3x3:2", execution=Execution(checkpoint=tmp_path)).value == Fraction(9, 2)
    with pytest.raises(TableError, match="3x3:2, mean, not the"):
        equilibrium("3x4:2", execution=Execution(checkpoint=tmp_path))
    with pytest.raises(TableError, match="not the equilibrium of 3x3:2, within=4"):
        equilibrium("3x3:2", Objective("within", 4), execution=Execution(checkpoint=tmp_path))
    file = tmp_path / "data.mdb"
    file.write_bytes(file.read_bytes().replace(b'"A2"', b'"B2"'))
    with pytest.raises(TableError, match="damaged"):
        equilibrium("3x3:2", execution=Execution(checkpoint=tmp_path))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("tree 9", {"configurations": 12}),
        ("tree 9", {"shot": "A1", "hit": {"configurations": 1}}),
        ("tree 9", {"shot": "Z9"}),
        ("tree 9", 7),
        ("weights", [1]),
        ("weights", [0, 0]),
        ("weights", [-1, 1]),
        ("weights", "11"),
    ],
)
def test_a_checkpoint_is_checked_before_it_is_believed(tmp_path, key, value):
    title = "the equilibrium of 3x3:2, mean"
    write_facts(tmp_path, title, {key: value})
    with pytest.raises(TableError, match="3x3:2"):
        equilibrium("3x3:2", execution=Execution(checkpoint=tmp_path))


# The command


def test_a_killed_run_goes_on(call_command, interrupt_at, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments = ("equilibrium", "4x4:3,2", "--resume", "kept", "--json")
    hooks = "from optsearch.support.store import Facts; at(Facts, 'add', kill, 5)"
    status, out, _ = run_command(*arguments, hooks=hooks, cwd=tmp_path)
    assert (status, out) == (-9, "")
    interrupt_at(Facts, "add", 5)
    status, out, err = call_command(*arguments)
    assert status == 130
    assert err == ("interrupted; what was found is in kept, and the same command goes on from it\n")
    low, high = map(Fraction, json.loads(out)["bracket_exact"])
    assert low < Fraction(3717, 440) < high
    status, out, err = call_command(*arguments)
    assert (status, err) == (0, "")
    assert json.loads(out)["value_exact"] == "3717/440"
    assert json.loads(out)["trees"] > json.loads(out)["rounds"]


# Where to draw uniformly is best: docs/equilibrium.md has the proof


def test_cells_of_shapes_are_hidden_together():
    assert equilibrium("2x4:O4,2,contact=corner", objective=Objective.parse("within=8")).value == 1
