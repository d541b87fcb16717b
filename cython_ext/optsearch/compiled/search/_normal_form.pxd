# Keys of families: equal keys, equal optimum.

from cells cimport Cells
from options cimport Switches
from optsearch.compiled.search._family cimport Node

cdef class NormalForm:
    cdef int cells, objective, rule
    cdef Switches use
    cdef int write(self, Node* node) except -1 nogil
    cdef void relabel(self, const Node* node, const Cells* masks, int mask_count, Cells* image) noexcept nogil
