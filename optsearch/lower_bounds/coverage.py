"""The most configurations that k cells can meet: exact for up to four cells, bounded beyond.

A set S of cells *meets* a configuration that has a ship on some cell of S. f(S) is the number of
configurations that S meets; c(S) is the number that have ships on all cells of S.
`CellSetCounts.of(game)` counts c for every set of up to four cells. `Coverage.most_met(k)` bounds f
over all sets of k cells from above. All values are exact integers.

Any board will do. Its symmetries only save counting.
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

from optsearch.compiled.lower_bounds._cover import Cover, LargestSearch
from optsearch.counting.configurations import to_words
from optsearch.counting.constraints import Constraints
from optsearch.counting.engines import engine_for
from optsearch.game import Game, image
from optsearch.game.position import no_configuration
from optsearch.lower_bounds.reveal import placement_classes
from optsearch.support.errors import TableError, TooLarge
from optsearch.support.store import Store

Numbers = NDArray[np.int64]
LARGEST = 4  # cells of the sets that are counted
MOST_NODES = 3_000_000  # sets that a search looks at: half a minute or so
_COUNTS = b"counts"  # key of a store: classes done, configurations met, and the counts so far


@lru_cache(maxsize=8)
def cell_sets(cells: int, size: int) -> Numbers:
    """List all sets of `size` cells: int64 of shape (number of sets, size), rows ascending.

    The index of a row is the sum of C(cell i, i + 1) over the cells i = 0, 1, … of its set.
    """
    order = np.array(list(combinations(range(cells), size)), np.int64).reshape(-1, size)
    result = np.empty_like(order)
    result[numbers_of(order)] = order
    return result


def numbers_of(sets: Numbers) -> Numbers:
    """Return the numbers of sets of cells, given as rows of shape (n, size), each ascending."""
    total = np.zeros(len(sets), np.int64)
    for i in range(sets.shape[1]):
        table = np.array([comb(cell, i + 1) for cell in range(128)], np.int64)
        total += table[sets[:, i]]
    return total


@dataclass(frozen=True)
class CellSetCounts:
    """The number of configurations with ships on all of a set, for every set of one to four cells.

    configurations -- the number of all. covering[j] -- int64 array over the sets of j + 1
    cells, by their numbers. ship -- a placement (mask) that every configuration has, whose own
    cells do not count as covered; or 0.
    """

    game: Game
    configurations: int
    covering: tuple[Numbers, ...]
    ship: int = 0

    @classmethod
    def with_ship(cls, game: Game, ship: int) -> CellSetCounts:
        """Count over the configurations with one given placement of a ship.

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
        progress: Callable[[int, int], None] = lambda classes_done, total: None,
    ) -> CellSetCounts:
        """Count by one walk over all configurations.

        If one ship is longer than all others, it is placed once for each class of placements under
        the symmetries of the board; the counts for the rest of the class follow.

        checkpoint -- a folder that keeps the classes done, from which a later run goes on.
        progress -- called with the number of classes done and of all classes.

        Raises ImpossiblePosition if there is no configuration, TooLarge for 2^32 or more,
        TableError for another game's checkpoint.
        """
        if not (number := _count(game, 0)):
            raise no_configuration(game)
        _require_32_bits(game, number, str(game))
        classes = _first_ships(game)
        title = f"the counts of the cell sets of {game}"
        with nullcontext() if checkpoint is None else Store(checkpoint, title, batch=1) as store:
            classes_done, total, sums = _load(store, game)
            for ship, weight in classes[classes_done:]:
                count, arrays = _walk(game, ship, ship)
                total += weight * count
                for running, array in zip(sums, arrays, strict=True):
                    running += weight * array
                classes_done += 1
                progress(classes_done, len(classes))
                if store is not None:
                    _save(store, classes_done, total, sums)
        if classes[0][0]:
            sums = [_symmetric(game, array, size) for size, array in enumerate(sums, 1)]
        if total != number or sums[0].sum() != number * game.fleet_cells:
            raise AssertionError(f"{game}: {total} configurations were met, {number} counted")
        return cls(game, number, tuple(sums))

    def sums(self, size: int) -> list[Numbers]:
        """Sum c over the subsets of every set of `size` cells: an array for subsets of 1, 2, …"""
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
        """Return f for every set of `size` cells, by inclusion and exclusion."""
        signed = [(-1) ** i * part for i, part in enumerate(self.sums(size))]
        return np.asarray(np.sum(signed, axis=0))


def _first_ships(game: Game) -> list[tuple[int, int]]:
    """List (placement, class size) of the longest ship; (0, 1) if it is alone or has an equal."""
    if len(game.fleet) == 1 or game.fleet[0] == game.fleet[1]:
        return [(0, 1)]
    return placement_classes(game)


def _other_ships(game: Game, ship: int) -> tuple[int, ...]:
    """Return the fleet without the ship that has this placement; all of it if `ship` is 0."""
    fleet = list(game.fleet)
    if ship:
        fleet.remove(game.kind_of(ship))
    return tuple(fleet)


def _count(game: Game, ship: int, closed: int = 0) -> int:
    """Count the configurations with this placement (if not 0) and no ship on the closed cells."""
    if ship:
        closed |= ship | game.halo(ship)
    return engine_for(game).count(Constraints(_other_ships(game, ship), closed))


def _require_32_bits(game: Game, number: int, title: str) -> None:
    if number >= 2**32:
        raise TooLarge(
            f"cell sets are counted in 32 bits, for fewer than {2**32:,} configurations; "
            f"{title} has {number:,}"
        )


def _walk(game: Game, ship: int, counted: int) -> tuple[int, list[Numbers]]:
    """Walk over the configurations with this placement (if not 0): their number, and the counts.

    counted -- the cells of the placement that count as covered.
    """
    fleet = _other_ships(game, ship)
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
    """Return a zero for each set of one to four cells; no array is empty."""
    return [np.zeros(max(1, comb(game.cells, size)), np.int64) for size in range(1, LARGEST + 1)]


def _symmetric(game: Game, array: Numbers, size: int) -> Numbers:
    """Return the mean of the counts over the symmetries of the board, which is an integer."""
    if game.cells < size:
        return array
    sets = cell_sets(game.cells, size)
    total = np.zeros_like(array)
    for p in game.symmetries():
        total += array[numbers_of(np.sort(np.array(p)[sets], axis=1))]
    mean, remainder = np.divmod(total, len(game.symmetries()))
    assert not remainder.any()
    return mean


def _load(store: Store | None, game: Game) -> tuple[int, int, list[Numbers]]:
    """Load the number of classes done, of configurations met, and the counts so far."""
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


def _save(store: Store, classes_done: int, total: int, sums: list[Numbers]) -> None:
    head = np.array([classes_done, total])
    store.put(_COUNTS, np.concatenate([head, *(array.ravel() for array in sums)]).tobytes())


class Coverage:
    """Upper bounds on how many configurations k cells of a game can meet.

    For up to four cells the bound is what the best set meets. For more cells it comes from a search
    through the sets, with a bound on what each cell adds to a set P of cells. Let E be a set of
    triples of P, built as follows: the cells join P one after the other. With each cell u, the
    triples {u, a, b} join E, for the edges {a, b} of a tree on the cells that joined before u. For
    a configuration that covers i cells of P, and all three cells of e triples in E,

        1 - i + C(i, 2) - e  >=  1 if i = 0, and >= 0 otherwise.

    Proof, by induction over the cells of P. Let u be the cell that joined last. If a configuration
    does not cover u, then i and e are what they were before u joined. If it covers u and i - 1
    others, u adds -1 + (i - 1) - e' to the left side, with e' the number of edges of the tree
    between covered cells. If i >= 2, e' is at most i - 2, since the edges make no cycle, and the
    left side does not fall. If i = 1, e' is 0, and the left side falls from 1 to 0.

    The sum over the configurations that cover another cell v bounds what v adds to P:

        f(P + v) - f(P) <= c(v) - s_1 + s_2 - t.

    Here s_i is the sum, over the sets of i cells of P, of the configurations that cover these and
    v, and t is the same sum over the triples in E. With fewer than four cells in P this is exactly
    what v adds. What v adds to a part of P is a bound too, because f is submodular.

    counts -- of all sets of up to four cells. nodes -- a search gives up after this number of sets;
    from then on each bound follows from the one before.
    """

    def __init__(self, counts: CellSetCounts, nodes: int = MOST_NODES):
        self.counts = counts
        self._nodes, self._gave_up = nodes, False
        self._found: dict[int, tuple[int, list[int]]] = {}

    def most_met(self, k: int) -> int:
        """Bound f(S) from above over all sets S of k cells."""
        return self._bound(k)[0]

    def is_exact(self, k: int) -> bool:
        """True if some k cells meet that many; the cells that the search ended with are counted."""
        bound, cells = self._bound(k)
        game = self.counts.game
        left = _count(game, self.counts.ship, sum(1 << cell for cell in cells))
        return self.counts.configurations - left == bound

    def _bound(self, k: int) -> tuple[int, list[int]]:
        """Return the bound, and cells that reach it; none if it follows from fewer cells."""
        if k not in self._found:
            self._found[k] = self._compute(k)
        return self._found[k]

    @cached_property
    def _search(self) -> LargestSearch:
        game, ship = self.counts.game, self.counts.ship
        fixing = [p for p in game.symmetries() if image(ship, p) == ship]
        classes = [min(p[cell] for p in fixing) for cell in range(game.cells)]
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
        # Han's inequality: without some cell of S, f(S) falls by a k-th at most.
        bound_by_han = min(number, before * k // (k - 1))
        if self._gave_up:
            return bound_by_han, []
        nothing = np.zeros((0, 2), np.uint64), np.zeros(0, np.int64)
        bounded = self._search.bound(k, bound_by_han, self._nodes, *nothing)
        self._gave_up = bounded is None
        return bounded or (bound_by_han, [])

    def most_kept(
        self, k: int, limit: int, ships: NDArray[np.uint64], costs: NDArray[np.int64]
    ) -> int | None:
        """Bound f(S) minus the costs of the ships that S meets, over all sets S of k cells.

        limit -- a bound this high is of no use: the search stops there and returns it. ships --
        placements, uint64 of shape (n, 2), closed under the symmetries of the board. costs -- one
        for each ship, equal for images; `lower_bounds.ship_chain` says how high they may be.
        None if the search gives up, if the board has fewer than four cells, or if k is not less
        than its number of cells.
        """
        if not LARGEST <= self.counts.game.cells > k:
            return None
        bounded = self._search.bound(k, limit, self._nodes, ships, costs)
        return bounded[0] if bounded else None
