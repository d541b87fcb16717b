"""The command that looks for positions where greedy shooting is not optimal: counterexamples."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from optsearch import counterexamples as hunting
from optsearch import records
from optsearch import tree as tree_
from optsearch.cli.answers import print_json
from optsearch.cli.common import (
    JsonOption,
    advised,
    app,
    executor_of,
    facts_table,
    out,
    progress_bar,
    read_game,
    require_folder,
    require_writable,
)
from optsearch.counterexamples import Counterexample, Found, Scope
from optsearch.errors import OptsearchError
from optsearch.game import MAX_CELLS

SHORTEST = 2
SHOWN = 20  # rows of the table for people


class Contact(str, Enum):
    """May ships touch?"""

    NONE = "none"
    CORNER = "corner"
    ANY = "any"


@app.command(epilog="Example: optsearch counterexamples --max-cells 12")
def counterexamples(
    max_cells: Annotated[
        int | None,
        typer.Option(
            help="Every grid of so many cells at most.", min=1, max=MAX_CELLS, show_default=False
        ),
    ] = None,
    game: Annotated[
        list[str] | None,
        typer.Option(
            help="This game instead of all grids, for example '4x4:3,2;holes=A1'; may be given "
            "more than once.",
            show_default=False,
        ),
    ] = None,
    fleet: Annotated[
        list[str] | None,
        typer.Option(
            help="Only this fleet, for example 3,2; may be given more than once.",
            show_default=False,
        ),
    ] = None,
    contact: Annotated[Contact, typer.Option(help="May ships touch?")] = Contact.NONE,
    empty_only: Annotated[
        bool, typer.Option("--empty-only", help="Only empty boards, not every position.")
    ] = False,
    shortest: Annotated[
        int, typer.Option(help="The least length of a ship, unless --fleet is given.", min=1)
    ] = SHORTEST,
    jobs: Annotated[int, typer.Option(help="Processes that search.", min=1, max=256)] = 1,
    resume: Annotated[
        Path | None,
        typer.Option(
            help="Folder in which each finished game is kept: a run that was stopped goes on from "
            "it.",
            show_default=False,
        ),
    ] = None,
    trees: Annotated[
        Path | None,
        typer.Option(
            help="Write a best greedy and an optimal tree of each counterexample to this folder.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Write all of them to this CSV file.", show_default=False
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Positions where greedy is not optimal, the smallest first.

    Every position of every game in the range is decided, up to symmetries of the grid and shots
    that tell nothing; smaller means fewer cells, then fewer configurations, then fewer shots.
    """
    fleets = tuple(dict.fromkeys(map(hunting.parse_fleet, fleet or ())))
    if (max_cells is None) == (not game):
        raise OptsearchError("give one of --max-cells, for all grids, and --game, for one's own")
    if max_cells is None:
        if fleets or contact is not Contact.NONE or shortest != SHORTEST:
            raise OptsearchError(
                "--fleet, --contact and --shortest go with --max-cells; --game has them in its text"
            )
        scope = Scope.of(list(map(read_game, game or ())), empty_only)
    else:
        scope = Scope(max_cells, fleets, contact.value, empty_only, shortest)
    require_writable(output)
    require_folder(trees)
    with (
        advised("--resume", resume),
        progress_line() as progress,
        executor_of(jobs) as executor,
    ):
        found = hunting.hunt(
            scope, executor=executor, workers=jobs, folder=resume, progress=progress
        )
    if output is not None:
        write(found, output)
    if trees is not None:
        save_trees(found.counterexamples, trees)
    if as_json:
        print_json(found_fields(found))
    else:
        print_found(found)


@contextmanager
def progress_line() -> Iterator[Callable[[int, float, int], None]]:
    """A progress line on the terminal, when standard error is one."""
    started, first = time.perf_counter(), None
    with progress_bar() as bar:
        task = bar.add_task("counterexamples", total=1.0, note="listing games")

        def report(games: int, share: float, number: int) -> None:
            nonlocal first
            if first is None:
                first = games, share  # from an earlier run
            seconds = max(time.perf_counter() - started, 0.1)
            note = f"{games:,} games, {(games - first[0]) / seconds:,.1f}/s, {number:,} found"
            if first[1] < share < 1:
                rest = seconds * (1 - share) / (share - first[1])
                note += f", about {rest:,.0f} s to go"
            bar.update(task, completed=share, note=note)

        yield report


# Answers


def found_fields(found: Found) -> dict[str, Any]:
    """All that was found, as JSON."""
    return {
        **found.summary,
        "undecided": [str(game) for game in found.undecided],
        "fewest": {name: least.fields for name, least in found.least.items()},
        "counterexamples": [counterexample.fields for counterexample in found.counterexamples],
    }


def write(found: Found, path: Path) -> None:
    """Write all counterexamples and all undecided games to a CSV file."""
    records.write(
        path,
        hunting.COLUMNS,
        found.rows,
        title="Positions where the best greedy strategy is not optimal",
        command=f"optsearch counterexamples {' '.join(options_of(found.scope))}",
        fields=found.summary,
    )


def options_of(scope: Scope) -> list[str]:
    """The options of the command that searches a scope."""
    options = [f"--game '{game}'" for game in scope.own]
    if not scope.own:
        options = [f"--max-cells {scope.max_cells}"]
        options += [f"--fleet {','.join(map(str, fleet))}" for fleet in scope.fleets]
        options += [f"--contact {scope.contact}"]
    options += ["--empty-only"] * scope.empty_only
    return options + ([] if scope.own or scope.fleets else [f"--shortest {scope.shortest}"])


def save_trees(found: list[Counterexample], folder: Path) -> None:
    """Write two trees for each: NUMBER_greedy.json and NUMBER_optimal.json, numbered from 1."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OptsearchError(f"cannot make the folder {str(folder)!r}: {error.strerror}") from None
    for number, counterexample in enumerate(found, 1):
        greedy, optimal = hunting.trees(counterexample)
        tree_.save(replace(greedy, title="best greedy"), folder / f"{number}_greedy.json")
        tree_.save(replace(optimal, title="optimal"), folder / f"{number}_optimal.json")


def print_found(found: Found) -> None:
    """What was found, for people."""
    facts = facts_table()
    for name, value in found.summary.items():
        facts.add_row(name, f"{value:,}" if isinstance(value, int) else str(value))
    out.print(facts)
    if found.undecided:
        games = " ".join(map(str, found.undecided))
        out.print(f"\nundecided: {games}", soft_wrap=True)
    for name, counterexample in found.least.items():
        out.print(f"\nfewest {name}", style="bold")
        print_counterexample(counterexample)
    shown = found.counterexamples[:SHOWN]
    if shown:
        out.print("\nsmallest first: best greedy, optimum, configurations, position", style="bold")
    for case in shown:
        typer.echo(
            f"{case.best_greedy_total_height:6} {case.total_height:6} {case.configurations:5}  "
            f"{case.game}{f', {case.position}' if case.shots else ''}"
        )
    rest = len(found.counterexamples) - len(shown)
    if rest:
        out.print(f"and {rest:,} more: -o FILE.csv or --json lists all")


def print_counterexample(case: Counterexample) -> None:
    """One counterexample, with the shots."""
    number = case.configurations
    heading = f"{case.game}{f', {case.position}' if case.shots else ''}"
    out.print(f"{heading}: {case.game.cells} cells, {number} configurations, {case.shots} shots")
    facts = facts_table()
    for name, total, mask in (
        ("best greedy", case.best_greedy_total_height, case.greedy_cells),
        ("optimum", case.total_height, case.best_cells),
    ):
        cells = " ".join(case.game.names(mask))
        facts.add_row(f"  {name}", f"{total}/{number} = {total / number:.6f}", cells)
    out.print(facts)
