"""The commands of a page: that each parses, and what those in blocks print beside what it says."""

import doctest
import io
import re
import shlex
from enum import Enum
from functools import cache
from itertools import takewhile
from pathlib import Path

import click

from optsearch.cli.app import load_all_commands
from optsearch.cli.arguments import OptionType

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def console_commands(page):
    """Each command that a page shows, with the output it shows."""
    for block in re.findall(r"^```console\n(.*?)^```$", page, re.DOTALL | re.MULTILINE):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


all_commands = cache(load_all_commands)


def named_commands(page):
    """Each command that a page names in a line or shows in a block, without `optsearch`."""
    groups = all_commands().commands, all_commands().commands["solitaire"].commands
    for block in re.findall(r"^```.*?^```$", page, re.DOTALL | re.MULTILINE):
        lines = block.replace("\\\n", "")
        for line in re.findall(r"^(?:\$ )?optsearch (.*)$", lines, re.MULTILINE):
            words = shlex.shlex(line, posix=True, punctuation_chars=True)
            words.whitespace_split = True
            yield list(takewhile(lambda word: word[0] not in "|>&;", words))
    for span in re.findall(r"`([^`\n]+)`", without_blocks(page)):
        first, _, rest = span.removeprefix("python -m ").partition(" ")
        if rest and (first == "optsearch" or any(first in group for group in groups)):
            yield shlex.split(rest if first == "optsearch" else span)


def without_blocks(page):
    return re.sub(r"^```.*?^```$", "", page, flags=re.DOTALL | re.MULTILINE)


def refusal(words):
    """Why the command line refuses such words, whatever their values; empty if it takes them."""
    command, words = all_commands(), ["solve" if word == "COMMAND" else word for word in words]
    try:
        while words and words[0] in getattr(command, "commands", ()):
            command = command.commands[words.pop(0)]
        context = command.context_class(command)
        try:
            values, rest, _ = command.make_parser(context).parse_args(args=list(words))
        except click.UsageError as error:
            if "requires an argument" not in str(error):
                raise
            values, rest, _ = command.make_parser(context).parse_args(args=[*words, "VALUE"])
        if rest:
            return f"{rest[0]!r} is neither a command nor an argument"
        params = command.params
        kinds = {p.name: p.type.value_type for p in params if isinstance(p.type, OptionType)}
        for name, value in values.items():
            if issubclass(kinds.get(name, str), Enum) and value != "VALUE":
                kinds[name](value)
    except (click.UsageError, ValueError) as error:
        return str(error)
    return ""


def without_seconds(text):
    seconds = r"\d+\.\d+ seconds|\d+\.\d{3} *$|(?<=\"seconds\": )[\d.e-]+"
    text = re.sub(r"^seconds +\S+$", "seconds SECONDS", text, flags=re.MULTILINE)
    return re.sub(seconds, "SECONDS", text, flags=re.MULTILINE)


def entered(output):
    """What a person enters in a dialogue, in which every prompt ends with `> `."""
    return "".join(f"{line}\n" for line in re.findall(r"^(?:shot \d+)?> (.*)$", output, re.M))


def is_shown(printed, output):
    """Whether a page shows what was printed, but for seconds and what it leaves out."""
    got, want = without_seconds(printed), without_seconds(output)
    return doctest.OutputChecker().check_output(want, got, FLAGS)


def played(page, call_command, monkeypatch):
    """Each command of optsearch, what is shown, and what it prints, run in the current folder.

    `cat FILE` writes what is shown of the file. Other commands are not run.
    """
    for command, output in console_commands(page):
        name, *arguments = shlex.split(command)
        if name == "cat":
            Path(arguments[0]).write_text(output.strip() + "\n")
            yield command, output, output
        elif name == "optsearch":
            monkeypatch.setattr("sys.stdin", io.StringIO(entered(output)))
            _, out, err = call_command(*arguments)
            yield command, output, out + err


def check(page, call_command, monkeypatch):
    """Run the commands of a page; how many there were."""
    ran = 0
    for command, output, printed in played(page, call_command, monkeypatch):
        assert is_shown(printed, output), f"{command}\n{printed}"
        ran += command.startswith("optsearch ")
    return ran


def without_known(err):
    """Return standard error less the line by which solve says what is stored of a game."""
    return "".join(line for line in err.splitlines(True) if not line.startswith("known: "))
