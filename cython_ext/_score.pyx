"""A compiled function, of one's own perhaps, that says what is shot by what is counted at a node.

`PROTOTYPE` of optsearch/strategies/score.py says what it is given and what it answers. It is called without
the GIL, at every node that has more than `least` configurations. What it answers is checked: a cell that can be
shot, or numbers. The first answer that is wrong is kept, with the position; whoever walks stops then.
"""

from libc.math cimport isnan
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memset

import numpy as np

from cells cimport MAX_CELLS, Cells, one
from optsearch.compiled._enumerate cimport MAX_KINDS

cpdef enum:
    SCORES = -1            # answered in place of a cell: there is a score of each
    FAILED = -2            # the function failed

cpdef enum:
    NO_CELL = 1            # the answer is no cell of the board
    NO_CHOICE              # it was shot before, or no configuration has it
    NO_NUMBER              # its score is none
    NO_ANSWER              # the function failed
    NO_SCORES              # a cell, where scores are wanted

cdef enum:
    MISS = 1               # of `state`
    HIT = 2
    HOLE = 3


cdef class Scorer:
    """A function and what it is given.

    score -- a `CompiledScore` of optsearch/strategies/rules.py, which is not checked any more. board -- rows,
    columns, and the mask of the holes. order -- the cells in the order in which ties are broken. lengths --
    for each thing that a sinking can tell how many cells the ship has, 0 if it does not say.
    """

    def __cinit__(self, score, board, order, lengths):
        cdef int i
        self.function = <Function><size_t>score.address
        self.rows, self.columns, holes = board
        self.cells, self.kinds = len(order), len(lengths)
        if not 0 < self.cells <= MAX_CELLS or self.kinds > MAX_KINDS or self.function == NULL:
            raise ValueError(f"{self.cells} cells, {self.kinds} lengths are not handled")
        self.hears, self.takes_certain = score.sinkings and self.kinds > 0, score.certain
        self.least = score.least
        self.constants = np.array(score.constants or (0,), np.float64)
        self.is_ordered = True
        for i in range(self.cells):
            self.order[i] = order[i]
            self.is_ordered = self.is_ordered and order[i] == i
        for i in range(self.cells):
            if holes >> i & 1:
                self.holes[i >> 3] |= <uint64_t>HOLE << 8 * (i & 7)
        for i in range(self.kinds):
            self.lengths[i] = lengths[i]

    cdef int32_t call(self, int64_t n, Cells hits, Cells misses, int columns, const uint8_t* cell,
                      const int64_t* counts) noexcept nogil:
        """The function's answer for n configurations.

        hits, misses -- by the order. columns, cell, counts -- how many have the cells at some places of it.
        """
        cdef int i
        cdef uint8_t* state = <uint8_t*>self.state
        memset(self.having, 0, self.cells * sizeof(int64_t))
        memset(self.scores, 0, self.cells * sizeof(double))
        for i in range(columns):
            if counts[i] < n or self.takes_certain:
                self.having[self.order[cell[i]]] = counts[i]
        if self.is_ordered:
            for i in range((self.cells + 7) >> 3):
                self.state[i] = (self.holes[i] | MISS * bytes_of(<uint8_t>(misses >> 8 * i))
                                 | HIT * bytes_of(<uint8_t>(hits >> 8 * i)))
        else:
            for i in range((self.cells + 7) >> 3):
                self.state[i] = self.holes[i]
            for i in range(self.cells):
                if (hits | misses) & one(i):
                    state[self.order[i]] = MISS if misses & one(i) else HIT
        return self.function(n, self.rows, self.columns, self.having, state, self.kinds, self.lengths,
                             self.afloat, self.sinking, &self.constants[0], self.scores)

    cdef int ask(self, int64_t n, Cells hits, Cells misses, int columns, const uint8_t* cell,
                 const int64_t* counts) noexcept nogil:
        """The column that is shot; -1, and it is noted: the answer is wrong.

        Some column can be shot: its count is not 0, and below n unless certain hits are choices.
        """
        cdef int32_t answer = self.call(n, hits, misses, columns, cell, counts)
        cdef int i, best = -1
        cdef int64_t last = n - 1 + self.takes_certain
        cdef double score
        if answer == SCORES:
            for i in range(columns):
                if 0 < counts[i] <= last:
                    score = self.scores[self.order[cell[i]]]
                    if isnan(score):
                        return self.refuse(NO_NUMBER, self.order[cell[i]], hits, misses)
                    if best < 0 or score > self.scores[self.order[cell[best]]]:
                        best = i
            return best
        if answer == FAILED:
            return self.refuse(NO_ANSWER, answer, hits, misses)
        if not 0 <= answer < self.cells:
            return self.refuse(NO_CELL, answer, hits, misses)
        for i in range(columns):
            if self.order[cell[i]] == answer and 0 < counts[i] <= last:
                return i
        return self.refuse(NO_CHOICE, answer, hits, misses)

    cdef bint rank(self, int64_t n, Cells hits, Cells misses, int columns, const uint8_t* cell,
                   const int64_t* counts, double* values) noexcept nogil:
        """The score of every column that can be shot; False, and it is noted: the answer is wrong."""
        cdef int32_t answer = self.call(n, hits, misses, columns, cell, counts)
        cdef int i
        if answer != SCORES:
            self.refuse(NO_ANSWER if answer == FAILED else NO_SCORES, answer, hits, misses)
            return False
        for i in range(columns):
            values[i] = self.scores[self.order[cell[i]]]
            if counts[i] and isnan(values[i]):
                self.refuse(NO_NUMBER, self.order[cell[i]], hits, misses)
                return False
        return True

    cdef int refuse(self, int wrong, int32_t answer, Cells hits, Cells misses) noexcept nogil:
        """Note what is wrong, once; -1."""
        if not self.wrong:
            self.wrong, self.answer, self.hits, self.misses = wrong, answer, hits, misses
        return -1

    @property
    def fault(self):
        """What was wrong first: what, the answer, and the masks of hits and misses; or None."""
        cdef int i
        if not self.wrong:
            return None
        hits = sum(1 << self.order[i] for i in range(self.cells) if self.hits & one(i))
        misses = sum(1 << self.order[i] for i in range(self.cells) if self.misses & one(i))
        return self.wrong, self.answer, hits, misses


cdef inline uint64_t bytes_of(uint8_t bits) noexcept nogil:
    """A byte for each bit, 0 or 1."""
    return ((bits & 0x7F) * <uint64_t>0x02040810204081 & <uint64_t>0x0101010101010101) | <uint64_t>(bits >> 7) << 56
