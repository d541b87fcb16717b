"""Measure the worth of a board's border: python -m experiments.boards [GAME …] [-o FOLDER]

The same fleets on rectangles, on cylinders and tori, where ships go on at the other end, and on
hexagons: how many configurations there are, the optimum, what the best greedy strategy loses, and
the value against the best hider where that takes seconds. Values on rectangles are those of
data/results/equilibria.csv. Writes data/results/boards.csv; with GAME only these.

Two ways that disagree end the run. `confirmed` names those that agree.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any

from experiments import script
from experiments.equilibria import check_by_certificate
from optsearch.check import reference
from optsearch.check.trees import verify
from optsearch.counting.posterior import Posterior
from optsearch.equilibria import equilibrium
from optsearch.game import Game
from optsearch.game.board import BOARD_MAKERS
from optsearch.game.position import Position
from optsearch.results.tables import TABLES
from optsearch.search.greedy import GreedySolver
from optsearch.search.solver import Solver

SIZES = ("3x4", "4x4", "4x5", "5x5")
FLEETS = ("2", "3", "4", "2,2", "3,2", "3,3", "4,2")
UNSOLVED = "5x5:2,2,board=hex"  # its optimum was not found in four seconds
LONG = {
    "hex": "4x4:2,2 4x4:3,2 4x5:2 4x5:2,2 4x5:3,2 4x5:3,3 4x5:4,2 "
    "5x5:2 5x5:3 5x5:3,2 5x5:3,3 5x5:4,2",
    "cylinder": "4x5:2,2 4x5:3,2 5x5:2 5x5:2,2 5x5:3,2 5x5:3,3 5x5:4,2",
    "rectangle": "4x5:2,2 4x5:3,2 5x5:2,2 5x5:3,2 5x5:4,2",
}
"""Games whose value takes longer than some seconds, by their boards."""
TOO_LONG = frozenset(
    Game.parse(f"{text},board={board}") for board, texts in LONG.items() for text in texts.split()
)
REFERENCE_CELLS = 12

CONFIRMATIONS = """\
count: configurations listed by the definition in plain Python; tree: an optimal tree replayed on
every configuration; reference: the optimum and the best greedy strategy by the definition; optima:
the optimum in data/results/optima.csv; certificate: one of the value, checked"""


def games() -> Iterator[Game]:
    """Yield the games of boards.csv: of these sizes, fleets and boards all but UNSOLVED.

    Games without a configuration are left out.
    """
    for size in SIZES:
        for fleet in FLEETS:
            for board in BOARD_MAKERS:
                game = Game.parse(f"{size}:{fleet},board={board}")
                if str(game) != UNSOLVED and Posterior(Position(game)).configurations:
                    yield game


@cache
def column_of(table: str, name: str) -> dict[Game, Any]:
    """Map each game of a table to its value in a column."""
    return {row["game"]: row[name] for row in TABLES[table].read()}


def rows(game: Game) -> script.Rows:
    """Yield the row of a game; AssertionError if two ways to compute a value disagree."""
    position = Position(game)
    solver = Solver(position)
    configurations, total_height = solver.solution.configurations, solver.solution.total_height
    best_greedy_total = GreedySolver(position).total_height("best")
    assert total_height is not None
    agrees = {
        "count": sum(1 for _ in reference.configurations(position)) == configurations,
        "tree": verify(solver.tree()) == total_height,
    }
    if game.cells <= REFERENCE_CELLS:
        family = reference.family(position)
        by_definition = reference.total_height(family), reference.best_greedy(family)
        agrees["reference"] = by_definition == (total_height, best_greedy_total)
    optima = column_of("optima", "total_height")
    if game in optima:
        agrees["optima"] = optima[game] == total_height
    value = column_of("equilibria", "value").get(game)
    if value is None and game not in TOO_LONG:
        best_hider_equilibrium = equilibrium(game)
        value = best_hider_equilibrium.value
        is_checked = bool(check_by_certificate(best_hider_equilibrium))
        agrees["certificate"] = (
            is_checked and best_hider_equilibrium.uniform_payment == solver.solution.mean
        )
    if not all(agrees.values()):
        computed = (configurations, total_height, best_greedy_total)
        raise AssertionError(f"{game}: {computed} and {value}, but {agrees}")
    mean = Fraction(total_height, configurations)
    yield (
        game,
        game.board.text,
        game.cells,
        configurations,
        len(game.symmetries()),
        total_height,
        mean,
        best_greedy_total,
        best_greedy_total - total_height,
        value,
        "+".join(agrees),
    )


fields = {"confirmed": " ".join(CONFIRMATIONS.split())}
main = script.Experiment("boards", games, rows, fields=fields, read_task=Game.parse)


if __name__ == "__main__":
    script.run(main)
