"""The commands that count: count, posterior, sample."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from optsearch.check import reference
from optsearch.cli import counting
from optsearch.cli.command import app
from optsearch.counting.posterior import Posterior
from optsearch.game import Game, parse_cell
from optsearch.game.position import Position
from optsearch.support import records


def run(*arguments):
    result = CliRunner().invoke(app, list(arguments))
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


def run_json(*arguments):
    return json.loads(run(*arguments, "--json"))


def test_posterior_of_the_papers_game():
    answer = run_json("posterior", "10x10:5,4,3,3,2")
    assert answer["game"] == "10x10:5,4,3,3,2"
    assert answer["position"] == ""
    assert answer["configurations"] == 1_925_751_392
    printed = records.read_published("figure2_occurrence.csv")
    for row in printed.rows:
        cell = answer["occurrence"][int(row["row"])][int(row["column"])]
        assert cell == int(row["occurrence"])
    assert answer["greedy_shots"] == ["E1", "F1", "A5", "J5", "A6", "J6", "E10", "F10"]


def test_the_table_of_spalding_jamieson():
    """Printed with three decimals; one position took 146 s on one core there."""
    answer = run_json("posterior", "10x10:5,4,3,3,2,contact=any")
    for row in records.read_published("spalding_jamieson_probability.csv").rows:
        occurrence = answer["occurrence"][int(row["row"])][int(row["column"])]
        assert f"{occurrence / answer['configurations']:.3f}" == row["probability"]
    numbers = records.read_published("spalding_jamieson_numbers.csv").rows
    assert 2 * answer["configurations"] == int(numbers[0]["value"])


@pytest.mark.parametrize(
    ("game", "shots", "position"),
    [
        ("4x4:3,2", "A1 hit, B2 miss", "A1=hit B2=miss"),
        ("4x4:3,announce=ship", "A1 h A2 h A3 sunk", "A1=hit A2=hit A3=sunk:3"),
    ],
)
def test_shots_are_read_as_by_the_prompt(tmp_path, game, shots, position):
    """And a board is read as it is printed, with its letters and numbers left out."""
    answer = run_json("posterior", game, "--shots", shots)
    assert answer["position"] == position
    board = tmp_path / "board.txt"
    board.write_text(Position.parse(game, position).board())
    assert run_json("posterior", game, "--board", str(board))["position"] == position


@pytest.mark.parametrize("ending", ["png", "pdf", "svg"])
def test_posterior_figure(tmp_path, ending):
    path = tmp_path / f"heat.{ending}"
    run("posterior", "5x6:4,3,2", "--shots", "C3=hit A1=miss", "--figure", str(path))
    assert path.stat().st_size > 2000


def ships_of(game, line):
    """The masks of the ships a line names by first and last cell."""
    masks = []
    for word in line.split():
        ends = [parse_cell(text) for text in word.split("-")]
        rows = range(ends[0][0], ends[-1][0] + 1)
        columns = range(ends[0][1], ends[-1][1] + 1)
        masks.append(game.mask((row, column) for row in rows for column in columns))
    return masks


def test_sample():
    game = Game.parse("5x5:3,2,1")
    shots = "C3=hit A1=miss"
    lines = run("sample", str(game), "--shots", shots, "-n", "500", "--seed", "3").splitlines()
    position = Position.parse(game, shots)
    possible = {tuple(sorted(ships)) for ships in reference.configurations(position)}
    drawn = {tuple(sorted(ships_of(game, line))) for line in lines}
    assert len(lines) == 500
    assert drawn <= possible
    assert len(drawn) > 0.6 * min(500, len(possible))
    again = run_json("sample", str(game), "--shots", shots, "-n", "500", "--seed", "3")
    assert [" ".join(ships) for ships in again["sample"]] == lines
    assert again["seed"] == 3
    other = run_json("sample", str(game), "--shots", shots, "-n", "500")
    assert other["sample"] != again["sample"]


@pytest.mark.parametrize("contact", ["none", "any"])
def test_a_sample_in_pieces_is_the_whole_sample(monkeypatch, contact):
    """As JSON it is written while it is drawn: the value that `json` makes of all at once."""
    monkeypatch.setattr(counting, "_BATCH", 7)
    game = Game.parse(f"5x5:3,2,1,contact={contact}")
    arguments = ("sample", str(game), "--shots", "C3=hit A1=miss", "-n", "50", "--seed", "3")
    posterior = Posterior(Position.parse(game, "C3=hit A1=miss"))
    rng = np.random.default_rng(3)
    pieces = [posterior.sample(number, rng) for number in (*[7] * 7, 1)]
    drawn = [ships for piece in pieces for ships in posterior.ships(piece)]
    text = run(*arguments, "--json")
    value = json.loads(text)
    assert text == json.dumps(value) + "\n"
    assert value["seed"] == 3
    assert value["sample"] == list(map(list, drawn))
    assert run(*arguments).splitlines() == [" ".join(ships) for ships in drawn]
    one = run_json("sample", str(game), "-n", "1", "--seed", "3")
    assert len(one["sample"]) == 1
