"""What all figure scripts share: a source, the command that makes it, and the command line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from matplotlib.figure import Figure

from optsearch import records, tree
from optsearch.drawing import draw_board, draw_tree, tree_figure_size
from optsearch.errors import OptsearchError, RecordError
from optsearch.records import Record
from paper_figures.style import OUTPUT, figure, save

DATA = records.data()


@dataclass(frozen=True)
class PaperFigure:
    """A figure of the paper, or one of ours.

    name -- of the files to write; source -- the table or tree it reads, below `data`; command --
    what the user runs to make the source; draw -- the figure of a source.
    """

    name: str
    source: str
    command: str
    draw: Callable[[Path], Figure]


def make(figure: PaperFigure, data: Path = DATA, output: Path = OUTPUT) -> bool:
    """Draw one figure and say which files were written, or why not; whether it was drawn."""
    source = data / figure.source
    if not source.is_file():
        print(
            f"{figure.name}: {_shown(source)} is missing; make it with: {figure.command}",
            file=sys.stderr,
        )
        return False
    try:
        paths = save(figure.draw(source), figure.name, output)
    except (OptsearchError, OSError) as error:
        print(f"{figure.name}: {error}", file=sys.stderr)
        return False
    print(f"{figure.name}: {' '.join(map(_shown, paths))}")
    return True


def _shown(path: Path) -> str:
    """A path as the user would type it in the checkout."""
    root = DATA.parent
    return str(path.relative_to(root) if path.is_relative_to(root) else path)


def run(figures: Sequence[PaperFigure], arguments: Sequence[str] | None = None) -> int:
    """The command line of a figure script; returns the exit status, 1 if a figure is missing."""
    parser = argparse.ArgumentParser(
        description=f"Draw {', '.join(figure.name for figure in figures)}."
    )
    parser.add_argument(
        "--data", type=Path, default=DATA, help="folder with results/ and published/"
    )
    parser.add_argument("--output", type=Path, default=OUTPUT, help="folder to write figures to")
    options = parser.parse_args(arguments)
    drawn = [make(figure, options.data, options.output) for figure in figures]
    return 0 if all(drawn) else 1


def matrix(record: Record, values: Sequence[float]) -> list[list[float]]:
    """The values of a table's rows, one a cell, as the matrix that its columns `row` and `column`
    (from 0) describe; RecordError unless they fill a grid.
    """
    cells = list(zip(record.values("row", int), record.values("column", int), strict=True))
    found = dict(zip(cells, values, strict=True))
    rows = 1 + max((i for i, _ in cells), default=-1)
    columns = 1 + max((j for _, j in cells), default=-1)
    expected = {(i, j) for i in range(rows) for j in range(columns)}
    if not expected or len(found) < len(cells) or set(found) != expected:
        raise RecordError(
            f"{record.path}: the rows do not give each cell of a {rows}x{columns} grid once"
        )
    return [[found[i, j] for j in range(columns)] for i in range(rows)]


def board(source: Path) -> Figure:
    """The grid of a tree, with the shots before it."""
    position = tree.load(source).position
    drawn, ax = figure(0.45 * position.game.columns, 0.45 * position.game.rows)
    draw_board(ax, position)
    return drawn


def strategy(source: Path) -> Figure:
    """A decision tree."""
    loaded = tree.load(source)
    drawn, ax = figure(*tree_figure_size(loaded))
    draw_tree(ax, loaded)
    return drawn
