# Keys of families: equal keys, equal optimum.

from libc.stdint cimport uint64_t

from cells cimport Cells
from options cimport Switches
from optsearch._family cimport Node

cdef class NormalForm:
    cdef int cells, symmetries, objective, rule
    cdef Cells* image_of_byte  # [(symmetry * 16 + byte number) * 256 + byte]
    cdef Switches on
    cdef int write(self, Node* node) except -1 nogil
    cdef void write_sets(self, const Node* node, Cells* image, int bytes,
                         unsigned char* out) noexcept nogil
    cdef void least_image(self, const Node* node, Cells* image) noexcept nogil
    cdef void relabel(self, const Node* node, Cells* image) noexcept nogil
