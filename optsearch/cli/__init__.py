"""The command `optsearch`: reads arguments, calls the library, prints a table or JSON."""

from __future__ import annotations

import io
import sys

from optsearch.cli import (
    counterexamples,
    counting,
    evaluating,
    explore,
    greedy,
    solving,
    trees,
)
from optsearch.cli.common import app, err
from optsearch.errors import OptsearchError

__all__ = [
    "app",
    "counterexamples",
    "counting",
    "evaluating",
    "explore",
    "greedy",
    "main",
    "solving",
    "trees",
]


def main() -> None:
    """Entry point: errors a user can cause are one line and exit status 2, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that lacks a sign gets its code
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except OptsearchError as error:
        err.print(f"error: {error}", style="red", soft_wrap=True)
        sys.exit(2)
    except KeyboardInterrupt:
        err.print("interrupted")
        sys.exit(130)
    except BrokenPipeError:
        sys.exit(1)
    except OSError as error:
        err.print(f"error: {error.strerror or error}", style="red", soft_wrap=True)
        sys.exit(2)
