"""The look of every figure: its lines and sizes, the colours of `palette`; and where figures go.

Where several lines share axes they differ in their marks or dashes too, so that a figure can be
printed in grey.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import matplotlib
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from optsearch.support import palette
from optsearch.support.palette import BLUE as BLUE
from optsearch.support.palette import GOLD as GOLD
from optsearch.support.palette import GREEN as GREEN
from optsearch.support.palette import GRID as GRID
from optsearch.support.palette import INK as INK
from optsearch.support.palette import LABEL as LABEL
from optsearch.support.palette import OPEN as OPEN
from optsearch.support.palette import ORANGE as ORANGE
from optsearch.support.palette import PURPLE as PURPLE
from optsearch.support.palette import SKY as SKY

OUTPUT = Path(__file__).parent / "output"

PALETTE = (BLUE, ORANGE, GREEN, PURPLE, GOLD, SKY, INK)
MARKS = "os^Dv*X"
LESS_OR_MORE = LinearSegmentedColormap.from_list("less or more", palette.LESS_OR_MORE)
SMALL = 7.5  # points, of notes inside a figure
WIDTH, HEIGHT = 4.5, 2.9  # inches, of axes that have curves

matplotlib.rcParams.update(
    {
        "font.family": "DejaVu Sans",  # comes with matplotlib
        "font.size": 9,
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
        "legend.frameon": False,
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
        "savefig.bbox": "tight",
        "savefig.pad_inches": 0.08,
        "pdf.fonttype": 42,  # text stays text
    }
)


def figure(width: float, height: float) -> tuple[Figure, Axes]:
    """A figure whose axes, without their labels, are `width` by `height` inches."""
    drawn = Figure(figsize=(width, height))
    return drawn, drawn.add_axes((0, 0, 1, 1))


def curves(width: float = WIDTH, height: float = HEIGHT) -> tuple[Figure, Axes]:
    """A figure for curves and points: quiet horizontal lines behind them."""
    drawn, ax = figure(width, height)
    ax.grid(axis="y")
    return drawn, ax


def note(ax: Axes, text: str, at: tuple[float, float], **options: object) -> None:
    """A small text at a point of the data, moved by `xytext` points if that is given."""
    settings: dict[str, object] = {
        "textcoords": "offset points",
        "xytext": (0, 0),
        "fontsize": SMALL,
        "color": LABEL,
    }
    ax.annotate(text, at, **{**settings, **options})  # type: ignore[arg-type]


def save(
    drawn: Figure, name: str, folder: Path = OUTPUT, about: Mapping[str, str] | None = None
) -> list[Path]:
    """Write folder/NAME.pdf and folder/NAME.png; returns the two paths.

    about -- what the PNG says of itself, as text chunks.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{name}.pdf", folder / f"{name}.png"]
    drawn.savefig(paths[0], metadata={"CreationDate": None})  # the same figure, the same file
    drawn.savefig(paths[1], metadata=dict(about or {}))
    return paths
