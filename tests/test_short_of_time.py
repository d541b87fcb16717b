"""Short of time: a bracket always, bounds that came by then, a time to go that does not rise."""

import json
import re
import time
from contextlib import contextmanager
from fractions import Fraction
from functools import partial
from itertools import count, pairwise, permutations
from math import ceil, floor
from pathlib import Path
from queue import SimpleQueue

import pytest
from click.testing import CliRunner
from hypothesis import given, seed
from hypothesis import strategies as st

from optsearch.check import reference
from optsearch.check.trees import verify
from optsearch.cli import progress as shown
from optsearch.cli.command import app
from optsearch.counting.configurations import Listing
from optsearch.counting.family import Family
from optsearch.counting.lattice import SkylineSweep
from optsearch.counting.posterior import Posterior
from optsearch.game import CONTACTS, Game
from optsearch.game.objective import Objective
from optsearch.game.position import Position
from optsearch.lower_bounds import Bound, by_chance, first_bounds, leaf_counting_misses
from optsearch.results import bracket
from optsearch.results.stored import StoredBracket, stored_bracket
from optsearch.results.tables import TABLES
from optsearch.search import identify, solver
from optsearch.search.greedy import GreedySolver
from optsearch.search.solver import Solver, solve
from optsearch.support.errors import GameError, ImpossiblePosition, NotSupported, TooLarge
from optsearch.support.progress import Countdown, Limit, LimitReached, Status, no_progress
from optsearch.tree import load
from tests.examples import EVERY_RULE, draws
from tests.processes import MANY_SECONDS

# Shooting at random, by all orders


def last_hits(sets, cells):
    """The mean place of the last cell of each set, over all orders of the cells."""
    orders = list(permutations(cells))
    return [
        Fraction(sum(max(order.index(c) for c in some) + 1 for order in orders), len(orders))
        for some in sets
    ]


@pytest.mark.parametrize(
    ("game", "shots"),
    [
        ("1x5:2", ""),
        ("2x3:2", ""),
        ("2x3:2,1,contact=any", ""),
        ("2x3:2", "A1=hit"),
        ("1x7:3", "D1=hit"),
        ("2x3:2,contact=any,announce=ship", "A1=miss"),
    ],
)
def test_shooting_at_random_takes_the_mean_over_all_orders(game, shots):
    position = Position.parse(Game.parse(game), shots)
    hidden = [sum(ships) & ~position.hits for ships in reference.configurations(position)]
    cells = range(position.game.cells)
    certain = [c for c in cells if all(mask >> c & 1 for mask in hidden)]
    doubtful = [c for c in cells if c not in certain and any(mask >> c & 1 for mask in hidden)]
    sets = [[c for c in doubtful if mask >> c & 1] for mask in hidden]
    means = last_hits(sets, doubtful)
    exact = len(certain) + sum(means, Fraction(0)) / len(means)
    assert by_chance.shots_by_chance(position) == exact
    assert min(means) == max(means)
    if position.game.is_silent:
        family = Family.of(position)
        misses = (exact - position.hits_left) * family.weight
        assert by_chance.total_misses_by_chance(family) == floor(misses)


def test_sets_that_lie_in_others_pay_for_every_cell(tmp_path):
    path = tmp_path / "faults.csv"
    path.write_text("set,things,weight\na,x y,2\nb,x,1\nc,z y,3\n")
    sets = identify.read(path)
    # of x, y, z two are in a and c, which miss 2/3 on average, and one is in b, which misses 2
    assert by_chance.total_misses_by_chance(sets.family) == floor(5 * Fraction(2, 3) + 2)
    assert identify.identify(sets).misses <= by_chance.total_misses_by_chance(sets.family)


# Greedy by the kernel, ties first


@pytest.mark.parametrize(
    "game", ["4x5:2,3,4", "4x4:3,2,contact=any", "4x5:4,3,contact=corner", "4x4:3,2,announce=ship"]
)
def test_greedy_in_the_kernel_costs_what_its_tree_costs(game):
    position = Position(Game.parse(game))
    greedy = GreedySolver(position)
    tree = greedy.tree("first")
    assert greedy.total_height("first") == tree.total_height == verify(tree)
    kernel = Solver(position).kernel
    assert kernel.hits_left(kernel.root) + kernel.greedy_misses() == tree.total_height


# A bracket always


@pytest.fixture
def over_at(monkeypatch):
    """Time that is over when it was looked at so often."""

    def begin(looks):
        seconds = count()
        monkeypatch.setattr(solver, "Limit", lambda _: Limit(looks, clock=lambda: next(seconds)))

    return begin


@pytest.mark.parametrize("game", ["5x5:3,2", "4x4:3,2,contact=any", "3x4:3,2,announce=ship"])
def test_a_search_has_a_bracket_from_the_start(over_at, game):
    position = Position(Game.parse(game))
    optimum = solve(position).total_height
    brackets = []
    for looks in (0, 3, 10, 100, 10_000):
        over_at(looks)
        solution = solve(position, time_limit=1)
        assert solution.lower <= optimum <= solution.upper
        assert solution.is_exact or not solution.best_shots
        brackets.append(solution.upper)
        if looks:
            assert verify(solution.tree()) == solution.upper
    number = solution.configurations
    assert brackets[0] == floor(by_chance.shots_by_chance(position) * number)
    assert brackets[-1] < brackets[0]


def test_greedy_plays_where_all_cells_are_certain():
    game = "1x5:3,1,1a,contact=any,announce=name,board=cylinder"
    assert solve(game, time_limit=60).total_height == 5 * 10


def test_no_tree_without_a_strategy(over_at):
    over_at(0)
    solution = solve("5x5:3,2", time_limit=1)
    with pytest.raises(NotSupported, match="no strategy for 5x5:3,2 was evaluated in that time"):
        solution.tree()


def test_a_family_has_a_bracket_from_the_start(over_at, tmp_path):
    path = tmp_path / "faults.csv"
    sets = [f"s{a}{b}{c},a{a} b{b} c{c}" for a in range(6) for b in range(6) for c in range(6)]
    path.write_text("\n".join(["set,things", *sets, ""]))
    family = identify.read(path)
    optimum = identify.identify(family).misses
    over_at(0)
    solution = identify.identify(family, time_limit=1)
    by_lot = by_chance.total_misses_by_chance(family.family)
    assert solution.lower <= optimum <= solution.upper == by_lot
    over_at(10_000)
    assert identify.identify(family, time_limit=1).upper < solution.upper


@pytest.mark.parametrize("soon", [0, 20_000])
def test_ctrl_c_knows_what_a_limit_knows(monkeypatch, soon):
    """Before the search, or where that is quick at its end, greedy and rollouts are played."""
    monkeypatch.setattr(solver, "QUICK_FAMILY", soon)
    game, stopped = "5x5:3,2", []

    def stop(status):
        if status.best is not None and not stopped:
            stopped.append(status)
            raise KeyboardInterrupt

    interrupted = solve(game, progress=stop, partial=True)
    assert stopped
    assert not interrupted.is_exact
    greedy = GreedySolver(Position(Game.parse(game))).total_height("first")
    assert interrupted.upper < greedy
    assert verify(interrupted.tree()) == interrupted.upper


def run(*arguments):
    return CliRunner().invoke(app, arguments)


def test_a_game_too_large_to_search_has_the_bracket_of_its_bounds(monkeypatch):
    def refuse(*arguments, **options):
        raise TooLarge("too many to list")

    monkeypatch.setattr("optsearch.search.solver.solve", refuse)
    fields = json.loads(run("solve", "4x4:3,2", "--time-limit", "60", "--json").stdout)
    bounds_known = bracket.bounds("4x4:3,2")
    number = fields["configurations"]
    assert fields["method"] == "bounds"
    assert fields["lower"] == ceil(bounds_known.lower * number)
    assert fields["upper"] == floor(bounds_known.upper * number)
    assert "too many to list" in str(run("solve", "4x4:3,2").exception)
    shown = ("solve", "4x4:3,announce=place", "--time-limit", "60", "--json")  # no bounds of means
    assert "too many to list" in str(run(*shown).exception)
    assert json.loads(run(*shown, "--objective", "worst").stdout)["lower"] <= 7  # its worst case
    for aim, value in {"worst": 11, "within=9": 85, "within=16": 104}.items():
        result = run("solve", "4x4:3,2", "--time-limit", "60", "--objective", aim, "--json")
        fields = json.loads(result.stdout)
        assert fields["lower"] <= value <= fields["upper"] <= 104


def test_a_game_too_large_to_search_is_weighed_by_its_prior(monkeypatch, tmp_path):
    """The bracket is of the total weight, which the search has too, not of 104 configurations."""
    prior = tmp_path / "prior.csv"
    prior.write_text("ship,weight\nA1-C1,2\nA1-B1,2\n")
    command = "solve", "4x4:3,2", "--prior", str(prior), "--json"
    aims = {"mean": "total_height", "worst": "worst", "within=9": "finished"}
    commands = {aim: (*command, "--objective", aim) for aim in aims}
    exact = {aim: json.loads(run(*commands[aim]).stdout) for aim in aims}

    def refuse(*arguments, **options):
        raise TooLarge("too many to list")

    monkeypatch.setattr("optsearch.search.solver.solve", refuse)
    for aim, name in aims.items():
        fields = json.loads(run(*commands[aim], "--time-limit", "60").stdout)
        assert fields["configurations"] == exact[aim]["configurations"] == 120
        assert fields["lower"] <= exact[aim][name] <= fields["upper"], aim
        if aim == "mean":
            position = Position("4x4:3,2")
            bounds = bracket.Bracket.of(position, first_bounds(position))
            ends = ceil(bounds.lower * 120), floor(bounds.upper * 120)
            assert (fields["lower"], fields["upper"]) == ends


def test_a_bracket_without_a_search_comes_with_the_tree_of_greedy(monkeypatch, tmp_path):
    """Or it is said before that no tree comes, and why."""

    def refuse(*arguments, **options):
        raise TooLarge("too many to list")

    monkeypatch.setattr("optsearch.search.solver.solve", refuse)
    path = tmp_path / "tree.json"
    command = "solve", "4x4:3,2", "--time-limit", "60", "--tree", str(path)
    result = run(*command)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.endswith(f"tree        {path}\n")
    tree = load(path)
    assert tree.total_height == GreedySolver(Position("4x4:3,2")).total_height("first")
    assert verify(tree) == tree.total_height
    path.unlink()
    monkeypatch.setattr("optsearch.cli.solving.MOST_IN_TREE", 103)
    for arguments, why in {
        command: "104 configurations are too many; the limit is 103",
        ("solve", "12x12:2", *command[2:]): "boards of more than 128 cells are not searched",
        # Counted in time, if the machine is fast.
        ("solve", "official", "--time-limit", "0.01", *command[4:]): "(the|30,093,975,536) confi",
    }.items():
        result = run(*arguments)
        assert result.exit_code == 0
        assert re.search(f"no tree will be written: {why}", result.stderr)
        assert "mean shots" in result.stdout
        assert not path.exists()


def test_a_worst_case_is_proved_before_the_time_is_over(tmp_path):
    path = tmp_path / "tree.json"
    command = "solve", "4x4:3,2", "--time-limit", "60", "--tree", str(path), "--objective"
    printed = run(*command, "worst").stdout
    assert "worst case  11 shots, proved\n" in printed
    assert "least mean  not known; --objective worst+mean searches it\n" in printed
    tree = load(path)
    assert (tree.worst, tree.title) == (11, "optimal for worst")
    printed = run(*command, "worst+mean").stdout
    assert "worst case  11 shots\nmean shots  878/104 = 8.442308\nbest shots" in printed


# Bounds one after the other


def test_the_bracket_is_shown_as_it_narrows(monkeypatch):
    """In the progress, or line by line; the last one is that of the answer."""
    notes = []

    @contextmanager
    def show_progress(label, note):
        yield lambda status: notes.append(note(status))

    monkeypatch.setattr(shown, "show_progress", show_progress)
    command = "bounds", "4x4:3,2,contact=any"
    answer = json.loads(run(*command, "--json").stdout)
    assert notes[0].startswith("5.000000 to 14.166667, ")  # one shot for each cell, or at random
    *steps, again = map(json.loads, run(*command, "--narrowing", "--json").stdout.splitlines())
    assert again["bracket_exact"] == answer["bracket_exact"] == steps[-1]["bracket_exact"]
    brackets = [[Fraction(5), Fraction(85, 6)]]
    brackets += [[Fraction(end) for end in step["bracket_exact"]] for step in steps]
    for wide, narrow in pairwise(brackets):
        assert wide[0] <= narrow[0] <= narrow[1] <= wide[1]
        assert wide != narrow
    lines = run(*command, "--narrowing").stdout.splitlines()
    assert [line.split(": ")[-1] for line in lines[: len(steps)]] == [s["name"] for s in steps]
    assert lines[len(steps)].startswith("4x4:3,2,contact=any")
    refused = run(*command, "--narrowing", "--format", "csv").exception
    assert "--narrowing works with --format text or json, not with csv" in str(refused)


def stopped_after(steps, error):
    """A progress report that ends the work after so many steps."""
    left = count(steps, -1)

    def report(status):
        if next(left) <= 0:
            raise error

    return report


@pytest.mark.parametrize("error", [LimitReached(Limit()), KeyboardInterrupt()])
@pytest.mark.parametrize("game", ["4x4:3,2", "4x4:2,2,contact=any", "4x4:3,2,announce=ship"])
def test_bounds_that_came_before_the_end_hold(game, error, tmp_path):
    position = Position(Game.parse(game))
    optimum = solve(position).mean
    every = list(bracket.bounds_in_turn(position, results=tmp_path))
    reports = []
    list(bracket.bounds_in_turn(position, progress=reports.append, results=tmp_path))
    for steps in {0, 1, len(reports) // 2, len(reports) - 1} & set(range(len(reports))):
        bounds = []
        with pytest.raises(type(error)):
            bounds.extend(
                bracket.bounds_in_turn(
                    position, progress=stopped_after(steps, error), results=tmp_path
                )
            )
        for bound in bounds:
            below = bound.side == "lower"
            assert bound.value <= optimum if below else bound.value >= optimum
            assert bound in every or bound.name == "cells at random"
    by_rollouts = Posterior(position).configurations > 64
    assert [bound.side for bound in every].count("upper") == 1 + by_rollouts


@pytest.fixture
def clock(monkeypatch):
    """Time that goes by a second each time somebody looks."""
    monkeypatch.setattr(shown, "Limit", partial(Limit, clock=count().__next__))


def test_bounds_have_a_time_limit(clock):
    result = run("bounds", "5x5:3,2", "--time-limit", "8", "--json")
    fields = json.loads(result.stdout)
    whole = bracket.bounds("5x5:3,2")
    assert not fields["is_all"]
    assert {one["name"] for one in fields["bounds"]} < {bound.name for bound in whole.bounds}
    lower, upper = map(Fraction, fields["bracket_exact"])
    assert lower <= whole.lower <= whole.upper <= upper
    assert "with more time" in run("bounds", "5x5:3,2", "--time-limit", "8").stdout


# What is too large is left out


def bracket_of(text, **options):
    """The bounds of a game by name, without tables, and the names of those left out."""
    left_out = []
    position = Position(Game.parse(text))
    turn = bracket.bounds_in_turn(
        position, results=Path("nowhere"), leave_out=left_out.append, **options
    )
    return {bound.name: bound.value for bound in turn}, {one.name for one in left_out}


PLAYED = {"most probable cell", "rollouts"}


@pytest.mark.parametrize(
    ("game", "computed", "left_out"),
    [
        (
            "8x8:4,3,3,2,2,2,1,1,1,1,announce=sunk",
            {"leaf counting", "cells at random"},
            {"all ships but two revealed", *PLAYED},
        ),
        (
            "8x8:5,4,3,3,2,contact=any",
            {"leaf counting of ships apart", "cells at random"},
            {"leaf counting", "all ships but two revealed", *PLAYED},
        ),
        (
            "12x11:6,3,contact=any",
            {"leaf counting of ships apart", "cells at random"},
            {
                "leaf counting",
                "all ships but two revealed",
                "most probable cell",
                "levels of rollouts",
            },
        ),
    ],
)
def test_nothing_is_listed_that_is_too_large(monkeypatch, game, computed, left_out):
    def few(listing, *pieces):
        assert listing.combinations < 10**9, "these are to be counted, not listed"
        return enumerators(listing, *pieces)

    enumerators = Listing._enumerators
    monkeypatch.setattr(Listing, "_enumerators", few)
    bounds, left = bracket_of(game)
    assert (bounds.keys(), left) == (computed, left_out)


def test_leaves_of_ships_apart_are_fewer():
    """They stand in for all leaves where these would take too long to list."""
    game = "4x4:3,2,contact=any"
    every, left = bracket_of(game)
    assert not left
    short, left = bracket_of(game, seconds=0)
    assert left == {"leaf counting", "most probable cell", "levels of rollouts"}
    apart = short["leaf counting of ships apart"]
    assert 5 < apart < every["leaf counting"] <= solve(game).mean
    number, corner = (
        Posterior(f"4x4:3,2,contact={contact}").configurations for contact in ("any", "corner")
    )
    assert apart == 5 + Fraction(leaf_counting_misses({1: corner}, 5), number)


def test_strategies_that_end_in_seconds_are_evaluated():
    bounds, left = bracket_of("8x8:4,3,2,2")
    assert bounds["most probable cell"] == Fraction(25577419, 898792)
    assert left == {"all ships but two revealed", "rollouts"}
    bounds, left = bracket_of("6x6:3,2,2,announce=sunk")
    assert bounds["rollouts"] < bounds["most probable cell"]


def fleets():
    """Games of up to ten ships on boards to 12x12."""
    lengths = st.lists(st.integers(1, 6), min_size=1, max_size=10)
    rules = st.sampled_from(CONTACTS), st.sampled_from(EVERY_RULE)
    return st.builds(
        lambda rows, columns, fleet, contact, announce: (
            f"{rows}x{columns}:{','.join(map(str, fleet))},contact={contact},announce={announce}"
        ),
        st.integers(1, 12),
        st.integers(1, 12),
        lengths,
        *rules,
    )


@seed(3)
@draws(60, few=4)
@given(fleets())
def test_there_is_a_bracket_within_the_limit(game):
    started = time.process_time()  # unlike the time of a clock, other work does not add to it
    for command in ("bounds", "solve"):
        result = run(command, game, "--time-limit", "2", "--json")
        if isinstance(result.exception, (GameError, ImpossiblePosition)):
            continue  # a ship that does not fit
        has_bounds = command == "bounds" or Game.parse(game).label_of_kind is not None
        if isinstance(result.exception, TooLarge) and not has_bounds:
            continue  # labels tell where a ship lies
        assert result.exit_code == 0, (game, result.exception)
        fields = json.loads(result.stdout)
        low, high = fields.get("bracket") or (fields["lower"], fields["upper"])
        assert 0 < low <= high
    assert time.process_time() - started < 2 * (2 + 2) + 20


def test_ctrl_c_in_bounds_prints_those_that_came(monkeypatch):
    def bounds(position, prior, progress, **options):
        yield from bracket.known_bounds(position)
        raise KeyboardInterrupt

    monkeypatch.setattr("optsearch.cli.solving.bounds_in_turn", bounds)
    result = run("bounds", "6x6:3,2")
    assert type(result.exception).__name__ == "Interrupted"
    assert "bracket" in result.stdout


def test_greedy_has_a_time_limit(monkeypatch, tmp_path):
    monkeypatch.setattr(
        "optsearch.cli.greedy.Limit", lambda seconds: Limit(None if seconds > 9 else -1)
    )
    exact = GreedySolver(Position(Game.parse("5x5:3,2")))
    fields = json.loads(run("greedy", "5x5:3,2", "--time-limit", "1", "--json").stdout)
    assert fields["total_height"] is None
    assert (
        fields["upper"] == exact.total_height("first") == fields["rules"]["first"]["total_height"]
    )
    assert fields["lower"] <= exact.optimum() <= fields["upper"]
    assert fields["rules"].keys() == {"first"}
    tree = tmp_path / "tree.json"
    refused = run("greedy", "5x5:3,2", "--time-limit", "1", "--tree", str(tree)).exception
    assert "the best greedy tree was not known after --time-limit 1 seconds" in str(refused)
    assert not tree.exists()


def test_ctrl_c_in_greedy_prints_what_is_known(monkeypatch):
    def stop(solver):
        raise KeyboardInterrupt

    monkeypatch.setattr(GreedySolver, "optimum", stop)
    result = run("greedy", "4x4:3,2")
    assert type(result.exception).__name__ == "Interrupted"
    assert "greedy, first" in result.stdout


# How far it is


def test_a_time_to_go_does_not_rise():
    countdown, texts = Countdown(), []
    for seconds, done in ((1, 50), (3, 4), (10, 10), (20, 25), (60, 26), (70, 60), (80, 99)):
        texts.append(countdown.text(Status(done=done, total=100, seconds=seconds)))
    assert texts[:2] == ["", ""]  # too soon, too little
    assert texts[2:] == [
        "about 90 s to go",
        "about 60 s to go",
        "more than 60 s to go",
        "about 47 s to go",
        "about 1 s to go",
    ]
    again = Countdown()
    assert not again.text(Status(done=60, total=100, resumed=58, seconds=100))  # of an earlier run


@pytest.fixture
def lines(monkeypatch):
    """The lines on a pipe, which come at once and then all the time."""
    lines = SimpleQueue()
    monkeypatch.setattr(shown, "SECONDS_TO_FIRST_LINE", 0)
    monkeypatch.setattr(shown, "SECONDS_BETWEEN_LINES", 0.001)
    monkeypatch.setattr(shown, "print", lambda line, **_: lines.put(line), raising=False)
    return lines


def test_a_pipe_has_a_line_now_and_then(lines):
    since = r"working, for \d+ s so far"
    with shown.show_progress("working", lambda status: "note") as report:
        assert re.fullmatch(since, lines.get(timeout=MANY_SECONDS))
        report(Status(done=25, total=50))
        while re.fullmatch(since, line := lines.get(timeout=MANY_SECONDS)):
            pass
    assert re.fullmatch(f"{since}: 50.0%, note", line)


def test_what_is_quiet_has_none(lines):
    token = shown.QUIET.set(True)
    try:
        with shown.show_progress("working") as report:
            assert report is no_progress
    finally:
        shown.QUIET.reset(token)


@pytest.mark.parametrize(
    ("command", "typed", "label"),
    [
        ("count 3x4:3,2", "", "counting"),
        ("posterior 3x4:3,2", "", "counting"),
        ("sample 3x4:3,2", "", "drawing"),
        ("advise 3x4:3,2", "A1 m", "counting"),
        ("play 3x4:3,2", "hint", "hiding ships"),
    ],
)
def test_a_count_says_that_it_goes_on(monkeypatch, lines, command, typed, label):
    """Each count waits until a line says so."""
    labels = set()

    def said(name):
        count = getattr(SkylineSweep, name)

        def counted(*arguments, **options):
            # A line of the step before may come late.
            while not labels or (name == "unrank" and label not in labels):
                labels.add(lines.get(timeout=MANY_SECONDS).partition(",")[0])
            return count(*arguments, **options)

        return counted

    for name in ("count", "count_by_placement", "unrank"):
        monkeypatch.setattr(SkylineSweep, name, said(name))
    assert CliRunner().invoke(app, command.split(), input=typed).exit_code == 0
    assert label in labels


def test_every_command_can_be_quiet(monkeypatch):
    heard = []
    monkeypatch.setattr("optsearch.cli.solving.show_search_progress", lambda label: silent(heard))
    run("solve", "3x3:2")
    run("solve", "3x3:2", "--quiet")
    assert heard == [False, True]
    assert not shown.QUIET.get()


@contextmanager
def silent(heard):
    heard.append(shown.QUIET.get())
    yield lambda status: None


# What tables have


def test_what_tables_have_of_a_game():
    stored = stored_bracket(Position("6x6:3,2"))
    assert stored.text == "14.153986 = 7813/552, data/results/optima.csv"
    (row,) = [row for row in TABLES["optima"].read() if row["game"] == Game("6x6:3,2")]
    assert (stored.lower.value * 1656, stored.seconds) == (row["total_height"], row["seconds"])
    assert stored_bracket(Position("5x4:3,2")) == stored_bracket(Position("4x5:3,2"))
    worst = stored_bracket(Position("5x6:3,2"), Objective("worst"))
    assert worst.text == "17 to 19, data/results/worst_cases.csv"
    for nothing in (Position("6x6:3,2", "A1=hit"), Position("6x6:3,2,contact=any")):
        assert stored_bracket(nothing) is None
    assert stored_bracket(Position("6x6:3,2"), Objective("within", 9)) is None


@pytest.mark.parametrize("game", ["paper", "paper,announce=sunk"])  # with a table, and without
def test_stored_bounds_are_those_of_the_bracket(game):
    stored, position = stored_bracket(Position(game)), Position(game)
    bounds = bracket.known_bounds(position)
    assert (stored.lower.value, stored.upper.value) == bracket.bracket(bounds)
    assert {stored.lower, stored.upper} <= set(bounds)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["6x6:3,2"], "14.153986 = 7813/552, data/results/optima.csv; that search took 36 minutes"),
        (["official"], "38.280627 to 43.865267, data/results/told_10x10_54332_any.csv and data/"),
        (["5x6:3,2", "--objective", "worst"], "17 to 19, data/results/worst_cases.csv; that"),
    ],
)
def test_what_is_known_is_said_before_a_search(over_at, arguments, line):
    over_at(0)
    command = ("solve", *arguments, "--time-limit", "0.01")
    assert run(*command).stderr.startswith(f"known: {line}")
    assert run(*command, "--quiet").stderr == ""


def test_nothing_is_said_before_a_search_of_a_moment(over_at):
    over_at(0)
    assert run("solve", "4x4:3,2", "--time-limit", "1").stderr == ""


def test_a_search_that_is_cut_short_ends_with_what_tables_have(over_at):
    over_at(3)
    command = "solve", "6x6:3,2", "--time-limit", "1"
    fields = json.loads(run(*command, "--json").stdout)
    assert fields["total_height"] == fields["lower"] == fields["upper"] == 23439
    assert fields["lower_by"] == fields["upper_by"] == "optimum, data/results/optima.csv"
    assert fields["best_shots"] == []
    assert "known by    optimum, data/results/optima.csv" in run(*command).stdout
    official = json.loads(run("solve", "official", "--time-limit", "0.01", "--json").stdout)
    assert official["lower_by"].startswith("all ships but two revealed, data/results/told_")
    assert official["upper_by"].endswith("data/results/evaluations/official_spread.csv")


@pytest.mark.parametrize(
    ("value", "by"), [(5, (None, None)), (11, ("stored, data/results/x.csv", "this search"))]
)
def test_the_better_bound_is_taken_on_either_side(over_at, monkeypatch, value, by):
    over_at(10)
    source = "data/results/x.csv"
    low, high = Bound("stored", "lower", Fraction(value), source), Bound("", "upper", 25, source)
    stored = StoredBracket(low, high)
    monkeypatch.setattr("optsearch.cli.solving.stored_bracket", lambda *_: stored)
    fields = json.loads(run("solve", "5x5:3,2", "--time-limit", "1", "--json").stdout)
    assert (fields.get("lower_by"), fields.get("upper_by")) == by
    assert max(value, 5.5) * 524 <= fields["lower"] <= 5765 < fields["upper"] < 25 * 524
    assert (fields["lower"] == 11 * 524) == (value == 11)


def test_progress_of_a_search_is_its_bracket(monkeypatch):
    """In shots, in place of a share; it narrows, and the optimum is in it."""
    notes = []

    @contextmanager
    def show_progress(label, note):
        yield lambda status: notes.append((status.total, note(status)))

    monkeypatch.setattr(shown, "show_progress", show_progress)
    with shown.show_search_progress("5x5:3,2") as progress:
        optimum = solve("5x5:3,2", progress=progress).mean
    brackets = [re.match(r"([\d.]+) to ([\d.]+) shots, [\d,]+ nodes", note) for _, note in notes]
    pairs = [tuple(map(float, match.groups())) for match in brackets if match]
    assert len(pairs) > 3
    assert all(low <= optimum <= high for low, high in pairs)
    assert pairs == sorted(pairs, key=lambda pair: (pair[0], -pair[1]))
    assert all(total == 0 for total, note in notes if "shots" in note)
