"""Trees that figures draw and no game has: python -m experiments.trees

complete_binary_tree.csv: the leaves of the complete binary tree with 11 leaves (Figure 9).
"""

from experiments import RESULTS
from optsearch import records
from optsearch.bounds import complete_binary_tree, complete_binary_tree_depths

LEAVES = 11


def main() -> None:
    """Compute and write the depths of the leaves, from left to right."""
    depths = complete_binary_tree_depths(LEAVES)
    mean = complete_binary_tree({1: LEAVES})
    if sum(depths) != mean * LEAVES:
        raise SystemExit(f"the tree has mean {sum(depths)}/{LEAVES}, equation 2 gives {mean}")
    output = RESULTS / "complete_binary_tree.csv"
    records.write(
        output,
        ("leaf", "depth"),
        list(enumerate(depths)),
        title=f"Depths of the leaves of the complete binary tree with {LEAVES} leaves",
        command="python -m experiments.trees",
        fields={"leaves": LEAVES, "mean": mean},
    )
    print(f"{output}: mean depth {mean}")


if __name__ == "__main__":
    main()
