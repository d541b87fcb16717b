"""Replies to shots, and the rules of what hits tell: each rule is one function.

The function takes a ship and a cell of it, and returns the label of a hit there, or None. So the
label does not depend on earlier shots. The flag `at_sinking` says when the player hears it: at
every hit, or only at the hit that sinks the ship. Other modules ask the game what hits tell
(`Game.is_silent` and the members after it), not the name of the rule.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from optsearch.game.cells import Cell
from optsearch.game.shapes import Placement, parse_kind
from optsearch.support.errors import GameError, PositionError

Label = int | str  # a kind of ship, a `Placement`, or a word

FORMS = "miss, hit, hit:SHIP, sunk or sunk:LENGTH"  # of the replies of all rules
WORDS = {  # for replies, and what people write in short
    **{"miss": "miss", "m": "miss", "o": "miss", "water": "miss"},
    **{"hit": "hit", "h": "hit", "x": "hit", "sunk": "sunk"},
}
SIGNS = {"hit": "X×", "miss": "o○", "sunk": "●"}  # of replies: first in text, last in figures


@dataclass(frozen=True)
class Reply:
    """The answer to a shot: a miss, a hit, or a hit that sinks a ship.

    label -- what a hit tells besides, by the rule of the game; None if nothing. It is the length or
        the shape of the ship, as in `sunk:3` or `hit:L4`; all its cells (a `Placement`), as in
        `hit:A1-A3`; or a word, as in `hit:bow`.
    """

    hit: bool
    sunk: bool = False
    label: Label | None = None

    @classmethod
    def parse(
        cls, text: str, labels: Mapping[str, Label] | None = None, forms: str = FORMS
    ) -> Reply:
        """Return the reply of a text such as `miss`, `hit`, `sunk:3` or `hit:carrier`.

        Raises PositionError for a text of another form.

        labels -- what a hit tells (a label), by its name in lower case. forms -- the accepted
        replies in words, for the error.
        """
        error = PositionError(f"{text!r} is not a reply; use {forms}")
        match = re.fullmatch(r"(miss|hit|sunk)(?::(\S{1,300}))?", text.strip().lower(), re.ASCII)
        if match is None:
            raise error
        word, label_text = match.groups()
        label = _parse_label(label_text, labels or {}) if label_text else None
        if label_text and (label is None or word == "miss"):
            raise error
        return cls(hit=word != "miss", sunk=word == "sunk", label=label)

    @property
    def _word(self) -> str:
        """The reply without its label: `miss`, `hit` or `sunk`."""
        if not self.hit:
            return "miss"
        return "sunk" if self.sunk else "hit"

    def __str__(self) -> str:
        has_label = self.hit and self.label is not None
        return f"{self._word}:{self.label}" if has_label else self._word

    @property
    def letter(self) -> str:
        """The sign of the reply in text: X for a hit, o for a miss, ● for a hit that sinks."""
        return SIGNS[self._word][0]

    @property
    def sign(self) -> str:
        """The sign in figures, pages and notebooks: × for a hit, ○ a miss, ● a hit that sinks."""
        return SIGNS[self._word][-1]

    @property
    def order(self) -> tuple[bool, bool, int, str]:
        """The sort key of a reply: hits first, then sinkings, then the miss.

        Hits and sinkings are sorted by label: as a number if it is one, and else as a text.
        """
        label_text = str(self.label)
        is_number = isinstance(self.label, int) or label_text.isdecimal()
        label_number = int(self.label or 0) if is_number else 0
        return not self.hit, self.sunk, label_number, label_text


def _parse_label(label_text: str, labels: Mapping[str, Label]) -> Label | None:
    """Return the label that a text names in `labels`, or its kind of ship, or else None."""
    try:
        return labels.get(label_text) or parse_kind(label_text) or None
    except GameError:
        return None


MISS = Reply(hit=False)
HIT = Reply(hit=True)
SUNK = Reply(hit=True, sunk=True)


@dataclass(frozen=True)
class PlacedShip:
    """A ship on the board, as the function of a rule receives it.

    kind -- its length, or its shape. cells -- (row, column), in row-major order. place -- the label
    of a hit that shows the whole ship. head -- the cell that its drawing marks by `@`, if any.
    """

    kind: int
    cells: tuple[Cell, ...]
    place: Placement
    head: Cell | None = None

    @property
    def name(self) -> str:
        """The text of the kind, such as 3, 3a or L4."""
        return str(self.kind)

    @property
    def length(self) -> int:
        """The number of cells of the ship."""
        return len(self.cells)


def tells_nothing(ship: PlacedShip, cell: Cell) -> None:
    """Return None: by this rule a hit has no label."""


def tells_kind(ship: PlacedShip, cell: Cell) -> int:
    """Return the length or the shape of the ship."""
    return ship.kind


def tells_place(ship: PlacedShip, cell: Cell) -> Placement:
    """Return all cells of the ship."""
    return ship.place


@dataclass(frozen=True)
class Announcement:
    """A rule that says what hits tell.

    name -- its text behind `announce=` in the text of a game. words -- the rule in words.
    tells -- the function that returns the label of a hit on a cell of a ship, or None.
    forms -- the replies of the rule, as error messages write them. Empty for a rule of a user:
        then messages list the replies.
    at_sinking -- True if only the hit that sinks a ship tells the label, and is announced as
        `sunk`; False if every hit tells it.
    """

    name: str
    words: str
    tells: Callable[[PlacedShip, Cell], Label | None]
    forms: str = ""
    at_sinking: bool = False

    def reply_to_hit(self, label: Label | None, is_sunk: bool) -> Reply:
        """Return the reply to a hit on a cell of this label, which is what the rule tells there.

        If only sinkings tell labels (`at_sinking`), other hits have no label.

        is_sunk -- True if the hit sinks the ship.
        """
        if self.at_sinking:
            return Reply(hit=True, sunk=is_sunk, label=label if is_sunk else None)
        return HIT if label is None else Reply(hit=True, label=label)


_ANNOUNCEMENTS = (
    Announcement(
        name="nothing",
        words="hits tell nothing",
        tells=tells_nothing,
        forms="hit or miss",
    ),
    Announcement(
        name="sunk",
        words="the hit that sinks a ship says so",
        tells=tells_nothing,
        forms="hit, miss or sunk",
        at_sinking=True,
    ),
    Announcement(
        name="ship",
        words="only the hit that sinks a ship names it",
        tells=tells_kind,
        forms="hit, miss or sunk:LENGTH",
        at_sinking=True,
    ),
    Announcement(
        name="name",
        words="every hit names its ship",
        tells=tells_kind,
        forms="miss or hit:SHIP",
    ),
    Announcement(
        name="place",
        words="every hit shows its ship",
        tells=tells_place,
        forms="miss or hit:CELL-CELL, the ends of the ship, or all its cells as in hit:A1+A2+B2",
    ),
)
ANNOUNCEMENTS = {rule.name: rule for rule in _ANNOUNCEMENTS}
"""The rules of optsearch, by name."""
