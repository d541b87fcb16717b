"""The mini-game with a limit of shots: python -m experiments.mini_game [--only STRATEGY …]

`8x8:4,3,2,contact=any,announce=sunk`, 604,584 boards, in which a player wins with 24 shots. The
distributions of strategies over all of its boards, to data/results/mini_game.csv:

- greedy and bisection;
- the policy `within`, made for a limit of shots.

A strategy that is done is kept, and a run that was stopped goes on after it.
"""

from experiments import script
from optsearch.evaluation import evaluate
from optsearch.game import Game
from optsearch.results.tables import MINI_GAME

GAME = Game.parse("8x8:4,3,2,contact=any,announce=sunk")
LIMITS = (19, 20, 24)
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
    path = MINI_GAME.path(arguments.output)
    found: dict[str, dict[int, int]] = {}
    for row in MINI_GAME.read(path) if path.is_file() else ():
        found.setdefault(row["strategy"], {})[row["shots"]] = row["configurations"]
    for name in PLAYERS:
        if arguments.only is None and name in found:
            continue
        if arguments.only is not None and name not in arguments.only:
            continue
        found[name] = evaluate(name, GAME).histogram
        shots = sum(number * n for number, n in found[name].items())
        boards = sum(found[name].values())
        won = {k: sum(n for number, n in found[name].items() if number <= k) for k in LIMITS}
        print(f"{name}: {shots / boards:.6f} shots, {won}", flush=True)
        MINI_GAME.write(
            [(name, number, n) for name in PLAYERS for number, n in found.get(name, {}).items()],
            arguments.output,
            fields={"game": GAME, "configurations": boards},
            game=GAME,
        )
    print(f"{script.typed_path(path)}: {len(found)} strategies")


if __name__ == "__main__":
    script.run(main)
