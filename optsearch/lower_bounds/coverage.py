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
from typing import NamedTuple

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

Integers = NDArray[np.int64]
LARGEST_SET = 4  # cells of the sets that are counted
MOST_NODES = 3_000_000  # sets that a search looks at: half a minute or so
_NO_CLASSES = [(0, 1)]  # one walk of the kernel, with no ship placed before it
_COUNTS = b"counts"  # key of a store: classes done, configurations met, and the counts so far


@lru_cache(maxsize=8)
def cell_sets(cells: int, size: int) -> Integers:
    """List all sets of `size` of the cells 0 to `cells` - 1.

    Returns int64 of shape (number of sets, size). A row has the cells of one set in ascending
    order. The set c_0 < c_1 < … is in row C(c_0, 1) + C(c_1, 2) + ….
    """
    lexicographic = np.array(list(combinations(range(cells), size)), np.int64).reshape(-1, size)
    by_index = np.empty_like(lexicographic)
    by_index[indices_of_sets(lexicographic)] = lexicographic
    return by_index


def indices_of_sets(sets: Integers) -> Integers:
    """Return the index of each set of cells among all sets of its size, as the kernel counts them.

    sets -- int64 of shape (n, size): the cells of a set per row, in ascending order. The index of
    the set c_0 < c_1 < … is C(c_0, 1) + C(c_1, 2) + …, so every set of a size has its own.
    """
    indices = np.zeros(len(sets), np.int64)
    for i in range(sets.shape[1]):
        binomials = np.array([comb(cell, i + 1) for cell in range(128)], np.int64)
        indices += binomials[sets[:, i]]
    return indices


@dataclass(frozen=True)
class CellSetCounts:
    """How many configurations cover each set of one to four cells, with ships on all of its cells.

    configurations -- the number of all that are counted. covering[j] -- the counts for the sets of
    j + 1 cells, an int64 array in the order of `cell_sets`. ship -- a placement (mask) that every
    counted configuration has, or 0. The cells of this placement do not count as covered.
    """

    game: Game
    configurations: int
    covering: tuple[Integers, ...]
    ship: int = 0

    @classmethod
    def with_ship(cls, game: Game, ship: int) -> CellSetCounts:
        """Count the configurations with a placement that have other ships on all cells of a set.

        There is a count for each set of one to four cells. ship -- the placement, as a mask. Raises
        TooLarge for 2^32 configurations with it or more.
        """
        title = f"{game} with {'-'.join(game.names(ship))}"
        _require_32_bits(_count_configurations(game, ship), title)
        if len(game.fleet) == 1:
            return cls(game, 1, tuple(_zero_counts(game)), ship)
        configurations, covering = _count_cell_sets(game, ship, counted=0)
        return cls(game, configurations, tuple(covering), ship)

    @classmethod
    def of(
        cls,
        game: Game,
        checkpoint: Path | None = None,
        progress: Callable[[int, int], None] = lambda classes_done, total: None,
    ) -> CellSetCounts:
        """Count, for each set of one to four cells, the configurations with ships on all its cells.

        The kernel visits the configurations one by one. If one ship is longer than all others, it
        visits one placement of each class, the images of a placement under the symmetries of the
        board. Averages over the symmetries then give the counts of all configurations.

        checkpoint -- a folder that keeps the classes done, from which a later run goes on.
        progress -- called with how many classes are done and how many there are.

        Raises ImpossiblePosition if there is no configuration, TooLarge for 2^32 or more,
        TableError for another game's checkpoint.
        """
        configurations = _count_configurations(game, 0)
        if not configurations:
            raise no_configuration(game)
        _require_32_bits(configurations, str(game))
        classes = _classes_to_place(game)
        title = f"the counts of the cell sets of {game}"
        with nullcontext() if checkpoint is None else Store(checkpoint, title, batch=1) as store:
            classes_done, met, covering = _load_counts(store, game)
            for ship, class_size in classes[classes_done:]:
                met_with_ship, covering_with_ship = _count_cell_sets(game, ship, counted=ship)
                met += class_size * met_with_ship
                for counts, with_ship in zip(covering, covering_with_ship, strict=True):
                    counts += class_size * with_ship  # in place
                classes_done += 1
                progress(classes_done, len(classes))
                if store is not None:
                    _save_counts(store, classes_done, met, covering)
        if classes != _NO_CLASSES:  # one placement stood for all of its class
            covering = [
                _average_over_symmetries(game, counts, size)
                for size, counts in enumerate(covering, 1)
            ]
        if met != configurations or covering[0].sum() != configurations * game.fleet_cells:
            raise AssertionError(f"{game}: {met} configurations were met, {configurations} counted")
        return cls(game, configurations, tuple(covering))

    def subset_sums(self, size: int) -> list[Integers]:
        """Return sums of the counts over the subsets of each set of `size` cells.

        Item i of the list is for the subsets of i + 1 cells. It is an array with one sum for each
        set, in the order of `cell_sets`. The count of a subset is the number of counted
        configurations with ships on all its cells.
        """
        sets = cell_sets(self.game.cells, size)
        sums = []
        for subset_size in range(1, size + 1):
            counts = self.covering[subset_size - 1]
            total = np.zeros(len(sets), np.int64)
            for columns in combinations(range(size), subset_size):
                total += counts[indices_of_sets(sets[:, list(columns)])]
            sums.append(total)
        return sums

    def met(self, size: int) -> Integers:
        """Count the configurations with a ship on at least one cell of each set of `size` cells.

        Inclusion and exclusion gives these counts: the sums over single cells, minus those over
        pairs, and so on.
        """
        signed_sums = [(-1) ** i * total for i, total in enumerate(self.subset_sums(size))]
        return np.asarray(np.sum(signed_sums, axis=0))


def _classes_to_place(game: Game) -> list[tuple[int, int]]:
    """List the placements of the longest ship to count, with the number that each stands for.

    A placement stands for all its images under the symmetries of the board; only one of these is
    listed. If the longest ship is the only one, or another ship has its length, the list is
    `_NO_CLASSES`.
    """
    if len(game.fleet) == 1 or game.fleet[0] == game.fleet[1]:
        return _NO_CLASSES
    return placement_classes(game)


def _other_ships(game: Game, ship: int) -> tuple[int, ...]:
    """Return the kinds of all ships but one; ship -- the mask of its placement, 0 for none."""
    fleet = list(game.fleet)
    if ship:
        fleet.remove(game.kind_of(ship))
    return tuple(fleet)


def _count_configurations(game: Game, ship: int, closed: int = 0) -> int:
    """Count the configurations with the placement `ship` and no other ship on a closed cell.

    ship, closed -- masks of cells. If `ship` is 0, no placement is required.
    """
    if ship:
        closed |= ship | game.halo(ship)
    return engine_for(game).count(Constraints(_other_ships(game, ship), closed))


def _require_32_bits(configurations: int, title: str) -> None:
    if configurations >= 2**32:
        raise TooLarge(
            f"cell sets are counted in 32 bits, for fewer than {2**32:,} configurations; "
            f"{title} has {configurations:,}"
        )


def _count_cell_sets(game: Game, ship: int, counted: int) -> tuple[int, list[Integers]]:
    """Return how many configurations there are, and how many cover each set of 1 to 4 cells.

    A configuration covers a set if it has ships on all its cells. The second result has an array
    for each size of set, with a number for each set in the order of `cell_sets`.

    ship -- a placement (mask) that the configurations must have; 0 for all configurations.
    counted -- the mask of its cells that count as covered.
    """
    fleet = _other_ships(game, ship)
    ships = []
    for i, length in enumerate(fleet):
        masks = game.placements(length)
        halos = [game.halo(mask) for mask in masks]
        equals_previous = i > 0 and fleet[i - 1] == length  # then only one order counts
        ships.append((to_words(masks), to_words(halos), equals_previous))
    closed = ship | game.halo(ship) if ship else 0
    kernel = Cover(game.cells, to_words([closed])[0], to_words([counted])[0], ships)
    kernel.walk()
    return kernel.counts()


def _zero_counts(game: Game) -> list[Integers]:
    """Return a count of 0 for each set of one to four cells: an array for each size.

    On a board of fewer than four cells the arrays of the larger sizes have one entry.
    """
    sizes = range(1, LARGEST_SET + 1)
    return [np.zeros(max(1, comb(game.cells, size)), np.int64) for size in sizes]


def _average_over_symmetries(game: Game, counts: Integers, size: int) -> Integers:
    """Return, for each set of cells, the mean of the counts of its images under the symmetries.

    counts -- a number for each set of `size` cells, in the order of `cell_sets`; the result has
    this order, too. Every mean is an integer.
    """
    if game.cells < size:
        return counts
    sets = cell_sets(game.cells, size)
    total = np.zeros_like(counts)
    for permutation in game.symmetries():
        images = np.sort(np.array(permutation)[sets], axis=1)
        total += counts[indices_of_sets(images)]
    mean, remainder = np.divmod(total, len(game.symmetries()))
    assert not remainder.any()
    return mean


def _load_counts(store: Store | None, game: Game) -> tuple[int, int, list[Integers]]:
    """Return the counts that an earlier run stored; zeros if there is no store, or nothing in it.

    The result is the number of placements done, the number of configurations counted, and the
    counts so far: an array for each size of sets of cells. Raises TableError if the store holds
    something else.
    """
    zeros = _zero_counts(game)
    if store is None or (stored := store.get(_COUNTS)) is None:
        return 0, 0, zeros
    sizes = [2, *(counts.size for counts in zeros)]  # two numbers before the counts
    has_right_size = len(stored) == 8 * sum(sizes)
    values = np.frombuffer(stored, np.int64) if has_right_size else None
    if values is None or (values < 0).any():
        raise TableError(f"{store.path} does not hold counts of the cell sets of {game}")
    head, *arrays = np.split(values, np.cumsum(sizes)[:-1])
    covering = [array.copy() for array in arrays]  # the stored bytes cannot be written to
    return int(head[0]), int(head[1]), covering


def _save_counts(store: Store, classes_done: int, met: int, covering: list[Integers]) -> None:
    head = np.array([classes_done, met])
    store.put(_COUNTS, np.concatenate([head, *covering]).tobytes())


class SetBound(NamedTuple):
    """The most configurations that k cells can meet, or an upper bound on it.

    cells -- k cells or fewer that meet as many; empty if the search found none.
    """

    most_met: int
    cells: list[int]


class Coverage:
    """Upper bounds on how many configurations k cells of a game can meet, for any k.

    A set of cells meets a configuration if there is a ship on one of its cells. f(S) is the number
    of configurations that a set S of cells meets, c(S) the number that have ships on all cells of
    S.

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
        self._bounds: dict[int, SetBound] = {}

    def most_met(self, k: int) -> int:
        """Return an upper bound on the configurations with a ship on at least one of k cells."""
        return self._bound(k).most_met

    def is_exact(self, k: int) -> bool:
        """True if the bound for k cells is known to be the exact maximum.

        The bound is on the configurations with a ship on one of k cells. It is exact if the cells
        found with it meet as many, by a count of these configurations without the search.
        """
        bound, cells = self._bound(k)
        closed = sum(1 << cell for cell in cells)
        not_met = _count_configurations(self.counts.game, self.counts.ship, closed)
        return self.counts.configurations - not_met == bound

    def _bound(self, k: int) -> SetBound:
        if k not in self._bounds:
            self._bounds[k] = self._compute_bound(k)
        return self._bounds[k]

    @cached_property
    def _search(self) -> LargestSearch:
        """The kernel of the search, with the symmetries that keep the given placement in place."""
        game, ship = self.counts.game, self.counts.ship
        symmetries = [p for p in game.symmetries() if image(ship, p) == ship]
        least_images = [min(p[cell] for p in symmetries) for cell in range(game.cells)]
        return LargestSearch(game.cells, self.counts.covering, np.array(least_images, np.int32))

    def _compute_bound(self, k: int) -> SetBound:
        """Return an upper bound on the configurations with a ship on one of k cells.

        For up to LARGEST_SET cells the counts give the exact maximum, for more a search gives the
        bound. If the search gives up, the bound follows from the one for k - 1, without cells.
        """
        configurations, cells = self.counts.configurations, self.counts.game.cells
        if k == 0:
            return SetBound(0, [])
        if k >= cells:
            return SetBound(configurations, list(range(cells)))
        if k <= LARGEST_SET:
            met = self.counts.met(k)
            return SetBound(int(met.max()), cell_sets(cells, k)[met.argmax()].tolist())
        previous = self._bound(k - 1)
        if previous.most_met == configurations:
            return previous
        # Han's inequality: some k - 1 of the k cells still meet (k - 1)/k of what all k meet.
        bound_by_han = min(configurations, previous.most_met * k // (k - 1))
        search_result = None
        if not self._gave_up:
            no_ships, no_costs = np.zeros((0, 2), np.uint64), np.zeros(0, np.int64)
            search_result = self._search.bound(k, bound_by_han, self._nodes, no_ships, no_costs)
            self._gave_up = search_result is None
        return SetBound(bound_by_han, []) if search_result is None else SetBound(*search_result)

    def most_kept(
        self, k: int, limit: int, ships: NDArray[np.uint64], costs: NDArray[np.int64]
    ) -> int | None:
        """Return an upper bound on what k cells keep: the configurations they meet, minus costs.

        The cost of a placement is paid if it has one of the cells. A bound above `limit` is of no
        use: then the result is `limit`. Returns None if the search gives up, if the board has fewer
        than four cells, or if k is not less than its number of cells.

        ships -- placements, uint64 of shape (n, 2), with all their images under the symmetries of
        the board. costs -- one for each placement, equal for images; `lower_bounds.ship_chain` says
        how high they may be.
        """
        cells = self.counts.game.cells
        if cells < LARGEST_SET or k >= cells:
            return None
        search_result = self._search.bound(k, limit, self._nodes, ships, costs)
        return None if search_result is None else search_result[0]
