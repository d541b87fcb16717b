"""Searches for a single ship by congruence classes.

They follow "Playing Battleship with Bayesian Search Theory, Thompson Sampling, and Approximate
Bayesian Computation".

- `row`, its optimal search of a row, shoots the cells whose number (from 0) is -1 modulo the length
  of the ship, in order, until one is hit. Then it shoots to the left until the ship ends there,
  then to the right.
- `grid`, its near optimal search, shoots the cells with row - 1 = column modulo the length, row by
  row, until one is hit. Then it shoots one neighbour that tells how the ship lies, or two if the
  hit is far from all edges; then along the line as in a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from optsearch.game import Cell, Game
from optsearch.game.position import Position
from optsearch.strategies import Strategy
from optsearch.support.errors import StrategyError


@dataclass(frozen=True)
class Row(Strategy):
    """The optimal search of a board of one row or column for one ship."""

    name: ClassVar[str] = "row"

    def shot(self, position: Position) -> Cell:
        """Return the cell to shoot next on a board of one row or column.

        Before a hit it is the next cell in steps of the length of the ship, then one beside hits.
        """
        game, states = position.game, _list_states(position)
        length = _require_one_ship(self, game)
        if min(game.rows, game.columns) > 1:
            raise StrategyError(f"{self} plays boards of one row, not {game}; grid plays others")
        if position.hits:
            return game.cell(next_on_line(states))
        pattern = range(length - 1, game.cells, length)
        return game.cell(next(cell for cell in pattern if states[cell] is None))


@dataclass(frozen=True)
class Grid(Strategy):
    """The near optimal search of a rectangle for one ship."""

    name: ClassVar[str] = "grid"

    def shot(self, position: Position) -> Cell:
        """Return the cell to shoot next.

        Before a hit it is the next cell of a pattern that every placement of the ship crosses.
        After one hit it is a neighbour that tells how the ship lies, unless that is known. Then it
        is the next cell on the line of the ship.
        """
        game = position.game
        length = _require_one_ship(self, game)
        if min(game.rows, game.columns) < length:
            raise StrategyError(f"{self} plays boards where the ship can lie both ways, not {game}")
        states = _list_states(position)  # True for a hit, False for a miss, None if not shot
        row_starts = range(0, game.cells, game.columns)
        rows = [states[start : start + game.columns] for start in row_starts]
        if not position.hits:
            unshot_cells = (game.cell(cell) for cell, state in enumerate(states) if state is None)
            # The pattern: row - 1 - column is a multiple of the length.
            return next(cell for cell in unshot_cells if (cell[0] - 1 - cell[1]) % length == 0)
        row, column = game.cells_of(position.hits)[0]
        if position.hits.bit_count() > 1:
            hits_in_row = rows[row].count(True)
            is_horizontal = hits_in_row > 1
        else:
            telling_cells, is_horizontal = _cells_that_tell(game, (row, column), length)
            for telling_row, telling_column in telling_cells:
                if rows[telling_row][telling_column] is None:
                    return telling_row, telling_column
        if is_horizontal:
            return row, next_on_line(rows[row])
        return next_on_line([states_of_row[column] for states_of_row in rows]), column


def _cells_that_tell(game: Game, hit: Cell, length: int) -> tuple[list[Cell], bool]:
    """Return cells whose replies tell if the ship of a first hit is horizontal.

    The second result is the answer if all of these shots miss.
    """
    row, column = hit
    # Near the top or the bottom, a vertical ship covers the next cell towards the middle.
    if row < length - 1:
        return [(row + 1, column)], True
    if game.rows - length < row:
        return [(row - 1, column)], True
    # Near the left or the right edge, a horizontal ship does.
    if column < length - 1:
        return [(row, column + 1)], False
    if game.columns - length < column:
        return [(row, column - 1)], False
    return [(row, column - 1), (row, column + 1)], False


def next_on_line(line: Sequence[bool | None]) -> int:
    """Return the index of the cell to shoot next on a line of cells in which a ship has a hit.

    It is left of the hits until the ship ends there, then right of them. line -- for each cell
    True for a hit, False for a miss, None if it was not shot.
    """
    first = line.index(True)
    if first == 0 or line[first - 1] is False:
        return line.index(None, first)
    return first - 1


def _list_states(position: Position) -> list[bool | None]:
    """List for each cell, row by row, True for a hit, False for a miss, None if it was not shot."""
    states: list[bool | None] = [None] * position.game.cells
    for shot in position.shots:
        row, column = shot.cell
        states[row * position.game.columns + column] = shot.reply.hit
    return states


def _require_one_ship(strategy: Strategy, game: Game) -> int:
    """Return the length of the only ship of a game; StrategyError if it has more."""
    game.require_usual(str(strategy))
    if len(game.fleet) > 1:
        raise StrategyError(f"{strategy} plays games with one ship, not {game}")
    return game.fleet[0]
