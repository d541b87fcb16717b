"""The decision tree of a strategy: its nodes, measures, text and files.

A deterministic strategy is the choice of a first cell, then of a second one for each reply, and so
on until every cell of the ships has been hit: a decision tree. Audinot, Bonnet and Viennot (2014),
section 3.1.

`nodes` has the parts of a tree, `decisions` the whole with its measures, `text` both in words,
`folded` as HTML, `files` as JSON; `solution` has the result of a solver, with its tree.
`optsearch.check.trees` replays a tree on all configurations.
"""

from optsearch.tree.decisions import DecisionTree
from optsearch.tree.files import FORMAT, VERSION, load, save
from optsearch.tree.nodes import Leaf, Node, Shots

__all__ = [
    "FORMAT",
    "VERSION",
    "DecisionTree",
    "Leaf",
    "Node",
    "Shots",
    "load",
    "save",
]
