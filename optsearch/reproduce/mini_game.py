"""The boards of an 8x8 mini-game that greedy wins with 20 shots, printed by its players.

petersn/web-sploosh-kaboom on GitHub. Their page shows the number of ships sunk. It does not print
which of several equally probable cells is shot, or which replies the simulation used.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from optsearch.evaluation import evaluate
from optsearch.game import Game
from optsearch.reproduce.printed import Number, rounded
from optsearch.support import records
from optsearch.support.errors import RecordError

GAME = Game.parse("8x8:4,3,2,contact=any,announce=sunk")
GREEDY = "greedy:ties=first,endgame=0"
LIMIT = 20
WHY_IT_DIFFERS = (
    "neither the order among cells that are as probable is printed nor what the simulation knew; "
    "no order and no rule for sinkings that was tried gives it"
)


class _BoardsWon(NamedTuple):
    """The number of boards that greedy wins, and the number of all boards."""

    boards_won: int
    boards: int


@cache
def _boards_won() -> _BoardsWon:
    """Play greedy on all boards of the mini-game."""
    evaluation = evaluate(GREEDY, GAME)
    won = sum(boards for shots, boards in evaluation.histogram.items() if shots <= LIMIT)
    return _BoardsWon(won, evaluation.configurations)


def numbers() -> Iterator[Number]:
    """Yield each number that is printed about the mini game, with the function to compute it."""
    record = records.read_published("mini_game.csv")

    def percent_won() -> str:
        boards_won, boards = _boards_won()
        return rounded(Fraction(100 * boards_won, boards), 2)

    compute = {
        "boards": lambda: str(_boards_won().boards),
        "greedy_within_20": lambda: str(_boards_won().boards_won),
        "greedy_percent_within_20": percent_won,
    }
    for row in record.rows:
        name = row["name"]
        if name not in compute:
            raise RecordError(f"{record.path}: nothing computes {name!r}")
        reason = "" if name == "boards" else WHY_IT_DIFFERS
        title = name.replace("_", " ")
        yield Number(row["place"], title, row["value"], compute[name], known=reason)
