"""The command explore, which writes a page on which you walk decision trees."""

from __future__ import annotations

from pathlib import Path

from optsearch import tree as tree_
from optsearch.cli.answers import Answer
from optsearch.cli.app import app
from optsearch.cli.common import mean_text, read_position_and_prior, replacement_for
from optsearch.cli.options import OUTPUT, Form, Option, PosteriorOptions, Seconds
from optsearch.cli.progress import show_search_progress
from optsearch.counting.prior import Prior
from optsearch.game.position import Position
from optsearch.search import solver
from optsearch.show import explorer
from optsearch.support.decimals import mean_bracket_text
from optsearch.support.progress import Limit

OWN_NAMES = ("optimal", "best found", "greedy", "greedy, ties first")


@app.command(
    example="optsearch explore 3x4:2 -o walk.html",
    seconds=2,
    next_step="optsearch explore 3x4:2 -o walk.html --with-tree tree.json  # one more tree",
    fields="game position (prior prior_digest) configurations lower upper trees page",
    output=OUTPUT("The page to write."),
    with_tree=Option(
        "File with one more tree of the same game and shots, as written by solve --tree; shown by "
        "its title. Can be given more than once.",
        metavar="FILE",
    ),
    time_limit=Seconds(
        "Seconds to search. After that the page has the best strategy found by then, and brackets "
        "in place of optima that are not known. Half of the seconds are for the best strategy, a "
        "quarter for greedy, a quarter for the other numbers.",
    ),
)
def explore(
    start: PosteriorOptions,
    output: Path,
    with_tree: list[Path] | None = None,
    time_limit: float | None = None,
    form: Form = Form.TEXT,
) -> None:
    """Write a web page on which you walk an optimal and a greedy strategy shot by shot."""
    position, prior = read_position_and_prior(start)
    explorer.require_few_configurations(position, prior)
    named_trees = load_named_trees(with_tree or [], position, prior)
    with show_search_progress(str(position.game)) as progress:
        optimal_solver = solver.Solver(position, progress=progress, all_shots=True, prior=prior)
        solution = optimal_solver.search(None if time_limit is None else time_limit / 2)
        best_tree = optimal_solver.tree()
        greedy_name, greedy_tree = explorer.greedy_tree(position, prior, time_limit, progress)
        if greedy_tree.total_height < best_tree.total_height:
            best_tree = greedy_tree
        best_name = "optimal" if solution.is_exact else "best found"
        named_trees += [(best_name, best_tree), (greedy_name, greedy_tree)]
        upper = min(tree.total_height for _, tree in named_trees)
        limit = None if time_limit is None else Limit(time_limit / 4)
        page_text = explorer.page(optimal_solver, named_trees, limit)
    with replacement_for(output) as temporary_file:
        temporary_file.write_text(page_text, encoding="utf-8")
    configurations = solution.configurations
    trees = [{"name": name, "total_height": tree.total_height} for name, tree in named_trees]
    answer = Answer.about(
        position,
        prior,
        configurations=configurations,
        lower=solution.lower,
        upper=upper,
        trees=trees,
    )
    answer.set_rows(trees)
    for name, tree in named_trees:
        answer.add_fact(name, f"{mean_text(tree.total_height, configurations)} shots on average")
    if solution.total_height is None:
        answer.add_fact("optimum", mean_bracket_text(solution.lower or 0, upper, configurations))
    answer.add_fact("page", str(output), page=str(output))
    answer.print(form)


def load_named_trees(
    paths: list[Path], position: Position, prior: Prior | None
) -> list[explorer.NamedTree]:
    """Return the decision trees of files, each with a name: its title, or the name of its file.

    If another tree of the page has that name, the name of the file is added. Raises an error if a
    tree is of another position or prior.
    """
    named_trees: list[explorer.NamedTree] = []
    for path in paths:
        tree = tree_.load(path)
        explorer.require_tree_of_position(position, str(path), tree, prior)
        name = tree.title or path.stem
        names_taken = {*OWN_NAMES, *(name for name, _ in named_trees)}
        if name in names_taken:
            name = f"{name} ({path.name})"
        named_trees.append((name, tree))
    return named_trees
