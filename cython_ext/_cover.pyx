"""How many configurations cover each pair, triple and quadruple of cells, all counted in one walk.

The ships are placed one after the other, equal lengths by ascending placement, all but the last of
the list. What is left of it is a *bundle*: the cells P of the ships placed, and the placements z of
the innermost ship that may stand beside them. A set of four cells is covered by a configuration of
the bundle with 0 to 4 of its cells in z and the others in P:

    three in P, one anywhere   one row of `rows` for every triple of P, a vector of cells added to it
    two in P, two or more in z    one row of `pairs` for every pair of P, a vector of placements
    one, none in P                rows of `singles` and of `none`, likewise

so that a bundle of p cells takes C(p, 3) vector additions for all of its quadruples. A cell of P
counts in the row of a triple only when it comes after the triple, so that a quadruple in P counts
once. The last column of every row counts the configurations of the rows' own cells alone.

Sets are numbered by the sum of C(cell i, i + 1) over their cells in ascending order.
"""

from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memcpy

import numpy as np

from cells cimport Cells, first, high, join, low, one, size

cdef enum:
    MAX_SHIPS = 16
    MAX_PLACEMENTS = 256


cdef inline int64_t pair(int a, int b) noexcept nogil:
    return a + <int64_t>b * (b - 1) // 2


cdef inline int64_t triple(int a, int b, int c) noexcept nogil:
    return pair(a, b) + <int64_t>c * (c - 1) * (c - 2) // 6


cdef inline int64_t quadruple(int a, int b, int c, int d) noexcept nogil:
    return triple(a, b, c) + <int64_t>d * (d - 1) * (d - 2) // 6 * (d - 3) // 4


cdef class Cover:
    """The counts of one fleet on a board, some ships of which may stand already.

    cells -- how many cells the board has; closed -- the two words of the cells where no ship of
        `ships` may be; counted -- the words of cells that every configuration covers and that
        count as covered (ships that stand, when they are part of the question).
    ships -- for every ship (masks, halos, is_again): uint64 arrays of shape (n, 2), and whether it
        has the length of the ship before it. The last one is the innermost.
    The counts are 32 bits wide: the caller sees to it that there are fewer configurations.
    """

    cdef int cells, width, ships, places, zwidth
    cdef Cells counted, closed
    cdef int number[MAX_SHIPS]
    cdef bint again[MAX_SHIPS]
    cdef Cells* mask[MAX_SHIPS]
    cdef Cells* halo[MAX_SHIPS]       # with the ship itself
    cdef uint32_t[:, ::1] rows, pairs, singles, none
    cdef uint32_t* vectors            # scratch: one vector for each possible last cell of a triple

    def __cinit__(self, int cells, closed, counted, ships):
        cdef int i, j
        cdef const uint64_t[:, ::1] masks, halos
        if not 1 <= cells <= 128 or not 1 <= len(ships) <= MAX_SHIPS:
            raise ValueError("a board of at most 128 cells and at most 16 ships")
        self.cells, self.ships = cells, len(ships)
        self.width = (cells + 1 + 7) // 8 * 8
        self.closed = join(closed[0], closed[1])
        self.counted = join(counted[0], counted[1])
        for i, (mask_words, halo_words, is_again) in enumerate(ships):
            masks, halos = mask_words, halo_words
            if masks.shape[0] > MAX_PLACEMENTS:
                raise ValueError("too many placements")
            self.number[i], self.again[i] = masks.shape[0], is_again
            self.mask[i] = <Cells*>PyMem_Calloc(masks.shape[0] + 1, sizeof(Cells))
            self.halo[i] = <Cells*>PyMem_Calloc(masks.shape[0] + 1, sizeof(Cells))
            if self.mask[i] == NULL or self.halo[i] == NULL:
                raise MemoryError
            for j in range(masks.shape[0]):
                self.mask[i][j] = join(masks[j, 0], masks[j, 1])
                self.halo[i][j] = join(halos[j, 0], halos[j, 1]) | self.mask[i][j]
        self.places = self.number[self.ships - 1]
        self.zwidth = (self.places + 1 + 7) // 8 * 8
        self.rows = np.zeros((max(1, cells * (cells - 1) * (cells - 2) // 6), self.width), np.uint32)
        self.pairs = np.zeros((max(1, cells * (cells - 1) // 2), self.zwidth), np.uint32)
        self.singles = np.zeros((cells, self.zwidth), np.uint32)
        self.none = np.zeros((1, self.zwidth), np.uint32)
        self.vectors = <uint32_t*>PyMem_Calloc((cells + 1) * self.width, sizeof(uint32_t))
        if self.vectors == NULL:
            raise MemoryError

    def __dealloc__(self):
        cdef int i
        for i in range(self.ships):
            PyMem_Free(self.mask[i])
            PyMem_Free(self.halo[i])
        PyMem_Free(self.vectors)

    def walk(self):
        """Meet every configuration once and fill the rows."""
        with nogil:
            self.place(0, 0, self.counted, self.closed)

    cdef void place(self, int ship, int start, Cells covered, Cells closed) noexcept nogil:
        """Place the ships from number `ship` on; an equal one from placement `start` on."""
        cdef int i, n
        if ship == self.ships - 1:
            self.bundle(start, covered, closed)
            return
        n = self.number[ship]
        for i in range(start, n):
            if not self.mask[ship][i] & closed:
                self.place(ship + 1, i + 1 if self.again[ship + 1] else 0,
                           covered | self.mask[ship][i], closed | self.halo[ship][i])

    cdef void bundle(self, int start, Cells covered, Cells closed) noexcept nogil:
        cdef int cells[128]
        cdef uint32_t allowed[MAX_PLACEMENTS + 8]
        cdef uint32_t n = 0
        cdef uint32_t* vector
        cdef uint32_t* row
        cdef int p = 0, i, j, k, x, last = self.ships - 1
        cdef Cells left
        cdef int width = self.width, zwidth = self.zwidth
        for i in range(zwidth):
            allowed[i] = 0
        vector = self.vectors
        for x in range(width):
            vector[x] = 0
        for i in range(start, self.places):
            if not self.mask[last][i] & closed:
                allowed[i] = 1
                n += 1
                left = self.mask[last][i]
                while left:
                    vector[first(left)] += 1
                    left &= left - 1
        if n == 0:
            return
        allowed[self.places] = vector[self.cells] = n
        left = covered
        while left:
            cells[p] = first(left)
            p += 1
            left &= left - 1
        # Vector k: the cells of the innermost ship, and those of P after the cell number k of P.
        for k in range(p - 2, -1, -1):
            row = self.vectors + (p - 1 - k) * width
            memcpy(row, row - width, width * sizeof(uint32_t))
            row[cells[k + 1]] = n
        row = &self.none[0, 0]
        for x in range(zwidth):
            row[x] += allowed[x]
        for k in range(p):
            row = &self.singles[cells[k], 0]
            for x in range(zwidth):
                row[x] += allowed[x]
            vector = self.vectors + (p - 1 - k) * width
            for j in range(k):
                row = &self.pairs[pair(cells[j], cells[k]), 0]
                for x in range(zwidth):
                    row[x] += allowed[x]
                for i in range(j):
                    row = &self.rows[triple(cells[i], cells[j], cells[k]), 0]
                    for x in range(width):
                        row[x] += vector[x]

    def counts(self):
        """(configurations, [singles, pairs, triples, quadruples]): int64 arrays by set number.

        Entry s of array j is the number of configurations that cover all cells of set s.
        """
        cdef int n = self.cells, a, b, c, d, z, i
        cdef Cells ship, some
        cdef int64_t[::1] c1, c2, c3, c4
        cdef int64_t s
        result = [np.zeros(max(1, size_), np.int64) for size_ in (
            n, n * (n - 1) // 2, n * (n - 1) * (n - 2) // 6,
            n * (n - 1) * (n - 2) * (n - 3) // 24)]
        c1, c2, c3, c4 = result
        with nogil:
            # Sets with no cell in the innermost ship, or with one.
            for a in range(n):
                c1[a] = self.singles[a, self.places]
                for b in range(a):
                    c2[pair(b, a)] = self.pairs[pair(b, a), self.places]
                    for c in range(b):
                        s = triple(c, b, a)
                        c3[s] = self.rows[s, n]
                        for d in range(c):
                            c4[quadruple(d, c, b, a)] = (
                                <int64_t>self.rows[triple(d, c, b), a]
                                + self.rows[triple(d, c, a), b]
                                + self.rows[triple(d, b, a), c]
                                + self.rows[triple(c, b, a), d])
            for z in range(self.places):
                ship = self.mask[self.ships - 1][z]
                some = ship
                while some:
                    a = first(some)
                    some &= some - 1
                    c1[a] += self.none[0, z]
                    for b in range(n):
                        if b == a:
                            continue
                        if ship & one(b):
                            if b < a:
                                self.pair_in(z, b, a, ship, c2, c3, c4)
                            continue
                        c2[pair(min(a, b), max(a, b))] += self.singles[b, z]
                        for c in range(b):
                            if c != a and not ship & one(c):
                                c3[sorted_triple(a, c, b)] += self.pairs[pair(c, b), z]
        return int(self.none[0, self.places]), result

    cdef void pair_in(self, int z, int a, int b, Cells ship, int64_t[::1] c2, int64_t[::1] c3,
                      int64_t[::1] c4) noexcept nogil:
        """Sets of which a < b, and of the innermost ship z no cell before a or between them."""
        cdef int n = self.cells, c, d
        c2[pair(a, b)] += self.none[0, z]
        for c in range(n):
            if ship & one(c):
                if c > b:
                    c3[triple(a, b, c)] += self.none[0, z]
                    for d in range(n):
                        if ship & one(d):
                            if d > c:
                                c4[quadruple(a, b, c, d)] += self.none[0, z]
                        else:
                            c4[sorted_quadruple(a, b, c, d)] += self.singles[d, z]
                continue
            c3[sorted_triple(a, b, c)] += self.singles[c, z]
            for d in range(c):
                if not ship & one(d):
                    c4[sorted_quadruple(a, b, d, c)] += self.pairs[pair(d, c), z]


cdef inline int64_t sorted_triple(int a, int b, int c) noexcept nogil:
    """The number of a set given in any order."""
    cdef int small = min(a, min(b, c)), large = max(a, max(b, c))
    return triple(small, a + b + c - small - large, large)


cdef inline int64_t sorted_quadruple(int a, int b, int c, int d) noexcept nogil:
    cdef int e = min(a, b), f = max(a, b), g = min(c, d), h = max(c, d)
    cdef int i = max(e, g), j = min(f, h)
    return quadruple(min(e, g), min(i, j), max(i, j), max(f, h))
