"""Which half of the hexagonal game is harder to find: python -m experiments.hexagonal_games [-n N]

Players on random boards of both halves of the game of 2008 (`experiments.hexagonal`), whose pieces
may touch. Those that count configurations play the first N (250) boards of each half, `density`
plays ten times as many. Writes data/results/hexagonal_games.csv. A run that was stopped goes on.

Shots at random need no simulation: k (n + 1) / (k + 1) for k ship cells of n.
"""

from collections.abc import Iterator
from math import hypot
from pathlib import Path

from experiments import script
from optsearch.cli.simulating import simulating
from optsearch.counting.posterior import Posterior
from optsearch.game import Game
from optsearch.game.position import Position
from optsearch.play.simulate import Outcome, simulate
from optsearch.results.tables import HEXAGONAL_GAMES

HALVES = {half: Game.parse(f"hex-{half}") for half in ("upper", "lower")}
PLAYERS = {"density": 10, "spread": 1, "greedy": 1}
"""How many times N boards each plays."""
SEED = 1


def outcomes(game: Game, games: int, checkpoint: Path | None = None) -> Iterator[Outcome]:
    """The games of each player on one half."""
    for player, times in PLAYERS.items():
        with simulating() as progress:
            found = simulate(
                [player],
                game,
                games=times * games,
                seed=SEED,
                jobs=1,
                checkpoint=checkpoint,
                progress=progress,
            )
        yield from found.outcomes


def row(half: str, outcome: Outcome) -> tuple[object, ...]:
    """One line of the table."""
    game = outcome.game
    return (
        half,
        (~game.holes & (1 << game.cells) - 1).bit_count(),
        Posterior(Position(game)).configurations,
        outcome.strategy,
        outcome.games,
        outcome.mean,
        outcome.standard_error,
        outcome.sd,
        outcome.median,
        outcome.worst,
    )


def main() -> None:
    """The command line."""
    parser = script.parser(__doc__, "hexagonal_games")
    parser.add_argument("-n", "--games", type=int, default=250)
    parser.add_argument("--checkpoints", type=Path, default=script.CHECKPOINTS)
    options = parser.parse_args()
    rows, means = [], {}
    for half, game in HALVES.items():
        for outcome in outcomes(game, options.games, options.checkpoints / f"hexagonal_{half}"):
            rows.append(row(half, outcome))
            means[outcome.strategy, half] = outcome
    path = HEXAGONAL_GAMES.write(rows, options.output, fields={"seed": SEED})
    for strategy in dict.fromkeys(strategy for strategy, _ in means):
        lower, upper = means[strategy, "lower"], means[strategy, "upper"]
        error = hypot(lower.standard_error, upper.standard_error)
        print(f"{strategy}: the lower half takes {lower.mean - upper.mean:.3f} ± {error:.3f} more")
    print(script.typed_path(path))


if __name__ == "__main__":
    script.run(main)
