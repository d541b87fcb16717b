"""The commands that count: count, posterior, sample."""

import json

import numpy as np
import pytest

from optsearch.cli import counting
from optsearch.counting.posterior import Posterior
from optsearch.game import Game
from optsearch.game.position import Position


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
    pieces = [posterior.sample(number, rng, masks=True) for number in (*[7] * 7, 1)]
    drawn = [ships for piece in pieces for ships in posterior.ships(piece)]
    text = here(*arguments, "--json")[1]
    value = json.loads(text)
    assert text == json.dumps(value) + "\n"
    assert value["seed"] == 3
    assert value["sample"] == list(map(list, drawn))
    assert here(*arguments)[1].splitlines() == [" ".join(ships) for ships in drawn]
    one = answer_of("sample", str(game), "-n", "1", "--seed", "3")
    assert len(one["sample"]) == 1
