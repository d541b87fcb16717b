"""The colours: told apart in grey, by people who see no red and green, and declared once."""

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from optsearch.support import palette

ROOT = Path(palette.__file__).parent.parent.parent
# Machado, Oliveira and Fernandes (2009), severity 1.0, on linear sRGB.
SEEN = {
    "all": np.eye(3),
    "no red": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "no green": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
}
XYZ = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]  # of sRGB


def linear(colour):
    """The linear sRGB of a colour in hex."""
    channels = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def lab(colour, eyes="all"):
    """CIELAB of a colour as these eyes see it."""
    xyz = np.array(XYZ) @ np.clip(np.array(SEEN[eyes]) @ linear(colour), 0, 1)
    part = xyz / np.sum(XYZ, axis=1)
    x, y, z = np.where(part > 216 / 24389, np.cbrt(part), (24389 / 27 * part + 16) / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def contrast(one, other):
    """The ratio of luminances by WCAG 2, 1 to 21."""
    low, high = sorted(XYZ[1] @ linear(colour) + 0.05 for colour in (one, other))
    return high / low


FIGURES = {
    "heat": palette.HEAT[-1],
    "hit": palette.HIT,
    "miss": palette.MISS,
    "best": palette.BEST,
    "cell": palette.HEAT[0],
    "text": palette.INK,
}
GROUNDS = [FIGURES, palette.LIGHT, palette.DARK]


@pytest.mark.parametrize("colours", GROUNDS, ids=["figures", "light", "dark"])
def test_told_apart(colours):
    """In grey by lightness alone; by colour for all eyes. Red and green of one lightness fail."""
    for one, other in combinations(["cell", "heat", "hit", "miss", "best"], 2):
        difference = {eyes: lab(colours[one], eyes) - lab(colours[other], eyes) for eyes in SEEN}
        assert abs(difference["all"][0]) >= 15, (one, other)
        for eyes, apart in difference.items():
            assert np.linalg.norm(apart) >= 20, (one, other, eyes)


def test_what_the_simulation_sees():
    """A red and a green that are far apart, and near for those who see no green."""
    red, green = "#d02020", "#707000"
    assert np.linalg.norm(lab(red) - lab(green)) > 70
    assert np.linalg.norm(lab(red, "no green") - lab(green, "no green")) < 20
    assert lab("#ffffff") == pytest.approx([100, 0, 0], abs=1e-9)
    assert lab("#777777")[0] == pytest.approx(50, abs=0.1)


@pytest.mark.parametrize("colours", GROUNDS, ids=["figures", "light", "dark"])
def test_legible(colours):
    """Text on every cell, and signs and frames on what is below them (WCAG 2: 4.5 and 3)."""
    for ground in ("cell", "heat"):
        assert contrast(colours["text"], colours[ground]) >= 4.5
        assert contrast(colours["best"], colours[ground]) >= 3
        assert contrast(colours.get("accent", palette.INK), colours[ground]) >= 3
    assert contrast(colours["hit"], colours.get("water", palette.HIT_CELL)) >= 3
    assert contrast(colours["miss"], colours.get("water", palette.MISS_CELL)) >= 3


def test_declared_once():
    """No other file has a colour of its own."""
    files = [
        path
        for folder in (ROOT / "optsearch", ROOT / "paper_figures", ROOT / "docs")
        for path in folder.rglob("*")
        if path.suffix in {".py", ".html", ".css"} and path != Path(palette.__file__)
    ]
    assert {"boards.py", "explorer.html", "notebook.py", "style.py"} <= {
        path.name for path in files
    }
    colour = re.compile(r"(?i)#(?:[0-9a-f]{6}|[0-9a-f]{3})\b|rgba?\(\d")
    for path in files:
        assert colour.findall(path.read_text(encoding="utf-8")) == [], path


def test_heat():
    """Equal steps of value are equal steps of lightness, and look equal; text is legible on all."""
    assert (palette.heat(0), palette.heat(1)) == palette.HEAT
    steps = np.diff([lab(palette.heat(share)) for share in np.linspace(0, 1, 11)], axis=0)
    assert np.ptp(steps[:, 0]) < 0.2 < 3 < -steps[:, 0].max()
    assert np.ptp(np.linalg.norm(steps, axis=1)) < 0.5
    assert all(contrast(palette.heat(i / 20), palette.INK) >= 4.5 for i in range(21))
    assert palette.mix("#ff0000", 0.5, "#0000ff") == "#800080"
    styles = (ROOT / "optsearch" / "show" / "board.css").read_text(encoding="utf-8")
    assert "color-mix(in srgb, var(--heat)" in styles  # pages mix as `heat` does
