"""Draw boards, matrices and decision trees on matplotlib axes, in the style of papers.

Replies have their signs (`Reply.sign`): a cross is a hit, a circle a miss, a full disc a hit that
sinks. In Audinot, Bonnet and Viennot (2014), section 3.1, circles are hits and crosses misses.

`boards` draws boards and matrices. `vertices` makes a tree to draw from a decision tree, `layouts`
computes where each vertex goes, and `trees` draws it. `mixes` draws the mix of a hider, `puzzles`
draws Solitaire Battleship, and `animations` writes games as GIF files. `axes` draws from Python.
The colours are those of `optsearch.support.palette`.
"""
