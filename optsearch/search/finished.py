"""The most sets that any strategy finishes within so many misses, counted exactly.

N(F, l) is that number for a family F of distinct sets of equal weight. It is 0 for l < 0, and |F|
for |F| < 2. As misses(x) is the sum over l of [misses(x) > l], every strategy misses at least the
sum of |F| - N(F, l), and so it does with any upper bound in place of N.

With F_c the sets with the cell c, N(F, l) = max over c of N(F_c, l) + N(F - F_c, l - 1). A
strategy that only missed has shot a set E of cells; F(E) are the sets without them. `Counts` goes
from E to E + c, up to symmetries of F. What a hit leaves, F_c(E), is searched by the kernel
(`cython_ext/_finished.pyx`), with the number that it has to come to. Both are left out where these
bounds say that they cannot, and that of the ships that may have been hit
(`optsearch.search.hit_ship`). For S = F(E) with k cells to hit, those of all sets aside, and
w(r, k) = C(r + k, k), the words of k hits and at most r misses that end in a hit, 0 for r < 0:

    N(S, r) <= |S|, w(r, k), N(F, r), N(F(E - e), r) for any e in E
    N(S_d, r) <= |S_d|, w(r, k - 1), max over d of N(F_d, r).

`cap` has one bound more, which costs more than it saves where all is counted exactly, and is for
what is not counted. For every j

    N(S, r) <= sum over i < j of min(cnt_(i), w(r - i, k - 1), hit(r - i))
               + min(|S|, N(F, r - j)),

with cnt_(0) >= cnt_(1) >= … how many sets of S have each cell, and hit(r) = max over d of N(F_d,
r).

Proof. Let c_0, c_1, … be the misses of a strategy for S before its first hit, and S_i the sets
that c_i hits first. They lie in S_(c_i), have r - i misses left, and are finished by a strategy
for a part of F_(c_i) with the same cells to hit but c_i. The c_i differ, and a sum of min(a, b) is
greatest when both are sorted. The sets that none of the first j hits have r - j misses left, and
are a part of F. QED

Where exact counts take too long, the recursion goes on with what the ships that may have been hit
say in place of N(F_c(E), r): `Counts.bounded`. Its numbers are upper bounds, and so are N(F, l - 1)
and the greatest count of a cell together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from math import comb

import numpy as np
from numpy.typing import NDArray

from optsearch.compiled._finished import Finished
from optsearch.counting.configurations import to_words
from optsearch.counting.family import Family
from optsearch.game import Permutation, bits, image
from optsearch.search.hit_ship import hit_ship_of
from optsearch.support.errors import NotSupported

MEMORY = 1 << 28  # bytes of the table of what hits leave
ASKED = 10  # nodes that a question about the ship hit is worth


@dataclass(frozen=True)
class Residual:
    """F(E). number -- of its sets. hits -- cells that each has still to hit, those of all aside.

    counts -- how many sets have each cell; 0 for a cell of all. falling -- the same, sorted.
    """

    number: int
    hits: int
    counts: NDArray[np.int64]
    falling: list[int]


@dataclass(frozen=True)
class Value:
    """N, if `is_exact`, else an upper bound of it; once nothing is counted, always such a bound.

    is_exact -- it is not lowered any more.
    """

    most: int
    is_exact: bool


class Counts:
    """N(F, 0), N(F, 1), … of one family of sets of one size and of weight 1.

    tick -- called with the nodes of the kernel now and then; what it raises leaves what is counted
    by then. at_most -- upper bounds of N(F, 0), N(F, 1), … from elsewhere, for `cap`.
    """

    def __init__(self, family: Family, tick: Callable[[int], None], at_most: Sequence[int] = ()):
        if set(family.weights) != {1} or len(set(map(int.bit_count, family.sets))) != 1:
            raise NotSupported("sets are counted where all have the same weight and size")
        sets = to_words(family.sets)
        self._hits = family.hits
        self._kernel = Finished(sets, family.game.cells, tick, MEMORY)
        self._ships = hit_ship_of(family)
        self._asked = 0
        self._tick = tick
        self._at_most = at_most
        self._turns: tuple[Permutation, ...] = family.automorphisms
        self.has = np.unpackbits(sets.view(np.uint8), axis=1, bitorder="little").astype(bool)
        self._residuals: dict[int, Residual] = {}
        self._least_turns: dict[tuple[int, int], tuple[int, int]] = {}
        self._values: dict[tuple[tuple[int, int], int], Value] = {}  # of missed cells and misses
        self._after_hit: dict[tuple[tuple[int, int], int], Value] = {}  # of cell and missed cells
        self._most_after_hit: list[int] = []  # hit(0), hit(1), …
        self.finished: list[int] = []  # N(F, 0), N(F, 1), …
        self._bounded: list[int] | None = None  # bounds of those that follow
        self._set_bounds()

    def _set_bounds(self) -> None:
        """Upper bounds of N(F, 0), N(F, 1), …: exact as far as these are counted."""
        self.bounds = [*self.finished, *(self._bounded or ())]
        for most in self._at_most[len(self.bounds) :]:
            before = self.bounds[-1] if self.bounds else 0
            self.bounds.append(min(most, before + max([1, *self.residual(0).falling[:1]])))

    @property
    def effort(self) -> int:
        """That of the kernels, in nodes of the first."""
        return self._kernel.effort.total + ASKED * self._asked

    def __iter__(self) -> Iterator[int]:
        """N(F, 0), N(F, 1), … until all sets are finished; goes on where it was left."""
        number = len(self.has)
        yield from self.finished
        while self._bounded is None and (not self.finished or self.finished[-1] < number):
            misses = len(self.finished)
            if len(self._most_after_hit) == misses:
                self._most_after_hit.append(self._greatest_after_hit(misses))
            before = self.finished[-1] if self.finished else 0
            self.finished.append(self.most(0, misses, before))
            self._set_bounds()
            yield self.finished[-1]

    def bounded(self) -> Iterator[int]:
        """Upper bounds of the numbers that follow, until all sets are finished, by the ship hit.

        Nothing is counted from then on. Nothing comes where there is no room for the ships.
        """
        self._bounded = self._bounded or []
        known = [*self.finished, *self._bounded]
        while self._ships is not None and known[-1:] != [len(self.has)]:
            misses = len(known)
            most = self.most(0, misses, known[-1] if known else 0)
            known.append(min([most, *self.bounds[misses : misses + 1]]))
            self._bounded.append(known[-1])
            self._set_bounds()
            yield known[-1]

    def most(self, missed: int, misses: int, enough: int) -> int:
        """N(F(missed), misses) if it is above `enough`; else an upper bound that is not.

        Once `bounded` was asked, an upper bound, which is lowered no further above `enough`.
        """
        here = self.residual(missed)
        top = self._plain_cap(missed, misses)
        if top <= enough or here.number < 2 or misses < 0:
            return top
        key = self.turned(0, missed), misses
        known = self._values.get(key)
        if known is not None and known.is_exact:
            return known.most
        best, refused = enough, 0
        for bound, cell in self._shots(missed, misses):
            rest = self._plain_cap(missed | 1 << cell, misses - 1)
            if bound <= best:
                refused = max(refused, bound)
                continue
            hit = self._hit(missed, cell, misses, best - rest)
            if hit + rest > best:
                rest = self.most(missed | 1 << cell, misses - 1, best - hit)
            if hit + rest > best:
                best = hit + rest
            else:
                refused = max(refused, hit + rest)
        is_exact = best > enough
        value = best if is_exact else min(top, refused)
        self._values[key] = Value(value, is_exact)
        return value

    def _plain_cap(self, missed: int, misses: int) -> int:
        """An upper bound of N(F(missed), misses) without a search."""
        if misses < 0:
            return 0
        here = self.residual(missed)
        if here.number < 2:
            return here.number
        key = self.turned(0, missed), misses
        known = self._values.get(key)
        if known is None:
            least = min(here.number, _words(misses, here.hits))
            for cell in bits(missed):
                fewer = self._values.get((self.turned(0, missed & ~(1 << cell)), misses))
                if fewer is not None:
                    least = min(least, fewer.most)
            known = self._values[key] = Value(least, False)
        return min(known.most, self._of_all(misses))

    def cap(self, missed: int, misses: int) -> int:
        """The same by the sum over the misses of a chain, too."""
        least, here, met = self._plain_cap(missed, misses), self.residual(missed), 0
        if misses < 0 or here.number < 2:
            return least
        for i in range(misses + 1):
            left = misses - i
            met += min(here.falling[i], self._cap_after_hit(here.hits, left))
            later = min(self._of_all(left - 1), _words(left - 1, here.hits))
            least = min(least, met + min(here.number, later))
            if met >= least or i + 1 == len(here.falling):
                break
        return least

    def to_come(self, missed: int) -> int:
        """The sum over r of |F(missed)| - N(F(missed), r), at least, by `cap`."""
        number = self.residual(missed).number
        most = (self.cap(missed, misses) for misses in range(len(self.bounds)))
        return sum(max(0, number - one) for one in most)

    def to_come_after_hit(self, missed: int, cell: int) -> int:
        """M(F_cell(missed)) at least, by what is known of N(F_cell(missed), r)."""
        number, total = int(self.residual(missed).counts[cell]), 0
        for misses in count():
            left = number - self._bound_after_hit(missed, cell, misses).most
            if left <= 0:
                return total
            total += left
        raise AssertionError

    def _of_all(self, misses: int) -> int:
        """N(F, misses), or a bound of it."""
        if misses < 0:
            return 0
        return self.bounds[misses] if misses < len(self.bounds) else len(self.has)

    def _cap_after_hit(self, hits: int, misses: int) -> int:
        """No cell hits more sets that are finished with so many misses more."""
        words = _words(misses, hits - 1)
        is_known = misses < len(self._most_after_hit)
        return min(words, self._most_after_hit[misses]) if is_known else words

    def _greatest_after_hit(self, misses: int) -> int:
        """max over d of N(F_d, misses)."""
        most = 0
        for _, cell in self._shots(0, misses):
            most = max(most, self._hit(0, cell, misses, most))
        return most

    def _shots(self, missed: int, misses: int) -> list[tuple[int, int]]:
        """Cells that some sets have and some have not, with a bound of each; the greatest first.

        One of those that a symmetry of F which keeps the missed cells takes to each other.
        """
        here, seen, shots = self.residual(missed), 0, []
        turns = [turn for turn in self._turns if image(missed, turn) == missed]
        for cell in np.flatnonzero(here.counts).tolist():
            if seen >> cell & 1:
                continue
            for turn in turns:
                seen |= image(1 << cell, turn)
            hit = min(int(here.counts[cell]), self._cap_after_hit(here.hits, misses))
            known = self._after_hit.get((self.turned(1 << cell, 0), misses))
            if known is not None:
                hit = min(hit, known.most)
            hit = min(hit, self._bound_after_hit(missed, cell, misses).most)
            shots.append((hit + self._plain_cap(missed | 1 << cell, misses - 1), cell))
        return sorted(shots, key=lambda shot: (-shot[0], shot[1]))

    def _hit(self, missed: int, cell: int, misses: int, enough: int) -> int:
        """N(F_cell(missed), misses) if it is above `enough`; else an upper bound that is not.

        Once nothing is counted any more, an upper bound.
        """
        known = self._bound_after_hit(missed, cell, misses)
        if self._bounded is None and not known.is_exact and known.most > enough:
            hit, before = self.turned(1 << cell, missed)
            most = self._kernel.most(hit.bit_length() - 1, to_words([before])[0], misses, enough)
            known = self._after_hit[(hit, before), misses] = Value(most, most > enough)
        return known.most

    def _bound_after_hit(self, missed: int, cell: int, misses: int) -> Value:
        """What is known of N(F_cell(missed), misses), or what the ships through the cell say."""
        hit, before = self.turned(1 << cell, missed)
        known = self._after_hit.get(((hit, before), misses))
        if known is None:
            here, left = self.residual(missed), 0
            if self._ships is not None:
                self._asked += 1
                self._tick(0)
                left = self._ships.unfinished(hit.bit_length() - 1, to_words([before])[0], misses)
            most = min(int(here.counts[cell]) - left, _words(misses, here.hits - 1))
            known = self._after_hit[(hit, before), misses] = Value(most, False)
        return known

    def without(self, missed: int) -> NDArray[np.bool_]:
        """Which sets have none of the missed cells."""
        free: NDArray[np.bool_] = np.logical_not(self.has[:, list(bits(missed))].any(axis=1))
        return free

    def residual(self, missed: int) -> Residual:
        """F(missed), taken stock of."""
        here = self._residuals.get(missed)
        if here is None:
            left = self.has[self.without(missed)]
            counts = left.sum(axis=0)
            certain = counts == len(left)
            counts[certain] = 0
            hits = self._hits - int(certain.sum()) if len(left) else 0
            falling = sorted((int(n) for n in counts if n), reverse=True)
            here = self._residuals[missed] = Residual(len(left), hits, counts, falling)
        return here

    def turned(self, hit: int, missed: int) -> tuple[int, int]:
        """The least of what the symmetries make of a cell hit and of those missed."""
        least = self._least_turns.get((hit, missed))
        if least is None:
            least = min((image(hit, turn), image(missed, turn)) for turn in self._turns)
            self._least_turns[hit, missed] = least
        return least


def _words(misses: int, hits: int) -> int:
    """The sequences of so many hits and at most so many misses that end in a hit."""
    return comb(misses + hits, hits) if misses >= 0 else 0
