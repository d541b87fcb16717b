"""A person's games in the terminal: by lines on standard input, and the match itself."""

import json

import pytest
from click.testing import CliRunner

from optsearch.cli import playing
from optsearch.cli.command import app
from optsearch.cli.common import board_text
from optsearch.counting.configurations import to_masks
from optsearch.counting.posterior import Posterior
from optsearch.game import Game, cell_name
from optsearch.game.position import Position
from optsearch.game.ships import ships_of
from optsearch.play.hiding import hider
from optsearch.play.match import OPPONENTS, Match
from optsearch.support.errors import OptsearchError, PositionError
from optsearch.support.palette import IN_TERMINAL

GAME = "4x4:3,2,contact=any,announce=ship"
CELLS = [f"{column}{row}" for row in range(1, 5) for column in "ABCD"]


def run(lines, *arguments):
    return CliRunner().invoke(app, ["play", *arguments], input="\n".join([*lines, ""]))


def test_hidden_ships_are_found():
    result = run(CELLS, GAME, "--seed", "3")
    assert result.exit_code == 0, result.output
    hidden = Match(Game.parse(GAME), 3).hidden
    last = max(ship.bit_length() for ship in hidden)
    assert f"you have sunk every ship, with {last} shots" in result.output
    assert f"{CELLS[last - 1]}: sunk " in result.output
    assert result.output == run(CELLS, GAME, "--seed", "3").output
    assert result.output != run(CELLS, GAME, "--seed", "4").output


def test_what_follows_from_a_hit_is_drawn():
    """On the boards as on the map; one shot is one."""
    for game, shots in (("1x5:3a,1,announce=name", "A1 3a B1 3a C1 3a"), ("2x3:2", "A1 hit C2 m")):
        position = Position(game, shots)
        assert ["".join(row) for row in playing.signs(position)] == position.board().split("\n")
    assert "every ship, with 1 shot\n" in run(["A1"], "1x1:1").output


@pytest.mark.parametrize("against", [*OPPONENTS, "density", "greedy:endgame=0"])
def test_every_opponent_shoots_back(against):
    result = run(CELLS, GAME, "--seed", "1", "--against", against, "--ships", "A1-A3 C1-C2")
    assert result.exit_code == 0, result.output
    assert f"{against} shoots at" in result.output
    assert "has sunk your ships" in result.output or "you have sunk every ship" in result.output
    match = Match(Game.parse(GAME), 1, against, "A1-A3 C1-C2")
    while not match.is_over:
        match.shoot(match.game.cell(len(match.position.shots)))
        if match.position.hits_left:
            shot = match.shoot_back()
            said = str(shot.reply).replace(":", " ")
            assert f"shoots at {cell_name(shot.cell)}: {said}" in result.output
            if match.own_position.hits_left:
                assert match.is_persons_turn


def test_who_is_first_wins():
    game = Game.parse("1x3:2")
    match = Match(game, 0, "exact", "A1-B1")
    assert match.own_ships == ships_of("A1-B1", game)
    match.shoot((0, 1))
    assert str(match.shoot_back()) == "B1=hit"
    assert not match.is_over
    match.shoot(game.cell((sum(match.hidden) & 5).bit_length() - 1))
    assert match.is_over
    assert not match.position.hits_left


def test_hints_and_the_map_are_the_posterior():
    result = run(["A1", "hint", "map", "board", "help"], GAME, "--seed", "3")
    match = Match(Game.parse(GAME), 3)
    match.shoot((0, 0))
    posterior = Posterior(match.position)
    best = " ".join(map(cell_name, posterior.greedy_shots()))
    chance = posterior.probability.ravel()
    row, column = posterior.greedy_shots()[0]
    assert f"{best}: a ship with {posterior.probability[row, column]:.1%}" in result.output
    assert f"{100 * chance[-1]:6.1f}\n" in result.output
    assert "CELL   shoot there" in result.output
    assert result.output.rstrip().endswith("1 shot")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("a1", "A1 was shot before; shoot at another cell"),
        ("E5", "E5 is off the board 4x4"),
        ("what", "'what' is not a cell"),
        ("\x00\x1b[2J", "is not a cell"),
        ("B2 B3", "'b2 b3' is not a cell"),
    ],
)
def test_what_cannot_be_shot_is_said_in_a_line_and_asked_again(line, said):
    result = run(["A1", line, "B1"], GAME, "--seed", "3")
    assert result.exit_code == 0
    assert said in result.output
    assert "B1: " in result.output
    assert "Traceback" not in result.output


@pytest.mark.parametrize("against", ["", "hard", "exact"])
def test_a_stopped_game_goes_on(against, tmp_path):
    path = tmp_path / "match.json"
    name = ["--against", against] if against else []
    whole = run(CELLS, GAME, "--seed", "2", *name).output
    first = run(CELLS[:3], GAME, "--seed", "2", *name, "--resume", str(path))
    assert f"3 shots; the game is in {path}" in first.output.replace("\n", "")
    second = run(CELLS[3:], GAME, "--resume", str(path))
    assert second.output.rstrip().endswith(whole.rstrip().splitlines()[-1])
    third = run([], GAME, "--resume", str(path))  # it is over
    assert third.exit_code == 0
    assert third.output.rstrip().endswith(whole.rstrip().splitlines()[-1])


def test_a_kept_match_is_checked(tmp_path):
    match = Match(Game.parse(GAME), 5, "hard")
    match.shoot((0, 0))
    text = match.to_json()  # stopped before the answer
    again = Match.from_json(text)
    assert not again.is_persons_turn
    match.shoot_back()
    assert str(again.shoot_back()) == str(match.own_position.shots[-1])
    fields = json.loads(match.to_json())
    for name, value in (("answers", ["A1=hit", "A2=hit"]), ("seed", 6), ("shots", ["A1=sunk:3"])):
        with pytest.raises(OptsearchError):
            Match.from_json(json.dumps({**fields, name: value}))
    for bad in ("", "{}", "[1]", json.dumps({**fields, "seed": True})):
        with pytest.raises(OptsearchError, match="not a match that was kept"):
            Match.from_json(bad)
    path = tmp_path / "match.json"
    path.write_text(match.to_json())
    for arguments, said in (
        (["4x4:3,2"], "its game is 4x4:3,2,contact=any,announce=ship, not 4x4:3,2;"),
        ([GAME, "--seed", "4"], "its seed is 5, not 4"),
        ([GAME, "--against", "easy"], "its against is hard, not easy"),
        ([GAME, "--ships", "A1-A3 C1-C2"], "its ships is"),
    ):
        error = run([], *arguments, "--resume", str(path)).exception
        assert isinstance(error, OptsearchError)
        assert said in str(error)


def test_a_match_cannot_be_shot_twice_or_nowhere():
    match = Match(Game.parse(GAME), 1)
    match.shoot((0, 0))
    with pytest.raises(PositionError):
        match.shoot((0, 0))
    assert match.position == Position.parse(match.game, str(match.position))


@pytest.mark.parametrize("against", ["", "hard", "exact"])
def test_undo_takes_a_shot_and_its_answer_back(against, tmp_path):
    path = tmp_path / "match.json"
    name = ["--against", against] if against else []
    straight = run(["A1", "C3"], GAME, "--seed", "2", *name)
    result = run(["A1", "B2", "undo", "C3"], GAME, "--seed", "2", *name, "--resume", str(path))
    assert "is taken back" in result.output
    assert result.output.count("shot 2> ") == 3 - 1
    match = Match.from_json(path.read_text())  # the opponent's chance is that of a game without B2
    played = Match(Game.parse(GAME), 2, against)
    for cell in ((0, 0), (2, 2)):
        played.shoot(cell)
        if against:
            played.shoot_back()
    assert (match.position, match.own_position) == (played.position, played.own_position)
    last = straight.output.rpartition("C3: ")[2].partition("2 shots")[0]
    assert last in result.output
    assert "there is nothing to take back" in run(["undo"], GAME, "--seed", "2").output


@pytest.mark.parametrize(
    ("game", "drawn"),
    [
        ("2x3:2,holes=A2", ["   A  B  C", "1  0  1  2", "2  3  4  5"]),
        ("2x3:2,board=torus", ["   A  B  C", "1  0  1  2", "2  3  4  5"]),
        ("2x3:2,board=hex", ["    A   B   C", "1   0   1   2", "  2   3   4   5"]),
    ],
)
def test_texts_stand_where_the_cells_lie(game, drawn):
    game = Game.parse(game)
    texts = [[str(i * game.columns + j) for j in range(game.columns)] for i in range(game.rows)]
    assert [line.rstrip() for line in board_text(game, texts).split("\n")] == drawn


def test_texts_on_a_board_of_a_file():
    """Each line has the texts of its cells in the order in which these lie, and their names."""
    game = Game.parse("hexagonal_2008.json#upper:weapons")
    texts = [[cell_name((i, j)) for j in range(game.columns)] for i in range(game.rows)]
    cells = game.cells_of((1 << game.cells) - 1 & ~game.board.empty)
    places = {
        cell_name(cell): game.board.centres[cell[0] * game.columns + cell[1]] for cell in cells
    }
    shown = [line.split() for line in board_text(game, texts).split("\n")]
    assert [ends for ends, *_ in shown] == [f"{line[1]}–{line[-1]}" for line in shown]
    found = [name for _, *line in shown for name in line]
    assert found == sorted(places, key=lambda name: places[name][::-1])


@pytest.mark.parametrize("wide", [80, 30])
def test_the_boards_are_shown_after_each_shot(monkeypatch, wide):
    """Beside each other where there is room, in colours, the last shot of each marked."""
    monkeypatch.setattr(playing.out, "_width", wide)
    result = run(["A1", "B2"], GAME, "--seed", "3", "--against", "easy")
    match, places = Match(Game.parse(GAME), 3, "easy"), []
    for cell in ((0, 0), (1, 1)):
        match.shoot(cell)
        match.shoot_back()
        boards = [
            playing.board_lines(match.position),
            playing.board_lines(match.own_position, match.own_ships),
        ]
        for board, shots in zip(
            boards, (match.position.shots, match.own_position.shots), strict=True
        ):
            assert [line.plain for line in board if "›" in line.plain] == [
                board[1 + shots[-1].cell[0]].plain
            ]
            styles = [span.style for line in board for span in line.spans]
            assert [styles.count(IN_TERMINAL[hit]) for hit in (True, False)] == [
                sum(shot.reply.hit == hit for shot in shots) for hit in (True, False)
            ]
        lines = [[line.plain for line in board] for board in boards]
        below = ["\n".join(board) for board in lines]
        side_by_side = "\n".join(f"{one}      {other}" for one, other in zip(*lines, strict=True))
        shown = [side_by_side] if wide == 80 else below
        places += [result.output.index(board) for board in shown]
    assert places == sorted(places)


def test_who_hides_the_ships(tmp_path):
    game = Game.parse("4x4:3,2,contact=any")
    expected = to_masks(hider("corner").boards(game, 1, 3)[0])
    match = Match(game, 3, boards="corner")
    assert match.hidden == expected
    assert Match.from_json(match.to_json()).hidden == expected
    path = tmp_path / "match.json"
    run(["A1"], "4x4:3,2,contact=any", "--seed", "3", "--boards", "corner", "--resume", str(path))
    assert json.loads(path.read_text())["boards"] == "corner"
    assert (
        run([], "4x4:3,2,contact=any", "--boards", "corner", "--resume", str(path)).exit_code == 0
    )
    error = run(
        [], "4x4:3,2,contact=any", "--boards", "one-by-one", "--resume", str(path)
    ).exception
    assert "its boards is corner, not one-by-one" in str(error)
    assert "nobody" in str(run([], "4x4:3,2,contact=any", "--boards", "nobody").exception)
