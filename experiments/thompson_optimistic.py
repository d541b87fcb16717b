"""The optimistic means of a post: python -m experiments.thompson_optimistic [-o FOLDER]

The post on Thompson sampling compares its player with two means that have a formula. The printed
function counts five draws too many; both values are written.
"""

from experiments import script
from optsearch.reproduce.thompson import GAME, extremely_optimistic_mean, optimistic_mean
from optsearch.results.tables import TABLES


def main() -> None:
    """Compute and write the table."""
    output = script.parser(__doc__, "thompson_optimistic").parse_args().output
    means = {"extremely optimistic": extremely_optimistic_mean, "optimistic": optimistic_mean}
    rows = [(name, mean(True), mean(False)) for name, mean in means.items()]
    path = TABLES["thompson_optimistic"].write(rows, output, fields={"game": GAME}, game=GAME)
    print(script.typed_path(path))


if __name__ == "__main__":
    script.run(main)
