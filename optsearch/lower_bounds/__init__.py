"""Bounds on the least mean number of shots that need no search: a proof in the docstring of each.

`by_chance` is an upper one, what shooting at random takes; all others are lower ones. `leaves`
counts the leaves of decision trees, `chain` uses that a strategy is a fixed sequence of cells until
its first hit, with `coverage` for what such cells can meet, `reveal` relaxes what the player is
told, `ship_chain` takes from the chain what is not finished of it, with `beside` for what cells
beside a ship meet, and `lower` collects them by name. `dual_chain` bounds the misses on any family
by a price for each of its sets. The other side of a bracket is in `optsearch.results.bracket`.
"""

from optsearch.lower_bounds.leaves import (
    complete_binary_tree,
    complete_binary_tree_depths,
    hit_words,
    leaf_counting,
    leaf_counting_after,
    leaf_counting_misses,
    leaves_of,
)
from optsearch.lower_bounds.lower import (
    Bound,
    BoundsStatus,
    FinishedAtMost,
    LeftOut,
    bounds_of_finished,
    bounds_on_demand,
    count_finished,
    first_bounds,
    has_long_bounds,
    long_bounds_in_turn,
    lower_bounds,
    lower_bounds_in_turn,
    two_hidden_bound,
)

__all__ = [
    "Bound",
    "BoundsStatus",
    "FinishedAtMost",
    "LeftOut",
    "bounds_of_finished",
    "bounds_on_demand",
    "complete_binary_tree",
    "complete_binary_tree_depths",
    "count_finished",
    "first_bounds",
    "has_long_bounds",
    "hit_words",
    "leaf_counting",
    "leaf_counting_after",
    "leaf_counting_misses",
    "leaves_of",
    "long_bounds_in_turn",
    "lower_bounds",
    "lower_bounds_in_turn",
    "two_hidden_bound",
]
