"""100 generated 10×10 puzzles of Solitaire Battleship: python -m experiments.puzzles [-o FOLDER]

Each is verified unique and minimal by the cell-based model, which had no part in making it, and its
solutions are counted by the sweep. Seconds are processor time: of the generator alone, and of
grading with suppositions up to depth 2.
"""

import json
import time
from concurrent.futures import ProcessPoolExecutor

from experiments import script
from optsearch.results.tables import TABLES
from optsearch.solitaire import counting, formats, making, models, reasoning

GRID, FLEET = (10, 10), (4, 3, 3, 2, 2, 2, 1, 1, 1, 1)
DEPTH = 2  # of suppositions


def row(seed: int) -> tuple[object, ...]:
    """A puzzle and what confirms it."""
    models.cp_model()  # loaded before the clock starts
    started = time.process_time()
    puzzle = making.generate(*GRID, FLEET, seed)
    seconds = time.process_time() - started
    started = time.process_time()
    grade = reasoning.grade(puzzle, DEPTH)
    grading_seconds = time.process_time() - started
    if not making.is_minimal(puzzle, "cell"):  # and unique
        raise SystemExit(f"seed {seed}: the cell-based model disagrees")
    return (
        seed,
        seconds,
        len(puzzle.clues),
        counting.count(puzzle, 2),
        True,
        True,
        grade.level,
        grading_seconds,
        json.dumps(formats.to_fields(puzzle)),
    )


def main() -> None:
    """Generate, verify and write the table."""
    parser = script.parser(__doc__, "puzzles")
    parser.add_argument("-n", "--number", type=int, default=100, help="how many")
    parser.add_argument("--jobs", type=int, help="processes (default: one a processor)")
    options = parser.parse_args()
    with ProcessPoolExecutor(options.jobs) as pool:
        rows = script.reported(pool.map(row, range(options.number)), options.number)
    TABLES["puzzles"].write(
        rows, options.output, fields={"grid": "10x10", "fleet": ",".join(map(str, FLEET))}
    )


if __name__ == "__main__":
    script.run(main)
