"""Every lower bound of a root that needs no search of the whole: where a new one joins the others.

`optsearch bounds` prints these, and a long search begins from them (`Solver`), so that both prove
the same. Those of `optsearch.lower_bounds` come first; exact counts of what is finished within few
misses, and the shortest path over missed cells, take their numbers from there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from optsearch.compiled._table import MemoryTable
from optsearch.counting.family import Family
from optsearch.game import Game
from optsearch.game.objective import MEAN
from optsearch.game.position import Position
from optsearch.lower_bounds import (
    Bound,
    BoundsStatus,
    has_long_bounds,
    long_bounds_in_turn,
    lower_bounds,
)
from optsearch.lower_bounds.chain import mean_at_least
from optsearch.lower_bounds.nested_dual import Later
from optsearch.search.finished import Counts
from optsearch.search.kernels import Silent, SolverOptions
from optsearch.search.missed import Missed
from optsearch.support.progress import Limit, LimitReached, Progress, no_progress

MOST = 4_000  # configurations up to which sets of missed cells are gone through
MEMORY = 1 << 28  # bytes of the table of what hits leave
STEP = 300  # nodes that a step of the path is worth, by counts
STEP_BY_PRICES = 50


@dataclass(frozen=True)
class Patience:
    """What exact counts and the path may take, in nodes.

    bounds -- for counts that are bounded by the ship hit. is_said -- whether each gain is a bound
    of its own.
    """

    counts: int
    bounds: int
    path: int
    is_said: bool = False


QUICK = Patience(200_000, 100_000, 60_000)  # some seconds
PATIENT = Patience(10_000_000, 1_000_000, 1 << 60, is_said=True)


def root_bounds(
    position: Position,
    progress: Progress[BoundsStatus] = no_progress,
    nested: bool = True,
    patience: Patience | None = QUICK,
) -> Iterator[Bound]:
    """Every lower bound from a position that is computed on demand, the quick ones first.

    nested -- whether the nested dual is one of them. patience -- None: without exact counts and the
    path. progress -- called after each step; what it raises leaves the bounds that came before.
    Errors as in `lower_bounds`.
    """
    yield from lower_bounds(position, progress=progress)
    if has_long_bounds(position):
        yield from long_root_bounds(position.game, progress, nested, patience)


def long_root_bounds(
    game: Game,
    progress: Progress[BoundsStatus] = no_progress,
    nested: bool = True,
    patience: Patience | None = QUICK,
) -> Iterator[Bound]:
    """Those of a whole game that take seconds; for games that `has_long_bounds`."""
    more = partial(_by_missed, game, progress, patience)
    yield from long_bounds_in_turn(game, progress, nested, more)


def _by_missed(
    game: Game,
    progress: Progress[BoundsStatus],
    patience: Patience | None,
    at_most: Sequence[int],
    later: Later | None,
) -> Iterator[Bound]:
    """The bounds by exact counts and by the path, from upper bounds of N(F, 0), N(F, 1), …

    later -- what prices say, which leaves little to counts.
    """
    family = Family.of(Position(game))
    number = len(family.sets)
    if patience is None or number > MOST:
        return

    def bound(name: str, argument: str, mean: Fraction) -> Bound:
        return Bound(name, "lower", mean, f"{argument}; computed here")

    able = patience if later is None else QUICK
    now = counting = _Bounded("finished within few misses", able.counts, progress)
    counts = Counts(family, lambda nodes: now.tick(nodes), at_most)
    counting.effort_of = lambda: counts.effort
    counted = partial(
        bound, "exact counts", "what is finished within few misses, exactly; else as before"
    )
    for _ in counting.until_over(counts):
        if patience.is_said:
            yield counted(mean_at_least(counts.bounds, game.fleet_cells, number))
    if not patience.is_said:
        yield counted(mean_at_least(counts.bounds, game.fleet_cells, number))
    now = bounding = _Bounded("finished within more misses", able.bounds, progress)
    counted_before = counts.effort
    bounding.effort_of = lambda: counts.effort - counted_before
    bounded = partial(
        bound, "counts by the ship hit", "the same, and after a hit by the ship that may be hit"
    )
    for _ in bounding.until_over(counts.bounded()):
        if patience.is_said:
            yield bounded(mean_at_least(counts.bounds, game.fleet_cells, number))
    if not patience.is_said:
        yield bounded(mean_at_least(counts.bounds, game.fleet_cells, number))
    walking = _Bounded("missed cells", patience.path, progress)
    table, options = MemoryTable(MEMORY), SolverOptions()
    kernel = Silent(family, 0, MEAN, options, table, None, walking.tick)
    walked_before, now = counts.effort, walking
    step = STEP if later is None else STEP_BY_PRICES
    walking.effort_of = lambda: kernel.effort + step * missed.steps + counts.effort - walked_before
    missed = Missed(counts, kernel, later)
    found = partial(bound, "missed cells", "the shortest path over the cells missed before a hit")
    before = 0
    for lower in walking.until_over(missed):
        if patience.is_said and lower > before:
            before = lower
            yield found(game.fleet_cells + Fraction(lower, number))
    if not patience.is_said:
        yield found(game.fleet_cells + Fraction(missed.lower, number))


class _Bounded:
    """Ends some work after so much effort, which no error shows, and tells how far it is."""

    effort_of: Callable[[], int]

    def __init__(self, what: str, effort: int, progress: Progress[BoundsStatus]):
        self._limit = Limit(effort=effort)
        self._status = BoundsStatus(what=what)
        self._progress = progress

    def tick(self, nodes: int = 0) -> None:
        """What the kernel calls."""
        self._progress(self._status)
        self._limit.check(self.effort_of())

    def until_over(self, numbers: Iterable[int]) -> Iterator[int]:
        """The numbers that come until then."""
        try:
            for number in numbers:
                yield number
                self.tick()
        except LimitReached as reached:
            if reached.limit is not self._limit:
                raise
