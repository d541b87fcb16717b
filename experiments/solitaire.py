"""Both models of Solitaire Battleship: python -m experiments.solitaire [-o FOLDER] [--boards N]

Random puzzles on boards from 6x6 to 30x20 with all counts and a tenth, a fiftieth or none of the
cells revealed. Two solvers look for one solution in each model for at most 60 seconds: CP-SAT,
which learns clauses, and SCIP, which branches on the linear relaxation, as the solvers did for
which the models were made.
"""

from collections.abc import Callable, Iterator
from operator import attrgetter

from experiments import script
from optsearch.results.tables import TABLES
from optsearch.solitaire import linear, making, models
from optsearch.solitaire.puzzle import Puzzle

BOARDS = ((6, 6), (8, 8), (10, 10), (12, 12), (15, 15), (20, 15), (20, 20), (30, 20))
REVEALED = (0.1, 0.02, 0.0)
SECONDS = 60.0
SOLVERS: dict[str, Callable[[Puzzle, str], models.ModelSearch]] = {
    "CP-SAT": lambda puzzle, model: models.search(puzzle, 1, model, SECONDS),
    "SCIP": lambda puzzle, model: linear.search(puzzle, model, SECONDS),
}


measured = attrgetter("variables", "constraints", "build_seconds", "solve_seconds")


def rows(boards: tuple[tuple[int, int], ...]) -> Iterator[tuple[object, ...]]:
    """A row a board, part revealed, solver and model."""
    for board in boards:
        for revealed in REVEALED:
            puzzle = making.random_puzzle(*board, making.usual_fleet(*board), revealed)
            for solver, search in SOLVERS.items():
                for model in models.MODELS:
                    outcome = search(puzzle, model)
                    key = puzzle.grid, len(puzzle.fleet), revealed, solver, model
                    row = *key, *measured(outcome), bool(outcome.solutions)
                    print(*row, flush=True)
                    yield row


def main() -> None:
    """Measure and write the table."""
    parser = script.parser(__doc__, "solitaire")
    parser.add_argument("--boards", type=int, default=len(BOARDS), help="only the first so many")
    options = parser.parse_args()
    for search in SOLVERS.values():  # they are loaded before
        search(making.random_puzzle(4, 4, (2, 1)), "ship")
    fields = {"time limit": f"{SECONDS:g} seconds"}
    TABLES["solitaire"].write(list(rows(BOARDS[: options.boards])), options.output, fields=fields)


if __name__ == "__main__":
    script.run(main)
