"""How many configurations some cells can meet: exact for up to four cells, bounded beyond.

f(S) is the number of configurations with a ship on a cell of S, c(S) the number that cover all of
S. `CellSetCounts.of(game)` counts c for every set of up to four cells; `Coverage.most_met(k)` is an
upper bound on f over all sets of k cells. All values are exact integers.

Any board will do. Its symmetries, which map placements to placements, only save counting.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations
from math import comb
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from optsearch.compiled._cover import Cover, LargestSearch
from optsearch.counting.configurations import to_words
from optsearch.counting.constraints import Constraints
from optsearch.counting.engines import engine_for
from optsearch.game import Game, image
from optsearch.game.position import no_configuration
from optsearch.lower_bounds.reveal import classes
from optsearch.support.errors import TableError, TooLarge
from optsearch.support.store import Store

Numbers = NDArray[np.int64]
LARGEST = 4  # cells of the sets that are counted
MOST_NODES = 3_000_000  # of a search: half a minute or so
_COUNTS = b"counts"  # of a store: classes done, configurations met, and the counts so far


@lru_cache(maxsize=8)
def cell_sets(cells: int, size: int) -> Numbers:
    """All sets of `size` cells, each ascending, by their numbers; shape (number, size).

    The number of a set is the sum of C(cell i, i + 1) over its cells i = 0, 1, …
    """
    order = np.array(list(combinations(range(cells), size)), np.int64).reshape(-1, size)
    result = np.empty_like(order)
    result[numbers_of(order)] = order
    return result


def numbers_of(sets: Numbers) -> Numbers:
    """The numbers of sets of cells; shape (n, size) with ascending rows."""
    total = np.zeros(len(sets), np.int64)
    for i in range(sets.shape[1]):
        table = np.array([comb(cell, i + 1) for cell in range(128)], np.int64)
        total += table[sets[:, i]]
    return total


@dataclass(frozen=True)
class CellSetCounts:
    """How many configurations cover every set of one to four cells.

    configurations -- how many there are. covering[j] -- int64 by number of the set of j + 1 cells.
    ship -- a placement (mask) that all of them have, whose own cells do not count as covered; or 0.
    """

    game: Game
    configurations: int
    covering: tuple[Numbers, ...]
    ship: int = 0

    @classmethod
    def beside(cls, game: Game, ship: int) -> CellSetCounts:
        """Those of the configurations with one placement of a ship.

        Raises TooLarge for 2^32 of them or more.
        """
        _require_32_bits(game, _count(game, ship), f"{game} with {'-'.join(game.names(ship))}")
        if len(game.fleet) == 1:
            return cls(game, 1, tuple(_no_sets(game)), ship)
        number, arrays = _walk(game, ship, 0)
        return cls(game, number, tuple(arrays), ship)

    @classmethod
    def of(
        cls,
        game: Game,
        checkpoint: Path | None = None,
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> CellSetCounts:
        """Count by one walk over the configurations, those of the last ship in one go.

        Where the longest length occurs once, that ship takes one placement of each class under the
        symmetries of the grid, and the counts of the others follow.

        checkpoint -- a folder that keeps the classes done; a run that was stopped goes on from it.
        progress -- called with the classes done and their number.

        Raises ImpossiblePosition where there is none, TooLarge for 2^32 configurations or more,
        TableError for another game's checkpoint.
        """
        if not (number := _count(game, 0)):
            raise no_configuration(game)
        _require_32_bits(game, number, str(game))
        classes = _first_ships(game)
        what = f"the counts of the cell sets of {game}"
        with nullcontext() if checkpoint is None else Store(checkpoint, what, batch=1) as store:
            done, total, sums = _load(store, game)
            for ship, weight in classes[done:]:
                count, arrays = _walk(game, ship, ship)
                total += weight * count
                for kept, array in zip(sums, arrays, strict=True):
                    kept += weight * array
                done += 1
                progress(done, len(classes))
                if store is not None:
                    _save(store, done, total, sums)
        if classes[0][0]:
            sums = [_symmetric(game, array, size) for size, array in enumerate(sums, 1)]
        if total != number or sums[0].sum() != number * game.fleet_cells:
            raise AssertionError(f"{game}: {total} configurations were met, {number} counted")
        return cls(game, number, tuple(sums))

    def sums(self, size: int) -> list[Numbers]:
        """For every set of `size` cells, the sums of c over its subsets of 1, 2, … cells."""
        sets = cell_sets(self.game.cells, size)
        return [
            np.sum(
                [
                    self.covering[part - 1][numbers_of(sets[:, list(columns)])]
                    for columns in combinations(range(size), part)
                ],
                axis=0,
            )
            for part in range(1, size + 1)
        ]

    def met(self, size: int) -> Numbers:
        """f for every set of `size` cells, by inclusion and exclusion."""
        signed = [(-1) ** i * part for i, part in enumerate(self.sums(size))]
        return np.asarray(np.sum(signed, axis=0))


def _first_ships(game: Game) -> list[tuple[int, int]]:
    """(placement, how many alike) of the longest ship; (0, 1) when it has an equal or is alone."""
    if len(game.fleet) == 1 or game.fleet[0] == game.fleet[1]:
        return [(0, 1)]
    return classes(game)


def _fleet_beside(game: Game, ship: int) -> tuple[int, ...]:
    """The ships but one of the length of this placement; all of them if it is 0."""
    fleet = list(game.fleet)
    if ship:
        fleet.remove(game.kind_of(ship))
    return tuple(fleet)


def _count(game: Game, ship: int, closed: int = 0) -> int:
    """The configurations with this placement, if any, and no ship on the closed cells."""
    if ship:
        closed |= ship | game.halo(ship)
    return engine_for(game).count(Constraints(_fleet_beside(game, ship), closed))


def _require_32_bits(game: Game, number: int, what: str) -> None:
    if number >= 2**32:
        raise TooLarge(
            f"cell sets are counted in 32 bits, for fewer than {2**32:,} configurations; "
            f"{what} has {number:,}"
        )


def _walk(game: Game, ship: int, counted: int) -> tuple[int, list[Numbers]]:
    """The kernel's counts, of the configurations with this placement if it is not 0.

    counted -- cells of the placement that count as covered.
    """
    fleet = _fleet_beside(game, ship)
    ships = []
    for i, length in enumerate(fleet):
        masks = game.placements(length)
        halos = [game.halo(mask) for mask in masks]
        ships.append((to_words(masks), to_words(halos), i > 0 and fleet[i - 1] == length))
    closed = ship | game.halo(ship) if ship else 0
    kernel = Cover(game.cells, to_words([closed])[0], to_words([counted])[0], ships)
    kernel.walk()
    return kernel.counts()


def _no_sets(game: Game) -> list[Numbers]:
    """A zero for each set of one to four cells, and at least one."""
    return [np.zeros(max(1, comb(game.cells, size)), np.int64) for size in range(1, LARGEST + 1)]


def _symmetric(game: Game, array: Numbers, size: int) -> Numbers:
    """The mean over the images under the symmetries, which is an integer."""
    if game.cells < size:
        return array
    sets = cell_sets(game.cells, size)
    total = np.zeros_like(array)
    for p in game.symmetries():
        total += array[numbers_of(np.sort(np.array(p)[sets], axis=1))]
    result, rest = np.divmod(total, len(game.symmetries()))
    assert not rest.any()
    return result


def _load(store: Store | None, game: Game) -> tuple[int, int, list[Numbers]]:
    """Classes done, configurations met, and the counts up to there."""
    nothing = _no_sets(game)
    value = None if store is None else store.get(_COUNTS)
    if store is None or value is None:
        return 0, 0, nothing
    sizes = [2, *(array.size for array in nothing)]
    numbers = np.frombuffer(value, np.int64) if len(value) == 8 * sum(sizes) else np.array([-1])
    if (numbers < 0).any():
        raise TableError(f"{store.path} does not hold counts of the cell sets of {game}")
    head, *arrays = np.split(numbers, np.cumsum(sizes)[:-1])
    sums = [array.reshape(zeros.shape).copy() for array, zeros in zip(arrays, nothing, strict=True)]
    return int(head[0]), int(head[1]), sums


def _save(store: Store, done: int, total: int, sums: list[Numbers]) -> None:
    head = np.array([done, total])
    store.put(_COUNTS, np.concatenate([head, *(array.ravel() for array in sums)]).tobytes())


class Coverage:
    """Upper bounds on how many configurations k cells of a game can meet.

    Of four cells and fewer they are what the best set meets. Of more they come from a search
    through the sets, with a bound on what each cell adds. Let E be a set of triples of P, made so:
    the cells come to P one after the other, and with each one, u, the triples {u, a, b} for the
    edges {a, b} of a tree on the cells that were there. For a configuration that covers i cells of
    P, and e of the triples in E whole,

        1 - i + C(i, 2) - e  >=  1 if i = 0, and >= 0 otherwise.

    Proof, by induction over the cells of P. Let u be the last one. A configuration without u has
    the same i and e as before it came. One that covers u, and i - 1 others, adds -1 + (i - 1) - e',
    e' the edges of the tree between covered cells: at most i - 2, since they make no cycle, or 0
    if i = 1. In the first case nothing is lost, and in the other the left side falls from 1 to 0.

    Summed over the configurations that cover v, that bounds those that v adds to P:

        f(P + v) - f(P) <= c(v) - s_1 + s_2 - t,

    s_i the sum, over the sets of i cells of P, of the configurations that cover these and v, and t
    the same over the triples in E. With fewer than four cells in P it is what v adds. What v adds
    to a part of P bounds it too, because f is submodular.

    counts -- of all sets of up to four cells. nodes -- after so many sets a search gives up, and
    from there on the bounds follow from the one before.
    """

    def __init__(self, counts: CellSetCounts, nodes: int = MOST_NODES):
        self.counts = counts
        self._nodes, self._gave_up = nodes, False
        self._found: dict[int, tuple[int, list[int]]] = {}

    def most_met(self, k: int) -> int:
        """f(S) is at most this for every set S of k cells."""
        return self._bound(k)[0]

    def is_exact(self, k: int) -> bool:
        """Whether some k cells meet as many: those that the search ended with are counted."""
        bound, cells = self._bound(k)
        game = self.counts.game
        left = _count(game, self.counts.ship, sum(1 << cell for cell in cells))
        return self.counts.configurations - left == bound

    def _bound(self, k: int) -> tuple[int, list[int]]:
        """The bound, and cells that have it; none where it comes from fewer cells."""
        if k not in self._found:
            self._found[k] = self._compute(k)
        return self._found[k]

    @cached_property
    def _search(self) -> LargestSearch:
        game, ship = self.counts.game, self.counts.ship
        kept = [p for p in game.symmetries() if image(ship, p) == ship]
        classes = [min(p[cell] for p in kept) for cell in range(game.cells)]
        return LargestSearch(game.cells, self.counts.covering, np.array(classes, np.int32))

    def _compute(self, k: int) -> tuple[int, list[int]]:
        number, cells = self.counts.configurations, self.counts.game.cells
        if k == 0 or k >= cells:
            return (0 if k == 0 else number), list(range(min(k, cells)))
        if k <= LARGEST:
            met = self.counts.met(k)
            return int(met.max()), cell_sets(cells, k)[met.argmax()].tolist()
        before = self._bound(k - 1)[0]
        if before == number:
            return number, self._bound(k - 1)[1]
        # Han's inequality: some cell of S can go at no more than a k-th of f(S).
        most = min(number, before * k // (k - 1))
        if self._gave_up:
            return most, []
        nothing = np.zeros((0, 2), np.uint64), np.zeros(0, np.int64)
        bounded = self._search.bound(k, most, self._nodes, *nothing)
        self._gave_up = bounded is None
        return bounded or (most, [])

    def most_kept(
        self, k: int, limit: int, ships: NDArray[np.uint64], costs: NDArray[np.int64]
    ) -> int | None:
        """f(S) less the costs of the ships that S meets is at most this for every S of k cells.

        limit -- a bound that is as much as this is of no use: the search ends with it. ships --
        placements, uint64 of shape (n, 2), and their images under the symmetries of the grid with
        the same costs; `lower_bounds.ship_chain` says how much they may be. None where the
        search gives up, on boards of less than four cells, and for all cells of a board or more.
        """
        if not LARGEST <= self.counts.game.cells > k:
            return None
        bounded = self._search.bound(k, limit, self._nodes, ships, costs)
        return bounded[0] if bounded else None
