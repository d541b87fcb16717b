"""The commands that a page shows, run, and what they print beside what the page says."""

import doctest
import io
import re
import shlex
from pathlib import Path

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def console_commands(page):
    """Each command that a page shows, with the output it shows."""
    for block in re.findall(r"^```console\n(.*?)^```$", page, re.DOTALL | re.MULTILINE):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


def without_seconds(text):
    return re.sub(r"\d+\.\d+ seconds|\d+\.\d{3} *$", "SECONDS", text, flags=re.MULTILINE)


def entered(output):
    """What a person enters in a dialogue, in which every prompt ends with `> `."""
    return "".join(f"{line}\n" for line in re.findall(r"^(?:shot \d+)?> (.*)$", output, re.M))


def is_shown(printed, output):
    """Whether a page shows what was printed, but for seconds and what it leaves out."""
    got, want = without_seconds(printed), without_seconds(output)
    return doctest.OutputChecker().check_output(want, got, FLAGS)


def check(page, here, monkeypatch):
    """Run the commands of optsearch in the current folder; how many there were.

    `cat FILE` writes what is shown of the file. Other commands are not run.
    """
    ran = 0
    for command, output in console_commands(page):
        name, *arguments = shlex.split(command)
        if name == "cat":
            Path(arguments[0]).write_text(output)
        if name != "optsearch":
            continue
        monkeypatch.setattr("sys.stdin", io.StringIO(entered(output)))
        _, out, err = here(*arguments)
        assert is_shown(out + err, output), f"{command}\n{out}{err}"
        ran += 1
    return ran
