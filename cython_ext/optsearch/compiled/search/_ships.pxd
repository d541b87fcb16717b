# Families whose hits tell something: sets are lists of ships.

from libc.stdint cimport int64_t

from cells cimport Cells
from optsearch.compiled.search._family cimport Node, Ships

cdef struct WeightedSet:
    int64_t weight
    int index                  # in its family

cdef inline int compare_by_falling_weight(const void* a, const void* b) noexcept nogil:
    """Compare two `WeightedSet` for qsort: the heavier first, then by index."""
    cdef const WeightedSet* x = <const WeightedSet*>a
    cdef const WeightedSet* y = <const WeightedSet*>b
    if x.weight != y.weight:
        return 1 if x.weight < y.weight else -1
    return x.index - y.index

cdef int fill_part_ships(const Node* node, int cell, int reply, Node* part) except -1 nogil
cdef void drop_unit_weights(Node* node) noexcept nogil
cdef int merge_equal_sets(Node* node) except -1 nogil
cdef void leave_out_shared(Node* node) noexcept nogil
cdef void count_replies(Node* node) noexcept nogil
cdef void sort_ships(Cells* ships, const unsigned char* labels, int ship_count) noexcept nogil
cdef int find_ship(const Ships* ships, int set_index, Cells ship, unsigned char label) noexcept nogil
