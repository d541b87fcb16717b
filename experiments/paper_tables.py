"""Algorithm 2 of the paper on games of its Table 1: python -m experiments.paper_tables [-o FOLDER]

The optimum with the transposition table in memory, and with the table on disk, in an LMDB database
that is made anew: entries, bytes, and seconds of a processor. Both must be as printed.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from experiments import script
from optsearch.check import paper
from optsearch.counting.configurations import Configurations, to_masks
from optsearch.game import Game
from optsearch.game.position import Position
from optsearch.support import records
from optsearch.tree.solution import Solution

MOST_STATES = 12_000_000  # of a game: some minutes; 4x5:3,2 has 102 million


def solve_timed(position: Position, table: Path | None = None) -> tuple[Solution, float]:
    """Solve by Algorithm 2; return the solution and the processor seconds.

    table -- a folder for the transposition table; None to keep it in memory.
    """
    started = time.process_time()
    return paper.solve(position, table=table), time.process_time() - started


def tasks(states: int) -> Iterator[tuple[Game, int]]:
    """Yield the games of Table 1 of about `states` states or fewer, with their printed totals."""
    for line in records.read_published("table1.csv").rows:
        game = Game.parse(f"{line['grid']}:{line['fleet']}")
        sets = to_masks(Configurations(Position(game)).list())
        if sets and paper.expected_states(sets) <= states:
            yield game, int(line["total_height"])


def rows(game: Game, printed: int) -> script.Rows:
    """Yield the row of a game, solved with its table in memory and again with it on disk.

    printed -- the least total of shots in the paper; SystemExit if a solution has another.
    """
    position = Position(game)
    in_memory, memory_seconds = solve_timed(position)
    with TemporaryDirectory() as folder:
        on_disk, disk_seconds = solve_timed(position, Path(folder))
    for solution in (in_memory, on_disk):
        if (solution.total_height, solution.nodes) != (printed, in_memory.nodes):
            raise SystemExit(f"{game}: {solution.total_height} in {solution.nodes} states")
    yield (
        game,
        printed,
        in_memory.table_entries,
        in_memory.table_bytes,
        memory_seconds,
        on_disk.disk_entries,
        on_disk.disk_bytes,
        disk_seconds,
    )


most_states = script.option(
    "--states", type=int, default=MOST_STATES, metavar="N", help="of a game, about, at most"
)
main = script.Experiment("paper_tables", tasks, rows, [most_states])


if __name__ == "__main__":
    script.run(main)
