"""A page of generated puzzles of Solitaire Battleship: python -m paper_figures.puzzles."""

import json
import sys
from itertools import groupby, islice
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from optsearch.drawing import draw_puzzle, picture_size
from optsearch.game.names import LEVELS
from optsearch.results import tables as results
from optsearch.solitaire.formats import from_fields
from paper_figures import script, style

ACROSS, OF_A_LEVEL = 3, 2
CELL, GAP = 0.185, 0.34  # inches


def _place_of_level(row: dict[str, Any]) -> int:
    return LEVELS.index(row["level"]) if row["level"] in LEVELS else len(LEVELS)


def draw(source: Path) -> Figure:
    """The first puzzles of each level, easy ones first, with their seeds."""
    by_level = sorted(results.PUZZLES.read(source), key=_place_of_level)
    rows = [
        row for _, level in groupby(by_level, _place_of_level) for row in islice(level, OF_A_LEVEL)
    ]
    puzzles = [from_fields(json.loads(row["puzzle"])) for row in rows]
    sizes = [picture_size(puzzle, CELL) for puzzle in puzzles]
    width = max(size[0] for size in sizes) + GAP
    height = max(size[1] for size in sizes) + GAP
    down = -(-len(puzzles) // ACROSS)
    figure = Figure(figsize=(ACROSS * width, down * height))
    for i, (row, puzzle, (wide, high)) in enumerate(zip(rows, puzzles, sizes, strict=True)):
        left = i % ACROSS / ACROSS
        bottom = 1 - (i // ACROSS + high / height) / down
        box = (
            left,
            bottom - 0.3 / (down * height),
            wide / (ACROSS * width),
            high / (down * height),
        )
        ax = figure.add_axes(box)
        draw_puzzle(ax, puzzle)
        ax.set_title(
            f"seed {row['seed']}, {row['clues']} clues, {row['level']}", fontsize=7, loc="left"
        )
    style.letters(*figure.axes)
    return figure


FIGURE = script.PaperFigure("puzzles", results.PUZZLES, draw)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
