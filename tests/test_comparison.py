"""Two strategies compared: the estimates are those of all configurations once all are drawn."""

import inspect
import json
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from math import sqrt

import pytest

from optsearch.check import reference
from optsearch.counting.posterior import Posterior
from optsearch.evaluation import MEMORY, PositionSampling, compare, evaluate
from optsearch.evaluation import comparison as comparison_of_strategies
from optsearch.game import Game
from optsearch.game.position import Position, play, reply
from optsearch.strategies import named
from optsearch.support.errors import OptsearchError, StrategyError, TableError, TooLarge
from optsearch.support.store import Facts
from optsearch.support.workers import Execution
from tests.processes import run_command
from tests.stores import facts_of, what_of, write_facts

GAME = "4x4:3,2"
GAMES = [
    (GAME, "greedy:endgame=0", "rollout"),
    (GAME, "pattern", "greedy:ties=last"),
    ("3x4:2,2,contact=any,announce=ship", "pattern:clear=sunk", "spread"),
    ("3x4:3,2,contact=any,announce=sunk", "greedy:endgame=0", "bisection"),
]


@pytest.fixture
def everything(monkeypatch):
    """Each configuration is drawn once: what is random is then what is expected."""
    monkeypatch.setattr(Posterior, "sample", lambda self, n, rng, masks: self.list_all(masks)[:n])


def below(shot, position, family):
    """The mean shots of a strategy, by its definition, of all configurations of a position."""
    return sum(len(play(shot, ships, position).shots) for ships in family) / len(family)


def expected(game, size, shots):
    """The mean of both if greedy leads each configuration to so many at most, by brute force."""
    lead, everyone = cache(named("greedy").shot), list(reference.configurations(Position(game)))
    shots_below = {}
    sums = [0.0, 0.0]
    for ships in everyone:
        position, family = Position(game), everyone
        while len(family) > size:
            cell = game.bit(lead(position))
            answer = reply(game, ships, position.hits, cell)
            family = [c for c in family if reply(game, c, position.hits, cell) == answer]
            position = position.after(lead(position), answer)
        if str(position) not in shots_below:
            shots_below[str(position)] = [below(shot, position, family) for shot in shots]
        sums = [a + b for a, b in zip(sums, shots_below[str(position)], strict=True)]
    return [total / len(everyone) for total in sums]


@pytest.mark.parametrize("largest", [10, 40])
@pytest.mark.parametrize(("text", "first", "second"), GAMES)
def test_every_configuration(everything, text, first, second, largest):
    """Below positions, where the strategies are played by their definitions."""
    game = Game.parse(text)
    number = Posterior(game).configurations
    comparison = compare(
        first, second, game, sampling=PositionSampling(positions=number, largest=largest)
    )
    assert comparison.configurations == comparison.positions == number
    assert not comparison.is_exact
    means = expected(game, largest, [cache(named(strategy).shot) for strategy in (first, second)])
    assert comparison.means == pytest.approx(means, abs=1e-10)
    assert comparison.saved == pytest.approx(means[0] - means[1], abs=1e-10)


def test_a_sample():
    """The differences of what was drawn, their mean and its standard error; the same with more."""
    pair = "greedy", "rollout", "6x6:3,2"
    comparison = compare(*pair, sampling=PositionSampling(largest=100))
    mean = sum(comparison.differences) / 20
    error = sqrt(sum((difference - mean) ** 2 for difference in comparison.differences) / 19 / 20)
    assert (comparison.saved, comparison.standard_error) == pytest.approx((mean, error))
    with ThreadPoolExecutor(2) as executor:
        longer = compare(
            *pair,
            sampling=PositionSampling(positions=21, largest=100),
            execution=Execution(executor=executor, jobs=2),
        )
    assert longer.differences[:20] == comparison.differences
    assert (
        compare(*pair, sampling=PositionSampling(largest=100, seed=2)).differences
        != comparison.differences
    )


def test_processes_of_its_own(monkeypatch):
    """A game large enough for processes; here one of any size is."""
    monkeypatch.setattr(comparison_of_strategies, "_MOST_IN_ONE_PROCESS", 0)
    question = "greedy", "spread", "5x5:3,2"
    sampling = PositionSampling(positions=4, largest=100)
    by_two = compare(*question, sampling=sampling, execution=Execution(jobs=2))
    assert by_two == compare(*question, sampling=sampling, execution=Execution(jobs=1))


def greedy_after_a_hit(position):
    """Greedy, but from the last cell backwards until a ship is hit."""
    if position.hits:
        return named("greedy").shot(position)
    return position.game.cell(position.game.cells - 1 - len(position.shots))


def test_what_differs_before_the_first_hit_alone_is_not_called_equal(call_command, tmp_path):
    comparison = compare(
        "greedy", greedy_after_a_hit, "5x6:3,2", sampling=PositionSampling(positions=8, largest=20)
    )
    assert (comparison.alike, comparison.saved) == (8, 0)
    assert (comparison.is_exact, comparison.is_decided) == (False, False)
    fewest, most = min(comparison.shots_before), max(comparison.shots_before)
    part = f"after the first {fewest} to {most} shots; alike in 8 of 8 positions"
    assert 0 < fewest < most
    assert comparison.part_text == part
    assert "saved unknown, since nothing differs in this part" in repr(comparison)
    file = tmp_path / "own.py"
    source = inspect.getsource(greedy_after_a_hit)
    file.write_text("from optsearch.strategies import named\n" + source)
    command = ("compare", "greedy", f"{file}:greedy_after_a_hit", "5x6:3,2", "--positions", 8)
    command += ("--largest", 20, "--jobs", 1)
    text, answer = call_command(*command)[1], json.loads(call_command(*command, "--json")[1])
    assert f"compared        {part}\n" in text
    assert "±" not in text
    undecided = {"saved": None, "standard_error": None, "alike": 8}
    assert undecided.items() <= answer.items()
    assert answer["shots_before"] == [fewest, most]
    means = [evaluate(strategy, "5x6:3,2").mean for strategy in ("greedy", greedy_after_a_hit)]
    assert means[0] < means[1]
    exact = compare("greedy", greedy_after_a_hit, "5x6:3,2", sampling=PositionSampling(positions=2))
    assert (exact.is_exact, exact.alike, exact.is_decided) == (True, 0, True)
    assert exact.saved == pytest.approx(float(means[0] - means[1]))
    same = compare("greedy", "greedy:ties=first", "3x4:3,2", sampling=PositionSampling(positions=2))
    assert (same.saved, same.is_decided) == (0, True)
    assert same.part_text == "the whole game; alike"


def test_the_whole_at_once():
    """Where the largest position is the empty board the difference is exact."""
    comparison = compare("greedy", "rollout", GAME, sampling=PositionSampling(positions=3))
    gap = evaluate("greedy", GAME).mean - evaluate("rollout", GAME).mean
    assert (comparison.is_exact, comparison.largest, comparison.standard_error) == (True, 104, 0)
    assert comparison.saved == pytest.approx(float(gap), abs=1e-12)


def test_the_leader_is_another():
    """It is said, and the positions are others."""
    comparisons = {
        until: compare(
            "greedy", "rollout", "5x5:3,2,2", sampling=PositionSampling(until=until, largest=90)
        )
        for until in ("greedy", "bisection")
    }
    assert comparisons["bisection"].until == str(named("bisection"))
    assert comparisons["bisection"].first_means != comparisons["greedy"].first_means
    for until in ("rollout", "nested"):
        with pytest.raises(StrategyError, match=f"^{until}.* is too slow for --until"):
            compare("greedy", "spread", GAME, sampling=PositionSampling(until=until))


@pytest.mark.parametrize(
    ("numbers", "error", "message"),
    [
        ({"positions": 1}, OptsearchError, "^1 positions cannot be drawn; 2 to 1,000,000"),
        ({"largest": 1}, OptsearchError, "^positions of 1 configurations leave nothing"),
        ({"seed": -1}, OptsearchError, "^the seed -1 is negative"),
        ({"positions": 2.5}, OptsearchError, "^positions=2.5 is not a whole number"),
        ({"largest": "x"}, OptsearchError, "^largest='x' is not a whole number"),
        ({"largest": MEMORY}, TooLarge, "^positions of 4,294,967,296 .* up to 16,777,216 are acc"),
    ],
)
def test_what_is_not_accepted(numbers, error, message):
    with pytest.raises(error, match=message):
        compare("greedy", "spread", GAME, sampling=PositionSampling(**numbers))


def test_too_little_memory():
    with pytest.raises(TooLarge, match=r"^5 bytes of memory are too little"):
        compare("greedy", "spread", GAME, memory=5)


RUN = ("compare", "greedy:ties=last", "spread", "5x5:3,2,2", "--largest", 90, "--jobs", 1)


def test_killed_and_resumed(call_command, tmp_path, monkeypatch):
    """The numbers are those without an interruption; another question is refused."""
    monkeypatch.chdir(tmp_path)
    hooks = "from optsearch.support.store import Facts; at(Facts, 'add', kill, 30)"
    kept = (*RUN, "--resume", "kept")
    assert run_command(*kept, hooks=hooks, cwd=tmp_path) == (-9, "", "")
    calls, add = [], Facts.add

    def interrupted(*fact):
        add(*fact)
        calls.append(fact)
        if len(calls) == 30:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Facts, "add", interrupted)
        note = "what is done is in kept, and the same command goes on from there"
        assert call_command(*kept) == (130, "", f"interrupted; {note}\n")
    assert len(facts_of(tmp_path / "kept")) == 60
    uncut, resumed = (json.loads(call_command(*run, "--json")[1]) for run in (RUN, kept))
    for answer in (uncut, resumed):
        del answer["microseconds"], answer["command"]
    assert resumed == uncut
    status, out, _ = call_command(*kept, "--positions", 15)
    assert status == 0
    assert "evaluations were done before" in out
    assert call_command(*kept, "--seed", 2)[0] == 0
    status, out, error = call_command(*kept, "--until", "spread")
    assert (status, out) == (2, "")
    assert "name another folder" in error


def test_a_damaged_checkpoint(tmp_path):
    """A fact that cannot be is refused, although its checksum is right."""
    options = {
        "sampling": PositionSampling(largest=50),
        "execution": Execution(checkpoint=tmp_path),
    }
    compare("greedy", "spread", "5x5:3,2", **options)
    name = next(name for name in facts_of(tmp_path) if "evaluation" in name)
    write_facts(tmp_path, what_of(tmp_path), {name: [[1, 2, 3], 4]})
    with pytest.raises(TableError, match=r"is damaged: 'evaluation .* not .* configurations"):
        compare("greedy", "spread", "5x5:3,2", **options)
