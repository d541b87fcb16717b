"""Rules of replies in a file, as a user writes them: of a ship and the cell that is hit."""


def parity(ship, cell):
    """Whether the ship is of even or of odd length."""
    return "even" if ship.length % 2 == 0 else "odd"


def ends(ship, cell):
    """That an end of the ship is hit."""
    return "end" if cell in (ship.cells[0], ship.cells[-1]) else None


def orientation(ship, cell):
    """How the ship lies: in a row, in a column, or neither."""
    rows, columns = ({place[i] for place in ship.cells} for i in range(2))
    return {(1, 0): "along", (0, 1): "down"}.get((len(rows) == 1, len(columns) == 1))
