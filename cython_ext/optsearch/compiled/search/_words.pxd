# The search of families that fit on one machine word.

from libc.stdint cimport int64_t, uint32_t, uint64_t

from cells cimport MAX_CELLS, Cells
from counting cimport Counted
from optsearch.compiled.search._bounds cimport Bounds
from optsearch.compiled.search._effort cimport Effort
from optsearch.compiled.search._family cimport Node
from optsearch.compiled.search._identities cimport IdentityTable
from optsearch.compiled.shared._arena cimport Arena
from options cimport Switches

cdef enum:
    MAX_WORD_SETS = 64                  # the most sets of a family
    RESULT_ENTRIES = 1 << 11            # cached subsets

cdef extern from *:
    """
    typedef struct {
        uint64_t subset;
        uint64_t lower : 51;   /* costs are below 2^50 */
        uint64_t exact : 1;
        uint64_t search_number : 12;  /* entries of other searches are void */
    } optsearch_known;
    """
    ctypedef struct CacheEntry "optsearch_known":    # the cached result of one subset
        uint64_t subset
        int64_t lower
        bint exact
        uint32_t search_number

cdef struct Subset:            # a subset of the family, with counted cells
    uint64_t sets
    const uint64_t* columns    # [cell_count] the sets with each cell; padded as in counting.pxd
    int cell_count
    int set_count
    int max_hits               # the most cells of a set, with those common to the subset
    int max_uncertain          # the most cells of a set, without those
    int greatest_count         # the greatest count of a cell that not all have
    uint64_t frequent_column   # of the first cell of that count
    uint64_t counts[MAX_CELLS]

cdef class WordSearch:
    cdef Arena arena
    cdef Bounds bounds
    cdef Effort effort
    cdef Switches use
    cdef int rule
    cdef CacheEntry* result_cache
    cdef CacheEntry* bound_cache
    cdef uint32_t search_number
    cdef IdentityTable identities  # or None
    cdef const Cells* set_cells
    cdef const int64_t* weights  # of the sets, falling; NULL if all are 1
    cdef int64_t* weight_sums  # of the weights of sets 8 * i to 8 * i + 7, by subset, at 256 * i
    cdef int search(self, Node* node, int64_t limit) except -1 nogil
    cdef void begin(self, const Node* node, uint64_t* columns) noexcept nogil
    cdef void sum_weights(self, int set_count) noexcept nogil
    cdef int64_t weight_of(self, uint64_t sets) noexcept nogil
    cdef int64_t lightest_weight(self, uint64_t sets) noexcept nogil
    cdef int64_t table_bound(self, uint64_t sets, int set_count, int hits, int greatest_count) noexcept nogil
    cdef int64_t count_bound(self, const Node* node) noexcept nogil
    cdef int64_t recall_bound(self, uint64_t sets, int set_count) noexcept nogil
    cdef void cache_bound(self, uint64_t sets, int64_t bound) noexcept nogil
    cdef void bound_parts(self, const Subset* subset, uint64_t sets_hit, int hit_count, int64_t* hit_bound,
                          int64_t* missed_bound) noexcept nogil
    cdef int64_t bound_part(self, const Subset* subset, Subset* part, uint64_t sets, int set_count,
                            const Counted* counts) noexcept nogil
    cdef int64_t bound_by_counts(self, const Subset* subset) noexcept nogil
    cdef int64_t bound_by_profile(self, const Subset* subset) noexcept nogil
    cdef int64_t solve(self, uint64_t sets, int hits, const uint64_t* columns, int column_count,
                       int64_t limit, bint* exact) except -1 nogil
    cdef void cache_result(self, CacheEntry* entry, uint64_t sets, int64_t lower, bint exact) noexcept nogil
    cdef int64_t solve_trivial(self, const Subset* subset) noexcept nogil
    cdef int64_t heaviest_part(self, const Subset* subset) noexcept nogil
    cdef int64_t try_cells(self, const Subset* subset, int64_t lower, int64_t limit,
                           bint* exact) except -1 nogil
    cdef void order_cells(self, const Subset* subset, int* order, int64_t* prices) noexcept nogil
    cdef int64_t bound_shot(self, const Subset* subset, int cell, int64_t price, int64_t* hit_bound,
                            int64_t* missed_bound) noexcept nogil
    cdef int64_t solve_part(self, const Subset* subset, uint64_t sets, int64_t limit) except -1 nogil
    cdef int64_t shoot(self, const Subset* subset, int cell, int64_t price, int64_t hit_cost,
                       int64_t missed_cost, int64_t limit) except -1 nogil
