# Families whose ships have names.

from cells cimport Cells
from optsearch.compiled.search._family cimport Node

cdef enum:
    MAX_NAMES = 16             # ships whose sizes fit into 16 bytes

cdef struct NamedSet:             # a set
    Cells ship_sizes           # a byte for each ship: the number of its cells left
    int index                  # in its family

cdef void sort_by_sizes(const Node* node, NamedSet* named_sets) noexcept nogil
cdef Node* take_named(const Node* node, const NamedSet* named_sets, int set_count) except NULL nogil
