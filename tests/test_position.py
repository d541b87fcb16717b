"""Positions: their two texts, the replies they accept, what they refuse."""

import json
import re
from itertools import combinations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from optsearch.check import reference
from optsearch.game import Game
from optsearch.game.position import (
    HIT,
    MISS,
    Position,
    Reply,
    Shot,
    known_replies,
    legend,
    reply,
    shots_of,
)
from optsearch.game.reply_text import shot_in_words
from optsearch.support.errors import GameError, PositionError
from tests.examples import AT_SINKING, EVERY_RULE, positions

SMALL = Game.parse("4x4:3,2")
REPLIES = [Reply.parse(text) for text in ("miss", "hit", "sunk", "sunk:2", "sunk:3")]


def test_holes_are_drawn_and_never_shot():
    game = Game.parse("2x3:2,holes=B1")
    position = Position.parse(game, "A1=miss A2=hit")
    assert position.board() == "o-.\nX.."
    assert Position.from_board(game, position.board()) == position
    assert game.cells_of(position.closed) == [(0, 0), (0, 1), (1, 0)]
    with pytest.raises(PositionError, match=r"^B1=miss: B1 is a hole of the board; holes=B1$"):
        Position.parse(game, "B1=miss")
    with pytest.raises(PositionError, match=r"4 misses in .* has only 3 cells without a ship"):
        Position.parse(game, "A1=miss C1=miss A2=miss B2=miss")
    for drawing, wrong in (("o..\nX..", "a hole"), ("o--\nX..", "no hole")):
        with pytest.raises(PositionError, match=f"which is {wrong} of 2x3:2,holes=B1"):
            Position.from_board(game, drawing)


@given(positions(announce=EVERY_RULE))
def test_text_round_trip(position):
    again = Position.parse(position.game, str(position))
    assert again == position
    assert again.shots == position.shots
    assert hash(again) == hash(position)


@given(positions())
def test_board_round_trip(position):
    again = Position.from_board(position.game, position.board())
    assert again == position
    assert hash(again) == hash(position)
    assert again.board() == position.board()


NAMES = ("patrol-boat", "patrol", "boat-patrol", "boat", "a1-boat")


@pytest.fixture(scope="module")
def named(tmp_path_factory):
    """A board of a file whose ships have names of one word and of two."""
    path = tmp_path_factory.mktemp("boards") / "names.json"
    line = [f"{letter}1" for letter in "ABCDEFGHI"]
    board = {
        "cells": {cell: [x, 0] for x, cell in enumerate(line)},
        "neighbours": {line[i]: [*line[max(0, i - 1) : i], *line[i + 1 : i + 2]] for i in range(9)},
        "lines": {"line": [line]},
        "ships": {name: {"length": 1 + i} for i, name in enumerate(NAMES)},
    }
    made = {"format": "optsearch boards", "version": 1, "boards": {"names": board}}
    path.write_text(json.dumps(made))
    return f"{path}#names:"


@given(st.data())
def test_a_reply_is_read_as_it_is_printed_and_as_people_type_it(named, data):
    """Ships of two words, of which one is the name of another ship, with blanks and in capitals."""
    fleet = data.draw(st.sampled_from([*combinations(NAMES, 2)]))
    rule = data.draw(st.sampled_from(["name", "ship", "sunk"]))
    game = Game.parse(f"{named}{','.join(fleet)},contact=any,announce={rule}".replace("l-b", "l B"))
    cells = data.draw(st.permutations([(0, column) for column in range(9)]))
    replies = data.draw(st.lists(st.sampled_from(known_replies(game)), max_size=4))
    shots = tuple(map(Shot, cells, replies))
    texts = []
    for shot in shots:
        typed = shot_in_words(shot.cell, shot.reply)
        forms = [str(shot), typed, typed.upper(), typed.replace("-", " ")]
        forms += [typed.replace("hit ", "")] if shot.reply.label else []
        texts.append(data.draw(st.sampled_from(forms)))
    assert shots_of(game, data.draw(st.sampled_from([" ", ", ", "; "])).join(texts)) == shots


def test_hits_that_name_their_ships():
    game = Game.parse("official")
    position = Position(game, "E5 3a, E6=hit:3A E7 hit 3a; A1 miss B2 5 C1 hit:3b")
    assert str(position) == "E5=hit:3a E6=hit:3a E7=hit:3a A1=miss B2=hit:5 C1=hit:3b"
    assert position == Position(game, reversed(position.shots))  # the order does not matter
    assert [sign for sign in position.board() if sign in "Xo●"] == [*"oXXXX●"]  # 3a is sunk
    assert str(Position("hex-upper,announce=name", "A1 carrier")) == "A1=hit:carrier"
    assert position == Position(
        game, "E5 cruiser E6 Hit Cruiser E7=hit:3a A1 m B2 carrier C1 submarine"
    )
    # The destroyer has three cells since 2002; before it had two, as the patrol boat has.
    assert str(Position(game, "E5 destroyer C3 Patrol Boat")) == "E5=hit:3a C3=hit:2"
    for two in ("destroyer", "patrol boat", "patrol-boat"):
        assert str(Position("boxed", f"E5 hit E6 sunk {two}")) == "E5=hit E6=sunk:2"
    for wrong, why in (
        ("A1 hit", "it replies miss or hit:SHIP; SHIP is 5 (carrier), 4 (battleship), 3a"),
        ("A1 petrol boat", "'petrol boat' is not a reply; use miss or hit:SHIP; SHIP is 5 (carr"),
        ("A1 hit petrol boat B1 m", "'hit petrol boat' is not a reply; use miss or hit:SHIP; SHIP"),
        ("A1 sunk:3", "it replies miss or hit:SHIP"),
        ("A1 hit 3", "A1=hit:3 names a ship of length 3; the fleet 5,4,3a,3b,2 has none"),
        ("A1 2 A2 2 A3 2", "A3=hit:2 makes 3 hits on ships of length 2; the fleet 5,4,3a,3b,2 has"),
    ):
        with pytest.raises(PositionError, match=re.escape(why)):
            Position(game, wrong)
    with pytest.raises(GameError, match=r"the ship 3a has a letter, .*: add announce=name, or wr"):
        Game.parse("4x4:3a,2")


def test_each_kind_has_the_names_of_its_ships():
    for game, names in (
        ("official", "carrier, battleship, destroyer, submarine, patrol boat"),
        ("boxed", "carrier, battleship, cruiser or submarine, cruiser or submarine, destroyer"),
        ("hex-upper", "carrier, battleship, submarine, weapons, destroyer"),
        ("4x4:3,2", ", "),
    ):
        found = Game.parse(game)
        assert ", ".join(" or ".join(found.kind_names[kind]) for kind in found.fleet) == names


def test_what_a_drawn_board_does_not_tell():
    for announce in ("name", "place"):
        with pytest.raises(PositionError, match="does not say what the hit at B1 tells; give the"):
            Position.from_board(f"2x2:2,announce={announce}", "oX\n..")
        assert str(Position.from_board(f"2x2:1,announce={announce}", "o.\n..")) == "A1=miss"
    with pytest.raises(PositionError, match="the fleet 2,1 has 1 cell of them"):
        Position("3x3:2,1,announce=name,contact=any", "A1 1 A2 1")


def test_hits_that_show_their_ships():
    game = Game.parse("5x9:##/##/##,3,2,1,contact=any,announce=place")
    position = Position(game, "B2 B3-A1, E5 miss; E1=hit:E1+E2+E3 D1 hit d1 E2 E1-E3 E3 hit E3-E1")
    lies = "B2=hit:A1+B1+A2+B2+A3+B3", "E1=hit:E1-E3", "D1=hit:D1"
    assert [str(position.shots[i]) for i in (0, 2, 3)] == [*lies]
    assert position == Position.parse(game, str(position)) == Position(game, position.shots[::-1])
    assert [sign for sign in position.board() if sign in "Xo●"] == [*"●XXX●o"]
    assert str(game.reply("hit:g2-f2")) == "hit:F2-G2"
    for wrong, why in (
        ("A1 hit", "it replies miss or hit:CELL-CELL"),
        ("A1 hit:A1-A9", "'hit:A1-A9' is not a reply; use miss or hit:CELL-CELL"),
        ("A1 B1-B2", "A1=hit:B1-B2 shows no ship of the fleet ###/###,3,2,1 that lies there"),
        ("A1 hit:3", "A1=hit:3 shows no ship of the fleet ###/###,3,2,1 that lies there"),
    ):
        with pytest.raises(PositionError, match=re.escape(why)):
            Position(game, wrong)
    with pytest.raises(GameError, match=r"the ship 3a has a letter, .*: add announce=name, or wr"):
        Game.parse("4x4:3a,2,announce=place")


@given(positions(announce=EVERY_RULE), st.randoms(use_true_random=False))
def test_order_counts_only_with_announcements(position, random):
    shuffled = list(position.shots)
    random.shuffle(shuffled)
    again = Position(position.game, tuple(shuffled))
    same_order = tuple(shuffled) == position.shots
    assert (again == position) == (same_order or not position.game.tells_sinkings)


def test_drawn_board():
    position = Position.from_board(SMALL, " . o X .\n....\n\n.X..\n...o\n")
    assert str(position) == "B1=miss C1=hit B3=hit D4=miss"
    assert position.board() == ".oX.\n....\n.X..\n...o"
    assert position.hits == SMALL.mask([(0, 2), (2, 1)])
    assert position.misses == SMALL.mask([(0, 1), (3, 3)])
    assert Position.from_board(SMALL, ".○×.\n....\n.X..\n...o") == position
    holes = Game.parse("2x3:2,holes=A1,C2")
    assert Position.from_board(holes, "-X.\n.o#") == Position.parse(holes, "B1 hit, B2 m")
    assert position.signs == {(0, 1): "○", (0, 2): "×", (2, 1): "×", (3, 3): "○"}


def test_the_marks_of_other_tools():
    """Read as they are said to be; without that the error has what to say, to be filled in."""
    told = Game.parse("4x4:3,2,announce=sunk")
    position = Position.from_board(told, "h-m-\nh---\nd---\n----", "hmd-=xo●.")
    assert position == Position.from_board(told, "X.o.\nX...\n●...\n....")
    holes = Game.parse("2x3:2,holes=A1,C2")
    assert Position.from_board(holes, "_*~\n~m_", "*m~_=XO.#".replace("O", "o")) == (
        Position.from_board(holes, "-X.\n.o#")
    )
    drawing = "~h*.\nmdZ.\n....\n...k"
    with pytest.raises(PositionError) as error:
        Position.from_board(told, drawing)
    assert str(error.value) == (
        "'~' in row 1 of the drawn board, '~h*.', is none of . (not shot), X or × (hit), o or ○ "
        "(miss), S or ● (sunk), - or # (hole); replace * Z d h k m ~, or say what they are: "
        "--marks '*Zdhkm~=X●●X?o.', with a sign for ?"
    )
    for wrong in ("h", "h=", "hX", "hm=X", "h=Xo", "hh=XX", "h=y", "h=?"):
        with pytest.raises(PositionError, match="are no marks of a drawn board; write each once"):
            Position.from_board(told, drawing, wrong)


def test_marks_of_a_command(call_command, tmp_path):
    (tmp_path / "board").write_text("h.m.\n....\n....\n....\n")
    arguments = ("4x4:3,2", "--board", tmp_path / "board", "--marks", "hm=xo")
    for command in ("count", "posterior", "sample", "solve", "greedy", "bounds"):
        seed = ("--seed", "1") if command == "sample" else ()
        found = call_command(command, *arguments, *seed, "--json")
        shots = call_command(command, "4x4:3,2", "--shots", "A1=hit C1=miss", *seed, "--json")
        assert (found[0], shots[0]) == (0, 0)
        answers = [json.loads(out) for _, out, _ in (found, shots)]
        for answer in answers:
            del answer["command"]
            answer.pop("seconds", None)
        assert answers[0] == answers[1]
    status, _, err = call_command("count", "4x4:3,2", "--marks", "h=x")
    assert (status, err) == (2, "error: --marks 'h=x' is about a drawn board; give --board, too\n")


def test_the_signs_are_one_pair():
    """X or × is a hit, o or ○ a miss, ● a hit of a ship that is sunk."""
    assert [(str(one), one.letter, one.sign) for one in REPLIES] == [
        ("miss", "o", "○"),
        ("hit", "X", "×"),
        *((sunk, "●", "●") for sunk in ("sunk", "sunk:2", "sunk:3")),
    ]
    assert legend(SMALL) == "X hit, o miss"
    assert legend(Game.parse("4x4:3,2,announce=ship"), in_figures=True) == "× hit, ○ miss, ● sunk"
    game = Game.parse("4x4:3,2,announce=ship")
    assert Position.parse(game, "A1=hit B1=sunk:2 C3=miss").board() == "X●..\n....\n..o.\n...."


@pytest.mark.parametrize(
    ("game", "drawing", "shots"),
    [
        ("2x2:2,announce=sunk", "X.\nS.", "A1=hit A2=sunk"),
        (
            "2x5:2,2,announce=ship",
            "●Xo..\n...SS",
            "A1=hit B1=sunk:2 C1=miss D2=hit E2=sunk:2",
        ),
        ("3x3:L4,announce=ship", "SSS\n..S\n...", "A1=hit B1=hit C1=hit C2=sunk:L4"),
        ("4x4:3,2,contact=any,announce=ship", "XX..\no...\n....\n....", "A1=hit B1=hit A2=miss"),
    ],
)
def test_sunk_ships_are_drawn(game, drawing, shots):
    assert str(Position.from_board(game, drawing)) == shots


@given(positions(announce=AT_SINKING))
def test_a_drawn_board_says_all_but_which_of_touching_ships_was_sunk(position):
    assume(position.game.contact != "any" or not any(shot.reply.sunk for shot in position.shots))
    again = Position.from_board(position.game, position.board())
    assert set(reference.configurations(again)) == set(reference.configurations(position))


def test_a_drawing_has_no_order():
    with pytest.raises(PositionError, match=r"in their order, here A1=hit B1=sunk$"):
        Position.from_board("2x2:2,contact=any,announce=sunk", "X●\n..")
    with pytest.raises(PositionError, match=r"C1\+D1 is marked as sunk .* fleet 3,1 lies there"):
        Position.from_board("2x4:3,1,announce=ship", "..SS\n....")


def test_replies_are_the_rules():
    ships = (0b0000_0000_0111, 0b1100_0000_0000)  # A1 B1 C1 and C3 D3 on a 3x4 grid
    for announce, sunk in (("nothing", "hit"), ("sunk", "sunk"), ("ship", "sunk:3")):
        game = Game(3, 4, (3, 2), announce=announce)
        assert reply(game, ships, 0, 1 << 3) == MISS
        assert reply(game, ships, 0b001, 1 << 1) == HIT
        assert str(reply(game, ships, 0b011, 1 << 2)) == sunk


@given(positions(announce=EVERY_RULE))
def test_replay(position):
    """A position is compatible with what led to it, and not after one reply is turned round."""
    from optsearch.check import reference

    assert any(True for _ in reference.configurations(position))
    for ships in reference.configurations(position):
        assert position.is_compatible(ships)
        for i, shot in enumerate(position.shots):
            turned = Shot(shot.cell, MISS if shot.reply.hit else HIT)
            shots = (*position.shots[:i], turned, *position.shots[i + 1 :])
            try:
                other = Position(position.game, shots)
            except PositionError:
                continue
            assert not other.is_compatible(ships)


@given(positions(announce=EVERY_RULE), st.integers(-1, 40), st.sampled_from(REPLIES))
def test_one_more_shot_is_checked_as_all_are(position, index, answer):
    """`after` looks at the new shot alone, and says what a position made at once says."""
    cell = position.game.cell(index)

    def outcome(make):
        try:
            made = make()
        except PositionError as error:
            return str(error)
        return made, made.shots, made.hits, made.misses

    whole = (*position.shots, Shot(cell, answer))
    expected = outcome(lambda: Position(position.game, whole))
    assert outcome(lambda: position.after(cell, answer)) == expected


@pytest.mark.parametrize(
    ("announce", "replies"),
    [
        ("nothing", "hit miss"),
        ("sunk", "hit sunk miss"),
        ("ship", "hit sunk:2 sunk:3 sunk:10 miss"),
    ],
)
def test_known_replies_have_one_order(announce, replies):
    game = Game(10, 12, (3, 10, 2, 3), announce=announce)
    assert " ".join(map(str, known_replies(game))) == replies


@given(positions(announce=EVERY_RULE))
def test_hits_left(position):
    from optsearch.check import reference

    for ships in reference.configurations(position):
        assert position.hits_left == sum(ships).bit_count() - sum(
            s.reply.hit for s in position.shots
        )
