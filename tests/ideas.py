"""Ideas of users: scores, which tests name as `ideas.py:greedy`, and a strategy as text."""

import numpy as np

from optsearch import Score


def most(node, scores):
    """Greedy."""
    for cell in range(len(scores)):
        scores[cell] = node.having[cell]


def most_cell(node):
    """What is shot, as a cell."""
    best = 0
    for cell in range(len(node.having)):
        if node.having[cell] > node.having[best]:
            best = cell
    return best


def everything(node, scores):
    """Numbers that no two nodes have in common unless all that they are given is the same."""
    mixed = np.uint64(node.configurations) * np.uint64(0x9E3779B97F4A7C15)
    for cell in range(len(scores)):
        mixed = (mixed ^ np.uint64(node.having[cell])) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ np.uint64(node.state[cell])) * np.uint64(0x94D049BB133111EB)
        for kind in range(len(node.lengths)):
            mixed = (mixed ^ np.uint64(node.labelled[kind, cell])) * np.uint64(0xBF58476D1CE4E5B9)
    for kind in range(len(node.lengths)):
        mixed = (mixed ^ np.uint64(node.lengths[kind])) * np.uint64(0x94D049BB133111EB)
        mixed = (mixed ^ np.uint64(node.afloat[kind])) * np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= np.uint64(node.rows * 64 + node.columns) + np.uint64(node.constants[0])
    for cell in range(len(scores)):
        mixed = (mixed ^ (mixed >> np.uint64(31))) * np.uint64(0x94D049BB133111EB)
        scores[cell] = np.float64(mixed >> np.uint64(40))


def sometimes_infinite(node, scores):
    """The highest may be infinite."""
    for cell in range(len(scores)):
        scores[cell] = np.inf if node.having[cell] == 2 else -cell


greedy = Score(most)
infinite = Score(sometimes_infinite)
mixing = Score(everything, (5,), labels=True)
mixing_above = Score(everything, (7,), least=5)
cell = Score(most_cell)


def no_number(node, scores):
    """What no score may be."""
    scores[:] = np.nan


unusable = Score(no_number)

# A file of a user that has a strategy.
ROW_BY_ROW = """
from optsearch.strategies import Strategy

class RowsInTurn(Strategy):
    def shot(self, position):
        cells = range(position.game.cells)
        shot = position.hits | position.misses
        return position.game.cell(next(cell for cell in cells if not shot >> cell & 1))
"""
