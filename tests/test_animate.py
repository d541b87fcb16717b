"""Games as moving pictures: as many frames as shots and one, and what is in them."""

import json

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from optsearch.cli.command import app
from optsearch.errors import OptsearchError
from optsearch.game import Game
from optsearch.simulate import replay

GAME = "4x4:3,2;contact=any;announce=ship"


def run(*arguments):
    return CliRunner().invoke(app, ["animate", *map(str, arguments)])


@pytest.mark.parametrize("options", [(), ("--plain",)])
def test_a_frame_a_shot(tmp_path, options):
    path = tmp_path / "game.gif"
    result = run("parity", GAME, "--seed", 2, "-n", 1, "-o", path, "--json", *options)
    assert result.exit_code == 0, result.output
    fields = json.loads(result.stdout)
    end = replay("parity", Game.parse(GAME), 1, seed=2)
    assert fields["shots"] == len(end.shots)
    with Image.open(path) as picture:
        frames = []
        for number in range(picture.n_frames):
            picture.seek(number)
            frames.append(np.asarray(picture.convert("RGB"), int))
    assert len(frames) == len(end.shots) + 1  # the last one lasts longer
    size = frames[0].shape[0] / (4 + 2.6)  # of a cell, as the figure is made
    first, changed = np.array([1.3, 1.6]) * size, 0
    for before, after, shot in zip(frames, frames[1:], end.shots, strict=False):
        row, column = shot.cell
        top, left = int(first[1] + row * size), int(first[0] + column * size)
        cell = slice(top, int(top + size)), slice(left, int(left + size))
        changed += bool((before[cell] != after[cell]).any())
    assert changed == len(end.shots)


def test_a_page(tmp_path):
    path = tmp_path / "game.html"
    assert run("greedy", "3x3:2", "-o", path).exit_code == 0
    shots = len(replay("greedy", Game.parse("3x3:2"), 0).shots)
    assert path.read_text().count("data:image/png;base64") >= shots + 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("greedy", GAME, "-o", "game.mp4"), "use a name ending in .gif or .html"),
        (("nobody", GAME, "-o", "game.gif"), "no strategy 'nobody'"),
        (("greedy", GAME, "-o", "no/such/folder/game.gif"), "cannot write"),
    ],
)
def test_bad_arguments(tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    error = run(*arguments).exception
    assert isinstance(error, OptsearchError)
    assert said in str(error)
