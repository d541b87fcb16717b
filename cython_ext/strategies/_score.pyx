"""A compiled function, perhaps the user's, that chooses the shot by the counts at a node.

`ScoreNode` of optsearch/strategies/score.py explains its arguments. It returns the cell to shoot, or
SCORES to shoot the cell with the highest score. It is called without the GIL, at every node with more than
`least` configurations. Its answer is checked: a cell that can be shot, or numbers. The first wrong answer
is kept, with the position; the walk then stops.
"""

from libc.math cimport isnan
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memset

import numpy as np

from cells cimport MAX_CELLS, one
from optsearch.compiled.evaluation._labels cimport MAX_LABELS

cpdef enum:
    SCORES = -1            # the answer instead of a cell: each cell has a score
    FAILED = -2            # the function failed

cpdef enum:
    NO_CELL = 1            # the answer is not a cell of the board
    NO_CHOICE              # the cell was shot before, or no configuration has it
    NO_NUMBER              # the score of a cell is not a number
    NO_ANSWER              # the function failed
    NO_SCORES              # the answer is a cell, but scores are needed

cpdef enum:
    UNKNOWN = 0            # values of `state`
    MISS = 1
    HIT = 2
    HOLE = 3


cdef inline uint64_t bytes_of(uint8_t bits) noexcept nogil:
    """Return a word with a byte, 0 or 1, for each bit."""
    cdef uint64_t low = (bits & 0x7F) * <uint64_t>0x02040810204081 & <uint64_t>0x0101010101010101
    return low | <uint64_t>(bits >> 7) << 56


cdef int32_t call_function(Score* score, const ScoreInput* node) noexcept nogil:
    """Call the function of a score on a node; return the cell that it chooses, SCORES or FAILED."""
    cdef int i
    cdef uint8_t* state = <uint8_t*>score.state
    memset(score.having, 0, score.cells * sizeof(int64_t))
    memset(score.scores, 0, score.cells * sizeof(double))
    for i in range(node.columns):
        if node.having[i] < node.n or score.takes_certain:
            score.having[score.order[node.cell[i]]] = node.having[i] << node.shift
    if score.is_ordered:
        for i in range((score.cells + 7) >> 3):
            score.state[i] = (score.holes[i] | MISS * bytes_of(<uint8_t>(node.misses >> 8 * i))
                              | HIT * bytes_of(<uint8_t>(node.hits >> 8 * i)))
    else:
        for i in range((score.cells + 7) >> 3):
            score.state[i] = score.holes[i]
        for i in range(score.cells):
            if (node.hits | node.misses) & one(i):
                state[score.order[i]] = MISS if node.misses & one(i) else HIT
    return score.function(node.n << node.shift, score.rows, score.columns, score.having, state, score.kinds,
                          score.lengths, score.afloat, score.labelled, score.constants, score.scores)


cdef int note_fault(Score* score, const ScoreInput* node, int fault, int32_t answer) noexcept nogil:
    """Note a fault, such as NO_CELL, with its node and answer, if it is the first; return -1."""
    if not score.fault:
        score.fault, score.answer, score.hits, score.misses = fault, answer, node.hits, node.misses
    return -1


cdef int choose_column(Score* score, const ScoreInput* node) noexcept nogil:
    """Return the column to shoot, or -1 if the function's answer is wrong, which is noted.

    A column is a cell of the node. It can be shot if not all configurations have it, or if certain hits are
    choices. At least one column of the node can be.
    """
    cdef int32_t answer = call_function(score, node)
    cdef int i, cell, best = -1
    cdef int64_t last = node.n - 1 + score.takes_certain
    cdef double most = 0
    if answer == FAILED:
        return note_fault(score, node, NO_ANSWER, answer)
    if answer != SCORES and not 0 <= answer < score.cells:
        return note_fault(score, node, NO_CELL, answer)
    for i in range(node.columns):
        if not 0 < node.having[i] <= last:
            continue
        cell = score.order[node.cell[i]]
        if answer == cell:
            return i
        if answer == SCORES:
            if isnan(score.scores[cell]):
                return note_fault(score, node, NO_NUMBER, cell)
            if best < 0 or score.scores[cell] > most:
                most = score.scores[cell]
                best = i
    return best if answer == SCORES else note_fault(score, node, NO_CHOICE, answer)


cdef bint fill_scores(Score* score, const ScoreInput* node, double* values) noexcept nogil:
    """Fill `values` with the score of every column (cell of the node); False after a wrong answer.

    A wrong answer is noted.
    """
    cdef int32_t answer = call_function(score, node)
    cdef int i, cell
    if answer != SCORES:
        note_fault(score, node, NO_ANSWER if answer == FAILED else NO_SCORES, answer)
        return False
    for i in range(node.columns):
        cell = score.order[node.cell[i]]
        values[i] = score.scores[cell]
        if node.having[i] and isnan(values[i]):
            note_fault(score, node, NO_NUMBER, cell)
            return False
    return True


cdef class Scorer:
    """A function and its arguments.

    compiled -- a `CompiledScore` of optsearch/search/rules.py, already checked. board -- rows, columns, and
    the mask of the holes. order -- the cells in the order in which ties are broken. lengths -- for each
    label of hits the length of the ship, or 0 if the label does not tell.
    """

    def __cinit__(self, compiled, board, order, lengths):
        cdef Score* score = &self.score
        cdef int i
        score.function = <Function><size_t>compiled.address
        score.rows, score.columns, holes = board
        score.cells, score.kinds = len(order), len(lengths)
        if not 0 < score.cells <= MAX_CELLS or score.kinds > MAX_LABELS or score.function == NULL:
            raise ValueError(f"{score.cells} cells, {score.kinds} lengths are not handled")
        score.uses_labels, score.takes_certain = compiled.labels and score.kinds > 0, compiled.certain
        score.least = compiled.least
        self.constants = np.array(compiled.constants or (0,), np.float64)
        score.constants = &self.constants[0]
        score.is_ordered = True
        for i in range(score.cells):
            score.order[i] = order[i]
            score.is_ordered = score.is_ordered and order[i] == i
            if holes >> i & 1:
                score.holes[i >> 3] |= <uint64_t>HOLE << 8 * (i & 7)
        for i in range(score.kinds):
            score.lengths[i] = lengths[i]

    @property
    def fault(self):
        """Return the first fault, its kind, the answer, and masks of hits and misses; None without one."""
        cdef int i
        cdef Score* score = &self.score
        if not score.fault:
            return None
        hits = sum(1 << score.order[i] for i in range(score.cells) if score.hits & one(i))
        misses = sum(1 << score.order[i] for i in range(score.cells) if score.misses & one(i))
        return score.fault, score.answer, hits, misses
