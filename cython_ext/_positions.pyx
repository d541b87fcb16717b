"""The optimum and best greedy of every position of a small game, by their definitions.

A position is a number in base 3, a digit a cell with that of the first cell the highest: 0 missed,
1 hit, 2 not shot. One more shot makes it smaller, so that in ascending order every position comes
after those that it leads to. Where of two positions with as many shots the one comes first that
shoots an earlier cell, or misses where the other hits, the lesser number comes first.

    N(p) = N(p hit at c) + N(p missed at c)     configurations, for any cell c not shot
    M(p) = min over c of M(p hit at c) + M(p missed at c) + N(p missed at c)      misses, at least
    G(p) = the same over the cells with the greatest N(p hit at c) < N(p)         by best greedy

A cell in all configurations of a position or in none tells nothing: M and G are those after the
shot. A position without such a cell is *closed*; its family is what its configurations have on the
cells not shot, each such set with its weight. Every position has the family of a closed one, and
two positions are in one *class* if a symmetry of the grid takes the family of the one, with its
weights, to that of the other. Nothing is bounded, merged or pruned here, and no other kernel is
used.
"""

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport free, qsort, realloc
from libc.string cimport memcmp, memcpy, memset

from cells cimport ctz, popcount
from hashing cimport scramble
from slots cimport Slots, add_number, next_number

MAX_CELLS = 16

cdef enum:
    MOST_CELLS = 16
    MOST_SYMMETRIES = 8
    BETWEEN_SIGNALS = 1 << 20
    FIRST_ROOM = 1 << 9
    HALVES = 6561              # 3^8 positions of half the cells


cdef struct Class:
    uint64_t fingerprint       # of its normal form
    int32_t closed             # a closed position in it
    int32_t least              # the first of its positions with the fewest shots
    int32_t shots


cdef int ascending(const void* a, const void* b) noexcept nogil:
    cdef uint64_t x = (<const uint64_t*>a)[0], y = (<const uint64_t*>b)[0]
    return (x > y) - (x < y)


cdef class AllPositions:
    """All positions of one game.

    sets -- (n,) uint32: distinct sets of cells, bit i the cell i.
    weights -- (n,) int32, positive: how many configurations have each.
    cell_permutations -- (S, cells) int32: the symmetries of the grid, the identity first.
    configurations, optimum, greedy -- (3**cells,) int32, zeros: N, M and G are written there.
    classes -- the same: the class of each position, from 0; -1 where no configuration is left. Or
        None, if classes are not asked for.
    """

    cdef int n, cells, symmetries
    cdef uint32_t* sets
    cdef int32_t* weights
    cdef uint32_t* image_of_set                    # [symmetry << cells | set]
    cdef int32_t* image_of_half                    # [(symmetry * 2 + half) * 3^8 + half a position]
    cdef int32_t power[MOST_CELLS]
    cdef uint64_t* family                          # [n] normal form: set << 32 | weight, ascending
    cdef uint64_t* other                           # [n] another one
    cdef uint64_t* plain                           # [n] a family as it is
    cdef uint64_t* scratch                         # [n]
    cdef Class* known
    cdef int32_t known_n
    cdef int64_t room                              # for classes
    cdef Slots numbers                             # of classes, by their fingerprints
    cdef int32_t[::1] configurations, optimum, greedy, classes

    def __cinit__(self, const uint32_t[::1] sets, const int32_t[::1] weights,
                  const int32_t[:, ::1] cell_permutations, int32_t[::1] configurations,
                  int32_t[::1] optimum, int32_t[::1] greedy, int32_t[::1] classes=None):
        cdef int i, g, c, half
        cdef uint32_t s
        cdef int32_t code, rest, image, positions
        self.cells = <int>cell_permutations.shape[1]
        self.symmetries = <int>cell_permutations.shape[0]
        self.n = <int>sets.shape[0]
        if not 1 <= self.cells <= MOST_CELLS:
            raise ValueError(f"{self.cells} cells; from 1 to {MOST_CELLS}")
        if not 1 <= self.symmetries <= MOST_SYMMETRIES:
            raise ValueError(f"{self.symmetries} symmetries; from 1 to {MOST_SYMMETRIES}")
        for row in cell_permutations:
            if sorted(row) != list(range(self.cells)):
                raise ValueError(f"{list(row)} is no permutation of {self.cells} cells")
        if self.n < 1 or len(set(sets)) < self.n or max(sets) >> self.cells:
            raise ValueError(f"distinct sets of the {self.cells} cells, at least one")
        if weights.shape[0] != self.n or min(weights) < 1:
            raise ValueError("a positive weight for each set")
        if sum(map(int, weights)) * self.cells >= 1 << 31:
            raise ValueError("weights out of range")
        code = 1
        for c in range(self.cells - 1, -1, -1):
            self.power[c] = code
            if c:
                code *= 3
        positions = 3 * code
        for length in (configurations.shape[0], optimum.shape[0], greedy.shape[0],
                       positions if classes is None else classes.shape[0]):
            if length != positions:
                raise ValueError(f"an array of {length}; there are {positions} positions")
        self.configurations, self.optimum = configurations, optimum
        self.greedy, self.classes = greedy, classes
        self.sets = <uint32_t*>PyMem_Malloc(self.n * sizeof(uint32_t))
        self.weights = <int32_t*>PyMem_Malloc(self.n * sizeof(int32_t))
        self.family = <uint64_t*>PyMem_Malloc(self.n * sizeof(uint64_t))
        self.other = <uint64_t*>PyMem_Malloc(self.n * sizeof(uint64_t))
        self.plain = <uint64_t*>PyMem_Malloc(self.n * sizeof(uint64_t))
        self.scratch = <uint64_t*>PyMem_Malloc(self.n * sizeof(uint64_t))
        self.image_of_set = <uint32_t*>PyMem_Malloc(
            (<size_t>self.symmetries << self.cells) * sizeof(uint32_t))
        self.image_of_half = <int32_t*>PyMem_Malloc(
            self.symmetries * 2 * HALVES * sizeof(int32_t))
        if (self.sets == NULL or self.weights == NULL or self.family == NULL
                or self.other == NULL or self.plain == NULL or self.scratch == NULL
                or self.image_of_set == NULL or self.image_of_half == NULL):
            raise MemoryError
        for i in range(self.n):
            self.sets[i], self.weights[i] = sets[i], weights[i]
        for g in range(self.symmetries):
            self.image_of_set[<size_t>g << self.cells] = 0
            for s in range(1, <uint32_t>1 << self.cells):
                self.image_of_set[(<size_t>g << self.cells) | s] = (
                    self.image_of_set[(<size_t>g << self.cells) | (s & (s - 1))]
                    | <uint32_t>1 << cell_permutations[g, ctz(s)])
            for half in range(2):
                for code in range(HALVES):
                    rest, image = code, 0
                    for i in range(8):
                        c = self.cells - 1 - 8 * half - i
                        if c >= 0:
                            image += rest % 3 * self.power[cell_permutations[g, c]]
                        rest = rest // 3
                    self.image_of_half[(g * 2 + half) * HALVES + code] = image

    def __dealloc__(self):
        PyMem_Free(self.sets)
        PyMem_Free(self.weights)
        PyMem_Free(self.family)
        PyMem_Free(self.other)
        PyMem_Free(self.plain)
        PyMem_Free(self.scratch)
        PyMem_Free(self.image_of_set)
        PyMem_Free(self.image_of_half)
        free(self.known)
        free(self.numbers.words)

    def explore(self):
        """Fill the arrays; the first position with the fewest shots of each class, int32.

        No position without classes.
        """
        cdef int32_t i
        with nogil:
            self.explore_all()
        least = np.empty(self.known_n, np.int32)
        cdef int32_t[::1] view = least
        for i in range(self.known_n):
            view[i] = self.known[i].least
        return least

    cdef int explore_all(self) except -1 nogil:
        cdef int digits[MOST_CELLS]
        cdef uint32_t hits = 0, unshot = 0, rest, bit
        cdef int32_t positions = 3 * self.power[0], p, n, hit, missed, most, least, best, cost, q
        cdef int32_t* count = &self.configurations[0]
        cdef int32_t* optimum = &self.optimum[0]
        cdef int32_t* greedy = &self.greedy[0]
        cdef int32_t* classes = NULL
        cdef int c
        cdef bint closed
        if self.classes is not None:
            classes = &self.classes[0]
        for c in range(self.n):                    # where every cell is shot
            p = 0
            rest = self.sets[c]
            while rest:
                p += self.power[ctz(rest)]
                rest &= rest - 1
            count[p] = self.weights[c]
        memset(digits, 0, sizeof(digits))
        for p in range(positions):
            if p % BETWEEN_SIGNALS == 0:
                with gil:
                    PyErr_CheckSignals()
            if p:
                c = self.cells - 1
                while digits[c] == 2:
                    digits[c] = 0
                    unshot ^= <uint32_t>1 << c
                    c -= 1
                digits[c] += 1
                bit = <uint32_t>1 << c
                hits ^= bit                        # from 0 to 1 a hit, from 1 to 2 no longer
                if digits[c] == 2:
                    unshot ^= bit
            if unshot:
                c = ctz(unshot)
                count[p] = count[p - self.power[c]] + count[p - 2 * self.power[c]]
            n = count[p]
            if n == 0:
                if classes != NULL:
                    classes[p] = -1
                continue
            closed = True
            most = 0
            least = best = 0
            rest = unshot
            while rest:
                c = ctz(rest)
                rest &= rest - 1
                hit, missed = p - self.power[c], p - 2 * self.power[c]
                if count[hit] == 0 or count[missed] == 0:
                    q = hit if count[hit] else missed
                    optimum[p], greedy[p] = optimum[q], greedy[q]
                    if classes != NULL:
                        classes[p] = classes[q]
                    closed = False
                    break
                cost = optimum[hit] + optimum[missed] + count[missed]
                if most == 0 or cost < least:
                    least = cost
                if count[hit] >= most:
                    cost = greedy[hit] + greedy[missed] + count[missed]
                    if count[hit] > most or cost < best:
                        best = cost
                    most = count[hit]
            if closed:
                optimum[p], greedy[p] = least, best
            if classes == NULL:
                continue
            if closed:
                classes[p] = self.class_of(p, hits, unshot)
            c = self.cells - popcount(unshot)
            if c < self.known[classes[p]].shots:
                self.known[classes[p]].shots = c
                self.known[classes[p]].least = p
        return 0

    # Classes of closed positions

    cdef int32_t class_of(self, int32_t p, uint32_t hits, uint32_t unshot) except -1 nogil:
        """The class of a closed position, a new one if it is the first."""
        cdef int g
        cdef int32_t image, n, m
        cdef uint64_t fingerprint, theirs, at
        cdef int64_t i
        cdef Class* found
        for g in range(1, self.symmetries):
            image = (self.image_of_half[2 * g * HALVES + p % HALVES]
                     + self.image_of_half[(2 * g + 1) * HALVES + p // HALVES])
            if image < p:
                return self.classes[image]
        n = self.normal_form(hits, unshot, self.family, &fingerprint)
        at = fingerprint
        i = next_number(&self.numbers, fingerprint, &at)
        while i >= 0:
            if self.known[i].fingerprint == fingerprint:
                m = self.normal_form_of(self.known[i].closed, &theirs)
                if m == n and memcmp(self.family, self.other, n * sizeof(uint64_t)) == 0:
                    return <int32_t>i
            i = next_number(&self.numbers, fingerprint, &at)
        if self.known_n == self.room:
            self.enlarge()
        found = self.known + self.known_n
        found.fingerprint, found.closed, found.least = fingerprint, p, p
        found.shots = MOST_CELLS + 1
        add_number(&self.numbers, fingerprint, self.known_n)
        self.known_n += 1
        return self.known_n - 1

    cdef int32_t normal_form_of(self, int32_t p, uint64_t* fingerprint) noexcept nogil:
        """The same of a position alone, into `other`."""
        cdef uint32_t hits = 0, unshot = 0
        cdef int c
        for c in range(self.cells - 1, -1, -1):
            if p % 3 == 1:
                hits |= <uint32_t>1 << c
            elif p % 3 == 2:
                unshot |= <uint32_t>1 << c
            p = p // 3
        return self.normal_form(hits, unshot, self.other, fingerprint)

    cdef int32_t normal_form(self, uint32_t hits, uint32_t unshot, uint64_t* family,
                             uint64_t* fingerprint) noexcept nogil:
        """The family of a closed position: of its images that with the least fingerprint.

        Of several with this fingerprint, as under a symmetry of the family, the least one. Returns
        the number of sets.
        """
        cdef int32_t n = 0, i
        cdef int g, best = 0
        cdef uint64_t sum, sums[MOST_SYMMETRIES]
        cdef const uint32_t* image_of
        for i in range(self.n):
            if self.sets[i] & ~unshot == hits:
                self.plain[n] = (<uint64_t>(self.sets[i] & unshot) << 32
                                 | <uint64_t>self.weights[i])
                n += 1
        for g in range(self.symmetries):
            image_of = self.image_of_set + (<size_t>g << self.cells)
            sum = 0
            for i in range(n):
                sum += scramble(<uint64_t>image_of[self.plain[i] >> 32] << 32
                                | <uint32_t>self.plain[i])
            sums[g] = sum
            if sum < sums[best]:
                best = g
        fingerprint[0] = sums[best]
        self.image(n, best, family)
        for g in range(best + 1, self.symmetries):
            if sums[g] == sums[best]:
                self.image(n, g, self.scratch)
                for i in range(n):
                    if self.scratch[i] != family[i]:
                        if self.scratch[i] < family[i]:
                            memcpy(family, self.scratch, n * sizeof(uint64_t))
                        break
        return n

    cdef void image(self, int32_t n, int g, uint64_t* out) noexcept nogil:
        """The image of `plain`, ascending."""
        cdef const uint32_t* image_of = self.image_of_set + (<size_t>g << self.cells)
        cdef int32_t i
        for i in range(n):
            out[i] = (<uint64_t>image_of[self.plain[i] >> 32] << 32
                      | <uint32_t>self.plain[i])
        qsort(out, n, sizeof(uint64_t), ascending)

    cdef int enlarge(self) except -1 nogil:
        """Double the room for classes."""
        cdef int64_t room = max(FIRST_ROOM, 2 * self.room)
        cdef Class* known = <Class*>realloc(self.known, room * sizeof(Class))
        if known == NULL:
            with gil:
                raise MemoryError
        self.known, self.room = known, room
        return 0
