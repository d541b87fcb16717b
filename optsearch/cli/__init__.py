"""The command `optsearch`: reads arguments, calls the library, prints a table or JSON.

This module imports only what it needs to handle ctrl-C. An interrupt must be handled before other
modules load, because their code does not expect it.
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
    """Run the command, and end the process with its exit status.

    An error that a user can cause prints one line and ends with status 2; there is no traceback.
    """
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
    """End the process if ctrl-C arrives, or a module fails to load, within this context.

    After the context, ctrl-C raises KeyboardInterrupt again.
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
    """Replace the handler of ctrl-C by `new` if it is `expected`.

    Outside the main thread it does nothing, since only the main thread may set a handler.
    """
    if signal.getsignal(signal.SIGINT) is expected:
        with suppress(ValueError):  # raised outside the main thread
            signal.signal(signal.SIGINT, new)


def discard_output() -> None:
    """Discard the output that is not written yet.

    Otherwise Python would try to write it at its end, to a pipe that is closed or a disk that is
    full.
    """
    with suppress(OSError, ValueError, AttributeError):
        null_device = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null_device, sys.stdout.fileno())
        os.close(null_device)


def _end_process(signum: int = signal.SIGINT, frame: FrameType | None = None) -> None:
    """Handle ctrl-C by ending the process at once, when there is no work to save."""
    sys.stderr.write("interrupted\n")
    sys.stderr.flush()
    os._exit(128 + signum)
