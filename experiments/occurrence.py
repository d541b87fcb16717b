"""Occurrence and frequency matrices: python -m experiments.occurrence [GAME] [-o FOLDER]

Without a game: occurrence_10x10.csv, the paper's game (Figures 2 and 3), occurrence_10x10_any.csv,
the same where ships may touch (Spalding-Jamieson's table), and occurrence_hexagonal_upper.csv and
occurrence_hexagonal_lower.csv, both halves of the hexagonal game of 2008. The table of another game
has its name, such as occurrence_4x4_32.csv. A place of the grid where no cell is has 0.
"""

from pathlib import Path

from experiments import script
from optsearch.counting.posterior import Posterior
from optsearch.game import Game
from optsearch.game.position import Position
from optsearch.results.tables import TABLES, file_name_of

NAMES = {
    Game.parse("10x10:5,4,3,3,2"): "10x10",
    Game.parse("10x10:5,4,3,3,2,contact=any"): "10x10_any",
    **{Game.parse(f"hex-{half}"): f"hexagonal_{half}" for half in ("upper", "lower")},
}


def write_matrices(game: Game, folder: Path) -> None:
    """Compute the matrices of one game and write them, a row for each cell."""
    posterior = Posterior(Position(game))
    frequency = posterior.frequency
    is_named = game in NAMES
    path = TABLES["occurrence"].write(
        [
            (row, column, count, frequency[row][column])
            for row, counts in enumerate(posterior.occurrence.tolist())
            for column, count in enumerate(counts)
        ],
        folder,
        command=None if is_named else f"{TABLES['occurrence'].command} {game}",
        fields={"game": game, "configurations": posterior.configurations},
        game=game,
        name=NAMES.get(game) or file_name_of(game),
    )
    print(f"{script.typed_path(path)}: {posterior.configurations:,} configurations of {game}")


def main() -> None:
    """Write the matrices of the game that is given, or of each game of NAMES."""
    parser = script.parser(__doc__, "occurrence")
    parser.add_argument("game", nargs="?", type=script.game)
    arguments = parser.parse_args()
    for game in [arguments.game] if arguments.game else NAMES:
        write_matrices(game, arguments.output)


if __name__ == "__main__":
    script.run(main)
