"""What the commands share: arguments, positions, progress, and how answers are printed."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version
from io import StringIO
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NoReturn

import typer
from rich.console import Console
from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as ProgressBar
from rich.table import Table
from typer.core import TyperGroup

import optsearch
from optsearch.errors import OptsearchError, PositionError, WorkerLost
from optsearch.game import Game, column_name, drawn_board, holes_text
from optsearch.journal import read_text
from optsearch.position import BOARD_SIGNS, Position
from optsearch.prior import Prior
from optsearch.solution import Progress, Status
from optsearch.tree import DecisionTree
from optsearch.workers import processes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COUNTING, OPTIMUM, STRATEGIES, PLAYING, SHOWING = (
    "Counts and probabilities",
    "The optimum",
    "Strategies",
    "Playing",
    "Looking at trees; puzzles",
)
_GROUPS = {
    **dict.fromkeys(("count", "occurrence", "posterior", "sample"), COUNTING),
    **dict.fromkeys(
        ("solve", "proof", "bounds", "equilibrium", "certificate", "reproduce"), OPTIMUM
    ),
    **dict.fromkeys(
        ("greedy", "counterexamples", "evaluate", "simulate", "strategies"), STRATEGIES
    ),
    **dict.fromkeys(("play", "advise", "animate"), PLAYING),
}


class Grouped(TyperGroup):
    """The commands by what they are for, each with its first sentence whole."""

    groups: ClassVar[tuple[str, ...]] = (OPTIMUM, COUNTING, STRATEGIES, PLAYING, SHOWING)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a section for each group."""
        sections: dict[str, list[tuple[str, str]]] = {group: [] for group in self.groups}
        for name, command in self.commands.items():
            first = (command.help or "").strip().partition("\n\n")[0].replace("\n", " ")
            sections[self.group_of(name)].append((name, first))
        for group, rows in sections.items():
            if rows:
                with formatter.section(group):
                    formatter.write_dl(rows)

    def group_of(self, name: str) -> str:
        """The group of a command."""
        return _GROUPS.get(name, SHOWING)


class Output(Console):
    """A console whose lines are neither wrapped nor padded where it is no terminal."""

    def print(self, *objects: Any, **options: Any) -> None:
        """As `Console.print`; elsewhere as wide as it comes, without blanks at ends of lines."""
        if self.is_terminal:
            super().print(*objects, **options)
            return
        text = StringIO()
        Console(file=text, width=_ENDLESS, highlight=False, markup=False).print(*objects, **options)
        self.file.write("\n".join(line.rstrip() for line in text.getvalue().split("\n")))
        self.file.flush()


_ENDLESS = 1 << 16


def facts_table() -> Table:
    """A table of names and what they are; what is too long for a line goes on in the next one."""
    facts = Table.grid(padding=(0, 2))
    facts.add_column()
    facts.add_column(overflow="fold")
    return facts


app = typer.Typer(
    help="Optimal shooting at Battleship against ships placed uniformly at random.",
    epilog="Example: optsearch solve 4x5:2,3,4. COMMAND --help has an example of each.",
    no_args_is_help=True,
    cls=Grouped,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
out = Output(highlight=False, markup=False)
err = Console(stderr=True, highlight=False, markup=False)

MOST_DRAWN = 1 << 16  # bytes of a drawn board


class Interrupted(Exception):
    """Ctrl-C ended a command; the text says what is kept, after "interrupted"."""


DEPENDENCIES = (
    *("numpy", "numba", "lmdb", "sortedcontainers", "typer", "rich", "matplotlib", "scipy"),
    *("distributed", "jinja2", "ortools"),  # extras
)


def version_text() -> str:
    """The version, the build of the kernels in use, and the versions of what they stand on."""
    lines = [f"optsearch {optsearch.__version__}, kernels {optsearch.build}"]
    lines.append(f"Python {platform.python_version()}, {platform.machine()}")
    for name in DEPENDENCIES:
        try:
            lines.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            lines.append(f"{name} is not installed")
    return "\n".join(lines)


def _show_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(version_text())
        raise typer.Exit


@app.callback()
def options(
    show_version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Show the version, the build in use and those of the dependencies.",
            callback=_show_version,
            is_eager=True,
        ),
    ] = False,
) -> None:
    """Optimal shooting at Battleship against ships placed uniformly at random."""


GameArgument = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        help="For example 10x10:5,4,3,3,2 or 4x4:3,2;contact=any (rows x columns : ship lengths); "
        "FILE:5,4,3 takes the board from a drawing, . a cell and - a hole.",
        show_default=False,
    ),
]
OptionalGame = Annotated[
    str | None,
    typer.Argument(
        metavar="[GAME]",
        help="For example 10x10:5,4,3,3,2 or 4x4:3,2;contact=any (rows x columns : ship lengths).",
        show_default=False,
    ),
]
FamilyOption = Annotated[
    Path | None,
    typer.Option(
        "--family",
        metavar="FILE",
        help="Find a hidden set among those of this table instead (CSV: set, things, weight; "
        "docs/families.md).",
        show_default=False,
    ),
]
ShotsOption = Annotated[
    str, typer.Option("--shots", help="Shots made so far, for example 'B3=hit A1=miss'.")
]
BoardOption = Annotated[
    Path | None,
    typer.Option(
        "--board",
        help=f"File with a drawn board instead: one line a row of {BOARD_SIGNS}.",
        show_default=False,
    ),
]
PriorOption = Annotated[
    str | None,
    typer.Option(
        "--prior",
        metavar="PRIOR",
        help="How likely each configuration is, if not all the same: FILE.csv with weights of "
        "placements, cells or configurations, FILE.py:NAME, or one-by-one (docs/priors.md).",
        show_default=False,
    ),
]
TimeLimitOption = Annotated[
    float | None,
    typer.Option(
        "--time-limit",
        help="Seconds, after which the bracket proved by then is printed.",
        min=0.01,
        show_default=False,
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]


def title_of(tree: DecisionTree, path: Path) -> str:
    """What a tree from a file is called: its title, or else the name of the file."""
    return tree.title or path.stem


def read_game(text: str) -> Game:
    """The game that an argument describes; `FILE:FLEET…` takes the board from a drawing."""
    file, colon, rest = text.partition(":")
    is_named = Path(file).suffix == ".txt" or "/" in file
    if not colon or not (is_named or Path(file).is_file()):
        return Game.parse(text)
    rows, columns, holes = drawn_board(read_drawing(Path(file)))
    option = f";holes={holes_text(holes, columns)}" if holes else ""
    return Game.parse(f"{rows}x{columns}:{rest}{option}")


def read_drawing(board: Path) -> str:
    """What a file with a drawn board has in it; PositionError where it cannot be read."""
    try:
        return read_text(board, MOST_DRAWN).removeprefix("\ufeff")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        if isinstance(error, UnicodeDecodeError):
            reason = "it is not UTF-8 text"
        raise PositionError(f"cannot read the drawn board {str(board)!r}: {reason}") from None


def read_position(game: str, shots: str = "", board: Path | None = None) -> Position:
    """The position that the arguments describe."""
    parsed = read_game(game)
    if board is None:
        return Position.parse(parsed, shots)
    if shots:
        raise PositionError(f"give --shots ({shots!r}) or --board ({str(board)!r}), not both")
    return Position.from_board(parsed, read_drawing(board))


def described(position: Position, prior: Prior | None = None) -> dict[str, Any]:
    """The fields that tell what a JSON answer is about."""
    return {"game": str(position.game), "position": str(position), **prior_fields(prior)}


def prior_fields(prior: Prior | None) -> dict[str, Any]:
    """What names a prior in a JSON answer; nothing where there is none."""
    return {} if prior is None else {"prior": prior.name, "prior_digest": prior.digest}


def prior_row(prior: Prior | None) -> list[tuple[str, str]]:
    """The same for people."""
    return [] if prior is None else [("prior", f"{prior.name}, {prior.digest}")]


def mean_fields(total_height: int | None, configurations: int) -> dict[str, Any]:
    """The mean for a JSON answer; its exact text is not reduced, as the paper prints it."""
    if total_height is None:
        return {"mean": None}
    exact = f"{total_height}/{configurations}"
    return {"mean": Fraction(total_height, configurations), "mean_exact": exact}


def heading(position: Position) -> str:
    """The same for people: the game, and what has been shot."""
    return position.title


def counted_text(number: int, prior: Prior | None = None) -> str:
    """How many configurations, in words; by a prior, what they weigh."""
    return numbered(number, "configuration") if prior is None else f"a weight of {number:,}"


def numbered(number: int, what: str, several: str = "") -> str:
    """So many of something, in words."""
    return f"{number:,} {what if number == 1 else several or f'{what}s'}"


def board_text(texts: list[list[str]]) -> str:
    """A grid of texts with column letters and row numbers, right-aligned."""
    letters = [column_name(column) for column in range(len(texts[0]))]
    width = max(len(text) for line in [letters, *texts] for text in line)
    numbers = len(str(len(texts)))
    lines = [(" " * numbers, letters), *((str(i + 1), line) for i, line in enumerate(texts))]
    return "\n".join(
        "  ".join([name.rjust(numbers), *(text.rjust(width) for text in line)])
        for name, line in lines
    )


def progress_bar() -> ProgressBar:
    """A bar with a `note`, on standard error, which is seen only when that is a terminal."""
    return ProgressBar(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        TextColumn("{task.fields[note]}"),
        TimeElapsedColumn(),
        console=err,
        transient=True,
        disable=not err.is_terminal,
    )


@contextmanager
def solving(label: str) -> Iterator[Progress]:
    """A progress line on the terminal, when standard error is one."""
    with progress_bar() as bar:
        task = bar.add_task(label, total=None, note="")

        def report(status: Status) -> None:
            rate = status.nodes / max(bar.tasks[task].elapsed or 0.0, 0.1)
            note = f"{status.nodes:,} nodes, {rate:,.0f}/s"
            if status.best is not None and status.lower is not None:
                note += f", total between {status.lower:,} and {status.best:,}"
            elif status.best is not None:
                note += f", best so far {status.best}"
            elif status.done and status.done < status.total and rate:
                seconds = (status.total - status.done) / rate
                note += f", about {seconds:,.0f} s to go"
            bar.update(task, completed=status.done, total=status.total, note=note)

        yield report


@contextmanager
def executor_of(jobs: int) -> Iterator[Executor | None]:
    """A pool of so many processes; none for one job."""
    if jobs == 1:
        yield None
        return
    with processes(jobs) as pool:
        yield pool


@contextmanager
def advised(option: str, folder: Path | None) -> Iterator[None]:
    """Where work is cut short, say how to go on; the option names the folder that keeps work."""
    kept = f"what is done is in {folder}, and the same command goes on from there"
    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted("" if folder is None else f"; {kept}") from None
    except WorkerLost as lost:
        if folder is None:
            kept = f"with {option} FOLDER, what is done would be kept"
        raise WorkerLost(f"{lost}; fewer --jobs may do; {kept}") from None


# Files that are written


def require_writable(*paths: Path | None, parents: bool = True) -> None:
    """Refuse a file that cannot be written before the work, not after it.

    parents -- whether its folder will be made.
    """
    for path in paths:
        if path is None:
            continue
        try:
            if path.is_dir():
                refuse_output(path, "it is a folder")
            if path.exists() and not path.is_file():
                refuse_output(path, "it is not a regular file")
            _require_room(path.absolute().parent, parents)
        except OSError as error:
            refuse_output(path, error.strerror or str(error))


def require_folder(*paths: Path | None) -> None:
    """The same for folders that files are written to."""
    for path in paths:
        try:
            if path is not None:
                _require_room(path.absolute(), parents=True)
        except OSError as error:
            refuse_output(path, error.strerror or str(error))


def _require_room(folder: Path, parents: bool) -> None:
    """Raise OSError where no file can be put into a folder, which may be made with its parents."""
    if parents:
        folder = next(place for place in (folder, *folder.parents) if place.exists())
    with TemporaryFile(dir=folder):
        pass


def refuse_output(path: Path | None, reason: str) -> NoReturn:
    """Say that a file cannot be written."""
    raise OptsearchError(
        f"cannot write {str(path)!r}: {reason}; give a place in a folder you can write to"
    )


def require_figure(path: Path | None) -> None:
    """Refuse a drawing that cannot be written, or whose ending names no format."""
    if path is not None:
        if path.suffix.lower() not in (".pdf", ".svg", ".png"):
            raise OptsearchError(
                f"cannot draw to {str(path)!r}; use a name ending in .pdf, .svg, .png"
            )
        require_writable(path, parents=False)


def save_figure(figure: Figure, path: Path) -> None:
    """Write a figure to a file whose ending names the format."""
    try:
        figure.savefig(path, bbox_inches="tight", dpi=200)
    except OSError as error:
        raise OptsearchError(f"cannot write {str(path)!r}: {error.strerror}") from None
