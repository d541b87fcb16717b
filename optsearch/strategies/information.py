"""The most informative shot, looking one shot ahead: maximum information gain, and even bisection.

`information` takes a cell whose reply has the highest entropy; `bisection` one that is hit in as
near to half of the configurations as can be. Where no sinking is announced both shoot alike, up to
the cells that are tied. A shot whose reply is known gains nothing: if there is no other, a certain
hit is shot. All counts are exact.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from math import log2
from typing import ClassVar

from optsearch.errors import PositionError, StrategyError
from optsearch.game import Cell
from optsearch.orders import ORDERS, order_of
from optsearch.position import MISS, Position, Reply, known_replies
from optsearch.posterior import Posterior
from optsearch.strategies import Strategy


@dataclass(frozen=True)
class _OneShotAhead(Strategy):
    """ties -- which of several best cells: `order_of` names the orders."""

    ties: str = "first"

    def __post_init__(self) -> None:
        if self.ties not in ORDERS:
            raise StrategyError(f"no order of ties {self.ties!r}; there are {', '.join(ORDERS)}")

    def shot(self, position: Position) -> Cell:
        """The cell of highest value; a certain hit if no reply is open."""
        posterior = Posterior(position)
        counts = posterior.occurrence.ravel().tolist()
        shot = position.hits | position.misses
        fresh = [i for i in order_of(position.game, self.ties) if not shot >> i & 1]
        values = {i: self.value(position, i, counts[i], posterior.configurations) for i in fresh}
        best = max(fresh, key=values.__getitem__)
        if not values[best]:
            best = next(i for i in fresh if counts[i] == posterior.configurations)
        return position.game.cell(best)

    @abstractmethod
    def value(self, position: Position, index: int, hit: int, whole: int) -> float:
        """What a shot at a cell is worth that is hit in so many of all configurations."""


@dataclass(frozen=True)
class Bisection(_OneShotAhead):
    """The cell whose configurations are nearest to half of all."""

    name: ClassVar[str] = "bisection"

    def value(self, position: Position, index: int, hit: int, whole: int) -> float:
        """The smaller part, exactly."""
        return min(hit, whole - hit)


@dataclass(frozen=True)
class Information(_OneShotAhead):
    """The cell whose reply has the highest entropy in bits, sinkings counted as told."""

    name: ClassVar[str] = "information"

    def value(self, position: Position, index: int, hit: int, whole: int) -> float:
        """The entropy; equal parts give equal values, as they are added in order of their size."""
        parts = sorted(part for part in self._parts(position, index, hit, whole) if part)
        if len(parts) < 2:
            return 0.0
        return -sum(part / whole * log2(part / whole) for part in parts)

    def _parts(self, position: Position, index: int, hit: int, whole: int) -> Iterator[int]:
        """How many configurations give each reply."""
        yield whole - hit
        if position.game.is_silent or not hit or not _may_sink(position, index):
            yield hit
            return
        cell = position.game.cell(index)
        for reply in known_replies(position.game):
            if reply != MISS:
                yield _configurations(position, cell, reply)


def _may_sink(position: Position, index: int) -> bool:
    """Whether a ship of the fleet can lie on this cell and cells hit before."""
    over = position.hits | 1 << index
    return any(
        ship >> index & 1 and not ship & ~over
        for length in set(position.game.fleet)
        for ship in position.game.placements(length)
    )


def _configurations(position: Position, cell: Cell, reply: Reply) -> int:
    """How many configurations give a reply; none for one sinking more than there are ships."""
    try:
        return Posterior(position.after(cell, reply)).configurations
    except PositionError:
        return 0
