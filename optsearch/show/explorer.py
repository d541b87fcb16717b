"""One HTML page on which a person walks decision trees shot by shot.

The page is a single file that needs no network: the template `explorer.html` with the data below in
it. It counts probabilities itself, over the configurations in the data; the totals of each node are
computed here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from optsearch.check.trees import verify
from optsearch.counting.configurations import list_ships, to_masks
from optsearch.counting.family import Family
from optsearch.counting.posterior import Posterior
from optsearch.counting.prior import Prior
from optsearch.game import Cell, Game
from optsearch.game.position import Position, known_replies, replies_at
from optsearch.search.greedy import GreedySolver
from optsearch.search.kernels import Subfamily
from optsearch.search.solver import Solver
from optsearch.show.outlines import BOARD, board_shape
from optsearch.support.errors import TooLarge, TreeError
from optsearch.support.pages import Page
from optsearch.support.progress import Limit, LimitReached, Progress, no_progress
from optsearch.tree import DecisionTree, Leaf, Node
from optsearch.tree.solution import SearchStatus

MAX_CONFIGURATIONS = 10_000
PAGE = Page(
    "optsearch.show/explorer.html",
    *BOARD,
    "optsearch.show/explorer.css",
    "optsearch.show/explorer.js",
)

NamedTree = tuple[str, DecisionTree]


def require_few_configurations(position: Position, prior: Prior | None = None) -> None:
    """Raise TooLarge if a position leaves too many configurations to be stored in a page.

    Configurations of weight 0 do not count. Raises ImpossiblePosition if none is left, NotSupported
    for a user's rule.
    """
    position.game.require_named_rule("explore")
    position.game.require_sunk("explore")
    posterior = Posterior(position, prior=prior)
    posterior.require_some()
    if posterior.configurations > MAX_CONFIGURATIONS:
        raise TooLarge(
            f"{posterior.configurations:,} configurations of {position.game} are too many for a "
            f"page; it holds at most {MAX_CONFIGURATIONS:,}: take a smaller game, or more --shots"
        )


def require_tree_of_position(
    position: Position, name: str, tree: DecisionTree, prior: Prior | None = None
) -> None:
    """Raise TreeError unless a decision tree begins at this position and sinks all ships from it.

    name -- of the tree, for the error. prior -- that of the tree.
    """
    if tree.position != position:
        raise TreeError(
            f"{name} is a tree of {_describe(tree.position)}; the page is of "
            f"{_describe(position)}, and takes trees of the same game and shots"
        )
    try:
        verify(tree, prior)
    except TreeError as error:
        raise TreeError(f"{name} does not solve its position: {error}") from None


def _describe(position: Position) -> str:
    return f"{position.game}{f' after {position}' if position.shots else ''}"


def greedy_tree(
    position: Position,
    prior: Prior | None,
    time_limit: float | None,
    progress: Progress[SearchStatus] = no_progress,
) -> NamedTree:
    """Return a name and a decision tree that always shoots a most probable cell (greedy).

    Of several most probable cells it shoots the best one or, if that takes more than a quarter of
    the time, the first one. time_limit -- the seconds for the whole page; None for no limit.
    """
    if time_limit is None:
        return "greedy", GreedySolver(position, progress=progress, prior=prior).tree()
    limited = Limit(time_limit / 4).watch(progress)
    try:
        return "greedy", GreedySolver(position, progress=limited, prior=prior).tree()
    except LimitReached:
        solver = GreedySolver(position, progress=progress, prior=prior)
        return "greedy, ties first", solver.tree("first")


# Data


def page_data(
    solver: Solver, trees: Sequence[NamedTree], limit: Limit | None = None
) -> dict[str, Any]:
    """Return the data of a page to explore decision trees, as a JSON object with these fields:

    game, position, title -- texts. rules -- sentences. shape -- of the board, as `outlines.shape`
        returns it. fleet, announce -- of the game. A cell is its index in row-major order.
    replies -- the texts of the replies of the game, hits first, the miss last.
    shots -- of the position: pairs of a cell and the index of its reply in `replies`.
    configurations -- a list for each one left: its weight, then its ships as hexadecimal masks of
        cells. In a silent game all cells still to hit are one mask, and the weight is the total of
        the configurations that have them.
    trees -- objects of a name and a root. A node is `[cell, cost, optimum, child, …]`, with a child
        for each reply that the cell can have, in the order of `replies`. A total height is the sum
        of the shots over all configurations that are left. cost is the total height
        of the tree from there, optimum the least total height of any strategy from there, or a
        pair of bounds if unknown. A leaf is its number of configurations, 0 for a reply that no
        configuration gives.
    values -- for each cell a pair of bounds of the least total height of strategies that shoot it
        first, or None if the solver has no value of that shot.

    solver -- for the mean; all trees must start from its position, else TreeError.
    limit -- ends the search for the optima of nodes, which leaves their bounds.
    """
    position = solver.position
    game = position.game
    require_few_configurations(position, solver.prior)
    replies = known_replies(game)
    for name, tree in trees:
        require_tree_of_position(position, name, tree, solver.prior)
    prior = solver.prior
    weighting = f" Configurations are weighted by the prior {prior.name}." if prior else ""
    roots = [_encode_node(solver, limit, solver.kernel.root, tree.root) for _, tree in trees]
    inner_roots = [root for root in roots if isinstance(root, list)]
    # A root is its cell, its cost, its optimum or a pair of bounds, and its children.
    least_cost = min((cost for _, cost, *_ in inner_roots), default=0)
    for root in inner_roots:  # the best of the trees is an upper bound for all
        if isinstance(root[2], list):
            lower, _ = root[2]
            root[2] = lower if lower == least_cost else [lower, least_cost]
    return {
        "game": str(game),
        "title": game.title,
        "position": str(position),
        "rules": rules_in_words(game) + weighting,
        "shape": board_shape(game),
        "fleet": [str(kind) for kind in game.fleet],
        "announce": game.announce,
        "replies": [str(reply) for reply in replies],
        "shots": [
            [_cell_index(game, shot.cell), replies.index(shot.reply)] for shot in position.shots
        ],
        "configurations": [
            [weight, *(f"{ship:x}" for ship in ships)]
            for weight, ships in list_configurations(solver)
        ],
        "trees": [
            {"name": name, "root": root} for (name, _), root in zip(trees, roots, strict=True)
        ],
        "values": _shot_bounds(solver, roots),
    }


def _cell_index(game: Game, cell: Cell) -> int:
    """Return the index of a cell in row-major order."""
    row, column = cell
    return row * game.columns + column


BOARDS = {
    "rectangle": "",
    "cylinder": "The last column is beside the first. ",
    "torus": "The last column is beside the first, the last row above the first. ",
    "hex": "Cells are hexagons. ",
}


def rules_in_words(game: Game) -> str:
    """Return the rules of a game as sentences, with its board unless that is a rectangle."""
    rules = game.rules
    if "contact" in rules and game.contact == "none" and game.board.has_corners:
        rules["contact"] += ", not even diagonally"
    text = "; ".join(rules.values())
    return f"{BOARDS.get(game.board.text, '')}{text[0].upper()}{text[1:]}."


def list_configurations(solver: Solver) -> list[tuple[int, tuple[int, ...]]]:
    """List the configurations that are left, each as its weight and a tuple of masks of cells.

    If hits tell nothing, there is one mask, of the cells still to hit, and configurations with
    equal masks are one entry. Otherwise there is a mask for each ship, and the weight is 1.
    """
    position = solver.position
    if position.game.is_silent:
        family = Family.of(position, solver.prior)
        return [
            (weight, (cells,)) for cells, weight in zip(family.sets, family.weights, strict=True)
        ]
    all_ships = (tuple(to_masks(row)) for row in list_ships(position))
    return [(1, ships) for ships in all_ships if position.is_compatible(ships)]


def _shot_bounds(solver: Solver, roots: Sequence[list[Any] | int]) -> list[list[int] | None]:
    """Return, for each cell, two bounds of the least total of shots if it is shot first, or None.

    The total is over all configurations left. None means that the search has no bounds for the
    cell. roots -- the trees of the page; one that shoots the cell first may lower the upper bound.
    """
    game = solver.position.game
    values: list[list[int] | None] = [None] * game.cells
    for value in solver.found.shot_values:
        cell = _cell_index(game, value.cell)
        costs = [root[1] for root in roots if isinstance(root, list) and root[0] == cell]
        assert value.lower is not None
        assert value.upper is not None
        values[cell] = [value.lower, min([value.upper, *costs])]
    return values


def _encode_node(
    solver: Solver, limit: Limit | None, family: Subfamily, node: Node | Leaf
) -> list[Any] | int:
    """Return a subtree of a decision tree as a list, or a leaf as its number of configurations.

    The list has the cell shot, the total of shots of the tree from there, the least total possible
    (two bounds if it is not found), and the subtree of each reply. Totals are over all
    configurations left there.

    family -- these configurations, for the search. limit -- ends the search.
    """
    if isinstance(node, Leaf):
        return node.configurations
    kernel = solver.kernel
    cell = _cell_index(kernel.game, node.cell)
    family_by_reply = kernel.parts(family, cell)
    children = []
    for reply in replies_at(kernel.game, node.cell):
        child: list[Any] | int = 0  # no configuration gives this reply
        if reply in family_by_reply:
            child = _encode_node(solver, limit, family_by_reply[reply], node.replies[reply])
        children.append(child)
    total_weight = kernel.weight(family)
    cost = total_weight + sum(child[1] for child in children if isinstance(child, list))
    hits_left = kernel.cells_left - (family.hits & ~kernel.root.hits).bit_count()
    least_misses, is_exact = solver.least_cost(family, limit)
    least_total = hits_left * total_weight + least_misses
    if family is kernel.root and solver.found.lower is not None:
        least_total = max(least_total, solver.found.lower)
        is_exact = is_exact or solver.found.is_exact
    optimum = least_total if is_exact or least_total == cost else [least_total, cost]
    return [cell, cost, optimum, *children]


# The page


def page(solver: Solver, trees: Sequence[NamedTree], limit: Limit | None = None) -> str:
    """Return the page to explore decision trees, as HTML; it opens with the first of the trees.

    solver -- gives the optima; all trees must start from its position. limit -- ends the search for
    optima, which leaves bounds. Raises TreeError for another tree, and TooLarge if too many
    configurations are left.
    """
    content = page_data(solver, trees, limit)
    return PAGE.render_file(f"{content['game']} {content['position']}".strip(), content)
