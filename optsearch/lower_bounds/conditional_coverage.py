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
    """Bounds on how many completions of one placement some other cells meet.

    ship -- the placement (mask). class_size -- the number of its images under the symmetries of the
    board. completions -- the number of configurations with it. met -- upper bounds for 0, 1, 2, …
    cells.
    """

    ship: int
    class_size: int
    completions: int
    met: tuple[int, ...]

    @classmethod
    def of(cls, game: Game, ship: int, nodes: int = MOST_NODES) -> ConditionalCoverage:
        """Compute the bounds for up to `BESIDE` cells by `Coverage`, with its limit `nodes`.

        Raises TooLarge for 2^32 completions or more.
        """
        coverage = Coverage(CellSetCounts.with_ship(game, ship), nodes)
        met = tuple(coverage.most_met(k) for k in range(MOST_OTHER_CELLS + 1))
        return cls(ship, len(set(game.images(ship))), coverage.counts.configurations, met)

    def most_met(self, cells: int) -> int:
        """Bound the completions that a number of cells meet.

        Beyond the computed numbers of cells the bound is by Han's inequality: of k cells, some
        k - 1 meet at least a share (k - 1)/k of what all k meet.
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
    """List the coverage of every class of placements of every ship, the longest ships first.

    computed -- classes computed before. nodes -- as in `Coverage`. progress -- called after each
    computed class with the list so far and the number of all classes.
    Raises TooLarge for 2^32 completions or more.
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
