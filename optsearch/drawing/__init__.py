"""Boards, matrices and decision trees drawn on matplotlib axes, in the style of the paper.

Nothing is computed here but where things go, and no file is written. As in Audinot, Bonnet and
Viennot (2014), section 3.1, a circle is a hit and a cross a miss, wherever a reply is drawn; where
sinkings are announced, a full disc is one, with the length of the ship if that is told.

`boards` draws boards and matrices. Of a tree, `vertices` says what is drawn and how large,
`layouts` where it goes, and `trees` draws it. `mixes` draws what a hider mixes, `puzzles` those of
Solitaire Battleship. The colours are those of `optsearch.support.palette`.
"""
