"""What the experiments share: a run that writes one table, the command line, and its help."""

from __future__ import annotations

import argparse
import inspect
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from optsearch.cli import discard_output
from optsearch.cli.common import expand_games
from optsearch.counting.posterior import Posterior
from optsearch.game import Game
from optsearch.results import tables as results
from optsearch.results.tables import Table, Tree
from optsearch.support.datafiles import CHECKOUT, RESULTS
from optsearch.support.datafiles import typed_path as typed_path
from optsearch.support.decimals import time_text
from optsearch.support.errors import OptsearchError

SECONDS = 10  # between two lines that say how far a script is
CHECKPOINTS = CHECKOUT / ".checkpoints"
Row = tuple[object, ...]
Rows = Iterator[Row]
Option = Callable[[argparse.ArgumentParser], object]


@dataclass(frozen=True)
class Experiment:
    """An experiment that writes one table; a call reads the command line and runs it.

    kind -- of the table. tasks -- what rows are computed for, such as games. rows -- yields the
        rows of a task, whose values are its first arguments. fields -- lines of the header.
    options -- each by `option`. Its value is passed to each function here that has a parameter of
        its name; `is_named` is True if the user named tasks. With an option --jobs, that many
        processes compute the rows.
    order -- the key by which rows are sorted.
    read_task -- of a text; with it, users can name tasks, and no others are computed.
    keeps_rows -- True to go on after the rows in the table, whose first value is their task. They
        are computed again only if it is named, or with --again.
    """

    kind: str
    tasks: Iterable[Any] | Callable[..., Iterable[Any]]
    rows: Callable[..., Rows]
    options: Sequence[Option] = ()
    fields: Mapping[str, object] | Callable[..., Mapping[str, object]] = field(default_factory=dict)
    order: Callable[[Any], Any] | None = None
    read_task: Callable[[str], Any] | None = None
    keeps_rows: bool = False

    def __call__(self) -> None:
        """Compute the rows, print each, and write the table."""
        options = self._read_options()
        table = results.TABLES[self.kind]
        path = table.path(options["output"])
        rows_of = self._rows_at(path)
        tasks = self._tasks_to_do(options, rows_of)
        tasks_done, written_at, clock = 0, time.monotonic(), ProgressClock(self.kind)
        try:
            for task, rows in zip(tasks, self._compute(tasks, options), strict=True):
                for row in rows:
                    print(*map(results.Column.show, table.columns, row), flush=True)
                if rows:  # else those that were there stay
                    rows_of[task] = rows
                tasks_done += 1
                clock(tasks_done, len(tasks))
                if self.keeps_rows and time.monotonic() - written_at > SECONDS:
                    self._write(rows_of, options)
                    written_at = time.monotonic()
        finally:
            if tasks and (self.keeps_rows or tasks_done == len(tasks)):
                self._write(rows_of, options)
        print(f"{typed_path(path)}: {sum(map(len, rows_of.values()))} rows")

    def _rows_at(self, path: Path) -> dict[Any, list[Row]]:
        """Return the rows that the table at a path has already, by their task, the first column.

        There are none if the experiment always computes all rows.
        """
        rows_of: dict[Any, list[Row]] = {}
        if self.keeps_rows and path.exists():
            for entry in results.TABLES[self.kind].read(path):
                row = tuple(entry.values())
                rows_of.setdefault(row[0], []).append(row)
        return rows_of

    def _tasks_to_do(self, options: Mapping[str, Any], rows_of: Mapping[Any, object]) -> list[Any]:
        """List the tasks that the user named, or those that have no rows yet."""
        if options["tasks"]:
            return list(options["tasks"])
        tasks = _call(self.tasks, options) if callable(self.tasks) else self.tasks
        return [task for task in tasks if options["again"] or task not in rows_of]

    def _write(self, rows_of: Mapping[Any, list[Row]], options: Mapping[str, Any]) -> None:
        """Write the rows of all tasks, in the order of the table."""
        rows = [row for rows in rows_of.values() for row in rows]
        if self.order:
            rows.sort(key=self.order)
        fields = _call(self.fields, options) if callable(self.fields) else self.fields
        results.TABLES[self.kind].write(rows, options["output"], fields=fields)

    def _read_options(self) -> dict[str, Any]:
        """Read the command line; return the value of each option by its name."""
        table = results.TABLES[self.kind]
        made_parser = parser(sys.modules[self.rows.__module__].__doc__, table.experiment)
        made_parser.set_defaults(tasks=[], again=False)
        if self.read_task:
            made_parser.add_argument(
                "tasks",
                nargs="*",
                action=GameListAction,
                parse=self.read_task,
                metavar=table.names[0].upper(),
                help="only these",
            )
        if self.keeps_rows:
            made_parser.add_argument("--again", action="store_true", help="also those with rows")
        for add in self.options:
            add(made_parser)
        options = vars(made_parser.parse_args())
        return {**options, "is_named": bool(options["tasks"])}

    def _compute(self, tasks: Iterable[Any], options: Mapping[str, Any]) -> Iterator[list[Row]]:
        """Yield the rows of each task; with an option --jobs, processes compute them."""
        compute = partial(_list_rows, self.rows, options)
        if "jobs" not in options:
            yield from map(compute, tasks)
        else:
            with ProcessPoolExecutor(options["jobs"]) as pool:
                yield from pool.map(compute, tasks)


def option(*names: str, **settings: Any) -> Option:
    """Declare an option of an experiment, as `add_argument` does."""
    return lambda made_parser: made_parser.add_argument(*names, **settings)


def write_tables_of_games(
    kind: str,
    names: Mapping[Game, str],
    contents: Callable[[Game], tuple[Sequence[Row], str]],
) -> None:
    """Read the command line, and write a table for the game on it, or for each of the named games.

    kind -- of the tables. names -- with which the files of named games end; those of others end
    with the game. contents -- returns the rows of a game, and a summary to print.
    """
    table = results.TABLES[kind]
    made_parser = parser(sys.modules[contents.__module__].__doc__, kind)
    made_parser.add_argument("game", nargs="?", type=game)
    arguments = made_parser.parse_args()
    for each_game in [arguments.game] if arguments.game else names:
        rows, summary = contents(each_game)
        path = table.write(
            rows,
            arguments.output,
            command=None if each_game in names else f"{table.command} {each_game}",
            fields={"game": each_game, "configurations": Posterior(each_game).configurations},
            game=each_game,
            name=names.get(each_game) or results.file_name_of(each_game),
        )
        print(f"{typed_path(path)}: {summary}")


def _list_rows(rows: Callable[..., Rows], options: Mapping[str, Any], task: Any) -> list[Row]:
    """Call `rows` with the values of a task, and list what it yields."""
    values = task if isinstance(task, tuple) else (task,)
    return list(_call(rows, options, *values))


def _call(function: Callable[..., Any], options: Mapping[str, Any], *values: object) -> Any:
    """Call a function with values and, by their names, the options that it has parameters for."""
    names = list(inspect.signature(function).parameters)[len(values) :]
    named_options = {name: options[name] for name in names if name in options}
    return function(*values, **named_options)


def made_by(name: str) -> list[Table | Tree]:
    """List the tables and trees that an experiment makes."""
    everything: list[Table | Tree] = [*results.TABLES.values(), *results.TREES]
    return [table for table in everything if table.experiment == name]


def parser(doc: str | None, name: str) -> argparse.ArgumentParser:
    """Return a parser with the experiment's docstring as its help, and -o for the folder."""
    assert doc is not None
    tables = made_by(name)
    epilog = ""
    if tables:
        files = ", ".join(f"data/results/{table.file}" for table in tables)
        minutes = max(table.most_minutes for table in tables)
        epilog = f"It makes {files}; that takes about {time_text(60 * minutes)} on two cores."
    made_parser = argparse.ArgumentParser(
        prog=f"python -m experiments.{name}",
        description=doc.replace("%", "%%"),
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    if tables:
        made_parser.add_argument(
            *("-o", "--output"),
            type=Path,
            default=RESULTS,
            metavar="FOLDER",
            help="where to write (default: data/results)",
        )
    return made_parser


def game(text: str) -> Game:
    """Parse a game on a command line."""
    try:
        return Game.parse(text)
    except OptsearchError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


class GameListAction(argparse.Action):
    """An action that collects games, read by `parse`; `-` reads standard input, FILE a file."""

    def __init__(self, *arguments: Any, parse: Callable[[str], Any] = str, **options: Any):
        super().__init__(*arguments, **options)
        self.parse = parse

    def __call__(self, parser: Any, namespace: Any, values: Any, option: Any = None) -> None:
        """Convert the games and store the list."""
        try:
            setattr(namespace, self.dest, list(map(self.parse, expand_games(values or ()))))
        except OptsearchError as error:
            parser.error(str(error))


def memory(text: str) -> int:
    """Parse a number of GiB on a command line; return bytes."""
    try:
        gibibytes = float(text)
    except ValueError:
        gibibytes = 0
    if not 0.01 <= gibibytes <= 65536:  # nan is refused, too
        raise argparse.ArgumentTypeError(f"{text!r}: GiB between 0.01 and 65536 are accepted")
    return int(gibibytes * 2**30)


def run(main: Callable[[], Any]) -> None:
    """Run a script and exit, with status 2 for bad input; `main` returns 1 for a wrong result."""
    try:
        status = main()
        sys.stdout.flush()
        sys.exit(status)
    except BrokenPipeError:  # who reads has enough
        discard_output()
        sys.exit(1)
    except OptsearchError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)


class ProgressClock:
    """Prints every ten seconds how many parts of a task are done, and when it may end."""

    def __init__(self, title: str):
        self.title, self.done_before = title, -1  # done by an earlier run; not known yet
        self.started = self.reported_at = time.monotonic()

    def __call__(self, parts_done: int, parts: int) -> None:
        """Print how many parts are done and the time left, at most every SECONDS."""
        now = time.monotonic()
        if self.done_before < 0:
            self.done_before = parts_done - 1
        if now - self.reported_at > SECONDS:
            self.reported_at = now
            seconds_each = (now - self.started) / (parts_done - self.done_before)
            seconds_left = seconds_each * (parts - parts_done)
            time_left = f"about {seconds_left:.0f} s more"
            print(f"{self.title}: {parts_done:,} of {parts:,}, {time_left}", flush=True)


def digest_of_sources(*files: str) -> str:
    """Return a digest of source files, so that a checkpoint can say which code computed it.

    files -- their names; each is in one folder below cython_ext, experiments or optsearch.
    """
    digest = sha256()
    for file in files:
        (path,) = (
            path
            for room in ("cython_ext", "experiments", "optsearch")
            for path in (CHECKOUT / room).rglob(file)
        )
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
