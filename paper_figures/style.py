"""The style of all figures, in the colours of `palette`, and the writing of their files.

A figure is as wide as a column or as a page, and no text in it is below SMALLEST at that width.

Lines on the same axes also differ in their marks or dashes, so that a figure can be printed in
grey.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from io import StringIO
from pathlib import Path

import matplotlib
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from optsearch.drawing.boards import PRINT
from optsearch.support import palette

BLUE, ORANGE, GREEN, PURPLE = palette.BLUE, palette.ORANGE, palette.GREEN, palette.PURPLE
GOLD, SKY, INK, LABEL = palette.GOLD, palette.SKY, palette.INK, palette.LABEL
GRID, OPEN = palette.GRID, palette.OPEN
OUTPUT = Path(__file__).parent / "output"

PALETTE = (BLUE, ORANGE, GREEN, PURPLE, GOLD, SKY, INK)
MARKS = "os^Dv*X"
STRATEGIES = {  # the colour of each in all figures; LABEL for others
    "levels of rollouts": BLUE,
    "rollouts of spread": SKY,
    "spread": GREEN,
    "greedy": ORANGE,
    "exact greedy": ORANGE,
    "information": GOLD,
    "Thompson sampling": PURPLE,
    "Thompson": PURPLE,
    "random": INK,
    "optimal": palette.BEST,
}
LESS_OR_MORE = LinearSegmentedColormap.from_list("less or more", (palette.LESS, *palette.HEAT))
SMALL = 8.0  # points, of notes inside a figure
SMALLEST = 6.5  # points, of any text
COLUMN, PAGE = 89 / 25.4, 183 / 25.4  # inches, widths of saved figures
WIDTH, HEIGHT = 4.5, 2.9  # inches, of axes with curves
MARGIN = 0.08  # inches

matplotlib.rcParams.update(
    {
        **PRINT,
        "font.size": 9,
        "figure.dpi": 200,  # as saved, so that measured sizes are those drawn
        "figure.facecolor": "white",
        "axes.axisbelow": True,
        "axes.edgecolor": LABEL,
        "axes.labelcolor": INK,
        "axes.labelsize": 9,
        "axes.prop_cycle": cycler(color=PALETTE),
        "axes.spines.right": False,
        "axes.spines.top": False,
        "axes.titlesize": 9,
        "grid.color": GRID,
        "grid.linewidth": 0.3,
        "legend.fontsize": SMALL,
        "legend.edgecolor": "white",
        "legend.fancybox": False,
        "legend.framealpha": 1,  # no line runs through it
        "legend.title_fontsize": SMALL,
        "lines.linewidth": 1.3,
        "lines.markersize": 4,
        "text.color": INK,
        "xtick.color": LABEL,
        "xtick.labelcolor": INK,
        "xtick.labelsize": 8,
        "ytick.color": LABEL,
        "ytick.labelcolor": INK,
        "ytick.labelsize": 8,
        "savefig.dpi": 200,
        "svg.hashsalt": "optsearch",  # equal figures give equal files
    }
)


def one_panel(width: float, height: float) -> tuple[Figure, Axes]:
    """Return a figure and its axes, which are `width` by `height` inches without their labels."""
    drawn = Figure(figsize=(width, height))
    return drawn, drawn.add_axes((0, 0, 1, 1))


def curve_panel(width: float = WIDTH, height: float = HEIGHT) -> tuple[Figure, Axes]:
    """Return a figure and its axes for curves and points, with a grid of horizontal lines."""
    drawn, ax = one_panel(width, height)
    ax.grid(axis="y")
    return drawn, ax


def write_note(ax: Axes, text: str, at: tuple[float, float], **options: object) -> None:
    """Write a small text at a point of the data, on a white box.

    options -- of `Axes.annotate`; `xytext` moves the text by points from there.
    """
    settings: dict[str, object] = {
        "textcoords": "offset points",
        "xytext": (0, 0),
        "fontsize": SMALL,
        "color": LABEL,
        "bbox": {"facecolor": "white", "edgecolor": "none", "pad": 0.5},  # over lines
    }
    ax.annotate(text, at, **{**settings, **options})  # type: ignore[arg-type]


def letter_panels(*panels: Axes) -> None:
    """Write a letter for each panel, above its upper left corner."""
    for letter, ax in zip("abcdefghi", panels, strict=False):
        style: dict[str, object] = {"fontsize": 9, "fontweight": "bold", "color": INK}
        write_note(
            ax, letter, (0, 1), xycoords="axes fraction", xytext=(-14, 5), gid="letter", **style
        )


def saved_box(drawn: Figure) -> Bbox:
    """Return the box of a figure to save, in inches: all of the figure, a column or a page wide.

    A figure of curves is resized until it has that width. Boards and trees keep their size, with
    empty space on both sides.
    """
    has_curves = all(ax.axison and ax.get_aspect() == "auto" for ax in drawn.axes)
    if has_curves:
        for _ in range(5):  # labels move with the axes, so the width is not met at once
            figure_width, figure_height = drawn.get_size_inches()
            drawn_width = _drawn_box(drawn).width
            boxes = [ax.get_position() for ax in drawn.axes]
            axes_share = max(box.x1 for box in boxes) - min(box.x0 for box in boxes)
            missing_width = _target_width(drawn_width) - drawn_width
            drawn.set_size_inches(figure_width + missing_width / axes_share, figure_height)
    box = _drawn_box(drawn)
    side_margin = max(0.0, _target_width(box.width) - box.width) / 2
    return Bbox.from_extents(box.x0 - side_margin, box.y0, box.x1 + side_margin, box.y1)


def _drawn_box(drawn: Figure) -> Bbox:
    """Return the box around everything that is drawn, with a margin, in inches."""
    return drawn.get_tightbbox().padded(MARGIN)


def _target_width(width: float) -> float:
    """Return the width of a column if a figure fits it, else that of a page, in inches."""
    return COLUMN if width <= COLUMN + 0.01 else PAGE


def save(
    drawn: Figure, name: str, folder: Path = OUTPUT, about: Mapping[str, str] | None = None
) -> list[Path]:
    """Write NAME.pdf, NAME.png and NAME.svg into a folder; return the three paths.

    about -- metadata of the PNG and the SVG, such as their Source.
    """
    folder.mkdir(parents=True, exist_ok=True)
    box = saved_box(drawn)
    pdf, png, svg = (folder / f"{name}.{ending}" for ending in ("pdf", "png", "svg"))
    drawn.savefig(pdf, bbox_inches=box, metadata={"CreationDate": None})
    drawn.savefig(png, bbox_inches=box, metadata=dict(about or {}))
    svg.write_text(as_svg(drawn, about or {}), encoding="utf-8")
    return [pdf, png, svg]


def as_svg(drawn: Figure, about: Mapping[str, str]) -> str:
    """Return a figure as the text of an SVG with this metadata."""
    buffer, box = StringIO(), saved_box(drawn)
    drawn.savefig(buffer, format="svg", bbox_inches=box, metadata={"Date": None, **about})
    return _shorten(buffer.getvalue())


def _shorten(svg: str) -> str:
    """Return an SVG of matplotlib without comments, with numbers cut to two decimals."""
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL)
    coordinates = r"(?:\b(?:d|x|y)=\"|translate\()[^\")]*"

    def cut_decimals(match: re.Match[str]) -> str:
        return re.sub(r"(\d\.\d\d)\d+", r"\1", match[0])

    svg = re.sub(coordinates, cut_decimals, svg)
    return re.sub(r"\s*\n\s*", "\n", svg)
