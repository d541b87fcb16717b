"""Occurrence and frequency matrix (Figures 2 and 3): python -m experiments.occurrence [GAME]

Without a game: 10x10:5,4,3,3,2, which the figures read.
"""

import argparse
from pathlib import Path

from experiments import RESULTS
from optsearch import records
from optsearch.configurations import Configurations
from optsearch.game import Game
from optsearch.position import Position
from optsearch.reproduce import STANDARD


def main() -> None:
    """Compute and write the matrices."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", nargs="?", default=str(STANDARD))
    parser.add_argument("-o", "--output", type=Path, default=RESULTS / "occurrence_10x10.csv")
    arguments = parser.parse_args()
    game = Game.parse(arguments.game)
    if game != STANDARD and arguments.output == parser.get_default("output"):
        parser.error(f"give -o FILE for {game}; {arguments.output.name} is for {STANDARD}")
    configurations = Configurations(Position(game))
    frequency = configurations.frequency
    records.write(
        arguments.output,
        ("row", "column", "occurrence", "frequency"),
        [
            (row, column, count, frequency[row][column])
            for row, counts in enumerate(configurations.occurrence.tolist())
            for column, count in enumerate(counts)
        ],
        title=f"Configurations of {game} with a ship on each cell",
        command="python -m experiments.occurrence" + (f" {game}" if game != STANDARD else ""),
        fields={"game": game, "configurations": configurations.number},
    )
    print(f"{arguments.output}: {configurations.number:,} configurations of {game}")


if __name__ == "__main__":
    main()
