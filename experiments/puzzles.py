"""100 generated 10×10 puzzles of Solitaire Battleship: python -m experiments.puzzles [-o FOLDER]

Each is verified unique and minimal by the cell-based model, which had no part in making it, and its
solutions are counted by the sweep. Seconds are processor time: of the generator alone, and of
grading with suppositions up to depth 2.
"""

import json
import time

from experiments import script
from optsearch.solitaire import counting, formats, making, models, reasoning

GRID, FLEET = (10, 10), (4, 3, 3, 2, 2, 2, 1, 1, 1, 1)
DEPTH = 2  # of suppositions


def rows(seed: int) -> script.Rows:
    """Yield the row of the puzzle of a seed; SystemExit if the cell-based model disagrees."""
    models.cp_model()  # loaded before the clock starts
    started = time.process_time()
    puzzle = making.generate(*GRID, FLEET, seed)
    making_seconds = time.process_time() - started
    started = time.process_time()
    grade = reasoning.grade(puzzle, DEPTH)
    grading_seconds = time.process_time() - started
    if not making.is_minimal(puzzle, "cell"):  # and unique
        raise SystemExit(f"seed {seed}: the cell-based model disagrees")
    is_unique = is_minimal = True
    yield (
        seed,
        making_seconds,
        len(puzzle.clues),
        counting.count(puzzle, 2),
        is_unique,
        is_minimal,
        grade.level,
        grading_seconds,
        json.dumps(formats.to_fields(puzzle)),
    )


options = (
    script.option("-n", "--number", type=int, default=100, help="how many"),
    script.option("--jobs", type=int, help="processes (default: one a processor)"),
)
fields = {"grid": "10x10", "fleet": ",".join(map(str, FLEET))}
main = script.Experiment("puzzles", lambda number: range(number), rows, options, fields)


if __name__ == "__main__":
    script.run(main)
