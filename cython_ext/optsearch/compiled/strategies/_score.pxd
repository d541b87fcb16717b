# A compiled function that scores cells by the counts at a node.

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from cells cimport MAX_CELLS, Cells
from optsearch.compiled.evaluation._labels cimport MAX_LABELS

cdef enum:
    BYTES = 16                 # words with a byte for each cell, MAX_CELLS / 8

# `PROTOTYPE` of optsearch/strategies/score.py explains the arguments.
ctypedef int32_t (*Function)(int64_t configurations, int32_t rows, int32_t columns, const int64_t* having,
                             const uint8_t* state, int32_t kinds, const int32_t* lengths,
                             const int32_t* afloat, const int64_t* labelled, const double* constants,
                             double* scores) noexcept nogil


cdef struct Score:
    Function function
    bint uses_labels         # True if `afloat` and `labelled` are needed
    bint takes_certain         # True if a certain hit is a choice
    int64_t least              # configurations up to which a most probable cell is shot instead
    int rows, columns, cells, kinds
    int order[MAX_CELLS]
    bint is_ordered            # True if the order is by number
    uint64_t holes[BYTES]
    int32_t lengths[MAX_LABELS]
    const double* constants
    # Arguments of the function, by cell:
    int64_t having[MAX_CELLS]
    uint64_t state[BYTES]
    int32_t afloat[MAX_LABELS]
    int64_t labelled[MAX_LABELS * MAX_CELLS]
    double scores[MAX_CELLS]
    # The first fault:
    int fault
    int32_t answer
    Cells hits, misses


cdef struct ScoreInput:        # the node that a function is asked about
    int64_t n                  # configurations
    int shift                  # each represents 2^shift of them
    Cells hits                 # by the order; with certain ones if nothing is announced
    Cells misses
    int columns
    const uint8_t* cell        # of each column: its place in the order
    const int64_t* having      # configurations with each column; 0 if it was shot


cdef int choose_column(Score* score, const ScoreInput* node) noexcept nogil
cdef bint fill_scores(Score* score, const ScoreInput* node, double* values) noexcept nogil


cdef class Scorer:
    cdef Score score
    cdef const double[::1] constants
