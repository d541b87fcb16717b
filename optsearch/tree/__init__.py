"""The decision tree of a strategy: built, measured, compared, verified, saved, loaded and written.

A deterministic strategy is the choice of a first cell, then of a second one for each reply, and so
on until every cell of the ships has been hit: a decision tree. Audinot, Bonnet and Viennot (2014),
section 3.1.

`nodes` has the parts of a tree and `decisions` the whole with its measures, `text` says either in
words, and `files` saves and loads. What replays one on all configurations is
`optsearch.check.trees`.
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
