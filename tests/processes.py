"""The command in a process of its own, which signals itself at a place that a test names.

A test that is to meet a run in the middle of its work does not send a signal after a time: the run
does, from a hook in a function that it reaches.
"""

import os
import subprocess
import sys
import textwrap
from contextlib import contextmanager

MANY_SECONDS = 600  # a run that hangs is ended; no test depends on how long one takes

# Programs see neither a terminal nor the settings of whoever runs the tests.
ENVIRONMENT = {
    key: value
    for key, value in os.environ.items()
    if key not in ("FORCE_COLOR", "PYTHONIOENCODING")
} | {"NO_COLOR": "1", "PYTHONUTF8": "1", "COLUMNS": "80"}


@contextmanager
def serving(*game):
    """The process of a board that the command serves, and its address; it is killed at the end."""
    with subprocess.Popen(
        [sys.executable, "-m", "optsearch", "serve", *map(str, game), "--no-browser"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT | {"PYTHONUNBUFFERED": "1"},
        start_new_session=True,
    ) as process:
        try:
            yield process, process.stdout.readline().split()[-1]
        finally:
            process.kill()


HOOKS = '''
import os, signal, sys, threading

signal.signal(signal.SIGINT, signal.default_int_handler)  # as a terminal starts it


def at(owner, name, action, times=1):
    """Do something when a function has been called so many times, after its work."""
    original, calls = getattr(owner, name), [0]

    def hooked(*arguments, **options):
        answer = original(*arguments, **options)
        calls[0] += 1
        if calls[0] == times:
            action(*arguments)
        return answer

    setattr(owner, name, hooked)


def interrupt(*_):
    """Ctrl-C for this process."""
    os.kill(os.getpid(), signal.SIGINT)


def interrupt_all(*_):
    """Ctrl-C of a terminal: for this process and its workers."""
    os.killpg(os.getpgrp(), signal.SIGINT)


def kill(*_):
    os.kill(os.getpid(), signal.SIGKILL)


def kill_worker(pool, *_):
    """What the system does where memory is short."""
    os.kill(min(pool._processes), signal.SIGKILL)


def interrupt_in_kernel(*_):
    """Ctrl-C as soon as a kernel gives up the interpreter's lock: no other thread has it before."""
    sys.setswitchinterval(1e6)
    is_near = threading.Event()

    def wait():
        is_near.wait()
        interrupt()

    threading.Thread(target=wait, daemon=True).start()
    is_near.set()
'''
COMMAND = """
from optsearch.cli import main, progress

progress.SECONDS_TO_FIRST_LINE = 1e6  # no line of progress, however long it takes
main()
"""


def run_script(script, *arguments, hooks="", cwd=None, env=None):
    """Exit status, standard output and error of a script with hooks, in a session of its own."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOOKS + textwrap.dedent(hooks) + script, *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=ENVIRONMENT | (env or {}),
        cwd=cwd,
        start_new_session=True,
    )
    try:
        out, err = process.communicate(timeout=MANY_SECONDS)
    finally:
        process.kill()
    return process.returncode, out, err


def run_command(*arguments, hooks="", cwd=None, env=None):
    """Exit status, standard output and error of the command `optsearch`, with hooks."""
    return run_script(COMMAND, *arguments, hooks=hooks, cwd=cwd, env=env)
