from optsearch import strategies as strategies
from optsearch.counting.posterior import Posterior as Posterior
from optsearch.counting.prior import Prior as Prior
from optsearch.evaluate import Evaluation as Evaluation
from optsearch.evaluate import evaluate as evaluate
from optsearch.game import Game as Game
from optsearch.game.objective import Objective as Objective
from optsearch.game.position import Position as Position
from optsearch.results.bracket import bounds as bounds
from optsearch.search.greedy import greedy as greedy
from optsearch.search.solver import solve as solve
from optsearch.strategies.score import Score as Score
from optsearch.support.errors import OptsearchError as OptsearchError
from optsearch.tree import DecisionTree as DecisionTree
from optsearch.tree.solution import Solution as Solution

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

__version__: str
build: str
