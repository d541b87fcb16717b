"""Both models of Solitaire Battleship on growing boards: python -m experiments.solitaire [-o FILE]

One random puzzle a board, with all counts and every tenth cell revealed; each model looks for one
solution for at most 60 seconds (--seconds).
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

from experiments import RESULTS
from optsearch import records
from optsearch.solitaire import making, models

BOARDS = ((6, 6), (8, 8), (10, 10), (12, 12), (15, 15), (20, 15), (20, 20), (30, 20))
COLUMNS = (
    "grid",
    "ships",
    "model",
    "variables",
    "constraints",
    "build_seconds",
    "solve_seconds",
    "solved",
)


def rows(boards: tuple[tuple[int, int], ...], seconds: float) -> Iterator[tuple[object, ...]]:
    """A row a board and model."""
    for board in boards:
        puzzle = making.random_puzzle(*board, making.usual_fleet(*board))
        for model in models.MODELS:
            found = models.search(puzzle, 1, model, seconds)
            row = (
                puzzle.grid,
                len(puzzle.fleet),
                model,
                found.variables,
                found.constraints,
                f"{found.build_seconds:.3f}",
                f"{found.solve_seconds:.3f}",
                "yes" if found.solutions else "no",
            )
            print(*row, flush=True)
            yield row


def main() -> None:
    """Measure and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=RESULTS / "solitaire.csv")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--boards", type=int, default=len(BOARDS), help="only the first so many")
    options = parser.parse_args()
    models.search(making.random_puzzle(4, 4, (2, 1)), 1)  # OR-tools is loaded before
    records.write(
        options.output,
        COLUMNS,
        list(rows(BOARDS[: options.boards], options.seconds)),
        title="Ship-based and cell-based model of Solitaire Battleship, one solution each",
        command="python -m experiments.solitaire",
        fields={"time limit": f"{options.seconds:g} seconds"},
    )


if __name__ == "__main__":
    main()
