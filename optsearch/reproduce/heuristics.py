"""Hedges' g between successive versions of "Battleship Heuristics", of which there are five.

Each plays 5,000 games on boards of its own placement, as `optsearch.strategies.heuristic` reads it.
Both values are of simulations: they agree within three standard errors of their difference.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from math import hypot

from optsearch.game import Game
from optsearch.play.hiding import Corner
from optsearch.play.simulate import Effect, Outcome, hedges_g, simulate
from optsearch.reproduce.printed import Number
from optsearch.strategies.heuristic import Heuristic
from optsearch.support import records

GAME = Game.parse("10x10:5,4,3,3,2,contact=any")
GAMES = 5000
SEED = 1
MOST_ERRORS = 3  # standard errors in which a printed effect agrees
FITTED = (
    "Versions 2 and 3, and 3 and 4, are fitted and not confirmed: that version 3 remembers only "
    "its last hit was assumed after they did not agree with all hits of the attack remembered."
)


@cache
def outcome(version: int) -> Outcome:
    """Return the results of simulated games of one version of the player."""
    simulation = simulate([Heuristic(version)], GAME, games=GAMES, seed=SEED, boards=Corner())
    return simulation.outcomes[0]


def agrees(printed: str, effect: Effect) -> bool:
    """True if a printed effect is within three standard errors of the computed one.

    The error is that of their difference, as if the printed effect had an equal one.
    """
    error = hypot(effect.standard_error, effect.standard_error)
    return abs(float(printed) - effect.g) <= MOST_ERRORS * error


def printed_effect(place: str, printed: str, first: int, second: int) -> Number:
    """Return a printed effect between two versions of a player, with the function to compute it.

    The effect is Hedges' g, a difference of means in standard deviations. place -- where the source
    prints it. first, second -- the versions.
    """

    def effect() -> Effect:
        return hedges_g(outcome(first), outcome(second))

    return Number(
        place=place,
        what=f"Hedges' g, versions {first} and {second}",
        printed=printed,
        compute=lambda: f"{effect().g:.3f} ± {effect().standard_error:.3f}",
        note=lambda: FITTED if (first, second) == (3, 4) else "",
        agrees=lambda computed: agrees(printed, effect()),
    )


def numbers() -> Iterator[Number]:
    """Yield each printed effect."""
    for row in records.read_published("heuristics.csv").rows:
        _, first, second = row["name"].split("_")
        yield printed_effect(row["place"], row["value"], int(first), int(second))
