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

from cells cimport Cells, high, low, pop_bit, popcount
from hashing cimport scramble

cdef enum:
    LINE_BYTES = 64                  # bytes of a bucket
    BUCKET_ENTRIES = 4
    FIRST_BITS = 8                  # bits of the first sum that decide the bucket in the smallest table
    STORED_BITS = 12                  # further bits of it, stored in the entry, for the largest table


cdef class IdentityTable:
    """A table of at most `most_bytes` bytes, which begins small because zeroing takes time.

    most -- the bytes of these that can be used. compared -- the bits by which families are distinguished:
    all, except in tests of the effect of a wrong entry.
    """

    def __cinit__(self, uint64_t most_bytes):
        self.most = LINE_BYTES
        while 2 * self.most <= most_bytes and self.most < LINE_BYTES << (FIRST_BITS + STORED_BITS):
            self.most *= 2
        self.compared = <uint64_t>-1
        for i in range(3):
            self.seeds[i] = <uint64_t>int.from_bytes(os.urandom(8), "little") | 1
        self.allocate(min(self.most, LINE_BYTES << FIRST_BITS))

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
        self.bytes, self.mask, self.used = bytes, bytes // LINE_BYTES - 1, 0
        return 0

    cdef int grow(self) except -1:
        """Replace the table by one four times as large with the same entries.

        The bits stored in an entry follow those that decide its bucket in the smallest table.
        """
        cdef unsigned char[::1] old_memory = self.memory
        cdef const uint64_t* entry = <const uint64_t*>&old_memory[0]
        cdef uint64_t buckets = self.mask + 1, i
        cdef uint64_t* new_entry
        self.allocate(min(self.most, 4 * self.bytes))
        for i in range(buckets * BUCKET_ENTRIES):
            if entry[0]:
                new_entry = self.entries + 2 * BUCKET_ENTRIES * (
                    (i // BUCKET_ENTRIES
                     | entry[1] >> (64 - STORED_BITS) << FIRST_BITS & ~(buckets - 1)) & self.mask)
                while new_entry[0]:
                    new_entry += 2
                new_entry[0], new_entry[1] = entry[0], entry[1]
                self.used += 1
            entry += 2
        return 0

    cdef Identity of_family(self, const Cells* set_cells, const int64_t* weights,
                            int set_count) noexcept nogil:
        """Return the identity of sets that have no common cell; weights -- NULL if all are 1."""
        cdef Identity identity
        cdef int i
        identity.bucket_sum = identity.fingerprint = set_count
        for i in range(set_count):
            add_set(&identity, set_cells[i], 1 if weights == NULL else weights[i], self.seeds)
        return identity

    cdef Identity of_ships(self, const Cells* masks, const unsigned char* codes, int per_set,
                           const int64_t* weights, int set_count, int reply_kind) noexcept nogil:
        """Return the identity of sets of ships; codes -- of the labels of the ships."""
        cdef Identity identity
        cdef int i
        identity.bucket_sum = identity.fingerprint = set_count + (<uint64_t>reply_kind << 32)
        for i in range(set_count):
            add_ships(&identity, masks + i * per_set, codes, per_set, 0, 1 if weights == NULL else weights[i],
                      self.seeds)
        return identity

    cdef Identity of_labelled(self, const Cells* set_cells, const Cells* masks, const unsigned char* codes,
                              int per_set, const int64_t* weights, uint64_t sets) noexcept nogil:
        """Return the identity of a subset, as bits, of sets of ships, without the cells that all have.

        On each of these cells all of them must have the same label.
        """
        cdef Identity identity
        cdef Cells certain = common_cells(set_cells, sets)
        cdef int set_index
        identity.bucket_sum = identity.fingerprint = popcount(sets)
        while sets:
            set_index = pop_bit(&sets)
            add_ships(&identity, masks + set_index * per_set, codes, per_set, certain, 1 if weights == NULL
                      else weights[set_index], self.seeds)
        return identity

    cdef Identity of_subset(self, const Cells* set_cells, const int64_t* weights,
                            uint64_t sets) noexcept nogil:
        """Return the identity of a subset, as bits, without the cells that all of its sets have."""
        cdef Identity identity
        cdef Cells certain = common_cells(set_cells, sets)
        cdef int set_index
        identity.bucket_sum = identity.fingerprint = popcount(sets)
        while sets:
            set_index = pop_bit(&sets)
            add_set(&identity, set_cells[set_index] & ~certain, 1 if weights == NULL else weights[set_index],
                    self.seeds)
        return identity

    cdef bint find(self, const Identity* identity, int64_t* lower, bint* exact) noexcept nogil:
        """True if a family has an entry; then set `lower`, its optimum if `exact`, else a bound."""
        cdef uint64_t hash = scramble(identity.bucket_sum & self.compared)
        cdef uint64_t fingerprint = (identity.fingerprint & self.compared) | 1
        cdef const uint64_t* entry = self.entries + 2 * BUCKET_ENTRIES * (hash & self.mask)
        for _ in range(BUCKET_ENTRIES):
            if entry[0] == fingerprint and entry[1] >> (64 - STORED_BITS) == stored_bits(hash):
                lower[0] = <int64_t>(entry[1] << STORED_BITS >> (STORED_BITS + 1))
                exact[0] = entry[1] & 1
                return True
            entry += 2
        return False

    cdef int keep(self, const Identity* identity, int64_t lower, bint exact) except -1 nogil:
        """Store the optimum of a family, if `exact`, or a bound."""
        cdef uint64_t hash = scramble(identity.bucket_sum & self.compared)
        cdef uint64_t fingerprint = (identity.fingerprint & self.compared) | 1
        cdef uint64_t* bucket
        cdef int i, place = <int>(hash >> 50) & (BUCKET_ENTRIES - 1)
        if 2 * self.used > BUCKET_ENTRIES * self.mask and self.bytes < self.most:
            with gil:
                self.grow()
        bucket = self.entries + 2 * BUCKET_ENTRIES * (hash & self.mask)
        for i in range(BUCKET_ENTRIES):
            if bucket[2 * i] == 0 or (bucket[2 * i] == fingerprint and bucket[2 * i + 1] >> (64 - STORED_BITS)
                                      == stored_bits(hash)):
                place = i
                break
        self.used += bucket[2 * place] == 0
        bucket[2 * place] = fingerprint
        bucket[2 * place + 1] = (
            stored_bits(hash) << (64 - STORED_BITS) | 2 * <uint64_t>lower | <uint64_t>exact)
        return 0


cdef inline Cells common_cells(const Cells* set_cells, uint64_t sets) noexcept nogil:
    """Return the cells that all of these sets have; sets -- as bits."""
    cdef Cells common = ~<Cells>0
    while sets:
        common &= set_cells[pop_bit(&sets)]
    return common


cdef inline uint64_t stored_bits(uint64_t hash) noexcept nogil:
    """Return the bits of a scrambled first sum that are stored in its entry."""
    return hash >> FIRST_BITS & ((1 << STORED_BITS) - 1)


cdef inline void add_ships(Identity* identity, const Cells* ships, const unsigned char* codes, int per_set,
                           Cells certain, int64_t weight, const uint64_t* seeds) noexcept nogil:
    """Add a set of ships, without the certain cells, to an identity."""
    cdef Identity ships_identity
    cdef int j
    ships_identity.bucket_sum = ships_identity.fingerprint = weight
    for j in range(per_set):
        add_set(&ships_identity, ships[j] & ~certain, codes[j], seeds)
    identity.bucket_sum += scramble(ships_identity.bucket_sum)
    identity.fingerprint += scramble(ships_identity.fingerprint + seeds[0])


cdef inline void add_set(Identity* identity, Cells cells, int64_t weight,
                         const uint64_t* seeds) noexcept nogil:
    """Add a set of cells to an identity."""
    cdef uint64_t low_cells = low(cells), high_cells = high(cells)
    identity.bucket_sum += scramble(low_cells + high_cells * <uint64_t>0x9E3779B97F4A7C15 + <uint64_t>weight
                                    * <uint64_t>0xD1B54A32D192ED03)
    identity.fingerprint += scramble((low_cells ^ seeds[0]) + high_cells * seeds[1] + <uint64_t>weight
                                     * seeds[2])
