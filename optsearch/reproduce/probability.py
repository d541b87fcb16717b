"""A count, a table and times of "Computing the Probability of Striking a Battleship".

J. Spalding-Jamieson, slides. Cliques are configurations in which equal ships are distinguished.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache, partial
from math import factorial, prod

from optsearch.counting.configurations import list_ships, to_masks
from optsearch.counting.posterior import Posterior
from optsearch.game import Game
from optsearch.game.position import Position
from optsearch.reproduce.printed import Number, count_equal, no_note, rounded
from optsearch.support import records
from optsearch.support.errors import RecordError

GAME = Game.parse("10x10:5,4,3,3,2,contact=any")


EXAMPLE = Position.parse(
    Game.parse("3x3:3,2,contact=any"),
    "A1=miss B1=miss B2=hit",
)
"""A position on the board of the slide with three placements of one ship and five of the other. The
text of the slides does not say which ones it draws."""


@cache
def _time_posterior() -> tuple[Posterior, float]:
    """Return the posterior of the empty board, and the processor time of all its probabilities."""
    started = time.process_time()
    posterior = Posterior(GAME)
    _ = posterior.probability
    return posterior, time.process_time() - started


def _probability_text(row: int, column: int) -> str:
    posterior, _ = _time_posterior()
    return rounded(Fraction(int(posterior.occurrence[row, column]), posterior.configurations), 3)


_TIME_NOTE = (
    "Times are for all probabilities of the empty board. Ours is processor time, with the table "
    "that is made once a game."
)
_ORDERS = {"nodes_largest_first": (3, 2), "nodes_smallest_first": (2, 3)}
_SECONDS = ("seconds_one_core", "seconds_eight_threads", "seconds_gpu")


def numbers() -> Iterator[Number]:
    """Yield each number that the slides print, with the function to compute it."""
    record = records.read_published("spalding_jamieson_numbers.csv")
    for row in record.rows:
        name = row["name"]
        title = name.replace("_", " ")
        if name == "cliques":
            yield Number("Clique iteration", title, row["value"], _count_cliques)
        elif name in _ORDERS:
            yield Number("Ship order", title, row["value"], partial(_count_nodes, *_ORDERS[name]))
        elif name in _SECONDS:
            yield Number(
                "Final benchmarks",
                title,
                row["value"],
                compute=lambda: f"{_time_posterior()[1]:.2f}",
                note=(lambda: _TIME_NOTE) if name == _SECONDS[0] else no_note,
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
        lambda: count_equal(printed, _probability_text),
    )


def possible_placements(position: Position) -> dict[int, list[int]]:
    """Map the length of each ship to its placements in configurations left, as masks of cells.

    The ships must have different lengths. The slides call this the valid placement graph.
    """
    used = {mask for ships in list_ships(position) for mask in to_masks(ships)}
    return {
        length: [mask for mask in position.game.placements(length) if mask in used]
        for length in position.game.fleet
    }


def _count_nodes(first_length: int, second_length: int) -> str:
    """Count, as text, the nodes that two nested loops over the placements of two ships visit."""
    placements = possible_placements(EXAMPLE)
    return str(len(placements[first_length]) * (1 + len(placements[second_length])))


def _count_cliques() -> str:
    posterior, _ = _time_posterior()
    orders = prod(factorial(equal_ships) for equal_ships in Counter(GAME.fleet).values())
    return str(posterior.configurations * orders)
