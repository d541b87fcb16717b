"""The entry point of the command, and its error messages and exit statuses."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import Any

import click

from optsearch.cli import discard_output
from optsearch.cli.app import app
from optsearch.cli.arguments import OptionType
from optsearch.cli.console import Interrupted, err
from optsearch.support.errors import OptsearchError


def run() -> int:
    """Run the command that the arguments name; return its exit status.

    An error prints one line on standard error. Its status is 2, after ctrl-C 130, and 1 if nobody
    reads the output.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that lacks a sign gets its code
            stream.reconfigure(errors="backslashreplace")
    try:
        status = run_command(sys.argv[1:])
        if sys.stdout is not None:
            sys.stdout.flush()  # a full disk or a closed pipe is met here, not at the very end
        return status
    except (Interrupted, KeyboardInterrupt) as interruption:
        print_message(f"interrupted{interruption}")
        return 130
    except click.UsageError as error:
        return print_usage_error(error)
    except OptsearchError as error:
        return print_error(str(error))
    except BrokenPipeError:
        discard_output()
        return 1
    except OSError as error:
        discard_output()
        subject = repr(str(error.filename)) if error.filename else "cannot write the answer"
        return print_error(f"{subject}: {error.strerror or error}")
    except ImportError as error:  # a module is there but fails to load, most often for memory
        return print_error(f"{error}; with more memory it may be loaded")
    except (MemoryError, RuntimeError) as error:
        is_lack_of_memory = isinstance(error, MemoryError) or str(error) == "can't start new thread"
        if not is_lack_of_memory:
            raise
        return print_error("there is not enough memory for this; a smaller game would fit")


def run_command(arguments: list[str]) -> int:
    """Run the command that the arguments name, or complete them for a shell; return the status."""
    if "_OPTSEARCH_COMPLETE" in os.environ:
        app(arguments, prog_name="optsearch")
    try:
        with app.make_context("optsearch", arguments) as context:
            app.invoke(context)
    except click.exceptions.Exit as exit_request:
        return exit_request.exit_code
    return 0


def print_error(message: str) -> int:
    """Print an error on one line; return the exit status 2."""
    print_message(f"error: {message}", "red")
    return 2


def print_message(line: str, style: str | None = None) -> None:
    """Print a line on standard error; do nothing if standard error is closed."""
    with suppress(OSError, AttributeError):
        try:
            err.print(line, style=style, soft_wrap=True)
        except MemoryError:  # rich loads modules as it prints
            sys.stderr.write(f"{line}\n")


def print_usage_error(error: Any) -> int:
    """Print a line about invalid arguments, or the help if there are none; return the status 2."""
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()
        return 2
    command = "optsearch" if error.ctx is None else error.ctx.command_path
    message = usage_message(error, command)
    see_help = " See" if message.endswith("?") else "; see"
    return print_error(str(OptsearchError(f"{message}{see_help} {command} --help")))


def usage_message(error: Any, command: str) -> str:
    """Return a line that says what is wrong with the arguments of a command.

    error -- a `click.UsageError`. command -- its name in the message, such as `optsearch solve`.
    """
    option_name = getattr(error, "option_name", None)
    if option_name in COMMANDS_WITH_OPTION:  # options for false replies and several shots at once
        return (
            f"{option_name} is for {COMMANDS_WITH_OPTION[option_name]}; {command} takes replies "
            "that are true, one for each shot"
        )
    param = getattr(error, "param", None)
    value = last_value_of(param)
    if param is not None and isinstance(param.type, OptionType) and value is not None:
        return f"{param.opts[0]} {value!r} is not {param.type.accepted}"
    if isinstance(error, click.NoSuchOption):  # its own message differs between versions of click
        similar = ", ".join(sorted(error.possibilities or ()))
        hint = f" (Possible options: {similar})" if similar else ""
        return f"No such option: {option_name}{hint}"
    return " ".join(error.format_message().split()).rstrip(".")


# Options that people may look for elsewhere, and the commands that have them.
COMMANDS_WITH_OPTION = {
    "--false-hits": "posterior, sample, advise and simulate",
    "--false-misses": "posterior, sample, advise and simulate",
    "--lies": "posterior, sample, advise and simulate",
    "--salvo": "advise and simulate",
}


def last_value_of(option: Any) -> str | None:
    """Return the last value that the command line gives an option; None if it gives none."""
    value = None
    for name in getattr(option, "opts", ()):
        for argument, following in zip(sys.argv, [*sys.argv[1:], None], strict=True):
            if argument == name:
                value = following
            elif name.startswith("-") and argument.startswith(f"{name}="):
                value = argument.removeprefix(f"{name}=")
    return value
