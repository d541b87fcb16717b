"""What all figure scripts share: a source, the command that makes it, and the command line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from matplotlib.figure import Figure

from optsearch import tree
from optsearch.datafiles import CHECKOUT, DATA
from optsearch.drawing import draw_board, draw_tree, tree_figure_size
from optsearch.errors import OptsearchError, RecordError
from optsearch.results import Entries, Table, Tree
from paper_figures import style
from paper_figures.style import OUTPUT, save


@dataclass(frozen=True)
class Published:
    """A tree among the published data."""

    name: str

    @property
    def command(self) -> str:
        """What brings it back."""
        return f"git checkout -- data/published/{self.name}.json"


@dataclass(frozen=True)
class PaperFigure:
    """A figure of the paper, or one of ours.

    name -- of the files to write. made_from -- the table or tree of results that it reads, or a
    published one; part -- which one of its kind. draw -- the figure of a source.
    """

    name: str
    made_from: Table | Tree | Published
    draw: Callable[[Path], Figure]
    part: str = ""

    @property
    def source(self) -> str:
        """Where the source lies, below `data`."""
        if isinstance(self.made_from, Published):
            return f"published/{self.made_from.name}.json"
        if isinstance(self.made_from, Tree):
            return self.made_from.path(Path("results")).as_posix()
        return self.made_from.path(Path("results"), name=self.part).as_posix()

    @property
    def command(self) -> str:
        """What the user runs to make the source."""
        return self.made_from.command.format(name=self.part)


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
    return str(path.relative_to(CHECKOUT) if path.is_relative_to(CHECKOUT) else path)


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


# Bodies that several figures share


def draw_grid(source: Path) -> Figure:
    """The grid of the position of a tree, with the shots made."""
    position = tree.load(source).position
    figure, ax = style.figure(0.45 * position.game.columns, 0.45 * position.game.rows)
    draw_board(ax, position)
    return figure


def draw_strategy(source: Path) -> Figure:
    """A decision tree."""
    strategy = tree.load(source)
    figure, ax = style.figure(*tree_figure_size(strategy))
    draw_tree(ax, strategy)
    return figure


def matrix(table: Entries, values: Sequence[float]) -> list[list[float]]:
    """The values of a table's rows, one a cell, as the matrix that its columns `row` and `column`
    (from 0) describe; RecordError unless they fill a grid.
    """
    cells = list(zip(table.column("row"), table.column("column"), strict=True))
    found = dict(zip(cells, values, strict=True))
    rows = 1 + max((i for i, _ in cells), default=-1)
    columns = 1 + max((j for _, j in cells), default=-1)
    expected = {(i, j) for i in range(rows) for j in range(columns)}
    if not expected or len(found) < len(cells) or set(found) != expected:
        raise RecordError(
            f"{table.path}: the rows do not give each cell of a {rows}x{columns} grid once"
        )
    return [[found[i, j] for j in range(columns)] for i in range(rows)]
