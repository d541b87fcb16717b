"""The command itself: which commands there are and where, its version, and how errors are shown.

It imports no other module of this room with commands: these take long to load, and add theirs to
`app` when they are called.
"""

from __future__ import annotations

import platform
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated, Any, ClassVar

import typer
from rich.console import Console
from rich.text import Text
from typer.core import TyperCommand, TyperGroup

from optsearch.cli import loading
from optsearch.cli.arguments import Commands
from optsearch.support.errors import printable
from optsearch.support.version import VERSION

START, COUNTING, OPTIMUM, STRATEGIES, PLAYING, SHOWING = (
    "To begin with",
    "Counts and probabilities",
    "The optimum",
    "Strategies",
    "Playing",
    "Looking at trees; puzzles",
)
# name -> its group, the module of this room that has it, the first sentence of its help
COMMANDS = {
    "solve": (
        START,
        "solving",
        "The optimum: its mean number of shots, exactly, and its first shots.",
    ),
    "bounds": (START, "solving", "Proved bounds on the optimum, and the bracket they leave."),
    "posterior": (START, "counting", "Where the ships are: the probability of each cell."),
    "play": (
        *(START, "playing"),
        "Play against hidden ships, or against a player who shoots back.",
    ),
    "count": (COUNTING, "counting", "Count the configurations, of a game or after some shots."),
    "occurrence": (COUNTING, "counting", "In how many configurations each cell holds a ship."),
    "sample": (
        *(COUNTING, "counting"),
        "Draw configurations from those the shots leave, uniformly or by a prior.",
    ),
    "advise": (PLAYING, "advising", "Advice in a real game: enter its replies one by one."),
    "animate": (
        *(PLAYING, "animating"),
        "Draw a player's game shot by shot, with the probability of a ship on each cell.",
    ),
    "serve": (PLAYING, "serving", "Serve a board for the browser: advice, play and review."),
    "counterexamples": (
        *(STRATEGIES, "counterexamples"),
        "Positions where greedy is not optimal, the smallest first.",
    ),
    "equilibrium": (
        *(OPTIMUM, "equilibria"),
        "The value of a game in which the hider, too, plays optimally.",
    ),
    "certificate": (
        *(OPTIMUM, "equilibria"),
        "Check both sides of the value of a game against the best hider.",
    ),
    "evaluate": (STRATEGIES, "evaluating", "The exact distribution of a strategy's shots."),
    "compare": (STRATEGIES, "comparing", "Estimate what one strategy saves in place of another."),
    "strategies": (
        *(STRATEGIES, "evaluating"),
        "List the strategies and players with their parameters.",
    ),
    "explore": (
        *(SHOWING, "explore"),
        "Write a web page on which you walk an optimal and a greedy strategy shot by shot.",
    ),
    "greedy": (STRATEGIES, "greedy", "The cost of always shooting a most probable cell."),
    "reproduce": (
        *(OPTIMUM, "reproducing"),
        "Compute the numbers of the paper, or of another source, and print both side by side.",
    ),
    "simulate": (
        *(STRATEGIES, "simulating"),
        "Play games on hidden boards, all players on the same boards.",
    ),
    "table": (
        *(OPTIMUM, "tabulating"),
        "A table of many games: optima, strategies and bounds, for a paper.",
    ),
    "proof": (OPTIMUM, "solving", "Check a proof that no strategy is better."),
    "tree": (
        *(SHOWING, "trees"),
        "Print a decision tree; verify it; draw it; compare it with another.",
    ),
    "solitaire": (
        *(SHOWING, "solitaire"),
        "Solitaire Battleship: find the fleet from counts and a few revealed cells.",
    ),
}


class Grouped(TyperGroup):
    """The commands by what they are for, each with its first sentence whole."""

    groups: ClassVar[tuple[str, ...]] = START, OPTIMUM, COUNTING, STRATEGIES, PLAYING, SHOWING

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
        return COMMANDS[name][0]


class Named(Grouped):
    """All commands by name; one is imported when it is called, not when it is listed."""

    def __init__(self, *, commands: dict[str, Any], **options: Any) -> None:
        named = {name: TyperCommand(name, help=text) for name, (*_, text) in COMMANDS.items()}
        super().__init__(commands={**named, **commands}, **options)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """As click's, of the command with its options."""
        if type(self.commands.get(args[0])) is TyperCommand:  # its name alone
            with loading():
                import_module(f"optsearch.cli.{COMMANDS[args[0]][1]}")
            self.commands.update(typer.main.get_group(app).commands)
        return super().resolve_command(ctx, args)


class Safe(Console):
    """A console that shows text as it is, and on which none from outside controls the terminal."""

    def __init__(self, **options: Any) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, **options)

    def render_str(self, text: str, **options: Any) -> Text:
        """As `Console.render_str`, of the text that may be shown."""
        return super().render_str(printable(text), **options)


app = Commands(
    help="Optimal shooting at Battleship against ships placed uniformly at random.",
    epilog="Example: optsearch solve 4x5:2,3,4. COMMAND -h has an example of each.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    cls=Named,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
err = Safe(stderr=True)


class Interrupted(Exception):
    """Ctrl-C ended a command; the text says what is kept, after "interrupted"."""


DEPENDENCIES = (
    *("numpy", "numba", "lmdb", "sortedcontainers", "typer", "rich", "matplotlib", "highspy"),
    *("distributed", "gymnasium", "ortools", "starlette", "uvicorn"),  # extras
)


def version_text() -> str:
    """The version, the build of the kernels in use, and the versions of what they stand on."""
    from optsearch.compiled import build

    lines = [f"optsearch {VERSION}, kernels {build}"]
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
            help="Show the versions of optsearch and its dependencies, and the build in use.",
            callback=_show_version,
            is_eager=True,
        ),
    ] = False,
) -> None:
    """Optimal shooting at Battleship against ships placed uniformly at random."""


def everything() -> Any:
    """All commands with their options, which typer reads from the annotations of the functions."""
    for _, module, _ in COMMANDS.values():
        import_module(f"optsearch.cli.{module}")
    return typer.main.get_command(app)
