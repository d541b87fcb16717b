"""Exact optima, each confirmed: python -m experiments.optima [--seconds S] [--again] [GAME …]

Every optimum is found by the solver and confirmed by replaying its tree on every configuration, and
in as many other ways as some seconds allow (CONFIRMATIONS). Two that disagree end the run.

The table is written after each game, and a run that was stopped goes on after the last one: games
that have a row are not computed again unless they are named or --again is given. Games that take
longer than S seconds (10) are left out unless they are named. The longest need --memory.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from math import inf
from pathlib import Path

from experiments import FIRST, script
from optsearch.check import paper, reference
from optsearch.check import proofs as proof
from optsearch.check.trees import verify
from optsearch.counting.configurations import Configurations
from optsearch.counting.family import Family
from optsearch.game import Game
from optsearch.game.position import Position
from optsearch.lower_bounds import leaf_counting, leaves_of
from optsearch.results.tables import OPTIMA, Table
from optsearch.search.greedy import GreedySolver
from optsearch.search.kernels import misses_with_one_ship_a_set
from optsearch.search.proving import prove
from optsearch.search.solver import DEFAULT, Solver, SolverOptions, solve
from optsearch.support import records
from optsearch.support.errors import ImpossiblePosition, NotSupported, TooLarge
from optsearch.support.progress import Limit, LimitReached, no_progress
from optsearch.tree.solution import SearchStatus, Solution

SIDES = range(2, 9)  # of the squares
RECTANGLES = (
    *((1, 8), (2, 3), (2, 4), (2, 5), (2, 6), (3, 4), (3, 5), (3, 6), (3, 7), (3, 8), (4, 5)),
    *((4, 6), (4, 7), (4, 8), (5, 6), (5, 7), (6, 7)),
)
SMALL = ((3, 3), (3, 4), (4, 4), (4, 5), (4, 6), (5, 5), (5, 6), (6, 6))
TRIPLES = (
    *("2,2,2", "3,2,2", "3,3,2", "3,3,3", "4,2,2", "4,3,2", "4,3,3", "4,4,2", "4,4,3"),
    *("5,2,2", "5,3,2", "5,4,2", "5,4,3"),
)
LARGER = (
    *("4x6:4,3,2,2", "5x5:4,3,3,2", "5x5:5,4,3,2", "5x6:4,3,3,2"),
    *("5x6:5,4,3,2", "5x6:5,4,3,3,2", "5x7:5,4,3", "5x7:5,4,3,3,2", "6x6:5,4,3,2"),
)
# Seconds of the games that take more than ten; infinite where nobody has waited.
LONG = {
    "10x10:2": 60,
    "5x6:2,2": 20,
    "5x6:3,2": 40,
    "5x6:4,2": 30,
    "5x6:5,2": 25,
    "6x6:2,2": 1300,
    "6x6:3,2": inf,
    "6x6:4,2": 600,
    "6x6:4,3": 12,
    "6x6:5,2": 400,
    "6x6:6,2": 20,
    "5x6:2,2,2": inf,
    "5x6:3,2,2": inf,
    "5x6:4,2,2": 120,
    "5x6:4,3,2": 30,
    "5x6:4,4,2": 11,
    "5x6:5,3,2": 20,
    "5x7:5,4,3,3,2": 40,
    "6x6:5,4,3,2": 900,
    **{f"6x6:{fleet}": inf for fleet in TRIPLES},
    "6x6:5,4,3": 16,
}

CONFIRMATIONS = """\
tree: an optimal tree replayed on every configuration; reference: the definition in plain Python;
paper: Algorithm 2; published: Table 1; prototype: data/published/prototype_optima.csv;
proof: a proof that none is better, checked without the solver; first: the solver with all switches
off that the first one did not have; announced: the solver with what it has for announced sinkings
alone, each set of cells one ship"""

GREEDY_SECONDS = 5
PATIENCE = 10
ANNOUNCED_NODES = 100_000  # for each second of patience
ANNOUNCED_MEMORY = 1 << 32  # bytes at most, which a patience of many minutes needs
PAPER_STATES = 5_000_000  # as estimated; there may be some times as many
Way = Callable[[Solver, Solution, float], int | None]  # what it finds in so many seconds


def games() -> Iterator[Game]:
    """The games of the table, in its order."""
    for game in _games():
        if Configurations(Position(game)).configurations:
            yield game


def _games() -> Iterator[Game]:
    for side in SIDES:
        for length in range(1, side + 1):
            yield Game(side, side, (length,))
    for side in (9, 10):
        for length in range(2, 6):
            yield Game(side, side, (length,))
    for rows, columns in RECTANGLES:
        for length in range(2, min(columns, 5) + 1):
            yield Game(rows, columns, (length,))
    for rows, columns in SMALL:
        for long in range(2, columns + 1):
            for short in range(2, long + 1):
                yield Game(rows, columns, (long, short))
    for rows, columns in SMALL[2:]:
        for fleet in TRIPLES:
            if max(map(int, fleet.split(","))) <= columns:
                yield Game.parse(f"{rows}x{columns}:{fleet}")
    yield from map(Game.parse, LARGER)


# Other ways to the same total height; each None where it would take too long


def _reference(solver: Solver, found: Solution, seconds: float) -> int | None:
    if solver.position.game.cells > 12:
        return None
    return reference.solve(solver.position).total_height


def _paper(solver: Solver, found: Solution, seconds: float) -> int | None:
    family = Family.of(solver.position)
    cells = solver.position.game.cells
    if cells > paper.MAX_UNDECIDED or cells * found.configurations > 4000:
        return None
    if paper.expected_states(list(family.sets)) > PAPER_STATES:
        return None
    try:
        return paper.solve(solver.position, memory=1 << 28).total_height
    except TooLarge:
        return None


def _published(solver: Solver, found: Solution, seconds: float) -> int | None:
    rows = records.read_published("table1.csv").rows
    return _listed(solver, {f"{row['grid']}:{row['fleet']}": row["total_height"] for row in rows})


def _prototype(solver: Solver, found: Solution, seconds: float) -> int | None:
    rows = records.read_published("prototype_optima.csv").rows
    return _listed(solver, {row["game"]: row["total_height"] for row in rows})


def _listed(solver: Solver, totals: dict[str, str]) -> int | None:
    printed = {Game.parse(text): total for text, total in totals.items() if total}
    game = solver.position.game
    return int(printed[game]) if game in printed else None


def _proof(solver: Solver, found: Solution, seconds: float) -> int | None:
    if 20 * found.nodes + found.subsets > 4_000 * seconds:
        return None
    assert found.total_height is not None
    misses = found.total_height - found.configurations * solver.position.game.fleet_cells

    limit = Limit(seconds)

    def least_misses(sets: tuple[int, ...], weights: tuple[int, ...], most: int) -> int:
        limit.check()
        return solver.least_misses(sets, weights, most)

    try:
        made = prove(solver.position, misses, least_misses, solver.prices)
    except LimitReached:
        return None
    return proof.check_proof(made).total_height


def _first(solver: Solver, found: Solution, seconds: float) -> int | None:
    try:
        first = solve(solver.position, options=FIRST, time_limit=seconds)
    except NotSupported:  # not even a bracket yet
        return None
    assert found.total_height is not None
    if first.lower is not None and first.lower > found.total_height:
        return first.lower
    if first.upper is not None and first.upper < found.total_height:
        return first.upper
    return first.total_height


def _announced(solver: Solver, found: Solution, seconds: float) -> int | None:
    most = None if seconds == inf else round(ANNOUNCED_NODES * seconds)
    position, limit = solver.position, Limit(effort=most)
    try:
        misses = misses_with_one_ship_a_set(position, limit.check, ANNOUNCED_MEMORY)
    except LimitReached:
        return None
    return position.hits_left * found.configurations + misses


OTHERS: dict[str, Way] = {
    "reference": _reference,
    "paper": _paper,
    "published": _published,
    "proof": _proof,
    "prototype": _prototype,
    "first": _first,
    "announced": _announced,
}


# The table


def greedy_total(position: Position, rule: str, seconds: float) -> int | None:
    """The total height of greedy with a rule for ties; None if it takes longer."""
    try:
        return GreedySolver(position, progress=Limit(seconds).watch()).total_height(rule)
    except LimitReached:
        return None


def confirmed(
    game: Game,
    ways: Mapping[str, Way],
    max_seconds: float | None,
    patience: float,
    options: SolverOptions = DEFAULT,
) -> tuple[Solution, list[str]] | None:
    """An optimum and the names of what confirms it; None without one, or if the time is over."""
    known = SearchStatus(0)

    def note(status: SearchStatus) -> None:
        nonlocal known
        known = status

    try:
        solver = Solver(Position(game), options, progress=Limit(max_seconds).watch(note))
        found = solver.solution
        replayed = verify(solver.tree())
    except ImpossiblePosition as error:
        print(error, file=sys.stderr)
        return None
    except LimitReached:
        between = "" if known.lower is None else f", between {known.lower} and {known.best}"
        print(f"{game}: unsolved after {max_seconds:g} seconds{between}", file=sys.stderr)
        return None
    solver.watch.progress = no_progress
    answers = {
        "tree": replayed,
        **{name: way(solver, found, patience) for name, way in ways.items()},
    }
    for name, total in answers.items():
        if total not in (None, found.total_height):
            raise SystemExit(f"{game}: {found.total_height}, but {name} says {total}")
    return found, [name for name, total in answers.items() if total is not None]


def row(
    game: Game,
    max_seconds: float | None = None,
    patience: float = PATIENCE,
    options: SolverOptions = DEFAULT,
) -> dict[str, object] | None:
    """One line of the table; None where there are no configurations or the time is over."""
    answer = confirmed(game, OTHERS, max_seconds, patience, options)
    if answer is None:
        return None
    found, ways = answer
    position = Position(game)
    bound = leaf_counting(leaves_of(position), game.fleet_cells)
    few = found.configurations <= 600
    best_greedy = greedy_total(position, "best", GREEDY_SECONDS) if few else None
    values = (
        game,
        game.cells,
        found.configurations,
        found.total_height,
        found.mean,
        bound,
        best_greedy,
        found.nodes,
        found.subsets,
        found.seconds,
        "+".join(ways),
        records.commit(),
    )
    return dict(zip(OPTIMA.names, values, strict=True))


def fill(
    table: Table,
    output: Path,
    listed: list[Game],
    chosen: list[Game],
    again: bool,
    row: Callable[[Game], dict[str, object] | None],
    confirmations: str = "",
) -> None:
    """Compute the rows of the chosen games, and write the table after each.

    listed -- all its games, in order; others come after these. again -- also games that have a row.
    row -- of a game; None leaves it out, or as it was.
    """
    path = table.path(output)
    rows = {known["game"]: known for known in table.read(path)} if path.exists() else {}
    chosen = [game for game in chosen if again or game not in rows]
    order = listed + [game for game in chosen if game not in listed]
    for number, game in enumerate(chosen, 1):
        found = row(game)
        if found is None:
            continue
        rows[game] = found
        table.write(
            [tuple(rows[game].values()) for game in order if game in rows],
            output,
            fields={"confirmed": " ".join(confirmations.split())},
        )
        print(
            f"{number}/{len(chosen)} {game}: {found['total_height']}/{found['configurations']}"
            f" ({found['seconds']:.3f} s) {found['confirmed']}",
            flush=True,
        )
    print(f"{script.typed_path(path)}: {len(rows)} games")


def main() -> None:
    """Compute and write the table."""
    parser = script.parser(__doc__, "optima")
    parser.add_argument(
        "game", nargs="*", action=script.Listed, parse=Game.parse, help="only these, however long"
    )
    parser.add_argument("--seconds", type=float, default=10, help="leave out longer games")
    parser.add_argument("--max-seconds", type=float, help="give a game up after this time")
    parser.add_argument("--patience", type=float, default=PATIENCE, help="for one confirmation")
    parser.add_argument(
        "--memory",
        type=script.memory,
        default=DEFAULT.memory,
        metavar="GIB",
        help="of a search (2)",
    )
    parser.add_argument("--again", action="store_true", help="also games that have a row")
    arguments = parser.parse_args()
    options = SolverOptions(memory=arguments.memory)
    listed = list(games())
    chosen = arguments.game or [
        game for game in listed if LONG.get(str(game), 0) <= arguments.seconds
    ]
    fill(
        OPTIMA,
        arguments.output,
        listed,
        chosen,
        arguments.again or bool(arguments.game),
        lambda game: row(game, arguments.max_seconds, arguments.patience, options),
        CONFIRMATIONS,
    )


if __name__ == "__main__":
    script.run(main)
