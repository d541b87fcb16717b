"""The look of every figure, and where figures go."""

from __future__ import annotations

from pathlib import Path

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

OUTPUT = Path(__file__).parent / "output"

matplotlib.rcParams.update(
    {
        "font.family": "DejaVu Sans",  # comes with matplotlib
        "font.size": 9,
        "figure.facecolor": "white",
        "axes.edgecolor": "#52606d",
        "axes.labelcolor": "#1f2933",
        "axes.titlesize": 10,
        "text.color": "#1f2933",
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


def save(drawn: Figure, name: str, folder: Path = OUTPUT) -> list[Path]:
    """Write folder/NAME.pdf and folder/NAME.png; returns the two paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{name}.pdf", folder / f"{name}.png"]
    drawn.savefig(paths[0], metadata={"CreationDate": None})  # the same figure, the same file
    drawn.savefig(paths[1])
    return paths
