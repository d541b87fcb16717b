# Leaf counting: a leaf with j misses and k hits is a sequence of k hits and j misses that ends in a
# hit, so at most C(k + t, t) leaves have at most t misses.

from libc.stdint cimport int64_t

from cells cimport MAX_CELLS

cdef enum:
    MISS_COUNTS = MAX_CELLS + 1            # numbers of misses, and of hits, from 0 on

cdef inline void fill_leaves(int64_t* leaves, int64_t most) noexcept nogil:
    """Fill leaves[hits * MISS_COUNTS + misses] = C(hits + misses, misses), at most `most`."""
    cdef int hits, misses
    for hits in range(MISS_COUNTS):
        leaves[hits * MISS_COUNTS] = 1
        for misses in range(1, MISS_COUNTS):
            leaves[hits * MISS_COUNTS + misses] = 1
            if hits > 0:                   # Pascal's rule
                leaves[hits * MISS_COUNTS + misses] = min(
                    most, leaves[hits * MISS_COUNTS + misses - 1] + leaves[(hits - 1) * MISS_COUNTS + misses])
