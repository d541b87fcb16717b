"""The register of figures, with the name, sources and function of each; and the command line.

    @figure((OCCURRENCE, "10x10"))
    def figure2(source: Path) -> Figure: …

makes `python -m paper_figures figure2` draw that table. A figure reads tables and computes nothing.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from matplotlib.figure import Figure

from optsearch.results.tables import Table, Tree
from optsearch.support.datafiles import DATA, typed_path
from optsearch.support.errors import OptsearchError
from paper_figures.style import OUTPUT, save

MODULES = ("paper", "bounds", "games", "hider", "players")  # in the order of the gallery


@dataclass(frozen=True)
class Published:
    """A tree or a table among the published data."""

    name: str
    kind: str = "json"

    @property
    def file(self) -> str:
        """Return its path below `data`."""
        return f"published/{self.name}.{self.kind}"

    @property
    def command(self) -> str:
        """Return the command that restores it."""
        return f"git checkout -- data/{self.file}"


Source = Table | Tree | Published | tuple[Table, str]
"""A source of a figure; a tuple is a table of a kind that has several, with its name."""


@dataclass(frozen=True)
class PaperFigure:
    """A figure of the paper, or one of ours.

    name -- of the files to write. sources -- the path of each source below `data`, with the command
    that makes it. draw -- takes the paths of all sources in this order, and returns the figure.
    """

    name: str
    sources: dict[str, str]
    draw: Callable[..., Figure]

    @property
    def redraw(self) -> str:
        """Return the command that draws it."""
        return f"python -m paper_figures {self.name}"

    @property
    def origin(self) -> str:
        """Return a sentence in Markdown with the commands that draw it and make its sources."""
        sources = [f"`data/{path}` (`{command}`)" for path, command in self.sources.items()]
        return f"Drawn by `{self.redraw}` from {', '.join(sources) or 'no table'}."


_FIGURES: dict[str, PaperFigure] = {}


def figure(*sources: Source) -> Callable[[Callable[..., Figure]], Callable[..., Figure]]:
    """Return a decorator that registers a function as the figure of its name.

    The function draws the figure; it is called with the path of each source.
    """

    def register(draw: Callable[..., Figure]) -> Callable[..., Figure]:
        command_by_path = dict(map(_path_and_command, sources))
        _FIGURES[draw.__name__] = PaperFigure(draw.__name__, command_by_path, draw)
        return draw

    return register


def _path_and_command(source: Source) -> tuple[str, str]:
    """Return the path of a source below `data`, and the command that makes it."""
    if isinstance(source, Published):
        return source.file, source.command
    table, name = source if isinstance(source, tuple) else (source, "")
    return f"results/{table.file.format(name=name)}", table.command.format(name=name)


def figures() -> list[PaperFigure]:
    """List all figures, the paper's first."""
    # Importing a module registers its figures.
    modules = [import_module(f"paper_figures.{module}").__name__ for module in MODULES]
    return sorted(_FIGURES.values(), key=lambda figure: modules.index(figure.draw.__module__))


def digest(paths: Sequence[Path]) -> str:
    """Return the digest of some files in this order; the files of a figure have it as `Source`."""
    hasher = hashlib.sha256()
    for path in paths:
        hasher.update(hashlib.sha256(path.read_bytes()).digest())
    return hasher.hexdigest()


def make(figure: PaperFigure, data: Path = DATA, output: Path = OUTPUT) -> bool:
    """Draw a figure from the sources in a folder, and write its files to another; True if drawn.

    The paths of the files are printed; or else the reason why not, on standard error.
    """
    sources = [data / path for path in figure.sources]
    for source, command in zip(sources, figure.sources.values(), strict=True):
        if not source.is_file():
            message = f"{typed_path(source)} is missing; make it with: {command}"
            print(f"{figure.name}: {message}", file=sys.stderr)
            return False
    try:
        paths = save(figure.draw(*sources), figure.name, output, {"Source": digest(sources)})
    except (OptsearchError, OSError) as error:
        print(f"{figure.name}: {error}", file=sys.stderr)
        return False
    print(f"{figure.name}: {' '.join(map(typed_path, paths))}")
    return True


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0, or 1 if a figure was not drawn. A wrong name exits with 2."""
    by_name = {figure.name: figure for figure in figures()}
    parser = argparse.ArgumentParser(
        prog="python -m paper_figures",
        description="Draw figures from the tables of results, as PDF, PNG and SVG.",
        epilog=f"The figures: {', '.join(by_name)}.",
    )
    parser.add_argument("name", nargs="*", help="figures to draw (default: all)")
    parser.add_argument(
        "--data", type=Path, default=DATA, help="folder with results/ and published/"
    )
    parser.add_argument("-o", "--output", type=Path, default=OUTPUT, help="folder to write to")
    options = parser.parse_args(arguments)
    for name in options.name:
        if name not in by_name:
            parser.error(f"there is no figure {name!r}; there are: {', '.join(by_name)}")
    chosen = [by_name[name] for name in options.name or by_name]
    drawn = [make(figure, options.data, options.output) for figure in chosen]
    return 0 if all(drawn) else 1


CAPTIONS = Path(__file__).with_name("captions.md")


def captions() -> dict[str, str]:
    """Map the name of each figure to its caption: Markdown, whose first sentence is a title."""
    text = CAPTIONS.read_text(encoding="utf-8")
    # After the head, names and texts take turns.
    _, *sections = re.split(r"^## (\S+)\n", text, flags=re.MULTILINE)
    names, texts = sections[::2], sections[1::2]
    return {name: " ".join(text.split()) for name, text in zip(names, texts, strict=True)}
