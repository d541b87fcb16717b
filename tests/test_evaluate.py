"""Strategies evaluated on every configuration: the kernel, plain Python, and games played."""

import csv
import re
import signal
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from optsearch.check import reference
from optsearch.cli.answers import json_text
from optsearch.cli.evaluating import answer_of
from optsearch.counting.configurations import Configurations
from optsearch.evaluation import ROW_BYTES, FollowedTask, evaluate, play_sample
from optsearch.game import Game
from optsearch.game.position import Position, reply
from optsearch.search import greedy as exact_greedy
from optsearch.search.solver import solve
from optsearch.strategies import Level, named
from optsearch.strategies.greedy import optimal_shot
from optsearch.strategies.pattern import SCANS, Pattern, pattern_of
from optsearch.strategies.rollout import estimate, least_misses
from optsearch.support.errors import ImpossiblePosition, TableError, TooLarge
from optsearch.support.records import read
from optsearch.support.store import Facts
from optsearch.support.workers import Execution
from tests.examples import EVERY_RULE, draws, games, some, up_to
from tests.plain import Plain, looking
from tests.processes import run_command
from tests.stores import facts_of, what_of, write_facts

ROOT = Path(__file__).resolve().parent.parent
SMALL = ("4x4:3,2", "4x5:4,3,2", "5x5:3,2")  # of issue's independent check
SAMPLED = looking("rollout:candidates=4,screen=64,finalists=2,cap=128", truncate=5)
PAPER = Game.parse("10x10:5,4,3,3,2")


def played(strategy, game):
    """The histogram by the definition: every configuration is played to its end, alone."""
    histogram = Counter()
    shots = {}
    for configuration in reference.configurations(Position(game)):
        position = Position(game)
        while position.hits.bit_count() < game.fleet_cells:
            if position not in shots:
                shots[position] = strategy.shot(position)
            cell = shots[position]
            answer = reply(game, configuration, position.hits, game.bit(cell))
            position = position.after(cell, answer)
        histogram[len(position.shots)] += 1
    return dict(sorted(histogram.items()))


@pytest.mark.parametrize("game", some(2, SMALL, 1))
@pytest.mark.parametrize(
    "text",
    ["greedy", "greedy:ties=checkerboard,endgame=0", "pattern:clear=line", "pattern:water=1"],
)
def test_every_configuration_played(text, game):
    game = Game.parse(game)
    assert evaluate(named(text), game).histogram == played(named(text), game)


TWO = Level(64, 2, 0, 1)  # compares two cells on a sample
NESTED = looking(
    "nested:candidates=3,screen=64,finalists=2,cap=128,second=256",
    **{"truncate": 5, "above": 70, "inner": TWO},
)
LEVELS = looking(
    "levels:candidates=3,screen=64,finalists=2,cap=128,second=256,until=200,depth=2",
    **{"truncate": 5, "above": 64, "inner": TWO},
    **{"first": Level(4, 1, 30, 32), "higher": Level(5, 3, 10, 2)},
)
FOUR = looking("levels:depth=4", higher=Level(4, 6, 2, 6))
EMPTY = looking(
    "rollout:candidates=3,percent=0,endgame=4,screen=64,finalists=1,cap=64", truncate=30
)


@pytest.mark.parametrize(
    ("strategy", "game"),
    some(
        5,
        [
            *[(named("rollout"), "4x4:3,2"), (SAMPLED, "4x5:4,3,2"), (NESTED, "4x5:3,2")],
            *[(LEVELS, "4x5:3,2"), (FOUR, "3x4:2,2")],
            *[(named("levels"), "4x4:3,2"), (EMPTY, "8x9:1")],
        ],
        3,  # the last is in test_evaluate_announced, too
    ),
)
def test_rollouts_played(strategy, game):
    """The definition in plain Python beside the kernel.

    4x5:4,3,2 is above the second's cap. Of some of the 72 configurations of 8x9:1 samples are
    empty. 4x5:3,2 has 242, more than the levels' largest families, and than a word.
    """
    game = Game.parse(game)
    assert evaluate(strategy, game).histogram == played(strategy, game)


@draws(40, few=5)
@given(
    games(max_cells=12, announce=EVERY_RULE),
    st.sampled_from(["", ",policy=spread", ",rank=spread"]),
    *(st.integers(*accepted) for accepted in [(1, 3), (1, 5), (4, 40), (0, 99), (0, 20), (1, 4)]),
)
def test_levels_of_random_games(game, scores, depth, width, least, drop, close, kept):
    """The definition in plain Python beside the kernel, whatever a hit tells."""
    strategy = looking(
        f"levels:until=64,depth={depth}{scores}",
        first=Level(4, 1, drop, 32),
        higher=Level(least, width, close, kept),
    )
    if any(True for _ in reference.configurations(Position(game))):
        evaluation = evaluate(strategy, game)
        assert evaluation.histogram == evaluate(Plain(strategy), game).histogram


@draws(40)
@given(
    games(max_cells=up_to(9, 12)),
    st.sampled_from(["greedy", "greedy:ties=last,endgame=6", "rollout:percent=80"]),
)
def test_random_games(game, text):
    strategy = named(text)
    if not any(True for _ in reference.configurations(Position(game))):
        with pytest.raises(ImpossiblePosition):
            evaluate(strategy, game)
        return
    evaluation = evaluate(strategy, game)
    assert evaluation.histogram == evaluate(Plain(strategy), game).histogram
    assert evaluation.total_height >= solve(Position(game)).total_height


@pytest.mark.parametrize("ties", ["first", "checkerboard"])
@pytest.mark.parametrize("game", [*SMALL, "3x5:3,2,contact=corner", "4x4:2,2,contact=any"])
def test_greedy_of_the_other_kernel(game, ties):
    """`optsearch.greedy` has another kernel and no exact endgame: here it is turned off."""
    game = Game.parse(game)
    evaluation = evaluate(named(f"greedy:ties={ties},endgame=0"), game)
    assert evaluation.total_height == exact_greedy.GreedySolver(Position(game)).total_height(ties)


# The top of the tree, tasks and workers


@pytest.mark.parametrize(
    "text",
    [
        "greedy",
        "rollout:candidates=2,screen=64,finalists=1,cap=1024",
        looking("nested:candidates=2,screen=512,cap=512,second=1024", above=60000, inner=TWO),
        looking(
            "levels:candidates=2,screen=512,cap=512,second=1024,until=1024",
            higher=Level(100, 2, 2, 6),
        ),
        "pattern",
    ],
)
def test_tasks_do_not_change_the_answer(text):
    """More than 65,536 configurations are several tasks with the least memory."""
    game = Game.parse("7x7:3,2,2")
    evaluation = evaluate(text, game)
    parts = evaluate(text, game, memory=ROW_BYTES << 16)
    assert evaluation.tasks == 1
    assert parts.tasks > 1
    assert parts == evaluation


def test_processes():
    game = Game.parse("7x7:3,2,2")
    reports = []
    found = evaluate(
        named("greedy"),
        game,
        memory=ROW_BYTES << 16,
        execution=Execution(jobs=2, progress=reports.append),
    )
    assert found == evaluate(named("greedy"), game)
    assert reports[-1].done == reports[-1].total == found.configurations
    assert reports[-1].shots == found.total_height
    assert reports[-1].mean == float(found.mean)
    assert [report.done for report in reports] == sorted(report.done for report in reports)


def test_one_configuration_followed():
    game = Game.parse("5x6:3,2,2")
    for text in ("greedy", SAMPLED):
        shots, histogram = FollowedTask(text, Position(game)), Counter()
        for index in range(shots.configurations):
            histogram[shots.shots(index)] += 1
        assert dict(sorted(histogram.items())) == evaluate(text, game).histogram


# Interruptions

LONG = ["rollout:candidates=4,percent=50,screen=512,finalists=2,cap=4096", "8x8:3,2,2"]


def evaluating(folder, jobs):
    """The command on LONG with a checkpoint, in many tasks."""
    memory = ROW_BYTES * 2**16 / 2**30
    options = ("--resume", folder, "--memory", memory, "--jobs", jobs, "--json")
    return "evaluate", *LONG, *options


@cache
def uninterrupted():
    return evaluate(named(LONG[0]), Game.parse(LONG[1]))


@pytest.mark.parametrize(
    ("action", "jobs", "ended"), [("kill", 2, -signal.SIGKILL), ("interrupt", 1, 130)]
)
def test_interrupted_and_resumed(call_command, interrupt_at, tmp_path, action, jobs, ended):
    command = evaluating(tmp_path / "run", jobs)
    if action == "kill":
        hooks = "from optsearch.support.store import Facts; at(Facts, 'add', kill, 10)"
        status, out, errors = run_command(*command, hooks=hooks)
    else:
        interrupt_at(Facts, "add", 10)
        status, out, errors = call_command(*command)
    assert (status, out) == (ended, ""), errors
    assert "Traceback" not in errors
    assert 5 <= len(facts_of(tmp_path / "run")) <= 10  # one of them, the seconds, again and again
    status, answer, errors = call_command(*evaluating(tmp_path / "run", 1))
    assert status == 0, errors
    evaluation = uninterrupted()
    assert answer == f"{json_text(answer_of(evaluation).fields)}\n", errors
    again = evaluate(
        named(LONG[0]),
        Game.parse(LONG[1]),
        memory=ROW_BYTES << 16,
        execution=Execution(checkpoint=tmp_path / "run"),
    )
    assert again == evaluation
    assert again.resumed == again.tasks > 3


def kept(tmp_path):
    """An evaluation of many tasks: how to run it on a checkpoint, and what it keeps, of what."""
    strategy, game = named("greedy:ties=first,endgame=4"), Game.parse("8x8:3,2,2")

    def run(folder):
        return evaluate(
            strategy, game, memory=ROW_BYTES << 16, execution=Execution(checkpoint=folder)
        )

    run(tmp_path / "first")
    return run, what_of(tmp_path / "first"), facts_of(tmp_path / "first")


def test_what_contradicts_the_game_is_refused(tmp_path):
    """Behind good checksums, too: no damage of a checkpoint is an assertion, or a wrong total."""
    run, title, facts = kept(tmp_path)
    rng = np.random.default_rng(8)
    kinds = {"task": 0, "shot": 0, "seconds": 0}
    for number in rng.permutation(len(facts)).tolist():
        name, stored = list(facts.items())[number]
        kind = name.split()[0]
        if kinds[kind] == 2:
            continue
        kinds[kind] += 1
        if kind == "task":
            less = list(stored)
            less[int(np.flatnonzero(stored)[0])] -= 1
            wrong = [less, [*stored, 1], [*stored[:-1], "x"], [*stored, -1, 1], 3, None, {}, [1.5]]
        elif kind == "seconds":
            wrong = [-stored, "x", None, 3, [stored], float("inf")]
        else:
            wrong = [[64, 0], [-1, 0], [stored[0], 2**40], [stored[0], -1], [1], "x", [True, 0]]
        for i, value in enumerate(wrong):
            folder = tmp_path / f"{number} {i}"
            write_facts(folder, title, {**facts, name: value})
            with pytest.raises(TableError, match="is damaged: "):
                run(folder)
    assert kinds == {"task": 2, "shot": 2, "seconds": 1}


def test_seconds_of_the_runs_before_count(tmp_path):
    run, title, facts = kept(tmp_path)
    write_facts(tmp_path / "long", title, {**facts, "seconds": 1e6})
    assert 1e6 <= run(tmp_path / "long").seconds < 2e6
    del facts["seconds"]
    write_facts(tmp_path / "old", title, facts)
    assert run(tmp_path / "old").seconds < 1e6


# Strategies


def test_optimal_shots():
    rng = np.random.default_rng(3)
    for _ in range(50):
        sets = sorted({int(x) for x in rng.integers(1, 128, 5)})
        order = list(range(7))
        shot = optimal_shot(sets, order)
        certain = [cell for cell in order if all(s >> cell & 1 for s in sets)]
        if certain:
            assert shot == certain[0]
        elif len(sets) > 1:
            costs = {}
            for cell in order:
                hit = [s for s in sets if s >> cell & 1]
                missed = [s for s in sets if not s >> cell & 1]
                if hit and missed:
                    costs[cell] = len(missed) + least_misses(hit) + least_misses(missed)
            assert costs[shot] == least_misses(sets) == min(costs.values()), sets
            assert shot == min(cell for cell in costs if costs[cell] == costs[shot])


@pytest.mark.parametrize("scan", SCANS)
def test_patterns(scan):
    game = Game.parse("4x5:2")
    pattern = pattern_of(game, 4, "02", scan)
    assert sorted(pattern) == list(range(20))
    colours = [sum(game.cell(cell)) % 4 for cell in pattern]
    assert colours == [0] * 5 + [2] * 5 + colours[10:]
    assert set(colours[10:]) == {1, 3}
    spiral = "A1 B1 C1 D1 E1 E2 E3 E4 D4 C4 B4 A4 A3 A2 B2 C2 D2 D3 C3 B3"
    if scan == "spiral":
        names = [game.names(1 << cell)[0] for cell in pattern_of(game, 1, "0", scan)]
        assert " ".join(names) == spiral


def test_a_sample_of_all_configurations():
    """A pattern that plays them has the histogram of its evaluation."""
    game = Game.parse("4x5:3,2")
    sets = Configurations(Position(game)).list()
    for pattern in (Pattern(3, "02", "spiral", "line"), Pattern(2, "1", "rows", "cross")):
        histogram = play_sample(pattern, game, sets)
        counts = {shots: int(n) for shots, n in enumerate(histogram) if n}
        assert counts == evaluate(pattern, game).histogram


def test_estimates_between_the_columns():
    for k in (2, 7, 17):
        values = [estimate(1, k, bits) for bits in range(1, 24)]
        assert values == sorted(values)
    assert estimate(1, 5, 0) == 0
    low, high = estimate(8, 6, 0) / 8, estimate(10, 6, 0) / 10
    assert min(low, high) <= estimate(9, 6, 0) / 9 <= max(low, high)


# A user's own strategy, announced sinkings, errors


def test_samples_above_the_tasks_take_the_memory_of_a_process(monkeypatch):
    """More than the tasks do, which are no larger where memory allows; and no more than it."""
    game, strategy = Game.parse("8x8:4,3,2"), named("rollout:candidates=2,screen=64,cap=32768")
    evaluation = evaluate(strategy, game)
    assert 32 * evaluation.configurations > ROW_BYTES << 16
    monkeypatch.setattr("optsearch.evaluation.runners.MOST_LISTED", 1 << 16)
    assert evaluate(strategy, game).histogram == evaluation.histogram
    with pytest.raises(TooLarge, match="more memory"):
        evaluate(strategy, game, memory=ROW_BYTES << 16)


# Committed results


@pytest.mark.parametrize("path", sorted((ROOT / "data/results/evaluations").glob("*.csv")))
def test_committed_evaluations(path):
    """Each table has every configuration of its game, and its header says what it adds up to."""
    record = read(path)
    with path.open(encoding="utf-8") as file:
        assert next(csv.reader(file))
    histogram = {int(row["shots"]): int(row["configurations"]) for row in record.rows}
    total = sum(shots * n for shots, n in histogram.items())
    assert sum(histogram.values()) == int(record.header["configurations"])
    assert total == int(record.header["total_height"])
    assert max(histogram) == int(record.header["worst"])
    assert min(histogram) >= Game.parse(record.header["game"]).fleet_cells
    assert str(named(record.header["strategy"])) == record.header["strategy"]
    if Game.parse(record.header["game"]) == PAPER:
        assert sum(histogram.values()) == 1_925_751_392


def test_random_is_a_formula(answer_of):
    """The last hit in all orders of the cells, by brute force; whoever hides the ships."""
    orders = list(permutations(range(6)))
    last = Counter(1 + max(order.index(cell) for cell in (0, 1)) for order in orders)
    found = answer_of("evaluate", "random", "2x3:2")
    mean = Fraction(sum(shots * n for shots, n in last.items()), len(orders))
    assert (Fraction(found["mean_exact"]), found["worst"], found["configurations"]) == (mean, 6, 7)
    assert found["probabilities"] == {str(s): last[s] / len(orders) for s in sorted(last)}
    for within in range(8):
        share = Fraction(sum(n for shots, n in last.items() if shots <= within), len(orders))
        found = answer_of("evaluate", "random", "2x3:2", "--within", within)
        assert (found["within"], Fraction(found["share_exact"])) == (within, share)


def test_the_share_of_games_that_end_within_some_shots(answer_of, call_command):
    """By the definition, of which each game is counted; as many as the optimum has, for once."""
    shots_taken = list(Counter(played(named("greedy"), Game("4x4:3,2"))).elements())
    for within in (0, 5, 8, 11, 99):
        answer = answer_of("evaluate", "greedy", "4x4:3,2", "--jobs", 1, "--within", within)
        finished = len([shots for shots in shots_taken if shots <= within])
        assert (answer["within"], answer["finished"]) == (within, finished)
        assert Fraction(answer["share_exact"]) == Fraction(finished, 104)
        assert evaluate("greedy", "4x4:3,2").finished_within(within) == finished
    _, text, _ = call_command("evaluate", "greedy", "4x4:3,2", "--jobs", 1, "--within", 8)
    best = call_command("solve", "4x4:3,2", "--objective", "within=8")[1]
    for output in (text, best):
        assert re.search(r"^within 8 +50 of 104 configurations = 0.480769$", output, re.MULTILINE)
