# Families whose ships have names.

from cells cimport Cells
from optsearch.compiled.search._family cimport Node

cdef enum:
    MAX_NAMES = 16             # ships whose sizes fit into 16 bytes

cdef struct Named:             # a set
    Cells sizes                # a byte for each ship: the number of its cells left
    int i

cdef void sort_by_sizes(const Node* node, Named* named) noexcept nogil
cdef Node* take_named(const Node* node, const Named* named, int n) except NULL nogil
