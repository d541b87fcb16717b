"""The options, arguments and commands of this package, as subclasses of those of click."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from contextlib import suppress
from contextvars import ContextVar
from enum import Enum
from pathlib import Path
from typing import Any, get_args, get_origin

import click
from click.shell_completion import CompletionItem

from optsearch.cli.options import ANY, FOLDER, SHARED, Form, Option
from optsearch.support.errors import OptsearchError
from optsearch.support.files import require_replaceable
from optsearch.support.progress import FOREVER

QUIET: ContextVar[bool] = ContextVar("QUIET", default=False)  # the command runs with --quiet
COMMAND: ContextVar[str] = ContextVar("COMMAND", default="")  # the command as it was entered
IN_PLACE = {"minimise"}  # commands that may leave less of the file they read


class OptionType(click.ParamType):  # type: ignore[type-arg]
    """The values that an option accepts: a type, and for numbers a range.

    value_type -- the type of a single value, also of an option that may be repeated.
    """

    def __init__(self, option: Option, annotation: Any) -> None:
        self.option = option
        self.value_type = value_type_of(annotation)
        self.name = self.value_type.__name__.lower()

    @property
    def metavar(self) -> str:
        """The word that stands for a value in the help."""
        if issubclass(self.value_type, Enum):
            return f"[{'|'.join(choice.value for choice in self.value_type)}]"
        if self.option.writes == FOLDER:
            return "FOLDER"
        return {int: "NUMBER", float: "NUMBER", Path: "FILE"}.get(self.value_type, "TEXT")

    @property
    def range(self) -> str:
        """The range of accepted numbers, as in "1 to 256"; empty if there is no minimum."""
        if self.option.min is None:
            return ""
        end = "on" if self.option.max is None else f"to {self.option.max:,}"
        return f"{self.option.min:,} {end}"

    @property
    def accepted(self) -> str:
        """The accepted values, as in "a whole number from 1 to 256"; empty for a text."""
        if issubclass(self.value_type, Enum):
            return f"one of {', '.join(choice.value for choice in self.value_type)}"
        noun = {int: "a whole number", float: "a number"}.get(self.value_type, "")
        return f"{noun} from {self.range}" if noun and self.range else noun

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the value with the type of the option; None for a time limit above `FOREVER`."""
        try:
            converted = value if isinstance(value, self.value_type) else self.value_type(value)
        except ValueError:
            self.fail(repr(value), param, ctx)
        if not self._is_in_range(converted):
            self.fail(repr(value), param, ctx)
        return None if self.option.is_seconds and converted > FOREVER else converted

    def _is_in_range(self, value: Any) -> bool:
        low, high = self.option.min, self.option.max
        return (low is None or value >= low) and (high is None or value <= high)

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[CompletionItem]:
        """Return the words that complete a choice; for a file, let the shell complete it."""
        if issubclass(self.value_type, Enum):
            words = [choice.value for choice in self.value_type]
            return [CompletionItem(word) for word in words if word.startswith(incomplete)]
        return [CompletionItem(incomplete, type="file")] if self.value_type is Path else []


class DeclaredOption(click.Option):
    """An option whose help ends with its default and its range."""

    def get_help_record(self, ctx: Any) -> tuple[str, str]:
        """Return the option as it is entered, and its help."""
        default = self.default.value if isinstance(self.default, Enum) else self.default
        has_default = not (self.is_flag or self.required or default in (None, "", ()))
        notes = [f"default: {default}"] if has_default else []
        if isinstance(self.type, OptionType) and self.type.range:
            notes.append(self.type.range)
        entered = ", ".join(self.opts) + ("" if self.is_flag else f" {self.metavar}")
        return entered, str(self.help) + (f"  [{'; '.join(notes)}]" if notes else "")


class DeclaredArgument(click.Argument):
    """An argument with a help text, which an argument of click 8.2 to 8.4 does not have."""

    def __init__(self, *declarations: Any, text: str, **options: Any) -> None:
        super().__init__(*declarations, **options)
        self.text = text

    def get_help_record(self, ctx: Any) -> tuple[str, str]:
        """Return the name of the argument, and its help."""
        return str(self.metavar), self.text


def make_parameter(
    name: str, option: Option, annotation: Any, default: Any = None, is_required: bool = False
) -> click.Parameter:
    """Return the click option or argument that sets a parameter of a command's function.

    name, annotation, default -- the name, the type and the default value of the parameter.
    option -- how the option is declared. is_required -- True if it must be given.
    """
    option_type = OptionType(option, annotation)
    # `list[str]` itself, or within `list[str] | None`
    is_list = any(get_origin(part) is list for part in (annotation, *get_args(annotation)))
    settings: dict[str, Any] = {"type": option_type, "required": is_required}
    if not is_required:
        settings["default"] = default
    if option.is_argument:
        settings |= {"metavar": option.metavar or name.upper(), "nargs": -1 if is_list else 1}
        return DeclaredArgument([name], text=option.help, **settings)
    flags = option.flags_of(name)
    if option_type.value_type is bool:
        settings = {"is_flag": True, "default": default}
    else:
        settings |= {"metavar": option.metavar or option_type.metavar, "multiple": is_list}
    return DeclaredOption([*flags, name], help=option.help, **settings)


class Command(click.Command):
    """A command that refuses options given twice, and outputs that cannot be written.

    It refuses before its work begins. It also refuses to write a file that it reads, or two results
    to one file. Every command gets the option --quiet, which hides progress; one with --format gets
    --json, short for --format json.
    """

    def __init__(self, name: str, *, params: list[Any], **options: Any) -> None:
        names = ["json"] if any(param.name == "form" for param in params) else []
        flags = [make_parameter(name, SHARED[name], bool, False) for name in (*names, "quiet")]
        super().__init__(name, params=[*params, *flags], **options)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the list of arguments, then the list of options."""
        params = self.get_params(ctx)
        for section in (click.Argument, click.Option):
            rows = [param.get_help_record(ctx) for param in params if isinstance(param, section)]
            if rows:
                with formatter.section(f"{section.__name__}s"):
                    formatter.write_dl(rows)

    def invoke(self, ctx: Any) -> Any:
        """Run the command with `QUIET` set to the value of --quiet."""
        token = QUIET.set(ctx.params.pop("quiet"))
        try:
            return super().invoke(ctx)
        finally:
            QUIET.reset(token)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse as click does; refuse repeated options, and outputs that cannot be written."""
        COMMAND.set(shlex.join([*ctx.command_path.split(), *args]))
        if args:
            self._refuse_repeated(ctx, args)
        remaining = super().parse_args(ctx, args)
        for name, value in ctx.params.items():
            if isinstance(value, tuple):  # click's type of an option that may be repeated
                ctx.params[name] = list(value)
        self._replace_json_flag(ctx)
        self._refuse_overwriting(ctx)
        for param in self.params:
            path, writes = ctx.params.get(param.name), self.writes(param)
            if path is not None and writes:
                endings = () if writes in (ANY, FOLDER) else tuple(writes.split())
                require_writable(path, endings, is_folder=writes == FOLDER)
        return remaining

    def _replace_json_flag(self, ctx: Any) -> None:
        """Set the form to JSON if --json is given; refuse --json together with --format."""
        if ctx.params.pop("json", False):
            if ctx.get_parameter_source("form").name == "COMMANDLINE":
                ctx.fail("give --json or --format, not both")
            ctx.params["form"] = Form.JSON

    def writes(self, param: Any) -> str:
        """Return `Option.writes` of an option of this command; empty if it writes no file."""
        option = vars(self.callback)["options"].get(param.name)
        return "" if option is None else option.writes

    def _refuse_repeated(self, ctx: Any, args: list[str]) -> None:
        """Refuse an option that is given twice, unless it may be repeated or is a flag."""
        _, _, given_in_order = self.make_parser(ctx).parse_args(args=list(args))
        names_seen = set()
        for option in given_in_order:
            is_flag = getattr(option, "is_flag", False)
            if option.nargs != 1 or option.multiple or is_flag:
                continue
            if option.name in names_seen:
                ctx.fail(f"{option.opts[0]} is given twice; one is accepted")
            names_seen.add(option.name)

    def _refuse_overwriting(self, ctx: Any) -> None:
        """Refuse an output file that another option reads or writes."""
        readers: dict[Path, str] = {}  # the option that reads each file
        writers: dict[Path, tuple[str, str]] = {}  # the one that writes it, and the entered text
        for param in self.params:
            value = ctx.params.get(param.name)
            is_option = param.opts[0].startswith("-")
            name = param.opts[0] if is_option else str(param.name).upper()
            if self.writes(param) in ("", FOLDER):
                readers.update(dict.fromkeys(_existing_files(value), name))
            elif value is not None:
                path = Path(os.path.realpath(value))
                if path in writers:
                    other_name, _ = writers[path]
                    ctx.fail(f"{other_name} and {name} are both {str(value)!r}; name two files")
                writers[path] = name, str(value)
        for path, (name, entered) in writers.items():
            if path in readers and self.name not in IN_PLACE:
                ctx.fail(f"{name} {entered!r} is what {readers[path]} reads; name another file")


def value_type_of(annotation: Any) -> Any:
    """Return the type of a single value: `str` for `str`, `str | None` and `list[str] | None`."""
    arguments = get_args(annotation)  # (list[str], None) of list[str] | None, (str,) of list[str]
    return value_type_of(arguments[0]) if arguments else annotation


def require_writable(path: Path, endings: tuple[str, ...] = (), is_folder: bool = False) -> None:
    """Raise OptsearchError if a file or folder cannot be written, before the work for it begins.

    endings -- the accepted endings of the name; none accepts all.
    """
    if endings and path.suffix.lower() not in endings:
        raise OptsearchError(
            f"cannot write {str(path)!r}; use a name ending in {', '.join(endings)}"
        )
    try:
        require_replaceable(path, is_folder)
    except (OSError, ValueError) as error:
        raise OptsearchError(
            f"cannot write {str(path)!r}: {getattr(error, 'strerror', None) or error}; give a "
            "place in a folder you can write to"
        ) from None


def _existing_files(value: object) -> Iterator[Path]:
    """Yield the existing files that a value names, or the values of a list.

    A value may be FILE, FILE.py:NAME or FILE:FLEET.
    """
    if isinstance(value, list | tuple):
        for item in value:
            yield from _existing_files(item)
    elif isinstance(value, str | Path):
        entered_text = str(value)
        before_first_colon, _, _ = entered_text.partition(":")
        before_last_colon, _, _ = entered_text.rpartition(":")
        for name in {entered_text, before_first_colon, before_last_colon} - {""}:
            with suppress(OSError, ValueError):  # too long, or not a name of a file
                if Path(name).is_file():
                    yield Path(os.path.realpath(name))
