"""Boards, matrices and decision trees drawn on matplotlib axes, in the style of the paper.

Nothing is computed here but where things go, and no file is written. Wherever a reply is drawn, a
cross is a hit and a circle a miss; where sinkings are announced, a full disc is one, with the
length of the ship if that is told. Audinot, Bonnet and Viennot (2014), section 3.1, have circles
for hits and crosses for misses, and so has what is drawn with `paper`.

`boards` draws boards and matrices. Of a tree, `vertices` says what is drawn and how large,
`layouts` where it goes, and `trees` draws it. `mixes` draws what a hider mixes, `puzzles` those of
Solitaire Battleship. The colours are those of `optsearch.support.palette`.
"""

from optsearch.drawing.boards import (
    HEAT,
    board_size,
    draw_board,
    draw_matrix,
    draw_probability,
    draw_ships,
    paper_name,
)
from optsearch.drawing.layouts import CIRCLES, LEVEL, SLANT, Placed, Scale, Vertex, layout
from optsearch.drawing.mixes import draw_mix, mix_figure_size
from optsearch.drawing.puzzles import draw_puzzle, picture_size
from optsearch.drawing.trees import (
    MARK_SIZE,
    NAME_SIZE,
    SUNK_SIZE,
    draw_tree,
    tree_figure_size,
)
from optsearch.drawing.vertices import BOARD_CELL, NODE_SIZE, SLOT, WIDEST, binary_tree

__all__ = [
    "BOARD_CELL",
    "CIRCLES",
    "HEAT",
    "LEVEL",
    "MARK_SIZE",
    "NAME_SIZE",
    "NODE_SIZE",
    "SLANT",
    "SLOT",
    "SUNK_SIZE",
    "WIDEST",
    "Placed",
    "Scale",
    "Vertex",
    "binary_tree",
    "board_size",
    "draw_board",
    "draw_matrix",
    "draw_mix",
    "draw_probability",
    "draw_puzzle",
    "draw_ships",
    "draw_tree",
    "layout",
    "mix_figure_size",
    "paper_name",
    "picture_size",
    "tree_figure_size",
]
