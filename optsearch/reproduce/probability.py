"""What "Computing the Probability of Striking a Battleship" prints: a count, a table, and times.

J. Spalding-Jamieson, slides. Cliques are configurations with equal ships told apart.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from math import factorial, prod

from optsearch.counting.posterior import Posterior
from optsearch.game import Game
from optsearch.reproduce.printed import Number, matching, no_note, rounded
from optsearch.support import records
from optsearch.support.errors import RecordError

GAME = Game.parse("10x10:5,4,3,3,2;contact=any")


def told_apart(game: Game) -> int:
    """In how many ways the names of equal ships can be exchanged."""
    return prod(factorial(n) for n in Counter(game.fleet).values())


@cache
def _timed() -> tuple[Posterior, float]:
    """The posterior of the empty board, and the processor time of all its probabilities."""
    started = time.process_time()
    posterior = Posterior(GAME)
    _ = posterior.probability
    return posterior, time.process_time() - started


def _probability(row: int, column: int) -> str:
    posterior, _ = _timed()
    return rounded(Fraction(int(posterior.occurrence[row, column]), posterior.configurations), 3)


def _time_note() -> str:
    return (
        "Times are for all probabilities of the empty board. Ours is processor time, with the "
        "table that is made once a game."
    )


_SECONDS = ("seconds_one_core", "seconds_eight_threads", "seconds_gpu")


def numbers() -> Iterator[Number]:
    """Each printed number."""
    record = records.read_published("spalding_jamieson_numbers.csv")
    for row in record.rows:
        name = row["name"]
        what = name.replace("_", " ")
        if name == "cliques":
            yield Number("Clique iteration", what, row["value"], _cliques)
        elif name in _SECONDS:
            yield Number(
                "Final benchmarks",
                what,
                row["value"],
                lambda: f"{_timed()[1]:.2f}",
                _time_note if name == _SECONDS[0] else no_note,
                is_compared=False,
            )
        else:
            raise RecordError(f"{record.path}: nothing computes {name!r}")
    table = records.read_published("spalding_jamieson_probability.csv")
    printed = {(int(row["row"]), int(row["column"])): row["probability"] for row in table.rows}
    yield Number(
        "Probabilities",
        "probability matrix 10x10",
        f"{GAME.cells} numbers",
        lambda: matching(printed, _probability),
    )


def _cliques() -> str:
    return str(_timed()[0].configurations * told_apart(GAME))
