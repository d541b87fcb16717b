"""Optimal shooting at Battleship against ships placed uniformly at random.

>>> from optsearch import bounds, evaluate, Posterior, solve
>>> solve("4x5:2,3,4").mean  # the least mean number of shots, exactly
Fraction(497, 44)
>>> evaluate("greedy", "4x5:2,3,4").mean  # what a strategy takes, over every configuration
Fraction(499, 44)
>>> Posterior("10x10:5,4,3,3,2").configurations  # counted, not listed
1925751392
>>> float(bounds("10x10:5,4,3,3,2").upper)  # the least proved upper bound
40.025...

Where a module is called as its function, calling the module is calling the function:
`optsearch.evaluate(...)` is `optsearch.evaluate.evaluate(...)`; so `bounds` and `greedy`.

Importing the package chooses, once, the fastest build of the compiled kernels that this processor
runs. The environment variable OPTSEARCH_BUILD names another (`plain`, `x86_64_v3`),
and OPTSEARCH_DEBUG=1 the bounds-checked one.
"""

import os as _os
from typing import Any as _Any

from optsearch import front as _front
from optsearch._processor import instruction_sets as _instruction_sets

__all__ = [
    "DecisionTree",
    "Evaluation",
    "Game",
    "Objective",
    "OptsearchError",
    "Position",
    "Posterior",
    "Prior",
    "Solution",
    "bounds",
    "evaluate",
    "greedy",
    "solve",
    "strategies",
]

__version__ = "0.1.0"


def _choose_build() -> str:
    """The build of the kernels in use; puts its folder first on the package's search path."""
    folder = _os.path.join(_os.path.dirname(__file__), "builds")
    names = [*_instruction_sets(), "plain", "debug"]
    available = [
        name for name in names if name == "plain" or _os.path.isdir(_os.path.join(folder, name))
    ]
    is_debug = _os.environ.get("OPTSEARCH_DEBUG", "0") not in ("", "0")
    wanted = "debug" if is_debug else _os.environ.get("OPTSEARCH_BUILD") or available[0]
    if wanted not in available:
        raise ImportError(
            f"the build {wanted!r} of the kernels is not here; there are {', '.join(available)} "
            "(`make debug` makes the bounds-checked one)"
        )
    if wanted != "plain":
        __path__.insert(0, _os.path.join(folder, wanted))
    return wanted


build = _choose_build()


def __getattr__(name: str) -> _Any:
    return _front.find(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
