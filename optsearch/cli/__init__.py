"""The command `optsearch`: reads arguments, calls the library, prints a table or JSON.

Nothing is imported here but what ctrl-C needs to be heard from the first moment on: while the rest
is loading, an exception could come up anywhere in other people's modules.
"""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType


def main() -> None:
    """Run the command; errors that a user can cause are one line and status 2, not a traceback."""
    # Under little memory OpenBLAS cannot start a second thread, and raises ctrl-C itself.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if not sys.warnoptions:  # those of dependencies tell a user nothing; python -W shows them
        warnings.simplefilter("ignore")
    try:
        with guard_loading():
            from optsearch.cli.command import run
        status = run()
        # The answer is out. The interpreter takes a while to end, and ctrl-C would kill it there.
        _replace_handler(expected=signal.default_int_handler, new=signal.SIG_IGN)
    except KeyboardInterrupt:  # before or after the command's own work
        _end_process()
    sys.exit(status)


@contextmanager
def guard_loading() -> Iterator[None]:
    """While modules load, end the process at ctrl-C, or if one of them cannot be loaded.

    The handler of ctrl-C is replaced for that time, and restored at the end.
    """
    _replace_handler(expected=signal.default_int_handler, new=_end_process)
    try:
        yield
    except (ImportError, MemoryError) as error:
        reason = str(error).strip().rpartition("\n")[2] or "there is not enough memory"
        sys.stderr.write(f"error: optsearch cannot be loaded: {reason}\n")
        sys.exit(2)
    finally:
        _replace_handler(expected=_end_process, new=signal.default_int_handler)


def _replace_handler(expected: object, new: Callable[..., object] | signal.Handlers) -> None:
    """Set the handler of ctrl-C to `new` if it is `expected`; only the main thread can."""
    if signal.getsignal(signal.SIGINT) is expected:
        with suppress(ValueError):  # raised outside the main thread
            signal.signal(signal.SIGINT, new)


def discard_output() -> None:
    """Drop what standard output still holds: the interpreter would try to write it at its end."""
    with suppress(OSError, ValueError, AttributeError):
        null_device = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null_device, sys.stdout.fileno())
        os.close(null_device)


def _end_process(signum: int = signal.SIGINT, frame: FrameType | None = None) -> None:
    """Handle ctrl-C where there is nothing to save: end the process at once."""
    sys.stderr.write("interrupted\n")
    sys.stderr.flush()
    os._exit(128 + signum)
