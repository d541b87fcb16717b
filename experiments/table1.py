"""Table 1 of the paper: python -m experiments.table1 [-o FILE]

Each optimum is found by the solver and confirmed by replaying its tree on every configuration.
"""

import argparse
from pathlib import Path

from experiments import RESULTS
from optsearch import records, solver, tree
from optsearch.configurations import Configurations
from optsearch.game import Game, cell_name
from optsearch.position import Position
from optsearch.reproduce import rounded

COLUMNS = (
    "game",
    "total_height",
    "configurations",
    "mean",
    "printed",
    "best_shots",
    "nodes",
    "replayed",
)


def row(game: Game, printed: str) -> tuple[object, ...]:
    """One line of the table."""
    position = Position(game)
    if Configurations(position).configurations == 0:
        return (game, "", 0, "-", printed, "", 0, "")
    solution = solver.solve(position)
    return (
        game,
        solution.total_height,
        solution.configurations,
        rounded(solution.mean),
        printed,
        " ".join(map(cell_name, solution.best_shots)),
        solution.nodes,
        tree.verify(solution.tree()),
    )


def main() -> None:
    """Compute and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=RESULTS / "table1.csv")
    output = parser.parse_args().output
    rows = [
        row(Game.parse(f"{line['grid']}:{line['fleet']}"), line["mean"])
        for line in records.read_published("table1.csv").rows
    ]
    records.write(
        output,
        COLUMNS,
        rows,
        title="Optimal total height of the games of Table 1",
        command="python -m experiments.table1",
    )
    print(f"{output}: {len(rows)} games")


if __name__ == "__main__":
    main()
