"""Settings of hypothesis, which draws the same examples on every run, and shared fixtures."""

import json

import pytest
from hypothesis import settings

from optsearch import cli

settings.register_profile("optsearch", derandomize=True, deadline=None, max_examples=100)
settings.load_profile("optsearch")


@pytest.fixture
def here(monkeypatch, capsys):
    """The command in this process: exit status, standard output, standard error."""
    monkeypatch.setenv("COLUMNS", "80")

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
def answer_of(here):
    """The JSON answer of a command that succeeds."""

    def run(*arguments):
        status, out, err = here(*arguments, "--json")
        assert (status, err) == (0, "")
        return json.loads(out)

    return run
