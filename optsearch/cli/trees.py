"""The commands of decision trees: tree."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from optsearch import tree as tree_
from optsearch.cli.answers import print_json
from optsearch.cli.common import (
    FamilyOption,
    JsonOption,
    PriorOption,
    app,
    described,
    facts_table,
    heading,
    mean_fields,
    out,
    require_figure,
    require_writable,
    save_figure,
    title_of,
)
from optsearch.cli.families import game_of, show_tree
from optsearch.errors import OptsearchError
from optsearch.game import Cell, Game, Permutation
from optsearch.hiding import prior_of
from optsearch.hunt import is_hunt


@app.command(epilog="Example: optsearch tree tree.json --verify --draw tree.pdf")
def tree(
    file: Annotated[Path, typer.Argument(help="A file written by solve --tree.")],
    verify: Annotated[
        bool,
        typer.Option(
            "--verify", help="Replay every configuration shot by shot and recount the total."
        ),
    ] = False,
    prior: PriorOption = None,
    family: FamilyOption = None,
    draw: Annotated[
        Path | None,
        typer.Option(help="Draw the tree to this file (pdf, svg or png).", show_default=False),
    ] = None,
    boards: Annotated[
        bool, typer.Option("--boards", help="Draw each node as the board as it is then.")
    ] = False,
    beside: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Compare with this tree of the same position, and draw both side by side.",
            show_default=False,
        ),
    ] = None,
    dot: Annotated[
        Path | None,
        typer.Option(help="Write the tree for Graphviz to this file (dot).", show_default=False),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Print a decision tree; verify it; draw it; compare it with another."""
    if family is not None:
        drawing = {"draw": draw, "boards": boards, "beside": beside, "dot": dot}
        game_of("tree", family, None, prior=prior, **drawing)
        show_tree(file, family, verify, as_json)
        return
    if is_hunt(file):
        raise OptsearchError(f"{file} is a strategy of a family from a file; add --family FILE")
    if boards and draw is None:
        raise OptsearchError("--boards is for drawings; add --draw FILE")
    if dot is not None and dot.suffix.lower() not in (".dot", ".gv"):
        raise OptsearchError(f"cannot write {str(dot)!r}; use a name ending in .dot or .gv")
    require_figure(draw)
    require_writable(dot, parents=False)
    loaded = tree_.load(file)
    by = prior_of(prior, loaded.position.game)
    if by is not None:
        tree_.require_prior(loaded, by)
    other = None if beside is None else tree_.load(beside)
    symmetry = None
    if other is not None:
        other, symmetry = tree_.aligned(loaded, other)
    turned = "" if symmetry is None else turn_text(loaded.position.game, symmetry)
    parted = [] if other is None else tree_.differences(loaded, other)
    verified = tree_.verify(loaded, by) if verify else None
    if verify and other is not None:
        tree_.verify(other, by)
    if draw is not None:
        if other is None or beside is None:
            draw_tree(loaded, draw, boards)
        else:
            draw_trees(
                loaded,
                other,
                (title_of(loaded, file), f"{title_of(other, beside)}{turned and f', {turned}'}"),
                draw,
                boards,
            )
    if dot is not None:
        write_dot(loaded, dot)
    if as_json:
        print_json(
            {
                **described(loaded.position, by),
                **measures(loaded),
                "worst": loaded.worst,
                "leaves": loaded.leaves,
                "histogram": {str(shots): n for shots, n in sorted(loaded.histogram.items())},
                "verified": verified is not None,
                **({} if other is None else compared(other, parted, turned)),
            }
        )
        return
    if draw is None and dot is None:
        typer.echo(loaded.text())
    out.print(f"\n{heading(loaded.position)}", style="bold")
    facts = facts_table()
    if loaded.prior:
        facts.add_row("prior", loaded.prior if by is None else f"{by.name}, {by.digest}")
    facts.add_row("mean shots", mean_text(loaded))
    facts.add_row("worst case", f"{loaded.worst} shots")
    facts.add_row(
        "distribution", ", ".join(f"{d}: {n:,}" for d, n in sorted(loaded.histogram.items()))
    )
    if verified is not None:
        facts.add_row(
            "verified",
            f"every one of {loaded.configurations:,} configurations replayed, total {verified:,}"
            if by is None
            else f"every configuration replayed, weight {loaded.configurations:,}, "
            f"total {verified:,}",
        )
    if other is not None:
        facts.add_row("beside", f"{mean_text(other)} in {beside}{turned and f', {turned}'}")
        facts.add_row("they part", parting_text(parted))
    if draw is not None:
        facts.add_row("drawing", str(draw))
    if dot is not None:
        facts.add_row("dot", str(dot))
    out.print(facts)


def measures(tree: tree_.DecisionTree) -> dict[str, object]:
    """The total height and the mean of a tree for a JSON answer."""
    return {
        "total_height": tree.total_height,
        "configurations": tree.configurations,
        **mean_fields(tree.total_height, tree.configurations),
    }


def compared(
    other: tree_.DecisionTree, parted: list[tree_.Shots], turned: str
) -> dict[str, object]:
    """The other tree, how it was turned, and where the two part, for a JSON answer."""
    return {
        "beside": measures(other),
        "turned": turned or None,
        "differences": [" ".join(map(str, shots)) for shots in parted],
    }


def mean_text(tree: tree_.DecisionTree) -> str:
    """The mean unreduced, and as a decimal number."""
    return f"{tree.total_height}/{tree.configurations} = {float(tree.mean):.6f}"


TURNS = (
    "turned by half",
    "mirrored top to bottom",
    "mirrored left to right",
    "mirrored along the diagonal from A1",
    "mirrored along the other diagonal",
    "turned by a quarter to the right",
    "turned by a quarter to the left",
)


def turn_text(game: Game, permutation: Permutation) -> str:
    """A symmetry in words; of two names that are the same on a grid, the first."""
    rows, columns = game.rows, game.columns

    def images(row: int, column: int) -> tuple[Cell, ...]:
        """A cell after each of `TURNS`."""
        below, right = rows - 1 - row, columns - 1 - column
        return (
            *((below, right), (below, column), (row, right)),
            *((column, row), (right, below), (column, below), (right, row)),
        )

    cells = [game.cell(i) for i in range(game.cells)]
    image = [game.cell(i) for i in permutation]
    for k, name in enumerate(TURNS):
        if image == [images(*cell)[k] for cell in cells]:
            return name
    raise ValueError(f"{permutation} is no symmetry of {rows}x{columns}")


def parting_text(parted: list[tree_.Shots]) -> str:
    """Where two trees part, in words."""
    if not parted:
        return "nowhere"
    first = " ".join(map(str, parted[0]))
    if not first:
        return "at the root; no symmetry takes one first shot to the other"
    others = len(parted) - 1
    return f"after {first}" + (
        f", and in {others} other place{'s' * (others > 1)}" if others else ""
    )


def draw_tree(tree: tree_.DecisionTree, path: Path, boards: bool = False) -> None:
    """Draw a tree to a file whose ending names the format."""
    # Imported here, because matplotlib takes longer to load than most commands take to run.
    from matplotlib.figure import Figure

    from optsearch import drawing

    figure = Figure(figsize=drawing.tree_figure_size(tree, boards), layout="constrained")
    drawing.draw_tree(figure.add_subplot(), tree, boards)
    save_figure(figure, path)


def draw_trees(
    left: tree_.DecisionTree,
    right: tree_.DecisionTree,
    titles: tuple[str, str],
    path: Path,
    boards: bool,
) -> None:
    """Draw two trees side by side to a file whose ending names the format."""
    from matplotlib.figure import Figure

    from optsearch import drawing

    size = drawing.comparison_figure_size(left, right, boards)
    figure = Figure(figsize=size, layout="constrained")
    drawing.draw_comparison(figure.add_subplot(), left, right, titles, boards)
    save_figure(figure, path)


def write_dot(tree: tree_.DecisionTree, path: Path) -> None:
    """Write a tree in the DOT language."""
    try:
        path.write_text(tree.dot(), encoding="utf-8")
    except OSError as error:
        raise OptsearchError(f"cannot write {str(path)!r}: {error.strerror}") from None
