"""Players: what makes one, by chance or memory too, by name, file and entry point."""

import pickle
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest

from optsearch import strategies
from optsearch.errors import StrategyError
from optsearch.evaluate import evaluate
from optsearch.game import Game
from optsearch.position import HIT, MISS, Position
from optsearch.strategies import Player, Strategy, as_player, as_strategy, named
from optsearch.strategies.greedy import Greedy

ROOT = Path(__file__).resolve().parent.parent
GAME = Game.parse("4x4:3,2;contact=any")


class Anywhere:
    """Draws its order when a game begins, and remembers it."""

    def begin(self, game, generator):
        self.order = list(generator.permutation(game.cells))
        return self

    def shot(self, position):
        return position.game.cell(int(self.order[len(position.shots)]))


class DerivedPlayer(Player):
    def begin(self, game, generator):
        return Anywhere().begin(game, generator)


class DerivedStrategy(Strategy):
    def shot(self, position):
        return position.game.cell(len(position.shots))


class Broken:
    def begin(self, game, generator):
        return 1 / 0


class NoShot:
    def begin(self, game, generator):
        return "a string"


class Again:
    def shot(self, position):
        return 0, 0


class Twice:
    def begin(self, game, generator):
        return Again()


def shots(player, seed=0, number=5):
    playing = player.begin(GAME, np.random.default_rng(seed))
    position = Position(GAME)
    for _ in range(number):
        position = position.after(playing.shot(position), MISS)
    return [shot.cell for shot in position.shots]


def test_a_strategy_plays_a_game_by_itself():
    greedy = named("greedy:ties=last")
    assert greedy == as_player("greedy:ties=last") == Greedy(ties="last")
    assert greedy.begin(GAME, np.random.default_rng(0)) is greedy
    assert isinstance(as_player(DerivedStrategy), Strategy)
    assert shots(as_player(lambda position: (len(position.shots), 0)), number=3) == [
        (0, 0),
        (1, 0),
        (2, 0),
    ]


@pytest.mark.parametrize("what", [Anywhere, Anywhere(), DerivedPlayer, DerivedPlayer()])
def test_a_player_draws_from_the_generator_of_its_game(what):
    player = as_player(what)
    assert not isinstance(player, Strategy)
    assert shots(player, 1) == shots(player, 1) != shots(player, 2)
    assert len(set(shots(player, 1, 11))) == 11
    with pytest.raises(StrategyError, match=r"optsearch simulate .* GAME"):
        as_strategy(what)


def test_a_file_names_a_player(tmp_path):
    path = tmp_path / "own.py"
    source = Path(__file__).read_text(encoding="utf-8")
    path.write_text(source[source.index("class Anywhere") : source.index("class DerivedPlayer")])
    player = as_player(f"{path}:Anywhere")
    sent = pickle.loads(pickle.dumps(player))
    assert shots(sent, 3) == shots(player, 3) == shots(as_player(Anywhere), 3)
    assert str(sent) == f"{path}:Anywhere"
    assert "source" in player.identity()
    with pytest.raises(StrategyError, match=r"own\.py:Anywhere may play by chance"):
        evaluate(f"{path}:Anywhere", GAME)
    with pytest.raises(StrategyError, match="'Nobody' is not there"):
        as_player(f"{path}:Nobody")


def test_players_that_fail_say_where():
    with pytest.raises(StrategyError, match=r"Broken cannot begin a game of .*ZeroDivisionError"):
        shots(as_player(Broken))
    with pytest.raises(StrategyError, match="begin of NoShot returns 'a string'"):
        shots(as_player(NoShot))
    with pytest.raises(StrategyError, match="Twice shoots A1 after 'A1=miss', which was shot"):
        shots(as_player(Twice))


def test_an_installed_package_adds_players(monkeypatch):
    points = [
        EntryPoint("anywhere", f"{__name__}:Anywhere", strategies.GROUP),
        EntryPoint("rows", f"{__name__}:DerivedStrategy", strategies.GROUP),
        EntryPoint("lost", f"{__name__}:Nobody", strategies.GROUP),
    ]
    monkeypatch.setattr(strategies, "entry_points", lambda group: points)
    assert shots(as_player("anywhere"), 4) == shots(as_player(Anywhere), 4)
    assert str(as_player("anywhere")) == "anywhere"
    assert evaluate("rows", GAME, jobs=1).worst == 16
    for text, says in {
        "anywhere:x=1": "takes no parameters, not 'x=1'",
        "lost": "lost of an installed package cannot be loaded: AttributeError",
        "nobody": "no strategy 'nobody'; there are .*, anywhere, lost, rows, and FILE.py:NAME",
    }.items():
        with pytest.raises(StrategyError, match=says):
            as_player(text)


def test_hit_and_miss_reach_a_player():
    seen = []

    class Watcher:
        def begin(self, game, generator):
            return self

        def shot(self, position):
            seen.append(str(position))
            return position.game.cell(len(position.shots))

    playing = as_player(Watcher()).begin(GAME, np.random.default_rng(0))
    playing.shot(Position(GAME).after((0, 0), HIT))
    assert seen == ["A1=hit"]
