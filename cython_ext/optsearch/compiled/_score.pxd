# What a compiled function makes of what is counted at a node.

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from cells cimport MAX_CELLS, Cells
from optsearch.compiled._enumerate cimport MAX_KINDS

cdef enum:
    BYTES = 16                 # words with a byte for each cell, MAX_CELLS / 8

# `PROTOTYPE` of optsearch/strategies/score.py says what it is given.
ctypedef int32_t (*Function)(int64_t configurations, int32_t rows, int32_t columns, const int64_t* having,
                             const uint8_t* state, int32_t kinds, const int32_t* lengths,
                             const int32_t* afloat, const int64_t* sinking, const double* constants,
                             double* scores) noexcept nogil


cdef class Scorer:
    cdef Function function
    cdef readonly bint hears   # whether `afloat` and `sinking` are wanted
    cdef bint takes_certain    # whether a certain hit is a choice
    cdef int64_t least         # up to so many configurations a most probable cell is shot
    cdef int rows, columns, cells, kinds
    cdef int order[MAX_CELLS]
    cdef bint is_ordered       # by number
    cdef uint64_t holes[BYTES]
    cdef int32_t lengths[MAX_KINDS]
    cdef const double[::1] constants
    # What the function is given, by cell:
    cdef int64_t having[MAX_CELLS]
    cdef uint64_t state[BYTES]
    cdef int32_t afloat[MAX_KINDS]
    cdef int64_t sinking[MAX_KINDS * MAX_CELLS]
    cdef double scores[MAX_CELLS]
    # What was wrong first:
    cdef int wrong
    cdef int32_t answer
    cdef Cells hits, misses
    cdef int32_t call(self, int64_t n, Cells hits, Cells misses, int columns, const uint8_t* cell,
                      const int64_t* counts) noexcept nogil
    cdef int ask(self, int64_t n, Cells hits, Cells misses, int columns, const uint8_t* cell,
                 const int64_t* counts) noexcept nogil
    cdef bint rank(self, int64_t n, Cells hits, Cells misses, int columns, const uint8_t* cell,
                   const int64_t* counts, double* values) noexcept nogil
    cdef int refuse(self, int wrong, int32_t answer, Cells hits, Cells misses) noexcept nogil
