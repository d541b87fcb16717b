# Lower bounds on the cost of any strategy for a family.

from libc.stdint cimport int16_t, int32_t, int64_t

from optsearch.compiled.shared._arena cimport Arena
from optsearch.compiled.search._family cimport Candidate, Node
from options cimport Switches

cdef enum:
    NEVER = 16000              # more than the cost of 160 sets; twice it fits an int16_t

cdef class Bounds:
    cdef Arena arena
    cdef int objective
    cdef Switches on
    cdef int64_t* leaves       # see leaves.pxd
    cdef int64_t* ranks        # 0, 1, 2, ...: `light` if all weights are 1
    cdef int16_t* capped       # see fill_capped
    cdef int capped_most, capped_hits
    cdef void fill_capped(self) noexcept nogil
    cdef const int64_t* light_of(self, const Node* node) noexcept nogil
    cdef bint solve_trivial(self, Node* node) noexcept nogil
    cdef bint is_capped(self, const Node* node) noexcept nogil
    cdef int64_t capped_of(self, const Node* node) noexcept nogil
    cdef int64_t bound_of(self, Node* node, int64_t limit) noexcept nogil
    cdef void bound_parts(self, const Node* node, Candidate* candidate) noexcept nogil
    cdef int64_t leaves_of(self, const Node* node, int code, int hits, int t) noexcept nogil
    cdef int64_t profile_bound(self, const Node* node, int code, int n, int hits,
                               const int32_t* chain, int chain_n, const int64_t* after,
                               int budget) noexcept nogil
    cdef int64_t spread_bound(self, const Node* node, int n, const int32_t* chain,
                              int chain_n) noexcept nogil
    cdef void leaves_after(self, const Node* node, int code, int hits, int64_t most,
                           int64_t* after) noexcept nogil
    cdef void pairs_after(self, const Node* node, int64_t most, int64_t* after) noexcept nogil
    cdef void raise_after(self, const Node* node, int c, int64_t most, const int64_t* after_two,
                          int64_t* after) noexcept nogil
    cdef int finish_part(self, const Node* node, int c, int code, int n, const int64_t* after_two,
                         int64_t* finished) noexcept nogil
    cdef void chain_of(self, const Node* node, int32_t* chain) noexcept nogil
    cdef int64_t part_bound(self, const Node* node, int c, int code) noexcept nogil
    cdef int64_t profiled_part(self, const Node* node, int c, int code) noexcept nogil
    cdef int64_t capped_part(self, const Node* node, int c, int code) noexcept nogil

cdef inline const int16_t* capped_row(Bounds bounds, int k, int n, int d) noexcept nogil:
    """Return the row of `capped`: entry i bounds the unweighted cost of i sets from below.

    The sets are some of n <= capped_most sets of k cells, of which d is the greatest count.
    """
    cdef int row = (bounds.capped_most + 1) * (bounds.capped_most + 1)
    if not bounds.on.leaf_counting or k > bounds.capped_hits:
        k = bounds.capped_hits
    if not bounds.on.frequency_cap or d >= n:
        d = n - 1
    return bounds.capped + <size_t>k * row + d * (bounds.capped_most + 1)

cdef inline int capped_bound(Bounds bounds, int k, int n, int d) noexcept nogil:
    """Return a lower bound on the cost of n <= capped_most sets of k cells; d -- the greatest count."""
    return capped_row(bounds, k, n, d)[n]
