"""Occurrence and frequency matrices: python -m experiments.occurrence [GAME -o FILE]

Without a game: occurrence_10x10.csv, the paper's game (Figures 2 and 3), and
occurrence_10x10_any.csv, the same where ships may touch (Spalding-Jamieson's table).
"""

import argparse
from pathlib import Path

from experiments import RESULTS
from optsearch import records
from optsearch.game import Game
from optsearch.position import Position
from optsearch.posterior import Posterior

TABLES = {
    "10x10:5,4,3,3,2": RESULTS / "occurrence_10x10.csv",
    "10x10:5,4,3,3,2;contact=any": RESULTS / "occurrence_10x10_any.csv",
}


def write(game: Game, output: Path) -> None:
    """Compute and write the matrices of one game."""
    posterior = Posterior(Position(game))
    frequency = posterior.frequency
    command = "python -m experiments.occurrence"
    if str(game) not in TABLES:
        command += f" '{game}' -o {output.name}"
    records.write(
        output,
        ("row", "column", "occurrence", "frequency"),
        [
            (row, column, count, frequency[row][column])
            for row, counts in enumerate(posterior.occurrence.tolist())
            for column, count in enumerate(counts)
        ],
        title=f"Configurations of {game} with a ship on each cell",
        command=command,
        fields={"game": game, "configurations": posterior.configurations},
    )
    print(f"{output}: {posterior.configurations:,} configurations of {game}")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", nargs="?")
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    if (arguments.game is None) != (arguments.output is None):
        parser.error("give both a game and -o FILE, or neither")
    tables = {arguments.game: arguments.output} if arguments.game else TABLES
    for game, output in tables.items():
        write(Game.parse(game), output)


if __name__ == "__main__":
    main()
