"""Both models of Solitaire Battleship: python -m experiments.solitaire [-o FOLDER] [--boards N]

Random puzzles on boards from 6x6 to 30x20 with all counts and a tenth, a fiftieth or none of the
cells revealed; each model looks for one solution for at most 60 seconds.
"""

from collections.abc import Iterator

from experiments import script
from optsearch.results import SOLITAIRE
from optsearch.solitaire import making, models

BOARDS = ((6, 6), (8, 8), (10, 10), (12, 12), (15, 15), (20, 15), (20, 20), (30, 20))
REVEALED = (0.1, 0.02, 0.0)
SECONDS = 60.0


def rows(boards: tuple[tuple[int, int], ...]) -> Iterator[tuple[object, ...]]:
    """A row a board, part revealed and model."""
    for board in boards:
        for revealed in REVEALED:
            puzzle = making.random_puzzle(*board, making.usual_fleet(*board), revealed)
            for model in models.MODELS:
                found = models.search(puzzle, 1, model, SECONDS)
                row = (
                    puzzle.grid,
                    len(puzzle.fleet),
                    revealed,
                    model,
                    found.variables,
                    found.constraints,
                    found.build_seconds,
                    found.solve_seconds,
                    bool(found.solutions),
                )
                print(*row, flush=True)
                yield row


def main() -> None:
    """Measure and write the table."""
    parser = script.parser(__doc__, "solitaire")
    parser.add_argument("--boards", type=int, default=len(BOARDS), help="only the first so many")
    options = parser.parse_args()
    models.search(making.random_puzzle(4, 4, (2, 1)), 1)  # OR-tools is loaded before
    fields = {"time limit": f"{SECONDS:g} seconds"}
    SOLITAIRE.write(list(rows(BOARDS[: options.boards])), options.output, fields=fields)


if __name__ == "__main__":
    script.run(main)
