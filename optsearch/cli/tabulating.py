"""The command table, which makes a table of many games."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from math import inf

import click

from optsearch.cli.answers import Answer
from optsearch.cli.app import app
from optsearch.cli.common import align_columns, read_games, resumable_execution
from optsearch.cli.console import Interrupted
from optsearch.cli.latex import latex_table
from optsearch.cli.options import Argument, Form, Option, RunOptions, Seconds
from optsearch.cli.progress import show_progress
from optsearch.results.quantities import QUANTITIES
from optsearch.results.tabulate import COLUMNS, SECONDS, Sheet, TableStatus, Tabulation
from optsearch.results.tabulate import table as table_
from optsearch.support.errors import printable


class TableForm(str, Enum):
    """The form in which the table is printed."""

    TEXT = "text"
    CSV = "csv"
    JSON = "json"
    LATEX = "latex"


@app.command(
    example="optsearch table 3x4..4x5:3,2 --columns optimum,greedy,lower --format latex",
    seconds=4,
    next_step="optsearch solve 4x4:3,2  # the optimum of one of them, and its first shots",
    fields="columns time_limit is_all values",
    games=Argument(
        "Games such as 4x4:3,2, ranges of boards such as 4x4..6x6:3,2,contact=any, files with one "
        "game per line, and - for standard input.",
        metavar="GAMES",
    ),
    columns=Option(
        f"Names separated by commas: {', '.join(QUANTITIES)}, and strategies, such as greedy, "
        "rollout:endgame=4 or my_file.py:NAME."
    ),
    time_limit=Seconds("Seconds for each value; after that its entry is a bracket or —."),
    places=Option("Decimals of means.", min=0, max=12),
)
def table(
    games: list[str],
    *,
    columns: str = COLUMNS,
    time_limit: float | None = SECONDS,
    places: int = 4,
    run: RunOptions,
    form: TableForm = TableForm.TEXT,
) -> None:
    """A table of many games: optima, strategies and bounds, for a paper.

    Values that are stored in the package are marked; the command computes the rest.
    """
    with (
        resumable_execution(run) as execution,
        show_progress("table", progress_text) as progress,
    ):
        result = table_(
            read_games(games),
            columns,
            time_limit=inf if time_limit is None else time_limit,
            partial=True,
            execution=replace(execution, progress=progress),
        )
    sheet = result.sheet(places)
    answer = answer_of(result, time_limit, sheet)
    if form is TableForm.LATEX:
        signs = [[""] * len(sheet.head), *sheet.signs]
        click.echo(printable(latex_table([sheet.head, *sheet.rows], signs, sheet.below)))
    else:
        answer.print(Form(form.value))
    if result.is_interrupted:
        hint = f"; what is done is in {run.resume}, and the same command goes on from there"
        raise Interrupted(hint if run.resume else "")


def progress_text(status: TableStatus) -> str:
    """Return the text of a status of the table for the progress line."""
    step_text = f", {status.step}" if status.step else ""
    return f"{status.done:,.0f} of {status.total:,.0f} values{step_text}"


def answer_of(result: Tabulation, time_limit: float | None, sheet: Sheet) -> Answer:
    """Return the answer about a table: a line per game as text, an entry per value as JSON."""
    values = result.to_dicts()
    answer = Answer(
        columns=[column.name for column in result.columns],
        time_limit=time_limit,
        is_all=not result.is_interrupted,
    )
    answer.add(sheet_text(sheet), *sheet.below, values=values)
    answer.set_rows(values)
    return answer


def sheet_text(sheet: Sheet) -> str:
    """Format a table as text; each entry is followed by the sign of its note.

    The first column is aligned at the left, the others at the right.
    """
    widths = [max(map(len, column), default=0) for column in zip(*sheet.signs, strict=True)]
    rows = [
        [f"{text}{sign:<{width}}" for text, sign, width in zip(row, signs, widths, strict=True)]
        for row, signs in zip(sheet.rows, sheet.signs, strict=True)
    ]
    return align_columns([sheet.head, *rows], is_right_aligned=True)
