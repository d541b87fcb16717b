"""What cells beside one placement of a ship meet of the configurations with it, class by class.

Any board will do: placements that a symmetry of the board maps to each other are one class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from optsearch.game import Game
from optsearch.lower_bounds.coverage import MOST_NODES, CellSetCounts, Coverage
from optsearch.lower_bounds.reveal import classes

BESIDE = 9  # cells beside a ship: the most that ten and more meet takes hours to find


@dataclass(frozen=True)
class ConditionalCoverage:
    """The most of the completions of one placement that some cells meet.

    ship -- the placement (mask). alike -- how many placements the symmetries of the grid make of
    it. completions -- of this ship to a configuration. met -- bounds for 0, 1, 2, … cells.
    """

    ship: int
    alike: int
    completions: int
    met: tuple[int, ...]

    @classmethod
    def of(cls, game: Game, ship: int, nodes: int = MOST_NODES) -> ConditionalCoverage:
        """What up to `BESIDE` cells meet, by the search of `Coverage`; nodes -- as there.

        Raises as `CellSetCounts.beside`.
        """
        coverage = Coverage(CellSetCounts.beside(game, ship), nodes)
        met = tuple(coverage.most_met(k) for k in range(BESIDE + 1))
        return cls(ship, len(set(game.images(ship))), coverage.counts.configurations, met)

    def most_met(self, cells: int) -> int:
        """No more of the completions are met by so many cells.

        Where there is no bound of its own by Han's inequality: some of them meet at least their
        part of it.
        """
        if cells < len(self.met):
            return self.met[max(0, cells)]
        known = len(self.met) - 1
        return min(self.completions, self.met[known] * cells // known)


def list_conditional_coverages(
    game: Game,
    known: Iterable[ConditionalCoverage] = (),
    nodes: int = MOST_NODES,
    progress: Callable[[list[ConditionalCoverage], int], None] = lambda done, total: None,
) -> list[ConditionalCoverage]:
    """`ConditionalCoverage` of every class of placements of every ship, the longest first.

    known -- classes that need not be computed again. nodes -- of `Coverage`. progress -- called
    after each class with those done and their number. Raises as `CellSetCounts.beside`.
    """
    given = {before.ship: before for before in known}
    done: list[ConditionalCoverage] = []
    lengths = sorted(set(game.fleet), reverse=True)
    todo = [ship for length in lengths for ship, _ in classes(game, length)]
    for ship in todo:
        if ship in given:
            done.append(given[ship])
            continue
        done.append(ConditionalCoverage.of(game, ship, nodes))
        progress(done, len(todo))
    return done
