"""Draw the pictures of docs/pictures: python -m docs.pictures [figures nested position board]

`make pictures` draws all of them; a name draws one kind. `figures` are those of `paper_figures`,
for where only Markdown is shown, with SVGs to which they link; the site has them larger.
`nested` is the moving picture of a game, `position` the one that the README shows with its command,
and `board` needs chromium and chromedriver.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from PIL import Image, PngImagePlugin

from optsearch.cli.common import count_text
from optsearch.counting.configurations import to_masks
from optsearch.counting.posterior import Posterior
from optsearch.drawing.boards import draw_probability, draw_ships
from optsearch.game import Game
from optsearch.game.position import Position
from optsearch.play.hiding import hider
from optsearch.play.simulate import replay
from optsearch.strategies import as_player
from optsearch.support import palette
from optsearch.support.datafiles import DATA

DOCS = Path(__file__).parent
PICTURES = DOCS / "pictures"
PAPER = Game.parse("10x10:5,4,3,3,2")
BOXED = "10x10:5,4,3,3,2,contact=any,announce=ship"
WIDE = 720  # pixels, of a picture
ATTEMPTS = 20  # of an answer that takes too long
COLOURS = 256  # of the board
LINES = palette.BLUE, palette.ORANGE, palette.GREEN, palette.PURPLE, palette.GOLD, palette.SKY
POSITION = "E5=miss C4=miss G4=miss D7=hit D8=hit G7=miss"
SHOTS = "E5=miss,D6=hit,D7=hit,F3=miss,D8=sunk:3,H7=hit,H6=miss,G7=hit"
WRONG = "E5=miss,D6=hit,D7=hit,F3=miss,D8=sunk:3,H7=hit,H8=sunk:2,J9=hit,I9=sunk:2"
SHOOT = (44, 45, 67, 12, 50, 77)  # cells of the game against the easy player
PLAY = """document.getElementById("against").value = "easy";
  document.getElementById("begin").click()"""


def reduce_colours(image: Image.Image, colours: int) -> Image.Image:
    """Return an image with a number of colours at most, which keeps its file small."""
    return image.convert("RGB").quantize(colours, dither=Image.Dither.NONE)


# Figures


def quantize_to_palette(
    image: Image.Image, lines: Sequence[str] = LINES, heat_shades: int = 40
) -> Image.Image:
    """Return an image in the colours of `optsearch.support.palette`, and in shades of them.

    lines -- the colours of lines in it.
    """
    colours = [
        *(palette.PAPER, palette.HIT, palette.HIT_CELL, palette.MISS, palette.BEST, palette.OPEN),
        *(palette.GRID, palette.SHIP, palette.SOLVED),
        *(palette.mix(palette.INK, share) for share in (0.12, 0.3, 0.5, 0.75, 1)),
        *(palette.mix(line, share) for line in lines for share in (0.2, 0.5, 1)),
        *(palette.heat(i / heat_shades) for i in range(heat_shades // 12, heat_shades + 1)),
        *(palette.mix(palette.LESS, share / 10) for share in range(1, 11)),
    ]
    channels = [int(colour[i : i + 2], 16) for colour in colours for i in (1, 3, 5)]  # of #rrggbb
    image_of_colours = Image.new("P", (1, 1))
    image_of_colours.putpalette(channels + channels[:3] * (256 - len(colours)))
    return image.quantize(palette=image_of_colours, dither=Image.Dither.NONE)


def picture_of(drawn: Figure) -> Image.Image:
    """Return a figure as an image `WIDE` pixels wide, for the pages in the repository."""
    from paper_figures import style  # it sets the style of matplotlib

    png, box = BytesIO(), style.saved_box(drawn)
    drawn.savefig(png, format="png", dpi=WIDE / box.width, bbox_inches=box)
    return quantize_to_palette(Image.open(png).convert("RGB"))


def draw_figures() -> None:
    """Draw each figure as PNG and as SVG, with the digest of its tables as metadata."""
    from paper_figures import registry, style

    for figure in registry.figures():
        sources = [DATA / source for source in figure.sources]
        drawn, source = figure.draw(*sources), registry.digest(sources)
        metadata = PngImagePlugin.PngInfo()
        metadata.add_text("Source", source)
        picture_of(drawn).save(PICTURES / f"{figure.name}.png", optimize=True, pnginfo=metadata)
        svg = style.as_svg(drawn, {"Source": source})
        (PICTURES / f"{figure.name}.svg").write_text(svg, encoding="utf-8")


# A game, and a position


def draw_nested() -> None:
    """Draw the game of `optsearch animate nested 10x10:5,4,3,3,2` without the percentages."""
    from paper_figures import style  # noqa: F401 - it sets the style of matplotlib

    uniform = hider("uniform")
    ships = to_masks(uniform.boards(PAPER, 1, 1)[0])
    end = replay(as_player("nested"), PAPER, 0, seed=1, boards=uniform)
    assert isinstance(end, Position)
    frames = []
    for number in range(len(end.shots) + 1):
        position = Position(PAPER, end.shots[:number])
        posterior = Posterior(position)
        figure = Figure(figsize=(5.04, 5.9))
        ax = figure.add_axes((0.09, 0.14, 0.83, 0.71))
        draw_probability(ax, position, posterior.probability)
        for text in [text for text in ax.texts if text.get_gid() == "value"]:
            text.remove()
        if number == len(end.shots):
            draw_ships(ax, [PAPER.cells_of(ship) for ship in ships], PAPER)
        left = count_text(posterior.configurations, "configuration")
        title = f"nested\n{number} shots, {position.hits.bit_count()} hits; {left} left"
        figure.text(0.5, 0.98, title, ha="center", va="top")
        png = BytesIO()
        figure.savefig(png, format="png", dpi=100)
        frame = Image.open(png).convert("RGB")
        frames.append(quantize_to_palette(frame, lines=(), heat_shades=14))  # for a small file
    first, *others = frames
    times = [500] * len(others) + [2500]  # milliseconds
    path = PICTURES / "nested.gif"
    first.save(path, save_all=True, append_images=others, duration=times, loop=0, optimize=True)


def draw_position() -> None:
    """Draw the position of the README by its command, as PNG and as SVG."""
    path = PICTURES / "position.png"
    command = [sys.executable, "-m", "optsearch", "posterior", str(PAPER), "--shots", POSITION]
    for file in (path, path.with_suffix(".svg")):
        subprocess.run([*command, "--figure", file], check=True, stdout=subprocess.DEVNULL)
    quantize_to_palette(Image.open(path).convert("RGB")).save(path, optimize=True)


# The board in a browser


@contextmanager
def open_board() -> Iterator[tuple[Any, str]]:
    """Yield a browser that shows a board, and the address of the server without its fragment."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    command = [sys.executable, "-m", "optsearch", "serve", BOXED, "--by", "spread"]
    with subprocess.Popen(
        [*command, "--no-browser"],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    ) as server:
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium") or ""
        for argument in ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage"):
            options.add_argument(f"--{argument}")
        browser = webdriver.Chrome(options, Service(shutil.which("chromedriver")))
        try:
            assert server.stdout is not None
            address = server.stdout.readline().split()[-1]
            browser.get(address)
            yield browser, address.partition("/#")[0]
        finally:
            browser.quit()
            server.terminate()


IS_READY = """
  const ids = "#ask, #left, #optimum, #progress, #replies small, #verdict";
  const texts = [...document.querySelectorAll(ids)];
  const is_busy = document.body.classList.contains("busy");
  const is_counted = document.getElementById("wrong").checkVisibility()
    || !document.querySelector("#rows td:last-child:empty");
  return document.querySelectorAll("#board .cell").length && !is_busy && is_counted
    && !texts.some((one) => one.checkVisibility() && one.textContent.endsWith("…"))"""


def draw_board() -> None:
    """Draw the board: advice, a contradiction, a review, a dark telephone, and a game."""
    from selenium.webdriver.support.ui import WebDriverWait

    with open_board() as (browser, address):

        def wait_until_ready() -> None:
            WebDriverWait(browser, 120).until(lambda _: browser.execute_script(IS_READY))

        def set_screen(width: int, height: int, scheme: str = "light") -> None:
            is_mobile = width < 500
            size = {
                "width": width,
                "height": height,
                "deviceScaleFactor": 2 if is_mobile else 1,
                "mobile": is_mobile,
            }
            browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
            browser.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
            features = [{"name": "prefers-color-scheme", "value": scheme}]
            browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

        def save_screenshot(name: str) -> None:
            wait_until_ready()
            for _ in range(ATTEMPTS):
                if not browser.find_element("id", "trouble").text:
                    break
                browser.refresh()  # this machine had something else to do
                wait_until_ready()
            browser.execute_script("window.scrollTo(0, 0)")
            image = Image.open(BytesIO(browser.get_screenshot_as_png()))
            reduce_colours(image, COLOURS).save(PICTURES / f"board_{name}.png", optimize=True)

        set_screen(1120, 760)
        for name, query in (
            ("advise", f"?shots={SHOTS}"),
            ("wrong", f"?shots={WRONG}"),
            ("review", f"?mode=review&shots={SHOTS}&at=6"),
        ):
            browser.get(f"{address}/{query}")
            save_screenshot(name)
        set_screen(360, 740, "dark")
        browser.get(f"{address}/?shots={SHOTS}")
        save_screenshot("telephone")
        set_screen(1120, 860)
        browser.get(f"{address}/?mode=play")
        wait_until_ready()
        browser.execute_script(PLAY)
        WebDriverWait(browser, 120).until(lambda _: "match=" in browser.current_url)
        wait_until_ready()
        for cell in SHOOT:
            browser.find_elements("css selector", "#board .cell")[cell].click()
            wait_until_ready()
        browser.find_element("id", "hints").click()
        save_screenshot("play")


KINDS = {
    "figures": draw_figures,
    "nested": draw_nested,
    "position": draw_position,
    "board": draw_board,
}


def main(names: list[str]) -> int:
    """Draw the kinds of pictures that are named, or all of them; return the exit status."""
    unknown = [name for name in names if name not in KINDS]
    if unknown:
        print(f"error: there is no {unknown[0]!r}; there are: {', '.join(KINDS)}", file=sys.stderr)
        return 2
    for name in names or KINDS:
        KINDS[name]()
        print(f"docs/pictures: {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
