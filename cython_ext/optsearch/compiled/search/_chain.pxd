# The dual of the chain: a bound by a price for each set.

from libc.stdint cimport int16_t, int32_t, int64_t, uint64_t

from optsearch.compiled.shared._arena cimport Arena
from optsearch.compiled.search._family cimport Node

cdef enum:
    KEY = 16                   # words of PARTS bits
    PARTS = 1 << 10            # subsets of the sets with one cell, of which there are at most MOST
    MOST = 10

cdef struct Shape:             # sets, of which only the subsets that share a cell matter
    uint64_t key[KEY]          # bit p is 1 if a cell is in exactly the sets of part p
    int sets                   # 0: not in use
    int16_t misses[PARTS]      # the least misses of each part

cdef struct Place:             # a cell of the chain and the sets it can be the first to hit
    int sets
    bint needed                # no other cell is in all of them
    int32_t member[MOST]       # [sets]
    int64_t best[MOST + 1]     # [sets + 1] the greatest gain of a part of that many sets
    int32_t part[MOST + 1]     # a part with that gain
    int32_t cost[PARTS]        # the least misses of each part, in units

cdef class ChainDual:
    cdef Arena arena
    cdef Shape* shapes
    cdef Place* places
    cdef int32_t* tried        # the prices of a step
    cdef int32_t* slope        # the subgradient, times SCALE
    cdef int32_t* drift        # the slope plus a share of earlier ones
    cdef int n, m
    cdef int64_t best[MOST + 1]
    cdef bint fits(self, const Node* node) noexcept nogil
    cdef void load(self, const Node* node) noexcept nogil
    cdef int64_t value(self, const int32_t* prices, int start) noexcept nogil
    cdef int64_t rest(self, int start) noexcept nogil
    cdef void find_slope(self, int64_t slack) noexcept nogil
    cdef const int16_t* misses_of(self, const uint64_t* key, int sets) noexcept nogil
    cdef void first_prices(self, Node* node) noexcept nogil
    cdef int64_t raise_prices(self, Node* node, int64_t limit, int steps) noexcept nogil
    cdef int64_t hit(self, int c) noexcept nogil
    cdef int64_t missed(self, const Node* node, int c, int64_t rest) noexcept nogil
