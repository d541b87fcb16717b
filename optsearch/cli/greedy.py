"""The command of greedy strategies: greedy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from optsearch import tree as tree_
from optsearch.cli.answers import Answer
from optsearch.cli.app import app
from optsearch.cli.arguments import Form
from optsearch.cli.common import (
    BoardOption,
    FamilyOption,
    FormOption,
    OptionalGame,
    PriorOption,
    ShotsOption,
    cell_names,
    counted_text,
    game_of,
    mean_fields,
    numbered,
    read_position,
    require_digest,
)
from optsearch.cli.families import greedy_family
from optsearch.cli.progress import solving
from optsearch.counting.prior import Prior, prior_of
from optsearch.search.greedy import RULES, GreedySolver, Parting
from optsearch.support.decimals import between
from optsearch.support.errors import OptsearchError
from optsearch.support.progress import Limit, LimitReached

SHOWN = 10  # partings, for people
HEADS = ("", "total height", "mean", "more", "worst case")


@app.command(
    example="optsearch greedy 4x5:4,3,2",
    takes=2,
    then="optsearch counterexamples --max-cells 12  # where greedy is not optimal",
    gives="game position (prior prior_digest) configurations total_height mean "
    "best_greedy_total_height worst_greedy_total_height greedy_shots best_shots rules "
    "partings",
    of_family="total_misses mean rules",
)
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
    form: FormOption = Form.TEXT,
) -> None:
    """What always shooting a most probable cell costs.

    And where it leaves the optimum.
    """
    beside = {"shots": shots, "board": board, "prior": prior, "optimal_tree": optimal_tree}
    played = game_of("greedy", family, game, **beside)
    if played is None:
        assert family is not None
        greedy_family(family, rule, tree, form)
        return
    position = read_position(played, shots, board)
    by = prior_of(prior, position.game)
    if rule not in RULES:
        raise OptsearchError(f"no greedy rule {rule!r}; there are {', '.join(RULES)}")
    require_digest(by, tree, optimal_tree)
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
    number = solver.configurations
    answer = Answer.about(
        position,
        by,
        configurations=number,
        total_height=optimum,
        **mean_fields(optimum, number),
        best_greedy_total_height=trees["best"].total_height,
        worst_greedy_total_height=trees["worst"].total_height if "worst" in trees else None,
    )
    for label, cells, none in (
        ("greedy shots", solver.greedy_shots, "none: only certain hits are left"),
        ("best shots", best, "none: every ship is sunk"),
    ):
        names = cell_names(cells)
        answer.fact(label, " ".join(names) or none, **{label.replace(" ", "_"): names})
    rows = []
    least = Fraction(optimum, number)
    for name, made in {"optimal": compared.optimal, **trees}.items():
        total = made.total_height
        more = f"+{total - optimum:,}" if total > optimum else ""
        label = f"greedy, {name}" if name in RULES else name
        mean = between(made.mean, "upper", least, least)
        rows.append((label, f"{total:,}", mean, more, f"{made.worst}"))
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column(overflow="fold")
    for name, *column in list(zip(HEADS, *rows, strict=True))[1:]:
        table.add_column(name, justify="right", min_width=max(map(len, column)))
    for row in rows:
        table.add_row(*row)
    rules = {
        name: {
            "total_height": made.total_height,
            **mean_fields(made.total_height, number),
            "worst": made.worst,
            "histogram": {str(shots): n for shots, n in made.histogram.items()},
        }
        for name, made in trees.items()
    }
    answer.show("", table, "", rules=rules)
    answer.table({"rule": name, **row} for name, row in rules.items())
    add_partings(answer, compared.partings, by)
    answer.print(form)


def add_partings(answer: Answer, partings: Sequence[Parting], prior: Prior | None) -> None:
    """Where the best greedy tree leaves the optimal one."""
    fields, texts = [], []
    for parting in partings:
        shots = " ".join(map(str, parting.shots))
        number, made, least = (
            parting.configurations,
            parting.best_greedy_total_height,
            parting.total_height,
        )
        greedy, best = cell_names(parting.best_greedy_shots), cell_names(parting.best_shots)
        fields.append(
            {
                "shots": shots,
                "configurations": number,
                "best_greedy_shots": greedy,
                "best_shots": best,
                "best_greedy_total_height": made,
                "total_height": least,
            }
        )
        text = (
            f"  {shots or 'at the first shot'}: of {counted_text(number, prior)}; greedy "
            f"{' '.join(greedy)} costs {made:,}, optimal {' '.join(best)} {least:,}"
        )
        texts.append((len(parting.shots), text))
    places = f"Best greedy leaves the optimum in {numbered(len(partings), 'place')}:"
    answer.show(places if partings else "Best greedy is optimal.", partings=fields)
    answer.table(fields, "partings")
    answer.show(*(text for _, text in sorted(texts, key=lambda said: said[0])[:SHOWN]))
    if len(partings) > SHOWN:
        answer.show(f"  and {len(partings) - SHOWN:,} more with later shots; --json has all")
