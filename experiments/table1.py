"""Table 1 of the paper: python -m experiments.table1 [-o FOLDER]

Each optimum is found by the solver and confirmed by replaying its tree on every configuration.
"""

from experiments import script
from optsearch.check.trees import verify
from optsearch.counting.configurations import Configurations
from optsearch.game import Game, cell_name
from optsearch.game.position import Position
from optsearch.reproduce.printed import rounded
from optsearch.results.tables import TABLES
from optsearch.search import solver
from optsearch.support import records


def row(game: Game, printed: str) -> tuple[object, ...]:
    """One line of the table."""
    position = Position(game)
    if Configurations(position).configurations == 0:
        return (game, None, 0, "-", printed, "", 0, None)
    solution = solver.solve(position)
    return (
        game,
        solution.total_height,
        solution.configurations,
        rounded(solution.mean),
        printed,
        " ".join(map(cell_name, solution.best_shots)),
        solution.nodes,
        verify(solution.tree()),
    )


def main() -> None:
    """Compute and write the table."""
    output = script.parser(__doc__, "table1").parse_args().output
    rows = [
        row(Game.parse(f"{line['grid']}:{line['fleet']}"), line["mean"])
        for line in records.read_published("table1.csv").rows
    ]
    path = TABLES["table1"].write(rows, output)
    print(f"{script.typed_path(path)}: {len(rows)} games")


if __name__ == "__main__":
    script.run(main)
