# The search of families that fit on one machine word.

from libc.stdint cimport int16_t, int64_t, uint32_t, uint64_t

from cells cimport MAX_CELLS
from counting cimport Counted
from optsearch.compiled._bounds cimport Bounds
from optsearch.compiled._effort cimport Effort
from optsearch.compiled._family cimport Node
from options cimport Switches

cdef enum:
    WORD = 64                  # sets that are handled

cdef struct Known:             # what is known of one subset
    uint64_t subset
    uint32_t search            # the number of that search; others' entries are void
    int16_t lower
    int16_t exact

cdef struct Subset:            # some sets of the family, counted
    uint64_t sets
    const uint64_t* parts      # [m] the sets that have a cell; see counting.pxd for what follows
    int m
    int n                      # sets
    int hits                   # the most cells of a set, counting parts that all of them have
    int left                   # the same without
    int most                   # the greatest count, of cells that not all have
    uint64_t frequent          # the part of the first cell of that count
    uint64_t counts[MAX_CELLS]  # [m]

cdef class WordSearch:
    cdef Bounds bounds
    cdef Effort effort
    cdef Switches on
    cdef int rule
    cdef Known* known          # what was searched
    cdef Known* bounded        # what was bounded
    cdef uint32_t searches     # number of the current one
    cdef int search(self, Node* node, int64_t limit) except -1 nogil
    cdef void begin(self, const Node* node, uint64_t* columns) noexcept nogil
    cdef int bound_of(self, const Node* node) noexcept nogil
    cdef int recall(self, uint64_t sets, int n) noexcept nogil
    cdef void keep_bound(self, uint64_t sets, int bound) noexcept nogil
    cdef void bound_parts(self, const Subset* subset, uint64_t sets_hit, int n_hit, int* hit,
                          int* missed) noexcept nogil
    cdef int bound(self, const Subset* subset, Subset* part, uint64_t sets, int n,
                   const Counted* counted) noexcept nogil
    cdef int bound_by_counts(self, const Subset* subset) noexcept nogil
    cdef int bound_by_profile(self, const Subset* subset) noexcept nogil
    cdef int solve(self, uint64_t sets, int hits, const uint64_t* columns, int columns_n,
                   int limit, bint* exact) except -1 nogil
    cdef int try_cells(self, const Subset* subset, int lower, int limit,
                       bint* exact) except -1 nogil
    cdef int shoot(self, const Subset* subset, int i, int limit) except -1 nogil
