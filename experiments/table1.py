"""Table 1 of the paper: python -m experiments.table1 [-o FOLDER]

Each optimum is found by the solver and confirmed by replaying its tree on every configuration.
"""

from experiments import script
from optsearch.check.trees import verify
from optsearch.counting.configurations import Configurations
from optsearch.game import Game, cell_name
from optsearch.game.position import Position
from optsearch.reproduce.printed import rounded
from optsearch.search import solver
from optsearch.support import records


def rows(grid: str, fleet: str, mean: str) -> script.Rows:
    """Yield the row of a grid and a fleet. mean -- as the paper prints it."""
    game = Game.parse(f"{grid}:{fleet}")
    position = Position(game)
    if Configurations(position).configurations == 0:
        yield game, None, 0, "-", mean, "", 0, None
        return
    solution = solver.solve(position)
    yield (
        game,
        solution.total_height,
        solution.configurations,
        rounded(solution.mean),
        mean,
        " ".join(map(cell_name, solution.best_shots)),
        solution.nodes,
        verify(solution.tree()),
    )


def tasks() -> list[tuple[str, ...]]:
    """List the grid, the fleet and the mean of each row of the paper."""
    printed = records.read_published("table1.csv").rows
    return [(row["grid"], row["fleet"], row["mean"]) for row in printed]


main = script.Experiment("table1", tasks, rows)


if __name__ == "__main__":
    script.run(main)
