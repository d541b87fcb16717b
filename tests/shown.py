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


def played(page, here, monkeypatch):
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
            _, out, err = here(*arguments)
            yield command, output, out + err


def check(page, here, monkeypatch):
    """Run the commands of a page; how many there were."""
    ran = 0
    for command, output, printed in played(page, here, monkeypatch):
        assert is_shown(printed, output), f"{command}\n{printed}"
        ran += command.startswith("optsearch ")
    return ran
