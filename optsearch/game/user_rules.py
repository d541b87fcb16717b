"""Rules of replies in files of users, as `announce=rules.py:parity`.

The file of such a rule runs only if a person names it, on the command line or in Python
(`announcement_of`). A game that is read from a file or comes over the network runs no file: its
rule must be one that was named before in this process (`named_announcement`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from optsearch.game.announcements import ANNOUNCEMENTS, WORDS, Announcement, PlacedShip
from optsearch.game.cells import Cell, cell_name, is_cell
from optsearch.support.errors import GameError, StrategyError

if TYPE_CHECKING:  # it takes long to import, and only these rules need it
    from optsearch.support.user_code import UserFunction

LONGEST_LABEL = 20  # signs of a label
_LABEL_FORM = (
    f"a label is a whole number or a word of at most {LONGEST_LABEL} letters, digits, - and _ in "
    "which none of hit, miss and sunk is, and which is no cell; None is no label"
)
_rules_by_name: dict[str, Announcement] = {}  # by the name without the folder of the file


@dataclass(frozen=True)
class UserRule:
    """A function of a user's file, called for the label of a hit; numbers become words."""

    function: UserFunction

    def __call__(self, ship: PlacedShip, cell: Cell) -> str | None:
        """Return the label of a hit on a cell of a ship, in lower case; None if it has none.

        Raises GameError for an invalid label, and if the function fails.
        """
        where = f"the ship {ship.name} at {ship.place}, hit at {cell_name(cell)}"
        try:
            label = self.function(ship, cell, failure=f"{self.function} fails for {where}")
        except StrategyError as error:
            raise GameError(str(error)) from None
        if label is None:
            return None
        text = str(label).lower() if isinstance(label, str | int) else ""
        is_word = re.fullmatch(r"[a-z0-9_-]+", text, re.ASCII) and len(text) <= LONGEST_LABEL
        if not is_word or is_cell(text) or text in WORDS or re.search("hit|miss|sunk", text):
            raise GameError(f"{self.function} tells {label!r:.80} of {where}; {_LABEL_FORM}")
        return text


def announcement_of(text: str) -> Announcement:
    """Return the rule of a name, or of `FILE.py:NAME[@DIGEST]`, whose file is run; else GameError.

    The file must have the digest, if one is given.
    """
    return ANNOUNCEMENTS[text] if text in ANNOUNCEMENTS else _load_rule(text)


def named_announcement(text: str) -> Announcement:
    """Return the rule of a name, or of `FILE.py:NAME[@DIGEST]`, without running the file.

    Raises GameError for a rule of a file that this process has not loaded, or with another digest.
    """
    if text in ANNOUNCEMENTS:
        return ANNOUNCEMENTS[text]
    path, name, digest = _split_rule(text)
    rule = _rules_by_name.get(f"{Path(path).name}:{name}")
    if rule is None:
        raise GameError(
            f"announce={text} is a rule of a file, which a game that is read does not run; name it "
            f"first, in a game with announce={path}:{name}"
        )
    if digest and rule.name.rpartition("@")[2] != digest:
        raise GameError(f"announce={text} is not {rule.name}: the file was changed since then")
    return rule


def _split_rule(text: str) -> tuple[str, str, str]:
    """Return the file, the name and the digest (or an empty text) of `FILE.py:NAME[@DIGEST]`.

    Raises GameError for a text of another form.
    """
    match = re.fullmatch(r"(.+\.py):(\w+)(?:@(\w+))?", text)
    if not match:
        raise GameError(
            f"announce={text!r} is not a rule; use {', '.join(ANNOUNCEMENTS)} or FILE.py:NAME"
        )
    return match[1], match[2], match[3] or ""


def _load_rule(text: str) -> Announcement:
    """Run the file of `FILE.py:NAME` and return its rule; GameError if it has none."""
    from optsearch.support.user_code import UserFunction

    path, name, digest = _split_rule(text)
    try:
        function = UserFunction.of(Path(path), name)
    except StrategyError as error:
        raise GameError(str(error)) from None
    if digest and digest != function.digest():
        raise GameError(
            f"{function} has the digest {function.digest()}, and not {digest}: it was changed "
            "since this was written"
        )
    if len(function.parameters) != 2:
        raise GameError(
            f"{function} takes {', '.join(function.parameters) or 'no arguments'}; a rule is a "
            "function of two, as NAME(ship, cell)"
        )
    rule = _announcement(function)
    _rules_by_name[f"{Path(path).name}:{name}"] = rule
    return rule


@lru_cache(maxsize=64)
def _announcement(function: UserFunction) -> Announcement:
    """Return the rule by which every hit tells what a function returns."""
    return Announcement(
        name=f"{function}@{function.digest()}",
        words=f"every hit tells what {function} returns",
        tells=UserRule(function),
    )
