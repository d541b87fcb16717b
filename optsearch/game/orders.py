"""Orders of the cells of a board, by which strategies choose among equally good cells."""

from __future__ import annotations

from functools import lru_cache

from optsearch.game.game import Game
from optsearch.support.errors import NotSupported

ORDERS = ("first", "checkerboard", "central", "last")
OF_RECTANGLES = ("checkerboard", "central")


def orders_on(game: Game) -> tuple[str, ...]:
    """Return the names of the orders that are defined on a board."""
    return tuple(name for name in ORDERS if game.is_rectangle or name not in OF_RECTANGLES)


@lru_cache(maxsize=64)
def order_of(game: Game, ties: str) -> tuple[int, ...]:
    """Return the cells (indices) in the order by which ties between them are broken.

    ties -- the name of the order. `first` is row by row, and `last` the reverse. `checkerboard` has
        the cells whose row plus column, from 0, is even before the others, and `central` begins
        with those nearest to the middle; both go row by row where that leaves a tie.

    Raises NotSupported for these two on a board that is not a rectangle.
    """
    if ties in OF_RECTANGLES and not game.is_rectangle:
        raise NotSupported(
            f"ties={ties} needs the rows and columns of a rectangle; {game} has another board: use "
            "ties=first or ties=last"
        )
    cells = range(game.cells)

    def distance_to_middle(cell: int) -> int:
        """Return four times the square of the distance, which is an integer."""
        row, column = game.cell(cell)
        return (2 * row - game.rows + 1) ** 2 + (2 * column - game.columns + 1) ** 2

    if ties == "checkerboard":
        return tuple(sorted(cells, key=lambda cell: sum(game.cell(cell)) % 2))
    if ties == "central":
        return tuple(sorted(cells, key=distance_to_middle))
    return tuple(reversed(cells) if ties == "last" else cells)
