from optsearch import strategies as strategies
from optsearch.bracket import bounds as bounds
from optsearch.errors import OptsearchError as OptsearchError
from optsearch.evaluate import Evaluation as Evaluation
from optsearch.evaluate import evaluate as evaluate
from optsearch.game import Game as Game
from optsearch.greedy import greedy as greedy
from optsearch.objective import Objective as Objective
from optsearch.position import Position as Position
from optsearch.posterior import Posterior as Posterior
from optsearch.prior import Prior as Prior
from optsearch.solution import Solution as Solution
from optsearch.solver import solve as solve
from optsearch.tree import DecisionTree as DecisionTree

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

__version__: str
build: str
