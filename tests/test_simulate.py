"""Simulated games: the same whoever computes them, resumed, paired; and who hides the boards."""

import json
import pickle
import re
import signal
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from math import sqrt
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from click.testing import CliRunner

from optsearch.cli.command import app
from optsearch.counting.configurations import to_masks
from optsearch.evaluation import choosing, evaluate, top
from optsearch.evaluation.choosing import Chooser
from optsearch.game import Game
from optsearch.game.position import Position, play
from optsearch.play import hiding
from optsearch.play.simulate import Outcome, simulate
from optsearch.strategies import as_strategy, greedy, named
from optsearch.strategies.greedy import forget_counts
from optsearch.support.errors import OptsearchError, StrategyError, TableError
from optsearch.support.store import Facts
from optsearch.support.workers import Execution
from tests.examples import sizes, some
from tests.processes import run_command
from tests.stores import facts_of, what_of, write_facts

GAME = Game.parse("4x4:3,2")
TOUCHING = Game.parse("5x5:3,2,contact=any")
TOUCHING = Game.parse("10x10:5,4,3,3,2,contact=any")


class Rows:
    def shot(self, position):
        return position.game.cell(len(position.shots))


class FixedOrder:
    def __init__(self, cells):
        self.cells = cells

    def shot(self, position):
        return position.game.cell(self.cells[len(position.shots)])


class OpenCell:
    def begin(self, game, generator):
        return FixedOrder(generator.permutation(game.cells).tolist())


def shots(simulation):
    return [outcome.shots.tolist() for outcome in simulation.outcomes]


def run(*arguments):
    return CliRunner().invoke(app, ["simulate", *map(str, arguments)])


# Games


def test_a_hider_by_its_text():
    named, given = (
        simulate("parity", TOUCHING, games=20, boards=who) for who in ("corner", hiding.Corner())
    )
    assert (named.boards, named.outcomes[0].histogram) == (
        given.boards,
        given.outcomes[0].histogram,
    )


@sizes("games", 400, 1000, 2)
def test_means_are_those_of_all_configurations(games):
    found = simulate(["greedy", Rows], GAME, games=games)
    for outcome, strategy in zip(found.outcomes, ("greedy", Rows), strict=True):
        exact = evaluate(strategy, GAME)
        assert abs(outcome.mean - float(exact.mean)) < 4 * exact.sd / sqrt(games)
        assert set(outcome.histogram) <= set(exact.histogram)
        assert abs(outcome.sd - exact.sd) < 0.1 * exact.sd
    (difference,) = found.differences()
    pairs = found.outcomes[1].shots - found.outcomes[0].shots
    assert (difference.slower, difference.faster) == ("Rows", "greedy:ties=first,endgame=4")
    assert difference.mean == pairs.mean()
    assert difference.standard_error == pytest.approx(np.std(pairs, ddof=1) / sqrt(games))


@pytest.mark.parametrize("games", [1, 27, 60])
def test_nothing_depends_on_jobs_or_on_who_else_plays(games):
    alone = simulate([OpenCell], TOUCHING, games=games, seed=3)
    with ThreadPoolExecutor(3) as pool:
        threads = simulate(
            [Rows, OpenCell],
            TOUCHING,
            games=games,
            seed=3,
            execution=Execution(executor=pool, jobs=3),
        )
    assert shots(threads)[1] == shots(alone)[0]
    more = simulate([OpenCell], TOUCHING, games=70, seed=3)
    assert shots(more)[0][:games] == shots(alone)[0]
    other = simulate([OpenCell], TOUCHING, games=70, seed=4)
    assert shots(other) != shots(more)


def test_processes_play_the_same(tmp_path):
    file = tmp_path / "own.py"
    source = Path(__file__).read_text(encoding="utf-8")
    file.write_text(source[source.index("class Rows") : source.index("def shots")])
    names = [f"{file}:OpenCell", f"{file}:Rows"]
    two = simulate(names, TOUCHING, games=40, execution=Execution(jobs=2))
    assert shots(two) == shots(simulate([OpenCell, Rows], TOUCHING, games=40))


# What games share


class CountedShots:
    """Greedy by a class of its own, which notes where it was asked."""

    asked: ClassVar[list] = []

    def shot(self, position):
        self.asked.append(position.shots)
        return named("greedy").shot(position)


class Wavering:
    """Another cell each time that it is asked."""

    def __init__(self):
        self.times = 0

    def shot(self, position):
        self.times += 1
        unknown = [i for i in range(position.game.cells) if not position.closed >> i & 1]
        return position.game.cell(unknown[self.times % len(unknown)])


@pytest.mark.parametrize("bounds", [(), (3, 2, 40, 20), (1, 1, 0, 0)])
@pytest.mark.parametrize(
    ("text", "players"),
    [
        ("4x5:3,2", ["greedy", "greedy:ties=central,endgame=0", "rollout", "pattern", Rows]),
        ("4x4:2,2,1,contact=any", ["greedy", "information", "spread"]),
        ("4x4:3,2,announce=sunk", ["greedy", "spread", CountedShots]),
        ("3x4:2a,2b,contact=any,announce=name", ["greedy", "bisection", "rollout"]),
    ],
)
def test_what_games_share_changes_nothing(text, players, bounds, monkeypatch):
    """As each game by itself, by the definitions; also where next to nothing is kept."""
    kept = ("MOST_ANSWERS", "MOST_CHOOSERS", "MOST_LISTED", "MOST_FOLLOWED")
    for name, bound in zip(kept, bounds, strict=False):
        monkeypatch.setattr(choosing, name, bound)
    for module, name in ((greedy, "REMEMBERED"), (top, "MOST_POSITIONS")) if bounds else ():
        monkeypatch.setattr(module, name, bounds[0])
    game = Game.parse(text)
    boards = list(map(to_masks, hiding.Drawn().boards(game, 12, 7)))
    for player in players:
        (found,) = shots(simulate(player, game, games=12, seed=7))
        alone = as_strategy(player)
        assert found == [len(play(alone.shot, ships, Position(game)).shots) for ships in boards]


def test_what_is_kept_has_bounds(monkeypatch):
    monkeypatch.setattr(choosing, "MOST_ANSWERS", 9)
    monkeypatch.setattr(choosing, "MOST_LISTED", 90)
    monkeypatch.setattr(choosing, "MOST_FOLLOWED", 60)
    monkeypatch.setattr(greedy, "REMEMBERED", 7)
    forget_counts()
    game = Game.parse("4x5:3,2")
    for name, follows in (("greedy", True), (Rows, False)):
        chooser, listed = Chooser(name, game), set()
        for ships in map(to_masks, hiding.Drawn().boards(game, 30, 1)):
            chooser.shots_left(ships, Position(game))
            listed |= set(chooser._followed_tasks)
            assert sum(one.configurations for one in chooser._followed_tasks.values()) <= 90
            assert len(chooser._answers) <= 9
            assert len(greedy._silent._kept) <= 7
        assert (len(listed) > 2) == follows
        assert (len(chooser._answers) == 9) != follows


def test_a_position_is_asked_for_once():
    """And once more, of a user's strategy that meets it again, to see that it answers the same."""
    CountedShots.asked.clear()
    simulate(CountedShots, GAME, games=60, seed=2)
    times = Counter(CountedShots.asked)
    assert times[()] == 2
    assert set(times.values()) == {1, 2}
    with pytest.raises(StrategyError, match="Wavering is not deterministic: on the empty board it"):
        simulate(Wavering, GAME, games=2)


def test_what_is_sent_to_a_process_is_kept_there():
    chooser = Chooser("greedy", GAME)
    first, second = (pickle.loads(pickle.dumps(chooser)) for _ in range(2))
    assert first is second is not chooser
    assert pickle.loads(pickle.dumps(Chooser("greedy", GAME))) is not first


# Checkpoints


class GameLimit(Exception):
    pass


def test_a_stopped_run_goes_on(tmp_path):
    def stop(status):
        if status.done >= 20:
            raise GameLimit

    with pytest.raises(GameLimit):
        simulate(
            ["greedy"], GAME, games=50, execution=Execution(checkpoint=tmp_path, progress=stop)
        )
    reports = []
    found = simulate(
        ["greedy", "pattern"],
        GAME,
        games=55,
        execution=Execution(checkpoint=tmp_path, progress=reports.append),
    )
    assert found.resumed == reports[0].done == 20
    assert reports[0].seconds_to_go is None
    assert reports[-1].done == reports[-1].total == 110
    assert shots(found) == shots(simulate(["greedy", "pattern"], GAME, games=55))
    again = simulate(
        ["pattern", "greedy"], GAME, games=55, execution=Execution(checkpoint=tmp_path)
    )
    assert again.resumed == 110
    assert shots(again) == shots(found)[::-1]


def test_a_checkpoint_is_of_one_game_seed_and_hider(tmp_path):
    simulate(["greedy"], GAME, games=5, execution=Execution(checkpoint=tmp_path))
    for change in ({"seed": 2}, {"boards": hiding.Corner()}):
        with pytest.raises(TableError, match="holds simulation; 4x4:3,2; seed 1; boards uniform"):
            simulate(
                ["greedy"], TOUCHING, **change, games=5, execution=Execution(checkpoint=tmp_path)
            )
    (name,) = facts_of(tmp_path)
    write_facts(tmp_path, what_of(tmp_path), {name: [1, 2, 3]})
    with pytest.raises(TableError, match="damaged"):
        simulate(["greedy"], GAME, games=5, execution=Execution(checkpoint=tmp_path))


# Boards


def test_a_prior_weighs_ships(tmp_path):
    game = Game.parse("1x4:2")
    path = tmp_path / "prior.csv"
    path.write_text("ship,weight\nA1-B1,2\nB1-C1,0\n")
    boards = hiding.hider(str(path)).boards(game, 3000, 1)
    counts = Counter(to_masks(board)[0] for board in boards)
    assert set(counts) == {0b0011, 0b1100}
    assert abs(counts[0b0011] - 2000) < 5 * sqrt(3000 * 2 / 9)
    for text, says in {
        "ship,weight\nA1-A3,2\n": "line 2: 'A1-A3' in column 'ship'",
        "ship,weight\nA1-B1,2\nA1-B1,3\n": "line 3: 'A1-B1' has a weight already, in line 2",
        "ship,weight\nA1-B1,x\n": "'x' in column 'weight'",
        "ship,weight\nA1-B1,-1\n": "'-1' in column 'weight': a weight is a number from 0 up",
    }.items():
        path.write_text(text)
        with pytest.raises(OptsearchError, match=says):
            hiding.hider(str(path)).boards(game, 1, 1)


HIDERS = """
def left(game, generator):
    return [[(0, i) for i in range(3)], [(2, int(generator.integers(3))), (3, 0)]]

def good(game, generator):
    column = int(generator.integers(2))
    return [[(2, column), (2, column + 1), (2, column + 2)], [(0, 0), (0, 1)]]

def near(game, generator):
    return [[(0, 0), (0, 1)], [(1, 0), (1, 1), (1, 2)]]

def few(game, generator):
    return [[(0, 0), (0, 1)]]

def off(game, generator):
    return [[(0, 0), (0, 4)]]

def nothing(game, generator):
    return None

def fails(game, generator):
    raise RuntimeError("out of ideas")

number = 3
"""


def test_boards_of_own_code(tmp_path):
    path = tmp_path / "hide.py"
    path.write_text(HIDERS)
    boards = hiding.hider(f"{path}:good").boards(GAME, 50, 1)
    found = {tuple(to_masks(board)) for board in boards}
    assert found == {(0b111 << 8, 0b11), (0b111 << 9, 0b11)}
    for name, says in {
        "left": "no ship can lie at",
        "near": "two ships touch or overlap",
        "few": r"the ships have the lengths \[2\]; 4x4:3,2 has others",
        "off": "E1 is off the board 4x4",
        "nothing": "no list of ships",
        "fails": "RuntimeError: out of ideas",
        "number": "number is 3; a function is accepted",
        "nobody": "has no 'nobody'",
    }.items():
        with pytest.raises(StrategyError, match=says):
            hiding.hider(f"{path}:{name}").boards(GAME, 1, 1)


# The command


def test_the_moments_of_an_outcome():
    outcome = Outcome("x", GAME, np.array([5, 7, 7, 9]))
    assert (outcome.mean, outcome.median, outcome.worst, outcome.games) == (7, 7, 9, 4)
    assert outcome.sd == pytest.approx(sqrt(8 / 3))
    assert outcome.standard_error == pytest.approx(sqrt(8 / 3) / 2)
    assert outcome.histogram == {5: 1, 7: 2, 9: 1}
    assert [outcome.finished_within(shots) for shots in (4, 5, 6, 7, 9)] == [0, 1, 1, 3, 4]


def test_the_share_of_games_that_end_within_some_shots(answer_of, call_command):
    command = "simulate", "greedy", "parity", "4x4:3,2", "--games", 20, "--jobs", 1, "--within", 9
    found = answer_of(*command)
    assert found["within"] == 9
    for player in found["players"]:
        finished = sum(n for shots, n in player["histogram"].items() if int(shots) <= 9)
        assert (player["finished"], player["share"]) == (finished, finished / 20)
    first, second = (player["share"] for player in found["players"])
    assert first > second
    _, text, _ = call_command(*command)
    assert re.search(rf"worst  within 9\n.* {first:.4f}\n.* {second:.4f}\n", text)
    _, table, _ = call_command(*command, "--format", "csv")
    rows = [row.split(",") for row in table.splitlines()[-2:]]
    assert [float(row[-1]) for row in rows] == [first, second]


# Runs that are stopped, and workers elsewhere: real processes

MANY = (
    *("simulate", "thompson:block_size=300", "parity", "greedy:endgame=0"),
    *("5x5:3,2,contact=any,announce=ship", "--games", 60, "--seed", 3),
)


@pytest.mark.parametrize(
    ("action", "jobs", "ended"),
    some(1, [("interrupt", 1, 130), ("kill", 2, -signal.SIGKILL)], 4),
)
def test_a_killed_or_interrupted_command_goes_on(
    call_command, interrupt_at, tmp_path, action, jobs, ended
):
    """By kill -9 and by ctrl-C: nothing that was kept is played again; the games are the same."""
    arguments = (*MANY, "--resume", tmp_path / "kept", "--json")
    if action == "kill":
        hooks = "from optsearch.support.store import Facts; at(Facts, 'add', kill, 5)"
        status, out, errors = run_command(*arguments, "--jobs", jobs, hooks=hooks)
    else:
        interrupt_at(Facts, "add", 5)
        status, out, errors = call_command(*arguments, "--jobs", jobs)
    assert (status, out) == (ended, ""), errors
    assert "Traceback" not in errors
    if action == "interrupt":
        assert errors.endswith("and the same command goes on from there\n")
    assert len(facts_of(tmp_path / "kept")) == 5
    status, out, errors = call_command(*arguments, "--jobs", 1)
    assert status == 0, errors
    players, game = MANY[1:4], Game.parse(MANY[4])
    found = simulate(players, game, games=60, seed=3)
    assert json.loads(out)["players"] == [outcome.to_dict() for outcome in found.outcomes]
    reports = []
    again = simulate(
        *(players, game),
        games=60,
        seed=3,
        execution=Execution(checkpoint=tmp_path / "kept", progress=reports.append),
    )
    assert shots(again) == shots(found)
    assert again.resumed == reports[0].done == 180
