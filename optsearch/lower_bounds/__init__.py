"""Bounds on the least mean number of shots that need no search. Each module proves its own.

- `lower` lists the lower bounds of a position or a game by name.
- `leaves` counts the leaves of decision trees.
- `chain` uses that the shots are a fixed sequence of cells until the first hit; `coverage` bounds
  how many configurations such cells meet, `conditional_coverage` the same given one placement.
- `reveal` shows each ship whole at its first hit. `two_hidden` reveals all ships but two.
- `ship_chain` and `first_ship` improve the chain by the misses that a met ship still costs.
- `first_hit` bounds games that the first hit ends.
- `dual_chain` bounds the misses on any family by a price for each of its sets.
- `worst_case` bounds the most shots that a strategy may take.
- `by_chance` is an upper bound: the mean number of shots at random.

The upper side of a bracket is in `optsearch.results.bracket`.
"""

from typing import TYPE_CHECKING

from optsearch.lower_bounds.leaves import (
    complete_binary_tree,
    complete_binary_tree_depths,
    count_hit_sequences,
    leaf_counting,
    leaf_counting_after,
    leaf_counting_misses,
    leaves_of,
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
    "count_finished_by_stages",
    "count_hit_sequences",
    "first_bounds",
    "first_objective_bounds",
    "has_long_bounds",
    "leaf_counting",
    "leaf_counting_after",
    "leaf_counting_misses",
    "leaves_of",
    "long_bounds_in_turn",
    "lower_bounds",
    "lower_bounds_in_turn",
    "two_hidden_bound",
]

if TYPE_CHECKING:
    from optsearch.lower_bounds.lower import (
        Bound,
        BoundsStatus,
        FinishedAtMost,
        LeftOut,
        bounds_of_finished,
        bounds_on_demand,
        count_finished_by_stages,
        first_bounds,
        first_objective_bounds,
        has_long_bounds,
        long_bounds_in_turn,
        lower_bounds,
        lower_bounds_in_turn,
        two_hidden_bound,
    )
else:

    def __getattr__(name: str) -> object:
        """Return what `lower` has, which is imported on first use: a search may need none of it."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from optsearch.lower_bounds import lower

        return getattr(lower, name)
