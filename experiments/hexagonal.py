"""The boards of the hexagonal game of 2008, as a file of boards: python -m experiments.hexagonal

Reads `data/published/hexagonal_2008.json`: the cells of both halves as (x, y, z) with sum 0, and
the pieces. Two cells touch where their difference is a permutation of (1, -1, 0), and a piece may
be turned by multiples of 60 degrees, (x, y, z) -> (-y, -z, -x). Writes
`data/boards/hexagonal_2008.json` (`optsearch.game.board_files`): a row of cells for each x, from
the least y on.
"""

import json
from pathlib import Path

from experiments import script
from optsearch.game import cell_name
from optsearch.support.datafiles import DATA, PUBLISHED
from optsearch.support.files import replace

NAME = "hexagonal_2008.json"
DIRECTIONS = {"across": (0, 1, -1), "down": (1, 0, -1), "back": (1, -1, 0)}
HALF = 3**0.5 / 2

Cube = tuple[int, int, int]


def added(cell: Cube, step: Cube) -> Cube:
    """The sum of two places."""
    return cell[0] + step[0], cell[1] + step[1], cell[2] + step[2]


def turned(cell: Cube) -> Cube:
    """A place after a turn by 60 degrees."""
    x, y, z = cell
    return -y, -z, -x


def board(cells: list[Cube], pieces: dict[str, list[Cube]]) -> dict[str, object]:
    """One half, in the form of `optsearch.game.board_files`."""
    names: dict[Cube, str] = {}
    for row, x in enumerate(sorted({x for x, _, _ in cells})):
        for column, cell in enumerate(sorted(cell for cell in cells if cell[0] == x)):
            names[cell] = cell_name((row, column))
    steps = [step for one in DIRECTIONS.values() for step in (one, (-one[0], -one[1], -one[2]))]
    return {
        "cells": {
            name: [round(y + x / 2, 6), round(x * HALF, 6)] for (x, y, _), name in names.items()
        },
        "neighbours": {
            name: [names[added(cell, step)] for step in steps if added(cell, step) in names]
            for cell, name in names.items()
        },
        "lines": {name: lines(names, step) for name, step in DIRECTIONS.items()},
        "ships": {piece: ship(names, places) for piece, places in pieces.items()},
        "outline": "hexagon",
    }


def lines(names: dict[Cube, str], step: Cube) -> list[list[str]]:
    """All rows of neighbours in one direction."""
    back = (-step[0], -step[1], -step[2])
    found = []
    for cell in names:
        if added(cell, back) not in names:
            line = [cell]
            while (following := added(line[-1], step)) in names:
                line.append(following)
            found.append([names[one] for one in line])
    return found


def ship(names: dict[Cube, str], piece: list[Cube]) -> dict[str, object]:
    """A length where a piece is straight, or else all ways in which it may lie."""
    if all(piece[i] == (i, 0, -i) for i in range(len(piece))):
        return {"length": len(piece)}
    ways: dict[frozenset[Cube], None] = {}
    for _ in range(6):
        piece = [turned(one) for one in piece]
        for cell in names:
            there = frozenset(added(cell, one) for one in piece)
            if there <= names.keys():
                ways[there] = None
    return {"cells": [sorted(names[cell] for cell in way) for way in ways]}


def main() -> None:
    """Write the file."""
    parser = script.parser(__doc__, "hexagonal_boards")
    parser.set_defaults(output=DATA / "boards")
    output: Path = parser.parse_args().output
    published = json.loads((PUBLISHED / NAME).read_text())
    pieces = {
        name: [tuple(place) for place in places] for name, places in published["pieces"].items()
    }
    made = {
        "format": "optsearch boards",
        "version": 1,
        "about": f"{published['about']} Made by python -m experiments.hexagonal.",
        "boards": {
            name: board([tuple(cell) for cell in cells], pieces)
            for name, cells in published["cells"].items()
        },
    }
    text = json.dumps(made, separators=(",", ":")).replace('},"', '},\n"').replace(']],"', ']],\n"')
    output.mkdir(parents=True, exist_ok=True)
    replace(output / NAME, text + "\n")
    print(f"{output / NAME}: {len(text):,} characters")


if __name__ == "__main__":
    script.run(main)
