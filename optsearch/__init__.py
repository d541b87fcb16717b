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

Each name is imported from its module on first use, so the import itself is fast.
`optsearch.build` is the build of the compiled kernels in use (`optsearch.compiled`).
"""

import importlib

from optsearch.support import version

TYPE_CHECKING = False  # typing takes longer to load than all that the command needs to hear ctrl-C
__version__ = version.VERSION

_HOMES = {
    "DecisionTree": "tree",
    "Evaluation": "evaluation",
    "Execution": "support.workers",
    "Game": "game",
    "Objective": "game.objective",
    "OptsearchError": "support.errors",
    "Position": "game.position",
    "Posterior": "counting.posterior",
    "Prior": "counting.prior",
    "Score": "strategies.score",
    "Solution": "tree.solution",
    "ask": "questions",
    "bounds": "results.bracket",
    "build": "compiled",
    "compare": "evaluation",
    "draw": "drawing.axes",
    "equilibrium": "equilibria",
    "evaluate": "evaluation",
    "greedy": "search.greedy",
    "simulate": "play.simulate",
    "solve": "search.solver",
    "table": "results.tabulate",
}
"""Name -> the module below optsearch that has it."""

__all__ = [
    "DecisionTree",
    "Evaluation",
    "Execution",
    "Game",
    "Objective",
    "OptsearchError",
    "Position",
    "Posterior",
    "Prior",
    "Score",
    "Solution",
    "ask",
    "bounds",
    "compare",
    "draw",
    "equilibrium",
    "evaluate",
    "greedy",
    "simulate",
    "solve",
    "table",
]

if TYPE_CHECKING:
    from optsearch.compiled import build as build
    from optsearch.counting.posterior import Posterior
    from optsearch.counting.prior import Prior
    from optsearch.drawing.axes import draw
    from optsearch.equilibria import equilibrium
    from optsearch.evaluation import Evaluation, compare, evaluate
    from optsearch.game import Game
    from optsearch.game.objective import Objective
    from optsearch.game.position import Position
    from optsearch.play.simulate import simulate
    from optsearch.questions import ask
    from optsearch.results.bracket import bounds
    from optsearch.results.tabulate import table
    from optsearch.search.greedy import greedy
    from optsearch.search.solver import solve
    from optsearch.strategies.score import Score
    from optsearch.support.errors import OptsearchError
    from optsearch.support.workers import Execution
    from optsearch.tree import DecisionTree
    from optsearch.tree.solution import Solution
else:

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__", "build"])
