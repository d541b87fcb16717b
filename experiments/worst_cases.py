"""The least worst case of games: python -m experiments.worst_cases [--seconds S] [--again] [GAME …]

A lower side by covers and by searches with fewer misses, and an upper side by a tree, which is
replayed on every configuration. Where they meet, the worst case is known. Games that have a row are
not computed again unless they are named or --again is given.
"""

from collections.abc import Iterator
from hashlib import blake2b

from experiments import script
from optsearch.check.trees import verify
from optsearch.counting.family import Family
from optsearch.game import Game
from optsearch.game.objective import Objective
from optsearch.game.position import Position
from optsearch.lower_bounds.worst_case import worst_case_misses
from optsearch.search.solver import Solver
from optsearch.support import records
from optsearch.support.errors import NotSupported

SECONDS = 60
PAIRS = ((3, 3), (3, 4), (4, 4), (4, 5), (5, 5), (5, 6), (6, 6))


def games() -> Iterator[Game]:
    """Yield the games of the table: single ships of 2 to 5 cells, and pairs of them."""
    for side in range(2, 11):
        for length in range(2, min(side, 5) + 1):
            yield Game(side, side, (length,))
    for rows, columns in PAIRS:
        for long in range(2, min(columns, 5) + 1):
            for short in range(2, long + 1):
                yield Game(rows, columns, (long, short))


def rows(game: Game, seconds: float) -> script.Rows:
    """Yield the row of a game: bounds on the least worst case; none if no tree was found."""
    solver = Solver(Position(game), objective=Objective.parse("worst"))
    solution = solver.search(seconds)
    try:
        tree = solution.tree()
    except NotSupported as error:
        print(error, flush=True)
        return
    if verify(tree) != tree.total_height or tree.worst != solution.upper:
        raise SystemExit(f"{game}: at most {solution.upper}, but the tree takes {tree.worst}")
    digest_of_tree = blake2b(tree.text().encode(), digest_size=8).hexdigest()
    least_misses = max(worst_case_misses(game, Family.of(solver.position).sets))
    yield (
        game,
        game.cells,
        solution.configurations,
        game.fleet_cells + least_misses,
        solution.lower,
        solution.upper,
        tree.total_height,
        digest_of_tree,
        solution.seconds,
        records.commit(),
    )


main = script.Experiment(
    "worst_cases",
    games,
    rows,
    [script.option("--seconds", type=float, default=SECONDS, help="of a search")],
    order=lambda row: (len(row[0].fleet), row[0].cells, row[0].fleet),
    read_task=Game.parse,
    keeps_rows=True,
)


if __name__ == "__main__":
    script.run(main)
