"""The board's server: answers beside those of `advise`, what is refused, turns, games, its end."""

import asyncio
import http.client
import json
import os
import signal
import socket
import statistics
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from optsearch.board import answers, games, guard, running, server
from optsearch.board.answers import Setting
from optsearch.board.engine import Engine, GivenUp, Preparing, TooLong
from optsearch.board.games import GameLost, Games
from optsearch.board.server import RequestHandlers, application
from optsearch.check import reference
from optsearch.counting import posterior
from optsearch.counting.configurations import to_masks
from optsearch.counting.mixture import MixedPosterior
from optsearch.counting.posterior import Posterior
from optsearch.counting.prior import prior_of
from optsearch.evaluation.choosing import Chooser
from optsearch.game import Game, cell_name
from optsearch.game.announcements import ANNOUNCEMENTS
from optsearch.game.fleets import MixedGame
from optsearch.game.position import Position, known_replies, play, reply
from optsearch.play.advice import advise
from optsearch.play.match import Match
from optsearch.strategies import named
from optsearch.support.errors import OptsearchError, PositionError, TooLarge, WorkerLost
from tests.examples import draws, positions
from tests.processes import MANY_SECONDS, serving
from tests.work import end_process, say, wait_for

TOKEN = "0123456789abcdef" * 2
SMALL = Setting(Game.parse("3x4:2"))
CENTRAL = named("greedy:ties=central")


# Answers


@draws(50)
@given(positions(max_cells=9, max_configurations=25, announce=ANNOUNCEMENTS), st.data())
def test_every_answer_is_that_of_advise(position, data):
    """The numbers of each reply and the value of each shot are also those of the definition."""
    assume(position.game.is_rectangle)  # which the order of CENTRAL needs
    setting = Setting(position.game, by=("greedy:ties=central",))
    shots = ",".join(map(str, position.shots))
    answer = answers.advice(setting, shots)
    known = advise(position)
    assert answer["shots"] == str(position)
    assert answer["configurations"] == str(known.posterior.configurations)
    assert answer["counts"] == [str(n) for n in known.posterior.occurrence.ravel().tolist()]
    assert answer["over"] == (not position.hits_left)
    wrecks = [sum(1 << cell for cell in ship) for ship in answer["wrecks"]]
    listed = [to_masks(row) for row in known.posterior.list_all(masks=True)]
    assert all(ship in ships and not ship & ~position.hits for ship in wrecks for ships in listed)
    end = answers.endgame(setting, shots)
    if not position.hits_left:
        assert (answer["best"], end) == ([], {"optimum": None})
        return
    likely, other = answer["best"]
    assert likely["cells"] == [cell_name(cell) for cell in known.posterior.greedy_shots()]
    assert other["cells"] == [cell_name(CENTRAL.shot(position))]
    fresh = [c for c in range(position.game.cells) if not position.closed >> c & 1]
    cell = data.draw(st.sampled_from(fresh))
    name = cell_name(position.game.cell(cell))
    left = answers.advice(setting, shots, name)
    assert left["cell"] == name
    for possible_reply in known_replies(position.game):
        try:
            n = Posterior(position.after(position.game.cell(cell), possible_reply)).configurations
        except PositionError:
            n = 0
        assert left["replies"].get(str(possible_reply), "0") == str(n)
    if known.optimum is None:
        assert end["optimum"] is None
        return
    assert end["optimum"]["total"] == str(known.optimum.total_height)
    assert end["optimum"]["cells"] == [cell_name(one) for one in known.optimum.best_shots]
    empty = known.optimum.total_height + known.posterior.configurations  # where no ship can be
    values = {**dict.fromkeys(fresh, empty), **reference.first_shots(reference.family(position))}
    exact = {name: int(low) for name, (low, high) in end["values"].items() if low == high}
    assert exact == {cell_name(position.game.cell(cell)): total for cell, total in values.items()}


@pytest.mark.parametrize(
    ("game", "shots", "contradicting"),
    [
        ("3x4:2", "A1=hit,C3=hit", "A1=hit C3=hit"),
        ("3x4:2", "A1=hit,B1=hit,C1=hit", "A1=hit C1=hit"),
        ("3x4:2,1,announce=ship", "A1=sunk:1,C3=sunk:1", "A1=sunk:1 C3=sunk:1"),
        ("3x4:2,2,contact=any,announce=sunk", "A1=sunk,C3=miss", "A1=sunk"),
        (  # a ship that is shown is one reply, and not one for each cell that is hit with it
            "4x4:2,2,announce=place",
            "A1=hit:A1-B1,B1=hit:A1-B1,C4=miss,C1=hit:C1-C2,C2=hit:C1-C2",
            "A1=hit:A1-B1 C1=hit:C1-C2",
        ),
    ],
)
def test_the_advice_names_shots_that_contradict_each_other(game, shots, contradicting):
    answer = answers.advice(Setting(Game.parse(game)), shots)
    assert answer["together"] == contradicting.split()
    if "place" in game:
        assert answer["alone"] == contradicting.split()


def test_what_is_not_a_position_is_refused_as_by_position():
    for shots in ("A1=hit,A1=miss", "Z9=hit", "A1", "A1=", "hello", "A1=sunk:2"):
        with pytest.raises(PositionError) as position:
            Position.parse(SMALL.game, shots)
        with pytest.raises(PositionError) as said:
            answers.advice(SMALL, shots)
        assert str(said.value) == str(position.value)


def test_sunk_ships():
    """The advice lists them, and the cells of those whose place is certain."""
    for game, shots, sunk, wrecks in (
        (
            "4x4:3,2,1,contact=any,announce=ship",
            "A1=hit,A2=sunk:2,D4=sunk:1",
            "2 1",
            [[0, 4], [15]],
        ),
        ("4x4:3,2,2,contact=any,announce=sunk", "A1=hit,A2=sunk", "2", [[0, 4]]),
        ("4x4:3,2,contact=any,announce=ship", "A1=hit,B2=hit,B1=sunk:2", "2", []),
        ("4x4:2a,2b,contact=any,announce=name", "A1=hit:2a,B2=hit:2b,B1=hit:2a", "2a", [[0, 1]]),
        ("4x4:2,2,1,contact=any,announce=name", "A1=hit:2,A2=hit:2,D4=hit:1", "1", [[15]]),
        ("4x4:2,2,1,announce=place", "A1=hit:A1-A2,A2=hit:A1-A2,D4=hit:C4-D4", "2", [[0, 4]]),
        ("3x4:2", "A1=hit,A2=hit", "2", []),
    ):
        answer = answers.advice(Setting(Game.parse(game)), shots)
        assert (answer["sunk"], answer["wrecks"]) == (sunk.split(), wrecks)


UNKNOWN = "4x4:2-3a,1-2b,announce=name"


@pytest.mark.parametrize("prior", [None, "fleet=configurations"])
@pytest.mark.parametrize(
    ("game", "shots"),
    [
        (UNKNOWN, "B2=hit:a"),
        ("4x4:2-3,1-2", "B2=hit,A1=miss"),
        ("4x4:2-3,2,contact=any,announce=ship", "B2=hit,C2=hit,A1=miss"),
        ("4x4:1-3,2,announce=place", "D4=miss,A1=hit:A1-A2,A2=hit:A1-A2"),
    ],
)
def test_a_fleet_of_unknown_lengths(game, shots, prior):
    """Probabilities of cells, replies and lengths, by a count over the configurations left."""
    setting = Setting(MixedGame(game), prior)
    position = setting.position(shots)
    rows, weights = MixedPosterior(position, prior_of(prior, setting.game)).list_weighted()
    boards, total = list(map(to_masks, rows)), sum(weights)
    answer = answers.advice(setting, shots, "C3")
    assert (answer["shots"], answer["configurations"]) == (str(position), str(len(boards)))

    def chance(holds):
        return sum(n for ships, n in zip(boards, weights, strict=True) if holds(ships)) / total

    by_cell = [chance(lambda ships, c=c: sum(ships) >> c & 1) for c in range(16)]
    assert answer["chances"] == pytest.approx(by_cell)
    assert answer["counts"] is None
    assert sum(map(float, answer["replies"].values())) == pytest.approx(1)
    shot, gives = setting.game.bit((2, 2)), Counter()
    for ships, n in zip(boards, weights, strict=True):
        gives[str(reply(setting.game, ships, position.hits, shot))] += n
    for possible_reply, share in answer["replies"].items():
        assert float(share) == pytest.approx(gives[possible_reply] / total)
        assert (share == "0") == (gives[possible_reply] == 0)
    assert answer["all_sunk"] == pytest.approx(chance(lambda ships: sum(ships) == position.hits))
    if game == UNKNOWN:
        assert answer["lengths"]["2-3a"]["3"] == pytest.approx(
            chance(lambda ships: ships[0].bit_count() == 3)
        )
    assert answers.endgame(setting, shots) == {"optimum": None}
    seen = answers.review_shot(setting, shots, 1)
    assert (seen["shot"], seen["optimum"]) == (shots.split(",")[0], None)
    assert answers.sample_greedy(setting, shots, 0)["games"] > 0


def test_sunk_ships_of_unknown_lengths():
    for game, shots, sunk, wrecks in (
        (UNKNOWN, "A1=hit:a,A2=hit:a,A3=miss,D4=hit:b", "2-3a", [[0, 4]]),
        (
            UNKNOWN,
            "A1=hit:a,B1=hit:a,D4=hit:b,C1=hit:a,D3=hit:b",
            "2-3a 1-2b",
            [[0, 1, 2], [11, 15]],
        ),
        ("4x4:2-3,1-2,announce=ship", "A1=hit,A2=sunk:2,D4=sunk:1", "1-2", [[0, 4], [15]]),
        ("4x4:2-3,2-3,announce=sunk", "A1=hit,A2=sunk", "2-3", [[0, 4]]),
        ("4x4:2-3,2-3", "A1=hit,A2=hit", "", []),
    ):
        answer = answers.advice(Setting(MixedGame(game)), shots)
        assert (answer["sunk"], answer["wrecks"]) == (sunk.split(), wrecks), game
    assert answers.advice(Setting(MixedGame(UNKNOWN)), "A1=hit:b,A3=hit:b")["alone"]


def test_requests_that_need_known_lengths_are_refused():
    """Refused in one line; the page does not offer them."""
    setting = answers.setting_of(UNKNOWN, ())
    about = answers.describe_game(setting)
    assert about["lengths"] == {"2-3a": [2, 3], "1-2b": [1, 2]}
    assert about["kinds"] == {"a": "2-3a", "b": "1-2b"}
    assert (about["walk"], about["places"]) == (0, {})
    for ask in (
        lambda: answers.begin_match(setting, "exact", "", 1),
        lambda: answers.walk_trees(setting, ""),
        lambda: answers.bound_least_total(setting, ""),
    ):
        with pytest.raises(OptsearchError, match="the lengths of the ships 2-3a,1-2b are not kno"):
            ask()
    with pytest.raises(TooLarge):
        answers.setting_of("30x30:2-3", ())


def test_a_prior_gives_probabilities(tmp_path):
    table = tmp_path / "prior.csv"
    table.write_text("ship,weight\nA1-B1,5\n")
    setting = Setting(SMALL.game, str(table))
    answer = answers.advice(setting, "")
    assert answer["counts"] is None
    assert sum(answer["chances"]) == pytest.approx(2)
    assert answer["best"][0]["cells"] == ["B1"]
    end = answers.endgame(setting, "")
    assert int(end["optimum"]["weight"]) > 17


def test_a_review_says_what_shots_gave_away():
    position = Position.parse(SMALL.game, "A1=miss B2=miss D3=miss C1=hit C2=hit")
    for number, shot in enumerate(position.shots, 1):
        answer = answers.review_shot(SMALL, str(position), number)
        before = Position(SMALL.game, position.shots[: number - 1])
        family, left = reference.family(before), Posterior(before).configurations
        counts = Posterior(before).occurrence
        fresh = [int(counts[divmod(c, 4)]) for c in range(12) if not before.closed >> c & 1]
        assert answer["chance"] == counts[shot.cell] / left
        assert answer["most"] == max(fresh) / left
        value = reference.first_shots(family)[shot.cell[0] * 4 + shot.cell[1]]
        assert answer["loss"] == [float(Fraction(value - reference.total_height(family), left))] * 2
    after = answers.review_shot(SMALL, f"{position} A3=miss", 6)  # every ship is sunk before it
    assert (after["chance"], after["most"], after["optimum"]) == (0, 0, None)
    with pytest.raises(PositionError):
        answers.review_shot(SMALL, str(position), 6)
    with pytest.raises(PositionError, match="is the first that makes it impossible"):
        answers.review_shot(SMALL, "A1=hit C3=hit", 1)


def test_text_is_read_as_advise_reads_it():
    assert answers.read_shots(SMALL, "a1 miss; B2 hit") == {"shots": "A1=miss B2=hit"}
    assert answers.read_shots(SMALL, " ") == {"shots": ""}
    shown = answers.read_shots(Setting(Game.parse("4x4:3,2,announce=place")), "A1 A1-C1, D3 m")
    assert shown == {"shots": "A1=hit:A1-C1 B1=hit:A1-C1 C1=hit:A1-C1 D3=miss"}


@draws(25)
@given(positions(max_cells=9, max_configurations=12, announce=ANNOUNCEMENTS))
def test_the_value_of_a_shot_by_the_definition(position):
    if not position.hits_left:
        return
    setting, shots = Setting(position.game), str(position)
    family = reference.family(position)
    total = str(reference.total_height(family))
    assert answers.bound_least_total(setting, shots) == {"value": [total, total]}
    for index, value in list(reference.first_shots(family).items())[:3]:
        name = cell_name(position.game.cell(index))
        assert answers.bound_least_total(setting, shots, name) == {"value": [str(value)] * 2}


def test_games_are_sampled_from_a_position(tmp_path):
    """Their mean is that of greedy on all configurations left, within four standard errors."""
    setting = Setting(Game.parse("4x4:3,2"))
    position = Position.parse(setting.game, "B2=hit A1=miss")
    parts = [answers.sample_greedy(setting, str(position), number) for number in range(5)]
    games, total, squares = (
        sum(one[key] for one in parts) for key in ("games", "total", "squares")
    )
    chooser, every = Chooser("greedy", setting.game), []
    for ships in Posterior(position).list_all(masks=True):
        every.append(len(play(chooser.shot, to_masks(ships), position).shots) - 2)
    mean, deviation = statistics.mean(every), statistics.pstdev(every)
    assert games > 20
    assert abs(total / games - mean) < 4 * deviation / games**0.5
    assert (squares / games - (total / games) ** 2) ** 0.5 == pytest.approx(deviation, rel=0.4)


# Games


def test_a_game_hides_its_ships_until_the_end():
    kept, seen = answers.begin_match(SMALL, "exact", "A1-A2", 5)
    match = Match(SMALL.game, 5, "exact", "A1-A2")
    assert seen["own"] == [[0, 4]]
    with pytest.raises(PositionError, match="not over"):
        answers.count_greedy_shots(kept)
    while not seen["over"]:
        assert seen["hidden"] is None
        cell = next(c for c in range(12) if cell_name(divmod(c, 4)) not in seen["shots"])
        match.shoot(divmod(cell, 4))
        if match.position.hits_left:
            match.shoot_back()
        kept, seen = answers.shoot_in_match(kept, cell_name(divmod(cell, 4)))
        assert (seen["shots"], seen["answers"]) == (str(match.position), str(match.own_position))
    assert [sum(1 << cell for cell in ship) for ship in seen["hidden"]] == match.hidden
    with pytest.raises(PositionError, match="over"):
        answers.shoot_in_match(kept, "D3")
    end = play(named("greedy").shot, match.hidden, Position(SMALL.game))
    assert answers.count_greedy_shots(kept) == {"greedy": len(end.shots)}


def test_a_person_chooses_among_games():
    named = answers.describe_choices(None)["named"]
    assert [game["name"] for game in named][:2] == ["boxed", "paper"]
    assert answers.describe_choices(SMALL)["first"]["size"] == "3x4"
    hexagonal = answers.describe_game(Setting(Game.parse("hex-upper")))
    assert hexagonal["title"] == "Hexagonal game, upper half"
    assert answers.setting_of("boxed,contact=none", ()).game == Game.parse("boxed,contact=none")
    for text in ("a.json#b:2", "30x30:2", "5x", "9" * 9 + "x2:1"):
        with pytest.raises(OptsearchError):
            answers.setting_of(text, ())


def test_players_are_those_of_the_list():
    named = Setting(Game.parse("3x4:2a,2b,announce=name,contact=any")).players
    assert {"hard", "bisection", "thompson"} <= {*named}
    assert SMALL.players[:3] == ["easy", "hard", "exact"]
    assert Setting(SMALL.game, against=("greedy:ties=central",)).players[3] == "greedy:ties=central"
    for name in ("my.py:Player", "greedy:ties=central", "nobody"):
        with pytest.raises(OptsearchError, match="choose one of the list"):
            answers.begin_match(SMALL, name, "", 1)


def test_games_are_lost_after_an_hour_and_when_there_are_many():
    now = [0.0]
    kept = Games(lambda: now[0])
    first = kept.add(b"first")
    assert len(first) == 32
    now[0] = games.SECONDS_KEPT - 1
    assert kept.get(first) == b"first"
    now[0] += 2
    with pytest.raises(GameLost, match="lost"):
        kept.get(first)
    names = [kept.add(b"%d" % i) for i in range(games.MOST_GAMES + 1)]
    with pytest.raises(GameLost):
        kept.get(names[0])
    assert kept.get(names[1]) == b"1"


# What a request must have


@pytest.fixture(scope="module")
def served():
    """The process that serves a small board, its port and its token."""
    with serving(SMALL.game) as (process, address):
        port, token = address.rpartition(":")[2].split("/#token=")
        yield process, int(port), token


class Client:
    """Requests to a board that is served: status, fields and body of what comes back."""

    def __init__(self, port, token):
        self.port, self.token = port, token
        self.host = f"127.0.0.1:{port}"

    def request(self, method, path, content=b"", **fields):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=MANY_SECONDS)
        fields = {key.replace("_", "-"): value for key, value in fields.items()}
        connection.putrequest(method, path, skip_host=True)
        for key, value in {"Host": self.host, "Content-Length": len(content), **fields}.items():
            connection.putheader(key, value)
        connection.endheaders(content)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, {key.lower(): value for key, value in answer.getheaders()}, text

    def ask(self, name="advice", content=b"{}", **fields):
        own = {
            "X_Token": self.token,
            "Origin": f"http://{self.host}",
            "Content_Type": "application/json",
        }
        if not isinstance(content, bytes):
            content = json.dumps(content).encode()
        status, head, text = self.request("POST", f"/ask/{name}", content, **{**own, **fields})
        return status, head, json.loads(text)

    def ready(self, *asked):
        """Repeat a request until a process has begun and has time to answer it."""
        while (answer := self.ask(*asked))[2].get("kind") in ("Preparing", "TooLong"):
            pass
        return answer


@pytest.fixture(scope="module")
def client(served):
    return Client(*served[1:])


def test_an_answer(client):
    asked = {"page": "p", "shots": "A1=miss"}
    status, head, answer = client.ready("advice", asked)
    assert (status, answer) == (200, answers.advice(SMALL, "A1=miss"))
    assert not [name for name in head if name.startswith("access-control")]
    assert "set-cookie" not in head
    assert "server" not in head


def test_serve_takes_a_fleet_of_unknown_lengths():
    """On the command line, and as a game that a request names."""
    known = answers.advice(Setting(MixedGame(UNKNOWN)), "A1=hit:a")
    other = answers.advice(Setting(MixedGame("3x3:1-2")), "A1=hit")
    with serving(UNKNOWN) as (_, address):
        port, token = address.rpartition(":")[2].split("/#token=")
        client, asked = Client(int(port), token), {"page": "p", "shots": "A1=hit:a"}
        assert client.ready("advice", asked)[::2] == (200, known)
        assert client.ask("about", {"page": "p"})[2]["text"] == UNKNOWN
        status, _, answer = client.ready("begin", {**asked, "against": "exact"})
        assert (status, "does not play that; optsearch play 4x4" in answer["error"]) == (422, True)
        asked = {"page": "p", "shots": "A1=hit", "game": "3x3:1-2"}
        assert client.ready("advice", asked)[::2] == (200, other)


def children(process):
    """The ids of its worker processes, without the process that tracks shared memory."""
    path = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    pids = [int(pid) for pid in path.read_text().split()]
    return [pid for pid in pids if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def test_a_worker_that_is_killed_during_a_request(served, client):
    """The worker is stopped first, so that it has not answered when it is killed."""
    asked = {"page": "p", "shots": "A1=miss"}
    client.ask(content=asked)
    (worker,) = children(served[0])
    os.kill(worker, signal.SIGSTOP)
    with ThreadPoolExecutor(1) as thread:
        lost = thread.submit(client.ask, content={**asked, "shots": "B1=miss"})
        client.ask("about")  # the server goes on meanwhile
        os.kill(worker, signal.SIGKILL)
        status, _, answer = lost.result()
    assert (status, answer["kind"]) == (422, "WorkerLost")
    assert "ask again" in answer["error"]
    assert client.ready("advice", asked)[::2] == (200, answers.advice(SMALL, "A1=miss"))
    assert worker not in children(served[0])


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"Host": "evil.example:8765"}, 421),
        ({"Host": "127.0.0.1"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": ""}, 403),
        ({"X_Token": ""}, 401),
        ({"X_Token": "TOKEN0"}, 401),
        ({"X_Token": "upper"}, 401),
        ({"Content_Type": "text/plain"}, 415),
        ({"content": b" " * (guard.MOST_BYTES + 1)}, 413),
        ({"content": b"[]"}, 400),
        ({"content": b"{"}, 400),
        ({"content": b"[" * 60_000}, 400),
        ({"content": b'{"shots": 5}'}, 400),
        ({"content": b'{"shots": "Z9=hit"}'}, 422),
        ({"name": "nothing"}, 400),
        ({"name": "about", "content": b'{"game": "a.json#b:2"}'}, 422),
        ({"name": "review", "content": b'{"number": true}'}, 400),
    ],
)
def test_requests_that_are_refused(client, fields, status):
    fields = {
        key: value.replace("TOKEN", client.token) if isinstance(value, str) else value
        for key, value in fields.items()
    }
    if fields.get("X_Token") == "upper":
        fields["X_Token"] = client.token.swapcase()
    answered, head, answer = client.ask(**fields)
    assert answered == status
    assert set(answer) <= {"error", "kind"}
    for name, value in guard.HEADERS.items():
        assert head[name] == value


def test_other_paths_and_methods_are_refused(client):
    for method, path, status in (
        ("GET", "/ask/advice", 405),
        ("GET", "/nothing", 404),
        ("GET", "/explorer/", 404),
        ("GET", "/ask/about/", 404),
        ("OPTIONS", "/ask/advice", 405),
        ("PUT", "/", 405),
    ):
        answered, head, text = client.request(method, path)
        assert answered == status
        assert set(json.loads(text)) == {"error"}
        assert "access-control-allow-origin" not in head


def test_the_page_has_no_code_in_it(client):
    for path in ("/", "/explorer"):
        status, head, page = client.request("GET", path)
        assert status == 200
        policy = head["content-security-policy"]
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert "<style" not in page
        assert client.token not in page
        for kind, name in (("text/css", "css"), ("text/javascript", "js")):
            address = f"{'/board' if path == '/' else path}.{name}"
            assert f'"{address}"' in page
            assert client.request("GET", address)[1]["content-type"].startswith(kind)


def test_a_whole_game_by_requests(client):
    _, _, seen = client.ready("begin", {"against": "easy"})
    assert "error" not in seen
    match = seen["match"]
    for cell in range(12):
        assert "error" not in seen, seen
        if seen["over"]:
            break
        assert seen["hidden"] is None
        _, _, seen = client.ready("shoot", {"match": match, "cell": cell_name(divmod(cell, 4))})
    assert seen["over"]
    assert client.ask("match", {"match": match})[2] == seen
    status, _, lost = client.ask("match", {"match": "0"})
    assert (status, lost["kind"]) == (422, "GameLost")


# Turns


def test_turns_latest_requests_and_lost_processes(tmp_path):
    """Of one page only the latest request is answered; killed and slow processes are reported."""
    gate = str(tmp_path / "gate")

    async def run():
        async with Engine((say, "ready"), (say, "again"), seconds=1e6) as engine:
            assert await engine.ask("one", say, "ready") == "ready"
            first = asyncio.create_task(engine.ask("one", wait_for, gate))
            await asyncio.sleep(0)
            others = [
                asyncio.create_task(engine.ask(page, say, text))
                for page, text in (("two", "old"), ("three", "c"), ("two", "new"))
            ]
            with pytest.raises(GivenUp):
                await others[0]
            (tmp_path / "gate").write_text("")
            assert await first == gate
            assert await asyncio.gather(*others[1:]) == ["c", "new"]
            with pytest.raises(WorkerLost, match="killed; ask again"):
                await engine.ask("one", end_process)
            assert await engine.ask("one", say, "again") == "again"
            engine._seconds = 0.05
            with pytest.raises(TooLong, match=r"more than 0.05 seconds"):
                await engine.ask("one", wait_for, str(tmp_path / "never"))
            engine._seconds = 1e6
            assert await engine.ask("one", say, "on") == "on"

    asyncio.run(run())


def test_likely_games_are_counted_while_a_person_chooses(monkeypatch):
    """The processes that count answer later, too; a game that is open stays open."""
    monkeypatch.setattr(server, "LIKELY_GAMES", (str(SMALL.game),))

    async def run():
        handlers = RequestHandlers(None, (), 1e6)
        await handlers.answer("games", {})
        (began,) = handlers._handlers.values()
        asked = {"page": "p", "game": "3x4:2"}
        answer = None
        while answer is None:
            with suppress(Preparing):
                answer = await handlers.answer("advice", asked)
        assert answer == answers.advice(SMALL, "")
        await handlers.answer("games", {})
        assert [*handlers._handlers.values()] == [began]
        await handlers.close()

    asyncio.run(run())


# The command


def raw(port, request, until=None):
    """Send bytes; return what comes back until `until` or the end of the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=MANY_SECONDS) as connection:
        connection.sendall(request)
        answer = b""
        with suppress(ConnectionResetError):
            while part := connection.recv(1 << 16):
                answer += part
                if until is not None and until in answer:
                    break
    return answer


def test_raw_requests_are_refused(served):
    _, port, token = served
    head = f"POST /ask/advice HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
    own = (
        f"Origin: http://127.0.0.1:{port}\r\nX-Token: {token}\r\nContent-Type: application/json\r\n"
    )
    for request, status in (
        (f"GET / HTTP/1.1\r\nHost: evil.example:{port}\r\n\r\n", 421),
        ("GET / HTTP/1.0\r\n\r\n", 421),
        (f"{head}Origin: http://evil.example\r\nContent-Length: 0\r\n\r\n", 403),
        (f"{head}{own.replace(token, '0' * 32)}Content-Length: 0\r\n\r\n", 401),
        (f"{head}{own}Content-Length: 99999999\r\n\r\n", 413),
        (f"{head}{own}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        (f"{head}{own}Transfer-Encoding: chunked\r\n\r\n11000\r\n{' ' * 0x11000}\r\n", 413),
    ):
        answer = raw(port, request.encode()).split(b" ", 2)
        assert answer[1] == str(status).encode(), request[:80]
    assert raw(port, f"{head}{'X: y' * 100_000}".encode())[:12] in (b"", b"HTTP/1.1 400")


def test_an_address_has_few_connections(served):
    with ExitStack() as stack:
        several = [
            stack.enter_context(socket.create_connection(("127.0.0.1", served[1])))
            for _ in range(guard.MOST_OF_ADDRESS + 1)
        ]
        several[-1].settimeout(MANY_SECONDS)
        assert several[-1].recv(1) == b""
        several[0].settimeout(0.1)
        with pytest.raises(TimeoutError):
            several[0].recv(1)


def test_slow_requests_are_ended(monkeypatch):
    """A head that does not end, and a body that does not come: both by the clock of the guard."""
    import uvicorn

    monkeypatch.setattr(guard, "SECONDS_TO_SEND", 0.2)
    app = application(SMALL, TOKEN, frozenset())

    async def run():
        async def small(scope, receive, send):
            if scope["type"] == "http":
                await app(scope, receive, send)

        with socket.create_server(("127.0.0.1", 0)) as listening:
            port = listening.getsockname()[1]
            app._hosts = frozenset([f"127.0.0.1:{port}"])
            config = uvicorn.Config(small, http=guard.Patient, log_config=None, lifespan="off")
            server = uvicorn.Server(config)
            task = asyncio.create_task(server.serve(sockets=[listening]))
            head = f"POST /ask/advice HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
            assert await asyncio.to_thread(raw, port, head.encode()) == b""
            own = f"Origin: http://127.0.0.1:{port}\r\nX-Token: {TOKEN}\r\n"
            own += "Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{"
            body = f"{head}{own}".encode()
            answer = await asyncio.to_thread(raw, port, body)
            assert answer.startswith(b"HTTP/1.1 408")
            server.should_exit = True
            await task

    asyncio.run(run())


def test_a_taken_port_is_one_line(served, call_command):
    _, port, _ = served
    status, out, err = call_command("serve", "3x4:2", "--no-browser", "--port", port)
    assert (status, out) == (2, "")
    assert (
        err
        == f"error: port {port} of 127.0.0.1 cannot be used: Address already in use; name another\n"
    )


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2"])
def test_serve_prints_the_address_and_opens_the_page(call_command, monkeypatch, host):
    """The token is in a file that only this user can read, not among the arguments of a browser."""
    opened = []

    def read(address):
        path = Path(address.removeprefix("file://"))
        opened.append((address, path.read_text(), path.parent.stat().st_mode & 0o777))

    monkeypatch.setattr(running.webbrowser, "open", read)
    monkeypatch.setattr(running.uvicorn.Server, "run", lambda *_, **__: None)
    status, out, err = call_command("serve", "3x4:2", "--host", host)
    assert (status, err) == (0, "")
    address = out.split()[1]
    assert address.startswith(f"http://{host}:")
    ((given, page, mode),) = opened
    assert mode == 0o700
    assert address in page
    assert address.partition("token=")[2] not in given
    assert ("not encrypted" in out) == (host == "127.0.0.2")


@pytest.mark.parametrize("game", ["30x30:2", "1x3:2,2"])
def test_a_board_that_gives_no_answer_is_refused_at_once(call_command, game):
    status, out, err = call_command("serve", game, "--no-browser")
    assert (status, out, err.count("\n")) == (2, "", 1)


def test_a_large_board_is_served_at_once(call_command, monkeypatch):
    """The command does not wait for its counting table."""
    monkeypatch.setattr(running.uvicorn.Server, "run", lambda *_, **__: None)
    monkeypatch.setattr(posterior, "engine_for", None)
    served = call_command("serve", "16x16:5,4,3,3,2,contact=any", "--no-browser")
    assert served[::2] == (0, "")
    known = answers.describe_game(Setting(Game.parse("16x16:5,4,3,3,2,contact=any")))
    assert len(known["shape"]["cells"]) == 256


def test_options_that_name_strategies_and_players(call_command, monkeypatch):
    monkeypatch.setattr(running.uvicorn.Server, "run", lambda *_, **__: None)
    assert call_command("serve", "3x4:2", "--by", "greedy", "--prior", "one-by-one")[::2] == (0, "")
    for name in ("easy", "greedy"):
        assert call_command("serve", "--no-browser", "--against", name)[::2] == (0, "")
    status, _, err = call_command("serve", "--prior", "one-by-one")
    assert (status, "--prior and --by belong to a game" in err) == (2, True)


def test_without_the_extra(call_command, monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "optsearch.board.running", raising=False)
    status, _, err = call_command("serve", "3x4:2")
    assert status == 2
    assert err == (
        "error: serve needs uvicorn, which is not installed; install it with: pip install "
        "starlette uvicorn\n"
    )


def test_ctrl_c_leaves_no_process(served):
    """The last test that uses this server."""
    process, port, token = served
    head = f"POST /ask/advice HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n"
    rest = f"X-Token: {token}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{{}}"
    assert b" 200 OK" in raw(port, (head + rest).encode(), until=b"\r\n\r\n")
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=MANY_SECONDS)
    assert process.returncode == 130
    assert err == "interrupted; games under way are lost\n"
    with suppress(ProcessLookupError):  # the group ends with its last process
        while True:
            os.killpg(process.pid, 0)
            time.sleep(0.01)
