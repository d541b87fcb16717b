"""Reading the arguments of a command, and refusing some as a whole before it does anything."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from contextvars import ContextVar
from enum import Enum
from functools import cache
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any, NamedTuple, get_args, get_type_hints

import typer
from typer.core import TyperCommand

from optsearch.cli.options import ANY, FOLDER, SHARED, Form, Option
from optsearch.support.errors import OptsearchError
from optsearch.support.files import require_room
from optsearch.support.progress import FOREVER

USAGE: type[Any] = typer.BadParameter.__mro__[1]  # click's UsageError, wherever typer has it
QUIET: ContextVar[bool] = ContextVar("QUIET", default=False)  # the command runs with --quiet
COMMAND: ContextVar[str] = ContextVar("COMMAND", default="")  # the command as it was entered
IN_PLACE = {"minimise"}  # commands that may leave less of the file they read


class Command(TyperCommand):
    """A command that takes an option once, and makes sure before its work that it can write.

    It writes no file that it reads or writes already, and none where none can be. One that takes
    --format takes --json, which is short for --format json. Each takes --quiet, which hides
    progress.
    """

    def __init__(self, name: str | None, *, params: list[Any], **options: Any) -> None:
        made = _made_options()
        more = [made["json"]] if any(param.name == "form" for param in params) else []
        super().__init__(name, params=[*params, *more, made["quiet"]], **options)

    def invoke(self, ctx: Any) -> Any:
        """Run the command with `QUIET` set; its function does not see --quiet."""
        before = QUIET.set(ctx.params.pop("quiet"))
        try:
            return super().invoke(ctx)
        finally:
            QUIET.reset(before)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse as click does; refuse repeated options, and outputs that cannot be written."""
        COMMAND.set(shlex.join([*ctx.command_path.split(), *args]))
        read_by(self.get_params(ctx), vars(self.callback)["readers"])
        if args:
            self._refuse_repeated(ctx, args)
        rest = super().parse_args(ctx, args)
        if ctx.params.pop("json", False):
            if ctx.get_parameter_source("form").name == "COMMANDLINE":
                ctx.fail("give --json or --format, not both")
            ctx.params["form"] = Form.JSON
        self._refuse_lost_files(ctx)
        for param in self.params:
            path, writes = ctx.params.get(param.name), self.writes(param)
            if path is not None and writes:
                endings = () if writes in (ANY, FOLDER) else tuple(writes.split())
                require_writable(path, endings, writes == FOLDER)
        return rest

    def writes(self, param: Any) -> str:
        """Return `Option.writes` of an option of this command; empty if it writes nothing."""
        option = vars(self.callback)["options"].get(param.name)
        return "" if option is None else option.writes

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
            if self.writes(option) in ("", FOLDER):
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
def _made_options() -> dict[str, Any]:
    """Return --json and --quiet, which no function of a command has, as typer makes them."""
    app = typer.Typer(add_completion=False)

    def flags(json: bool = False, quiet: bool = False) -> None:
        pass

    annotate(flags, SHARED)
    app.command()(flags)
    return {param.name: param for param in typer.main.get_command(app).params}


def annotate(function: Callable[..., Any], options: Mapping[str, Option]) -> None:
    """Write the option or argument of each parameter into the annotations, where typer reads it."""
    hints = get_type_hints(function)
    for name, parameter in signature(function).parameters.items():
        made = _typer_info(name, options[name], hints[name], parameter.default)
        function.__annotations__[name] = Annotated[hints[name], made]


class Reader(NamedTuple):
    """Converts the values of an option for typer, whose own way loads pydantic at each start."""

    kind: Any
    least: float | None = None
    most: float | None = None
    is_seconds: bool = False

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Convert the text that is given to what the function of the command takes."""
        if param.multiple or param.nargs == -1:
            return [self._read(one, param, ctx) for one in value or ()]
        return None if value is None else self._read(value, param, ctx)

    def _read(self, value: Any, param: Any, ctx: Any) -> Any:
        with suppress(ValueError):
            result = value if isinstance(value, self.kind) else self.kind(value)
            if (self.least is None or result >= self.least) and (
                self.most is None or result <= self.most
            ):
                return None if self.is_seconds and result > FOREVER else result
        raise typer.BadParameter(repr(value), ctx=ctx, param=param)


def read_by(params: list[Any], readers: Mapping[str, Reader]) -> None:
    """Give options their readers, by name; flags, which have none, are booleans as they come."""
    for param in params:
        param._runtime_param = readers.get(param.name, Reader(object))


def kind_of(hint: Any) -> Any:
    """Return the type of one value of a parameter."""
    return kind_of(get_args(hint)[0]) if get_args(hint) else hint


def accepted(option: Option, hint: Any) -> str:
    """Describe the values of an option, as in "a whole number from 1 to 256"; empty for texts."""
    kind = kind_of(hint)
    if issubclass(kind, Enum):
        return f"one of {', '.join(one.value for one in kind)}"
    what = {int: "a whole number", float: "a number"}.get(kind, "")
    if option.min is None or not what:
        return what
    return f"{what} from {option.min:,} {'on' if option.max is None else f'to {option.max:,}'}"


def _typer_info(name: str, option: Option, hint: Any, default: Any) -> Any:
    """Return an option or an argument as typer declares it."""
    more = {key: getattr(option, key) for key in ("help", "metavar", "min", "max")}
    if option.is_argument:
        return typer.Argument(show_default=False, **more)
    flags = option.flags.split() or [f"--{name.replace('_', '-')}"]
    is_shown = default not in (None, "", Parameter.empty)
    return typer.Option(*flags, show_default=is_shown, **more)


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
    """Yield the existing files that FILE, FILE.py:NAME or FILE:FLEET names, or a list of these."""
    if isinstance(value, list | tuple):
        for one in value:
            yield from _files(one)
    elif isinstance(value, str | Path):
        text = str(value)
        for name in {text, text.partition(":")[0], text.rpartition(":")[0]} - {""}:
            with suppress(OSError, ValueError):  # too long, or no name of a file
                if Path(name).is_file():
                    yield Path(os.path.realpath(name))
