"""Players: what makes one, by chance or memory too, by name, file and entry point."""

import pickle
import re
from collections import Counter
from functools import cache
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest

from optsearch import strategies
from optsearch.counting.configurations import list_ships, to_masks
from optsearch.evaluation import evaluate
from optsearch.game import CONTACTS, Game, bits
from optsearch.game.position import MISS, Position, play, reply
from optsearch.play import hiding
from optsearch.play.simulate import play_game, simulate
from optsearch.search.solver import solve
from optsearch.strategies import Player, Strategy, as_player, as_strategy, named
from optsearch.strategies.greedy import Greedy, counts_of
from optsearch.strategies.heuristic import Heuristic
from optsearch.strategies.information import Information
from optsearch.strategies.simple import Density, Parity, knowledge_of
from optsearch.support.errors import StrategyError
from tests.examples import EVERY_RULE, rule_name, some
from tests.plain_players import PlainHeuristic, PlainSimple
from tests.plain_players import heard as plainly_heard

GAME = Game.parse("4x4:3,2,contact=any")


class AnyCell:
    """Draws its order when a game begins, and remembers it."""

    def begin(self, game, generator):
        self.order = list(generator.permutation(game.cells))
        return self

    def shot(self, position):
        return position.game.cell(int(self.order[len(position.shots)]))


class DerivedPlayer(Player):
    def begin(self, game, generator):
        return AnyCell().begin(game, generator)


class DerivedStrategy(Strategy):
    def shot(self, position):
        return position.game.cell(len(position.shots))


class Broken:
    def begin(self, game, generator):
        return 1 / 0


class NoShot:
    def begin(self, game, generator):
        return "a string"


class ReturningPlayer:
    def shot(self, position):
        return 0, 0


class Repeating:
    def begin(self, game, generator):
        return ReturningPlayer()


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


def test_the_module_of_a_class_may_be_no_text():
    members = {"__module__": 3, "shot": lambda self, position: (len(position.shots), 0)}
    for player in (type("Odd", (), members), type("Odd", (), members)()):
        assert shots(as_player(player), number=2) == [(0, 0), (1, 0)]


@pytest.mark.parametrize("what", [AnyCell, AnyCell(), DerivedPlayer, DerivedPlayer()])
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
    path.write_text(source[source.index("class AnyCell") : source.index("class DerivedPlayer")])
    player = as_player(f"{path}:AnyCell")
    sent = pickle.loads(pickle.dumps(player))
    assert shots(sent, 3) == shots(player, 3) == shots(as_player(AnyCell), 3)
    assert str(sent) == f"{path}:AnyCell"
    assert "source" in player.identity()
    with pytest.raises(StrategyError, match=r"own\.py:AnyCell may play by chance"):
        evaluate(f"{path}:AnyCell", GAME)
    with pytest.raises(StrategyError, match="has no 'Nobody'"):
        as_player(f"{path}:Nobody")


def test_players_that_fail_say_where():
    with pytest.raises(StrategyError, match=r"Broken cannot begin a game of .*ZeroDivisionError"):
        shots(as_player(Broken))
    with pytest.raises(StrategyError, match="begin of NoShot returns 'a string'"):
        shots(as_player(NoShot))
    with pytest.raises(StrategyError, match="Repeating shoots A1 after 'A1=miss', which was shot"):
        shots(as_player(Repeating))


def test_an_installed_package_adds_players(monkeypatch):
    points = [
        EntryPoint("anywhere", f"{__name__}:AnyCell", strategies.GROUP),
        EntryPoint("rows", f"{__name__}:DerivedStrategy", strategies.GROUP),
        EntryPoint("lost", f"{__name__}:Nobody", strategies.GROUP),
    ]
    monkeypatch.setattr(strategies, "entry_points", lambda group: points)
    assert shots(as_player("anywhere"), 4) == shots(as_player(AnyCell), 4)
    assert str(as_player("anywhere")) == "anywhere"
    assert evaluate("rows", GAME).worst == 16
    for text, says in {
        "anywhere:x=1": "takes no parameters, not 'x=1'",
        "lost": "lost of an installed package cannot be loaded: AttributeError",
        "nobody": "no strategy 'nobody'; there are .*, anywhere, lost, rows, and FILE.py:NAME",
    }.items():
        with pytest.raises(StrategyError, match=says):
            as_player(text)


# The simple players: numba against plain Python, game by game

SIMPLE = [
    "random",
    *(f"heuristic:version={version}" for version in range(1, 6)),
    *("heuristic:version=5,beside=1", "heuristic:version=4,beside=1,weights=1"),
    "heuristic:version=2,weights=1",
    "parity",
    "parity:modulus=3",
    "density",
    "density:weight=3",
]
BOARDS = [
    ("10x10:5,4,3,3,2,contact=any", 4),
    ("10x10:5,4,3,3,2", 2),
    ("6x8:4,3,2,1,contact=corner", 10),
    ("1x7:3,1", 10),
    ("5x2:2,2,contact=any", 10),
]


ANNOUNCED = [
    ("10x10:5,4,3,3,2,contact=any,announce=ship", 8),
    ("10x10:5,4,3,3,2,contact=any,announce=sunk", 8),
    ("10x10:4,3,3,2,2,1,1,announce=ship", 4),
    ("10x10:4,3,3,2,2,1,1,announce=sunk", 4),
    ("6x8:4,3,2,2,1,contact=corner,announce=sunk", 12),
    ("6x5:3,3,2,2,contact=any,announce=ship", 25),
    ("6x5:3,2,2,1,1,contact=any,announce=sunk", 25),
]


@cache
def drawn(game, number):
    """Boards on which several players play."""
    return [to_masks(ships) for ships in hiding.Drawn().boards(game, number, 11)]


SLOW = [board for board, _ in ANNOUNCED[1:4]]  # in plain Python

PLAYED = [(text, *board) for text in SIMPLE for board in BOARDS]
PLAYED += [(text, *board) for text in SIMPLE[-4:] for board in ANNOUNCED]
PLAYED += [(text, *ANNOUNCED[0]) for text in ("random", "heuristic:version=5")]  # deaf to sinkings
PLAYED += [  # with holes, names and shapes; and where rows go on at the other end
    *((text, "5x5:3,2,holes=C3,announce=sunk", 9) for text in ("density", "parity")),
    *((text, "5x5:3a,3b,2,announce=name", 9) for text in ("density", "parity")),
    *((text, "5x5:3,2,2,announce=place", 9) for text in ("density", "parity")),
    *((text, "5x5:L,2,contact=any,announce=ship", 9) for text in ("density", "parity")),
    ("density", "4x5:3,2,board=torus,contact=any,announce=sunk", 9),
]


@pytest.mark.parametrize(
    ("text", "board", "games"),
    [(text, board, (games + 7) // 8) for text, board, games in PLAYED if board not in SLOW]
    + [pytest.param(*every, marks=pytest.mark.long(2)) for every in PLAYED],
)
def test_numba_plays_as_plain_python(text, board, games):
    game, player = Game.parse(board), as_player(text)
    compiled = player.compiled(game)
    for number, masks in enumerate(drawn(game, games)):
        cells = np.zeros(game.cells, np.uint8)
        for ship, mask in enumerate(masks, 1):
            cells[list(bits(mask))] = 1 if game.is_silent else ship
        first, second = (np.random.default_rng([11, number]) for _ in range(2))
        shots = play_game(player, game, masks, second).shots
        if game.announce not in ("name", "place"):
            assert compiled(cells, first) == len(shots), (text, number)
            assert first.random() == second.random()  # as many draws
        kind = PlainHeuristic if isinstance(player, Heuristic) else PlainSimple
        plain = kind(player, game, np.random.default_rng([11, number]))
        assert play(plain.shot, masks, Position(game)).shots == shots, (text, number)


def test_random_shots_end_as_the_last_of_all_ships():
    """The last of k ship cells among n in random order is at k (n + 1) / (k + 1) on average."""
    game = Game.parse("6x6:3,2,contact=any")
    (outcome,) = simulate(["heuristic:version=1"], game, games=4000).outcomes
    assert abs(outcome.mean - 5 * 37 / 6) < 4 * outcome.standard_error


def hunted(shots, version=2):
    """The values of a heuristic after some shots on the paper's game."""
    game = Game.parse("10x10:5,4,3,3,2,contact=any")
    playing = Heuristic(version).begin(game, np.random.default_rng(0))
    for shot in Position.parse(game, shots).shots:
        playing.hear(shot.cell, shot.reply.hit)
    return playing.values()


def test_an_attack_ends_after_three_misses():
    hunting = "A1=miss J10=miss E5=hit"
    attack = f"{hunting} E4=miss E6=miss"
    assert hunted(attack, 3)[9, 0] == 0
    assert (hunted(f"{attack} D5=miss", 3) == hunted(f"{attack} D5=miss", 2)).all()
    # In the corner the printed condition leaves nothing.
    assert (hunted("J10=hit", 3) == 0).all()


def test_distance_weights():
    """E5 then E7: weights 1 - 0.1 * 1.5 * 2 and 1 - 0.1 * (1.5 * 0.1 - 1); 3 times in column E."""
    values = hunted("E5=hit E7=hit", 5)
    alone = [hunted(f"{cell}=hit", 3) for cell in ("E5", "E7")]
    both = 0.7 * alone[0] + 1.085 * alone[1]
    both[4, 4] = both[6, 4] = 0
    both[:, 4] *= 3
    assert values == pytest.approx(both / both.max())


# Players by a matrix, and by information


def test_parity_hunts_on_the_checkerboard_and_targets_beside_hits():
    game = Game.parse("3x3:2,contact=any")
    assert Parity().values(Position(game)).tolist() == [2, 1, 2, 1, 2, 1, 2, 1, 2]
    hit = Position.parse(game, "A1=hit")
    assert Parity().values(hit).tolist() == [2, 3, 2, 3, 2, 1, 2, 1, 2]


def test_density_counts_the_placements_of_each_ship():
    game = Game.parse("1x5:2,2,contact=any")
    assert Density().values(Position(game)).tolist() == [2, 4, 4, 4, 2]
    shot = Position.parse(game, "A1=hit E1=miss")
    assert Density(20).values(shot).tolist() == [40, 42, 4, 2, 0]


@pytest.mark.parametrize(
    "rules", ["none,announce=sunk", "none,announce=ship", "corner,announce=sunk"]
)
def test_what_is_made_of_sinkings_is_true(rules):
    """Where it is no guess: against the ships that are hidden; with `any` for lengths told."""
    certain = [f"5x6:3,2,2,1,contact=any,announce={one}" for one in ("ship", "place")]
    for text in (f"5x6:3,2,2,1,contact={rules}", *certain):
        game = Game.parse(text)
        for number, ships in enumerate(hiding.Drawn().boards(game, 20, 3)):
            masks, position = to_masks(ships), Position(game)
            for cell in np.random.default_rng(number).permutation(game.cells).tolist():
                closed, attacked, afloat_ = plainly_heard(position)
                known = knowledge_of(position)
                assert sum(1 << c for c in range(game.cells) if known.closed[c]) == closed
                sunk = [ship for ship in masks if not ship & ~position.hits]
                afloat = [ship for ship in masks if ship & ~position.hits]
                if game.announce == "place":
                    afloat = [ship for ship in afloat if not ship & position.hits]
                    assert not attacked
                    met = sum(masks) & ~sum(afloat) & ~position.hits
                    values = Density().values(position)
                    assert {i for i, one in enumerate(values) if one == np.inf} == set(bits(met))
                assert not any(ship & closed for ship in afloat)
                assert not sum(afloat) & ~attacked & position.hits
                lengths = sorted((ship.bit_count() for ship in afloat), reverse=True)
                assert afloat_ == tuple(lengths)
                if "any" not in text:
                    assert not any(ship & attacked for ship in sunk)
                if not position.hits_left:
                    break
                answer = reply(game, masks, position.hits, 1 << cell)
                position = position.after(game.cell(cell), answer)


@pytest.mark.parametrize(
    "text", some(1, ["3x4:2,2,contact=any", "3x5:2,2,contact=any", "4x4:3,2"], 4)
)
def test_information_and_bisection_are_one_where_nothing_is_announced(text):
    game = Game.parse(text)
    bisection = evaluate("bisection", game)
    assert evaluate("information", game).histogram == bisection.histogram
    assert bisection.total_height >= solve(Position(game)).total_height


@pytest.mark.parametrize("fleet", ["3,2,2", "2a,2b,1"])
@pytest.mark.parametrize("contact", CONTACTS)
@pytest.mark.parametrize("announce", EVERY_RULE, ids=rule_name)
def test_counts_are_those_of_the_replies(announce, contact, fleet):
    """What the replies of all configurations, listed, say of each cell; on the way of a game."""
    fleet = fleet if announce == "name" else re.sub("[ab]", "", fleet)
    game = Game.parse(f"4x4:{fleet},contact={contact},announce={announce}")
    everything = [to_masks(ships) for ships in list_ships(Position(game))]
    position, ships = Position(game), everything[len(everything) // 3]
    while position.hits_left:
        left = [one for one in everything if position.is_compatible(one)]
        counts = counts_of(position)
        assert counts.configurations == len(left)
        for cell in range(game.cells):
            if not (position.hits | position.misses) >> cell & 1:
                replies = Counter(reply(game, one, position.hits, 1 << cell) for one in left)
                assert counts.cells[cell] == len(left) - replies.pop(MISS, 0)
                assert game.is_silent or counts.replies[cell] == replies
        cell = Information().shot(position)
        position = position.after(cell, reply(game, ships, position.hits, game.bit(cell)))


def test_rollouts_begin_greedily_where_sinkings_are_announced():
    """On boards whose configurations are too many to list; and go on by the listed ones."""
    game = Game.parse("10x10:5,4,3,3,2,contact=any,announce=ship")
    rollout, greedy = named("rollout"), named("greedy")
    for shots in ("", "E5=hit E6=sunk:2"):
        position = Position.parse(game, shots)
        assert rollout.shot(position) == greedy.shot(position)
    small = Game.parse("4x4:3,2,contact=any,announce=ship")
    assert Position(small).after(rollout.shot(Position(small)), MISS).misses
