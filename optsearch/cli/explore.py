"""The command that writes a page to walk decision trees on: explore."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from optsearch import explorer, solver
from optsearch import tree as tree_
from optsearch.cli.answers import print_json
from optsearch.cli.common import (
    BoardOption,
    GameArgument,
    JsonOption,
    ShotsOption,
    app,
    described,
    heading,
    out,
    read_position,
    require_writable,
    solving,
    title_of,
)
from optsearch.errors import OptsearchError
from optsearch.greedy import GreedySolver
from optsearch.journal import replace


@app.command(epilog="Example: optsearch explore 3x4:2 -o walk.html")
def explore(
    game: GameArgument,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The page to write.", show_default=False)
    ],
    shots: ShotsOption = "",
    board: BoardOption = None,
    tree: Annotated[
        list[Path] | None,
        typer.Option(
            help="File with one more tree of the same game and shots, as written by solve --tree; "
            "shown by its title. Can be given more than once.",
            show_default=False,
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Write a web page on which to walk an optimal and a greedy strategy shot by shot."""
    position = read_position(game, shots, board)
    explorer.require_small(position)
    require_writable(output)
    named: list[explorer.Named] = []
    for path in tree or []:
        loaded = tree_.load(path)
        explorer.require_same(position, str(path), loaded)
        title = title_of(loaded, path)
        taken = {"optimal", "greedy", *(name for name, _ in named)}
        named.append((f"{title} ({path.name})" if title in taken else title, loaded))
    with solving(str(position.game)) as progress:
        exact = solver.Solver(position, progress=progress)
        named.append(("optimal", exact.tree()))
        named.append(("greedy", GreedySolver(position, progress=progress).tree()))
        page = explorer.page(exact, named)
    try:
        replace(output, page)
    except OSError as error:
        raise OptsearchError(f"cannot write {str(output)!r}: {error.strerror}") from None
    if as_json:
        totals = [{"name": name, "total_height": walked.total_height} for name, walked in named]
        configurations = exact.solution.configurations
        print_json(
            {
                **described(position),
                "configurations": configurations,
                "trees": totals,
                "page": str(output),
            }
        )
        return
    out.print(heading(position), style="bold")
    facts = Table.grid(padding=(0, 2))
    for name, walked in named:
        mean = f"{walked.total_height}/{walked.configurations}"
        facts.add_row(name, f"{mean} = {float(walked.mean):.6f} shots on average")
    facts.add_row("page", str(output))
    out.print(facts)
