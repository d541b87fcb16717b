# Leaf counting: a leaf with j misses and k hits is a sequence of k hits and j misses that ends in a
# hit, so at most C(k + t, t) leaves have at most t misses.

from libc.stdint cimport int64_t

from cells cimport MAX_CELLS

cdef enum:
    TIMES = MAX_CELLS + 1                  # numbers of misses, and of hits

cdef inline void fill_leaves(int64_t* leaves, int64_t most) noexcept nogil:
    """Fill leaves[k * TIMES + t] = C(k + t, t), at most `most`, for k and t below TIMES."""
    cdef int k, t
    for k in range(TIMES):
        leaves[k * TIMES] = 1
        for t in range(1, TIMES):
            leaves[k * TIMES + t] = 1
            if k > 0:                      # Pascal's rule
                leaves[k * TIMES + t] = min(
                    most, leaves[k * TIMES + t - 1] + leaves[(k - 1) * TIMES + t])
