"""A whole game through the command under each set of rules, literally as it was written down.

`make transcripts` writes them anew, after a change that was meant; the difference is then looked at
like any other.
"""

import os
import random
import re
import shlex
from pathlib import Path

import pytest

from optsearch.check import reference
from optsearch.game import ANNOUNCEMENTS, CONTACTS, Game, parse_cell
from optsearch.game.position import Position, reply
from tests import shown

FOLDER = Path(__file__).parent / "transcripts"
ARE_WRITTEN = bool(os.environ.get("WRITE_TRANSCRIPTS"))
SEED = 14


def transcript(call_command, game):
    """What a user sees who shoots at the first of the most probable cells until all is sunk."""
    said = []

    def ran(*arguments):
        status, out, err = call_command(*arguments)
        assert (status, shown.without_known(err)) == (0, "")
        out = re.sub(r"^(seconds +)[\d.]+", r"\1...", out, flags=re.MULTILINE)
        lines = [line.rstrip() for line in out.splitlines()]
        said.extend([f"$ {shlex.join(['optsearch', *arguments])}", *lines, ""])
        return out

    position = Position(game)
    hidden = random.Random(SEED).choice(sorted(reference.configurations(position)))
    ran("solve", str(game))
    ran("greedy", str(game))
    while position.hits.bit_count() < game.fleet_cells:
        out = ran("posterior", str(game), "--shots", str(position))
        cell = parse_cell(re.search(r"^greedy shots +(\S+)", out, re.MULTILINE)[1])
        answer = reply(game, hidden, position.hits, game.bit(cell))
        position = position.after(cell, answer)
    ran("solve", str(game), "--shots", str(position))
    return "\n".join(said)


LONG = (("any", "sunk"), ("any", "ship"))


@pytest.mark.parametrize(
    ("announce", "contact"),
    [
        pytest.param(
            *(announce, contact), marks=pytest.mark.long(4) if (contact, announce) in LONG else ()
        )
        for announce in ANNOUNCEMENTS
        for contact in CONTACTS
    ],
)
def test_transcript(call_command, contact, announce):
    path = FOLDER / f"{contact}_{announce}.txt"
    text = transcript(call_command, Game(4, 4, (3, 2), contact, announce))
    if ARE_WRITTEN:
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_there_is_one_for_each_set_of_rules():
    names = {f"{contact}_{announce}.txt" for contact in CONTACTS for announce in ANNOUNCEMENTS}
    assert {path.name for path in FOLDER.glob("*_*.txt")} == names


def test_answers(call_command, monkeypatch, tmp_path):
    """What each command says, one after the other in one folder: transcripts/answers.txt."""
    monkeypatch.chdir(tmp_path)
    path = FOLDER / "answers.txt"
    page = f"```console\n{path.read_text(encoding='utf-8')}```\n"
    played = [*shown.played(page, call_command, monkeypatch)]
    if ARE_WRITTEN:
        said = (f"$ {command}\n{printed.strip()}\n\n" for command, _, printed in played)
        lines = [line.rstrip() + "\n" for line in "".join(said).splitlines()]
        path.write_text(shown.without_seconds("".join(lines)), encoding="utf-8")
    else:
        for command, output, printed in played:
            assert shown.is_shown(printed, output), f"{command}\n{printed}"
