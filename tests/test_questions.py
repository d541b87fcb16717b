"""What questions tell, and answers as knowledge, beside a brute force that shares no code."""

import json
import pickle
from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from math import log2

import numpy as np
import pytest

from optsearch import Game, OptsearchError, Position, Posterior, Prior, ask, solve
from optsearch.counting.configurations import to_masks
from optsearch.counting.prior import FleetPrior
from optsearch.game.fleets import MixedPosition
from optsearch.play.advice import advise
from optsearch.questions import known, worth
from optsearch.questions.questions import built_in_questions, question_of_shot
from optsearch.results.tables import TABLES
from tests.definition import Definition, Rules
from tests.test_budget import ROOT

GAME = "6x6:4,3,2,contact=any,announce=name"
SHOTS = "C3=miss B2=hit:3 E5=miss D4=hit:4"
SIDE = 6


@cache
def boards():
    """Every board that the shots leave: the length of the ship on each cell (row, column)."""
    rules = Rules(SIDE, SIDE, (4, 3, 2), "any", "name")
    shots = [shot.split("=") for shot in SHOTS.split()]
    left = [
        {
            divmod(cell, SIDE): ship.bit_count()
            for ship in ships
            for cell in range(SIDE**2)
            if ship >> cell & 1
        }
        for ships in rules.configurations
        if all(rules.reply(ships, 0, rules.cell(cell)) == reply for cell, reply in shots)
    ]
    assert 100 < len(left) < 1000
    return left


def is_inside(region, cell):
    """Whether a cell is in `row 3`, `column B` or `top left`."""
    row, column = cell
    first, second = region.split()
    if first == "row":
        return row == int(second) - 1
    if first == "column":
        return column == ord(second) - ord("A")
    return (row < 3) == (first == "top") and (column < 3) == (second == "left")


def answer(text, board):
    """The answer to a built-in question by its words."""
    if text == "two ships touch":
        beside = (((i, j), other) for i, j in board for other in ((i + 1, j), (i, j + 1)))
        touch = any(b in board and board[a] != board[b] for a, b in beside)
        return "yes" if touch else "no"
    if text.startswith("ship "):
        _, length, what, *where = text.split()
        cells = [cell for cell in board if board[cell] == int(length)]
        if what == "horizontal":
            return "yes" if len({row for row, _ in cells}) == 1 else "no"
        named = {f"{chr(ord('A') + column)}{row + 1}" for row, column in cells}
        return "yes" if where[0] in named else "no"
    region = text.removeprefix("any in ")
    number = sum(is_inside(region, cell) for cell in board)
    return str(number) if region == text else "yes" if number else "no"


def by_definition(answers, wrong):
    """Probabilities, bits and gain of a question. answers -- of each board; wrong -- exact."""
    named = sorted({*answers})
    k, n = len(named), len(answers)
    chances = {one: Fraction(answers.count(one), n) for one in named}
    heard_if = {
        (heard, true): (1 - wrong if heard == true else wrong / (k - 1)) if k > 1 else Fraction(1)
        for heard in named
        for true in named
    }
    heard = {h: sum(heard_if[h, true] * chances[true] for true in named) for h in named}
    noise = [heard_if[h, named[0]] for h in named]
    bits = sum(p * log2(p) for p in noise if p) - sum(p * log2(p) for p in heard.values() if p)
    shot = {(2, 2), (1, 1), (4, 4), (3, 3)}
    open_cells = [(i, j) for i in range(SIDE) for j in range(SIDE) if (i, j) not in shot]
    having = {(cell, one): 0 for cell in open_cells for one in named}
    for board, one in zip(boards(), answers, strict=True):
        for cell in board.keys() - shot:
            having[cell, one] += 1
    after = sum(
        max(sum(heard_if[h, one] * having[cell, one] for one in named) for cell in open_cells)
        for h in named
    )
    before = max(sum(having[cell, one] for one in named) for cell in open_cells)
    return chances, bits, Fraction(after - before) / n


@pytest.mark.parametrize("wrong", ["0", "0.1"])
def test_all_that_is_exact_is_that_of_the_definition(monkeypatch, wrong):
    """Listed, or counted: all but the questions that only a sample of the boards can answer."""
    listed = ask(Position(GAME, SHOTS), wrong=wrong)
    monkeypatch.setattr(worth, "MOST_LISTED", 0)
    counted = ask(Position(GAME, SHOTS), wrong=wrong, samples=10, seed=1)
    counted = {one.question: one for one in counted if one.method != "sampled"}
    assert {one.question for one in listed} == {*built_in_questions(Game(GAME))}
    assert len(listed) - len(counted) == 2 * SIDE + 5
    assert listed == sorted(listed, key=lambda one: -round(one.bits, 9))
    for one in listed:
        answers = [answer(one.question, board) for board in boards()]
        chances, bits, gain = by_definition(answers, Fraction(wrong))
        assert (one.answers, one.gain, one.method) == (chances, gain, "listed")
        assert one.bits_error is one.gain_error is None
        assert one.bits == pytest.approx(bits, abs=1e-12)
        assert sum(one.answers.values()) == 1
        if one.question in counted:
            assert counted[one.question] == replace(one, method="counted")


@pytest.mark.parametrize("wrong", ["0", "0.1"])
def test_a_sample_agrees_within_its_error(monkeypatch, wrong):
    monkeypatch.setattr(worth, "MOST_LISTED", 0)
    for one in ask(
        Position(GAME, SHOTS), ["row 3", "top left", "two ships touch"], wrong=wrong, seed=2
    ):
        answers = [answer(one.question, board) for board in boards()]
        _, bits, gain = by_definition(answers, Fraction(wrong))
        assert one.method == "sampled"
        assert 0 < one.bits_error < 0.02
        assert abs(one.bits - bits) < 3 * one.bits_error
        assert float(one.gain) == pytest.approx(float(gain), abs=4 * one.gain_error)


def test_two_answers_tell_what_the_paper_says():
    """H(e + (1 - 2e) p) - H(e), as `EIGCalculator` of their repository computes it."""

    def entropy(p):
        return -p * log2(p) - (1 - p) * log2(1 - p)

    (one,) = ask(GAME, ["any in row 1"], wrong=0.1)
    p = float(one.answers["yes"])
    assert one.bits == pytest.approx(entropy(0.1 + 0.8 * p) - entropy(0.1), abs=1e-12)


def test_a_reply_is_a_question(monkeypatch):
    """Its answers are counted where sinkings are told, too."""
    position = Position("4x4:3,2,announce=ship", "B2=hit C2=hit")
    for listed in (worth.MOST_LISTED, 0):
        monkeypatch.setattr(worth, "MOST_LISTED", listed)
        (one,) = worth.Inquiry(position).rank([question_of_shot(position, (1, 3))])
        after = {reply: Posterior(position.after("D2", reply)) for reply in one.answers}
        assert {*one.answers} == {"miss", "sunk:3"}
        total = Posterior(position).configurations
        for reply, chance in one.answers.items():
            assert chance == Fraction(after[reply].configurations, total)


@pytest.mark.parametrize("wrong", [0, Fraction(1, 4)])
def test_the_optimum_after_an_answer(wrong):
    rules = Rules(3, 3, (2,))
    family = rules.configurations
    (one,) = ask("3x3:2", ["row 1"], wrong=wrong)
    cells = [sum(ships).__and__(7).bit_count() for ships in family]
    total = 0
    for heard in {*cells}:
        chance = {n: 1 - wrong if n == heard else Fraction(wrong, 2) for n in (0, 1, 2)}
        weights = {ships: chance[n] for ships, n in zip(family, cells, strict=True)}
        brute = Definition(rules, weights=weights)
        total += brute.optimum(brute.root)
    assert one.mean == Fraction(total, len(family))
    assert ask("3x3:2", ["two ships touch"])[0].mean == solve("3x3:2").mean


QUESTIONS = """
def long_is_left(board):
    rows, columns = (board == 1).nonzero()
    return bool(columns.max() < 4)

def first_row(board):
    return int((board[0] > 0).sum())

def breaks(board):
    return board[99, 0]

def nothing(board):
    pass

def two(board, shots):
    return True
"""


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.py").write_text(QUESTIONS)


def test_questions_of_users(file, call_command):
    position = Position(GAME, SHOTS)
    (one,) = ask(position, ["q.py:long_is_left"])
    left = [all(column < 4 for (_, column), n in board.items() if n == 4) for board in boards()]
    assert one.answers["yes"] == Fraction(sum(left), len(left))
    mine, built = (
        ask(position, [q])[0] for q in (lambda board: np.count_nonzero(board[0]), "row 1")
    )
    assert (mine.answers, mine.gain) == (built.answers, built.gain)
    out = call_command(
        "ask", GAME, "--question", "q.py:first_row", "--question", "Row 1", "--json"
    )[1]
    one, other = json.loads(out)["questions"]
    assert one["answers"] == other["answers"]
    assert one["question"] == "q.py:first_row"


@pytest.mark.parametrize(
    ("arguments", "quoted"),
    [
        (["--question", "row 9"], "'row 9' is not a question about 6x6"),
        (["--question", "q.py:none"], "q.py has no 'none'; it defines long_is_left"),
        (["--question", "z.py:none"], "no Python file 'z.py'"),
        (["--question", "q.py:breaks"], "q.py:breaks fails for a board: IndexError"),
        (["--question", "q.py:nothing"], "q.py:nothing answers None"),
        (["--question", "q.py:two"], "takes (board, shots); a question is a function of one"),
        (["--wrong", "2"], "--wrong '2' is not a probability"),
        (["--wrong", "x"], "--wrong 'x' is not a probability"),
        (["--know", "row 3"], "'row 3' is not a known answer; write QUESTION: ANSWER"),
        (
            ["--know", "any in row 3: maybe"],
            "'maybe' does not answer 'any in row 3'; answer yes or",
        ),
        (["--know", "row 3: 9"], "'9' does not answer 'row 3'; answer 0 or 1"),
        (
            ["--know", "row 3: 0", "--know", "any in row 3: yes"],
            "has weight 0 by what is known (row 3: 0, any in row 3: yes)",
        ),
        (["--shots", "A1=hit:5"], "hit:5"),
    ],
)
def test_bad_input(file, call_command, arguments, quoted):
    status, out, err = call_command("ask", GAME, *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert quoted in err


# Known answers

KNOWN = "row 3: 2", "ship 4 horizontal: yes"


def fits(board):
    return all(answer(*text.split(": ")[:1], board) == text.split(": ")[1] for text in KNOWN)


def test_known_answers_condition_a_posterior():
    left = [board for board in boards() if fits(board)]
    prior = known(GAME, *KNOWN)
    found = Posterior(Position(GAME, SHOTS), prior=prior)
    assert 0 < found.configurations == len(left) < len(boards())
    for cell, chance in np.ndenumerate(np.array(found.frequency, object)):
        assert chance == Fraction(sum(cell in board for board in left), len(left))
    for ships in found.sample(20, seed=1, masks=True):
        assert prior.weight(to_masks(ships)[::-1]) == 1
    assert pickle.loads(pickle.dumps(found)).configurations == len(left)


def test_known_answers_beside_a_prior_and_in_advice(call_command):
    game = Game("4x4:3,2")
    weights = Prior.of_cells(game, {(0, 0): 3}, "product")
    base, both = (
        Posterior(game, prior=p) for p in (weights, known(game, "row 2: 0", prior=weights))
    )
    rest = sum(
        w for ships, w in zip(*base.list_weighted(), strict=True) if not ships[:, 0].sum() & 0xF0
    )
    assert both.weight == rest > both.configurations
    advice = advise(Position(game), 200, known(game, "row 2: 0"))
    boards = [ships for ships in Rules(4, 4, (3, 2)).configurations if not sum(ships) & 0xF0]
    row = Prior.of_configurations(game, dict.fromkeys(boards, 1))
    assert advice.optimum.mean == solve(game, prior=row).mean
    assert advice.posterior.configurations == len(boards)
    said = json.loads(call_command("posterior", str(game), "--know", "row 2: 0", "--json")[1])
    assert (said["known"], said["configurations"]) == (["row 2: 0"], len(boards))


def test_known_answers_about_ships_of_one_length():
    """Ships of one length that letters tell apart."""
    game = Game("4x4:2a,2b,contact=any,announce=name")
    found = Posterior(game, prior=known(game, "ship 2a on A1: yes"))
    left = [
        ships for ships in Rules(4, 4, ("2a", "2b"), "any", "name").configurations if ships[0] & 1
    ]
    assert found.configurations == len(left)
    assert found.frequency[0][1] == Fraction(sum(sum(s) >> 1 & 1 for s in left), len(left))


def test_weights_too_far_apart_for_floats():
    """A board of probability 10^-400 adds nothing to the bits; such weights are not searched."""
    prior = Prior.of_cells(Game.parse("3x3:2"), {(0, 0): 10**400}, "product")
    (row,) = ask("3x3:2", ["row 1"], prior=prior)
    assert row.answers["0"] == Fraction(7, 10 + 2 * 10**400)
    assert (row.bits, row.mean) == (1, None)
    assert advise(Position("3x3:2"), prior=prior).optimum is None


def test_too_many_boards_are_refused():
    with pytest.raises(
        OptsearchError, match=r"what is known \(row 1: 2\).*1,925,751,392 .*too many"
    ):
        _ = Posterior("paper", prior=known("paper", "row 1: 2")).configurations


def test_a_barred_ship_is_not_there():
    game = Game("5x5:3a,3b,announce=name")
    barred = frozenset((game.fleet[0], ship) for ship in game.placements(game.fleet[0])[:7])
    boards = Posterior(game).list_all(masks=True)
    left = sum((game.fleet[0], ships[0]) not in barred for ships in map(to_masks, boards))
    assert Posterior(game, barred=barred).configurations == left


# Fleets that are not known


@cache
def vectors():
    """Boards of 4x4 with two ships of 2 or 3 cells, a and b: the ships by name, and a weight."""
    found = {}
    for a, b in product((2, 3), repeat=2):
        fleet = (f"{a}a", f"{b}b")
        boards = Rules(4, 4, tuple(sorted(fleet, reverse=True)), "any", "name").configurations
        for ships in boards:
            named = dict(zip(sorted(fleet, reverse=True), ships, strict=True))
            found[named[fleet[0]], named[fleet[1]]] = Fraction(1, len(boards))
    return found


def of_two(text, a, b):
    """The answer to a built-in question about the ships a and b, masks on 4x4."""
    ship = {"a": a, "b": b}
    match text.split():
        case "length", "of", "ship", name:
            return str(ship[name].bit_count())
        case "ship", name, "horizontal":
            return (
                "yes"
                if len({cell // 4 for cell in range(16) if ship[name] >> cell & 1}) < 2
                else "no"
            )
        case "ship", name, "on", cell:
            return (
                "yes" if ship[name] >> ("ABCD".index(cell[0]) + 4 * int(cell[1]) - 4) & 1 else "no"
            )
        case "any", "in", "row", row:
            return "yes" if (a | b) >> 4 * (int(row) - 1) & 15 else "no"
        case "row", row:
            return str(((a | b) >> 4 * (int(row) - 1) & 15).bit_count())
    return None


@pytest.mark.parametrize("has_prior", [False, True])
@pytest.mark.parametrize("shots", ["", "B2=hit:a A1=miss"])
def test_a_fleet_that_is_not_known(monkeypatch, shots, has_prior):
    """By default each vector of lengths is equally likely; with the prior, each configuration."""
    left = {
        (a, b): Fraction(1) if has_prior else weight
        for (a, b), weight in vectors().items()
        if not shots or (a >> 5 & 1 and not (a | b) & 1)
    }
    total = sum(left.values())
    position = MixedPosition("4x4:2-3a,2-3b,contact=any,announce=name", shots)
    prior = FleetPrior(position.game) if has_prior else None
    listed = {one.question: one for one in ask(position, prior=prior)}
    monkeypatch.setattr(worth, "MOST_LISTED", 0)
    counted = {one.question: one for one in ask(position, samples=2000, seed=1, prior=prior)}
    assert {one.method for one in counted.values()} == {"counted", "sampled"}
    for text, one in listed.items():
        brute = defaultdict(Fraction)
        for (a, b), weight in left.items():
            brute[of_two(text, a, b)] += weight / total
        if None not in brute:
            assert one.answers == dict(brute)
        other = counted[text]
        if other.method == "counted":
            assert (other.answers, other.bits) == (one.answers, pytest.approx(one.bits))
        assert abs(other.gain - one.gain) <= 4 * other.gain_error
    inquiry = worth.Inquiry(position)
    shot, bits = inquiry.best_shot
    monkeypatch.setattr(worth, "MOST_LISTED", 10**6)
    assert worth.Inquiry(position).best_shot == (shot, pytest.approx(bits))


def test_the_numbers_of_the_page():
    page = " ".join((ROOT / "docs" / "questions.md").read_text(encoding="utf-8").split())
    rows = defaultdict(list)
    for row in TABLES["questions"].read():
        rows[row["kind"]].append(row)

    def mean(kind, column):
        return f"{sum(row[column] for row in rows[kind]) / len(rows[kind]):.2f}"

    assert {len(of_kind) for of_kind in rows.values()} == {18}
    assert f"the shot {mean('shot', 'bits')} on average" in page
    how_many, cell = (
        f"{mean(kind, 'bits')}{unit} and adds {mean(kind, 'gain')}"
        for kind, unit in (("cells_in_region", " bits"), ("cell_of_ship", ""))
    )
    assert f"tells {how_many} to the next hit" in page
    assert f"tells {cell} (" in page
    two = ("ship_in_region", "ship_is_horizontal", "cell_of_ship", "two_touch")
    least = min(row["bits"] for row in rows["shot"])
    assert all(row["bits"] <= 1 < least for kind in two for row in rows[kind])
    assert max(row["bits_if_wrong"] for kind in two for row in rows[kind]) == pytest.approx(
        0.531, abs=1e-3
    )
