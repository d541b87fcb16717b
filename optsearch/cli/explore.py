"""The command that writes a page to walk decision trees on: explore."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from optsearch import explorer, greedy, solver
from optsearch import tree as tree_
from optsearch.cli.common import (
    BoardOption,
    GameArgument,
    JsonOption,
    ShotsOption,
    app,
    described,
    heading,
    out,
    print_json,
    read_position,
    solving,
)
from optsearch.errors import OptsearchError
from optsearch.family import Family
from optsearch.position import HIT, MISS, Position, Reply
from optsearch.records import replace
from optsearch.tree import DecisionTree, Leaf, Node


@app.command()
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
            "can be given more than once.",
            show_default=False,
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Write a web page on which to walk an optimal and a greedy strategy shot by shot."""
    position = read_position(game, shots, board)
    explorer.require_small(position)
    named = [(str(path), tree_.load(path)) for path in tree or []]
    for name, loaded in named:
        explorer.require_same(position, name, loaded)
    with solving(str(position.game)) as progress:
        exact = solver.Solver(position, progress=progress)
        named.append(("optimal", exact.tree()))
        if (found := greedy_tree(position)) is not None:
            named.append(("greedy", found))
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


GREEDY_CONFIGURATIONS = 60  # what `optsearch.greedy` handles within seconds


def greedy_tree(position: Position) -> DecisionTree | None:
    """A best greedy strategy; None where `optsearch.greedy` does not find one."""
    if position.game.announce != "nothing":
        return None
    root = Family.of(position)
    if root.weight > GREEDY_CONFIGURATIONS:
        return None

    def parts(family: Family, bit: int) -> dict[Reply, Family]:
        pairs = list(zip(family.sets, family.weights, strict=True))
        split = {
            HIT: [(cells & ~bit, n) for cells, n in pairs if cells & bit],
            MISS: [(cells, n) for cells, n in pairs if not cells & bit],
        }
        return {
            reply: Family(family.game, tuple(s for s, _ in part), tuple(n for _, n in part))
            for reply, part in split.items()
            if part
        }

    def grown(family: Family) -> Node | Leaf:
        if family.hits == 0:
            return Leaf(family.weight)
        branches = {
            cell: parts(family, family.game.bit(cell)) for cell in greedy.best_shots(family)
        }
        cell = min(branches, key=lambda c: sum(map(greedy.best_total_height, branches[c].values())))
        return Node(cell, {reply: grown(part) for reply, part in branches[cell].items()})

    return DecisionTree(position, grown(root))
