"""Replies as people write and read them."""

from __future__ import annotations

import re

from optsearch.game.cells import Cell, cell_name
from optsearch.game.game import Game
from optsearch.game.position import Reply, replies_at
from optsearch.game.shapes import is_kind


def strip_comment(line: str) -> str:
    """Return a line without its comment, which begins with a # at the start or after a blank.

    A drawn ship after `sunk`, as in `sunk #./##`, is not a comment.
    """
    for match in re.finditer(r"(?:^|\s)#", line):
        follows_sunk = re.search(r"\bsunk[\s:=]*$", line[: match.start()], re.IGNORECASE)
        word = re.split(r"[\s,;]", line[match.end() - 1 :])[0]
        is_drawn_ship = len(word) > 1 and is_kind(word)
        if not (follows_sunk and is_drawn_ship):
            return line[: match.start()]
    return line


def example_cell(game: Game) -> Cell:
    """Return B4 if it is a cell of the board, else the first cell."""
    b4 = (3, 1)
    return next(cell for cell in (b4, *map(game.cell, range(game.cells))) if cell in game)


def example_reply(game: Game) -> str:
    """Return a shot and the reply to a hit there as a person writes them, as in `B4 hit`.

    If every hit names its ship, and the ship has a name, it is as in `B4 carrier`.
    """
    cell = example_cell(game)
    reply = replies_at(game, cell)[0]
    names = [name for name, kind in game.named_ships.items() if kind == reply.label]
    if names and game.has_labels:
        return f"{cell_name(cell)} {names[0].replace('-', ' ')}"
    return shot_in_words(cell, reply)


def reply_in_words(game: Game, reply: Reply) -> str:
    """Return a reply with the name of its ship, as in `hit carrier`, or else with its kind."""
    answer, _, ship = str(reply).partition(":")
    name_of_kind = {str(kind): " or ".join(names) for kind, names in game.kind_names.items()}
    return f"{answer} {name_of_kind.get(ship) or ship}".rstrip()


def shot_in_words(cell: Cell, reply: Reply) -> str:
    """Return a shot as a person writes it, such as `B4 sunk 3`."""
    return f"{cell_name(cell)} {str(reply).replace(':', ' ')}"
