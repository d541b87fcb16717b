"""A board as pages draw it: its cells with their places, and the outline of a cell."""

from __future__ import annotations

from typing import Any

from optsearch.game import Game, cell_name, column_name

BOARD = ("optsearch.show/board.css", "optsearch.show/board.js")  # what draws it
SQUARE = ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))


def shape(game: Game) -> dict[str, Any]:
    """The board of a game, as a JSON object; y grows downward, and neighbours are 1 apart.

    cells -- by their index, each a name, x and y; None for a hole. outline -- the corners of a cell
    around its place. labels -- texts beside the board, each with x and y.
    """
    cells = map(game.cell, range(game.cells))
    return {
        "cells": [[cell_name(cell), cell[1], cell[0]] if cell in game else None for cell in cells],
        "outline": SQUARE,
        "labels": [
            *([column_name(column), column, -0.75] for column in range(game.columns)),
            *([str(row + 1), -0.8, row] for row in range(game.rows)),
        ],
    }
