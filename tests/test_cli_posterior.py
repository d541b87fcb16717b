"""The commands that count: count, posterior, sample."""

import json

import numpy as np
import pytest

from optsearch.cli import counting
from optsearch.counting.posterior import Posterior
from optsearch.game import Game
from optsearch.game.position import Position
from optsearch.support import records


def test_posterior_of_the_papers_game(answer_of):
    answer = answer_of("posterior", "10x10:5,4,3,3,2")
    assert answer["game"] == "10x10:5,4,3,3,2"
    assert answer["position"] == ""
    assert answer["configurations"] == 1_925_751_392
    printed = records.read_published("figure2_occurrence.csv")
    for row in printed.rows:
        cell = answer["occurrence"][int(row["row"])][int(row["column"])]
        assert cell == int(row["occurrence"])
    assert answer["greedy_shots"] == ["E1", "F1", "A5", "J5", "A6", "J6", "E10", "F10"]


def test_the_table_of_spalding_jamieson(answer_of):
    """Printed with three decimals; one position took 146 s on one core there."""
    answer = answer_of("posterior", "10x10:5,4,3,3,2,contact=any")
    for row in records.read_published("spalding_jamieson_probability.csv").rows:
        occurrence = answer["occurrence"][int(row["row"])][int(row["column"])]
        assert f"{occurrence / answer['configurations']:.3f}" == row["probability"]
    numbers = records.read_published("spalding_jamieson_numbers.csv").rows
    assert 2 * answer["configurations"] == int(numbers[0]["value"])


@pytest.mark.parametrize("ending", ["png", "pdf", "svg"])
def test_posterior_figure(here, tmp_path, ending):
    path = tmp_path / f"heat.{ending}"
    here("posterior", "5x6:4,3,2", "--shots", "C3=hit A1=miss", "--figure", path)
    assert path.stat().st_size > 2000


@pytest.mark.parametrize("contact", ["none", "any"])
def test_a_sample_in_pieces_is_the_whole_sample(here, answer_of, monkeypatch, contact):
    """As JSON it is written while it is drawn: the value that `json` makes of all at once."""
    monkeypatch.setattr(counting, "_BATCH", 7)
    game = Game.parse(f"5x5:3,2,1,contact={contact}")
    arguments = ("sample", str(game), "--shots", "C3=hit A1=miss", "-n", "50", "--seed", "3")
    posterior = Posterior(Position.parse(game, "C3=hit A1=miss"))
    rng = np.random.default_rng(3)
    pieces = [posterior.sample(number, rng) for number in (*[7] * 7, 1)]
    drawn = [ships for piece in pieces for ships in posterior.ships(piece)]
    text = here(*arguments, "--json")[1]
    value = json.loads(text)
    assert text == json.dumps(value) + "\n"
    assert value["seed"] == 3
    assert value["sample"] == list(map(list, drawn))
    assert here(*arguments)[1].splitlines() == [" ".join(ships) for ships in drawn]
    one = answer_of("sample", str(game), "-n", "1", "--seed", "3")
    assert len(one["sample"]) == 1
