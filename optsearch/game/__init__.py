"""The rules: board, ships, replies, positions, and how these look as text.

`board` has the cells and how they lie to each other, `board_files` boards of files, `cells` the
names of cells, `game` the fleet and the rules on a board, `ranges` games on many boards as one
text, `shapes` and `ships` the kinds of ships, `announcements` the replies and the rules of what
hits tell, `labels` what they tell on a board, `position` the shots so far, `fleets` games whose
fleet is not known, and their positions, `reply_text` replies as people write them, `orders` orders
of the cells, `named_games` games that people play, `objective` what a strategy is to be best at,
`urn` shooting at random, `names` the levels of puzzles, and `notebook` the pieces of HTML by which
values draw themselves.
"""

from optsearch.game.announcements import ANNOUNCEMENTS
from optsearch.game.board import Board, Permutation, bits, image
from optsearch.game.cells import MAX_BOARD, MAX_CELLS, Cell, cell_name, column_name, parse_cell
from optsearch.game.game import (
    CONTACTS,
    HOLE,
    IN_WORDS,
    Game,
    drawn_board,
    holes_text,
    parse_holes,
    placements,
)

__all__ = [
    "ANNOUNCEMENTS",
    "CONTACTS",
    "HOLE",
    "IN_WORDS",
    "MAX_BOARD",
    "MAX_CELLS",
    "Board",
    "Cell",
    "Game",
    "Permutation",
    "bits",
    "cell_name",
    "column_name",
    "drawn_board",
    "holes_text",
    "image",
    "parse_cell",
    "parse_holes",
    "placements",
]
