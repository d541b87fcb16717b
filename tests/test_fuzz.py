"""Random games under all rules: what every command answers, beside the definition.

`tests.definition` places the ships, replies and tries all shots by itself. The two exceptions:
patterns are played by `Pattern.shot`, which is their definition, and `solve` is asked in Python
where switches of `SolverOptions` are off. Every position is asked what is quick and some of CHECKS.

The quick part draws the same games on every run. The long part draws new ones for FUZZ_SECONDS
(600) from FUZZ_SEED, or from a seed of its own; it prints the seed. A failure is shrunk by
hypothesis, and names the seed that draws it at once and the commands to paste.
"""

import asyncio
import json
import os
import random
import re
import secrets
import shlex
import signal
import tempfile
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations_with_replacement, permutations
from math import log2, prod
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, assume, example, given, seed, settings
from hypothesis import strategies as st

from optsearch.board.answers import Setting
from optsearch.board.games import Games
from optsearch.board.server import BY_TEXTS, RequestHandler
from optsearch.counting.configurations import Configurations
from optsearch.game import ANNOUNCEMENTS, CONTACTS, Game
from optsearch.game.position import Position
from optsearch.play.advice import advise
from optsearch.search.kernels import SWITCHES
from optsearch.search.solver import SolverOptions, solve
from optsearch.strategies import named
from optsearch.support.errors import OptsearchError
from tests.definition import LYING, USERS_RULES, Definition, Rules, State
from tests.examples import AT_SINKING, BOARDS, rule_name

SEED = 14
GRIDS = ((1, 4), (1, 5), (1, 6), (2, 2), (2, 3), (2, 4), (3, 3), (2, 5), (3, 4))


ALL_RULES = {**dict.fromkeys(ANNOUNCEMENTS), **USERS_RULES}


def rule_of_file(name):
    """Arguments of Rules for a rule of the users' file: announce, holes, board and tells."""
    (text,) = (text for text in USERS_RULES if text.endswith(f":{name}"))
    return text, (), "rectangle", USERS_RULES[text]


GAMES = [
    Rules(rows, columns, fleet, contact, announce, tells=tells)
    for rows, columns in GRIDS
    for ships in (1, 2, 3)
    for fleet in combinations_with_replacement(range(min(4, columns), 0, -1), ships)
    if sum(fleet) <= rows * columns
    for contact in (*CONTACTS, "any")
    for announce, tells in ALL_RULES.items()
]  # with a configuration or without; twice where most can go wrong
MOST = 24  # configurations
EFFORT = 130  # configurations times cells that may be hit: of what the definition takes long for
NEAR = 1e-9


@dataclass(frozen=True)
class Case:
    """A position, what it is asked beside the quick questions, and a number that chooses how."""

    rules: Rules
    shots: tuple = ()
    checks: tuple = ()
    number: int = 0

    @property
    def position(self):
        return " ".join(f"{self.rules.name(cell)}={reply}" for cell, reply in self.shots)


def is_a_game(rules):
    """True if the command takes the rules; a ship may be too long for a cylinder, for one."""
    try:
        return bool(Game.parse(str(rules)))
    except OptsearchError:
        return False


@st.composite
def cases(draw, most_checks):
    rules = draw(st.sampled_from(GAMES))
    if draw(st.integers(0, 2)) == 0:
        shape = draw(st.sampled_from(sorted(LYING)))
        rules = replace(rules, fleet=(shape, *rules.fleet[1:]))
        assume(not {*rules.fleet} & {2} or shape != "##-fixed")
    elif rules.announce == "name":
        fleet = [f"{ship}{draw(st.sampled_from(['', 'a', 'b']))}" for ship in rules.fleet]
        fleet.sort(key=lambda ship: (-int(ship[0]), ship))
        rules = replace(rules, fleet=tuple(int(one) if one.isdigit() else one for one in fleet))
    if draw(st.integers(0, 2)) == 0:
        rules = replace(rules, board=draw(st.sampled_from(sorted({*BOARDS} - {rules.board}))))
        assume(is_a_game(rules))
    if draw(st.booleans()):
        cells = st.integers(0, rules.cells - 1)
        holes = tuple(sorted(draw(st.sets(cells, min_size=1, max_size=rules.cells // 3))))
        rules = replace(rules, holes=holes)
    assume(rules.configurations)
    hidden = draw(st.sampled_from(sorted(rules.configurations)))
    shots, hits = [], 0
    number = draw(st.sampled_from((0, 0, 0, 0, 1, 1, 2, 3, 4)))
    cells = [cell for cell in range(rules.cells) if cell not in rules.holes]
    for cell in draw(st.permutations(cells))[:number]:
        reply = rules.reply(hidden, hits, cell)
        hits |= (reply != "miss") << cell
        shots.append((cell, reply))
    definition = Definition(rules, shots)
    configurations = len(definition.root.family)
    assume(configurations <= MOST)
    assume(configurations > 1 or draw(st.integers(0, 4)) == 4)
    assume(configurations * len(definition.counts(definition.root)) <= EFFORT)
    checks = [draw(st.sampled_from(CHECKS)) for _ in range(most_checks)]
    return Case(rules, tuple(shots), tuple(checks), draw(st.integers(0, 999)))


class RandomSession:
    """The commands on one case so far (lines), and the definition of its game."""

    def __init__(self, call_command, case):
        self.call_command = call_command
        self.case = case
        self.rules = case.rules
        self.game = str(case.rules)
        self.definition = Definition(case.rules, case.shots)
        self.root = self.definition.root
        self.configurations = len(self.root.family)
        self.rng = random.Random(case.number)
        self.lines = []
        on_rectangles = ("checkerboard", "central") * (case.rules.board == "rectangle")
        self.orders = ("first", "last", *on_rectangles)
        self.has_order = self.rules.announce in AT_SINKING

    def run(self, *arguments):
        """The JSON that a command prints."""
        arguments = [*map(str, arguments), "--json"]
        self.lines.append(shlex.join(["optsearch", *arguments]))
        status, out, err = self.call_command(*arguments)
        assert status == 0, err
        return json.loads(out)

    def ask(self, command, *more):
        """The options of the position."""
        return self.run(command, self.game, "--shots", self.case.position, *more)

    def names(self, cells):
        return self.rules.names(cells)

    def total(self):
        return self.definition.optimum(self.root)

    def best(self):
        return self.names(self.definition.best(self.root))


# Asked of every position


def most_probable(definition, state):
    """The most probable cells, certain hits among them."""
    counts = definition.counts(state)
    return [cell for cell, n in counts.items() if n == max(counts.values())]


def check_counts(session):
    n, definition = session.configurations, session.definition
    cells = range(session.rules.cells)
    occurrence = [
        sum(sum(ships) >> cell & 1 for ships in session.root.family) for cell in cells
    ]  # of all cells, hit or not
    assert session.ask("count")["configurations"] == n
    answer = session.ask("posterior")
    assert [m for row in answer["occurrence"] for m in row] == occurrence
    assert answer["configurations"] == n
    assert answer["greedy_shots"] == session.names(most_probable(definition, session.root))
    assert abs(answer["bits"] - log2(n)) < NEAR


def check_optimum(session):
    definition, root = session.definition, session.root
    answer = session.ask("solve")
    assert (answer["total_height"], answer["best_shots"]) == (session.total(), session.best())
    assert answer["configurations"] == session.configurations
    likely, firsts = most_probable(definition, root), definition.firsts(root)
    assert answer["greedy_shots"] == session.names(likely)
    least = min((firsts[cell] for cell in likely), default=session.total())
    assert answer["greedy_shots_total_height"] == least


def check_greedy(session):
    definition, root = session.definition, session.root
    answer = session.ask("greedy")
    assert (answer["total_height"], answer["best_shots"]) == (session.total(), session.best())
    assert answer["greedy_shots"] == session.names(most_probable(definition, root))
    best = definition.greedy(root, min)
    assert answer["best_greedy_total_height"] == best
    assert answer["worst_greedy_total_height"] == definition.greedy(root, max)
    assert bool(answer["partings"]) == (best > session.total())
    for parting in answer["partings"]:
        check_parting(session, parting)
    for name, rule in answer["rules"].items():
        depths = {int(shots): n for shots, n in rule["histogram"].items()}
        if name not in ("best", "worst"):
            assert depths == definition.played(definition.greedy_rule(name)), name
        assert total_of(depths) == rule["total_height"], name


def check_parting(session, parting):
    """The values of a position where best greedy leaves the optimum."""
    definition, state = session.definition, session.root
    for text in parting["shots"].split():
        cell, reply = text.split("=")
        state = definition.parts(state, session.rules.cell(cell))[reply]
    best = definition.greedy(state, min)
    tied = [
        cell
        for cell in definition.tied(state)
        if definition.after(state, cell, definition.greedy, min) == best
    ]
    assert parting["best_greedy_shots"] == session.names(tied)
    assert parting["best_shots"] == session.names(definition.best(state))
    assert not set(tied) & definition.best(state)
    assert parting["best_greedy_total_height"] == best
    assert parting["total_height"] == definition.optimum(state)
    assert parting["configurations"] == len(state.family)


def total_of(depths):
    return sum(shots * n for shots, n in depths.items())


# Asked of some


def check_other_counts(session):
    """Counted one by one, and from a drawn board."""
    if not session.definition.is_silent and session.root.hits:
        return  # refused
    listed = Configurations(Position.parse(session.game, session.case.position))
    assert listed.configurations == session.configurations
    assert listed.occurrence.tolist() == session.ask("posterior")["occurrence"]
    if session.definition.is_silent:
        signs = dict.fromkeys(session.rules.holes, "-")
        signs |= {cell: "o" if reply == "miss" else "X" for cell, reply in session.case.shots}
        rows, columns = session.rules.rows, session.rules.columns
        with open("board.txt", "w", encoding="utf-8") as file:
            for row in range(rows):
                print(*(signs.get(row * columns + i, ".") for i in range(columns)), file=file)
        answer = session.run("count", session.game, "--board", "board.txt")
        assert answer["configurations"] == session.configurations


def check_samples(session):
    answer = session.ask("sample", "-n", 30, "--seed", session.rng.randrange(1000))
    assert len(answer["sample"]) == 30
    assert {*masks_of(session, answer)} <= session.root.family
    everything = masks_of(session, session.ask("sample", "--all"))
    assert len(everything) == len(session.root.family)
    assert {*everything} == session.root.family


def check_questions(session):
    """The number of cells of ships in a row, what its answers and replies tell, and it known."""
    columns, family = session.rules.columns, session.root.family
    row = session.rng.randrange(session.rules.rows)
    region = ((1 << columns) - 1) << row * columns
    numbers = Counter((sum(ships) & region).bit_count() for ships in family)
    meets = Counter("yes" if sum(ships) & region else "no" for ships in family)
    texts = f"row {row + 1}", f"any in row {row + 1}"
    answer = session.ask("ask", "--question", texts[0], "--question", texts[1])
    for one in answer["questions"]:
        answers = numbers if one["question"] == texts[0] else meets
        assert one["answers"] == {str(a): n / len(family) for a, n in answers.items()}
        assert abs(one["bits"] - entropy(answers.values())) < NEAR
    shot = {cell for cell, _ in session.case.shots}
    parts = (
        session.definition.parts(session.root, cell)
        for cell in {*range(session.rules.cells)} - shot
    )
    told = [entropy([len(part.family) for part in by_reply.values()]) for by_reply in parts]
    assert abs((answer["best_shot_bits"] or 0) - max(told, default=0)) < NEAR
    number = session.rng.choice(sorted(numbers))
    known = session.ask("posterior", "--know", f"{texts[0]}: {number}")
    assert known["configurations"] == numbers[number]


def entropy(weights):
    """The entropy in bits of a distribution that is proportional to weights."""
    weights = list(weights)
    return sum(n / sum(weights) * log2(sum(weights) / n) for n in weights)


def masks_of(session, answer):
    """The configurations of an answer of `sample`, as the definition has them."""
    listed = [[ship_of(session.rules, text) for text in ships] for ships in answer["sample"]]
    return [tuple(ships if session.rules.has_letters else sorted(ships)) for ships in listed]


def ship_of(rules, text):
    """The mask of a ship such as A1-A3 or B2, or A1+A2+B2."""
    if "+" in text:
        return sum(1 << rules.cell(name) for name in text.split("+"))
    first, last = (rules.cell(name) for name in (text.split("-") * 2)[:2])
    down, right = last // rules.columns - first // rules.columns, (last - first) % rules.columns
    step = 1 if not down else rules.columns - (right > 0)  # the third axis of hexagons
    return sum(1 << cell for cell in range(first, last + 1, step))


def check_prior(session):
    """A prior of each kind, in a table: what is asked by it, beside the definition by weights.

    What has no weight does not exist.
    """
    if session.rules.has_letters:
        return  # refused
    weights = write_prior(session, "prior.csv", session.rng.choice((ORDINARY, ORDINARY, FEW)))
    weighted = weighted_definition(session, weights)
    game = (session.game, "--shots", session.case.position, "--prior", "prior.csv")
    if not weighted.root.family:
        for command in ("posterior", "sample", "solve", "advise"):
            status, out, err = session.call_command(command, *game)
            assert (status, out, err.count("\n")) == (2, "", 1), command
        return
    check_posterior_by_prior(session, weighted, game)
    check_samples_by_prior(session, weighted, game)
    mean = Fraction(weighted.optimum(weighted.root)) / weighted.weight(weighted.root.family)
    for method in ("solver", "reference") if weighted.is_silent else ("reference",):
        answer = session.run("solve", *game, "--method", method)
        assert Fraction(answer["mean_exact"]) == mean
        assert answer["best_shots"] == session.names(weighted.best(weighted.root))
    if not session.case.shots:
        ties = session.rng.choice(session.orders)
        answer = session.run(
            *("evaluate", f"greedy:ties={ties}", session.game, "--prior", "prior.csv", "--jobs", 1)
        )
        player = session.definition.player(ties, 4)
        played = Definition(session.rules).played(player, weighted.weight)
        assert Fraction(answer["mean_exact"]) == Fraction(total_of(played)) / sum(played.values())
    if weighted.is_silent:
        check_files_by_prior(session, weighted, game, mean)


def weighted_definition(session, weights):
    """The definition with these weights of configurations, at the position of the case."""
    weighted = Definition(session.rules, (), weights)
    for cell, reply in session.case.shots:
        weighted.root = weighted.parts(weighted.root, cell).get(reply, State(frozenset()))
    return weighted


def check_posterior_by_prior(session, weighted, game):
    """The posterior and the advice. game -- the arguments that name the position and the prior."""
    root = weighted.root
    weight = weighted.weight(root.family)
    existing = [ships for ships in root.family if weighted.weight([ships])]
    shares = [Fraction(weighted.weight([ships])) / weight for ships in existing]
    answer = session.run("posterior", *game)
    assert answer["configurations"] == len(existing)
    assert [n for row in answer["occurrence"] for n in row] == [
        sum(sum(ships) >> cell & 1 for ships in existing) for cell in range(session.rules.cells)
    ]
    assert abs(answer["bits"] - sum(-share * _log2(share) for share in shares)) < NEAR
    advice = session.run("advise", *game, "--endgame", len(existing))
    assert advice["configurations"] == len(existing)
    if session.rules.announce != "place":  # else advice takes the whole ship as hit
        assert advice["greedy_shots"] == answer["greedy_shots"]
    if weighted.is_silent and any(sum(ships) & ~root.hits for ships in existing):
        assert advice["best_shots"] == session.names(weighted.best(root))
        assert session.run("advise", *game, "--endgame", len(existing) - 1)["best_shots"] is None
    probabilities = [p for row in answer["probability"] for p in row]
    for cell, n in weighted.counts(root).items():
        assert abs(probabilities[cell] - n / weight) < NEAR
    assert answer["greedy_shots"] == session.names(most_probable(weighted, root))


def check_samples_by_prior(session, weighted, game):
    """Samples, each of which has weight, and the list of all."""
    answer = session.run("sample", *game, "-n", 20, "--seed", session.rng.randrange(1000))
    for ships in answer["sample"]:
        drawn = tuple(sorted(ship_of(session.rules, text) for text in ships))
        assert weighted.weight([drawn])
    existing = [ships for ships in weighted.root.family if weighted.weight([ships])]
    assert sorted(masks_of(session, session.run("sample", *game, "--all"))) == sorted(existing)


def check_files_by_prior(session, weighted, game, mean):
    """A tree, a proof, greedy, the bounds and the page. mean -- of an optimal strategy."""
    session.run("solve", *game, "--tree", "by.json", "--prove", "by.jsonl")
    for file in ("by.json", "by.jsonl"):
        answer = session.run("check", file, "--prior", "prior.csv")
        assert Fraction(answer["mean_exact"]) == mean
    answer = session.run("greedy", *game)
    greedy_mean = Fraction(answer["best_greedy_total_height"], answer["configurations"])
    weight = weighted.weight(weighted.root.family)
    assert greedy_mean == Fraction(weighted.greedy(weighted.root, min)) / weight
    for bound in session.run("bounds", *game)["bounds"]:
        sign = 1 if bound["side"] == "lower" else -1
        assert sign * bound["value"] <= sign * float(mean) + NEAR, bound
    if session.rules.tells is not None:
        return  # explore refuses it
    trees = session.run("explore", "-o", "p.html", *game)["trees"]
    totals = {tree["name"]: tree["total_height"] for tree in trees}
    assert Fraction(totals["optimal"], answer["configurations"]) == mean


ORDINARY = ("0", "1", "1", "2", "7", "1/3", "0.25")
FEW = ("0", "0", "0", "0", "1", "3")
FAR_APART = ("0", "2", "3" + 16 * "0", "3/5" + 16 * "0", "1/9" + 16 * "0", 17 * "9")


def check_prior_far_apart(session):
    """Weights of which products underflow: probabilities, bits and samples hold all the same."""
    if session.rules.has_letters:
        return  # refused
    weights = write_prior(session, "far.csv", FAR_APART)
    root = weighted_definition(session, weights).root
    family = {ships: weights[ships] for ships in root.family}
    total, prior = sum(family.values()), ("--prior", "far.csv")
    if not total:
        return  # refused
    answer = session.ask("posterior", *prior)
    for cell, p in enumerate(p for row in answer["probability"] for p in row):
        exact = sum(weight for ships, weight in family.items() if sum(ships) >> cell & 1) / total
        assert abs(p - exact) <= 1e-12 * max(exact, Fraction(1, 2**100)), session.names([cell])
    shares = [weight / total for weight in family.values() if weight]
    assert abs(answer["bits"] - sum(-p * _log2(p) for p in shares)) < NEAR
    assert 0 <= answer["bits"] <= log2(session.configurations)
    answer = session.ask("sample", *prior, "-n", 20, "--seed", session.rng.randrange(1000))
    for ships in answer["sample"]:
        drawn = tuple(sorted(ship_of(session.rules, text) for text in ships))
        assert family[drawn] * 2**80 > total


def _log2(fraction):
    return log2(fraction.numerator) - log2(fraction.denominator)


def check_odd_files(session):
    """A device, a pipe, a loop of links or a file without end where a file is read: refused."""
    rng = session.rng
    folder = Path(tempfile.mkdtemp(dir="."))
    name = folder / rng.choice(("odd.csv", "odd.txt"))
    kind = rng.choice(
        ("/dev/zero", "/dev/random", "/dev/full", "/dev/null", "pipe", "loop", "long")
    )
    if kind == "pipe":
        os.mkfifo(name)
    elif kind == "long":
        name.touch()
        os.truncate(name, 1 << 40)
    else:
        name.symlink_to(name.name if kind == "loop" else kind)
    game = (session.game, "--shots", session.case.position)
    arguments = rng.choice(
        (
            ("posterior", *game, "--prior", folder / "odd.csv"),
            ("evaluate", "greedy", session.game, "--jobs", 1, "--prior", folder / "odd.csv"),
            ("simulate", "greedy", session.game, "--games", 2, "--boards", folder / "odd.csv"),
            ("solve", session.game, "--board", name),
            ("count", f"{name}:2"),
            *[("explore", *game, "-o", "page.html", "--with-tree", name)]
            * (session.rules.tells is None),  # refused for a rule of a file
            ("bounds", name),
            ("solitaire", "count", name),
            *((command, name) for command in ("tree", "check")),
        )
    )
    session.lines.append(f"{kind}: {shlex.join(['optsearch', *map(str, arguments)])}")
    status, out, err = session.call_command(*arguments)
    assert (status, out, err.count("\n")) == (2, "", 1), err
    assert "odd." in err


def write_prior(session, path, values=ORDINARY):
    """Write a table of some kind; return the weight of each configuration that follows from it.

    values -- the texts of weights that are drawn.
    """
    rules, rng = session.rules, session.rng
    configurations = sorted(rules.configurations)
    all_ships = sorted({ship for ships in configurations for ship in ships})

    def text(ship):
        cells = [cell for cell in range(rules.cells) if ship >> cell & 1]
        if rules.kinds[ship] in LYING or (rules.board != "rectangle" and len(cells) > 1):
            return "+".join(rules.names(cells))
        return "-".join(dict.fromkeys((rules.name(cells[0]), rules.name(cells[-1]))))

    def add_line(name):
        weight = rng.choice(values)
        lines.append(f"{name},{weight}")
        return Fraction(weight)

    kind = rng.choice(("ship", "product", "mean", "ships", "past"))
    lines, weight_of_ship = [], dict.fromkeys(all_ships, Fraction(1))
    if kind == "ship":
        lines = ["ship,weight"]
        for ship in rng.sample(all_ships, rng.randint(1, len(all_ships))):
            weight_of_ship[ship] = add_line(text(ship))
    elif kind in ("product", "mean"):
        lines, weight_of_cell = [f"# cells: {kind}", "cell,weight"], {}
        for cell in set(range(rules.cells)) - set(rules.holes):
            weight_of_cell[cell] = add_line(rules.name(cell))
        for ship in all_ships:
            factors = [weight for cell, weight in weight_of_cell.items() if ship >> cell & 1]
            total = prod(factors) if kind == "product" else sum(factors) / len(factors)
            weight_of_ship[ship] = total
    elif kind == "past":
        lines = ["# smoothing: 1/2", "ships"]
        weight_of_ship = dict.fromkeys(all_ships, Fraction(1, 2))
        for ships in rng.choices(configurations, k=5):
            lines.append(" ".join(map(text, ships)))
            for ship in ships:
                weight_of_ship[ship] += 1
    weights = {ships: prod(weight_of_ship[ship] for ship in ships) for ships in configurations}
    if kind == "ships":
        lines = ["ships,weight"]
        weights = dict.fromkeys(configurations, Fraction(0))
        for ships in rng.sample(configurations, rng.randint(1, len(configurations))):
            weights[ships] = add_line(" ".join(map(text, ships)))
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    session.lines.append(f"printf '%s\\n' {shlex.join(lines)} > {path}")
    return weights


def check_worst(session):
    definition, shots = session.definition, session.definition.worst()
    firsts = definition.lasting_firsts(session.root, shots)
    best = [cell for cell, total in firsts.items() if total == min(firsts.values())]
    for method in ("solver", "reference"):
        answer = session.ask("solve", "--objective", "worst", "--method", method)
        assert answer["worst"] == shots
        assert answer["total_height"] == definition.lasting(session.root, shots)
        assert answer["best_shots"] == session.names(best)


def check_within(session):
    definition, shots = session.definition, session.rng.randint(0, session.rules.cells)
    firsts = definition.finished_firsts(session.root, shots)
    best = [cell for cell, n in firsts.items() if n == max(firsts.values())]
    for method in ("solver", "reference"):
        answer = session.ask("solve", "--objective", f"within={shots}", "--method", method)
        assert answer["finished"] == definition.finished(session.root, shots)
        assert answer["best_shots"] == session.names(best)


def check_methods(session):
    silent = session.definition.is_silent
    for method in ("reference", "paper") if silent else ("reference",):
        answer = session.ask("solve", "--method", method)
        assert (answer["total_height"], answer["best_shots"]) == (session.total(), session.best())


def check_time_limit(session):
    """A bracket comes, whatever is asked and however short the time; it holds the value."""
    definition, number = session.definition, session.configurations
    shots = session.rng.randint(0, session.rules.cells)
    limit = "--time-limit", session.rng.choice((0.01, 0.03, 0.1))
    for objective, name, value in (
        ("mean", "total_height", session.total()),
        ("worst", "worst", definition.worst()),
        (f"within={shots}", "finished", definition.finished(session.root, shots)),
    ):
        answer = session.ask("solve", "--objective", objective, *limit)
        if answer.get(name) is not None:
            assert answer[name] == value
        elif answer.get("lower") is not None:
            assert answer["lower"] <= value <= answer["upper"]
        else:  # there was no time to count the configurations
            lower, upper = answer["bracket"]
            assert lower <= value / number + NEAR
            assert value / number - NEAR <= upper
    if definition.is_silent or not session.case.shots:
        lower, upper = session.ask("bounds", *limit)["bracket"]
        assert lower <= session.total() / number + NEAR
        assert session.total() / number - NEAR <= upper
    if definition.is_silent:
        answer = session.ask("greedy", *limit)
        lower, upper = answer.get("lower"), answer.get("upper")
        assert answer["total_height"] == session.total() or lower <= session.total() <= upper


def check_switches(session):
    off = [name for name in SWITCHES if session.rng.random() < session.case.number % 3 / 2]
    options = SolverOptions(**dict.fromkeys(off, False), memory=1 << 24)
    text = session.case.position
    session.lines.append(
        f"solve(Position.parse(Game.parse({session.game!r}), {text!r}), options={options})"
    )
    position = Position.parse(Game.parse(session.game), text)
    found = solve(position, options=options)
    assert found.total_height == session.total()
    assert [*map(position.game.cell, sorted(session.definition.best(session.root)))] == [
        *found.best_shots
    ]


def check_bounds(session):
    if not session.definition.is_silent and session.case.shots:
        return  # refused
    mean = session.total() / session.configurations
    answer = session.ask("bounds")
    assert answer["is_all"]
    lower, upper = answer["bracket"]
    assert {bound["side"] for bound in answer["bounds"]} == {"lower", "upper"}
    for bound in answer["bounds"]:
        sign = 1 if bound["side"] == "lower" else -1
        assert sign * bound["value"] <= sign * mean + NEAR, bound
    assert lower <= mean + NEAR
    assert upper >= mean - NEAR


def check_proof(session):
    if session.has_order:
        return  # refused
    session.ask("solve", "--prove", "proof.jsonl")
    answer = session.run("check", "proof.jsonl")
    assert answer["total_height"] == session.total()
    assert answer["configurations"] == session.configurations


def check_equilibrium(session):
    """Both mixes from the certificate: the hider's by best answer, the shooter's by replay."""
    rules, paid, objective = session.rules, (lambda depth: depth), "mean"
    everything = sorted(rules.configurations)
    if len(everything) > MOST or len(everything) * rules.cells > EFFORT:
        return
    if rules.board != "rectangle" or rules.has_letters:
        return  # which may have more symmetries than are tried here
    if last := session.rng.choice((0, session.rng.randint(1, rules.cells))):
        paid, objective = (lambda depth: int(depth > last)), f"within={last}"
    session.run("equilibrium", rules, "--objective", objective, "--certificate", "both.json")
    assert session.run("check", "both.json")["value"] is not None
    with open("both.json", encoding="utf-8") as file:
        both = json.load(file)
    value = Fraction(both["hider_guarantees"])
    assert both["shooter_guarantees"] == both["hider_guarantees"]
    least = value if not last else 1 - value

    def hidden(ships):
        return (sum(ships),) if rules.is_silent else ships

    weights = dict.fromkeys(everything, 0)
    for entry in both["hider"]:
        ships = [sum(1 << rules.cell(name) for name in ship) for ship in entry["hidden"]]
        for permutation in symmetries(rules):
            turned = tuple(sorted(image(ship, permutation) for ship in ships))
            one = next(one for one in everything if hidden(one) == turned)
            weights[one] = int(entry["weight"])
    definition = Definition(rules, weights=weights)
    total = sum(weights.values())
    best = total - definition.finished(definition.root, last) if last else None
    assert Fraction(definition.optimum(definition.root) if best is None else best, total) == least
    pays = dict.fromkeys(everything, Fraction(0))
    for entry in both["shooter"]:
        depths = ends_of(Definition(rules), Definition(rules).root, entry["tree"])
        for one in everything:
            images = {
                tuple(sorted(image(ship, permutation) for ship in one))
                for permutation in symmetries(rules)
            }
            mean = Fraction(sum(paid(depths[other]) for other in images), len(images))
            pays[one] += Fraction(entry["probability"]) * mean
    assert max(pays.values()) == least
    assert least >= Fraction(_uniform(Definition(rules), last), len(everything))


def _uniform(definition, last):
    """The least cost of all configurations together: total height, or games longer than `last`."""
    if last:
        return len(definition.root.family) - definition.finished(definition.root, last)
    return definition.optimum(definition.root)


def ends_of(definition, state, node, depth=0):
    """Map each configuration to the number of shots after which a tree ends on it."""
    if "shot" not in node:
        assert not definition.counts(state)
        assert node["configurations"] == len(state.family)
        return dict.fromkeys(state.family, depth)
    parts = definition.parts(state, definition.rules.cell(node["shot"]))
    assert node.keys() == {"shot", *parts}
    found = {}
    for reply, part in parts.items():
        found |= ends_of(definition, part, node[reply], depth + 1)
    return found


def check_optimal_trees(session):
    definition = session.definition
    session.ask("solve", "--tree", "tree.json")
    assert total_of(depths_of(session, "tree.json")) == session.total()
    worst = definition.worst()
    session.ask("solve", "--objective", "worst", "--tree", "worst.json")
    depths = depths_of(session, "worst.json")
    assert max(depths) == worst
    assert total_of(depths) == definition.lasting(session.root, worst)
    shots = session.rng.randint(0, session.rules.cells)
    session.ask("solve", "--objective", f"within={shots}", "--tree", "within.json")
    depths = depths_of(session, "within.json")
    finished = sum(n for depth, n in depths.items() if depth <= shots)
    assert finished == definition.finished(session.root, shots)


def check_greedy_trees(session):
    answer = session.ask("greedy", "--tree", "greedy.json")
    total = total_of(depths_of(session, "greedy.json"))
    assert total == answer["rules"]["best"]["total_height"]
    assert total == session.definition.greedy(session.root, min)


def depths_of(session, path):
    """The leaves of a tree file by depth: replayed here, and as `check` says."""
    with open(path, encoding="utf-8") as file:
        depths = replayed(session, session.root, json.load(file)["root"])
    answer = session.run("tree", path)
    assert {int(depth): n for depth, n in answer["histogram"].items()} == depths
    assert answer["total_height"] == session.run("check", path)["total_height"] == total_of(depths)
    assert answer["worst"] == max(depths)
    return depths


def replayed(session, state, node, depth=0):
    if "configurations" in node:
        assert not session.definition.counts(state)
        assert node["configurations"] == len(state.family)
        return Counter({depth: len(state.family)})
    parts = session.definition.parts(state, session.rules.cell(node["shot"]))
    assert node.keys() == {"shot", *parts}
    return sum((replayed(session, parts[r], node[r], depth + 1) for r in parts), Counter())


def check_page(session):
    """Every number of the page of `explore`."""
    definition = session.definition
    answer = session.ask("explore", "-o", "page.html")
    totals = {tree["name"]: tree["total_height"] for tree in answer["trees"]}
    best = definition.greedy(session.root, min)
    assert totals == {"optimal": session.total(), "greedy": best}
    with open("page.html", encoding="utf-8") as file:
        (text,) = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', file.read())
    page = json.loads(text)
    hidden = Counter(
        (sum(ships) & ~session.root.hits,) if definition.is_silent else tuple(sorted(ships))
        for ships in session.root.family
    )
    listed = Counter()
    for weight, *ships in page["configurations"]:
        listed[tuple(sorted(int(ship, 16) for ship in ships))] += weight
    assert listed == hidden
    assert [(c, page["replies"][r]) for c, r in page["shots"]] == list(session.case.shots)
    for tree in page["trees"]:
        cost = walked(definition, page["replies"], session.root, tree["root"])
        assert cost == totals[tree["name"]]


def walked(definition, replies, state, node):
    """The total height of a subtree of a page; each of its nodes is checked."""
    if isinstance(node, int):
        assert node == len(state.family)
        assert not definition.counts(state)
        return 0
    cell, cost, optimum, *children = node
    parts = definition.parts(state, cell)
    total = len(state.family)
    for reply, child in zip(replies, children, strict=True):
        if reply in parts:
            total += walked(definition, replies, parts[reply], child)
        else:
            assert child == 0
    assert (cost, optimum) == (total, definition.optimum(state))
    return total


def check_table(session):
    """A table on disk, made and read; with processes now and then."""
    folder = f"table{len(os.listdir())}"
    jobs = ("--jobs", 2) if session.case.number % 12 == 0 else ()
    for _ in range(2):
        answer = session.ask("solve", "--table", folder, *jobs)
        assert (answer["total_height"], answer["best_shots"]) == (session.total(), session.best())


def check_values(session):
    """A table of one game, whose values are those of the empty board."""
    if session.case.shots:
        return
    columns = "configurations,total_height,lower,optimum,greedy,upper"
    answer = session.run("table", session.game, "--columns", columns, "--jobs", 1)
    values = [value["value_exact"] for value in answer["values"]]
    assert [*map(int, values[:2])] == [session.configurations, session.total()]
    means = [*map(Fraction, values[2:])]
    assert means[0] <= means[1] <= means[3] <= means[2]
    assert means[1] == Fraction(session.total(), session.configurations)


def check_counterexamples(session):
    """All positions of a few grids: how many there are, and that best greedy is optimal in them.

    The counts of cells for which this takes a second are below those of the first counterexample;
    `tests/test_counterexamples.py` compares larger games.
    """
    cells, fleet = session.rng.randint(3, 6), session.rules.fleet
    if session.rules.has_letters:
        return  # refused: only games where hits tell nothing are searched
    if session.rules.holes or LYING.keys() & {*fleet}:
        if session.rules.cells <= 6 and session.definition.is_silent:
            answer = session.run("counterexamples", "--game", session.game)
            assert answer["counterexamples"] == []
            fewest, most = (
                len(positions_of(session.rules, symmetric))
                for symmetric in symmetry_limits(session.rules)
            )
            assert fewest <= answer["positions"] <= most
        return
    grids = [(a, b) for a in range(1, cells + 1) for b in range(a, cells // a + 1)]
    games = [Rules(*grid, fleet, session.rules.contact) for grid in grids]
    found = [positions_of(rules, symmetries(rules)) for rules in games if rules.configurations]
    if not found:
        return
    answer = session.run(
        *("counterexamples", "--max-cells", cells, "--fleet", ",".join(map(str, fleet))),
        *("--contact", session.rules.contact),
    )
    assert (answer["games"], answer["positions"]) == (len(found), sum(map(len, found)))
    assert (answer["counterexamples"], answer["undecided"]) == ([], [])
    assert not any(worse for positions in found for worse in positions.values())


def symmetry_limits(rules):
    """The most and the fewest symmetries that the command may use: the same ones on a rectangle.

    On other boards these are all permutations that keep the ships, and the identity alone: with
    more than eight symmetries the command uses none.
    """
    if rules.board == "rectangle":
        return [list(symmetries(rules))] * 2
    every = permutations(range(rules.cells))
    return [p for p in every if is_kept(rules, p)], [range(rules.cells)]


def positions_of(rules, turned):
    """Map each inequivalent position of a silent game to whether best greedy is not optimal there.

    turned -- symmetries. Positions are equivalent if one of these takes the cells in doubt of all
    configurations of the one to those of the other; the key is the least image.
    """
    definition, found, seen, turned = Definition(rules), {}, set(), list(turned)
    waiting = [definition.root]
    while waiting:
        state = waiting.pop()
        if state in seen:
            continue
        seen.add(state)
        every = -1
        for ships in state.family:
            every &= sum(ships)
        doubt = [sum(ships) & ~every for ships in state.family]
        key = min(sorted(image(cells, p) for cells in doubt) for p in turned)
        worse = definition.greedy(state, min) > definition.optimum(state)
        assert found.setdefault(tuple(key), worse) == worse
        for cell in definition.counts(state):
            waiting += definition.parts(state, cell).values()
    return found


def symmetries(rules):
    """The symmetries of a board, each as the list of where the cells go."""
    grid = [(row, column) for row in range(rules.rows) for column in range(rules.columns)]
    for turned in (False, True) if rules.rows == rules.columns else (False,):
        for down in (False, True):
            for right in (False, True):
                moved = [
                    (rules.rows - 1 - r if down else r, rules.columns - 1 - c if right else c)
                    for r, c in grid
                ]
                permutation = [grid.index(cell[::-1] if turned else cell) for cell in moved]
                if is_kept(rules, permutation):
                    yield permutation


def is_kept(rules, permutation):
    """True if a permutation of the cells keeps the game.

    That is, ships become ships of their kind, holes become holes, and labels of a function stay.
    """
    kept = {image(ship, permutation): kind for ship, kind in rules.kinds.items()}
    if kept != rules.kinds or {permutation[h] for h in rules.holes} != {*rules.holes}:
        return False
    hits = [(ship, cell) for ship in rules.kinds for cell in range(rules.cells) if ship >> cell & 1]
    return rules.tells is None or all(
        rules.label(ship, cell) == rules.label(image(ship, permutation), permutation[cell])
        for ship, cell in hits
    )


def image(cells, permutation):
    return sum(1 << to for cell, to in enumerate(permutation) if cells >> cell & 1)


# Strategies, from the empty board


def evaluated(session, strategy):
    within = session.rng.randint(0, session.definition.rules.cells + 1)
    answer = session.run("evaluate", strategy, session.game, "--jobs", 1, "--within", within)
    histogram = {int(shots): n for shots, n in answer["histogram"].items()}
    assert answer["finished"] == sum(n for shots, n in histogram.items() if shots <= within)
    assert answer["total_height"] == total_of(histogram)
    assert Fraction(answer["mean_exact"]) == Fraction(
        answer["total_height"], answer["configurations"]
    )
    assert answer["worst"] == max(histogram)
    return histogram


def check_players(session):
    """Greedy and the rollout policy, within their endgames and past them; one with a limit."""
    if session.case.shots:
        return  # they begin with the empty board
    empty, rng = session.definition, session.rng
    for endgame in (rng.randint(0, 5), rng.randint(6, 10)):
        ties = rng.choice(session.orders)
        answer = evaluated(session, f"greedy:ties={ties},endgame={endgame}")
        assert answer == empty.played(empty.player(ties, endgame))
    candidates, percent, endgame = rng.randint(1, 6), rng.choice((0, 50, 80)), rng.randint(4, 8)
    strategy = f"rollout:candidates={candidates},percent={percent},endgame={endgame}"
    assert evaluated(session, strategy) == empty.played(empty.rollout(candidates, percent, endgame))
    shots = rng.randint(1, empty.rules.cells)
    strategy = f"within:shots={shots},candidates={candidates},percent={percent}"
    assert evaluated(session, strategy) == empty.within(shots, candidates, percent)


def check_first_hit(session):
    """The game that the first hit ends, from the misses on; greedy past its endgame and in it."""
    misses = tuple(shot for shot in session.case.shots if shot[1] == "miss")
    case = Case(replace(session.rules, ends="hit"), misses, (), session.case.number)
    game = RandomSession(session.call_command, case)
    game.lines = session.lines
    counts = game.definition.counts(game.root)
    if game.configurations > MOST or game.configurations * len(counts) > EFFORT:
        return
    for one in (check_counts, check_optimum, check_worst, check_within, check_bounds):
        one(game)
    for one in (check_values, check_optimal_trees):
        one(game)
    if not misses:
        ties, endgame = game.rng.choice(game.orders), game.rng.randint(0, 10)
        answer = evaluated(game, f"greedy:ties={ties},endgame={endgame}")
        assert answer == game.definition.played(game.definition.player(ties, endgame))


def check_comparison(session):
    """The only position is the empty board: two strategies of greedy, exactly."""
    if session.case.shots:
        return
    empty, ties = session.definition, session.rng.choice(session.orders)
    pair = f"greedy:ties={ties}", "greedy:endgame=0"
    answer = session.run("compare", *pair, session.game, "--positions", 2, "--jobs", 1)
    played = [empty.played(empty.player(ties, 4)), empty.played(empty.player("first", 0))]
    means = [total_of(histogram) / sum(histogram.values()) for histogram in played]
    assert (answer["is_exact"], answer["standard_error"]) == (True, 0)
    assert abs(answer["first_mean"] - means[0]) < 1e-9
    assert abs(answer["second_mean"] - means[1]) < 1e-9
    assert abs(answer["saved"] - (means[0] - means[1])) < 1e-9


def check_pattern(session):
    """Each configuration played by `Pattern.shot`, which goes by rows and columns."""
    if session.rules.board != "rectangle":
        return
    rng = session.rng
    modulus = rng.randint(1, 4)
    colours = "".join(rng.sample("0123"[:modulus], rng.randint(1, modulus)))
    scan = rng.choice(("rows", "snake", "diagonals", "antidiagonals", "spiral", "central"))
    has_shapes = LYING.keys() & {*session.rules.fleet}
    water = rng.randint(0, 1) if session.rules.contact == "none" and not has_shapes else 0
    strategy = (
        f"pattern:modulus={modulus},colours={colours},scan={scan},"
        f"clear={rng.choice(('cross', 'line', 'sunk'))},water={water}"
    )
    pattern, game = named(strategy), Game.parse(session.game)
    played = Counter()
    for ships in session.rules.configurations:
        hits, shots = 0, []
        while sum(ships) & ~hits:
            row, column = pattern.shot(Position.parse(game, " ".join(shots)))
            cell = row * session.rules.columns + column
            reply = session.rules.reply(ships, hits, cell)
            hits |= (reply != "miss") << cell
            shots.append(f"{session.rules.name(cell)}={reply}")
        played[len(shots)] += 1
    assert evaluated(session, strategy) == played


# What a browser may ask of the board: valid requests, and requests that no page makes

ODD = [
    *("", ",", " ", "=", ":", ";", "sunk", "=hit", "=miss", "=sunk:2", "\0", "\ud800", "\xb2"),
    *("A1", "b2", "A0", "Z9", "AA1", "9" * 5000, "A1=hit", "A1=miss", "B1=sunk", "C1=sunk:99999"),
]
VALUES = (None, True, 0, -1, 2, 10**4000, 0.5, 1e308, float("inf"), float("nan"), [], {}, [[""]])
NAMES = (*BY_TEXTS, "about", "review", "begin", "shoot", "match")
KEYS = ("shots", "cell", "text", "number", "against", "ships", "match", "page", "setting", "prior")


def check_board(session):
    """The board's answers are those of the definition, and those of `advise` where it has none.

    Whatever is asked is answered or refused, in a form that can be sent.
    """
    rng, game = session.rng, Game.parse(session.game)
    table = RequestHandler(Setting(game), Games(), 10.0)

    async def compute_here(_page, work, *arguments):
        return work(*arguments)

    table.engine.ask = compute_here

    def answer(name, request):
        session.lines[:] = [f"{name} {json.dumps(request)} of {session.game}"]
        try:
            request = json.loads(json.dumps(request))
            found = asyncio.run(table.answer(name, request))
        except OptsearchError as error:
            found = {"error": str(error)}
        assert found.get("error") != ""
        json.dumps(found, ensure_ascii=False, allow_nan=False).encode()  # as it is sent
        return found

    shots = session.case.position.replace(" ", ",")
    found = answer("advice", {"shots": shots, "page": "p"})
    assert found["configurations"] == str(session.configurations)
    family = session.root.family
    covered = [sum(sum(ships) >> cell & 1 for ships in family) for cell in range(game.cells)]
    assert found["counts"] == [str(n) for n in covered]
    if not found["over"]:
        end = answer("endgame", {"shots": shots})["optimum"]
        assert (end["total"], end["cells"]) == (str(session.total()), session.best())
    begun = answer("begin", {"against": ""})["match"]
    names = session.names(range(game.cells))
    pieces = [*shots.split(","), *shots, *names, *ODD]
    usual = {
        "shots": shots,
        "text": shots,
        "match": begun,
        "number": rng.randint(1, 4),
        "page": "p",
    }
    for _ in range(12):
        request = {key: value for key, value in usual.items() if rng.random() < 0.8}
        request["cell"] = rng.choice(("", *names))
        for key in rng.sample(KEYS, rng.choice((0, 1, 1, 2, 4))):
            text = "".join(rng.choices(pieces, k=rng.choice((1, 1, 2, 3, 9))))
            request[key] = rng.choice((text, rng.choice(VALUES)))
        name = rng.choice(NAMES)
        found = answer(name, request)
        if name == "advice" and "configurations" in found:
            known = advise(Position.parse(game, request.get("shots", "")))
            assert found["configurations"] == str(known.posterior.configurations)
            assert found["counts"] == [str(n) for n in known.posterior.occurrence.ravel().tolist()]


ALWAYS = (check_counts, check_optimum, check_greedy, check_players, check_board)
CHECKS = (
    *(check_other_counts, check_samples, check_worst, check_within, check_methods),
    *(check_time_limit, check_switches, check_bounds, check_proof, check_optimal_trees),
    *(check_greedy_trees, check_page, check_pattern, check_comparison),
    *(check_table, check_counterexamples, check_equilibrium, check_prior, check_questions),
    *(check_prior_far_apart, check_odd_files, check_values, check_first_hit),
)
OF_REPLIES = (  # where most goes by what hits tell
    *(check_samples, check_questions, check_worst, check_within, check_methods, check_bounds),
    check_proof,
    *(check_optimal_trees, check_greedy_trees, check_equilibrium, check_first_hit),
)
UNSHOWN = (check_board, check_page)  # refused for users' rules; where hits show ships not read


def check(call_command, case, seed):
    session = RandomSession(call_command, case)
    try:
        for one in (*ALWAYS, *case.checks):
            is_unshown = case.rules.announce == "place" or case.rules.tells is not None
            if is_unshown and one in UNSHOWN:
                continue
            session.lines.clear()
            one(session)
    except Exception as error:
        commands = "\n".join(session.lines)
        raise AssertionError(
            f"FUZZ_SEED={seed}, {one.__name__}, {type(error).__name__}: {error}\n{commands}"
        ) from error


# Games without a configuration

REFUSED = """
    posterior GAME|posterior GAME --counts
    sample GAME|sample GAME --draw-boards
    ask GAME|solve GAME|solve GAME --method paper|solve GAME --method reference
    solve GAME --objective worst
    solve GAME --objective within=3|solve GAME --all-shots|solve GAME --time-limit 1
    solve GAME --tree a.json --prove a.jsonl|bounds GAME|greedy GAME|equilibrium GAME
    counterexamples --game GAME|evaluate greedy GAME|evaluate rollout GAME|evaluate pattern GAME
    evaluate within:shots=3 GAME|simulate greedy GAME --games 2|simulate random GAME --games 2
    compare greedy rollout GAME
    play GAME --seed 1|advise GAME|animate greedy GAME -o a.html|explore GAME -o a.html
"""
PLACES = (*GRIDS, (1, 13), (3, 5), (4, 4))


def full_board(rng):
    """Rules with holes under which the fleet does not fit."""
    while True:
        rows, columns = rng.choice(PLACES)
        fleet = tuple(sorted(rng.choices(range(1, 6), k=rng.randint(1, 4)), reverse=True))
        holes = rng.sample(range(rows * columns), rng.randint(1, rows * columns // 2))
        if max(fleet) > max(rows, columns) or sum(fleet) + len(holes) > rows * columns:
            continue  # no game at all
        rules = CONTACTS, (*ANNOUNCEMENTS, "nothing")
        rules = Rules(rows, columns, fleet, *map(rng.choice, rules), tuple(sorted(holes)))
        if not rules.configurations:
            return rules


def check_full_board(call_command, game):
    """All commands refuse it in one line; `count` says none."""
    for line in REFUSED.replace("\n", "|").split("|"):
        for more in ((), ("--shots", "A1=miss")) if line.strip() == "bounds GAME" else ((),):
            arguments = [game if word == "GAME" else word for word in line.split()]
            if arguments:
                status, out, err = call_command(*arguments, *more)
                assert (status, out, err.count("\n")) == (2, "", 1), shlex.join(arguments)
    status, out, err = call_command("count", game)
    assert (status, err) == (0, "")
    assert out.endswith("\nconfigurations  0\n")


def check_full_boards(call_command, rng, number):
    for game in [str(full_board(rng)) for _ in range(number)]:
        try:
            with within(60):
                check_full_board(call_command, game)
        except Exception as error:
            raise AssertionError(f"{game}: {type(error).__name__}: {error}") from error


@contextmanager
def within(seconds):
    """Raise TimeoutError after so many seconds."""

    def late(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def test_games_without_a_configuration(call_command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    check_full_boards(call_command, random.Random(SEED), 4)


ONE_CELL_LEFT = (0, "miss"), (1, "hit:along"), (2, "hit:along"), (5, "hit:down")
"""After D2 is hit, two configurations have D1, B3, D3 left, and another label at D1."""


def fuzz(call_command, first, games, most_checks):
    """What was wrong once, and so many positions drawn from a seed; the least failure is raised."""

    @example(Case(Rules(1, 5, (2, 2), "any", "sunk")))
    @example(Case(Rules(1, 5, (2, 2), "any", "sunk"), ((1, "hit"),)))
    @example(
        Case(Rules(2, 3, (3, 2, 1), "any", *rule_of_file("ends")), checks=(check_equilibrium,))
    )
    @example(Case(Rules(3, 4, (3, 2, 2), "any", *rule_of_file("orientation")), ONE_CELL_LEFT))
    @seed(first)
    @settings(
        max_examples=games,
        derandomize=False,
        database=None,
        deadline=None,
        report_multiple_bugs=False,
        phases=[Phase.explicit, Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(cases(most_checks))
    def drawn(case):
        check(call_command, case, first)

    drawn()


@pytest.mark.parametrize("one", CHECKS, ids=lambda one: one.__name__)
def test_each_check(call_command, tmp_path, monkeypatch, one):
    """Once on a small game, so that none asks for what the command no longer has."""
    monkeypatch.chdir(tmp_path)
    check(call_command, Case(Rules(2, 3, (2,)), checks=(one,)), SEED)


@pytest.mark.parametrize("announce", ALL_RULES, ids=rule_name)
def test_each_rule(call_command, tmp_path, monkeypatch, announce):
    """On a game in which the three rules of the file tell different things."""
    monkeypatch.chdir(tmp_path)
    rules = Rules(2, 3, (2, 1), "any", announce, tells=ALL_RULES[announce])
    check(call_command, Case(rules, checks=OF_REPLIES), SEED)


def test_commands_beside_the_definition(call_command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fuzz(call_command, SEED, games=2, most_checks=2)  # one for each rule and check is above


@pytest.mark.long(600)
def test_commands_beside_the_definition_for_long(call_command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    first = int(os.environ.get("FUZZ_SEED") or secrets.randbits(32))
    seconds = float(os.environ.get("FUZZ_SECONDS") or 600)
    with capsys.disabled():
        print(f"FUZZ_SEED={first}")
    started, number = time.monotonic(), 0
    while not number or time.monotonic() - started < seconds:
        fuzz(call_command, first + number, games=25, most_checks=4)
        check_full_boards(call_command, random.Random(first + number), 2)
        number += 1
