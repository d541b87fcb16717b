"""The commands of decision trees: tree."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from optsearch import tree as tree_
from optsearch.cli.common import (
    JsonOption,
    app,
    described,
    heading,
    out,
    print_json,
    save_figure,
)


@app.command()
def tree(
    file: Annotated[Path, typer.Argument(help="A file written by solve --tree.")],
    verify: Annotated[
        bool,
        typer.Option(
            "--verify", help="Replay every configuration shot by shot and recount the total."
        ),
    ] = False,
    draw: Annotated[
        Path | None,
        typer.Option(help="Draw the tree to this file (pdf, svg or png).", show_default=False),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Print a decision tree; verify it; draw it."""
    loaded = tree_.load(file)
    verified = tree_.verify(loaded) if verify else None
    if draw is not None:
        draw_tree(loaded, draw)
    mean = f"{loaded.total_height}/{loaded.configurations}"
    if as_json:
        print_json(
            {
                **described(loaded.position),
                "total_height": loaded.total_height,
                "configurations": loaded.configurations,
                "mean": mean,
                "height": loaded.height,
                "leaves": loaded.leaves,
                "depths": {str(shots): n for shots, n in sorted(loaded.depths().items())},
                "verified": verified is not None,
            }
        )
        return
    if draw is None:
        typer.echo(loaded.text())
    out.print(f"\n{heading(loaded.position)}", style="bold")
    facts = Table.grid(padding=(0, 2))
    facts.add_row("mean shots", f"{mean} = {float(loaded.mean):.6f}")
    facts.add_row("worst case", f"{loaded.height} shots")
    facts.add_row(
        "distribution", ", ".join(f"{d}: {n:,}" for d, n in sorted(loaded.depths().items()))
    )
    if verified is not None:
        facts.add_row(
            "verified",
            f"every one of {loaded.configurations:,} configurations replayed, total {verified:,}",
        )
    if draw is not None:
        facts.add_row("drawing", str(draw))
    out.print(facts)


def draw_tree(tree: tree_.DecisionTree, path: Path) -> None:
    """Draw a tree to a file whose ending names the format."""
    # Imported here, because matplotlib takes longer to load than most commands take to run.
    from matplotlib.figure import Figure

    from optsearch import drawing

    figure = Figure(figsize=drawing.tree_figure_size(tree), layout="constrained")
    drawing.draw_tree(figure.add_subplot(), tree)
    save_figure(figure, path)
