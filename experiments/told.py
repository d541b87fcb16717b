"""A lower bound where ships may touch: python -m experiments.told [GAME] [-o FOLDER]

The player is told all ships but the two shortest; what two hidden ships cost is bounded for every
set of the others (`lower_bounds.two_hidden` has the proof). It holds whatever hits tell.
Writes told_NAME.csv, which `optsearch bounds` reads and `experiments.check_told` checks.
"""

from dataclasses import replace

from experiments import script
from optsearch.game import Game
from optsearch.lower_bounds import two_hidden_bound
from optsearch.lower_bounds.two_hidden import TwoHidden
from optsearch.results.tables import TABLES, TOLD_BOUND, told_file_name

BOXED = Game.parse("10x10:5,4,3,3,2,contact=any")


def main() -> None:
    """Compute a lower bound by a game with two hidden ships, print it, and write its table."""
    parser = script.parser(__doc__, "told")
    parser.add_argument("game", nargs="?", type=script.game, default=BOXED)
    arguments = parser.parse_args()
    game = replace(arguments.game, announce="nothing")
    clocks: dict[str, script.ProgressClock] = {}

    def report(task: str, parts_done: int, parts: int) -> None:
        clock = clocks.setdefault(task, script.ProgressClock(task))
        clock(parts_done, parts)

    rows = TwoHidden(game).bound(report)
    bound = two_hidden_bound(game, rows, "")
    path = TABLES["told"].write(
        [(row.long, row.short, row.sets, row.pairs, row.price, row.misses) for row in rows],
        arguments.output,
        command=TABLES["told"].command + ("" if game == BOXED else f" {game}"),
        fields={"game": game, TOLD_BOUND: bound.value},
        game=game,
        name=told_file_name(game),
    )
    print(f"{float(bound.value):.6f}  {bound.name} = {bound.value}")
    print(f"wrote {path}")


if __name__ == "__main__":
    script.run(main)
