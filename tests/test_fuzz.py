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


def of_file(name):
    """The rule and the tells of Rules; what is between has its default."""
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
    """Whether the rules go together: a ship may be longer than the way round, for one."""
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


class Asked:
    """A case while it is asked: the definition, and the commands so far."""

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


def check_counts(asked):
    n, definition = asked.configurations, asked.definition
    cells = range(asked.rules.cells)
    occurrence = [
        sum(sum(ships) >> cell & 1 for ships in asked.root.family) for cell in cells
    ]  # of all cells, hit or not
    assert asked.ask("count")["configurations"] == n
    found = asked.ask("posterior")
    assert [m for row in found["occurrence"] for m in row] == occurrence
    assert found["configurations"] == n
    assert found["greedy_shots"] == asked.names(most_probable(definition, asked.root))
    assert abs(found["bits"] - log2(n)) < NEAR


def check_optimum(asked):
    definition, root = asked.definition, asked.root
    found = asked.ask("solve")
    assert (found["total_height"], found["best_shots"]) == (asked.total(), asked.best())
    assert found["configurations"] == asked.configurations
    likely, firsts = most_probable(definition, root), definition.firsts(root)
    assert found["greedy_shots"] == asked.names(likely)
    least = min((firsts[cell] for cell in likely), default=asked.total())
    assert found["greedy_shots_total_height"] == least


def check_greedy(asked):
    definition, root = asked.definition, asked.root
    found = asked.ask("greedy")
    assert (found["total_height"], found["best_shots"]) == (asked.total(), asked.best())
    assert found["greedy_shots"] == asked.names(most_probable(definition, root))
    best = definition.greedy(root, min)
    assert found["best_greedy_total_height"] == best
    assert found["worst_greedy_total_height"] == definition.greedy(root, max)
    assert bool(found["partings"]) == (best > asked.total())
    for parting in found["partings"]:
        check_parting(asked, parting)
    for name, rule in found["rules"].items():
        depths = {int(shots): n for shots, n in rule["histogram"].items()}
        if name not in ("best", "worst"):
            assert depths == definition.played(definition.greedy_rule(name)), name
        assert total_of(depths) == rule["total_height"], name


def check_parting(asked, parting):
    """The values of a position where best greedy leaves the optimum."""
    definition, state = asked.definition, asked.root
    for text in parting["shots"].split():
        cell, reply = text.split("=")
        state = definition.parts(state, asked.rules.cell(cell))[reply]
    best = definition.greedy(state, min)
    tied = [
        cell
        for cell in definition.tied(state)
        if definition.after(state, cell, definition.greedy, min) == best
    ]
    assert parting["best_greedy_shots"] == asked.names(tied)
    assert parting["best_shots"] == asked.names(definition.best(state))
    assert not set(tied) & definition.best(state)
    assert parting["best_greedy_total_height"] == best
    assert parting["total_height"] == definition.optimum(state)
    assert parting["configurations"] == len(state.family)


def total_of(depths):
    return sum(shots * n for shots, n in depths.items())


# Asked of some


def check_other_counts(asked):
    """Counted one by one, and from a drawn board."""
    if not asked.definition.is_silent and asked.root.hits:
        return  # refused
    listed = Configurations(Position.parse(asked.game, asked.case.position))
    assert listed.configurations == asked.configurations
    assert listed.occurrence.tolist() == asked.ask("posterior")["occurrence"]
    if asked.definition.is_silent:
        signs = dict.fromkeys(asked.rules.holes, "-")
        signs |= {cell: "o" if reply == "miss" else "X" for cell, reply in asked.case.shots}
        rows, columns = asked.rules.rows, asked.rules.columns
        with open("board.txt", "w", encoding="utf-8") as file:
            for row in range(rows):
                print(*(signs.get(row * columns + i, ".") for i in range(columns)), file=file)
        found = asked.run("count", asked.game, "--board", "board.txt")
        assert found["configurations"] == asked.configurations


def check_samples(asked):
    found = asked.ask("sample", "-n", 30, "--seed", asked.rng.randrange(1000))
    assert len(found["sample"]) == 30
    assert {*masks_of(asked, found)} <= asked.root.family
    everything = masks_of(asked, asked.ask("sample", "--all"))
    assert len(everything) == len(asked.root.family)
    assert {*everything} == asked.root.family


def check_questions(asked):
    """The number of cells of ships in a row, what its answers and replies tell, and it known."""
    columns, family = asked.rules.columns, asked.root.family
    row = asked.rng.randrange(asked.rules.rows)
    region = ((1 << columns) - 1) << row * columns
    numbers = Counter((sum(ships) & region).bit_count() for ships in family)
    meets = Counter("yes" if sum(ships) & region else "no" for ships in family)
    texts = f"row {row + 1}", f"any in row {row + 1}"
    found = asked.ask("ask", "--question", texts[0], "--question", texts[1])
    for one in found["questions"]:
        answers = numbers if one["question"] == texts[0] else meets
        assert one["answers"] == {str(a): n / len(family) for a, n in answers.items()}
        assert abs(one["bits"] - entropy(answers.values())) < NEAR
    shot = {cell for cell, _ in asked.case.shots}
    parts = (
        asked.definition.parts(asked.root, cell) for cell in {*range(asked.rules.cells)} - shot
    )
    told = [entropy([len(part.family) for part in by_reply.values()]) for by_reply in parts]
    assert abs((found["best_shot_bits"] or 0) - max(told, default=0)) < NEAR
    number = asked.rng.choice(sorted(numbers))
    known = asked.ask("posterior", "--know", f"{texts[0]}: {number}")
    assert known["configurations"] == numbers[number]


def entropy(weights):
    """The entropy in bits of a distribution by weights."""
    weights = list(weights)
    return sum(n / sum(weights) * log2(sum(weights) / n) for n in weights)


def masks_of(asked, found):
    """The configurations of an answer of `sample`, as the definition has them."""
    listed = [[ship_of(asked.rules, text) for text in ships] for ships in found["sample"]]
    return [tuple(ships if asked.rules.has_letters else sorted(ships)) for ships in listed]


def ship_of(rules, text):
    """The mask of a ship such as A1-A3 or B2, or A1+A2+B2."""
    if "+" in text:
        return sum(1 << rules.cell(name) for name in text.split("+"))
    first, last = (rules.cell(name) for name in (text.split("-") * 2)[:2])
    down, right = last // rules.columns - first // rules.columns, (last - first) % rules.columns
    step = 1 if not down else rules.columns - (right > 0)  # the third axis of hexagons
    return sum(1 << cell for cell in range(first, last + 1, step))


def check_prior(asked):
    """A prior of each kind, in a table: what is asked by it, beside the definition by weights.

    What has no weight does not exist.
    """
    if asked.rules.has_letters:
        return  # refused
    weights = written_prior(asked, "prior.csv", asked.rng.choice((ORDINARY, ORDINARY, FEW)))
    by = Definition(asked.rules, (), weights)
    for cell, reply in asked.case.shots:
        by.root = by.parts(by.root, cell).get(reply, State(frozenset()))
    root, game = by.root, (asked.game, "--shots", asked.case.position, "--prior", "prior.csv")
    if not root.family:
        for command in ("posterior", "sample", "solve", "advise"):
            status, out, err = asked.call_command(command, *game)
            assert (status, out, err.count("\n")) == (2, "", 1), command
        return
    weight, counts, optimum = by.weight(root.family), by.counts(root), by.optimum(root)
    existing = [ships for ships in root.family if weights[ships]]
    shares = [Fraction(weights[ships]) / weight for ships in existing]
    bits = sum(-share * _log2(share) for share in shares)
    found = asked.run("posterior", *game)
    assert found["configurations"] == len(existing)
    assert [n for row in found["occurrence"] for n in row] == [
        sum(sum(ships) >> cell & 1 for ships in existing) for cell in range(asked.rules.cells)
    ]
    assert abs(found["bits"] - bits) < NEAR
    advice = asked.run("advise", *game, "--endgame", len(existing))
    assert advice["configurations"] == len(existing)
    if asked.rules.announce != "place":  # else advice takes the whole ship as hit
        assert advice["greedy_shots"] == found["greedy_shots"]
    if by.is_silent and any(sum(ships) & ~root.hits for ships in existing):
        assert advice["best_shots"] == asked.names(by.best(root))
        assert asked.run("advise", *game, "--endgame", len(existing) - 1)["best_shots"] is None
    flat = [p for row in found["probability"] for p in row]
    for cell, n in counts.items():
        assert abs(flat[cell] - n / weight) < NEAR
    assert found["greedy_shots"] == asked.names(most_probable(by, root))
    found = asked.run("sample", *game, "-n", 20, "--seed", asked.rng.randrange(1000))
    for ships in found["sample"]:
        assert weights[tuple(sorted(ship_of(asked.rules, text) for text in ships))]
    assert sorted(masks_of(asked, asked.run("sample", *game, "--all"))) == sorted(existing)
    silent = by.is_silent
    for method in ("solver", "reference") if silent else ("reference",):
        found = asked.run("solve", *game, "--method", method)
        assert Fraction(found["mean_exact"]) == Fraction(optimum) / weight
        assert found["best_shots"] == asked.names(by.best(root))
    if not asked.case.shots:
        ties = asked.rng.choice(asked.orders)
        found = asked.run(
            *("evaluate", f"greedy:ties={ties}", asked.game, "--prior", "prior.csv", "--jobs", 1)
        )
        played = Definition(asked.rules).played(asked.definition.player(ties, 4), by.weight)
        assert Fraction(found["mean_exact"]) == Fraction(total_of(played)) / sum(played.values())
    if not silent:
        return
    asked.run("solve", *game, "--tree", "by.json", "--prove", "by.jsonl")
    for file in ("by.json", "by.jsonl"):
        found = asked.run("check", file, "--prior", "prior.csv")
        assert Fraction(found["mean_exact"]) == Fraction(optimum) / weight
    assert Fraction(found["mean_exact"]) == Fraction(optimum) / weight
    found = asked.run("greedy", *game)
    mean = Fraction(found["best_greedy_total_height"], found["configurations"])
    assert mean == Fraction(by.greedy(root, min)) / weight
    for bound in asked.run("bounds", *game)["bounds"]:
        sign = 1 if bound["side"] == "lower" else -1
        assert sign * bound["value"] <= sign * float(Fraction(optimum) / weight) + NEAR, bound
    if asked.rules.tells is not None:
        return  # explore refuses it
    totals = {
        t["name"]: t["total_height"] for t in asked.run("explore", "-o", "p.html", *game)["trees"]
    }
    assert Fraction(totals["optimal"], found["configurations"]) == Fraction(optimum) / weight


ORDINARY = ("0", "1", "1", "2", "7", "1/3", "0.25")
FEW = ("0", "0", "0", "0", "1", "3")
FAR_APART = ("0", "2", "3" + 16 * "0", "3/5" + 16 * "0", "1/9" + 16 * "0", 17 * "9")


def check_prior_far_apart(asked):
    """Weights of which products underflow: probabilities, bits and samples hold all the same."""
    if asked.rules.has_letters:
        return  # refused
    weights = written_prior(asked, "far.csv", FAR_APART)
    by = Definition(asked.rules, (), weights)
    for cell, reply in asked.case.shots:
        by.root = by.parts(by.root, cell).get(reply, State(frozenset()))
    family = {ships: weights[ships] for ships in by.root.family}
    total, prior = sum(family.values()), ("--prior", "far.csv")
    if not total:
        return  # refused
    found = asked.ask("posterior", *prior)
    for cell, p in enumerate(p for row in found["probability"] for p in row):
        exact = sum(weight for ships, weight in family.items() if sum(ships) >> cell & 1) / total
        assert abs(p - exact) <= 1e-12 * max(exact, Fraction(1, 2**100)), asked.names([cell])
    shares = [weight / total for weight in family.values() if weight]
    assert abs(found["bits"] - sum(-p * _log2(p) for p in shares)) < NEAR
    assert 0 <= found["bits"] <= log2(asked.configurations)
    found = asked.ask("sample", *prior, "-n", 20, "--seed", asked.rng.randrange(1000))
    for ships in found["sample"]:
        drawn = tuple(sorted(ship_of(asked.rules, text) for text in ships))
        assert family[drawn] * 2**80 > total


def _log2(fraction):
    return log2(fraction.numerator) - log2(fraction.denominator)


def check_odd_files(asked):
    """A device, a pipe, a loop of links or a file without end where a file is read: refused."""
    rng = asked.rng
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
    game = (asked.game, "--shots", asked.case.position)
    arguments = rng.choice(
        (
            ("posterior", *game, "--prior", folder / "odd.csv"),
            ("evaluate", "greedy", asked.game, "--jobs", 1, "--prior", folder / "odd.csv"),
            ("simulate", "greedy", asked.game, "--games", 2, "--boards", folder / "odd.csv"),
            ("solve", asked.game, "--board", name),
            ("count", f"{name}:2"),
            *[("explore", *game, "-o", "page.html", "--with-tree", name)]
            * (asked.rules.tells is None),  # refused for a rule of a file
            ("bounds", name),
            ("solitaire", "count", name),
            *((command, name) for command in ("tree", "check")),
        )
    )
    asked.lines.append(f"{kind}: {shlex.join(['optsearch', *map(str, arguments)])}")
    status, out, err = asked.call_command(*arguments)
    assert (status, out, err.count("\n")) == (2, "", 1), err
    assert "odd." in err


def written_prior(asked, path, values=ORDINARY):
    """A table of some kind, written; the weight of each configuration that follows from it."""
    rules, rng = asked.rules, asked.rng
    everything = sorted(rules.configurations)
    ships = sorted({ship for one in everything for ship in one})

    def drawn():
        return rng.choice(values)

    def text(ship):
        cells = [cell for cell in range(rules.cells) if ship >> cell & 1]
        if rules.kinds[ship] in LYING or (rules.board != "rectangle" and len(cells) > 1):
            return "+".join(rules.names(cells))
        return "-".join(dict.fromkeys((rules.name(cells[0]), rules.name(cells[-1]))))

    kind = rng.choice(("ship", "product", "mean", "ships", "past"))
    lines, of_ship = [], dict.fromkeys(ships, Fraction(1))
    if kind == "ship":
        lines = ["ship,weight"]
        for ship in rng.sample(ships, rng.randint(1, len(ships))):
            lines.append(f"{text(ship)},{drawn()}")
            of_ship[ship] = Fraction(lines[-1].split(",")[1])
    elif kind in ("product", "mean"):
        lines, cells = [f"# cells: {kind}", "cell,weight"], {}
        for cell in set(range(rules.cells)) - set(rules.holes):
            lines.append(f"{rules.name(cell)},{drawn()}")
            cells[cell] = Fraction(lines[-1].split(",")[1])
        for ship in ships:
            held = [cells[cell] for cell in cells if ship >> cell & 1]
            of_ship[ship] = prod(held) if kind == "product" else sum(held) / len(held)
    elif kind == "past":
        lines = ["# smoothing: 1/2", "ships"]
        of_ship = dict.fromkeys(ships, Fraction(1, 2))
        for one in rng.choices(everything, k=5):
            lines.append(" ".join(map(text, one)))
            for ship in one:
                of_ship[ship] += 1
    weights = {one: prod(of_ship[ship] for ship in one) for one in everything}
    if kind == "ships":
        lines = ["ships,weight"]
        weights = dict.fromkeys(everything, Fraction(0))
        for one in rng.sample(everything, rng.randint(1, len(everything))):
            lines.append(f"{' '.join(map(text, one))},{drawn()}")
            weights[one] = Fraction(lines[-1].split(",")[1])
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    asked.lines.append(f"printf '%s\\n' {shlex.join(lines)} > {path}")
    return weights


def check_worst(asked):
    definition, shots = asked.definition, asked.definition.worst()
    firsts = definition.lasting_firsts(asked.root, shots)
    best = [cell for cell, total in firsts.items() if total == min(firsts.values())]
    for method in ("solver", "reference"):
        found = asked.ask("solve", "--objective", "worst", "--method", method)
        assert found["worst"] == shots
        assert found["total_height"] == definition.lasting(asked.root, shots)
        assert found["best_shots"] == asked.names(best)


def check_within(asked):
    definition, shots = asked.definition, asked.rng.randint(0, asked.rules.cells)
    firsts = definition.finished_firsts(asked.root, shots)
    best = [cell for cell, n in firsts.items() if n == max(firsts.values())]
    for method in ("solver", "reference"):
        found = asked.ask("solve", "--objective", f"within={shots}", "--method", method)
        assert found["finished"] == definition.finished(asked.root, shots)
        assert found["best_shots"] == asked.names(best)


def check_methods(asked):
    silent = asked.definition.is_silent
    for method in ("reference", "paper") if silent else ("reference",):
        found = asked.ask("solve", "--method", method)
        assert (found["total_height"], found["best_shots"]) == (asked.total(), asked.best())


def check_time_limit(asked):
    """A bracket comes, whatever is asked and however short the time; it holds the value."""
    definition, number = asked.definition, asked.configurations
    shots = asked.rng.randint(0, asked.rules.cells)
    limit = "--time-limit", asked.rng.choice((0.01, 0.03, 0.1))
    for objective, name, value in (
        ("mean", "total_height", asked.total()),
        ("worst", "worst", definition.worst()),
        (f"within={shots}", "finished", definition.finished(asked.root, shots)),
    ):
        found = asked.ask("solve", "--objective", objective, *limit)
        if found.get(name) is not None:
            assert found[name] == value
        elif found.get("lower") is not None:
            assert found["lower"] <= value <= found["upper"]
        else:  # there was no time to count the configurations
            lower, upper = found["bracket"]
            assert lower <= value / number + NEAR
            assert value / number - NEAR <= upper
    if definition.is_silent or not asked.case.shots:
        lower, upper = asked.ask("bounds", *limit)["bracket"]
        assert lower <= asked.total() / number + NEAR
        assert asked.total() / number - NEAR <= upper
    if definition.is_silent:
        found = asked.ask("greedy", *limit)
        lower, upper = found.get("lower"), found.get("upper")
        assert found["total_height"] == asked.total() or lower <= asked.total() <= upper


def check_switches(asked):
    off = [name for name in SWITCHES if asked.rng.random() < asked.case.number % 3 / 2]
    options = SolverOptions(**dict.fromkeys(off, False), memory=1 << 24)
    text = asked.case.position
    asked.lines.append(
        f"solve(Position.parse(Game.parse({asked.game!r}), {text!r}), options={options})"
    )
    position = Position.parse(Game.parse(asked.game), text)
    found = solve(position, options=options)
    assert found.total_height == asked.total()
    assert [*map(position.game.cell, sorted(asked.definition.best(asked.root)))] == [
        *found.best_shots
    ]


def check_bounds(asked):
    if not asked.definition.is_silent and asked.case.shots:
        return  # refused
    mean = asked.total() / asked.configurations
    found = asked.ask("bounds")
    assert found["is_all"]
    lower, upper = found["bracket"]
    assert {bound["side"] for bound in found["bounds"]} == {"lower", "upper"}
    for bound in found["bounds"]:
        sign = 1 if bound["side"] == "lower" else -1
        assert sign * bound["value"] <= sign * mean + NEAR, bound
    assert lower <= mean + NEAR
    assert upper >= mean - NEAR


def check_proof(asked):
    if asked.has_order:
        return  # refused
    asked.ask("solve", "--prove", "proof.jsonl")
    found = asked.run("check", "proof.jsonl")
    assert found["total_height"] == asked.total()
    assert found["configurations"] == asked.configurations


def check_equilibrium(asked):
    """Both mixes from the certificate: the hider's by best answer, the shooter's by replay."""
    rules, paid, objective = asked.rules, (lambda depth: depth), "mean"
    everything = sorted(rules.configurations)
    if len(everything) > MOST or len(everything) * rules.cells > EFFORT:
        return
    if rules.board != "rectangle" or rules.has_letters:
        return  # which may have more symmetries than are tried here
    if last := asked.rng.choice((0, asked.rng.randint(1, rules.cells))):
        paid, objective = (lambda depth: int(depth > last)), f"within={last}"
    asked.run("equilibrium", rules, "--objective", objective, "--certificate", "both.json")
    assert asked.run("check", "both.json")["value"] is not None
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
    """The least that uniformly drawn configurations cost together."""
    if last:
        return len(definition.root.family) - definition.finished(definition.root, last)
    return definition.optimum(definition.root)


def ends_of(definition, state, node, depth=0):
    """After how many shots of a tree each configuration ends."""
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


def check_optimal_trees(asked):
    definition = asked.definition
    asked.ask("solve", "--tree", "tree.json")
    assert total_of(depths_of(asked, "tree.json")) == asked.total()
    worst = definition.worst()
    asked.ask("solve", "--objective", "worst", "--tree", "worst.json")
    depths = depths_of(asked, "worst.json")
    assert max(depths) == worst
    assert total_of(depths) == definition.lasting(asked.root, worst)
    shots = asked.rng.randint(0, asked.rules.cells)
    asked.ask("solve", "--objective", f"within={shots}", "--tree", "within.json")
    depths = depths_of(asked, "within.json")
    finished = sum(n for depth, n in depths.items() if depth <= shots)
    assert finished == definition.finished(asked.root, shots)


def check_greedy_trees(asked):
    found = asked.ask("greedy", "--tree", "greedy.json")
    total = total_of(depths_of(asked, "greedy.json"))
    assert total == found["rules"]["best"]["total_height"]
    assert total == asked.definition.greedy(asked.root, min)


def depths_of(asked, path):
    """The leaves of a tree file by depth: replayed here, and as `check` says."""
    with open(path, encoding="utf-8") as file:
        depths = replayed(asked, asked.root, json.load(file)["root"])
    found = asked.run("tree", path)
    assert {int(depth): n for depth, n in found["histogram"].items()} == depths
    assert found["total_height"] == asked.run("check", path)["total_height"] == total_of(depths)
    assert found["worst"] == max(depths)
    return depths


def replayed(asked, state, node, depth=0):
    if "configurations" in node:
        assert not asked.definition.counts(state)
        assert node["configurations"] == len(state.family)
        return Counter({depth: len(state.family)})
    parts = asked.definition.parts(state, asked.rules.cell(node["shot"]))
    assert node.keys() == {"shot", *parts}
    return sum((replayed(asked, parts[r], node[r], depth + 1) for r in parts), Counter())


def check_page(asked):
    """Every number of the page of `explore`."""
    definition = asked.definition
    found = asked.ask("explore", "-o", "page.html")
    totals = {tree["name"]: tree["total_height"] for tree in found["trees"]}
    best = definition.greedy(asked.root, min)
    assert totals == {"optimal": asked.total(), "greedy": best}
    with open("page.html", encoding="utf-8") as file:
        (text,) = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', file.read())
    page = json.loads(text)
    hidden = Counter(
        (sum(ships) & ~asked.root.hits,) if definition.is_silent else tuple(sorted(ships))
        for ships in asked.root.family
    )
    listed = Counter()
    for weight, *ships in page["configurations"]:
        listed[tuple(sorted(int(ship, 16) for ship in ships))] += weight
    assert listed == hidden
    assert [(c, page["replies"][r]) for c, r in page["shots"]] == list(asked.case.shots)
    for tree in page["trees"]:
        cost = walked(definition, page["replies"], asked.root, tree["root"])
        assert cost == totals[tree["name"]]


def walked(definition, replies, state, node):
    """The total of a subtree of a page, each node of which is checked."""
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


def check_table(asked):
    """A table on disk, made and read; with processes now and then."""
    folder = f"table{len(os.listdir())}"
    jobs = ("--jobs", 2) if asked.case.number % 12 == 0 else ()
    for _ in range(2):
        found = asked.ask("solve", "--table", folder, *jobs)
        assert (found["total_height"], found["best_shots"]) == (asked.total(), asked.best())


def check_values(asked):
    """A table of one game, whose values are those of the empty board."""
    if asked.case.shots:
        return
    columns = "configurations,total_height,lower,optimum,greedy,upper"
    found = asked.run("table", asked.game, "--columns", columns, "--jobs", 1)
    values = [value["value_exact"] for value in found["values"]]
    assert [*map(int, values[:2])] == [asked.configurations, asked.total()]
    means = [*map(Fraction, values[2:])]
    assert means[0] <= means[1] <= means[3] <= means[2]
    assert means[1] == Fraction(asked.total(), asked.configurations)


def check_counterexamples(asked):
    """All positions of a few grids: how many there are, and that best greedy is optimal in them.

    The counts of cells for which this takes a second are below those of the first counterexample;
    `tests/test_counterexamples.py` compares larger games.
    """
    cells, fleet = asked.rng.randint(3, 6), asked.rules.fleet
    if asked.rules.has_letters:
        return  # refused: only games where hits tell nothing are searched
    if asked.rules.holes or LYING.keys() & {*fleet}:
        if asked.rules.cells <= 6 and asked.definition.is_silent:
            answer = asked.run("counterexamples", "--game", asked.game)
            assert answer["counterexamples"] == []
            fewest, most = (len(positions_of(asked.rules, by)) for by in turns(asked.rules))
            assert fewest <= answer["positions"] <= most
        return
    grids = [(a, b) for a in range(1, cells + 1) for b in range(a, cells // a + 1)]
    games = [Rules(*grid, fleet, asked.rules.contact) for grid in grids]
    found = [positions_of(rules, symmetries(rules)) for rules in games if rules.configurations]
    if not found:
        return
    answer = asked.run(
        *("counterexamples", "--max-cells", cells, "--fleet", ",".join(map(str, fleet))),
        *("--contact", asked.rules.contact),
    )
    assert (answer["games"], answer["positions"]) == (len(found), sum(map(len, found)))
    assert (answer["counterexamples"], answer["undecided"]) == ([], [])
    assert not any(worse for positions in found for worse in positions.values())


def turns(rules):
    """Between which symmetries those of a small board are: twice the same on a rectangle.

    On other boards all permutations that keep the ships, and the identity: with more than eight
    symmetries the command uses none.
    """
    if rules.board == "rectangle":
        return [list(symmetries(rules))] * 2
    every = permutations(range(rules.cells))
    return [p for p in every if is_kept(rules, p)], [range(rules.cells)]


def positions_of(rules, turned):
    """The inequivalent positions of a silent game, and whether best greedy is worse than optimal.

    They are told by what is in doubt, the least of its images under these symmetries.
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
    """Whether ships become ships of their kind, holes holes, and labels of a function stay."""
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


def evaluated(asked, strategy):
    within = asked.rng.randint(0, asked.definition.rules.cells + 1)
    found = asked.run("evaluate", strategy, asked.game, "--jobs", 1, "--within", within)
    histogram = {int(shots): n for shots, n in found["histogram"].items()}
    assert found["finished"] == sum(n for shots, n in histogram.items() if shots <= within)
    assert found["total_height"] == total_of(histogram)
    assert Fraction(found["mean_exact"]) == Fraction(found["total_height"], found["configurations"])
    assert found["worst"] == max(histogram)
    return histogram


def check_players(asked):
    """Greedy and the rollout policy, within their endgames and past them; one with a limit."""
    if asked.case.shots:
        return  # they begin with the empty board
    empty, rng = asked.definition, asked.rng
    for endgame in (rng.randint(0, 5), rng.randint(6, 10)):
        ties = rng.choice(asked.orders)
        found = evaluated(asked, f"greedy:ties={ties},endgame={endgame}")
        assert found == empty.played(empty.player(ties, endgame))
    candidates, percent, endgame = rng.randint(1, 6), rng.choice((0, 50, 80)), rng.randint(4, 8)
    strategy = f"rollout:candidates={candidates},percent={percent},endgame={endgame}"
    assert evaluated(asked, strategy) == empty.played(empty.rollout(candidates, percent, endgame))
    shots = rng.randint(1, empty.rules.cells)
    strategy = f"within:shots={shots},candidates={candidates},percent={percent}"
    assert evaluated(asked, strategy) == empty.within(shots, candidates, percent)


def check_first_hit(asked):
    """The game that the first hit ends, from the misses on; greedy past its endgame and in it."""
    misses = tuple(shot for shot in asked.case.shots if shot[1] == "miss")
    case = Case(replace(asked.rules, ends="hit"), misses, (), asked.case.number)
    game = Asked(asked.call_command, case)
    game.lines = asked.lines
    counts = game.definition.counts(game.root)
    if game.configurations > MOST or game.configurations * len(counts) > EFFORT:
        return
    for one in (check_counts, check_optimum, check_worst, check_within, check_bounds):
        one(game)
    for one in (check_values, check_optimal_trees):
        one(game)
    if not misses:
        ties, endgame = game.rng.choice(game.orders), game.rng.randint(0, 10)
        found = evaluated(game, f"greedy:ties={ties},endgame={endgame}")
        assert found == game.definition.played(game.definition.player(ties, endgame))


def check_comparison(asked):
    """The only position is the empty board: two strategies of greedy, exactly."""
    if asked.case.shots:
        return
    empty, ties = asked.definition, asked.rng.choice(asked.orders)
    pair = f"greedy:ties={ties}", "greedy:endgame=0"
    found = asked.run("compare", *pair, asked.game, "--positions", 2, "--jobs", 1)
    played = [empty.played(empty.player(ties, 4)), empty.played(empty.player("first", 0))]
    means = [total_of(histogram) / sum(histogram.values()) for histogram in played]
    assert (found["is_exact"], found["standard_error"]) == (True, 0)
    assert abs(found["first_mean"] - means[0]) < 1e-9
    assert abs(found["second_mean"] - means[1]) < 1e-9
    assert abs(found["saved"] - (means[0] - means[1])) < 1e-9


def check_pattern(asked):
    """Each configuration played by `Pattern.shot`, which goes by rows and columns."""
    if asked.rules.board != "rectangle":
        return
    rng = asked.rng
    modulus = rng.randint(1, 4)
    colours = "".join(rng.sample("0123"[:modulus], rng.randint(1, modulus)))
    scan = rng.choice(("rows", "snake", "diagonals", "antidiagonals", "spiral", "central"))
    has_shapes = LYING.keys() & {*asked.rules.fleet}
    water = rng.randint(0, 1) if asked.rules.contact == "none" and not has_shapes else 0
    strategy = (
        f"pattern:modulus={modulus},colours={colours},scan={scan},"
        f"clear={rng.choice(('cross', 'line', 'sunk'))},water={water}"
    )
    pattern, game = named(strategy), Game.parse(asked.game)
    played = Counter()
    for ships in asked.rules.configurations:
        hits, shots = 0, []
        while sum(ships) & ~hits:
            row, column = pattern.shot(Position.parse(game, " ".join(shots)))
            cell = row * asked.rules.columns + column
            reply = asked.rules.reply(ships, hits, cell)
            hits |= (reply != "miss") << cell
            shots.append(f"{asked.rules.name(cell)}={reply}")
        played[len(shots)] += 1
    assert evaluated(asked, strategy) == played


# What a browser may ask of the board: valid requests, and requests that no page makes

ODD = [
    *("", ",", " ", "=", ":", ";", "sunk", "=hit", "=miss", "=sunk:2", "\0", "\ud800", "\xb2"),
    *("A1", "b2", "A0", "Z9", "AA1", "9" * 5000, "A1=hit", "A1=miss", "B1=sunk", "C1=sunk:99999"),
]
VALUES = (None, True, 0, -1, 2, 10**4000, 0.5, 1e308, float("inf"), float("nan"), [], {}, [[""]])
NAMES = (*BY_TEXTS, "about", "review", "begin", "shoot", "match")
KEYS = ("shots", "cell", "text", "number", "against", "ships", "match", "page", "setting", "prior")


def check_board(asked):
    """The board's answers are those of the definition, and those of `advise` where it has none.

    Whatever is asked is answered or refused, in a form that can be sent.
    """
    rng, game = asked.rng, Game.parse(asked.game)
    table = RequestHandler(Setting(game), Games(), 10.0)

    async def compute_here(_page, work, *arguments):
        return work(*arguments)

    table.engine.ask = compute_here

    def answer(name, request):
        asked.lines[:] = [f"{name} {json.dumps(request)} of {asked.game}"]
        try:
            request = json.loads(json.dumps(request))
            found = asyncio.run(table.answer(name, request))
        except OptsearchError as error:
            found = {"error": str(error)}
        assert found.get("error") != ""
        json.dumps(found, ensure_ascii=False, allow_nan=False).encode()  # as it is sent
        return found

    shots = asked.case.position.replace(" ", ",")
    found = answer("advice", {"shots": shots, "page": "p"})
    assert found["configurations"] == str(asked.configurations)
    family = asked.root.family
    covered = [sum(sum(ships) >> cell & 1 for ships in family) for cell in range(game.cells)]
    assert found["counts"] == [str(n) for n in covered]
    if not found["over"]:
        end = answer("endgame", {"shots": shots})["optimum"]
        assert (end["total"], end["cells"]) == (str(asked.total()), asked.best())
    begun = answer("begin", {"against": ""})["match"]
    names = asked.names(range(game.cells))
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
    asked = Asked(call_command, case)
    try:
        for one in (*ALWAYS, *case.checks):
            is_unshown = case.rules.announce == "place" or case.rules.tells is not None
            if is_unshown and one in UNSHOWN:
                continue
            asked.lines.clear()
            one(asked)
    except Exception as error:
        commands = "\n".join(asked.lines)
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
    @example(Case(Rules(2, 3, (3, 2, 1), "any", *of_file("ends")), checks=(check_equilibrium,)))
    @example(Case(Rules(3, 4, (3, 2, 2), "any", *of_file("orientation")), ONE_CELL_LEFT))
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
