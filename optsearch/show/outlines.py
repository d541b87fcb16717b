"""A board as pages draw it: the places of its cells, and the outline of a cell."""

from __future__ import annotations

from typing import Any

from optsearch.game import Game, bits, cell_name, column_name
from optsearch.game.fleets import MixedGame, lengths_of
from optsearch.game.position import known_replies
from optsearch.game.shapes import LengthRange, Placement

BOARD = ("optsearch.show/board.css", "optsearch.show/board.js")  # the files that draw it


def board_shape(game: Game) -> dict[str, Any]:
    """Return what a page needs to draw the board of a game, as a JSON object.

    Places are x and y, where y grows downward, and neighbouring cells are 1 apart. The fields are:
    cells -- by index the name, x and y of each, None for a hole. outline -- the corners of a cell
    around its place. labels -- texts beside the board, each with x and y. seams -- the edges where
    the board continues at the opposite side, as the path of an SVG. ships -- the text of each kind
    of ship, with its name and the places of its cells. shown -- the text of each reply that shows a
    ship, with the kind and the cells of the ship.
    """
    board = game.board
    cells = [game.cell(i) for i in range(game.cells)]
    return {
        "cells": [
            [cell_name(cell), *place] if cell in game else None
            for cell, place in zip(cells, board.centres, strict=True)
        ],
        "outline": board.outline,
        "labels": [] if board.digest else _edge_labels(game),
        "seams": _seam_path(game),
        "ships": {str(kind): _ship_fields(game, kind) for kind in dict.fromkeys(game.fleet)},
        "shown": {
            str(reply): {"kind": str(_kind_of(game, reply.label)), "cells": list(bits(reply.label))}
            for reply in known_replies(game)
            if isinstance(reply.label, Placement)
        },
    }


def _ship_fields(game: Game, kind: int) -> dict[str, Any]:
    name = " or ".join(game.kind_names[kind])
    length_or_shape = kind
    if isinstance(kind, LengthRange):
        name = name or kind.letter
        length_or_shape = int(kind)  # the longest
    placement = next(iter(game.placements(length_or_shape)), 0)
    cells = [game.board.centres[cell] for cell in bits(placement)]
    return {"name": name or str(kind), "cells": cells}


def _kind_of(game: Game, ship: Placement) -> int:
    """Return the kind of a placement; if the fleet is not known, the first that can have it."""
    if isinstance(game, MixedGame):
        return next(kind for kind in game.fleet if ship.bit_count() in lengths_of(kind))
    return game.kind_of(ship)


def _seam_path(game: Game) -> str:
    right, bottom = game.columns - 0.5, game.rows - 0.5
    sides = f"M-.5-.5V{bottom}M{right}-.5V{bottom}"
    ends = f"M-.5-.5H{right}M-.5 {bottom}H{right}"
    return {"cylinder": sides, "torus": sides + ends}.get(game.board.text, "")


def _edge_labels(game: Game) -> list[tuple[str, float, float]]:
    """List the letters above the first row and the numbers left of each row, with x and y."""
    centres = game.board.centres
    column_labels = [(column_name(column), *centres[column]) for column in range(game.columns)]
    row_labels = [(str(row + 1), *centres[row * game.columns]) for row in range(game.rows)]
    return [
        *((text, x, y - 0.75) for text, x, y in column_labels),
        *((text, x - 0.8, y) for text, x, y in row_labels),
    ]
