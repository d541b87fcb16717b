"""A table of many games: a row per game, a column per quantity; missing values are computed.

    found = table("4x4..4x5:3,2", "optimum,greedy")
    found.row("4x4:3,2")["greedy"].exact  # Fraction(879, 104)

Values are computed in parallel, a task each, and a folder stores each finished one: a stopped run
resumes from it, and so does a larger table.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import asdict, dataclass, fields, replace
from fractions import Fraction
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from optsearch.game import Game, notebook
from optsearch.game.ranges import expand_range
from optsearch.results.quantities import (
    QUANTITIES,
    STORED,
    TIME,
    Quantity,
    Value,
    as_quantity,
    compute_value,
    narrow,
)
from optsearch.support.datafiles import RESULTS
from optsearch.support.decimals import decimal
from optsearch.support.errors import StrategyError
from optsearch.support.progress import Status
from optsearch.support.sharing import SerialExecutor, run_tasks
from optsearch.support.store import Facts
from optsearch.support.workers import IN_THIS_PROCESS, Execution, process_pool, require_execution

SECONDS = 60.0  # of a value
COLUMNS = "configurations,optimum,greedy,lower"
SIGNS = "†‡§¶‖"
_CONTENT = "values of games"


class CellTask(NamedTuple):
    """The computation of a value. name -- of one of the columns that need it."""

    game: Game
    name: str
    computation: str

    @property
    def title(self) -> str:
        """The game and the column, as shown to people."""
        return f"{self.game} {self.name}"

    @property
    def key(self) -> str:
        """The key in the store of finished values."""
        return f"{self.computation}; {self.game}"


@dataclass(frozen=True, kw_only=True)
class TableStatus(Status):
    """The progress of a table. step -- the value computed last, or the one that is computed now."""

    step: str = ""


@dataclass(frozen=True)
class Sheet:
    """A table for people.

    head -- the names of the columns. rows -- the texts of each row. signs -- of the note on each
    text, or empty; notes -- the notes below the table, by sign.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    signs: Sequence[Sequence[str]]
    notes: Mapping[str, str]

    @property
    def below(self) -> list[str]:
        """The lines below the table."""
        return [f"{sign} {note}" for sign, note in self.notes.items()]


@dataclass(frozen=True)
class Tabulation:
    """A table of quantities of some games.

    columns -- in order. values -- computed ones, by game and `Quantity.computation`.
    stored -- values of the package, by game and column. is_interrupted -- True if ctrl-C ended it.
    """

    games: tuple[Game, ...]
    columns: tuple[Quantity, ...]
    values: Mapping[tuple[Game, str], Value]
    stored: Mapping[tuple[Game, str], Value]
    is_interrupted: bool = False

    def row(self, game: Game | str) -> dict[str, Value]:
        """Return the value of each column for a game, by the name of the column.

        Where only bounds of the optimum are known, the columns `lower` and `upper` and the means of
        strategies narrow them. The least of these means also replaces the value of the column
        `upper` if that is greater.
        """
        game = Game.of(game)
        values = {column.name: self._value(game, column) for column in self.columns}
        lower = values["lower"].lower if "lower" in values else None
        mean_by_strategy = {
            column.name: mean
            for column in self.columns
            if (column.strategy is not None or column.name == "best_greedy")
            and (mean := values[column.name].upper) is not None
        }
        best = min(mean_by_strategy, key=mean_by_strategy.__getitem__, default=None)
        upper_bounds = [values[name].upper for name in ("upper", best) if name in values]
        upper = min((bound for bound in upper_bounds if bound is not None), default=None)
        for column in self.columns:
            value = values[column.name]
            if column.computation == "optimum" and value.is_bracket:
                narrowed = narrow(self.values[game, column.computation], lower, upper)
                values[column.name] = column.from_result(narrowed)
            elif column.name == "upper" and best is not None and value.upper != upper:
                of_best = values[best]
                values[column.name] = replace(
                    value, lower=upper, upper=upper, source=of_best.source, by=of_best.by
                )
        return values

    def _value(self, game: Game, column: Quantity) -> Value:
        if column.name == TIME:
            names = dict.fromkeys(column.computation for column in self.columns)
            values = [self.values[game, name] for name in names if (game, name) in self.values]
            seconds = Fraction(sum(value.seconds for value in values)).limit_denominator(10**6)
            return Value(seconds, seconds)
        stored = self.stored.get((game, column.name))
        if stored is not None:
            return stored
        computed = self.values.get((game, column.computation))
        if computed is None:
            return Value(note="not computed", is_cut=True)
        return column.from_result(computed)

    def __repr__(self) -> str:
        names = ", ".join(column.name for column in self.columns)
        return f"<Tabulation of {len(self.games)} games: {names}>"

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a row for each value, as `optsearch table --format csv` prints them.

        `value` is an integer or a float, or None if it is not known; then `bracket` has the known
        bounds. `value_exact` and `bracket_exact` are exact texts.
        """
        return [
            _json_fields(game, column, row[column.name])
            for game in self.games
            for row in [self.row(game)]
            for column in self.columns
            if column.name != TIME
        ]

    def sheet(self, places: int = 4) -> Sheet:
        """Return the table for people. places -- the decimals of means."""
        signs: dict[str, str] = {}
        texts, marks = [], []
        for game in self.games:
            row = self.row(game)
            optimum = row["optimum"].exact if "optimum" in row else None
            cells = [_cell_text(c, row[c.name], optimum, places) for c in self.columns]
            texts.append([str(game), *cells])
            notes = [_note_below(row[column.name]) for column in self.columns]
            for note in filter(None, notes):
                signs.setdefault(note, _sign_of_note(len(signs)))
            marks.append(["", *(signs.get(note, "") for note in notes)])
        names = [column.name for column in self.columns]
        head = [name.replace("_", " ") if name in QUANTITIES else name for name in names]
        return Sheet(["game", *head], texts, marks, {sign: note for note, sign in signs.items()})

    def _repr_html_(self) -> str:
        """Return the table with a line per game, and the notes below."""
        sheet = self.sheet()
        lines = [
            [f"{text}{sign}" for text, sign in zip(row, signs, strict=True)]
            for row, signs in zip(sheet.rows, sheet.signs, strict=True)
        ]
        title = f"{len(self.games)} games"
        return notebook.with_title(
            title, notebook.table(sheet.head, lines), *map(escape, sheet.below)
        )


def table(
    games: Iterable[Game | str] | Game | str,
    columns: Iterable[str] | str = COLUMNS,
    *,
    time_limit: float = SECONDS,
    results: Path = RESULTS,
    partial: bool = False,
    execution: Execution = IN_THIS_PROCESS,
) -> Tabulation:
    """Return the values of some games, as `optsearch table` prints them.

    games -- games or their texts, which may be ranges such as `3x4..4x5:3,2`; or one of these.
    columns -- names of `quantities.QUANTITIES` and strategies, or one text with commas between
    them. time_limit -- seconds for each value; after that it is a bracket or missing. results --
    the folder with the tables of the package. partial -- True to return the finished values
    after ctrl-C. execution -- the processes, the folder for finished values, and the progress,
    which is called after each value, and while none ends.

    Raises StrategyError for a column that does not exist or is given twice, TableError for the
    checkpoint.
    """
    require_execution(execution)
    several = [games] if isinstance(games, Game | str) else games
    texts = ([game] if isinstance(game, Game) else expand_range(game) for game in several)
    chosen = tuple(dict.fromkeys(Game.of(game) for of_range in texts for game in of_range))
    every = columns_named(split_columns(columns) if isinstance(columns, str) else columns)
    stored = {
        (game, column.name): column.from_result(value)
        for game in chosen
        for column in every
        if (value := column.stored(game, results)) is not None
    }
    tasks = {
        (game, column.computation): CellTask(game, column.name, column.computation)
        for game in chosen
        for column in every
        if column.name != TIME and (game, column.name) not in stored
    }
    values: dict[tuple[Game, str], Value] = {}
    is_interrupted = False
    with _open_store(execution.checkpoint) as store:
        for key, task in tasks.items():
            resumed = None if store is None else _resumed_value(store, task, time_limit)
            if resumed is not None:
                values[key] = resumed
        left = [task for key, task in tasks.items() if key not in values]
        before, last = len(values), ""

        def report(title: str = "") -> None:
            nonlocal last
            last = title or last
            execution.progress(
                TableStatus(done=len(values), total=len(tasks), resumed=before, step=last)
            )

        try:
            executor = execution.executor
            workers = min(execution.tasks_at_once, len(left))
            with ExitStack() as stack:
                is_here = executor is None and workers < 2
                work = functools.partial(
                    _compute_task, seconds=time_limit, report=report if is_here else None
                )
                if executor is None:
                    executor = (
                        SerialExecutor() if is_here else stack.enter_context(process_pool(workers))
                    )
                for task, value in run_tasks(executor, work, iter(left), max(1, workers), report):
                    values[task.game, task.computation] = value
                    if store is not None:
                        store.add(task.key, {"limit": time_limit, **_value_to_json(value)})
                    report(task.title)
        except KeyboardInterrupt:
            if not partial:
                raise
            is_interrupted = True
    return Tabulation(chosen, every, values, stored, is_interrupted)


def _open_store(folder: Path | None) -> AbstractContextManager[Facts | None]:
    return nullcontext() if folder is None else Facts(folder, _CONTENT)


def split_columns(columns: str) -> list[str]:
    """List the names of columns in a text with commas between them.

    A part such as `endgame=4` belongs to the strategy before it.
    """
    names: list[str] = []
    for part in columns.split(","):
        if names and re.match(r"\w+=", part.strip()) and ":" in names[-1]:
            names[-1] += f",{part.strip()}"
        else:
            names.append(part.strip())
    return names


def columns_named(names: Iterable[str]) -> tuple[Quantity, ...]:
    """Return the columns of these names; StrategyError for an unknown name or one given twice."""
    chosen: dict[str, Quantity] = {}
    for name in names:
        column = as_quantity(name)
        key = str(column.strategy or name)
        if key in chosen:
            raise StrategyError(f"column {name!r} is given twice, as {chosen[key].name!r} before")
        chosen[key] = column
    return tuple(chosen.values())


def _compute_task(task: CellTask, seconds: float, report: Callable[[str], None] | None) -> Value:
    """Compute the value of a game in one column, in about `seconds` at most.

    report -- called with the title of the value while it is computed, or None.
    """

    def progress(status: object) -> None:
        if report is not None:
            report(task.title)

    return compute_value(as_quantity(task.name), task.game, seconds, progress)


# How values are shown


def _json_fields(game: Game, column: Quantity, value: Value) -> dict[str, Any]:
    """Return a value of a game as a dictionary of plain numbers and texts.

    column -- what the value is. A value that is not known exactly has its bounds in `bracket`.
    """
    exact, ends = value.exact, [end for end in (value.lower, value.upper) if end is not None]
    number = float if column.is_mean else int
    return {
        "game": str(game),
        "column": column.name,
        "value": None if exact is None else number(exact),
        "value_exact": None if exact is None else value.text(exact),
        "bracket": list(map(number, ends)) or None,
        "bracket_exact": list(map(value.text, ends)) or None,
        "source": value.source or None,
        "by": "; ".join(filter(None, (value.by, value.upper_by))) or None,
        "note": value.note or None,
        "seconds": round(value.seconds, 6),
    }


_PARAMETERS = re.compile(r"\b(\w+):\w+=[\w=,]*\w")  # of a strategy
_NAME = r"\1"


def _sign_of_note(number: int) -> str:
    """Return the sign of a note: one of SIGNS, then two of each, and so on."""
    return SIGNS[number % len(SIGNS)] * (1 + number // len(SIGNS))


def _note_below(value: Value) -> str:
    """Return the note on a value below the table; empty for a value that was computed."""
    if value.source == STORED:
        origin = "; ".join(filter(None, (value.by, value.upper_by)))
        return f"stored in optsearch: {_PARAMETERS.sub(_NAME, origin)}"
    return value.note


def _cell_text(column: Quantity, value: Value, optimum: Fraction | None, places: int) -> str:
    """Return the text of a value for people, with `places` decimals if it is a mean.

    Values are rounded to nearest, lower bounds down and upper bounds up. optimum -- of the game, if
    it is known: a bound that equals it is rounded to nearest, too.
    """
    if column.name == TIME:
        return f"{float(value.lower or 0):.1f}"
    lower, upper = value.lower, value.upper
    if lower is None or upper is None:
        return "—"
    if not column.is_mean:
        return f"{int(lower):,}" if lower == upper else f"[{int(lower):,}, {int(upper):,}]"
    low, high = (
        decimal(end, "exact" if end == optimum else side, places)
        for end, side in ((lower, "lower"), (upper, "upper"))
    )
    if lower < upper:
        return f"[{low}, {high}]"
    return {"lower": low, "upper": high}.get(column.name) or decimal(lower, places=places)


# The checkpoint: each value by its game and `Quantity.computation`, with its time limit


def _resumed_value(store: Facts, task: CellTask, seconds: float) -> Value | None:
    """Return the value that an earlier run has kept for a task, or None to compute it.

    The result is None if nothing was kept, or if the value was cut short and this run allows more
    seconds. store -- the values kept. seconds -- what this run allows for a value.
    """
    entry = store.get(task.key)
    if entry is None:
        return None
    try:
        value, limit = _value_from_json(entry), float(entry["limit"])
    except (KeyError, TypeError, ValueError, ZeroDivisionError):
        raise store.impossible_fact(task.key, "a value of a table") from None
    return None if value.is_cut and limit < seconds else value


def _value_to_json(value: Value) -> dict[str, object]:
    ends = {"lower": value.lower, "upper": value.upper}
    texts = {name: None if end is None else str(end) for name, end in ends.items()}
    return {**asdict(value), **texts}


def _value_from_json(entry: Mapping[str, Any]) -> Value:
    """Return a value of a table that was kept as JSON, with fractions as texts.

    entry -- its fields. Raises KeyError, TypeError or ValueError if they are not those of a value.
    """
    names = [field.name for field in fields(Value)]
    values = {name: entry[name] for name in names}
    for name in ("lower", "upper"):
        values[name] = None if values[name] is None else Fraction(values[name])
    type_of = {"per": int, "is_cut": bool, "seconds": float}  # the others are texts
    for name in names:
        if name not in ("lower", "upper") and type(values[name]) is not type_of.get(name, str):
            raise TypeError(name)
    value = Value(**values)
    if value.lower is not None and value.upper is not None and value.lower > value.upper:
        raise ValueError(value)
    return value
