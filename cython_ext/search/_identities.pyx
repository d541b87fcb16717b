"""Cached bounds and optima of families, by their sets, for all searches.

The name of a family has 128 bits: sums over its sets, without the cells that all of them have, of two
hashes of the cells and the weight of a set. The first sum decides the bucket of the entry, and is equal
in every run, so that a search takes as many nodes each time. The second sum uses random numbers drawn
for each table: if two families were ever confused, another run would not repeat it.

Four entries are one line of the processor's cache. A new one replaces the entry of its family, or a free
one, or any. Families that differ only in the names of cells have an entry each; `_normal_form` identifies
them, which takes longer.
"""

import mmap
import os

from libc.stdint cimport int64_t, uint64_t

from cells cimport Cells, ctz, high, low, popcount
from hashing cimport scramble

cdef enum:
    LINE = 64                  # bytes of a bucket
    ENTRIES = 4
    FIRST = 8                  # bits of the first sum that decide the bucket in the smallest table
    BITS = 12                  # further bits of it, stored in the entry, for the largest table


cdef class IdentityTable:
    """A table of at most `most_bytes` bytes, which begins small because zeroing takes time.

    most -- the bytes of these that can be used. compared -- the bits by which families are distinguished:
    all, except in tests of the effect of a wrong entry.
    """

    def __cinit__(self, uint64_t most_bytes):
        self.most = LINE
        while 2 * self.most <= most_bytes and self.most < LINE << (FIRST + BITS):
            self.most *= 2
        self.compared = <uint64_t>-1
        for i in range(3):
            self.seeds[i] = <uint64_t>int.from_bytes(os.urandom(8), "little") | 1
        self.allocate(min(self.most, LINE << FIRST))

    cdef int allocate(self, uint64_t bytes) except -1:
        """Replace the table by an empty one of this size."""
        try:
            memory = mmap.mmap(-1, bytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        except OSError as error:
            raise MemoryError from error
        if hasattr(mmap, "MADV_HUGEPAGE"):  # else each look-up misses the TLB, too
            memory.madvise(mmap.MADV_HUGEPAGE)
        self.memory = memory
        self.entries = <uint64_t*>&self.memory[0]
        self.bytes, self.mask, self.used = bytes, bytes // LINE - 1, 0
        return 0

    cdef int grow(self) except -1:
        """Replace the table by one four times as large with the same entries.

        The bits stored in an entry follow those that decide its bucket in the smallest table.
        """
        cdef unsigned char[::1] kept = self.memory
        cdef const uint64_t* entry = <const uint64_t*>&kept[0]
        cdef uint64_t buckets = self.mask + 1, i
        cdef uint64_t* out
        self.allocate(min(self.most, 4 * self.bytes))
        for i in range(buckets * ENTRIES):
            if entry[0]:
                out = self.entries + 2 * ENTRIES * (
                    (i // ENTRIES | entry[1] >> (64 - BITS) << FIRST & ~(buckets - 1)) & self.mask)
                while out[0]:
                    out += 2
                out[0], out[1] = entry[0], entry[1]
                self.used += 1
            entry += 2
        return 0

    cdef Identity of_family(self, const Cells* rows, const int64_t* weights, int n) noexcept nogil:
        """Return the name of n sets that have no common cell; weights -- NULL if all are 1."""
        cdef Identity key
        cdef int i
        key.place = key.print = n
        for i in range(n):
            add_set(&key, rows[i], 1 if weights == NULL else weights[i], self.seeds)
        return key

    cdef Identity of_ships(self, const Cells* masks, const unsigned char* codes, int s,
                           const int64_t* weights, int n, int kind) noexcept nogil:
        """Return the name of n sets of ships, with the codes of the ships."""
        cdef Identity key
        cdef int i
        key.place = key.print = n + (<uint64_t>kind << 32)
        for i in range(n):
            add_ships(&key, masks + i * s, codes, s, 0, 1 if weights == NULL else weights[i], self.seeds)
        return key

    cdef Identity of_labelled(self, const Cells* rows, const Cells* masks, const unsigned char* codes,
                              int s, const int64_t* weights, uint64_t sets) noexcept nogil:
        """Return the name of a subset of at most 64 sets of ships, without the cells common to the subset.

        On each of these cells all of them must have the same label.
        """
        cdef Identity key
        cdef Cells certain = ~<Cells>0
        cdef uint64_t left = sets
        cdef int i
        key.place = key.print = popcount(sets)
        while left:
            certain &= rows[ctz(left)]
            left &= left - 1
        while sets:
            i = ctz(sets)
            add_ships(&key, masks + i * s, codes, s, certain,
                      1 if weights == NULL else weights[i], self.seeds)
            sets &= sets - 1
        return key

    cdef Identity of_subset(self, const Cells* rows, const int64_t* weights,
                            uint64_t sets) noexcept nogil:
        """Return the name of a subset of at most 64 sets, without the cells common to the subset."""
        cdef Identity key
        cdef Cells certain = ~<Cells>0
        cdef uint64_t left = sets
        cdef int i, n = 0
        while left:
            certain &= rows[ctz(left)]
            left &= left - 1
            n += 1
        key.place = key.print = n
        while sets:
            i = ctz(sets)
            add_set(&key, rows[i] & ~certain, 1 if weights == NULL else weights[i], self.seeds)
            sets &= sets - 1
        return key

    cdef bint find(self, const Identity* key, int64_t* lower, bint* exact) noexcept nogil:
        """True if a family has an entry; then set `lower`, its optimum if `exact`, else a bound."""
        cdef uint64_t spot = scramble(key.place & self.compared)
        cdef uint64_t print = (key.print & self.compared) | 1
        cdef const uint64_t* entry = self.entries + 2 * ENTRIES * (spot & self.mask)
        for _ in range(ENTRIES):
            if entry[0] == print and entry[1] >> (64 - BITS) == beside(spot):
                lower[0] = <int64_t>(entry[1] << BITS >> (BITS + 1))
                exact[0] = entry[1] & 1
                return True
            entry += 2
        return False

    cdef int keep(self, const Identity* key, int64_t lower, bint exact) except -1 nogil:
        """Store the optimum of a family, if `exact`, or a bound."""
        cdef uint64_t spot = scramble(key.place & self.compared)
        cdef uint64_t print = (key.print & self.compared) | 1
        cdef uint64_t* bucket
        cdef int i, chosen = <int>(spot >> 50) & (ENTRIES - 1)
        if 2 * self.used > ENTRIES * self.mask and self.bytes < self.most:
            with gil:
                self.grow()
        bucket = self.entries + 2 * ENTRIES * (spot & self.mask)
        for i in range(ENTRIES):
            if bucket[2 * i] == 0 or (
                    bucket[2 * i] == print and bucket[2 * i + 1] >> (64 - BITS) == beside(spot)):
                chosen = i
                break
        self.used += bucket[2 * chosen] == 0
        bucket[2 * chosen] = print
        bucket[2 * chosen + 1] = (
            beside(spot) << (64 - BITS) | 2 * <uint64_t>lower | <uint64_t>exact)
        return 0


cdef inline uint64_t beside(uint64_t spot) noexcept nogil:
    """Return the bits of a scrambled first sum that are stored in its entry."""
    return spot >> FIRST & ((1 << BITS) - 1)


cdef inline void add_ships(Identity* key, const Cells* ships, const unsigned char* codes, int s,
                           Cells certain, int64_t weight, const uint64_t* seeds) noexcept nogil:
    """Add a set of ships to a name, without the certain cells."""
    cdef Identity one
    cdef int j
    one.place = one.print = weight
    for j in range(s):
        add_set(&one, ships[j] & ~certain, codes[j], seeds)
    key.place += scramble(one.place)
    key.print += scramble(one.print + seeds[0])


cdef inline void add_set(Identity* key, Cells cells, int64_t weight, const uint64_t* seeds) noexcept nogil:
    """Add a set to a name."""
    cdef uint64_t some = low(cells), others = high(cells)
    key.place += scramble(some + others * <uint64_t>0x9E3779B97F4A7C15
                          + <uint64_t>weight * <uint64_t>0xD1B54A32D192ED03)
    key.print += scramble((some ^ seeds[0]) + others * seeds[1] + <uint64_t>weight * seeds[2])
