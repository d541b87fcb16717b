"""Random shots as draws from an urn: the exact distribution of their number.

    urn.random_shots(Game.parse("10x10:5,4,3,3,2"))    # {17: Fraction(1, …), …}

The cells are balls that are drawn without being put back, and the cells of ships are red. The
number of the draw that brings the k-th red ball has a negative hypergeometric distribution. Where
the ships lie makes no difference.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import comb

from optsearch.game.game import Game
from optsearch.support.errors import OptsearchError


def draws(balls: int, red: int, wanted: int) -> dict[int, Fraction]:
    """Return the probability of each number of draws until `wanted` red balls are drawn.

    `red` of the balls in the urn are red; none is put back. The numbers ascend. Raises
    OptsearchError unless 1 <= wanted <= red <= balls.
    """
    if not 1 <= wanted <= red <= balls:
        raise OptsearchError(
            f"{wanted} of {red} red balls cannot be drawn from {balls} balls; "
            "1 <= wanted <= red <= balls is accepted"
        )
    orders_of_colours = comb(balls, red)
    return {
        # The n-th ball is red, wanted - 1 of those before it are, and the other red ones follow.
        draw_count: Fraction(
            comb(draw_count - 1, wanted - 1) * comb(balls - draw_count, red - wanted),
            orders_of_colours,
        )
        for draw_count in range(wanted, balls - red + wanted + 1)
    }


def random_shots(game: Game) -> dict[int, Fraction]:
    """Return the probability of each number of shots that a random shooter needs to end a game."""
    return draws(game.room, game.fleet_cells, game.hits_to_end)


def mean(distribution: Mapping[int, Fraction]) -> Fraction:
    """Return the mean of a distribution: the probability of each number."""
    return sum((value * probability for value, probability in distribution.items()), Fraction(0))
