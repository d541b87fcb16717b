"""The commands of decision trees: tree."""

from __future__ import annotations

from pathlib import Path

from optsearch import tree as tree_
from optsearch.check.trees import require_prior
from optsearch.cli.answers import Answer
from optsearch.cli.app import app
from optsearch.cli.common import (
    described,
    mean_fields,
    mean_text,
    new_figure,
    prior_text,
    require_digest,
    require_game,
    save_figure,
)
from optsearch.cli.options import FIGURE, Argument, Form, Option
from optsearch.counting.prior import Prior, prior_of
from optsearch.search.identify import is_identification
from optsearch.support.errors import OptsearchError


@app.command(
    example="optsearch tree tree.json --figure tree.pdf",
    takes=4,
    then="optsearch explore 4x5:2,3,4 -o walk.html --with-tree tree.json  # walk it",
    gives="game position (prior prior_digest) total_height configurations mean worst leaves "
    "histogram",
    file=Argument("A file written by solve --tree.", metavar="FILE"),
    game=Argument("The file of the family, if FILE is a tree of one.", metavar="GAME"),
    figure=Option("Draw the tree to this file (pdf, svg or png).", writes=FIGURE),
    draw_boards=Option("Draw each node as the board at that moment."),
)
def tree(
    file: Path,
    game: str | None = None,
    prior: str | None = None,
    figure: Path | None = None,
    draw_boards: bool = False,
    form: Form = Form.TEXT,
) -> None:
    """Print a decision tree; draw it."""
    if draw_boards and figure is None:
        raise OptsearchError("--draw-boards is for drawings; add --figure FILE")
    if is_identification(file):
        raise OptsearchError(
            f"{file} is a strategy for a family of sets; name its file, too, as in optsearch tree "
            f"{file} sets.csv"
        )
    loaded, by = read_tree(file, game, prior)
    if figure is not None:
        draw_tree(loaded, figure, draw_boards)
    number = loaded.configurations
    answer = Answer(**described(loaded.position, by))
    if not figure:
        answer.show(loaded.text)
    answer.head(f"\n{loaded.position.title}")
    answer.fact("prior", prior_text(by) or loaded.prior or None)
    answer.fact("mean shots", mean_text(loaded.total_height, number), **measures(loaded))
    answer.fact("worst case", f"{loaded.worst} shots", worst=loaded.worst, leaves=loaded.leaves)
    histogram = {str(shots): n for shots, n in sorted(loaded.histogram.items())}
    distribution = ", ".join(f"{shots}: {n:,}" for shots, n in histogram.items())
    answer.fact("distribution", distribution, histogram=histogram)
    answer.table({"shots": shots, "configurations": n} for shots, n in histogram.items())
    answer.fact("drawing", str(figure) if figure else None)
    answer.print(form)


def read_tree(
    file: Path, game: str | None, prior: str | None
) -> tuple[tree_.DecisionTree, Prior | None]:
    """The tree of a file and its prior, those that are named beside it."""
    loaded = tree_.load(file)
    require_game(file, loaded.position, game)
    by = prior_of(prior, loaded.position.game)
    if by is not None:
        require_digest(by, file)
        require_prior(loaded, by)
    return loaded, by


def measures(tree: tree_.DecisionTree) -> dict[str, object]:
    """The total height and the mean of a tree for a JSON answer."""
    return {
        "total_height": tree.total_height,
        "configurations": tree.configurations,
        **mean_fields(tree.total_height, tree.configurations),
    }


def draw_tree(tree: tree_.DecisionTree, path: Path, boards: bool = False) -> None:
    """Draw a tree to a file whose ending names the format."""
    from optsearch.drawing.trees import draw_tree, tree_figure_size

    figure = new_figure(*tree_figure_size(tree, boards), layout="constrained")
    draw_tree(figure.add_subplot(), tree, boards)
    save_figure(figure, path)
