# Lower bounds on the cost of any strategy for a family.

from libc.stdint cimport int16_t, int32_t, int64_t

from optsearch.compiled.shared._arena cimport Arena
from optsearch.compiled.search._family cimport Candidate, Node
from options cimport Switches

cdef enum:
    NEVER = 16000              # more than the cost of 160 sets; twice it fits an int16_t

cdef class Bounds:
    cdef Arena arena
    cdef int objective
    cdef Switches use
    cdef int64_t* leaves       # see leaves.pxd
    cdef int64_t* unit_sums    # 0, 1, 2, ...: `lightest_sums` if all weights are 1
    cdef int16_t* cost_table   # see fill_cost_table
    cdef int table_sets, table_hits
    cdef void fill_cost_table(self) noexcept nogil
    cdef const int64_t* lightest_sums_of(self, const Node* node) noexcept nogil
    cdef bint solve_trivial(self, Node* node) noexcept nogil
    cdef bint uses_cost_table(self, const Node* node) noexcept nogil
    cdef int64_t table_bound(self, const Node* node) noexcept nogil
    cdef int64_t count_bound(self, Node* node, int64_t limit) noexcept nogil
    cdef void bound_parts(self, const Node* node, Candidate* candidate) noexcept nogil
    cdef int64_t most_finished(self, const Node* node, int first_reply, int hits, int misses) noexcept nogil
    cdef int64_t profile_bound(self, const Node* node, int first_reply, int set_count, int hits,
                               const int32_t* chain, int chain_length, const int64_t* finished_after_hit,
                               int budget) noexcept nogil
    cdef int64_t sides_bound(self, const Node* node, int set_count, const int32_t* chain,
                             int chain_length) noexcept nogil
    cdef void fill_finished(self, const Node* node, int first_reply, int hits, int64_t set_limit,
                            int64_t* finished) noexcept nogil
    cdef void lower_finished_by_pairs(self, const Node* node, int64_t set_limit,
                                      int64_t* finished_after_hit) noexcept nogil
    cdef void raise_finished_with_cell(self, const Node* node, int cell, int64_t set_limit,
                                       const int64_t* finished_after_two,
                                       int64_t* finished_with_cell) noexcept nogil
    cdef int fill_finished_of_part(self, const Node* node, int cell, int reply, int set_count,
                                   const int64_t* finished_after_two, int64_t* finished) noexcept nogil
    cdef void fill_chain(self, const Node* node, int32_t* chain) noexcept nogil
    cdef int64_t bound_part(self, const Node* node, int cell, int reply) noexcept nogil
    cdef int64_t bound_part_by_profile(self, const Node* node, int cell, int reply) noexcept nogil
    cdef int64_t bound_part_by_table(self, const Node* node, int cell, int reply) noexcept nogil

cdef inline const int16_t* cost_row(Bounds bounds, int hits, int set_count,
                                    int greatest_count) noexcept nogil:
    """Return the row of `cost_table`: entry i bounds the unweighted cost of i sets from below.

    The sets are some of set_count <= table_sets sets of `hits` cells, no cell in more than greatest_count.
    """
    cdef int table_rows = (bounds.table_sets + 1) * (bounds.table_sets + 1)
    if not bounds.use.leaf_counting or hits > bounds.table_hits:
        hits = bounds.table_hits
    if not bounds.use.frequency_cap or greatest_count >= set_count:
        greatest_count = set_count - 1
    return bounds.cost_table + <size_t>hits * table_rows + greatest_count * (bounds.table_sets + 1)

cdef inline int tabulated_bound(Bounds bounds, int hits, int set_count, int greatest_count) noexcept nogil:
    """Return a lower bound on the unweighted cost of at most `table_sets` sets of `hits` cells."""
    return cost_row(bounds, hits, set_count, greatest_count)[set_count]
