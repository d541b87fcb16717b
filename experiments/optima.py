"""Exact optima, each confirmed: python -m experiments.optima [GAME …] [--seconds S] [--again]

Every optimum is found by the solver and confirmed by replaying its tree on every configuration, and
in up to two other ways (CONFIRMATIONS) that take at most --patience seconds each. Two that
disagree end the run. A game without a second way has no row.

The table is written now and then, and a run that was stopped goes on: games that have a row are
computed again only if they are named or --again is given. Games that are not named are left out if
their search takes longer than S seconds (60); nobody has waited for those of UNSOLVED. All seconds
are those of the processor. The longest searches need --memory.
"""

import sys
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, islice, product

from experiments import FIRST, script
from optsearch.check import paper, reference
from optsearch.check import proofs as proof
from optsearch.check.trees import verify
from optsearch.counting.configurations import Configurations
from optsearch.counting.family import Family
from optsearch.game import ANNOUNCEMENTS, CONTACTS, Game
from optsearch.game.position import Position
from optsearch.lower_bounds import leaf_counting, leaves_of
from optsearch.reproduce.printed import rounded
from optsearch.search.greedy import GreedySolver
from optsearch.search.kernels import misses_by_announced_search
from optsearch.search.proving import prove_solution
from optsearch.search.solver import DEFAULT, Solver, SolverOptions, solve
from optsearch.support import records
from optsearch.support.errors import GameError, ImpossiblePosition, NotSupported, TooLarge
from optsearch.support.progress import Limit, LimitReached, no_progress
from optsearch.tree.solution import SearchStatus, Solution

# One ship: on squares up to 8x8 every length, on others those of 2 to 5 cells.
BOARDS = (
    *("9x9", "10x10", "1x8", "2x3", "2x4", "2x5", "2x6", "3x4", "3x5", "3x6", "3x7", "3x8"),
    *("4x5", "4x6", "4x7", "4x8", "5x6", "5x7", "6x7"),
)
MOST_CELLS, LONGEST = 42, 6  # of boards with two ships or three equal ones; of these ships
FLEETS = (
    *("2,2,2", "3,2,2", "3,3,2", "3,3,3", "4,2,2", "4,3,2", "4,3,3", "4,4,2", "4,4,3"),
    *("5,2,2", "5,3,2", "5,4,2", "5,4,3"),
)
LARGER = (
    *("4x6:4,3,2,2", "5x5:4,3,3,2", "5x5:5,4,3,2", "5x6:4,3,3,2"),
    *("5x6:5,4,3,2", "5x6:5,4,3,3,2", "5x7:5,4,3", "5x7:5,4,3,3,2", "6x6:5,4,3,2"),
)
OFFICIAL = ",contact=any,announce=name"
# What a name is worth: with each of the first four replies.
BY_NAMES = (
    *("3x3:3,2,contact=any", "3x4:3,2", "3x4:3,2,contact=any", "3x4:2,2,contact=any"),
    *("2x6:3,2", "2x6:3,2,contact=any", "2x7:4,3,contact=any", "1x12:4,3,contact=any"),
    *("1x12:3,2,1", "3x5:3,2", "3x5:3,2,contact=any", "3x5:3,3,2", "3x6:4,3", "3x6:4,3,2"),
    *("4x4:4,3", "4x4:3,2", "4x4:3,2,contact=any", "4x4:3,2,1", "4x5:4,3", "4x5:4,3,2"),
)
# By every rule; single ships, which contact does not change, as Mayflower plays.
SINGLE = ("3x3:2", "3x3:3", "3x4:2", "3x4:3", "4x4:2", "4x4:3", "4x4:4", "4x5:3", "5x5:3")
BY_RULES = (
    *("1x7:3,2", "2x4:2,2", "2x4:3,2", "2x5:3,2", "2x6:3,2", "2x6:4,2", "3x3:2,2", "3x3:3,2"),
    *("3x3:3,3", "3x4:2,2", "3x4:3,2", "3x4:3,3", "3x4:4,2", "3x4:4,3", "3x5:3,2", "3x5:4,3"),
    *("4x4:2,2", "4x4:3,2", "4x4:3,3", "4x4:4,2", "4x4:4,3", "4x4:4,4", "4x5:3,2", "4x5:4,3"),
    *("5x5:5,4", "3x3:2,2,2", "3x3:3,2,2", "3x4:3,2,2", "3x4:3,3,2", "4x4:3,3,2", "4x4:4,3,2"),
    *("4x4:4,3,3", "4x5:4,3,2", "3x5:5,4,3"),
)
# Where ships do not touch and replies tell of ships
APART = (
    *("3x5:3,3", "3x5:4,2", "2x7:3,2", "2x8:3,2", "3x6:3,2", "3x6:4,2", "4x5:3,3"),
    *("4x5:4,2", "4x5:4,4", "5x5:3,2", "5x5:3,3", "5x5:4,2", "5x5:4,3"),
)
# Nobody has waited for the end of these.
UNSOLVED = {"5x6:2,2,2", "5x6:3,2,2"} | {f"6x6:{fleet}" for fleet in FLEETS} - {"6x6:5,4,3"}

CONFIRMATIONS = """\
tree: an optimal tree replayed on every configuration; reference: the definition in plain Python;
paper: Algorithm 2; published: Table 1, Mayflower or the prototype, in data/published; first: the
solver with all switches off that the first one did not have; unpruned: the search without bounds
and dominated cells; announced: the solver with what it has for announced sinkings
alone, each set of cells one ship; proof: a proof that none is better, checked without the
solver"""

WITHOUT_PRUNING = SolverOptions(leaf_counting=False, profile=False, domination=False)
MOST_CONFIRMATIONS = 3  # of a row
GREEDY_SECONDS = 2
MOST_FOR_GREEDY = 600  # configurations of games whose best greedy strategy is searched
MOST_OF_REFERENCE = {9: 300, 12: 60}  # cells: configurations
MOST_OF_PROOF = 4000  # nodes for each second of patience
PAPER_STATES = 5_000_000  # as estimated; there may be some times as many
commit = cache(records.commit)  # that of the run
Way = Callable[[Solver, Solution, Limit], int | None]  # what it finds within a limit


def games() -> list[Game]:
    """Return the games whose optima this experiment tabulates, in the order of the rows."""
    parsed_games = set()
    for text in _game_texts():
        try:
            parsed_games.add(Game.parse(text))
        except GameError:  # the ships do not fit
            continue
    return [
        game
        for game in sorted(parsed_games, key=row_key)
        if str(game) not in UNSOLVED and Configurations(Position(game)).configurations
    ]


def _game_texts() -> Iterator[str]:
    """Yield the texts of games, some of them twice, or of ships that do not fit."""
    yield from (f"{side}x{side}:{length}" for side in range(2, 9) for length in range(1, side + 1))
    for board in BOARDS:
        columns = int(board.partition("x")[2])
        yield from (f"{board}:{length}" for length in range(2, min(columns, 5) + 1))
    for rules in ("", OFFICIAL):
        for fleet_on_board in _pairs_and_triples():
            yield f"{fleet_on_board}{rules}"
    yield from map(":".join, product(("4x4", "4x5", "4x6", "5x5", "5x6", "6x6"), FLEETS))
    yield from LARGER
    for game, contact, announcement in product(BY_RULES, CONTACTS, ANNOUNCEMENTS):
        yield f"{game},contact={contact},announce={announcement}"
    for game, announcement in product((*APART, *BY_NAMES), ("nothing", "sunk", "ship", "name")):
        yield f"{game},announce={announcement}"
    yield from (f"{game},contact=any,announce=ship" for game in SINGLE)


def _pairs_and_triples() -> Iterator[str]:
    """Yield boards of at most MOST_CELLS with two ships, or with three equal ones."""
    for rows in range(2, 7):
        for columns in range(rows, MOST_CELLS // rows + 1):
            lengths = range(min(columns, LONGEST), 1, -1)
            for long, short in combinations_with_replacement(lengths, 2):
                yield f"{rows}x{columns}:{long},{short}"
            for length in lengths:
                if columns <= 6 and 3 * length <= rows * columns:
                    yield f"{rows}x{columns}:{length},{length},{length}"


def row_key(game: Game) -> tuple[object, ...]:
    """Return the key by which the rows of games are sorted: first by rules, then by size."""
    return (
        CONTACTS.index(game.contact),
        list(ANNOUNCEMENTS).index(game.announce),
        len(game.fleet),
        game.cells,
        game.rows,
        *map(int, game.fleet),
        str(game),
    )


# Other ways to the same total height; None, or an error, where it would take too long


def _total_by_definition(solver: Solver, solution: Solution, limit: Limit) -> int | None:
    """Return the least total of shots by the definition in plain Python; None for large games."""
    cells = solver.position.game.cells
    # The first size that has room for the board; 0 configurations on larger ones.
    most_configurations = next((n for size, n in MOST_OF_REFERENCE.items() if cells <= size), 0)
    if solution.configurations > most_configurations:
        return None
    with reference.caches():
        return reference.solve(solver.position).total_height


def _total_by_paper(solver: Solver, solution: Solution, limit: Limit) -> int | None:
    """Return the least total of shots by the paper's Algorithm 2; None if it cannot or is slow."""
    game = solver.position.game
    if not game.is_silent or game.contact != "none" or game.cells > paper.MAX_UNDECIDED:
        return None
    if game.cells * solution.configurations > 4000:
        return None
    if paper.expected_states(list(Family.of(solver.position).sets)) > PAPER_STATES:
        return None
    return paper.solve(solver.position, memory=1 << 28).total_height


def _published_total(solver: Solver, solution: Solution, limit: Limit) -> int | None:
    """Return the total of shots that a source prints, or None if no source has the game.

    Of a printed mean it is the total that rounds to it, or 0 if no total does.
    """
    game, configurations = solver.position.game, solution.configurations
    for row in records.read_published("table1.csv").rows:
        if row["total_height"] and Game.parse(f"{row['grid']}:{row['fleet']}") == game:
            return int(row["total_height"])
    for row in records.read_published("prototype_optima.csv").rows:
        if Game.parse(row["game"]) == game:
            return int(row["total_height"])
    for row in records.read_published("mayflower.csv").rows:
        text, mean = f"{row['game']},contact=any,announce=ship", row["value"]
        if row["name"] == "optimum" and Game.parse(text) == game:
            total = round(Fraction(mean) * configurations)
            digits = len(mean.partition(".")[2])
            return total if rounded(Fraction(total, configurations), digits) == mean else 0
    return None


def _proved_total(solver: Solver, solution: Solution, limit: Limit) -> int | None:
    """Return the total height that a proof proves to be the least."""
    assert limit.seconds is not None
    if 20 * solution.nodes + solution.subsets > MOST_OF_PROOF * limit.seconds:
        return None
    return proof.check_proof(prove_solution(solution, solver)).total_height


def _way_with_options(options: SolverOptions) -> Way:
    """Return a way that solves with other switches."""

    def way(solver: Solver, solution: Solution, limit: Limit) -> int | None:
        return solve(solver.position, options=options, progress=limit.watch()).total_height

    return way


def _total_by_announced_search(solver: Solver, solution: Solution, limit: Limit) -> int | None:
    """Return the total height by the search for announced sinkings."""
    position = solver.position
    if not position.game.is_silent:
        return None
    misses = misses_by_announced_search(position, lambda nodes: limit.check(), DEFAULT.memory)
    return position.hits_left * solution.configurations + misses


WAYS: dict[str, Way] = {
    "tree": lambda solver, found, limit: verify(solver.tree()),
    "reference": _total_by_definition,
    "paper": _total_by_paper,
    "published": _published_total,
    "first": _way_with_options(FIRST),
    "unpruned": _way_with_options(WITHOUT_PRUNING),
    "announced": _total_by_announced_search,
    "proof": _proved_total,
}


# The table


def within(seconds: float | None) -> Limit:
    """Return a limit in seconds of processor time."""
    return Limit(seconds, clock=time.process_time)


def greedy_total(position: Position, rule: str, seconds: float) -> int | None:
    """Return the total height of greedy with a rule for ties; None if it takes longer."""
    try:
        return GreedySolver(position, progress=within(seconds).watch()).total_height(rule)
    except LimitReached:
        return None


def confirmations(solver: Solver, solution: Solution, patience: float) -> Iterator[str]:
    """Yield the names of the ways that confirm an optimum; SystemExit if one contradicts it.

    patience -- the seconds that each may take.
    """
    for name, total_by_way in WAYS.items():
        try:
            total = total_by_way(solver, solution, within(patience))
        except (LimitReached, NotSupported, TooLarge):
            continue
        if total is None:
            continue
        if total != solution.total_height:
            difference_text = f"{solution.total_height}, but {name} says {total}"
            raise SystemExit(f"{solver.position.game}: {difference_text}")
        yield name


def rows(game: Game, seconds: float, patience: float, memory: int, is_named: bool) -> script.Rows:
    """Yield the row of a game; none if it is not solved, or if no second way confirms the optimum.

    seconds -- for the search of a game that is not named. patience -- for each confirmation.
    """
    position = Position(game)
    latest = SearchStatus(0)

    def note(status: SearchStatus) -> None:
        nonlocal latest
        latest = status

    limit = within(None if is_named else seconds)
    started = time.process_time()
    try:
        solver = Solver(position, SolverOptions(memory=memory), progress=limit.watch(note))
        solution = solver.solution
    except ImpossiblePosition as error:
        print(error, file=sys.stderr)
        return
    except LimitReached:
        bounds = "" if latest.lower is None else f", between {latest.lower} and {latest.best}"
        print(f"{game}: unsolved after {seconds:g} seconds{bounds}", file=sys.stderr)
        return
    seconds_taken = time.process_time() - started
    solver.watch.progress = no_progress  # from here on no limit
    confirmed = list(islice(confirmations(solver, solution, patience), MOST_CONFIRMATIONS))
    if len(confirmed) < 2:
        print(f"{game}: {solution.total_height}, which no second way confirms", file=sys.stderr)
        return
    leaves = leaf_counting(leaves_of(position), game.fleet_cells) if game.is_silent else None
    is_small = solution.configurations <= MOST_FOR_GREEDY
    greedy = greedy_total(position, "best", GREEDY_SECONDS) if is_small else None
    yield (
        game,
        game.contact,
        game.announce,
        game.cells,
        solution.configurations,
        solution.total_height,
        solution.mean,
        leaves,
        greedy,
        solution.nodes,
        solution.subsets,
        seconds_taken,
        "+".join(confirmed),
        commit(),
    )


options = (
    script.option("--seconds", type=float, default=60, help="of a search (60)"),
    script.option("--patience", type=float, default=5, help="seconds of a confirmation (5)"),
    script.option(
        "--memory",
        type=script.memory,
        default=DEFAULT.memory,
        metavar="GIB",
        help="of a search",
    ),
)
main = script.Experiment(
    "optima",
    games,
    rows,
    options,
    fields={"confirmed": " ".join(CONFIRMATIONS.split())},
    order=lambda row: row_key(row[0]),
    read_task=Game.parse,
    keeps_rows=True,
)


if __name__ == "__main__":
    script.run(main)
