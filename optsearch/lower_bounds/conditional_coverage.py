"""Bounds on the configurations with one given placement that some other cells meet.

Placements that a symmetry of the board maps to each other are one class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from optsearch.game import Game
from optsearch.lower_bounds.coverage import MOST_NODES, CellSetCounts, Coverage
from optsearch.lower_bounds.reveal import placement_classes

MOST_OTHER_CELLS = 9  # the search for the most configurations that ten cells meet takes hours


@dataclass(frozen=True)
class ConditionalCoverage:
    """Bounds on how many completions of one placement can have another ship on some k cells.

    ship -- the placement (mask). class_size -- the number of its images under the symmetries of the
    board. completions -- the number of configurations with this placement. met[k] -- an upper bound
    on the completions with another ship on at least one of k cells.
    """

    ship: int
    class_size: int
    completions: int
    met: tuple[int, ...]

    @classmethod
    def of(cls, game: Game, ship: int, nodes: int = MOST_NODES) -> ConditionalCoverage:
        """Bound how many completions of a placement k cells meet, for k = 0 … MOST_OTHER_CELLS.

        A completion is a configuration with the placement. The cells meet it if one of them has
        another ship.

        ship -- the placement, as a mask. nodes -- the search for each bound gives up after this
        number of sets of cells. Raises TooLarge for 2^32 completions or more.
        """
        coverage = Coverage(CellSetCounts.with_ship(game, ship), nodes)
        met = tuple(coverage.most_met(k) for k in range(MOST_OTHER_CELLS + 1))
        return cls(ship, len(set(game.images(ship))), coverage.counts.configurations, met)

    def most_met(self, cells: int) -> int:
        """Return an upper bound on the completions that have another ship on one of some cells.

        A completion is a configuration with the placement of this object. cells -- the number of
        these cells; a negative one counts as 0.

        Beyond the last entry of `met` the bound comes from Han's inequality: of any k cells, some
        k - 1 meet at least (k - 1)/k of the completions that all k meet.
        """
        if cells < len(self.met):
            return self.met[max(0, cells)]
        largest = len(self.met) - 1
        return min(self.completions, self.met[largest] * cells // largest)


def list_conditional_coverages(
    game: Game,
    computed: Iterable[ConditionalCoverage] = (),
    nodes: int = MOST_NODES,
    progress: Callable[[list[ConditionalCoverage], int], None] = lambda done, total: None,
) -> list[ConditionalCoverage]:
    """List a coverage for one placement of each class, the longest ships first.

    A class is a placement and its images under the symmetries of the board. The coverage of a
    placement bounds, for each k, the configurations with that placement that have another ship on
    any of some k cells.

    computed -- coverages from an earlier call, which serve again. nodes -- the search for each
    bound gives up after this number of sets of cells. progress -- called after each new coverage
    with the list so far and its final length. Raises TooLarge for 2^32 or more configurations with
    one placement.
    """
    computed_by_ship = {coverage.ship: coverage for coverage in computed}
    coverages: list[ConditionalCoverage] = []
    lengths = sorted(set(game.fleet), reverse=True)
    ships = [ship for length in lengths for ship, _ in placement_classes(game, length)]
    for ship in ships:
        if ship in computed_by_ship:
            coverages.append(computed_by_ship[ship])
            continue
        coverages.append(ConditionalCoverage.of(game, ship, nodes))
        progress(coverages, len(ships))
    return coverages
