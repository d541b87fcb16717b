"""The environment of Gymnasium: its checker, its boards, what is seen, and agents as players."""

import json
import pickle
import subprocess
import sys
import warnings
from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402

from optsearch.counting.configurations import list_ships, to_masks  # noqa: E402
from optsearch.counting.posterior import Posterior  # noqa: E402
from optsearch.counting.prior import Prior  # noqa: E402
from optsearch.environment import NAME, Agent, Battleship, View  # noqa: E402
from optsearch.evaluation import evaluate  # noqa: E402
from optsearch.game import Game  # noqa: E402
from optsearch.game.position import Position, play  # noqa: E402
from optsearch.play.simulate import simulate  # noqa: E402
from optsearch.support.errors import OptsearchError  # noqa: E402
from tests.examples import draws  # noqa: E402

SMALL = "3x4:3,2,contact=any"
TOLD = "4x4:3,2,2,contact=corner,announce=ship,holes=B2,D4"
NAMED = "3x4:3,2a,2b,contact=any,announce=name"
SHOWN = "3x4:3,2,contact=any,announce=place"
GAMES = ("4x4:2", "4x4:3,2,announce=sunk", TOLD, "4x4:L4,2,announce=ship", NAMED, SHOWN)
ROOT = Path(__file__).parent.parent


def ships_text(game, ships):
    return " ".join(game.ship_name(ship) for ship in ships)


def configurations(game):
    """All configurations as texts."""
    return [ships_text(game, to_masks(ships)) for ships in list_ships(Position(game))]


def played(env, shot, **options):
    """The return of a game in which `shot` is asked for the action."""
    view, _ = env.reset(**options)
    total, is_over = 0.0, False
    while not is_over:
        view, reward, is_over, is_truncated, _ = env.step(shot(view))
        assert not is_truncated
        total += reward
    return total


def most_probable(view):
    return int(np.where(view["action_mask"], view["probabilities"].ravel(), -1).argmax())


def first_open(view):
    return view["action_mask"].argmax()


def any_open(view, generator):
    return generator.choice(np.flatnonzero(view["action_mask"]))


# What Gymnasium asks for


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("mode", ["ansi", "rgb_array"])
def test_gymnasiums_checker(game, mode):
    is_picture = mode == "rgb_array"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make(
            NAME, game=game, render_mode=mode, probabilities=is_picture, order=is_picture
        )
        check_env(env.unwrapped)
        assert env.reset(seed=1)[0] in env.observation_space


def test_it_is_loaded_only_when_it_is_asked_for():
    script = f"""
import sys, optsearch, optsearch.play.simulate
assert "gymnasium" not in sys.modules
import gymnasium
assert "optsearch.environment" not in sys.modules
print(gymnasium.make("optsearch.environment:{NAME}", game="2x2:1").unwrapped.game)
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT)
    assert (ended.returncode, ended.stdout) == (0, "2x2:1\n"), ended.stderr


def test_without_gymnasium(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("optsearch.environment")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    with pytest.raises(ModuleNotFoundError, match="pip install gymnasium"):
        __import__("optsearch.environment")


# Boards


def boards_of(env, number, seed=None):
    env.reset(seed=seed)
    boards = []
    for _ in range(number):
        boards.append(tuple(env._ships))
        env.reset()
    return boards


def test_a_seed_names_the_boards():
    env, another = Battleship(SMALL), Battleship(SMALL)
    first = boards_of(env, 100, seed=7)
    assert boards_of(another, 100, seed=7) == first
    assert boards_of(env, 100, seed=7) == first  # also after others were drawn
    assert boards_of(env, 100) != first


def test_boards_too_many_to_rank_are_drawn():
    env = Battleship(f"1x100:{','.join(30 * '1')},contact=any")
    assert env._hidden.configurations >= 2**64
    view, _ = env.reset(seed=1)
    assert view in env.observation_space


@pytest.mark.parametrize("copied", [deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_plays_on(copied):
    env = Battleship(SMALL)
    boards_of(env, 20, seed=5)
    env.step(3)
    another = copied(env)
    assert played(env, first_open) == played(another, first_open)
    assert another._ships == env._ships
    assert boards_of(another, 90) == boards_of(env, 90)


# Rewards


def test_a_wasted_shot_costs_one_and_changes_nothing():
    env = Battleship("3x3:2,holes=C3", render_mode="ansi")
    env.reset(options={"ships": "A1-A2"})
    before, *_ = env.step(3)
    for action in (3, 8):  # shot before; a hole
        again, reward, is_over, is_truncated, info = env.step(action)
        assert (reward, is_over, is_truncated) == (-1, False, False)
        assert all((again[key] == before[key]).all() for key in before)
    assert (info["shots"], info["wasted"]) == (3, 2)
    assert env.render() == "...\nX..\n..-"
    assert env.action_masks().tolist() == [*[True] * 3, False, *[True] * 4, False]
    assert env.step(0)[2]
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(1)


# What is seen


def test_what_is_seen():
    game = Game.parse("4x4:3,2,2,contact=any,announce=ship,holes=D4")
    position = Position.parse(game, "A1=hit B1=miss A2=hit A3=sunk:3 D1=hit C1=sunk:2")
    seen = View(game, order=True)(position)
    assert seen["board"].tolist() == [[2, 1, 5, 2], [2, 0, 0, 0], [4, 0, 0, 0], [0, 0, 0, 3]]
    assert seen["order"].tolist() == [[1, 2, 6, 5], [3, 0, 0, 0], [4, 0, 0, 0], [0, 0, 0, 0]]
    assert seen["afloat"].tolist() == [0, 1]
    game = Game.parse("3x3:2,1,announce=sunk")
    seen = View(game)(Position.parse(game, "A1=sunk B3=hit"))
    assert seen["board"].tolist() == [[4, 0, 0], [0, 0, 0], [0, 2, 0]]
    assert seen["afloat"].tolist() == [1]
    over = View(game)(Position.parse(game, "A1=sunk B3=hit C3=sunk"))
    assert over["afloat"].tolist() == [0]
    game = Game.parse("3x4:3,2,2,contact=any,announce=name")
    seen = View(game)(Position.parse(game, "A1 3 B1 3 A2 2 C1 3 D2 2"))
    assert seen["board"].tolist() == [[4, 4, 4, 0], [5, 0, 0, 5], [0, 0, 0, 0]]
    assert seen["afloat"].tolist() == [0, 2]
    game = game.with_announcement("place")
    view = View(game)
    seen = view(Position.parse(game, "A1 A1-C1 D2 D2-D3 D3 D2-D3 A2 miss"))
    assert seen["board"].tolist() == [[4, 6, 6, 0], [1, 0, 0, 5], [0, 0, 0, 5]]
    assert seen["afloat"].tolist() == [1, 1]
    assert seen["action_mask"].tolist() == [0, 1, 1, 1, 0, 1, 1, 0, 1, 1, 1, 0]
    assert view.highest_sign == 7


@pytest.mark.parametrize("game", GAMES)
@draws(20)
@given(seed=st.integers(0, 2**32))
def test_an_agent_sees_the_same_wherever_it_plays(game, seed):
    """Observations of the environment are those of `play`; probabilities are the posterior's."""
    env = Battleship(game, probabilities=True, order=True)
    history, generator = [], np.random.default_rng(seed)
    view, _ = env.reset(seed=seed)
    is_over = False
    while not is_over:
        action = any_open(view, generator)
        history.append((view, action))
        view, _, is_over, _, _ = env.step(action)
        assert view in env.observation_space
        exact = Posterior(env.position).probability
        assert (view["probabilities"] == exact.astype(np.float32)).all()
    steps = iter(history)

    def act(observation):
        before, action = next(steps)
        assert all((observation[key] == before[key]).all() for key in before)
        assert observation.keys() == before.keys()
        return action

    agent = Agent(act, probabilities=True, order=True)
    assert play(agent.shot, env._ships, Position(env.game)) == env.position


def test_probabilities_by_a_prior():
    game = Game.parse("3x4:3,2")
    prior = Prior.of_placements(game, {game.placements(3)[0]: 5})
    view, _ = Battleship(game, prior, probabilities=True).reset()
    assert (
        view["probabilities"] == Posterior(game, prior=prior).probability.astype(np.float32)
    ).all()
    assert (view["probabilities"] != View(game, None, True)(Position(game))["probabilities"]).any()


# Agents as players


def test_an_agent_is_evaluated_and_simulated():
    """By the exact probabilities it is greedy; its returns are its shots."""
    agent = Agent(most_probable, probabilities=True)
    greedy = evaluate("greedy:endgame=0", SMALL)
    assert evaluate(agent, SMALL).histogram == greedy.histogram
    simulation = simulate([agent, "greedy:endgame=0"], Game.parse(SMALL), games=50)
    ours, theirs = simulation.outcomes
    assert (ours.strategy, ours.shots.tolist()) == ("Agent(most_probable)", theirs.shots.tolist())


def test_an_agent_in_a_file(call_command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(
        "import numpy as np\nfrom optsearch.environment import Agent\n\n"
        "def act(seen):\n    return seen['action_mask'].argmax()\n\nplayer = Agent(act)\n"
    )
    status, out, err = call_command("evaluate", "mine.py:player", "3x3:2", "--json")
    assert (status, err) == (0, "")
    exact = evaluate(Agent(first_open), "3x3:2")
    assert json.loads(out)["total_height"] == exact.total_height
    status, out, err = call_command(
        "simulate", "mine.py:player", "3x3:2", "--games", "20", "--jobs", "1"
    )
    assert (status, err) == (0, "")


# Bad input


@pytest.mark.parametrize(
    ("make", "names"),
    [
        (lambda: Battleship("4x4"), "'4x4'"),
        (lambda: Battleship(7), "7 is not a game"),
        (lambda: Battleship("2x2:1", prior="nobody"), "'nobody'"),
        (lambda: Battleship("2x2:1", prior=7), "7 is not a prior"),
        (lambda: Battleship("2x2:1", Prior.of_placements(Game.parse("3x3:1"), {})), "3x3:1"),
        (lambda: Battleship("2x2:1", render_mode="human"), "'human'"),
        (lambda: Battleship("3x3:2,2,2"), "no configuration"),
        (lambda: Battleship("2x2:1").reset(options={"board": 1}), "'board'"),
        (lambda: Battleship("2x2:1").reset(options={"ships": "A1-A2"}), "'A1-A2'"),
        (lambda: Battleship("2x2:1").reset(options={"ships": [1]}), r"\[1\]"),
        (lambda: evaluate(Agent(lambda _: 9), "2x2:1"), "9 is not an action"),
        (lambda: evaluate(Agent(lambda _: 0), "2x2:1"), "shot before"),
    ],
)
def test_bad_input_is_named(make, names):
    with pytest.raises(OptsearchError, match=names):
        make()


@pytest.mark.parametrize("action", [-1, 4, 0.5, "A1", None, np.array([0, 1])])
def test_what_is_no_action_is_named(action):
    env = Battleship("2x2:1")
    env.reset(seed=1)
    with pytest.raises(OptsearchError, match="0 to 3"):
        env.step(action)
