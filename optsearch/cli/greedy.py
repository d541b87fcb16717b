"""The command of greedy strategies: greedy."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from optsearch import tree as tree_
from optsearch.cli.answers import print_json
from optsearch.cli.common import (
    BoardOption,
    FamilyOption,
    JsonOption,
    OptionalGame,
    PriorOption,
    ShotsOption,
    app,
    counted_text,
    described,
    facts_table,
    heading,
    mean_fields,
    out,
    prior_row,
    read_position,
    require_writable,
    solving,
)
from optsearch.cli.families import game_of, greedy_family
from optsearch.errors import OptsearchError
from optsearch.game import Cell, cell_name
from optsearch.greedy import RULES, Comparison, GreedySolver
from optsearch.hiding import prior_of
from optsearch.prior import Prior
from optsearch.solution import Limit, LimitReached

SHOWN = 10  # partings, for people
HEADS = ("", "total height", "mean", "more", "worst case")


@app.command(epilog="Example: optsearch greedy 4x5:4,3,2")
def greedy(
    game: OptionalGame = None,
    family: FamilyOption = None,
    shots: ShotsOption = "",
    board: BoardOption = None,
    prior: PriorOption = None,
    rule: Annotated[
        str,
        typer.Option(
            help="Which greedy tree --tree writes: best or worst over all ties, or the tie broken "
            "by first, checkerboard, central, last or remainder."
        ),
    ] = "best",
    tree: Annotated[
        Path | None,
        typer.Option(
            help="Write the greedy tree to this file; that of best goes together with the one of "
            "--optimal-tree for as long as it can.",
            show_default=False,
        ),
    ] = None,
    optimal_tree: Annotated[
        Path | None,
        typer.Option(help="Write the optimal tree beside it to this file.", show_default=False),
    ] = None,
    patience: Annotated[
        float,
        typer.Option(
            help="Seconds for the worst greedy strategy, which takes long where ties are many; "
            "it is left out after that.",
            min=0,
        ),
    ] = 60,
    as_json: JsonOption = False,
) -> None:
    """What always shooting a most probable cell costs.

    And where it leaves the optimum.
    """
    beside = {"shots": shots, "board": board, "prior": prior, "optimal_tree": optimal_tree}
    played = game_of("greedy", family, game, **beside)
    if played is None:
        assert family is not None
        greedy_family(family, rule, tree, as_json)
        return
    position = read_position(played, shots, board)
    by = prior_of(prior, position.game)
    if rule not in RULES:
        raise OptsearchError(f"no greedy rule {rule!r}; there are {', '.join(RULES)}")
    require_writable(tree, optimal_tree)
    with solving(str(position.game)) as progress:
        solver = GreedySolver(position, progress=progress, prior=by)
        best = solver.best_shots
        optimum = solver.optimum()
        compared = solver.compare()
        trees = {"best": solver.tree()}
        try:
            patient = Limit(patience).watch(progress)
            trees["worst"] = GreedySolver(position, progress=patient, prior=by).tree("worst")
        except LimitReached:
            if rule == "worst":
                raise OptsearchError(
                    f"the worst greedy strategy was not known after --patience {patience:g} seconds"
                ) from None
        trees |= {name: solver.tree(name) for name in RULES[2:]}
    if tree is not None:
        chosen = compared.greedy if rule == "best" else trees[rule]
        title = f"{rule} greedy" if rule in RULES[:2] else f"greedy, ties {rule}"
        tree_.save(replace(chosen, title=title), tree)
    if optimal_tree is not None:
        tree_.save(replace(compared.optimal, title="optimal"), optimal_tree)
    if as_json:
        print_json(
            {
                **described(position, by),
                "configurations": solver.configurations,
                "total_height": optimum,
                **mean_fields(optimum, solver.configurations),
                "best_greedy_total_height": trees["best"].total_height,
                "worst_greedy_total_height": (
                    trees["worst"].total_height if "worst" in trees else None
                ),
                "greedy_shots": _names(solver.shots),
                "best_shots": _names(best),
                "rules": {
                    name: {
                        "total_height": made.total_height,
                        **mean_fields(made.total_height, solver.configurations),
                        "worst": made.worst,
                        "histogram": {str(shots): n for shots, n in made.histogram.items()},
                    }
                    for name, made in trees.items()
                },
                "partings": [
                    {
                        "shots": " ".join(map(str, parting.shots)),
                        "configurations": parting.configurations,
                        "best_greedy_shots": _names(parting.best_greedy_shots),
                        "best_shots": _names(parting.best_shots),
                        "best_greedy_total_height": parting.best_greedy_total_height,
                        "total_height": parting.total_height,
                    }
                    for parting in compared.partings
                ],
            }
        )
        return
    number = solver.configurations
    out.print(heading(position), style="bold")
    facts = facts_table()
    for fact in prior_row(by):
        facts.add_row(*fact)
    facts.add_row(
        "greedy shots", " ".join(_names(solver.shots)) or "none: only certain hits are left"
    )
    facts.add_row("best shots", " ".join(_names(best)) or "none: every ship is sunk")
    out.print(facts)
    rows = []
    for name, made in {"optimal": compared.optimal, **trees}.items():
        total = made.total_height
        more = f"+{total - optimum:,}" if total > optimum else ""
        label = f"greedy, {name}" if name in RULES else name
        rows.append((label, f"{total:,}", f"{total / number:.6f}", more, f"{made.worst}"))
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column(overflow="fold")
    for name, *column in list(zip(HEADS, *rows, strict=True))[1:]:
        table.add_column(name, justify="right", min_width=max(map(len, column)))
    for row in rows:
        table.add_row(*row)
    out.print()
    out.print(table)
    out.print()
    _print_partings(compared, by)


def _print_partings(compared: Comparison, prior: Prior | None) -> None:
    """Where the best greedy tree leaves the optimal one, in words."""
    partings = compared.partings
    if not partings:
        out.print("Best greedy is optimal.")
        return
    places = f"{len(partings):,} place{'' if len(partings) == 1 else 's'}"
    out.print(f"Best greedy leaves the optimum in {places}:")
    for parting in sorted(partings, key=lambda p: len(p.shots))[:SHOWN]:
        place = " ".join(map(str, parting.shots)) or "at the first shot"
        out.print(
            f"  {place}: of {counted_text(parting.configurations, prior)}; greedy "
            f"{' '.join(_names(parting.best_greedy_shots))} costs "
            f"{parting.best_greedy_total_height:,}, optimal "
            f"{' '.join(_names(parting.best_shots))} {parting.total_height:,}",
            soft_wrap=True,
        )
    if len(partings) > SHOWN:
        out.print(f"  and {len(partings) - SHOWN:,} more with later shots; --json has all")


def _names(cells: tuple[Cell, ...]) -> list[str]:
    return [cell_name(cell) for cell in cells]
