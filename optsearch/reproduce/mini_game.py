"""The boards of an 8x8 mini-game that greedy wins with 20 shots, printed by its players.

petersn/web-sploosh-kaboom on GitHub. Their page shows the number of ships sunk. It does not print
which of several equally probable cells is shot, or which replies the simulation used.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache

from optsearch.evaluation import evaluate
from optsearch.game import Game
from optsearch.reproduce.printed import Number, rounded
from optsearch.support import records
from optsearch.support.errors import RecordError

GAME = Game.parse("8x8:4,3,2,contact=any,announce=sunk")
GREEDY = "greedy:ties=first,endgame=0"
LIMIT = 20
REASON = (
    "neither the order among cells that are as probable is printed nor what the simulation knew; "
    "no order and no rule for sinkings that was tried gives it"
)


@cache
def _wins() -> tuple[int, int]:
    """Return the number of boards that greedy wins, and the number of all boards."""
    evaluation = evaluate(GREEDY, GAME)
    won = sum(n for shots, n in evaluation.histogram.items() if shots <= LIMIT)
    return won, evaluation.configurations


def numbers() -> Iterator[Number]:
    """Yield each printed number."""
    record = records.read_published("mini_game.csv")

    def percent_won() -> str:
        won, boards = _wins()
        return rounded(Fraction(100 * won, boards), 2)

    compute = {
        "boards": lambda: str(_wins()[1]),
        "greedy_within_20": lambda: str(_wins()[0]),
        "greedy_percent_within_20": percent_won,
    }
    for row in record.rows:
        name = row["name"]
        if name not in compute:
            raise RecordError(f"{record.path}: nothing computes {name!r}")
        reason = "" if name == "boards" else REASON
        title = name.replace("_", " ")
        yield Number(row["place"], title, row["value"], compute[name], known=reason)
