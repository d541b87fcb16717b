"""Trees that figures draw: python -m experiments.trees [-o FOLDER]

complete_binary_tree.csv: the leaves of the complete binary tree with 11 leaves (Figure 9).
counterexample_greedy.json, counterexample_optimal.json: the best greedy strategy and an optimal one
from the position where no greedy strategy is optimal (Figures 6, 7 and 8).
"""

from pathlib import Path

from experiments import script
from optsearch import tree
from optsearch.check.trees import verify
from optsearch.game import Cell, parse_cell
from optsearch.game.position import HIT, MISS, Position
from optsearch.lower_bounds import complete_binary_tree, complete_binary_tree_depths
from optsearch.reproduce.paper import counterexamples
from optsearch.results.tables import COUNTEREXAMPLE_GREEDY, COUNTEREXAMPLE_OPTIMAL, TABLES
from optsearch.search import solver
from optsearch.search.greedy import GreedySolver
from optsearch.support.errors import TreeError
from optsearch.support.version import VERSION
from optsearch.tree import DecisionTree, Node

LEAVES = 11
OPTIMAL_SHOT = parse_cell("B2")  # section 3.3: the optimal strategy that Figure 8 shows


def main() -> None:
    """Compute and write all trees."""
    folder = script.parser(__doc__, "trees").parse_args().output
    write_complete_binary_tree(folder)
    write_counterexample(folder)


def write_complete_binary_tree(folder: Path) -> None:
    """Write the depths of the leaves of the complete binary tree, from left to right."""
    depths = complete_binary_tree_depths(LEAVES)
    mean = complete_binary_tree({1: LEAVES})
    if sum(depths) != mean * LEAVES:
        raise SystemExit(f"the tree has mean {sum(depths)}/{LEAVES}, equation 2 gives {mean}")
    path = TABLES["complete_binary_tree"].write(
        list(enumerate(depths)), folder, fields={"leaves": LEAVES, "mean": mean}, leaves=LEAVES
    )
    print(f"{script.typed_path(path)}: mean depth {mean}")


def write_counterexample(folder: Path) -> None:
    """Write the trees of the best greedy and of an optimal strategy from the position of Figure 6.

    Each is replayed; TreeError if its total of shots is not the one expected.
    """
    (example,) = counterexamples()
    position = example.position
    for result, title, figure, strategy, total_height in (
        (
            COUNTEREXAMPLE_GREEDY,
            "best greedy",
            7,
            GreedySolver(position).tree(),
            example.best_greedy_total_height,
        ),
        (
            COUNTEREXAMPLE_OPTIMAL,
            "optimal",
            8,
            optimal_tree(position, OPTIMAL_SHOT),
            example.solution.total_height,
        ),
    ):
        if verify(strategy) != total_height:
            raise TreeError(
                f"{result.name} has total height {strategy.total_height}, not {total_height}"
            )
        source = (
            f"{result.command}, optsearch {VERSION}; Figure {figure} of "
            "Audinot, Bonnet and Viennot (2014), whose cells have row letters and column numbers"
        )
        path = result.path(folder)
        path.parent.mkdir(parents=True, exist_ok=True)
        tree.save(DecisionTree(position, strategy.root, source, title), path)
        print(f"{script.typed_path(path)}: mean {total_height}/{strategy.configurations}")


def optimal_tree(position: Position, shot: Cell) -> DecisionTree:
    """Return an optimal strategy among those that begin with this shot."""
    replies = {
        reply: solver.solve(position.after(shot, reply)).tree().root for reply in (HIT, MISS)
    }
    return DecisionTree(position, Node(shot, replies))


if __name__ == "__main__":
    script.run(main)
