"""What all figure scripts share: a source, the command that makes it, and the command line."""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from optsearch import tree
from optsearch.drawing import (
    draw_board,
    draw_probability,
    draw_tree,
    paper_name,
    tree_figure_size,
)
from optsearch.game import Cell
from optsearch.game.position import Position
from optsearch.results.tables import Entries, Table, Tree
from optsearch.support import records
from optsearch.support.datafiles import CHECKOUT, DATA
from optsearch.support.errors import OptsearchError, RecordError
from paper_figures import style
from paper_figures.style import OUTPUT, save


@dataclass(frozen=True)
class Published:
    """A tree among the published data, or a table."""

    name: str
    kind: str = "json"

    @property
    def file(self) -> str:
        """Where it lies, below `data`."""
        return f"published/{self.name}.{self.kind}"

    @property
    def command(self) -> str:
        """What brings it back."""
        return f"git checkout -- data/{self.file}"


Made = Table | Tree | Published


def place_of(made_from: Made, part: str) -> str:
    """Where a source lies, below `data`."""
    if isinstance(made_from, Published):
        return made_from.file
    if isinstance(made_from, Tree):
        return made_from.path(Path("results")).as_posix()
    return made_from.path(Path("results"), name=part).as_posix()


@dataclass(frozen=True)
class PaperFigure:
    """A figure of the paper, or one of ours.

    name -- of the files to write. made_from -- the table or tree of results that it reads, or a
    published one, None for a picture of an idea; part -- which one of its kind; also -- more of
    them, each with its part. draw -- the figure of all sources, in this order. frames -- the same
    as a moving picture, if there is one: its frames, of one size.
    """

    name: str
    made_from: Made | None
    draw: Callable[..., Figure]
    part: str = ""
    also: tuple[tuple[Made, str], ...] = ()
    frames: Callable[..., Iterable[Figure]] | None = None

    @property
    def sources(self) -> dict[str, str]:
        """Where each source lies, below `data`, and what the user runs to make it."""
        first = () if self.made_from is None else ((self.made_from, self.part),)
        return {
            place_of(made_from, part): made_from.command.format(name=part)
            for made_from, part in (*first, *self.also)
        }

    @property
    def source(self) -> str:
        """Where the first source lies, below `data`."""
        return next(iter(self.sources))

    @property
    def command(self) -> str:
        """What the user runs to make the first source."""
        return self.sources[self.source]

    @property
    def origin(self) -> str:
        """The commands that draw it and that make its sources, as a sentence in Markdown."""
        made = ", ".join(f"`data/{at}` (`{command}`)" for at, command in self.sources.items())
        return f"Drawn by `{self.redraw}` from {made or 'no table'}."

    @property
    def redraw(self) -> str:
        """What the user runs to draw it."""
        return f"python -m paper_figures.{self.name}"


def digest(paths: Sequence[Path]) -> str:
    """What tells whether sources are those that a figure was drawn from."""
    together = hashlib.sha256()
    for path in paths:
        together.update(hashlib.sha256(path.read_bytes()).digest())
    return together.hexdigest()


def make(figure: PaperFigure, data: Path = DATA, output: Path = OUTPUT) -> bool:
    """Draw one figure and say which files were written, or why not; whether it was drawn."""
    sources = [data / place for place in figure.sources]
    for source, command in zip(sources, figure.sources.values(), strict=True):
        if not source.is_file():
            print(
                f"{figure.name}: {_shown(source)} is missing; make it with: {command}",
                file=sys.stderr,
            )
            return False
    try:
        about = {"Source": digest(sources)}
        paths = save(figure.draw(*sources), figure.name, output, about)
        if figure.frames is not None:
            paths.append(style.save_moving(figure.frames(*sources), figure.name, output))
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


CELL = 0.31  # inches


def legend(ax: Axes) -> None:
    """What a figure of the paper keeps: its marks, not those of other figures, and its names."""
    text = "As in the paper: ○ hit, × miss;\nB3 is row B, column 3"
    style.note(ax, text, (0, 0), xycoords="axes fraction", xytext=(0, -6), va="top")


def board(position: Position) -> tuple[Figure, Axes]:
    """A board with the cell names of the paper, and the shots made."""
    figure, ax = style.figure(CELL * position.game.columns, CELL * position.game.rows)
    draw_board(ax, position, paper=True)
    return figure, ax


def draw_grid(source: Path) -> Figure:
    """The grid of the position of a tree, with the shots made."""
    figure, ax = board(tree.load(source).position)
    legend(ax)
    return figure


def draw_strategy(source: Path, names: Callable[[Cell], str] = paper_name) -> Figure:
    """A decision tree, with the cell names and the marks of the paper."""
    strategy = tree.load(source)
    width, height = tree_figure_size(strategy)
    if style.COLUMN < width + 0.2 < 1.1 * style.COLUMN:
        width = style.COLUMN - 0.2
    figure, ax = style.figure(width, height)
    draw_tree(ax, strategy, names=names, paper=True)
    legend(ax)
    return figure


def printed(path: Path) -> list[dict[str, str]]:
    """The rows of a published table."""
    return records.read(path).rows


CAPTIONS = Path(__file__).with_name("captions.md")


def captions(path: Path = CAPTIONS) -> dict[str, str]:
    """The caption of each figure by its name: Markdown, its first sentence a title."""
    _, *sections = re.split(r"^## (\S+)\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {
        name: " ".join(text.split())
        for name, text in zip(sections[::2], sections[1::2], strict=True)
    }


Matrix = Sequence[Sequence[float]]
Pair = tuple[str, Position, Matrix, Matrix]
"""A title, a position, and two matrices of the same cells."""
BETWEEN = 0.22  # inches, of boards of a pair


def draw_percent(ax: Axes, position: Position, values: Matrix) -> None:
    """A position over the heat map of a value of each cell that is not shot, in whole percent."""
    draw_probability(ax, position, np.array(values), digits=0)
    ax.tick_params(labelsize=style.SMALLEST)


def boards_in_pairs(pairs: Sequence[Pair], names: tuple[str, str]) -> Figure:
    """A column of two boards for each pair, a page wide.

    names -- what the matrices above and below are.
    """
    size = (style.PAGE - 0.45) / len(pairs) - BETWEEN
    wide, high = len(pairs) * (size + BETWEEN), 2 * size + BETWEEN
    figure = Figure(figsize=(wide, high))
    for column, (title, position, *matrices) in enumerate(pairs):
        for row, values in enumerate(matrices):
            place = (column * (size + BETWEEN) / wide, (1 - row) * (size + BETWEEN) / high)
            ax = figure.add_axes((*place, size / wide, size / high))
            draw_percent(ax, position, values)
            if row == 0:
                ax.set_title(title, pad=14)
            if column == 0:
                ax.set_ylabel(names[row])
    style.letters(*figure.axes[::2])
    return figure


def matrix(
    table: Entries, values: Sequence[float], some: Sequence[dict[str, Any]] | None = None
) -> list[list[float]]:
    """The values of a table's rows, one a cell, as the matrix that its columns `row` and `column`
    (from 0) describe; RecordError unless they fill a grid. some -- of its rows, these alone.
    """
    cells = [(row["row"], row["column"]) for row in (table if some is None else some)]
    found = dict(zip(cells, values, strict=True))
    rows = 1 + max((i for i, _ in cells), default=-1)
    columns = 1 + max((j for _, j in cells), default=-1)
    expected = {(i, j) for i in range(rows) for j in range(columns)}
    if not expected or len(found) < len(cells) or set(found) != expected:
        raise RecordError(
            f"{table.path}: the rows do not give each cell of a {rows}x{columns} grid once"
        )
    return [[found[i, j] for j in range(columns)] for i in range(rows)]
