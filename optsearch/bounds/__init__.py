"""Bounds on the least mean number of shots that need no search: a proof in the docstring of each.

`leaves` counts the leaves of decision trees, `chain` uses that a strategy is a fixed sequence of
cells until its first hit, with `coverage` for what such cells can meet, `reveal` relaxes what the
player is told, `ship_chain` takes from the one what the other leaves unfinished, and `known`
collects what holds for a game.
"""

from optsearch.bounds.known import Bound, bracket, known_bounds, lower_bounds, upper_bounds
from optsearch.bounds.leaves import (
    complete_binary_tree,
    complete_binary_tree_depths,
    leaf_counting,
    leaf_counting_after,
    leaf_counting_misses,
    leaves_of,
)

__all__ = [
    "Bound",
    "bracket",
    "complete_binary_tree",
    "complete_binary_tree_depths",
    "known_bounds",
    "leaf_counting",
    "leaf_counting_after",
    "leaf_counting_misses",
    "leaves_of",
    "lower_bounds",
    "upper_bounds",
]
