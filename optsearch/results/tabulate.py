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
from contextlib import ExitStack
from dataclasses import asdict, dataclass, fields, replace
from fractions import Fraction
from html import escape
from itertools import product
from operator import attrgetter
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
    """The computation of a value; `name` is that of a column that needs it."""

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

    rows -- the texts of each row. signs -- for each text the sign of its note, or an empty text;
    notes -- the notes below the table, by sign.
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

    values -- computed ones, by game and `Quantity.computation`. stored -- values of the package, by
    game and column. is_interrupted -- True if ctrl-C ended it.
    """

    games: tuple[Game, ...]
    columns: tuple[Quantity, ...]
    values: Mapping[tuple[Game, str], Value]
    stored: Mapping[tuple[Game, str], Value]
    is_interrupted: bool = False

    def row(self, game: Game | str) -> dict[str, Value]:
        """Return the value of each column for a game, by the name of the column.

        If only bounds of the optimum are known, the columns `lower` and `upper` and the means of
        strategies narrow them. The least of these means also replaces a greater or unknown `upper`.
        """
        game = Game.of(game)
        values = {column.name: self._value(game, column) for column in self.columns}
        bounding_names = [
            column.name
            for column in self.columns
            if column.name in ("upper", "best_greedy") or column.strategy is not None
        ]
        known_uppers = [values[name] for name in bounding_names if values[name].upper is not None]
        best = min(known_uppers, key=attrgetter("upper"), default=Value())
        lower = values["lower"].lower if "lower" in values else None
        for column in self.columns:
            value = values[column.name]
            if column.computation == "optimum" and value.is_bracket:
                narrowed = narrow(self.values[game, column.computation], lower, best.upper)
                values[column.name] = column.from_result(narrowed)
            elif column.name == "upper" and value.upper != best.upper:
                values[column.name] = replace(
                    value, lower=best.upper, upper=best.upper, source=best.source, by=best.by
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

        `value` is a number, or None if only the bounds in `bracket` are known. `value_exact` and
        `bracket_exact` are exact texts.
        """
        columns = [column for column in self.columns if column.name != TIME]
        rows = []
        for game in self.games:
            values = self.row(game)
            rows += [_json_fields(game, column, values[column.name]) for column in columns]
        return rows

    def sheet(self, places: int = 4) -> Sheet:
        """Return the table for people. places -- the decimals of means."""
        sign_of_note: dict[str, str] = {}
        text_rows, sign_rows = [], []
        for game in self.games:
            values = self.row(game)
            optimum = values["optimum"].exact if "optimum" in values else None
            texts, signs = [str(game)], [""]
            for column in self.columns:
                value = values[column.name]
                texts.append(_cell_text(column, value, optimum, places))
                note = _note_below(value)
                if note:
                    sign_of_note.setdefault(note, _sign_of_note(len(sign_of_note)))
                signs.append(sign_of_note.get(note, ""))
            text_rows.append(texts)
            sign_rows.append(signs)
        names = [column.name for column in self.columns]
        head = [name.replace("_", " ") if name in QUANTITIES else name for name in names]
        notes = {sign: note for note, sign in sign_of_note.items()}
        return Sheet(["game", *head], text_rows, sign_rows, notes)

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
    chosen_games = _list_games(games)
    quantities = columns_named(split_columns(columns) if isinstance(columns, str) else columns)
    stored: dict[tuple[Game, str], Value] = {}
    tasks: dict[tuple[Game, str], CellTask] = {}
    for game, column in product(chosen_games, quantities):
        stored_value = column.stored(game, results)
        if stored_value is not None:
            stored[game, column.name] = column.from_result(stored_value)
        elif column.name != TIME:
            task = CellTask(game, column.name, column.computation)
            tasks[game, column.computation] = task
    values: dict[tuple[Game, str], Value] = {}
    is_interrupted = False
    try:
        _compute_tasks(tasks, values, time_limit, execution)
    except KeyboardInterrupt:
        if not partial:
            raise
        is_interrupted = True
    return Tabulation(chosen_games, quantities, values, stored, is_interrupted)


def _list_games(games: Iterable[Game | str] | Game | str) -> tuple[Game, ...]:
    """Return all games of games, texts and ranges, each once."""
    if isinstance(games, Game | str):
        games = [games]
    chosen: list[Game] = []
    for game in games:
        chosen += [game] if isinstance(game, Game) else map(Game.of, expand_range(game))
    return tuple(dict.fromkeys(chosen))


def _compute_tasks(
    tasks: Mapping[tuple[Game, str], CellTask],
    values: dict[tuple[Game, str], Value],
    seconds: float,
    execution: Execution,
) -> None:
    """Compute the values of some tasks, or resume them from the checkpoint.

    tasks -- by game and the name of its computation. values -- each value is added, under the key
    of its task, as soon as it is known, so that an interruption leaves them. seconds -- for each
    value. execution -- as in `table`.
    """
    folder, executor = execution.checkpoint, execution.executor
    with ExitStack() as stack:
        store = None if folder is None else stack.enter_context(Facts(folder, _CONTENT))
        for key, task in tasks.items():
            resumed = None if store is None else _resumed_value(store, task, seconds)
            if resumed is not None:
                values[key] = resumed
        tasks_left = [task for key, task in tasks.items() if key not in values]
        resumed_count, last_title = len(values), ""

        def report(title: str = "") -> None:
            nonlocal last_title
            last_title = title or last_title
            done, total = len(values), len(tasks)
            execution.progress(
                TableStatus(done=done, total=total, resumed=resumed_count, step=last_title)
            )

        workers = min(execution.tasks_at_once, len(tasks_left))
        is_here = executor is None and workers < 2
        work = functools.partial(_compute_task, seconds=seconds, report=report if is_here else None)
        if is_here:
            executor = SerialExecutor()
        elif executor is None:
            executor = stack.enter_context(process_pool(workers))
        for task, value in run_tasks(executor, work, iter(tasks_left), max(1, workers), report):
            values[task.game, task.computation] = value
            if store is not None:
                store.add(task.key, {"limit": seconds, **_value_to_json(value)})
            report(task.title)


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
    """Compute a value in about `seconds` at most; meanwhile call `report` with its title."""

    def progress(status: object) -> None:
        if report is not None:
            report(task.title)

    return compute_value(as_quantity(task.name), task.game, seconds, progress)


# How values are shown


def _json_fields(game: Game, column: Quantity, value: Value) -> dict[str, Any]:
    """Return a value as numbers and texts by their JSON names; None stands for what is unknown."""
    exact = value.exact
    known_ends = [end for end in (value.lower, value.upper) if end is not None]
    to_number = float if column.is_mean else int
    return {
        "game": str(game),
        "column": column.name,
        "value": None if exact is None else to_number(exact),
        "value_exact": None if exact is None else value.text(exact),
        "bracket": list(map(to_number, known_ends)) or None,
        "bracket_exact": list(map(value.text, known_ends)) or None,
        "source": value.source or None,
        "by": _origin(value) or None,
        "note": value.note or None,
        "seconds": round(value.seconds, 6),
    }


def _origin(value: Value) -> str:
    """Return the tables or computations of both ends of a value."""
    return "; ".join(filter(None, (value.by, value.upper_by)))


def _sign_of_note(index: int) -> str:
    """Return the sign of a note by its index: one of SIGNS, then two of each, and so on."""
    rounds, place = divmod(index, len(SIGNS))
    return SIGNS[place] * (1 + rounds)


def _note_below(value: Value) -> str:
    """Return the note on a value below the table; empty for a value that was computed."""
    if value.source != STORED:
        return value.note
    without_parameters = re.sub(r"\b(\w+):\w+=[\w=,]*\w", r"\1", _origin(value))
    return f"stored in optsearch: {without_parameters}"


def _cell_text(column: Quantity, value: Value, optimum: Fraction | None, places: int) -> str:
    """Return the text of a value for people, with `places` decimals if it is a mean.

    Lower bounds are rounded down, upper bounds up, all else to nearest: so is a bound that equals
    the optimum of the game, if that is known.
    """
    if column.name == TIME:
        return f"{float(value.lower or 0):.1f}"
    lower, upper = value.lower, value.upper
    if lower is None or upper is None:
        return "—"
    if not column.is_mean:
        return f"{int(lower):,}" if lower == upper else f"[{int(lower):,}, {int(upper):,}]"
    low = decimal(lower, "exact" if lower == optimum else "lower", places)
    high = decimal(upper, "exact" if upper == optimum else "upper", places)
    if lower < upper:
        return f"[{low}, {high}]"
    if column.name == "lower":
        return low
    return high if column.name == "upper" else decimal(lower, places=places)


# The checkpoint: each value by its game and `Quantity.computation`, with its time limit


def _resumed_value(store: Facts, task: CellTask, seconds: float) -> Value | None:
    """Return the value that an earlier run has kept for a task, or None to compute it.

    A value that was cut short does not count if this run allows more seconds.
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
    """Return a value from its fields in JSON, where fractions are texts.

    Raises KeyError, TypeError, ValueError or ZeroDivisionError for other fields.
    """
    contents = {field.name: entry[field.name] for field in fields(Value)}
    type_by_name = {"per": int, "is_cut": bool, "seconds": float}  # the others are texts
    for name, content in contents.items():
        if name in ("lower", "upper"):
            contents[name] = None if content is None else Fraction(content)
        elif type(content) is not type_by_name.get(name, str):
            raise TypeError(name)
    value = Value(**contents)
    if value.lower is not None and value.upper is not None and value.lower > value.upper:
        raise ValueError(value)
    return value
