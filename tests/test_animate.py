"""Games as moving pictures: as many frames as shots and one, and what is in them."""

import json
import re

import numpy as np
import pytest
from PIL import Image
from selenium.webdriver.support.ui import WebDriverWait
from typer.testing import CliRunner

from optsearch.cli.command import app
from optsearch.drawing.animations import HELD
from optsearch.game import Game
from optsearch.play.simulate import replay
from optsearch.support.errors import OptsearchError

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


def test_a_page_asks_nothing_of_the_network(tmp_path):
    path = tmp_path / "game.html"
    assert run("greedy", "3x3:2", "-o", path).exit_code == 0
    text = path.read_text(encoding="utf-8")
    assert "http" not in text.replace("http-equiv", "")
    loaded = re.findall(r"""(?:src|href)\s*=\s*["']([^"']*)|url\(|@import""", text)
    assert loaded == ["data:,"]
    buttons = re.findall(r"<button[^>]*>\s*([^<]*?)\s*</button>", text)
    assert buttons == ["−", "|◀", "‹", "◀", "❚❚", "▶", "›", "▶|", "+"]


def test_a_page_in_a_browser(tmp_path, driver):
    path = tmp_path / "game.html"
    assert run("greedy", "3x3:2", "-o", path).exit_code == 0
    for log in ("performance", "browser"):  # of earlier pages
        driver.get_log(log)
    driver.get(path.as_uri())
    frames = len(replay("greedy", Game.parse("3x3:2"), 0).shots) + HELD
    shown = "return document.querySelector('img').src"
    WebDriverWait(driver, 60).until(lambda _: driver.execute_script(shown).startswith("data:"))
    driver.find_element("css selector", "[title='Pause']").click()
    driver.find_element("css selector", "[title='First frame']").click()
    first = driver.execute_script(shown)
    driver.find_element("css selector", "[title='Last frame']").click()
    assert driver.execute_script(shown) != first
    slider = driver.find_element("css selector", "input[type=range]")
    assert slider.get_property("value") == slider.get_property("max") == str(frames - 1)
    widths = driver.execute_script(
        "return [...document.querySelectorAll('button')].map((b) => [b.scrollWidth, b.clientWidth])"
    )
    assert all(content <= room for content, room in widths)
    asked = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    urls = {
        one["params"]["request"]["url"]
        for one in asked
        if one["method"] == "Network.requestWillBeSent"
    }
    assert {url for url in urls if not url.startswith("data:")} == {path.as_uri()}
    assert driver.get_log("browser") == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("greedy", GAME, "-o", "game.mp4"), "use a name ending in .gif, .html"),
        (("nobody", GAME, "-o", "game.gif"), "no strategy 'nobody'"),
        (("greedy", GAME, "-o", "/dev/null/game.gif"), "cannot write"),
    ],
)
def test_bad_arguments(tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    error = run(*arguments).exception
    assert isinstance(error, OptsearchError)
    assert said in str(error)
