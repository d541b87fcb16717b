# Counts of the configurations that cover each set of one to four cells, in rows for the cells that
# join a set: `_cover.pyx` fills the counts and searches sets, `_first_ship.pyx` searches sequences.
# Sets are numbered by the sum of C(cell i, i + 1) over their cells in ascending order.

from libc.stdint cimport int64_t, uint32_t

from optsearch.compiled.shared._arena cimport Arena


cdef inline int64_t pair(int a, int b) noexcept nogil:
    return a + <int64_t>b * (b - 1) // 2


cdef inline int64_t triple(int a, int b, int c) noexcept nogil:
    return pair(a, b) + <int64_t>c * (c - 1) * (c - 2) // 6


cdef inline int64_t quadruple(int a, int b, int c, int d) noexcept nogil:
    return triple(a, b, c) + <int64_t>d * (d - 1) * (d - 2) // 6 * (d - 3) // 4


cdef inline int64_t sorted_pair(int a, int b) noexcept nogil:
    """Return the number of a set of two cells in any order."""
    return pair(min(a, b), max(a, b))


cdef inline int64_t sorted_triple(int a, int b, int c) noexcept nogil:
    """Return the number of a set of three cells in any order."""
    cdef int small = min(a, min(b, c)), large = max(a, max(b, c))
    return triple(small, a + b + c - small - large, large)


cdef inline int64_t sorted_quadruple(int a, int b, int c, int d) noexcept nogil:
    """Return the number of a set of four cells in any order."""
    cdef int e = min(a, b), f = max(a, b), g = min(c, d), h = max(c, d)
    cdef int i = max(e, g), j = min(f, h)
    return quadruple(min(e, g), min(i, j), max(i, j), max(f, h))


cdef struct Covered:              # a row has the number of configurations that also cover each cell
    int64_t[128] alone            # configurations that cover each cell
    uint32_t* one_row             # of a cell, at cell * n
    uint32_t* two_rows            # of a pair, at pair * n
    uint32_t* three_rows          # of a triple


cdef inline int fill_covered(Covered* covered, Arena arena, int n, const int64_t[::1] c1,
                             const int64_t[::1] c2, const int64_t[::1] c3, const int64_t[::1] c4) except -1:
    """Fill the rows for n cells from the counts of sets by number."""
    cdef int a, b, c, d
    cdef uint32_t x
    cdef uint32_t* one = <uint32_t*>arena.array(n * n, sizeof(uint32_t))
    cdef uint32_t* two = <uint32_t*>arena.array(pair(0, n) * n, sizeof(uint32_t))
    cdef uint32_t* three = <uint32_t*>arena.array(triple(0, 1, n) * n, sizeof(uint32_t))
    covered.one_row, covered.two_rows, covered.three_rows = one, two, three
    for d in range(n):
        covered.alone[d] = c1[d]
        for c in range(d):
            x = <uint32_t>c2[pair(c, d)]
            one[c * n + d] = one[d * n + c] = x
            for b in range(c):
                x = <uint32_t>c3[triple(b, c, d)]
                two[pair(b, c) * n + d] = x
                two[pair(b, d) * n + c] = x
                two[pair(c, d) * n + b] = x
                for a in range(b):
                    x = <uint32_t>c4[quadruple(a, b, c, d)]
                    three[triple(a, b, c) * n + d] = x
                    three[triple(a, b, d) * n + c] = x
                    three[triple(a, c, d) * n + b] = x
                    three[triple(b, c, d) * n + a] = x
    return 0


cdef inline int64_t heaviest_tree(const uint32_t** rows, int width, int n, int v) noexcept nogil:
    """Return the greatest weight of a spanning tree, by Prim; rows[a * width + b][v] weighs edge a, b."""
    cdef int64_t[128] nearest
    cdef int64_t total = 0, most
    cdef int a, next = 0
    for a in range(1, n):
        nearest[a] = rows[a][v]
    for _ in range(1, n):
        most = -1
        for a in range(1, n):
            if nearest[a] > most:
                most, next = nearest[a], a
        total += most
        nearest[next] = -2
        for a in range(1, n):
            if nearest[a] >= 0 and rows[next * width + a][v] > nearest[a]:
                nearest[a] = rows[next * width + a][v]
    return total
