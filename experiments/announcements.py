"""What it is worth to be told of a ship: python -m experiments.announcements [GAME …] [-o FOLDER]

The optimum of twenty small games where nothing is announced, that a ship is sunk, which ship is
sunk, and with each hit the name of its ship. Each is confirmed as in `experiments.optima_announced`
or by its row of the tables of optima. Writes data/results/announcements.csv; with GAME only these.
"""

from collections.abc import Iterator
from dataclasses import replace

from experiments import optima, optima_announced, script
from optsearch.game import Game
from optsearch.results.tables import ANNOUNCEMENTS, OPTIMA, OPTIMA_ANNOUNCED
from optsearch.search.solver import Solver
from optsearch.tree.solution import Solution

GAMES = (
    *("3x3:3,2,contact=any", "3x4:3,2", "3x4:3,2,contact=any", "3x4:2,2,contact=any"),
    *("2x6:3,2", "2x6:3,2,contact=any", "2x7:4,3,contact=any", "1x12:4,3,contact=any"),
    *("1x12:3,2,1", "3x5:3,2", "3x5:3,2,contact=any", "3x5:3,3,2", "3x6:4,3", "3x6:4,3,2"),
    *("4x4:4,3", "4x4:3,2", "4x4:3,2,contact=any", "4x4:3,2,1", "4x5:4,3", "4x5:4,3,2"),
)
TOLD = ("nothing", "sunk", "ship", "name")
SECONDS, PATIENCE = 60, 5  # of a search, and of each way to confirm it


def known() -> dict[Game, int]:
    """The total heights in the tables of optima."""
    return {row["game"]: row["total_height"] for table in (OPTIMA, OPTIMA_ANNOUNCED)
            for row in table.read()}  # fmt: skip


def rows(games: list[Game]) -> Iterator[tuple[object, ...]]:
    """The lines of the table; AssertionError for an optimum that no second way confirms."""
    totals = known()

    def of_table(solver: Solver, found: Solution, seconds: float) -> int | None:
        return totals.get(solver.position.game)

    ways = {**optima_announced.OTHERS, "optima": of_table}
    for game in games:
        silent = None
        for told in TOLD:
            answer = optima.confirmed(replace(game, announce=told), ways, SECONDS, PATIENCE)
            if answer is None or len(answer[1]) < 2:
                raise AssertionError(f"{game}, announce={told}: {answer}")
            found, names = answer
            assert found.mean is not None
            silent = silent or found.mean
            saved = silent - found.mean
            yield (
                *(game, told, found.configurations, found.total_height, found.mean),
                *(saved, "+".join(names)),
            )


def main() -> None:
    """The command line."""
    parser = script.parser(__doc__, "announcements")
    parser.add_argument(
        "game", nargs="*", action=script.Listed, parse=Game.parse, help="only these"
    )
    options = parser.parse_args()
    games = options.game or list(map(Game.parse, GAMES))
    found = script.reported(rows(games), len(TOLD) * len(games))
    fields = {"confirmed": " ".join(optima_announced.CONFIRMATIONS.split())}
    ANNOUNCEMENTS.write(found, options.output, fields=fields)


if __name__ == "__main__":
    script.run(main)
