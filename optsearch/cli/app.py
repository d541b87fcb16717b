"""The table of all commands, how a command is added, and the versions that `--version` prints.

This module imports no module that defines commands, since these take long to load. Such a module is
imported when one of its commands is called, and adds it to `app`.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from functools import wraps
from importlib import import_module
from inspect import Parameter, getdoc, signature
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, get_type_hints

import click

from optsearch.cli import guard_loading
from optsearch.cli.arguments import Command, DeclaredOption, make_parameter
from optsearch.cli.options import SHARED, Option
from optsearch.support.errors import OptsearchError
from optsearch.support.version import VERSION

Function = TypeVar("Function", bound=Callable[..., Any])

# name -> the module of this room that has it, and the first sentence of its help
COMMANDS = {
    "solve": ("solving", "The least mean number of shots, exactly, and its first shots."),
    "bounds": ("solving", "Proved bounds on the optimum, and the bracket they leave."),
    "posterior": ("counting", "Where the ships are: the probability of each cell."),
    "advise": ("advising", "Advice in a real game: enter its replies one by one."),
    "serve": ("serving", "Serve a board for the browser: advice, play and review."),
    "play": ("playing", "Play against hidden ships, or against a player who shoots back."),
    "simulate": ("simulating", "Play games on hidden boards, all players on the same boards."),
    "evaluate": ("evaluating", "The exact histogram of a strategy's shots."),
    "table": ("tabulating", "A table of many games: optima, strategies and bounds, for a paper."),
    "animate": (
        "simulating",
        "Draw a player's game shot by shot, with the probability of a ship on each cell.",
    ),
    "check": (
        "checking",
        "Check a decision tree, a proof, or the value of a game against the best hider.",
    ),
    "ask": ("asking", "What questions about the hidden board tell, the best first."),
    "cite": ("reproducing", "BibTeX of this program, and of the sources of results."),
    "compare": ("evaluating", "Estimate what one strategy saves in place of another."),
    "games": ("games", "List the games that have a name, with their best known bounds."),
    "count": ("counting", "Count the configurations, of a game or after some shots."),
    "counterexamples": (
        "counterexamples",
        "Positions where greedy is not optimal, the smallest first.",
    ),
    "equilibrium": (
        "equilibria",
        "The value of a game in which the hider, too, plays optimally.",
    ),
    "explore": (
        "explore",
        "Write a web page on which you walk an optimal and a greedy strategy shot by shot.",
    ),
    "greedy": ("greedy", "The cost of always shooting a most probable cell."),
    "reproduce": (
        "reproducing",
        "Compute the numbers of the paper, or of another source, and print both side by side.",
    ),
    "sample": (
        "counting",
        "Draw configurations from those the shots leave, uniformly or by a prior.",
    ),
    "solitaire": (
        "solitaire",
        "Solitaire Battleship: find the fleet from counts and a few revealed cells.",
    ),
    "strategies": ("evaluating", "List the strategies and players."),
    "tree": ("checking", "Print a decision tree; draw it."),
}
SHOWN_FIRST = 9  # commands that help shows without --all


class OptionParameter(NamedTuple):
    """The type and the default of an option; a required one has the default `Parameter.empty`."""

    annotation: Any
    default: Any

    @property
    def is_required(self) -> bool:
        """True if the option has no default."""
        return self.default is Parameter.empty


def option_parameters(function: Callable[..., Any]) -> dict[str, OptionParameter]:
    """Return the type and the default of each option of a command, by name, required ones first.

    Each parameter of the function is an option or argument. If the type of a parameter is a
    dataclass, each of its fields is one instead.
    """
    annotations = get_type_hints(function)  # types, where the signature has their texts
    options: dict[str, OptionParameter] = {}
    for name, parameter in signature(function).parameters.items():
        annotation = annotations[name]
        if is_dataclass(annotation):
            options |= option_parameters(annotation)  # type: ignore[arg-type]
        else:
            options[name] = OptionParameter(annotation, parameter.default)
    return dict(sorted(options.items(), key=lambda item: not item[1].is_required))


def call_with_groups(function: Callable[..., Any], values: Mapping[str, Any]) -> None:
    """Call a command's function with the values of its options, which are given by name.

    A parameter whose type is a dataclass gets an instance made of the values of its fields.
    """
    annotations, arguments = get_type_hints(function), {}
    for name in signature(function).parameters:
        group = annotations[name]
        if is_dataclass(group):
            fields = signature(group).parameters  # type: ignore[arg-type]
            arguments[name] = group(**{field: values[field] for field in fields})  # type: ignore
        else:
            arguments[name] = values[name]
    function(**arguments)


class Commands(click.Group):
    """A group of commands. Its help lists each with the whole first sentence of its help.

    shared -- declarations of options and arguments that several of the commands have, by name.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.shared = dict(SHARED)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of commands."""
        rows = [(name, first_paragraph(command.help)) for name, command in self.commands.items()]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def command(  # type: ignore[override]
        self,
        *names: str,
        example: str,
        seconds: int,
        next_step: str,
        fields: str = "",
        **own_options: Option,
    ) -> Callable[[Function], Function]:
        """Return a decorator that adds a function as a command. Its help ends with an example.

        names -- the name of the command (default: that of the function). example -- a command line.
        seconds -- an upper limit for its time on a usual machine. next_step -- a command line to
        run next, with its purpose after #.

        fields -- the names in its JSON answer; those in parentheses are not in every answer.
        `tests/test_json.py` compares them with the answers and with docs/json.md. own_options --
        declarations of its options and arguments by name; they take precedence over `shared`.
        """
        duration = "1 second" if seconds == 1 else f"{seconds} seconds"
        lines = (
            f"Example: {example}",
            f"Takes:   {duration} on a usual machine",
            f"Next:    {next_step}",
        )

        def declare(function: Function) -> Function:
            declarations = self.shared | own_options
            params = [
                make_parameter(
                    name,
                    declarations[name],
                    annotation=parameter.annotation,
                    default=None if parameter.is_required else parameter.default,
                    is_required=parameter.is_required,
                )
                for name, parameter in option_parameters(function).items()
            ]
            options = {param.name: declarations[param.name] for param in params}
            vars(function).update(fields=fields, options=options)
            command = Command(
                names[0] if names else function.__name__,
                params=params,
                callback=_accept_families(function),
                help=getdoc(function),
                epilog="\n".join(("\b", *lines)),
            )
            self.add_command(command)
            return function

        return declare


def first_paragraph(text: str | None) -> str:
    """Return the first paragraph of a help or a docstring, on one line; empty for None."""
    return " ".join((text or "").strip().partition("\n\n")[0].split())


class LazyCommands(Commands):
    """All commands by name. The module of a command is imported only when the command is called."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        for name, (_, text) in COMMANDS.items():
            self.add_command(click.Command(name, help=text))  # replaced as its module is imported

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse as click does, and note if --all is given, with which --help lists all commands."""
        ctx.meta["is_all"] = "--all" in args
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of the first commands; with --all also that of the others."""
        names = list(self.commands)
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name][1]) for name in names[:SHOWN_FIRST]])
        if ctx.meta["is_all"]:
            with formatter.section("More commands"):
                formatter.write_dl([(name, COMMANDS[name][1]) for name in names[SHOWN_FIRST:]])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Import the module of the command that is called; then resolve it as click does."""
        if type(self.commands.get(args[0])) is click.Command:  # its name alone
            with guard_loading():
                import_module(f"optsearch.cli.{COMMANDS[args[0]][0]}")
        return super().resolve_command(ctx, args)


def _accept_families(function: Function) -> Function:
    """Return a command that also accepts a file with a family of sets as GAME.

    For such a file the function of the same name in `families` answers. An option that this
    function does not take raises OptsearchError.
    """

    @wraps(function)
    def run_command(**values: Any) -> None:
        arguments = values.get("arguments") or [""]  # of simulate: players, and the game at the end
        game = values.get("game") or arguments[-1]
        if not isinstance(game, str) or not is_family(game):
            call_with_groups(function, values)
            return
        from optsearch.cli.families import answer_for

        answer_family = answer_for(function.__name__, game)
        accepted = signature(answer_family).parameters
        for name, parameter in option_parameters(function).items():
            is_refused = name not in accepted and name != "game"
            if is_refused and values[name] != parameter.default:
                flag = vars(function)["options"][name].flags_of(name)[0]
                raise OptsearchError(f"{flag} does not work with a family of sets ({game!r})")
        answer_family(Path(game), **{name: values[name] for name in accepted if name in values})

    return run_command  # type: ignore[return-value]


def is_family(game: str) -> bool:
    """True if a text, given as a game, is the name of a file with a family of sets."""
    return game.lower().endswith(".csv") and ":" not in Path(game).name


DEPENDENCIES = (
    *("numpy", "numba", "lmdb", "sortedcontainers", "click", "rich", "matplotlib", "highspy"),
    "cloudpickle",
    *("distributed", "gymnasium", "ortools", "starlette", "uvicorn"),  # extras
)


def versions() -> dict[str, str | None]:
    """Return the versions of optsearch and of all that it uses, by name; None if not installed."""
    from importlib.metadata import PackageNotFoundError, version

    from optsearch.compiled import build

    version_of: dict[str, str | None] = {"version": VERSION, "kernels": build}
    version_of |= {"python": platform.python_version(), "machine": platform.machine()}
    for name in DEPENDENCIES:
        try:
            version_of[name] = version(name)
        except PackageNotFoundError:
            version_of[name] = None
    return version_of


def version_text(version_of: dict[str, str | None]) -> str:
    """Format the versions as lines of text."""
    heading = "optsearch {version}, kernels {kernels}\nPython {python}, {machine}"
    packages = [f"{name} {version_of[name] or 'is not installed'}" for name in DEPENDENCIES]
    return "\n".join([heading.format(**version_of), *packages])


@click.pass_context
def print_versions(ctx: click.Context, show_version: bool, as_json: bool, show_all: bool) -> None:
    """Print the versions if --version is given; refuse --json and --all without their option."""
    if show_version:
        version_of = versions()
        click.echo(json.dumps(version_of) if as_json else version_text(version_of))
        ctx.exit()
    if as_json or show_all:
        reason = "--all is for --help" if show_all else "--json is for --version"
        raise click.UsageError(reason, ctx)


app = LazyCommands(
    name="optsearch",
    callback=print_versions,
    help="Optimal shooting at Battleship against ships placed uniformly at random.",
    epilog="Example: optsearch solve 4x5:2,3,4. COMMAND -h has an example of each.",
    params=[
        DeclaredOption(declarations, is_flag=True, default=False, help=text)
        for declarations, text in (
            (["--version", "show_version"], "The versions of optsearch and what it uses."),
            (["--json", "as_json"], "With --version: as JSON."),
            (["--all", "show_all"], "With --help: all commands."),
        )
    ],
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def load_all_commands() -> Any:
    """Import the modules of all commands; return the group that has them."""
    for module, _ in COMMANDS.values():
        import_module(f"optsearch.cli.{module}")
    return app
