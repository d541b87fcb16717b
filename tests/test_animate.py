"""Games as moving pictures: as many frames as shots and one, and what is in them."""

import json
import re

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image
from selenium.webdriver import Keys
from selenium.webdriver.support.ui import WebDriverWait

from optsearch.cli.command import app
from optsearch.counting.configurations import to_masks
from optsearch.counting.posterior import Posterior
from optsearch.drawing.animations import CELL, DOTS
from optsearch.game import Game, bits, cell_name
from optsearch.game.position import Position
from optsearch.play.hiding import hider
from optsearch.play.simulate import replay
from optsearch.support.errors import OptsearchError
from tests.browser import accessible, requested

GAME = "4x4:3,2,contact=any,announce=ship"


def run(*arguments):
    return CliRunner().invoke(app, ["animate", *map(str, arguments)])


@pytest.mark.parametrize("options", [(), pytest.param(("--plain",), marks=pytest.mark.long(2))])
def test_a_frame_a_shot(tmp_path, options):
    path = tmp_path / "game.gif"
    result = run("parity", GAME, "--seed", 2, "--number", 1, "-o", path, "--json", *options)
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
    size = DOTS * CELL
    first, changed = np.array([1.3, 2.1]) * size, 0
    for before, after, shot in zip(frames, frames[1:], end.shots, strict=False):
        row, column = shot.cell
        top, left = int(first[1] + row * size), int(first[0] + column * size)
        cell = slice(top, int(top + size)), slice(left, int(left + size))
        changed += bool((before[cell] != after[cell]).any())
    assert changed == len(end.shots)


def carried(path):
    """The data of a page."""
    (text,) = re.findall(r'id="data">(.*?)</script>', path.read_text(encoding="utf-8"))
    return json.loads(text)


@pytest.mark.parametrize("options", [(), ("--plain",)])
def test_what_a_page_carries(tmp_path, options):
    path = tmp_path / "game.html"
    assert run("parity", GAME, "--seed", 2, "--number", 1, "-o", path, *options).exit_code == 0
    end = replay("parity", Game.parse(GAME), 1, seed=2)
    data = carried(path)
    cells = [(row, column) for row in range(4) for column in range(4)]
    assert data["shots"] == [[cells.index(shot.cell), str(shot.reply)] for shot in end.shots]
    ships = to_masks(hider("uniform").boards(end.game, 2, 2)[1])
    assert data["ships"] == [list(bits(ship)) for ship in ships]
    if options:
        assert data["chances"] is data["left"] is None
        return
    for number, (chances, left) in enumerate(zip(data["chances"], data["left"], strict=True)):
        posterior = Posterior(Position(end.game, end.shots[:number]))
        assert left == str(posterior.configurations)
        exact = posterior.probability.ravel().tolist()
        assert chances == pytest.approx(exact, abs=1e-5)
        assert [c in (0, 1) and c for c in chances] == [c in (0, 1) and c for c in exact]


def test_a_page_asks_nothing_of_the_network(tmp_path):
    """And is small: that of a game on 5x5 took 376 kB as pictures."""
    path = tmp_path / "game.html"
    assert run("greedy", "5x5:3,2", "-o", path).exit_code == 0
    text = path.read_text(encoding="utf-8")
    assert "http" not in text.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")
    loaded = re.findall(r"""(?:src|href)\s*=\s*["']([^"']*)|url\(|@import""", text)
    assert loaded == ["data:,"]
    assert "unsafe" not in text
    assert len(text.encode()) < 200_000


@pytest.fixture
def shown(tmp_path, driver):
    """The page of a game in the browser, paused, and the game."""
    path = tmp_path / "game.html"
    assert run("greedy", "3x3:2", "-o", path).exit_code == 0
    requested(driver)
    driver.get_log("browser")
    driver.get(path.as_uri())
    driver.find_element("id", "first").click()
    yield driver, replay("greedy", Game.parse("3x3:2"), 0)
    assert {url for url in requested(driver) if not url.startswith("data:")} == {path.as_uri()}
    assert driver.get_log("browser") == []


def test_a_page_in_a_browser(shown):
    """By buttons, by keys and by the slider; ships at the end; it plays by itself."""
    driver, end = shown
    shots = len(end.shots)
    cells = (
        "return [...document.querySelectorAll('.cell')].map((c) => c.getAttribute('aria-label'))"
    )

    def check(number):
        said = driver.find_element("id", "said").text
        assert said.startswith(f"{number} shot" if number else "Start")
        labels = driver.execute_script(cells)
        for shot in end.shots[:number]:
            name = cell_name(shot.cell)
            assert f"{name}: {shot.reply}" in labels
        assert sum("%" not in label for label in labels) == number
        ships = driver.find_elements("css selector", "circle.hull")
        assert len(ships) == (end.game.fleet_cells if number == shots else 0)

    check(0)
    driver.find_element("id", "on").click()
    check(1)
    driver.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
    check(2)
    driver.switch_to.active_element.send_keys(Keys.END)
    check(shots)
    driver.find_element("id", "shot").send_keys(Keys.ARROW_LEFT)
    check(shots - 1)
    driver.find_element("id", "first").click()
    driver.find_element("id", "play").click()
    WebDriverWait(driver, 60).until(
        lambda _: driver.find_element("id", "said").text.startswith(f"{shots} shots")
    )
    driver.find_element("id", "play").click()
    assert driver.find_element("id", "play").text == "Play"


def test_a_page_for_everybody(shown):
    driver, _ = shown
    accessible(driver)


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
