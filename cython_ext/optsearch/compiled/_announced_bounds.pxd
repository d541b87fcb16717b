# What no strategy can be below where sinkings are announced.

from libc.stdint cimport int64_t

from optsearch.compiled._announced_state cimport State, Stock
from options cimport Switches

cdef class AnnouncedBounds:
    cdef int objective
    cdef Switches on
    cdef int64_t* leaves       # see leaves.pxd
    cdef int64_t at_sight(self, const State* state) noexcept nogil
    cdef int64_t static_bound(self, const State* state, Stock* stock) noexcept nogil
    cdef int64_t bound_missed(self, const State* state, const Stock* stock, int c) noexcept nogil
    cdef void count_leaves(self, const State* state, Stock* stock) noexcept nogil
    cdef int64_t bound(self, const Stock* stock, int kind, int64_t weight, int n, int budget,
                       bint profile) noexcept nogil
    cdef void count_sequences(self, const State* state, const Stock* stock,
                              int64_t* sequences) noexcept nogil
    cdef void count_all_sequences(self, const State* state, const Stock* stock,
                                  int64_t* sequences) noexcept nogil
