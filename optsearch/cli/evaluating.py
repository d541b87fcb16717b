"""The command that evaluates strategies: evaluate."""

from __future__ import annotations

import shlex
import sys
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from optsearch import records
from optsearch.cli.common import GameArgument, JsonOption, app, counted_text, err, out, print_json
from optsearch.evaluate import Evaluation, Progress, Status
from optsearch.evaluate import evaluate as evaluate_
from optsearch.game import Game
from optsearch.strategies import named

SECONDS = 10  # between lines of progress where standard error is no terminal


@app.command()
def evaluate(
    strategy: Annotated[
        str,
        typer.Argument(
            metavar="STRATEGY",
            help="greedy, rollout, or my_file.py:NAME; parameters as in greedy:ties=central.",
            show_default=False,
        ),
    ],
    game: GameArgument,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, help="Processes (default: one a processor).", show_default=False),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(
            help="Folder that keeps what is done; the same command goes on from there.",
            show_default=False,
        ),
    ] = None,
    memory: Annotated[float, typer.Option(min=0, help="GiB that each process may take.")] = 4,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the distribution to this file (CSV)."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """The exact distribution of a strategy's shots over all configurations of a game."""
    chosen, parsed = named(strategy), Game.parse(game)
    found = evaluate_(
        chosen,
        parsed,
        jobs=jobs,
        checkpoint=resume,
        memory=int(memory * 2**30),
        progress=report_progress(),
    )
    if err.is_terminal:
        err.print()
    if output is not None:
        save(found, output, shlex.join(["optsearch", *sys.argv[1:]]))
    if as_json:
        print_json(found.as_json())
        return
    out.print(f"{found.game}, {found.strategy}", style="bold")
    facts = Table.grid(padding=(0, 2))
    facts.add_row("configurations", f"{found.configurations:,}")
    facts.add_row("total", f"{found.total:,}")
    facts.add_row("mean shots", f"{float(found.mean):.6f}")
    facts.add_row("sd", f"{found.sd:.4f}")
    facts.add_row("worst case", f"{found.worst} shots")
    facts.add_row("seconds", f"{found.seconds:,.1f}")
    if found.resumed:
        facts.add_row("resumed", f"{found.resumed:,} of {found.tasks:,} tasks were done before")
    if output is not None:
        facts.add_row("written", str(output))
    out.print(facts)


def save(found: Evaluation, path: Path, command: str) -> None:
    """Write an evaluation as a table of results."""
    records.write(
        path,
        ("shots", "configurations"),
        list(found.histogram.items()),
        title=f"Shots of {found.strategy} on {found.game}, over every configuration",
        command=command,
        fields={
            "strategy": found.strategy,
            "game": found.game,
            "configurations": found.configurations,
            "total": found.total,
            "mean": f"{float(found.mean):.6f}",
            "sd": f"{found.sd:.6f}",
            "worst": found.worst,
            "seconds": f"{found.seconds:.1f}",
        },
    )


def report_progress() -> Progress:
    """Progress on standard error: one line that is rewritten, or a line now and then."""
    last = -1e9

    def report(status: Status) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < (0.2 if err.is_terminal else SECONDS):
            return
        last = now
        togo = status.seconds_to_go
        line = (
            f"{status.done / status.total:6.1%} of {counted_text(status.total)}, "
            f"{status.rate:,.0f} a second, mean so far {status.mean:.4f}"
            + ("" if togo is None else f", about {togo:,.0f} s to go")
        )
        if err.is_terminal:
            sys.stderr.write(f"\r\x1b[K{line}")
            sys.stderr.flush()
        elif status.done:
            print(line, file=sys.stderr, flush=True)

    return report
