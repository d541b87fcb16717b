"""Measure changes of the players of two posts: python -m experiments.trials [--games N]

The two trials that made the player of "Battleship Heuristics" worse, on boards of its own
placement and on uniform ones, in 5,000 games; and the search grid that the post on Thompson
sampling suggests, in a tenth of these. Each on the same boards as the player without it. Writes
data/results/trials.csv.
"""

from experiments import script
from experiments.leaderboard import mean_difference
from optsearch.game import Game
from optsearch.play.hiding import hider
from optsearch.play.simulate import simulate

TOUCHING = Game.parse("10x10:5,4,3,3,2,contact=any")
BOXED = Game.parse("10x10:5,4,3,3,2,contact=any,announce=ship")
HEURISTIC, THOMPSON = "heuristic:version=5", "thompson:information=whole"
CHANGES = ("beside=1", "weights=1", "beside=1,weights=1")
GRIDS = ("grid=2", "grid=3")
GAMES, SEED = 5_000, 1


# A game, who hides, a player and changes of it, and what part of the games is played.
TASKS = (
    (TOUCHING, "corner", HEURISTIC, CHANGES, 1),
    (TOUCHING, "uniform", HEURISTIC, CHANGES, 1),
    (BOXED, "uniform", THOMPSON, GRIDS, 10),
)


def rows(
    game: Game, boards: str, player: str, changes: tuple[str, ...], divisor: int, games: int
) -> script.Rows:
    """Yield the rows of a player: without a change, then with each.

    boards -- the name of the hider. games // divisor -- the number of boards.
    """
    board_count = games // divisor
    players = [player, *(f"{player},{change}" for change in changes)]
    outcomes = simulate(players, game, games=board_count, seed=SEED, boards=hider(boards)).outcomes
    without_change = outcomes[0]
    for outcome, change in zip(outcomes, ("", *changes), strict=True):
        yield (
            game,
            boards,
            player,
            change,
            board_count,
            outcome.mean,
            outcome.standard_error,
            *mean_difference(without_change, outcome),
        )


games = script.option("--games", type=int, default=GAMES)
main = script.Experiment("trials", TASKS, rows, [games], fields={"seed": SEED})


if __name__ == "__main__":
    script.run(main)
