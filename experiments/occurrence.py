"""Occurrence and frequency matrices: python -m experiments.occurrence [GAME] [-o FOLDER]

Without a game: occurrence_10x10.csv, the paper's game (Figures 2 and 3), occurrence_10x10_any.csv,
the same where ships may touch (Spalding-Jamieson's table), and occurrence_hexagonal_upper.csv and
occurrence_hexagonal_lower.csv, both halves of the hexagonal game of 2008. The table of another game
has its name, such as occurrence_4x4_32.csv. A place of the grid where no cell is has 0.
"""

from functools import partial

from experiments import script
from optsearch.counting.posterior import Posterior
from optsearch.game import Game
from optsearch.game.position import Position

NAMES = {
    Game.parse("10x10:5,4,3,3,2"): "10x10",
    Game.parse("10x10:5,4,3,3,2,contact=any"): "10x10_any",
    **{Game.parse(f"hex-{half}"): f"hexagonal_{half}" for half in ("upper", "lower")},
}


def contents(game: Game) -> tuple[list[script.Row], str]:
    """Return both matrices of a game, a row for each cell, and its configurations in words."""
    posterior = Posterior(Position(game))
    frequency = posterior.frequency
    rows: list[script.Row] = [
        (row, column, count, frequency[row][column])
        for row, counts in enumerate(posterior.occurrence.tolist())
        for column, count in enumerate(counts)
    ]
    return rows, f"{posterior.configurations:,} configurations of {game}"


main = partial(script.write_tables_of_games, "occurrence", NAMES, contents)


if __name__ == "__main__":
    script.run(main)
