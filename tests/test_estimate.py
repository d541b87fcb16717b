"""How long work takes, estimated from a second of it by a clock that the tests set."""

import json

import pytest

from optsearch.counting.posterior import Posterior
from optsearch.game import Game
from optsearch.game.position import Position
from optsearch.play import estimate
from optsearch.strategies import as_player, as_strategy
from optsearch.support.errors import TooLarge

GAME = Game.parse("7x7:4,3,2")
NUMBER = Posterior(Position(GAME)).configurations


class Clock:
    """Goes on by what is done, and not by itself."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@pytest.mark.parametrize("per_configuration", [1e-9, 1e-5, 1e-3, 1.0])
def test_an_evaluation_is_estimated_in_about_a_second(monkeypatch, per_configuration):
    clock = Clock()

    def run(strategy, task, from_start):
        assert task.configurations <= NUMBER
        clock.now += per_configuration * task.configurations

    monkeypatch.setattr(estimate, "run_task", run)
    seconds = estimate.evaluation_seconds(as_strategy("greedy"), GAME, clock)
    assert seconds == pytest.approx(per_configuration * NUMBER)
    assert clock.now <= estimate.SECONDS + 2 * per_configuration * estimate.SMALLEST


@pytest.mark.parametrize("per_shot", [1e-9, 10])
def test_games_are_estimated_in_about_a_second(per_shot):
    """By whole games, or where not even one ends in a second by half of the cells."""
    clock, shots = Clock(), []

    def shot(position):
        clock.now += per_shot
        shots.append(position)
        return as_strategy("greedy").shot(position)

    game = Game.parse("4x4:3,2")
    seconds = estimate.simulation_seconds(shot, game, 50, clock=clock)
    expected = len(shots) if per_shot < 1 else 50 * game.cells / 2
    assert seconds == pytest.approx(per_shot * expected)
    assert (clock.now <= estimate.SECONDS) == (per_shot < 1)


def test_what_takes_long_says_so_before_it_starts(call_command, monkeypatch, tmp_path):
    monkeypatch.setattr("optsearch.cli.estimates.evaluation_seconds", lambda *_: 18 * 86_400)
    (tmp_path / "own.py").write_text(
        "from optsearch.strategies import named\ndef shot(p): return named('greedy').shot(p)\n"
    )
    monkeypatch.chdir(tmp_path)
    status, _, err = call_command("evaluate", "greedy", "3x4:2", "--jobs", 2)
    assert (status, "score" in err) == (0, False)
    assert ": about 9 days on 2 processes; `simulate` or `compare` take minutes\n" in err
    own = "evaluating own.py:shot: about 18 days on 1 process; `simulate` or `compare` take "
    assert (
        f"{own}minutes, a score takes minutes"
        in call_command("evaluate", "own.py:shot", "3x4:2")[2]
    )
    assert call_command("evaluate", "greedy", "3x4:2", "--quiet")[2] == ""


def test_games_that_take_longer_than_all_boards_say_so(call_command, monkeypatch):
    monkeypatch.setattr("optsearch.cli.estimates.MOST_UNESTIMATED", 0)
    monkeypatch.setattr("optsearch.cli.estimates.simulation_seconds", lambda *_: 300)
    monkeypatch.setattr("optsearch.cli.estimates.evaluation_seconds", lambda *_: 150)
    command = ("simulate", "greedy", "3x4:2", "--games", 9, "--jobs", 1)
    _, _, err = call_command(*command)
    assert "3x4:2` plays all boards in about 2 minutes, these 9 games take about 5 minutes" in err
    assert (
        call_command(*command, "--false-hits", "0.1")[2]
        == call_command(*command, "--quiet")[2]
        == ""
    )


def test_a_comparison_says_its_time_before(call_command, monkeypatch):
    command = ("compare", "greedy", "rollout", "5x5:3,2,2", "--largest", 64, "--jobs", 2)
    assert "about" not in call_command(*command)[2]
    monkeypatch.setattr("optsearch.cli.estimates.seconds_per_configuration", lambda *_: 1.0)
    _, out, err = call_command(*command)
    assert "about 21 minutes on 2 processes; fewer --positions" in err  # 2 s * 64 * 20 positions
    assert "to evaluate" in out
    assert call_command(*command, "--quiet")[2] == ""


def test_a_game_of_rollouts_is_estimated_and_played_as_in_an_evaluation(
    call_command, monkeypatch, tmp_path
):
    """Also where all configurations are too many for plain Python; animate says its time."""
    monkeypatch.setattr(estimate, "FEW", 1000)
    game = "5x6:3,2,2"
    plain = call_command("simulate", "rollout", game, "--games", 3, "--jobs", 1, "--json")[1]
    monkeypatch.setattr("optsearch.counting.configurations.list_ships", refuse)
    monkeypatch.setattr("optsearch.strategies.greedy.list_ships", refuse)
    fields = json.loads(
        call_command("simulate", "rollout", game, "--games", 3, "--jobs", 1, "--json")[1]
    )
    assert fields["players"] == json.loads(plain)["players"]
    one, two = (
        estimate.rollout_seconds(as_player(name), Game.parse(game), 1)
        for name in ("greedy", "rollout")
    )
    assert one == 0 < two
    monkeypatch.setattr("optsearch.cli.estimates.rollout_seconds", lambda *_: 60)
    err = call_command("animate", "rollout", game, "-o", tmp_path / "a.html")[2]
    assert err.startswith("a game of rollout")
    assert "about 60 seconds on 1 process" in err


def refuse(position):
    raise TooLarge("too many to list")
