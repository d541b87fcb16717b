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
from math import comb, prod
from typing import NamedTuple

from optsearch.counting.family import Family
from optsearch.counting.posterior import Posterior
from optsearch.counting.prior import Prior
from optsearch.game import MAX_CELLS, Game, bits
from optsearch.game.objective import Objective
from optsearch.game.position import Position
from optsearch.lower_bounds.by_chance import misses_before_hit, misses_by_chance
from optsearch.lower_bounds.chain import mean_at_least, root_chain
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
    MOST_SETS,
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
_THESE = "each of these bounds"
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


@dataclass(frozen=True, kw_only=True)
class BoundsStatus(Status):
    """The progress of the bounds of a game. step -- the name of the one that is running."""

    step: str = ""


class FinishedAtMost(NamedTuple):
    """A(l) by each of the long bounds: the most configurations finished with at most l misses.

    cells, first_ship_cells -- the numbers of cells of the two chains with costs of ships; 0 if the
    chain is not below the bounds before it.
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
    """Return a bracket that needs no count: one shot for each ship cell, and shots at random."""
    game, hits = position.game, position.hits_left
    cells = game.cells - (position.closed | game.holes).bit_count()
    if game.ends_at_hit:
        misses = misses_before_hit(game.fleet_cells, cells) if hits else 0
        chance = "any cell, by chance: the first of k of n cells is hit after (n+1)/(k+1) shots"
        return [
            Bound("one hit", "lower", Fraction(hits), "the first hit ends the game"),
            Bound("cells at random", "upper", hits + Fraction(misses), chance),
        ]
    return [
        Bound("one shot for each cell", "lower", Fraction(hits), "every cell of a ship is shot"),
        Bound(
            "cells at random",
            "upper",
            hits + misses_by_chance(hits, cells),
            "any cell, by chance: k of n cells are hit after k(n+1)/(k+1) shots",
        ),
    ]


def first_objective_bounds(
    position: Position, objective: Objective, weight: int, prior: Prior | None = None
) -> tuple[int, int]:
    """Bracket the worst case (in shots), or what the configurations finished within K shots weigh.

    The analogue of `first_bounds` for the objectives worst and within. Configurations finished with
    j misses are words of hits and misses that end in a hit, a different word for each set of cells.

    weight -- of all configurations: their number without a prior.
    """
    game, hits = position.game, position.hits_left
    cells = game.cells - (position.closed | game.holes).bit_count()
    if game.ends_at_hit:
        return (hits, cells) if objective.kind == "worst" else (0, weight)
    if objective.kind == "worst":
        # A packing tells all ships but one; where one hit shows a whole ship it proves nothing.
        has_none = position.shots or prior is not None or game.label_of_kind is None
        packings = [] if has_none else hidden_ship_sets(game)
        misses = max((n for sets in packings for n in worst_case_misses(game, sets)), default=0)
        return hits + misses, cells
    misses = (objective.shots or 0) - hits
    if misses >= cells - hits:
        return weight, weight
    if game.contact == "any" or position.shots or not game.is_silent or prior is not None:
        return 0, weight  # configurations may share a word, or weigh more than 1
    words = sum(comb(hits - 1 + j, j) for j in range(misses + 1)) if hits else 1
    return 0, min(weight, words)


def lower_bounds(
    position: Position,
    prior: Prior | None = None,
    progress: Progress[BoundsStatus] = no_progress,
    seconds: float = SECONDS,
    leave_out: LeaveOut = ignore_left_out,
) -> list[Bound]:
    """List every lower bound of a position that is quick to compute.

    prior -- the weights of the configurations. progress -- called after each step. seconds -- the
    limit for one bound, by an estimate from what it would list. leave_out -- called with each bound
    that would take longer. Raises ImpossiblePosition if no configuration is left. If hits tell
    something, raises NotSupported after shots or with a prior. With a prior, raises as `Family.of`.
    """
    return list(lower_bounds_in_turn(position, prior, progress, seconds, leave_out))


def lower_bounds_in_turn(
    position: Position,
    prior: Prior | None = None,
    progress: Progress[BoundsStatus] = no_progress,
    seconds: float = SECONDS,
    leave_out: LeaveOut = ignore_left_out,
) -> Iterator[Bound]:
    """Yield the bounds of `lower_bounds` as they are computed."""
    if position.game.ends_at_hit:
        yield from _until_hit(position, prior, leave_out)
        return
    if position.shots or prior is not None:
        position.game.require_silent(_THESE)
    if prior is not None:
        yield from _from_leaves(position, Family.of(position, prior))
        return
    plain = position  # a mean over ships without letters is that with letters
    if position.game.names_hits:
        plain = Position(position.game.with_announcement("nothing"))
    number = Posterior(plain, progress=_counting(progress)).configurations
    if not number:
        Posterior(position).require_some()
    if position.game.shows_ships:
        yield _from_places(position, number)
        return
    reason = NOT_LISTED if position.game.cells > MAX_CELLS else ""
    if number > min(MOST_LISTED, seconds * LEAVES_PER_SECOND):
        reason = left_out_reason(number, "listed", number / LEAVES_PER_SECOND)
    if position.game.contact == "any" and reason:
        leave_out(LeftOut("leaf counting", reason))
    try:
        if position.game.contact == "any" and reason:
            yield _from_leaves_apart(position, number)
        else:
            yield from _from_leaves(position)
    except TooLarge as error:
        leave_out(LeftOut("leaf counting", str(error)))
        yield first_bounds(position)[0]
    if position.game.label_of_kind is not None:  # else hits on one ship tell where it lies
        yield from _from_two_hidden(plain, number, progress, leave_out)


def _until_hit(position: Position, prior: Prior | None, leave_out: LeaveOut) -> Iterator[Bound]:
    """Yield the bounds of a game that the first hit ends."""
    mean = mean_by_single_cells(position, prior)
    yield Bound("single cells", "lower", mean, "the most probable k cells, as if apart; their sum")
    if position.shots or prior is not None:
        return
    number, name = Posterior(position).configurations, "sets of cells"
    if number > COMPUTED or position.game.cells > MAX_CELLS:
        leave_out(LeftOut(name, f"{number:,} configurations; up to {COMPUTED:,} are walked"))
        return
    yield Bound(name, "lower", mean_by_sets(position, NODES), "the most that k cells meet; its sum")


def _from_places(position: Position, number: int) -> Bound:
    """Count leaves where each hit shows its ship.

    The first hit of each ship and the misses before the last of these determine the configuration;
    every other reply follows. With s ships and j misses there are C(s-1+j, j) sequences of first
    hits and misses, and each first hit shows one of the ships that can lie on its cell.
    """
    game, hits = position.game, position.hits_left
    through = Counter(cell for _, ship in game.label_table.labels_by_cell for cell in bits(ship))
    words, ships = max(through.values()) ** len(game.fleet), len(game.fleet)
    misses = leaf_counting_misses({1: number}, ships, words)
    return Bound(
        "leaf counting of ships",
        "lower",
        hits + Fraction(misses, number),
        f"at most C(s-1+j, j) leaves have s ships and j misses, times {words:,} for what hits show",
    )


def left_out_reason(number: int, action: str, seconds: float) -> str:
    """Return the reason for leaving out a bound that would take this many seconds."""
    return f"{number:,} configurations would be {action}, in about {time_text(max(1, seconds))}"


def _counting(progress: Progress[BoundsStatus]) -> Progress[Status]:
    return lambda status: progress(
        BoundsStatus(done=status.done, total=status.total, step="counting")
    )


def _from_leaves_apart(position: Position, number: int) -> Bound:
    """Count the leaves of those configurations in which no ships touch along an edge.

    Their sets of cells differ, and they are counted without a list. Telling that one of them is
    hidden only helps the player, so the misses on them bound the misses on all configurations.
    """
    game, hits = position.game, position.hits_left
    contact = "corner" if game.board.has_corners else "none"
    rules = replace(game.with_announcement("nothing"), contact=contact)
    apart = Posterior(Position(rules, position.shots)).configurations
    misses = leaf_counting_misses({1: apart}, hits, count_hit_sequences(game)) if apart else 0
    return Bound(
        "leaf counting of ships apart",
        "lower",
        hits + Fraction(misses, number),
        f"leaf counting of the {apart:,} of {number:,} configurations in which no ships touch",
    )


def two_hidden_bound(game: Game, rows: Iterable[AllButTwo], source: str) -> Bound:
    """Return the bound from the rows of `TwoHidden.bound`."""
    hidden = "{} and {}".format(*game.fleet[-2:])
    return Bound(
        "all ships but two revealed",
        "lower",
        mean_of_two_hidden(game, rows),
        f"the games of the ships of length {hidden}, the others known; {source}",
    )


def _steps(progress: Progress[BoundsStatus]) -> Callable[[str, int, int], None]:
    """Report steps by name, without a start time: they differ too much to estimate an end."""
    return lambda step, done, total: progress(BoundsStatus(done=done, total=total, step=step))


def _from_two_hidden(
    position: Position, number: int, progress: Progress[BoundsStatus], leave_out: LeaveOut
) -> Iterator[Bound]:
    """Yield the bound by revealing all ships but two, of a whole game where it is quick.

    number -- of configurations. The two hidden ships have at most `ways` placements beside each set
    of revealed ships, so there are at least number / ways such sets. If that is too many already,
    the sets are not counted.
    """
    game = position.game
    if position.shots or len(game.fleet) < 2:
        return
    ways = prod(len(game.placements(ship)) for ship in game.fleet[-2:])
    revealed = -(-number // ways)
    if len(game.fleet) > 2 and revealed <= ON_DEMAND:
        revealed = count_revealed_sets(game)
    if len(game.fleet) > 2 and revealed > ON_DEMAND:
        reason = f"{revealed:,} sets of known ships or more; at most {ON_DEMAND:,} are looked at"
        leave_out(LeftOut("all ships but two revealed", reason))
        return
    try:
        yield two_hidden_bound(game, TwoHidden(game).bound(_steps(progress)), "computed here")
    except TooLarge as error:
        leave_out(LeftOut("all ships but two revealed", str(error)))


def _from_leaves(position: Position, family: Family | None = None) -> list[Bound]:
    """Return the bounds that follow from the number of leaves.

    family -- of the position with a prior. If hits tell something, the position must be a whole
    game.
    """
    game, hits = position.game, position.hits_left
    if not position.shots:
        position = Position(game.with_announcement("nothing"))
    leaves = leaves_of(position) if family is None else Counter(family.weights)
    words = count_hit_sequences(game)
    bounds = []
    if words == 1:
        bounds.append(
            Bound(
                "complete binary tree",
                "lower",
                complete_binary_tree(leaves),
                "Audinot, Bonnet and Viennot (2014), section 4.1, equation 2",
            )
        )
    bounds.append(
        Bound(
            "leaf counting",
            "lower",
            leaf_counting(leaves, hits, words),
            "at most C(k-1+j, j) leaves have k hits and j misses"
            + (f", times {words:,} sequences of what hits tell" if words > 1 else ""),
        )
    )
    after = None if family is None else weighted_leaf_counting_after(family)
    if family is None and words == 1 and position.game.contact != "any":
        after = leaf_counting_after(position, 1)
    if after is not None:
        bounds.append(
            Bound(
                "leaf counting after one ply",
                "lower",
                after,
                "leaf counting for both replies to the first shot, the least over all shots",
            )
        )
    return bounds


def has_long_bounds(position: Position) -> bool:
    """True if the long bounds hold from a position and are computed on demand.

    They hold for whole games in which hits tell nothing and ships do not touch along an edge. After
    a shot the cells of the chain of misses are no longer free to choose.
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
    """Yield every lower bound of a position that is computed on demand, the quick ones first.

    progress -- as in `long_bounds_in_turn`. Raises as `lower_bounds`.
    """
    yield from lower_bounds(position, progress=progress)
    if has_long_bounds(position):
        yield from long_bounds_in_turn(position.game, progress)


def long_bounds_in_turn(
    game: Game, progress: Progress[BoundsStatus] = no_progress
) -> Iterator[Bound]:
    """Yield the long bounds of a game as they are computed.

    progress -- called after each step; it may raise to stop, after which the bounds yielded so far
    still hold. Raises NotSupported if hits tell something, ImpossiblePosition if the fleet does not
    fit, and as `reveal`.
    """
    game.require_silent(_THESE)
    tell = _steps(progress)
    counts = CellSetCounts.of(game, progress=partial(tell, "configurations on sets of cells"))
    coverage = Coverage(counts, NODES)
    revealed = reveal(game, progress=lambda done, n: tell("ships shown", len(done), n))
    coverages_beside = lambda: list_conditional_coverages(  # noqa: E731
        game, nodes=NODES, progress=lambda done, n: tell("cells beside a ship", len(done), n)
    )
    yielded = 0
    stages = count_finished_by_stages(
        coverage,
        revealed,
        coverages_beside,
        partial(tell, "chains of cells"),
        ChainLimits(SETS, MORE_CELLS if game.cells <= SMALL_BOARD else MOST_CELLS),
        on_sets=lambda j, size, done, n: tell("chains of cells beside the first ship", done, n),
    )
    for number, finished in enumerate(stages, BEFORE_CHAINS):
        bounds = bounds_of_finished(
            finished, game.fleet_cells, counts.configurations, "computed here"
        )
        yield from bounds[yielded:number]
        yielded = number


def count_finished(
    coverage: Coverage,
    revealed: Sequence[Revealed],
    coverages: Sequence[ConditionalCoverage],
    progress: Callable[[int, int], None] = lambda done, total: None,
    sets: int = MOST_SETS,
    store: Facts | None = None,
    on_sets: SetsProgress = lambda j, size, done, total: None,
    nodes: int | None = None,
) -> list[FinishedAtMost]:
    """List A(0), A(1), … by each of the long bounds.

    revealed -- every class of placements of the longest ship. coverages -- of every class of every
    ship. progress -- called after each l of the two chains with costs, with the number done and of
    all. sets -- as in `ChainLimits`. store, on_sets -- as in `first_ship_chain`. nodes -- the
    search with costs of the longest ship gives up after this number of sets; None: as `coverage`.
    """
    *_, last = count_finished_by_stages(
        coverage, revealed, lambda: coverages, progress, ChainLimits(sets), store, on_sets, nodes
    )
    return last


def count_finished_by_stages(
    coverage: Coverage,
    revealed: Sequence[Revealed],
    coverages_beside: Callable[[], Sequence[ConditionalCoverage]],
    progress: Callable[[int, int], None] = lambda done, total: None,
    limits: ChainLimits = LIMITS,
    store: Facts | None = None,
    on_sets: SetsProgress = lambda j, size, done, total: None,
    nodes: int | None = None,
) -> Iterator[list[FinishedAtMost]]:
    """Yield A(0), A(1), … three times: by the first two bounds, then after each chain with costs.

    A bound that is not yet computed has the least value of those before it. coverages_beside --
    called after the first two bounds. limits -- of the chain with the first ship.
    """
    game, number = coverage.counts.game, coverage.counts.configurations
    chain = root_chain(game.fleet_cells, number, coverage.most_met, MISSES)
    chain += [number] * (MISSES - len(chain))
    by_reveal = finished_by_reveal(game, revealed)
    smaller = [min(pair) for pair in zip(chain, by_reveal, strict=True)]
    stages: list[list[Finished]] = []

    def finished() -> list[FinishedAtMost]:
        last = stages[-1] if stages else [Finished(value, 0) for value in smaller]
        unchanged = [Finished(value.configurations, 0) for value in last]
        both = [*stages, *[unchanged] * (2 - len(stages))]
        return [
            FinishedAtMost(a, b, *c, *d) for a, b, c, d in zip(chain, by_reveal, *both, strict=True)
        ]

    def part(before: int) -> Callable[[int, int], None]:
        return lambda done, total: progress(before * total + done, 2 * total)

    yield finished()
    coverages = coverages_beside()
    patient = coverage if nodes is None else Coverage(coverage.counts, nodes)
    stages.append(longest_ship_chain(patient, revealed, coverages, smaller, part(0)))
    yield finished()
    before = [finished_at.configurations for finished_at in stages[-1]]
    stages.append(first_ship_chain(coverage, coverages, before, part(1), limits, store, on_sets))
    yield finished()


def bounds_of_finished(
    finished: Sequence[FinishedAtMost], hits: int, number: int, source: str
) -> list[Bound]:
    """Return the bounds from A(0), A(1), …: by single arguments, and by their least at each l.

    Every argument bounds the same number, so the least of them does, too.
    """
    by_two = [min(row.root_chain, row.reveal_game) for row in finished]
    by_longest = [min(two, row.ship_chain) for two, row in zip(by_two, finished, strict=True)]
    by_all = [min(best, row.first_ship) for best, row in zip(by_longest, finished, strict=True)]
    return [
        Bound(name, "lower", mean_at_least(values, hits, number), f"{argument}; {source}")
        for name, values, argument in (
            (
                "root chain",
                [row.root_chain for row in finished],
                "one sequence of cells until the first hit",
            ),
            (
                "reveal game",
                [row.reveal_game for row in finished],
                "a ship is shown at its first hit",
            ),
            ("root chain and reveal game", by_two, "the lesser at each number of misses"),
            (
                "root chain with the longest ship",
                by_longest,
                "what the reveal game leaves of what the chain meets, the least of these three",
            ),
            (
                "root chain with the first ship",
                by_all,
                "the ships through one cell together, and misses beside them; the least of all",
            ),
        )
    ]
