"""What all experiments share: the command line, its help, and how a run ends."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

from optsearch import results
from optsearch.cli import forget_output
from optsearch.datafiles import CHECKOUT, RESULTS
from optsearch.errors import OptsearchError
from optsearch.game import Game
from optsearch.results import Table, Tree, took
from optsearch.strategies import Strategy, named

CHECKPOINTS = CHECKOUT / ".checkpoints"
Row = TypeVar("Row", bound=tuple[object, ...])


def made_by(name: str) -> list[Table | Tree]:
    """What an experiment makes."""
    everything: list[Table | Tree] = [*results.TABLES, *results.TREES]
    return [table for table in everything if table.experiment == name]


def parser(doc: str | None, name: str) -> argparse.ArgumentParser:
    """A command line with the experiment's docstring as its help, and -o for the folder."""
    assert doc is not None
    made = made_by(name)
    after = ""
    if made:
        files = ", ".join(f"data/results/{table.file}" for table in made)
        minutes = max(table.minutes for table in made)
        after = f"It makes {files}; that takes about {took(minutes)} on two cores."
    made_parser = argparse.ArgumentParser(
        prog=f"python -m experiments.{name}",
        description=doc.replace("%", "%%"),
        epilog=after,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    if made:
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


def strategy(text: str) -> Strategy:
    """A strategy on a command line."""
    try:
        return named(text)
    except OptsearchError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


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


def counted(rows: Iterable[Row], number: int) -> list[Row]:
    """All rows as they are computed; each is printed, and the time that is left."""
    started, done = time.monotonic(), []
    for row in rows:
        done.append(row)
        print(*row, flush=True)
        left = (time.monotonic() - started) * (number / len(done) - 1) / 60
        print(f"{len(done)} of {number}, about {took(left)} left", file=sys.stderr, flush=True)
    return done


def shown(path: Path) -> str:
    """A path as the user would type it in the checkout."""
    return str(path.relative_to(CHECKOUT) if path.is_relative_to(CHECKOUT) else path)
