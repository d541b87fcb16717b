# The search of families whose hits have labels, on one machine word.

from libc.stdint cimport int64_t, uint8_t, uint64_t

from cells cimport MAX_CELLS
from optsearch.compiled.search._family cimport Node
from optsearch.compiled.search._identities cimport IdentityTable
from optsearch.compiled.search._words cimport WordSearch
from options cimport Switches

cdef struct Part:              # a subset of the family, with counted cells
    uint64_t sets
    int set_count, cell_count
    int max_hits               # cells of a set, without those common to the part
    bint hits_tell             # True if one of the cells has several labels
    int splitting_cell         # a cell that all sets have, with several labels, or -1
    uint64_t columns[MAX_CELLS]  # the sets with each cell that not all have, the most first
    uint64_t counts[MAX_CELLS]
    uint8_t family_cell[MAX_CELLS]  # the index of each in the family

cdef class LabelledSearch:
    cdef WordSearch word_search
    cdef IdentityTable identities  # or None
    cdef Switches use
    cdef const Node* node
    cdef int search(self, Node* node, int64_t limit) except -1 nogil
    cdef void bound_family(self, Node* node) noexcept nogil
    cdef void begin(self, const Node* node, Part* whole) noexcept nogil
    cdef void take_part(self, const Part* whole, uint64_t sets, Part* part) noexcept nogil
    cdef bint has_several_labels(self, int cell, uint64_t sets) noexcept nogil
    cdef int64_t cost_of_two(self, uint64_t sets) noexcept nogil
    cdef int64_t solve(self, const Part* whole, uint64_t sets, int64_t limit, bint* exact) except -1 nogil
    cdef int64_t solve_part(self, const Part* part, int64_t lower, int64_t limit, bint* exact) except -1 nogil
    cdef int64_t solve_by_label(self, const Part* whole, const Part* part, int64_t limit,
                                bint* exact) except -1 nogil
    cdef int64_t try_cells(self, const Part* part, int64_t lower, int64_t limit, bint* exact) except -1 nogil
    cdef int64_t shoot(self, const Part* part, int cell, int64_t limit) except -1 nogil
    cdef int64_t bound_part(self, const Part* whole, uint64_t sets, int set_count) noexcept nogil
