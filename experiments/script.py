"""The command line of every experiment, its help, and the end of a run."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from optsearch.cli import forget_output
from optsearch.cli.common import expand_games
from optsearch.game import Game
from optsearch.results import tables as results
from optsearch.results.tables import Table, Tree
from optsearch.strategies import Strategy, named
from optsearch.support.datafiles import CHECKOUT, RESULTS
from optsearch.support.datafiles import typed_path as typed_path
from optsearch.support.decimals import time_text
from optsearch.support.errors import OptsearchError

SECONDS = 10  # between two lines that say how far a script is
CHECKPOINTS = CHECKOUT / ".checkpoints"
Row = TypeVar("Row", bound=tuple[object, ...])


def made_by(name: str) -> list[Table | Tree]:
    """List the tables and trees that an experiment makes."""
    everything: list[Table | Tree] = [*results.TABLES.values(), *results.TREES]
    return [table for table in everything if table.experiment == name]


def parser(doc: str | None, name: str) -> argparse.ArgumentParser:
    """A command line with the experiment's docstring as its help, and -o for the folder."""
    assert doc is not None
    tables = made_by(name)
    after = ""
    if tables:
        files = ", ".join(f"data/results/{table.file}" for table in tables)
        minutes = max(table.most_minutes for table in tables)
        after = f"It makes {files}; that takes about {time_text(60 * minutes)} on two cores."
    made_parser = argparse.ArgumentParser(
        prog=f"python -m experiments.{name}",
        description=doc.replace("%", "%%"),
        epilog=after,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    if tables:
        made_parser.add_argument(
            *("-o", "--output"),
            type=Path,
            default=RESULTS,
            metavar="FOLDER",
            help="where to write (default: data/results)",
        )
    return made_parser


def game(text: str) -> Game:
    """A game on a command line."""
    try:
        return Game.parse(text)
    except OptsearchError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


class Listed(argparse.Action):
    """Games on a command line, of which `-` reads a list from standard input and FILE from a file.

    parse -- what is made of the text of each.
    """

    def __init__(self, *arguments: Any, parse: Callable[[str], Any] = str, **options: Any):
        super().__init__(*arguments, **options)
        self.parse = parse

    def __call__(self, parser: Any, namespace: Any, values: Any, option: Any = None) -> None:
        """Put the list in its place."""
        try:
            setattr(namespace, self.dest, list(map(self.parse, expand_games(values or ()))))
        except OptsearchError as error:
            parser.error(str(error))


def strategy(text: str) -> Strategy:
    """A strategy on a command line."""
    try:
        return named(text)
    except OptsearchError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def memory(text: str) -> int:
    """GiB of memory on a command line, as bytes."""
    try:
        gibibytes = float(text)
    except ValueError:
        gibibytes = 0
    if not 0.01 <= gibibytes <= 65536:  # not a number is not, either
        raise argparse.ArgumentTypeError(f"{text!r}: GiB between 0.01 and 65536 are accepted")
    return int(gibibytes * 2**30)


def run(main: Callable[[], Any]) -> None:
    """Run a script and end the process: 0, 1 for a result that is wrong, 2 for bad input."""
    try:
        status = main()
        sys.stdout.flush()
        sys.exit(status)
    except BrokenPipeError:  # who reads has enough
        forget_output()
        sys.exit(1)
    except OptsearchError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)


class ProgressClock:
    """Says every ten seconds how far something is, and when it may end."""

    def __init__(self, title: str):
        self.title, self.before = title, -1
        self.started = self.reported_at = time.monotonic()

    def __call__(self, done: int, total: int) -> None:
        """Report that `done` of `total` are done."""
        now = time.monotonic()
        self.before = done - 1 if self.before < 0 else self.before
        if now - self.reported_at > SECONDS:
            self.reported_at = now
            left = (now - self.started) / (done - self.before) * (total - done)
            print(f"{self.title}: {done:,} of {total:,}, about {left:.0f} s more", flush=True)


def reported(rows: Iterable[Row], number: int) -> list[Row]:
    """Collect all rows; print each as it is computed, and the time left."""
    started, printed = time.monotonic(), []
    for row in rows:
        printed.append(row)
        print(*row, flush=True)
        left = time_text((time.monotonic() - started) * (number / len(printed) - 1))
        print(f"{len(printed)} of {number}, about {left} left", file=sys.stderr, flush=True)
    return printed


def digest_of_sources(*files: str) -> str:
    """A digest of sources, by their names wherever they lie: what a checkpoint was computed by."""
    digest = sha256()
    for file in files:
        (path,) = (
            path
            for room in ("cython_ext", "experiments", "optsearch")
            for path in (CHECKOUT / room).rglob(file)
        )
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
