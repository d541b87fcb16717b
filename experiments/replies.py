"""Measure what replies and salvos cost: python -m experiments.replies [-n N] [--false-games M]

Exact greedy and Thompson sampling by the exact posterior play M (150) boards where 0, 5, 10 and 20
percent of the replies are false, at water and at ships alike; greedy and `spread` play N (200)
boards by salvos of 1 to 10. Writes data/results/false_replies.csv and salvos.csv. A run that was
stopped goes on.
"""

from pathlib import Path

from experiments import script
from experiments.leaderboard import mean_difference
from optsearch.cli.simulating import show_simulation_progress
from optsearch.game import Game
from optsearch.game.noise import Noise
from optsearch.play.simulate import Outcome, ReplyModel, simulate
from optsearch.results.tables import TABLES
from optsearch.support.workers import Execution

GAME = Game.parse("8x8:4,3,3,2")
PERCENT = (0, 5, 10, 20)
PLAYERS = ("greedy", "thompson:block_size=1000,information=exact")
SALVO = (1, 2, 3, 5, 10)
TOGETHER = ("greedy", "spread")
SEED = 1


def columns_of(outcome: Outcome) -> tuple[object, ...]:
    """Return the columns of an outcome that both tables have."""
    return (
        outcome.strategy,
        outcome.games,
        outcome.mean,
        outcome.standard_error,
        outcome.sd,
        outcome.worst,
    )


def main() -> None:
    """Play the games and write both tables."""
    parser = script.parser(__doc__, "replies")
    parser.add_argument("-n", "--games", type=int, default=200)
    parser.add_argument("--false-games", type=int, default=150)
    parser.add_argument("--game", type=Game.parse, default=GAME)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--checkpoints", type=Path, default=script.CHECKPOINTS)
    options = parser.parse_args()
    game, checkpoints = options.game, options.checkpoints

    def play(
        players: tuple[str, ...], games: int, reply_model: ReplyModel, name: str
    ) -> tuple[Outcome, ...]:
        with show_simulation_progress() as progress:
            execution = Execution(
                jobs=options.jobs, checkpoint=checkpoints / name, progress=progress
            )
            return simulate(
                players,
                game,
                games=games,
                seed=SEED,
                reply_model=reply_model,
                execution=execution,
            ).outcomes

    rows: list[tuple[object, ...]] = []
    for percent in PERCENT:
        reply_model = ReplyModel(Noise.parse(f"{percent}/100", f"{percent}/100"))
        outcomes = play(PLAYERS, options.false_games, reply_model, f"false_replies_{percent}")
        rows += ((game, percent, *columns_of(outcome)) for outcome in outcomes)
    TABLES["false_replies"].write(rows, options.output, fields={"seed": SEED})

    rows, shot_by_shot = [], dict[str, Outcome]()  # the outcomes of the first salvo, of one shot
    for salvo in SALVO:
        outcomes = play(TOGETHER, options.games, ReplyModel(salvo=salvo), f"salvos_{salvo}")
        for outcome in outcomes:
            first_outcome = shot_by_shot.setdefault(outcome.strategy, outcome)
            outcome_row = (game, salvo, *columns_of(outcome), outcome.salvos.mean())
            rows.append((*outcome_row, *mean_difference(first_outcome, outcome)))
    TABLES["salvos"].write(rows, options.output, fields={"seed": SEED})


if __name__ == "__main__":
    script.run(main)
