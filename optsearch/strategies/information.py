"""The most informative shot, looking one shot ahead: maximum information gain, and even bisection.

`information` takes a cell whose reply has the highest entropy; `bisection` one that is hit in as
near to half of the configurations as can be. Where no sinking is announced both shoot alike, up to
the cells that are tied. A shot whose reply is known gains nothing: if there is no other, a certain
hit is shot. All counts are exact.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from math import log2
from typing import ClassVar

from optsearch.game import Cell, Game
from optsearch.game.orders import order_of
from optsearch.game.position import Position
from optsearch.strategies import Strategy
from optsearch.strategies.greedy import Counts, counts_of
from optsearch.strategies.player import ties


@dataclass(frozen=True)
class _OneShotAhead(Strategy):
    """A strategy that shoots a cell of the highest value."""

    ties: str = ties()

    def shot(self, position: Position) -> Cell:
        """The cell of highest value; a certain hit if no reply is open."""
        counts = counts_of(position)
        shot = position.closed
        fresh = [i for i in order_of(position.game, self.ties) if not shot >> i & 1]
        values = {i: self.value(position.game, i, counts) for i in fresh}
        best = max(fresh, key=values.__getitem__)
        if not values[best]:
            best = next(i for i in fresh if counts.cells[i] == counts.configurations)
        return position.game.cell(best)

    @abstractmethod
    def value(self, game: Game, index: int, counts: Counts) -> float:
        """What a shot at a cell is worth."""


@dataclass(frozen=True)
class Bisection(_OneShotAhead):
    """A cell that is hit in as near to half of the configurations as can be."""

    name: ClassVar[str] = "bisection"

    def value(self, game: Game, index: int, counts: Counts) -> float:
        """The smaller part, exactly."""
        hit = counts.cells[index]
        return min(hit, counts.configurations - hit)


@dataclass(frozen=True)
class Information(_OneShotAhead):
    """A cell whose reply, sinkings included, tells the most: has the highest entropy."""

    name: ClassVar[str] = "information"

    def value(self, game: Game, index: int, counts: Counts) -> float:
        """The entropy; equal parts give equal values, as they are added in order of their size."""
        whole = counts.configurations
        parts = sorted(part for part in _parts(game, index, counts) if part)
        if len(parts) < 2:
            return 0.0
        return -sum(part / whole * log2(part / whole) for part in parts)


def _parts(game: Game, index: int, counts: Counts) -> list[int]:
    """How many configurations give each reply to a shot: those with a ship whose last cell it is
    give a sinking, of its length where lengths are told.
    """
    hit = counts.cells[index]
    sinkings = [
        0 if game.is_silent else counts.sinkings.get((index, length), 0)
        for length in sorted(set(game.fleet))
    ]
    if game.announce != "ship":
        sinkings = [sum(sinkings)]
    return [counts.configurations - hit, hit - sum(sinkings), *sinkings]
