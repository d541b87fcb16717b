"""A table of many games: a row a game, a column a quantity; what does not ship is computed.

    found = tabulate(["4x4:3,2", "4x5:3,2"], ["optimum", "greedy"])
    found.row(found.games[0])["greedy"].exact  # Fraction(879, 104)

Values are computed in parallel, a task each, and a folder keeps each that is done: a run that was
stopped goes on there, and so does a larger table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import asdict, dataclass, fields, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from optsearch.game import Game
from optsearch.results.quantities import TIME, Quantity, Value, as_quantity, known, narrowed
from optsearch.support.datafiles import RESULTS
from optsearch.support.errors import StrategyError
from optsearch.support.progress import Progress, Status, no_progress
from optsearch.support.sharing import SerialExecutor, run_tasks
from optsearch.support.store import Facts
from optsearch.support.workers import processes, tasks_at_once

SECONDS = 60.0  # of a value
_WHAT = "values of games"


class CellTask(NamedTuple):
    """A task. name -- of one of the columns that want it."""

    game: str
    name: str
    asks: str

    @property
    def title(self) -> str:
        """For people."""
        return f"{self.game} {self.name}"

    @property
    def key(self) -> str:
        """In what is kept."""
        return f"{self.asks}; {self.game}"


@dataclass(frozen=True, kw_only=True)
class TableStatus(Status):
    """How far a table is. what -- the value that came last, or is computed."""

    what: str = ""


@dataclass(frozen=True)
class Tabulation:
    """What is known of some games.

    columns -- in order. values -- by game and by what was asked (`Quantity.asks`). shipped -- those
    of the package, by game and column. is_interrupted -- whether ctrl-C ended it.
    """

    games: tuple[Game, ...]
    columns: tuple[Quantity, ...]
    values: Mapping[tuple[Game, str], Value]
    shipped: Mapping[tuple[Game, str], Value]
    is_interrupted: bool = False

    def row(self, game: Game) -> dict[str, Value]:
        """The values of a game by column.

        The other columns may narrow the bracket of the optimum and lower the upper bound.
        """
        found = {column.name: self._value(game, column) for column in self.columns}
        lower = found["lower"].lower if "lower" in found else None
        played = {
            column.name: mean
            for column in self.columns
            if (column.strategy is not None or column.name == "best_greedy")
            and (mean := found[column.name].upper) is not None
        }
        best = min(played, key=played.__getitem__, default=None)
        uppers = [found[name].upper for name in ("upper", best) if name in found]
        upper = min((end for end in uppers if end is not None), default=None)
        for column in self.columns:
            value = found[column.name]
            if column.asks == "optimum" and value.is_bracket:
                tight = narrowed(self.values[game, column.asks], lower, upper)
                found[column.name] = column.of(tight)
            elif column.name == "upper" and best is not None and value.upper != upper:
                by = found[best]
                found[column.name] = replace(
                    value, lower=upper, upper=upper, source=by.source, by=by.by
                )
        return found

    def _value(self, game: Game, column: Quantity) -> Value:
        if column.name == TIME:
            asked = dict.fromkeys(one.asks for one in self.columns)
            spent = [self.values[game, asks] for asks in asked if (game, asks) in self.values]
            total = Fraction(sum(value.seconds for value in spent)).limit_denominator(10**6)
            return Value(total, total)
        known_one = self.shipped.get((game, column.name))
        if known_one is None:
            found = self.values.get((game, column.asks))
            return Value(note="not computed", is_cut=True) if found is None else column.of(found)
        return known_one


def tabulate(
    games: Iterable[Game | str],
    columns: Iterable[str],
    *,
    seconds: float = SECONDS,
    executor: Executor | None = None,
    jobs: int | None = None,
    folder: Path | None = None,
    progress: Progress[TableStatus] = no_progress,
    tables: Path = RESULTS,
    is_partial: bool = False,
) -> Tabulation:
    """The values of some games.

    games -- games or their texts. columns -- names of `quantities.QUANTITIES` and strategies.
    seconds -- time for each value; after that it is a bracket or missing. executor, jobs -- as in
    `optsearch.evaluate`. folder -- keeps each finished value. progress -- called after each value,
    and while none ends. tables -- the folder with the tables that ship. is_partial -- after ctrl-C
    return what is known.

    Raises StrategyError for a column that does not exist or is given twice, TableError for the
    folder.
    """
    parsed = (Game.parse(game) if isinstance(game, str) else game for game in games)
    chosen, every = tuple(dict.fromkeys(parsed)), quantities(columns)
    shipped = {
        (game, column.name): column.of(value)
        for game in chosen
        for column in every
        if (value := column.ship(game, tables)) is not None
    }
    wanted = {
        (game, column.asks): CellTask(str(game), column.name, column.asks)
        for game in chosen
        for column in every
        if column.name != TIME and (game, column.name) not in shipped
    }
    found: dict[tuple[Game, str], Value] = {}
    is_interrupted = False
    with _stored(folder) as store:
        for key, asked in wanted.items():
            kept = None if store is None else _recall(store, asked, seconds)
            if kept is not None:
                found[key] = kept
        left = [asked for key, asked in wanted.items() if key not in found]
        before, last = len(found), ""

        def tell(what: str = "") -> None:
            nonlocal last
            last = what or last
            progress(TableStatus(done=len(found), total=len(wanted), resumed=before, what=last))

        try:
            workers = min(tasks_at_once(executor, jobs), len(left))
            with ExitStack() as stack:
                is_here = executor is None and workers < 2
                work = partial(_compute, seconds=seconds, tell=tell if is_here else None)
                if executor is None:
                    executor = (
                        SerialExecutor() if is_here else stack.enter_context(processes(workers))
                    )
                for asked, value in run_tasks(executor, work, iter(left), max(1, workers), tell):
                    found[Game.parse(asked.game), asked.asks] = value
                    if store is not None:
                        store.add(asked.key, {"limit": seconds, **_as_json(value)})
                    tell(asked.title)
        except KeyboardInterrupt:
            if not is_partial:
                raise
            is_interrupted = True
    return Tabulation(chosen, every, found, shipped, is_interrupted)


def quantities(names: Iterable[str]) -> tuple[Quantity, ...]:
    """The columns of some names; StrategyError where one is given twice."""
    chosen: dict[str, Quantity] = {}
    for name in names:
        column = as_quantity(name)
        said = str(column.strategy or name)
        if said in chosen:
            raise StrategyError(f"column {name!r} is given twice, as {chosen[said].name!r} before")
        chosen[said] = column
    return tuple(chosen.values())


def _compute(asked: CellTask, seconds: float, tell: Callable[[str], None] | None) -> Value:
    """A task, in whatever process."""

    def report(status: object) -> None:
        if tell is not None:
            tell(asked.title)

    return known(as_quantity(asked.name), Game.parse(asked.game), seconds, report)


# What is kept: each value by its game and what was asked, with the limit that it had


def _stored(folder: Path | None) -> AbstractContextManager[Facts | None]:
    return nullcontext() if folder is None else Facts(folder, _WHAT)


def _recall(store: Facts, asked: CellTask, seconds: float) -> Value | None:
    """A value that was kept; none where this run gives it more time that may help."""
    entry = store.get(asked.key)
    if entry is None:
        return None
    try:
        value, limit = _from_json(entry), float(entry["limit"])
    except (KeyError, TypeError, ValueError, ZeroDivisionError):
        raise store.contradicted(asked.key, "a value of a table") from None
    return None if value.is_cut and limit < seconds else value


def _as_json(value: Value) -> dict[str, object]:
    ends = {"lower": value.lower, "upper": value.upper}
    texts = {name: None if end is None else str(end) for name, end in ends.items()}
    return {**asdict(value), **texts}


def _from_json(entry: Mapping[str, Any]) -> Value:
    """A value as it was written; KeyError, TypeError or ValueError for any other text."""
    read = {field.name: entry[field.name] for field in fields(Value)}
    for name in ("lower", "upper"):
        read[name] = None if read[name] is None else Fraction(read[name])
    types = {"per": int, "is_cut": bool, "seconds": float}
    for name in (field.name for field in fields(Value) if field.name not in ("lower", "upper")):
        if type(read[name]) is not types.get(name, str):
            raise TypeError(name)
    value = Value(**read)
    if value.lower is not None and value.upper is not None and value.lower > value.upper:
        raise ValueError(value)
    return value
