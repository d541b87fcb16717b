"""Measure changes of the players of two posts: python -m experiments.trials [--games N]

The two trials that made the player of "Battleship Heuristics" worse, on boards of its own
placement and on uniform ones, in 5,000 games; and the search grid that the post on Thompson
sampling suggests, in a tenth of these. Each on the same boards as the player without it. Writes
data/results/trials.csv.
"""

from collections.abc import Iterator
from math import sqrt

from experiments import script
from optsearch.game import Game
from optsearch.play.hiding import hider
from optsearch.play.simulate import sd, simulate
from optsearch.results.tables import TABLES

TOUCHING = Game.parse("10x10:5,4,3,3,2,contact=any")
BOXED = Game.parse("10x10:5,4,3,3,2,contact=any,announce=ship")
HEURISTIC, THOMPSON = "heuristic:version=5", "thompson:information=whole"
CHANGES = ("beside=1", "weights=1", "beside=1,weights=1")
GRIDS = ("grid=2", "grid=3")
GAMES, SEED = 5_000, 1


def rows(games: int) -> Iterator[tuple[object, ...]]:
    """The lines of the table: each player without a change, and with each."""
    for game, boards, player, changes, number in (
        (TOUCHING, "corner", HEURISTIC, CHANGES, games),
        (TOUCHING, "uniform", HEURISTIC, CHANGES, games),
        (BOXED, "uniform", THOMPSON, GRIDS, games // 10),
    ):
        players = [player, *(f"{player},{change}" for change in changes)]
        played = simulate(players, game, games=number, seed=SEED, boards=hider(boards), jobs=1)
        plain, *_ = played.outcomes
        for outcome, change in zip(played.outcomes, ("", *changes), strict=True):
            difference = outcome.shots - plain.shots
            error = sd(difference) / sqrt(number)
            yield (
                *(game, boards, player, change, number, outcome.mean, outcome.standard_error),
                *(difference.mean(), error),
            )


def main() -> None:
    """Compute and write the table."""
    parser = script.parser(__doc__, "trials")
    parser.add_argument("--games", type=int, default=GAMES)
    options = parser.parse_args()
    lines = script.reported(rows(options.games), 2 * (1 + len(CHANGES)) + 1 + len(GRIDS))
    TABLES["trials"].write(lines, options.output, fields={"seed": SEED})


if __name__ == "__main__":
    script.run(main)
