"""What Mayflower prints of small games: ships may touch, and the length of one sunk is told.

Canon-Regularis/mayflower on GitHub: exact optima, and greedy, which shoots a most probable
cell, the first one row by row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache

from optsearch.counting.constraints import Constraints
from optsearch.counting.lattice import sweep
from optsearch.evaluate import evaluate
from optsearch.game import Game
from optsearch.game.position import Position
from optsearch.reproduce.printed import Number, rounded
from optsearch.search.solver import solve
from optsearch.support import records
from optsearch.support.errors import RecordError

GREEDY = "greedy:ties=first,endgame=0"


@cache
def _optimum(game: Game) -> int:
    total = solve(Position(game)).total_height
    assert total is not None
    return total


@cache
def _greedy(game: Game) -> int:
    return evaluate(GREEDY, game, jobs=1).total_height


def _count(game: Game) -> int:
    return sweep(game).count(Constraints(game.fleet))


def numbers() -> Iterator[Number]:
    """Each printed number."""
    record = records.read_published("mayflower.csv")
    totals: dict[str, Callable[[Game], int]] = {"optimum": _optimum, "greedy": _greedy}
    for row in record.rows:
        game = replace(Game.parse(row["game"]), contact="any", announce="ship")
        name, printed = row["name"], row["value"]
        what = f"{name.replace('_', ' ')} {row['game']}"
        kind = name.removesuffix("_total")
        if name == "configurations":
            yield Number(row["place"], what, printed, _shown(_count, game))
        elif kind not in totals:
            raise RecordError(f"{record.path}: nothing computes {name!r}")
        elif name == kind:
            digits = len(printed.partition(".")[2])
            yield Number(row["place"], what, printed, _mean(totals[kind], game, digits))
        else:
            yield Number(row["place"], what, printed, _shown(totals[kind], game))


def _shown(total: Callable[[Game], int], game: Game) -> Callable[[], str]:
    return lambda: str(total(game))


def _mean(total: Callable[[Game], int], game: Game, digits: int) -> Callable[[], str]:
    return lambda: rounded(Fraction(total(game), _count(game)), digits)
