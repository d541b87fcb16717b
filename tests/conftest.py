"""Settings of hypothesis, which draws the same examples on every run, and shared fixtures.

`make test` draws some examples of each property, `make test-long` (--hypothesis-profile=all) all.
"""

import fcntl
import io
import json
import os
import shutil
import signal
from itertools import count

import pytest
from hypothesis import HealthCheck, settings
from numba.core.caching import NullCache
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

from optsearch import cli
from optsearch.cli import progress
from optsearch.cli.app import load_all_commands

for profile, examples in (("some", 10), ("all", 100)):
    settings.register_profile(
        profile,
        derandomize=True,
        deadline=None,
        database=None,
        max_examples=examples,
        # One depends on how fast the machine is, the other on what few examples begin with.
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    )
settings.load_profile("some")
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # processes of tests compile modules once
# a command that is first loaded while a test replaces a function would keep that one
load_all_commands()


@pytest.fixture(autouse=True, scope="session")
def one_processor():
    """A test that wants more than one process says how many: the others wait for none to start."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "cpu_count", lambda: 1)
        yield


@pytest.fixture(autouse=True, scope="session")
def compiled_once(tmp_path_factory):
    """What numba keeps on disk is compiled by one process, for which the others wait."""
    path = tmp_path_factory.getbasetemp().parent / "numba.lock"  # of all workers
    alone, has_it = Dispatcher.compile, []

    def compile(dispatcher, signature):
        with global_compiler_lock:
            if has_it or isinstance(dispatcher._cache, NullCache):
                return alone(dispatcher, signature)
            with path.open("w") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                has_it.append(path)
                try:
                    return alone(dispatcher, signature)
                finally:
                    has_it.clear()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Dispatcher, "compile", compile)
        yield


@pytest.fixture
def call_command(monkeypatch, capsys):
    """A function that calls the command with arguments, in this process.

    It returns the exit status, standard output and standard error. Standard input is empty, unless
    a test fills it.
    """
    monkeypatch.setattr("sys.stdin", io.StringIO())
    monkeypatch.setenv("COLUMNS", "80")
    # No progress, however long it takes.
    monkeypatch.setattr(progress, "SECONDS_TO_FIRST_LINE", 1e6)

    def run(*arguments):
        monkeypatch.setattr("sys.argv", ["optsearch", *map(str, arguments)])
        status = 0
        try:
            cli.main()
        except SystemExit as end:
            status = end.code or 0
        return status, *capsys.readouterr()

    return run


@pytest.fixture
def interrupt_at(monkeypatch):
    """Ctrl-C for this process, once a function has been called so many times and done its work."""

    def at(owner, name, times):
        original, calls = getattr(owner, name), count(1)

        def hooked(*arguments, **options):
            answer = original(*arguments, **options)
            if next(calls) == times:
                signal.raise_signal(signal.SIGINT)
            return answer

        monkeypatch.setattr(owner, name, hooked)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # as a terminal starts it
    yield at
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def answer_of(call_command):
    """The JSON answer of a command that succeeds."""

    def run(*arguments):
        status, out, err = call_command(*arguments, "--json")
        assert (status, err) == (0, "")
        return json.loads(out)

    return run


@pytest.fixture(scope="session")
def driver():
    """Chromium without a window, which notes every request and every message of a page."""
    chromedriver, chromium = shutil.which("chromedriver"), shutil.which("chromium")
    if not (chromedriver and chromium):
        pytest.skip("needs chromium and chromedriver (Debian: chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage"):
        options.add_argument(f"--{argument}")
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    browser = webdriver.Chrome(options, Service(chromedriver))
    yield browser
    browser.quit()
