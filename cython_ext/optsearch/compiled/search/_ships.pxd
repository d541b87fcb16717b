# Families whose hits tell something: sets are lists of ships.

from cells cimport Cells
from optsearch.compiled.search._family cimport Node, Ships

cdef int take_ships(const Node* node, int c, int code, Node* part) except -1 nogil
cdef void forget_weights(Node* node) noexcept nogil
cdef int merge(Node* node) except -1 nogil
cdef void strip_ships(Node* node) noexcept nogil
cdef void count_replies(Node* node) noexcept nogil
cdef void order_ships(Cells* ships, const unsigned char* label, int s) noexcept nogil
cdef int place_of(const Ships* ships, int i, Cells ship, unsigned char label) noexcept nogil
