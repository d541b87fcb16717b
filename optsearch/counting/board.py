"""What ways to count on boards of any shape ask of a game."""

from __future__ import annotations

from typing import Protocol


class Board(Protocol):
    """A game without rows and columns: `Game` is one."""

    @property
    def cells(self) -> int:
        """The number of cells, holes among them."""

    @property
    def holes(self) -> int:
        """The mask of the cells that are no part of the board."""

    @property
    def fleet(self) -> tuple[int, ...]:
        """The ships, by length or shape."""

    def placements(self, kind: int, /) -> tuple[int, ...]:
        """Every way to place a ship of a kind, as masks."""

    def halo(self, placement: int, /) -> int:
        """The cells outside a placement that are forbidden to every other ship."""
