# What a compiled function makes of what is counted at a node.

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from cells cimport MAX_CELLS, Cells
from optsearch.compiled._labels cimport MAX_LABELS

cdef enum:
    BYTES = 16                 # words with a byte for each cell, MAX_CELLS / 8

# `PROTOTYPE` of optsearch/strategies/score.py says what it is given.
ctypedef int32_t (*Function)(int64_t configurations, int32_t rows, int32_t columns, const int64_t* having,
                             const uint8_t* state, int32_t kinds, const int32_t* lengths,
                             const int32_t* afloat, const int64_t* labelled, const double* constants,
                             double* scores) noexcept nogil


cdef struct Score:
    Function function
    bint uses_labels         # whether `afloat` and `labelled` are wanted
    bint takes_certain         # whether a certain hit is a choice
    int64_t least              # up to so many configurations a most probable cell is shot
    int rows, columns, cells, kinds
    int order[MAX_CELLS]
    bint is_ordered            # by number
    uint64_t holes[BYTES]
    int32_t lengths[MAX_LABELS]
    const double* constants
    # What the function is given, by cell:
    int64_t having[MAX_CELLS]
    uint64_t state[BYTES]
    int32_t afloat[MAX_LABELS]
    int64_t labelled[MAX_LABELS * MAX_CELLS]
    double scores[MAX_CELLS]
    # What was wrong first:
    int wrong
    int32_t answer
    Cells hits, misses


cdef struct ScoreInput:        # what a function is asked about
    int64_t n                  # configurations
    int shift                  # each stands for 2^shift of them
    Cells hits                 # by the order; certain ones too where nothing is announced
    Cells misses
    int columns
    const uint8_t* cell        # of each column: its place in the order
    const int64_t* having      # how many have it; 0: it was shot


cdef int ask(Score* score, const ScoreInput* node) noexcept nogil
cdef bint rank(Score* score, const ScoreInput* node, double* values) noexcept nogil


cdef class Scorer:
    cdef Score score
    cdef const double[::1] constants
