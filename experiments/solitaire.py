"""Both models of Solitaire Battleship: python -m experiments.solitaire [-o FOLDER] [--boards N]

Random puzzles on boards from 6x6 to 30x20 with all counts and a tenth, a fiftieth or none of the
cells revealed. Two solvers look for one solution in each model for at most 60 seconds: CP-SAT,
which learns clauses, and SCIP, which branches on the linear relaxation, as the solvers did for
which the models were made.
"""

from collections.abc import Callable, Iterator
from itertools import product

from experiments import script
from optsearch.solitaire import linear, making, models
from optsearch.solitaire.puzzle import Puzzle

BOARDS = ((6, 6), (8, 8), (10, 10), (12, 12), (15, 15), (20, 15), (20, 20), (30, 20))
REVEALED = (0.1, 0.02, 0.0)
SECONDS = 60.0
SOLVERS: dict[str, Callable[[Puzzle, str], models.ModelSearch]] = {
    "CP-SAT": lambda puzzle, model: models.search(puzzle, 1, model, SECONDS),
    "SCIP": lambda puzzle, model: linear.search(puzzle, model, SECONDS),
}


def tasks(boards: int) -> Iterator[tuple[tuple[int, int], float]]:
    """Load the solvers; yield each of the first `boards` sizes with each share that is revealed."""
    for search in SOLVERS.values():
        search(making.random_puzzle(4, 4, (2, 1)), "ship")
    yield from product(BOARDS[:boards], REVEALED)


def rows(size: tuple[int, int], share_revealed: float) -> script.Rows:
    """Make a random puzzle and yield a row for each solver and model.

    size -- rows and columns. share_revealed -- of the cells.
    """
    puzzle = making.random_puzzle(*size, making.usual_fleet(*size), share_revealed)
    for solver, search in SOLVERS.items():
        for model in models.MODELS:
            outcome = search(puzzle, model)
            is_solved = bool(outcome.solutions)
            yield (
                puzzle.grid,
                len(puzzle.fleet),
                share_revealed,
                solver,
                model,
                outcome.variables,
                outcome.constraints,
                outcome.build_seconds,
                outcome.solve_seconds,
                is_solved,
            )


limit = script.option("--boards", type=int, default=len(BOARDS), help="only the first so many")
fields = {"time limit": f"{SECONDS:g} seconds"}
main = script.Experiment("solitaire", tasks, rows, [limit], fields)


if __name__ == "__main__":
    script.run(main)
