"""The rules: board, ships, replies, positions, and how these look as text.

`game` has the board, the fleet and the rules, `ranges` games on many boards as one text, `shapes`
and `ships` the kinds of ships, `position` the shots so far with their replies, `orders` orders of
the cells, `objective` what a strategy is to be best at, `urn` shooting at random, `names`
strategies as people call them, and `notebook` the pieces of HTML by which values draw themselves.
"""

from optsearch.game.game import (
    ANNOUNCEMENTS,
    CONTACTS,
    HOLE,
    MAX_BOARD,
    MAX_CELLS,
    Cell,
    Game,
    Permutation,
    bits,
    cell_name,
    column_name,
    drawn_board,
    grid_symmetries,
    holes_text,
    image,
    parse_cell,
    parse_holes,
    placements,
)

__all__ = [
    "ANNOUNCEMENTS",
    "CONTACTS",
    "HOLE",
    "MAX_BOARD",
    "MAX_CELLS",
    "Cell",
    "Game",
    "Permutation",
    "bits",
    "cell_name",
    "column_name",
    "drawn_board",
    "grid_symmetries",
    "holes_text",
    "image",
    "parse_cell",
    "parse_holes",
    "placements",
]
