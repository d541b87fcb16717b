"""The choices of the hider: everything that can be hidden, by orbits of the board's symmetries.

If nothing is announced, a choice is a set of cells, because no shooter can distinguish two
configurations on the same cells. If hits tell more, it is the ships, one by one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from optsearch.counting.configurations import list_ships, to_masks
from optsearch.counting.posterior import Posterior
from optsearch.game import Game, image
from optsearch.game.position import Position
from optsearch.support.errors import TooLarge

MOST_CONFIGURATIONS = 50_000
Hiding = tuple[int, ...]  # the ships, ascending; one mask of all cells if nothing is announced


@dataclass(frozen=True)
class Hidings:
    """Every choice of the hider in a game, a hiding, and the orbits of these choices.

    hidden -- the hidings, ascending. configurations -- for each hiding the number of its
    configurations (above 1 only if ships touch and nothing is announced). examples -- for each
    hiding one configuration, as its ships. orbits -- an orbit is the images of one hiding under the
    symmetries of the board, as ascending indices in `hidden`; orbits are in the order of their
    least index.
    """

    game: Game
    hidden: tuple[Hiding, ...]
    configurations: tuple[int, ...]
    examples: tuple[Hiding, ...]
    orbits: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, game: Game) -> Hidings:
        """List all choices of the hider in a game, the hidings, in groups of symmetric ones.

        Raises ImpossiblePosition for a game without a configuration, TooLarge for one with more
        than MOST_CONFIGURATIONS.
        """
        count_of_hiding: Counter[Hiding] = Counter()
        example_of_hiding: dict[Hiding, Hiding] = {}
        for ships in _list_configurations(game):
            # If hits tell nothing, only the cells of all ships together matter.
            hiding = (sum(ships),) if game.is_silent else ships
            count_of_hiding[hiding] += 1
            example_of_hiding.setdefault(hiding, ships)
        hidden = tuple(sorted(count_of_hiding))
        return cls(
            game,
            hidden,
            configurations=tuple(count_of_hiding[hiding] for hiding in hidden),
            examples=tuple(example_of_hiding[hiding] for hiding in hidden),
            orbits=_group_by_orbit(game, hidden),
        )

    def __len__(self) -> int:
        return len(self.hidden)

    @cached_property
    def orbit_sizes(self) -> NDArray[np.int64]:
        """The number of hidings of each orbit."""
        return np.array([len(orbit) for orbit in self.orbits])

    @cached_property
    def orbit_of(self) -> NDArray[np.int64]:
        """For each hiding the index of its orbit, the set of hidings that are symmetric to it."""
        orbit_of_hiding = np.empty(len(self.hidden), np.int64)
        for index, orbit in enumerate(self.orbits):
            orbit_of_hiding[list(orbit)] = index
        return orbit_of_hiding

    def sum_by_orbit(self, values: NDArray[np.int64]) -> tuple[int, ...]:
        """Sum the values of the hidings of each orbit; values -- one per hiding."""
        sums = np.zeros(len(self.orbits), np.int64)
        np.add.at(sums, self.orbit_of, values)
        return tuple(sums.tolist())

    def total_weight(self, weights: Sequence[int]) -> int:
        """Return the total weight of all hidings; weights -- for each orbit that of its hidings."""
        pairs = zip(self.orbit_sizes.tolist(), weights, strict=True)
        return sum(size * weight for size, weight in pairs)

    @cached_property
    def configurations_by_orbit(self) -> tuple[int, ...]:
        """The number of configurations of all hidings of each orbit."""
        return self.sum_by_orbit(np.array(self.configurations))


def _list_configurations(game: Game) -> Iterator[Hiding]:
    """Yield each configuration of a game, as the masks of its ships in ascending order.

    Raises ImpossiblePosition if there is none, TooLarge for more than MOST_CONFIGURATIONS.
    """
    position = Position(game)
    game.require_sunk("an equilibrium")
    game.require_small("listing configurations")
    posterior = Posterior(position)
    posterior.require_some()
    if posterior.configurations > MOST_CONFIGURATIONS:
        raise TooLarge(
            f"{game} has {posterior.configurations:,} configurations, too many for an "
            f"equilibrium; at most {MOST_CONFIGURATIONS:,} are handled"
        )
    for ships in list_ships(position):
        yield game.sort_ships(to_masks(ships))


def _group_by_orbit(game: Game, hidden: tuple[Hiding, ...]) -> tuple[tuple[int, ...], ...]:
    """Return groups of indices in `hidden`, one for each set of symmetric hidings.

    A hiding is a choice of the hider, as the masks of its ships. Two are in one group if a symmetry
    of the board maps one to the other.
    """
    index_of = {hiding: index for index, hiding in enumerate(hidden)}
    grouped_indices: set[int] = set()
    orbits = []
    for index, hiding in enumerate(hidden):
        if index in grouped_indices:
            continue
        orbit_indices = set()
        for symmetry in game.symmetries():
            ships = [image(ship, symmetry) for ship in hiding]
            orbit_indices.add(index_of[game.sort_ships(ships)])
        grouped_indices |= orbit_indices
        orbits.append(tuple(sorted(orbit_indices)))
    return tuple(orbits)
