"""One script a table or result, run as `python -m experiments.NAME`; each writes data/results."""

from optsearch.search.solver import SolverOptions

# What the first solver, of normal forms and leaf counting, did not do.
NEW = (
    "profile",
    "frequency_cap",
    "matching",
    "domination",
    "merging",
    "products",
    "forced",
    "lookahead",
    "words",
    "splitting",
    "chain",
    "two_sided",
    "even",
)
FIRST = SolverOptions(root_bounds=False, **dict.fromkeys(NEW, False))
