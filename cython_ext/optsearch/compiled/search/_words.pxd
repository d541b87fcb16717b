# The search of families that fit on one machine word.

from libc.stdint cimport int64_t, uint32_t, uint64_t

from cells cimport MAX_CELLS, Cells
from counting cimport Counted
from optsearch.compiled.search._bounds cimport Bounds
from optsearch.compiled.search._effort cimport Effort
from optsearch.compiled.search._family cimport Node
from optsearch.compiled.search._identities cimport IdentityTable
from options cimport Switches

cdef enum:
    WORD = 64                  # the most sets of a family
    KNOWN = 1 << 11            # cached subsets

cdef extern from *:
    """
    typedef struct {
        uint64_t subset;
        uint64_t lower : 51;   /* costs are below 2^50 */
        uint64_t exact : 1;
        uint64_t search : 12;  /* the number of that search; others' entries are void */
    } optsearch_known;
    """
    ctypedef struct Known "optsearch_known":    # the cached result of one subset
        uint64_t subset
        int64_t lower
        bint exact
        uint32_t search

cdef struct Subset:            # a subset of the family, with counted cells
    uint64_t sets
    const uint64_t* parts      # [m] the sets with each cell; padded as in counting.pxd
    int m
    int n                      # sets
    int hits                   # the most cells of a set, with those common to the subset
    int left                   # the most cells of a set, without those
    int most                   # the greatest count of a cell that not all have
    uint64_t frequent          # the part of the first cell of that count
    uint64_t counts[MAX_CELLS]  # [m]

cdef class WordSearch:
    cdef Bounds bounds
    cdef Effort effort
    cdef Switches on
    cdef int rule
    cdef Known* known          # results of searches
    cdef Known* bounded        # bounds of subsets
    cdef uint32_t searches     # number of the current search
    cdef IdentityTable identities  # or None
    cdef const Cells* rows     # the sets
    cdef const int64_t* weights  # of the sets, falling; NULL if all are 1
    cdef int64_t* sums         # of the weights of sets 8 * i to 8 * i + 7, by subset, at 256 * i
    cdef int search(self, Node* node, int64_t limit) except -1 nogil
    cdef void begin(self, const Node* node, uint64_t* columns) noexcept nogil
    cdef void sum_weights(self, int n) noexcept nogil
    cdef int64_t weight_of(self, uint64_t sets) noexcept nogil
    cdef int64_t least_of(self, uint64_t sets) noexcept nogil
    cdef int64_t capped_by_weight(self, uint64_t sets, int n, int left, int most) noexcept nogil
    cdef int64_t bound_of(self, const Node* node) noexcept nogil
    cdef int64_t recall(self, uint64_t sets, int n) noexcept nogil
    cdef void keep_bound(self, uint64_t sets, int64_t bound) noexcept nogil
    cdef void bound_parts(self, const Subset* subset, uint64_t sets_hit, int n_hit, int64_t* hit,
                          int64_t* missed) noexcept nogil
    cdef int64_t bound(self, const Subset* subset, Subset* part, uint64_t sets, int n,
                       const Counted* counted) noexcept nogil
    cdef int64_t bound_by_counts(self, const Subset* subset) noexcept nogil
    cdef int64_t bound_by_profile(self, const Subset* subset) noexcept nogil
    cdef int64_t solve(self, uint64_t sets, int hits, const uint64_t* columns, int columns_n,
                       int64_t limit, bint* exact) except -1 nogil
    cdef void keep(self, Known* known, uint64_t sets, int64_t lower, bint exact) noexcept nogil
    cdef int64_t solve_trivial(self, const Subset* subset) noexcept nogil
    cdef int64_t heaviest_part(self, const Subset* subset) noexcept nogil
    cdef int64_t try_cells(self, const Subset* subset, int64_t lower, int64_t limit,
                           bint* exact) except -1 nogil
    cdef void order_cells(self, const Subset* subset, int* order, int64_t* prices) noexcept nogil
    cdef int64_t bound_shot(self, const Subset* subset, int i, int64_t price, int64_t* hit,
                            int64_t* missed) noexcept nogil
    cdef int64_t shoot(self, const Subset* subset, int i, int64_t price, int64_t hit, int64_t missed,
                       int64_t limit) except -1 nogil
