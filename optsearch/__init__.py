"""Optimal shooting at Battleship against ships placed uniformly at random.

>>> from optsearch import bounds, evaluate, Posterior, solve
>>> solve("4x5:2,3,4").mean  # the least mean number of shots, exactly
Fraction(497, 44)
>>> evaluate("greedy", "4x5:2,3,4").mean  # what a strategy takes, over every configuration
Fraction(499, 44)
>>> Posterior("10x10:5,4,3,3,2").configurations  # counted, not listed
1925751392
>>> float(bounds("10x10:5,4,3,3,2").upper)  # the least proved upper bound
39.989...

Where a module is called as its function, calling the module is calling the function:
`optsearch.evaluate(...)` is `optsearch.evaluate.evaluate(...)`; so `bounds` and `greedy`.

`optsearch.build` is the build of the compiled kernels in use (`optsearch.compiled`).
"""

import sys as _sys
from typing import Any as _Any

from optsearch import front as _front
from optsearch.support import version as _version

__all__ = [
    "DecisionTree",
    "Evaluation",
    "Game",
    "Objective",
    "OptsearchError",
    "Position",
    "Posterior",
    "Prior",
    "Score",
    "Solution",
    "bounds",
    "evaluate",
    "greedy",
    "solve",
    "strategies",
]

__version__ = _version.VERSION

_sys.modules[__name__].__class__ = _front.Face


def __getattr__(name: str) -> _Any:
    return _front.find(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
