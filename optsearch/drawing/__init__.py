"""Boards, matrices and decision trees drawn on matplotlib axes, in the style of the paper.

Nothing is computed here but where things go, and no file is written. As in Audinot, Bonnet and
Viennot (2014), section 3.1, a circle is a hit and a cross a miss, wherever a reply is drawn; where
sinkings are announced, a full disc is one, with the length of the ship if that is told.

`boards` draws boards and matrices. Of a tree, `vertices` says what is drawn and how large,
`layouts` where it goes, and `trees` draws it. `mixes` draws what a hider mixes, `puzzles` those of
Solitaire Battleship. The colours are those of `optsearch.support.palette`.
"""

from optsearch.drawing.boards import (
    HEAT,
    MARKS,
    PRINT,
    board_size,
    draw_bar,
    draw_board,
    draw_legend,
    draw_matrix,
    draw_probability,
    draw_ships,
    paper_name,
)
from optsearch.drawing.layouts import CIRCLES, LEVEL, SLANT, Placed, Scale, Vertex, layout
from optsearch.drawing.mixes import draw_mix, mix_figure_size
from optsearch.drawing.puzzles import draw_puzzle, draw_sheet, picture_size, sheet_size
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
    "MARKS",
    "MARK_SIZE",
    "NAME_SIZE",
    "NODE_SIZE",
    "PRINT",
    "SLANT",
    "SLOT",
    "SUNK_SIZE",
    "WIDEST",
    "Placed",
    "Scale",
    "Vertex",
    "binary_tree",
    "board_size",
    "draw_bar",
    "draw_board",
    "draw_legend",
    "draw_matrix",
    "draw_mix",
    "draw_probability",
    "draw_puzzle",
    "draw_sheet",
    "draw_ships",
    "draw_tree",
    "layout",
    "mix_figure_size",
    "paper_name",
    "picture_size",
    "sheet_size",
    "tree_figure_size",
]
