"""The command `optsearch`: reads arguments, calls the library, prints a table or JSON.

Nothing is imported here but what ctrl-C needs to be heard from the first moment on: while the rest
is loading, an exception could come up anywhere in other people's modules.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from types import FrameType


def main() -> None:
    """Entry point: errors a user can cause are one line and exit status 2, never a traceback."""
    is_heard = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_heard:
        signal.signal(signal.SIGINT, _end)
    from optsearch.cli.command import run

    try:
        if is_heard:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        status = run()
        if is_heard:
            signal.signal(signal.SIGINT, _end)
    except KeyboardInterrupt:  # before or after the command's own work
        _end()
    sys.exit(status)


def forget_output() -> None:
    """Drop what standard output still holds: the interpreter would try to write it at its end."""
    with suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _end(signum: int = signal.SIGINT, frame: FrameType | None = None) -> None:
    """Ctrl-C where there is nothing to save."""
    sys.stderr.write("interrupted\n")
    sys.stderr.flush()
    os._exit(128 + signum)
