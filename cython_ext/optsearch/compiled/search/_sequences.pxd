# The number of sequences of replies with a hit.

from libc.stdint cimport int64_t

from optsearch.compiled.search._family cimport Node

cdef extern from *:
    """
    #define optsearch_many ((int64_t)1 << 31)
    """
    const int64_t MANY "optsearch_many"        # more leaves than any family has sets

cdef void count_sequences(Node* node, const int64_t* leaves) noexcept nogil
