"""One script a table or result, run as `python -m experiments.NAME`; each writes data/results."""

from optsearch.search.solver import SWITCHES, SolverOptions

# The first solver: normal forms, leaf counting and a table of what is known.
OF_FIRST = ("memo", "isomorphism", "leaf_counting", "ordering")
FIRST = SolverOptions(root_bounds=False, **{name: name in OF_FIRST for name in SWITCHES})
