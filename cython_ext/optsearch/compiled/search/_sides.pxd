# Two sides of the cells of a family, and the sets that are alike on one of them.

from libc.stdint cimport int64_t

from cells cimport Cells
from optsearch.compiled.search._family cimport Node

cdef struct SplitSet:               # a set
    Cells side_cells
    Cells other_cells

cdef Cells weak_cut(const Node* node) noexcept nogil
cdef void sort_by_side(const Node* node, Cells side, SplitSet* split_sets) noexcept nogil
cdef Node* take_alike(const Node* node, const SplitSet* split_sets, int set_count) except NULL nogil
cdef void bound_by_sides(Node* node, const int64_t* leaves) noexcept nogil
cdef int independent_classes(const Node* node, Cells* class_cells) noexcept nogil
cdef bint take_factors(const Node* node, const Cells* class_cells, int class_count,
                       Node** factors) except -1 nogil
