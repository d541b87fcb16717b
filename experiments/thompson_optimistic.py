"""The optimistic means of a post: python -m experiments.thompson_optimistic [-o FOLDER]

The post on Thompson sampling compares its player with two means that have a formula. The printed
function counts five draws too many; both values are written.
"""

from experiments import script
from optsearch.reproduce.thompson import GAME, extremely_optimistic_mean, optimistic_mean

MEANS = {"extremely optimistic": extremely_optimistic_mean, "optimistic": optimistic_mean}


def rows(name: str) -> script.Rows:
    """Yield a mean as printed, and as it should be."""
    yield name, MEANS[name](True), MEANS[name](False)


main = script.Experiment("thompson_optimistic", MEANS, rows, fields={"game": GAME})


if __name__ == "__main__":
    script.run(main)
