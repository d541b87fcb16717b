# The optimum of a few configurations.

from libc.stdint cimport uint16_t, uint32_t, uint64_t

from cells cimport MAX_CELLS
from optsearch.compiled.evaluation._block cimport Words
from optsearch.compiled.evaluation._walk cimport MAX_ENDGAME

cdef class Endgame:
    cdef bint distinct         # True if different configurations have different cells
    cdef int patterns          # number of patterns, without those of all and of none
    cdef uint16_t pattern[MAX_CELLS]
    cdef uint16_t cost[1 << MAX_ENDGAME]
    cdef uint32_t stamp[1 << MAX_ENDGAME]
    cdef uint32_t seen[1 << MAX_ENDGAME]
    cdef uint32_t now
    cdef void begin(self, const Words* words, uint64_t members, int count) noexcept nogil
    cdef int solve(self, int part) noexcept nogil
    cdef int shot(self, int part) noexcept nogil

cdef int least_of_four(uint32_t seen, int count) noexcept nogil
