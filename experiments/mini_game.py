"""The mini-game with a limit of shots: python -m experiments.mini_game [--only STRATEGY …]

`8x8:4,3,2,contact=any,announce=sunk`, 604,584 boards, in which a player wins with 24 shots. The
histograms of strategies over all of its boards, to data/results/mini_game.csv:

- greedy and bisection;
- the policy `within`, made for a limit of shots.

A strategy that is done is kept, and a run that was stopped goes on after it.
"""

from experiments import script
from optsearch.evaluation import evaluate
from optsearch.game import Game
from optsearch.results.tables import TABLES
from optsearch.support import records

GAME = Game.parse("8x8:4,3,2,contact=any,announce=sunk")
PLAYERS = (
    "greedy:ties=first,endgame=0",
    "bisection:ties=first",
    "within:shots=20",
    "within:shots=24",
)


def main() -> None:
    """Compute and write the table."""
    parser = script.parser(__doc__, "mini_game")
    parser.add_argument("--only", action="append", choices=PLAYERS)
    arguments = parser.parse_args()
    path = TABLES["mini_game"].path(arguments.output)
    rows = [tuple(row.values()) for row in TABLES["mini_game"].read(path)] if path.is_file() else []
    evaluated = {row[0] for row in rows} - set(arguments.only or ())
    for name in arguments.only or [name for name in PLAYERS if name not in evaluated]:
        evaluation = evaluate(name, GAME)
        rows = [row for row in rows if row[0] in evaluated]
        rows += [(name, shots, n, records.commit()) for shots, n in evaluation.histogram.items()]
        evaluated.add(name)
        print(f"{name}: {float(evaluation.mean):.6f} shots", flush=True)
        rows.sort(key=lambda row: (PLAYERS.index(str(row[0])), row[1]))
        fields = {"game": GAME, "configurations": evaluation.configurations}
        TABLES["mini_game"].write(rows, arguments.output, fields=fields, game=GAME)
    print(f"{script.typed_path(path)}: {len(evaluated)} strategies")


if __name__ == "__main__":
    script.run(main)
