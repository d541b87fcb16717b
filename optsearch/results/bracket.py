"""The bracket of a position: every known bound on the least mean number of shots.

Lower bounds come from `lower_bounds`, upper ones from strategies on every configuration. Long
ones are computed on small games only; for others they are read from the tables of results, which
are checked first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from optsearch.counting.posterior import Posterior
from optsearch.counting.prior import Prior
from optsearch.evaluation import Task, evaluate, run_task
from optsearch.evaluation.runners import runner_of
from optsearch.game import MAX_CELLS, Game, notebook
from optsearch.game.position import Position
from optsearch.lower_bounds import (
    Bound,
    BoundsStatus,
    LeftOut,
    has_long_bounds,
    long_bounds_in_turn,
    lower_bounds_in_turn,
)
from optsearch.lower_bounds.by_chance import shots_by_chance
from optsearch.lower_bounds.lower import (
    NOT_LISTED,
    SECONDS,
    LeaveOut,
    ignore_left_out,
    left_out_reason,
)
from optsearch.results.stored import (
    printed_bounds,
    stored_evaluations,
    stored_finished,
    stored_optimum,
    stored_two_hidden,
)
from optsearch.search.greedy import GreedySolver
from optsearch.strategies import named
from optsearch.support.datafiles import RESULTS
from optsearch.support.decimals import bound_in_bracket, bracket_text
from optsearch.support.progress import LimitReached, Progress, Status, no_progress
from optsearch.support.sharing import run_tasks
from optsearch.support.workers import Execution

GREEDY = "greedy:endgame=0"  # always a most probable cell, the first in reading order
LEVELS_FROM = 64  # configurations; fewer are an endgame
LEVELS_UP_TO = 30_000


@dataclass(frozen=True)
class _Player:
    """A strategy whose mean number of shots is an upper bound; `name` is that of the bound.

    per_second -- the configurations that a processor plays if nothing is announced;
    per_second_announced -- if something is.
    """

    name: str
    strategy: str
    per_second: int
    per_second_announced: int


_GREEDY = _Player("most probable cell", GREEDY, 3_000_000, 2_000_000)
_LEVELS = _Player("levels of rollouts", "deep", 5_000, 0)
_ROLLOUT = _Player("rollouts", "rollout", 400_000, 150_000)


def known_bounds(
    position: Position, results: Path = RESULTS, prior: Prior | None = None
) -> list[Bound]:
    """Return every known bound on the least mean number of shots from a position; lower ones first.

    results -- the folder with the tables of results, which are not read if there is a prior. Raises
    the errors of `lower_bounds`, and RecordError for tables that contradict themselves or the game.
    """
    bounds = bounds_in_turn(position, prior, results=results)
    return sorted(bounds, key=lambda bound: bound.side == "upper")


def bounds_in_turn(
    position: Position,
    prior: Prior | None = None,
    progress: Progress[BoundsStatus] = no_progress,
    results: Path = RESULTS,
    with_optimum: bool = True,
    seconds: float = SECONDS,
    leave_out: LeaveOut = ignore_left_out,
) -> Iterator[Bound]:
    """Yield every known bound on the least mean number of shots, as soon as it is found.

    Shots count from the position on. Upper bounds follow quick lower ones; long ones are last.

    progress -- called after each step. An error that it raises is passed on; if a limit of time or
    ctrl-C ends the first strategy, its bound is replaced by that of shooting at random.
    results -- the folder with the tables of results. with_optimum -- True to yield a stored optimum
    as a bound on both sides. seconds -- for each bound; leave_out -- called with each bound that
    would take longer, by an estimate.
    """
    if position.game.ends_at_hit:
        yield from lower_bounds_in_turn(position, prior, progress, seconds, leave_out)
        yield from _bound_or_chance(lambda: _first_hit_bound(position, prior, progress), position)
        return
    if prior is not None:
        yield from lower_bounds_in_turn(position, prior, progress, seconds, leave_out)
        yield from _bound_or_chance(lambda: _greedy_bound(position, prior, progress), position)
        return
    yield from _lower_bounds(position, results, progress, with_optimum, seconds, leave_out)
    yield from _upper_bounds(position, results, progress, with_optimum, seconds, leave_out)
    is_stored = position.shots or stored_finished(position.game, results)
    if not is_stored and has_long_bounds(position):
        yield from long_bounds_in_turn(position.game, progress)


def _lower_bounds(
    position: Position,
    results: Path,
    progress: Progress[BoundsStatus],
    with_optimum: bool,
    seconds: float,
    leave_out: LeaveOut,
) -> Iterator[Bound]:
    """Yield lower bounds on the least mean number of shots: quickly computed, then stored ones.

    with_optimum -- True to yield a stored optimum, too. seconds -- for each bound; leave_out --
    called with each bound that would take longer, unless it is stored.
    """
    game = position.game
    stored = [] if position.shots else stored_two_hidden(game, results)
    stored_names = {bound.name for bound in stored}

    def leave_out_unless_stored(left_out: LeftOut) -> None:
        if left_out.name not in stored_names:
            leave_out(left_out)

    computed = set()
    for bound in lower_bounds_in_turn(position, None, progress, seconds, leave_out_unless_stored):
        computed.add(bound.name)
        yield bound
    if position.shots or game.cells > MAX_CELLS:  # no table has such a game
        return
    yield from (bound for bound in stored if bound.name not in computed)
    yield from stored_finished(game, results)
    if with_optimum:
        yield from stored_optimum(game, "lower", results)


def _upper_bounds(
    position: Position,
    results: Path,
    progress: Progress[BoundsStatus],
    with_optimum: bool,
    seconds: float,
    leave_out: LeaveOut,
) -> Iterator[Bound]:
    """Yield upper bounds on the least mean number of shots: what some strategies take.

    Stored bounds are yielded if there are any. Otherwise a few strategies are evaluated now, or, if
    none can be in time, shooting at random.

    with_optimum -- True to yield a stored optimum, too. seconds -- for each strategy; leave_out --
    called with each one that would take longer or cannot play so large a board.
    """
    game = position.game
    stored = [] if position.shots else printed_bounds(game) + stored_evaluations(game, results)
    if with_optimum and not position.shots:
        stored += stored_optimum(game, "upper", results)
    yield from stored
    if stored:
        return
    configurations = Posterior(position).configurations
    has_bound = False
    for player in _players_to_evaluate(game, configurations):
        if game.cells > MAX_CELLS:
            leave_out(LeftOut(player.name, NOT_LISTED))
            continue
        rate = player.per_second if game.is_silent else player.per_second_announced
        if configurations > seconds * rate:
            reason = left_out_reason(configurations, "played", configurations / rate)
            leave_out(LeftOut(player.name, reason))
            continue
        compute = partial(_strategy_bound, player, position, configurations, progress)
        if has_bound:
            yield compute()
        else:
            yield from _bound_or_chance(compute, position)
            has_bound = True
    if not has_bound:
        yield _chance_bound(position)


def _players_to_evaluate(game: Game, configurations: int) -> list[_Player]:
    """List the strategies to evaluate on a number of configurations, the quickest first."""
    if configurations <= LEVELS_FROM:
        return [_GREEDY]
    are_levels_quick = game.is_silent and configurations <= LEVELS_UP_TO
    return [_GREEDY, _LEVELS if are_levels_quick else _ROLLOUT]


def _bound_or_chance(compute: Callable[[], Bound], position: Position) -> Iterator[Bound]:
    """Yield the bound that a function computes.

    If a limit of time or ctrl-C ends it, yield that of shooting at random, and raise the error.
    """
    try:
        yield compute()
    except (LimitReached, KeyboardInterrupt):
        yield _chance_bound(position)
        raise


def _chance_bound(position: Position) -> Bound:
    """Return the upper bound that shooting at random gives: its mean number of shots."""
    return Bound(
        "cells at random",
        "upper",
        shots_by_chance(position),
        "any cell that may have a ship, by chance: k of n cells are hit after k(n+1)/(k+1) shots",
    )


def bracket(bounds: Sequence[Bound]) -> tuple[Fraction, Fraction | None]:
    """Return the value of the greatest lower bound, and of the least upper one or None."""
    lower = max(bound.value for bound in bounds if bound.side == "lower")
    upper = min((bound.value for bound in bounds if bound.side == "upper"), default=None)
    return lower, upper


@dataclass(frozen=True)
class Bracket:
    """The bounds on the least mean number of shots from a position, and the bracket they leave.

    bounds -- the lower ones by rising value, then the upper ones. lower, upper -- the ends of the
    bracket; `upper` is None if there is no upper bound.
    """

    position: Position
    bounds: tuple[Bound, ...]
    lower: Fraction
    upper: Fraction | None

    @classmethod
    def of(cls, position: Position, bounds: Iterable[Bound]) -> Bracket:
        """Return the bracket of some bounds, at least one of which is a lower one."""
        by_value = sorted(bounds, key=lambda bound: (bound.side == "upper", bound.value))
        return cls(position, tuple(by_value), *bracket(by_value))

    def is_binding(self, bound: Bound) -> bool:
        """True if a bound is an end of the bracket."""
        return bound.value == (self.lower if bound.side == "lower" else self.upper)

    def __repr__(self) -> str:
        return f"<Bracket of {self.position.title}: {self.text}>"

    @property
    def text(self) -> str:
        """The two ends as decimal numbers."""
        return bracket_text(self.lower, self.upper)

    def mark(self, bound: Bound) -> str:
        """Return `*` for an end of the bracket, `=` if both ends are equal, else a blank."""
        if not self.is_binding(bound):
            return " "
        return "=" if self.lower == self.upper else "*"

    def decimal(self, bound: Bound) -> str:
        """Return a bound as a decimal number: a lower one rounded down, an upper one up.

        If both ends of the bracket are equal, they are rounded to nearest.
        """
        return bound_in_bracket(bound.value, bound.side, self.lower, self.upper)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a row per bound, by side and value; `value` is a float, `value_exact` a text."""
        return [
            {
                "name": bound.name,
                "side": bound.side,
                "value": float(bound.value),
                "value_exact": str(bound.value),
                "source": bound.source,
                "is_binding": self.is_binding(bound),
            }
            for bound in self.bounds
        ]

    def _repr_html_(self) -> str:
        """Return the bounds by value; the ends of the bracket are marked as `mark` does."""
        words = {"lower": "at least", "upper": "at most"}
        rows = []
        for bound in self.bounds:
            value_text = f"{words[bound.side]} {self.decimal(bound)}"
            rows.append((self.mark(bound), value_text, bound.name, bound.source))
        table = notebook.table(("", "mean shots", "bound", "source"), rows)
        return notebook.with_title(f"{self.position.title}: {self.text}", table)


def bounds(
    position: Position | Game | str,
    results: Path | str = RESULTS,
    prior: Prior | None = None,
    shots: str = "",
) -> Bracket:
    """Return every known bound on the least mean number of shots, and the bracket that they leave.

    The bracket is from the greatest lower to the least upper bound. position -- a position from
    which on shots count, or a game or its text. shots -- those made, as in `A2=hit B3=miss`.
    results -- the folder with the tables of results. Raises the errors of `known_bounds`.
    """
    position = Position.of(position, shots)
    return Bracket.of(position, known_bounds(position, Path(results), prior))


def _strategy_bound(
    player: _Player, position: Position, configurations: int, progress: Progress[BoundsStatus]
) -> Bound:
    """Return the mean number of shots of a strategy from a position on, as an upper bound.

    The strategy plays every configuration of the position. configurations -- their number.
    """
    strategy = player.strategy
    task = Task(position.game, str(position), configurations)
    status = BoundsStatus(step=f"{strategy.partition(':')[0]} on every configuration")
    with runner_of(named(strategy), position.game).open_executor() as executor:
        work = partial(run_task, named(strategy))
        [(_, histogram)] = run_tasks(executor, work, iter([task]), 1, partial(progress, status))
    total = sum(shots * count for shots, count in enumerate(histogram))
    mean = Fraction(total, configurations) - len(position.shots)  # from the position on
    return Bound(player.name, "upper", mean, f"{strategy}, on every configuration; computed here")


def _first_hit_bound(
    position: Position, prior: Prior | None, progress: Progress[BoundsStatus]
) -> Bound:
    """Return the mean number of shots of greedy until the first hit, as an upper bound.

    Greedy always shoots a most probable cell.
    """

    def report(status: Status) -> None:
        progress(BoundsStatus(step="greedy on every configuration", effort=status.effort))

    mean = evaluate(GREEDY, position, prior=prior, execution=Execution(progress=report)).mean
    source = f"{GREEDY}, on every configuration; computed here"
    return Bound("most probable cell", "upper", mean, source)


def _greedy_bound(position: Position, prior: Prior, progress: Progress[BoundsStatus]) -> Bound:
    """Return the mean number of shots of greedy by the weights of a prior, as an upper bound.

    Greedy always shoots a most probable cell, the first one of several.
    """

    def report(status: Status) -> None:
        progress(BoundsStatus(step="greedy by the prior", effort=status.effort))

    solver = GreedySolver(position, progress=report, prior=prior)
    return Bound(
        "most probable cell",
        "upper",
        Fraction(solver.total_height("first"), solver.configurations),
        "greedy by the prior, the first of tied cells, on every configuration; computed here",
    )
