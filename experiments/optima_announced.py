"""Optima where ships may touch or sinkings are announced: python -m experiments.optima_announced

As `experiments.optima`: each optimum is found by the solver and confirmed by replaying its tree on
every configuration, and in as many other ways as some seconds allow (CONFIRMATIONS). Two that
disagree end the run. A game is a row only if a second way agrees.

The table is written after each game, and a run that was stopped goes on after the last one: games
that have a row are not computed again unless they are named or --again is given.
"""

import sys
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product

from experiments import optima, script
from optsearch.check import reference
from optsearch.game import CONTACTS, Game
from optsearch.game.position import Position
from optsearch.reproduce.printed import rounded
from optsearch.results.tables import OPTIMA_ANNOUNCED
from optsearch.search.kernels import SolverOptions
from optsearch.search.solver import Solver, solve
from optsearch.support import records
from optsearch.support.errors import NotSupported
from optsearch.support.progress import Limit, LimitReached, Progress
from optsearch.tree.solution import SearchStatus, Solution

ONE_SHIP = ("3x3:2", "3x3:3", "3x4:2", "3x4:3", "4x4:2", "4x4:3", "4x4:4", "4x5:3", "5x5:3")
FLEETS = (
    *("1x7:3,2", "2x4:2,2", "2x4:3,2", "2x5:3,2", "2x6:3,2", "2x6:4,2", "3x3:2,2", "3x3:3,2"),
    *("3x3:3,3", "3x4:2,2", "3x4:3,2", "3x4:3,3", "3x4:4,2", "3x4:4,3", "3x5:3,2", "3x5:4,3"),
    *("4x4:2,2", "4x4:3,2", "4x4:3,3", "4x4:4,2", "4x4:4,3", "4x4:4,4", "4x5:3,2", "4x5:4,3"),
    *("5x5:5,4", "3x3:2,2,2", "3x3:3,2,2", "3x4:3,2,2", "3x4:3,3,2", "4x4:3,3,2", "4x4:4,3,2"),
    *("4x4:4,3,3", "4x5:4,3,2", "3x5:5,4,3"),
)
LARGE = (
    *("3x5:3,3", "3x5:4,2", "2x7:3,2", "2x8:3,2", "3x6:3,2", "3x6:4,2", "3x6:4,3"),
    *("4x5:3,3", "4x5:4,2", "4x5:4,4", "5x5:3,3", "5x5:4,2", "5x5:4,3"),
)
RULES = tuple(
    f",contact={contact},announce={announce}"
    for contact, announce in product(CONTACTS, ("nothing", "sunk", "ship"))
    if (contact, announce) != ("none", "nothing")
)
CONFIRMATIONS = """\
tree: an optimal tree replayed on every configuration; reference: the definition in plain Python;
unpruned: the search without bounds, dominated cells and small cases; unnamed: that without
words, sides and names; published: Mayflower,
data/published/mayflower.csv; silent: the optimum of the same game where nothing is announced, by
another kernel, which one ship cannot change; proof, first: as in optima.csv"""

BOUNDS_OFF = SolverOptions(leaf_counting=False, profile=False, domination=False, small_cases=False)
UNNAMED = SolverOptions(words=False, two_sided=False, names=False)
GREEDY_SECONDS = 60
REFERENCE_CELLS = 9
REFERENCE_CONFIGURATIONS = 110  # on 12 cells


def games() -> Iterator[Game]:
    """The games of the table, in its order."""
    for text in ONE_SHIP:
        yield Game.parse(f"{text},contact=any,announce=ship")
    for text in FLEETS:
        for rules in RULES:
            yield Game.parse(text + rules)
    for text in LARGE:
        for told in ("sunk", "ship", "name"):
            yield Game.parse(f"{text},announce={told}")


# Other ways to the same total height; each None where it would take too long


def _reference(solver: Solver, found: Solution, seconds: float) -> int | None:
    cells = solver.position.game.cells
    if cells > 12 or (cells > REFERENCE_CELLS and found.configurations > REFERENCE_CONFIGURATIONS):
        return None
    with reference.caches():
        return reference.solve(solver.position).total_height


def _without(options: SolverOptions) -> optima.Way:
    """What confirms games of which a hit tells something: the search with other switches."""

    def way(solver: Solver, found: Solution, seconds: float) -> int | None:
        if solver.position.game.is_silent:
            return None
        try:
            progress: Progress[SearchStatus] = Limit(seconds).watch()
            return solve(solver.position, options=options, progress=progress).total_height
        except LimitReached:
            return None

    return way


def _published(solver: Solver, found: Solution, seconds: float) -> int | None:
    """The total that is printed, or that rounds to the mean that is printed; 0 if none does."""
    game = solver.position.game
    if (game.contact, game.announce) != ("any", "ship"):
        return None
    silent = replace(game, contact="none", announce="nothing")
    for row in records.read_published("mayflower.csv").rows:
        if row["name"] == "optimum" and Game.parse(row["game"]) == silent:
            total = round(Fraction(row["value"]) * found.configurations)
            digits = len(row["value"].partition(".")[2])
            mean = Fraction(total, found.configurations)
            return total if rounded(mean, digits) == row["value"] else 0
    return None


def _silent(solver: Solver, found: Solution, seconds: float) -> int | None:
    game = solver.position.game
    if game.is_silent or len(game.fleet) > 1:
        return None
    return solve(Position(Game(game.rows, game.columns, game.fleet))).total_height


def _by_optima(name: str) -> optima.Way:
    """What confirms games of optima.csv, where nothing is announced."""

    def way(solver: Solver, found: Solution, seconds: float) -> int | None:
        if not solver.position.game.is_silent:
            return None
        try:
            return optima.OTHERS[name](solver, found, seconds)
        except NotSupported:
            return None

    return way


OTHERS: dict[str, optima.Way] = {
    "reference": _reference,
    "unpruned": _without(BOUNDS_OFF),
    "unnamed": _without(UNNAMED),
    "published": _published,
    "silent": _silent,
    "proof": _by_optima("proof"),
    "first": _by_optima("first"),
}


# The table


def row(game: Game, max_seconds: float, patience: float) -> dict[str, object] | None:
    """One line of the table; None where there are no configurations or the time is over."""
    answer = optima.confirmed(game, OTHERS, max_seconds, patience)
    if answer is None:
        return None
    found, ways = answer
    if len(ways) < 2:
        print(f"{game}: {found.total_height}, which no second way confirms", file=sys.stderr)
        return None
    values = (
        game,
        game.cells,
        found.configurations,
        found.total_height,
        found.mean,
        optima.greedy_total(Position(game), "best", GREEDY_SECONDS),
        found.nodes,
        found.seconds,
        "+".join(ways),
        records.commit(),
    )
    return dict(zip(OPTIMA_ANNOUNCED.names, values, strict=True))


def main() -> None:
    """Compute and write the table."""
    parser = script.parser(__doc__, "optima_announced")
    parser.add_argument(
        "game", nargs="*", action=script.Listed, parse=Game.parse, help="only these"
    )
    parser.add_argument("--max-seconds", type=float, default=20, help="give a game up after these")
    parser.add_argument("--patience", type=float, default=40, help="for one confirmation")
    parser.add_argument("--again", action="store_true", help="also games that have a row")
    arguments = parser.parse_args()
    listed = list(games())
    optima.fill(
        OPTIMA_ANNOUNCED,
        arguments.output,
        listed,
        arguments.game or listed,
        arguments.again or bool(arguments.game),
        lambda game: row(game, arguments.max_seconds, arguments.patience),
        CONFIRMATIONS,
    )


if __name__ == "__main__":
    script.run(main)
