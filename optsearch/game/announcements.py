"""Replies to shots, and the rules of what hits tell: each rule is one function.

The function returns the label of a hit on a cell of a ship, or None; earlier shots do not matter.
The flag `at_sinking` says when the label is told: at every hit, or only at the hit that sinks the
ship. Other modules ask the game what hits tell (`Game.is_silent` and the members after it), not
the name of the rule.
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
    """The answer to a shot: miss, hit, or a hit that sinks.

    label -- what a hit tells: the length or the shape of the ship that it sinks, as in
    `sunk:3` or `sunk:L4`, or of the ship that it hits, as in `hit:3`; where that ship lies
    (a `Placement`), as in `hit:A1-A3`; or a word, as in `hit:bow`.
    """

    hit: bool
    sunk: bool = False
    label: Label | None = None

    @classmethod
    def parse(
        cls, text: str, labels: Mapping[str, Label] | None = None, forms: str = FORMS
    ) -> Reply:
        """Parse `miss`, `hit`, `hit:5`, `sunk` or `sunk:3`; PositionError for another text.

        labels -- by name, as in `sunk:carrier`, `hit:3a` or `hit:A1-A3`. forms -- the accepted
        replies, for the error.
        """
        match = re.fullmatch(r"(miss|hit|sunk)(?::(\S{1,300}))?", text.strip().lower(), re.ASCII)
        answer, name = match.groups() if match else ("", None)
        label = _parse_label(name, labels or {}) if name and answer != "miss" else None
        if not answer or (name and not label):
            raise PositionError(f"{text!r} is not a reply; use {forms}")
        return cls(hit=answer != "miss", sunk=answer == "sunk", label=label)

    def __str__(self) -> str:
        if not self.hit:
            return "miss"
        word = "sunk" if self.sunk else "hit"
        return word if self.label is None else f"{word}:{self.label}"

    @property
    def letter(self) -> str:
        """Its sign in text: X a hit, o a miss, ● a hit that sinks."""
        return SIGNS[str(self).partition(":")[0]][0]

    @property
    def sign(self) -> str:
        """Its sign in figures, pages and notebooks: × a hit, ○ a miss, ● a hit that sinks."""
        return SIGNS[str(self).partition(":")[0]][-1]

    @property
    def order(self) -> tuple[bool, bool, int, str]:
        """The sort key of a reply: hits first, then sinkings, then the miss."""
        text = str(self.label)
        is_number = isinstance(self.label, int) or text.isdecimal()
        number = int(self.label or 0) if is_number else 0
        return not self.hit, self.sunk, number, text


def _parse_label(name: str, labels: Mapping[str, Label]) -> Label | None:
    """Return the label of a name, else the kind of ship that it is; None if it is neither."""
    try:
        return labels.get(name) or parse_kind(name) or None
    except GameError:
        return None


MISS = Reply(hit=False)
HIT = Reply(hit=True)
SUNK = Reply(hit=True, sunk=True)


@dataclass(frozen=True)
class PlacedShip:
    """A ship on the board, as the function of a rule receives it.

    kind -- its length, or its shape. cells -- (row, column) in row-major order. place -- where it
    lies, as a hit shows it. head -- the cell that its drawing marks by `@`, or None.
    """

    kind: int
    cells: tuple[Cell, ...]
    place: Placement
    head: Cell | None = None

    @property
    def name(self) -> str:
        """The text of its kind, as in 3, 3a or L4."""
        return str(self.kind)

    @property
    def length(self) -> int:
        """The number of its cells."""
        return len(self.cells)


def tells_nothing(ship: PlacedShip, cell: Cell) -> None:
    """Return None: a hit has no label."""


def tells_kind(ship: PlacedShip, cell: Cell) -> int:
    """Return the length or the shape of the ship."""
    return ship.kind


def tells_place(ship: PlacedShip, cell: Cell) -> Placement:
    """Return where the ship lies: all its cells."""
    return ship.place


@dataclass(frozen=True)
class Announcement:
    """A rule that says what hits tell.

    name -- in the text of a game, behind `announce=`. words -- what it says, for people. tells --
    returns the label of a hit on a cell of a ship, None for no label. forms -- its replies, as
    error messages write them; "" where they are listed. at_sinking -- True if the label comes with
    the hit that sinks the ship, which is told from other hits; False if it comes with every hit.
    """

    name: str
    words: str
    tells: Callable[[PlacedShip, Cell], Label | None]
    forms: str = ""
    at_sinking: bool = False

    def reply_to_hit(self, label: Label | None, is_sunk: bool) -> Reply:
        """Return the reply to a hit with a label. is_sunk -- True if it sinks the ship."""
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
