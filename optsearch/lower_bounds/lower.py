"""The lower bounds of a position or a game by name: quick ones, and long ones for whole games.

The long bounds are computed from the counts of all sets of up to four cells, which takes seconds on
small games. `experiments.lower_bounds` keeps those of the paper's game in tables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import ceil, prod
from typing import NamedTuple

from optsearch.counting.family import Family
from optsearch.counting.posterior import Posterior
from optsearch.counting.prior import Prior
from optsearch.game import MAX_CELLS, Game, bits
from optsearch.game.objective import Objective
from optsearch.game.position import Position
from optsearch.lower_bounds.by_chance import misses_before_hit, misses_by_chance
from optsearch.lower_bounds.chain import count_sequences, mean_at_least, root_chain
from optsearch.lower_bounds.conditional_coverage import (
    ConditionalCoverage,
    list_conditional_coverages,
)
from optsearch.lower_bounds.coverage import CellSetCounts, Coverage
from optsearch.lower_bounds.first_hit import mean_by_sets, mean_by_single_cells
from optsearch.lower_bounds.first_ship import (
    LIMITS,
    MORE_CELLS,
    MOST_CELLS,
    ChainLimits,
    SetsProgress,
    first_ship_chain,
)
from optsearch.lower_bounds.leaves import (
    MOST_LISTED,
    complete_binary_tree,
    count_hit_sequences,
    leaf_counting,
    leaf_counting_after,
    leaf_counting_misses,
    leaves_of,
    weighted_leaf_counting_after,
)
from optsearch.lower_bounds.reveal import MISSES, Revealed, finished_by_reveal, reveal
from optsearch.lower_bounds.ship_chain import Finished, longest_ship_chain
from optsearch.lower_bounds.two_hidden import (
    AllButTwo,
    TwoHidden,
    count_revealed_sets,
    mean_of_two_hidden,
)
from optsearch.lower_bounds.worst_case import hidden_ship_sets, worst_case_misses
from optsearch.support.decimals import time_text
from optsearch.support.errors import TooLarge
from optsearch.support.progress import Progress, Status, no_progress
from optsearch.support.store import Facts

# Limits of bounds that are computed on demand:
NODES = 50_000  # sets in a search for the most that k cells meet
ON_DEMAND = 2_000  # sets of revealed ships that are looked at
SETS = 30_000  # sets of cells of one size in a search for sequences of cells
COMPUTED = 300_000  # configurations of a game whose long bounds are computed
SMALL_BOARD = 30  # cells of a board on which longer sequences are searched
SECONDS = 10.0  # for one bound, if the caller sets no limit
LEAVES_PER_SECOND = 1_000_000  # configurations whose sets of cells are listed and counted
BEFORE_CHAINS = 3  # bounds of `bounds_of_finished` that need none of the chains with costs
PLACEMENTS = 256  # placements of a ship that the kernels of the long bounds have room for
_EACH_BOUND = "each of these bounds"
NOT_LISTED = f"configurations of boards of more than {MAX_CELLS} cells are not listed"


@dataclass(frozen=True)
class Bound:
    """A bound on the least mean number of shots.

    name -- of its argument. side -- "lower" or "upper". source -- a sentence, or a publication.
    """

    name: str
    side: str
    value: Fraction
    source: str


def _lower_bound(name: str, value: Fraction, source: str) -> Bound:
    return Bound(name, "lower", value, source)


@dataclass(frozen=True, kw_only=True)
class BoundsStatus(Status):
    """The progress of the bounds of a game. step -- the name of the step that is running."""

    step: str = ""


class FinishedAtMost(NamedTuple):
    """The most configurations finished with at most some number of misses, by each long bound.

    root_chain, reveal_game, ship_chain, first_ship -- the four upper bounds. cells,
    first_ship_cells -- the lengths of the chains that give the last two; 0 if no chain is below the
    bounds before it.
    """

    root_chain: int
    reveal_game: int
    ship_chain: int
    cells: int
    first_ship: int
    first_ship_cells: int


@dataclass(frozen=True)
class LeftOut:
    """A bound that is not computed, and what it would take."""

    name: str
    reason: str


LeaveOut = Callable[[LeftOut], None]


def ignore_left_out(left_out: LeftOut) -> None:
    """Ignore that a bound is left out; the default."""


def first_bounds(position: Position) -> list[Bound]:
    """Return a lower and an upper bound on the mean number of shots that need no count.

    The lower bound is one shot for each cell of a ship, the upper one the mean of random shots.
    """
    game, hits = position.game, position.hits_left
    open_cells = game.cells - (position.closed | game.holes).bit_count()
    if game.ends_at_hit:
        misses = misses_before_hit(game.fleet_cells, open_cells) if hits else 0
        reason = "any cell, by chance: the first of k of n cells is hit after (n+1)/(k+1) shots"
        return [
            _lower_bound("one hit", Fraction(hits), "the first hit ends the game"),
            Bound("cells at random", "upper", hits + Fraction(misses), reason),
        ]
    reason = "any cell, by chance: k of n cells are hit after k(n+1)/(k+1) shots"
    return [
        _lower_bound("one shot for each cell", Fraction(hits), "every cell of a ship is shot"),
        Bound("cells at random", "upper", hits + misses_by_chance(hits, open_cells), reason),
    ]


def first_objective_bounds(
    position: Position, objective: Objective, weight: int, prior: Prior | None = None
) -> tuple[int, int]:
    """Return a lower and an upper bound on the value of the objective worst or within.

    For worst these are shots. For within=K they are the weight of the configurations that the best
    strategy finishes within K shots.

    weight -- of all configurations together: their number without a prior.
    """
    game, hits = position.game, position.hits_left
    open_cells = game.cells - (position.closed | game.holes).bit_count()
    if objective.kind == "worst":
        worst_misses = 0 if prior is not None else _bound_worst_misses(position)
        return hits + worst_misses, open_cells
    if game.ends_at_hit:
        return 0, weight
    misses_allowed = (objective.shots or 0) - hits
    if misses_allowed >= open_cells - hits:
        return weight, weight
    if game.contact == "any" or position.shots or not game.is_silent or prior is not None:
        return 0, weight  # configurations may share a sequence of replies, or weigh more than 1
    # Each configuration has its own sequence of `hits` hits and some misses that ends in a hit.
    return 0, min(weight, count_sequences(misses_allowed, hits))


def _bound_worst_misses(position: Position) -> int:
    """Return a lower bound on the misses of every strategy in its worst case.

    It is the best bound for a player who is told where all ships but one lie. It is 0 after a shot,
    or if the first hit ends the game. It is also 0 if one hit shows a whole ship, where the
    argument proves nothing.
    """
    game = position.game
    if position.shots or game.ends_at_hit or game.label_of_kind is None:
        return 0
    bounds = (misses for sets in hidden_ship_sets(game) for misses in worst_case_misses(game, sets))
    return max(bounds, default=0)


def lower_bounds(
    position: Position,
    prior: Prior | None = None,
    progress: Progress[BoundsStatus] = no_progress,
    seconds: float = SECONDS,
    leave_out: LeaveOut = ignore_left_out,
) -> list[Bound]:
    """List every lower bound of a position that is quick to compute.

    seconds -- the limit for one bound, by an estimate from what it would list. leave_out -- called
    with each bound that would take longer.

    Raises ImpossiblePosition if no configuration is left. If hits tell something, raises
    NotSupported after shots or with a prior. With a prior, raises as `Family.of`.
    """
    return list(lower_bounds_in_turn(position, prior, progress, seconds, leave_out))


def lower_bounds_in_turn(
    position: Position,
    prior: Prior | None = None,
    progress: Progress[BoundsStatus] = no_progress,
    seconds: float = SECONDS,
    leave_out: LeaveOut = ignore_left_out,
) -> Iterator[Bound]:
    """Yield every lower bound of a position that is quick to compute, as soon as it is computed.

    seconds -- the limit for one bound, by an estimate from what it would list. leave_out -- called
    with each bound that would take longer. Raises as `lower_bounds`.
    """
    game = position.game
    if game.ends_at_hit:
        yield from _bounds_until_hit(position, prior, leave_out)
        return
    if position.shots or prior is not None:
        game.require_silent(_EACH_BOUND)
    if prior is not None:
        yield from _bounds_from_leaves(position, Family.of(position, prior))
        return
    # Means over configurations do not change if equal ships lose their names.
    unnamed = Position(game.with_announcement("nothing")) if game.names_hits else position
    report = _step_reporter(progress)
    configurations = Posterior(
        unnamed, progress=lambda status: report("counting", status.done, status.total)
    ).configurations
    if not configurations:
        Posterior(position).require_some()
    if game.shows_ships:
        yield _bound_from_shown_ships(position, configurations)
        return
    reason_not_to_list = _reason_not_to_list(game, configurations, seconds)
    try:
        if reason_not_to_list:
            leave_out(LeftOut("leaf counting", reason_not_to_list))
            yield _bound_from_ships_apart(position, configurations)
        else:
            yield from _bounds_from_leaves(position)
    except TooLarge as error:
        leave_out(LeftOut("leaf counting", str(error)))
        yield first_bounds(position)[0]
    if game.label_of_kind is not None:  # else hits on one ship tell where it lies
        yield from _bounds_from_two_hidden(unnamed, configurations, progress, leave_out)


def _reason_not_to_list(game: Game, configurations: int, seconds: float) -> str:
    """Return why the configurations cannot be listed; empty if they can or need not be."""
    if game.contact != "any":
        return ""  # their number is enough
    if configurations > min(MOST_LISTED, seconds * LEAVES_PER_SECOND):
        return left_out_reason(configurations, "listed", configurations / LEAVES_PER_SECOND)
    return NOT_LISTED if game.cells > MAX_CELLS else ""


def _bounds_until_hit(
    position: Position, prior: Prior | None, leave_out: LeaveOut
) -> Iterator[Bound]:
    """Yield the lower bounds on the mean number of shots, for a game that the first hit ends.

    The second bound is for a whole game without a prior. It is left out if there are too many
    configurations or cells.
    """
    mean = mean_by_single_cells(position, prior)
    yield _lower_bound("single cells", mean, "the most probable k cells, as if apart; their sum")
    if position.shots or prior is not None:
        return
    configurations, name = Posterior(position).configurations, "sets of cells"
    if configurations > COMPUTED or position.game.cells > MAX_CELLS:
        reason = f"{configurations:,} configurations; up to {COMPUTED:,} are walked"
        leave_out(LeftOut(name, reason))
        return
    yield _lower_bound(name, mean_by_sets(position, NODES), "the most that k cells meet; its sum")


def _bound_from_shown_ships(position: Position, configurations: int) -> Bound:
    """Return the bound by leaf counting in a whole game in which each hit shows its ship.

    The first hit of each ship and the misses before the last of these determine the configuration;
    every other reply follows. With s ships and j misses there are C(s-1+j, j) sequences of first
    hits and misses, and each first hit shows one of the ships that can lie on its cell.
    """
    game, ships = position.game, len(position.game.fleet)
    placements = game.label_table.labels_by_cell
    placements_on_cell = Counter(cell for _, ship in placements for cell in bits(ship))
    first_hit_sequences = max(placements_on_cell.values()) ** ships
    misses = leaf_counting_misses({1: configurations}, ships, first_hit_sequences)
    return _lower_bound(
        "leaf counting of ships",
        position.hits_left + Fraction(misses, configurations),
        "at most C(s-1+j, j) leaves have s ships and j misses, "
        f"times {first_hit_sequences:,} for what hits show",
    )


def left_out_reason(configurations: int, action: str, seconds: float) -> str:
    """Return the reason for leaving out a bound: what would be done, and the time it would take."""
    time = time_text(max(1, seconds))
    return f"{configurations:,} configurations would be {action}, in about {time}"


def _bound_from_ships_apart(position: Position, configurations: int) -> Bound:
    """Return the bound by leaf counting of the configurations in which no ships touch at a side.

    Their sets of cells differ, and they are counted without a list. It only helps the player to
    know that one of them is hidden. So the misses on them bound the misses on all configurations.
    """
    game, hits = position.game, position.hits_left
    contact = "corner" if game.board.has_corners else "none"
    game_apart = replace(game.with_announcement("nothing"), contact=contact)
    apart_count = Posterior(Position(game_apart, position.shots)).configurations
    misses = (
        leaf_counting_misses({1: apart_count}, hits, count_hit_sequences(game))
        if apart_count
        else 0
    )
    return _lower_bound(
        "leaf counting of ships apart",
        hits + Fraction(misses, configurations),
        f"leaf counting of the {apart_count:,} of {configurations:,} configurations in which no "
        "ships touch",
    )


def two_hidden_bound(game: Game, rows: Iterable[AllButTwo], source: str) -> Bound:
    """Return the bound on the mean number of shots if all ships but the last two are shown.

    The player is told where the other ships lie, which can only help. rows -- bounds on the misses,
    as `TwoHidden.bound` returns them. source -- text that says where the rows come from; it ends
    the source of the bound.
    """
    lengths = "{} and {}".format(*game.fleet[-2:])
    return _lower_bound(
        "all ships but two revealed",
        mean_of_two_hidden(game, rows),
        f"the games of the ships of length {lengths}, the others known; {source}",
    )


def _step_reporter(progress: Progress[BoundsStatus]) -> Callable[[str, float, float], None]:
    """Return a function that reports a step by its name, the number done and of all."""
    return lambda step, done, total: progress(BoundsStatus(done=done, total=total, step=step))


def _bounds_from_two_hidden(
    position: Position, configurations: int, progress: Progress[BoundsStatus], leave_out: LeaveOut
) -> Iterator[Bound]:
    """Yield the bound for a player who is told where all ships but the last two lie.

    Nothing is yielded after a shot, for one ship, or if the bound would take too long. In the last
    case leave_out is called with the reason.
    """
    game, name = position.game, "all ships but two revealed"
    if position.shots or len(game.fleet) < 2:
        return
    # A set of revealed ships is in `most_pairs` configurations or fewer, so there are at least
    # this many sets. The count of all sets may take long; it is not needed if these are too many.
    most_pairs = prod(len(game.placements(ship)) for ship in game.fleet[-2:])
    revealed_sets = ceil(Fraction(configurations, most_pairs))
    if revealed_sets <= ON_DEMAND:
        revealed_sets = count_revealed_sets(game)
    if revealed_sets > ON_DEMAND:
        limit = f"at most {ON_DEMAND:,} are looked at"
        leave_out(LeftOut(name, f"{revealed_sets:,} sets of known ships or more; {limit}"))
        return
    try:
        rows = TwoHidden(game).bound(_step_reporter(progress))
    except TooLarge as error:
        leave_out(LeftOut(name, str(error)))
        return
    yield two_hidden_bound(game, rows, "computed here")


def _bounds_from_leaves(position: Position, family: Family | None = None) -> list[Bound]:
    """Return lower bounds on the mean shots, from the number of leaves of a decision tree.

    family -- the configurations with their weights, if there is a prior. If hits tell something,
    the position must be a whole game.
    """
    game, hits = position.game, position.hits_left
    silent_position = position if position.shots else Position(game.with_announcement("nothing"))
    leaves = leaves_of(silent_position) if family is None else Counter(family.weights)
    hit_sequences = count_hit_sequences(game)
    bounds = []
    if hit_sequences == 1:
        source = "Audinot, Bonnet and Viennot (2014), section 4.1, equation 2"
        bounds.append(_lower_bound("complete binary tree", complete_binary_tree(leaves), source))
    source = "at most C(k-1+j, j) leaves have k hits and j misses"
    if hit_sequences > 1:
        source += f", times {hit_sequences:,} sequences of what hits tell"
    bounds.append(_lower_bound("leaf counting", leaf_counting(leaves, hits, hit_sequences), source))
    mean_after_ply = None
    if family is not None:
        mean_after_ply = weighted_leaf_counting_after(family)
    elif hit_sequences == 1 and game.contact != "any":
        mean_after_ply = leaf_counting_after(silent_position, 1)
    if mean_after_ply is not None:
        source = "leaf counting for both replies to the first shot, the least over all shots"
        bounds.append(_lower_bound("leaf counting after one ply", mean_after_ply, source))
    return bounds


def has_long_bounds(position: Position) -> bool:
    """True if the bounds that take long hold for a position, and can be computed for it.

    They hold for whole games in which hits tell nothing and ships do not touch along an edge. After
    a shot they do not hold, since their proof needs a free choice of the first cells. They are
    computed for games of a limited size only.
    """
    game = position.game
    if position.shots or not game.is_silent or game.contact == "any" or game.cells > MAX_CELLS:
        return False
    if max(len(game.placements(ship)) for ship in game.fleet) > PLACEMENTS:
        return False
    return Posterior(position).configurations <= COMPUTED


def bounds_on_demand(
    position: Position, progress: Progress[BoundsStatus] = no_progress
) -> Iterator[Bound]:
    """Yield the lower bounds of a position: the quick ones first, then those that take long.

    progress -- called after each step; it may raise to stop, after which the bounds yielded
    so far still hold. Raises as `lower_bounds`.
    """
    yield from lower_bounds(position, progress=progress)
    if has_long_bounds(position):
        yield from long_bounds_in_turn(position.game, progress)


def long_bounds_in_turn(
    game: Game, progress: Progress[BoundsStatus] = no_progress
) -> Iterator[Bound]:
    """Yield the bounds of a game that take long, as they are computed.

    progress -- called after each step; it may raise to stop, after which the bounds yielded
    so far still hold. Raises NotSupported if hits tell something or ships may touch along an edge,
    ImpossiblePosition if the fleet does not fit, TooLarge if there are too many configurations.
    """
    game.require_silent(_EACH_BOUND)
    report = _step_reporter(progress)
    counts = CellSetCounts.of(game, progress=partial(report, "configurations on sets of cells"))
    coverage = Coverage(counts, NODES)
    revealed = reveal(game, progress=lambda done, total: report("ships shown", len(done), total))

    def list_coverages() -> list[ConditionalCoverage]:
        return list_conditional_coverages(
            game,
            nodes=NODES,
            progress=lambda done, total: report("cells beside a ship", len(done), total),
        )

    stages = count_finished_by_stages(
        coverage,
        revealed,
        list_coverages,
        progress=partial(report, "chains of cells"),
        limits=ChainLimits(SETS, MORE_CELLS if game.cells <= SMALL_BOARD else MOST_CELLS),
        on_sets=lambda length, size, done, total: report(
            "chains of cells beside the first ship", done, total
        ),
    )
    yielded_count = 0
    for computed_count, finished in enumerate(stages, BEFORE_CHAINS):  # each stage has one more
        bounds = bounds_of_finished(
            finished, game.fleet_cells, counts.configurations, "computed here"
        )
        yield from bounds[yielded_count:computed_count]
        yielded_count = computed_count


def count_finished_by_stages(
    coverage: Coverage,
    revealed: Sequence[Revealed],
    list_coverages: Callable[[], Sequence[ConditionalCoverage]],
    progress: Callable[[int, int], None] = lambda done, total: None,
    limits: ChainLimits = LIMITS,
    store: Facts | None = None,
    on_sets: SetsProgress = lambda j, size, done, total: None,
    nodes: int | None = None,
) -> Iterator[list[FinishedAtMost]]:
    """Yield bounds on the configurations finished with at most 0, 1, 2, … misses, in three stages.

    Each stage yields a list with an item for each number of misses. An item has upper bounds by
    four arguments, which hold for every strategy. The first stage computes the first two, the
    second also the third, the last all. A bound that is not yet computed has the least value of
    those before it.

    revealed -- one for each kind of placement of the longest ship. list_coverages -- called after
    the first stage; returns one for each kind of placement of every ship. progress -- called with
    the number of steps done and of all. limits, store, on_sets -- of the search of the last
    argument: `store` keeps its values, from which a later run goes on. nodes -- the search of the
    third argument gives up after this number of sets; None for the limit of `coverage`.
    """
    game, configurations = coverage.counts.game, coverage.counts.configurations
    by_chain = root_chain(game.fleet_cells, configurations, coverage.most_met, MISSES)
    by_chain += [configurations] * (MISSES - len(by_chain))
    by_reveal = finished_by_reveal(game, revealed)

    def join_bounds(by_longest: list[Finished], by_first: list[Finished]) -> list[FinishedAtMost]:
        bounds = zip(by_chain, by_reveal, by_longest, by_first, strict=True)
        return [
            FinishedAtMost(chain, reveal, *longest, *first)
            for chain, reveal, longest, first in bounds
        ]

    def report_half(half: int) -> Callable[[int, int], None]:
        return lambda done, total: progress(half * total + done, 2 * total)

    least_so_far = [min(pair) for pair in zip(by_chain, by_reveal, strict=True)]
    no_chains = [Finished(value, 0) for value in least_so_far]
    yield join_bounds(no_chains, no_chains)
    coverages = list_coverages()
    coverage_for_costs = coverage if nodes is None else Coverage(coverage.counts, nodes)
    by_longest = longest_ship_chain(
        coverage_for_costs, revealed, coverages, known_bounds=least_so_far, progress=report_half(0)
    )
    least_so_far = [finished.configurations for finished in by_longest]
    yield join_bounds(by_longest, [Finished(value, 0) for value in least_so_far])
    by_first = first_ship_chain(
        coverage, coverages, least_so_far, report_half(1), limits, store, on_sets
    )
    yield join_bounds(by_longest, by_first)


def bounds_of_finished(
    finished: Sequence[FinishedAtMost], hits: int, configurations: int, source: str
) -> list[Bound]:
    """Return five lower bounds on the mean shots, from bounds on the configurations finished.

    The first two results use one argument each. The others take the least of two, three or all
    arguments at each number of misses.

    finished -- item i is for the configurations finished with at most i misses. hits -- the number
    of cells of the fleet. source -- where the list comes from; it ends the source of each bound.
    """
    by_chain = [row.root_chain for row in finished]
    by_reveal = [row.reveal_game for row in finished]
    by_two = [min(row.root_chain, row.reveal_game) for row in finished]
    by_three = [min(best, row.ship_chain) for best, row in zip(by_two, finished, strict=True)]
    by_all = [min(best, row.first_ship) for best, row in zip(by_three, finished, strict=True)]

    def make_bound(name: str, values: list[int], argument: str) -> Bound:
        mean = mean_at_least(values, hits, configurations)
        return _lower_bound(name, mean, f"{argument}; {source}")

    of_chain = "one sequence of cells until the first hit"
    of_longest = "what the reveal game leaves of what the chain meets, the least of these three"
    of_first = "the ships through one cell together, and misses beside them; the least of all"
    return [
        make_bound("root chain", by_chain, of_chain),
        make_bound("reveal game", by_reveal, "a ship is shown at its first hit"),
        make_bound("root chain and reveal game", by_two, "the lesser at each number of misses"),
        make_bound("root chain with the longest ship", by_three, of_longest),
        make_bound("root chain with the first ship", by_all, of_first),
    ]
