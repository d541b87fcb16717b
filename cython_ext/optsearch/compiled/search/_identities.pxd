# Cached bounds and optima of families, by their sets.

from libc.stdint cimport int64_t, uint64_t

from cells cimport Cells

cdef struct Identity:          # of a family; zeros if it has none
    uint64_t bucket_sum        # decides the bucket of its entry
    uint64_t fingerprint       # distinguishes it from others there

cdef class IdentityTable:
    cdef unsigned char[::1] memory  # of the entries, zeros at first, and freed with it
    cdef uint64_t* entries     # [4 * (mask + 1)] of two words: fingerprint; STORED_BITS, bound, exact
    cdef uint64_t mask         # buckets, a power of two, less 1
    cdef uint64_t used         # entries
    cdef uint64_t seeds[3]
    cdef public uint64_t compared
    cdef readonly uint64_t bytes, most  # the size now, and at most
    cdef int allocate(self, uint64_t bytes) except -1
    cdef int grow(self) except -1
    cdef Identity of_family(self, const Cells* set_cells, const int64_t* weights,
                            int set_count) noexcept nogil
    cdef Identity of_ships(self, const Cells* masks, const unsigned char* codes, int per_set,
                           const int64_t* weights, int set_count, int reply_kind) noexcept nogil
    cdef Identity of_labelled(self, const Cells* set_cells, const Cells* masks, const unsigned char* codes,
                              int per_set, const int64_t* weights, uint64_t sets) noexcept nogil
    cdef Identity of_subset(self, const Cells* set_cells, const int64_t* weights,
                            uint64_t sets) noexcept nogil
    cdef bint find(self, const Identity* identity, int64_t* lower, bint* exact) noexcept nogil
    cdef int keep(self, const Identity* identity, int64_t lower, bint exact) except -1 nogil
