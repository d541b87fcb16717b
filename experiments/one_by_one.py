"""Compare ships placed one by one with uniform ones: python -m experiments.one_by_one [-o FOLDER]

Most programs place the longest ship anywhere, the next one anywhere that is left, and begin anew
where there is no room. Small games have the prior `one-by-one`, exactly. The paper's game has too
many boards to list: its first four ships are gone through, all of them, and where the last one can
lie is counted. Both are confirmed by boards that the program itself places.
"""

import time
from collections.abc import Iterator
from fractions import Fraction
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from experiments import script
from optsearch.check import reference
from optsearch.counting.configurations import to_masks
from optsearch.counting.posterior import Posterior
from optsearch.counting.prior import one_by_one
from optsearch.game import CONTACTS, Game, image
from optsearch.game.position import Position
from optsearch.play.hiding import hider

SMALL = ("4x4:3,2", "4x5:4,3,2", "5x5:3,2", "5x5:4,3,2", "6x6:3,2", "4x5:4,3,2,contact=any")
LARGE = tuple(f"10x10:5,4,3,3,2,contact={contact}" for contact in CONTACTS)
BOARDS = 20_000


def listed(game: Game) -> tuple[int, float, float, float]:
    """Compare ships placed one by one with uniform ones on all configurations of a small game.

    Return the number of configurations, the distance of the two distributions (total variation),
    and the greatest and the least ratio of a probability to the uniform one.
    """
    prior = one_by_one(game)
    weights = [prior.weight(ships) for ships in reference.configurations(Position(game))]
    number, total = len(weights), sum(weights)
    ratios = [Fraction(weight * number, total) for weight in weights]
    distance = sum(abs(ratio - 1) for ratio in ratios) / (2 * number)
    return number, float(distance), float(max(ratios)), float(min(ratios))


def gone_through(game: Game) -> tuple[int, float, float, float]:
    """Compare ships placed one by one with uniform ones, configuration by configuration.

    Probabilities are floats, whose rounding is far below what is printed. Boards whose longest ship
    has one of several symmetric placements are equally likely, and gone through once.
    """
    number, total = 0, 0.0
    for times, chances, places in _pairs(game):
        number += times * int(places.sum())
        total += times * float((chances * places).sum())
    sum_, greatest, least = 0.0, 0.0, np.inf
    for times, chances, places in _pairs(game):
        has = places > 0
        if not has.any():
            continue  # these ships leave no room
        ratios = chances[has] * (number / total)
        sum_ += times * float((abs(ratios - 1) * places[has]).sum())
        greatest, least = max(greatest, ratios.max()), min(least, ratios.min())
    return number, sum_ / (2 * number), float(greatest), float(least)


def _pairs(game: Game) -> Iterator[tuple[int, NDArray[np.float64], NDArray[np.float64]]]:
    """Yield all boards of the first four ships, in groups with the first two ships fixed.

    Each group is three values: the number of symmetric placements of the longest ship; and for each
    pair of placements of the third and fourth ship, the probability of one whole board, and the
    number of places that are left for the last ship.
    """
    first, second, third, fourth, last = game.fleet
    if not first > second > third == fourth > last:
        raise ValueError(f"the fleet of {game} is not one of these")
    ships = {length: np.array(game.placements(length), object) for length in set(game.fleet)}
    free = {
        (a, b): np.array(
            [[not s & (t | game.halo(t)) for t in ships[b]] for s in ships[a]], np.float64
        )
        for a, b in (
            *((first, second), (first, third), (first, last), (second, third)),
            *((second, last), (third, third), (third, last)),
        )
    }
    classes: dict[int, list[int]] = {}
    for i, ship in enumerate(ships[first]):
        representative = min(image(ship, permutation) for permutation in game.symmetries())
        classes.setdefault(representative, []).append(i)
    for alike in classes.values():
        i = alike[0]
        seconds = free[first, second][i].nonzero()[0]
        for j in seconds:
            thirds = (free[first, third][i] * free[second, third][j]).nonzero()[0]
            lasts = free[first, last][i] * free[second, last][j]
            together = np.triu(free[third, third][np.ix_(thirds, thirds)], 1)
            left = (together + together.T).sum(axis=1)
            where = free[third, last][thirds] * lasts
            places = (where @ where.T) * together
            with np.errstate(divide="ignore", invalid="ignore"):
                chances = (1 / left[:, None] + 1 / left[None, :]) / places
            chances[places == 0] = 0
            before = len(ships[first]) * len(seconds) * len(thirds)
            yield len(alike), chances / before, places


def drawn(game: Game, number: int) -> tuple[float, float]:
    """Estimate the distance by boards that the program places; return it and its standard error.

    A board b of probability p(b), of `number` = N boards, adds max(0, 1 - 1 / (N p(b))). The mean
    of this is the distance. `_chance` also counts boards that are begun anew, so that it is too
    small by a factor. The mean of 1 / (N p(b)), which would be 1, shows this factor.
    """
    boards = hider("one-by-one").boards(game, BOARDS, 1)
    inverse = np.array([1 / (number * _chance(game, to_masks(board))) for board in boards])
    inverse /= inverse.mean()
    terms = np.maximum(0, 1 - inverse)
    return float(terms.mean()), float(terms.std(ddof=1)) / sqrt(BOARDS)


def _chance(game: Game, ships: list[int]) -> float:
    """Return the probability of a board among all that are begun.

    It is summed over the orders of equal ships.
    """

    def placed(left: list[int], closed: int, at: int) -> float:
        if not left:
            return 1.0
        length = game.fleet[at]
        room = sum(not ship & closed for ship in game.placements(length))
        return (
            sum(
                placed([s for s in left if s != ship], closed | ship | game.halo(ship), at + 1)
                for ship in left
                if ship.bit_count() == length
            )
            / room
        )

    return placed(ships, 0, 0)


def rows(text: str) -> script.Rows:
    """Yield the row of a game; SystemExit if the boards that are placed contradict it."""
    game = Game.parse(text)
    started = time.perf_counter()
    exact = gone_through if text in LARGE else listed
    number, distance, greatest, least = exact(game)
    if number != Posterior(game).configurations:
        raise SystemExit(f"{game}: {number} boards, not {Posterior(game).configurations}")
    sampled, error = drawn(game, number)
    if abs(sampled - distance) > 5 * error:
        raise SystemExit(f"{game}: {distance}, but {sampled} ± {error} by boards")
    seconds = time.perf_counter() - started
    yield game, number, distance, greatest, least, sampled, error, seconds


main = script.Experiment("one_by_one", (*SMALL, *LARGE), rows, fields={"boards": BOARDS})


if __name__ == "__main__":
    script.run(main)
