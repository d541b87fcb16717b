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
from typing import NamedTuple

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


class Deviation(NamedTuple):
    """How the distribution of boards placed one by one deviates from the uniform one.

    distance -- half the sum of the absolute differences of probabilities. greatest, least -- the
    extreme ratios of a probability to the uniform one.
    """

    configurations: int
    distance: float
    greatest: float
    least: float


class BoardGroup(NamedTuple):
    """The boards that begin with two ships, for each pair of placements of the next two.

    class_size -- the placements of the longest ship that symmetries map to this one. places -- the
    number of placements left for the last ship. chances -- the probability of a board with this
    ship on one of them.
    """

    class_size: int
    chances: NDArray[np.float64]
    places: NDArray[np.float64]


def deviation_by_listing(game: Game) -> Deviation:
    """Return how far boards placed ship by ship are from uniform, by a list of all."""
    prior = one_by_one(game)
    weights = [prior.weight(ships) for ships in reference.configurations(Position(game))]
    configurations, total_weight = len(weights), sum(weights)
    ratios = [Fraction(weight * configurations, total_weight) for weight in weights]
    distance = sum(abs(ratio - 1) for ratio in ratios) / (2 * configurations)
    return Deviation(configurations, float(distance), float(max(ratios)), float(min(ratios)))


def deviation_by_groups(game: Game) -> Deviation:
    """Return how far boards placed ship by ship are from uniform, for a game too large to list.

    The game has five ships, the third equal to the fourth. Probabilities are floats, whose
    rounding is far below what is printed.
    """
    configurations, total_chance = 0, 0.0
    for class_size, chances, last_placements in _groups_of_boards(game):
        configurations += class_size * int(last_placements.sum())
        total_chance += class_size * float((chances * last_placements).sum())
    sum_of_deviations, greatest, least = 0.0, 0.0, np.inf
    for class_size, chances, last_placements in _groups_of_boards(game):
        has_room = last_placements > 0
        if not has_room.any():
            continue
        ratios = chances[has_room] * (configurations / total_chance)
        sum_of_deviations += class_size * float((abs(ratios - 1) * last_placements[has_room]).sum())
        greatest, least = max(greatest, ratios.max()), min(least, ratios.min())
    return Deviation(
        configurations, sum_of_deviations / (2 * configurations), float(greatest), float(least)
    )


def _groups_of_boards(game: Game) -> Iterator[BoardGroup]:
    """Yield all boards in groups: one for each two placements of the first and the second ship.

    Of first placements that symmetries map to each other, only one is used; the group says how
    many there are. The other ships of a group are in its arrays.
    """
    first, second, third, fourth, last = game.fleet
    if not first > second > third == fourth > last:
        raise ValueError(f"the fleet of {game} is not one of these")
    ships = {length: np.array(game.placements(length), object) for length in set(game.fleet)}
    # Of two lengths: 1 for each pair of placements that fit together, else 0.
    fits = {
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
    for members in classes.values():
        i = members[0]
        seconds = fits[first, second][i].nonzero()[0]
        for j in seconds:
            thirds = (fits[first, third][i] * fits[second, third][j]).nonzero()[0]
            # Each pair of placements of the equal ships counts once, above the diagonal.
            is_pair = np.triu(fits[third, third][np.ix_(thirds, thirds)], 1)
            fourths_left = (is_pair + is_pair.T).sum(axis=1)
            lasts = fits[third, last][thirds] * (fits[first, last][i] * fits[second, last][j])
            places = (lasts @ lasts.T) * is_pair
            with np.errstate(divide="ignore", invalid="ignore"):
                # Either of the two may have come first.
                chances = (1 / fourths_left[:, None] + 1 / fourths_left[None, :]) / places
            chances[places == 0] = 0
            choices_before = len(ships[first]) * len(seconds) * len(thirds)
            yield BoardGroup(len(members), chances / choices_before, places)


def estimate_distance(game: Game, number: int) -> tuple[float, float]:
    """Estimate how far boards placed ship by ship are from uniform; return also the standard error.

    The distance is half the sum of the absolute differences of probabilities. A board b of
    probability p(b), of `number` = N boards, adds max(0, 1 - 1 / (N p(b))); the mean of this is
    the distance. But `_board_chance` is too small by a factor, since it counts boards that are
    begun anew. The mean of 1 / (N p(b)), which would be 1, shows this factor.
    """
    boards = hider("one-by-one").boards(game, BOARDS, 1)
    inverse_ratios = np.array(
        [1 / (number * _board_chance(game, to_masks(board))) for board in boards]
    )
    inverse_ratios /= inverse_ratios.mean()
    terms = np.maximum(0, 1 - inverse_ratios)
    return float(terms.mean()), float(terms.std(ddof=1)) / sqrt(BOARDS)


def _board_chance(game: Game, ships: list[int]) -> float:
    """Return the probability that ships (masks) placed one by one lie like this at once.

    Each ship goes to a random free place; if there is none, the board is begun anew, which is
    not counted. The probability is summed over the orders of equal ships.
    """

    def chance_from(index: int, ships_left: list[int], closed: int) -> float:
        if not ships_left:
            return 1.0
        length = game.fleet[index]
        room = sum(not ship & closed for ship in game.placements(length))
        chances = (
            chance_from(
                index + 1,
                [other for other in ships_left if other != ship],
                closed | ship | game.halo(ship),
            )
            for ship in ships_left
            if ship.bit_count() == length
        )
        return sum(chances) / room

    return chance_from(0, ships, 0)


def rows(text: str) -> script.Rows:
    """Yield the row of a game; SystemExit if the boards that are placed contradict it."""
    game = Game.parse(text)
    started = time.perf_counter()
    deviation = deviation_by_groups(game) if text in LARGE else deviation_by_listing(game)
    configurations, distance = deviation.configurations, deviation.distance
    if configurations != Posterior(game).configurations:
        raise SystemExit(f"{game}: {configurations} boards, not {Posterior(game).configurations}")
    estimate, standard_error = estimate_distance(game, configurations)
    if abs(estimate - distance) > 5 * standard_error:
        raise SystemExit(f"{game}: {distance}, but {estimate} ± {standard_error} by boards")
    seconds = time.perf_counter() - started
    yield game, *deviation, estimate, standard_error, seconds


main = script.Experiment("one_by_one", (*SMALL, *LARGE), rows, fields={"boards": BOARDS})


if __name__ == "__main__":
    script.run(main)
