# Two sides of the cells of a family, and the sets that are alike on one of them.

from libc.stdint cimport int64_t

from cells cimport Cells
from optsearch.compiled.search._family cimport Node

cdef struct Row:               # a set
    Cells side                 # its cells on one side
    Cells rest                 # its other cells

cdef Cells weak_cut(const Node* node) noexcept nogil
cdef void sort_by_side(const Node* node, Cells side, Row* rows) noexcept nogil
cdef Node* take_alike(const Node* node, const Row* rows, int n) except NULL nogil
cdef void bound_by_sides(Node* node, const int64_t* leaves) noexcept nogil
cdef int independent_classes(const Node* node, Cells* mask) noexcept nogil
cdef bint take_factors(const Node* node, const Cells* mask, int number,
                       Node** factors) except -1 nogil
