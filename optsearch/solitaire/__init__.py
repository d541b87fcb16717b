"""Solitaire Battleship: find the fleet from row and column counts and a few revealed cells.

`puzzle` defines a puzzle, `formats` and `addresses` its texts. `models` has the two integer
programmes for CP-SAT, `linear` the same for SCIP, and `counting` a count of all solutions without
them. `making` tests uniqueness, minimises clues and makes new puzzles; `reasoning` finds the steps
of a person, and grades them.
"""

from optsearch.solitaire.addresses import from_address, to_address
from optsearch.solitaire.counting import count
from optsearch.solitaire.formats import load, parse, save, to_text
from optsearch.solitaire.making import (
    MinimiseOptions,
    generate,
    is_minimal,
    is_unique,
    minimise,
    solve,
)
from optsearch.solitaire.models import conflict
from optsearch.solitaire.puzzle import Clue, Puzzle, Solution
from optsearch.solitaire.reasoning import Grade, Step, explain, grade

__all__ = [
    "Clue",
    "Grade",
    "MinimiseOptions",
    "Puzzle",
    "Solution",
    "Step",
    "conflict",
    "count",
    "explain",
    "from_address",
    "generate",
    "grade",
    "is_minimal",
    "is_unique",
    "load",
    "minimise",
    "parse",
    "save",
    "solve",
    "to_address",
    "to_text",
]
