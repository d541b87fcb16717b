"""What every command refuses of its arguments as a whole, before it does anything."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from contextvars import ContextVar
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from typer.core import TyperCommand

from optsearch.support.errors import OptsearchError
from optsearch.support.files import require_room


class Form(str, Enum):
    """How an answer is printed."""

    TEXT = "text"
    CSV = "csv"
    JSON = "json"
    MARKDOWN = "markdown"
    LATEX = "latex"


Function = TypeVar("Function", bound=Callable[..., Any])
USAGE: type[Any] = typer.BadParameter.__mro__[1]  # click's UsageError, wherever typer has it
QUIET: ContextVar[bool] = ContextVar("QUIET", default=False)  # the command runs with --quiet
OLD_NAMES = {  # command and option -> what the option is called now
    "animate -n": "--number",
    "equilibrium --draw": "--figure",
    "explore --tree": "--with-tree",
    "sample --boards": "--draw-boards",
    "solitaire generate --draw": "--figure",
    "solitaire minimise --draw": "--figure",
    "solitaire solve --draw": "--figure",
    "tree --boards": "--draw-boards",
    "tree --draw": "--figure",
}
WRITTEN = {  # options that name a file to write
    *("--output", "-o", "--tree", "--optimal-tree", "--prove", "--certificate"),
    *("--dot", "--figure", "play --resume", "advise --resume"),
}
FOLDERS = {"--resume", "--trees", "--cache", "--table"}  # that files are written to
FIGURES = (".pdf", ".svg", ".png")
ENDINGS = {
    **{"--figure": FIGURES, "--dot": (".dot", ".gv")},
    "animate --output": (".gif", ".html"),
}
IN_PLACE = {"minimise"}  # commands that may leave less of the file they read


class Command(TyperCommand):
    """A command that takes an option once, and knows before its work that its answer has a place.

    It writes no file that it reads or writes already, and none where none can be. One that takes
    --format takes --json, which is short for it. Each takes --quiet, and shows no progress then.
    """

    def __init__(self, name: str | None, *, params: list[Any], **options: Any) -> None:
        shared = _shared_options()
        more = [shared["json"]] if any(param.name == "form" for param in params) else []
        super().__init__(name, params=[*params, *more, shared["quiet"]], **options)

    def invoke(self, ctx: Any) -> Any:
        """As click's; the function of the command does not see --quiet."""
        before = QUIET.set(ctx.params.pop("quiet"))
        try:
            return super().invoke(ctx)
        finally:
            QUIET.reset(before)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """As click's; an error where an option is repeated, or a file would be lost or not made.

        One that had another name is said to be called otherwise.
        """
        try:
            return self._parsed(ctx, args)
        except USAGE as error:
            option = getattr(error, "option_name", None)
            command = ctx.command_path.partition(" ")[2]
            new = OLD_NAMES.get(f"{command} {option}")
            if new is None:
                raise
            raise USAGE(f"{option} of {command} is now {new}", ctx) from None

    def _parsed(self, ctx: Any, args: list[str]) -> list[str]:
        if args:
            self._refuse_repeated(ctx, args)
        rest = super().parse_args(ctx, args)
        if ctx.params.pop("json", False):
            if ctx.get_parameter_source("form").name == "COMMANDLINE":
                ctx.fail("give --json or --format, not both")
            ctx.params["form"] = Form.JSON
        self._refuse_lost_files(ctx)
        for option in self.params:
            path = ctx.params.get(option.name)
            if path is not None and self._is_written(option):
                known = (
                    ENDINGS.get(f"{before}{option.opts[0]}") for before in ("", f"{self.name} ")
                )
                require_writable(path, next(filter(None, known), ()))
            elif path is not None and not FOLDERS.isdisjoint(option.opts):
                require_writable(path, is_folder=True)
        return rest

    def _is_written(self, option: Any) -> bool:
        """Whether an option names a file to write."""
        return not option.multiple and (
            not WRITTEN.isdisjoint(option.opts) or f"{self.name} {option.opts[0]}" in WRITTEN
        )

    def _refuse_repeated(self, ctx: Any, args: list[str]) -> None:
        seen = set()
        for option in self.make_parser(ctx).parse_args(args=list(args))[2]:
            if option.nargs != 1 or option.multiple or getattr(option, "is_flag", False):
                continue
            if option.name in seen:
                ctx.fail(f"{option.opts[0]} is given twice; one is accepted")
            seen.add(option.name)

    def _refuse_lost_files(self, ctx: Any) -> None:
        """Refuse an output that is another file of the arguments."""
        read: dict[Path, str] = {}
        written: dict[Path, tuple[str, str]] = {}
        for option in self.params:
            value = ctx.params.get(option.name)
            is_named = option.opts[0].startswith("-")
            name = option.opts[0] if is_named else str(option.name).upper()
            if not self._is_written(option):
                read.update(dict.fromkeys(_files(value), name))
            elif value is not None:
                path = Path(os.path.realpath(value))
                if path in written:
                    other = written[path][0]
                    ctx.fail(f"{other} and {name} are both {str(value)!r}; name two files")
                written[path] = name, str(value)
        for path, (name, text) in written.items():
            if path in read and self.name not in IN_PLACE:
                ctx.fail(f"{name} {text!r} is what {read[path]} reads; name another file")


@cache
def _shared_options() -> dict[str, Any]:
    """Options that no function of a command has, by name, as typer makes them of annotations."""
    app = typer.Typer(add_completion=False)

    @app.command()
    def _(
        json: Annotated[bool, typer.Option("--json", help="Short for --format json.")] = False,
        quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
    ) -> None:
        pass

    return {param.name: param for param in typer.main.get_command(app).params}


class Commands(typer.Typer):
    """Commands that are all of this kind."""

    def command(  # type: ignore[override]
        self,
        *names: Any,
        example: str,
        takes: int,
        then: str,
        gives: str = "",
        of_family: str = "",
        **options: Any,
    ) -> Callable[[Function], Function]:
        """As typer's, of a command whose help ends with an example.

        takes -- the seconds of the example on a usual machine, at most. then -- a command that
        comes next, and after # what it is for. gives -- the names in its answer, in parentheses
        those that are there where they have a meaning; of_family -- with --family, behind what
        names the family. `tests/test_json.py` compares them with what is printed, and with the
        tables of docs/json.md.
        """
        seconds = f"{takes} second{'s' * (takes > 1)}"
        lines = f"Example: {example}", f"Takes:   {seconds} on a usual machine", f"Next:    {then}"
        add = super().command(*names, cls=Command, epilog="\n".join(("\b", *lines)), **options)

        def declared(function: Function) -> Function:
            vars(function).update(gives=gives, of_family=of_family)
            return add(function)

        return declared


def require_writable(path: Path, endings: tuple[str, ...] = (), is_folder: bool = False) -> None:
    """Refuse a place where the answer cannot be written, before the work that it takes."""
    if endings and path.suffix.lower() not in endings:
        raise OptsearchError(
            f"cannot write {str(path)!r}; use a name ending in {', '.join(endings)}"
        )
    try:
        require_room(path, is_folder)
    except (OSError, ValueError) as error:
        raise OptsearchError(
            f"cannot write {str(path)!r}: {getattr(error, 'strerror', None) or error}; give a "
            "place in a folder you can write to"
        ) from None


def _files(value: object) -> Iterator[Path]:
    """The files that are there and named by FILE, FILE.py:NAME, FILE:FLEET, or several of these."""
    if isinstance(value, list | tuple):
        for one in value:
            yield from _files(one)
    elif isinstance(value, str | Path):
        text = str(value)
        for name in {text, text.partition(":")[0], text.rpartition(":")[0]} - {""}:
            with suppress(OSError, ValueError):  # too long, or no name of a file
                if Path(name).is_file():
                    yield Path(os.path.realpath(name))
