"""Declarations of options and arguments; those that several commands have are in `SHARED`.

A command is a function, and each of its parameters is an option or argument of the same name. The
decorator of the command has its declaration, or else `SHARED`. If the type of a parameter is a
dataclass, each of its fields is an option.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import partial
from pathlib import Path
from typing import NamedTuple


class Form(str, Enum):
    """The form of an answer."""

    TEXT = "text"
    CSV = "csv"
    JSON = "json"


@dataclass(frozen=True)
class PositionOptions:
    """The game of a command, and the shots made so far, as text or as a drawn board."""

    game: str
    shots: str = ""
    board: Path | None = None
    marks: str = ""


@dataclass(frozen=True)
class PosteriorOptions(PositionOptions):
    """The game, the shots made so far, and a prior on the configurations."""

    prior: str | None = None


@dataclass(frozen=True)
class NoiseOptions:
    """The false replies: their probabilities, or their greatest number."""

    false_hits: str | None = None
    false_misses: str | None = None
    lies: int | None = None


@dataclass(frozen=True)
class KnowledgeOptions(NoiseOptions):
    """The false replies, and the answers to questions that are known."""

    know: list[str] | None = None


@dataclass(frozen=True)
class ReplyOptions(NoiseOptions):
    """The false replies, and the number of shots that are chosen before their replies."""

    salvo: str = "1"


@dataclass(frozen=True)
class WorkerOptions:
    """The number of processes that compute, or the address of a Dask cluster."""

    jobs: int | None = None
    dask: str | None = None


@dataclass(frozen=True)
class RunOptions:
    """The processes or the cluster that compute, and the folder that keeps finished work."""

    jobs: int | None = None
    resume: Path | None = None
    dask: str | None = None


class Option(NamedTuple):
    """The declaration of an option or an argument of a command.

    flags -- its flags, separated by blanks (default: -- and the name of the parameter). min, max --
    the range of a number.

    writes -- if the value names a file to write, its endings, as in ".gif .html", or `ANY`;
    `FOLDER` if it names a folder to write to. is_seconds -- the value is a time limit; a limit
    above `support.progress.FOREVER` counts as none.
    """

    help: str
    flags: str = ""
    metavar: str | None = None
    min: float | None = None
    max: float | None = None
    writes: str = ""
    is_argument: bool = False
    is_seconds: bool = False

    def flags_of(self, parameter: str) -> list[str]:
        """Return the flags of the option for a parameter of this name."""
        return self.flags.split() or [f"--{parameter.replace('_', '-')}"]


Argument = partial(Option, is_argument=True)
Seconds = partial(Option, min=0.01, is_seconds=True)
ANY, FOLDER, FIGURE = "any", "folder", ".pdf .svg .png"

SEARCH_JOBS = Option("Processes that search (default: 1).", min=1, max=256)
OUTPUT = partial(Option, flags="--output -o", writes=ANY)

SHARED = {
    "game": Argument(
        "For example 10x10:5,4,3,3,2 or 4x4:3,2,contact=any (rows x columns : ship lengths); "
        "FILE:5,4,3 takes the board from a drawing, . a cell and - a hole. "
        "Other boards, as with board=torus or of a file of your own: see Boards in the "
        "documentation.",
        metavar="GAME",
    ),
    "shots": Option("Shots made so far, for example 'B3=hit A1=miss'."),
    "board": Option(
        "File with a drawn board instead: one line per row of . not shot, X hit, o miss."
    ),
    "marks": Option("What the signs of another tool mean, as in hmd-=xo●.", metavar="SIGNS=SIGNS"),
    "prior": Option(
        "How likely each configuration is, if they are not all equally likely: FILE.csv with "
        "weights of placements, cells or configurations, FILE.py:NAME, or one-by-one "
        "(see Priors in the documentation).",
        metavar="PRIOR",
    ),
    "know": Option(
        "An answer that is known, such as 'row 3: 2' or FILE.py:NAME=yes; may be repeated (see "
        "Questions in the documentation).",
        metavar="ANSWER",
    ),
    "false_hits": Option(
        "Replies may be false: the probability that a shot at water is answered with hit, "
        "as in 0.05 (see False replies in the documentation).",
        metavar="P",
    ),
    "false_misses": Option(
        "The probability that a shot at a ship is answered with miss.", metavar="Q"
    ),
    "lies": Option(
        "Replies may be false: at most this many of all replies, whichever they are.",
        metavar="K",
        min=0,
        max=4,
    ),
    "salvo": Option(
        "How many cells to choose together, before hearing their replies; afloat for as many as "
        "ships are afloat.",
        metavar="K",
    ),
    "time_limit": Seconds("Stop after this many seconds and print the bracket proved by then."),
    "jobs": Option("Processes (default: one per processor).", min=1, max=256),
    "resume": Option(
        "Folder that keeps finished work; the same command goes on from there.", writes=FOLDER
    ),
    "dask": Option(
        "Run on the workers of a Dask scheduler, such as tcp://host:8786, instead.",
        metavar="ADDRESS",
    ),
    "within": Option(
        "Also print the share of games that end within this many shots.",
        metavar="K",
        min=0,
        max=9999,
    ),
    "memory": Option("GiB that each process may take.", min=0, max=65536),
    "form": Option("Form of the answer; csv is its table alone.", flags="--format"),
    "json": Option("Short for --format json."),
    "quiet": Option("Show no progress."),
}
