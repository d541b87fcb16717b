"""The mini-game with a limit of shots: python -m experiments.mini_game [STRATEGY …]

`8x8:4,3,2,contact=any,announce=sunk`, 604,584 boards, in which a player wins with 24 shots. The
histograms of strategies over all of its boards, to data/results/mini_game.csv:

- greedy and bisection;
- the policy `within`, made for a limit of shots.

A strategy that is done is kept, and a run that was stopped goes on after it.
"""

from experiments import script
from optsearch.counting.posterior import Posterior
from optsearch.evaluation import evaluate
from optsearch.game import Game
from optsearch.support import records

GAME = Game.parse("8x8:4,3,2,contact=any,announce=sunk")
PLAYERS = (
    "greedy:ties=first,endgame=0",
    "bisection:ties=first",
    "within:shots=20",
    "within:shots=24",
)


def rows(strategy: str) -> script.Rows:
    """Yield a row for each number of shots of a strategy."""
    for shots, number in evaluate(strategy, GAME).histogram.items():
        yield strategy, shots, number, records.commit()


main = script.Experiment(
    "mini_game",
    PLAYERS,
    rows,
    fields=lambda: {"game": GAME, "configurations": Posterior(GAME).configurations},
    order=lambda row: ([*PLAYERS, row[0]].index(row[0]), row[1]),
    read_task=str,
    keeps_rows=True,
)


if __name__ == "__main__":
    script.run(main)
