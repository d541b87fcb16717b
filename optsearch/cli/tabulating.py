"""The command that makes a table of many games: table."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Any

import typer

from optsearch.cli.answers import Answer
from optsearch.cli.app import app
from optsearch.cli.common import advised, columns, executor_at, read_games
from optsearch.cli.console import Interrupted
from optsearch.cli.latex import latex_table
from optsearch.cli.options import Argument, Form, Option
from optsearch.cli.progress import telling
from optsearch.game import Game
from optsearch.results.quantities import QUANTITIES, SHIPPED, TIME, Quantity, Value
from optsearch.results.tabulate import SECONDS, TableStatus, Tabulation, tabulate
from optsearch.support.decimals import decimal
from optsearch.support.errors import printable


class TableForm(str, Enum):
    """How a table is printed."""

    TEXT = "text"
    CSV = "csv"
    JSON = "json"
    LATEX = "latex"


SIGNS = "†‡§¶‖"
DEFAULT = "configurations,optimum,greedy,lower"


@app.command(
    example="optsearch table 3x4..4x5:3,2 --columns optimum,greedy,lower --format latex",
    takes=4,
    then="optsearch solve 4x4:3,2  # the optimum of one of them, and its first shots",
    gives="columns time_limit is_all values",
    games=Argument(
        "Games such as 4x4:3,2, ranges of boards such as 4x4..6x6:3,2,contact=any, files with one "
        "game per line, and - for standard input.",
        metavar="GAMES",
    ),
    columns=Option(
        f"Names separated by commas: {', '.join(QUANTITIES)}, and strategies, such as greedy, "
        "rollout:endgame=4 or my_file.py:NAME."
    ),
    time_limit=Option("Seconds for each value; after that its entry is a bracket or —.", min=0.01),
    places=Option("Decimals of means.", min=0, max=12),
)
def table(
    games: list[str],
    columns: str = DEFAULT,
    time_limit: float = SECONDS,
    places: int = 4,
    jobs: int | None = None,
    resume: Path | None = None,
    dask: str | None = None,
    form: TableForm = TableForm.TEXT,
) -> None:
    """A table of many games: optima, strategies and bounds, for a paper.

    Values that ship with the package are marked; the command computes the rest.
    """
    names = split(columns)
    with (
        advised("--resume", resume),
        executor_at(dask, jobs) as (executor, workers),
        telling("table", how_far) as progress,
    ):
        found = tabulate(
            read_games(games),
            names,
            seconds=time_limit,
            executor=executor,
            jobs=workers,
            folder=resume,
            progress=progress,
            is_partial=True,
        )
    sheet = sheet_of(found, places)
    answer = answer_of(found, time_limit, sheet)
    if form is TableForm.LATEX:
        typer.echo(sheet.latex(), nl=False)
    else:
        answer.print(Form(form.value))
    if found.is_interrupted:
        kept = f"; what is done is in {resume}, and the same command goes on from there"
        raise Interrupted(kept if resume else "")


def how_far(status: TableStatus) -> str:
    """How far a table is."""
    last = f", {status.what}" if status.what else ""
    return f"{status.done:,.0f} of {status.total:,.0f} values{last}"


def split(columns: str) -> list[str]:
    """Names between commas; a part such as endgame=4 belongs to the strategy before it."""
    names: list[str] = []
    for part in columns.split(","):
        if names and re.match(r"\w+=", part.strip()) and ":" in names[-1]:
            names[-1] += f",{part.strip()}"
        else:
            names.append(part.strip())
    return names


def answer_of(found: Tabulation, time_limit: float, sheet: Sheet) -> Answer:
    """A row a value for programs, a row a game for people."""
    values = [
        fields_of(game, column, found.row(game)[column.name])
        for game in found.games
        for column in found.columns
        if column.name != TIME
    ]
    answer = Answer(
        columns=[column.name for column in found.columns],
        time_limit=time_limit,
        is_all=not found.is_interrupted,
    )
    answer.show(sheet.text(), *sheet.below, values=values)
    answer.table(values)
    return answer


@dataclass(frozen=True)
class Sheet:
    """A table as people read it.

    head -- the names of its columns. rows -- the texts of each. signs -- of notes, beside each
    text, or empty; notes -- by sign, what is said below.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    signs: Sequence[Sequence[str]]
    notes: Mapping[str, str]

    @property
    def below(self) -> list[str]:
        """The lines below the table."""
        return [f"{sign} {note}" for sign, note in self.notes.items()]

    def text(self) -> str:
        """For people: the first column to the left, others to the right, signs behind."""
        widths = [max(map(len, column), default=0) for column in zip(*self.signs, strict=True)]
        rows = [
            [f"{text}{sign:<{width}}" for text, sign, width in zip(row, signs, widths, strict=True)]
            for row, signs in zip(self.rows, self.signs, strict=True)
        ]
        return columns([self.head, *rows], True)

    def latex(self) -> str:
        """As a tabular of LaTeX."""
        signs = [[""] * len(self.head), *self.signs]
        return printable(f"{latex_table([self.head, *self.rows], signs, self.below)}\n")


def fields_of(game: Game, column: Quantity, value: Value) -> dict[str, Any]:
    """A value for programs."""
    exact, ends = value.exact, [end for end in (value.lower, value.upper) if end is not None]
    number = Fraction if column.is_mean else int
    return {
        "game": str(game),
        "column": column.name,
        "value": None if exact is None else number(exact),
        "value_exact": None if exact is None else value.text(exact),
        "bracket": list(map(number, ends)) or None,
        "bracket_exact": list(map(value.text, ends)) or None,
        "source": value.source or None,
        "by": "; ".join(filter(None, (value.by, value.upper_by))) or None,
        "note": value.note or None,
        "seconds": round(value.seconds, 6),
    }


def sheet_of(found: Tabulation, places: int) -> Sheet:
    """A row a game; what ships and what is not known has a sign, which is explained below."""
    signs: dict[str, str] = {}
    texts, marks = [], []
    for game in found.games:
        row = found.row(game)
        optimum = row["optimum"].exact if "optimum" in row else None
        texts.append(
            [str(game), *(text_of(one, row[one.name], optimum, places) for one in found.columns)]
        )
        marks.append([""])
        for column in found.columns:
            note = note_of(row[column.name])
            if note:
                number = len(signs)
                sign = SIGNS[number % len(SIGNS)] * (1 + number // len(SIGNS))
                signs.setdefault(note, sign)
            marks[-1].append(signs.get(note, ""))
    names = [one.name for one in found.columns]
    head = [name.replace("_", " ") if name in QUANTITIES else name for name in names]
    return Sheet(["game", *head], texts, marks, {sign: note for note, sign in signs.items()})


_PARAMETERS = re.compile(r"\b(\w+):\w+=[\w=,]*\w")  # of a strategy
_NAME = r"\1"


def note_of(value: Value) -> str:
    """What is said of a value below the table; empty for one that was computed."""
    if value.source == SHIPPED:
        by = "; ".join(filter(None, (value.by, value.upper_by)))
        return f"ships with the package: {_PARAMETERS.sub(_NAME, by)}"
    return value.note


def text_of(column: Quantity, value: Value, optimum: Fraction | None, places: int) -> str:
    """A value as people read it: to the nearest digit, and a bound outward.

    optimum -- of the same game, if it is known: a bound that meets it reads the same.
    """
    if column.name == TIME:
        return f"{float(value.lower or 0):.1f}"
    lower, upper = value.lower, value.upper
    if lower is None or upper is None:
        return "—"
    if not column.is_mean:
        return f"{int(lower):,}" if lower == upper else f"[{int(lower):,}, {int(upper):,}]"
    low, high = (
        decimal(end, "exact" if end == optimum else side, places)
        for end, side in ((lower, "lower"), (upper, "upper"))
    )
    if lower < upper:
        return f"[{low}, {high}]"
    return {"lower": low, "upper": high}.get(column.name) or decimal(lower, places=places)
