# What is known of families by which sets they are.

from libc.stdint cimport int64_t, uint64_t

from cells cimport Cells

cdef struct Identity:          # of a family; zeros: of none
    uint64_t place             # where its entry is
    uint64_t print             # what tells it from others there

cdef class IdentityTable:
    cdef unsigned char[::1] memory  # of the entries, zeros at first, and freed with it
    cdef uint64_t* entries     # [4 * (mask + 1)] of two words: print, and BITS of place, bound, exact
    cdef uint64_t mask         # buckets, a power of two, less 1
    cdef uint64_t used         # entries
    cdef uint64_t seeds[3]
    cdef public uint64_t compared
    cdef readonly uint64_t bytes, most  # that it takes, and that it may take
    cdef int allocate(self, uint64_t bytes) except -1
    cdef int grow(self) except -1
    cdef Identity of_family(self, const Cells* rows, const int64_t* weights, int n) noexcept nogil
    cdef Identity of_ships(self, const Cells* masks, const unsigned char* codes, int s,
                           const int64_t* weights, int n, int kind) noexcept nogil
    cdef Identity of_labelled(self, const Cells* rows, const Cells* masks, const unsigned char* codes,
                              int s, const int64_t* weights, uint64_t sets) noexcept nogil
    cdef Identity of_subset(self, const Cells* rows, const int64_t* weights,
                            uint64_t sets) noexcept nogil
    cdef bint find(self, const Identity* key, int64_t* lower, bint* exact) noexcept nogil
    cdef int keep(self, const Identity* key, int64_t lower, bint exact) except -1 nogil
