"""Rules of replies as a user writes them: functions of a ship and the cell that is hit."""

from optsearch.game.announcements import PlacedShip
from optsearch.game.cells import Cell


def parity(ship: PlacedShip, cell: Cell) -> str:
    """Return whether the length of the ship is even or odd."""
    return "odd" if ship.length % 2 else "even"


def ends(ship: PlacedShip, cell: Cell) -> str | None:
    """Return `end` at both ends of the ship."""
    return "end" if cell in (ship.cells[0], ship.cells[-1]) else None


def orientation(ship: PlacedShip, cell: Cell) -> str:
    """Return how the ship lies."""
    return "lying" if len({row for row, _ in ship.cells}) == 1 else "standing"
