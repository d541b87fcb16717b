"""Advice in games played elsewhere: replies one by one, contradictions, the end, files, JSON."""

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import assume, given

from optsearch.check import reference
from optsearch.cli import advising
from optsearch.cli.command import app
from optsearch.cli.counting import heat_map_text
from optsearch.cli.dialogue import Dialogue
from optsearch.counting.conflicts import (
    complete_reply,
    find_conflict,
    position_of,
    possible_single_errors,
)
from optsearch.counting.posterior import Posterior
from optsearch.counting.prior import prior_of
from optsearch.evaluation.choosing import Chooser
from optsearch.evaluation.tasks import FollowedTask
from optsearch.game import Game, cell_name
from optsearch.game.position import (
    HIT,
    MISS,
    Position,
    Reply,
    Shot,
    known_replies,
    reply,
    shots_of,
)
from optsearch.game.reply_text import example_reply, strip_comment
from optsearch.play import advice
from optsearch.play.advice import advise, draw_fleet
from optsearch.play.replies import Replies
from optsearch.search.solver import solve
from optsearch.strategies import as_strategy
from optsearch.support.errors import PositionError
from optsearch.support.files import state_folder
from tests.examples import EVERY_RULE, games

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
        "corner,announce=sunk",
        "none,announce=ship",
        "any,announce=ship",
        "any,announce=sunk",
    ],
)
def test_a_conflict_is_one_and_nothing_less_is(rules):
    game = Game.parse(f"3x4:3,2,contact={rules}")
    rng = np.random.default_rng(7)
    replies = {
        "nothing": [HIT, MISS],
        "sunk": [HIT, MISS, Reply(True, True)],
        "ship": [HIT, MISS, Reply(True, True, 2), Reply(True, True, 3)],
    }[game.announce]
    found = single = 0
    for _ in range(25):
        cells = rng.permutation(game.cells)[:6].tolist()
        shots = [Shot(game.cell(cell), replies[rng.integers(len(replies))]) for cell in cells]
        together = find_conflict(game, shots)
        if not together:
            assert is_possible(game, shots, set(range(6)))
            continue
        found += 1
        places = {shots.index(shot) for shot in together}
        assert not is_possible(game, shots, places)
        for less in combinations(sorted(places), len(places) - 1):
            assert is_possible(game, shots, set(less))
        alone = [s for i, s in enumerate(shots) if is_possible(game, shots, set(range(6)) - {i})]
        assert possible_single_errors(game, shots, together) == tuple(alone)
        single += bool(alone)
    assert found > 5
    assert single > 0


# Advice


@pytest.mark.parametrize("rules", ["", ",contact=corner", ",contact=any,announce=ship"])
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
    result = run(lines, f"{NARROW},contact=any,announce=ship", "-n", "2")
    assert result.exit_code == 0, result.output
    assert "> B4 hit\n" in result.output
    assert "B4=hit B5=hit B6=sunk:3\n" in result.output
    assert "B6=sunk:3 is taken back" in result.output
    assert "hit, sunk 2, sunk 3, sunk 4, sunk 5 or miss" in result.output
    assert "\n10 " in result.output
    assert "2 replies" in result.output
    assert "B1" not in result.output.split("> quit")[1]
    shown = Posterior(Position.parse(Game.parse(f"{NARROW},contact=any,announce=ship"), "B4=hit"))
    assert f"{shown.configurations:,} configurations left" in result.output
    likely = advise(shown.position).likely(2)
    assert f"most probable: B5 {float(likely[0][1]):.1%}" in result.output


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("foo", "'foo' is not a cell"),
        ("C1", "C1 has no reply; write it as in C1 miss"),
        ("C1 perhaps", "'perhaps' is not a reply"),
        ("C1 sunk", "4x4:3,2 announces no sinkings; where they are told, begin with"),
        ("A1 hit", "undo A1 takes the first back; help"),
        ("B1 miss, C1 hot, C2 m", "'hot' is not a reply; use hit or miss"),
        ("B1 miss, Z9 m, C2 m", "B1 miss before it is taken, C2 miss behind it is not"),
        ("C2 hot, C1 m", "nothing of the line is taken"),
        ("Z9 hit", "Z9 is off the board"),
        ("undo D4", "D4 was not shot; there is nothing to take back"),
        ("undo foo", "'foo' is not a cell"),
        ("B2 hit", "B2=hit cannot be together with A1=hit; it is not taken"),
    ],
)
def test_a_line_that_is_refused_is_explained_and_the_rest_goes_on(line, said):
    result = run(["A1 hit", line, "A2 hit"], "4x4:3,2")
    assert result.exit_code == 1
    assert said in result.output
    assert "Traceback" not in result.output
    number = 3 if "is taken," in said else 2
    assert result.output.rstrip().endswith(f"{number} replies")


def test_what_fits_in_place_of_a_reply():
    result = run(["A1 h A2 h A3 h", "A4 hit"], "5x5:4,announce=ship")
    assert "; A4 sunk 4 can be; it is not taken" in result.output
    result = run(["A1 h B1 h C1 h D1 m", "A2 sunk"], "4x4:3,2,announce=sunk")
    assert "; A2 hit can be" not in result.output


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("C2 sunk ###/###", "C2 sunk ###/###"),
        ("C2=sunk:###/### # at last", "C2=sunk:###/### "),
        ("# C2 sunk ###/###", ""),
        ("C2 sunk ### # three", "C2 sunk ### "),
        ("C2 sunk # which?", "C2 sunk "),
        ("B1 hit ## second", "B1 hit "),
    ],
)
def test_a_comment_is_no_drawn_ship(line, kept):
    assert strip_comment(line).rstrip() == kept.rstrip()


def test_the_reply_of_a_drawn_ship():
    game = "4x4:###/###,1,announce=ship"
    lines = ["A1 h, A2 h, B1 h, B2 h, C1 h", "C2 sunk ###/###  # its name"]
    assert "C2=sunk:###/###" in run([*lines, "shots"], game).output
    result = CliRunner().invoke(app, ["posterior", game, "--shots", f"{lines[0]} C2 sunk"])
    assert "C2=sunk:###/###" in result.output


def test_a_file_keeps_the_replies(tmp_path):
    path = tmp_path / "replies.txt"
    run(["B2 hit", "C3 miss"], "4x4:3,2", "--resume", str(path))
    assert path.read_text() == "# game: 4x4:3,2\nB2=hit\nC3=miss\n"
    result = run(["undo", "A1 miss"], "4x4:3,2", "--resume", str(path))
    assert result.exit_code == 0
    assert path.read_text() == "# game: 4x4:3,2\nB2=hit\nA1=miss\n"
    piped = CliRunner().invoke(app, ["advise", "4x4:3,2", "--json"], input=path.read_text())
    assert json.loads(piped.stdout)["position"] == "B2=hit A1=miss"
    twice = tmp_path / "twice.txt"
    twice.write_text("# game: 4x4:3,2\nB2=hit\nB2=hit\n")
    said = str(run([], "4x4:3,2", "--resume", str(twice)).exception)
    assert said == f"{str(twice)!r} keeps no game: B2 is shot twice: B2=hit and then B2=hit"
    for arguments, said in (
        (["4x4:3,3"], "keeps no game of 4x4:3,3"),
        (["4x4:3,2", "--shots", "A1=hit"], "begin a game"),
    ):
        assert said in str(run([], *arguments, "--resume", str(path)).exception)


def test_what_begins_a_game_is_kept_before_the_first_reply(tmp_path):
    """The farewell names the file, and the same command goes on from it."""
    path = tmp_path / "replies.txt"
    arguments = ("4x4:3,2", "--shots", "A1=hit", "--resume", str(path))
    for lines in ([], ["B1 hit"], []):
        result = run(lines, *arguments)
        assert f"; the replies are in {path}" in result.output
    assert path.read_text() == "# game: 4x4:3,2\nA1=hit\nB1=hit\n"


# Replies in short


@pytest.mark.parametrize(
    ("line", "position"),
    [
        ("A1 m b2 h C3 x", "A1=miss B2=hit C3=hit"),
        ("A1=o, B1 water", "A1=miss B1=miss"),
        ("A1 h A2 sunk2", "A1=hit A2=sunk:2"),
        ("A1 h A2 SUNK 2", "A1=hit A2=sunk:2"),
        ("A1 h A2 H A3 sunk3 D4 m", "A1=hit A2=hit A3=sunk:3 D4=miss"),
    ],
)
def test_replies_in_short(line, position):
    assert " ".join(map(str, shots_of(Game.parse("5x5:3,2"), line))) == position


@given(games(max_cells=12, announce=EVERY_RULE))
def test_the_example_is_a_reply_of_the_game(game):
    assume(Posterior(game).configurations)
    example = example_reply(game)
    (shot,) = shots_of(game, example)
    assert shot.reply.hit
    assert shot.reply in known_replies(game)
    assert shot.cell in game


@pytest.mark.parametrize(
    ("game", "example"),
    [
        ("paper", "B4 hit"),
        ("official", "B4 patrol boat"),
        ("10x10:4,3a,3b,2,announce=name", "B4 hit 2"),
        ("5x4:3,2,announce=place", "B4 hit B3-B4"),
        ("3x3:2,holes=A1", "B1 hit"),
    ],
)
def test_the_first_line_has_an_example_of_the_game(person, game, example):
    _, output = person([example], game)
    assert f"enter a shot and its reply, as in {example}; help lists" in output
    assert ("\n2 replies; " if "place" in game else "\n1 reply; ") in output


def test_a_sinking_whose_length_was_not_told():
    game = Game.parse("5x5:3,2,contact=any,announce=ship")
    position = Position.parse(game, "A1=hit A2=hit B1=miss")
    # A1 and A2 are a ship of two cells, which would have sunk at A2, or part of the longer one
    assert complete_reply(position, (2, 0), Reply.parse("sunk")) == Reply.parse("sunk:3")
    open_position = Position.parse(game, "C3=hit C4=hit")
    with pytest.raises(PositionError, match="write C5 sunk 2 or C5 sunk 3; where the length"):
        complete_reply(open_position, (4, 2), Reply.parse("sunk"))
    only_sunk = Position(Game.parse("5x5:3,2,announce=sunk"))
    assert complete_reply(only_sunk, (0, 0), Reply.parse("sunk:3")) == Reply.parse("sunk")
    assert complete_reply(only_sunk, (0, 0), MISS) == MISS
    for shot in (Shot((8, 9), MISS), Shot((8, 9), Reply.parse("sunk"))):
        assert complete_reply(position, shot.cell, shot.reply) == shot.reply
        with pytest.raises(PositionError, match=f"^{shot}: J9 is off the board 5x5"):
            position_of(game, f"A1 hit, {shot}")


def test_hits_that_name_their_ships():
    """A name that is the only possible one may be left out; a conflict and what is left follow."""
    names = "carrier (5), battleship (4), cruiser (3a), submarine (3b), patrol boat (2), destroyer"
    assert f"or with a name: {names} (3a)" in run(["help"], "official").output
    told = shots_of(Game.parse("official"), "B4 hit5, C7 HIT3a D1 patrol boat")
    assert " ".join(map(str, told)) == "B4=hit:5 C7=hit:3a D1=hit:2"
    lines = ["A1 1", "C1 hit", "D1 1", "D1 hit 3a", "E1 hit"]
    output = run(lines, "1x5:3a,1,announce=name").output
    assert "C1=hit:3a, the only ship that is possible\n" in output
    assert "D1=hit:1 makes 2 hits on ships of length 1; the fleet 3a,1 has 1 cell of them" in output
    assert [line for line in output.splitlines() if "ships left" in line][:2] == [
        *("ships left: 3a 1", "ships left: 3a"),
    ]
    assert "every ship is sunk" in output
    game = Game.parse("2x3:2a,2b,contact=any,announce=name")
    shots = Position(game, "A1 2a B1 2b A2 miss").shots
    assert find_conflict(game, shots) == (shots[0], *shots[1:])
    with pytest.raises(PositionError, match=r"which ship was hit\? write B2 hit 2a or B2 hit 2b"):
        complete_reply(Position(game, "B1 2a"), (1, 1), HIT)
    with pytest.raises(PositionError, match="C1 cannot be hit after A1=hit:2a A2=hit:2a B2=hit:2b"):
        complete_reply(Position(game, "A1 2a A2 2a B2 2b B1 2b"), (0, 2), HIT)


@pytest.mark.parametrize(
    ("game", "shots", "drawn"),
    [
        ("official", "E5 carrier, D1 patrol boat E1 2 A1 m", "carrier X...., battleship ...., des"),
        ("official", "D1 2 E1 2", "submarine ..., patrol boat ●●"),
        ("boxed", "A1 h B1 h C1 sunk 3", "cruiser or submarine ●●● ..., destroyer .."),
        ("4x4:2,2,1,contact=any,announce=name", "A1 2 A2 2 D4 2", "2 XX X., 1 ."),
        ("3x4:2,1", "A1 h A2 h C3 h", "2 ●●, 1 ●"),
    ],
)
def test_the_fleet_is_drawn(game, shots, drawn):
    assert drawn in draw_fleet(Position(game, shots))


def test_one_reply_shows_a_ship():
    lines = ["help", "B1 B2-A1", "undo B1", "B1 A1-B2, C1 miss", "D3 hit", "shots"]
    output = run(lines, "3x4:##/##,2,contact=any,announce=place").output
    assert "what was replied: miss or hit:CELL-CELL, the ends of the ship, or all its" in output
    shown = " ".join(f"{cell}=hit:A1+B1+A2+B2" for cell in ("B1", "A1", "A2", "B2"))
    assert f"{shown} C1=miss\n" in output
    assert output.count("ships left: 2\n") == 2
    assert "B1=hit:A1+B1+A2+B2 is taken back" in output
    assert "which ship was hit? write D3 hit D2-D3 or D3 hit C3-D3" in output
    given = Replies(Position("3x4:3,2,announce=place", "B1 A1-C1, D3 m")).position
    assert str(given) == "B1=hit:A1-C1 A1=hit:A1-C1 C1=hit:A1-C1 D3=miss"


def test_the_ships_that_remain():
    told = run(["A1 h A2 sunk2"], "4x4:3,2,contact=any,announce=ship").output
    assert "ships left: 3 2\n" in told
    assert "ships left: 3\n" in told
    sunk = run(["A1 h A2 sunk"], "4x4:3,2,contact=any,announce=sunk").output
    assert "ships: 3 2, 1 ship left, 3 cells still to hit\n" in sunk
    fields = json.loads(run([], "4x4:3,2,announce=ship", "--json").stdout)
    assert fields["ships_left"] == [3, 2]
    assert json.loads(run([], "4x4:3,2", "--json").stdout)["ships_left"] is None


# Strategies and priors


def test_the_shot_of_a_strategy():
    chosen = as_strategy("spread")
    position = Position.parse(Game.parse("4x4:3,2"), "B2=miss")
    cell = cell_name(chosen.shot(position))
    assert f"spread shoots: {cell}\n" in run(["B2 m"], "4x4:3,2", "--by", "spread").output
    fields = json.loads(run(["B2 m"], "4x4:3,2", "--by", "spread", "--json").stdout)
    assert (fields["by"], fields["by_shot"]) == (str(chosen), cell)
    assert "no strategy" in str(run([], "5x5:3,2", "--by", "nobody").exception)


@pytest.mark.parametrize("name", ["rollout:cap=64,screen=64", "nested:screen=64"])
def test_the_shots_of_a_rollout_one_by_one_are_those_of_its_tree(name):
    """By the kernel above 64 configurations: as the definition, and as many as the walk has."""
    game = Game.parse("4x5:3,2")
    chooser, start = Chooser(name, game), Position(game)
    walked = FollowedTask(name, start)
    definition = as_strategy(name)
    index = walked.configurations - 1
    position, cells = start, walked.cells(index)
    while position.hits_left:
        cell = chooser.shot(position)
        assert cell == definition.shot(position)
        position = position.after(cell, HIT if cells & game.bit(cell) else MISS)
    assert len(position.shots) == walked.shots(index)


def test_a_prior_weighs_what_is_likely(tmp_path):
    path = tmp_path / "cells.csv"
    path.write_text(
        "# cells: product\ncell,weight\n"
        + "".join(f"{c}{r},{1 + (c == 'A') * 8}\n" for c in "ABCD" for r in (1, 2, 3, 4))
    )
    result = run(["B2 m"], "4x4:3,2", "--prior", str(path), "--json", "-n", "3")
    fields = json.loads(result.stdout)
    position = Position.parse(Game.parse("4x4:3,2"), "B2=miss")
    posterior = Posterior(position, prior=prior_of(str(path), position.game))
    assert fields["likely"][0]["probability"] == pytest.approx(posterior.probability.max())
    plain = json.loads(run(["B2 m"], "4x4:3,2", "--json").stdout)
    assert fields["likely"][0] != plain["likely"][0]
    assert fields["prior"].endswith("cells.csv")


# What is kept in a terminal


@pytest.fixture
def person(monkeypatch, tmp_path):
    """A person at a terminal, who has a place for state; what they typed and saw."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))

    def talk(lines, *arguments):
        asked, left = [], iter(lines)

        class Typed(Dialogue):
            def __init__(self, is_quiet=False):
                super().__init__(is_quiet)
                self.is_person = True

            def _read_line(self, prompt):
                asked.append(prompt)
                return next(left, None)

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(advising, "Dialogue", Typed)
            result = CliRunner().invoke(app, ["advise", *arguments])
        assert result.exception is None, result.output
        return "".join(asked), result.output

    talk.folder = tmp_path / "state" / "optsearch" / "advise"
    return talk


def test_a_terminal_keeps_replies_and_offers_to_go_on(person):
    _, output = person(["B2 h", "C3 m"], "4x4:3,2")
    board = heat_map_text(Posterior("4x4:3,2", "B2=hit C3=miss")).plain
    assert board.rstrip() in output  # shown by default
    (kept,) = person.folder.iterdir()
    assert kept.read_text() == "# game: 4x4:3,2\nB2=hit\nC3=miss\n"
    assert f"replies are kept in {kept}; --no-save keeps none" in output.replace("\n", " ")
    asked, output = person(["", "A1 m"], "4x4:3,2")
    assert "2 replies of this game are kept (B2=hit C3=miss); go on with them? [Y/n]" in asked
    assert "3 replies" in output
    asked, output = person(["n", "A1 m"], "4x4:3,2")
    assert "1 reply;" in output
    assert kept.read_text() == "# game: 4x4:3,2\nA1=miss\n"
    before = person.folder / f"{kept.name}.before"
    assert before.read_text() == "# game: 4x4:3,2\nB2=hit\nC3=miss\nA1=miss\n"
    asked, _ = person([], "4x4:2,2")  # another game
    assert "go on" not in asked


def test_without_a_game_it_asks_which(person):
    asked, output = person(["5x", "", "A1 m"])
    assert asked.count("which game?") == 2
    assert output.index("1  boxed") < output.index("2  paper")
    assert "10x10:5,4,3,3,2,contact=any,announce=ship" in output
    assert "4x4:3,2" in person(["4x4:3,2"])[1]
    assert "10x10:5,4,3a,3b,2" in person(["3"])[1]
    assert "name the game, as in" in str(run(["A1 m"]).exception)


def test_what_is_not_kept(person):
    person(["B2 h"], "4x4:3,2", "--no-save")
    run(["B2 h"], "4x4:3,2")
    person(["B2 h"], "4x4:3,2", "--json")
    assert not person.folder.exists()


def test_a_kept_file_that_cannot_be_read_is_put_aside(person):
    person(["B2 h"], "4x4:3,2")
    (kept,) = person.folder.iterdir()
    kept.write_text("# game: 4x4:3,2\nwhat is this\n")
    asked, output = person(["A1 m"], "4x4:3,2")
    assert "go on" not in asked
    assert "it stays as it is in" in output
    assert kept.read_text() == "# game: 4x4:3,2\nA1=miss\n"


def test_a_place_that_cannot_be_written_ends_no_conversation(person):
    person.folder.parent.mkdir(parents=True)
    person.folder.write_text("in the way")
    _, output = person(["B2 h", "A1 m"], "4x4:3,2")
    assert output.count("the replies are not kept") == 1
    assert "2 replies" in output


@pytest.mark.parametrize(
    ("platform", "variables", "folder"),
    [
        ("linux", {"XDG_STATE_HOME": "/state"}, "/state/optsearch"),
        ("linux", {"XDG_STATE_HOME": "here"}, "/home/me/.local/state/optsearch"),
        ("linux", {}, "/home/me/.local/state/optsearch"),
        ("darwin", {}, "/home/me/Library/Application Support/optsearch"),
    ],
)
def test_the_place_of_state(monkeypatch, platform, variables, folder):
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.setattr("pathlib.Path.home", lambda: Path("/home/me"))
    assert state_folder() == Path(folder)
