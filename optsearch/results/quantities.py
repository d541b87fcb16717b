"""Quantities of a game: the columns of a table of games, stored or computed.

    as_quantity("greedy").compute(Game.parse("4x4:3,2"), 10, no_progress)
    # Value(lower=…, upper=…, per=…, source="computed", by="optsearch evaluate greedy:…")

A quantity that is a mean number of shots has a value or, if the time is too short, a bracket.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial
from math import ceil, floor
from pathlib import Path
from typing import Any

from optsearch.counting.posterior import Posterior
from optsearch.evaluation import evaluate
from optsearch.evaluation.runners import MOST_BY_PYTHON
from optsearch.game import Game
from optsearch.game.position import Position
from optsearch.lower_bounds import Bound
from optsearch.results.bracket import bounds_in_turn
from optsearch.results.stored import name_with_table, table_of
from optsearch.results.tables import TABLES, Entries, Table
from optsearch.search.greedy import GreedySolver
from optsearch.search.solver import solve
from optsearch.strategies import Strategy, as_strategy, player_classes, rule_of
from optsearch.strategies.player import name_of
from optsearch.strategies.timed import Timed
from optsearch.support.errors import ImpossiblePosition, NotSupported, StrategyError, TooLarge
from optsearch.support.progress import Limit, LimitReached, Progress
from optsearch.support.workers import Execution

STORED, COMPUTED = "stored", "computed"
SHARE_FOR_BOUNDS = 0.25  # of the time limit, for bounds beside a search that found no optimum


@dataclass(frozen=True)
class Value:
    """A quantity of a game: its value or bounds on it, with their source.

    lower, upper -- bounds; equal if the value is known, None if there is no bound. per -- the
    number of configurations over which means are taken, or 1. source -- STORED, COMPUTED, or empty
    if nothing is known. by -- the table or the computation; upper_by -- that of the upper end, if
    it has its own. note -- why the value is not known. is_cut -- True if more time may give more.
    seconds -- that the computation took.
    """

    lower: Fraction | None = None
    upper: Fraction | None = None
    per: int = 1
    source: str = ""
    by: str = ""
    upper_by: str = ""
    note: str = ""
    is_cut: bool = False
    seconds: float = 0.0

    @property
    def exact(self) -> Fraction | None:
        """The value, if it is known; else None."""
        return self.lower if self.lower == self.upper else None

    @property
    def is_bracket(self) -> bool:
        """True if only bounds are known."""
        return self.exact is None and not (self.lower is None and self.upper is None)

    def text(self, end: Fraction) -> str:
        """Return the text of `lower` or `upper`: a fraction, not reduced, of `per` configurations.

        It is the usual text of the number if `per` is 1, or if the total is not whole.
        """
        total = end * self.per
        is_mean_of_whole_total = self.per > 1 and total.denominator == 1
        return f"{total}/{self.per}" if is_mean_of_whole_total else str(end)

    def times(self, number: int) -> Value:
        """Return a mean over `number` configurations as the sum over all of them."""
        return replace(
            self,
            lower=None if self.lower is None else self.lower * number,
            upper=None if self.upper is None else self.upper * number,
            per=1,
        )


@dataclass(frozen=True)
class Quantity:
    """One column of a table.

    name -- as users write it.
    computation -- the name of the computation, equal for columns that are computed together.
    compute -- the computation of a game in some seconds, with a callback for progress. It raises
        OptsearchError if the game has no such value, LimitReached if nothing is found in time.
    from_result -- takes the column from the result of the computation.
    stored -- returns the value in the tables of a folder, or None.
    is_mean -- True for a mean number of shots. strategy -- whose mean it is.
    """

    name: str
    computation: str
    compute: Callable[[Game, float, Progress[Any]], Value]
    stored: Callable[[Game, Path], Value | None] = lambda game, results: None
    from_result: Callable[[Value], Value] = lambda value: value
    is_mean: bool = True
    strategy: Strategy | None = None


def compute_value(quantity: Quantity, game: Game, seconds: float, progress: Progress[Any]) -> Value:
    """Compute a quantity of a game, such as its optimum, in about `seconds` at most.

    If no value is found, the result has a note that says why. Raises StrategyError if a user's
    strategy is at fault.
    """
    started = time.monotonic()
    try:
        value = quantity.compute(game, seconds, progress)
    except LimitReached:
        value = Value(note=f"not known after {seconds:g} seconds", is_cut=True)
    except ImpossiblePosition:
        value = Value(note="no configuration: the fleet does not fit")
    except (TooLarge, NotSupported) as error:
        value = Value(
            note="too large" if isinstance(error, TooLarge) else "no such value", by=str(error)
        )
    except StrategyError as error:
        if quantity.strategy is not None and type(quantity.strategy) not in player_classes():
            raise
        value = Value(note="not played by this strategy", by=str(error))
    return replace(value, seconds=time.monotonic() - started)


# The quantities


def _configurations_value(game: Game, seconds: float, progress: Progress[Any]) -> Value:
    """Count the configurations, however long it takes."""
    return _exact_mean(_count_configurations(game), 1, "optsearch count")


def _optimal_mean(game: Game, seconds: float, progress: Progress[Any]) -> Value:
    """Return the least mean number of shots of a game or, if time runs out, two bounds of it.

    Known bounds, which get a share of the time, narrow those that the search leaves.
    """
    try:
        solution = solve(game, time_limit=seconds, progress=progress)
    except TooLarge:
        return replace(_best_bounds(game, seconds, progress), note="too large to be searched")
    configurations = solution.configurations
    if solution.total_height is not None:
        return _exact_mean(solution.total_height, configurations, "optsearch solve")
    assert solution.lower is not None
    assert solution.upper is not None
    value = Value(
        lower=Fraction(solution.lower, configurations),
        upper=Fraction(solution.upper, configurations),
        per=configurations,
        source=COMPUTED,
        by="optsearch solve",
        note=_unsolved_note(seconds),
    )
    try:
        bracket = _best_bounds(game, SHARE_FOR_BOUNDS * seconds, progress)
    except LimitReached:
        return replace(value, is_cut=True)
    return replace(narrow(value, bracket.lower, bracket.upper), is_cut=True)


def _best_greedy_mean(game: Game, seconds: float, progress: Progress[Any]) -> Value:
    """Search for the best greedy strategy over all ways to break ties."""
    solver = GreedySolver(Position(game), progress=Limit(seconds).watch(progress))
    return _exact_mean(solver.total_height("best"), solver.configurations, "optsearch greedy")


def _end_of_bracket(side: str, value: Value) -> Value:
    """Return one end of a bracket as a known value, with its own source; side -- lower or upper."""
    end, origin = value.lower, value.by
    if side == "upper":
        end, origin = value.upper, value.upper_by
    source = STORED if table_of(origin) else COMPUTED
    if end is None:
        source = ""
    return replace(value, lower=end, upper=end, by=origin, upper_by="", source=source)


def _stored_hider_value(game: Game, results: Path) -> Value | None:
    """Return the value from the table of equilibria; None if it has a bracket at most."""
    for row in TABLES["equilibria"].rows_of(game, results):
        if row["value"] is not None:
            return Value(
                row["value"], row["value"], source=STORED, by=_table_path(TABLES["equilibria"])
            )
    return None


def _hider_value(game: Game, seconds: float, progress: Progress[Any]) -> Value:
    """Return the mean number of shots if the best player plays against the best hider.

    If time runs out, the result has two bounds of it.
    """
    from optsearch.equilibria import equilibrium  # HiGHS takes a while

    try:
        result = equilibrium(game, time_limit=seconds, execution=Execution(progress=progress))
    except NotSupported:  # not even a round
        raise LimitReached(Limit(seconds)) from None
    value = Value(*result.bracket, source=COMPUTED, by="optsearch equilibrium")
    return value if result.is_exact else replace(value, note=_unsolved_note(seconds), is_cut=True)


def _stored_strategy_mean(strategy: Strategy, game: Game, results: Path) -> Value | None:
    """Return the mean shots of a strategy from the tables of a folder; None if no table has it."""
    for path in TABLES["evaluations"].all(results):
        table = _read_once(TABLES["evaluations"], path)
        header = table.header
        is_of_strategy_and_game = header.get("strategy") == str(strategy) and table.game == game
        if is_of_strategy_and_game and "prior" not in header:
            total, configurations = int(header["total_height"]), int(header["configurations"])
            origin = f"data/results/{path.parent.name}/{path.name}"
            return replace(_exact_mean(total, configurations, origin), source=STORED)
    return None


def _strategy_mean(
    strategy: Strategy, game: Game, seconds: float, progress: Progress[Any]
) -> Value:
    """Return the mean number of shots of a strategy over all configurations of a game.

    Raises LimitReached after `seconds`.
    """
    limit = Limit(seconds)
    is_by_python = rule_of(strategy, game) is None and _count_configurations(game) <= MOST_BY_PYTHON
    limited_strategy = Timed(strategy, limit) if is_by_python else strategy
    execution = Execution(progress=limit.watch(progress))
    evaluation = evaluate(limited_strategy, game, execution=execution)
    origin = f"optsearch evaluate {strategy}"
    return _exact_mean(evaluation.total_height, evaluation.configurations, origin)


def as_quantity(name: str) -> Quantity:
    """Return the column of a table that a name stands for; StrategyError for any other name.

    name -- a name in `QUANTITIES`, such as `optimum`, or a strategy, whose mean is the column.
    """
    if name in QUANTITIES:
        return QUANTITIES[name]
    try:
        strategy = as_strategy(name)
    except StrategyError:
        if ":" in name or name in map(name_of, player_classes()):
            raise
        strategies = [name_of(each) for each in player_classes() if issubclass(each, Strategy)]
        raise StrategyError(
            f"no column {name!r}; there are {', '.join(QUANTITIES)}, and the strategies "
            f"{', '.join(strategies)}, and FILE.py:NAME"
        ) from None
    compute, stored = partial(_strategy_mean, strategy), partial(_stored_strategy_mean, strategy)
    return Quantity(name, strategy.identity(), compute, stored, strategy=strategy)


def narrow(value: Value, lower: Fraction | None = None, upper: Fraction | None = None) -> Value:
    """Return the bounds of a mean number of shots, narrowed by two more bounds of it.

    The total over its `per` configurations is whole, so the results are rounded inward to means of
    whole totals.
    """
    lowers = [bound for bound in (value.lower, lower) if bound is not None]
    uppers = [bound for bound in (value.upper, upper) if bound is not None]
    return replace(
        value,
        lower=Fraction(ceil(max(lowers) * value.per), value.per) if lowers else None,
        upper=Fraction(floor(min(uppers) * value.per), value.per) if uppers else None,
    )


# Shared by the quantities


def _exact_mean(total: int, configurations: int, origin: str) -> Value:
    mean = Fraction(total, configurations)
    return Value(mean, mean, configurations, COMPUTED, origin)


def _count_configurations(game: Game) -> int:
    """Count the configurations."""
    return Posterior(game).configurations


def _unsolved_note(seconds: float) -> str:
    return f"not solved in {seconds:g} seconds"


def _table_path(table: Table) -> str:
    return f"data/results/{table.file}"


@cache
def _read_once(table: Table, path: Path) -> Entries:
    return table.read(path)


def _mean_from_optima(game: Game, results: Path, name: str) -> Value | None:
    """Return a mean number of shots from the stored table of optima; None if it has no such game.

    name -- of the column that has the total of the shots over all configurations.
    """
    for row in TABLES["optima"].rows_of(game, results):
        if row[name] is not None:
            value = _exact_mean(row[name], row["configurations"], _table_path(TABLES["optima"]))
            return replace(value, source=STORED)
    return None


def _best_bounds(game: Game, seconds: float, progress: Progress[Any]) -> Value:
    """Return the best bounds of the least mean number of shots that are found in `seconds`.

    Raises LimitReached if no lower or no upper bound is found in time.
    """
    limit = Limit(seconds)
    bounds: list[Bound] = []
    is_cut = False
    try:
        for bound in bounds_in_turn(
            Position(game), progress=limit.watch(progress), with_optimum=False
        ):
            bounds.append(bound)
    except LimitReached:
        is_cut = True
    lowers = [bound for bound in bounds if bound.side == "lower"]
    uppers = [bound for bound in bounds if bound.side == "upper"]
    if not lowers or not uppers:
        raise LimitReached(limit)
    lower = max(lowers, key=lambda bound: bound.value)
    upper = min(uppers, key=lambda bound: bound.value)
    is_stored = all(table_of(bound.source) for bound in (lower, upper))
    return Value(
        lower=lower.value,
        upper=upper.value,
        per=_count_configurations(game),
        source=STORED if is_stored else COMPUTED,
        by=name_with_table(lower),
        upper_by=name_with_table(upper),
        note=f"proved in {seconds:g} seconds" if is_cut else "",
        is_cut=is_cut,
    )


TIME = "time"  # the seconds that the other columns of the row took
_stored_optimum = partial(_mean_from_optima, name="total_height")
_stored_greedy = partial(_mean_from_optima, name="best_greedy_total_height")
_ALL = (
    Quantity("configurations", "configurations", _configurations_value, is_mean=False),
    Quantity("optimum", "optimum", _optimal_mean, _stored_optimum),
    Quantity(
        *("total_height", "optimum", _optimal_mean, _stored_optimum),
        from_result=lambda mean: mean.times(mean.per),
        is_mean=False,
    ),
    Quantity("best_greedy", "best_greedy", _best_greedy_mean, _stored_greedy),
    Quantity("lower", "bounds", _best_bounds, from_result=partial(_end_of_bracket, "lower")),
    Quantity("upper", "bounds", _best_bounds, from_result=partial(_end_of_bracket, "upper")),
    Quantity("hider", "hider", _hider_value, _stored_hider_value),
    Quantity(TIME, TIME, lambda game, seconds, progress: Value(), is_mean=False),
)
QUANTITIES: Mapping[str, Quantity] = {quantity.name: quantity for quantity in _ALL}
