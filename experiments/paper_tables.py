"""Algorithm 2 of the paper on games of its Table 1: python -m experiments.paper_tables [-o FOLDER]

The optimum with the transposition table in memory, and with the table on disk, in an LMDB database
that is made anew: entries, bytes, and seconds of a processor. Both must be as printed.
"""

import time
from pathlib import Path
from tempfile import TemporaryDirectory

from experiments import script
from optsearch.check import paper
from optsearch.counting.configurations import Configurations, to_masks
from optsearch.game import Game
from optsearch.game.position import Position
from optsearch.results.tables import TABLES
from optsearch.support import records
from optsearch.tree.solution import Solution

MOST_STATES = 12_000_000  # of a game: some minutes; 4x5:3,2 has 102 million


def timed(position: Position, table: Path | None = None) -> tuple[Solution, float]:
    """The optimum, and the seconds of a processor that it took."""
    started = time.process_time()
    return paper.solve(position, table=table), time.process_time() - started


def row(game: Game, printed: int) -> tuple[object, ...]:
    """One line of the table."""
    position = Position(game)
    in_memory, memory_seconds = timed(position)
    with TemporaryDirectory() as folder:
        on_disk, disk_seconds = timed(position, Path(folder))
    for solution in (in_memory, on_disk):
        if (solution.total_height, solution.nodes) != (printed, in_memory.nodes):
            raise SystemExit(f"{game}: {solution.total_height} in {solution.nodes} states")
    return (
        game,
        printed,
        in_memory.table_entries,
        in_memory.table_bytes,
        memory_seconds,
        on_disk.disk_entries,
        on_disk.disk_bytes,
        disk_seconds,
    )


def main() -> None:
    """Compute and write the table."""
    parser = script.parser(__doc__, "paper_tables")
    parser.add_argument(
        "--states", type=int, default=MOST_STATES, metavar="N", help="of a game, about, at most"
    )
    arguments = parser.parse_args()
    rows = []
    for line in records.read_published("table1.csv").rows:
        game = Game.parse(f"{line['grid']}:{line['fleet']}")
        sets = to_masks(Configurations(Position(game)).list())
        if sets and paper.expected_states(sets) <= arguments.states:
            rows.append(row(game, int(line["total_height"])))
            print(f"{game}: {rows[-1][2]:,} states", flush=True)
    path = TABLES["paper_tables"].write(rows, arguments.output)
    print(f"{script.typed_path(path)}: {len(rows)} games")


if __name__ == "__main__":
    script.run(main)
