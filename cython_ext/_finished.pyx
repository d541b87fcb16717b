"""The most sets with one cell that any strategy finishes within so many misses, by branch and bound.

`optsearch.search.finished` asks: c is hit, some cells are missed, and r misses are still allowed. All
that is looked into is a part S of the sets with c, one bit a set, and all questions share one table.
With S_d the sets of S with the cell d, N(S, r) is |S| where |S| <= 1, 0 for r < 0, and else the
greatest of

    N(S_d, r) + N(S - S_d, r - 1)

over the cells d that some sets of S have and some have not.

- At sight: min(|S|, r + 1) where |S| = 2, where each set has one cell to hit and where no two sets
  share one that is undecided.
- Caps: for S with k cells to hit, those of all its sets aside, w(r, k) = C(r + k, k), 0 for r < 0, and
  cnt_0 >= cnt_1 >= ... the numbers of sets that have each cell, N(S, r) is for every j at most the sum
  over i < j of min(cnt_i, w(r - i, k - 1)), and of min(|S|, w(r - j, k)). The proof is that of
  `optsearch.search.finished`.
- One miss less: N(S, r) <= min(cnt_0, w(r, k - 1)) + N(S, r - 1), since S - S_d is a part of S. So S is
  searched with r - 1 misses first. What comes of it bounds N(S - S_d, r - 1), too.
- Domination: where S_d lies in S_e, d need not be shot before e (`_search`).
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from cpython.mem cimport PyMem_Calloc, PyMem_Free

from cells cimport MAX_CELLS, Cells, first, join, popcount
from hashing cimport scramble
from optsearch.compiled._effort cimport Effort, count_node

cdef enum:
    MAX_WORDS = 64             # of the sets with a cell
    NEVER = 1 << 28            # more sets than there are


cdef struct Part:
    uint64_t sets[MAX_WORDS]
    int n, hits, misses        # sets; cells that each has to hit, those of all aside; misses left
    int upper                  # no strategy finishes more
    bint exact                 # but one as many
    int m                      # undecided cells, by falling count
    uint8_t cell[MAX_CELLS]
    int32_t count[MAX_CELLS]


cdef class Finished:
    """Counts for one family.

    sets -- (n, 2) uint64, distinct sets of as many cells each. cells -- how many the grid has. tick --
    as of `Effort`. memory -- bytes of the table.
    """

    cdef int cells, hits, words
    cdef int32_t most_words[MAX_CELLS + 1][MAX_CELLS + 1]  # w(r, k)
    cdef uint64_t* columns     # [cell hit][cell][word]: the sets with both; with one cell, all of it
    cdef uint64_t* table       # [slots][words + 1]: sets, and what is known of them
    cdef uint64_t slots
    cdef readonly Effort effort

    def __cinit__(self, const uint64_t[:, ::1] sets, int cells, tick, Py_ssize_t memory):
        cdef int counts[MAX_CELLS]
        cdef int i, c, d, r, k, number
        cdef Cells one, other
        if not 1 <= cells <= MAX_CELLS:
            raise ValueError(f"a grid of 1 to {MAX_CELLS} cells")
        self.cells, self.effort, self.words, self.hits = cells, Effort(tick), 1, 0
        for r in range(MAX_CELLS + 1):
            for k in range(MAX_CELLS + 1):
                self.most_words[r][k] = 1 if r == 0 or k == 0 else min(
                    NEVER, self.most_words[r - 1][k] + self.most_words[r][k - 1])
        memset(counts, 0, sizeof(counts))
        for i in range(sets.shape[0]):
            one = join(sets[i, 0], sets[i, 1])
            k = 0
            while one:
                if first(one) >= cells:
                    raise ValueError("a set beyond the grid")
                counts[first(one)] += 1
                one &= one - 1
                k += 1
            self.hits = k
        for c in range(cells):
            self.words = max(self.words, (counts[c] + 63) // 64)
        if self.words > MAX_WORDS:
            raise ValueError(f"more than {64 * MAX_WORDS} sets with a cell")
        self.columns = <uint64_t*>PyMem_Calloc(cells * cells * self.words, sizeof(uint64_t))
        self.slots = 1
        while 2 * self.slots * (self.words + 1) * sizeof(uint64_t) <= <uint64_t>memory:
            self.slots *= 2
        self.table = <uint64_t*>PyMem_Calloc(self.slots * (self.words + 1), sizeof(uint64_t))
        if self.columns == NULL or self.table == NULL:
            raise MemoryError
        memset(counts, 0, sizeof(counts))
        for i in range(sets.shape[0]):
            one = join(sets[i, 0], sets[i, 1])
            while one:
                c = first(one)
                one &= one - 1
                number = counts[c]
                counts[c] += 1
                other = join(sets[i, 0], sets[i, 1])
                while other:
                    d = first(other)
                    other &= other - 1
                    self.column(c, d)[number // 64] |= <uint64_t>1 << number % 64

    def __dealloc__(self):
        PyMem_Free(self.columns)
        PyMem_Free(self.table)

    cdef uint64_t* column(self, int hit, int cell) noexcept nogil:
        return self.columns + (hit * self.cells + cell) * self.words

    def most(self, int cell, const uint64_t[::1] missed, int misses, int enough):
        """N of the sets with `cell` and none of `missed`, if it is above `enough`; else a bound.

        missed -- uint64 of shape (2,), cells. The bound is an upper one, and not above `enough`.
        """
        cdef Part part
        cdef Cells before = join(missed[0], missed[1])
        cdef int w, d
        if not 0 <= cell < self.cells or not 0 <= misses < MAX_CELLS:
            raise ValueError(f"a cell of the grid, and 0 to {MAX_CELLS - 1} misses")
        with nogil:
            for w in range(self.words):
                part.sets[w] = self.column(cell, cell)[w]
            while before:
                d = first(before)
                before &= before - 1
                if d < self.cells:
                    for w in range(self.words):
                        part.sets[w] &= ~self.column(cell, d)[w]
            self.take_stock(cell, &part, misses)
            w = self.search(cell, &part, enough)
        return w

    cdef void take_stock(self, int hit, Part* part, int misses) noexcept nogil:
        """Count the cells of some sets, and what can be said of them at sight."""
        cdef int w, d, number
        part.n = self.size(part.sets)
        part.m, part.hits, part.misses = 0, self.hits, misses
        for d in range(self.cells):
            number = 0
            for w in range(self.words):
                number += popcount(part.sets[w] & self.column(hit, d)[w])
            if number:
                self.put(part, d, number)
        self.bound(hit, part)

    cdef int size(self, const uint64_t* sets) noexcept nogil:
        cdef int w, number = 0
        for w in range(self.words):
            number += popcount(sets[w])
        return number

    cdef void put(self, Part* part, int d, int number) noexcept nogil:
        """A cell that so many sets have, more than none, in its place."""
        cdef int i = part.m
        if number == part.n:
            part.hits -= 1
            return
        while i > 0 and part.count[i - 1] < number:
            part.count[i] = part.count[i - 1]
            part.cell[i] = part.cell[i - 1]
            i -= 1
        part.count[i], part.cell[i] = number, d
        part.m += 1

    cdef void divide(self, int hit, const Part* part, int i, Part* has, Part* missed) noexcept nogil:
        """The two parts at the cell number i."""
        cdef uint64_t* column = self.column(hit, part.cell[i])
        cdef int w, j, number
        for w in range(self.words):
            has.sets[w] = part.sets[w] & column[w]
            missed.sets[w] = part.sets[w] & ~column[w]
        has.n, missed.n = part.count[i], part.n - part.count[i]
        has.m = missed.m = 0
        has.hits, missed.hits = part.hits - 1, part.hits
        has.misses, missed.misses = part.misses, part.misses - 1
        for j in range(part.m):
            if j == i:
                continue
            column = self.column(hit, part.cell[j])
            number = 0
            for w in range(self.words):
                number += popcount(has.sets[w] & column[w])
            if number:
                self.put(has, part.cell[j], number)
            if number < part.count[j]:
                self.put(missed, part.cell[j], part.count[j] - number)
        self.bound(hit, has)
        self.bound(hit, missed)

    cdef void bound(self, int hit, Part* part) noexcept nogil:
        """What can be said at sight, by the caps and by the table."""
        part.exact = True
        if part.misses < 0 or part.n < 2:
            part.upper = 0 if part.misses < 0 else part.n
        elif part.n == 2 or part.hits == 1 or part.misses == 0 or part.count[0] == 1:
            part.upper = min(part.n, part.misses + 1)
        else:
            part.exact = False
            part.upper = self.cap(part, part.n, part.misses, -1)
            self.recall(hit, part)

    cdef int cap(self, const Part* part, int n, int misses, int missed) noexcept nogil:
        """The least of the caps for n sets with the cells of a part but the one numbered `missed`."""
        cdef int i, met = 0, least = min(n, self.most_words[misses][part.hits])
        for i in range(part.m):
            if i == missed:
                continue
            met += min(part.count[i], self.most_words[misses][part.hits - 1])
            misses -= 1
            if met >= least:
                return least
            if misses < 0:
                return met
            least = min(least, met + self.most_words[misses][part.hits])
        return min(least, met)

    cdef int search(self, int hit, Part* part, int enough) except -1 nogil:
        """N of a part if it is above `enough`, else an upper bound that is not."""
        cdef Part has, missed
        cdef int i, bound, of_hit, later, best = enough, refused = 0
        if part.exact or part.upper <= enough:
            return part.upper
        count_node(self.effort)
        of_hit = self.most_words[part.misses][part.hits - 1]
        missed = part[0]
        missed.misses -= 1
        self.bound(hit, &missed)
        later = self.search(hit, &missed, enough - min(part.count[0], of_hit))
        part.upper = min(part.upper, min(part.count[0], of_hit) + later)
        if part.upper <= enough:
            self.keep(hit, part)
            return part.upper
        for i in range(part.m):
            if self.is_dominated(hit, part, i):
                continue
            bound = min(part.count[i], of_hit) + min(later, self.cap(
                part, part.n - part.count[i], part.misses - 1, i))
            if bound > best:
                self.divide(hit, part, i, &has, &missed)
                missed.upper = min(missed.upper, later)
                bound = min(bound, has.upper + missed.upper)
            if bound > best:
                bound = self.search_both(hit, &has, &missed, best)
            if bound > best:
                best = bound
                if best >= part.upper:
                    break
            else:
                refused = max(refused, bound)
        part.exact = best > enough
        part.upper = best if part.exact else min(part.upper, refused)
        self.keep(hit, part)
        return part.upper

    cdef int search_both(self, int hit, Part* has, Part* missed, int enough) except -1 nogil:
        """The sum of two parts if it is above `enough`, else an upper bound that is not."""
        cdef Part* small = has if has.n <= missed.n else missed
        cdef Part* large = missed if has.n <= missed.n else has
        small.upper = self.search(hit, small, enough - large.upper)
        if small.upper + large.upper > enough:
            large.upper = self.search(hit, large, enough - small.upper)
        return small.upper + large.upper

    cdef bint is_dominated(self, int hit, const Part* part, int i) noexcept nogil:
        """Whether all sets with a cell have another one of those before it."""
        cdef const uint64_t* column = self.column(hit, part.cell[i])
        cdef const uint64_t* other
        cdef int j, w
        for j in range(i):
            other = self.column(hit, part.cell[j])
            w = 0
            while w < self.words and not part.sets[w] & column[w] & ~other[w]:
                w += 1
            if w == self.words:
                return True
        return False

    # The table

    cdef uint64_t* slot(self, int hit, const Part* part) noexcept nogil:
        """The place of a part."""
        cdef uint64_t hash = <uint64_t>(part.misses << 8 | hit)
        cdef int w
        for w in range(self.words):
            hash = scramble(hash ^ part.sets[w])
        return self.table + (hash & (self.slots - 1)) * (self.words + 1)

    cdef void recall(self, int hit, Part* part) noexcept nogil:
        """What is known of a part."""
        cdef const uint64_t* slot = self.slot(hit, part)
        cdef uint64_t known = slot[self.words]
        cdef int w
        if known >> 48 != <uint64_t>(part.misses << 8 | hit):
            return
        for w in range(self.words):
            if slot[w] != part.sets[w]:
                return
        part.exact = known & 1
        part.upper = min(part.upper, <int>(<uint32_t>(known >> 1)))

    cdef void keep(self, int hit, const Part* part) noexcept nogil:
        """What is known of a part now; what was there before in its place goes."""
        cdef uint64_t* slot = self.slot(hit, part)
        cdef int w
        for w in range(self.words):
            slot[w] = part.sets[w]
        slot[self.words] = (<uint64_t>(part.misses << 8 | hit) << 48
                            | <uint64_t>part.upper << 1 | part.exact)
