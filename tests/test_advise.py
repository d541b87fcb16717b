"""Advice in games played elsewhere: replies one by one, contradictions, the end, files, JSON."""

import json
from itertools import combinations

import numpy as np
import pytest
from typer.testing import CliRunner

from optsearch.check import reference
from optsearch.cli.command import app
from optsearch.counting.posterior import Posterior
from optsearch.game import Game, parse_cell
from optsearch.game.position import HIT, MISS, Position, Reply, Shot, reply
from optsearch.play import advice
from optsearch.play.advice import Contradiction, Replies, advise, conflict
from optsearch.search.solver import solve
from optsearch.support.errors import ImpossiblePosition, PositionError

USUAL = "10x10:5,4,3,3,2"
NARROW = "10x6:5,4,3,3,2"  # counted sooner


def run(lines, *arguments):
    return CliRunner().invoke(app, ["advise", *arguments], input="\n".join([*lines, ""]))


# Which replies cannot be together


def is_possible(game, shots, kept):
    """By the definition: some configuration, asked for all shots, replies as those kept."""
    for ships in reference.configurations(Position(game)):
        hits, fits = 0, True
        for number, shot in enumerate(shots):
            bit = game.bit(shot.cell)
            answer = reply(game, ships, hits, bit)
            fits &= number not in kept or answer == shot.reply
            hits |= bit if answer.hit else 0
        if fits:
            return True
    return False


@pytest.mark.parametrize(
    "rules",
    [
        "none",
        "any",
        "corner;announce=sunk",
        "none;announce=ship",
        "any;announce=ship",
        "any;announce=sunk",
    ],
)
def test_a_conflict_is_one_and_nothing_less_is(rules):
    game = Game.parse(f"3x4:3,2;contact={rules}")
    rng = np.random.default_rng(7)
    replies = {
        "nothing": [HIT, MISS],
        "sunk": [HIT, MISS, Reply(True, True)],
        "ship": [HIT, MISS, Reply(True, True, 2), Reply(True, True, 3)],
    }[game.announce]
    found = 0
    for _ in range(25):
        cells = rng.permutation(game.cells)[:6].tolist()
        shots = [Shot(game.cell(cell), replies[rng.integers(len(replies))]) for cell in cells]
        together = conflict(game, shots)
        if not together:
            assert is_possible(game, shots, set(range(6)))
            continue
        found += 1
        places = {shots.index(shot) for shot in together}
        assert not is_possible(game, shots, places)
        for less in combinations(sorted(places), len(places) - 1):
            assert is_possible(game, shots, set(less))
    assert found > 5


def test_replies_stay_possible():
    game = Game.parse(f"{NARROW};contact=any;announce=ship")
    replies = Replies(Position.parse(game, "B4=hit B5=hit"))
    with pytest.raises(
        Contradiction, match="B6=sunk:4 cannot be after these shots, whatever the replies to them"
    ) as caught:
        replies.add((5, 1), Reply(True, True, 4))
    # a ship of length 4 that ends there would be B3-B6, and B3 was not shot
    assert [str(shot) for shot in caught.value.together] == ["B6=sunk:4"]
    replies.add((5, 1), Reply(True, True, 3))
    with pytest.raises(PositionError, match="without B4=hit the replies after it are impossible"):
        replies.undo(parse_cell("B4"))
    assert str(replies.undo()) == "B6=sunk:3"
    assert str(replies.undo(parse_cell("B4"))) == "B4=hit"
    assert str(replies.position) == "B5=hit"
    with pytest.raises(PositionError, match="A1 was shot; there is nothing to take back"):
        replies.undo((0, 0))
    with pytest.raises(ImpossiblePosition):
        Replies(Position.parse(Game.parse("4x4:3,2"), "A1=hit B2=hit"))


# Advice


@pytest.mark.parametrize("rules", ["", ";contact=corner", ";contact=any;announce=ship"])
def test_advice_is_the_posterior_and_the_optimum(rules):
    game = Game.parse(f"4x4:3,2{rules}")
    position = Position.parse(game, "B2=hit A1=miss")
    given = advise(position, 1000)
    optimum = solve(position)
    assert (given.optimum.mean, given.optimum.best_shots) == (optimum.mean, optimum.best_shots)
    likely = given.likely(100)
    assert [cell for cell, chance in likely if chance == likely[0][1]] == Posterior(
        position
    ).greedy_shots()
    for (row, column), chance in likely:
        assert chance == Posterior(position).frequency[row][column] > 0
    assert [p for _, p in likely] == sorted((p for _, p in likely), reverse=True)
    few = Posterior(position).configurations
    assert advise(position, few - 1).optimum is None


def test_an_endgame_that_takes_too_much_is_left(monkeypatch):
    monkeypatch.setattr(advice, "EFFORT", 0)
    assert advise(Position(Game.parse("5x5:3,2")), 1000).optimum is None


# The command


def test_a_conversation():
    lines = ["B4 hit", "B5 hit, B6 sunk 3", "shots", "undo", "map", "help", "quit", "B1 miss"]
    result = run(lines, f"{NARROW};contact=any;announce=ship", "-n", "2")
    assert result.exit_code == 0, result.output
    assert "> B4 hit\n" in result.output
    assert "B4=hit B5=hit B6=sunk:3\n" in result.output
    assert "B6=sunk:3 is taken back" in result.output
    assert "hit, sunk 2, sunk 3, sunk 4, sunk 5 or miss" in result.output
    assert "\n10 " in result.output
    assert "2 replies" in result.output
    assert "B1" not in result.output.split("> quit")[1]
    shown = Posterior(Position.parse(Game.parse(f"{NARROW};contact=any;announce=ship"), "B4=hit"))
    assert f"{shown.configurations:,} configurations left" in result.output
    likely = advise(shown.position).likely(2)
    assert f"most probable: B5 {float(likely[0][1]):.1%}" in result.output


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("foo", "'foo' is not a cell"),
        ("C1", "C1 has no reply; write it as in C1 miss"),
        ("C1 perhaps", "'perhaps' is not a reply"),
        ("C1 sunk", "is not a reply of a game with announce=nothing"),
        ("A1 hit", "A1 is shot twice"),
        ("Z9 hit", "Z9 is off the board"),
        ("undo D4", "D4 was shot; there is nothing to take back"),
        ("undo foo", "'foo' is not a cell"),
        ("B2 hit", "B2=hit cannot be together with A1=hit; it is not taken"),
    ],
)
def test_a_line_that_is_refused_is_explained_and_the_rest_goes_on(line, said):
    result = run(["A1 hit", line, "A2 hit"], "4x4:3,2")
    assert result.exit_code == 1
    assert said in result.output
    assert "Traceback" not in result.output
    assert result.output.rstrip().endswith("2 replies")


def test_the_end_of_a_game_and_its_optimum():
    result = run(["A1 hit A2 hit", "A3 hit", "undo"], "3x4:3")
    assert "every ship is sunk, after 3 shots" in result.output
    left = Position.parse(Game.parse("3x4:3"), "A1=hit A2=hit")
    assert f"optimal: A3, {float(solve(left).mean):.4f} shots more on average" in result.output


def test_a_file_keeps_the_replies(tmp_path):
    path = tmp_path / "replies.txt"
    run(["B2 hit", "C3 miss"], "4x4:3,2", "--resume", str(path))
    assert path.read_text() == "# game: 4x4:3,2\nB2=hit\nC3=miss\n"
    result = run(["undo", "A1 miss"], "4x4:3,2", "--resume", str(path))
    assert result.exit_code == 0
    assert path.read_text() == "# game: 4x4:3,2\nB2=hit\nA1=miss\n"
    piped = CliRunner().invoke(app, ["advise", "4x4:3,2", "--json"], input=path.read_text())
    assert json.loads(piped.stdout)["position"] == "B2=hit A1=miss"
    for arguments, said in (
        (["4x4:3,3"], "keeps no game of 4x4:3,3"),
        (["4x4:3,2", "--shots", "A1=hit"], "begin a game"),
    ):
        assert said in str(run([], *arguments, "--resume", str(path)).exception)


def test_json_is_the_position_at_the_end():
    result = run(["B2 hit", "B3 hit C3 hit", "nothing"], "4x4:3,2", "--json", "-n", "1")
    assert result.exit_code == 1
    fields = json.loads(result.stdout)
    position = Position.parse(Game.parse("4x4:3,2"), "B2=hit B3=hit")
    optimum = solve(position)
    assert fields["position"] == str(position)
    assert fields["configurations"] == Posterior(position).configurations
    assert fields["mean_exact"] == str(optimum.mean)
    assert len(fields["likely"]) == 1
    assert [row["line"] for row in fields["refused"]] == ["B3 hit C3 hit", "nothing"]
    assert fields["refused"][0]["together"] == ["B2=hit", "C3=hit"]
    assert fields["refused"][1]["together"] == []
    empty = run([], USUAL, "--json")
    assert (empty.exit_code, json.loads(empty.stdout)["mean"]) == (0, None)
