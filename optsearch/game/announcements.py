"""Replies to shots, and the rules of what they tell: each rule is of one of three kinds.

    NoLabels       a hit tells nothing else
    FixedLabels    what a hit tells depends on the ship and the cell alone, not on earlier shots:
                   its name (ShipNames) or where it lies (ShipPlaces)
    SinkingLabels  what a hit tells depends on the cells hit before, too

What computes names the kinds that it handles (`Game.require_kinds`), and refuses all others.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from optsearch.game.shapes import Placement, parse_kind
from optsearch.support.errors import GameError, PositionError

FORMS = "miss, hit, hit:SHIP, sunk or sunk:LENGTH"  # of the replies of all rules
WORDS = {  # for replies, and what people write in short
    **{"miss": "miss", "m": "miss", "o": "miss", "water": "miss"},
    **{"hit": "hit", "h": "hit", "x": "hit", "sunk": "sunk"},
}
SIGNS = {"hit": "X×", "miss": "o○", "sunk": "●"}  # of replies: first in text, last in figures


@dataclass(frozen=True)
class Reply:
    """The answer to a shot: miss, hit, or a hit that sinks.

    length -- what a hit tells of its ship: the length or the shape of the ship that it sinks, as in
    `sunk:3` or `sunk:L4`, or of the ship that it hits, as in `hit:3`; or where that ship lies
    (a `Placement`), as in `hit:A1-A3`.
    """

    hit: bool
    sunk: bool = False
    length: int | None = None

    @classmethod
    def parse(cls, text: str, known: Mapping[str, int] | None = None, forms: str = FORMS) -> Reply:
        """The reply that `miss`, `hit`, `hit:5`, `sunk` or `sunk:3` names; else PositionError.

        known -- what replies tell by name, as in `sunk:carrier`, `hit:3a` or `hit:A1-A3`. forms --
        of replies, for the error.
        """
        match = re.fullmatch(r"(miss|hit|sunk)(?::(\S{1,300}))?", text.strip().lower(), re.ASCII)
        told = None
        try:
            if match and match[2]:
                told = (known or {}).get(match[2]) or parse_kind(match[2])
        except GameError:
            match = None
        if not match or (match[2] and (match[1] == "miss" or not told)):
            raise PositionError(f"{text!r} is not a reply; use {forms}")
        return cls(match[1] != "miss", match[1] == "sunk", told)

    def __str__(self) -> str:
        if not self.hit:
            return "miss"
        word = "sunk" if self.sunk else "hit"
        return word if self.length is None else f"{word}:{self.length}"

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
        """The key by which replies are sorted: the hit, the sinkings by rising length, the miss."""
        return not self.hit, self.sunk, int(self.length or 0), str(self.length)


MISS = Reply(hit=False)
HIT = Reply(hit=True)
SUNK = Reply(hit=True, sunk=True)


class Announcement(ABC):
    """What hits tell in a game. forms -- its replies, as error messages write them."""

    forms: str

    @abstractmethod
    def of_hit(self, told: int, is_sunk: bool) -> Reply:
        """The reply to a hit on a ship.

        told -- what the rule may tell of the ship: its kind, or for ShipPlaces where it lies.
        is_sunk -- whether every cell of the ship is hit now.
        """

    def hits(self, ships: Iterable[int]) -> set[Reply]:
        """Every reply to a hit on one of some ships, by what the rule may tell of each."""
        return {self.of_hit(told, is_sunk) for told in ships for is_sunk in (False, True)}

    def most(self, fleet: Iterable[int], answer: Reply) -> int | None:
        """How often the reply to a hit can come in a game at most; None if only hits limit it."""
        return None


class NoLabels(Announcement):
    """A hit tells nothing else: where the order of the shots makes no difference either."""

    forms = "hit or miss"

    def of_hit(self, told: int, is_sunk: bool) -> Reply:
        """A plain hit."""
        return HIT


class FixedLabels(Announcement):
    """Every hit has a label, whatever was hit before; so the order of the shots is no matter.

    A certain hit costs no miss, and what it tells does not depend on when it is shot.
    """

    def of_hit(self, told: int, is_sunk: bool) -> Reply:
        """A hit with its label, whether or not the ship is sunk."""
        return Reply(True, length=told)


class ShipNames(FixedLabels):
    """A hit names its ship."""

    forms = "miss or hit:SHIP"

    def most(self, fleet: Iterable[int], answer: Reply) -> int:
        """As many as the ships of that name have cells."""
        return sum(int(kind) for kind in fleet if kind == answer.length)


class ShipPlaces(FixedLabels):
    """A hit shows its whole ship: the cells where it lies."""

    forms = "miss or hit:CELL-CELL, the ends of the ship, or all its cells as in hit:A1+A2+B2"

    def most(self, fleet: Iterable[int], answer: Reply) -> int:
        """As many as the ship has cells, if there is one."""
        is_place = isinstance(answer.length, Placement)
        return answer.length.bit_count() if is_place else 0  # type: ignore[union-attr]


@dataclass(frozen=True)
class SinkingLabels(Announcement):
    """A hit tells whether it sinks its ship, the last of its cells to be hit.

    names_ship -- whether it tells of which length or shape this ship is.
    """

    names_ship: bool

    @property
    def forms(self) -> str:  # type: ignore[override]
        """With or without a length."""
        return "hit, miss or sunk:LENGTH" if self.names_ship else "hit, miss or sunk"

    def of_hit(self, told: int, is_sunk: bool) -> Reply:
        """A hit, or a hit that sinks."""
        return Reply(True, is_sunk, told if is_sunk and self.names_ship else None)

    def most(self, fleet: Iterable[int], answer: Reply) -> int | None:
        """As many sinkings as there are such ships."""
        if not answer.sunk:
            return None
        return sum(answer.length in (None, kind) for kind in fleet)


ANNOUNCEMENTS: dict[str, Announcement] = {
    "nothing": NoLabels(),
    "sunk": SinkingLabels(names_ship=False),
    "ship": SinkingLabels(names_ship=True),
    "name": ShipNames(),
    "place": ShipPlaces(),
}
