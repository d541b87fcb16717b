# The dual of the chain: a bound by a price for each set.

from libc.stdint cimport int16_t, int32_t, int64_t, uint64_t

from optsearch.compiled.shared._arena cimport Arena
from optsearch.compiled.search._family cimport Node

cdef enum:
    KEY_WORDS = 16             # words of PARTS bits
    MAX_SETS_PER_CELL = 10
    PARTS = 1 << 10            # subsets of the sets with one cell

cdef struct Shape:             # sets, of which only the subsets that share a cell matter
    uint64_t key[KEY_WORDS]    # bit p is 1 if a cell is in exactly the sets of part p
    int set_count              # 0: not in use
    int16_t misses[PARTS]      # the least misses of each part

cdef struct Place:             # a cell of the chain and the sets it can be the first to hit
    int set_count
    bint is_needed             # True if no other cell is in all of them
    int32_t members[MAX_SETS_PER_CELL]
    int64_t best_gain[MAX_SETS_PER_CELL + 1]  # entry i: the greatest gain of a part of i sets
    int32_t best_part[MAX_SETS_PER_CELL + 1]  # a part with that gain
    int32_t part_cost[PARTS]   # the least misses of each part, in units

cdef class ChainDual:
    cdef Arena arena
    cdef Shape* shapes
    cdef Place* places
    cdef int32_t* tried_prices
    cdef int32_t* slope        # the subgradient, times SCALE
    cdef int32_t* momentum     # the slope plus a share of earlier ones
    cdef int set_count, cell_count
    cdef int64_t best_gain[MAX_SETS_PER_CELL + 1]  # over all places
    cdef bint fits(self, const Node* node) noexcept nogil
    cdef void load(self, const Node* node) noexcept nogil
    cdef int64_t bound_at_prices(self, const int32_t* prices, int first_place) noexcept nogil
    cdef int64_t total_of_places(self, int place) noexcept nogil
    cdef void find_slope(self, int64_t slack) noexcept nogil
    cdef const int16_t* part_misses(self, const uint64_t* key, int set_count) noexcept nogil
    cdef int64_t raise_prices(self, Node* node, int64_t limit, int steps) noexcept nogil
    cdef int64_t misses_if_hit(self, int cell) noexcept nogil
    cdef int64_t bound_if_missed(self, const Node* node, int cell, int64_t rest) noexcept nogil
