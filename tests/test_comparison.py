"""Two strategies compared: the estimates are those of all configurations once all are drawn."""

import json
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from math import sqrt

import pytest

from optsearch.check import reference
from optsearch.counting.posterior import Posterior
from optsearch.evaluation import MEMORY, compare, evaluate
from optsearch.evaluation.runners import Asked, Runner
from optsearch.game import Game
from optsearch.game.position import Position, play, reply
from optsearch.strategies import named
from optsearch.support.errors import OptsearchError, StrategyError, TableError, TooLarge
from optsearch.support.journal import Journal
from tests.processes import run_command

GAME = "4x4:3,2"
GAMES = [
    (GAME, "greedy:endgame=0", "rollout"),
    (GAME, "pattern", "greedy:ties=last"),
    ("3x4:2,2;contact=any;announce=ship", "pattern:clear=sunk", "spread"),
    ("3x4:3,2;contact=any;announce=sunk", "greedy:endgame=0", "bisection"),
]


@pytest.fixture
def everything(monkeypatch):
    """Each configuration is drawn once: what is random is then what is expected."""
    monkeypatch.setattr(Posterior, "sample", lambda self, n, rng: self.everything()[:n])


def below(shot, position, family):
    """The mean shots of a strategy, by its definition, of all configurations of a position."""
    return sum(len(play(shot, ships, position).shots) for ships in family) / len(family)


def expected(game, size, shots):
    """The mean of both if greedy leads each configuration to so many at most, by brute force."""
    lead, everyone = cache(named("greedy").shot), list(reference.configurations(Position(game)))
    found = {}
    sums = [0.0, 0.0]
    for ships in everyone:
        position, family = Position(game), everyone
        while len(family) > size:
            cell = game.bit(lead(position))
            answer = reply(game, ships, position.hits, cell)
            family = [c for c in family if reply(game, c, position.hits, cell) == answer]
            position = position.after(lead(position), answer)
        if str(position) not in found:
            found[str(position)] = [below(shot, position, family) for shot in shots]
        sums = [a + b for a, b in zip(sums, found[str(position)], strict=True)]
    return [one / len(everyone) for one in sums]


@pytest.mark.parametrize(("text", "first", "second"), GAMES)
def test_every_configuration(everything, text, first, second):
    """Below positions, where the strategies are played by their definitions."""
    game = Game.parse(text)
    number = Posterior(game).configurations
    found = compare(first, second, game, positions=number, largest=40, jobs=1)
    assert [size.largest for size in found.sizes] == [10, 40]
    assert (found.configurations, found.whole) == (number, None)
    shots = [cache(named(strategy).shot) for strategy in (first, second)]
    for size in found.sizes:
        means = expected(game, size.largest, shots)
        assert size.means == pytest.approx(means, abs=1e-10)
        assert size.saved == pytest.approx(means[0] - means[1], abs=1e-10)
        assert size.positions == number
        assert max(size.configurations) <= size.largest


@pytest.mark.parametrize(("text", "first", "second"), [*GAMES[1:], (GAME, "greedy", "spread")])
def test_every_board(everything, monkeypatch, text, first, second):
    """From the first shot on, down to tasks that are small; luck is 0 on average."""
    exact = [evaluate(strategy, text).mean for strategy in (first, second)]
    monkeypatch.setattr(Runner, "listed", lambda self, memory: 20)
    monkeypatch.setattr(Asked, "listed", Runner.listed)
    number = Posterior(text).configurations
    found = compare(first, second, text, positions=2, largest=10, games=number, jobs=1).whole
    assert found.means == pytest.approx([float(mean) for mean in exact], abs=1e-10)
    assert found.positions == number
    assert not found.is_exact


def test_a_sample():
    """The differences of what was drawn, their mean and its standard error; the same with more."""
    found = compare("greedy", "rollout", "6x6:3,2", positions=20, largest=100, jobs=1)
    size = found.sizes[-1]
    mean = sum(size.differences) / 20
    error = sqrt(sum((one - mean) ** 2 for one in size.differences) / 19 / 20)
    assert (size.saved, size.standard_error) == pytest.approx((mean, error))
    with ThreadPoolExecutor(2) as executor:
        more = compare(
            *("greedy", "rollout", "6x6:3,2"),
            positions=21,
            largest=100,
            executor=executor,
            jobs=2,
        )
    assert more.sizes[-1].differences[:20] == size.differences
    other = compare("greedy", "rollout", "6x6:3,2", positions=20, largest=100, seed=2, jobs=1)
    assert other.sizes != found.sizes


def test_the_whole_at_once():
    """Where the largest position is the empty board the difference is exact."""
    found = compare("greedy", "rollout", GAME, positions=3, games=5, jobs=1)
    gap = evaluate("greedy", GAME).mean - evaluate("rollout", GAME).mean
    assert found.whole == found.sizes[-1]
    assert found.whole.is_exact
    assert found.whole.saved == pytest.approx(float(gap), abs=1e-12)
    assert found.whole.standard_error == 0
    assert (
        [size.largest for size in found.sizes] == [10, 100, found.configurations] == [10, 100, 104]
    )


def test_a_strategy_beside_itself():
    found = compare("spread", "spread", "5x5:3,2;announce=sunk", largest=50, games=3, jobs=1)
    assert [(size.saved, size.standard_error) for size in (*found.sizes, found.whole)] == [
        (0, 0)
    ] * 3


def test_the_leader_is_another():
    """It is said, and the positions are others."""
    by = {
        until: compare("greedy", "rollout", "5x5:3,2,2", until=until, largest=90, jobs=1)
        for until in ("greedy", "bisection")
    }
    assert by["bisection"].until == str(named("bisection"))
    assert by["bisection"].sizes[-1].first != by["greedy"].sizes[-1].first
    for until in ("rollout", "nested"):
        with pytest.raises(StrategyError, match=f"^{until}.* cannot lead to positions"):
            compare("greedy", "spread", GAME, until=until)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"positions": 1}, OptsearchError, "^1 positions cannot be drawn; 2 to 1,000,000"),
        ({"games": 1}, OptsearchError, "^1 games cannot be played; 2 to 1,000,000"),
        ({"largest": 1}, OptsearchError, "^positions of 1 configurations leave nothing"),
        ({"seed": -1}, OptsearchError, "^the seed -1 is negative"),
        ({"largest": MEMORY}, TooLarge, "^positions of 4,294,967,296 .* up to 16,777,216 are acc"),
        ({"memory": 5}, TooLarge, "^5 bytes of memory are too little"),
    ],
)
def test_what_is_not_accepted(options, error, message):
    with pytest.raises(error, match=message):
        compare("greedy", "spread", GAME, **options)


RUN = ("compare", "greedy:ties=last", "spread", "5x5:3,2,2", "--largest", 90, "--jobs", 1)


def test_killed_and_resumed(here, tmp_path, monkeypatch):
    """The same numbers as without; another question is refused."""
    monkeypatch.chdir(tmp_path)
    hooks = "from optsearch.support.journal import Journal; at(Journal, 'add', kill, 30)"
    kept = (*RUN, "--resume", "kept")
    assert run_command(*kept, hooks=hooks, cwd=tmp_path) == (-9, "", "")
    calls, add = [], Journal.add

    def interrupted(*fact):
        add(*fact)
        calls.append(fact)
        if len(calls) == 30:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Journal, "add", interrupted)
        said = "what is done is in kept, and the same command goes on from there"
        assert here(*kept) == (130, "", f"interrupted; {said}\n")
    facts = (tmp_path / "kept" / "comparison.jsonl").read_bytes().count(b"\n")
    assert facts == 61
    whole, resumed = (json.loads(here(*run, "--json")[1]) for run in (RUN, kept))
    for answer in (whole, resumed):
        answer.pop("microseconds")
    assert resumed == whole
    status, out, _ = here(*kept, "--positions", 15)
    assert status == 0
    assert "evaluations were done before" in out
    for other in (("--seed", 2), ("--until", "spread"), ("--memory", 0.01)):
        status, out, error = here(*kept, *other)
        assert (status, out) == (2, "")
        assert "name another folder" in error


def test_a_damaged_checkpoint(tmp_path):
    """A fact that cannot be is refused, although its checksum is right."""
    options = {"largest": 50, "jobs": 1, "checkpoint": tmp_path}
    compare("greedy", "spread", "5x5:3,2", **options)
    text = (tmp_path / "comparison.jsonl").read_text().splitlines()
    head = json.loads(text[0].partition(" ")[2])["what"]
    (tmp_path / "comparison.jsonl").unlink()
    key = next(
        json.loads(line.partition(" ")[2])[0] for line in text if '"first evaluation' in line
    )
    with Journal(tmp_path / "comparison.jsonl", head) as made:
        made.add(key, [1, 2, 3])
    with pytest.raises(TableError, match=r"is damaged: 'evaluation .* not .* configurations"):
        compare("greedy", "spread", "5x5:3,2", **options)
