"""Boards, matrices and decision trees drawn on matplotlib axes, in the style of papers.

Nothing is computed here but where things go, and no file is written. Replies have their signs
(`Reply.sign`): a cross is a hit, a circle a miss, a full disc a hit that sinks. In Audinot, Bonnet
and Viennot (2014), section 3.1, circles are hits and crosses misses.

`boards` draws boards and matrices. Of a tree, `vertices` says what is drawn and how large,
`layouts` where it goes, and `trees` draws it. `mixes` draws what a hider mixes, `puzzles` those of
Solitaire Battleship. The colours are those of `optsearch.support.palette`.
"""
