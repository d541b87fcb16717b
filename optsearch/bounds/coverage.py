"""How many configurations some cells can meet: exact for up to four cells, bounded beyond.

f(S) is the number of configurations with a ship on a cell of S, c(S) the number that cover all of
S. `CellSetCounts.of(game)` counts c for every set of up to four cells; `Coverage.most_met(k)` is an
upper bound on f over all sets of k cells. All values are exact integers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations
from math import comb, lcm
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from optsearch._cover import Cover
from optsearch.bounds.reveal import classes
from optsearch.configurations import to_words
from optsearch.errors import TableError, TooLarge
from optsearch.game import Game, bits
from optsearch.lattice import Constraints, sweep

Numbers = NDArray[np.int64]
LARGEST = 4  # cells of the sets that are counted
_FORMAT = "optsearch cell sets 1"


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
    """

    game: Game
    configurations: int
    covering: tuple[Numbers, ...]

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

        checkpoint -- a file to keep the classes done in, from which a run that was stopped goes on.
        progress -- called with the classes done and their number.

        Raises TooLarge for 2^32 configurations or more, TableError for another game's checkpoint.
        """
        number = sweep(game).count(Constraints(game.fleet))
        if number >= 2**32:
            raise TooLarge(
                f"cell sets are counted in 32 bits, for fewer than {2**32:,} configurations; "
                f"{game} has {number:,}"
            )
        classes = _first_ships(game)
        done, total, sums = _load(checkpoint, game)
        for ship, weight in classes[done:]:
            count, arrays = _walk(game, ship)
            total += weight * count
            for kept, array in zip(sums, arrays, strict=True):
                kept += weight * array
            done += 1
            progress(done, len(classes))
            if checkpoint is not None:
                _save(checkpoint, game, done, total, sums)
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


def _walk(game: Game, ship: int) -> tuple[int, list[Numbers]]:
    """The kernel's counts; of the configurations with this placement of the longest ship if any."""
    fleet = game.fleet[1:] if ship else game.fleet
    ships = []
    for i, length in enumerate(fleet):
        masks = game.placements(length)
        halos = [game.halo(mask) for mask in masks]
        ships.append((to_words(masks), to_words(halos), i > 0 and fleet[i - 1] == length))
    closed = ship | game.halo(ship) if ship else 0
    kernel = Cover(game.cells, to_words([closed])[0], to_words([ship])[0], ships)
    kernel.walk()
    return kernel.counts()


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


def _load(checkpoint: Path | None, game: Game) -> tuple[int, int, list[Numbers]]:
    sizes = [max(1, comb(game.cells, size)) for size in range(1, LARGEST + 1)]
    if checkpoint is None or not checkpoint.exists():
        return 0, 0, [np.zeros(size, np.int64) for size in sizes]
    try:
        with np.load(checkpoint, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        if str(arrays["name"]) != f"{_FORMAT} {game}":
            raise ValueError(f"it says {str(arrays['name'])!r}")
        done, total = arrays["done"].tolist()
        return done, total, [arrays[f"c{size}"] for size in range(1, LARGEST + 1)]
    except (OSError, ValueError, KeyError, EOFError) as error:
        raise TableError(f"{checkpoint} is no checkpoint of {game}: {error}") from None


def _save(checkpoint: Path, game: Game, done: int, total: int, sums: list[Numbers]) -> None:
    beside = checkpoint.with_suffix(".tmp.npz")
    try:
        checkpoint.parent.mkdir(parents=True, exist_ok=True)
        arrays = {f"c{size}": array for size, array in enumerate(sums, 1)}
        arrays["done"] = np.array([done, total])
        np.savez(beside, name=np.array(f"{_FORMAT} {game}"), **arrays)  # type: ignore[arg-type]
        beside.replace(checkpoint)
    except OSError as error:
        raise TableError(f"{checkpoint} cannot be written: {error}") from None


@dataclass(frozen=True)
class Weighing:
    """How a bound on the sets of k cells follows from the sets of four cells.

    k -- 5 or more; a -- from 0 to 4/k. For i = 1 … k

        C(i, 1) - C(i, 2) + C(i, 3) - a C(i, 4)  =  1 + C(i - 1, 3) - a C(i, 4)  >=  1,

    since C(i - 1, 3) = (4/i) C(i, 4), and for i = 0 it is 0. Taken at i = the number of cells of S
    in a configuration and summed over the configurations this is, with s_j(T) the sum of c over the
    sets of j cells in T,

        f(S) <= s_1(S) - s_2(S) + s_3(S) - a s_4(S)
              = sum over the sets T of four cells in S of
                s_1(T)/C(k-1, 3) - s_2(T)/C(k-2, 2) + s_3(T)/(k-3) - a s_4(T)

    because a set of j cells is in C(k - j, 4 - j) of these T. So C(k, 4) times the largest term
    bounds f(S) for every S. (With a = 0 this is Bonferroni's inequality.)
    """

    k: int
    a: Fraction

    @cached_property
    def denominator(self) -> int:
        """A number that makes all coefficients integers."""
        k = self.k
        return lcm(comb(k - 1, 3), comb(k - 2, 2), k - 3, self.a.denominator)

    @cached_property
    def coefficients(self) -> tuple[int, int, int, int]:
        """Those of s_1 … s_4, times the denominator."""
        k, d = self.k, self.denominator
        return d // comb(k - 1, 3), -(d // comb(k - 2, 2)), d // (k - 3), -int(self.a * d)

    def most_met(self, sums: list[Numbers]) -> int:
        """The bound from s_1 … s_4 of every set of four cells, rounded downward."""
        weighed = np.sum([c * s for c, s in zip(self.coefficients, sums, strict=True)], axis=0)
        return comb(self.k, 4) * int(weighed.max()) // self.denominator


class Coverage:
    """Upper bounds on how many configurations k cells of a game can meet.

    counts -- of all sets of up to four cells.
    """

    def __init__(self, counts: CellSetCounts):
        self.counts = counts
        self._found: dict[int, tuple[int, Fraction | None]] = {}

    @cached_property
    def _sums(self) -> list[Numbers]:
        """s_1 … s_4 of the sets of four cells, each set of s_1 … s_4 once."""
        sums = self.counts.sums(LARGEST)
        order = np.lexsort(sums)  # np.unique by rows would turn ctrl-C into a TypeError
        columns = [column[order] for column in sums]
        is_new = np.ones(len(order), bool)
        is_new[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
        return [column[is_new] for column in columns]

    def most_met(self, k: int) -> int:
        """f(S) is at most this for every set S of k cells; equal to the largest f for k <= 5.

        Of five cells by `most_met_by_five`. Beyond, the least that `Weighing` gives for some a, and
        never more than k/(k-1) times the bound of k - 1 cells (f is submodular, so some cell of S
        can go at no more than a k-th of f(S): Han's inequality), nor than all configurations.
        """
        return self._bound(k)[0]

    def weighing(self, k: int) -> Weighing | None:
        """What proves the bound of k cells; None where it is exact or from k - 1 cells."""
        a = self._bound(k)[1]
        return None if a is None else Weighing(k, a)

    def _bound(self, k: int) -> tuple[int, Fraction | None]:
        if k not in self._found:
            self._found[k] = self._compute(k)
        return self._found[k]

    def _compute(self, k: int) -> tuple[int, Fraction | None]:
        counts = self.counts
        if k == 0:
            return 0, None
        if k >= counts.game.cells:
            return counts.configurations, None
        if k <= LARGEST:
            return int(counts.met(k).max()), None
        if k == LARGEST + 1:
            return most_met_by_five(counts), None
        bound: tuple[int, Fraction | None] = (self.most_met(k - 1) * k // (k - 1), None)
        if self.most_met(k - 1) < counts.configurations:
            best = min(
                (Weighing(k, Fraction(4 * step, _STEPS * k)).most_met(self._sums), step)
                for step in range(_STEPS + 1)
            )
            if best[0] < bound[0]:
                bound = best[0], Fraction(4 * best[1], _STEPS * k)
        if bound[0] >= counts.configurations:
            return counts.configurations, None
        return bound


_STEPS = 24


def most_met_by_five(counts: CellSetCounts) -> int:
    """The largest f over the sets of five cells, exactly.

    Of the sets of four cells in S let T be one with the largest f, v the fifth cell, and U any
    three cells of T. Then f(U + v) <= f(T), and because f is submodular f(S) - f(T) is at most
    f(U + v) - f(U). The least of these four differences, and the largest of that over all v that
    are not excluded, bounds f(S) for all S that belong to T. The T are taken by falling bounds, one
    of each class under the symmetries, and f is counted for T and every fifth cell by the transfer
    matrix, until no bound is above what was found.
    """
    game, number = counts.game, counts.configurations
    f3, f4 = counts.met(3), counts.met(4)
    sets = cell_sets(game.cells, 4)
    first = np.arange(len(sets))
    for p in game.symmetries():
        first = np.minimum(first, numbers_of(np.sort(np.array(p)[sets], axis=1)))
    order = (first == np.arange(len(sets))).nonzero()[0]
    order = order[np.argsort(-f4[order], kind="stable")]
    best = int(f4.max())
    for start in range(0, len(order), _CHUNK):
        chunk = order[start : start + _CHUNK]
        # Han's inequality ends the list: f(S) <= 5/4 f(T).
        if 5 * int(f4[chunk[0]]) <= 4 * best:
            break
        bounds = f4[chunk] + _most_added(sets[chunk], f3, f4, f4[chunk], game.cells)
        for i in np.argsort(-bounds, kind="stable"):
            if bounds[i] <= best:
                break
            closed = sum(1 << int(cell) for cell in sets[chunk[i]])
            left, through = sweep(game).through(Constraints(game.fleet, closed))
            added = [0] * game.cells
            for ship, some in through.items():
                for cell in bits(ship):
                    added[cell] += some
            best = max(best, number - left + max(added))
    return best


def _most_added(sets: Numbers, f3: Numbers, f4: Numbers, met: Numbers, cells: int) -> Numbers:
    """For sets T of four cells with f(T) = met: the largest bound on f(T + v) - f(T)."""
    added = np.full((len(sets), cells), np.iinfo(np.int64).max)
    for out in range(4):
        three = np.delete(sets, out, axis=1)
        base = f3[numbers_of(three)]
        for v in range(cells):
            four = np.sort(np.column_stack([three, np.full(len(sets), v)]), axis=1)
            inside = (sets == v).any(axis=1)
            some = np.where(inside, 0, f4[np.where(inside, 0, numbers_of(four))] - base)
            excluded = some + base > met
            added[:, v] = np.minimum(added[:, v], np.where(excluded, 0, some))
    return np.asarray(added.max(axis=1))


_CHUNK = 20_000
