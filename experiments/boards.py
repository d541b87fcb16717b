"""Measure the worth of a board's border: python -m experiments.boards [GAME …] [-o FOLDER]

The same fleets on rectangles, on cylinders and tori, where ships go on at the other end, and on
hexagons: how many configurations there are, the optimum, what the best greedy strategy loses, and
the value against the best hider where that takes seconds. Values on rectangles are those of
data/results/equilibria.csv. Writes data/results/boards.csv; with GAME only these.

Two ways that disagree end the run. `confirmed` names those that agree.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction

from experiments import script
from experiments.equilibria import confirmed as method_of_check
from optsearch.check import reference
from optsearch.check.trees import verify
from optsearch.counting.posterior import Posterior
from optsearch.equilibria import equilibrium
from optsearch.game import Game
from optsearch.game.board import MAKERS
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
    """The games of the table, in its order: those that have a configuration."""
    for size in SIZES:
        for fleet in FLEETS:
            for board in MAKERS:
                game = Game.parse(f"{size}:{fleet},board={board}")
                if str(game) != UNSOLVED and Posterior(Position(game)).configurations:
                    yield game


def row(
    game: Game, optima: Mapping[Game, int], values: Mapping[Game, Fraction]
) -> tuple[object, ...]:
    """One line of the table. optima, values -- of games in other tables."""
    position = Position(game)
    solver = Solver(position)
    configurations, total = solver.solution.configurations, solver.solution.total_height
    greedy = GreedySolver(position).total_height("best")
    computed = (configurations, total, greedy)
    assert total is not None
    agree = {
        "count": sum(1 for _ in reference.configurations(position)) == configurations,
        "tree": verify(solver.tree()) == total,
    }
    if game.cells <= REFERENCE_CELLS:
        family = reference.family(position)
        defined = reference.total_height(family), reference.best_greedy(family)
        agree["reference"] = defined == (total, greedy)
    if game in optima:
        agree["optima"] = optima[game] == total
    value = values.get(game)
    if value is None and game not in TOO_LONG:
        best = equilibrium(game)
        value = best.value
        agree["certificate"] = bool(method_of_check(best)) and best.uniform == solver.solution.mean
    if not all(agree.values()):
        raise AssertionError(f"{game}: {computed} and {value}, but {agree}")
    mean = Fraction(total, configurations)
    return (
        game,
        game.board.text,
        game.cells,
        configurations,
        len(game.symmetries()),
        total,
        mean,
        greedy,
        greedy - total,
        value,
        "+".join(agree),
    )


def main() -> None:
    """The command line."""
    parser = script.parser(__doc__, "boards")
    parser.add_argument(
        "game", nargs="*", action=script.Listed, parse=Game.parse, help="only these"
    )
    arguments = parser.parse_args()
    optima = {entry["game"]: entry["total_height"] for entry in TABLES["optima"].read()}
    values = {
        entry["game"]: entry["value"]
        for entry in TABLES["equilibria"].read()
        if entry["value"] is not None
    }
    chosen = arguments.game or list(games())
    rows = []
    for number, game in enumerate(chosen, 1):
        rows.append(row(game, optima, values))
        print(f"{number}/{len(chosen)} {game}: {rows[-1][5]}/{rows[-1][3]}", flush=True)
    path = TABLES["boards"].write(
        rows, arguments.output, fields={"confirmed": " ".join(CONFIRMATIONS.split())}
    )
    print(f"{script.typed_path(path)}: {len(rows)} games")


if __name__ == "__main__":
    script.run(main)
